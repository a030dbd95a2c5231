/**
 * Automatic copies of the database, next to it: one for each day of use, made while the computer is idle. If the
 * database is damaged, or was used by a newer version, a copy can replace it. Purging the database also purges the
 * copies.
 */
import { join } from 'node:path'
import type { CopyView, HoldView } from '../../../shared/contract/index.ts'
import { DAY } from '../lib/calendar.ts'
import { fail } from '../lib/failure.ts'
import type { Time } from '../lib/time.ts'
import { type Cutoffs, openPurging } from '../retention/purging.ts'
import { connectEncrypted, connectReadOnly, type Db } from '../storage/connection.ts'
import { COPIES_FOLDER, copiesIn, isUsable, makeCopy, removeCopy, removeOldCopies } from '../storage/copies.ts'
import { DATABASE_FILE, type OpenedDatabase, storedKey } from '../storage/database.ts'
import type { Keychain } from '../storage/keychain.ts'
import { migrations } from '../storage/migrations.ts'
import { scheduleRestore } from './restore.ts'

interface DatabaseLocation {
  /** The data folder. */
  folder: string
  /** Key of the database in it. */
  key: Uint8Array
}

/** What to erase from copies, too: see retention/purging.ts. */
export interface CopiesPurge {
  cutoffs: Cutoffs
  /** Erase drafts that were moved to the trash before this moment. */
  trashedBefore: number
  /** All current holds, since a copy's own are outdated. */
  holds: readonly HoldView[]
}

/** Requests about copies to the backup thread. */
export interface CopyQuestions {
  copy: { ask: DatabaseLocation & { now: number }; answer: undefined }
  copies: { ask: DatabaseLocation; answer: CopyView[] }
  stageCopy: { ask: DatabaseLocation & { now: number; name: string }; answer: { stage: string } }
  purgeCopies: { ask: DatabaseLocation & CopiesPurge; answer: undefined }
}

/** Makes a copy now and removes old ones. @throws as `makeCopy`, and FileError. */
export async function copyNow({ folder, key, now }: DatabaseLocation & { now: number }): Promise<undefined> {
  await makeCopy(folder, { database: DATABASE_FILE, key, now })
  await removeOldCopies(folder, now)
}

/** Returns the usable copies, newest first, with what each lacks. */
export async function copyViews({ folder, key }: DatabaseLocation): Promise<CopyView[]> {
  const usable = (await copiesIn(folder)).filter((copy) => isUsable(folder, copy, key, migrations.length))
  return usable.map(({ name, at, isBeforeUpdate }) => {
    const missing = missingSince(folder, key, at)
    return { name, at, isBeforeUpdate, ...(missing && { missing }) }
  })
}

const ADDED_SINCE: Record<keyof NonNullable<CopyView['missing']>, string> = {
  sends: 'sends WHERE created_at > ?',
  drafts: 'drafts WHERE updated_at > ? AND trashed_at IS NULL',
  downloads: 'downloads WHERE queued_at > ?',
  audit: 'audit WHERE at > ?'
}

/** Reads the current database, possibly damaged, without changing it. */
function missingSince(folder: string, key: Uint8Array, at: number): CopyView['missing'] {
  try {
    const db = connectReadOnly(join(folder, DATABASE_FILE), key)
    try {
      const counts = Object.entries(ADDED_SINCE).flatMap(([kind, what]): [string, number][] => {
        try {
          return [[kind, Number(db.prepare(`SELECT count(*) FROM ${what}`).pluck().get(at))]]
        } catch {
          // This table is damaged; others may be intact.
          return []
        }
      })
      return counts.length > 0 ? Object.fromEntries(counts) : undefined
    } finally {
      db.close()
    }
  } catch {
    return undefined
  }
}

/** Erases from each copy what the database no longer has. A copy that can't be purged is removed. @throws FileError */
export async function purgeCopies({ folder, key, ...order }: DatabaseLocation & CopiesPurge): Promise<undefined> {
  for (const { name } of await copiesIn(folder)) {
    const isPurged = await purgeCopy(join(folder, COPIES_FOLDER, name), key, order).then(
      () => true,
      () => false
    )
    if (!isPurged) await removeCopy(folder, name)
  }
}

async function purgeCopy(path: string, key: Uint8Array, { cutoffs, trashedBefore, holds }: CopiesPurge): Promise<void> {
  const db = connectEncrypted(path, key)
  try {
    // A copy has no log next to it.
    db.pragma('journal_mode = DELETE')
    replaceHolds(db, holds)
    const purging = openPurging(db)
    db.transaction(() => {
      const trashed = db.prepare('DELETE FROM drafts WHERE trashed_at < ?').run(trashedBefore).changes
      purging.count('trash', trashed)
    })()
    await purging.erase(cutoffs, { isCopy: true })
    await purging.tidy()
  } finally {
    db.close()
  }
}

