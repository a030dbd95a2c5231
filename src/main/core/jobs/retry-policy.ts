/**
 * What it means that a file, or anything else that is asked for by itself, couldn't be had: whom else it concerns, and how long
 * it is tried. One that breaks is tried so many times between which others of its account went well, since then it is its own
 * fault; and if none went well, as the service may be closed overnight, for a day.
 */
import type { AppError, ErrorCode } from '../../../shared/contract/index.ts'
import type { Time } from '../lib/time.ts'
import { type Finding, isServiceError } from '../service/errors.ts'
import { queryTroubleOf } from '../storage/database-fault.ts'
import { fileErrorOf } from '../storage/file-error.ts'

/**
 * offline: nobody answers, or asks us to wait: the account's files wait. attempt: this one broke, and may go well the next
 * time. account: none of the account's would be answered otherwise until a person does something. folder: nothing can be
 * kept there just now. final: it is so, and stays so.
 */
export type Trouble = 'offline' | 'attempt' | 'account' | 'folder' | 'final'

/** @param error the thrown error in the user's words. */
export function troubleOf(thrown: unknown, error: AppError): Trouble {
  const file = fileErrorOf(thrown)
  if (file) return OF_ITS_OWN_NAME.has(file.code) ? 'final' : 'folder'
  if (queryTroubleOf(thrown)) return 'folder'
  if (isServiceError(thrown) && thrown.finding && NOT_THE_SERVICE.has(thrown.finding)) return 'offline'
  return KINDS[error.code] ?? 'final'
}

/** What a network's sign-in or another program says in place of the service: all that follows would meet it. */
const NOT_THE_SERVICE: ReadonlySet<Finding> = new Set(['sign-in-page', 'not-http'])

/** What is wrong with a file's place, however often it is tried. */
const OF_ITS_OWN_NAME: ReadonlySet<string> = new Set(['exists', 'outside', 'too-deep'])

const KINDS: Partial<Record<ErrorCode, Trouble>> = {
  offline: 'offline',
  dns: 'offline',
  refused: 'offline',
  tls: 'offline',
  'rate-limited': 'offline',
  timeout: 'attempt',
  server: 'attempt',
  incomplete: 'attempt',
  // As the outbox does: an address or a key that is wrong is wrong for all that would follow.
  unauthorised: 'account',
  'payment-required': 'account',
  quota: 'account',
  'unsafe-address': 'account',
  keychain: 'account',
  'no-space': 'folder',
  'not-writable': 'folder'
}

/** What is tried: a file, or anything else that the service is asked for by itself. */
export interface Tried {
  id: string
  accountId: string
  queuedAt: number
}

const MOST_ATTEMPTS = 8
/** After it was asked for, in milliseconds. */
const LONGEST_WAITING = 24 * 60 * 60_000

export class Attempts {
  readonly #time: Pick<Time, 'now'>
  /** How many files of an account went well in this run, and how many had when one broke the last time. */
  readonly #wentWell = new Map<string, number>()
  readonly #brokeAt = new Map<string, number>()

  constructor(time: Pick<Time, 'now'>) {
    this.#time = time
  }

  wentWell({ id, accountId }: Omit<Tried, 'queuedAt'>): void {
    this.#wentWell.set(accountId, (this.#wentWell.get(accountId) ?? 0) + 1)
    this.#brokeAt.delete(id)
  }

  /** To be called once each time it broke: whether others went well since the last time. */
  isItsOwnFault({ id, accountId }: Omit<Tried, 'queuedAt'>): boolean {
    const now = this.#wentWell.get(accountId) ?? 0
    const before = this.#brokeAt.get(id)
    this.#brokeAt.set(id, now)
    return before !== undefined && before < now
  }

  /** @param tries that count, with this one. */
  isEnough({ queuedAt }: Pick<Tried, 'queuedAt'>, tries: number): boolean {
    return tries >= MOST_ATTEMPTS || this.#time.now() - queuedAt > LONGEST_WAITING
  }

  forget(id: string): void {
    this.#brokeAt.delete(id)
  }
}
