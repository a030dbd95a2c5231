/**
 * Locks, removes and brings back the system's keychain while the application works and as it starts: a real Secret
 * Service, on a bus of its own. Nothing may be lost or sent twice, what can't be done must be explained, and everything
 * must go on once the keychain is back.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPracticeOffice, type PracticeOffice } from '../../src/practice/office.ts'
import type { AppError } from '../../src/shared/contract/index.ts'
import { type Keyring, openKeyring } from '../fixtures/keyring.ts'
import { type Chance, chanceOf } from './chance.ts'
import type { Fault } from './ledger.ts'
import { type ChaosOptions, emptyTally, notingIn, type Tally } from './tally.ts'
import type { WorkstationPlan, WorkstationSnapshot } from './workstation.ts'
import { refusalOf, WorkstationDied, WorkstationProcess } from './workstation-process.ts'

const TOKEN = 'made-up-token-1'
const PIN = '2468'
/**
 * How long the application waits for the keychain, in milliseconds, as in production. A locked or missing one answers
 * at once.
 */
const TIMEOUT = 30_000

interface Place {
  root: string
  office: PracticeOffice
  keyring: Keyring
  chance: Chance
  drafts: Set<string>
  sends: Set<string>
  words: Set<string>
}

/** In each round the keychain is missing once: as the application starts, or while it runs. */
export async function keychainChaos({ rounds, seed, say }: ChaosOptions): Promise<Tally> {
  const began = performance.now()
  const root = await mkdtemp(join(tmpdir(), 'countersign-chaos-'))
  const office = await openPracticeOffice({ data: 'empty', auth: { scheme: 'bearer', token: TOKEN } })
  const keyring = await openKeyring(join(root, 'keyring'))
  const place: Place = {
    root,
    office,
    keyring,
    chance: chanceOf(seed),
    drafts: new Set(),
    sends: new Set(),
    words: new Set()
  }
  const tally = emptyTally()
  const note = notingIn(tally, say)
  try {
    await keyring.start()
    note(await firstLife(place), 'at first')
    for (let round = 1; round <= rounds; round++) {
      const trouble = place.chance.oneOf(['locked', 'gone'] as const)
      const isAtStart = round % 2 === 0
      const when = `round ${round}, ${trouble} ${isAtStart ? 'as it starts' : 'while it runs'}`
      note(await (isAtStart ? withoutAtStart(place, trouble, round) : withoutWhileRunning(place, trouble, round)), when)
      tally.rounds++
      if (round % 10 === 0) say(`${round} rounds`)
    }
    note(await inTheEnd(place), 'in the end')
    say(
      `${place.drafts.size} drafts and ${place.sends.size} packages; it said ${[...place.words].join(', ') || 'nothing'}`
    )
  } finally {
    await keyring.close()
    await office.close()
    await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
  tally.seconds = Math.round((performance.now() - began) / 100) / 10
  return tally
}

const wrong = (words: string): Fault => ({ kind: 'wrong', words })

function begin({ root, office, keyring }: Place): WorkstationProcess {
  const plan: WorkstationPlan = { root, baseUrl: office.url, token: TOKEN, keychain: 'system', patience: TIMEOUT }
  return new WorkstationProcess(plan, { env: keyring.env })
}

async function firstLife(place: Place): Promise<Fault[]> {
  const workstation = begin(place)
  try {
    const opened = await workstation.opened
    if (opened.state !== 'encrypted') return [wrong(`it is opened as ${JSON.stringify(opened)}`)]
    await workstation.ask('account')
    await workstation.ask('pin', PIN)
    await workstation.end()
    return []
  } finally {
    await workstation.kill()
  }
}

const take = (place: Place, trouble: 'locked' | 'gone') =>
  trouble === 'gone' ? place.keyring.stop() : place.keyring.lock()

/** Checks that a refusal is because of the keychain, and says so. */
async function refused(place: Place, attempt: Promise<unknown>, what: string): Promise<Fault[]> {
  const refusal = await refusalOf(attempt)
  return refusal ? unfit(place, refusal, what) : []
}

function unfit({ words }: Place, { code, message, next }: AppError, what: string): Fault[] {
  words.add(`“${message}”`)
  return code === 'keychain' && next ? [] : [wrong(`${what} was refused with “${code}: ${message} ${next ?? ''}”`)]
}

async function withoutWhileRunning(place: Place, trouble: 'locked' | 'gone', round: number): Promise<Fault[]> {
  const faults: Fault[] = []
  const workstation = begin(place)
  try {
    const opened = await workstation.opened
    if (opened.state !== 'encrypted') return [wrong(`with an open keychain it is opened as ${JSON.stringify(opened)}`)]
    await workstation.ask('begin')
    if (place.chance.below(2) === 0) await workstation.ask('refresh')
    await take(place, trouble)
    // Drafts and the outbox are in the database, which is open.
    await workstation.ask('draft', `Draft ${round}`).then(() => place.drafts.add(`Draft ${round}`))
    await workstation.ask('send', `Send ${round}`).then(() => place.sends.add(`Send ${round}`))
    await workstation.ask('note', `Note ${round}`)
    faults.push(...(await refused(place, workstation.ask('pinState'), 'the state of the PIN')))
    faults.push(...(await refused(place, workstation.ask('refresh'), 'reading the folders')))
    const { trail, troubles } = await workstation.snapshot()
    if ('code' in trail) faults.push(...unfit(place, trail, 'checking the trail'))
    else if (!trail.isWhole) faults.push(wrong('the trail is called broken'))
    for (const error of troubles) faults.push(...unfit(place, error, 'something'))
    const isKilled = place.chance.below(3) === 0
    if (isKilled) await workstation.kill()
    await (trouble === 'locked' ? place.keyring.unlock() : place.keyring.start())
    if (isKilled) return faults
    // It works again in the same run. After "gone" it can't: libsecret keeps the connection to the service that
    // stopped, and what is refused says to restart.
    if (trouble === 'locked') faults.push(...(await works(workstation)))
    await workstation.end()
    return faults
  } catch (error) {
    if (!(error instanceof WorkstationDied)) throw error
    return [...faults, wrong('the application ended by itself')]
  } finally {
    await workstation.kill()
  }
}

/** Checks that what needs the keychain works. */
async function works(workstation: WorkstationProcess): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const what of ['refresh', 'pinState'] as const) {
    const refusal = await refusalOf(workstation.ask(what))
    if (refusal)
      faults.push(wrong(`with the keychain back, ${what} is refused with “${refusal.code}: ${refusal.message}”`))
  }
  const { isSet } = (await workstation.ask('pinState')) as { isSet: boolean }
  if (!isSet) faults.push({ kind: 'lost', words: 'the PIN' })
  await workstation.ask('settled')
  const { trail } = await workstation.snapshot()
  if (!('isWhole' in trail) || !trail.isWhole)
    faults.push(wrong(`with the keychain back, the trail: ${JSON.stringify(trail)}`))
  return faults
}

