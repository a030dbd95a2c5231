// Three workstations of one office, each the whole core with its own database and connection to one practice service.
// What one does to a document the others learn of, don't do at the same time, and never do while its result is unknown.
import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { Counter } from '../../src/main/core/counter/counter.ts'
import { Reservations } from '../../src/main/core/counter/reservations.ts'
import type { ActionRequest } from '../../src/shared/contract/index.ts'
import type { DocumentResponse } from '../../src/shared/model/index.ts'
import { onceChaos } from '../chaos/office-once.ts'
import { isClean } from '../chaos/tally.ts'
import {
  type ActingWorkstation,
  type ActingWorkstations,
  openActingWorkstations,
  openPools,
  reminderOf
} from '../fixtures/acting-workstations.ts'
import { openTestOffice, type TestOffice } from '../fixtures/office.ts'
import { extension } from '../unit/actions/office.ts'
import { openOffice as openCounter, PIN } from '../unit/counter/office.ts'

const NAMES = ['Counter 1', 'Counter 2', 'Counter 3']
let office: TestOffice
let pools: Pool[]
let all: ActingWorkstations
let document: DocumentResponse

beforeAll(async () => {
  office = await openTestOffice(inject('cluster'))
  pools = await openPools(office, NAMES)
})
afterAll(() => Promise.all(pools.map((pool) => pool.end())))
beforeEach(async () => {
  all = await openActingWorkstations(office, pools)
  document = await all.send()
})
afterEach(() => all.close())

const workstation = (index: number) => all.workstation(index)
const start = (index: number, request: ActionRequest, id?: string) => workstation(index).start(document, request, id)
const arrived = (operation: string) => all.receivedCount(operation)
const reminder = () => reminderOf(document)
/** Notifies all workstations and lets time pass until the value is as wanted. */
const becomes = (read: () => unknown, expected: unknown) =>
  expect
    .poll(
      async () => {
        await all.pass(5_000)
        return read()
      },
      { timeout: 60_000, interval: 20 }
    )
    .toEqual(expected)
const stateOf = (index: number, id: string) =>
  workstation(index)
    .actions()
    .find((one) => one.id === id)?.state
const posts = (method: string) => method === 'POST'
/** Resolves once the office has this state. */
const whenTaskIs = (state: string) =>
  becomes(async () => (await office.sql('SELECT state FROM office.task WHERE account = $1', [all.officeId]))[0], {
    state
  })
/**
 * Lets these queries of a workstation reach the office but loses their answers, until the returned function is called.
 */
function losingAnswers(index: number, ...functions: string[]): () => void {
  const pool = pools[index] ?? expect.fail('There is no such line.')
  const names = functions.length > 0 ? functions : ['claim_tasks']
  const query = pool.query.bind(pool) as (text: string, values: unknown[]) => Promise<unknown>
  const losing = async (text: string, values: unknown[]) => {
    const isLost = names.some((name) => text.includes(name))
    // Later reports of it don't even get there.
    if (isLost && !text.includes('claim_tasks')) throw new Error('The line broke.')
    const answer = await query(text, values)
    if (isLost) throw new Error('The line broke.')
    return answer
  }
  Object.assign(pool, { query: losing })
  return () => Object.assign(pool, { query })
}
/** Starts a reminder that is sent and gets no answer for as long as the connection lasts. */
async function hanging(index: number): Promise<string> {
  const [{ work }, id] = [workstation(index), randomUUID()]
  work.line.setFault('hang', posts)
  void start(index, reminder(), id).catch(() => undefined)
  await expect.poll(() => work.line.requests.some((one) => one.includes('SendReminder'))).toBe(true)
  return id
}

