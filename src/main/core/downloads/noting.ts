/**
 * Writes down what came of files, those that end at about the same time together: one flush of the database for all of them.
 * An end before it is written costs nothing: the file is found again by its content.
 */

/** How long the first of them waits for others, in milliseconds. */
const GATHERING = 250

interface Pending<Item> {
  item: Item
  resolve: () => void
  reject: (error: unknown) => void
}

export interface NotingParts<Item> {
  /** Makes what they say last, before it is said. Never rejects. */
  settle: (items: readonly Item[]) => Promise<void>
  /** Writes all of them, or none. */
  write: (items: readonly Item[]) => void
  /** Whether others are still on their way, for which it is worth waiting. */
  areOthersComing: () => boolean
  schedule: (task: () => void, delay: number) => () => void
}

export function openNoting<Item>({ settle, write, areOthersComing, schedule }: NotingParts<Item>) {
  let pending: Pending<Item>[] = []
  let cancel = () => {}

  async function flush(): Promise<void> {
    cancel()
    const now = pending
    pending = []
    if (now.length === 0) return
    try {
      await settle(now.map(({ item }) => item))
      write(now.map(({ item }) => item))
      for (const { resolve } of now) resolve()
    } catch (error) {
      for (const { reject } of now) reject(error)
    }
  }

  return {
    /** Resolves once it is on the disk. Rejects with what the database says. */
    note: (item: Item): Promise<void> =>
      new Promise((resolve, reject) => {
        pending.push({ item, resolve, reject })
        if (!areOthersComing()) void flush()
        else if (pending.length === 1) cancel = schedule(() => void flush(), GATHERING)
      }),

    /** Writes what waits at once. */
    flush: (): void => void flush()
  }
}
