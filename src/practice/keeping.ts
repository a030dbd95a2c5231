/**
 * Saves a state a moment after it changed, one save at a time, and never loses the last change. What somebody is about to
 * be told of is added at once, beside the last save: an office with a thousand packages is megabytes, one package is not.
 */
import type { Persistence } from './effects.ts'

export interface Keeping {
  changed(): void
  /** Resolves when it is on the disk, where the place can do that. Never rejects: the next save has it too. */
  add(line: unknown): Promise<void>
  /** Saves what isn't saved yet. Rejects where the last save failed. */
  flush(): Promise<void>
}

/** @param delay milliseconds in which further changes join the same save */
export function keep(state: unknown, persistence: Persistence, delay = 200): Keeping {
  let waiting: ReturnType<typeof setTimeout> | undefined
  let dirty = false
  let saving: Promise<void> = Promise.resolve()

  const save = () => {
    clearTimeout(waiting)
    waiting = undefined
    if (!dirty) return saving
    dirty = false
    saving = saving
      .catch(() => {})
      .then(() => persistence.save(JSON.stringify(state)))
      .catch((error) => {
        // Tried again with the next change, and reported by flush.
        dirty = true
        throw error
      })
    return saving
  }
  return {
    changed() {
      dirty = true
      waiting ??= setTimeout(() => save().catch(() => {}), delay)
    },
    add: async (line) => {
      await persistence.add?.(JSON.stringify(line)).catch(() => {})
    },
    flush: save
  }
}