describe('an action from three workstations at once', () => {
  test.each<[string, string, () => ActionRequest]>([
    ['a new due date', 'Extend', () => extension()],
    ['a reminder', 'SendReminder', reminder]
  ])('%s is one request, and the others are told who made it and when', async (_name, operation, request) => {
    const task = request()
    const ended = await Promise.all(all.workstations.map((_desk, index) => start(index, task)))
    expect(ended.map(({ state }) => state).sort()).toEqual(['done', 'refused', 'refused'])
    const by = NAMES[ended.findIndex(({ state }) => state === 'done')]
    for (const { error } of ended.filter(({ state }) => state === 'refused')) {
      expect(error?.message).toMatch(new RegExp(`^${by} .* \\d\\d:\\d\\d, so nothing was done here.$`))
    }
    expect(arrived(operation)).toBe(1)
  })

  test('can be repeated by someone who was told that it was done', async () => {
    await start(0, reminder())
    await whenTaskIs('done')
    expect(await start(1, reminder())).toMatchObject({
      state: 'refused',
      error: { code: 'conflict', message: expect.stringContaining('Counter 1 reminded this person') }
    })
    expect(await start(1, reminder())).toMatchObject({ state: 'done' })
    expect(arrived('SendReminder')).toBe(2)
  })
})

test('someone who was told of an action isn’t taken to know of another, though the server has forgotten the first', async () => {
  await start(0, reminder())
  await whenTaskIs('done')
  expect(await start(1, reminder())).toMatchObject({ state: 'refused' })
  // As after a week, or after a restore.
  await office.sql('DELETE FROM office.task WHERE account = $1', [all.officeId])
  await start(0, reminder())
  await whenTaskIs('done')
  expect(await start(1, reminder())).toMatchObject({ state: 'refused', error: { code: 'conflict' } })
  expect(await start(1, reminder())).toMatchObject({ state: 'done' })
})

describe('an action without an answer', () => {
  test('is uncertain for all, and found done by the workstation that checks', async () => {
    // The first workstation can't check the folders itself.
    workstation(0).work.line.setFaultBy((method) => (posts(method) ? 'lose-answer' : 'cut'))
    const first = await start(0, extension(10))
    expect(first).toMatchObject({ state: 'uncertain' })
    await whenTaskIs('uncertain')
    const other = await start(1, extension(20))
    expect(other).toMatchObject({ state: 'refused', error: { next: 'Check that first.' } })
    expect(other.error?.message).toContain('Counter 1 tried to change this due date')
    // It is uncertain here as well, and nothing like it is begun.
    expect(stateOf(1, first.id)).toBe('uncertain')
    await expect(start(1, extension(20))).rejects.toMatchObject({ appError: { code: 'busy' } })
    await workstation(1).work.parts.actions.check(first.id)
    expect(stateOf(1, first.id)).toBe('done')
    await becomes(() => stateOf(0, first.id), 'done')
    expect(arrived('Extend')).toBe(1)
  })

  test.each([
    ['were altered', `set_byte(sealed, 40, get_byte(sealed, 40) # 1)`],
    ['were lost', 'NULL']
  ])('whose details on the server %s is uncertain elsewhere until a person decides', async (_name, to) => {
    workstation(0).work.line.setFaultBy((method) => (posts(method) ? 'lose-answer' : 'cut'))
    const first = await start(0, extension(10))
    await whenTaskIs('uncertain')
    await office.sql(`UPDATE office.task SET sealed = ${to} WHERE account = $1`, [all.officeId])
    expect(await start(1, extension(20))).toMatchObject({ state: 'refused', error: { code: 'busy' } })
    expect(stateOf(1, first.id)).toBe('uncertain')
    const { actions } = workstation(1).work.parts
    await expect(actions.check(first.id)).rejects.toMatchObject({ appError: { code: 'conflict' } })
    actions.conclude(first.id, false)
    await whenTaskIs('free')
    expect(await start(1, extension(20))).toMatchObject({ state: 'done' })
  })

  test('whose workstation was killed isn’t repeated elsewhere until a person decides', async () => {
    const id = await hanging(0)
    workstation(0).work.parts.kill()
    expect(await start(1, reminder())).toMatchObject({
      state: 'refused',
      error: { code: 'busy', message: expect.stringContaining('Counter 1 has been reminding this person') }
    })
    await office.sql(`UPDATE office.task SET until = now() - interval '1 ms' WHERE state = 'open'`)
    expect(await start(1, reminder())).toMatchObject({ state: 'refused' })
    expect(await start(2, reminder())).toMatchObject({ state: 'refused' })
    expect([stateOf(1, id), stateOf(2, id)]).toEqual(['uncertain', 'uncertain'])
    await expect(start(1, reminder())).rejects.toMatchObject({ appError: { code: 'busy' } })
    workstation(1).work.parts.actions.conclude(id, false)
    await becomes(() => stateOf(2, id), 'refused')
    expect(await start(2, reminder())).toMatchObject({ state: 'done' })
    expect(arrived('SendReminder')).toBeLessThanOrEqual(1)
  })

  test('can be retried at another workstation, which settles it for all', async () => {
    workstation(0).work.line.setFault('lose-answer', posts)
    const { id } = await start(0, reminder())
    await whenTaskIs('uncertain')
    await start(1, reminder())
    expect(stateOf(1, id)).toBe('uncertain')
    expect(await workstation(1).work.parts.actions.retry(id)).toMatchObject({ state: 'done' })
    await becomes(() => stateOf(0, id), 'done')
  })
})

