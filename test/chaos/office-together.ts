/**
 * Three workstations of one office, each with its whole outbox and its mirror of the folders, share a PostgreSQL server
 * and a practice service over lines that lose requests and answers. In each round packages are put in, released by
 * someone else, given another time, sent before it and taken back, and something happens to a workstation or the
 * server: a workstation is killed, sleeps, is closed, or leaves and joins again; connections are cut; all claims and
 * leases expire; the server crashes, is restored from an earlier dump, or a standby takes over. Meanwhile people edit
 * the same drafts, presets, views, appointments and names: see `office-words.ts`. No package may be sent while it waits
 * for a release or its time. In the end everyone shows the same times, each package has arrived once or was taken back,
 * each workstation says so, every list matches the service's folders, and every word is in some content.
 */
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { findPostgres } from '../../scripts/system-packages.ts'
import { AppFailure } from '../../src/main/core/lib/failure.ts'
import type { OfficeMembership } from '../../src/main/core/office/membership.ts'
import { memoryKeychain } from '../../src/main/core/storage/keychain.ts'
import { openJsonMeta } from '../../src/main/core/storage/meta.ts'
import type { SendState } from '../../src/shared/contract/index.ts'
import { form, forms, signer } from '../fixtures/compositions.ts'
import { openMembership, openTestOffice, serverOf, type TestOffice } from '../fixtures/office.ts'
import { type Cluster, openCluster } from '../fixtures/office-cluster.ts'
import { openWorkplace, type Workplace } from '../fixtures/workplace.ts'
import { type Chance, chanceOf } from './chance.ts'
import type { Fault } from './ledger.ts'
import { People, refused, rowsOf } from './office-words.ts'
import { type ChaosOptions, emptyTally, notingIn, type Tally } from './tally.ts'

const WORKSTATIONS = ['Front desk', 'Back room', 'Counter']
/** How long any condition may take to come true, in milliseconds of real time. */
const MAX_WAIT = 300_000
/** The step by which the workstations' time advances, in milliseconds. */
const STEP = 1_000
/** The most that people write, send and discard between two events. */
const MAX_DEEDS = 12
/** Steps between two checks of the final state. */
const BETWEEN_CHECKS = 20
const DAY = 86_400_000
/** The days on which scheduled packages leave: none of them comes during a run. */
const [FIRST_DAY, DAYS] = [2, 20]

const WAYS = [
  ...[
    'kill',
    'kill',
    'sleep',
    'close',
    'leave',
    'cut',
    'lapse',
    'crash',
    'dump',
    'dump',
    'restore',
    'restore',
    'promote',
    'pause'
  ],
  ...['take back', 'take back', 'release', 'release', 'release', 'nothing'],
  ...['send now', 'send now']
] as const
type Way = (typeof WAYS)[number]

interface Workstation {
  readonly name: string
  readonly work: Workplace
  readonly slot: ReturnType<typeof memoryKeychain>['office']
  membership: OfficeMembership
  /** Its time stands still once it has been killed. */
  time: ReturnType<Workplace['time']['run']>
  isOff: boolean
}

/** One package, and what the one who put it in knows of it. */
interface Put {
  readonly name: string
  readonly id: string
  readonly by: Workstation
  isTakenBack: boolean
  /** Set if someone else has to release it; `isGiven` once they have. */
  release?: { isGiven: boolean }
  schedule?: Schedule
}

/** When a scheduled package leaves. */
interface Schedule {
  /** The days that it may have now, and all that anyone asked for. */
  days: Set<number>
  readonly asked: Set<number>
  /** Someone sent it before its day, or again, and not every workstation has it as waiting since. */
  mayLeave: boolean
}

interface Place {
  readonly cluster: Cluster
  readonly office: TestOffice
  readonly workstations: Workstation[]
  readonly chance: Chance
  readonly dump: string
  readonly put: Put[]
  readonly people: People
  hasDump: boolean
  /** The server was restored, and nobody has resumed the outbox since. */
  isRestored: boolean
  invited: number
  /** How often a new time was accepted, a scheduled package sent at once, and a package taken back. */
  readonly done: { 'change time': number; 'send now': number; 'take back': number }
}

