/** Time limits of each kind of call, and retries of failed GETs. A POST is never retried automatically. */
import type { ServiceError, ServiceErrorCode } from './errors.ts'

export interface RetryLimits {
  /** Attempts in total, including the first. */
  attempts: number
  /** Upper bound of the first wait, doubled for each further one; milliseconds. */
  firstWaitMs: number
  maxWaitMs: number
  /** If the service asks for a longer wait, we give up and report how long it asked for. */
  maxRetryAfterMs: number
}

export const RETRY_LIMITS: RetryLimits = {
  attempts: 3,
  firstWaitMs: 500,
  maxWaitMs: 8_000,
  maxRetryAfterMs: 30_000
}

/* Not `offline` or `tls`: waiting a second changes neither. Not `cancelled`: someone wanted it to end. And nothing that
   the service understood and refused. */
const RETRIABLE_CODES: ReadonlySet<ServiceErrorCode> = new Set([
  'dns',
  'refused',
  'interrupted',
  'timeout',
  'rate-limited',
  'server'
])

/**
 * Returns how long to wait before the next attempt in milliseconds, or undefined if there should be none.
 * @param attempt the one that failed; 1 is the first.
 * @param random 0 up to 1; spreads waits over their whole range, so that fifty workstations don't all return at once.
 */
export function waitBeforeRetry(
  error: ServiceError,
  attempt: number,
  limits: RetryLimits,
  random: () => number
): number | undefined {
  if (attempt >= limits.attempts || !RETRIABLE_CODES.has(error.code)) return undefined
  const backoff = Math.min(limits.maxWaitMs, limits.firstWaitMs * 2 ** (attempt - 1)) * random()
  if (error.retryAfterMs === undefined) return Math.round(backoff)
  if (error.retryAfterMs > limits.maxRetryAfterMs) return undefined
  return Math.round(error.retryAfterMs + Math.min(backoff, limits.firstWaitMs))
}

/** No service means a longer wait, and timers set for more than 24 days fire immediately. */
const MAX_RETRY_AFTER_MS = 86_400_000

/**
 * Reads a Retry-After header (seconds or an HTTP date) into milliseconds from now, at most a day; undefined if it is
 * neither.
 */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  const text = header?.trim()
  if (!text) return undefined
  if (/^\d{1,9}$/.test(text)) return Math.min(MAX_RETRY_AFTER_MS, Number(text) * 1000)
  // Only the format that HTTP requires: Date.parse alone would read "-5" or "1.5" as a year.
  if (!/^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}/.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.min(MAX_RETRY_AFTER_MS, Math.max(0, at - now))
}

/** read: one small value. list: may be hundreds of megabytes. send: a POST, whose answer is worth waiting for. */
export type CallKind = 'read' | 'list' | 'send' | 'download'

/** All in milliseconds. */
export interface TimeLimits {
  /** Until the first byte of the response. */
  answer: number
  /** Between two pieces of the response. */
  idle: number
  /** The whole call, so that a response that trickles for ever ends too. */
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

/** Why a watched call was aborted. */
type EndReason = 'timeout' | 'cancelled'

/** Enforces the time limits of one call. `finish` must be called exactly once, whatever happens. */
export interface Watchdog {
  signal: AbortSignal
  /** Why the call was aborted; undefined if it wasn't. */
  endReason(): EndReason | undefined
  /**
   * Waits for a step of the call, but no longer than its limit or the call's end. Not every `fetch` releases a body
   * when its signal is aborted, so every wait must go through this. Between two steps only `total` counts: if a full
   * disk slows down a download's reader, the service isn't to blame.
   */
  during<Value>(limit: 'answer' | 'idle', step: Promise<Value>): Promise<Value>
  finish(): void
}

export function startWatchdog(limits: TimeLimits, cancel: AbortSignal | undefined): Watchdog {
  const controller = new AbortController()
  const { signal } = controller
  let reason: EndReason | undefined
  const end = (why: EndReason) => {
    if (reason !== undefined) return
    reason = why
    controller.abort(why === 'timeout' ? new DOMException('timeout', 'TimeoutError') : undefined)
  }
  const onCancel = () => end('cancelled')
  const total = setTimeout(() => end('timeout'), limits.total)
  if (cancel?.aborted) end('cancelled')
  cancel?.addEventListener('abort', onCancel, { once: true })

  return {
    signal,
    endReason: () => reason,
    during<Value>(step: 'answer' | 'idle', awaited: Promise<Value>): Promise<Value> {
      const { promise, resolve, reject } = Promise.withResolvers<Value>()
      const timer = setTimeout(() => end('timeout'), limits[step])
      const onEnd = () => {
        clearTimeout(timer)
        reject(signal.reason)
      }
      const onStep = () => {
        clearTimeout(timer)
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
