import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { documentsInMemory, documentsKey, openDocuments } from '../../../src/main/core/documents/mirror/database.ts'
import { type DocumentsWorker, openDocumentsWorker } from '../../../src/main/core/documents/worker.ts'
import { connectInMemory, type Db } from '../../../src/main/core/storage/connection.ts'
import { migrate } from '../../../src/main/core/storage/migrations.ts'
import { openDocumentsThread } from '../../../src/main/shell/documents.ts'
import { DocumentQuery } from '../../../src/shared/contract/index.ts'

const accountId = 'office'
let db: Db
let worker: DocumentsWorker
let now = 0

beforeEach(() => {
  now = Date.parse('2026-11-21T00:00:00Z')
  db = documentsInMemory()
  worker = openDocumentsWorker({ db, time: { now: () => now } })
})
afterEach(() => db.close())

type Members = Record<string, unknown>
const lease = (members: Members = {}): Members => ({
  Reference: 'lease',
  Name: 'Lease.pdf',
  Status: '0 of 2 Signed',
  DueDate: '2026-12-01T00:00:00Z',
  PackageReference: 'p1',
  Signers: [signer('Ana'), signer('Ben')],
  ...members
})
const signer = (FirstName: string, members: Members = {}): Members => ({
  FirstName,
  LastName: 'Example',
  Email: `${FirstName.toLowerCase()}@example.com`,
  SignedStatus: 'Invitation',
  ...members
})

const bytesOf = (text: string) => new TextEncoder().encode(text)
/** Makes a read that begins after everything before it. */
function read(folder: string, items: unknown, more: { withLogs?: boolean; begun?: number } = {}) {
  now += 1000
  const text = typeof items === 'string' ? items : JSON.stringify(items)
  const { withLogs = false, begun = now - 500 } = more
  return worker.ask('take', { accountId, folder, begun, now, withLogs, bytes: bytesOf(text) })
}
async function changes(after = 0) {
  const all = await worker.ask('changesAfter', { after, limit: 1000 })
  return all.map(({ kind, reference, signer, isOwn }) =>
    [reference, kind, ...(signer ? [signer] : []), ...(isOwn ? ['own'] : [])].join(' ')
  )
}
const get = (reference = 'lease') => worker.ask('get', { accountId, reference })
const list = async () =>
  (
    await worker.ask('list', {
      accountId,
      query: DocumentQuery.parse({}),
      now,
      zone: 'UTC',
      expanded: [],
      offset: 0,
      limit: 100
    })
  ).rows
/** As after a restart of the application. */
const startAgain = () => {
  worker = openDocumentsWorker({ db, time: { now: () => now } })
}

describe('the first read of a folder', () => {
  test('reports nothing and leaves nothing unread, and the next one reports what is new', async () => {
    expect(await read('Progress', [lease()])).toMatchObject({
      kind: 'taken',
      documents: 1,
      changed: 1,
      isComplete: true
    })
    expect(await changes()).toEqual([])
    expect(await get()).toMatchObject({ folder: 'Progress', unread: false, seenAt: now - 500, logsAreOld: true })
    await read('Progress', [lease(), lease({ Reference: 'deed' })])
    expect(await changes()).toEqual(['deed arrived Ana Example\nBen Example'])
    expect(await get('deed')).toMatchObject({ unread: true })
  })

  test('counts even if it is empty: what comes later has arrived', async () => {
    await read('Progress', 'null')
    await read('Progress', [lease()])
    expect(await changes()).toEqual(['lease arrived Ana Example\nBen Example'])
  })

  test('dates existing documents by the service’s own dates', async () => {
    await read('Signed', [lease({ Status: 'Complete', LastSignedDate: '2026-11-02T00:00:00Z' })])
    const { weeks } = await worker.ask('overview', { accountId, now, zone: 'UTC', stuckDays: 7 })
    expect(weeks.find(({ completed }) => completed > 0)?.monday).toBe('2026-11-02')
  })
})

