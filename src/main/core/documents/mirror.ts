/** The local copy of what the service's folders hold: complete, searchable, and honest about when it was last true. */

import { type DocumentResponse, fullName, readGmt, readServiceDate } from '../../../shared/model/index.ts'
import type { Db } from '../storage/connection.ts'

/** A document as kept, with when it was last seen and, once it has left all folders, since when it is gone. */
export interface MirroredDocument {
  document: DocumentResponse
  folder: string
  seenAt: number
  goneAt?: number
  /** Whether its log was never read, or the document has changed since. */
  logsAreOld: boolean
}

/** Which look an answer belongs to. */
export interface Look {
  /** When it began, in milliseconds since 1970 UTC. */
  begun: number
  withLogs: boolean
}

export interface FolderQuery {
  accountId: string
  folder: string
  /** Every word must occur in name, signers, references or matter number. */
  search: string
  offset: number
  limit: number
}

interface Row {
  reference: string
  folder: string
  body: string
  seen_at: number
  gone_at: number | null
  changed_at: number
  logs_at: number | null
}

/** How many documents are written in one go before others get their turn on the main thread. */
const CHUNK = 250

export type Mirror = ReturnType<typeof openMirror>

export function openMirror(db: Db, clock: () => number) {
  const read = db.prepare<[string, string], Row>('SELECT * FROM documents WHERE account_id = ? AND reference = ?')
  const write = db.prepare(
    `INSERT INTO documents (account_id, reference, folder, name, status, due_at, last_signed_at, package_reference,
       client_reference, search, body, seen_at, gone_at, changed_at, logs_at)
     VALUES (@accountId, @reference, @folder, @name, @status, @dueAt, @lastSignedAt, @packageReference,
       @clientReference, @search, @body, @begun, NULL, @begun, @logsAt)
     ON CONFLICT (account_id, reference) DO UPDATE SET folder = @folder, name = @name, status = @status, due_at = @dueAt,
       last_signed_at = @lastSignedAt, package_reference = @packageReference, client_reference = @clientReference,
       search = @search, body = @body, seen_at = @begun, gone_at = NULL, changed_at = @begun, logs_at = @logsAt`
  )
  const touch = db.prepare(
    'UPDATE documents SET seen_at = ?, gone_at = NULL, folder = ?, logs_at = ? WHERE account_id = ? AND reference = ?'
  )
  const markGone = db.prepare(
    `UPDATE documents SET gone_at = @now, changed_at = @now
     WHERE account_id = @accountId AND gone_at IS NULL AND seen_at < @since`
  )
  const counts = db.prepare<[string], { folder: string; count: number }>(
    'SELECT folder, count(*) AS count FROM documents WHERE account_id = ? AND gone_at IS NULL GROUP BY folder'
  )
  const looks = db
    .prepare<[string, string], number>('SELECT looked_at FROM folder_looks WHERE account_id = ? AND folder = ?')
    .pluck()
  const writeLook = db.prepare(
    `INSERT INTO folder_looks (account_id, folder, looked_at) VALUES (?, ?, ?)
     ON CONFLICT (account_id, folder) DO UPDATE SET looked_at = excluded.looked_at`
  )
  const packageOf = db.prepare<[string, string], Row>(
    'SELECT * FROM documents WHERE account_id = ? AND package_reference = ? ORDER BY reference'
  )
  const openOnes = db.prepare<[string], Row>(
    `SELECT * FROM documents WHERE account_id = ? AND gone_at IS NULL AND body LIKE '%"SigningKey"%' ORDER BY due_at, reference`
  )

  /** Writes one document if it differs from what is kept; answers whether it did. */
  function keep(accountId: string, folder: string, document: DocumentResponse, { begun, withLogs }: Look): boolean {
    const { Reference: reference } = document
    const before = read.get(accountId, reference)
    // An answer that was asked for before what is known now is out of date.
    if (before && before.seen_at > begun) return false
    // A look without logs doesn't take away those of an earlier one with them.
    const logs = document.Logs ?? (before && (JSON.parse(before.body) as DocumentResponse).Logs)
    const body = JSON.stringify(logs ? { ...document, Logs: logs } : document)
    const logsAt = withLogs ? begun : (before?.logs_at ?? null)
    if (before && body === before.body) {
      touch.run(begun, folder, logsAt, accountId, reference)
      return before.folder !== folder || before.gone_at !== null
    }
    const zone = readGmt(document.GMT)
    write.run({
      accountId,
      reference,
      folder,
      name: document.Name ?? '',
      status: document.Status ?? '',
      dueAt: readServiceDate(document.DueDate, zone)?.at ?? null,
      lastSignedAt: readServiceDate(document.LastSignedDate, zone)?.at ?? null,
      packageReference: document.PackageReference ?? null,
      clientReference: document.ClientReference ?? null,
      search: searchText(document),
      body,
      begun,
      logsAt
    })
    return true
  }
  const keepChunk = db.transaction((accountId: string, folder: string, chunk: DocumentResponse[], look: Look) => {
    let changed = 0
    for (const document of chunk) if (keep(accountId, folder, document, look)) changed++
    return changed
  })

  return {
    /** Takes over one answer of GetActiveDocuments/{folder}; answers how many documents changed. */
    async take(accountId: string, folder: string, documents: readonly DocumentResponse[], look: Look): Promise<number> {
      let changed = 0
      for (let first = 0; first < documents.length; first += CHUNK) {
        changed += keepChunk(accountId, folder, documents.slice(first, first + CHUNK), look)
        await new Promise((resume) => setImmediate(resume))
      }
      writeLook.run(accountId, folder, clock())
      return changed
    },

    /**
     * Marks as gone what no folder has shown since; nothing is deleted, and what is shown again comes back. Only for
     * after all folders were read without an unreadable document: the one that is missing might be that one.
     * @param since when the oldest of those reads began, in milliseconds since 1970 UTC.
     * @returns how many are newly gone.
     */
    markUnseenGone(accountId: string, since: number): number {
      return markGone.run({ accountId, since, now: clock() }).changes
    },

    /** Takes over one document that an operation answered. */
    takeOne(accountId: string, document: DocumentResponse): void {
      const known = read.get(accountId, document.Reference)
      const look = { begun: clock(), withLogs: document.Logs !== undefined }
      keep(accountId, document.Folder ?? known?.folder ?? 'Progress', document, look)
    },

    get(accountId: string, reference: string): MirroredDocument | undefined {
      const row = read.get(accountId, reference)
      return row && mirrored(row)
    },

    /** Other documents of a package, itself among them. */
    inPackage(accountId: string, packageReference: string): MirroredDocument[] {
      return packageOf.all(accountId, packageReference).map(mirrored)
    },

    /** Documents with a signing link for an embedded view. */
    withSigningKeys(accountId: string): MirroredDocument[] {
      return openOnes.all(accountId).map(mirrored)
    },

    /** One page of a folder, newest signature first where all is signed, else next due first; and how many there are. */
    page({ accountId, folder, search, offset, limit }: FolderQuery): { documents: MirroredDocument[]; total: number } {
      const words = search.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 8)
      const where = `account_id = ? AND folder = ? AND gone_at IS NULL ${words.map(() => `AND search LIKE ? ESCAPE '\\'`).join(' ')}`
      const values = [accountId, folder, ...words.map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`)]
      const order = folder === 'Signed' ? 'last_signed_at DESC' : 'due_at IS NULL, due_at'
      const total = db
        .prepare<unknown[], number>(`SELECT count(*) FROM documents WHERE ${where}`)
        .pluck()
        .get(...values)
      const rows = db
        .prepare<unknown[], Row>(
          `SELECT * FROM documents WHERE ${where} ORDER BY ${order}, name, reference LIMIT ? OFFSET ?`
        )
        .all(...values, limit, offset)
      return { documents: rows.map(mirrored), total: total ?? 0 }
    },

    counts(accountId: string): Record<string, number> {
      return Object.fromEntries(counts.all(accountId).map(({ folder, count }) => [folder, count]))
    },

    /** When a folder was last read in full; undefined where never. */
    lookedAt: (accountId: string, folder: string): number | undefined => looks.get(accountId, folder)
  }
}

function searchText(document: DocumentResponse): string {
  return [
    document.Name,
    document.Reference,
    document.PackageReference,
    document.ClientReference,
    document.MatterNumber,
    ...(document.Signers ?? []).flatMap((signer) => [fullName(signer), signer.Email])
  ]
    .filter(Boolean)
    .join('\n')
    .toLowerCase()
}

function mirrored(row: Row): MirroredDocument {
  return {
    document: JSON.parse(row.body) as DocumentResponse,
    folder: row.folder,
    seenAt: row.seen_at,
    logsAreOld: row.logs_at === null || row.logs_at < row.changed_at,
    ...(row.gone_at !== null && { goneAt: row.gone_at })
  }
}
