/**
 * How long each kind of call may take, and what ends it; and when a failed GET is tried again. A POST is never tried again by
 * itself.
 */
import type { ServiceError, ServiceErrorCode } from './errors.ts'

export interface RetryLimits {
  /** Attempts in all, the first one included. */
  attempts: number
  /** The first wait is up to this, each further one up to twice the one before; milliseconds. */
  firstWaitMs: number
  longestWaitMs: number
  /** A service that asks for more patience than this gets it: we give up and say how long it asked for. */
  longestRetryAfterMs: number
}

export const RETRY_LIMITS: RetryLimits = {
  attempts: 3,
  firstWaitMs: 500,
  longestWaitMs: 8_000,
  longestRetryAfterMs: 30_000
}

/*
 * Not `offline` and not `tls`: waiting a second changes neither. Not `cancelled`: someone wanted it to end. And
 * nothing that the service understood and refused.
 */
const WORTH_ANOTHER_TRY: ReadonlySet<ServiceErrorCode> = new Set([
  'dns',
  'refused',
  'interrupted',
  'timeout',
  'rate-limited',
  'server'
])

/**
 * How long to wait before the next attempt in milliseconds, or undefined if there should be none.
 * @param attempt the one that failed; 1 is the first.
 * @param random 0 up to 1; waits are spread over their whole range, so that fifty workstations don't come back at once.
 */
export function waitBeforeRetry(
  error: ServiceError,
  attempt: number,
  limits: RetryLimits,
  random: () => number
): number | undefined {
  if (attempt >= limits.attempts || !WORTH_ANOTHER_TRY.has(error.code)) return undefined
  const backoff = Math.min(limits.longestWaitMs, limits.firstWaitMs * 2 ** (attempt - 1)) * random()
  if (error.retryAfterMs === undefined) return Math.round(backoff)
  if (error.retryAfterMs > limits.longestRetryAfterMs) return undefined
  return Math.round(error.retryAfterMs + Math.min(backoff, limits.firstWaitMs))
}

/** No service means more than that, and a timer that is set for more than 24 days goes off at once. */
const LONGEST_ASKED_FOR_MS = 86_400_000

/**
 * Reads a Retry-After header, seconds or an HTTP date, into milliseconds from now, a day at most; undefined if it says
 * neither.
 */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  const text = header?.trim()
  if (!text) return undefined
  if (/^\d{1,9}$/.test(text)) return Math.min(LONGEST_ASKED_FOR_MS, Number(text) * 1000)
  // Only the form that HTTP demands: Date.parse alone would take "-5" or "1.5" for a year.
  if (!/^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}/.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.min(LONGEST_ASKED_FOR_MS, Math.max(0, at - now))
}

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
