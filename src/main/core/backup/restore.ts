/**
 * Restores a backup: it is written beside what is there, checked whole, and only then decided on; the next start puts it in place before
 * anything is opened. What was there is set aside. However it is killed, the application finds what was there or what was restored,
 * each whole. And nothing that waited to be sent leaves before the service was looked through for it.
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
import { flushFolder, replaceWith, writeAtomically } from '../storage/atomic-file.ts'
import { connectEncrypted, connectInMemory, connectToLook, type Db, rawKey } from '../storage/connection.ts'
import { COPIES_FOLDER, copiesIn } from '../storage/copies.ts'
import { DATABASE_FILE, DOCUMENTS_FILE } from '../storage/database.ts'
import { filed, fileErrorOf } from '../storage/file-error.ts'
import { isThere } from '../storage/files.ts'
import type { Keychain } from '../storage/keychain.ts'
import { keptIn, OFFICE_UNKNOWN, openMeta } from '../storage/meta.ts'
import { type Migration, migrate, migrations, versionOf } from '../storage/migrations.ts'
import { Manifest, MOST_MANIFEST, PASSING_FOLDER, removePassing } from './backup.ts'
import { cut, damaged, openSealed, type SealedFacts } from './sealed-file.ts'

const SETTINGS_FILE = 'settings.json'
const DECIDED_FILE = 'restore.json'
/** In the restored database: what is still to be done once the application has opened it. */
const RESTORED = 'restored'

export interface RestoreOrder {
  /** The data folder. */
  folder: string
  path: string
  passphrase: string
  /** Of this computer's databases: what is restored gets it. */
  key: Uint8Array
  /** Milliseconds since 1970 UTC. */
  now: number
}

/** What a backup holds that was checked whole. */
export interface CheckedBackup extends SealedFacts {
  /** The folder inside the data folder that has it, ready to be put in place. */
  stage: string
  accounts: number
  drafts: number
  /** Packages that hadn't left. */
  waiting: number
  hasSecrets: boolean
}

/**
 * Writes what a backup holds into a folder beside the databases, and checks all of it.
 * @throws AppFailure `bad-file` with what is wrong with it; FileError. Nothing is left behind then.
 */