/**
 * Runs the rounds.
 * @returns the tally, and how often each deed of the people was done: a deed that is never done tests nothing.
 */
export async function officeTogetherChaos({
  rounds,
  seed,
  say
}: ChaosOptions): Promise<Tally & { deeds: Record<string, number> }> {
  const began = performance.now()
  const tally = emptyTally()
  const note = notingIn(tally, say)
  const folder = await mkdtemp(join(tmpdir(), 'countersign-chaos-'))
  const cluster = await openCluster()
  const office = await openTestOffice(cluster.place, { search: '0 s' })
  const [workstations, chance] = [[] as Workstation[], chanceOf(seed)]
  const place: Place = {
    cluster,
    office,
    workstations,
    chance,
    dump: join(folder, 'office.dump'),
    put: [],
    people: new People(chance, workstations),
    hasDump: false,
    isRestored: false,
    invited: 0,
    done: { 'change time': 0, 'send now': 0, 'take back': 0 }
  }
  try {
    for (const name of WORKSTATIONS) workstations.push(await openWorkstation(place, name))
    for (let round = 1; round <= rounds; round++) {
      putSome(place)
      await place.people.act(MAX_DEEDS)
      await passSome(place)
      await changeTime(place, chance.oneOf(workstations as [Workstation, ...Workstation[]]))
      const way = chance.oneOf(WAYS)
      await befall(place, way)
      await place.people.act(MAX_DEEDS)
      await passSome(place)
      note([...doubled(place), ...tooEarly(place)], `after round ${round}, ${way}`)
      if (place.isRestored && chance.below(3) === 0) await letGoAgain(place)
      tally.rounds++
      if (round % 10 === 0) say(`${round} rounds, ${place.put.length} packages, ${place.people.count} words`)
    }
    note(await inTheEnd(place), 'in the end')
  } finally {
    for (const { membership } of workstations) await membership.close().catch(() => undefined)
    for (const { work } of [...workstations].reverse()) await work.close()
    await cluster.close()
    await rm(folder, { recursive: true, force: true })
  }
  tally.seconds = Math.round((performance.now() - began) / 100) / 10
  const released = place.put.filter(({ release }) => release?.isGiven).length
  const deeds = { ...place.people.done, release: released, ...place.done }
  say(
    `done: ${Object.entries(deeds)
      .map((one) => one.join(' '))
      .join(', ')}`
  )
  return { ...tally, deeds }
}

async function openWorkstation(place: Place, name: string): Promise<Workstation> {
  const { workstations, chance } = place
  const work = await openWorkplace('empty', workstations[0]?.work)
  work.line.setFaultBy((method) => {
    const lot = method === 'POST' ? chance.below(100) : 100
    return lot < 2 ? 'cut' : lot < 7 ? 'lose-answer' : 'pass'
  })
  // A package for two signers waits for a release by another staff member.
  Object.assign(work.staff, { above: 1, who: { id: name, name } })
  work.parts.polling.start()
  const { office: slot } = memoryKeychain()
  const time = work.time.run()
  const workstation: Workstation = {
    name,
    work,
    slot,
    time,
    membership: openMembership(work, { slot, time }),
    isOff: false
  }
  await joinAgain(place, workstation)
  return workstation
}

async function joinAgain(place: Place, { membership, name }: Workstation): Promise<void> {
  // To the office a workstation that joins again is a new one.
  await membership.join(serverOf(place.office), await place.office.invite(`${name} ${++place.invited}`))
}

/** Starts the application again after it was killed or closed. */
function begin(workstation: Workstation): void {
  const { work, slot } = workstation
  work.restart()
  work.parts.polling.start()
  workstation.time = work.time.run()
  workstation.membership = openMembership(work, { slot, time: workstation.time })
  workstation.membership.start()
  workstation.isOff = false
}

