/**
 * How the result of an attempt is interpreted and stored. Jobs that a crash left in flight are marked as uncertain
 * before anything new leaves, and parts of an answer that the database rejects block no other writes.
 */
import { type AppError, traitsOf } from '../../../shared/contract/index.ts'
import { decode, ErrorResponse } from '../../../shared/model/index.ts'
import { asAppError } from '../errors/app-error.ts'
import { codeOf } from '../lib/failure.ts'
import type { Time } from '../lib/time.ts'
import { isServiceError } from '../service/errors.ts'

/** How long to wait before retrying a failed write at the start, in milliseconds. */
const STORAGE_RETRY_DELAY = 5_000

/** Stores once, at the start, what an earlier run left in flight. */
export class CrashRecovery {
  readonly #time: Pick<Time, 'after'>
  readonly #recover: () => void
  #isDone = false
  #isCancelled = false

  /** @param recover does the writing; called again if it throws. */
  constructor(time: Pick<Time, 'after'>, recover: () => void) {
    this.#time = time
    this.#recover = recover
  }

  /** @throws what writing throws; `runAfterRecovery` retries it. */
  recoverNow(): void {
    if (this.#isDone) return
    this.#recover()
    this.#isDone = true
  }

  /** Calls `start` once recovery is stored: until then nothing new may leave. */
  runAfterRecovery(start: () => void): void {
    if (this.#isCancelled) return
    try {
      this.recoverNow()
    } catch {
      this.#time.after(STORAGE_RETRY_DELAY, () => this.runAfterRecovery(start))
      return
    }
    start()
  }

  /** Cancels retries: nothing is begun any more. */
  cancel(): void {
    this.#isCancelled = true
  }
}

/** Returns whether the database will never accept this content. A full or locked disk doesn't count. */
export function isRejectedByDatabase(error: unknown): boolean {
  // The value is nested too deeply to be written as JSON.
  if (error instanceof RangeError || error instanceof TypeError) return true
  return /^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH|RANGE|ERROR)/.test(codeOf(error))
}

/**
 * Writes the first of these that the database accepts.
 * @throws what the last one threw, or at once an error that no other one would avoid.
 */
export function writeFirstAccepted<Written>(writes: readonly (() => Written)[]): Written {
  for (const [index, write] of writes.entries()) {
    try {
      return write()
    } catch (error) {
      if (index === writes.length - 1 || !isRejectedByDatabase(error)) throw error
    }
  }
  throw new RangeError('There is nothing to write.')
}

/**
 * uncertain: the service may have done it. refused: it doesn't accept this one. offline: it never reached the service.
 * rate-limited: too fast. stopped: the service's error would affect all further jobs.
 */
export type Failure =
  | { kind: 'uncertain' | 'refused' | 'rate-limited' | 'stopped'; error: AppError }
  /** isAnswered: an intermediary answered, so the request left. */
  | { kind: 'offline'; error: AppError; isAnswered: boolean }

/** How long to hold back if the service asks us to wait without saying how long, in milliseconds. */
const DEFAULT_RETRY_AFTER = 30_000

/**
 * Interprets a failed request. An unknown result is never read as "not done", as that is how packages are sent twice.
 * @param thrown what the service's client threw.
 */
export function failureOf(thrown: unknown): Failure {
  return failureOfError(asAppError(thrown), isServiceError(thrown) ? thrown.status : undefined)
}

/** @param status of the answer; undefined if there was none. */
function failureOfError(error: AppError, status: number | undefined): Failure {
  if (error.mayHaveArrived !== false) return { kind: 'uncertain', error: { ...error, mayHaveArrived: true } }
  const isOffline = status === undefined ? isWithoutAnswer(error) : INTERMEDIARY_STATUSES.has(status)
  if (isOffline) return { kind: 'offline', error, isAnswered: status !== undefined }
  const { concerns, passes } = traitsOf(error)
  if (concerns !== 'account') return { kind: 'refused', error }
  if (!passes) return { kind: 'stopped', error }
  return { kind: 'rate-limited', error: { ...error, retryAfterMs: error.retryAfterMs ?? DEFAULT_RETRY_AFTER } }
}

/** Returns whether there was no answer: something on the way is at fault, or here, and not the request. */
function isWithoutAnswer(error: AppError): boolean {
  const { concerns } = traitsOf(error)
  // keychain: a new token couldn't be stored, so no request was made. cancelled: nor was it then.
  return concerns === 'network' || concerns === 'keychain' || error.code === 'cancelled'
}

/** Returns whether a successful answer contains an error: then the service hasn't confirmed that it is done. */
export function containsError(answer: object): boolean {
  const decoded = decode(ErrorResponse, answer)
  return decoded.ok && Boolean(decoded.value.ResponseStatus?.ErrorCode)
}

/** Answers of intermediaries: a guest network's sign-in page, or a proxy that requires authentication. */
const INTERMEDIARY_STATUSES: ReadonlySet<number> = new Set([307, 407, 511])
