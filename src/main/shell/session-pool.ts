/** The pool of signers' sessions. Independent of Electron, so that it can be tested alone. */

/** How many signers in one run of the application get a new session before one is reused. */
export const SESSIONS_BEFORE_REUSE = 25

/**
 * Hands out sessions, which Electron never frees: new ones until there are enough, then the one that has been idle
 * longest. A returned session is reused only if it was seen to be empty.
 */
export class SessionPool<Used> {
  readonly #reuseAfter: number
  readonly #make: () => Used
  /** Clean ones, the longest idle first. */
  readonly #idle: Used[] = []
  readonly #inUse = new Set<Used>()

  /** @param reuseAfter how many may exist before one is reused. */
  constructor(reuseAfter: number, make: () => Used) {
    this.#reuseAfter = reuseAfter
    this.#make = make
  }

  take(): Used {
    const mayReuse = this.#idle.length + this.#inUse.size >= this.#reuseAfter
    // If all are in use or none is clean, another one costs a little memory but reveals nothing.
    const taken = (mayReuse ? this.#idle.shift() : undefined) ?? this.#make()
    this.#inUse.add(taken)
    return taken
  }

  /** Takes a session back. One that isn't clean is never handed out again. */
  giveBack(used: Used, isClean: boolean): void {
    if (this.#inUse.delete(used) && isClean) this.#idle.push(used)
  }
}
