/** What the screens are shown of a send: never the signing links in its response, and never more than is known. */
import type { AppError, SendHold, SendView } from '../../../shared/contract/index.ts'
import type { Time } from '../lib/time.ts'
import { ambiguityView } from './ambiguity.ts'
import type { AccountPauses } from './pauses.ts'
import type { Reconciler } from './reconcile.ts'
import type { Send } from './send-record.ts'
import type { SendTimes } from './send-times.ts'

export interface ViewDeps {
  time: Time
  pauses: AccountPauses
  times: SendTimes
  reconciler: Reconciler
  isBatchPaused: (id: string) => boolean
  /** Why it could not be written down what came of a send. */
  troubleOf: (id: string) => AppError | undefined
}

type Shown = Pick<SendView, 'hold' | 'goesAt' | 'error' | 'nextLookAt' | 'doubt'>

/** Makes views; what is asked of a batch is asked once for all of its sends. */
export function viewer({
  time,
  pauses,
  times,
  reconciler,
  isBatchPaused,
  troubleOf
}: ViewDeps): (send: Send) => SendView {
  const paused = new Map<string, boolean>()

  function isPaused(batchId: string | undefined): boolean {
    if (batchId === undefined) return false
    const known = paused.get(batchId) ?? isBatchPaused(batchId)
    paused.set(batchId, known)
    return known
  }

  /** What holds a ready send back first: its own time, then its account's outbox and its batch, then the network. */
  function holdOf(send: Send): { hold: SendHold; goesAt?: number; error?: AppError | undefined } {
    const { accountId, batchId, goesAt, isScheduled } = send
    const now = time.now()
    const left = times.left(send)
    if (left > 0) {
      const at = Math.round(now + left)
      // Later than the clock says if the clock has jumped.
      return isScheduled ? { hold: 'time', goesAt: Math.max(goesAt, at) } : { hold: 'take-back', goesAt: at }
    }
    const pause = pauses.of(accountId)
    if (pauses.isPaused(accountId)) return { hold: 'paused', error: pause?.error }
    if (isPaused(batchId)) return { hold: 'paused' }
    if (!pause) return { hold: 'turn' }
    return {
      hold: pause.by === 'line' ? 'line' : 'rate-limited',
      error: pause.error,
      ...(pause.until !== undefined && { goesAt: pause.until })
    }
  }

  function shown(send: Send): Shown {
    switch (send.state) {
      case 'ready': {
        const { error, ...hold } = holdOf(send)
        return { ...hold, ...(error && { error }) }
      }
      case 'sending': {
        const error = troubleOf(send.id)
        return error ? { error } : {}
      }
      case 'uncertain': {
        const error = reconciler.messageOf(send.id) ?? send.error
        const next = reconciler.nextAt(send)
        return {
          // One that was refused may have arrived with an earlier attempt.
          ...(error && { error: { ...error, mayHaveArrived: true } }),
          ...(send.doubt && { doubt: ambiguityView(send.doubt) }),
          ...(next !== undefined && { nextLookAt: Math.round(time.now() + Math.max(0, next - time.elapsed())) })
        }
      }
      default:
        return send.error ? { error: send.error } : {}
    }
  }

  return (send) => ({
    id: send.id,
    accountId: send.accountId,
    kind: send.kind,
    title: send.title,
    who: send.who,
    state: send.state,
    createdAt: send.createdAt,
    attempt: send.attempt,
    documents: [...send.documents],
    ...(send.draftId !== undefined && { draftId: send.draftId }),
    ...(send.batchId !== undefined && { batchId: send.batchId }),
    ...(send.row !== undefined && { row: send.row }),
    ...(send.attemptedAt !== undefined && { attemptedAt: send.attemptedAt }),
    ...(send.settledAt !== undefined && { settledAt: send.settledAt }),
    ...(send.packageReference !== undefined && { packageReference: send.packageReference }),
    ...(send.packageStatus !== undefined && { packageStatus: send.packageStatus }),
    ...shown(send)
  })
}