function putSome({ chance, workstations, put }: Place): void {
  for (let count = chance.below(3); count > 0; count--) {
    const by = chance.oneOf(workstations as [Workstation, ...Workstation[]])
    const { parts, accountId } = by.work
    const name = `Package ${put.length + 1}`
    const waits = put.length % 3 === 0
    const day = put.length % 3 === 1 ? firstDay(by) + chance.below(DAYS) : undefined
    const signers = waits ? [signer(), signer({ FirstName: 'Tama', Email: 'tama@example.com' })] : [signer()]
    const { id } = parts.outbox.enqueue(
      parts.drafts.save(accountId, forms({ items: [form({ Name: name, Reference: name, signers })] })).id,
      { at: day && day * DAY }
    )
    if (!waits && day === undefined) parts.outbox.sendNow(id)
    put.push({
      ...{ name, id, by, isTakenBack: false },
      ...(waits && { release: { isGiven: false } }),
      ...(day !== undefined && { schedule: { days: new Set([day]), asked: new Set([day]), mayLeave: false } })
    })
  }
}

/** The first day that a package may be scheduled for, since 1970 UTC. */
const firstDay = ({ work }: Workstation) => Math.ceil(work.time.now / DAY) + FIRST_DAY

async function passSome(place: Place): Promise<void> {
  for (let count = place.chance.below(8); count > 0; count--) await pass(place)
}

async function pass({ workstations }: Place): Promise<void> {
  for (const { work } of workstations) await work.time.pass(STEP)
  await pause(5)
}

async function befall(place: Place, way: Way): Promise<void> {
  const { chance, workstations, office, cluster } = place
  const one = chance.oneOf(workstations as [Workstation, ...Workstation[]])
  const { work, membership } = one
  switch (way) {
    case 'kill':
      one.time.end()
      return begin(one)
    case 'sleep':
      work.parts.outbox.shared.abortRequests()
      return await membership.resumed()
    case 'close':
      if (one.isOff) return begin(one)
      one.isOff = true
      return await membership.close()
    case 'leave':
      if (one.isOff) return
      // Leaving is refused while something is in flight or the server is away. Either way the test goes on from there.
      await place.people.leaves(one.name, () => membership.leave().catch(() => undefined))
      if (!membership.view()) await passSome(place)
      return membership.view() ? undefined : await joinAgain(place, one)
    case 'cut':
      return await cutConnections(office)
    case 'lapse':
      // Locked in the workstations' order, or one of them could wait for this and this for it.
      await office.sql(`UPDATE office.send SET lease_until = now() - interval '1 ms'
        WHERE id IN (SELECT id FROM office.send WHERE state = 'sending' ORDER BY id FOR UPDATE)`)
      await office.sql(`UPDATE office.lease SET until = now() - interval '1 ms'`)
      return
    case 'crash':
      return await cluster.crash()
    case 'promote':
      serverLosesWhatFollowed(place)
      return await cluster.promote()
    case 'dump':
      return await takeDump(place)
    case 'restore':
      if (!place.hasDump) return
      // Its knowledge is missing at first.
      if (chance.below(2) === 0 && !one.isOff) {
        one.isOff = true
        await membership.close()
      }
      serverLosesWhatFollowed(place)
      return await restore(place)
    case 'pause':
      if (!place.isRestored) await work.parts.outbox.shared.pause(work.accountId, true).catch(() => undefined)
      await passSome(place)
      // After a restore, the outbox is resumed only once every workstation has connected: see letGoAgain.
      if (!place.isRestored) await resume(place)
      return
    case 'take back':
      return await takeBack(place)
    case 'release':
      return releaseAt(place, one)
    case 'send now':
      return await sendNowAt(place, one)
    case 'nothing':
      return
  }
}

async function cutConnections(office: TestOffice): Promise<void> {
  await office.sql('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename <> current_user')
}

/** Call it when the server is restored: it may have any time that a package had, unless everyone knows the last one. */
function serverLosesWhatFollowed(place: Place): void {
  place.isRestored = true
  place.people.onlyHere()
  for (const { id, schedule } of place.put) {
    const shown = new Set(place.workstations.map((workstation) => shownDay(workstation, id)))
    if (schedule && shown.size > 1) schedule.days = new Set(schedule.asked)
  }
}

