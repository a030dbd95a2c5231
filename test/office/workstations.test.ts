// Two workstations of one office, each with its own database, over one PostgreSQL server and one signing service.
import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { AppFailure } from '../../src/main/core/lib/failure.ts'
import { openPool } from '../../src/main/core/office/connection.ts'
import { openOfficeDrafts } from '../../src/main/core/office/office-drafts.ts'
import { openOfficeSends } from '../../src/main/core/office/sends.ts'
import type { AppError } from '../../src/shared/contract/index.ts'
import { forms } from '../fixtures/compositions.ts'
import { type JoinedWorkstation, openTestOffice, type TestOffice } from '../fixtures/office.ts'
import { openWorkplace, type Workplace } from '../fixtures/workplace.ts'

const LIMITS = { concurrency: 2, perMinute: null }
const all = { show: 'all', offset: 0, limit: 100 } as const

let office: TestOffice
let workstations: JoinedWorkstation[]
let pools: Pool[]
beforeAll(async () => {
  office = await openTestOffice(inject('cluster'), { search: '0 s' })
  workstations = await Promise.all(['Front desk', 'Back room'].map((name) => office.join(name)))
  pools = workstations.map(({ place }) => openPool(place))
})
afterAll(() => Promise.all(pools.map((pool) => pool.end())))

interface Workstation {
  work: Workplace
  connect: () => void
  /** Pulls everything new, and pushes everything that isn't synced yet. */
  synced: () => Promise<void>
  state: (id: string) => string | undefined
  put: () => string
}

let front: Workstation
let back: Workstation
let officeId: string

function poolOf(index: number): Pool {
  return pools[index] ?? expect.fail('There is no such workstation.')
}
function storeOf(index: number, work: Workplace) {
  return openOfficeSends({ pool: poolOf(index), key: office.key, time: work.time })
}

async function openWorkstation(index: number, first?: Workplace): Promise<Workstation> {
  const work = await openWorkplace('empty', first)
  const { accountId } = work
  const connect = () => {
    const { outbox, sharedDrafts } = work.parts
    sharedDrafts.connect(openOfficeDrafts({ pool: poolOf(index), key: office.key }), 1)
    outbox.shared.connect(storeOf(index, work), 1)
  }
  return {
    work,
    connect,
    synced: () => work.parts.outbox.shared.syncNow(accountId),
    state: (id) => work.parts.outbox.list([accountId], all).rows.find((row) => row.id === id)?.state,
    put() {
      const { id } = work.parts.outbox.enqueue(work.parts.drafts.save(accountId, forms()).id)
      work.parts.outbox.sendNow(id)
      return id
    }
  }
}

beforeEach(async () => {
  front = await openWorkstation(0)
  back = await openWorkstation(1, front.work)
  officeId = await storeOf(0, front.work).account(randomUUID(), LIMITS)
  for (const workstation of [front, back]) {
    workstation.work.outbox.shared.share(workstation.work.accountId, officeId)
    workstation.connect()
    await workstation.synced()
  }
})
afterEach(async () => {
  await back.work.close()
  await front.work.close()
})

const arrived = () => front.work.receivedRequests('SendForms2').length
/** Waits for a send's state at a workstation, which syncs repeatedly. */
const becomes = (workstation: Workstation, id: string, state: string | undefined) =>
  expect
    .poll(
      async () => {
        await workstation.synced()
        await workstation.work.time.pass(5_000)
        // What the other has just done may not be stored yet.
        for (const { work } of [front, back]) if (work !== workstation.work) await work.time.pass(200)
        return workstation.state(id)
      },
      { timeout: 60_000, interval: 20 }
    )
    .toBe(state)

