/** Where the practice office is kept between two starts: in the encrypted database, as people practise with real names too. */
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import { openMeta } from '../storage/meta.ts'

export interface KeptOffice {
  /** What was last kept, and below it a line for each that was added since; undefined if nothing was. */
  load(): string | undefined
  /** Replaces what was kept, and what was added to it. */
  save(state: string): void
  /** Keeps a line of text beside what was kept last. */
  add(line: string): void
  /** Puts what can't be read where nothing overwrites it. */
  setAside(): void
}

const KEY = 'practice-office'
const ADDED = `${KEY}:added-`

export function openKeptOffice(db: Db, time: Pick<Time, 'now'>): KeptOffice {
  const meta = openMeta(db)
  const added = db.prepare<[], string>(`SELECT value FROM meta WHERE key GLOB '${ADDED}*' ORDER BY rowid`).pluck()
  const insert = db.prepare<[string]>(
    `INSERT INTO meta (key, value)
     SELECT '${ADDED}' || (1 + count(*)), ? FROM meta WHERE key GLOB '${ADDED}*'`
  )
  const eraseAdded = db.prepare(`DELETE FROM meta WHERE key GLOB '${ADDED}*'`)

  function load(): string | undefined {
    const state = meta.read(KEY)
    return state === undefined ? undefined : [state, ...added.all()].join('\n')
  }

  return {
    load,
    save: db.transaction((state: string): void => {
      meta.write(KEY, state)
      eraseAdded.run()
    }),
    add: (line) => void insert.run(line),
    setAside: db.transaction((): void => {
      const unreadable = load()
      if (unreadable !== undefined) meta.write(`${KEY}:unreadable-${time.now()}`, unreadable)
      meta.erase(KEY)
      eraseAdded.run()
    })
  }
}