/** Releases packages as a staff member does, at a workstation that shows them as waiting. */
async function releaseAt({ put }: Place, { name, work }: Workstation, limit = 3): Promise<void> {
  const { outbox } = work.parts
  const held = rowsOf(work).filter((row) => row.hold === 'release')
  for (const { id } of held.slice(0, limit)) {
    const one = put.find((other) => other.id === id)
    if (!one?.release) continue
    try {
      await outbox.release(id)
      one.release.isGiven = true
    } catch (error) {
      // The one who put it in can't release it; nobody can while the server is away or once someone else has just done
      // so.
      if (!(error instanceof AppFailure)) throw error
      const { code } = error.appError
      if (code !== 'offline' && code !== 'busy' && code !== 'gone' && one.by.name !== name) throw error
      // The release may have reached the office all the same.
      if (code === 'offline') one.release.isGiven = true
    }
  }
}

/** Sends packages before their time, as a person does at a workstation that shows them as waiting for it. */
async function sendNowAt({ put, done }: Place, { work }: Workstation, limit = 3): Promise<void> {
  const held = rowsOf(work).filter((row) => row.hold === 'time')
  for (const { id } of held.slice(0, limit)) {
    const schedule = put.find((other) => other.id === id)?.schedule
    if (!schedule) continue
    // Also if the answer doesn't come back.
    schedule.mayLeave = true
    await work.parts.outbox.sendNow(id).catch(refused)
    done['send now']++
  }
}

/**
 * Gives a scheduled package another time at one workstation, or at all at the same moment. Meanwhile connections may be
 * cut, the workstation killed, or the package taken back.
 */
async function changeTime(place: Place, at: Workstation): Promise<void> {
  const { chance, put, workstations, office, done } = place
  const scheduled = put.filter(({ id, schedule }) => schedule && shownDay(at, id) !== undefined)
  const [upset, delay] = [chance.oneOf(['nothing', 'nothing', 'cut', 'kill', 'take back'] as const), chance.below(30)]
  const all = chance.below(3) === 0 ? workstations : [at]
  if (scheduled.length === 0) return
  const one = chance.oneOf(scheduled as [Put, ...Put[]])
  const { schedule } = one
  if (!schedule) return
  const asked = all.map((workstation) => ({ workstation, day: firstDay(workstation) + chance.below(DAYS) }))
  for (const { day } of asked) schedule.asked.add(day)
  const answers = asked.map(({ workstation, day }) => askForDay(workstation, one, day))
  if (upset !== 'nothing') await pause(delay)
  if (upset === 'cut') await cutConnections(office)
  if (upset === 'take back') await takeBack(place, one)
  if (upset === 'kill') {
    at.time.end()
    begin(at)
  }
  // A killed workstation may never answer.
  const known = answers.map((answer, index) => (upset === 'kill' && all[index] === at ? 'unknown' : answer))
  const outcomes = await Promise.all(known)
  const daysOf = (outcome: Outcome) => asked.filter((_, index) => outcomes[index] === outcome).map(({ day }) => day)
  const accepted = daysOf('accepted')
  schedule.days = new Set([...(accepted.length > 0 ? accepted : schedule.days), ...daysOf('unknown')])
  if (accepted.length > 0 && workstations.every((workstation) => shownDay(workstation, one.id) !== undefined)) {
    schedule.mayLeave = false
  }
  done['change time'] += accepted.length
}

type Outcome = 'accepted' | 'refused' | 'unknown'

async function askForDay({ work }: Workstation, { id }: Put, day: number): Promise<Outcome> {
  const run = work.parts
  try {
    await run.outbox.reschedule(id, day * DAY)
    return 'accepted'
  } catch (error) {
    if (work.parts !== run) return 'unknown'
    if (!(error instanceof AppFailure)) throw error
    return error.appError.code === 'busy' || error.appError.code === 'gone' ? 'refused' : 'unknown'
  }
}

/** The day that a workstation shows for a package that waits for its time. Their clocks and the server's differ a little. */
function shownDay({ work }: Workstation, id: string): number | undefined {
  const shown = work.parts.outbox.find(id)
  return shown?.hold === 'time' ? Math.round((shown.goesAt ?? 0) / DAY) : undefined
}

/**
 * Takes one of a workstation's own packages out of the Outbox, as a person would.
 * @param one any by default.
 */
