/**
 * Makes backups: consistent copies of both databases, made by SQLite while the application works, with the settings and
 * optionally the accounts' secrets, encrypted with a passphrase. Runs in its own thread.
 */
import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import * as nodeFiles from 'node:fs/promises'
import { chmod, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { documentsKey } from '../documents/mirror/database.ts'
import { fail } from '../lib/failure.ts'
import { isTemporaryName, writeAtomically } from '../storage/atomic-file.ts'
import { connectEncrypted, KEY_BYTES, rawKey } from '../storage/connection.ts'
import { copyDatabase } from '../storage/copies.ts'
import { DATABASE_FILE, DOCUMENTS_FILE } from '../storage/database.ts'
import { faultOf } from '../storage/database-fault.ts'
import { exists } from '../storage/files.ts'
import { openMeta, RESTORED_SECRETS } from '../storage/meta.ts'
import { type Sealing, seal } from './sealed-file.ts'

export const BACKUP_EXTENSION = 'countersign-backup'
/** Temporary folders inside the data folder; a crash leaves them, and the next start removes them. */
export const TEMPORARY_FOLDER = /^(?:backup|restore)-[0-9a-f]{16}$/
export const MAX_MANIFEST_BYTES = 8 * 1024 * 1024

/** The first part of a backup; describes the rest. */
export const Manifest = z.object({
  files: z
    .array(
      z.object({
        name: z.enum([DATABASE_FILE, DOCUMENTS_FILE]),
        bytes: z.int().min(1),
        sha256: z.string().regex(/^[0-9a-f]{64}$/)
      })
    )
    .min(1)
    .max(2),
  /** Key of the main database's copy, created for this backup. */
  key: z.string().regex(/^[0-9a-f]{64}$/),
  settings: z.record(z.string(), z.unknown()),
  /** By account id; empty if not requested. */
  secrets: z.record(z.string().regex(/^[A-Za-z0-9-]{1,64}$/), z.string().max(100_000))
})
export type Manifest = z.infer<typeof Manifest>

export interface BackupOrder extends Sealing {
  /** The data folder. */
  folder: string
  key: Uint8Array
  /** Absolute target path. */
  path: string
  /** See `AtomicOptions`; by default, an existing file is replaced once the new one is complete. */
  ifExists?: 'replace' | 'number'
  passphrase: string
  settings: Record<string, unknown>
  secrets: Record<string, string>
}

/**
 * Makes a backup.
 * @returns its size in bytes, and its path.
 * @throws AppFailure `storage` if a database is damaged; FileError; SQLite's error. An existing file at `path` is
 * unchanged then.
 */
export async function makeBackup(order: BackupOrder & { mark?: string }): Promise<{ bytes: number; path: string }> {
  const { folder, key, path, ifExists = 'replace', passphrase, settings, secrets, mark, ...sealing } = order
  const temporaryFolder = join(folder, `backup-${randomBytes(8).toString('hex')}`)
  await mkdir(temporaryFolder, { mode: 0o700 })
  try {
    const copyKey = randomBytes(KEY_BYTES)
    const files = await copyDatabases(folder, key, copyKey, temporaryFolder)
    const manifest: Manifest = { files, key: copyKey.toString('hex'), settings, secrets }
    return await writeAtomically(path, seal(contentOf(manifest, temporaryFolder), passphrase, sealing), {
      ifExists,
      ...(mark !== undefined && { mark })
    })
  } finally {
    await rm(temporaryFolder, { recursive: true, force: true })
  }
}

export interface PlannedOrder extends Omit<BackupOrder, 'path'> {
  /** Target folder; it must exist, otherwise nothing is made. */
  into: string
  name: string
  /** Identifies this computer's temporary files there: see `AtomicOptions`. */
  mark: string
  /** Names of earlier backups in that folder to delete once this one is complete. */
  older: readonly string[]
}

/** Result of an automatic backup. */
export interface PlannedBackup {
  bytes: number
  /** The older backups that were deleted. */
  removed: string[]
}

/**
 * Makes a backup in a folder that may be on another computer. Removes leftovers of a crash there first, and surplus
 * backups afterwards.
 * @throws AppFailure `gone` if the folder can't be reached; as {@link makeBackup}. Existing backups are unchanged then.
 */
export async function makePlannedBackup({ into, name, mark, older, ...order }: PlannedOrder): Promise<PlannedBackup> {
  const isFolder = await stat(into)
    .then((found) => found.isDirectory())
    .catch(() => false)
  if (!isFolder) {
    // Creating the folder instead of an unmounted share would put backups on this computer's own disk.
    fail('gone', 'The folder for backups can’t be reached.', {
      next: 'Connect the drive or network share, or choose another folder in Settings.'
    })
  }
  for (const found of await readdir(into)) {
    if (isTemporaryName(found, mark)) await rm(join(into, found), { force: true }).catch(() => undefined)
  }
  const { bytes } = await makeBackup({ ...order, path: join(into, name), mark })
  const removed: string[] = []
  for (const old of older) {
    await rm(join(into, old), { force: true }).then(
      () => removed.push(old),
      () => undefined
    )
  }
  return { bytes, removed }
}

/** Removes leftovers of a crashed backup or an undecided restore. Never rejects. */
export async function removeTemporaryFolders(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (TEMPORARY_FOLDER.test(name))
      await rm(join(folder, name), { recursive: true, force: true }).catch(() => undefined)
  }
}

async function copyDatabases(
  folder: string,
  key: Uint8Array,
  copyKey: Buffer,
  temporaryFolder: string
): Promise<Manifest['files']> {
  const main = join(temporaryFolder, DATABASE_FILE)
  copy(join(folder, DATABASE_FILE), key, main)
  const db = connectEncrypted(main, key)
  let documents: Uint8Array
  try {
    documents = documentsKey(db, randomBytes).key
    // SQLite can't change a key in WAL mode.
    db.pragma('journal_mode = DELETE')
    openMeta(db).erase(RESTORED_SECRETS)
    db.rekey(rawKey(copyKey))
  } finally {
    db.close()
  }
  const names: Manifest['files'][number]['name'][] = [DATABASE_FILE]
  if (await exists(join(folder, DOCUMENTS_FILE), nodeFiles)) {
    copy(join(folder, DOCUMENTS_FILE), documents, join(temporaryFolder, DOCUMENTS_FILE))
    names.push(DOCUMENTS_FILE)
  }
  return Promise.all(
    names.map(async (name) => {
      await chmod(join(temporaryFolder, name), 0o600).catch(() => undefined)
      return { name, ...(await factsOf(join(temporaryFolder, name))) }
    })
  )
}

function copy(from: string, key: Uint8Array, to: string): void {
  try {
    copyDatabase(from, key, to)
  } catch (error) {
    if (faultOf(error).kind === 'file') refuseDamagedSource()
    throw error
  }
}

function refuseDamagedSource(): never {
  fail('storage', 'Your data couldn’t be backed up, because part of it is damaged.', {
    next: 'Keep your earlier backups, and contact your administrator.'
  })
}

async function* contentOf(manifest: Manifest, temporaryFolder: string): AsyncGenerator<Buffer> {
  const text = Buffer.from(JSON.stringify(manifest))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(text.byteLength)
  yield Buffer.concat([length, text])
  for (const { name } of manifest.files) yield* createReadStream(join(temporaryFolder, name)) as AsyncIterable<Buffer>
}

async function factsOf(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    bytes += chunk.byteLength
  }
  return { bytes, sha256: hash.digest('hex') }
}