describe('a change to a document', () => {
  beforeEach(() => read('Progress', [lease()]).then(() => read('Signed', [])))

  test.each<[string, Members, string[]]>([
    [
      'one signed',
      { Status: '1 of 2 Signed', Signers: [signer('Ana', { HasSigned: true }), signer('Ben')] },
      ['signed Ana Example']
    ],
    [
      'all signed',
      { Status: 'Complete', Signers: [signer('Ana', { HasSigned: true }), signer('Ben', { HasSigned: true })] },
      ['signed Ana Example', 'signed Ben Example', 'completed']
    ],
    [
      'one declined',
      { Status: 'Declined', Signers: [signer('Ana', { SignedStatus: 'Declined' }), signer('Ben')] },
      ['declined Ana Example']
    ],
    ['it expired', { Status: 'Expired' }, ['expired']],
    [
      'a check failed',
      { Signers: [signer('Ana', { IDVerificationResult: 'Failed' }), signer('Ben')] },
      ['identity-failed Ana Example']
    ],
    [
      'a signer waits here',
      { Signers: [signer('Ana', { SigningKey: 'https://x.example/1' }), signer('Ben')] },
      ['waits-here Ana Example']
    ],
    ['it is due later', { DueDate: '2026-12-02T00:00:00Z' }, ['due-changed']],
    ['the same due date is spelled differently', { DueDate: '2026-12-01T13:00:00+13:00' }, []],
    ['a signer was corrected', { Signers: [signer('Anna'), signer('Ben')] }, ['signers-changed']],
    ['something else changed', { MatterNumber: '7' }, ['changed']],
    ['a link was replaced', { Signers: [signer('Ana'), signer('Ben')], EditUrl: '' }, []]
  ])('is reported once at most: %s', async (_, members, kinds) => {
    const expected = kinds.map((one) => `lease ${one}`)
    await read('Progress', [lease(members)])
    expect(await changes()).toEqual(expected)
    await read('Progress', [lease(members)])
    await read('Progress', JSON.stringify([lease(members)], null, 2))
    startAgain()
    await read('Progress', [lease(members)])
    await read('Progress', JSON.stringify([lease(members)], null, 1))
    expect(await changes()).toEqual(expected)
    expect((await get())?.unread).toBe(expected.length > 0)
  })

  test('is stored but not reported if only a link differs', async () => {
    const withKey = (key: string) => lease({ Signers: [signer('Ana', { SigningKey: key }), signer('Ben')] })
    await read('Progress', [withKey('https://x.example/1')])
    const { change: newest } = await worker.ask('newestChange', null)
    await read('Progress', [withKey('https://x.example/2')])
    expect(await changes(newest)).toEqual([])
    expect((await get())?.document.Signers?.[0]?.SigningKey).toBe('https://x.example/2')
  })

  test('can be a move: reported once, and the document is in one folder', async () => {
    await read('Signed', [lease({ Status: 'Complete' })])
    await read('Progress', [])
    expect(await changes()).toEqual(['lease completed', 'lease moved'])
    expect(await list()).toMatchObject([{ reference: 'lease', folder: 'Signed', unread: true }])
  })

  test('by our own action is reported as ours and leaves nothing unread', async () => {
    const mirrored = await get()
    if (!mirrored) throw new Error('The lease is not kept.')
    const document = { ...mirrored.document, DueDate: '2026-12-24T00:00:00Z' }
    const before = now
    now += 1000
    await worker.ask('takeOne', { accountId, document, now, isOwn: true })
    // An answer requested before the action changes nothing, but the next one with the same bytes does.
    await read('Progress', [lease()], { begun: before + 1 })
    expect((await get())?.document.DueDate).toBe('2026-12-24T00:00:00Z')
    expect(await changes()).toEqual(['lease due-changed own'])
    expect((await get())?.unread).toBe(false)
    await read('Progress', [lease()])
    expect((await get())?.document.DueDate).toBe('2026-12-01T00:00:00Z')
  })

  test('is counted by kind and listed for one document or all, newest first', async () => {
    await read('Progress', [lease({ MatterNumber: '7' }), lease({ Reference: 'deed' })])
    await read('Progress', [lease({ MatterNumber: '8' }), lease({ Reference: 'deed' })])
    const all = await worker.ask('activity', { accountId, offset: 0, limit: 2 })
    expect(all).toMatchObject({ total: 3, byKind: { changed: 2, arrived: 1 } })
    expect(all.changes.map(({ id }) => id)).toEqual([3, 2])
    expect((await worker.ask('activity', { accountId, reference: 'deed', offset: 0, limit: 9 })).total).toBe(1)
  })
})

