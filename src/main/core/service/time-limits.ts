/** How long each kind of call may take, and the signal that ends one: by time, or because the caller wants it. */

/** read: one small thing. list: may be hundreds of megabytes. send: a POST, whose answer is worth waiting for. */
export type CallKind = 'read' | 'list' | 'send' | 'download'

/** All in milliseconds. */
export interface TimeLimits {
  /** Until the first byte of the answer. */
  answer: number
  /** Without any further byte of the answer. */
  idle: number
  /** The whole call, so that an answer that trickles for ever ends too. */
  total: number
}

const SECOND = 1_000
const MINUTE = 60 * SECOND

export const TIME_LIMITS: Readonly<Record<CallKind, TimeLimits>> = {
  read: { answer: 20 * SECOND, idle: 20 * SECOND, total: MINUTE },
  list: { answer: MINUTE, idle: 30 * SECOND, total: 30 * MINUTE },
  send: { answer: 90 * SECOND, idle: 30 * SECOND, total: 2 * MINUTE },
  download: { answer: MINUTE, idle: 30 * SECOND, total: 30 * MINUTE }
}

/** Why a watched call was ended. */
type EndReason = 'timeout' | 'cancelled'

/** Watches one call. Exactly one `finish` belongs to it, whatever happens. */
export interface Watch {
  signal: AbortSignal
  /** Why the call was ended; undefined while it wasn't. */
  ended(): EndReason | undefined
  /**
   * Waits for a step of the call, but no longer than its limit or the call's end. Not every `fetch` lets go of a body when
   * its signal is aborted, so nothing is waited for without this. Between two steps only the total counts: a full disk
   * that makes a download's reader slow is not the service's silence.
   */
  during<Value>(limit: 'answer' | 'idle', step: Promise<Value>): Promise<Value>
  finish(): void
}

/** Begins to watch a call. */
export function watch(limits: TimeLimits, cancel: AbortSignal | undefined): Watch {
  const controller = new AbortController()
  const { signal } = controller
  let reason: EndReason | undefined
  const end = (why: EndReason) => {
    if (reason !== undefined) return
    reason = why
    controller.abort()
  }
  const onCancel = () => end('cancelled')
  const total = setTimeout(() => end('timeout'), limits.total)
  if (cancel?.aborted) end('cancelled')
  cancel?.addEventListener('abort', onCancel, { once: true })

  return {
    signal,
    ended: () => reason,
    during<Value>(step: 'answer' | 'idle', awaited: Promise<Value>): Promise<Value> {
      const { promise, resolve, reject } = Promise.withResolvers<Value>()
      const silence = setTimeout(() => end('timeout'), limits[step])
      const onEnd = () => {
        clearTimeout(silence)
        reject(signal.reason)
      }
      const onStep = () => {
        clearTimeout(silence)
        signal.removeEventListener('abort', onEnd)
      }
      signal.addEventListener('abort', onEnd, { once: true })
      if (signal.aborted) onEnd()
      awaited.finally(onStep).then(resolve, reject)
      return promise
    },
    finish() {
      clearTimeout(total)
      cancel?.removeEventListener('abort', onCancel)
    }
  }
}
