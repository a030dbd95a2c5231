/**
 * Why nothing of an account, or for a folder, moves just now, and until when. Ten thousand files that would all meet the
 * same trouble meet it once: after a wait one of them goes first, and the others follow if it went well.
 */
import type { AppError } from '../../../shared/contract/index.ts'
import { backoff } from '../lib/retry.ts'
import type { Time } from '../lib/time.ts'
import type { Lane } from './download-rows.ts'

export interface Pause {
  error: AppError
  /** On the clock that never jumps; infinite if only a person, or being online again, ends it. */
  until: number
  failures: number
}

/** How long to wait after the first failure, in milliseconds. */
const FIRST_ACCOUNT_WAIT = 1_000
const FIRST_FOLDER_WAIT = 5_000

export class Pauses {
  readonly #time: Pick<Time, 'elapsed' | 'random'>
  readonly #accounts = new Map<string, Pause>()
  readonly #folders = new Map<string, Pause>()

  constructor(time: Pick<Time, 'elapsed' | 'random'>) {
    this.#time = time
  }

  /** Nobody answered, or the service asks us to wait. */
  accountFailed(accountId: string, error: AppError): void {
    this.#failed(this.#accounts, accountId, error, FIRST_ACCOUNT_WAIT)
  }

  /** Until `release`. */
  blockAccount(accountId: string, error: AppError): void {
    this.#accounts.set(accountId, { error, until: Number.POSITIVE_INFINITY, failures: 1 })
  }

  folderFailed(folderId: string, error: AppError): void {
    this.#failed(this.#folders, folderId, error, FIRST_FOLDER_WAIT)
  }

  /** The service answered as it should. */
  accountWorks(accountId: string): void {
    this.#accounts.delete(accountId)
  }

  /** The folder took a file. */
  folderWorks(folderId: string): void {
    this.#folders.delete(folderId)
  }

  isFolderPaused(folderId: string): boolean {
    return this.#folders.has(folderId)
  }

  /** How long nothing may go, in milliseconds; 0 if something may. */
  left(lane: Lane): number {
    return Math.max(0, ...this.#all(lane).map(({ until }) => until - this.#time.elapsed()))
  }

  /** Whether one goes first, since the last one met trouble. */
  isTrying(lane: Lane): boolean {
    return this.#all(lane).length > 0
  }

  /** The one that lasts longest; undefined if nothing is wrong. */
  of(lane: Lane): Pause | undefined {
    return this.#all(lane).sort((one, two) => two.until - one.until)[0]
  }

  /** Whatever it was may be over: of one account and all folders, or of all. */
  release(accountId?: string): void {
    if (accountId === undefined) this.#accounts.clear()
    else this.#accounts.delete(accountId)
    this.#folders.clear()
  }

  #all({ accountId, folderId }: Lane): Pause[] {
    return [this.#accounts.get(accountId), this.#folders.get(folderId)].filter((one) => one !== undefined)
  }

  #failed(pauses: Map<string, Pause>, id: string, error: AppError, first: number): void {
    const known = pauses.get(id)
    const now = this.#time.elapsed()
    // What was under way with it met the same.
    const isSame = known !== undefined && known.until > now
    const failures = isSame ? known.failures : (known?.failures ?? 0) + 1
    const wait = Math.max(error.retryAfterMs ?? 0, backoff(first, failures, this.#time.random))
    const until = isSame ? Math.max(known.until, now + (error.retryAfterMs ?? 0)) : now + wait
    pauses.set(id, { error, until, failures })
  }
}
