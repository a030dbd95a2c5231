/** An office's two encrypted databases on disk, with old records of each kind, and a search for text in the files. */
import { createDecipheriv } from 'node:crypto'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { AuditNote } from '../../../src/main/core/audit/audit.ts'
import { copyNow, purgeCopies } from '../../../src/main/core/backup/rolling-copies.ts'
import { openDocuments } from '../../../src/main/core/documents/mirror/database.ts'
import { openDocumentsWorker } from '../../../src/main/core/documents/worker.ts'
import { openDownloadFolders } from '../../../src/main/core/downloads/download-folders.ts'
import { openDrafts } from '../../../src/main/core/drafts/drafts.ts'
import { DAY } from '../../../src/main/core/lib/calendar.ts'
import { openHolds } from '../../../src/main/core/retention/holds.ts'
import { Retention, type RetentionDeps } from '../../../src/main/core/retention/retention.ts'
import { connectEncrypted, connectReadOnly, type Db } from '../../../src/main/core/storage/connection.ts'
import { COPIES_FOLDER, copiesIn } from '../../../src/main/core/storage/copies.ts'
import { DATABASE_FILE } from '../../../src/main/core/storage/database.ts'
import { migrate } from '../../../src/main/core/storage/migrations.ts'
import type { RetentionDays } from '../../../src/shared/contract/index.ts'
import { testTime } from '../../fixtures/own-time.ts'
import { addAccount } from '../drafts/office.ts'
import { contentsOf, temporaryFolder } from '../storage/folders.ts'

/** Long before any record is old. */
export const TODAY = Date.UTC(2026, 10, 25, 9)
const KEYS = { 'countersign.db': Buffer.alloc(32, 0xa1), 'documents.db': Buffer.alloc(32, 0xb2) }

const PAGE = 4096
/** Bytes at the end of each page: its IV (16) and its authentication tag. */
const RESERVED = 80

/** Returns the decrypted pages of a database file or its log, including free pages. */
function decrypted(bytes: Buffer, key: Buffer, isLog: boolean): Buffer {
  const [header, frame] = isLog ? [32, 24] : [0, 0]
  const pages: Buffer[] = []
  for (let at = header; at + frame + PAGE <= bytes.length; at += frame + PAGE) {
    const page = bytes.subarray(at + frame, at + frame + PAGE)
    const number = isLog ? bytes.readUInt32BE(at) : at / PAGE + 1
    const end = PAGE - RESERVED
    const cipher = createDecipheriv('aes-256-cbc', key, page.subarray(end, end + 16)).setAutoPadding(false)
    pages.push(cipher.update(page.subarray(number === 1 ? 16 : 0, end)), cipher.final())
  }
  return Buffer.concat(pages)
}

/** @param disk asked before the copies are purged; resolves once their disk answers. */
export async function retentionOffice({
  isKnown = true,
  policy = {} as Partial<RetentionDays>,
  disk = async () => undefined as unknown
} = {}) {
  const folder = temporaryFolder()
  const time = testTime(TODAY)
  const db = connectEncrypted(join(folder, 'countersign.db'), KEYS['countersign.db'])
  migrate(db)
  addAccount(db, 'a')
  const key = { key: KEYS['documents.db'], isNew: false }
  const opened = await openDocuments({ folder, key, time: { now: time.clock } })
  const worker = openDocumentsWorker({ db: opened.db, time: { now: time.clock } })
  const notes: AuditNote[] = []
  const troubles: unknown[] = []
  const purged: string[] = []
  const folders = openDownloadFolders({ db, newId: () => 'f' })
  const run = time.run()
  onTestFinished(async () => {
    run.end()
    await worker.close()
    db.close()
  })
  const note: RetentionDeps['note'] = (entry, _when, along) => {
    db.transaction(() => along?.())()
    notes.push(entry)
  }
  const holds = openHolds({
    db,
    time: run,
    staff: () => 'Mere',
    note,
    keep: (documents) => worker.ask('hold', { documents })
  })
  let ids = 0
  const drafts = openDrafts({ db, time: run, newId: () => `id-${++ids}`, changed: () => undefined })
  const retention = new Retention({
    db,
    holds,
    note,
    time: run,
    ask: worker.ask,
    organisation: { isKnown, policy: { retention: policy } },
    accountIds: () => ['a'],
    files: { folders, erased: () => {} },
    purgeTrash: drafts.purge,
    async purgeCopies(order) {
      await disk()
      await purgeCopies({ folder, key: KEYS[DATABASE_FILE], ...order })
    },
    purged: (kinds) => purged.push(...kinds),
    onError: (error) => troubles.push(error)
  })

  /** Counts the occurrences of a text, in any case, in the files as they are and in their decrypted pages. */
  function found(text: string): number {
    const needle = text.toLowerCase()
    return Object.entries(contentsOf(folder))
      .flatMap(([name, bytes]) => {
        const file = name.startsWith(COPIES_FOLDER) ? DATABASE_FILE : name.replace(/-wal$/, '')
        const databaseKey = file in KEYS && !name.endsWith('-shm') ? KEYS[file as keyof typeof KEYS] : undefined
        return [bytes, ...(databaseKey ? [decrypted(bytes, databaseKey, name.endsWith('-wal'))] : [])]
      })
      .reduce((count, bytes) => count + bytes.toString('latin1').toLowerCase().split(needle).length - 1, 0)
  }

  /** Makes a copy next to the database. */
  const copy = () => copyNow({ folder, key: KEYS[DATABASE_FILE], now: time.now })
  /** Changes the newest copy, as if an older version had made it. */
  async function inOlderCopy(sql: string): Promise<void> {
    const [newest] = await copiesIn(folder)
    const copied = connectEncrypted(join(folder, COPIES_FOLDER, newest?.name ?? ''), KEYS[DATABASE_FILE])
    copied.pragma('journal_mode = DELETE')
    copied.exec(sql)
    copied.close()
  }
  /** Queries the newest copy. */
  async function inCopy(query: string): Promise<unknown> {
    const [newest] = await copiesIn(folder)
    const copied = connectReadOnly(join(folder, COPIES_FOLDER, newest?.name ?? ''), KEYS[DATABASE_FILE])
    try {
      return copied.prepare(query).pluck().get()
    } finally {
      copied.close()
    }
  }

  /** Passes days, with Countersign used on each. */
  async function use(days: number): Promise<void> {
    for (let day = 0; day < days; day++) {
      time.now += DAY
      await retention.run()
    }
  }

  return {
    db,
    documents: opened.db,
    worker,
    time,
    notes,
    troubles,
    purged,
    folders,
    holds,
    drafts,
    retention,
    found,
    use,
    copy,
    inCopy,
    inOlderCopy,
    folder
  }
}