describe('a document that left all folders', () => {
  test('is gone once two rounds have missed it, and can return', async () => {
    await read('Progress', [lease()])
    await read('Progress', [])
    const since = now - 500
    expect((await get())?.goneAt).toBeUndefined()
    expect(await worker.ask('markGone', { accountId, since, now })).toBe(1)
    expect(await worker.ask('markGone', { accountId, since, now })).toBe(0)
    expect((await get())?.goneAt).toBe(now)
    await read('Progress', [lease()])
    expect(await changes()).toEqual(['lease gone', 'lease returned'])
    expect((await get())?.goneAt).toBeUndefined()
  })

  test('isn’t one that an unchanged answer still contains, even after a restart with the clock set back', async () => {
    await read('Progress', [lease()])
    now -= 86_400_000
    startAgain()
    await read('Progress', [lease()])
    const since = now - 500
    expect(await worker.ask('markGone', { accountId, since, now })).toBe(0)
    expect(await worker.ask('markGone', { accountId, since: since + 1, now })).toBe(1)
  })

  test('keeps the time at which it was last seen, also across a restart', async () => {
    await read('Progress', [lease()])
    const readAt = now - 500
    await read('Progress', [])
    await read('Progress', [])
    expect((await get())?.seenAt).toBe(readAt)
    startAgain()
    expect((await get())?.seenAt).toBe(readAt)
  })
})

describe('a bad answer', () => {
  beforeEach(() => read('Progress', [lease()]))

  test.each(['', '<html>', '[{"Reference":"x"}', '[{"Reference":"x"}] x', '[{"Reference":}]', '[{"Reference":"x"},{]'])(
    'that isn’t JSON changes nothing: %s',
    async (text) => {
      expect(await read('Progress', text)).toEqual({ kind: 'not-json' })
      expect((await list()).length).toBe(1)
    }
  )

  test('that isn’t a list is reported as such', async () => {
    expect(await read('Progress', { Documents: [] })).toEqual({ kind: 'unexpected-shape', path: '', said: {} })
    expect(await read('Progress', { ResponseStatus: { Message: 'Not now' } })).toMatchObject({
      kind: 'unexpected-shape',
      said: { serviceMessage: 'Not now' }
    })
    expect((await list()).length).toBe(1)
  })

  test('loses only the unreadable documents, and names them', async () => {
    const result = await read('Progress', [
      lease({ Signers: 5 }),
      lease({ Reference: 'deed' }),
      { Name: 'Nobody' },
      lease({ Reference: 'will', Signers: [{ HasSigned: 'perhaps' }] })
    ])
    expect(result).toMatchObject({
      changed: 1,
      isComplete: false,
      unreadable: {
        count: 3,
        documents: [
          { folder: 'Progress', path: '[0].Signers', reference: 'lease', name: 'Lease.pdf' },
          { path: '[2].Reference', name: 'Nobody' },
          { path: '[3].Signers[0].HasSigned', reference: 'will' }
        ]
      }
    })
    expect(await worker.ask('markGone', { accountId, since: now - 500, now })).toBe(0)
    expect((await get())?.document.Signers).toHaveLength(2)
  })

  test('containing a document twice uses the last, and counts it once', async () => {
    const doubled = { folder: 'Progress', path: '[0]', reference: 'lease', isDoubled: true }
    expect(await read('Progress', [lease({ Name: 'One' }), lease({ Name: 'Two' })])).toMatchObject({
      documents: 1,
      changed: 1,
      unreadable: { count: 1, documents: [{ ...doubled, name: 'One' }] }
    })
    // Reported for every answer that has it, even if the last document is unchanged.
    expect(await read('Progress', [lease({ Name: 'Four' }), lease({ Name: 'Two' })])).toMatchObject({
      unreadable: { count: 1, documents: [{ ...doubled, name: 'Four' }] }
    })
    expect(await read('Progress', [lease({ Name: 'Two' }), lease({ Name: 'Two' })])).toMatchObject({
      unreadable: { count: 0 }
    })
    expect((await get())?.document.Name).toBe('Two')
    await read('Progress', [lease({ Name: 'Three' }), lease({ Name: 'Two' })])
    expect((await get())?.document.Name).toBe('Two')
    expect(await changes()).toEqual(['lease changed'])
  })
})

