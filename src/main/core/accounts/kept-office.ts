/** Where the practice office is kept between two starts: in the encrypted database, as people practise with real names too. */
import type { Db } from '../storage/connection.ts'

export interface KeptOffice {
  /** What was last kept; undefined where nothing was. */
  load(): string | undefined
  save(state: string): void
  /** Puts what can't be read where nothing overwrites it. */
  setAside(): void
}

const KEY = 'practice-office'

export function openKeptOffice(db: Db, clock: () => number): KeptOffice {
  const read = db.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck()
  const write = db.prepare<[string, string]>(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value'
  )
  const rename = db.prepare<[string, string]>('UPDATE meta SET key = ? WHERE key = ?')
  return {
    load: () => read.get(KEY),
    save: (state) => void write.run(KEY, state),
    setAside: () => void rename.run(`${KEY}:unreadable-${clock()}`, KEY)
  }
}
