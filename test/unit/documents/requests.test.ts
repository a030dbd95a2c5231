import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type Accounts, openAccounts } from '../../../src/main/core/accounts/accounts.ts'
import { openWorkbook } from '../../../src/main/core/bulk/read-xlsx.ts'
import { documentsInMemory } from '../../../src/main/core/documents/mirror/database.ts'
import type { AskDocuments } from '../../../src/main/core/documents/questions.ts'
import { openViews } from '../../../src/main/core/documents/views.ts'
import { openDocumentsWorker } from '../../../src/main/core/documents/worker.ts'
import { asAppError } from '../../../src/main/core/errors/app-error.ts'
import { systemTime } from '../../../src/main/core/lib/time.ts'
import { connectInMemory } from '../../../src/main/core/storage/connection.ts'
import { memoryKeychain } from '../../../src/main/core/storage/keychain.ts'
import { migrate } from '../../../src/main/core/storage/migrations.ts'
import { documentHandlers, viewHandlers } from '../../../src/main/ipc/documents.ts'
import { namedAccount } from '../../../src/main/ipc/registration.ts'
import type { AppError, UnreadableDocument } from '../../../src/shared/contract/index.ts'
import { addAccount } from '../drafts/office.ts'
import { temporaryFolder } from '../storage/folders.ts'
import { NOW, query, ZONE } from './index/rows.ts'

interface Trouble {
  problem?: AppError
  unreadable?: { count: number; documents: UnreadableDocument[] }
}

const office = { from: 'office' as const, stillAsking: () => true }
const DRAFT = { id: 'draft', accountId: '', kind: 'form-direct' as const, title: '', who: '', updatedAt: 0 }
let accounts: Accounts
let ask: AskDocuments
let handlers: ReturnType<typeof documentHandlers> & ReturnType<typeof viewHandlers>
let troubles: Map<string, Trouble>
let log: string[]
let saveTo: string | undefined
let now: number

beforeEach(() => {
  const db = connectInMemory()
  onTestFinished(() => void db.close())
  migrate(db)
  for (const id of ['a', 'b']) addAccount(db, id)
  db.prepare('UPDATE accounts SET folders = ?').run(JSON.stringify(['InBox', 'Progress', 'Signed']))
  accounts = openAccounts({ db, secrets: memoryKeychain().accounts, newId: randomUUID, time: systemTime })
  accounts.choose('a')
  now = NOW
  const worker = openDocumentsWorker({ db: documentsInMemory(), time: { now: () => now } })
  onTestFinished(() => worker.close())
  ask = worker.ask
  troubles = new Map()
  log = []
  saveTo = undefined
  const views = openViews({ db, newId: randomUUID, changed: () => log.push('views') })
  const polling = {
    troubleOf: (account: string, folder: string) => troubles.get(`${account} ${folder}`) ?? {},
    refresh: async (account: string) => void log.push(`refresh ${account}`),
    refreshWithLogs: async (account: string, folder: string) => void log.push(`logs ${account} ${folder}`)
  }
  handlers = {
    ...viewHandlers({ accounts, views }),
    ...documentHandlers({
      accounts,
      ask,
      polling,
      views,
      openInBrowser: async (url) => void log.push(`open ${url}`),
      copyPrivately: async (text) => void log.push(`copy ${text}`),
      another: (accountId, { Reference }, keeps) => ({ ...DRAFT, accountId, title: `${Reference}, keeps ${keeps}` }),
      correctedCopy: (accountId, { Reference }) => ({ ...DRAFT, accountId, title: `Copy of ${Reference}` }),
      chooseSaveFile: async () => saveTo,
      time: { now: () => now, zone: () => ZONE },
      holdOf: () => undefined,
      erasedFrom: (_account, reference, goneAt) => (reference === 'kept' ? undefined : goneAt + 1),
      changed: (account) => log.push(`changed ${account}`)
    })
  }
})

async function shows(folder: string, documents: Record<string, unknown>[], accountId = 'a'): Promise<void> {
  const bytes = new Uint8Array(Buffer.from(JSON.stringify(documents)))
  await ask('take', { accountId, folder, begun: ++now, now: ++now, withLogs: false, bytes })
}