/** Checks that it starts, says why it saves nothing, and leaves the stored data alone. */
async function withoutAtStart(place: Place, trouble: 'locked' | 'gone', round: number): Promise<Fault[]> {
  const faults: Fault[] = []
  await take(place, trouble)
  const workstation = begin(place)
  try {
    const opened = await workstation.opened
    place.words.add(opened.because ?? opened.state)
    if (opened.state !== 'memory' || !opened.because || opened.setAside) {
      faults.push(wrong(`it is opened as ${JSON.stringify(opened)}`))
    }
    // The application says that what is typed now is only in memory.
    await workstation.ask('draft', `In memory ${round}`).catch(() => undefined)
    await workstation.end()
  } catch (error) {
    if (!(error instanceof WorkstationDied)) throw error
    faults.push(wrong('the application ended by itself'))
  } finally {
    await workstation.kill()
    await (trouble === 'locked' ? place.keyring.unlock() : place.keyring.start())
  }
  const after = begin(place)
  try {
    const opened = await after.opened
    if (opened.state !== 'encrypted' || opened.setAside)
      return [...faults, wrong(`afterwards it is opened as ${JSON.stringify(opened)}`)]
    await after.ask('begin')
    faults.push(...(await works(after)), ...faultsOf(place, await after.snapshot()))
    await after.end()
    return faults
  } finally {
    await after.kill()
  }
}

function faultsOf({ drafts, sends, office }: Place, snapshot: WorkstationSnapshot, isEnd = false): Fault[] {
  const faults: Fault[] = []
  const arrived = new Map<string, number>()
  for (const { name } of Object.values(office.service.state.documents)) arrived.set(name, (arrived.get(name) ?? 0) + 1)
  for (const title of drafts)
    if (!snapshot.drafts.includes(title)) faults.push({ kind: 'lost', words: `${title} is nowhere` })
  for (const title of sends) {
    const found = snapshot.sends.filter((send) => send.title === title)
    if (found.length === 0) faults.push({ kind: 'lost', words: `${title} is nowhere` })
    const count = arrived.get(title) ?? 0
    if (found.length > 1 || count > 1)
      faults.push({ kind: 'doubled', words: `${title} is there ${found.length} times, and arrived ${count} times` })
    const [state, error] = [found[0]?.state, found[0]?.error]
    if (state === 'sent' ? count === 0 : state === 'ready' && count > 0)
      faults.push(wrong(`${title} is ${state}, and arrived ${count} times`))
    if (isEnd && state !== 'sent')
      faults.push({ kind: 'lost', words: `${title} is “${state}” in the end (${error?.code})` })
  }
  return faults
}

async function inTheEnd(place: Place): Promise<Fault[]> {
  const workstation = begin(place)
  try {
    await workstation.opened
    await workstation.ask('begin')
    return faultsOf(place, await workstation.snapshotOnceSettled(), true)
  } finally {
    await workstation.kill()
  }
}