export type RetentionOffice = Awaited<ReturnType<typeof retentionOffice>>

interface SendRow {
  id: string
  who: string
  state?: string
  at: number
  reference?: string
  draftId?: string
  batchId?: string
}

/** Adds a package to the Outbox. */
export function addSend(db: Db, { id, who, state = 'sent', at, reference, draftId, batchId }: SendRow): void {
  const { lastInsertRowid } = db
    .prepare(
      `INSERT INTO sends (id, account_id, kind, state, title, who, created_at, settled_at, draft_id, batch_id)
       VALUES (?, 'a', 'form-direct', ?, ?, ?, ?, ?, ?, ?)`
    )
    .run(id, state, `Lease for ${who}`, who, at, at, draftId ?? null, batchId ?? null)
  const body = JSON.stringify({ request: { Forms: [] }, composition: { who: `${who} `.repeat(400) } })
  db.prepare('INSERT INTO send_bodies (number, body) VALUES (?, ?)').run(lastInsertRowid, body)
  if (reference === undefined) return
  db.prepare(`INSERT INTO send_documents (reference, account_id, send_id) VALUES (?, 'a', ?)`).run(reference, id)
}

export function addDownload(db: Db, name: string, at: number, state = 'done', reference = `D ${name}`): void {
  db.prepare(`INSERT OR IGNORE INTO download_folders (id, path) VALUES ('f', '/downloads')`).run()
  db.prepare(
    `INSERT INTO downloads (id, account_id, document_reference, name, type, folder_id, pattern, writes_index, state, queued_at,
       finished_at, file_name)
     VALUES (?, 'a', ?, ?, 'pdf', 'f', '', 0, ?, ?, ?, ?)`
  ).run(`download ${name}`, reference, name, state, at, state === 'waiting' ? null : at, `${name}.pdf`)
}

export function addVerification(db: Db, name: string, at: number, reference = `D ${name}`): void {
  db.prepare(
    `INSERT INTO verifications (id, account_id, document_reference, document_name, asked_at, answered_at, valid, not_valid, answer)
     VALUES (?, 'a', ?, ?, ?, ?, 1, 0, ?)`
  ).run(`verification ${name}`, reference, name, at, at, JSON.stringify({ User: name }))
}

export function addIdentityNumber(db: Db, number: string, at: number, reference = `D ${number}`): void {
  db.prepare(
    `INSERT INTO identity_numbers (account_id, session, turn, document_reference, kept_at, salt, kept) VALUES ('a', ?, 1, ?, ?, 's', ?)`
  ).run(`session ${number}`, reference, at, JSON.stringify({ number }))
}

export function addPerson(db: Db, name: string, at: number): void {
  db.prepare(
    `INSERT INTO people (account_id, email_key, name_key, first_name, middle_name, last_name, email, mobile_country, mobile_number,
       used_at, times)
     VALUES ('a', ?, ?, ?, '', 'Person', ?, '64', '21', ?, 1)`
  ).run(`${name}@example.com`.toLowerCase(), name.toLowerCase(), name, `${name}@example.com`, at)
  db.prepare(`INSERT INTO remembered (account_id, field, value, used_at) VALUES ('a', 'matterNumber', ?, ?)`).run(
    name,
    at
  )
}