describe('a package queued at one workstation', () => {
  test('that is undone while another is pushed doesn’t stop the sync', async () => {
    const { outbox, accountId } = front.work
    const store = storeOf(0, front.work)
    await outbox.shared.pause(accountId, true)
    const pushed: string[] = []
    const push: typeof store.push = async (...asked) => {
      pushed.push(asked[1].id)
      if (asked[1].id === first) {
        await outbox.shared.withholdForUndo(outbox.get(second))
        outbox.undo(second)
      }
      return store.push(...asked)
    }
    outbox.shared.connect({ ...store, push }, 1)
    const [first, second, third] = [front.put(), front.put(), front.put()]
    await front.synced()
    expect(pushed).toEqual([first, third])
  })

  test('is sent once by either workstation, and both show it as sent', async () => {
    const ids = Array.from({ length: 6 }, () => front.put())
    for (const id of ids) await becomes(front, id, 'sent')
    for (const id of ids) await becomes(back, id, 'sent')
    expect(arrived()).toBe(ids.length)
    const [row] = back.work.outbox.list([back.work.accountId], all).rows
    expect(row).toMatchObject({
      state: 'sent',
      workstation: 'Front desk',
      title: 'Tax file declaration',
      who: 'Mere Tamati'
    })
    expect(row?.packageReference).toBeTruthy()
    expect(front.work.outbox.get(ids[0] ?? '').workstation).toBeUndefined()
  })

  test('is pushed to the office immediately', async () => {
    await front.work.outbox.shared.pause(front.work.accountId, true)
    const id = front.put()
    const has = async () => {
      await front.work.time.pass(200)
      return (await storeOf(1, back.work).stateOf(id)) ?? 'nothing'
    }
    await expect.poll(has, { interval: 20, timeout: 60_000 }).toBe('ready')
    // Not through the regular sync.
    expect(front.work.time.elapsed()).toBeLessThan(60_000)
  })

  test('is read after its notification, and many notifications in a row cause few reads', async () => {
    const store = storeOf(1, back.work)
    const { accountId, time, outbox } = back.work
    let [requested, answered] = [0, 0]
    const outboxOf: typeof store.outbox = (...its) => {
      requested++
      return store.outbox(...its).finally(() => answered++)
    }
    outbox.shared.connect({ ...store, outbox: outboxOf }, 1)
    await back.synced()
    ;[requested, answered] = [0, 0]
    for (let ring = 0; ring < 40; ring++) {
      outbox.shared.notified(accountId)
      await time.pass(25)
      // If nothing is new, this is the only request.
      await expect.poll(() => answered, { interval: 1 }).toBe(requested)
    }
    expect(requested).toBeGreaterThan(0)
    expect(requested).toBeLessThanOrEqual(3)
    const id = front.put()
    await front.synced()
    outbox.shared.notified(accountId)
    const reads = async () => {
      await time.pass(100)
      return back.state(id)
    }
    await expect.poll(reads, { interval: 20, timeout: 60_000 }).toBeDefined()
  })

  test('is sent by another workstation if its own is disconnected', async () => {
    await front.work.outbox.shared.pause(front.work.accountId, true)
    const id = front.put()
    await front.synced()
    front.work.parts.outbox.shared.disconnect()
    await back.work.outbox.shared.pause(back.work.accountId, false)
    await becomes(back, id, 'sent')
    expect(front.state(id)).toBe('ready')
    front.connect()
    await becomes(front, id, 'sent')
    expect(arrived()).toBe(1)
  })

  test('waits while the server is unreachable, and is sent afterwards', async () => {
    front.work.parts.outbox.shared.disconnect()
    const id = front.put()
    await front.work.time.pass(60_000)
    expect(front.state(id)).toBe('ready')
    expect(front.work.outbox.get(id).hold).toBe('office')
    expect(arrived()).toBe(0)
    front.connect()
    await becomes(front, id, 'sent')
    expect(arrived()).toBe(1)
  })

  test('counts as already sent at every other workstation', async () => {
    const id = front.put()
    await becomes(front, id, 'sent')
    await becomes(back, id, 'sent')
    expect(back.work.outbox.sameSent(back.work.accountId, forms())).toMatchObject({ state: 'sent' })
  })

  test('can be undone for the whole office', async () => {
    await front.work.outbox.shared.pause(front.work.accountId, true)
    const id = front.put()
    await becomes(front, id, 'ready')
    await becomes(back, id, 'ready')
    await front.work.outbox.shared.withholdForUndo(front.work.outbox.get(id))
    front.work.outbox.undo(id)
    await back.work.outbox.shared.pause(back.work.accountId, false)
    await becomes(back, id, undefined)
    await becomes(front, id, undefined)
    expect(arrived()).toBe(0)
    expect(front.work.drafts.list([front.work.accountId]).counts.drafts).toBe(1)
  })

  test('can’t be undone once another has claimed it, or while the server is unreachable', async () => {
    await front.work.outbox.shared.pause(front.work.accountId, true)
    const id = front.put()
    await becomes(front, id, 'ready')
    const store = storeOf(1, back.work)
    await store.resume(officeId)
    expect(await store.claim(officeId, 1)).toHaveLength(1)
    await expect(front.work.outbox.shared.withholdForUndo(front.work.outbox.get(id))).rejects.toMatchObject({
      appError: { code: 'busy' }
    })
    front.work.parts.outbox.shared.disconnect()
    await expect(front.work.outbox.shared.withholdForUndo(front.work.outbox.get(id))).rejects.toMatchObject({
      appError: { code: 'offline' }
    })
  })
})

describe('a workstation that knows more than the server', () => {
  test('doesn’t resend a package that it knows was sent', async () => {
    const id = front.put()
    await becomes(front, id, 'sent')
    await office.sql(`UPDATE office.send SET state = 'ready', goes_at = now() WHERE id = $1`, [id])
    const next = front.put()
    await becomes(front, next, 'sent')
    const states = () => office.sql('SELECT DISTINCT state FROM office.send WHERE account = $1', [officeId])
    await expect
      .poll(
        async () => {
          await front.work.time.pass(5_000)
          return await states()
        },
        { timeout: 30_000 }
      )
      .toEqual([{ state: 'sent' }])
    expect(arrived()).toBe(2)
  })
})

