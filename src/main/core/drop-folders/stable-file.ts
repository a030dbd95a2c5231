/**
 * Determines which files are stable, meaning they have stopped growing: they were the same at two looks, some seconds
 * apart. Files are checked before they are claimed and again afterwards, as the program that wrote one may still hold
 * it open.
 */
import type { Time } from '../lib/time.ts'

/** How long a file must have been the same, in milliseconds. */
export const STABLE_AFTER = 2_000
/** The same for a folder that sends, and for a file that grew after a pause: no half-written file must be sent. */
export const LONG_STABLE_AFTER = 30_000
/** The same for an empty file, which may be the beginning of a slow copy. */
const EMPTY_STABLE_AFTER = 60_000

/** A file as one look found it. */
export interface FileStat {
  name: string
  size: number
  mtimeMs: number
  ino: number
}

/** The files of a folder before they are claimed. */
export class StableFiles {
  readonly #time: Pick<Time, 'elapsed'>
  #seen = new Map<string, FileStat & { since: number }>()

  constructor(time: Pick<Time, 'elapsed'>) {
    this.#time = time
  }

  /**
   * Records the files that a look found. Returns which of them are stable, and whether any isn't yet.
   * @param stableAfter how long a file with content must have been the same.
   */
  record(found: readonly FileStat[], stableAfter: number): { stable: FileStat[]; isMoving: boolean } {
    const now = this.#time.elapsed()
    const next = new Map<string, FileStat & { since: number }>()
    const stable: FileStat[] = []
    for (const stat of found) {
      const before = this.#seen.get(stat.name)
      const since = before && isSameStat(before, stat) ? before.since : now
      next.set(stat.name, { ...stat, since })
      if (now - since >= (stat.size === 0 ? EMPTY_STABLE_AFTER : stableAfter)) stable.push(stat)
    }
    this.#seen = next
    return { stable, isMoving: stable.length < found.length }
  }
}

interface Seen {
  stat: FileStat
  since: number
  /** How long it must stay the same, in milliseconds. */
  stableAfter: number
}

/** Files after they were claimed. One that grows again is given longer. */
export class StableClaims {
  readonly #time: Pick<Time, 'elapsed'>
  readonly #seen = new Map<string, Seen>()

  constructor(time: Pick<Time, 'elapsed'>) {
    this.#time = time
  }

  /** @param id of its claim. */
  isStable(id: string, stat: FileStat): boolean {
    const now = this.#time.elapsed()
    const before = this.#seen.get(id)
    if (before && isSameStat(before.stat, stat)) return now - before.since >= before.stableAfter
    const first = stat.size === 0 ? EMPTY_STABLE_AFTER : STABLE_AFTER
    this.#seen.set(id, { stat, since: now, stableAfter: before ? Math.max(first, LONG_STABLE_AFTER) : first })
    return false
  }

  forget(id: string): void {
    this.#seen.delete(id)
  }
}

export function isSameStat(one: Omit<FileStat, 'name'>, other: Omit<FileStat, 'name'>): boolean {
  return one.size === other.size && one.mtimeMs === other.mtimeMs && one.ino === other.ino
}