const folders = async (accountId = 'a') => {
  for (const folder of ['InBox', 'Progress', 'Signed']) {
    await shows(
      folder,
      [{ Reference: `${accountId}-${folder}`, Name: `Deed ${folder}`, DueDate: '2026-12-01' }],
      accountId
    )
  }
}
const list = (conditions = {}) =>
  handlers['documents.list']({ query: query(conditions), expanded: [], offset: 0, limit: 50 }, office)
const codeOf = (answer: Promise<unknown>) =>
  answer.then(
    () => 'no failure',
    (error: unknown) => asAppError(error).code
  )

describe('requests about documents', () => {
  test('a list is as old as the oldest of the folders it shows', async () => {
    await shows('InBox', [{ Reference: 'D-1' }])
    const inBox = now
    expect((await list()).lookedAt).toBeUndefined()
    expect((await list({ folder: 'InBox' })).lookedAt).toBeLessThanOrEqual(inBox)
    await folders()
    expect((await list()).lookedAt).toBeLessThan(now)
    expect((await list({ accounts: ['b'] })).lookedAt).toBeUndefined()
    await folders('b')
    const both = await list({ accounts: ['b'] })
    expect(both.lookedAt).toBeGreaterThan(inBox)
    expect(both.documents).toBe(7)
  })

  test('problems with any of the folders shown are reported', async () => {
    await folders()
    const document = (folder: string) => ({ folder, path: '[0]' })
    troubles.set('a InBox', { unreadable: { count: 15, documents: Array(15).fill(document('InBox')) } })
    troubles.set('a Signed', {
      problem: { code: 'offline', message: 'No line.' },
      unreadable: { count: 30, documents: Array(20).fill(document('Signed')) }
    })
    const shown = await list()
    expect(shown.problem?.code).toBe('offline')
    expect(shown.unreadable?.count).toBe(45)
    expect(shown.unreadable?.documents).toHaveLength(20)
    const progress = await list({ folder: 'Progress' })
    expect([progress.problem, progress.unreadable]).toEqual([undefined, undefined])
    expect((await handlers['overview.get'](undefined, office)).problem?.code).toBe('offline')
  })

  test('the side bar counts folders, saved views and unread documents', async () => {
    await folders()
    const view = { name: 'In box', query: query({ folder: 'InBox' }), tell: false }
    const { id } = await handlers['views.save'](view, office)
    const counts = await handlers['documents.counts'](undefined, office)
    expect(counts.folders).toEqual({ InBox: 1, Progress: 1, Signed: 1 })
    expect(counts.views).toEqual({ [id]: 1 })
    expect(log).toEqual(['views'])
  })

  test('a document’s page is answered immediately, and its log is read if it may be outdated', async () => {
    await folders()
    expect(await handlers['documents.get']({ reference: 'a-Progress' }, office)).toMatchObject({
      name: 'Deed Progress'
    })
    expect(log).toEqual(['logs a Progress'])
    expect(await codeOf(handlers['documents.get']({ reference: 'unknown' }, office))).toBe('gone')
  })

  test('marking documents unread and read is announced once, if something changed', async () => {
    await folders()
    const some = { query: query({ search: 'deed' }) }
    await handlers['documents.markRead']({ some, read: true }, office)
    log = []
    await handlers['documents.markRead']({ some, read: false }, office)
    expect((await list({ unread: true })).documents).toBe(3)
    expect(log).toEqual(['changed a'])
    await handlers['documents.markRead'](
      { some: { documents: [{ accountId: 'a', reference: 'a-InBox' }] }, read: true },
      office
    )
    expect((await list({ unread: true })).documents).toBe(2)
    const keys = ['a-InBox', 'unknown'].map((reference) => ({ accountId: 'a', reference }))
    await handlers['documents.markRead']({ some: { documents: keys }, read: true }, office)
    expect(log).toEqual(['changed a', 'changed a'])
  })

  test('a selection across accounts means exactly those documents, even if references coincide', async () => {
    for (const account of ['a', 'b']) {
      await shows(
        'InBox',
        [{ Reference: 'same', Name: `Deed of ${account}` }, { Reference: `only-${account}` }],
        account
      )
    }
    const both = query({ accounts: ['b'], sort: { by: 'name', descending: false } })
    const found = await handlers['documents.references']({ query: both }, office)
    expect(found).toEqual({
      references: [
        { accountId: 'a', reference: 'same' },
        { accountId: 'b', reference: 'same' },
        { accountId: 'a', reference: 'only-a' },
        { accountId: 'b', reference: 'only-b' }
      ],
      total: 4
    })
    await handlers['documents.markRead']({ some: { query: both }, read: true }, office)
    log = []
    const ofSecondAccount = found.references.filter(({ accountId }) => accountId === 'b')
    await handlers['documents.markRead']({ some: { documents: ofSecondAccount }, read: false }, office)
    expect(log).toContain('changed b')
    expect((await list({ unread: true })).documents).toBe(0)
    expect((await list({ accounts: ['b'], unread: true })).documents).toBe(2)
    saveTo = join(temporaryFolder(), 'theirs.csv')
    await handlers['documents.export']({ some: { documents: ofSecondAccount }, columns: ['name'] }, office)
    expect(readFileSync(saveTo, 'utf8')).toBe('\ufeffDocument\r\nDeed of b\r\nonly-b\r\n')
  })

  test('an export is written to the chosen place, and nowhere if the dialog is cancelled', async () => {
    await folders()
    const request = { some: { query: query({ folder: 'Signed' }) }, columns: ['name', 'due'] as ('name' | 'due')[] }
    expect(await handlers['documents.export'](request, office)).toBeNull()
    saveTo = join(temporaryFolder(), 'mine.csv')
    expect(await handlers['documents.export'](request, office)).toEqual({ label: 'mine.csv' })
    expect(readFileSync(saveTo, 'utf8')).toBe('\ufeffDocument,Due\r\nDeed Signed,2026-12-01\r\n')
  })

  test('an export is a workbook, unless the name’s extension says text', async () => {
    await folders()
    const request = { some: { query: query({ folder: 'Signed' }) }, columns: ['name', 'due'] as ('name' | 'due')[] }
    saveTo = join(temporaryFolder(), 'mine')
    expect(await handlers['documents.export'](request, office)).toEqual({ label: 'mine.xlsx' })
    expect(
      openWorkbook(readFileSync(`${saveTo}.xlsx`))
        .read('Rows')
        .rows.map(({ cells }) => cells)
    ).toEqual([
      ['Document', 'Due'],
      ['Deed Signed', '2026-12-01']
    ])
  })

  test('a page of the service opens in the browser, a video’s by its signer; its password is given only on request', async () => {
    await shows('Progress', [
      {
        Reference: 'D-1',
        EditUrl: 'https://sign.example.com/edit',
        Signers: [
          { FirstName: 'Aroha' },
          { VideoConfirmationDetail: { ShortUrl: 'https://sign.example.com/v', Password: 'kowhai' } }
        ]
      },
      { Reference: 'D-2' }
    ])
    await handlers['documents.openInBrowser']({ reference: 'D-1', page: 'edit' }, office)
    await handlers['documents.openInBrowser']({ reference: 'D-1', page: { videoOf: 1 } }, office)
    expect(log).toEqual(['open https://sign.example.com/edit', 'open https://sign.example.com/v'])
    expect(await handlers['documents.videoPassword']({ reference: 'D-1', signer: 1 }, office)).toEqual({
      password: 'kowhai'
    })
    expect(JSON.stringify(await handlers['documents.get']({ reference: 'D-1' }, office))).not.toContain('kowhai')
    for (const nothing of [
      handlers['documents.openInBrowser']({ reference: 'D-1', page: { videoOf: 0 } }, office),
      handlers['documents.openInBrowser']({ reference: 'D-2', page: 'edit' }, office),
      handlers['documents.videoPassword']({ reference: 'D-1', signer: 7 }, office)
    ]) {
      expect(await codeOf(nothing)).toBe('gone')
    }
  })

  test('refreshing reads the chosen account’s folders', async () => {
    await handlers['documents.refresh'](undefined, office)
    expect(log).toEqual(['refresh a'])
  })
})

