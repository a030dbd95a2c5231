/** Keeps a practice office in a file: replaced whole or not at all, and never overwritten when it can't be read. */
import { open, readFile, rename } from 'node:fs/promises'
import type { Persistence } from './effects.ts'

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