describe('the result of an attempt', () => {
  /** Returns the database's flush setting at each insert and update of an attempt's outcome. */
  function watched(finish: ReturnType<typeof storeOf>['finishAndClaim']) {
    back.work.parts.outbox.shared.disconnect()
    const { db, outbox } = front.work.parts
    const pragma = vi.spyOn(db, 'pragma')
    const modes: string[] = []
    db.function('said', (how: unknown) => void modes.push(`${how}: ${(pragma.mock.calls as unknown[][]).at(-1)?.[0]}`))
    for (const how of ['INSERT', 'UPDATE'])
      db.exec(`CREATE TEMP TRIGGER ${how}ed AFTER ${how} ON office_results BEGIN SELECT said('${how}'); END`)
    const store = storeOf(0, front.work)
    const finishAndClaim: typeof store.finishAndClaim = (...its) =>
      its[1].length === 0 ? store.finishAndClaim(...its) : finish(...its)
    outbox.shared.connect({ ...store, finishAndClaim }, 1)
    front.put()
    return async () => {
      await front.work.time.pass(100)
      return modes
    }
  }
  const WRITTEN = 'INSERT: synchronous = NORMAL'
  // As set for a test's workstation.
  const WRITTEN_AGAIN = 'UPDATE: synchronous = 0'

  test('is reported without waiting for the disk', async () => {
    const modesWritten = watched(storeOf(0, front.work).finishAndClaim)
    await expect.poll(modesWritten).toEqual([WRITTEN])
    for (const id of front.work.outbox.list([front.work.accountId], all).rows) await becomes(front, id.id, 'sent')
    expect(await modesWritten()).toEqual([WRITTEN])
  })

  const error: AppError = { code: 'offline', message: 'The office’s server can’t be reached.', mayHaveArrived: false }
  test.each(['before', 'while'])(
    'that nobody knows gives way to what another workstation found %s it is reported, and the draft is gone',
    async (when) => {
      const { accountId, line, outbox, parts } = front.work
      back.work.outbox.shared.disconnect()
      const [store, other] = [storeOf(0, front.work), storeOf(1, back.work)]
      let isKnown = false
      const arrive = async ({ id, epoch }: { id: string; epoch: number }) => {
        isKnown = true
        await office.sql('UPDATE office.send SET lease_until = now() WHERE id = $1', [id])
        await other.expireClaims(officeId)
        const Documents = [{ Reference: 'found', Name: 'Found' }]
        const answer = { kind: 'accepted', response: { Documents } }
        expect(await other.recordFound(officeId, { id, epoch }, answer)).toBe(true)
      }
      const finishAndClaim: typeof store.finishAndClaim = async (...its) => {
        const [result] = its[1]
        if (result && !isKnown) {
          await arrive(result)
          if (when === 'before') throw new AppFailure(error)
        }
        return store.finishAndClaim(...its)
      }
      outbox.shared.connect({ ...store, finishAndClaim }, 1)
      line.setFaultBy((method) => (method === 'POST' ? 'lose-answer' : 'pass'))
      const id = front.put()
      await becomes(front, id, 'sent')
      expect(isKnown).toBe(true)
      expect(outbox.get(id).documents).toEqual([{ reference: 'found', name: 'Found' }])
      expect(parts.drafts.list([accountId]).rows).toEqual([])
    }
  )

  test.each([
    ['can’t be reported', () => Promise.reject(new AppFailure(error))],
    ['is reported and no answer comes', () => new Promise<never>(() => undefined)]
  ])('is flushed to the disk if it %s', async (_, finish) => {
    const modesWritten = watched(finish)
    await expect.poll(modesWritten).toEqual(expect.arrayContaining([WRITTEN, WRITTEN_AGAIN]))
  })
})

