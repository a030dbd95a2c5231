/**
 * Kills the application at each step of a counter session, and sometimes again while it recovers. After the next start
 * staff must be told the truth, nothing of the page may be left, and the trail must have each entry once.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openPracticeOffice, type PracticeOffice } from '../../src/practice/office.ts'
import type { CounterSession } from '../../src/shared/contract/index.ts'
import { type Chance, chanceOf } from './chance.ts'
import type { Fault } from './ledger.ts'
import { type ChaosOptions, emptyTally, type Tally } from './tally.ts'
import type { WorkstationPlan, WorkstationSnapshot } from './workstation.ts'
import { WorkstationDied, WorkstationProcess } from './workstation-process.ts'

const TOKEN = 'made-up-token-1'
const PIN = '2468'
/** How many documents are sent at a time, one for each session. */
const AHEAD = 20
const STEPS = ['queue', 'offer', 'start', 'beginTurn', 'open', 'sign', 'leave', 'result', 'unlock', 'close'] as const
type Step = (typeof STEPS)[number]
/** The longest time from the beginning of a step to the kill, in milliseconds. */
const LATEST = 60

interface Shown {
  state: CounterSession | null
  pages: number
  isPageOpen: boolean
}

interface Place {
  root: string
  office: PracticeOffice
  chance: Chance
  /** Names of documents that haven't had a session yet. */
  waiting: string[]
  sent: number
  interrupted: number
  /** Sessions whose entries have been checked. */
  looked: Set<string>
}

