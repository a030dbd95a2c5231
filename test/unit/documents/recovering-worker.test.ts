/**
 * The life of the documents file: damage where opening it doesn't look, the end of its worker, and requests after that.
 */
import { chmod, cp, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openDocuments } from '../../../src/main/core/documents/mirror/database.ts'
import { matchKeyOf } from '../../../src/main/core/documents/mirror/folder-snapshot.ts'
import type { AskDocuments } from '../../../src/main/core/documents/questions.ts'
import { type DocumentsOpened, openRecoveringWorker } from '../../../src/main/core/documents/recovering-worker.ts'
import { openDocumentsWorker } from '../../../src/main/core/documents/worker.ts'
import { nextTurn } from '../../../src/main/core/lib/slices.ts'
import { openDocumentsThread } from '../../../src/main/shell/documents.ts'
import { lease, workerOffice } from './worker-office.ts'

const key = { key: new Uint8Array(32).fill(7), isNew: false }
const worker = new URL('../../../src/main/shell/documents-worker.ts', import.meta.url)
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-test-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const leases = Array.from({ length: 12_000 }, (_, at) => lease(`ref-${at}`, { Extra: 'x'.repeat(1500) }))

/** A large file, made once, and the leaf pages of its tables. */
let intact: string
const leaves = new Map<string, number[]>()
beforeAll(async () => {
  intact = await mkdtemp(join(tmpdir(), 'countersign-test-'))
  const { db } = await openDocuments({ folder: intact, key, time: Date })
  await workerOffice(db).read('InBox', leases)
  const pages = db.prepare<[string], number>("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'").pluck()
  for (const table of ['index_rows', 'bodies', 'documents', 'figures']) leaves.set(table, pages.all(table))
  db.close()
})
afterAll(() => rm(intact, { recursive: true, force: true }))

/** Copies that file, with a damaged page in the middle of a table, where opening it doesn't look. */
async function damaged(table: string): Promise<void> {
  await cp(intact, folder, { recursive: true })
  const pages = leaves.get(table) ?? []
  const file = await open(join(folder, 'documents.db'), 'r+')
  await file.write(Buffer.alloc(16, 9), 0, 16, ((pages[pages.length >> 1] ?? 0) - 1) * 4096 + 500)
  await file.close()
}

test('a read interrupted by quitting stops midway, and its documents aren’t reported at the next start', async () => {
  const opened = await openDocuments({ folder, key, time: Date })
  const office = workerOffice(opened.db)
  const worker = openDocumentsWorker({ db: opened.db, time: Date })
  office.startAgain(worker)
  const reading = office.read('InBox', leases)
  const written = async () => (await office.counts()).folders.InBox ?? 0
  while ((await written()) === 0) await nextTurn()
  await Promise.all([expect(reading).rejects.toThrow(), worker.close()])

  const { db } = await openDocuments({ folder, key, time: Date })
  onTestFinished(() => void db.close())
  office.startAgain(openDocumentsWorker({ db, time: Date }))
  expect(await written()).toBeGreaterThan(0)
  expect(await written()).toBeLessThan(leases.length)
  expect(await office.read('InBox', leases)).toMatchObject({ kind: 'taken', documents: leases.length })
  expect(await written()).toBe(leases.length)
  expect(await office.changes()).toEqual([])
})

describe('an account that is erased while its documents are read', () => {
  const keys = { references: [], marks: [], matchKeys: [matchKeyOf('Any.pdf', [{ Email: 'ana@example.com' }])] }
  const its = { accountId: 'office' }
  const sentHere = Array.from({ length: 50 }, (_, at) => ({ Reference: `ref-${at}`, Name: 'Lease' }))
  const reads = {
    'for the office': (ask: AskDocuments) =>
      ask('toShare', { ...its, feed: 'feed', key: new Uint8Array(32), limit: leases.length }),
    'for a package in doubt': (ask: AskDocuments) => ask('snapshot', { ...its, since: 0, keys }),
    'because they were sent here': (ask: AskDocuments) =>
      ask('takeSent', { ...its, documents: sentHere, now: Date.now() })
  }
  for (const [title, read] of Object.entries(reads)) {
    test(`${title} isn’t taken for a damaged file`, async () => {
      const opened: DocumentsOpened[] = []
      const recovering = openRecoveringWorker({ folder, key, time: Date }, (one) => opened.push(one))
      onTestFinished(() => recovering.close())
      const office = workerOffice()
      office.startAgain(recovering)
      await office.ask('shareFeed', { ...its, feed: 'feed' })
      const some = leases.slice(0, 2_000).map((one) => ({ ...one, Name: 'Any.pdf' }))
      // The others arrive, and are unread, after the first read.
      await office.read('InBox', some.slice(0, 1))
      await office.read('InBox', some)
      await office.read('InBox', leases.slice(0, 3), { accountId: 'another' })
      const reading = read(office.ask)
      for (let turn = 0; turn < 5; turn++) await nextTurn()
      await office.ask('erase', its)
      await reading
      expect(opened).toEqual([{ state: 'file' }])
      expect((await office.counts('another')).folders.InBox).toBe(3)
    })
  }
})

