/**
 * Fifty whole workstations of one office, joined with codes, in one process, with a real PostgreSQL server that flushes
 * everything to disk, and one practice service: how soon all hear of a change, what they ask the server while nothing
 * happens, and what they ask the service.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { OfficeBoard } from '../../src/main/core/appointments/office-board.ts'
import type { OfficeMembership } from '../../src/main/core/office/membership.ts'
import { headsOf, openMembership, openTestOffice, serverOf, staffOf, type TestOffice } from '../fixtures/office.ts'
import { openCluster } from '../fixtures/office-cluster.ts'
import { openWorkplace, type Workplace } from '../fixtures/workplace.ts'
import { type Bench, type Figure, lower, quantile } from './figure.ts'

const WORKSTATIONS = 50
const RINGS = 200
const SECOND = 1_000
const MINUTE = 60 * SECOND
/**
 * How long workstations are left alone while their queries to the server are counted. Their requests to the service are
 * counted for `WATCHING` minutes.
 */
const IDLE = 54 * SECOND
/** PostgreSQL counts what a connection has done up to ten seconds late. */
const UNTOLD = 12 * SECOND
const WATCHING = 10
/** The real time that HTTP requests in one second of the workstations' time take, in milliseconds. */
const REAL_SECOND = 15

interface Workstation {
  readonly work: Workplace
  readonly membership: OfficeMembership
}

export const officeFifty: Bench = {
  name: 'office-fifty',
  async run(): Promise<Figure[]> {
    const cluster = await openCluster({ isDurable: true })
    const workstations: Workstation[] = []
    const alone = await openWorkplace('demo')
    try {
      const office = await openTestOffice(cluster.place)
      for (let count = 1; count <= WORKSTATIONS; count++)
        workstations.push(await openWorkstation(office, count, workstations[0]))
      alone.parts.polling.start()
      await untilTogether(workstations, alone)
      return [await bell(workstations), await requests(workstations, alone), await idle(office, workstations)]
    } finally {
      for (const { membership } of workstations) await membership.close()
      for (const { work } of [...workstations].reverse()) await work.close()
      await alone.close()
      await cluster.close()
    }
  }
}

/** Opens a workstation with a counter at which nobody signs, which the others hear of. */
async function openWorkstation(
  office: TestOffice,
  count: number,
  first: Workstation | undefined
): Promise<Workstation> {
  const work = await openWorkplace('demo', first?.work)
  const time = work.time.run()
  const counters = new OfficeBoard({
    time,
    state: () => membership.view()?.state,
    accounts: () => work.parts.outbox.shared.accounts(),
    changed: () => undefined,
    onError: () => undefined
  })
  const counter = { id: 'here', name: `Counter ${count}`, staff: '', wantsStaff: false, hasOtherDisplay: true }
  counters.setOwnCounter(() => ({ counter: { ...counter, state: 'free' }, isCounter: true, accountId: undefined }))
  const membership = openMembership(work, { counters, heads: headsOf(work), staff: staffOf(work) })
  work.parts.polling.start()
  await membership.join(serverOf(office), await office.invite(`Counter ${count}`))
  return { work, membership }
}

/** Lets this much time of all workstations pass, a second at a time. */
async function pass(works: readonly Workplace[], milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += SECOND) {
    await Promise.all(works.map(({ time }) => time.pass(SECOND)))
    await pause(REAL_SECOND)
  }
}

/** Resolves once one reads for all of them. */
async function untilTogether(workstations: readonly Workstation[], alone: Workplace): Promise<void> {
  const works = [...workstations.map(({ work }) => work), alone]
  const isSo = () =>
    workstations.every(({ membership }) => membership.view()?.folders.every(({ how }) => how === 'together'))
  for (let seconds = 0; !isSo(); seconds++) {
    if (seconds > 1_800) throw new Error('They don’t read the folders together.')
    await pass(works, SECOND)
  }
  // The queries of joining are over.
  await pass(works, 2 * MINUTE)
}

/** From a workstation's pausing or resuming the outbox until all of them have been notified. */
async function bell(workstations: readonly Workstation[]): Promise<Figure> {
  let heard = 0
  let all: () => void = () => undefined
  for (const { work } of workstations) {
    work.parts.outbox.shared.notified = () => {
      if (++heard === workstations.length) all()
    }
  }
  const times: number[] = []
  for (let ring = 0; ring < RINGS; ring++) {
    heard = 0
    const { work } = workstations[ring % workstations.length] as Workstation
    const rung = new Promise<void>((resolve) => {
      all = resolve
    })
    const began = performance.now()
    await Promise.all([rung, work.parts.outbox.shared.pause(work.accountId, ring % 2 === 0)])
    times.push(performance.now() - began)
  }
  for (const { work } of workstations) Reflect.deleteProperty(work.parts.outbox.shared, 'rung')
  const against = `${RINGS} changes, one after the other, ${WORKSTATIONS} workstations, the commit itself among it, everything flushed; 90th percentile`
  return lower('office-bell', quantile(times, 0.9), 'ms', 50, against)
}

/** Requests to the service while the folders are in view at every workstation. */
async function requests(workstations: readonly Workstation[], alone: Workplace): Promise<Figure> {
  const works = workstations.map(({ work }) => work)
  const requestCounts = () =>
    [works, [alone]].map((its) => its.reduce((sum, { line }) => sum + line.requests.length, 0))
  const before = requestCounts()
  await pass([...works, alone], WATCHING * MINUTE)
  const [office = Number.NaN, one = Number.NaN] = requestCounts().map((count, index) => count - (before[index] ?? 0))
  if (one < WATCHING) throw new Error(`A workstation alone asked only ${one} times.`)
  const against = `${office} of ${WORKSTATIONS} workstations, ${one} of one alone, in ${WATCHING} minutes of their own time, simulated`
  return lower('office-requests', office / one, 'ratio', 1.1, against)
}

async function idle(office: TestOffice, workstations: readonly Workstation[]): Promise<Figure> {
  const done = async () => {
    const [row] = await office.sql<{ count: string }>(
      'SELECT xact_commit + xact_rollback AS count FROM pg_stat_database WHERE datname = current_database()'
    )
    return Number(row?.count)
  }
  const leftAlone = async (milliseconds: number) => {
    for (let last = performance.now(), end = last + milliseconds; last < end; ) {
      await pause(100)
      const now = performance.now()
      await Promise.all(workstations.map(({ work }) => work.time.pass(now - last)))
      last = now
    }
  }
  await leftAlone(UNTOLD)
  const before = await done()
  const began = performance.now()
  await leftAlone(IDLE)
  const seconds = (performance.now() - began) / SECOND
  const against = `${WORKSTATIONS} workstations for ${Math.round(seconds)} s`
  return lower('office-idle', ((await done()) - before) / seconds, 'transactions/s', 10, against)
}
