/**
 * Interprets the failure of a file, or anything else requested automatically: what else it affects, and how long to
 * retry. A failure counts as a request's own fault if others of its account succeeded since it last failed; only so
 * many of these are allowed. If none succeed, as the service may be closed overnight, it is retried for a day.
 */
import { type AppError, traitsOf } from '../../../shared/contract/index.ts'
import { DAY } from '../lib/calendar.ts'
import type { Time } from '../lib/time.ts'
import { type Finding, isServiceError } from '../service/errors.ts'
import { queryTroubleOf } from '../storage/database-fault.ts'
import { fileErrorOf } from '../storage/file-error.ts'

/**
 * offline: no answer, or we are asked to wait, so the account's files wait. attempt: this one broke, and may succeed
 * next time. account: all of the account's requests would fail until a person does something. folder: nothing can be
 * stored there at the moment. final: retrying won't help.
 */
export type Trouble = 'offline' | 'attempt' | 'account' | 'folder' | 'final'

/** @param error the thrown error in the user's words. */
export function troubleOf(thrown: unknown, error: AppError): Trouble {
  const file = fileErrorOf(thrown)
  if (file) return PATH_FAULTS.has(file.code) ? 'final' : 'folder'
  if (queryTroubleOf(thrown)) return 'folder'
  if (isServiceError(thrown) && thrown.finding && NOT_THE_SERVICE.has(thrown.finding)) return 'offline'
  // What came in place of a file was looked at: anything else that can't be read is what the service has.
  if (error.code === 'not-json' && isServiceError(thrown) && thrown.asked) return 'final'
  return troubleOfCode(error)
}

function troubleOfCode(error: AppError): Trouble {
  const { concerns, passes } = traitsOf(error)
  switch (concerns) {
    case 'network':
      // A large file can take too long by itself, and mustn't hold up the account's others.
      return error.code === 'timeout' ? 'attempt' : 'offline'
    case 'account':
      return passes ? 'offline' : 'account'
    case 'keychain':
      return 'account'
    case 'disk':
      return 'folder'
    case 'request':
      return passes ? 'attempt' : 'final'
    case 'here':
      return 'final'
  }
}

/** Answers from a network's sign-in page or another program, which all further requests would meet. */
const NOT_THE_SERVICE: ReadonlySet<Finding> = new Set(['sign-in-page', 'not-http'])

/** Problems with a file's own path that don't go away by retrying. */
const PATH_FAULTS: ReadonlySet<string> = new Set(['exists', 'outside', 'too-deep'])

/** Something that is retried: a file, or anything else requested automatically. */
export interface Retryable {
  id: string
  accountId: string
  queuedAt: number
}

const MAX_ATTEMPTS = 8
/** For how long after it was queued it is retried. */
const MAX_RETRY_PERIOD = DAY

export class Attempts {
  readonly #time: Pick<Time, 'now'>
  /** How many files of an account succeeded in this run, and how many had when a file last broke. */
  readonly #successes = new Map<string, number>()
  readonly #successesAtFailure = new Map<string, number>()

  constructor(time: Pick<Time, 'now'>) {
    this.#time = time
  }

  recordSuccess({ id, accountId }: Omit<Retryable, 'queuedAt'>): void {
    this.#successes.set(accountId, (this.#successes.get(accountId) ?? 0) + 1)
    this.#successesAtFailure.delete(id)
  }

  /** Returns whether other files succeeded since this one last broke. Call it once per failure. */
  recordFailure({ id, accountId }: Omit<Retryable, 'queuedAt'>): boolean {
    const now = this.#successes.get(accountId) ?? 0
    const before = this.#successesAtFailure.get(id)
    this.#successesAtFailure.set(id, now)
    return before !== undefined && before < now
  }

  /** @param tries those that count, including this one. */
  isExhausted({ queuedAt }: Pick<Retryable, 'queuedAt'>, tries: number): boolean {
    return tries >= MAX_ATTEMPTS || this.#time.now() - queuedAt > MAX_RETRY_PERIOD
  }

  forget(id: string): void {
    this.#successesAtFailure.delete(id)
  }
}