describe('an answer', () => {
  test('from the office that arrives after this workstation left causes no send', async () => {
    const { accountId, outbox, time } = front.work
    const store = storeOf(0, front.work)
    const [claimed, mayContinue] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let isLate = false
    const finishAndClaim: typeof store.finishAndClaim = async (...its) => {
      const answer = await store.finishAndClaim(...its)
      if (answer.claims.length > 0) {
        claimed.resolve()
        await mayContinue.promise
      }
      return answer
    }
    const changes: typeof store.changes = async (...its) => (isLate ? [] : await store.changes(...its))
    outbox.shared.connect({ ...store, finishAndClaim, changes }, 1)
    await outbox.shared.pause(accountId, true)
    const mine = front.put()
    await front.synced()
    // Another workstation's package, not read here yet.
    isLate = true
    const theirs = back.put()
    await back.synced()
    back.work.outbox.shared.disconnect()
    await storeOf(1, back.work).resume(officeId)
    await front.synced()
    await claimed.promise
    outbox.shared.leaveBehind(accountId)
    mayContinue.resolve()
    await time.pass(5_000)
    expect([front.state(mine), front.state(theirs)]).toEqual(['cancelled', undefined])
    expect(arrived()).toBe(0)
  })

  test('from the office with packages undone here has them returned before any others are claimed', async () => {
    const { accountId, outbox, parts, time } = front.work
    const store = storeOf(0, front.work)
    const mayContinue = Promise.withResolvers<void>()
    // The office still has the packages: another workstation would send them.
    back.work.outbox.shared.disconnect()
    // As when a batch of hundreds is withheld one by one.
    const withhold: typeof store.withhold = async (...its) => {
      await mayContinue.promise
      return await store.withhold(...its)
    }
    const ids: string[] = []
    let [both, finished] = [0, 0]
    const finishAndClaim: typeof store.finishAndClaim = async (...its) => {
      const answer = await store.finishAndClaim(...its)
      const isOfThese = its[1].some(({ id }) => ids.includes(id))
      if (isOfThese) finished++
      if (isOfThese && answer.claims.length > 0) both++
      return answer
    }
    outbox.shared.connect({ ...store, withhold, finishAndClaim }, 1)
    await outbox.shared.pause(accountId, true)
    ids.push(front.put(), front.put())
    const last = front.put()
    await front.synced()
    for (const id of ids) parts.db.prepare(`UPDATE sends SET state = 'cancelled', settled_at = 1 WHERE id = ?`).run(id)
    await storeOf(0, front.work).resume(officeId)
    void front.synced()
    const finishes = async () => {
      outbox.resume(accountId)
      await time.pass(500)
      return finished
    }
    await expect.poll(finishes, { interval: 5, timeout: 60_000 }).toBeGreaterThan(2)
    expect(both).toBe(0)
    mayContinue.resolve()
    await becomes(front, last, 'sent')
    // They are withheld one after the other; the last one may have been sent before its turn.
    await front.synced()
    for (const id of ids) expect(await store.stateOf(id)).toBe('cancelled')
    expect(arrived()).toBe(1)
  })

  test('from the office that another claimed a package undone here still cancels it once returned unsent', async () => {
    const { accountId, outbox, parts, time } = front.work
    const [mine, theirs] = [storeOf(0, front.work), storeOf(1, back.work)]
    back.work.outbox.shared.disconnect()
    const mayContinue = Promise.withResolvers<void>()
    const withhold: typeof mine.withhold = async (...its) => {
      await mayContinue.promise
      return await mine.withhold(...its)
    }
    outbox.shared.connect({ ...mine, withhold }, 1)
    await outbox.shared.pause(accountId, true)
    const id = front.put()
    await front.synced()
    parts.db.prepare(`UPDATE sends SET state = 'cancelled', settled_at = 1 WHERE id = ?`).run(id)
    const selectState = parts.db.prepare('SELECT state FROM office_sends WHERE id = ?').pluck()
    const reads = async () => {
      outbox.shared.notified(accountId)
      await time.pass(600)
      return selectState.get(id)
    }
    await theirs.resume(officeId)
    const [claim] = await theirs.claim(officeId, 1)
    await expect.poll(reads).toBe('sending')
    expect(front.state(id)).toBe('cancelled')
    await theirs.finish(officeId, claim ?? expect.fail('Nothing was claimed.'), 'nothing-left', {})
    await expect.poll(reads).toBe('ready')
    expect(front.state(id)).toBe('cancelled')
    mayContinue.resolve()
    await expect.poll(reads).toBe('cancelled')
    expect(arrived()).toBe(0)
  })

  test('from the office with a claim is used, even if the previous result can’t be announced', async () => {
    const { outbox, accountId, disk } = front.work
    back.work.outbox.shared.disconnect()
    await storeOf(0, front.work).configure(officeId, { concurrency: 1, perMinute: null })
    await outbox.shared.pause(accountId, true)
    const ids = [front.put(), front.put()]
    await front.synced()
    disk.cannotNotify = true
    await outbox.shared.pause(accountId, false)
    for (const id of ids) await becomes(front, id, 'sent')
    expect(arrived()).toBe(2)
  })

  test.each([
    ['is being sent', 'sending'],
    ['became uncertain meanwhile', 'uncertain']
  ])('from the service that the database refuses doesn’t block others, when its package %s', async (_, state) => {
    const { outbox, accountId, parts, time } = front.work
    back.work.outbox.shared.disconnect()
    const store = storeOf(0, front.work)
    const finishAndClaim: typeof store.finishAndClaim = async (...its) => {
      const answer = await store.finishAndClaim(...its)
      for (const { id } of its[1])
        if (id === first) parts.db.prepare('UPDATE sends SET state = ? WHERE id = ?').run(state, id)
      return answer
    }
    outbox.shared.connect({ ...store, finishAndClaim }, 1)
    await outbox.shared.pause(accountId, true)
    await storeOf(0, front.work).configure(officeId, { concurrency: 1, perMinute: null })
    const first = front.put()
    await time.pass(1_000)
    const second = front.put()
    await front.synced()
    parts.db.exec(`CREATE TEMP TRIGGER rejected BEFORE UPDATE OF response ON send_bodies
      WHEN length(NEW.response) > 20 AND NEW.number = (SELECT number FROM main.sends WHERE id = '${first}') BEGIN SELECT RAISE(ABORT, 'It is too large.'); END`)
    await outbox.shared.pause(accountId, false)
    for (const id of [first, second]) await becomes(front, id, 'sent')
    expect(front.work.outbox.get(first).packageReference).toBeUndefined()
    expect(arrived()).toBe(2)
  })
})