test('an action doesn’t leave if its workstation slept since the claim, and another may do it', async () => {
  const { once, time } = workstation(0).work
  const sleepSignal = once.sleepSignal.bind(once)
  // While the computer sleeps its monotonic clock may stand still; the wall clock doesn't.
  once.sleepSignal = () => {
    time.now += 60_000
    return sleepSignal()
  }
  await start(0, reminder())
  once.sleepSignal = sleepSignal
  expect(arrived('SendReminder')).toBe(0)
  await whenTaskIs('free')
  expect(await start(1, reminder())).toMatchObject({ state: 'done' })
  expect(arrived('SendReminder')).toBe(1)
})

test('a person’s word that the office hasn’t heard yet isn’t undone by doing the same again', async () => {
  const { line, parts } = workstation(0).work
  line.setFault('lose-answer', posts)
  const { id } = await start(0, reminder())
  await whenTaskIs('uncertain')
  line.setFault('pass')
  const restoreAnswers = losingAnswers(0, 'finish_task')
  parts.actions.conclude(id, false)
  expect(await start(0, reminder())).toMatchObject({ state: 'refused' })
  expect(stateOf(0, id)).toBe('cancelled')
  restoreAnswers()
  await whenTaskIs('free')
  expect(await start(0, reminder())).toMatchObject({ state: 'done' })
})

describe('a server restored to while an action was in progress', () => {
  const restored = () => office.sql(`UPDATE office.task SET state = 'uncertain' WHERE account = $1`, [all.officeId])

  test.each([
    ['done', 'pass', 'done'],
    ['refused', { status: 409 }, 'free']
  ] as const)('is told again that it was %s, and nobody takes it for uncertain', async (state, fault, outcome) => {
    const { parts, line } = workstation(0).work
    line.setFault(fault, posts)
    expect(await start(0, reminder())).toMatchObject({ state })
    line.setFault('pass')
    await whenTaskIs(outcome)
    await restored()
    parts.once.restored()
    await whenTaskIs(outcome)
    expect(workstation(0).actions()).toMatchObject([{ state }])
  })

  test('hears again of a later attempt, which stays unconfirmed', async () => {
    const { line, parts } = workstation(0).work
    line.setFault('cut', posts)
    const { id } = await start(0, reminder())
    parts.actions.conclude(id, false)
    await whenTaskIs('free')
    const [backup] = await office.sql<{ epoch: number }>('SELECT epoch FROM office.task WHERE account = $1', [
      all.officeId
    ])
    line.setFault('lose-answer', posts)
    expect(await parts.actions.retry(id)).toMatchObject({ state: 'uncertain' })
    await whenTaskIs('uncertain')
    line.setFault('pass')
    await office.sql(`UPDATE office.task SET state = 'free', epoch = $2 WHERE account = $1`, [
      all.officeId,
      backup?.epoch
    ])
    parts.once.restored()
    await whenTaskIs('uncertain')
    expect(stateOf(0, id)).toBe('uncertain')
    expect(await start(1, reminder())).toMatchObject({ state: 'refused', error: { code: 'busy' } })
    parts.actions.conclude(id, true)
    await becomes(() => stateOf(1, id), 'done')
    expect(arrived('SendReminder')).toBe(1)
  })

  test('doesn’t make a workstation forget that it did it', async () => {
    const { id } = await start(0, reminder())
    await whenTaskIs('done')
    await restored()
    expect(await start(0, reminder())).toMatchObject({ state: 'refused' })
    expect(stateOf(0, id)).toBe('done')
    await whenTaskIs('done')
    expect(await start(0, reminder())).toMatchObject({ state: 'done' })
  })
})

