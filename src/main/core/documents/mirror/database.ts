/**
 * Opens `documents.db`, the encrypted file of the mirror. The answer is always a database that works: a file that can't be
 * opened is set aside whole, and one begun anew that the next look at the folders fills.
 */
import * as nodeFiles from 'node:fs/promises'
import { join } from 'node:path'
import { connectEncrypted, connectInMemory, type Db } from '../../storage/connection.ts'
import { faultOf, type MemoryReason } from '../../storage/database-fault.ts'
import { fileErrorOf } from '../../storage/file-error.ts'
import type { Files } from '../../storage/files.ts'
import { checkWholeness } from '../../storage/integrity.ts'
import { migrate } from '../../storage/migrations.ts'
import { setAside } from '../../storage/set-aside.ts'
import type { DocumentsKey } from './database-key.ts'
import { mirrorMigrations } from './schema.ts'

const DOCUMENTS_FILE = 'documents.db'
const FILES = [DOCUMENTS_FILE, `${DOCUMENTS_FILE}-wal`, `${DOCUMENTS_FILE}-shm`]
const CACHE_KB = 64 * 1024
/** In pages. A first look writes a hundred megabytes: rarer checkpoints write each page fewer times. */
const CHECKPOINT_PAGES = 4000

export interface DocumentsPlace {
  /** The data folder, which exists. */
  folder: string
  /** Undefined where nothing is kept on this machine: then all is in memory. */
  key: DocumentsKey | undefined
  clock: () => number
  files?: Files
  /** The file was found to be damaged: it is set aside without another look. */
  isDamaged?: boolean
}

export type OpenedDocuments =
  | { db: Db; state: 'file'; setAside?: string }
  | { db: Db; state: 'memory'; because?: MemoryReason; setAside?: string }

/** Never rejects for anything that is wrong with the disk or the file. */
export async function openDocuments({
  folder,
  key,
  clock,
  files = nodeFiles,
  isDamaged = false
}: DocumentsPlace): Promise<OpenedDocuments> {
  if (!key) return { db: documentsInMemory(), state: 'memory' }
  const path = join(folder, DOCUMENTS_FILE)
  let moved: { setAside?: string } = {}
  const putAside = async () => {
    moved = { setAside: await setAside(folder, FILES, clock(), files) }
  }
  try {
    if ((key.isNew || isDamaged) && (await isThere(path, files))) await putAside()
    try {
      return { db: connect(path, key.key), state: 'file', ...moved }
    } catch (error) {
      if (faultOf(error).kind !== 'file') throw error
      await putAside()
      return { db: connect(path, key.key), state: 'file', ...moved }
    }
  } catch (error) {
    const fault = faultOf(error)
    const because = fault.kind === 'around' ? fault.because : 'disk-failed'
    return { db: documentsInMemory(), state: 'memory', because, ...moved }
  }
}

/** The mirror without a file; everything is forgotten at the end. */
export function documentsInMemory(): Db {
  const db = connectInMemory()
  migrate(db, mirrorMigrations)
  return db
}

/** @throws what `faultOf` reads. */
function connect(path: string, key: Uint8Array): Db {
  const db = connectEncrypted(path, key)
  try {
    // What a crash of the system takes back here is what the service tells again at the next look.
    db.pragma('synchronous = NORMAL')
    db.pragma(`cache_size = -${CACHE_KB}`)
    db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
    migrate(db, mirrorMigrations)
    checkWholeness(db)
    // A file that may only be read opens well enough; this is the first thing that it refuses.
    db.exec('BEGIN IMMEDIATE; ROLLBACK')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

async function isThere(path: string, files: Files): Promise<boolean> {
  try {
    await files.lstat(path)
    return true
  } catch (error) {
    if (fileErrorOf(error)?.system === 'ENOENT') return false
    throw error
  }
}