describe('logs', () => {
  const Logs = [{ Name: 'Ana', Action: 'Sent', Date: '2026-11-10T00:00:00Z' }]

  test('are kept if a later read has none, and are outdated once the document has changed', async () => {
    await read('Progress', [lease({ Logs })], { withLogs: true })
    await read('Progress', [lease()])
    await read('Progress', [lease({ Logs: [] })])
    expect(await get()).toMatchObject({ document: { Logs }, logsAreOld: false })
    await read('Progress', [lease({ MatterNumber: '7' })])
    expect(await get()).toMatchObject({ document: { Logs, MatterNumber: '7' }, logsAreOld: true })
    await read('Progress', [lease({ MatterNumber: '7', Logs })], { withLogs: true })
    expect(await get()).toMatchObject({ logsAreOld: false })
    expect(await changes()).toEqual(['lease changed'])
  })

  test('an answer without logs isn’t taken as unchanged after one with logs brought changes', async () => {
    await read('Progress', [lease()])
    await read('Progress', [lease({ MatterNumber: '7', Logs })], { withLogs: true })
    await read('Progress', [lease()])
    expect((await get())?.document.MatterNumber).toBeUndefined()
  })
})

test('candidates for an uncertain send are found by reference, mark, or name and signers, with their whole package', async () => {
  await read('Progress', [
    lease({ Reference: 'a', PackageReference: 'p1', ClientReference: ' CS-Send-1-2 ' }),
    lease({ Reference: 'b', PackageReference: 'p1', Logs: [{ Date: '2026-11-12T00:00:00Z' }] }),
    lease({ Reference: 'c', PackageReference: 'p2', ClientReference: 'M 7', Name: 'C' }),
    lease({ Reference: 'd', PackageReference: 'p3', Name: 'D' }),
    lease({ Reference: 'e', PackageReference: 'p4', Name: 'E', Signers: [signer('Eve')] })
  ])
  const found = async (keys: object, since = now - 500) => {
    const all = { references: [], marks: [], matchKeys: [], ...keys }
    const answer = await worker.ask('snapshot', { accountId, since, keys: all })
    return [
      answer.documents
        .map(({ Reference }) => Reference)
        .sort()
        .join(),
      answer.latest
    ]
  }
  const latest = Date.parse('2026-11-12T00:00:00Z')
  expect(await found({ marks: ['send-1'] })).toEqual(['a,b', latest])
  expect(await found({ references: ['m 7'] })).toEqual(['c', latest])
  expect(await found({ matchKeys: ['e\neve@example.com'] })).toEqual(['e', latest])
  expect(await found({ references: ['m 7'] }, now)).toEqual(['', undefined])
})

test('a page shows known and unknown members, and nothing that grants access', async () => {
  const secret = 'https://secret.example'
  await read('Progress', [
    lease({
      EditUrl: secret,
      Sealed: true,
      Signers: [
        signer('Ana', {
          SigningKey: secret,
          Nested: { SigningKey: secret, kind: 'x' },
          AccessToken: secret,
          IDCheckStatus: 'Completed',
          IDVerificationResult: 'Passed',
          VideoConfirmationDetail: { ShortUrl: secret, Password: secret, IsVideoReady: true }
        })
      ]
    }),
    lease({ Reference: 'deed', Name: 'Deed' })
  ])
  const page = await worker.ask('page', { accountId, reference: 'lease' })
  expect(page).toMatchObject({
    accountId,
    hasEditUrl: true,
    identity: 'passed',
    others: [{ name: 'Sealed', value: 'true' }],
    package: [{ reference: 'deed', name: 'Deed' }],
    people: [{ firstName: 'Ana', identity: 'passed', videoDetail: { hasUrl: true, hasPassword: true, isReady: true } }]
  })
  expect(page?.people[0]?.others.map(({ name }) => name)).toEqual(['Nested', 'AccessToken'])
  expect(JSON.stringify(page)).not.toContain(secret)
})