test('an action leaves with the credentials that its account has once the office has answered', async () => {
  const { accountId, parts } = workstation(0).work
  const pool = pools[0] ?? expect.fail('There is no such line.')
  const query = pool.query.bind(pool) as (text: string, values: unknown[]) => Promise<unknown>
  const changing = async (text: string, values: unknown[]) => {
    if (text.includes('claim_tasks')) {
      await parts.accounts.update(accountId, { authentication: { scheme: 'bearer', token: 'new' } })
      parts.clients.forget(accountId)
    }
    return query(text, values)
  }
  Object.assign(pool, { query: changing })
  const fetching = vi.spyOn(globalThis, 'fetch')
  await start(0, reminder())
  const sent = fetching.mock.calls.filter(([url]) => String(url).includes('SendReminder'))
  fetching.mockRestore()
  Object.assign(pool, { query })
  expect(sent.map(([, init]) => new Headers(init?.headers).get('authorization'))).toEqual(['Bearer new'])
})

describe('a claim whose answer was lost', () => {
  const task = async () => (await office.sql('SELECT state FROM office.task WHERE account = $1', [all.officeId]))[0]

  test('is released as soon as the server is told that nothing was done', async () => {
    const restoreAnswers = losingAnswers(0)
    const { state, error } = await start(0, reminder())
    restoreAnswers()
    expect([state, error?.code]).toEqual(['refused', 'offline'])
    await whenTaskIs('free')
    expect(await start(1, reminder())).toMatchObject({ state: 'done' })
    expect(arrived('SendReminder')).toBe(1)
  })

  test('doesn’t prevent the same workstation from trying again', async () => {
    const restoreAnswers = losingAnswers(0, 'claim_tasks', 'finish_task')
    await start(0, reminder())
    await expect.poll(task).toEqual({ state: 'open' })
    restoreAnswers()
    expect(await start(0, reminder())).toMatchObject({ state: 'done' })
    expect(arrived('SendReminder')).toBe(1)
  })

  test('is released on cancelling, and doesn’t block the action after a restart', async () => {
    let restoreAnswers = losingAnswers(0, 'claim_tasks', 'finish_task')
    const { id, state } = await start(0, extension())
    expect(state).toBe('waiting')
    workstation(0).work.parts.actions.cancel(id)
    restoreAnswers()
    await whenTaskIs('free')
    restoreAnswers = losingAnswers(0, 'claim_tasks', 'finish_task')
    await start(0, extension())
    await office.sql(`UPDATE office.task SET until = now() - interval '1 ms' WHERE state = 'open'`)
    expect(await start(1, extension())).toMatchObject({ state: 'refused' })
    restoreAnswers()
    workstation(0).work.restart()
    workstation(0).connect()
    await becomes(
      () =>
        workstation(0)
          .actions()
          .map((one) => one.state),
      ['done', 'cancelled']
    )
    expect(arrived('Extend')).toBe(1)
  })
})

test('the result of an action in progress is reported when the application ends', async () => {
  await hanging(0)
  const closing = workstation(0).work.parts.actions.close(5_000)
  await workstation(0).work.line.goDown()
  await closing
  expect(await office.sql('SELECT state FROM office.task WHERE account = $1', [all.officeId])).toEqual([
    { state: 'uncertain' }
  ])
})

