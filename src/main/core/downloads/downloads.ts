/** ID-verification data on its way to disk: whole or not at all, never over another file, and told while it runs. */
import { mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { AppError, DownloadView } from '../../../shared/contract/index.ts'
import { fail } from '../failure.ts'
import type { ServiceClient } from '../service/service-client.ts'
import { writeAtomically } from '../storage/atomic-file.ts'
import type { Db } from '../storage/connection.ts'
import { safeFileName } from '../storage/safe-name.ts'

/** How often progress is told, in milliseconds. */
const TELLING = 100

export interface DownloadEffects {
  db: Db
  clientOf: (accountId: string) => Promise<ServiceClient>
  /** Where files go: an absolute path that never leaves the main process. */
  folder: () => string
  describe: (error: unknown) => AppError
  clock: () => number
  newId: () => string
  changed: (id: string) => void
}

interface Row {
  id: string
  account_id: string
  document_reference: string
  name: string
  type: DownloadView['type']
  path: string | null
  bytes: number
  state: DownloadView['state']
  error: string | null
  started_at: number
  finished_at: number | null
}

interface Running {
  abort: AbortController
  bytes: number
  total?: number
}

export type Downloads = ReturnType<typeof openDownloads>

export function openDownloads(effects: DownloadEffects) {
  const { db, clock } = effects
  const running = new Map<string, Running>()
  const all = db.prepare<[string], Row>(
    'SELECT * FROM downloads WHERE account_id = ? ORDER BY started_at DESC, id LIMIT 500'
  )
  const one = db.prepare<[string], Row>('SELECT * FROM downloads WHERE id = ?')
  const begin = db.prepare(
    `INSERT INTO downloads (id, account_id, document_reference, name, type, path, bytes, state, error, started_at, finished_at)
     VALUES (?, ?, ?, ?, ?, NULL, 0, 'running', NULL, ?, NULL)`
  )
  const finish = db.prepare(
    'UPDATE downloads SET state = ?, path = ?, bytes = ?, error = ?, finished_at = ? WHERE id = ?'
  )
  const interrupt = db.prepare(
    `UPDATE downloads SET state = 'failed', error = ?, finished_at = ? WHERE state = 'running'`
  )

  function view(row: Row): DownloadView {
    const now = running.get(row.id)
    const isLost = row.state === 'running' && !now
    return {
      id: row.id,
      documentReference: row.document_reference,
      documentName: row.name,
      type: row.type,
      state: isLost ? 'failed' : row.state,
      bytes: now?.bytes ?? row.bytes,
      startedAt: row.started_at,
      ...(row.path && { fileName: basename(row.path) }),
      ...(now?.total !== undefined && { total: now.total }),
      ...(row.error && { error: JSON.parse(row.error) as AppError }),
      ...(row.finished_at !== null && { finishedAt: row.finished_at })
    }
  }

  function known(id: string): Row {
    return one.get(id) ?? fail('gone', 'This download is no longer in the list.')
  }

  async function run(row: Row, current: Running): Promise<void> {
    try {
      const client = await effects.clientOf(row.account_id)
      const content = await contentOf(client, row, current)
      const name = safeFileName(`${row.name.replace(/\.pdf$/i, '')} - identity.${row.type}`)
      const folder = effects.folder()
      // A fresh workstation may not have its downloads folder yet.
      await mkdir(folder, { recursive: true })
      const written = await writeAtomically(join(folder, name), content, { ifExists: 'number' })
      finish.run('done', written.path, written.bytes, null, clock(), row.id)
    } catch (error) {
      failed(row.id, current.abort.signal.aborted ? undefined : effects.describe(error))
    } finally {
      running.delete(row.id)
      effects.changed(row.id)
    }
  }

  /** Without an error it was cancelled. */
  function failed(id: string, error: AppError | undefined): void {
    try {
      finish.run(error ? 'failed' : 'cancelled', null, 0, error ? JSON.stringify(error) : null, clock(), id)
    } catch {
      // The disk that could not take the file can't take this either; `view` tells it as failed all the same.
    }
  }

  async function contentOf(
    client: ServiceClient,
    row: Row,
    current: Running
  ): Promise<AsyncIterable<Uint8Array> | string> {
    const { signal } = current.abort
    if (row.type === 'json') {
      const { items, problems } = await client.getIDVerification(row.document_reference, { signal })
      const [problem] = problems
      // A file that silently lacks a record would be taken for the whole of it.
      if (problem)
        fail('unexpected-shape', 'A record of this identity check could not be read.', { path: problem.path })
      return `${JSON.stringify(items, null, 2)}\n`
    }
    const { bytes, length } = await client.downloadIDVerificationPdf(row.document_reference, { signal })
    if (length !== undefined) current.total = length
    return counted(bytes, row.id, current)
  }

  async function* counted(chunks: AsyncIterable<Uint8Array>, id: string, current: Running): AsyncIterable<Uint8Array> {
    let toldAt = 0
    for await (const chunk of chunks) {
      current.bytes += chunk.byteLength
      yield chunk
      if (clock() - toldAt < TELLING) continue
      toldAt = clock()
      effects.changed(id)
    }
  }

  function start(accountId: string, documentReference: string, name: string, type: DownloadView['type']): DownloadView {
    const same = all
      .all(accountId)
      .find((row) => running.has(row.id) && row.document_reference === documentReference && row.type === type)
    if (same) return view(same)
    const id = effects.newId()
    begin.run(id, accountId, documentReference, name, type, clock())
    const row = known(id)
    const current: Running = { abort: new AbortController(), bytes: 0 }
    running.set(id, current)
    effects.changed(id)
    void run(row, current)
    return view(row)
  }

  return {
    /**
     * Begins a download and answers at once; `changed` tells of its progress and its end. Where the same one is under
     * way already, that is answered.
     */
    start,

    /** Ends an account's downloads, as when it is removed. */
    endAll(accountId: string): void {
      for (const { id } of all.all(accountId)) running.get(id)?.abort.abort()
    },

    /** A download that was running when the application ended left no file: called once at start. */
    takeUpInterrupted(): void {
      const told: AppError = { code: 'cancelled', message: 'The application was closed during this download.' }
      interrupt.run(JSON.stringify(told), clock())
    },

    list: (accountId: string): DownloadView[] => all.all(accountId).map(view),

    cancel(id: string): void {
      known(id)
      running.get(id)?.abort.abort()
    },

    /** Begins anew what failed or was cancelled. */
    again(id: string): DownloadView {
      const row = known(id)
      return start(row.account_id, row.document_reference, row.name, row.type)
    },

    /** Where the file of a finished download is: for the main process only. @throws AppFailure `gone`. */
    pathOf(id: string): string {
      return known(id).path ?? fail('gone', 'There is no file of this download.')
    }
  }
}
