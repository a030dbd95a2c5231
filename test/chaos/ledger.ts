/**
 * The test's own record of what was typed and pressed, and its comparison with what the application and the service
 * have.
 */
import { sendStatus } from '../../src/renderer/src/words/statuses.ts'
import type { SendHold, SendState } from '../../src/shared/contract/index.ts'

/** The package of one round. */
export interface Package {
  /** How its form's name begins, unlike any other package's. */
  name: string
  /** The name after each key that was certainly down. */
  typed: string[]
  /** The last name that the screen called saved. */
  saved?: string
  /** Whether the screen said that it is in the outbox. */
  wasPressed: boolean
}
export type Ledger = Package[]

export interface Seen {
  drafts: string[]
  sends: { title: string; state: SendState }[]
  /** The text of each visible row of the Outbox. */
  words: string[]
  /** Names that the service had accepted before and after all this was read. */
  arrivedBefore: string[]
  arrivedAfter: string[]
  /** Nothing is in flight or uncertain any more. */
  isSettled?: boolean
}

export interface Fault {
  kind: 'lost' | 'doubled' | 'partial' | 'wrong'
  words: string
}

/** Returns everything that is wrong. A fault is reported each time it is seen. */
export function faultsOf(ledger: Ledger, observed: Seen): Fault[] {
  const newest = ledger.findLast(({ name }) => observed.sends.some(({ title }) => title.startsWith(name)))
  return ledger.flatMap((entry) => [
    ...faultsOfKeeping(entry, observed),
    ...faultsOfSending(entry, observed, entry === newest)
  ])
}

function faultsOfKeeping(entry: Package, { drafts, sends }: Seen): Fault[] {
  const mine = (title: string) => title.startsWith(entry.name)
  const titles = [...drafts, ...sends.map(({ title }) => title)].filter(mine)
  const [title] = titles
  if (title === undefined)
    return entry.saved === undefined ? [] : [fault('lost', `"${entry.saved}" was called saved and is nowhere`)]
  const lastTyped = entry.typed.at(-1) ?? entry.name
  // The last key may have been saved before the test heard that it was down.
  if (!lastTyped.startsWith(title) && title.slice(0, -1) !== lastTyped) {
    return [fault('partial', `"${title}" is kept of "${lastTyped}"`)]
  }
  const isShort = entry.saved !== undefined && title.length < entry.saved.length
  return isShort ? [fault('lost', `only "${title}" is kept of "${entry.saved}", which was called saved`)] : []
}

function faultsOfSending(entry: Package, observed: Seen, isNewest: boolean): Fault[] {
  const mine = (title: string) => title.startsWith(entry.name)
  const records = observed.sends.filter(({ title }) => mine(title))
  const before = observed.arrivedBefore.filter(mine).length
  const after = observed.arrivedAfter.filter(mine).length
  const faults: Fault[] = []
  if (entry.wasPressed && records.length === 0) faults.push(fault('lost', `${entry.name}was sent and is nowhere`))
  if (records.length > 1) faults.push(fault('doubled', `${entry.name}is in the outbox ${records.length} times`))
  if (after > 1) faults.push(fault('doubled', `${entry.name}arrived ${after} times`))
  for (const { state } of records) {
    const words = observed.words.find((row) => row.includes(entry.name))
    // The newest is on top: if it isn't visible, the list is incomplete.
    if (words === undefined && isNewest)
      faults.push(fault('wrong', `${entry.name}is in the outbox and not in its list`))
    faults.push(...faultsOfWords(entry, state, words ?? '', before, after))
    if (observed.isSettled && entry.wasPressed && state !== 'sent') {
      faults.push(fault('lost', `${entry.name}was sent, and is "${state}" in the end`))
    }
  }
  return faults
}

const SENT = sendStatus({ state: 'sent' }).word
const NOT_SENT = sendStatus({ state: 'not-sent' }).word
const HOLDS: SendHold[] = ['undo', 'time', 'line', 'paused', 'rate-limited', 'turn']
const WAITING = HOLDS.map((hold) => sendStatus({ state: 'ready', hold }).word)

function faultsOfWords(entry: Package, state: SendState, row: string, before: number, after: number): Fault[] {
  const status = row.split('\n')[0]?.trim() ?? ''
  if ((state === 'sent' || status === SENT) && after === 0) {
    return [fault('wrong', `${entry.name}is called sent, and the service has nothing`)]
  }
  if ((state === 'not-sent' || status === NOT_SENT) && before > 0) {
    return [fault('wrong', `${entry.name}is called not sent, and the service has it`)]
  }
  if ((state === 'ready' || WAITING.includes(status)) && before > 0) {
    return [fault('wrong', `${entry.name}is called waiting, and the service has it`)]
  }
  return []
}

function fault(kind: Fault['kind'], words: string): Fault {
  return { kind, words }
}