describe('a batch', () => {
  test('that is paused is held at the office immediately', async () => {
    const { outbox, accountId, time } = front.work
    const rows = [1, 2].map((row) => ({ row, cells: [`Row ${row}`], composition: forms() }))
    await outbox.shared.pause(accountId, true)
    const batch = await outbox.addBatch({ accountId, name: 'Tax forms', columns: ['Name'], rows, leftOut: [] })
    await front.synced()
    await time.pass(1_000)
    await front.synced()
    outbox.batches.pause(batch.id)
    const states = async () => {
      await time.pass(1)
      return await office.sql('SELECT DISTINCT state FROM office.send WHERE account = $1', [officeId])
    }
    const paused = time.elapsed()
    await expect.poll(states, { interval: 5, timeout: 60_000 }).toEqual([{ state: 'held' }])
    expect(time.elapsed() - paused).toBeLessThan(500)
  })

  test('is held at the office while paused, and continues at any workstation once resumed', async () => {
    const { outbox, accountId } = front.work
    const rows = [1, 2, 3].map((row) => ({ row, cells: [`Row ${row}`], composition: forms() }))
    await outbox.shared.pause(accountId, true)
    const batch = await outbox.addBatch({ accountId, name: 'Tax forms', columns: ['Name'], rows, leftOut: [] })
    await front.synced()
    await back.synced()
    expect(back.work.outbox.state(back.work.accountId).counts.ready).toBe(3)
    outbox.batches.pause(batch.id)
    await front.synced()
    expect(await office.sql('SELECT DISTINCT state FROM office.send WHERE account = $1', [officeId])).toEqual([
      { state: 'held' }
    ])
    await back.synced()
    expect(back.work.outbox.state(back.work.accountId).counts.ready).toBe(0)
    await front.work.outbox.shared.pause(accountId, false)
    outbox.batches.resume(batch.id)
    await expect
      .poll(
        async () => {
          await front.synced()
          for (const { work } of [front, back]) await work.time.pass(5_000)
          return outbox.batches.get(batch.id).state
        },
        { timeout: 60_000 }
      )
      .toBe('done')
    expect(arrived()).toBe(3)
  })

  test.each([
    ['cancelled', (id: string) => front.work.outbox.batches.cancel(id)],
    ['paused', async (id: string) => front.work.outbox.batches.pause(id)]
  ])('that is %s while it is pushed has no further row pushed', async (_, stop) => {
    const { outbox, accountId } = front.work
    const rows = [1, 2, 3].map((row) => ({ row, cells: [`Row ${row}`], composition: forms() }))
    const store = storeOf(0, front.work)
    const pushed: string[] = []
    const push: typeof store.push = async (...asked) => {
      pushed.push(asked[1].id)
      await stop(outbox.list([accountId], all).rows[0]?.batchId ?? '')
      return store.push(...asked)
    }
    outbox.shared.connect({ ...store, push }, 1)
    await outbox.shared.pause(accountId, true)
    await outbox.addBatch({ accountId, name: 'Tax forms', columns: ['Name'], rows, leftOut: [] })
    await front.synced()
    expect(pushed).toHaveLength(1)
    // The first row was on its way, and is withheld.
    await front.synced()
    await back.synced()
    expect(back.work.outbox.state(back.work.accountId).counts.ready).toBe(0)
  })

  test('that is cancelled while one of its rows can’t leave doesn’t send that row later', async () => {
    const { outbox, accountId, line } = front.work
    back.work.outbox.shared.disconnect()
    let isCancelled: Promise<unknown> | undefined
    line.setFaultBy((method) => {
      if (method !== 'POST' || isCancelled) return 'pass'
      isCancelled = outbox.batches.cancel(batch.id)
      return { status: 429 }
    })
    const rows = [{ row: 1, cells: ['Row 1'], composition: forms() }]
    const batch = await outbox.addBatch({ accountId, name: 'Tax forms', columns: ['Name'], rows, leftOut: [] })
    const id = outbox.list([accountId], all).rows[0]?.id ?? ''
    await becomes(front, id, 'cancelled')
    expect(arrived()).toBe(0)
    await front.synced()
    expect(await storeOf(1, back.work).stateOf(id)).toBe('cancelled')
  })
  test('that is cancelled once a row was shown not to have arrived doesn’t send that row again', async () => {
    const { outbox, accountId, line } = front.work
    back.work.outbox.shared.disconnect()
    line.setFaultBy(() => 'cut')
    const rows = [{ row: 1, cells: ['Row 1'], composition: forms() }]
    const batch = await outbox.addBatch({ accountId, name: 'Tax forms', columns: ['Name'], rows, leftOut: [] })
    const id = outbox.list([accountId], all).rows[0]?.id ?? ''
    await becomes(front, id, 'uncertain')
    await outbox.shared.pause(accountId, true)
    line.setFault('pass')
    await becomes(front, id, 'ready')
    await front.synced()
    expect(await storeOf(1, back.work).stateOf(id)).toBe('ready')
    await outbox.batches.cancel(batch.id)
    await front.synced()
    await outbox.shared.pause(accountId, false)
    expect(await storeOf(1, back.work).claim(officeId, 1)).toEqual([])
    await becomes(front, id, 'cancelled')
  })
})

