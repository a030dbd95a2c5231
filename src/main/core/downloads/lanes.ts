/**
 * The lanes of waiting downloads, one for each account and folder: which download is next, whether there is room for
 * it, and why nothing moves. If ten thousand files would meet the same error, only one meets it: after a wait, one of
 * them is tried first, and the others follow if it succeeds.
 */
import { type Pause, Pauses } from '../jobs/lanes.ts'
import type { Time } from '../lib/time.ts'
import type { Download, Lane } from './download-rows.ts'
import type { DownloadsTable } from './downloads-table.ts'

export interface Running {
  download: Download
  bytes: number
  total?: number
  abort: AbortController
  /** All of it has arrived from the service, so the next may be requested while the disk is writing. */
  hasArrived: boolean
  /** It is in its place, and only has to be recorded. */
  isSaved: boolean
  /** Why it was stopped: a cancelled one leaves the queue, any other stays in it. */
  stoppedFor?: 'cancel' | 'later'
  ended: Promise<void>
}

export interface LanesDeps {
  table: DownloadsTable
  /** Downloads in progress, by id. */
  running: ReadonlyMap<string, Running>
  /** Returns how many may run at once. */
  concurrency: () => number
  time: Time
}

/** The most downloads in progress, including those not recorded yet. */
const MAX_UNCOMMITTED = 64

const keyOf = ({ accountId, folderId }: Lane) => `${accountId}\n${folderId}`

export class Lanes {
  readonly #deps: LanesDeps
  /** Pauses by account: no answer, the service asks us to wait, or only a person can help. */
  readonly accounts: Pauses
  /** Pauses by folder: nothing can be saved there. */
  readonly folders: Pauses
  /** Lanes where something waits, or may. */
  readonly #lanes = new Map<string, Lane>()
  /** How many bulk changes of an account are in progress. Nothing of it is started meanwhile. */
  readonly #blocked = new Map<string, number>()

  constructor(deps: LanesDeps) {
    this.#deps = deps
    this.accounts = new Pauses(deps.time)
    this.folders = new Pauses(deps.time)
  }

  add(lane: Lane): void {
    this.#lanes.set(keyOf(lane), lane)
  }

  all(): Lane[] {
    return [...this.#lanes.values()]
  }

  /** Returns the longest pause; undefined if nothing is wrong. */
  pauseOf({ accountId, folderId }: Lane): Pause | undefined {
    const [account, folder] = [this.accounts.of(accountId), this.folders.of(folderId)]
    return account && folder ? (account.until > folder.until ? account : folder) : (account ?? folder)
  }

  /** Returns how long nothing of the lane may start, in milliseconds; 0 if something may. */
  pauseLeft({ accountId, folderId }: Lane): number {
    return Math.max(this.accounts.remaining(accountId), this.folders.remaining(folderId))
  }

  /** Ends pauses whose cause may be over: of one account and all folders, or of all. */
  release(accountId?: string): void {
    this.accounts.clear(accountId)
    this.folders.clear()
  }

  /** Returns whether another file may be requested from the service, and the disk isn't far behind. */
  hasRoom(): boolean {
    const { running, concurrency } = this.#deps
    let arriving = 0
    let written = 0
    for (const { hasArrived, isSaved } of running.values()) {
      if (!hasArrived) arriving += 1
      else if (!isSaved) written += 1
    }
    const limit = concurrency()
    return arriving < limit && written < limit && running.size < MAX_UNCOMMITTED
  }

  /** Returns the next download, or how long until there may be one, in milliseconds. */
  first(): { next?: Download; wait: number } {
    const { table, running, time } = this.#deps
    let next: Download | undefined
    let wait = Number.POSITIVE_INFINITY
    for (const [key, lane] of this.#lanes) {
      if (this.#blocked.has(lane.accountId)) continue
      const left = this.pauseLeft(lane)
      if (left > 0) wait = Math.min(wait, left)
      if (left > 0 || (this.pauseOf(lane) && this.#isMoving(lane))) continue
      const head = table.heads(lane, running.size + 1).find(({ id }) => !running.has(id))
      if (!head) {
        if (!this.#isMoving(lane)) this.#lanes.delete(key)
        continue
      }
      const now = time.now()
      if (head.retryAt > now) wait = Math.min(wait, head.retryAt - now)
      else if (!next || head.number < next.number) next = head
    }
    return next ? { next, wait } : { wait }
  }

  /** Runs work on all of an account's downloads while none is started. */
  async whileBlocked<Answer>(accountId: string, work: () => Promise<Answer>): Promise<Answer> {
    this.#blocked.set(accountId, (this.#blocked.get(accountId) ?? 0) + 1)
    try {
      return await work()
    } finally {
      const remaining = (this.#blocked.get(accountId) ?? 1) - 1
      if (remaining > 0) this.#blocked.set(accountId, remaining)
      else this.#blocked.delete(accountId)
    }
  }

  #isMoving(lane: Lane): boolean {
    return [...this.#deps.running.values()].some(
      ({ download }) => download.accountId === lane.accountId || download.folderId === lane.folderId
    )
  }
}
