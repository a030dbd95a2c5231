/** Stores the practice office between starts: in the encrypted database, since people practise with real names too. */
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import { openMeta } from '../storage/meta.ts'
import { Statements } from '../storage/statements.ts'

export type PracticeOfficeStore = ReturnType<typeof openPracticeOfficeStore>

const KEY = 'practice-office'
const ADDITION_PREFIX = `${KEY}:added-`

export function openPracticeOfficeStore(db: Db, time: Pick<Time, 'now'>) {
  const meta = openMeta(db)
  const statements = new Statements(db)
  const additions = statements.values<[], string>(
    `SELECT value FROM meta WHERE key GLOB '${ADDITION_PREFIX}*' ORDER BY rowid`
  )
  const insert = statements.run<[line: string]>(
    `INSERT INTO meta (key, value)
     SELECT '${ADDITION_PREFIX}' || (1 + count(*)), ? FROM meta WHERE key GLOB '${ADDITION_PREFIX}*'`
  )
  const eraseAdditions = statements.run<[]>(`DELETE FROM meta WHERE key GLOB '${ADDITION_PREFIX}*'`)

  /** The last saved state, followed by a line for each later addition; undefined if nothing was saved. */
  function load(): string | undefined {
    const state = meta.read(KEY)
    return state === undefined ? undefined : [state, ...additions()].join('\n')
  }

  return {
    load,
    /** Replaces the saved state and its additions. */
    save: (state: string): void =>
      db.transaction(() => {
        meta.write(KEY, state)
        eraseAdditions()
      })(),

    /** Appends a line to the saved state. */
    add: (line: string): void => void insert(line),

    /** Moves unreadable data to where it won't be overwritten. */
    setAside: (): void =>
      db.transaction(() => {
        const unreadable = load()
        if (unreadable !== undefined) meta.write(`${KEY}:unreadable-${time.now()}`, unreadable)
        meta.erase(KEY)
        eraseAdditions()
      })()
  }
}
