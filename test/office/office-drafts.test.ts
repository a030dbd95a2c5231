// Drafts and other records that workstations work on together, on the office's server: if several change one at once,
// one content becomes current and the others are kept as conflicting versions.
import { randomBytes, randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { systemTime } from '../../src/main/core/lib/time.ts'
import { openPool } from '../../src/main/core/office/connection.ts'
import { MAX_TRANSFER_BYTES, openOfficeDrafts } from '../../src/main/core/office/office-drafts.ts'
import { openOfficeRecords } from '../../src/main/core/office/records.ts'
import { openOfficeSends } from '../../src/main/core/office/sends.ts'
import { openTestOffice, type TestOffice } from '../fixtures/office.ts'

let office: TestOffice
let pools: Pool[]
let accountId: string
beforeAll(async () => {
  office = await openTestOffice(inject('cluster'))
  const workstations = await Promise.all(['One', 'Two', 'Three'].map((name) => office.join(name)))
  pools = workstations.map(({ place }) => openPool(place))
})
afterAll(() => Promise.all(pools.map((pool) => pool.end())))
beforeEach(async () => {
  accountId = await sendsOf(0).account(randomUUID(), { concurrency: 2, perMinute: null })
})

function poolOf(index: number): Pool {
  return pools[index] ?? expect.fail('There is no such workstation.')
}
const draftsOf = (index: number) => openOfficeDrafts({ pool: poolOf(index), key: office.key })
const sendsOf = (index: number) => openOfficeSends({ pool: poolOf(index), key: office.key, time: systemTime })
/**
 * Saves as one workstation; returns the outcome and the new version.
 * @param revision the revision of what it builds on, as far as the workstation knows.
 */
async function save(index: number, id: string, text: string, basedOn: string[] = [], isTyped = false, revision = 0) {
  const version = randomUUID()
  const saved = await draftsOf(index).save(accountId, { id, basedOn, revision }, version, Buffer.from(text), isTyped)
  return { ...saved, its: version }
}
const all = (index = 0) => draftsOf(index).changes(accountId, 0, 0)
async function one(id: string, index = 0) {
  return (await all(index)).find((change) => change.id === id) ?? expect.fail('There is no such draft.')
}
const textsBeside = async (id: string) =>
  (await draftsOf(2).conflicts(accountId, id, [])).map(({ by, content }) => [by, content?.toString()])

describe('a save', () => {
  test('based on the current version replaces it; one based on an older version is a conflict', async () => {
    const id = randomUUID()
    const first = await save(0, id, 'one')
    const second = await save(1, id, 'two', [first.its])
    const outdated = await save(0, id, 'three', [first.its])
    expect([first.outcome, second.outcome, outdated.outcome]).toEqual(['newest', 'newest', 'conflict'])
    expect(outdated.content?.toString()).toBe('two')
    expect(await one(id)).toMatchObject({ by: 'Two', isMine: true, conflictCount: 1, revision: 2 })
    expect((await one(id)).content?.toString()).toBe('two')
    expect(await textsBeside(id)).toEqual([['One', 'three']])
  })

  test('repeated after its answer was lost counts once', async () => {
    const [id, version] = [randomUUID(), randomUUID()]
    const once = () => draftsOf(0).save(accountId, { id, basedOn: [], revision: 0 }, version, Buffer.from('one'), false)
    expect([(await once()).outcome, (await once()).outcome]).toEqual(['newest', 'newest'])
    expect((await one(id)).conflictCount).toBe(0)
  })

  test('while another is typing becomes a conflict, whatever it is based on', async () => {
    const id = randomUUID()
    const first = await save(0, id, 'one', [], true)
    expect((await save(1, id, 'two', [first.its])).outcome).toBe('conflict')
    expect((await one(id, 1)).editing).toMatchObject({ by: 'One', isMe: false })
    await draftsOf(0).releaseHold(accountId, id)
    expect((await one(id, 1)).editing).toBeUndefined()
    expect((await save(1, id, 'two', [first.its])).outcome).toBe('newest')
  })

  test('by three at once makes one current version and two conflicts', async () => {
    const id = randomUUID()
    const first = await save(0, id, 'start')
    const outcomes = await Promise.all([0, 1, 2].map((index) => save(index, id, `by ${index}`, [first.its])))
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['conflict', 'conflict', 'newest'])
    const texts = [(await one(id)).content?.toString(), ...(await textsBeside(id)).map(([, text]) => text)]
    expect(texts.sort()).toEqual(['by 0', 'by 1', 'by 2'])
  })

  test('loses what it overwrites with a mutant in which the last write wins', async () => {
    const [from, to] = ['its.version = ANY (p_based_on) AND NOT is_held_by_another(its)', 'true']
    await office.mutated('save_item', from, to, async () => {
      const id = randomUUID()
      const first = await save(0, id, 'start')
      await save(1, id, 'by one', [first.its])
      expect((await save(2, id, 'by two', [first.its])).outcome).toBe('newest')
      expect(await textsBeside(id)).toEqual([])
    })
  })
})

