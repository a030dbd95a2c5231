// Three workstations of one office, each the whole core with its own database and line to one practice service: what one does to a
// document the others don't do at the same time, hear of, and never do while it isn't known what became of it.
import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { openPool } from '../../src/main/core/office/connection.ts'
import { openOfficeSends } from '../../src/main/core/office/sends.ts'
import { openOfficeTasks } from '../../src/main/core/office/tasks.ts'
import type { ActionRequest, ActionView } from '../../src/shared/contract/index.ts'
import type { DocumentResponse } from '../../src/shared/model/index.ts'
import { openTestOffice, type TestOffice } from '../fixtures/office.ts'
import { openWorkplace, type Workplace } from '../fixtures/workplace.ts'
import { extension, person } from '../unit/actions/office.ts'

const LIMITS = { concurrency: 2, perMinute: null }
const NAMES = ['Counter 1', 'Counter 2', 'Counter 3']
let office: TestOffice
let pools: Pool[]
let officeId: string
let desks: Desk[]
let document: DocumentResponse

/** One workstation. */
interface Desk {
  work: Workplace
  connect: () => void
  disconnect: () => void
  start: (request: ActionRequest, id?: string) => Promise<ActionView>
  actions: () => ActionView[]
}

beforeAll(async () => {
  office = await openTestOffice(inject('cluster'))
  pools = []
  for (const name of NAMES) pools.push(openPool((await office.join(name)).place))
})
afterAll(() => Promise.all(pools.map((pool) => pool.end())))

async function deskOf(pool: Pool, beside: Workplace | undefined, of: string): Promise<Desk> {
  const work = await openWorkplace('empty', beside)
  const { accountId, time } = work
  const deps = { pool, key: office.key, time: time.run() }
  const [store, tasks] = [openOfficeSends(deps), openOfficeTasks(deps)]
  work.parts.outbox.shared.share(accountId, of)
  return {
    work,
    connect() {
      work.parts.outbox.shared.connect(store, 1)
      work.parts.once.connect(tasks)
    },
    disconnect() {
      work.parts.outbox.shared.disconnect()
      work.parts.once.disconnect()
    },
    start: (request, id = randomUUID()) =>
      work.parts.actions.start(accountId, { id, reference: document.Reference, request }),
    actions: () => work.parts.actions.list(accountId)
  }
}

beforeEach(async () => {
  const [first] = pools
  if (!first) throw new Error('There are no workstations.')
  const store = openOfficeSends({ pool: first, key: office.key, time: { elapsed: () => performance.now() } })
  officeId = await store.account(randomUUID(), LIMITS)
  desks = []
  for (const pool of pools) desks.push(await deskOf(pool, desks[0]?.work, officeId))
  const Signers = [person(), person('Wiremu')]
  const Forms = [{ Name: 'Letter 1', FormType: 1, Reference: 'letter', EmbedForm: true, Signers }]
  const answer = await fetch(`${desk(0).work.serviceUrl}/FormDirect/SendForms2`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ Forms })
  })
  const sent = ((await answer.json()) as { Documents: DocumentResponse[] }).Documents[0]
  document = sent ?? expect.fail('Nothing was sent.')
  for (const { work, connect } of desks) {
    await work.parts.watch.refresh(work.accountId)
    connect()
    await work.parts.outbox.shared.settled(work.accountId)
  }
})
afterEach(async () => {
  for (const { work } of desks.toReversed()) await work.close()
})

const desk = (index: number) => desks[index] ?? expect.fail('There is no such workstation.')
const arrived = (operation: string) => desk(0).work.taken(operation).length
const reminder = (): ActionRequest => {
  const { SignerReference = '', FirstName = '' } = document.Signers?.[0] ?? {}
  return { kind: 'remind', signerReference: SignerReference, signerName: FirstName }
}
/** The bell rings, and time passes, until it is so. */
const becomes = (look: () => unknown, wanted: unknown) =>
  expect
    .poll(
      async () => {
        for (const { work } of desks) {
          work.parts.once.rung(officeId)
          await work.time.pass(5_000)
        }
        return look()
      },
      { timeout: 60_000, interval: 20 }
    )
    .toEqual(wanted)
const stateOf = (index: number, id: string) =>
  desk(index)
    .actions()
    .find((one) => one.id === id)?.state
const posts = (method: string) => method === 'POST'
/** What workstations have to tell is at the office. */
const told = (state: string) =>
  becomes(async () => (await office.sql('SELECT state FROM office.task WHERE account = $1', [officeId]))[0], { state })
/** Leaves, and gets no answer for as long as its line holds. */
async function hanging(index: number): Promise<string> {
  const [{ work, start }, id] = [desk(index), randomUUID()]
  work.line.fault('hang', posts)
  void start(reminder(), id).catch(() => undefined)
  await expect.poll(() => work.line.seen.some((one) => one.includes('SendReminder'))).toBe(true)
  return id
}

