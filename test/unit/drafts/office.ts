/** An office's drafts, presets, people and remembered values over a real database, with a clock that tests can set. */
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openDrafts } from '../../../src/main/core/drafts/drafts.ts'
import { openExchange } from '../../../src/main/core/drafts/exchange.ts'
import { FromOutside } from '../../../src/main/core/drafts/from-outside.ts'
import { openPeople } from '../../../src/main/core/drafts/people.ts'
import { openPresets } from '../../../src/main/core/drafts/presets.ts'
import { openRemembered } from '../../../src/main/core/drafts/remembered.ts'
import { openSharedDrafts } from '../../../src/main/core/drafts/shared-drafts.ts'
import { asAppError } from '../../../src/main/core/errors/app-error.ts'
import { systemTime } from '../../../src/main/core/lib/time.ts'
import { connectEncrypted, connectInMemory, type Db } from '../../../src/main/core/storage/connection.ts'
import { migrate } from '../../../src/main/core/storage/migrations.ts'
import type { RecipientView } from '../../../src/shared/contract/index.ts'
import { temporaryFolder } from '../storage/folders.ts'

export const MINUTE = 60_000
export const DAY = 24 * 60 * MINUTE
/** An account that isn't shared in an office. */
const unshared = { withSyncState: <Row>(_kind: string, _accountId: string, rows: Row[]): Row[] => rows }
const KEY = Buffer.alloc(32, 5)

export type Office = ReturnType<typeof openOffice>

/** Opens an office with the accounts `a` and `b`. */
export function openOffice(open: () => Db = connectInMemory) {
  const db = open()
  onTestFinished(() => void db.close())
  migrate(db)
  addAccount(db, 'a')
  addAccount(db, 'b')

  const time = { now: Date.UTC(2026, 10, 21, 9) }
  const clock = () => time.now
  let ids = 0
  const newId = () => `id-${++ids}`
  const changes: string[] = []
  const recipients: RecipientView[] = []
  const drafts = openDrafts({ db, time: { now: clock }, newId, changed: (id) => changes.push(id) })
  const presets = openPresets({ db, time: { now: clock }, newId, changed: () => changes.push('presets') })
  const exchange = openExchange({
    db,
    drafts,
    presets,
    newId,
    time: { now: clock },
    madeBy: 'Countersign 0.1.0',
    draftsChanged: (id) => changes.push(id),
    presetsChanged: () => changes.push('presets')
  })
  return {
    db,
    time,
    /** Ids of the drafts that changed, and `presets`, in order. */
    changes,
    drafts,
    sharedDrafts: openSharedDrafts({
      db,
      drafts,
      newId,
      accounts: () => new Map(),
      time: { ...systemTime, now: clock },
      changed: (id) => changes.push(id)
    }),
    presets,
    records: unshared,
    recipients,
    people: openPeople({ db, recipients: () => recipients, time: { now: clock }, changed: () => undefined }),
    remembered: openRemembered({ db, time: { now: clock } }),
    exchange,
    outside: new FromOutside({
      drafts,
      presets,
      exchange,
      newId,
      changed: () => changes.push('outside')
    })
  }
}

/** A database in a temporary file. */
export function onDisk(path: string = join(temporaryFolder(), 'office.db')): () => Db {
  return () => connectEncrypted(path, KEY)
}

export function addAccount(db: Db, id: string): void {
  db.prepare(
    `INSERT OR IGNORE INTO accounts (id, name, kind, base_url, auth_scheme, colour, folders, created_at, position)
     VALUES (?, 'Office', 'service', 'https://sign.example.com', 'none', '#123456', '[]', 1, 0)`
  ).run(id)
}

/** Hands a draft over to the outbox, in the given state. */
export function addSend(db: Db, draftId: string, state: string): void {
  const columns = db.prepare<[], string>(`SELECT name FROM pragma_table_info('sends')`).pluck().all()
  const values: Record<string, unknown> = { id: `send of ${draftId}`, draft_id: draftId, account_id: 'a', state }
  const needed = db
    .prepare<[], { name: string; type: string }>(
      `SELECT name, type FROM pragma_table_info('sends') WHERE "notnull" = 1 AND dflt_value IS NULL AND pk = 0`
    )
    .all()
  for (const { name, type } of needed) values[name] ??= name === 'kind' ? 'form-direct' : type === 'TEXT' ? '{}' : 1
  const names = Object.keys(values).filter((name) => columns.includes(name))
  db.prepare(`INSERT INTO sends (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`).run(
    values
  )
}

/** Returns the failure of a call, as reported to the screens. */
export function failureOf(call: () => unknown): { code: string; message: string } {
  try {
    call()
  } catch (error) {
    return asAppError(error)
  }
  throw new Error('It did not fail.')
}