test('leaving the office is refused until all results are known, which are then reported', async () => {
  const { accountId, parts } = workstation(0).work
  const id = await hanging(0)
  const BUSY = { appError: { code: 'busy' } }
  await expect(parts.once.beforeLeaving(accountId)).rejects.toMatchObject(BUSY)
  await workstation(0).work.line.goDown()
  await becomes(() => stateOf(0, id), 'uncertain')
  await expect(parts.once.beforeLeaving(accountId)).rejects.toMatchObject(BUSY)
  parts.actions.conclude(id, true)
  await parts.once.beforeLeaving(accountId)
  expect(await office.sql('SELECT state FROM office.task WHERE account = $1', [all.officeId])).toEqual([
    { state: 'done' }
  ])
})

describe('while the office’s server is unreachable', () => {
  test('a new due date waits and is sent afterwards; a reminder is refused', async () => {
    workstation(1).disconnect()
    const waits = await start(1, extension())
    expect(waits).toMatchObject({ state: 'waiting', error: { code: 'offline' } })
    workstation(2).disconnect()
    expect(await start(2, reminder())).toMatchObject({ state: 'refused', error: { code: 'offline' } })
    expect(arrived('Extend') + arrived('SendReminder')).toBe(0)
    workstation(1).connect()
    await becomes(() => stateOf(1, waits.id), 'done')
    expect(arrived('Extend')).toBe(1)
  })

  test('a waiting action is refused if another workstation has done it meanwhile', async () => {
    workstation(1).disconnect()
    const waits = await start(1, extension(20))
    expect(await start(0, extension(10))).toMatchObject({ state: 'done' })
    workstation(1).connect()
    await becomes(() => stateOf(1, waits.id), 'refused')
    expect(arrived('Extend')).toBe(1)
  })

  test('the result of an action is reported later', async () => {
    const id = await hanging(0)
    workstation(0).disconnect()
    await workstation(0).work.line.goDown()
    await becomes(() => stateOf(0, id), 'uncertain')
    workstation(0).work.parts.actions.conclude(id, true)
    workstation(0).connect()
    await whenTaskIs('done')
    expect(await start(1, reminder())).toMatchObject({
      error: { message: expect.stringContaining('Counter 1 reminded this person') }
    })
  })
})