describe('an action from three workstations at once', () => {
  test.each<[string, string, () => ActionRequest]>([
    ['another due date', 'Extend', () => extension()],
    ['a reminder', 'SendReminder', reminder]
  ])('%s is one request; the others are told by whom, and when', async (_name, operation, request) => {
    const asked = request()
    const ended = await Promise.all(desks.map(({ start }) => start(asked)))
    expect(ended.map(({ state }) => state).sort()).toEqual(['done', 'refused', 'refused'])
    const by = NAMES[ended.findIndex(({ state }) => state === 'done')]
    for (const { error } of ended.filter(({ state }) => state === 'refused')) {
      expect(error?.message).toMatch(new RegExp(`^${by} .* \\d\\d:\\d\\d, so nothing was done here.$`))
    }
    expect(arrived(operation)).toBe(1)
  })

  test('one who was told that it was done may do it again', async () => {
    await desk(0).start(reminder())
    await told('done')
    expect(await desk(1).start(reminder())).toMatchObject({
      state: 'refused',
      error: { code: 'conflict', message: expect.stringContaining('Counter 1 reminded this person') }
    })
    expect(await desk(1).start(reminder())).toMatchObject({ state: 'done' })
    expect(arrived('SendReminder')).toBe(2)
  })
})

describe('an action without an answer', () => {
  test('is in doubt for all, and found done by whoever looks', async () => {
    // The first one can't look itself.
    desk(0).work.line.faultBy((method) => (posts(method) ? 'lose-answer' : 'cut'))
    const first = await desk(0).start(extension(10))
    expect(first).toMatchObject({ state: 'uncertain' })
    await told('uncertain')
    const other = await desk(1).start(extension(20))
    expect(other).toMatchObject({ state: 'refused', error: { next: 'Check that first.' } })
    expect(other.error?.message).toContain('Counter 1 tried to change this due date')
    // It is in doubt here as there, and what looks like it is not begun.
    expect(stateOf(1, first.id)).toBe('uncertain')
    await expect(desk(1).start(extension(20))).rejects.toMatchObject({ appError: { code: 'busy' } })
    await desk(1).work.parts.actions.check(first.id)
    expect(stateOf(1, first.id)).toBe('done')
    await becomes(() => stateOf(0, first.id), 'done')
    expect(arrived('Extend')).toBe(1)
  })

  test('whose workstation was killed isn’t done by another before a person says what became of it', async () => {
    const id = await hanging(0)
    desk(0).work.parts.kill()
    expect(await desk(1).start(reminder())).toMatchObject({
      state: 'refused',
      error: { code: 'busy', message: expect.stringContaining('Counter 1 has been reminding this person') }
    })
    await office.sql(`UPDATE office.task SET until = now() - interval '1 ms' WHERE state = 'open'`)
    expect(await desk(1).start(reminder())).toMatchObject({ state: 'refused' })
    expect(await desk(2).start(reminder())).toMatchObject({ state: 'refused' })
    expect([stateOf(1, id), stateOf(2, id)]).toEqual(['uncertain', 'uncertain'])
    await expect(desk(1).start(reminder())).rejects.toMatchObject({ appError: { code: 'busy' } })
    desk(1).work.parts.actions.settle(id, false)
    await becomes(() => stateOf(2, id), 'refused')
    expect(await desk(2).start(reminder())).toMatchObject({ state: 'done' })
    expect(arrived('SendReminder')).toBeLessThanOrEqual(1)
  })

  test('is done once more by the one who decides that, while the others wait', async () => {
    desk(0).work.line.fault('lose-answer', posts)
    const { id } = await desk(0).start(reminder())
    await told('uncertain')
    await desk(1).start(reminder())
    expect(stateOf(1, id)).toBe('uncertain')
    expect(await desk(1).work.parts.actions.again(id)).toMatchObject({ state: 'done' })
    await becomes(() => stateOf(0, id), 'done')
  })
})

describe('while the office’s server is away', () => {
  test('another due date waits and leaves once it is there; a reminder is refused', async () => {
    desk(1).disconnect()
    const waits = await desk(1).start(extension())
    expect(waits).toMatchObject({ state: 'waiting', error: { code: 'offline' } })
    desk(2).disconnect()
    expect(await desk(2).start(reminder())).toMatchObject({ state: 'refused', error: { code: 'offline' } })
    expect(arrived('Extend') + arrived('SendReminder')).toBe(0)
    desk(1).connect()
    await becomes(() => stateOf(1, waits.id), 'done')
    expect(arrived('Extend')).toBe(1)
  })

  test('one that waited isn’t done where another has done it meanwhile', async () => {
    desk(1).disconnect()
    const waits = await desk(1).start(extension(20))
    expect(await desk(0).start(extension(10))).toMatchObject({ state: 'done' })
    desk(1).connect()
    await becomes(() => stateOf(1, waits.id), 'refused')
    expect(arrived('Extend')).toBe(1)
  })

  test('what came of one is told later', async () => {
    const id = await hanging(0)
    desk(0).disconnect()
    await desk(0).work.line.goDown()
    await becomes(() => stateOf(0, id), 'uncertain')
    desk(0).work.parts.actions.settle(id, true)
    desk(0).connect()
    await told('done')
    expect(await desk(1).start(reminder())).toMatchObject({
      error: { message: expect.stringContaining('Counter 1 reminded this person') }
    })
  })
})
