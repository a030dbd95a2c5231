/**
 * Takes the sends that leave now: stores each as `sending` before anything leaves, and stores the results of earlier
 * sends in the same transaction. This is the embedded database's implementation of what every store of sends promises;
 * the office's is core/office/sends.ts.
 */
import type { AppError } from '../../../shared/contract/index.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import { type Ended, recorder } from './attempts.ts'
import type { AccountPauses, SendTimes, Waits } from './pauses.ts'
import { overdue } from './send-actions.ts'
import type { SendQueries } from './send-list.ts'
import type { Send, SentRequest } from './send-record.ts'
import type { Sends } from './sends.ts'

export interface LeavingDeps {
  db: Db
  sends: Sends
  queries: SendQueries
  pauses: AccountPauses
  times: SendTimes
  /** Returns the state of a send that may leave again: `cancelled` if its batch was cancelled. */
  backTo: (send: Send) => 'ready' | 'cancelled'
  /** Whether there is a recent proof that no earlier attempt of a send arrived. */
  isProven: (id: string) => boolean
  time: Pick<Time, 'now'>
}

/** A send that is stored as leaving. */
interface Begun {
  send: Send
  content: SentRequest
  /**
   * Checked when it is posted: whether it is still this workstation's, and a signal to break it off. Absent if no one
   * else can claim it.
   */
  claim?: { mayLeave: () => boolean; signal: AbortSignal }
}

/** Sends that leave now, and sends that turned out not to. */
export interface Taken {
  begun: Begun[]
  heldBack: Send[]
}

/** What one turn stored: results of finished sends, and sends that leave. */
export interface Recorded extends Taken {
  recorded: Send[]
}

/** Decides what leaves an account's outbox: this computer synchronously, or the office, which must be asked. */
export interface Leaving {
  /** Returns what may leave next, or how long until something may, in milliseconds. */
  next(accountId: string): { due?: Waits; wait?: number }
  /**
   * Stores the results of sends and takes what leaves now.
   * @param most how many may leave now.
   * @throws what writing or asking throws; `ended` must then be passed in again.
   */
  turn(accountId: string, ended: readonly Ended[], most: number): Recorded | Promise<Recorded>
}

/** @returns one whose turns are synchronous and all-or-nothing. */
export function openLeaving(deps: LeavingDeps) {
  const { db, sends, queries, pauses, times, isProven, time } = deps
  const record = recorder(deps)

  function next(accountId: string): { due?: Waits; wait?: number } {
    let wait: number | undefined
    for (const waiting of queries.waiting(accountId)) {
      const left = times.left(waiting)
      if (left <= 0) return { due: waiting }
      wait = Math.min(wait ?? left, left)
    }
    return wait === undefined ? {} : { wait }
  }

  /** Stores what leaves now, and what turns out not to. */
  function take(accountId: string, most: number): Taken {
    const taken: Taken = { begun: [], heldBack: [] }
    while (taken.begun.length < most && !pauses.isPaused(accountId) && pauses.waits(accountId) === 0) {
      const { due } = next(accountId)
      if (!due) break
      const send = sends.get(due.id)
      const content = sends.requestOf(send)
      // A send shown not to have arrived may have turned up since.
      if (send.firstAttemptedAt !== undefined && !isProven(send.id)) {
        taken.heldBack.push(sends.change(send, { state: 'uncertain', error: NOT_PROVEN }))
        continue
      }
      const error = overdue(content, time.now())
      if (error) {
        taken.heldBack.push(sends.change(send, { state: 'refused', error, settledAt: time.now() }))
        continue
      }
      if (!sends.begin(send.number, time.now())) continue
      pauses.left(accountId)
      taken.begun.push({ send, content })
    }
    return taken
  }

  const turn: (accountId: string, ended: readonly Ended[], most: number) => Recorded = db.transaction(
    (accountId: string, ended: readonly Ended[], most: number): Recorded => {
      const recorded = ended.flatMap((one) => record(one))
      return { recorded, ...take(accountId, most) }
    }
  )

  return { next, turn }
}

const NOT_PROVEN: AppError = {
  code: 'timeout',
  message: 'An earlier attempt may have arrived. Countersign checks your folders before sending it again.',
  mayHaveArrived: true
}
