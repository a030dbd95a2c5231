/**
 * The index of a folder: a table beside its files that says what each of them is, for anyone who opens the folder without us.
 * It is kept as new as the files, not with each of them, but once many have come or no more do; written again as a whole, and
 * never in the place of a file that isn't such a table.
 */

import * as nodeFiles from 'node:fs/promises'
import { join } from 'node:path'
import type { DownloadType } from '../../../shared/contract/index.ts'
import { csvLines, UTF8_MARK } from '../bulk/table-file.ts'
import { isoWriter } from '../lib/calendar.ts'
import { inTurn, nextTurn } from '../lib/slices.ts'
import type { Time } from '../lib/time.ts'
import { flushFolder, replaceWith, tookFreeName, writeThenName } from '../storage/atomic-file.ts'
import { FileError, fileErrorOf } from '../storage/file-error.ts'
import type { FolderFiles } from '../storage/files.ts'
import { numberedName } from '../storage/safe-name.ts'
import { nameKey } from '../storage/same-name.ts'
import type { DownloadFolders } from './download-folders.ts'
import type { Download } from './download-rows.ts'
import type { DownloadsTable } from './downloads-table.ts'
import { MARK } from './leftovers.ts'
import { kindOf, namesIn, rootOf } from './target-folder.ts'

export interface FolderIndexDeps {
  table: DownloadsTable
  folders: DownloadFolders
  accountName: (accountId: string) => string
  time: Pick<Time, 'zone'>
}

/** So many files come between two of them; of a long one, a quarter of it. */
const LEAST = 250

export function openFolderIndexes(deps: FolderIndexDeps) {
  const { table, folders } = deps
  /** Files that have come since. */
  const come = new Map<string, number>()
  const lengths = new Map<string, number>()
  const writing = new Map<string, Promise<unknown>>()

  function* rowsOf(folderId: string): Generator<IndexRow> {
    let last: Download | undefined
    for (;;) {
      const files = table.filesIn(folderId, last)
      last = files.at(-1)
      if (!last) return
      for (const file of files) {
        // What an earlier version fetched is known by its name alone.
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

  /** One after the other. What comes while one is written belongs into the next. */
  function next<Answer>(folderId: string, work: () => Promise<Answer>): Promise<Answer> {
    const before = writing.get(folderId) ?? Promise.resolve()
    const mine = before.catch(() => undefined).then(work)
    writing.set(folderId, mine)
    return mine
  }

  async function writeNow(folderId: string): Promise<{ fileName: string; rows: number }> {
    come.delete(folderId)
    const written = await writeIndex(folders.pathOf(folderId), rowsOf(folderId), { zone: deps.time.zone() })
    lengths.set(folderId, written.rows)
    // Only now: until it has its name, an end of the application leaves it due.
    if (!come.has(folderId)) folders.indexIsWritten(folderId)
    return written
  }

  function writeQuietly(folderId: string): void {
    const written = next(folderId, async () => {
      if (folders.withDueIndex().includes(folderId)) await writeNow(folderId)
    })
    // It stays due, and is written with the next files or at the next start.
    void written.catch(() => undefined)
  }

  return {
    /** @throws what the folder or the disk says. The older one stays then. */
    write: (folderId: string): Promise<{ fileName: string; rows: number }> => next(folderId, () => writeNow(folderId)),

    /** A file has come into a folder that keeps an index. */
    came(folderId: string): void {
      folders.indexIsDue(folderId)
      const count = (come.get(folderId) ?? 0) + 1
      come.set(folderId, count)
      if (count >= Math.max(LEAST, (lengths.get(folderId) ?? 0) / 4)) writeQuietly(folderId)
    },

    /** No more come for now. */
    rested(): void {
      for (const folderId of folders.withDueIndex()) writeQuietly(folderId)
    },

    settled: (): Promise<unknown> => Promise.allSettled([...writing.values()])
  }
}

export interface IndexRow {
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
  /** IANA name of the zone whose clocks the times are written by; that of this computer, unless told otherwise. */
  zone?: string
  files?: FolderFiles
  random?: (bytes: number) => Uint8Array
}

interface WrittenIndex {
  /** `index.csv`, or numbered where that name is another file's. */
  fileName: string
  rows: number
}

const INDEX_NAME = 'index.csv'

const PIECE = 64
const HIGHEST_NUMBER = 9_999
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
/** What a table of ours begins with. With a column more or less, someone has made it their own. */
const FIRST_LINE = `${UTF8_MARK}${csvLines([HEADINGS])}`
/** What Windows answers where another program, a spreadsheet say, holds a file. */
const HELD = new Set(['EPERM', 'EACCES', 'EBUSY'])

/**
 * Writes the index of a folder, in the place of its older one.
 * @param folder absolute: the chosen folder, which has to be there.
 * @throws {FileError} also `away`, and `in-use` where another program holds the older one; what `rows` throws. The older
 *   one stays then.
 */
export async function writeIndex(
  folder: string,
  rows: Iterable<IndexRow> | AsyncIterable<IndexRow>,
  options: IndexOptions = {}
): Promise<WrittenIndex> {
  const { files = nodeFiles, random, zone = Intl.DateTimeFormat().resolvedOptions().timeZone } = options
  const root = await rootOf(files, folder)
  const counted = { rows: 0 }
  return await inTurn(`index ${root}`, async () => {
    const { named } = await writeThenName(
      root,
      bytesOf(rows, zone, counted),
      (passing) => takeName(files, root, passing),
      { files, mark: MARK, ...(random && { random }) }
    )
    await flushFolder(root, files)
    return { fileName: named, rows: counted.rows }
  })
}

async function takeName(files: FolderFiles, folder: string, passing: string): Promise<string> {
  const there = await namesIn(files, folder, 'index')
  for (let number = 1; number <= HIGHEST_NUMBER; number++) {
    const wanted = number === 1 ? INDEX_NAME : numberedName(INDEX_NAME, number)
    const found = there.get(nameKey(wanted))
    if (found === undefined) {
      if (await tookFreeName(files, passing, join(folder, wanted))) return wanted
    } else if (await isOurs(files, join(folder, found))) {
      await replace(files, passing, join(folder, found))
      return found
    }
  }
  throw new FileError('exists')
}

async function replace(files: FolderFiles, passing: string, path: string): Promise<void> {
  try {
    await replaceWith(files, passing, path)
  } catch (error) {
    // The folder itself takes files: one was just written in it.
    const system = fileErrorOf(error)?.system
    throw system !== undefined && HELD.has(system) ? new FileError('in-use', system) : error
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
    // What can't be read isn't replaced.
    return false
  }
}

async function* bytesOf(
  rows: Iterable<IndexRow> | AsyncIterable<IndexRow>,
  zone: string,
  counted: { rows: number }
): AsyncGenerator<Uint8Array> {
  const iso = isoWriter(zone)
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

function cellsOf(row: IndexRow, iso: (at: number) => string): string[] {
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