test('changes and conflicting versions are read in limited portions of at least one', async () => {
  const large = () => randomBytes(MAX_TRANSFER_BYTES * 0.6).toString('base64')
  const id = randomUUID()
  const { its } = await save(0, id, 'one')
  const texts = [large(), large(), large()]
  await save(0, id, 'two', [its])
  for (const text of texts) await save(1, id, text, [its])
  // What fits into one answer, and what a reader sees.
  const answered = await poolOf(2).query<{ sealed: Buffer | null }>(
    'SELECT sealed FROM office.item_conflicts($1, $2, $3, $4)',
    ['draft', id, [], MAX_TRANSFER_BYTES]
  )
  expect(answered.rows.map(({ sealed }) => sealed !== null)).toEqual([true, true, false])
  expect((await textsBeside(id)).map(([, text]) => text)).toEqual(texts)
  const [first] = await draftsOf(2).conflicts(accountId, id, [])
  const conflicts = await draftsOf(2).conflicts(accountId, id, [first?.version ?? ''])
  expect(conflicts.map(({ content }) => content?.toString())).toEqual([undefined, ...texts.slice(1)])

  for (let each = 0; each < 3; each++) await save(0, randomUUID(), large())
  const counts: number[] = []
  for (let after = 0; ; ) {
    const page = await draftsOf(2).changes(accountId, after, 0)
    const last = page.at(-1)
    if (!last) break
    counts.push(page.length)
    after = last.seq
  }
  // The small ones share a page with the first large one; the second exceeds the limit.
  expect(counts).toEqual([3, 1])
})

describe('editing a draft', () => {
  test('is possible at one workstation at a time, until another takes over', async () => {
    const id = randomUUID()
    await save(0, id, 'one')
    const holders = await Promise.all([0, 1, 2].map((index) => draftsOf(index).hold(accountId, id, false)))
    expect(holders.filter((holder) => holder?.isMe)).toHaveLength(1)
    expect(new Set(holders.map((holder) => holder?.by)).size).toBe(1)
    expect(await draftsOf(1).hold(accountId, id, true)).toEqual({ by: 'Two', isMe: true })
    expect(await draftsOf(0).hold(accountId, id, false)).toEqual({ by: 'Two', isMe: false })
  })

  test('ends automatically when nothing more is typed', async () => {
    const id = randomUUID()
    await save(0, id, 'one', [], true)
    await office.sql(`UPDATE office.shared_item SET editing_until = now() - interval '1 ms' WHERE id = $1`, [id])
    expect((await one(id)).editing).toBeUndefined()
    expect(await draftsOf(1).hold(accountId, id, false)).toMatchObject({ isMe: true })
  })
})

describe('the trash', () => {
  test('is shared, and only drafts in it can be erased', async () => {
    const id = randomUUID()
    const { its } = await save(0, id, 'one')
    const latest = { id, basedOn: [its], revision: 1 }
    expect(await draftsOf(1).move(accountId, latest, 'gone')).toBe(false)
    expect(await draftsOf(1).move(accountId, latest, 'trash')).toBe(true)
    expect((await one(id)).trashedFor).toBeGreaterThanOrEqual(0)
    expect(await draftsOf(0).move(accountId, latest, 'gone')).toBe(true)
    const erased = await one(id, 2)
    expect(erased).toMatchObject({ isGone: true })
    expect(erased.content).toBeUndefined()
    expect((await save(0, id, 'two', [its])).outcome).toBe('gone')
  })

  test('doesn’t accept a draft that was changed since or that another is editing', async () => {
    const id = randomUUID()
    const first = await save(0, id, 'one')
    const second = await save(1, id, 'two', [first.its], true)
    expect(await draftsOf(0).move(accountId, { id, basedOn: [first.its], revision: 9 }, 'trash')).toBe(false)
    expect(await draftsOf(0).move(accountId, { id, basedOn: [second.its], revision: 9 }, 'trash')).toBe(false)
  })
})

/**
 * Pushes a send of a draft as one workstation.
 * @param its the content that is sent, its revision, and whether it may have been sent.
 */
function giveOf(
  index: number,
  draft: string,
  its: { basedOn: string[]; draftRound?: number; isInDoubt?: boolean },
  id: string,
  revision = 1
) {
  const { basedOn, draftRound = 0, isInDoubt = false } = its
  const send = { id, content: Buffer.from('{}'), inMs: 60_000, revision, mayHaveArrived: isInDoubt }
  return sendsOf(index).push(accountId, { ...send, of: { draft, basedOn, revision: draftRound } })
}

/** Withholds a send: `cancelled` if undone, `held` if its workstation leaves. */
async function withhold(send: { id: string; revision: number }, as: 'held' | 'cancelled') {
  const [row] = await office.sql<{ life: number }>('SELECT life FROM office.office')
  return await sendsOf(0).withhold(accountId, send, as, row?.life ?? 0)
}

