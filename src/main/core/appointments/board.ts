/**
 * The supervisor's board, to be read from across the room: each counter with who signs there, and who is waiting. A
 * computer has one counter; in an office the others' appear beside it, as last reported.
 */
import type { Board, BoardCounter, ConnectionView, CounterSession } from '../../../shared/contract/index.ts'
import { wantsStaff } from '../../../shared/wants-staff.ts'
import { defined } from '../lib/objects.ts'
import type { Time } from '../lib/time.ts'
import type { Appointments } from './appointments.ts'
import type { OfficeBoard, OwnCounter } from './office-board.ts'

export interface BoardDeps {
  time: Pick<Time, 'now'>
  appointments: Pick<Appointments, 'ofToday'>
  session: () => CounterSession | null
  staff: () => string
  counterName: () => string
  connection: () => ConnectionView
  hasOtherDisplay: () => boolean
  /** The running session's account. */
  accountId: () => string | undefined
  /** The counters of the office's other workstations. */
  office: Pick<OfficeBoard, 'view'>
}

/** The id of this computer's counter, of which there is only one. */
const OWN_ID = 'here'

export class CounterBoard {
  readonly #deps: BoardDeps
  /** When the current turn and its cover began, each with a key that changes with it. */
  #turn: { key: string; at: number } | undefined
  #covered: { key: string; at: number } | undefined
  #wasUsed = false

  constructor(deps: BoardDeps) {
    this.#deps = deps
  }

  /** Called when a session began, moved on or ended. */
  sessionChanged(): void {
    const session = this.#deps.session()
    const isRunning = session !== null && session.phase !== 'ended'
    this.#wasUsed ||= isRunning
    this.#turn = this.#since(this.#turn, isRunning ? `${session.id} ${session.current}` : undefined)
    this.#covered = this.#since(this.#covered, isRunning && session.cover ? session.id : undefined)
  }

  board(): Board {
    const today = this.#deps.appointments.ofToday()
    const waiting = today.filter(({ state }) => state === 'arrived' || state === 'called')
    const expected = today.filter(({ state }) => state === 'expected')
    const [next] = expected
    const others = this.#deps.office.view()
    return {
      counters: [this.#counter(), ...(others?.counters ?? [])],
      ...(others && { office: others.office }),
      waiting: waiting
        .map(({ id, name, place, at, arrivedAt, state, number }) => ({
          id,
          name,
          place,
          at,
          arrivedAt: arrivedAt ?? at,
          isCalled: state === 'called',
          ...defined({ number })
        }))
        .toSorted((one, other) => one.arrivedAt - other.arrivedAt),
      counts: {
        expected: expected.length,
        here: today.filter(({ state }) => state === 'here').length,
        done: today.filter(({ state }) => state === 'done').length,
        noShow: today.filter(({ state }) => state === 'no-show').length
      },
      ...(next && { next: { name: next.name, at: next.at, place: next.place } })
    }
  }

  /**
   * Returns this computer's counter for the office. It counts as one if it has a name or a second display, or someone
   * has signed in this run.
   */
  ownCounter(): OwnCounter {
    const counter = this.#counter()
    const isCounter = counter.name !== '' || counter.hasOtherDisplay || counter.state !== 'free' || this.#wasUsed
    return { counter, isCounter, accountId: this.#deps.accountId() }
  }

  #counter(): BoardCounter {
    const { connection, counterName, hasOtherDisplay, session, staff } = this.#deps
    const running = session()
    const { state, since } = connection()
    const isDown = state === 'offline' || state === 'refused'
    const counter: BoardCounter = {
      id: OWN_ID,
      name: counterName(),
      staff: staff(),
      state: stateOf(running),
      wantsStaff: wantsStaff(running),
      hasOtherDisplay: hasOtherDisplay(),
      ...(isDown && { downSince: since })
    }
    const turn = running?.turns[running.current]
    if (counter.state === 'free' || !turn) return counter
    return {
      ...counter,
      signer: turn.signerName,
      document: turn.documentName,
      ...defined({ since: this.#turn?.at, coveredSince: this.#covered?.at })
    }
  }

  #since(known: { key: string; at: number } | undefined, key: string | undefined) {
    if (key === undefined) return undefined
    return known?.key === key ? known : { key, at: this.#deps.time.now() }
  }
}

function stateOf(session: CounterSession | null): BoardCounter['state'] {
  if (!session || session.phase === 'ended') return 'free'
  if (session.isLocked) return 'locked'
  if (session.cover !== undefined || session.phase === 'covered') return 'covered'
  return session.phase === 'loading' || session.phase === 'open' ? 'signing' : 'between'
}
