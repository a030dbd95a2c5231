/** When a failed GET is tried again, and after how long. A POST is never tried again by itself. */
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