describe('what is taken from a document', () => {
  test('its link is copied to the clipboard without reaching the screens, and never a signing link', async () => {
    await shows('InBox', [
      {
        Reference: 'a',
        Name: 'Deed',
        EditUrl: 'https://sign.example/edit/a',
        Signers: [{ SigningKey: 'https://sign.example/s/1' }]
      },
      { Reference: 'b', Name: 'Will', Signers: [{ SigningKey: 'https://sign.example/s/2' }] }
    ])
    expect(await handlers['documents.copyLink']({ reference: 'a' }, office)).toBeUndefined()
    expect(await codeOf(handlers['documents.copyLink']({ reference: 'b' }, office))).toBe('gone')
    expect(log.filter((line) => line.startsWith('copy'))).toEqual(['copy https://sign.example/edit/a'])
  })

  test('a corrected copy is a draft of the selected account', async () => {
    await shows('InBox', [{ Reference: 'a', Name: 'Deed' }])
    const draft = await handlers['documents.correctedCopy']({ reference: 'a' }, office)
    expect(draft).toMatchObject({ accountId: 'a', title: 'Copy of a' })
    const another = await handlers['documents.duplicate']({ reference: 'a', keeps: 'nothing' }, office)
    expect(another).toMatchObject({ accountId: 'a', title: 'a, keeps nothing' })
  })
})

