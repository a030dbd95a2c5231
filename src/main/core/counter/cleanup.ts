/**
 * Signing pages that were closed and of which something may be left. They outlive their session: nobody is shown another page
 * before the last one is gone.
 */
import type { Time } from '../lib/time.ts'
import type { SigningView } from './deps.ts'

/** However a page resists, nobody waits for its end longer, in milliseconds. */
const LONGEST_WIPE = 10_000

export class Cleanup {
  readonly #time: Time
  readonly #left = new Set<SigningView>()

  constructor(time: Time) {
    this.#time = time
  }

  /** Whether something of a page may be left. */
  isPending(): boolean {
    return this.#left.size > 0
  }

  /** A page that is closed from now on. */
  add(view: SigningView): void {
    this.#left.add(view)
  }

  /** Wipes what is left. Answers whether nothing is any more; if something is, it may be called again. */
  async wipe(): Promise<boolean> {
    const all = await Promise.all([...this.#left].map((view) => this.#isWiped(view)))
    return all.every(Boolean)
  }

  async #isWiped(view: SigningView): Promise<boolean> {
    const late = Promise.withResolvers<boolean>()
    const cancel = this.#time.after(LONGEST_WIPE, () => late.resolve(false))
    const isGone = await Promise.race([destroyed(view), late.promise])
    cancel()
    if (isGone) this.#left.delete(view)
    return isGone
  }
}

async function destroyed(view: SigningView): Promise<boolean> {
  try {
    await view.destroy()
    return true
  } catch {
    return false
  }
}
