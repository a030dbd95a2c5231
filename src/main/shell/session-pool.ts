/**
 * Hands out sessions of which Electron frees none: new ones until there are enough, then the one that has lain longest.
 * What comes back is used again only if it was seen to be empty.
 */
/** So many signers in one run of the application have sessions of their own before one is used again. */
export const SESSIONS = 25

export interface Pool<Used> {
  take(): Used
  /** Ends a use. What isn't clean is never handed out again. */
  giveBack(used: Used, isClean: boolean): void
}

/** @param enough how many there may be before one is used again. */
export function poolOf<Used>(enough: number, make: () => Used): Pool<Used> {
  /** Clean ones, the one that has lain longest first. */
  const resting: Used[] = []
  const inUse = new Set<Used>()
  return {
    take: () => {
      const isEnough = resting.length + inUse.size >= enough
      // Where all are in use or none is clean, another costs a little memory and nobody's secrets.
      const taken = (isEnough ? resting.shift() : undefined) ?? make()
      inUse.add(taken)
      return taken
    },
    giveBack: (used, isClean) => {
      if (inUse.delete(used) && isClean) resting.push(used)
    }
  }
}
