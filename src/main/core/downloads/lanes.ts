/**
 * The lanes of what waits, each the files of an account for a folder: what goes next, whether there is room for it, and why
 * nothing moves just now. Ten thousand files that would all meet the same trouble meet it once: after a wait one of them
 * goes first, and the others follow if it went well.
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
  /** Nothing more is to come of it from the service: the next may be asked for while the disk is at work. */
  hasArrived: boolean
  /** It is in its place, and has only to be written down. */
  isKept: boolean
  /** Why it was broken off: a cancelled one leaves the queue, any other stays in it. */
  stoppedFor?: 'cancel' | 'later'
  ended: Promise<void>
}

export interface LanesDeps {
  table: DownloadsTable
  /** What is under way, by its id. */
  running: ReadonlyMap<string, Running>
  /** How many at once. */
  concurrency: () => number
  time: Time
}

/** So many at most are under way and not written down yet. */
const MOST_UNCOMMITTED = 64

const keyOf = ({ accountId, folderId }: Lane) => `${accountId}\n${folderId}`

export class Lanes {
  readonly #deps: LanesDeps
  /** By the account: nobody answers, or the service asks us to wait, or only a person can help. */
  readonly accounts: Pauses
  /** By the folder: nothing can be kept there. */
  readonly folders: Pauses
  /** Where something waits, or may. */
  readonly #lanes = new Map<string, Lane>()
  /** Accounts of which nothing is begun while much is changed of them. */
  readonly #still = new Map<string, number>()

  constructor(deps: LanesDeps) {
    this.#deps = deps
    this.accounts = new Pauses(deps.time)
    this.folders = new Pauses(deps.time)
  }

  /** Something of this lane waits now. */
  add(lane: Lane): void {
    this.#lanes.set(keyOf(lane), lane)
  }

  all(): Lane[] {
    return [...this.#lanes.values()]
  }

  /** The pause that lasts longest; undefined if nothing is wrong. */
  pauseOf({ accountId, folderId }: Lane): Pause | undefined {
    const [account, folder] = [this.accounts.of(accountId), this.folders.of(folderId)]
    return account && folder ? (account.until > folder.until ? account : folder) : (account ?? folder)
  }

  /** How long nothing of the lane may go, in milliseconds; 0 if something may. */
  left({ accountId, folderId }: Lane): number {
    return Math.max(this.accounts.left(accountId), this.folders.left(folderId))
  }

  /** Whatever paused them may be over: of one account and all folders, or of all. */
  release(accountId?: string): void {
    this.accounts.clear(accountId)
    this.folders.clear()
  }

  /** Whether the service may be asked for another, and the disk isn't far behind. */
  hasRoom(): boolean {
    const { running, concurrency } = this.#deps
    let coming = 0
    let written = 0
    for (const { hasArrived, isKept } of running.values()) {
      if (!hasArrived) coming += 1
      else if (!isKept) written += 1
    }
    const most = concurrency()
    return coming < most && written < most && running.size < MOST_UNCOMMITTED
  }

  /** What goes next, or how long until something may, in milliseconds. */
  first(): { next?: Download; wait: number } {
    const { table, running, time } = this.#deps
    let next: Download | undefined
    let wait = Number.POSITIVE_INFINITY
    for (const [key, lane] of this.#lanes) {
      if (this.#still.has(lane.accountId)) continue
      const left = this.left(lane)
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

  /** Does something with all of an account, while nothing of it is begun. */
  async whileStill<Answer>(accountId: string, work: () => Promise<Answer>): Promise<Answer> {
    this.#still.set(accountId, (this.#still.get(accountId) ?? 0) + 1)
    try {
      return await work()
    } finally {
      const others = (this.#still.get(accountId) ?? 1) - 1
      if (others > 0) this.#still.set(accountId, others)
      else this.#still.delete(accountId)
    }
  }

  #isMoving(lane: Lane): boolean {
    return [...this.#deps.running.values()].some(
      ({ download }) => download.accountId === lane.accountId || download.folderId === lane.folderId
    )
  }
}
