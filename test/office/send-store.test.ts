// Promises of both send stores, the embedded one and the office's: a package is sent once, whichever workstation is
// killed, stopped or late.
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client, type Pool } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { systemTime } from '../../src/main/core/lib/time.ts'
import { openPool } from '../../src/main/core/office/connection.ts'
import { openOfficeFeed, sealForFeed, tagOf } from '../../src/main/core/office/feed.ts'
import { openOfficeDrafts } from '../../src/main/core/office/office-drafts.ts'
import type { SendStore } from '../../src/main/core/office/send-store.ts'
import { openOfficeSends } from '../../src/main/core/office/sends.ts'
import { type Chance, chanceOf } from '../chaos/chance.ts'
import { begin, killed } from '../chaos/killed-process.ts'
import { type CountingService, openCountingService } from '../fixtures/counting-service.ts'
import { openEmbeddedSends } from '../fixtures/embedded-sends.ts'
import { type JoinedWorkstation, openTestOffice, type TestOffice } from '../fixtures/office.ts'
import type { Orders } from '../fixtures/sending-workstation.ts'

const PROGRAM = new URL('../fixtures/sending-workstation.ts', import.meta.url)

/** A fresh store under test. */
interface Under {
  store: SendStore
  accountId: string
  /** The same store for another holder: another workstation, or the next run of this one. */
  another(): Promise<SendStore>
  close(): Promise<void>
}

const time = { elapsed: () => performance.now() }
let office: TestOffice
let workstations: JoinedWorkstation[]
let pools: Pool[]

beforeAll(async () => {
  // No wait between checks of the folders.
  office = await openTestOffice(inject('cluster'), { search: '0 s' })
  workstations = await Promise.all(['One', 'Two', 'Three'].map((name) => office.join(name)))
  pools = workstations.map(({ place }) => openPool(place))
})
afterAll(() => Promise.all(pools.map((pool) => pool.end())))

/** The store as a workstation sees it. */
function storeAt(index: number) {
  const pool = pools[index]
  if (!pool) throw new Error('There is no such workstation.')
  return openOfficeSends({ pool, key: office.key, time })
}

/** Expires all claims. */
async function expire(): Promise<void> {
  await office.sql(`UPDATE office.send SET lease_until = now() - interval '1 ms' WHERE state = 'sending'`)
}

const kinds: Record<string, () => Promise<Under>> = {
  async embedded() {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-sends-'))
    const file = join(folder, 'sends.db')
    const first = await openEmbeddedSends(file, true)
    const opened = [first]
    return {
      store: first.store,
      accountId: first.accountId,
      async another() {
        const next = await openEmbeddedSends(file, true)
        opened.push(next)
        return next.store
      },
      async close() {
        for (const one of opened) one.close()
        await rm(folder, { recursive: true, force: true })
      }
    }
  },
  async office() {
    return {
      store: storeAt(0),
      accountId: randomUUID(),
      async another() {
        await expire()
        return storeAt(1)
      },
      close: async () => undefined
    }
  }
}

const content = (id: string) => Buffer.from(JSON.stringify({ id }))