test('read marks survive a restart, and an account is erased completely', async () => {
  await read('Progress', [])
  await read('Progress', [lease(), lease({ Reference: 'deed' })])
  const ask = { accountId, now, zone: 'UTC', some: { documents: [{ accountId, reference: 'lease' }] }, read: true }
  expect(await worker.ask('markRead', ask)).toBe(1)
  expect(await worker.ask('markRead', ask)).toBe(0)
  startAgain()
  expect((await list()).map((row) => row.unread)).toEqual([true, false])
  await worker.ask('erase', { accountId })
  expect(await list()).toEqual([])
  startAgain()
  expect([await list(), await changes(), await worker.ask('lookedAt', { accountId, folders: ['Progress'] })]).toEqual([
    [],
    [],
    {}
  ])
})

describe('documents.db', () => {
  const worker = new URL('../../../src/main/shell/documents-worker.ts', import.meta.url)
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-test-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  const random = (bytes: number) => new Uint8Array(bytes).fill(9)

  test('has a key that is generated once and stored in the main database', () => {
    const main = connectInMemory()
    migrate(main)
    expect(documentsKey(main, random)).toMatchObject({ isNew: true })
    expect(documentsKey(main, () => new Uint8Array(32))).toEqual({ key: random(32), isNew: false })
    main.close()
  })

  test.each([
    ['another key', { key: random(32), isNew: false }],
    ['a newly generated key', { key: new Uint8Array(32).fill(7), isNew: true }]
  ])('is set aside and started again if there is %s for it', async (_, key) => {
    const first = await openDocuments({
      folder,
      key: { key: new Uint8Array(32).fill(7), isNew: true },
      time: { now: () => now }
    })
    first.db.close()
    const second = await openDocuments({ folder, key, time: { now: () => now } })
    second.db.close()
    expect(second).toMatchObject({ state: 'file', setAside: expect.stringContaining('set-aside-') })
    expect(await readdir(join(folder, second.setAside ?? ''))).toContain('documents.db')
  })

  test('is kept in memory if its place isn’t writable', async () => {
    const place = join(folder, 'no-folder')
    await writeFile(place, '')
    const opened = await openDocuments({
      folder: place,
      key: { key: random(32), isNew: false },
      time: { now: () => now }
    })
    expect(opened.state).toBe('memory')
    opened.db.close()
  })

  test('is used through a thread that takes over the bytes, stores them, and is restarted after its end', async () => {
    const warnings: string[] = []
    const log = {
      warn: (message: string) => warnings.push(message),
      error: (message: string) => warnings.push(message)
    }
    const threaded = () => openDocumentsThread({ worker, folder, key: { key: random(32), isNew: false }, log })
    const first = threaded()
    const space = new ArrayBuffer(0, { maxByteLength: 1000 })
    const text = bytesOf(JSON.stringify([lease()]))
    space.resize(text.length)
    const bytes = new Uint8Array(space, 0, text.length)
    bytes.set(text)
    const result = await first.ask('take', { accountId, folder: 'Progress', begun: 1, now: 2, withLogs: false, bytes })
    expect(result).toMatchObject({ kind: 'taken', documents: 1 })
    expect(space.detached).toBe(true)
    const table = {
      accountId,
      format: 'csv' as const,
      now,
      zone: 'UTC',
      some: { documents: [{ accountId, reference: 'lease' }] },
      columns: ['name' as const]
    }
    expect((await first.ask('table', table)).documents).toBe(1)
    await first.end()
    const second = threaded()
    expect((await second.ask('get', { accountId, reference: 'lease' }))?.document.Name).toBe('Lease.pdf')
    await second.end()
    expect((await readdir(folder)).sort()).toContain('documents.db')
    expect(warnings).toEqual([])
  })
})
