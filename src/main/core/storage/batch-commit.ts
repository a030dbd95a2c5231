/**
 * Commits items that finish at about the same time in one transaction, so that they share one flush. If the application
 * ends, the caller must be able to find uncommitted items again.
 */
import type { Time } from '../lib/time.ts'

/** How long the first item waits for others, in milliseconds. */
const GATHER_DELAY = 250

interface Pending<Item> {
  item: Item
  resolve: () => void
  reject: (error: unknown) => void
}

export interface BatchCommitDeps<Item> {
  /** Finishes the items before they are written. Never rejects. */
  finish: (items: readonly Item[]) => Promise<void>
  /** Writes all items, or none. */
  write: (items: readonly Item[]) => void
  /** Whether more items are on their way, so that waiting is worthwhile. */
  expectsMore: () => boolean
  time: Pick<Time, 'after'>
}

export class BatchCommit<Item> {
  readonly #deps: BatchCommitDeps<Item>
  #pending: Pending<Item>[] = []
  #cancel = () => {}

  constructor(deps: BatchCommitDeps<Item>) {
    this.#deps = deps
  }

  /** Resolves once the item is on disk. Rejects with the database's error. */
  add(item: Item): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ item, resolve, reject })
      if (!this.#deps.expectsMore()) this.flush()
      else if (this.#pending.length === 1) this.#cancel = this.#deps.time.after(GATHER_DELAY, () => this.flush())
    })
  }

  /** Writes pending items at once. */
  flush(): void {
    void this.#write()
  }

  async #write(): Promise<void> {
    this.#cancel()
    const batch = this.#pending
    this.#pending = []
    if (batch.length === 0) return
    try {
      await this.#deps.finish(batch.map(({ item }) => item))
      this.#deps.write(batch.map(({ item }) => item))
      for (const { resolve } of batch) resolve()
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
}