async function takeBack({ chance, put, workstations, done }: Place, one?: Put): Promise<void> {
  const there = statesAt(workstations)
  const waiting = put.filter(({ by, id }) => there.get(by)?.get(id) === 'ready')
  const which = one ?? (waiting.length > 0 ? chance.oneOf(waiting as [Put, ...Put[]]) : undefined)
  if (!which) return
  const { outbox } = which.by.work.parts
  try {
    await outbox.shared.withholdForUndo(outbox.get(which.id))
    outbox.undo(which.id)
    which.isTakenBack = true
    done['take back']++
  } catch {
    // It has just been sent, or the server is away: the application says so, and the package stays where it is.
  }
}

/** Dumps the database with packages in it that are sent, or taken back, only afterwards. */
async function takeDump(place: Place): Promise<void> {
  const [{ work }] = place.workstations as [Workstation, ...Workstation[]]
  const { shared } = work.parts.outbox
  await shared.pause(work.accountId, true).catch(() => undefined)
  for (let count = 0; count < 3; count++) putSome(place)
  await passSome(place)
  postgres(place, 'pg_dump', '-Fc')
  place.hasDump = true
  await takeBack(place)
  if (!place.isRestored) await resume(place)
}

async function restore(place: Place): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return postgres(place, 'pg_restore', '--clean', '--if-exists', '--single-transaction')
    } catch (error) {
      // Queries of the workstations may get in its way.
      if (attempt === 10) throw error
    }
  }
}

function postgres({ office, dump }: Place, program: 'pg_dump' | 'pg_restore', ...args: string[]): void {
  const { host, port, user, password, database } = office.administrator
  const where = ['-h', host, '-p', String(port), '-U', user, '-d', database]
  const its = program === 'pg_dump' ? ['-f', dump] : [dump]
  execFileSync(join(findPostgres() ?? '', program), [...where, ...args, ...its], {
    env: { PATH: process.env.PATH, PGPASSWORD: password },
    stdio: 'ignore'
  })
}

/** Resumes the outbox once every workstation has connected and reported what it knows. */
async function letGoAgain(place: Place): Promise<void> {
  const { workstations, office } = place
  for (const workstation of workstations) if (workstation.isOff) begin(workstation)
  await until(place, 'every workstation has been there since the server was put back', async () => {
    for (const workstation of workstations) await sitAgain(place, workstation)
    const [row] = await office.sql<{ life: number; isKnown: boolean }>(
      'SELECT life, server_fingerprint = office.server_fingerprint() AS "isKnown" FROM office.office'
    )
    // Until a workstation has noticed that the server was restored, all seem to be connected.
    if (!row?.isKnown) return false
    return workstations.every(({ membership, work }) => {
      const life = openJsonMeta(work.parts.db).read('office', z.looseObject({ life: z.int() }))?.life
      const { office: line } = work.parts.outbox.state(work.accountId)
      const view = membership.view()
      return view?.state === 'connected' && !view.isLeaving && line === 'connected' && life === row.life
    })
  })
  await longEnough(place)
  place.isRestored = false
  await resume(place)
}

/** Backdates uncertain sends on the server, so that no earlier POST can still arrive. */
async function longEnough({ office }: Place): Promise<void> {
  await office.sql('UPDATE office.send SET uncertain_at = now() WHERE uncertain_at > now()')
}

/** Has a workstation join again if the server doesn't know it, or if it never finished leaving. */
async function sitAgain(place: Place, workstation: Workstation): Promise<void> {
  const { membership, name } = workstation
  const view = membership.view()
  if (view?.state === 'refused') return await joinAgain(place, workstation)
  if (view?.isLeaving) await place.people.leaves(name, () => membership.leave().catch(() => undefined))
  if (!membership.view()) await joinAgain(place, workstation)
}

async function resume(place: Place): Promise<void> {
  const [first] = place.workstations
  const workstation = place.workstations.find(({ isOff }) => !isOff) ?? first
  if (!workstation) return
  if (workstation.isOff) begin(workstation)
  const { work } = workstation
  await until(place, 'the outbox goes again', () =>
    work.parts.outbox.shared.pause(work.accountId, false).then(
      () => true,
      () => false
    )
  )
}

/**
 * Lets everything settle, retries what is called not sent, and compares what each workstation says with the service.
 */
