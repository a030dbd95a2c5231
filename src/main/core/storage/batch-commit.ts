/**
 * Writes items that end at about the same time to the database together: one flush for all of them. The caller must be able to
 * find again what was not written yet when the application ends.
 */
import type { Time } from '../lib/time.ts'

/** How long the first item waits for others, in milliseconds. */
const GATHERING = 250

interface Pending<Item> {
  item: Item
  resolve: () => void
  reject: (error: unknown) => void
}

export interface BatchCommitDeps<Item> {
  /** Makes what they say last, before it is written. Never rejects. */
  settle: (items: readonly Item[]) => Promise<void>
  /** Writes all of them, or none. */
  write: (items: readonly Item[]) => void
  /** Whether others are still on their way, for which it is worth waiting. */
  areOthersComing: () => boolean
  time: Pick<Time, 'after'>
}

export class BatchCommit<Item> {
  readonly #deps: BatchCommitDeps<Item>
  #pending: Pending<Item>[] = []
  #cancel = () => {}

  constructor(deps: BatchCommitDeps<Item>) {
    this.#deps = deps
  }

  /** Resolves once it is on the disk. Rejects with what the database says. */
  add(item: Item): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ item, resolve, reject })
      if (!this.#deps.areOthersComing()) this.flush()
      else if (this.#pending.length === 1) this.#cancel = this.#deps.time.after(GATHERING, () => this.flush())
    })
  }

  /** Writes what waits at once. */
  flush(): void {
    void this.#write()
  }

  async #write(): Promise<void> {
    this.#cancel()
    const now = this.#pending
    this.#pending = []
    if (now.length === 0) return
    try {
      await this.#deps.settle(now.map(({ item }) => item))
      this.#deps.write(now.map(({ item }) => item))
      for (const { resolve } of now) resolve()
    } catch (error) {
      for (const { reject } of now) reject(error)
    }
  }
}
