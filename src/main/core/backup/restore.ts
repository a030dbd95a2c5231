/**
 * Restores a backup: it is unpacked next to the current data, fully checked, and only then confirmed; the next start
 * puts it in place before anything is opened. The previous data is set aside. After a crash at any point, the
 * application finds either the previous or the restored data, complete. Packages that were waiting aren't sent before
 * the service has been searched for them.
 */
import { createHash, randomBytes } from 'node:crypto'
import * as nodeFiles from 'node:fs/promises'
import { copyFile, mkdir, open as openFile, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { forgetAnchor } from '../audit/anchor.ts'
import { documentsKey, mirrorMigrations } from '../documents/mirror/database.ts'
import { AppFailure, fail } from '../lib/failure.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import { NEVER } from '../outbox/releases.ts'
import { flushFolder, replaceWith, writeAtomically } from '../storage/atomic-file.ts'
import { connectEncrypted, connectInMemory, connectReadOnly, type Db, rawKey } from '../storage/connection.ts'
import { COPIES_FOLDER, copiesIn } from '../storage/copies.ts'
import { DATABASE_FILE, DOCUMENTS_FILE } from '../storage/database.ts'
import { fileErrorOf, withFileErrors } from '../storage/file-error.ts'
import { exists } from '../storage/files.ts'
import { type AccountSecrets, type Keychain, KeychainError } from '../storage/keychain.ts'
import { OFFICE_UNKNOWN, openJsonMeta, openMeta, RESTORED_SECRETS } from '../storage/meta.ts'
import { type Migration, migrate, migrations, versionOf } from '../storage/migrations.ts'
import { MAX_MANIFEST_BYTES, Manifest, removeTemporaryFolders, TEMPORARY_FOLDER } from './backup.ts'
import { openSealed, refuseDamaged, refuseTruncated, type SealedFacts } from './sealed-file.ts'

const SETTINGS_FILE = 'settings.json'
const DECISION_FILE = 'restore.json'
/** Meta key in the restored database for what the audit trail has to learn once it is open. */
const RESTORED_KEY = 'restored'

export interface RestoreOrder {
  /** The data folder. */
  folder: string
  path: string
  passphrase: string
  /** Key of this computer's database, which the restored one gets. */
  key: Uint8Array
  /** Milliseconds since 1970 UTC. */
  now: number
}

export interface CheckedBackup extends SealedFacts {
  /** The folder inside the data folder that holds it, ready to be put in place. */
  stage: string
  accounts: number
  drafts: number
  /** Packages that hadn't been sent. */
  waiting: number
  hasSecrets: boolean
}

/**
 * Unpacks a backup into a folder next to the databases, and checks all of it.
 * @throws AppFailure `bad-file` with what is wrong; FileError. Nothing is left behind then.
 */
export async function stageBackup({ folder, path, passphrase, key, now }: RestoreOrder): Promise<CheckedBackup> {
  const stage = `restore-${randomBytes(8).toString('hex')}`
  const into = join(folder, stage)
  const file = await openSealed(path)
  try {
    await withFileErrors(() => mkdir(into, { recursive: true, mode: 0o700 }))
    const manifest = await unpack(file.content(passphrase), file.bytes, into)
    const facts = await prepareDatabases(into, contentsOf(manifest), { key, now, ...file.facts })
    await writeAtomically(join(into, SETTINGS_FILE), JSON.stringify(manifest.settings), { ifExists: 'replace' })
    await flushFolder(into)
    return { ...file.facts, stage, ...facts, hasSecrets: Object.keys(manifest.secrets).length > 0 }
  } catch (error) {
    await rm(into, { recursive: true, force: true })
    throw error
  } finally {
    await file.close()
  }
}

function contentsOf({ key, files, secrets }: Manifest) {
  const hasDocuments = files.some(({ name }) => name === DOCUMENTS_FILE)
  return { own: Buffer.from(key, 'hex'), hasDocuments, secrets }
}

/** Writes the files, checking each against the manifest. */
async function unpack(content: AsyncGenerator<Buffer>, bytes: number, into: string): Promise<Manifest> {
  const reader = readerOf(content)
  const length = (await reader.take(4)).readUInt32BE()
  if (length > MAX_MANIFEST_BYTES) refuseDamaged()
  const manifest = Manifest.safeParse(parsedJson((await reader.take(length)).toString())).data ?? refuseDamaged()
  const known = manifest.files.reduce((sum, one) => sum + one.bytes, 4 + length)
  if (bytes < known) refuseTruncated()
  if (bytes > known || new Set(manifest.files.map(({ name }) => name)).size < manifest.files.length) refuseDamaged()
  if (manifest.files[0]?.name !== DATABASE_FILE) refuseDamaged()
  for (const { name, bytes: size, sha256 } of manifest.files) {
    const hash = createHash('sha256')
    const file = await withFileErrors(() => openFile(join(into, name), 'wx', 0o600))
    try {
      for (let remaining = size; remaining > 0; ) {
        const chunk = await reader.takeSome(remaining)
        hash.update(chunk)
        remaining -= chunk.byteLength
        await withFileErrors(() => file.writeFile(chunk))
      }
      await withFileErrors(() => file.sync())
    } finally {
      await file.close()
    }
    if (hash.digest('hex') !== sha256) refuseDamaged()
  }
  // Reads to the end: only the last chunk confirms that it is the last.
  if (!(await reader.isAtEnd())) refuseDamaged()
  return manifest
}

function readerOf(content: AsyncGenerator<Buffer>) {
  let buffered: Buffer = Buffer.alloc(0)
  async function readMore(): Promise<boolean> {
    const { value, done } = await content.next()
    if (done) return false
    buffered = buffered.byteLength === 0 ? value : Buffer.concat([buffered, value])
    return true
  }
  function takeBuffered(length: number): Buffer {
    const some = buffered.subarray(0, length)
    buffered = buffered.subarray(length)
    return some
  }
  return {
    async take(length: number): Promise<Buffer> {
      while (buffered.byteLength < length) if (!(await readMore())) refuseTruncated()
      return takeBuffered(length)
    },
    /** Returns up to so many bytes, at least one. */
    async takeSome(maxBytes: number): Promise<Buffer> {
      while (buffered.byteLength === 0) if (!(await readMore())) refuseTruncated()
      return takeBuffered(Math.min(maxBytes, buffered.byteLength))
    },
    async isAtEnd(): Promise<boolean> {
      while (buffered.byteLength === 0) if (!(await readMore())) return true
      return false
    }
  }
}

/**
 * Prepares a rolling copy of the database for restoring, as for a backup.
 * @param name of the copy: see storage/copies.ts.
 * @throws AppFailure `bad-file` if it isn't intact; FileError. Nothing is left behind then.
 */
export async function stageCopy({
  folder,
  name,
  key,
  now
}: Pick<RestoreOrder, 'folder' | 'key' | 'now'> & { name: string }): Promise<{ stage: string }> {
  const found = (await copiesIn(folder)).find((copy) => copy.name === name)
  if (!found) fail('gone', 'This copy isn’t there any more.', { next: 'Choose another one.' })
  const stage = `restore-${randomBytes(8).toString('hex')}`
  const into = join(folder, stage)
  try {
    await withFileErrors(() => mkdir(into, { mode: 0o700 }))
    await withFileErrors(() => copyFile(join(folder, COPIES_FOLDER, name), join(into, DATABASE_FILE)))
    await prepareDatabases(into, { own: key, hasDocuments: false, secrets: {} }, { key, now, madeAt: found.at })
    await flushFolder(into)
    return { stage }
  } catch (error) {
    await rm(into, { recursive: true, force: true })
    throw error
  }
}

/** Checks the databases, migrates them to this version, and gives the main one this computer's key. */
async function prepareDatabases(
  into: string,
  { own, hasDocuments, secrets }: { own: Uint8Array; hasDocuments: boolean; secrets: RestoredSecrets['secrets'] },
  { key, now, ...made }: Pick<SealedFacts, 'madeAt'> & Partial<SealedFacts> & Pick<RestoreOrder, 'key' | 'now'>
): Promise<Pick<CheckedBackup, 'accounts' | 'drafts' | 'waiting'>> {
  const path = join(into, DATABASE_FILE)
  checkDatabase(path, own, migrations)
  const db = connectEncrypted(path, own)
  let facts: Pick<CheckedBackup, 'accounts' | 'drafts' | 'waiting'>
  try {
    migrate(db)
    checkSchema(db, migrations)
    if (hasDocuments) {
      checkDatabase(join(into, DOCUMENTS_FILE), documentsKey(db, randomBytes).key, mirrorMigrations)
    }
    const count = (what: string) => Number(db.prepare(`SELECT count(*) FROM ${what}`).pluck().get())
    facts = {
      accounts: count('accounts'),
      drafts: count('drafts WHERE trashed_at IS NULL'),
      waiting: count(`sends WHERE state IN ('ready', 'sending', 'uncertain')`)
    }
    db.transaction(() => {
      holdPendingWork(db, { now, madeAt: made.madeAt })
      // No signer has this computer's screen.
      openMeta(db).erase('counter-running')
      openJsonMeta(db).write(RESTORED_KEY, { ...made, at: now } satisfies Restored)
      openJsonMeta(db).write(RESTORED_SECRETS, { secrets, isRetry: false } satisfies RestoredSecrets)
    })()
    db.pragma('journal_mode = DELETE')
    if (!Buffer.from(own).equals(key)) db.rekey(rawKey(key))
  } catch (error) {
    db.close()
    throw error
  }
  db.close()
  checkDatabase(path, key, migrations)
  const file = await openFile(path, 'r+')
  await file.sync().finally(() => file.close())
  return facts
}

/** Checks a database read-only. @throws AppFailure if a page is damaged, or a newer version wrote the file. */
function checkDatabase(path: string, key: Uint8Array, steps: readonly Migration[]): void {
  let found: number
  try {
    const db = connectReadOnly(path, key)
    try {
      const isSound = db.pragma('integrity_check(1)', { simple: true }) === 'ok'
      if (!isSound || db.prepare('PRAGMA foreign_key_check').get() !== undefined) refuseDamaged()
      found = versionOf(db)
    } finally {
      db.close()
    }
  } catch (error) {
    if (error instanceof AppFailure) throw error
    refuseDamaged()
  }
  if (found > steps.length) {
    fail('bad-file', 'This backup was made by a newer version of Countersign.', {
      next: 'Update Countersign, then restore it.'
    })
  }
}

/** Checks that tables and triggers match a new database's: anyone who knows the passphrase could have added others. */
function checkSchema(db: Db, steps: readonly Migration[]): void {
  const fresh = connectInMemory()
  try {
    migrate(fresh, steps)
    const schemaOf = (one: Db) =>
      JSON.stringify(
        one
          .prepare(`SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%' ORDER BY type, name`)
          .all()
      )
    if (schemaOf(db) !== schemaOf(fresh)) refuseDamaged()
  } finally {
    fresh.close()
  }
}

/**
 * Holds waiting packages and document actions. They may have been sent after the backup, from here or from the computer
 * it was made on, so each becomes uncertain, to be looked for before it is sent, and outboxes are paused until a user
 * has looked. A package counts as attempted when the backup was made, so that its absence from the folders proves
 * nothing if that was long ago; not one whose time is still to come. Sends shared with an office keep their state: the
 * office decides, and without it they don't leave. That also applies to an office joined since the backup.
 */
export function holdPendingWork(
  db: Db,
  { now, madeAt }: Pick<RestoreOrder, 'now'> & Pick<SealedFacts, 'madeAt'>
): void {
  const error = JSON.stringify(MAY_HAVE_BEEN_SENT)
  const pause = JSON.stringify(PAUSED)
  openJsonMeta(db).write(OFFICE_UNKNOWN, true)
  db.prepare(
    `INSERT INTO outboxes (account_id, paused_by, paused_at, pause_error)
       SELECT DISTINCT account_id, 'person', @now, @pause FROM sends WHERE state IN ('ready', 'sending', 'uncertain')
       ON CONFLICT (account_id) DO UPDATE SET paused_by = 'person', paused_at = @now, pause_error = @pause`
  ).run({ now, pause })
  db.prepare(
    `UPDATE sends SET attempt = 1, attempted_at = @madeAt
       WHERE state IN ('ready', 'uncertain') AND attempt = 0 AND NOT (is_scheduled AND goes_at > @now AND goes_at < @never)
         AND id NOT IN (SELECT id FROM office_sends WHERE state <> 'cancelled')`
  ).run({ now, madeAt, never: NEVER })
  db.prepare(
    `UPDATE sends SET state = 'uncertain', first_attempted_at = coalesce(first_attempted_at, created_at), error = @error
       WHERE state IN ('ready', 'sending') AND id NOT IN (SELECT id FROM office_sends WHERE state <> 'cancelled')`
  ).run({ error })
  db.prepare(
    `UPDATE actions SET state = 'uncertain', in_doubt = 1, error = @error WHERE state IN ('waiting', 'running')`
  ).run({
    error
  })
}

const MAY_HAVE_BEEN_SENT = {
  code: 'cancelled',
  message: 'This was waiting when the backup or copy was made, and may have been sent since.',
  mayHaveArrived: true
} as const
const PAUSED = {
  code: 'cancelled',
  message: 'Restored from a backup or copy. Countersign looks for each waiting package in your folders first.'
} as const

const RestoreDecision = z.object({
  stage: z.string().regex(TEMPORARY_FOLDER),
  aside: z.string().regex(/^set-aside-[\dTZ-]{20}-[0-9a-f]{4}$/),
  /** Whether the previous data has been moved aside. */
  isAside: z.boolean(),
  /** Whether it is a copy of the database alone; everything else stays in place. */
  isCopy: z.boolean().default(false)
})
type RestoreDecision = z.infer<typeof RestoreDecision>

/** Schedules the restore for the next start. @throws AppFailure `gone`; FileError. */
export async function scheduleRestore(folder: string, stage: string, now: number, isCopy = false): Promise<void> {
  if (!TEMPORARY_FOLDER.test(stage) || !(await exists(join(folder, stage, DATABASE_FILE), nodeFiles))) {
    fail('gone', 'This backup is no longer open.', { next: 'Choose it again.' })
  }
  const stamp = new Date(now).toISOString().slice(0, 19).replaceAll(':', '-')
  const aside = `set-aside-${stamp}Z-${stage.slice(-4)}`
  try {
    await writeDecision(folder, { stage, aside, isAside: false, isCopy })
  } catch (error) {
    // It may be there, if only flushing it failed.
    await rm(join(folder, DECISION_FILE), { force: true }).catch(() => undefined)
    throw error
  }
}

/**
 * Performs a scheduled restore, and removes staged data that wasn't confirmed. Must run at every start before databases
 * and settings are opened.
 * @throws FileError: nothing may be opened then, and the next start continues.
 */
export async function finishRestore(folder: string): Promise<void> {
  const text = await readFile(join(folder, DECISION_FILE), 'utf8').catch((error: unknown) => {
    const system = fileErrorOf(error)?.systemCode
    if (system === 'ENOENT' || system === 'ENOTDIR') return undefined
    throw error
  })
  // Written atomically: anything else isn't ours and is ignored.
  const decided = text === undefined ? undefined : RestoreDecision.safeParse(parsedJson(text)).data
  if (decided) await withFileErrors(() => applyRestore(folder, decided))
  await removeTemporaryFolders(folder)
}

const databaseFiles = (name: string) => [name, `${name}-wal`, `${name}-shm`]
/** Includes the copies of the previous database. */
const REPLACED = [...databaseFiles(DATABASE_FILE), ...databaseFiles(DOCUMENTS_FILE), COPIES_FOLDER, SETTINGS_FILE]

async function applyRestore(folder: string, { stage, aside, isAside, isCopy }: RestoreDecision): Promise<void> {
  const [from, old] = [join(folder, stage), join(folder, aside)]
  if (!isAside) {
    await mkdir(old, { recursive: true, mode: 0o700 })
    for (const name of isCopy ? databaseFiles(DATABASE_FILE) : REPLACED)
      await moveIfThere(join(folder, name), join(old, name))
    await flushFolder(old)
    await flushFolder(folder)
    await writeDecision(folder, { stage, aside, isAside: true, isCopy })
  }
  for (const name of [SETTINGS_FILE, DOCUMENTS_FILE, DATABASE_FILE])
    await moveIfThere(join(from, name), join(folder, name))
  await flushFolder(folder)
  await rm(join(folder, DECISION_FILE), { force: true })
}

/** Moves a file if it exists: it may have been moved before a crash, or never existed. */
async function moveIfThere(from: string, to: string): Promise<void> {
  if (await exists(from, nodeFiles)) await replaceWith(nodeFiles, from, to)
}

async function writeDecision(folder: string, decided: RestoreDecision): Promise<void> {
  await writeAtomically(join(folder, DECISION_FILE), JSON.stringify(decided), { ifExists: 'replace' })
}

const Restored = z.object({
  madeAt: z.number(),
  /** Undefined for this computer's own copy. */
  madeBy: z.string().optional(),
  at: z.number(),
  /** Number of entries in the previous audit trail, once the keychain was asked. */
  entriesBefore: z.number().optional()
})
type Restored = z.infer<typeof Restored>

const RestoredSecrets = z.object({
  /** By account id. */
  secrets: z.record(z.string(), z.string()),
  /** Whether an earlier start has begun to store these; someone may have entered others since. */
  isRetry: z.boolean()
})
type RestoredSecrets = z.infer<typeof RestoredSecrets>

/** A restore that has just been done, for the audit trail. */
export interface RestoredBackup {
  madeAt: number
  /** Whether it was a rolling copy. */
  isCopy: boolean
  /** Number of entries in the previous audit trail; undefined if unknown. */
  entriesBefore: number | undefined
  /** Clears this record; call along with writing the audit entry. */
  clear: () => void
}

/**
 * Completes a restore once the database is open: stores the accounts' secrets in the keychain, and accepts the restored
 * audit trail as the one to compare with. Undefined if nothing was restored. Secrets that the keychain refuses now are
 * stored by a later start; the rest of the restore doesn't depend on them.
 * @param onError is called for each secret that isn't stored, and if that can't be noted.
 * @throws KeychainError: retried at the next start.
 */
export async function completeRestore(
  db: Db,
  { accounts, auditAnchor }: Pick<Keychain, 'accounts' | 'auditAnchor'>,
  onError: (error: unknown) => void
): Promise<RestoredBackup | undefined> {
  await storeSecrets(db, accounts, onError).catch(onError)
  const meta = openJsonMeta(db)
  const restored = meta.read(RESTORED_KEY, Restored)
  if (!restored) return undefined
  let { entriesBefore } = restored
  await forgetAnchor(auditAnchor, openMeta(db), (entries) => {
    // An earlier start may have ended before the restore was in the audit trail; then the keychain has the restored trail.
    if (entriesBefore !== undefined) return
    entriesBefore = entries
    meta.write(RESTORED_KEY, { ...restored, entriesBefore } satisfies Restored)
  })
  return {
    madeAt: restored.madeAt,
    isCopy: restored.madeBy === undefined,
    entriesBefore,
    clear: () => void openMeta(db).erase(RESTORED_KEY)
  }
}

/** Stores each secret once: a later start mustn't replace what was entered or renewed since. */
async function storeSecrets(db: Db, accounts: AccountSecrets, onError: (error: unknown) => void): Promise<void> {
  const meta = openJsonMeta(db)
  const restored = meta.read(RESTORED_SECRETS, RestoredSecrets)
  if (!restored) return
  const accountIds = db.prepare('SELECT id FROM accounts').pluck().all()
  const refused: RestoredSecrets['secrets'] = {}
  // Noted first: later it may not be possible, and after a crash it would be too late.
  if (!restored.isRetry) meta.write(RESTORED_SECRETS, { ...restored, isRetry: true } satisfies RestoredSecrets)
  for (const [id, secret] of Object.entries(restored.secrets)) {
    try {
      const isWanted = accountIds.includes(id) && (!restored.isRetry || (await accounts.get(id)) === null)
      if (isWanted) await accounts.set(id, secret)
    } catch (error) {
      onError(error)
      // One that is too long never fits; it has to be entered again.
      if (!(error instanceof KeychainError && error.code === 'too-long')) refused[id] = secret
    }
  }
  if (Object.keys(refused).length === 0) meta.erase(RESTORED_SECRETS)
  else meta.write(RESTORED_SECRETS, { secrets: refused, isRetry: true } satisfies RestoredSecrets)
}