describe('a row of a paused batch', () => {
  test('that another workstation takes back just before it is held isn’t sent when the batch resumes', async () => {
    const { outbox, accountId } = front.work
    const rows = [1, 2].map((row) => ({ row, cells: [`Row ${row}`], composition: forms() }))
    await outbox.shared.pause(accountId, true)
    const batch = await outbox.addBatch({ accountId, name: 'Tax forms', columns: ['Name'], rows, leftOut: [] })
    await front.synced()
    await back.synced()
    const [takenBack, other] = outbox.list([accountId], all).rows.map(({ id }) => id)
    if (takenBack === undefined || other === undefined) expect.fail('There are no rows.')
    const office = storeOf(0, front.work)
    const withhold: typeof office.withhold = async (...asked) => {
      if (asked[1].id === takenBack && back.state(takenBack) === 'ready') {
        await back.work.outbox.shared.withholdForUndo(back.work.outbox.get(takenBack))
        back.work.outbox.undo(takenBack)
      }
      return office.withhold(...asked)
    }
    outbox.shared.connect({ ...office, withhold }, 1)
    outbox.batches.pause(batch.id)
    await front.synced()
    expect(back.state(takenBack)).not.toBe('ready')
    await outbox.shared.pause(accountId, false)
    outbox.batches.resume(batch.id)
    await becomes(front, other, 'sent')
    await becomes(front, takenBack, 'cancelled')
    expect(arrived()).toBe(1)
  })
})

describe('a workstation that stops in mid-send', () => {
  test('leaves a package that another finds in the folders, and it isn’t sent twice', async () => {
    // The answer is lost with the workstation that was to get it.
    back.work.parts.outbox.shared.disconnect()
    front.work.line.setFault('lose-answer')
    const id = front.put()
    const arrivedAfterASecond = async () => {
      await front.work.time.pass(1_000)
      return arrived()
    }
    await expect.poll(arrivedAfterASecond, { timeout: 30_000 }).toBe(1)
    front.work.parts.outbox.shared.disconnect()
    await office.sql(`UPDATE office.send SET lease_until = now() - interval '1 ms' WHERE state = 'sending'`)
    // The first workstation may already have begun to check the folders.
    await office.sql(`UPDATE office.lease SET until = now() - interval '1 ms'`)
    back.connect()
    await becomes(back, id, 'sent')
    front.work.restart()
    front.connect()
    await becomes(front, id, 'sent')
    expect(arrived()).toBe(1)
  })
  test.each([
    ['arrived', 'lose-answer', 'sent'],
    ['didn’t arrive', 'cut', 'ready']
  ] as const)('tells the office in its next run that a package %s', async (_, fault, shown) => {
    const { work } = front
    back.work.parts.outbox.shared.disconnect()
    work.line.setFaultBy((method) => (method === 'POST' ? fault : 'cut'))
    const id = front.put()
    await becomes(front, id, 'uncertain')
    await front.synced()
    // The folders show it while the office's server is away, and Countersign ends before that is back.
    work.parts.outbox.shared.disconnect()
    work.line.setFault('pass')
    const isShown = async () => {
      await work.time.pass(5_000)
      return front.state(id)
    }
    await expect.poll(isShown, { timeout: 30_000 }).toBe(shown)
    work.restart()
    front.connect()
    await becomes(front, id, 'sent')
    await front.synced()
    expect(await storeOf(1, back.work).stateOf(id)).toBe('sent')
    expect(arrived()).toBe(1)
  })
  test('tells the office that a package arrived if that is found while it tells that it didn’t', async () => {
    const { accountId, line, outbox, parts, time } = front.work
    const store = storeOf(0, front.work)
    back.work.outbox.shared.disconnect()
    line.setFaultBy((method) => (method === 'POST' ? 'lose-answer' : 'cut'))
    const conclude: typeof store.conclude = async (...its) => {
      const answer = await store.conclude(...its)
      await time.pass(10)
      line.setFault('pass')
      await outbox.reconcile(id)
      return answer
    }
    outbox.shared.connect({ ...store, conclude }, 1)
    const id = front.put()
    await becomes(front, id, 'uncertain')
    parts.db.prepare(`UPDATE sends SET state = 'not-sent', settled_at = 1 WHERE id = ?`).run(id)
    outbox.shared.pushConclusion({ id, accountId })
    await front.synced()
    expect(front.state(id)).toBe('sent')
    await front.synced()
    expect(await store.stateOf(id)).toBe('sent')
  })
})

describe('a claim unanswered for twenty seconds', () => {
  /** Loses the answer to the first claim here, whose send is then uncertain. Time passes only here. */
  async function unanswered(): Promise<string> {
    const store = storeOf(0, front.work)
    back.work.outbox.shared.disconnect()
    let isLost = false
    const finishAndClaim: typeof store.finishAndClaim = async (...its) => {
      const answer = await store.finishAndClaim(...its)
      if (isLost || answer.claims.length === 0) return answer
      isLost = true
      throw new Error('Query read timeout')
    }
    front.work.outbox.shared.connect({ ...store, finishAndClaim }, 1)
    const id = front.put()
    const isClaimed = async () => {
      await front.work.time.pass(200)
      return isLost
    }
    await expect.poll(isClaimed, { interval: 20, timeout: 60_000 }).toBe(true)
    await office.sql(`UPDATE office.send SET lease_until = now() - interval '1 ms' WHERE state = 'sending'`)
    await front.synced()
    expect(front.state(id)).toBe('uncertain')
    expect(arrived()).toBe(0)
    return id
  }

  test('is resolved by checking the folders, and its package is sent once', async () => {
    const id = await unanswered()
    const state = async () => {
      await front.synced()
      // Less than half an hour passes until this gives up, however slow this computer is.
      await front.work.time.pass(500)
      return front.state(id)
    }
    await expect.poll(state, { interval: 20, timeout: 60_000 }).toBe('sent')
    expect(arrived()).toBe(1)
  })

  test('isn’t retried automatically if only checked half an hour later, and the error says why', async () => {
    front.work.line.setFault('cut')
    const id = await unanswered()
    await front.work.time.pass(31 * 60_000)
    front.work.line.setFault('pass')
    const decided = async () => {
      await front.synced()
      await front.work.time.pass(10_000)
      return front.state(id)
    }
    await expect.poll(decided, { interval: 20, timeout: 60_000 }).toBe('not-sent')
    expect(front.work.outbox.get(id).error?.message).toContain('It isn’t in your folders')
    expect(arrived()).toBe(0)
  })
})