describe('sending a draft', () => {
  const give = (index: number, draft: string, basedOn: string[], id: string = randomUUID(), revision = 1) =>
    giveOf(index, draft, { basedOn }, id, revision)

  test('at several workstations at once succeeds at one', async () => {
    const draft = randomUUID()
    const { its } = await save(0, draft, 'one')
    const answers = await Promise.all([0, 1, 2].map((index) => give(index, draft, [its])))
    expect(answers.map(({ state }) => state).sort()).toEqual(['ready', 'taken', 'taken'])
    expect(await office.sql('SELECT FROM office.send WHERE draft = $1', [draft])).toHaveLength(1)
  })

  test('in an outdated version is refused', async () => {
    const draft = randomUUID()
    const first = await save(0, draft, 'one')
    await save(1, draft, 'two', [first.its])
    expect((await give(0, draft, [first.its])).state).toBe('changed')
  })

  test('by several on a restored server: none is claimed while another may have been sent, and one is sent', async () => {
    const draft = randomUUID()
    const ids = [randomUUID(), randomUUID(), randomUUID()].sort()
    const [first = '', second = '', third = ''] = ids
    const { its } = await save(0, draft, 'one')
    await give(0, draft, [its], second)
    // As if the server hadn't known that they belong to one draft: that is set only afterwards.
    for (const id of [first, third]) {
      const content = { id, content: Buffer.from('{}'), inMs: 0, revision: 1, mayHaveArrived: id === third }
      await sendsOf(1).push(accountId, content)
    }
    await office.sql(`UPDATE office.send SET draft = $1, goes_at = now() - interval '1 s' WHERE account = $2`, [
      draft,
      accountId
    ])
    const claimed = async () => (await sendsOf(2).claim(accountId, 2)).map(({ id }) => id)
    const becomes = (id: string, state: string) =>
      office.sql('UPDATE office.send SET state = $2, may_have_arrived = false, uncertain_at = NULL WHERE id = $1', [
        id,
        state
      ])
    // The third may have been sent, which holds the others back.
    expect(await claimed()).toEqual([])
    await becomes(third, 'not-sent')
    expect(await claimed()).toEqual([first])
    expect(await claimed()).toEqual([])
    await becomes(first, 'sent')
    expect(await claimed()).toEqual([])
    expect(await draftsOf(2).removeSent(accountId, draft, first)).toBe(true)
    expect(await office.sql('SELECT state FROM office.send WHERE id = $1', [second])).toEqual([{ state: 'cancelled' }])
  })

  test('can be repeated after an undo, and removes the draft once sent', async () => {
    const [draft, id] = [randomUUID(), randomUUID()]
    const { its } = await save(0, draft, 'one')
    await give(0, draft, [its], id)
    expect(await draftsOf(1).removeSent(accountId, draft, id)).toBe(false)
    expect(await withhold({ id, revision: 2 }, 'cancelled')).toBeGreaterThan(0)
    const second = randomUUID()
    expect((await give(1, draft, [its], second)).state).toBe('ready')
    await office.sql(`UPDATE office.send SET state = 'sent' WHERE id = $1`, [second])
    expect(await draftsOf(2).removeSent(accountId, draft, second)).toBe(true)
    expect((await one(draft)).isGone).toBe(true)
    expect((await give(0, draft, [its])).state).toBe('taken')
  })

  test('that was taken along can be retried after its workstation rejoined, but not sent as another package', async () => {
    const [draft, id] = [randomUUID(), randomUUID()]
    const { its } = await save(0, draft, 'one')
    await give(0, draft, [its], id)
    expect(await withhold({ id, revision: 2 }, 'held')).toBeGreaterThan(0)
    expect(await draftsOf(0).removeSent(accountId, draft, id, [its])).toBe(true)
    // Its workstation rejoined and pushed it again, and the service refused it.
    await office.sql(`UPDATE office.send SET state = 'refused', concluded_at = now() WHERE id = $1`, [id])
    expect((await give(1, draft, [])).state).toBe('gone')
    const retried = { id, content: Buffer.from('{}'), inMs: 0, revision: 3, mayHaveArrived: false }
    expect(await sendsOf(1).push(accountId, { ...retried, of: { draft, basedOn: [], revision: 0 } })).toMatchObject({
      state: 'ready'
    })
  })

  test.each([true, false])(
    'that a restored server learns of as uncertain keeps later text as another draft: %s',
    async (isFurther) => {
      const [draft, id] = [randomUUID(), randomUUID()]
      const { its } = await save(0, draft, 'one')
      await office.sql('SELECT office.begin_life(now())')
      const second = await save(1, draft, 'two', [its])
      const basedOn = [isFurther ? its : second.its]
      await giveOf(0, draft, { basedOn, draftRound: isFurther ? 1 : 2, isInDoubt: true }, id)
      await office.sql(`UPDATE office.send SET state = 'sent' WHERE id = $1`, [id])
      expect(await draftsOf(2).removeSent(accountId, draft, id)).toBe(true)
      expect(await one(draft)).toMatchObject({ isGone: true, isSplitOff: isFurther })
    }
  )

  test('that was held when its workstation began to leave can be pushed again only if unchanged', async () => {
    const [draft, id] = [randomUUID(), randomUUID()]
    const { its } = await save(0, draft, 'one')
    await give(0, draft, [its], id)
    expect(await withhold({ id, revision: 2 }, 'held')).toBeGreaterThan(0)
    expect(await give(0, draft, [its], id, 3)).toMatchObject({ state: 'ready' })
    expect(await withhold({ id, revision: 4 }, 'held')).toBeGreaterThan(0)
    expect((await save(1, draft, 'two', [its])).outcome).toBe('newest')
    expect(await give(0, draft, [its], id, 5)).toMatchObject({ state: 'changed' })
  })

  test('lets a leaving workstation take it along unless another has changed it meanwhile', async () => {
    const [draft, id] = [randomUUID(), randomUUID()]
    const { its } = await save(0, draft, 'one')
    await give(0, draft, [its], id)
    expect(await withhold({ id, revision: 2 }, 'held')).toBeGreaterThan(0)
    const second = await save(1, draft, 'two', [its])
    expect(await draftsOf(0).removeSent(accountId, draft, id, [its])).toBe(false)
    expect(await one(draft)).toMatchObject({ isGone: false })
    expect(await draftsOf(0).removeSent(accountId, draft, id, [second.its])).toBe(true)
  })

  test('lets a leaving workstation take along one that a restored server lost, and it stays gone', async () => {
    const [draft, id, version] = [randomUUID(), randomUUID(), randomUUID()]
    await sendsOf(0).push(accountId, {
      id,
      content: Buffer.from('{}'),
      inMs: 60_000,
      revision: 1,
      mayHaveArrived: true
    })
    expect(await draftsOf(0).removeSent(accountId, draft, id, [version])).toBe(false)
    // Its workstation leaves.
    await sendsOf(0).reclaimSends(accountId)
    expect(await draftsOf(0).removeSent(accountId, draft, id, [version])).toBe(true)
    const restored = await draftsOf(1).restore(accountId, { id: draft, revision: 2 }, version, Buffer.from('one'))
    expect(restored.outcome).toBe('gone')
  })

  test.each([
    ['has as held', true, 'before it is pushed'],
    ['has lost', false, 'before it is pushed'],
    ['hears of before the deletion', false, 'once it is pushed'],
    ['has found not sent before the deletion', false, 'after the folders were read']
  ])(
    'that went along with a send that a restored server %s comes back, or goes with a retry, after the folders don’t have that',
    async (_what, isHeld, deleted) => {
      const [draft, id] = [randomUUID(), randomUUID()]
      const { its } = await save(0, draft, 'one')
      if (isHeld) {
        await give(0, draft, [its], id)
        await withhold({ id, revision: 2 }, 'held')
      }
      await office.sql('SELECT office.begin_life(now())')
      // All that the others know is that the draft no longer exists.
      const deleteIf = async (when: string) => {
        if (when !== deleted) return
        expect(await draftsOf(1).move(accountId, { id: draft, basedOn: [its], revision: 1 }, 'gone')).toBe(true)
      }
      await deleteIf('before it is pushed')
      const send = { id, content: Buffer.from('{}'), inMs: 0, mayHaveArrived: true }
      const of = { draft, basedOn: [its], revision: 1 }
      expect(await sendsOf(0).push(accountId, { ...send, revision: 3, isUncertain: true, of })).toMatchObject({
        state: 'uncertain'
      })
      await deleteIf('once it is pushed')
      await settled(id, 'not-sent')
      await deleteIf('after the folders were read')
      expect(await sendsOf(0).push(accountId, { ...send, revision: 4, of })).toMatchObject({ state: 'ready' })
      await settled(id, 'not-sent')
      const own = { id: draft, basedOn: [], revision: 0, own: [id] }
      const back = await draftsOf(0).save(accountId, own, randomUUID(), Buffer.from('one'), false)
      expect(back.outcome).toBe('newest')
      expect(await one(draft)).toMatchObject({ isGone: false, version: back.version, revision: back.revision })
    }
  )

  const settled = (id: string, state: string) =>
    office.sql('UPDATE office.send SET state = $2, concluded_at = now() WHERE id = $1', [id, state])
  /** A draft that was taken along with its send when its workstation left. */
  async function goneAlong() {
    const [draft, id] = [randomUUID(), randomUUID()]
    const { its } = await save(0, draft, 'one')
    await give(0, draft, [its], id)
    await withhold({ id, revision: 2 }, 'held')
    expect(await draftsOf(0).removeSent(accountId, draft, id, [its])).toBe(true)
    return { draft, id }
  }

  test('that was taken along returns when the workstation with its send saves it, unless that may be sent', async () => {
    const { draft, id } = await goneAlong()
    const back = (own: string[]) =>
      draftsOf(1).save(accountId, { id: draft, basedOn: [], revision: 0, own }, randomUUID(), Buffer.from('one'), false)
    await settled(id, 'not-sent')
    expect((await back([])).outcome).toBe('gone')
    expect((await back([randomUUID()])).outcome).toBe('gone')
    for (const state of ['ready', 'sending', 'uncertain', 'sent']) {
      await settled(id, state)
      expect(await back([id])).toMatchObject({ outcome: 'sent', sentAs: id })
    }
    await settled(id, 'not-sent')
    const { outcome, version } = await back([id])
    expect([outcome, (await one(draft)).isGone]).toEqual(['newest', false])
    expect((await give(2, draft, [version])).state).toBe('ready')
    expect((await give(1, draft, [version], id, 3)).state).toBe('taken')
  })

  test('that had returned is restored on a restored server only with its later revision', async () => {
    const { draft } = await goneAlong()
    await office.sql('SELECT office.begin_life(now())')
    const know = (revision: number) =>
      draftsOf(1).restore(accountId, { id: draft, revision }, randomUUID(), Buffer.from('later'))
    expect((await know(1)).outcome).toBe('gone')
    expect((await know(2)).outcome).toBe('newest')
    expect((await one(draft)).content?.toString()).toBe('later')
  })

  test('that continued as another draft belongs to that one when it is retried', async () => {
    const [draft, id, other] = [randomUUID(), randomUUID(), randomUUID()]
    const { its } = await save(0, draft, 'one')
    await give(0, draft, [its], id)
    await settled(id, 'not-sent')
    const sent = randomUUID()
    await give(1, draft, [its], sent)
    await settled(sent, 'sent')
    await draftsOf(1).removeSent(accountId, draft, sent)
    const next = await save(0, other, 'one')
    // Another send of its first draft has arrived.
    expect((await give(0, other, [next.its], id, 2)).state).toBe('taken')
    await settled(sent, 'cancelled')
    expect((await give(0, other, [next.its], id, 2)).state).toBe('ready')
    expect((await give(1, other, [next.its])).state).toBe('taken')
  })
})

