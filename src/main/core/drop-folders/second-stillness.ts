/**
 * Whether a file has been still since it was claimed. Whoever wrote it may hold it open: what is seen to grow once more is
 * waited with for longer.
 */
import { EMPTY_STILL_FOR, isSame, LONG_STILL_FOR, type Sighting, STILL_FOR } from './stillness.ts'

interface Seen {
  sighting: Sighting
  since: number
  /** How long it must be the same, in milliseconds. */
  stillFor: number
}

/** @param elapsed milliseconds since some moment of this run: never goes back. */
export function openSecondStillness(elapsed: () => number) {
  const seen = new Map<string, Seen>()

  return {
    /** @param id of its claim. */
    isStill(id: string, sighting: Sighting): boolean {
      const now = elapsed()
      const before = seen.get(id)
      if (before && isSame(before.sighting, sighting)) return now - before.since >= before.stillFor
      const first = sighting.size === 0 ? EMPTY_STILL_FOR : STILL_FOR
      seen.set(id, { sighting, since: now, stillFor: before ? Math.max(first, LONG_STILL_FOR) : first })
      return false
    },

    forget: (id: string): void => void seen.delete(id)
  }
}