/** Each round is one session, during which the application is killed. */
export async function counterChaos({ rounds, seed, say }: ChaosOptions): Promise<Tally> {
  const began = performance.now()
  const root = await mkdtemp(join(tmpdir(), 'countersign-chaos-'))
  const office = await openPracticeOffice({ data: 'empty', auth: { scheme: 'bearer', token: TOKEN } })
  const place: Place = { root, office, chance: chanceOf(seed), waiting: [], sent: 0, interrupted: 0, looked: new Set() }
  const tally = emptyTally()
  try {
    const first = await begun(place)
    await first.ask('pin', PIN)
    await first.end()
    for (let round = 1; round <= rounds; round++) {
      const fatal = STEPS[(round - 1) % STEPS.length] ?? 'queue'
      for (const { kind, words } of await oneRound(place, fatal)) {
        tally[kind]++
        say(`round ${round}, killed at “${fatal}”: ${kind}: ${words}`)
      }
      tally.rounds++
      if (round % 10 === 0) say(`${round} rounds`)
    }
    say(`${place.interrupted} sessions were found interrupted`)
  } finally {
    await office.close()
    await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
  tally.seconds = Math.round((performance.now() - began) / 100) / 10
  return tally
}

/** Starts as the application does: looks for interrupted sessions before anything is read. */
async function begun({ root, office }: Place): Promise<WorkstationProcess> {
  const plan: WorkstationPlan = { root, baseUrl: office.url, token: TOKEN, keychain: 'file' }
  const workstation = new WorkstationProcess(plan)
  await workstation.opened
  await workstation.ask('account')
  const resumed = workstation.ask('resumeInterrupted')
  await workstation.ask('begin')
  await resumed
  return workstation
}

async function oneRound(place: Place, fatal: Step): Promise<Fault[]> {
  const { chance } = place
  const workstation = await begun(place)
  const faults: Fault[] = []
  let signs = true
  try {
    if (place.waiting.length === 0) await sendAhead(place, workstation)
    const name = place.waiting.shift() ?? ''
    signs = chance.below(4) > 0
    for (const step of STEPS) {
      const done = act(workstation, step, name, signs)
      if (step !== fatal) await done
      else {
        done.catch(() => undefined)
        await pause(chance.below(LATEST))
        break
      }
    }
  } finally {
    await workstation.kill()
  }
  if (chance.below(4) === 0) await killedAgain(place)
  faults.push(...(await lookAfter(place)))
  return faults
}

async function sendAhead(place: Place, workstation: WorkstationProcess): Promise<void> {
  const names = Array.from({ length: AHEAD }, (_, index) => `Document ${place.sent + index + 1}`)
  for (const name of names) await workstation.ask('send', name)
  place.sent += AHEAD
  for (;;) {
    const queue = (await workstation.ask('queue')) as { documentName: string; withoutLink?: boolean }[]
    if (names.every((name) => queue.some(({ documentName, withoutLink }) => documentName === name && !withoutLink)))
      break
    await pause(50)
  }
  place.waiting.push(...names)
}

async function act(workstation: WorkstationProcess, step: Step, name: string, signs: boolean): Promise<void> {
  switch (step) {
    case 'queue':
    case 'beginTurn':
    case 'open':
    case 'close':
      return void (await workstation.ask(step))
    case 'offer':
    case 'start':
      return void (await workstation.ask(step, name))
    case 'sign': {
      const link = await workstation.ask('link')
      if (signs) await sign(String(link))
      return
    }
    case 'leave':
      // A signed page leads back; otherwise the person says that they are done.
      return void (await workstation.ask(signs ? 'returned' : 'finish'))
    case 'result':
      for (;;) {
        const { state } = (await workstation.ask('session')) as Shown
        if (state?.phase === 'between') await workstation.ask('next')
        else if (state?.phase !== 'asking') return
        await pause(5)
      }
    case 'unlock': {
      const ended = (await workstation.ask('unlock', PIN)) as CounterSession
      if (ended.phase !== 'ended') await workstation.ask('endSession')
    }
  }
}

async function sign(link: string): Promise<void> {
  const body = new URLSearchParams({ 'signature-kind': 'typed', 'signature-name': 'Mere Tamati', agree: 'true' })
  const answer = await fetch(`${link.replace(/\/document$/, '')}/document`, {
    method: 'POST',
    body,
    redirect: 'manual'
  })
  if (answer.status !== 302) throw new Error(`The practice service answered a signature with ${answer.status}.`)
}

/** Kills the application while it recovers an interrupted session. */
async function killedAgain(place: Place): Promise<void> {
  const { root, office, chance } = place
  const workstation = new WorkstationProcess({ root, baseUrl: office.url, token: TOKEN, keychain: 'file' })
  try {
    await workstation.opened
    workstation.ask('resumeInterrupted').catch(() => undefined)
    workstation.ask('begin').catch(() => undefined)
    await pause(chance.below(LATEST))
  } finally {
    await workstation.kill()
  }
}

/** Checks what staff find, and what the trail says, after a restart. */
async function lookAfter(place: Place): Promise<Fault[]> {
  const faults: Fault[] = []
  const wrong = (words: string) => void faults.push({ kind: 'wrong', words })
  const workstation = await begun(place)
  try {
    const { state, pages, isPageOpen } = (await workstation.ask('session')) as Shown
    if (state) {
      place.interrupted++
      if (!state.isLocked || state.phase !== 'return' || !state.wasInterrupted)
        wrong(`it is found as ${state.phase}, locked: ${state.isLocked}`)
      if (pages > 0 || isPageOpen) wrong('a page is open after the start')
      faults.push(...untruths(place, state))
      if (JSON.stringify(state).includes('/sign/')) wrong('a signing link is told')
      const ended = (await workstation.ask('unlock', PIN)) as CounterSession
      if (ended.phase !== 'ended') wrong(`the PIN leads to “${ended.phase}”`)
      await workstation.ask('close')
    }
    await workstation.ask('settled')
    faults.push(...faultsOfTrail(await workstation.snapshot(), place.looked))
    await workstation.end()
  } catch (error) {
    if (!(error instanceof WorkstationDied)) throw error
    wrong('the application ended by itself')
  } finally {
    await workstation.kill()
  }
  return faults
}

/** Returns what staff are told about turns that isn't so at the service, which can be reached. */
function untruths({ office }: Place, { turns }: CounterSession): Fault[] {
  return turns.flatMap(({ documentReference, signer, outcome }): Fault[] => {
    const isSigned = office.service.state.documents[documentReference]?.signers[signer]?.signedAt !== undefined
    const reported = outcome?.signed ?? 'nothing'
    const isTrue = isSigned ? reported === 'signed' : reported === 'not-yet' || reported === 'skipped'
    return isTrue
      ? []
      : [{ kind: 'wrong', words: `${isSigned ? 'signed' : 'not signed'}, and staff is told “${reported}”` }]
  })
}

/** Checks that every session began and ended once, and that no entry is there twice. */
function faultsOfTrail({ trail, counter }: WorkstationSnapshot, looked: Set<string>): Fault[] {
  const faults: Fault[] = []
  if (!('isWhole' in trail) || !trail.isWhole)
    faults.push({ kind: 'wrong', words: `the trail: ${JSON.stringify(trail)}` })
  for (const [session, entries] of Map.groupBy(counter, (entry) => entry.session)) {
    if (looked.has(session)) continue
    looked.add(session)
    const count = (what: string) => entries.filter((entry) => entry.what === what).length
    const at = `session ${session.slice(0, 8)}`
    for (const what of ['session-started', 'session-ended', 'turn-ended']) {
      if (count(what) === 0) faults.push({ kind: 'lost', words: `${at} has no “${what}”` })
    }
    for (const what of ['session-started', 'handed-over', 'page-opened', 'session-ended']) {
      if (count(what) > 1) faults.push({ kind: 'doubled', words: `${at} has “${what}” ${count(what)} times` })
    }
    const outcomes = entries.flatMap(({ what, detail }) => (what === 'turn-ended' ? [detail.outcome] : []))
    if (new Set(outcomes).size < outcomes.length)
      faults.push({ kind: 'doubled', words: `${at} has the outcomes ${outcomes.join(', ')}` })
  }
  return faults
}