function replaceHolds(db: Db, holds: readonly HoldView[]): void {
  const add = db.prepare(
    `INSERT INTO document_holds (account_id, document_reference, document_name, reason, staff, held_at)
       SELECT @accountId, @reference, @documentName, @reason, @staff, @at
        WHERE EXISTS (SELECT 1 FROM accounts WHERE id = @accountId)`
  )
  db.transaction(() => {
    db.prepare('DELETE FROM document_holds').run()
    for (const hold of holds) add.run(hold)
  })()
}

/**
 * Delay after the start, between checks, between copies, and until a copy is made even while someone works; in
 * milliseconds.
 */
const FIRST_DELAY = 5 * 60_000
const CHECK_INTERVAL = 15 * 60_000
const MIN_AGE = (20 / 24) * DAY
const MAX_AGE = (28 / 24) * DAY

export interface RollingCopiesDeps {
  ask: <Name extends keyof CopyQuestions>(
    name: Name,
    ask: CopyQuestions[Name]['ask']
  ) => Promise<CopyQuestions[Name]['answer']>
  /** The data folder. */
  folder: string
  storage: OpenedDatabase
  keychain: Pick<Keychain, 'databaseKey'>
  /** Whether work is in progress that mustn't be slowed down. */
  isBusy: () => boolean
  /** Whether the computer has been idle for a while. */
  isIdle: () => boolean
  /** Reports a failed copy, which is retried. */
  onError: (error: unknown) => void
  time: Pick<Time, 'now' | 'after'>
}

export class RollingCopies {
  readonly #deps: RollingCopiesDeps
  #cancel: (() => void) | undefined
  #isOpen = false

  constructor(deps: RollingCopiesDeps) {
    this.#deps = deps
  }

  /** Makes copies when due, from now on. */
  start(): void {
    this.#isOpen = this.#deps.storage.state === 'encrypted'
    this.#scheduleIn(FIRST_DELAY)
  }

  close(): void {
    this.#isOpen = false
    this.#cancel?.()
  }

  /** Lists copies that can replace a database that can't be opened. @throws KeychainError */
  async list(): Promise<CopyView[]> {
    const { ask, folder, keychain, storage } = this.#deps
    if (storage.state === 'encrypted') return []
    const key = await storedKey(keychain)
    return key ? ask('copies', { folder, key }) : []
  }

  /**
   * Checks a copy, and prepares it for `use`. @throws AppFailure `not-allowed`, `keychain`, `gone`, `bad-file`;
   * FileError.
   */
  async stage(name: string): Promise<string> {
    const { ask, folder, keychain, storage, time } = this.#deps
    if (storage.state === 'encrypted') fail('not-allowed', 'Your data is open, so no copy is needed.')
    const key = await storedKey(keychain)
    if (!key) fail('keychain', 'The key to your data isn’t in the keychain any more.')
    const { stage } = await ask('stageCopy', { folder, key, name, now: time.now() })
    return stage
  }

  /**
   * Schedules a prepared copy to replace the database at the next start. Call when the application ends, as every later
   * start would use it. @throws AppFailure `gone`; FileError.
   */
  async use(stage: string): Promise<void> {
    await scheduleRestore(this.#deps.folder, stage, this.#deps.time.now(), true)
  }

  /** Purges the copies. @throws AppFailure; KeychainError. */
  async purge(order: CopiesPurge): Promise<void> {
    const { ask, folder, keychain, storage } = this.#deps
    if (storage.state !== 'encrypted' || (await copiesIn(folder)).length === 0) return
    const key = await storedKey(keychain)
    if (key) await ask('purgeCopies', { folder, key, ...order })
  }

  #scheduleIn(wait: number): void {
    if (!this.#isOpen) return
    this.#cancel = this.#deps.time.after(wait, () => {
      void this.#makeIfDue()
        .catch(this.#deps.onError)
        .finally(() => this.#scheduleIn(CHECK_INTERVAL))
    })
  }

  async #makeIfDue(): Promise<void> {
    const { ask, folder, isBusy, isIdle, keychain, time } = this.#deps
    const now = time.now()
    const [newest] = await copiesIn(folder)
    const age = newest ? Math.abs(now - newest.at) : MAX_AGE
    if (age < MIN_AGE || isBusy() || (age < MAX_AGE && !isIdle())) return
    const key = await storedKey(keychain)
    if (key) await ask('copy', { folder, key, now })
  }
}
