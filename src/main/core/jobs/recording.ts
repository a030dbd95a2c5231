/**
 * How what became of a job gets onto the disk: what a crash left under way is written down as in doubt before anything new
 * leaves, and what the database rejects of an answer keeps nothing else from being written.
 */
import type { Time } from '../lib/time.ts'

/** How long until writing is tried again at the start, in milliseconds. */
const STORAGE_WAIT = 5_000

/** Writes down once, at the start, what an earlier run left under way. */
export class Recovery {
  readonly #time: Pick<Time, 'after'>
  readonly #recover: () => void
  #isDone = false
  #isCancelled = false

  /** @param recover writes it down; called again where it throws. */
  constructor(time: Pick<Time, 'after'>, recover: () => void) {
    this.#time = time
    this.#recover = recover
  }

  /** @throws what writing throws; `before` tries it again. */
  now(): void {
    if (this.#isDone) return
    this.#recover()
    this.#isDone = true
  }

  /** Calls `begin` once it is written down: until then nothing new may leave. */
  before(begin: () => void): void {
    if (this.#isCancelled) return
    try {
      this.now()
    } catch {
      this.#time.after(STORAGE_WAIT, () => this.before(begin))
      return
    }
    begin()
  }

  /** Nothing is begun any more. */
  cancel(): void {
    this.#isCancelled = true
  }
}

/** Whether the database will never take this, because of its content: a full or locked disk is another matter. */
export function isRejectedByDatabase(error: unknown): boolean {
  // Nested too deeply for being written as JSON at all.
  if (error instanceof RangeError || error instanceof TypeError) return true
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH|RANGE|ERROR)/.test(code)
}

/**
 * Writes the first of these that the database takes.
 * @throws what writing the last one threw; and at once what another one wouldn't fix.
 */
export function firstAccepted<Written>(ways: readonly (() => Written)[]): Written {
  for (const [index, write] of ways.entries()) {
    try {
      return write()
    } catch (error) {
      if (index === ways.length - 1 || !isRejectedByDatabase(error)) throw error
    }
  }
  throw new RangeError('There is nothing to write.')
}
