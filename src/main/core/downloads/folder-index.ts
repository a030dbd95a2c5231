/**
 * A folder's index: a table next to its files that describes each of them, for people who open the folder without
 * Countersign. It isn't updated with each file, but once many have been added or no more are coming. It is always
 * rewritten completely, and never replaces a file that isn't such a table.
 */

import * as nodeFiles from 'node:fs/promises'
import { join } from 'node:path'
import type { DownloadType } from '../../../shared/contract/index.ts'
import { csvLines, UTF8_BOM } from '../bulk/table-file.ts'
import { isoFormatter } from '../lib/calendar.ts'
import { inTurn, nextTurn } from '../lib/slices.ts'
import type { Time } from '../lib/time.ts'
import { flushFolder, replaceWith, takeFreeName, writeThenName } from '../storage/atomic-file.ts'
import { FileError, fileErrorOf } from '../storage/file-error.ts'
import type { FolderFiles } from '../storage/files.ts'
import { numberedName } from '../storage/safe-name.ts'
import { nameKey } from '../storage/same-name.ts'
import type { DownloadFolders } from './download-folders.ts'
import type { Download } from './download-rows.ts'
import type { DownloadsTable } from './downloads-table.ts'
import { WORKSTATION_MARK } from './leftovers.ts'
import { kindOf, namesIn, rootOf } from './target-folder.ts'

export interface FolderIndexDeps {
  table: DownloadsTable
  folders: DownloadFolders
  accountName: (accountId: string) => string
  time: Pick<Time, 'zone'>
}

/** The fewest files between two writes of an index; for a long one, a quarter of its length. */
const MIN_FILES_PER_WRITE = 250

export function openFolderIndexes(deps: FolderIndexDeps) {
  const { table, folders } = deps
  /** How many files were added since the last write. */
  const addedCounts = new Map<string, number>()
  const lengths = new Map<string, number>()
  const writing = new Map<string, Promise<unknown>>()

  function* rowsOf(folderId: string): Generator<FolderIndexRow> {
    let last: Download | undefined
    for (;;) {
      const files = table.filesIn(folderId, last)
      last = files.at(-1)
      if (!last) return
      for (const file of files) {
        // Files fetched by an earlier version have no hash; only their names are known.
        if (file.sha256 === undefined || file.fileName === undefined) continue
        yield {
          path: file.fileName.split('/'),
          documentName: file.name,
          documentReference: file.documentReference,
          type: file.type,
          bytes: file.bytes,
          sha256: file.sha256,
          fetchedAt: file.finishedAt ?? file.queuedAt,
          account: deps.accountName(file.accountId),
          signers: file.signers,
          ...(file.clientReference !== undefined && { clientReference: file.clientReference })
        }
      }
    }
  }

  /** Runs writes one after the other. Files added during a write belong to the next one. */
  function inSequence<Answer>(folderId: string, work: () => Promise<Answer>): Promise<Answer> {
    const before = writing.get(folderId) ?? Promise.resolve()
    const mine = before.catch(() => undefined).then(work)
    writing.set(folderId, mine)
    return mine
  }

  async function writeNow(folderId: string): Promise<{ fileName: string; rows: number }> {
    addedCounts.delete(folderId)
    const written = await writeIndex(folders.pathOf(folderId), rowsOf(folderId), { zone: deps.time.zone() })
    lengths.set(folderId, written.rows)
    // Only now: if the application ends before the index has its name, it stays due.
    if (!addedCounts.has(folderId)) folders.markIndexWritten(folderId)
    return written
  }

  function writeInBackground(folderId: string): void {
    const written = inSequence(folderId, async () => {
      if (folders.withDueIndex().includes(folderId)) await writeNow(folderId)
    })
    // It stays due, and is written with the next files or at the next start.
    void written.catch(() => undefined)
  }

  return {
    /** @throws errors of the folder or the disk; the older index stays then. */
    write: (folderId: string): Promise<{ fileName: string; rows: number }> =>
      inSequence(folderId, () => writeNow(folderId)),

    /** Call it when a file was added to a folder that keeps an index. */
    fileAdded(folderId: string): void {
      folders.markIndexDue(folderId)
      const count = (addedCounts.get(folderId) ?? 0) + 1
      addedCounts.set(folderId, count)
      if (count >= Math.max(MIN_FILES_PER_WRITE, (lengths.get(folderId) ?? 0) / 4)) writeInBackground(folderId)
    },

    /** Writes due indexes, as no more files are coming for now. */
    writeDueIndexes(): void {
      for (const folderId of folders.withDueIndex()) writeInBackground(folderId)
    },

    whenIdle: (): Promise<unknown> => Promise.allSettled([...writing.values()])
  }
}

