/**
 * Saves a state a moment after it changed, one save at a time, and never loses the last change. What someone is about to
 * be told of is added at once, beside the last save: an office with a thousand packages is megabytes, one package is not.
 */

import { open, readFile, rename } from 'node:fs/promises'

/** Where a practice office is kept between two runs. */
export interface Persistence {
  /** What was saved last, with a line for each that was added since; undefined if nothing was. */
  load(): Promise<string | undefined>
  /** Replaces what is kept, and what was added to it, wholly or not at all. */
  save(text: string): Promise<void>
  /** Keeps a line beside what was saved; resolves when it is on the disk. Where it is left out, each change waits for a save. */
  add?(line: string): Promise<void>
}

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

/** Keeps a practice office in a file: replaced whole or not at all, and never overwritten when it can't be read. */
export function stateFile(path: string): Persistence & { setAside(): Promise<string> } {
  return {
    async load() {
      try {
        return await readFile(path, 'utf8')
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    async save(text) {
      const beside = `${path}.${process.pid}.new`
      // The keys of signing pages are in it: nobody else's to read.
      const file = await open(beside, 'w', 0o600)
      try {
        await file.writeFile(text)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(beside, path)
    },
    async setAside() {
      const aside = `${path}.unreadable-${Date.now()}`
      await rename(path, aside)
      return aside
    }
  }
}
