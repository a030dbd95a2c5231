/** The pool of signers' sessions. It knows nothing of Electron, so that tests can hold it to its promises by themselves. */

/** So many signers in one run of the application have sessions of their own before one is used again. */
export const SESSIONS = 25

/**
 * Hands out sessions of which Electron frees none: new ones until there are enough, then the one that has lain longest.
 * What comes back is used again only if it was seen to be empty.
 */
export class SessionPool<Used> {
  readonly #enough: number
  readonly #make: () => Used
  /** Clean ones, the one that has lain longest first. */
  readonly #resting: Used[] = []
  readonly #inUse = new Set<Used>()

  /** @param enough how many there may be before one is used again. */
  constructor(enough: number, make: () => Used) {
    this.#enough = enough
    this.#make = make
  }

  take(): Used {
    const isEnough = this.#resting.length + this.#inUse.size >= this.#enough
    // If all are in use or none is clean, another costs a little memory and nobody's secrets.
    const taken = (isEnough ? this.#resting.shift() : undefined) ?? this.#make()
    this.#inUse.add(taken)
    return taken
  }

  /** Ends a use. What isn't clean is never handed out again. */
  giveBack(used: Used, isClean: boolean): void {
    if (this.#inUse.delete(used) && isClean) this.#resting.push(used)
  }
}
