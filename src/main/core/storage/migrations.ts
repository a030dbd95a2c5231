/**
 * Migrates a database to this version's schema: applies all pending steps or none, so that an interrupted update leaves
 * a database that the previous version can open. A newer version's database is left unchanged.
 */
import type { Db } from './connection.ts'
import { schema } from './migrations/001-schema.ts'

/**
 * One step, frozen once released: changes are added as new steps, and a step imports nothing from the application,
 * whose code changes.
 */
export interface Migration {
  readonly name: string
  readonly sql: string
  /** What SQL alone can't do; runs after it in the same transaction. */
  readonly run?: (db: Db) => void
}

/** In the order of application; the number of applied steps is the database's `user_version`. */
export const migrations: readonly Migration[] = [{ name: 'schema', sql: schema }]

/** The database was last used by a later version of the application. */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError'
  readonly code = 'newer-version'

  constructor(found: number, known: number) {
    super(`The database has version ${found}; this application knows ${known}.`)
  }
}

/** A step failed; the database is as it was before any step. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
  readonly code = 'upgrade-failed'
  /** SQLite's code, which distinguishes a full disk from a step that doesn't fit the data. */
  readonly sqlite: string | undefined

  constructor(step: string, cause: unknown) {
    const sqlite = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
    super(`The step “${step}” did not go through (${sqlite ?? 'no code'}).`)
    this.sqlite = sqlite
  }
}

/**
 * Applies the pending steps, if any.
 *
 * @returns the number of steps applied now.
 * @throws {NewerSchemaError}
 * @throws {MigrationError}
 */
export function migrate(db: Db, steps: readonly Migration[] = migrations): number {
  const found = versionOf(db)
  if (found > steps.length) throw new NewerSchemaError(found, steps.length)
  const pending = steps.slice(found)
  const [first] = pending
  if (first === undefined) return 0
  let current = first.name
  const update = db.transaction(() => {
    for (const step of pending) {
      current = step.name
      db.exec(step.sql)
      step.run?.(db)
    }
    db.pragma(`user_version = ${steps.length}`)
  })
  try {
    update.exclusive()
  } catch (error) {
    throw new MigrationError(current, error)
  }
  return pending.length
}

export function versionOf(db: Db): number {
  return Number(db.pragma('user_version', { simple: true }))
}