describe('changes', () => {
  test('are never skipped by readers when a writer is slow', async () => {
    const slow = await poolOf(0).connect()
    try {
      const [first, second] = [randomUUID(), randomUUID()]
      await slow.query('BEGIN')
      const put = 'SELECT FROM office.save_item($1, $2, $3, $4, $5, NULL)'
      await slow.query(put, [first, accountId, randomUUID(), [], Buffer.from('x')])
      const later = save(1, second, 'second')
      const { seq } = await draftsOf(2).state(accountId)
      expect(await draftsOf(2).changes(accountId, seq, seq)).toEqual([])
      await slow.query('COMMIT')
      await later
      const read = await draftsOf(2).changes(accountId, seq, seq)
      expect(read.map(({ id }) => id)).toEqual([first, second])
    } finally {
      slow.release()
    }
  })

  test('don’t repeat known content, and conflicting versions are read on request', async () => {
    const id = randomUUID()
    const { its } = await save(0, id, 'one')
    const { seq } = await draftsOf(1).state(accountId)
    const { its: conflicting } = await save(1, id, 'two', [])
    const [change] = await draftsOf(2).changes(accountId, seq, seq)
    expect(change).toMatchObject({ id, version: its, conflictCount: 1 })
    expect(change?.content).toBeUndefined()
    // A version that the person who decides doesn't know of remains undecided.
    await draftsOf(2).resolveConflicts(accountId, id, [randomUUID()])
    expect(await draftsOf(2).conflicts(accountId, id, [])).toMatchObject([{ isResolved: false }])
    await draftsOf(2).resolveConflicts(accountId, id, [conflicting])
    const [version] = await draftsOf(2).conflicts(accountId, id, [])
    expect(version).toMatchObject({ by: 'Two', isResolved: true })
    expect((await draftsOf(2).conflicts(accountId, id, [version?.version ?? '']))[0]?.content).toBeUndefined()
  })
})

