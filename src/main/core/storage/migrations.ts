/**
 * Brings a database to the shape this version knows, a step at a time, each step wholly or not at all. A database of a
 * later version is left exactly as it is.
 */
import type { Db } from './connection.ts'
import { beginning } from './migrations/001-beginning.ts'
import { drafts, indexDrafts } from './migrations/002-drafts.ts'
import { indexSends, outbox } from './migrations/003-outbox.ts'
import { draftsInOutbox } from './migrations/004-drafts-in-outbox.ts'
import { documentViews } from './migrations/005-document-views.ts'
import { actions } from './migrations/006-actions.ts'
import { employers } from './migrations/007-employers.ts'
import { handOff } from './migrations/008-hand-off.ts'
import { counter } from './migrations/009-counter.ts'
import { downloads, keepEarlierDownloads } from './migrations/010-downloads.ts'
import { dataTypeSpelling } from './migrations/011-data-type-spelling.ts'
import { downloadNaming } from './migrations/012-download-naming.ts'

/** One step. What has been released is never changed: the next step is added after it. */
export interface Migration {
  readonly name: string
  readonly sql: string
  /** What SQL alone can't do, after it and in the same transaction. */
  readonly run?: (db: Db) => void
}

/** In the order they are applied; the number of steps applied is the database's `user_version`. */
export const migrations: readonly Migration[] = [
  { name: 'beginning', sql: beginning },
  { name: 'drafts', sql: drafts, run: indexDrafts },
  { name: 'outbox', sql: outbox, run: indexSends },
  { name: 'drafts in the outbox', sql: draftsInOutbox },
  { name: 'document views', sql: documentViews },
  { name: 'actions', sql: actions },
  { name: 'employers', sql: employers },
  { name: 'hand-off folders', sql: handOff },
  { name: 'counter', sql: counter },
  { name: 'downloads', sql: downloads, run: keepEarlierDownloads },
  { name: 'spelling of the data type', sql: dataTypeSpelling },
  { name: 'naming of downloads', sql: downloadNaming }
]

/** The database was last used by a later version of the application. */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError'
  readonly code = 'newer-version'

  constructor(found: number, known: number) {
    super(`The database has version ${found}; this application knows ${known}.`)
  }
}

/** A step did not go through; the database is as it was before that step. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
  readonly code = 'upgrade-failed'
  /** SQLite's code, which tells a full disk from a step that doesn't fit the data. */
  readonly sqlite: string | undefined

  constructor(step: string, cause: unknown) {
    const sqlite = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
    super(`The step “${step}” did not go through (${sqlite ?? 'no code'}).`)
    this.sqlite = sqlite
  }
}

/**
 * Applies the steps that are still to do. Nothing happens to a database that has them all.
 *
 * @returns the number of steps applied now.
 * @throws {NewerSchemaError}
 * @throws {MigrationError}
 */
export function migrate(db: Db, steps: readonly Migration[] = migrations): number {
  const found = versionOf(db)
  if (found > steps.length) throw new NewerSchemaError(found, steps.length)
  for (const [index, step] of steps.entries()) {
    if (index >= found) apply(db, step, index)
  }
  return steps.length - found
}

export function versionOf(db: Db): number {
  return Number(db.pragma('user_version', { simple: true }))
}

function apply(db: Db, step: Migration, index: number): void {
  const once = db.transaction(() => {
    db.exec(step.sql)
    step.run?.(db)
    db.pragma(`user_version = ${index + 1}`)
  })
  try {
    once.exclusive()
  } catch (error) {
    throw new MigrationError(step.name, error)
  }
}
