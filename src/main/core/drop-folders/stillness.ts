/** Which files have stopped growing: those that were the same at two looks, some seconds apart. */

/** How long a file must have been the same, in milliseconds. */
export const STILL_FOR = 2_000
/** In a folder that sends, and for one that was seen to rest in between: whoever writes slowly must not be sent half. */
export const LONG_STILL_FOR = 30_000
/** One without content may be what a slow copy begins with. */
export const EMPTY_STILL_FOR = 60_000

/** A file as one look found it. */
export interface Sighting {
  name: string
  size: number
  mtimeMs: number
  ino: number
}

/** @param elapsed milliseconds since some moment of this run: never goes back. */
export function openStillness(elapsed: () => number) {
  let seen = new Map<string, Sighting & { since: number }>()

  return {
    /**
     * Takes what a look found. Answers which of it is still, and whether something isn't yet.
     * @param stillFor how long a file with content must have been the same.
     */
    look(found: readonly Sighting[], stillFor: number): { still: Sighting[]; isMoving: boolean } {
      const now = elapsed()
      const next = new Map<string, Sighting & { since: number }>()
      const still: Sighting[] = []
      for (const sighting of found) {
        const before = seen.get(sighting.name)
        const since = before && isSame(before, sighting) ? before.since : now
        next.set(sighting.name, { ...sighting, since })
        if (now - since >= (sighting.size === 0 ? EMPTY_STILL_FOR : stillFor)) still.push(sighting)
      }
      seen = next
      return { still, isMoving: still.length < found.length }
    }
  }
}

export function isSame(one: Omit<Sighting, 'name'>, other: Omit<Sighting, 'name'>): boolean {
  return one.size === other.size && one.mtimeMs === other.mtimeMs && one.ino === other.ino
}