describe.each(Object.entries(kinds))('sends in the store: %s', (_name, open) => {
  let under: Under
  let store: SendStore
  beforeEach(async () => {
    under = await open()
    store = under.store
    await store.configure(under.accountId, { concurrency: 2, perMinute: null })
  })
  afterEach(() => under.close())

  const put = async (count = 1, inMs = 0) => {
    const ids = Array.from({ length: count }, () => randomUUID())
    for (const id of ids) await store.put(under.accountId, id, content(id), inMs)
    return ids
  }
  const claimed = async (limit = 10, of = store) => await of.claim(under.accountId, limit)
  const only = async () => {
    const [id = ''] = await put()
    const [claim] = await claimed()
    if (claim?.id !== id) throw new Error('It was not claimed.')
    return claim
  }

  test('a claimed send is sending, unchanged, and can’t be claimed again', async () => {
    const [id = ''] = await put()
    const [claim] = await claimed()
    expect(JSON.parse(String(claim?.content))).toEqual({ id })
    expect(await store.stateOf(id)).toBe('sending')
    expect(await claimed()).toEqual([])
  })

  test('storing the same send twice makes one', async () => {
    const [id = ''] = await put()
    await store.put(under.accountId, id, content(id))
    expect(await claimed()).toHaveLength(1)
  })

  test('no more sends are in progress than allowed', async () => {
    await put(5)
    const first = await claimed(1)
    expect(first).toHaveLength(1)
    expect(await claimed()).toHaveLength(1)
    expect(await claimed()).toEqual([])
    await store.finish(under.accountId, first[0] ?? { id: '', epoch: 0 }, 'accepted', {})
    expect(await claimed()).toHaveLength(1)
  })

  test('the rate limit allows one send, and then none for a while', async () => {
    await store.configure(under.accountId, { concurrency: 4, perMinute: 1 })
    await put(3)
    expect(await claimed()).toHaveLength(1)
    expect(await claimed()).toEqual([])
  })

  test('a send that is due later can’t be claimed now', async () => {
    await put(1, 3_600_000)
    expect(await claimed()).toEqual([])
  })

  test('concurrent claims never get the same send', async () => {
    await store.configure(under.accountId, { concurrency: 4, perMinute: null })
    const ids = await put(4)
    const claims = (await Promise.all(Array.from({ length: 10 }, () => claimed(2)))).flat()
    expect(claims.map(({ id }) => id).sort()).toEqual([...ids].sort())
  })

  test('nothing can be claimed in a paused outbox until it is resumed', async () => {
    await put()
    await store.pause(under.accountId)
    expect(await claimed()).toEqual([])
    await store.resume(under.accountId)
    expect(await claimed()).toHaveLength(1)
  })

  test('an answer that affects every package pauses the outbox, and the send waits', async () => {
    const claim = await only()
    expect(await store.finish(under.accountId, claim, 'stopped', {})).toBe('ready')
    expect(await claimed()).toEqual([])
    await store.resume(under.accountId)
    expect(await claimed()).toHaveLength(1)
  })

  test.each([
    ['accepted', 'sent'],
    ['refused', 'refused'],
    ['uncertain', 'uncertain'],
    ['nothing-left', 'ready']
  ] as const)('an attempt that ended as %s leaves the send %s', async (end, state) => {
    const claim = await only()
    expect(await store.finish(under.accountId, claim, end, {})).toBe(state)
    expect(await store.stateOf(claim.id)).toBe(state)
  })

  test('a refusal leaves a send uncertain if an earlier attempt may have arrived', async () => {
    await store.finish(under.accountId, await only(), 'uncertain', {})
    const [uncertainSend] = await store.uncertainSends(under.accountId)
    if (!uncertainSend) throw new Error('It is not uncertain.')
    expect(await store.conclude(uncertainSend, 'ready')).toBe(true)
    const [retried] = await claimed()
    expect(retried?.id).toBe(uncertainSend.id)
    expect(await store.finish(under.accountId, retried ?? uncertainSend, 'refused', {})).toBe('uncertain')
  })

  test('a waiting send can be cancelled, and is then never claimed; a claimed one can’t be', async () => {
    const [id = ''] = await put()
    expect(await store.cancel(id)).toBe(true)
    expect(await claimed()).toEqual([])
    expect(await store.cancel((await only()).id)).toBe(false)
  })

  test('a send whose holder is gone is uncertain, and is claimed again only after a verdict', async () => {
    const { id } = await only()
    const next = await under.another()
    await next.expireClaims(under.accountId)
    expect(await next.stateOf(id)).toBe('uncertain')
    expect(await claimed(10, next)).toEqual([])
    const [uncertainSend] = await next.uncertainSends(under.accountId)
    expect(uncertainSend?.id).toBe(id)
    expect(await next.conclude(uncertainSend ?? { id, epoch: 0 }, 'ready')).toBe(true)
    expect(await claimed(10, next)).toHaveLength(1)
    // That verdict was about its earlier state.
    expect(await next.conclude(uncertainSend ?? { id, epoch: 0 }, 'ready')).toBe(false)
  })
})

