/**
 * Five workstations of one office send through its PostgreSQL server to the practice service, over a line that loses
 * requests and answers. In each round one of them is killed, or stopped for longer than a claim lasts; or its
 * connections to the server are cut; or the server itself crashes and restarts. Some packages are scheduled, given
 * another time or taken back. Afterwards nothing may be lost, sent twice, too early or although it was taken back, or
 * misreported. As many rounds of actions on documents follow: see `office-once.ts`.
 */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Pool } from 'pg'
import { systemTime } from '../../src/main/core/lib/time.ts'
import { openPool } from '../../src/main/core/office/connection.ts'
import type { OfficeStore } from '../../src/main/core/office/send-store.ts'
import { openOfficeSends } from '../../src/main/core/office/sends.ts'
import { createAuthentication } from '../../src/main/core/service/index.ts'
import { openPracticeOffice, type PracticeOffice } from '../../src/practice/office.ts'
import { toFormDirectRequest } from '../../src/shared/composition/index.ts'
import { FOLDERS } from '../../src/shared/model/index.ts'
import { clientOf } from '../contract/client-factory.ts'
import { activeDocuments } from '../fixtures/active-documents.ts'
import { forms } from '../fixtures/compositions.ts'
import { openFaultProxy } from '../fixtures/fault-proxy.ts'
import { type JoinedWorkstation, openTestOffice, type TestOffice } from '../fixtures/office.ts'
import { type Cluster, openCluster } from '../fixtures/office-cluster.ts'
import type { Orders } from '../fixtures/sending-workstation.ts'
import { type Chance, chanceOf } from './chance.ts'
import { begin, killed } from './killed-process.ts'
import type { Fault } from './ledger.ts'
import { onceChaos } from './office-once.ts'
import { type ChaosOptions, emptyTally, notingIn, type Tally } from './tally.ts'

const PROGRAM = new URL('../fixtures/sending-workstation.ts', import.meta.url)
const TOKEN = 'made-up-token-1'
const WORKSTATIONS = 5
const EACH_ROUND = 10
/** The latest time that a package is scheduled for, in milliseconds from when it is put or given another time. */
const LATEST = 20_000
/** In milliseconds: how long a claim lasts, the timeout of a POST, and the time between two looks. */
const LEASE = 4_000
const TIMEOUT = 1_500
const CHECK_EVERY = 1_000

/** One workstation's process, restarted from the same file. */
interface Running extends ReturnType<typeof begin> {
  file: string
  workstation: JoinedWorkstation
}

/** One package, and what the one who put it knows of it. */
interface Put {
  readonly id: string
  readonly content: Buffer
  revision: number
  /** On this process's monotonic clock: it may not leave earlier. */
  notBefore: number
  isTakenBack: boolean
}

interface Place {
  cluster: Cluster
  office: TestOffice
  practice: PracticeOffice
  store: OfficeStore
  accountId: string
  running: Running[]
  chance: Chance
  /** How often a package was given another time. */
  changed: number
}