describe('a package that failed to arrive long ago', () => {
  test('is retried when a person asks for it', async () => {
    back.work.parts.outbox.shared.disconnect()
    front.work.line.setFault('cut')
    const id = front.put()
    await becomes(front, id, 'uncertain')
    // By then someone may have removed it from the folders.
    await front.work.time.pass(31 * 60_000)
    front.work.line.setFault('pass')
    await becomes(front, id, 'not-sent')
    expect(arrived()).toBe(0)
    // The proof that it hadn't arrived is too old by now.
    await front.work.time.pass(31 * 60_000)
    await office.sql(`UPDATE office.send SET proven_until = now() - interval '1 ms'`)
    front.work.parts.outbox.retry(id)
    await becomes(front, id, 'sent')
    expect(arrived()).toBe(1)
  })
})

describe('a package that may be in a folder that the service doesn’t have', () => {
  test.each([
    ['where it was asked', () => front],
    ['at another workstation', () => back]
  ])('isn’t put to another person once one has said that it isn’t there, and was retried %s', async (_where, from) => {
    for (const { work } of [front, back]) {
      await work.parts.accounts.update(work.accountId, { folders: ['InBox', 'Progress', 'Signed', 'Archive'] })
    }
    back.work.parts.outbox.shared.disconnect()
    front.work.line.setFault('cut', (method) => method === 'POST')
    const id = front.put()
    const isAsked = async () => {
      await front.synced()
      await front.work.time.pass(10_000)
      return front.work.outbox.get(id).ambiguity
    }
    await expect.poll(isAsked, { interval: 20, timeout: 60_000 }).toMatchObject({ missingFolders: ['Archive'] })
    front.work.line.setFault('pass')
    await front.work.parts.outbox.resolveAmbiguity(id, { arrived: false })
    await front.synced()
    back.connect()
    await becomes(back, id, 'not-sent')
    from().work.parts.outbox.retry(id)
    await from().synced()
    // Only the other one still looks.
    front.work.parts.outbox.shared.disconnect()
    await office.sql('DELETE FROM office.lease WHERE name = $1', [`look:${officeId}`])
    await becomes(back, id, 'sent')
    expect(arrived()).toBe(1)
  })
})

describe('a workstation that sleeps while holding a claim', () => {
  test('sends nothing with that claim after waking', async () => {
    // No outbox claims it first: for all of them it isn't due yet.
    const { id } = front.work.parts.outbox.enqueue(front.work.parts.drafts.save(front.work.accountId, forms()).id)
    await front.synced()
    await office.sql('UPDATE office.send SET goes_at = now() WHERE id = $1', [id])
    const turn = await front.work.outbox.shared.dispatchStoreOf(front.work.accountId)?.turn(front.work.accountId, [], 1)
    const [begun] = turn?.started ?? []
    expect(begun?.send.id).toBe(id)
    expect(begun?.claim?.maySend()).toBe(true)
    // While the computer sleeps its monotonic clock may stand still; the wall clock doesn't.
    front.work.time.now += 60_000
    expect(begun?.claim?.maySend()).toBe(false)
  })
})

describe('a workstation that goes to sleep', () => {
  test('aborts requests in progress, whose packages are then checked and sent once', async () => {
    // Otherwise the computer would send the rest of the request when it wakes.
    front.work.line.setFault('hang', (method) => method === 'POST')
    back.work.parts.outbox.shared.disconnect()
    const id = front.put()
    await becomes(front, id, 'sending')
    await expect
      .poll(() => front.work.line.requests.some((one) => one.includes('SendForms2')), { timeout: 30_000 })
      .toBe(true)
    front.work.parts.outbox.shared.abortRequests()
    // The request would hang for ever: no time passes meanwhile.
    const isInDoubt = () => front.work.outbox.get(id).state === 'uncertain'
    await expect.poll(isInDoubt, { timeout: 60_000 }).toBe(true)
    front.work.line.setFault('pass')
    await becomes(front, id, 'sent')
    expect(arrived()).toBe(1)
  })
})

describe('pausing', () => {
  test('at one workstation stops every other from sending', async () => {
    await front.work.outbox.shared.pause(front.work.accountId, true)
    await back.synced()
    expect(back.work.outbox.state(back.work.accountId)).toMatchObject({ pause: { by: 'person' }, office: 'connected' })
    const id = back.put()
    await back.synced()
    await back.work.time.pass(60_000)
    expect(arrived()).toBe(0)
    await front.work.outbox.shared.pause(front.work.accountId, false)
    await becomes(back, id, 'sent')
  })
})