async function inTheEnd(place: Place): Promise<Fault[]> {
  const { workstations, put, people } = place
  for (const { work } of workstations) work.line.setFault('pass')
  await letGoAgain(place)
  await people.closeAll()
  const reported: Fault[] = []
  await until(place, 'everyone shows the same times', () => wrongTimes(place).length === 0).catch(() =>
    reported.push(...wrongTimes(place))
  )
  let faults: Fault[] = []
  const isAsItShould = async () => {
    await longEnough(place)
    for (const workstation of workstations) {
      await releaseAt(place, workstation, put.length)
      await sendNowAt(place, workstation, put.length)
    }
    const arrived = arrivals(place)
    const there = statesAt(workstations)
    for (const { id, name, by, isTakenBack, schedule } of put) {
      const isLeftToOffice = there.get(by)?.get(id) === 'cancelled' && !isTakenBack
      // One that was left to the office is retried at another workstation.
      const at = (isLeftToOffice ? workstations : [by]).find((workstation) =>
        canBeRetried(there.get(workstation)?.get(id))
      )
      if (!at) continue
      if (arrived.has(name)) reported.push(wrong(`${name} is called not sent by ${at.name}, and it arrived`))
      if (isTakenBack) continue
      at.work.parts.outbox.retry(id)
      if (schedule) schedule.mayLeave = true
    }
    faults = [...put.flatMap((one) => faultOf(one, place, there, arrived.has(one.name))), ...people.faults(arrived)]
    if (!(await areEqual(place))) faults.push(wrong('a list is not as the folders'))
    if (faults.length === 0) return true
    // Looks are a minute apart, and checking everything takes longer the more there is.
    for (let count = 0; count < BETWEEN_CHECKS; count++) await pass(place)
    return false
  }
  await until(place, 'all is as it should be', isAsItShould).catch(() => undefined)
  // Leaves time for anything that could still be sent twice.
  for (let minute = 0; minute < 5; minute++) for (const { work } of workstations) await work.time.pass(60_000)
  return [...reported, ...faults, ...doubled(place), ...tooEarly(place)]
}

/** Packages with different times, or with one that they can't have. */
function wrongTimes({ put, workstations }: Place): Fault[] {
  return put.flatMap(({ name, id, by, isTakenBack, schedule }) => {
    const there = workstations.filter(({ work }) => work.parts.outbox.find(id)?.state === 'ready')
    const shown = [...new Set(there.map((workstation) => shownDay(workstation, id)))]
    const [day] = shown
    const isRight = shown.length === 1 && (day === undefined ? schedule?.mayLeave : schedule?.days.has(day))
    if (!schedule || isTakenBack || shown.length === 0 || isRight) return []
    const days = there.map((workstation) => `${workstation.name} ${shownDay(workstation, id)}`).join(', ')
    return [wrong(`the day of ${name} of ${by.name} is ${[...schedule.days].join(' or ')}: ${days}`)]
  })
}

function faultOf(one: Put, { workstations }: Place, there: StatesAt, hasArrived: boolean): Fault[] {
  const { id, name, by, isTakenBack } = one
  const states = workstations.map((workstation) => there.get(workstation)?.get(id))
  const own = there.get(by)?.get(id)
  const words = `${name} of ${by.name}: ${workstations.map((workstation, index) => `${workstation.name} ${states[index]}`).join(', ')}`
  if (isTakenBack) {
    if (hasArrived) return [wrong(`taken back, and it arrived: ${words}`)]
    return states.every(isOver) ? [] : [wrong(`taken back: ${words}`)]
  }
  if (!hasArrived) return staysAsDraft(one, workstations) ? [] : [{ kind: 'lost', words }]
  return own === 'sent' && states.every((state) => state === undefined || state === 'sent') ? [] : [wrong(words)]
}

/**
 * Returns whether a package that was cancelled says why, and its shared draft is there to be sent: its workstation left
 * the office, or its draft has another version by now.
 */
