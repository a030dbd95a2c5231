/**
 * Opens `documents.db`, the encrypted file of the mirror. Always returns a working database: a file that can't be
 * opened is set aside whole and replaced by a new one, which the next read of the folders fills. Also defines its key
 * and schema.
 */

import * as nodeFiles from 'node:fs/promises'
import { join } from 'node:path'
import type { Time } from '../../lib/time.ts'
import { connectEncrypted, connectInMemory, type Db, KEY_BYTES } from '../../storage/connection.ts'
import { DOCUMENTS_FILE } from '../../storage/database.ts'
import { faultOf, type MemoryReason } from '../../storage/database-fault.ts'
import { exists, type Files } from '../../storage/files.ts'
import { checkIntegrity } from '../../storage/integrity.ts'
import { openMeta } from '../../storage/meta.ts'
import { type Migration, migrate } from '../../storage/migrations.ts'
import { setAside } from '../../storage/set-aside.ts'

const FILES = [DOCUMENTS_FILE, `${DOCUMENTS_FILE}-wal`, `${DOCUMENTS_FILE}-shm`]
/** A larger cache doesn't speed up a first read, and afterwards data is seldom read twice. */
const CACHE_KB = 16 * 1024
/** In pages. A first read writes a hundred megabytes: rarer checkpoints write each page fewer times. */
const CHECKPOINT_PAGES = 4000

export interface DocumentsPlace {
  /** The data folder, which must exist. */
  folder: string
  /** Undefined if nothing is stored on this machine: everything is then in memory. */
  key: DocumentsKey | undefined
  time: Pick<Time, 'now'>
  files?: Files
  /** The file was found to be damaged: it is set aside without another check. */
  isDamaged?: boolean
}

export type OpenedDocuments =
  | { db: Db; state: 'file'; setAside?: string }
  | { db: Db; state: 'memory'; because?: MemoryReason; setAside?: string }

/** Opens the mirror's database. Never rejects because of the disk or the file. */
export async function openDocuments({
  folder,
  key,
  time,
  files = nodeFiles,
  isDamaged = false
}: DocumentsPlace): Promise<OpenedDocuments> {
  if (!key) return { db: documentsInMemory(), state: 'memory' }
  const path = join(folder, DOCUMENTS_FILE)
  let moved: { setAside?: string } = {}
  const setFileAside = async () => {
    moved = { setAside: await setAside(folder, FILES, time.now(), files) }
  }
  try {
    if ((key.isNew || isDamaged) && (await exists(path, files))) await setFileAside()
    await restrictToOwner(folder, files)
    try {
      return { db: connect(path, key.key), state: 'file', ...moved }
    } catch (error) {
      if (faultOf(error).kind !== 'file') throw error
      await setFileAside()
      await restrictToOwner(folder, files)
      return { db: connect(path, key.key), state: 'file', ...moved }
    }
  } catch (error) {
    const fault = faultOf(error)
    const because = fault.kind === 'around' ? fault.because : 'disk-failed'
    return { db: documentsInMemory(), state: 'memory', because, ...moved }
  }
}

/** Opens the mirror without a file; everything is lost on closing. */
export function documentsInMemory(): Db {
  const db = connectInMemory()
  migrate(db, mirrorMigrations)
  return db
}