describe('sends that several workstations share', () => {
  const account = async (limits = { concurrency: 5, perMinute: null }) => {
    const accountId = randomUUID()
    await storeAt(0).configure(accountId, limits)
    return accountId
  }
  /** One send, claimed by the first workstation, which is gone; what the second does with it is up to the test. */
  async function heldByOneGone() {
    const [one, two] = [storeAt(0), storeAt(1)]
    const accountId = await account()
    const id = randomUUID()
    await one.put(accountId, id, content(id))
    const [claim] = await one.claim(accountId, 1)
    if (!claim) throw new Error('It was not claimed.')
    await expire()
    await two.expireClaims(accountId)
    return { one, two, accountId, id, claim }
  }
  /** The same, but the second has claimed it after it was shown not to have arrived. */
  async function heldByTheNext() {
    const leaseOfGone = await heldByOneGone()
    const [uncertainSend] = await leaseOfGone.two.uncertainSends(leaseOfGone.accountId)
    await leaseOfGone.two.conclude(uncertainSend ?? leaseOfGone.claim, 'ready')
    const [next] = await leaseOfGone.two.claim(leaseOfGone.accountId, 1)
    if (!next) throw new Error('It was not claimed again.')
    return { ...leaseOfGone, next }
  }

  test('every workstation learns that a send may have arrived before', async () => {
    const [one, two] = [storeAt(0), storeAt(1)]
    const accountId = await account()
    const [uncertainSend, fresh] = [randomUUID(), randomUUID()]
    await one.push(accountId, {
      id: uncertainSend,
      content: content(uncertainSend),
      inMs: 0,
      revision: 1,
      mayHaveArrived: true
    })
    await one.put(accountId, fresh, content(fresh))
    const changes = await two.changes(accountId, 0, 0)
    expect(new Map(changes.map(({ id, mayHaveArrived }) => [id, mayHaveArrived]))).toEqual(
      new Map([
        [uncertainSend, true],
        [fresh, false]
      ])
    )
  })

  test('a send whose claim expired is uncertain', async () => {
    const { two, accountId, id } = await heldByOneGone()
    expect(await two.claim(accountId, 1)).toEqual([])
    expect(await two.stateOf(id)).toBe('uncertain')
  })

  test('a mutant that makes it ready instead lets it be sent twice', async () => {
    await office.mutated(
      'expire_claims',
      `state = 'uncertain', may_have_arrived = true`,
      `state = 'ready', may_have_arrived = false`,
      async () => {
        const { two, accountId, claim } = await heldByOneGone()
        expect(await two.claim(accountId, 1)).toMatchObject([{ id: claim.id }])
      }
    )
  })

  test('a late result from the previous holder decides nothing, but is stored', async () => {
    const { one, two, accountId, id, claim, next } = await heldByTheNext()
    expect(await one.finish(accountId, claim, 'nothing-left', {})).toBe('sending')
    expect(await two.stateOf(id)).toBe('sending')
    expect(await two.finish(accountId, next, 'accepted', {})).toBe('sent')
    const answersBefore = await office.sql('SELECT epoch, kind FROM office.answer WHERE send = $1 ORDER BY epoch', [id])
    expect(answersBefore).toEqual([
      { epoch: claim.epoch, kind: 'nothing-left' },
      { epoch: next.epoch, kind: 'accepted' }
    ])
  })

  test('a mutant that ignores the epoch lets it be sent twice', async () => {
    await office.mutated('finish', `AND epoch = p_epoch;`, ';', async () => {
      const { one, two, accountId, claim } = await heldByTheNext()
      await one.finish(accountId, claim, 'nothing-left', {})
      expect(await two.claim(accountId, 1)).toMatchObject([{ id: claim.id }])
    })
  })

  test('a late result that it was accepted proves that it arrived', async () => {
    const { one, two, accountId, id, claim, next } = await heldByTheNext()
    expect(await one.finish(accountId, claim, 'accepted', {})).toBe('sent')
    expect(await two.finish(accountId, next, 'refused', {})).toBe('sent')
    expect(await two.stateOf(id)).toBe('sent')
  })

  test('an answer that affects every package doesn’t replace a restored server’s pause', async () => {
    const { two, accountId, next } = await heldByTheNext()
    await office.sql(`UPDATE office.outbox SET paused_by = 'restored' WHERE account = $1`, [accountId])
    await two.finish(accountId, next, 'stopped', {})
    expect(await two.outbox(accountId)).toMatchObject({ pausedBy: 'restored' })
  })

  test('an answer that affects every package pauses the outbox only once, and not from a lost claim', async () => {
    const { one, two, accountId, claim, next } = await heldByTheNext()
    await one.finish(accountId, claim, 'stopped', {})
    expect(await two.outbox(accountId)).not.toHaveProperty('pausedBy')
    await two.finish(accountId, next, 'stopped', {})
    expect(await two.outbox(accountId)).toMatchObject({ pausedBy: 'service' })
    await two.resume(accountId)
    // The workstation got no answer, and says it again.
    await two.finish(accountId, next, 'stopped', {})
    expect(await two.outbox(accountId)).not.toHaveProperty('pausedBy')
  })

  test('a workstation can’t finish a send that it never claimed', async () => {
    const { two, accountId, claim } = await heldByOneGone()
    await expect(two.finish(accountId, claim, 'accepted', {})).rejects.toMatchObject({ code: '42501' })
    await expect(two.finish(accountId, { ...claim, epoch: 99 }, 'accepted', {})).rejects.toMatchObject({
      code: '42501'
    })
  })

  test('one query finishes sends and claims the next, but finishes none that was never claimed', async () => {
    const { one, two, accountId, claim, id } = await heldByTheNext()
    await one.configure(accountId, { concurrency: 1, perMinute: null })
    await one.put(accountId, randomUUID(), Buffer.from('next'))
    const never = { id, epoch: claim.epoch + 1, end: 'accepted' as const, answer: {} }
    expect(await one.finishAndClaim(accountId, [never], 1)).toEqual({ states: [undefined], claims: [] })
    expect(await two.stateOf(id)).toBe('sending')
    const { states, claims } = await two.finishAndClaim(accountId, [never, { ...never, epoch: 99 }], 2)
    expect(states).toEqual(['sent', undefined])
    expect(claims.map(({ content }) => content.toString())).toEqual(['next'])
    expect(await office.sql('SELECT epoch FROM office.answer WHERE send = $1', [id])).toEqual([{ epoch: never.epoch }])
  })

  describe('with concurrent queries', () => {
    /**
     * Locks a row while the queries are started: each waits for it, or for a lock of an earlier query, before the next
     * is started. Then all continue. Returns the server's errors.
     */
    async function errorsOfConcurrent(
      leaseOfGone: { table: string; is: string },
      ...queries: (() => Promise<unknown>)[]
    ): Promise<unknown[]> {
      const holder = new Client(office.administrator)
      await holder.connect()
      const waiting = async () => {
        const [row] = await office.sql<{ count: number }>(
          `SELECT count(*)::integer AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
        )
        return row?.count
      }
      try {
        await holder.query('BEGIN')
        await holder.query(`SELECT FROM office.${leaseOfGone.table} FOR UPDATE`, [leaseOfGone.is])
        const errors: unknown[] = []
        const started: Promise<unknown>[] = []
        for (const start of queries) {
          started.push(start().catch((error: unknown) => errors.push(error)))
          await expect.poll(waiting, { interval: 5 }).toBe(started.length)
        }
        await holder.query('COMMIT')
        await Promise.all(started)
        return errors
      } finally {
        await holder.end()
      }
    }
    const feedOf = (accountId: string) => ({ table: 'send_feed WHERE account = $1', is: accountId })
    const accepted = ({ id, epoch }: { id: string; epoch: number }) => ({
      id,
      epoch,
      end: 'accepted' as const,
      answer: {}
    })
    /** `count` sends, stored by the second workstation and claimed by the first, sorted by id. */
    async function claimedByTheFirst(count: number) {
      const [one, two] = [storeAt(0), storeAt(1)]
      const accountId = await account({ concurrency: 10, perMinute: null })
      for (let put = 0; put < count; put++) {
        const id = randomUUID()
        await two.put(accountId, id, content(id))
      }
      const claims = (await one.claim(accountId, count)).sort((a, b) => (a.id < b.id ? -1 : 1))
      const [first = expect.fail(), second = first] = claims
      return { one, two, accountId, claims, first, second }
    }

    test('finishing and claiming while another claims: both succeed', async () => {
      const { one, two, accountId, first } = await claimedByTheFirst(1)
      for (const id of [randomUUID(), randomUUID()]) await one.put(accountId, id, content(id))
      const refused = await errorsOfConcurrent(
        feedOf(accountId),
        () => one.finishAndClaim(accountId, [accepted(first)], 1),
        () => two.claim(accountId, 1)
      )
      expect(refused).toEqual([])
    })

    test('finishing two while another reports one of them as found: both succeed', async () => {
      const { one, two, accountId, first, second } = await claimedByTheFirst(2)
      await expire()
      await two.expireClaims(accountId)
      const refused = await errorsOfConcurrent(
        feedOf(accountId),
        () => one.finishAndClaim(accountId, [accepted(first), accepted(second)], 0),
        () => two.recordFound(accountId, second, {})
      )
      expect(refused).toEqual([])
    })

    test('reclaiming own sends, one with an expired claim, while one is found: both succeed', async () => {
      const { one, two, accountId, first, second } = await claimedByTheFirst(2)
      await one.finish(accountId, first, 'uncertain', {})
      await expire()
      const refused = await errorsOfConcurrent(
        feedOf(accountId),
        () => two.reclaimSends(accountId),
        () => one.recordFound(accountId, first, {})
      )
      expect(refused).toEqual([])
      expect([await one.stateOf(first.id), await one.stateOf(second.id)]).toEqual(['held', 'held'])
    })

    test('reclaiming own sends while another claims: both succeed', async () => {
      const [one, two] = [storeAt(0), storeAt(1)]
      const accountId = await account({ concurrency: 10, perMinute: null })
      const [earlier = '', mine = '', last = ''] = [randomUUID(), randomUUID(), randomUUID()].sort()
      for (const [store, id] of [
        [one, earlier],
        [two, mine],
        [two, last]
      ] as const)
        await store.put(accountId, id, content(id))
      expect(await one.claim(accountId, 3)).toHaveLength(3)
      await expire()
      const refused = await errorsOfConcurrent(
        { table: 'send WHERE id = $1', is: last },
        () => two.reclaimSends(accountId),
        () => one.claim(accountId, 1)
      )
      expect(refused).toEqual([])
      for (const id of [mine, last]) expect(await one.stateOf(id)).toBe('held')
    })

    test('reclaiming own sends while another finishes them: both succeed', async () => {
      const { one, two, accountId, claims, second } = await claimedByTheFirst(3)
      await expire()
      await two.expireClaims(accountId)
      const refused = await errorsOfConcurrent(
        { table: 'send WHERE id = $1', is: second.id },
        () => two.reclaimSends(accountId),
        () => one.finishAndClaim(accountId, claims.map(accepted).reverse(), 0)
      )
      expect(refused).toEqual([])
      for (const { id } of claims) expect(await one.stateOf(id)).toBe('sent')
    })

    test('beginning a new life while a send is cancelled: both succeed', async () => {
      const [one, two] = [storeAt(0), storeAt(1)]
      const accountId = await account()
      const [cancelled, waiting] = [randomUUID(), randomUUID()]
      for (const id of [cancelled, waiting]) await one.put(accountId, id, content(id))
      await one.cancel(cancelled)
      const { life } = await one.outbox(accountId)
      const refused = await errorsOfConcurrent(
        feedOf(accountId),
        () => one.startNewLife(life),
        () => two.cancel(waiting)
      )
      expect(refused).toEqual([])
    })

    test('beginning a new life while documents are published: both succeed', async () => {
      const [one, pool = expect.fail()] = [storeAt(0), pools[1]]
      const accountId = await account()
      const feed = openOfficeFeed({ pool, time: systemTime })
      const { lease } = await feed.poll(accountId, { ms: 30_000 })
      const tag = tagOf(office.key, 'D-1')
      const publish = () =>
        feed.publish(accountId, lease?.epoch ?? 0, [{ tag, sealed: sealForFeed(office.key, accountId, tag, 'D-1') }])
      await publish()
      const { life } = await one.outbox(accountId)
      const refused = await errorsOfConcurrent({ table: 'feed WHERE account = $1', is: accountId }, publish, () =>
        one.startNewLife(life)
      )
      expect(refused).toEqual([])
    })

    test('reporting that a draft was sent while another send of it is cancelled: both succeed', async () => {
      const [one, two, pool = expect.fail()] = [storeAt(0), storeAt(1), pools[0]]
      const accountId = await one.account(randomUUID(), { concurrency: 5, perMinute: null })
      const [draft, version, id] = [randomUUID(), randomUUID(), randomUUID()]
      const saved = { id: draft, basedOn: [], revision: 0 }
      await openOfficeDrafts({ pool, key: office.key }).save(accountId, saved, version, content(draft), false)
      const send = { id, content: content(id), inMs: 0, revision: 1, mayHaveArrived: false }
      await one.push(accountId, { ...send, of: { draft, basedOn: [version], revision: 1 } })
      const refused = await errorsOfConcurrent(
        feedOf(accountId),
        () => one.reportSent(accountId, { id: randomUUID(), epoch: 1 }, {}, { draft }),
        () => two.cancel(id)
      )
      expect(refused).toEqual([])
    })
  })

  test('an uncertain send isn’t ready again before two checks could have been made', async () => {
    const { two, accountId, id } = await heldByOneGone()
    await office.sql(`UPDATE office.office SET search = '1 min'`)
    try {
      const [uncertainSend] = await two.uncertainSends(accountId)
      expect(await two.conclude(uncertainSend ?? { id, epoch: 0 }, 'ready')).toBe(false)
      expect(await two.conclude(uncertainSend ?? { id, epoch: 0 }, 'refused')).toBe(true)
    } finally {
      await office.sql(`UPDATE office.office SET search = '0 s'`)
    }
  })

  test('the proof that a send did not arrive expires', async () => {
    const { two, accountId, id } = await heldByOneGone()
    const [uncertainSend] = await two.uncertainSends(accountId)
    await two.conclude(uncertainSend ?? { id, epoch: 0 }, 'ready')
    await office.sql(`UPDATE office.send SET proven_until = now() - interval '1 ms' WHERE id = $1`, [id])
    expect(await two.claim(accountId, 1)).toEqual([])
    expect(await two.stateOf(id)).toBe('uncertain')
  })

  test('all workstations together have no more sends in progress than allowed', async () => {
    const accountId = await account({ concurrency: 2, perMinute: null })
    for (let count = 0; count < 10; count++) {
      const id = randomUUID()
      await storeAt(0).put(accountId, id, content(id))
    }
    const claims = await Promise.all([0, 1, 2].map((index) => storeAt(index).claim(accountId, 10)))
    expect(claims.flat()).toHaveLength(2)
  })

  test('the time limit of a claim starts before it is requested', async () => {
    const accountId = await account()
    const id = randomUUID()
    await storeAt(0).put(accountId, id, content(id))
    const [pool] = pools
    if (!pool) throw new Error('There is no workstation.')
    const clock = { at: 0 }
    const slow = openOfficeSends({ pool, key: office.key, time: { elapsed: () => clock.at } })
    const claiming = slow.claim(accountId, 1)
    clock.at = 50_000
    expect(await claiming).toMatchObject([{ until: 150_000 }])
  })

  test('a body that was altered or swapped on the server is refused, not sent', async () => {
    const [one] = [storeAt(0)]
    const accountId = await account()
    const [altered, moved] = [randomUUID(), randomUUID()]
    for (const id of [altered, moved]) await one.put(accountId, id, content(id))
    await office.sql(`UPDATE office.send SET sealed = set_byte(sealed, 40, get_byte(sealed, 40) # 1) WHERE id = $1`, [
      altered
    ])
    await office.sql('UPDATE office.send SET sealed = (SELECT sealed FROM office.send WHERE id = $1) WHERE id = $2', [
      altered,
      moved
    ])
    expect(await one.claim(accountId, 5)).toEqual([])
    for (const id of [altered, moved]) await expect.poll(() => one.stateOf(id), { timeout: 60_000 }).toBe('refused')
  })

  test.each(['is reported late', 'can’t be reported'])(
    'other sends are claimed even if an altered body %s',
    async (how) => {
      const [pool] = pools
      const accountId = await account()
      const [altered, intact] = [randomUUID(), randomUUID()]
      for (const id of [altered, intact]) await storeAt(0).put(accountId, id, content(id))
      await office.sql(
        `UPDATE office.send SET sealed = set_byte(sealed, 40, 255 - get_byte(sealed, 40)) WHERE id = $1`,
        [altered]
      )
      const attempted = Promise.withResolvers<void>()
      let wasAttempted = false
      const query = async (sql: string, values: unknown[]) => {
        if (!sql.includes('office.finish(')) return await pool?.query(sql, values)
        try {
          if (how === 'can’t be reported') throw new Error('The line broke.')
          return await pool?.query(sql, values)
        } finally {
          wasAttempted = true
          attempted.resolve()
        }
      }
      const store = openOfficeSends({ pool: { query } as unknown as Pool, key: office.key, time })
      expect(await store.claim(accountId, 5)).toMatchObject([{ id: intact }])
      if (how === 'is reported late') expect(wasAttempted).toBe(false)
      await attempted.promise
      await expire()
      await store.expireClaims(accountId)
      expect(await store.stateOf(altered)).toBe(how === 'is reported late' ? 'refused' : 'uncertain')
    }
  )

  test('the server stores no readable content of a send', async () => {
    const accountId = await account()
    const [name, id] = [`Planted ${randomUUID()}`, randomUUID()]
    await storeAt(0).put(accountId, id, Buffer.from(JSON.stringify({ id, name })))
    const [row] = await office.sql<{ sealed: Buffer }>('SELECT sealed FROM office.send WHERE id = $1', [id])
    expect(row?.sealed.includes(name)).toBe(false)
    expect(await storeAt(1).claim(accountId, 1)).toMatchObject([{ content: Buffer.from(JSON.stringify({ id, name })) }])
  })
})

describe('workstations that are killed, or suspended for longer than a claim lasts,', () => {
  const LEASE = 2_000
  const TIMEOUT = 600
  const CHECK_EVERY = 400
  let service: CountingService
  let folder: string
  const chance: Chance = chanceOf(Number(process.env.PROPERTY_SEED ?? 1))
  beforeEach(async () => {
    service = await openCountingService()
    folder = await mkdtemp(join(tmpdir(), 'countersign-crowd-'))
    service.fate = () => {
      const lot = chance.below(100)
      return lot < 4 ? 'lost' : lot < 12 ? 'taken' : 'pass'
    }
  })
  afterEach(async () => {
    await service.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  })

  /** In each round stores ten sends and kills or stops one of the processes part-way. */
  async function disturbed(
    store: SendStore,
    orders: readonly Orders[],
    { rounds }: { rounds: number }
  ): Promise<string[]> {
    const files = await Promise.all(
      orders.map(async (order, index) => {
        const file = join(folder, `orders-${index}.json`)
        await writeFile(file, JSON.stringify(order), { mode: 0o600 })
        return file
      })
    )
    const running = files.map((file) => begin(PROGRAM, [file]))
    const ids: string[] = []
    try {
      for (const { printed } of running) await printed('begun')
      for (let round = 0; round < rounds; round++) {
        for (let count = 0; count < 10; count++) {
          const id = randomUUID()
          ids.push(id)
          await store.put(orders[0]?.accountId ?? '', id, content(id))
        }
        await pause(chance.below(300))
        const index = chance.below(running.length)
        const one = running[index]
        if (!one) continue
        if (round % 3 === 2) {
          one.child.kill('SIGSTOP')
          await pause(LEASE + 500)
          one.child.kill('SIGCONT')
        } else {
          await killed(one.child)
          const next = begin(PROGRAM, [files[index] ?? ''])
          running[index] = next
          await next.printed('begun')
        }
      }
      const settled = async () => {
        const states = await Promise.all(ids.map((id) => store.stateOf(id)))
        return states.filter((state) => state !== 'sent').length
      }
      await expect.poll(settled, { timeout: 240_000, interval: 200 }).toBe(0)
    } finally {
      for (const { child } of running) await killed(child)
    }
    return ids
  }

  /** Checks that each arrived exactly once: none lost, none duplicated, none wrongly marked as sent. */
  function check(ids: readonly string[]): void {
    const counts = ids.map((id) => [id, service.arrivals.get(id) ?? 0] as const)
    expect(counts.filter(([, count]) => count !== 1)).toEqual([])
    expect(service.arrivals.size).toBe(ids.length)
  }

  const common = () => ({ service: { url: service.url }, timeout: TIMEOUT, checkEvery: CHECK_EVERY })

  const embedded = async (concurrency: number) => {
    const file = join(folder, 'sends.db')
    const { store, accountId, close } = await openEmbeddedSends(file, true)
    try {
      await store.configure(accountId, { concurrency, perMinute: null })
      const orders: Orders = { ...common(), store: { kind: 'embedded', file }, accountId, concurrency }
      check(await disturbed(store, [orders], { rounds: 6 }))
    } finally {
      close()
    }
  }
  test('send each package once: one with the embedded store, two at a time', { timeout: 300_000, tags: ['full'] }, () =>
    embedded(2)
  )
  test(
    'send each package once: one with the embedded store, four at a time',
    { timeout: 300_000, tags: ['full'] },
    () => embedded(4)
  )

  const together = async (count: number) => {
    const crowd = await openTestOffice(inject('cluster'), { lease: `${LEASE} ms`, search: `${CHECK_EVERY} ms` })
    const members: JoinedWorkstation[] = []
    for (let index = 0; index < count; index++) members.push(await crowd.join(`Counter ${index}`))
    const [first] = members
    const pool = openPool(first?.place ?? crowd.administrator)
    try {
      const store = openOfficeSends({ pool, key: crowd.key, time })
      const accountId = randomUUID()
      await store.configure(accountId, { concurrency: count, perMinute: null })
      const orders = members.map(({ place, joined }): Orders => {
        const of = { kind: 'office' as const, place, key: joined.key.toString('hex') }
        return { ...common(), store: of, accountId, concurrency: 1 }
      })
      check(await disturbed(store, orders, { rounds: 6 }))
    } finally {
      await pool.end()
    }
  }
  test('send each package once: two in one office', { timeout: 300_000 }, () => together(2))
  test('send each package once: five in one office', { timeout: 300_000, tags: ['full'] }, () => together(5))
})
