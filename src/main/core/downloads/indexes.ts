/** Keeps the index of a folder as new as its files: not with each of them, but once many have come or no more do. */
import type { DownloadFolders } from './download-folders.ts'
import type { Download } from './download-rows.ts'
import type { DownloadsTable } from './downloads-table.ts'
import { type IndexRow, writeIndex } from './index-file.ts'

export interface IndexParts {
  table: DownloadsTable
  folders: DownloadFolders
  accountName: (accountId: string) => string
  zone: () => string
}

/** So many files come between two of them; of a long one, a quarter of it. */
const LEAST = 250

export function openIndexes(parts: IndexParts) {
  const { table, folders } = parts
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
          account: parts.accountName(file.accountId),
          signers: file.signers,
          ...(file.clientReference !== undefined && { clientReference: file.clientReference })
        }
      }
    }
  }

  /** One after the other. What comes while one is written belongs into the next. */
  function inTurn<Answer>(folderId: string, work: () => Promise<Answer>): Promise<Answer> {
    const before = writing.get(folderId) ?? Promise.resolve()
    const mine = before.catch(() => undefined).then(work)
    writing.set(folderId, mine)
    return mine
  }

  async function writeNow(folderId: string): Promise<{ fileName: string; rows: number }> {
    come.delete(folderId)
    const written = await writeIndex(folders.pathOf(folderId), rowsOf(folderId), { zone: parts.zone() })
    lengths.set(folderId, written.rows)
    // Only now: until it has its name, an end of the application leaves it due.
    if (!come.has(folderId)) folders.indexIsWritten(folderId)
    return written
  }

  function writeQuietly(folderId: string): void {
    const written = inTurn(folderId, async () => {
      if (folders.withDueIndex().includes(folderId)) await writeNow(folderId)
    })
    // It stays due, and is written with the next files or at the next start.
    void written.catch(() => undefined)
  }

  return {
    /** @throws what the folder or the disk says. The older one stays then. */
    write: (folderId: string): Promise<{ fileName: string; rows: number }> =>
      inTurn(folderId, () => writeNow(folderId)),

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