describe('a restored server', () => {
  const markRestored = () => office.sql('SELECT office.begin_life(now())')
  const know = (index: number, id: string, text: string, revision: number, version = randomUUID()) =>
    draftsOf(index).restore(accountId, { id, revision }, version, Buffer.from(text))

  test('ends with the latest version that it is told, in any order', async () => {
    const [id, lostSend] = [randomUUID(), randomUUID()]
    await save(0, id, 'one')
    await markRestored()
    expect((await know(0, id, 'three', 3)).outcome).toBe('newest')
    expect((await know(1, id, 'two', 2)).outcome).toBe('older')
    expect((await know(2, id, 'four', 4)).outcome).toBe('newest')
    expect((await know(2, lostSend, 'new', 1)).outcome).toBe('newest')
    expect((await one(id)).content?.toString()).toBe('four')
    expect((await one(id)).conflictCount).toBe(0)
    expect((await one(lostSend)).content?.toString()).toBe('new')
  })

  test('keeps what was saved since, and takes lost content as a conflict', async () => {
    const id = randomUUID()
    const first = await save(0, id, 'one')
    await markRestored()
    await save(1, id, 'since', [first.its])
    expect((await know(0, id, 'one', 1, first.its)).outcome).toBe('older')
    expect((await know(0, id, 'lost', 2)).outcome).toBe('conflict')
    expect((await one(id)).content?.toString()).toBe('since')
  })

  test('takes the second of two contents with the same revision as a conflict', async () => {
    const id = randomUUID()
    await save(0, id, 'one')
    await markRestored()
    await know(0, id, 'two', 2)
    expect((await know(1, id, 'other two', 2)).outcome).toBe('conflict')
    expect((await one(id)).content?.toString()).toBe('two')
    expect(await textsBeside(id)).toEqual([['Two', 'other two']])
  })

  test('keeps content of a deleted draft that those who deleted it hadn’t seen', async () => {
    const id = randomUUID()
    const first = await save(0, id, 'one')
    await markRestored()
    expect(await draftsOf(0).move(accountId, { id, basedOn: [first.its], revision: 1 }, 'gone')).toBe(true)
    // It is gone already, and this one knew more of it.
    const third = randomUUID()
    expect(await draftsOf(1).move(accountId, { id, basedOn: [third], revision: 3 }, 'gone')).toBe(true)
    expect((await know(2, id, 'two', 2)).outcome).toBe('gone')
    expect((await know(2, id, 'three', 3, third)).outcome).toBe('gone')
    expect((await know(2, id, 'another of as many', 3)).outcome).toBe('split-off')
    expect((await know(2, id, 'four', 4)).outcome).toBe('split-off')
  })

  test('keeps another’s content of a lost draft that was changed and deleted since', async () => {
    const id = randomUUID()
    await markRestored()
    const since = await save(0, id, 'since', [randomUUID()], false, 2)
    expect(await draftsOf(0).move(accountId, { id, basedOn: [since.its], revision: 3 }, 'trash')).toBe(true)
    expect(await draftsOf(0).move(accountId, { id, basedOn: [since.its], revision: 3 }, 'gone')).toBe(true)
    expect((await know(1, id, 'two', 2)).outcome).toBe('gone')
    expect((await know(1, id, 'three', 3)).outcome).toBe('split-off')
    // The same applies in another life.
    await markRestored()
    expect((await know(2, id, 'another three', 3)).outcome).toBe('split-off')
  })

  test('keeps nothing of a deleted draft that its maker had made private', async () => {
    const id = randomUUID()
    const first = await save(0, id, 'one')
    expect(await draftsOf(0).move(accountId, { id, basedOn: [first.its], revision: 1 }, 'maker')).toBe(true)
    await markRestored()
    expect(await draftsOf(1).move(accountId, { id, basedOn: [], revision: 900_000_000 }, 'gone')).toBe(true)
    expect((await know(1, id, 'four', 4)).outcome).toBe('gone')
    expect((await save(0, id, 'five', [first.its], false, 4)).revision).toBe(5)
  })

  test('continues the revisions of what is saved before anyone has noticed the restore', async () => {
    const [id, lostSend] = [randomUUID(), randomUUID()]
    const first = await save(0, id, 'one')
    // They build on the third and the second content; this server has only the first, or none.
    expect((await save(0, id, 'one, and further', [first.its], false, 3)).revision).toBe(4)
    const later = await save(0, lostSend, 'two, and further', [randomUUID()], false, 2)
    await markRestored()
    expect((await know(1, id, 'three', 3)).outcome).toBe('older')
    expect((await know(1, lostSend, 'two', 2)).outcome).toBe('older')
    expect((await know(0, lostSend, 'two, and further', 3, later.its)).outcome).toBe('newest')
    expect((await one(lostSend)).content?.toString()).toBe('two, and further')
  })

  test('refuses a send of other or older content than it has been told', async () => {
    const [id, version] = [randomUUID(), randomUUID()]
    const first = await save(0, id, 'one')
    await markRestored()
    await know(0, id, 'three', 3, version)
    const give = (basedOn: string[], draftRound: number) => giveOf(1, id, { basedOn, draftRound }, randomUUID())
    expect((await give([first.its], 1)).state).toBe('changed')
    expect((await give([randomUUID()], 3)).state).toBe('changed')
    // The server has less than what is sent.
    expect((await give([randomUUID()], 4)).state).toBe('ready')
  })

  test.each([
    ['later content that it is told after the send', 3, false, true],
    ['later content that it was told before an uncertain send', 3, true, true],
    ['nothing if the content is what was sent or older', 2, false, false]
  ])('keeps as another draft %s', async (_what, revision, isFirst, isFurther) => {
    const [id, send, version, sent] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
    await save(0, id, 'one')
    await markRestored()
    if (isFirst) await know(0, id, 'told', revision, version)
    await giveOf(1, id, { basedOn: [sent], draftRound: 2, isInDoubt: isFirst }, send)
    if (!isFirst) await know(0, id, 'told', revision, isFurther ? version : sent)
    await office.sql(`UPDATE office.send SET state = 'sent' WHERE id = $1`, [send])
    expect(await draftsOf(1).removeSent(accountId, id, send)).toBe(true)
    expect(await one(id)).toMatchObject({ isGone: true, isSplitOff: isFurther })
  })

  test.each([
    ['later than', 3, true],
    ['earlier than', 1, false]
  ])(
    'keeps only later content as another draft when told of a send: %s what was sent',
    async (_what, revision, isFurther) => {
      const [id, send] = [randomUUID(), randomUUID()]
      await markRestored()
      await know(0, id, 'told', revision)
      await sendsOf(1).reportSent(
        accountId,
        { id: send, epoch: 1 },
        {},
        { draft: id, versions: [randomUUID()], revision: 2 }
      )
      expect((await sendsOf(2).changes(accountId, 0, 0)).at(-1)).toMatchObject({ id: send, of: { revision: 2 } })
      expect(await draftsOf(2).removeSent(accountId, id, send)).toBe(true)
      expect(await one(id)).toMatchObject({ isGone: true, isSplitOff: isFurther })
    }
  )

  test('keeps content written since as a conflict when told of a send', async () => {
    const [id, send] = [randomUUID(), randomUUID()]
    await save(0, id, 'one')
    await markRestored()
    await save(1, id, 'one, and further', [randomUUID()])
    await sendsOf(0).reportSent(
      accountId,
      { id: send, epoch: 1 },
      {},
      { draft: id, versions: [randomUUID()], revision: 2 }
    )
    expect(await draftsOf(0).removeSent(accountId, id, send)).toBe(true)
    expect(await one(id)).toMatchObject({ isGone: true, hasOpenConflicts: true, isSplitOff: false })
  })

  test('refuses to withhold, save or read for workstations unaware of the restore', async () => {
    const [waiting, unknown] = [randomUUID(), randomUUID()]
    await save(0, waiting, 'one')
    await sendsOf(0).push(accountId, {
      id: waiting,
      content: Buffer.from('{}'),
      inMs: 0,
      revision: 1,
      mayHaveArrived: false
    })
    const [before] = await office.sql<{ life: number }>('SELECT life FROM office.office')
    const life = before?.life ?? 0
    const records = openOfficeRecords({ pool: poolOf(0), key: office.key })
    const preset = { id: randomUUID(), version: randomUUID(), basedOn: [], content: {} }
    const one = { id: unknown, content: Buffer.from('{}'), inMs: 0, revision: 2, mayHaveArrived: false, life }
    const decision = { askedBy: 'ada', by: 'grace', isReleased: true }
    const requests = () => [
      sendsOf(0).push(accountId, one),
      sendsOf(0).push(accountId, { ...one, of: { draft: waiting, basedOn: [waiting], revision: 1 } }),
      sendsOf(0).decide(accountId, { ...one, ...decision, id: waiting }),
      sendsOf(0).reclaimSends(accountId, life),
      ...[waiting, unknown].map((id) => sendsOf(0).withhold(accountId, { id, revision: 2 }, 'cancelled', life)),
      draftsOf(0).save(accountId, { id: unknown, basedOn: [], revision: 0 }, unknown, Buffer.from('x'), false, life),
      draftsOf(0).changes(accountId, 0, 0, life),
      records.put('preset', accountId, [preset], life),
      records.changes('preset', accountId, 0, 10, life)
    ]
    // Both before anyone has noticed and after another workstation has.
    await office.sql(`UPDATE office.office SET server_fingerprint = 'another'`)
    const refused = { status: 'rejected', reason: expect.objectContaining({ code: '55000' }) }
    const expectRefused = async () => {
      for (const one of await Promise.allSettled(requests())) expect(one).toEqual(refused)
    }
    await expectRefused()
    await markRestored()
    await expectRefused()
    expect(await office.sql('SELECT state FROM office.send WHERE account = $1', [accountId])).toEqual([
      { state: 'uncertain' }
    ])
    expect(await all()).toHaveLength(1)
  })

  test('accepts that a draft was erased, unless it was changed since', async () => {
    const [id, other] = [randomUUID(), randomUUID()]
    await save(0, id, 'one')
    const first = await save(0, other, 'one')
    await markRestored()
    await save(1, other, 'since', [first.its])
    const unknownVersion = { basedOn: [randomUUID()], revision: 5 }
    expect(await draftsOf(0).move(accountId, { id, ...unknownVersion }, 'gone')).toBe(true)
    expect(await draftsOf(0).move(accountId, { id: other, ...unknownVersion }, 'gone')).toBe(false)
  })
})