export interface FolderIndexRow {
  /** Below the folder. */
  path: readonly string[]
  documentName: string
  documentReference: string
  clientReference?: string
  signers: readonly string[]
  type: DownloadType
  bytes: number
  sha256: string
  /** Milliseconds since 1970 UTC. */
  fetchedAt: number
  account: string
}

interface IndexOptions {
  /** IANA name of the time zone in which times are written; by default that of this computer. */
  zone?: string
  files?: FolderFiles
  random?: (bytes: number) => Uint8Array
}

interface WrittenIndex {
  /** `index.csv`, or a numbered name if that one is another file's. */
  fileName: string
  rows: number
}

const INDEX_NAME = 'index.csv'

const PIECE = 64
const MAX_NUMBER = 9_999
const HEADINGS = [
  'File',
  'Document',
  'Document reference',
  'Client reference',
  'Signers',
  'Type',
  'Bytes',
  'SHA-256',
  'Fetched at',
  'Account'
]
/** The beginning of our own table. With a column more or less, someone has made it theirs. */
const FIRST_LINE = `${UTF8_BOM}${csvLines([HEADINGS])}`
/** Windows' error codes when another program, such as a spreadsheet, holds a file. */
const LOCKED_CODES = new Set(['EPERM', 'EACCES', 'EBUSY'])

/**
 * Writes the index of a folder, replacing the older one.
 * @param folder absolute: the chosen folder, which has to exist.
 * @throws {FileError} also `away`, and `in-use` if another program holds the older one; what `rows` throws. The older
 * one stays then.
 */
export async function writeIndex(
  folder: string,
  rows: Iterable<FolderIndexRow> | AsyncIterable<FolderIndexRow>,
  options: IndexOptions = {}
): Promise<WrittenIndex> {
  const { files = nodeFiles, random, zone = Intl.DateTimeFormat().resolvedOptions().timeZone } = options
  const root = await rootOf(files, folder)
  const counted = { rows: 0 }
  return await inTurn(`index ${root}`, async () => {
    const { named } = await writeThenName(
      root,
      bytesOf(rows, zone, counted),
      (temporary) => takeName(files, root, temporary),
      { files, mark: WORKSTATION_MARK, ...(random && { random }) }
    )
    await flushFolder(root, files)
    return { fileName: named, rows: counted.rows }
  })
}

async function takeName(files: FolderFiles, folder: string, temporary: string): Promise<string> {
  const there = await namesIn(files, folder, 'index')
  for (let number = 1; number <= MAX_NUMBER; number++) {
    const wanted = number === 1 ? INDEX_NAME : numberedName(INDEX_NAME, number)
    const found = there.get(nameKey(wanted))
    if (found === undefined) {
      if (await takeFreeName(files, temporary, join(folder, wanted))) return wanted
    } else if (await isOurs(files, join(folder, found))) {
      await replace(files, temporary, join(folder, found))
      return found
    }
  }
  throw new FileError('exists')
}

async function replace(files: FolderFiles, temporary: string, path: string): Promise<void> {
  try {
    await replaceWith(files, temporary, path)
  } catch (error) {
    // The folder itself is writable: a file was just written in it.
    const system = fileErrorOf(error)?.systemCode
    throw system !== undefined && LOCKED_CODES.has(system) ? new FileError('in-use', system) : error
  }
}

async function isOurs(files: FolderFiles, path: string): Promise<boolean> {
  if (!(await kindOf(files, path))?.isFile()) return false
  const wanted = Buffer.from(FIRST_LINE)
  try {
    const file = await nodeFiles.open(path, 'r')
    const { buffer, bytesRead } = await file.read(Buffer.alloc(wanted.length)).finally(() => file.close())
    return wanted.equals(buffer.subarray(0, bytesRead))
  } catch {
    // A file that can't be read isn't replaced.
    return false
  }
}

async function* bytesOf(
  rows: Iterable<FolderIndexRow> | AsyncIterable<FolderIndexRow>,
  zone: string,
  counted: { rows: number }
): AsyncGenerator<Uint8Array> {
  const iso = isoFormatter(zone)
  yield Buffer.from(FIRST_LINE)
  let cells: string[][] = []
  for await (const row of rows) {
    counted.rows += 1
    cells.push(cellsOf(row, iso))
    if (cells.length < PIECE) continue
    yield Buffer.from(csvLines(cells))
    cells = []
    await nextTurn()
  }
  if (cells.length > 0) yield Buffer.from(csvLines(cells))
}

function cellsOf(row: FolderIndexRow, iso: (at: number) => string): string[] {
  return [
    row.path.join('/'),
    row.documentName,
    row.documentReference,
    row.clientReference ?? '',
    row.signers.join('; '),
    row.type,
    String(row.bytes),
    row.sha256,
    iso(row.fetchedAt),
    row.account
  ]
}