describe('a person at the counter', () => {
  /** A workstation's counter, over the documents in its folders; its page isn't shown anywhere. */
  function counterOf({ work }: ActingWorkstation) {
    const { accountId, parts } = work
    const time = work.time.run()
    const { origin } = new URL(document.Signers?.[0]?.SigningKey ?? '')
    const its = { exclusiveTasks: parts.once, time, newId: randomUUID }
    let news = 0
    const counter: Counter = new Counter({
      ...openCounter({}).deps,
      ...its,
      accountId: () => accountId,
      waitingHere: () => parts.ask('waitingHere', { accountId, withoutLink: true }),
      documentOf: (_account, reference) => parts.ask('get', { accountId, reference }),
      refresh: () => parts.polling.refresh(accountId),
      account: () => ({ kind: 'practice', baseUrl: origin }),
      reservations: new Reservations({ ...its, changed })
    })
    function changed(): void {
      news++
      counter.reservationsChanged()
    }
    return {
      counter,
      /** How often it was notified that its own or others' reservations changed. */
      news: () => news,
      start: ({ Reference }: DocumentResponse = document) =>
        counter.start({ turns: [{ documentReference: Reference, signer: 0, evidence: [] }], allowsCamera: false }),
      elsewhere: async () => (await counter.queue()).map((entry) => entry.elsewhere?.workstation ?? ''),
      kill() {
        time.end()
        parts.kill()
      }
    }
  }
  type Place = ReturnType<typeof counterOf>
  let places: Place[]
  const place = (index: number) => places[index] ?? expect.fail('There is no such counter.')
  beforeEach(() => {
    places = all.workstations.map(counterOf)
  })
  const BUSY = { appError: { code: 'busy' } }

  test('is reserved by one of three; the others see by which, and can start only afterwards', async () => {
    const begun = await Promise.allSettled(places.map(({ start }) => start(document)))
    expect(begun.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
    const at = begun.findIndex(({ status }) => status === 'fulfilled')
    const holder = NAMES[at]
    for (const one of begun) {
      if (one.status === 'fulfilled') expect(one.value.notReserved).toBeUndefined()
      else
        expect(one.reason.appError.message).toMatch(
          new RegExp(`^${holder} has been signing with this person since \\d\\d:\\d\\d\\.$`)
        )
    }
    const [here, other] = [place(at), place((at + 1) % 3)]
    await becomes(other.elsewhere, [holder, ''])
    expect(await here.elsewhere()).toEqual(['', ''])
    await expect(other.counter.offer(document.Reference, 0)).rejects.toMatchObject(BUSY)
    const { id } = here.counter.state() ?? expect.fail('There is no session.')
    await here.counter.unlock(id, PIN)
    await here.counter.staff(id, 'end', 'office')
    await becomes(other.elsewhere, ['', ''])
    expect(await other.start()).toMatchObject({ phase: 'handover' })
  })

  test.each([false, true])('is free once the application ends, with the next run locked: %s', async (keepsMarker) => {
    await place(0).start()
    await place(0).counter.end({ keepsMarker })
    expect(await office.sql('SELECT DISTINCT state FROM office.task WHERE account = $1', [all.officeId])).toEqual([
      { state: 'free' }
    ])
  })

  test('stays reserved during a long session, and is free once its workstation was killed', async () => {
    await place(0).start()
    await office.sql(`UPDATE office.task SET until = now() + interval '5 s' WHERE account = $1`, [all.officeId])
    await becomes(
      async () =>
        (
          await office.sql(
            `SELECT until > now() + interval '30 s' AS "isRenewed" FROM office.task WHERE account = $1`,
            [all.officeId]
          )
        )[0],
      { isRenewed: true }
    )
    await expect.poll(place(1).elsewhere).toEqual(['Counter 1', ''])
    place(0).kill()
    await office.sql(`UPDATE office.task SET until = now() - interval '1 ms' WHERE account = $1`, [all.officeId])
    // No notification is sent for a workstation that is gone.
    await workstation(1).work.time.pass(61_000)
    await expect.poll(place(1).elsewhere).toEqual(['', ''])
    expect(await place(1).start()).toMatchObject({ phase: 'handover' })
  })

  test('is reserved with all of their documents', async () => {
    const another = await all.send()
    await place(0).start()
    await becomes(place(1).elsewhere, ['Counter 1', '', 'Counter 1', ''])
    await expect(place(1).start(another)).rejects.toMatchObject(BUSY)
    expect(
      await place(0)
        .start(another)
        .catch(({ appError }) => appError)
    ).toMatchObject({ code: 'busy' })
  })

  test('is no longer shown as elsewhere once the reservation expires, even without the server', async () => {
    await place(0).start()
    await becomes(place(1).elsewhere, ['Counter 1', ''])
    workstation(1).disconnect()
    const before = place(1).news()
    await workstation(1).work.time.pass(61_000)
    await expect.poll(place(1).news).toBeGreaterThan(before)
    expect(await place(1).elsewhere()).toEqual(['', ''])
  })

  test('is shown as elsewhere even after the server once gave no answer', async () => {
    await becomes(place(1).elsewhere, ['', ''])
    const pool = pools[1] ?? expect.fail('There is no such line.')
    const restoreAnswers = losingAnswers(1, 'tasks_of_others')
    const query = vi.spyOn(pool, 'query')
    await place(0).start()
    workstation(1).work.parts.once.notified(all.officeId)
    await expect.poll(() => query.mock.calls.length).toBeGreaterThan(0)
    query.mockRestore()
    restoreAnswers()
    await workstation(1).work.time.pass(20_000)
    await expect.poll(place(1).elsewhere).toEqual(['Counter 1', ''])
  })

  test('is shown as taken if the server lost the reservation and another counter started', async () => {
    await place(0).start()
    await office.sql(`UPDATE office.task SET state = 'free' WHERE account = $1`, [all.officeId])
    expect(await place(1).start()).toMatchObject({ phase: 'handover' })
    await workstation(0).work.time.pass(20_000)
    await expect.poll(() => place(0).counter.state()?.notReserved).toBe('taken')
  })

  describe('whose claim the office answers late', () => {
    /** Lets the office's answer to the next claim of a workstation wait until the returned function is called. */
    function delayClaim(index: number): () => void {
      const access = workstation(index).work.parts.once.of(workstation(index).work.accountId)
      if (!access || access === 'away') expect.fail('It is not connected.')
      const { claim } = access.tasks
      const { promise, resolve } = Promise.withResolvers<void>()
      access.tasks.claim = async (...asked) => {
        access.tasks.claim = claim
        const answer = await claim(...asked)
        await promise
        return answer
      }
      return resolve
    }
    async function startWithoutAnswer(index: number) {
      const answer = delayClaim(index)
      const starting = place(index).start()
      let isStarted = false
      void starting.finally(() => {
        isStarted = true
      })
      await expect
        .poll(async () => {
          await workstation(index).work.time.pass(500)
          return isStarted
        })
        .toBe(true)
      expect(await starting).toMatchObject({ phase: 'handover', notReserved: 'away' })
      return answer
    }

    test('is shown as reserved, or as taken, once it does', async () => {
      const answer = await startWithoutAnswer(0)
      answer()
      await expect.poll(() => place(0).counter.state()?.notReserved).toBeUndefined()
      const refuse = await startWithoutAnswer(1)
      refuse()
      await expect.poll(() => place(1).counter.state()?.notReserved).toBe('taken')
    })

    test('is free once their session is over', async () => {
      const answer = await startWithoutAnswer(0)
      const { id } = place(0).counter.state() ?? expect.fail('There is no session.')
      await place(0).counter.unlock(id, PIN)
      await place(0).counter.staff(id, 'end', 'office')
      answer()
      await expect
        .poll(() => office.sql('SELECT DISTINCT state FROM office.task WHERE account = $1', [all.officeId]))
        .toEqual([{ state: 'free' }])
    })
  })

  test('can start without the server, which is shown, and is reserved once it is back', async () => {
    workstation(0).disconnect()
    expect(await place(0).counter.offer(document.Reference, 0)).toMatchObject({ isNotReserved: true })
    expect(await place(0).start()).toMatchObject({ phase: 'handover', notReserved: 'away' })
    workstation(0).connect()
    await becomes(() => place(0).counter.state()?.notReserved, undefined)
    await expect(place(1).start()).rejects.toMatchObject(BUSY)
    workstation(0).disconnect()
    await becomes(() => place(0).counter.state()?.notReserved, 'away')
    workstation(0).connect()
    await becomes(() => place(0).counter.state()?.notReserved, undefined)
    // The counter that has reserved them meanwhile keeps them.
    workstation(2).disconnect()
    expect(await place(2).start()).toMatchObject({ notReserved: 'away' })
    workstation(2).connect()
    await becomes(place(2).elsewhere, ['Counter 1', ''])
    await becomes(() => place(2).counter.state()?.notReserved, 'taken')
    expect(place(2).counter.state()?.phase).toBe('handover')
  })
})

/**
 * For more: `OFFICE_ROUNDS=1000 npm run test:office -- test/office/exclusive-tasks.test.ts`, or `npm run chaos -- --only office`.
 */
const ROUNDS = Number(process.env.OFFICE_ROUNDS ?? 12)

test(
  `five workstations asked for the same at once, with lost answers and one killed, send one request (${ROUNDS} rounds)`,
  async () => {
    const faults: string[] = []
    const tally = await onceChaos(
      { rounds: ROUNDS, seed: 1, say: (line) => faults.push(line) },
      await openTestOffice(inject('cluster'))
    )
    expect(faults).toEqual([])
    expect(isClean(tally)).toBe(true)
    expect(tally.rounds).toBe(ROUNDS)
  },
  60_000 + ROUNDS * 20_000
)