/** @throws errors that `faultOf` understands. */
function connect(path: string, key: Uint8Array): Db {
  const db = connectEncrypted(path, key)
  try {
    // What a system crash loses here, the service provides again at the next read.
    db.pragma('synchronous = NORMAL')
    db.pragma(`cache_size = -${CACHE_KB}`)
    db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
    migrate(db, mirrorMigrations)
    checkIntegrity(db)
    // A read-only file opens without error; this is the first statement to fail on it.
    db.exec('BEGIN IMMEDIATE; ROLLBACK')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Restricts the files to their owner. SQLite gives a WAL its database's permissions, and a new database the default
 * ones.
 */
async function restrictToOwner(folder: string, files: Files): Promise<void> {
  // Creates an empty file if there is none; otherwise leaves it alone.
  await (await files.open(join(folder, DOCUMENTS_FILE), 'a', 0o600)).close()
  for (const name of FILES) {
    const path = join(folder, name)
    // If the disk has no permissions, or the file is someone else's, it stays as it is.
    if (await exists(path, files)) await files.chmod(path, 0o600).catch(() => undefined)
  }
}

/**
 * The schema of `documents.db`. Times are milliseconds since 1970 UTC. Small columns that change often are kept apart
 * from the bodies, so that they can all be read at start-up.
 */

const schema = `
  CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    account_id TEXT NOT NULL,
    reference TEXT NOT NULL,
    folder TEXT NOT NULL,
    -- Whether a folder has shown it: what an operation of ours answered doesn't say where it is.
    is_placed INTEGER NOT NULL CHECK (is_placed IN (0, 1)),
    -- When the look began, or the operation answered, that told what is kept.
    seen_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    arrived_at INTEGER NOT NULL,
    completed_at INTEGER,
    gone_at INTEGER,
    unread INTEGER NOT NULL CHECK (unread IN (0, 1)),
    logs_are_old INTEGER NOT NULL CHECK (logs_are_old IN (0, 1)),
    -- By the service's clock, of the newest entry of its log.
    last_log_at INTEGER,
    package_reference TEXT,
    -- By these an uncertain send is found again; in lower case.
    client_reference TEXT NOT NULL,
    likeness TEXT NOT NULL,
    -- SHA-1 of the item's bytes that said what is kept, in an answer without logs and in one with them.
    plain_hash TEXT,
    logged_hash TEXT,
    UNIQUE (account_id, reference)
  ) STRICT;

  -- What the list shows, JSON of the index's own; made again from the body where its shape has changed.
  CREATE TABLE index_rows (id INTEGER PRIMARY KEY, row TEXT NOT NULL) STRICT;
  -- JSON of the document as it was decoded.
  CREATE TABLE bodies (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;

  CREATE TABLE folders (
    account_id TEXT NOT NULL,
    folder TEXT NOT NULL,
    -- When the newest look began, and when its answer had been taken over.
    begun INTEGER NOT NULL,
    looked_at INTEGER NOT NULL,
    -- Of the whole answer, where an answer equal to it says nothing new.
    plain_hash TEXT,
    logged_hash TEXT,
    -- JSON: what came of that answer, and which documents of the folder it lacked, with when they were last seen.
    taken TEXT NOT NULL,
    missing TEXT NOT NULL,
    PRIMARY KEY (account_id, folder)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE changes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id TEXT NOT NULL,
    reference TEXT NOT NULL,
    document_name TEXT NOT NULL,
    kind TEXT NOT NULL,
    at INTEGER NOT NULL,
    signer TEXT,
    from_text TEXT,
    to_text TEXT,
    is_own INTEGER NOT NULL CHECK (is_own IN (0, 1))
  ) STRICT;
  -- All that they are counted by.
  CREATE INDEX changes_by_account ON changes (account_id, id, kind, at, is_own);
  CREATE INDEX changes_by_document ON changes (account_id, reference, id);

  CREATE TABLE mirror (
    -- Which mirror it is: a new one numbers its changes from the start.
    id TEXT NOT NULL,
    -- The lists and bits that the figures of all documents are written with; blank until all have some.
    figures TEXT NOT NULL DEFAULT ''
  ) STRICT;
  INSERT INTO mirror (id) VALUES (lower(hex(randomblob(16))));

  -- What the overview counts by, of each document: small enough to be read whole before the index is there. Written in the
  -- transaction that writes the row, so that it is never older. Absent times are NULL.
  CREATE TABLE figures (
    id INTEGER PRIMARY KEY,
    account_id TEXT NOT NULL,
    -- Places in lists of the application's, and bits.
    family INTEGER NOT NULL,
    identity INTEGER NOT NULL,
    flags INTEGER NOT NULL,
    due REAL,
    due_day REAL,
    idle_since REAL,
    arrived_at REAL,
    completed_at REAL,
    -- The beginning of the package reference's SHA-1, as a number; NULL where a document has none.
    package INTEGER
  ) STRICT;

  -- What this workstation did to documents, for as long as folders may still be showing it.
  CREATE TABLE own_actions (
    account_id TEXT NOT NULL,
    reference TEXT NOT NULL,
    kind TEXT NOT NULL,
    at INTEGER NOT NULL,
    -- How many signers had signed or declined by then.
    ended INTEGER NOT NULL,
    due INTEGER,
    PRIMARY KEY (account_id, reference, kind)
  ) STRICT, WITHOUT ROWID;

  -- Accounts whose folders an office's workstations read for each other: as what, and up to where this one has read. proven_at:
  -- when its folders were last seen to hold what the office has; 0 if never.
  CREATE TABLE shared_feeds (
    account_id TEXT PRIMARY KEY,
    feed TEXT NOT NULL,
    cursor INTEGER NOT NULL,
    proven_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  -- Of what something is known here that didn't come from the office.
  CREATE TABLE unshared (
    version INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id TEXT NOT NULL,
    reference TEXT NOT NULL,
    absent INTEGER NOT NULL DEFAULT 0,
    UNIQUE (account_id, reference)
  ) STRICT;
  CREATE INDEX unshared_in_order ON unshared (account_id, version);
`

/** In order of application, like those of the main database. */
export const mirrorMigrations: readonly Migration[] = [{ name: 'schema', sql: schema }]

/**
 * The key of `documents.db`. It is stored in the main database, which is encrypted with the keychain's key, so both
 * open the same way.
 */

const KEY = 'documents-key'

export interface DocumentsKey {
  key: Uint8Array
  /** Just created: an existing file can't have been written with it. */
  isNew: boolean
}

/**
 * Returns the key, creating it if there is none.
 * @param db the main database.
 * @param random returns unpredictable bytes (`node:crypto`'s `randomBytes`).
 */
export function documentsKey(db: Db, random: (bytes: number) => Uint8Array): DocumentsKey {
  const meta = openMeta(db)
  const kept = meta.read(KEY)
  if (kept !== undefined && new RegExp(`^[0-9a-f]{${KEY_BYTES * 2}}$`).test(kept)) {
    return { key: Uint8Array.from(Buffer.from(kept, 'hex')), isNew: false }
  }
  const key = Uint8Array.from(random(KEY_BYTES))
  meta.write(KEY, Buffer.from(key).toString('hex'))
  return { key, isNew: true }
}