describe('a damaged page', () => {
  for (const table of ['index_rows', 'bodies', 'documents', 'figures']) {
    const tags = table === 'documents' ? [] : ['full']
    test(`of ${table} is set aside with its file when discovered, and work continues with a new file`, {
      tags
    }, async () => {
      await damaged(table)
      const opened: DocumentsOpened[] = []
      const worker = openRecoveringWorker({ folder, key, time: Date }, (one) => opened.push(one))
      const office = workerOffice()
      office.startAgain(worker)
      await office.counts()
      const result = await office.read(
        'InBox',
        leases.map((one) => ({ ...one, Status: '1 of 1' }))
      )
      expect(result).toMatchObject({ kind: 'taken', documents: leases.length })
      expect(await office.counts()).toMatchObject({ folders: { InBox: leases.length } })
      await worker.close()
      expect(opened).toEqual([{ state: 'file' }, { state: 'file', setAside: expect.stringContaining('set-aside-') }])
      expect(await readdir(join(folder, opened[1]?.setAside ?? ''))).toContain('documents.db')
      const next = openRecoveringWorker({ folder, key, time: Date }, (one) => opened.push(one))
      office.startAgain(next)
      expect(await office.counts()).toMatchObject({ folders: { InBox: leases.length } })
      expect(opened).toHaveLength(3)
      await next.close()
    })
  }

  test('starts a new mirror, whose changes are numbered from the beginning', async () => {
    await damaged('bodies')
    const worker = openRecoveringWorker({ folder, key, time: Date }, () => undefined)
    const before = await worker.ask('newestChange', null)
    const half = leases[6000]?.Reference as string
    for (let at = 0; at < leases.length; at += 1)
      await worker.ask('get', { accountId: 'office', reference: `ref-${at}` })
    expect(await worker.ask('get', { accountId: 'office', reference: half })).toBeUndefined()
    expect((await worker.ask('newestChange', null)).mirror).not.toBe(before.mirror)
    await worker.close()
  })

  test('is logged, even in the middle of a run', async () => {
    await damaged('index_rows')
    const warnings: string[] = []
    const log = {
      warn: (message: string) => warnings.push(message),
      error: (message: string) => warnings.push(message)
    }
    const threaded = openDocumentsThread({ worker, folder, key, log })
    const moment = { accountId: 'office', now: 0, zone: 'UTC' }
    expect(await threaded.ask('counts', { ...moment, queries: [] })).toMatchObject({ folders: {} })
    await threaded.end()
    expect(warnings).toEqual(['The file of documents was set aside, and a new one begun.'])
  })
})

test.skipIf(process.platform === 'win32')(
  'nobody else can read the file and its journal, not even one from an older version',
  async () => {
    const rights = async () => {
      const names = (await readdir(folder)).filter((name) => name.startsWith('documents.db'))
      return Promise.all(names.map(async (name) => [name, ((await stat(join(folder, name))).mode & 0o777).toString(8)]))
    }
    for (const when of ['new', 'older'] as const) {
      const { db } = await openDocuments({ folder, key, time: Date })
      db.exec('CREATE TABLE IF NOT EXISTS t (a); INSERT INTO t VALUES (1)')
      expect(Object.fromEntries(await rights()), when).toEqual({
        'documents.db': '600',
        'documents.db-wal': '600',
        'documents.db-shm': '600'
      })
      db.close()
      await chmod(join(folder, 'documents.db'), 0o644)
    }
  }
)

test('a worker that was ended starts no new thread', async () => {
  const log = { warn: () => undefined, error: () => undefined }
  const threaded = openDocumentsThread({ worker, folder, key, log })
  expect(await threaded.ask('newestChange', null)).toMatchObject({ change: 0, isKept: true })
  await threaded.end()
  await expect(threaded.ask('newestChange', null)).rejects.toMatchObject({ appError: { code: 'storage' } })
})