export async function stageBackup({ folder, path, passphrase, key, now }: RestoreOrder): Promise<CheckedBackup> {
  const stage = `restore-${randomBytes(8).toString('hex')}`
  const into = join(folder, stage)
  const file = await openSealed(path)
  try {
    await filed(() => mkdir(into, { recursive: true, mode: 0o700 }))
    const manifest = await unpacked(file.content(passphrase), file.bytes, into)
    const facts = await prepared(into, contentsOf(manifest), { key, now, ...file.facts })
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

/** Writes the files, each compared with what the backup says of it. */
async function unpacked(content: AsyncGenerator<Buffer>, bytes: number, into: string): Promise<Manifest> {
  const reader = readerOf(content)
  const length = (await reader.take(4)).readUInt32BE()
  if (length > MOST_MANIFEST) damaged()
  const manifest = Manifest.safeParse(parsedJson((await reader.take(length)).toString())).data ?? damaged()
  const known = manifest.files.reduce((sum, one) => sum + one.bytes, 4 + length)
  if (bytes < known) cut()
  if (bytes > known || new Set(manifest.files.map(({ name }) => name)).size < manifest.files.length) damaged()
  if (manifest.files[0]?.name !== DATABASE_FILE) damaged()
  for (const { name, bytes: size, sha256 } of manifest.files) {
    const hash = createHash('sha256')
    const file = await filed(() => openFile(join(into, name), 'wx', 0o600))
    try {
      for (let left = size; left > 0; ) {
        const some = await reader.some(left)
        hash.update(some)
        left -= some.byteLength
        await filed(() => file.writeFile(some))
      }
      await filed(() => file.sync())
    } finally {
      await file.close()
    }
    if (hash.digest('hex') !== sha256) damaged()
  }
  // To the end: the last chunk says that it is the last.
  if (!(await reader.isAtEnd())) damaged()
  return manifest
}

function readerOf(content: AsyncGenerator<Buffer>) {
  let held: Buffer = Buffer.alloc(0)
  async function more(): Promise<boolean> {
    const { value, done } = await content.next()
    if (done) return false
    held = held.byteLength === 0 ? value : Buffer.concat([held, value])
    return true
  }
  function taken(length: number): Buffer {
    const some = held.subarray(0, length)
    held = held.subarray(length)
    return some
  }
  return {
    async take(length: number): Promise<Buffer> {
      while (held.byteLength < length) if (!(await more())) cut()
      return taken(length)
    },
    /** Up to so many bytes, at least one. */
    async some(most: number): Promise<Buffer> {
      while (held.byteLength === 0) if (!(await more())) cut()
      return taken(Math.min(most, held.byteLength))
    },
    async isAtEnd(): Promise<boolean> {
      while (held.byteLength === 0) if (!(await more())) return true
      return false
    }
  }
}

/**
 * Makes a copy of the database that lies beside it ready to take its place, as what a backup holds.
 * @param name of the copy: see storage/copies.ts.
 * @throws AppFailure `bad-file` where it isn't as it was written; FileError. Nothing is left behind then.
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
    await filed(() => mkdir(into, { mode: 0o700 }))
    await filed(() => copyFile(join(folder, COPIES_FOLDER, name), join(into, DATABASE_FILE)))
    await prepared(into, { own: key, hasDocuments: false, secrets: {} }, { key, now, madeAt: found.at })
    await flushFolder(into)
    return { stage }
  } catch (error) {
    await rm(into, { recursive: true, force: true })
    throw error
  }
}

/** Checks the databases, brings them to this version, and gives the main one this computer's key. */
async function prepared(
  into: string,
  { own, hasDocuments, secrets }: { own: Uint8Array; hasDocuments: boolean; secrets: Restored['secrets'] },
  { key, now, ...made }: Pick<SealedFacts, 'madeAt'> & Partial<SealedFacts> & Pick<RestoreOrder, 'key' | 'now'>
): Promise<Pick<CheckedBackup, 'accounts' | 'drafts' | 'waiting'>> {
  const path = join(into, DATABASE_FILE)
  look(path, own, migrations)
  const db = connectEncrypted(path, own)
  let facts: Pick<CheckedBackup, 'accounts' | 'drafts' | 'waiting'>
  try {
    migrate(db)
    checkShape(db, migrations)
    if (hasDocuments) {
      look(join(into, DOCUMENTS_FILE), documentsKey(db, randomBytes).key, mirrorMigrations)
    }
    const count = (what: string) => Number(db.prepare(`SELECT count(*) FROM ${what}`).pluck().get())
    facts = {
      accounts: count('accounts'),
      drafts: count('drafts WHERE trashed_at IS NULL'),
      waiting: count(`sends WHERE state IN ('ready', 'sending', 'uncertain')`)
    }
    db.transaction(() => {
      holdWhatWaits(db, now)
      // Nobody has the screen of this computer.
      openMeta(db).erase('counter-running')
      keptIn(db).write(RESTORED, { ...made, at: now, secrets } satisfies Restored)
    })()
    db.pragma('journal_mode = DELETE')
    if (!Buffer.from(own).equals(key)) db.rekey(rawKey(key))
  } catch (error) {
    db.close()
    throw error
  }
  db.close()
  look(path, key, migrations)
  const file = await openFile(path, 'r+')
  await file.sync().finally(() => file.close())
  return facts
}

/** @throws AppFailure where a page of the file isn't as it was written, or a newer version wrote it. Nothing is written. */
function look(path: string, key: Uint8Array, steps: readonly Migration[]): void {
  let found: number
  try {
    const db = connectToLook(path, key)
    try {
      const isSound = db.pragma('integrity_check(1)', { simple: true }) === 'ok'
      if (!isSound || db.prepare('PRAGMA foreign_key_check').get() !== undefined) damaged()
      found = versionOf(db)
    } finally {
      db.close()
    }
  } catch (error) {
    if (error instanceof AppFailure) throw error
    damaged()
  }
  if (found > steps.length) {
    fail('bad-file', 'This backup was made by a newer version of Countersign.', {
      next: 'Update Countersign, then restore it.'
    })
  }
}

/** Tables and triggers are ours, as a new database has them: anyone who knows the passphrase could have put in others. */
function checkShape(db: Db, steps: readonly Migration[]): void {
  const fresh = connectInMemory()
  try {
    migrate(fresh, steps)
    const shapeOf = (one: Db) =>
      JSON.stringify(
        one
          .prepare(`SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%' ORDER BY type, name`)
          .all()
      )
    if (shapeOf(db) !== shapeOf(fresh)) damaged()
  } finally {
    fresh.close()
  }
}

/**
 * What waited when the backup was made may have left since, from here or from the computer it was made on: each package is looked for
 * before it may leave, each change of a document as well, and the outboxes wait until a person has seen it. What an office has is
 * what the office says that it is: without it nothing of that leaves here; that goes, too, for an office that was joined since.
 */
export function holdWhatWaits(db: Db, now: number): void {
  const error = JSON.stringify(MAY_HAVE_LEFT)
  const pause = JSON.stringify(PAUSED)
  keptIn(db).write(OFFICE_UNKNOWN, true)
  db.prepare(
    `INSERT INTO outboxes (account_id, paused_by, paused_at, pause_error)
       SELECT DISTINCT account_id, 'person', @now, @pause FROM sends WHERE state IN ('ready', 'sending', 'uncertain')
       ON CONFLICT (account_id) DO UPDATE SET paused_by = 'person', paused_at = @now, pause_error = @pause`
  ).run({ now, pause })
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

const MAY_HAVE_LEFT = {
  code: 'cancelled',
  message: 'This was waiting when the backup or copy was made, and may have been sent since.',
  mayHaveArrived: true
} as const
const PAUSED = {
  code: 'cancelled',
  message: 'Restored from a backup or copy. Countersign looks for each waiting package in your folders first.'
} as const

const Decided = z.object({
  stage: z.string().regex(PASSING_FOLDER),
  aside: z.string().regex(/^set-aside-[\dTZ-]{20}-[0-9a-f]{4}$/),
  /** What was there is out of the way. */
  isAside: z.boolean(),
  /** It is a copy of the database alone: all else stays where it is. */
  isCopy: z.boolean().default(false)
})
type Decided = z.infer<typeof Decided>

/** From here on the next start puts it in place. @throws AppFailure `gone`; FileError. */
export async function decideOnRestore(folder: string, stage: string, now: number, isCopy = false): Promise<void> {
  if (!PASSING_FOLDER.test(stage) || !(await isThere(join(folder, stage, DATABASE_FILE), nodeFiles))) {
    fail('gone', 'This backup is no longer open.', { next: 'Choose it again.' })
  }
  const stamp = new Date(now).toISOString().slice(0, 19).replaceAll(':', '-')
  const aside = `set-aside-${stamp}Z-${stage.slice(-4)}`
  await writeDecision(folder, { stage, aside, isAside: false, isCopy })
}

/**
 * Puts in place what was decided on, and removes what nobody decided on. Before the databases and the settings are opened, each time.
 * @throws FileError: then nothing may be opened, and the next start goes on with it.
 */
export async function finishRestore(folder: string): Promise<void> {
  const text = await readFile(join(folder, DECIDED_FILE), 'utf8').catch((error: unknown) => {
    const system = fileErrorOf(error)?.system
    if (system === 'ENOENT' || system === 'ENOTDIR') return undefined
    throw error
  })
  // Written whole or not at all: anything else isn't ours, and decides nothing.
  const decided = text === undefined ? undefined : Decided.safeParse(parsedJson(text)).data
  if (decided) await filed(() => finish(folder, decided))
  await removePassing(folder)
}

const filesOf = (name: string) => [name, `${name}-wal`, `${name}-shm`]
/** Copies of what was there go with it. */
const REPLACED = [...filesOf(DATABASE_FILE), ...filesOf(DOCUMENTS_FILE), COPIES_FOLDER, SETTINGS_FILE]

async function finish(folder: string, { stage, aside, isAside, isCopy }: Decided): Promise<void> {
  const [from, old] = [join(folder, stage), join(folder, aside)]
  if (!isAside) {
    await mkdir(old, { recursive: true, mode: 0o700 })
    for (const name of isCopy ? filesOf(DATABASE_FILE) : REPLACED) await moved(join(folder, name), join(old, name))
    await flushFolder(old)
    await flushFolder(folder)
    await writeDecision(folder, { stage, aside, isAside: true, isCopy })
  }
  for (const name of [SETTINGS_FILE, DOCUMENTS_FILE, DATABASE_FILE]) await moved(join(from, name), join(folder, name))
  await flushFolder(folder)
  await rm(join(folder, DECIDED_FILE), { force: true })
}

/** Nothing is done where it isn't there: it was moved before a kill, or never was. */
async function moved(from: string, to: string): Promise<void> {
  if (await isThere(from, nodeFiles)) await replaceWith(nodeFiles, from, to)
}

async function writeDecision(folder: string, decided: Decided): Promise<void> {
  await writeAtomically(join(folder, DECIDED_FILE), JSON.stringify(decided), { ifExists: 'replace' })
}

const Restored = z.object({
  madeAt: z.number(),
  /** Undefined for a copy of this computer's own. */
  madeBy: z.string().optional(),
  at: z.number(),
  secrets: z.record(z.string(), z.string())
})
type Restored = z.infer<typeof Restored>

/** What was restored just now, for the audit trail. */
export interface RestoredBackup {
  madeAt: number
  /** It was a copy that lay beside the database. */
  isCopy: boolean
  /** How many entries the audit trail had here before; undefined if that isn't known. */
  entriesBefore: number | undefined
  /** Forgets it: to be called along with the entry that tells of it. */
  done: () => void
}

/**
 * Does what is left to do once a restored database is open: the accounts' secrets go into the keychain, and the trail that is there now
 * is the one to be compared with. Undefined where nothing was restored.
 * @throws KeychainError: it is done at the next start.
 */
export async function settleRestored(
  db: Db,
  { accounts, auditAnchor }: Pick<Keychain, 'accounts' | 'auditAnchor'>
): Promise<RestoredBackup | undefined> {
  const restored = keptIn(db).read(RESTORED, Restored)
  if (!restored) return undefined
  for (const [accountId, secret] of Object.entries(restored.secrets)) await accounts.set(accountId, secret)
  const entriesBefore = await forgetAnchor(auditAnchor, openMeta(db))
  return {
    madeAt: restored.madeAt,
    isCopy: restored.madeBy === undefined,
    entriesBefore,
    done() {
      // It held secrets: nothing of them stays in a page that is free.
      db.pragma('secure_delete = ON')
      openMeta(db).erase(RESTORED)
    }
  }
}
