/**
 * What the end of an attempt means for a job, and how it gets onto the disk: what a crash left under way is written down as in doubt before anything new
 * leaves, and what the database rejects of an answer keeps nothing else from being written.
 */
import type { AppError, ErrorCode } from '../../../shared/contract/index.ts'
import { decode, ErrorResponse } from '../../../shared/model/index.ts'
import type { Time } from '../lib/time.ts'
import { isServiceError } from '../service/errors.ts'

/** How long until writing is tried again at the start, in milliseconds. */
const STORAGE_WAIT = 5_000

/** Writes down once, at the start, what an earlier run left under way. */
export class Recovery {
  readonly #time: Pick<Time, 'after'>
  readonly #recover: () => void
  #isDone = false
  #isCancelled = false

  /** @param recover writes it down; called again where it throws. */
  constructor(time: Pick<Time, 'after'>, recover: () => void) {
    this.#time = time
    this.#recover = recover
  }

  /** @throws what writing throws; `before` tries it again. */
  now(): void {
    if (this.#isDone) return
    this.#recover()
    this.#isDone = true
  }

  /** Calls `begin` once it is written down: until then nothing new may leave. */
  before(begin: () => void): void {
    if (this.#isCancelled) return
    try {
      this.now()
    } catch {
      this.#time.after(STORAGE_WAIT, () => this.before(begin))
      return
    }
    begin()
  }

  /** Nothing is begun any more. */
  cancel(): void {
    this.#isCancelled = true
  }
}

/** Whether the database will never take this, because of its content: a full or locked disk is another matter. */
export function isRejectedByDatabase(error: unknown): boolean {
  // Nested too deeply for being written as JSON at all.
  if (error instanceof RangeError || error instanceof TypeError) return true
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH|RANGE|ERROR)/.test(code)
}

/**
 * Writes the first of these that the database takes.
 * @throws what writing the last one threw; and at once what another one wouldn't fix.
 */
export function firstAccepted<Written>(ways: readonly (() => Written)[]): Written {
  for (const [index, write] of ways.entries()) {
    try {
      return write()
    } catch (error) {
      if (index === ways.length - 1 || !isRejectedByDatabase(error)) throw error
    }
  }
  throw new RangeError('There is nothing to write.')
}

/**
 * uncertain: the service may have done it. refused: it doesn't want this one. offline: it never came to the service.
 * rate-limited: not so fast. stopped: what the service says concerns all that would follow.
 */
export type Failure =
  | { kind: 'uncertain' | 'refused' | 'rate-limited' | 'stopped'; error: AppError }
  /** isAnswered: something on the way did, so the request left. */
  | { kind: 'offline'; error: AppError; isAnswered: boolean }

/** How long to hold back if the service asks for time and doesn't say how much, in milliseconds. */
const USUAL_RETRY_AFTER = 30_000

/**
 * What a request that failed means. Not knowing is never read as "not done": that is how packages go twice.
 * @param thrown what the service's client threw.
 */
export function failureOf(thrown: unknown, describe: (error: unknown) => AppError): Failure {
  return failureOfError(describe(thrown), isServiceError(thrown) ? thrown.status : undefined)
}

/** @param status of the answer; undefined if there was none. */
function failureOfError(error: AppError, status: number | undefined): Failure {
  if (error.mayHaveArrived !== false) return { kind: 'uncertain', error: { ...error, mayHaveArrived: true } }
  const isOffline = status === undefined ? NO_ANSWER.has(error.code) : ANSWERED_ON_THE_WAY.has(status)
  if (isOffline) return { kind: 'offline', error, isAnswered: status !== undefined }
  if (STOPS_ALL.has(error.code)) return { kind: 'stopped', error }
  if (error.code === 'rate-limited') {
    return { kind: 'rate-limited', error: { ...error, retryAfterMs: error.retryAfterMs ?? USUAL_RETRY_AFTER } }
  }
  return { kind: 'refused', error }
}

/** Whether an answer of success holds an error: then it is not the service's word that it is done. */
export function holdsError(answer: object): boolean {
  const decoded = decode(ErrorResponse, answer)
  return decoded.ok && Boolean(decoded.value.ResponseStatus?.ErrorCode)
}

/** If nobody answered, something on the way is at fault, not what was sent. */
const NO_ANSWER: ReadonlySet<ErrorCode> = new Set([
  'offline',
  'dns',
  'refused',
  'tls',
  'timeout',
  'not-json',
  // A new token couldn't be kept, so nothing was asked.
  'keychain',
  'cancelled'
])

/** Answers of what stands between: a guest network's page to sign in at, a proxy that wants to know us first. */
const ANSWERED_ON_THE_WAY: ReadonlySet<number> = new Set([307, 407, 511])

/** An address that has moved for good is wrong for all that would follow, too. */
const STOPS_ALL: ReadonlySet<ErrorCode> = new Set(['unauthorised', 'payment-required', 'quota', 'unsafe-address'])
