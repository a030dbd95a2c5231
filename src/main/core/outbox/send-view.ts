/** What the screens are told of a send: never the signing links in its response, and never more than is known. */
import type { AppError, SendHold, SendView } from '../../../shared/contract/index.ts'
import type { Appointments } from './appointments.ts'
import type { Boxes } from './boxes.ts'
import { doubtView } from './doubts.ts'
import type { OutboxEffects } from './effects.ts'
import type { Following } from './following.ts'
import type { Holds } from './holds.ts'
import type { Looks } from './looks.ts'
import type { Send } from './send-record.ts'

export interface ViewParts {
  effects: Pick<OutboxEffects, 'clock' | 'elapsed'>
  boxes: Boxes
  holds: Holds
  appointments: Appointments
  looks: Looks
  following: Following
  isBatchPaused: (id: string) => boolean
  /** Why it could not be written down what came of a send. */
  troubleOf: (id: string) => AppError | undefined
}

type Shown = Pick<SendView, 'hold' | 'goesAt' | 'error' | 'nextLookAt' | 'doubt'>

/** Makes views; what is asked of a batch is asked once for all of its sends. */
export function viewer({
  effects,
  boxes,
  holds,
  appointments,
  looks,
  following,
  isBatchPaused,
  troubleOf
}: ViewParts): (send: Send) => SendView {
  const paused = new Map<string, boolean>()

  function isPaused(batchId: string | undefined): boolean {
    if (batchId === undefined) return false
    const known = paused.get(batchId) ?? isBatchPaused(batchId)
    paused.set(batchId, known)
    return known
  }

  /** What holds a ready send back first: its own time, then its box and batch, then what is on the way. */
  function holdOf(send: Send): { hold: SendHold; goesAt?: number; error?: AppError | undefined } {
    const { id, accountId, batchId, goesAt, isScheduled } = send
    const now = effects.clock()
    if (goesAt !== 0 && !isScheduled) {
      const left = holds.left(batchId ?? id)
      if (left > 0) return { hold: 'take-back', goesAt: Math.round(now + left) }
    }
    if (isScheduled) {
      const left = appointments.left(batchId ?? id, goesAt)
      // Later than the clock says where the clock has jumped.
      if (left > 0) return { hold: 'time', goesAt: Math.max(goesAt, Math.round(now + left)) }
    }
    const pause = boxes.pauseOf(accountId)
    if (boxes.isPaused(accountId)) return { hold: 'paused', error: pause?.error }
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
        const error = following.wordsOf(send.id) ?? send.error
        const next = looks.nextAt(send)
        return {
          // One that was refused may have arrived with an earlier attempt.
          ...(error && { error: { ...error, mayHaveArrived: true } }),
          ...(send.doubt && { doubt: doubtView(send.doubt) }),
          ...(next !== undefined && {
            nextLookAt: Math.round(effects.clock() + Math.max(0, next - effects.elapsed()))
          })
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
