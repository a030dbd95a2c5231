/**
 * Takes the sends that leave now: stores each as `sending` before anything leaves, and stores the results of earlier
 * sends in the same transaction. This is the embedded database's implementation of what every store of sends promises;
 * the office's is core/office/sends.ts.
 */
import type { AppError } from '../../../shared/contract/index.ts'
import { type FinishedAttempt, recorder } from './attempts.ts'
import type { OutboxParts } from './parts.ts'
import type { WaitingSend } from './pauses.ts'
import { overdueError } from './send-actions.ts'
import type { Send, SentRequest } from './send-record.ts'

export type DispatchDeps = Pick<
  OutboxParts,
  'db' | 'sends' | 'queries' | 'pauses' | 'times' | 'returnState' | 'proofs' | 'time'
>

interface StartedSend {
  send: Send
  content: SentRequest
  /**
   * Checked when it is posted: whether it is still this workstation's, and a signal to break it off. Absent if no one
   * else can claim it.
   */
  claim?: { maySend: () => boolean; signal: AbortSignal }
}

/** Sends that leave now, and sends that turned out not to. */
export interface StartedSends {
  started: StartedSend[]
  heldBack: Send[]
}

export interface TurnResult extends StartedSends {
  recorded: Send[]
}

/** What may leave next, or how long until something may, in milliseconds. */
export type NextSend = { due?: WaitingSend; wait?: number }

/** Decides what leaves an account's outbox: this computer synchronously, or the office, which must be asked. */
export interface DispatchStore {
  next(accountId: string): NextSend
  /**
   * Stores the results of sends and takes what leaves now.
   * @param limit how many may leave now.
   * @throws what writing or asking throws; `finished` must then be passed in again.
   */
  turn(accountId: string, finished: readonly FinishedAttempt[], limit: number): TurnResult | Promise<TurnResult>
}

/** @param remainingOf how long until one may leave, in milliseconds; undefined if that isn't known. */
export function nextOf(
  sends: Iterable<WaitingSend>,
  remainingOf: (waiting: WaitingSend) => number | undefined
): NextSend {
  let wait: number | undefined
  for (const waiting of sends) {
    const remaining = remainingOf(waiting)
    if (remaining === undefined) continue
    if (remaining <= 0) return { due: waiting }
    wait = Math.min(wait ?? remaining, remaining)
  }
  return wait === undefined ? {} : { wait }
}

/** @returns one whose turns are synchronous and all-or-nothing. */
export function openLocalDispatchStore(deps: DispatchDeps) {
  const { db, sends, queries, pauses, times, proofs, time } = deps
  const record = recorder(deps)

  const next = (accountId: string): NextSend =>
    nextOf(queries.waiting(accountId), (waiting) => times.remaining(waiting))

  /** Stores what leaves now, and what turns out not to. */
  function startDue(accountId: string, limit: number): StartedSends {
    const taken: StartedSends = { started: [], heldBack: [] }
    while (taken.started.length < limit && !pauses.isPaused(accountId) && pauses.waitMs(accountId) === 0) {
      const { due } = next(accountId)
      if (!due) break
      const send = sends.get(due.id)
      const content = sends.requestOf(send)
      // A send shown not to have arrived may have turned up since.
      if (send.firstAttemptedAt !== undefined && !proofs.isFresh(send.id)) {
        taken.heldBack.push(sends.change(send, { state: 'uncertain', error: NOT_PROVEN }))
        continue
      }
      const error = overdueError(content, time.now())
      if (error) {
        taken.heldBack.push(sends.change(send, { state: 'refused', error, settledAt: time.now() }))
        continue
      }
      if (!sends.markSending(send.number, time.now())) continue
      pauses.recordDeparture(accountId)
      taken.started.push({ send, content })
    }
    return taken
  }

  const turn: (accountId: string, finished: readonly FinishedAttempt[], limit: number) => TurnResult = db.transaction(
    (accountId: string, finished: readonly FinishedAttempt[], limit: number): TurnResult => {
      const recorded = finished.flatMap((one) => record(one))
      return { recorded, ...startDue(accountId, limit) }
    }
  )

  return { next, turn }
}

const NOT_PROVEN: AppError = {
  code: 'timeout',
  message: 'An earlier attempt may have arrived. Countersign checks your folders before sending it again.',
  mayHaveArrived: true
}