describe('leaving the office', () => {
  test('takes along its own packages, and leaves those of others', async () => {
    await front.work.outbox.shared.pause(front.work.accountId, true)
    const [mine, theirs] = [front.put(), back.put()]
    for (const workstation of [front, back]) for (const id of [mine, theirs]) await becomes(workstation, id, 'ready')
    await front.work.outbox.shared.reclaimOwn(front.work.accountId)
    expect([front.state(mine), front.state(theirs)]).toEqual(['ready', undefined])
    await becomes(back, mine, undefined)
    await back.work.outbox.shared.pause(back.work.accountId, false)
    await becomes(back, theirs, 'sent')
    front.work.outbox.resume(front.work.accountId)
    await front.work.whenEnded(mine)
    expect(arrived()).toBe(2)
  })

  test('takes along its packages, which a workstation unaware of it can neither undo nor push again', async () => {
    await front.work.outbox.shared.pause(front.work.accountId, true)
    const id = front.put()
    for (const workstation of [front, back]) await becomes(workstation, id, 'ready')
    await front.work.outbox.shared.reclaimOwn(front.work.accountId)
    await expect(back.work.outbox.shared.withholdForUndo(back.work.outbox.get(id))).rejects.toMatchObject({
      appError: { code: 'busy' }
    })
    const repeated = { id, content: Buffer.from('{}'), inMs: 0, revision: 2, mayHaveArrived: false }
    expect(await storeOf(1, back.work).push(officeId, repeated)).toMatchObject({ state: 'held' })
    await back.work.outbox.shared.pause(back.work.accountId, false)
    await becomes(back, id, undefined)
    front.work.outbox.resume(front.work.accountId)
    await front.work.whenEnded(id)
    await back.work.time.pass(60_000)
    expect(arrived()).toBe(1)
  })

  test('during a sync, neither sends packages of others nor pushes its own', async () => {
    const { accountId, outbox, time } = front.work
    const store = storeOf(0, front.work)
    await outbox.shared.pause(accountId, true)
    const rows = [{ row: 1, cells: ['Row 1'], composition: forms() }]
    await outbox.addBatch({ accountId, name: 'Tax forms', columns: ['Name'], rows, leftOut: [] })
    const mine = outbox.list([accountId], all).rows[0]?.id ?? ''
    await front.synced()
    const [asked, mayContinue] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let isSlow = false
    const changes: typeof store.changes = async (...its) => {
      const answer = await store.changes(...its)
      if (isSlow) {
        asked.resolve()
        await mayContinue.promise
      }
      return answer
    }
    // The last question before it stops sharing. A notification has started a sync by then.
    const reclaimDrafts = front.work.parts.sharedDrafts.reclaimDrafts
    let syncing: Promise<unknown> = Promise.resolve()
    front.work.parts.sharedDrafts.reclaimDrafts = async (...its) => {
      isSlow = true
      await back.synced()
      syncing = front.synced().catch(() => undefined)
      await asked.promise
      return reclaimDrafts(...its)
    }
    outbox.shared.connect({ ...store, changes }, 1)
    const theirs = back.put()
    await outbox.shared.reclaimOwn(accountId)
    const later = front.put()
    mayContinue.resolve()
    await syncing
    outbox.resume(accountId)
    for (let count = 0; count < 4; count++) await time.pass(10_000)
    for (const id of [mine, later]) await front.work.whenEnded(id)
    expect(front.state(theirs)).toBeUndefined()
    expect([await store.stateOf(mine), await store.stateOf(later)]).toEqual(['held', undefined])
    expect(arrived()).toBe(2)
  })
})

describe('a package shared with an office again that is then restored', () => {
  test.each([
    ['after a push whose answer was lost', true],
    ['after a push', false]
  ])('%s is uncertain, as another may have sent it meanwhile', async (_name, isLost) => {
    const { shared } = front.work.parts.outbox
    const { accountId } = front.work
    await shared.pause(accountId, true)
    const id = front.put()
    await becomes(front, id, 'ready')
    await shared.reclaimOwn(accountId)
    const store = storeOf(0, front.work)
    const losesAnswer = async (...its: Parameters<typeof store.push>): ReturnType<typeof store.push> => {
      const answer = await store.push(...its)
      if (isLost) throw new Error('The answer is lost.')
      return answer
    }
    shared.disconnect()
    shared.share(accountId, officeId)
    shared.connect({ ...store, push: losesAnswer }, 1)
    const isSynced = await front.synced().then(
      () => true,
      () => false
    )
    expect(isSynced).toBe(!isLost)
    const [stored] = await office.sql<{ revision: number }>('SELECT state, revision FROM office.send WHERE id = $1', [
      id
    ])
    expect(stored).toMatchObject({ state: 'ready' })
    await office.sql(`UPDATE office.send SET state = 'held', revision = $1 WHERE id = $2`, [
      (stored?.revision ?? 0) - 1,
      id
    ])
    shared.disconnect()
    await shared.restored(store, front.work.time.now)
    expect(front.state(id)).toBe('uncertain')
  })
})