describe('when all accounts are shown', () => {
  beforeEach(async () => {
    accounts.showAll(true)
    await folders('a')
    await folders('b')
    log = []
  })

  test('the list, the counts and the overview cover all of them', async () => {
    expect((await list()).documents).toBe(6)
    expect((await list({ folder: 'Signed' })).rows).toMatchObject([{ accountId: 'a' }, { accountId: 'b' }])
    const counts = await handlers['documents.counts'](undefined, office)
    expect(counts.folders).toEqual({ InBox: 2, Progress: 2, Signed: 2 })
    const overview = await handlers['overview.get'](undefined, office)
    expect(overview.states.reduce((sum, { count }) => sum + count, 0)).toBe(6)
    expect(overview.due.reduce((sum, { count }) => sum + count, overview.overdue)).toBe(6)
  })

  test('a view finds and counts in all of them, and belongs to the current one', async () => {
    const { id } = await handlers['views.save'](
      { name: 'In box', query: query({ folder: 'InBox' }), tell: false },
      office
    )
    expect((await handlers['documents.counts'](undefined, office)).views).toEqual({ [id]: 2 })
    accounts.choose('b')
    expect(await handlers['views.list'](undefined, office)).toMatchObject([{ id }])
    await handlers['views.remove']({ id }, office)
    accounts.showAll(false)
    accounts.choose('a')
    expect(await handlers['views.list'](undefined, office)).toEqual([])
  })

  test('refreshing reads each account’s folders, and the account with a problem is named', async () => {
    await handlers['documents.refresh'](undefined, office)
    expect(log).toEqual(['refresh a', 'refresh b'])
    troubles.set('b Signed', { problem: { code: 'offline', message: 'No line.' } })
    expect(await list()).toMatchObject({ problemFolder: 'Signed', problemAccount: 'b' })
  })

  test('a request for a named account concerns only that one, and fails if it is gone', async () => {
    const named = (id: string) =>
      namedAccount.run(id, () => handlers['documents.get']({ reference: 'b-Signed' }, office))
    expect(await named('b')).toMatchObject({ accountId: 'b', name: 'Deed Signed' })
    expect(await codeOf(named('a'))).toBe('gone')
    expect(await codeOf(namedAccount.run('c', async () => list()))).toBe('no-account')
    expect((await namedAccount.run('b', () => list())).documents).toBe(3)
  })
})