export async function officeChaos({ rounds, seed, say }: ChaosOptions): Promise<Tally> {
  const began = performance.now()
  const chance = chanceOf(seed)
  const folder = await mkdtemp(join(tmpdir(), 'countersign-chaos-'))
  const cluster = await openCluster()
  const practice = await openPracticeOffice({ data: 'empty', auth: { scheme: 'bearer', token: TOKEN } })
  const line = await openFaultProxy(practice.url)
  line.setFaultBy((method) => {
    const lot = method === 'POST' ? chance.below(100) : 100
    return lot < 2 ? 'cut' : lot < 7 ? 'lose-answer' : 'pass'
  })
  const office = await openTestOffice(cluster.place, { lease: `${LEASE} ms`, search: `${CHECK_EVERY} ms` })
  const accountId = randomUUID()
  const running: Running[] = []
  const tally = emptyTally()
  const note = notingIn(tally, say)
  const put: Put[] = []
  let pool: Pool | undefined
  try {
    for (let index = 0; index < WORKSTATIONS; index++) {
      const workstation = await office.join(`Counter ${index + 1}`)
      const key = office.key.toString('hex')
      const orders: Orders = {
        store: { kind: 'office', place: workstation.place, key },
        accountId,
        concurrency: 2,
        timeout: TIMEOUT,
        checkEvery: CHECK_EVERY,
        service: { url: line.url, token: TOKEN }
      }
      const file = join(folder, `orders-${index}.json`)
      await writeFile(file, JSON.stringify(orders), { mode: 0o600 })
      running.push({ ...begin(PROGRAM, [file]), file, workstation })
    }
    pool = openPool((await office.join('Front desk')).place)
    const store = openOfficeSends({ pool, key: office.key, time: systemTime })
    await store.configure(accountId, { concurrency: WORKSTATIONS, perMinute: null })
    const place: Place = { cluster, office, practice, store, accountId, running, chance, changed: 0 }
    for (const { printed } of running) await printed('begun')
    for (let round = 1; round <= rounds; round++) {
      for (let count = 0; count < EACH_ROUND; count++) put.push(await putOne(place))
      await pause(chance.below(400))
      const scheduled = put.filter(({ notBefore, isTakenBack }) => !isTakenBack && notBefore > performance.now())
      const changing = changeSome(place, scheduled)
      await disturb(place)
      await changing
      note(await faultsOf(place, put, false), `after round ${round}`)
      tally.rounds++
      if (round % 10 === 0) say(`${round} rounds, ${put.length} sends`)
    }
    await allSettled(place, put)
    note(await faultsOf(place, put, true), 'in the end')
    say(`${put.filter(({ isTakenBack }) => isTakenBack).length} were taken back, ${place.changed} had another time`)
    const once = await onceChaos({ rounds, seed, say }, await openTestOffice(cluster.place))
    for (const kind of ['lost', 'doubled', 'partial', 'wrong'] as const) tally[kind] += once[kind]
  } finally {
    for (const { child } of running) await killed(child)
    await pool?.end()
    await line.close()
    await practice.close()
    await cluster.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
  tally.seconds = Math.round((performance.now() - began) / 100) / 10
  return tally
}

/**
 * Retries with the same id until the store confirms it: the answer may be lost when the server crashes. One in three is
 * scheduled.
 */
async function putOne({ store, accountId, chance }: Place): Promise<Put> {
  const id = randomUUID()
  const content = Buffer.from(JSON.stringify(toFormDirectRequest(forms(), () => id)))
  const inMs = chance.below(3) === 0 ? chance.below(LATEST) : 0
  const notBefore = performance.now() + inMs
  await until(() => store.put(accountId, id, content, inMs).then(() => true))
  return { id, content, revision: 1, notBefore, isTakenBack: false }
}

/** Gives up to three of these another time, which may be at once, or takes them back, while something else happens. */
async function changeSome(place: Place, scheduled: readonly Put[]): Promise<void> {
  const { store, accountId, chance } = place
  const plans = Array.from({ length: 3 }, () => ({
    one: scheduled[chance.below(scheduled.length)],
    inMs: chance.below(4) === 0 ? 0 : chance.below(LATEST),
    isTakenBack: chance.below(3) === 0,
    delay: chance.below(300)
  }))
  for (const { one, inMs, isTakenBack, delay } of plans) {
    await pause(delay)
    if (!one || one.isTakenBack) continue
    const revision = ++one.revision
    const life = await lifeOf(place)
    if (isTakenBack) {
      // Repeating it has no effect.
      await until(async () => {
        const at = await store.withhold(accountId, { id: one.id, revision }, 'cancelled', life)
        one.isTakenBack = at !== undefined
        return true
      })
      continue
    }
    const notBefore = performance.now() + inMs
    try {
      const isAccepted = await store.reschedule(accountId, { id: one.id, content: one.content, inMs, revision, life })
      if (isAccepted) one.notBefore = notBefore
      if (isAccepted) place.changed++
    } catch {
      // It may have either time.
      one.notBefore = Math.min(one.notBefore, notBefore)
    }
  }
}

async function lifeOf({ store, accountId }: Place): Promise<number> {
  let life = 0
  await until(async () => {
    life = (await store.outbox(accountId)).life
    return true
  })
  return life
}

async function disturb({ cluster, office, running, chance }: Place): Promise<void> {
  const kind = chance.oneOf(['kill', 'kill', 'stop', 'cut', 'server'] as const)
  const index = chance.below(running.length)
  const one = running[index]
  if (!one) return
  if (kind === 'kill') {
    await killed(one.child)
    const next = begin(PROGRAM, [one.file])
    running[index] = { ...one, ...next }
    await next.printed('begun')
  } else if (kind === 'stop') {
    one.child.kill('SIGSTOP')
    await pause(LEASE + 500)
    one.child.kill('SIGCONT')
  } else if (kind === 'cut') {
    const { user } = one.workstation.joined
    await office.sql('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [user])
  } else await cluster.crash()
}

/**
 * Compares the store with what the service has, by our marks. The store is read first, as sending goes on meanwhile.
 */
async function faultsOf(place: Place, put: readonly Put[], isEnd: boolean): Promise<Fault[]> {
  const before = await statesOf(place, put)
  const arrived = await arrivalsAt(place.practice)
  const now = performance.now()
  const faults: Fault[] = []
  for (const { id, isTakenBack, notBefore } of put) {
    const times = arrived.get(id) ?? 0
    const state = before.get(id)
    if (state === undefined) faults.push({ kind: 'lost', words: `${id} is nowhere` })
    if (times > 1) faults.push({ kind: 'doubled', words: `${id} arrived ${times} times` })
    if (state === 'sent' && times === 0) faults.push({ kind: 'wrong', words: `${id} is called sent` })
    if ((state === 'not-sent' || state === 'refused') && times > 0) {
      faults.push({ kind: 'wrong', words: `${id} is called ${state}, and the service has it` })
    }
    if (times > 0 && isTakenBack) faults.push({ kind: 'wrong', words: `${id} was taken back, and arrived` })
    if (times > 0 && now < notBefore) faults.push({ kind: 'wrong', words: `${id} arrived before its time` })
    const end = isTakenBack ? 'cancelled' : 'sent'
    if (isEnd && state !== end) faults.push({ kind: 'lost', words: `${id} is ${state} in the end, not ${end}` })
  }
  return faults
}

async function statesOf({ office }: Place, put: readonly Put[]): Promise<Map<string, string>> {
  const rows = await office.sql<{ id: string; state: string }>(
    'SELECT id, state FROM office.send WHERE id = ANY ($1)',
    [put.map(({ id }) => id)]
  )
  return new Map(rows.map(({ id, state }) => [id, state]))
}

async function arrivalsAt({ url }: PracticeOffice): Promise<Map<string, number>> {
  const authentication = createAuthentication({ scheme: 'bearer', token: () => TOKEN }, { clock: Date.now })
  const client = clientOf(url, { authentication })
  const folders = await Promise.all(FOLDERS.map((folder) => activeDocuments(client, folder)))
  const arrivals = new Map<string, number>()
  for (const { ClientReference: mark = '' } of folders.flatMap(({ items }) => items)) {
    arrivals.set(mark, (arrivals.get(mark) ?? 0) + 1)
  }
  return arrivals
}

async function allSettled(place: Place, put: readonly Put[]): Promise<void> {
  const isOver = (state: string) => state === 'sent' || state === 'cancelled'
  await until(async () => [...(await statesOf(place, put)).values()].every(isOver))
}

/** How long any condition may take to come true, in milliseconds. */
const MAX_WAIT = 300_000

/** Polls until it is so; errors count as "not yet". */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + MAX_WAIT
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > end) throw new Error('It never came about.')
    await pause(100)
  }
}