function staysAsDraft({ id, name, by }: Put, workstations: readonly Workstation[]): boolean {
  const { state, error } = rowsOf(by.work).find((row) => row.id === id) ?? {}
  const isSaid =
    state === 'cancelled' && /left the office|was changed at another workstation/.test(error?.message ?? '')
  const hasDraft = ({ work }: Workstation) =>
    work.parts.drafts.list([work.accountId], { trashed: false }).rows.some(({ title }) => title === name)
  return isSaid && workstations.some(hasDraft)
}

const wrong = (words: string): Fault => ({ kind: 'wrong', words })

function doubled(place: Place): Fault[] {
  const arrived = arrivals(place)
  const twice = [...arrived].filter(([, times]) => times > 1)
  return [
    ...twice.map(([name, times]) => ({
      kind: 'doubled' as const,
      words: `${name} arrived ${times} times ${place.people.sendsOf(name)}`
    })),
    ...place.people.doubled(arrivedSends(place))
  ]
}

/** Packages that left although they wait for a release or their time. */
function tooEarly(place: Place): Fault[] {
  const arrived = arrivals(place)
  return place.put
    .filter(({ name }) => arrived.has(name))
    .flatMap(({ name, by, release, schedule }) => {
      const words = `${name} of ${by.name} arrived, and`
      const isEarly = schedule?.mayLeave === false
      return [
        ...(release?.isGiven === false ? [wrong(`${words} nobody released it`)] : []),
        ...(isEarly ? [wrong(`${words} its day is ${[...schedule.days].join(' or ')}`)] : [])
      ]
    })
}

/** How often the service received each package, by name. */
function arrivals({ workstations }: Place): Map<string, number> {
  const times = new Map<string, number>()
  for (const { name } of documentsOf(workstations)) times.set(name, (times.get(name) ?? 0) + 1)
  return times
}

/** How often the service received each send, by our mark on its documents. */
function arrivedSends({ workstations }: Place): Map<string, number> {
  const times = new Map<string, number>()
  for (const { clientReference } of documentsOf(workstations)) {
    const id = /^cs-(.*)-1$/.exec(clientReference ?? '')?.[1]
    if (id !== undefined) times.set(id, (times.get(id) ?? 0) + 1)
  }
  return times
}

function documentsOf([first]: readonly Workstation[]) {
  return Object.values(first?.work.practice.state.documents ?? {})
}

/** The states of packages by id, as each workstation shows them. */
type StatesAt = ReadonlyMap<Workstation, ReadonlyMap<string, SendState>>

function statesAt(workstations: readonly Workstation[]): StatesAt {
  return new Map(
    workstations.map((workstation) => [
      workstation,
      new Map(rowsOf(workstation.work).map(({ id, state }) => [id, state]))
    ])
  )
}

const canBeRetried = (state: SendState | undefined) => state === 'not-sent' || state === 'refused'

/** Gone, or cancelled if it was uncertain in the meantime. */
const isOver = (state: SendState | undefined) => state === undefined || state === 'cancelled'

async function areEqual({ workstations }: Place): Promise<boolean> {
  const there = documentsOf(workstations)
    .map(({ reference }) => reference)
    .sort()
    .join()
  const lists = await Promise.all(workstations.map(listed))
  return lists.every((list) => list === there)
}

async function listed({ work }: Workstation): Promise<string> {
  const { accountId } = work
  const query = { search: '', sort: { by: 'reference', descending: false }, grouped: false } as const
  const ask = { accountId, query, expanded: [], offset: 0, limit: 10_000, now: work.time.now, zone: 'UTC' }
  const { rows } = await work.parts.ask('list', ask)
  return rows
    .map((row) => ('reference' in row ? row.reference : ''))
    .sort()
    .join()
}

/** Describes the state of a workstation, for fault messages. */
function standing({ name, membership, work, isOff }: Workstation) {
  const { pause, office } = work.parts.outbox.state(work.accountId)
  return {
    name,
    isOff,
    state: membership.view()?.state,
    isLeaving: membership.view()?.isLeaving,
    office,
    pause: pause?.by
  }
}

/** @throws if it isn't so in time. */
async function until(place: Place, what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + MAX_WAIT; ; ) {
    if (await isSo()) return
    if (performance.now() > end)
      throw new Error(`It never came about that ${what}: ${JSON.stringify(place.workstations.map(standing))}`)
    await pass(place)
  }
}