describe('a workstation that exceeds its rights', () => {
  const ask = (sql: string, ...values: unknown[]) => poolOf(1).query(sql, values)
  const NO_RIGHT = { code: '42501' }

  test('can’t read or write tables, or call internal functions', async () => {
    for (const sql of [
      'SELECT * FROM office.shared_item',
      'SELECT * FROM office.shared_item_conflict',
      `UPDATE office.shared_item SET version = gen_random_uuid()`,
      'DELETE FROM office.shared_item_conflict',
      'UPDATE office.shared_item_feed SET seq = 0',
      `SELECT office.next_item_seq('draft', gen_random_uuid())`,
      `SELECT office.remove_item('draft', 'x', 1)`,
      `SELECT office.item_of('draft', 'x', gen_random_uuid())`
    ]) {
      await expect(ask(sql)).rejects.toMatchObject(NO_RIGHT)
    }
  })

  test('can’t make another’s draft private, or remove one that wasn’t sent', async () => {
    const id = randomUUID()
    const { its } = await save(0, id, 'one')
    const latest = { id, basedOn: [its], revision: 1 }
    expect(await draftsOf(1).move(accountId, latest, 'maker')).toBe(false)
    expect(await draftsOf(1).removeSent(accountId, id, randomUUID())).toBe(false)
    const other = randomUUID()
    await sendsOf(1).push(accountId, {
      id: other,
      content: Buffer.from('{}'),
      inMs: 0,
      revision: 1,
      mayHaveArrived: false
    })
    expect(await draftsOf(1).removeSent(accountId, id, other)).toBe(false)
    expect((await one(id)).isGone).toBe(false)
    expect(await draftsOf(0).move(accountId, latest, 'maker')).toBe(true)
    expect((await save(1, id, 'two', [its])).outcome).toBe('gone')
    expect((await save(0, id, 'two', [its])).outcome).toBe('newest')
    expect((await one(id)).isGone).toBe(false)
  })

  test('can’t reach a draft by another account or place, or hold it too long', async () => {
    const id = randomUUID()
    const { its } = await save(0, id, 'one')
    const otherAccount = await sendsOf(1).account(randomUUID(), { concurrency: 1, perMinute: null })
    const body = Buffer.from('x')
    const put = 'SELECT FROM office.save_item($1, $2, $3, $4, $5, NULL)'
    await expect(ask(put, id, otherAccount, randomUUID(), [its], body)).rejects.toMatchObject(NO_RIGHT)
    await expect(draftsOf(1).move(otherAccount, { id, basedOn: [its], revision: 1 }, 'trash')).rejects.toMatchObject(
      NO_RIGHT
    )
    await expect(draftsOf(1).resolveConflicts(otherAccount, id, [])).rejects.toMatchObject(NO_RIGHT)
    await expect(draftsOf(1).hold(otherAccount, id, true)).rejects.toMatchObject(NO_RIGHT)
    await expect(ask(`SELECT office.move_item($1, $2, $3, 1, 'mine')`, id, accountId, [its])).rejects.toMatchObject({
      code: '22023'
    })
    await expect(ask(`SELECT office.hold_item($1, $2, 900000, true)`, id, accountId)).rejects.toMatchObject({
      code: '22023'
    })
    expect((await one(id)).content?.toString()).toBe('one')
  })

  test('can do nothing once it is revoked', async () => {
    const { place } = await office.join('Four')
    const pool = openPool(place)
    try {
      const drafts = openOfficeDrafts({ pool, key: office.key })
      expect(await drafts.changes(accountId, 0, 0)).toEqual([])
      await office.sql(`UPDATE office.station SET revoked_at = now() WHERE role_name = $1`, [place.user])
      const version = randomUUID()
      for (const request of [
        () => drafts.changes(accountId, 0, 0),
        () => drafts.conflicts(accountId, 'x', []),
        () => drafts.state(accountId),
        () => drafts.save(accountId, { id: 'x', basedOn: [], revision: 0 }, version, Buffer.from('x'), false)
      ]) {
        await expect(request()).rejects.toMatchObject(NO_RIGHT)
      }
    } finally {
      await pool.end()
    }
  })

  test('can’t have content opened in another draft’s place', async () => {
    const [id, other] = [randomUUID(), randomUUID()]
    await save(0, id, 'one')
    await save(0, other, 'two')
    await office.sql(
      'UPDATE office.shared_item SET sealed = (SELECT sealed FROM office.shared_item WHERE id = $2) WHERE id = $1',
      [id, other]
    )
    expect((await one(id)).content).toBeUndefined()
    expect((await one(other)).content?.toString()).toBe('two')
  })
})
