/**
 * Five workstations of one office are asked for the same action at the same moment, round after round: a reminder, or
 * another due date. Their lines lose requests and answers; one of them is killed in the middle of it, or can't reach
 * the office's server. The service must be asked once at most, and no workstation may say anything untrue of it.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { ActionState, ActionView } from '../../src/shared/contract/index.ts'
import {
  type ActingWorkstation,
  openActingWorkstations,
  openPools,
  reminderOf
} from '../fixtures/acting-workstations.ts'
import type { TestOffice } from '../fixtures/office.ts'
import { extension } from '../unit/actions/office.ts'
import { type Chance, chanceOf } from './chance.ts'
import type { Fault } from './ledger.ts'
import { type ChaosOptions, emptyTally, notingIn, type Tally } from './tally.ts'

const NAMES = ['Counter 1', 'Counter 2', 'Counter 3', 'Counter 4', 'Counter 5']
/** The most steps to wait for a round to settle, and a step's length in milliseconds. */
const MAX_STEPS = 400
const STEP = 5_000
/** More than the practice service gives a document: one that has the date wanted was extended, by one of them or another. */
const MIN_DAYS = 20

export async function onceChaos({ rounds, seed, say }: ChaosOptions, office: TestOffice): Promise<Tally> {
  const began = performance.now()
  const chance = chanceOf(seed)
  const tally = emptyTally()
  const note = notingIn(tally, say)
  const pools = await openPools(office, NAMES)
  const all = await openActingWorkstations(office, pools)
  try {
    for (let round = 1; round <= rounds; round++) {
      const document = await all.send()
      const isReminder = chance.below(2) === 0
      const request = isReminder ? reminderOf(document) : extension(MIN_DAYS + chance.below(70))
      const operation = isReminder ? 'SendReminder' : 'Extend'
      const open = () =>
        all.workstations.map(({ actions }) => actions().filter(({ reference }) => reference === document.Reference))
      await askAll(all.workstations, chance, (workstation) => workstation.start(document, request))
      await settled(all.pass, open, isReminder)
      note(faultsOf(open().flat(), all.receivedCount(operation, document)), `round ${round}, ${operation}`)
      tally.rounds++
    }
  } finally {
    await all.close()
    await Promise.all(pools.map((pool) => pool.end()))
  }
  tally.seconds = Math.round((performance.now() - began) / 100) / 10
  return tally
}

/** Asks all at once while something happens to one of them; afterwards everything works again. */
async function askAll(
  workstations: readonly ActingWorkstation[],
  chance: Chance,
  start: (workstation: ActingWorkstation) => Promise<unknown>
): Promise<void> {
  for (const { work } of workstations) {
    work.line.setFaultBy((method) => {
      const lot = method === 'POST' ? chance.below(10) : 10
      return lot < 1 ? 'cut' : lot < 4 ? 'lose-answer' : 'pass'
    })
  }
  const [one] = [workstations[chance.below(workstations.length)]]
  const kind = chance.oneOf(['nothing', 'kill', 'away'] as const)
  if (kind === 'away') one?.disconnect()
  // A killed workstation never answers.
  const waiting = workstations.map((workstation) => start(workstation).catch(() => undefined))
  if (kind === 'kill') {
    await pause(chance.below(40))
    one?.work.restart()
  }
  await Promise.all(waiting.filter((_one, index) => kind !== 'kill' || workstations[index] !== one))
  for (const { work } of workstations) work.line.setFaultBy(() => 'pass')
  if (kind !== 'nothing') one?.connect()
}

/** Waits until no action is waiting or running, and what the folders show is known. */
async function settled(
  pass: (milliseconds: number) => Promise<void>,
  open: () => ActionView[][],
  isReminder: boolean
): Promise<void> {
  const unsettled: ReadonlySet<ActionState> = new Set([
    'waiting',
    'running',
    ...(isReminder ? [] : ['uncertain' as const])
  ])
  for (
    let count = 0;
    open()
      .flat()
      .some(({ state }) => unsettled.has(state));
    count++
  ) {
    if (count > MAX_STEPS) throw new Error('It never came to an end.')
    await pass(STEP)
    await pause(5)
  }
}

function faultsOf(actions: readonly ActionView[], times: number): Fault[] {
  const states = new Set(actions.map(({ state }) => state))
  const faults: Fault[] = []
  if (times > 1) faults.push({ kind: 'doubled', words: `the service was asked ${times} times` })
  if (times === 0 && states.has('done')) faults.push({ kind: 'wrong', words: 'it is called done' })
  if (times > 0 && !states.has('done') && !states.has('uncertain')) {
    faults.push({ kind: 'wrong', words: 'the service was asked, and it is called not done' })
  }
  return faults
}
