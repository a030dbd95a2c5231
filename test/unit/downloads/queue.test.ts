/** The queue of identity data over real HTTP, a real database and real folders. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { aDocument } from '../../fixtures/download-office.ts'
import { pdfOf, sendPdf } from '../../fixtures/pdf-server.ts'
import { anOffice, CHOICE, names, stalling, until } from './office.ts'

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

afterEach(() => vi.restoreAllMocks())

describe('a queued download', () => {
  test('is fetched, named by its pattern, recorded in the audit trail, and announced', async () => {
    const at = await anOffice()
    const { office } = at
    await office.showDocuments([aDocument('R1', { MatterNumber: 'M/7' })])
    expect(await at.add(['R1'], { ...CHOICE, pattern: '{matter}/{document} – {signer}' })).toEqual({
      added: 1,
      alreadyQueued: 0,
      leftOut: 0
    })
    office.downloads.startFetching()
    await office.whenIdle()
    const [view] = at.list()
    const pdf = pdfOf('R1')
    expect(view).toMatchObject({
      state: 'done',
      documentName: 'Lease R1',
      folder: 'Files',
      bytes: pdf.length,
      sha256: sha256(pdf)
    })
    const path = office.downloads.pathOf(office.accountId, view?.id ?? '')
    expect(path).toBe(join(office.files, ...(view?.fileName ?? '').split('/')))
    expect(readFileSync(path).equals(pdf)).toBe(true)
    expect(office.notes).toEqual([
      {
        what: 'identity-data-fetched',
        documentReference: 'R1',
        documentName: 'Lease R1',
        detail: { type: 'pdf', file: view?.fileName, sha256: sha256(pdf), by: 'person' }
      }
    ])
    await until(() => office.notified.length > 0)
  })

  test('is queued once, and only for a document with an identity check', async () => {
    const at = await anOffice()
    await at.office.showDocuments([aDocument('R1'), aDocument('R2', { IDVerificationRequested: false })])
    await at.add(['R1'])
    expect(await at.add(['R1', 'R2', 'unknown'], { ...CHOICE, types: ['pdf', 'json'] })).toEqual({
      added: 1,
      alreadyQueued: 1,
      leftOut: 2
    })
    expect(at.counts()).toMatchObject({ waiting: 2 })
  })

  test('can be a signed document if a person allowed it, and the document is complete', async () => {
    const at = await anOffice()
    const { office } = at
    const { accountId, downloads } = office
    await office.showDocuments([
      aDocument('R1', { IDVerificationRequested: false }),
      aDocument('R2', { Status: '0 of 1 Signed', LastSignedDate: '' })
    ])
    const both = { ...CHOICE, types: ['pdf' as const, 'signed' as const] }
    await expect(at.add(['R1', 'R2'], both)).rejects.toMatchObject({ appError: { code: 'not-allowed' } })
    expect(() => downloads.start(accountId, 'R1', 'Lease R1', 'signed')).toThrow()
    office.rights.signedDocuments = 'yes'
    expect(await at.add(['R1', 'R2'], { ...both, types: ['signed'] })).toEqual({
      added: 1,
      alreadyQueued: 0,
      leftOut: 1
    })
    downloads.startFetching()
    await office.whenIdle()
    const [view] = at.list()
    expect(view).toMatchObject({ state: 'done', type: 'signed', sha256: sha256(pdfOf('R1')) })
    expect(view?.fileName).toMatch(/\.signed\.pdf$/)
    expect(office.notes).toMatchObject([{ what: 'signed-document-fetched', documentReference: 'R1' }])
  })

  test('of a signed document isn’t fetched once the permission was withdrawn', async () => {
    const at = await anOffice()
    const { office, server } = at
    await office.showDocuments([aDocument('R1')])
    office.rights.signedDocuments = 'yes'
    await at.add(['R1'], { ...CHOICE, types: ['signed'] })
    office.rights.signedDocuments = 'no'
    office.downloads.startFetching()
    await office.whenIdle()
    expect(at.list()).toMatchObject([{ state: 'failed', error: { code: 'not-allowed' } }])
    expect(server.requested).toEqual([])
  })

  test('can come from a query', async () => {
    const at = await anOffice()
    const { office } = at
    await office.showDocuments(
      names(30).map((name) => aDocument(name, { MatterNumber: name < 'R011' ? 'M-1' : 'M-2' }))
    )
    const { query } = office.views.save(office.accountId, { name: 'A', query: queryOf('M-1'), tell: false })
    const into = { ...CHOICE, folderId: office.folderId }
    expect(await office.downloads.add(office.accountId, { query }, into)).toMatchObject({ added: 10 })
  })

  test('is fetched in parallel with others, up to the configured number', async () => {
    const at = await anOffice()
    const { office, server } = at
    await office.showDocuments(names(12).map((name) => aDocument(name)))
    const release = stalling(server)
    office.downloads.configure({ concurrency: 3 })
    office.downloads.startFetching()
    await at.add(names(12))
    await until(() => server.requested.length === 3)
    await pause(30)
    expect(server.requested).toHaveLength(3)
    await until(() => office.downloads.summary(office.accountId).bytes >= 3000)
    const summary = office.downloads.summary(office.accountId)
    expect(summary).toMatchObject({ counts: { running: 3, waiting: 9 }, total: 3 * pdfOf('R001').length })
    expect(at.list().map(({ state }) => state)).toEqual([...Array(3).fill('running'), ...Array(9).fill('waiting')])
    const page = (offset: number, limit: number) =>
      office.downloads
        .list([office.accountId], { offset, limit })
        .items.map(({ documentReference }) => documentReference)
    expect([...page(0, 2), ...page(2, 4), ...page(6, 500)]).toEqual(names(12))
    release()
    await office.whenIdle()
    expect(at.files()).toHaveLength(12)
  })

  test('of a document with a name in use gets its own file, and repeating it adds none', async () => {
    const at = await anOffice()
    const { office, server } = at
    server.answer = (_reference, response) => sendPdf('the same', response)
    await office.showDocuments([aDocument('R1', { Name: 'Lease' }), aDocument('R2', { Name: 'Lease' })])
    office.downloads.startFetching()
    office.downloads.configure({ concurrency: 1 })
    await at.add(['R1', 'R2'])
    await office.whenIdle()
    await at.add(['R1', 'R2'])
    await office.whenIdle()
    expect(at.files()).toEqual(['Lease (2).identity.pdf', 'Lease.identity.pdf'])
    // Both were written here: `wasThere` would keep retention from erasing them.
    expect(at.list().map(({ fileName, wasThere }) => [fileName, wasThere])).toEqual([
      ['Lease (2).identity.pdf', undefined],
      ['Lease.identity.pdf', undefined]
    ])
  })

  test('already named when the application died keeps that file, even if the service’s copy changed', async () => {
    // Completions are stored in batches after a delay, which here never ends.
    const at = await anOffice({ after: () => () => undefined })
    let office = at.office
    await office.showDocuments([aDocument('R1'), aDocument('R2')])
    const release = stalling(at.server, (reference) => reference === 'R2')
    office.downloads.startFetching()
    await at.add(['R1', 'R2'])
    await until(() => at.files().includes('Lease R1.identity.pdf'))
    await until(() => office.db.prepare('SELECT 1 FROM downloads WHERE naming_bytes IS NOT NULL').get() !== undefined)
    expect(at.counts()).toMatchObject({ done: 0 })
    at.server.answer = (reference, response) => sendPdf(reference, response, pdfOf(`${reference} anew`))
    office = await at.startAgain()
    release()
    await office.showDocuments([aDocument('R1'), aDocument('R2')])
    office.downloads.startFetching()
    await until(() => at.files().filter((name) => !name.startsWith('.')).length === 2)
    await until(() => at.list(['running']).length === 0 || at.counts().done > 0)
    expect(at.files().filter((name) => !name.startsWith('.'))).toEqual([
      'Lease R1.identity.pdf',
      'Lease R2.identity.pdf'
    ])
    expect(at.read('Lease R1.identity.pdf').equals(pdfOf('R1'))).toBe(true)
  })

  test('of records is saved exactly as received', async () => {
    const at = await anOffice()
    const { office, server } = at
    // None of this is spelled as we would spell it.
    const sent =
      '[ {"docclass":"Passport","IsPassed":"True","FaceMatchScore":0.9600,"DocId":12345678901234567890,"DOB":null} ]'
    server.answer = (_reference, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(sent)
    await office.showDocuments([aDocument('R1')])
    office.downloads.startFetching()
    await at.add(['R1'], { ...CHOICE, types: ['json'] })
    await office.whenIdle()
    expect(at.files()).toEqual(['Lease R1.identity.json'])
    expect(at.read('Lease R1.identity.json').toString()).toBe(sent)
    expect(at.list()[0]?.sha256).toBe(sha256(Buffer.from(sent)))
  })
})

describe('managing the queue', () => {
  test('a pause lasts across a restart, and interrupted downloads start again', async () => {
    const at = await anOffice()
    await at.office.showDocuments(names(5).map((name) => aDocument(name)))
    const release = stalling(at.server)
    at.office.downloads.startFetching()
    await at.add(names(5))
    await until(() => at.server.requested.length === 4)
    expect(await at.office.downloads.pause(at.office.accountId)).toMatchObject({
      isPaused: true,
      counts: { waiting: 5, running: 0 }
    })
    release()
    const office = await at.startAgain()
    office.downloads.startFetching()
    await pause(50)
    expect(at.files()).toEqual([])
    office.downloads.resume(office.accountId)
    await office.whenIdle()
    expect(at.files()).toHaveLength(5)
  })

  test('one or all downloads can be cancelled, then retried or cleared', async () => {
    const at = await anOffice()
    const { office, server } = at
    await office.showDocuments(names(8).map((name) => aDocument(name)))
    const release = stalling(server, (reference) => reference === 'R001')
    office.downloads.startFetching()
    await at.add(names(8))
    await until(() => at.counts().done === 7)
    const [running] = at.list(['running'])
    await office.downloads.cancel(office.accountId, running?.id ?? '')
    expect(at.counts()).toMatchObject({ cancelled: 1, running: 0, done: 7 })
    expect(at.files()).toHaveLength(7)
    release()
    await office.downloads.retry(office.accountId, [running?.id ?? ''])
    await office.whenIdle()
    expect(at.files()).toHaveLength(8)

    const releaseAll = stalling(server)
    await at.add(names(8))
    await until(() => at.counts().running === 4)
    await office.downloads.cancelAll(office.accountId)
    releaseAll()
    expect(at.counts()).toMatchObject({ cancelled: 8, waiting: 0, running: 0 })
    await office.downloads.clear(office.accountId)
    expect(at.counts()).toEqual({ waiting: 0, running: 0, done: 8, failed: 0, cancelled: 0 })
  })

  test('a download waiting for another of the same name can be cancelled without affecting the other', async () => {
    const at = await anOffice()
    const { office, server } = at
    await office.showDocuments([aDocument('R1', { Name: 'Lease' }), aDocument('R2', { Name: 'LEASE' })])
    const release = stalling(server)
    office.downloads.startFetching()
    await at.add(['R1', 'R2'])
    await until(() => at.counts().running === 2)
    await until(() => at.list(['running']).some(({ bytes }) => bytes > 0))
    const waiting = at.list(['running']).find(({ bytes }) => bytes === 0)
    await office.downloads.cancel(office.accountId, waiting?.id ?? '')
    expect(at.counts()).toMatchObject({ cancelled: 1, running: 1 })
    release()
    await office.whenIdle()
    expect(at.files()).toHaveLength(1)
    expect(at.counts()).toMatchObject({ cancelled: 1, done: 1 })
  })

  test('progress counts the files requested since the queue was last empty, even across a restart', async () => {
    const at = await anOffice()
    await at.office.showDocuments(names(6).map((name) => aDocument(name)))
    const run = () => at.office.downloads.summary(at.office.accountId).run
    expect(run()).toBeUndefined()
    at.office.downloads.startFetching()
    await at.add(['R001', 'R002'])
    await at.office.whenIdle()
    expect(run()).toEqual({ done: 2, failed: 0, of: 2 })
    const usual = at.server.answer
    const release = stalling(at.server, (reference) => reference === 'R005' || reference === 'R006')
    const answer = at.server.answer
    at.server.answer = (reference, response, request) =>
      reference === 'R004' ? void response.writeHead(404).end() : answer(reference, response, request)
    await at.add(['R003', 'R004', 'R005', 'R006'])
    await until(() => at.counts().waiting + at.counts().running === 2)
    expect(run()).toEqual({ done: 1, failed: 1, of: 4 })
    await at.startAgain()
    expect(run()).toEqual({ done: 1, failed: 1, of: 4 })
    at.server.answer = usual
    release()
    await at.office.downloads.retryFailed(at.office.accountId)
    expect(run()).toEqual({ done: 1, failed: 0, of: 4 })
    at.office.downloads.startFetching()
    await at.office.whenIdle()
    expect(run()).toEqual({ done: 4, failed: 0, of: 4 })
  })

  test('another account’s downloads can’t be changed', async () => {
    const at = await anOffice()
    await at.office.showDocuments([aDocument('R1')])
    await at.add(['R1'])
    const [{ id } = { id: '' }] = at.list()
    await expect(at.office.downloads.cancel('another', id)).rejects.toMatchObject({ appError: { code: 'gone' } })
    expect(() => at.office.downloads.pathOf('another', id)).toThrow()
  })

  test('ten thousand can be queued and cancelled without blocking the application', async () => {
    const at = await anOffice()
    const { office } = at
    const many = Array.from({ length: 10_000 }, (_, index) => `D${index}`)
    await office.showDocuments(many.map((name) => aDocument(name, { Signers: [] })))
    // On a clock by which each document takes 0.1 ms, one slice of the work is about forty documents.
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 0.1))
    let turns = 0
    let counting = setImmediate(function count() {
      turns += 1
      counting = setImmediate(count)
    })
    const added = await at.add(many)
    await office.downloads.cancelAll(office.accountId)
    clearImmediate(counting)
    expect(added).toMatchObject({ added: 10_000 })
    expect(at.counts()).toMatchObject({ cancelled: 10_000, waiting: 0 })
    expect(turns).toBeGreaterThan(50)
  })

  test('“Stop all” also ends queuing in progress', async () => {
    const at = await anOffice()
    const { office } = at
    const many = Array.from({ length: 12_000 }, (_, index) => `D${index}`)
    await office.showDocuments(many.map((name) => aDocument(name, { Signers: [] })))
    const adding = at.add(many)
    await until(() => at.counts().waiting > 0)
    await office.downloads.cancelAll(office.accountId)
    const { added } = await adding
    expect(added).toBeLessThan(12_000)
    expect(at.counts()).toMatchObject({ cancelled: added, waiting: 0 })
  })

  test('downloads continue if removing their account fails', async () => {
    const at = await anOffice()
    const { office } = at
    await office.showDocuments([aDocument('R1'), aDocument('R2')])
    office.downloads.startFetching()
    const shut = new Error('The keychain is shut.')
    await at.add(['R1', 'R2'])
    await expect(office.downloads.whileStopped(office.accountId, () => Promise.reject(shut))).rejects.toBe(shut)
    await office.whenIdle()
    expect(at.counts()).toMatchObject({ done: 2 })
  })

  test('downloads of a removed account end, and its files stay', async () => {
    const at = await anOffice()
    const { office, server } = at
    await office.showDocuments([aDocument('R1'), aDocument('R2')])
    stalling(server, (reference) => reference === 'R2')
    office.downloads.startFetching()
    await at.add(['R1', 'R2'])
    await until(() => at.counts().done === 1)
    let running = Number.NaN
    await office.downloads.whileStopped(office.accountId, async () => {
      running = office.downloads.summary(office.accountId).counts.running
      await office.accounts.remove(office.accountId)
    })
    expect(running).toBe(0)
    expect(at.files()).toEqual(['Lease R1.identity.pdf'])
    expect(office.db.prepare('SELECT count(*) FROM downloads').pluck().get()).toBe(0)
  })
})

describe('after a crash', () => {
  test('interrupted downloads are fetched again, and their leftovers removed', async () => {
    const at = await anOffice()
    await at.office.showDocuments(names(9).map((name) => aDocument(name)))
    const release = stalling(at.server)
    at.office.downloads.startFetching()
    await at.add(names(9), { ...CHOICE, pattern: '{signer}/{document}' })
    await until(() => readdirSync(at.office.files, { recursive: true }).some((name) => `${name}`.endsWith('.part')))
    const killed = at.office
    // A killed process removes nothing.
    const left = readdirSync(join(killed.files, 'Mere Tamati'))
    release()
    const office = await at.startAgain()
    for (const name of left) writeFileSync(join(office.files, 'Mere Tamati', name), 'half')
    await office.showDocuments(names(9).map((name) => aDocument(name)))
    expect(at.counts()).toMatchObject({ waiting: 9, running: 0 })
    office.downloads.startFetching()
    await office.whenIdle()
    expect(readdirSync(join(office.files, 'Mere Tamati')).sort()).toEqual(
      names(9).map((name) => `Lease ${name}.identity.pdf`)
    )
  })

  test('between saving and recording a file, there is still only one file', async () => {
    const at = await anOffice()
    await at.office.showDocuments([aDocument('R1')])
    await at.add(['R1'])
    writeFileSync(join(at.office.files, 'Lease R1.identity.pdf'), pdfOf('R1'))
    at.office.downloads.startFetching()
    await at.office.whenIdle()
    expect(at.files()).toEqual(['Lease R1.identity.pdf'])
    expect(at.list()).toMatchObject([{ state: 'done', wasThere: true, fileName: 'Lease R1.identity.pdf' }])
  })
})

describe('a downloaded file', () => {
  test('is checked, and can be fetched again if missing or altered', async () => {
    const at = await anOffice()
    const { office } = at
    await office.showDocuments(names(4).map((name) => aDocument(name)))
    office.downloads.startFetching()
    await at.add(names(4))
    await office.whenIdle()
    rmSync(join(office.files, 'Lease R001.identity.pdf'))
    const altered = pdfOf('R002')
    altered[500] = 0
    writeFileSync(join(office.files, 'Lease R002.identity.pdf'), altered)
    const found = await office.downloads.check(office.accountId)
    expect(found).toMatchObject({ intact: 2, unreadable: [] })
    expect(found.missing.map(({ fileName }) => fileName)).toEqual(['Lease R001.identity.pdf'])
    expect(found.altered.map(({ fileName }) => fileName)).toEqual(['Lease R002.identity.pdf'])
    await office.downloads.retry(
      office.accountId,
      [...found.missing, ...found.altered].map(({ id }) => id)
    )
    await office.whenIdle()
    expect(await office.downloads.check(office.accountId)).toMatchObject({ intact: 4, missing: [], altered: [] })
    expect(at.files()).toEqual([
      'Lease R001.identity.pdf',
      'Lease R002 (2).identity.pdf',
      'Lease R002.identity.pdf',
      'Lease R003.identity.pdf',
      'Lease R004.identity.pdf'
    ])
  })

  test('stays recorded while it is fetched again, and when that is cancelled or fails', async () => {
    const at = await anOffice()
    const { office, server } = at
    await office.showDocuments([aDocument('R1')])
    office.downloads.startFetching()
    await at.add(['R1'])
    await office.whenIdle()
    const [file] = at.list()
    const view = { id: file?.id, state: 'done', fileName: 'Lease R1.identity.pdf', sha256: file?.sha256 }
    const retry = () => office.downloads.retry(office.accountId, [file?.id ?? ''])
    const release = stalling(server)
    await retry()
    await until(() => at.counts().running === 1)
    expect(at.list(['done'])).toMatchObject([view])
    await office.downloads.cancel(office.accountId, at.list(['running'])[0]?.id ?? '')
    release()
    server.answer = (_reference, response) => void response.writeHead(404).end()
    await retry()
    await office.whenIdle()
    expect(
      at
        .list()
        .map(({ state }) => state)
        .sort()
    ).toEqual(['cancelled', 'done', 'failed'])
    expect(await office.downloads.check(office.accountId)).toMatchObject({ intact: 1, missing: [] })
    // The service has made it again, so both files are there and recorded.
    server.answer = (_reference, response) => sendPdf('R1', response, pdfOf('R1 made anew'))
    await retry()
    await office.whenIdle()
    await office.downloads.clear(office.accountId)
    expect(
      at
        .list()
        .map(({ fileName }) => fileName)
        .sort()
    ).toEqual(['Lease R1 (2).identity.pdf', 'Lease R1.identity.pdf'])
    expect(await office.downloads.check(office.accountId)).toMatchObject({ intact: 2 })
  })

  test('that was altered stays recorded when fetching it again is cancelled, or fails and is cleared', async () => {
    const at = await anOffice()
    const { office, server } = at
    await office.showDocuments([aDocument('R1')])
    office.downloads.startFetching()
    await at.add(['R1'])
    await office.whenIdle()
    writeFileSync(join(office.files, 'Lease R1.identity.pdf'), 'something else')
    const [file] = at.list()
    const id = file?.id ?? ''
    const release = stalling(server)
    await office.downloads.retry(office.accountId, [id])
    await until(() => at.counts().running === 1)
    await office.downloads.cancel(office.accountId, id)
    release()
    expect(at.list()).toMatchObject([{ state: 'done', fileName: 'Lease R1.identity.pdf', sha256: file?.sha256 }])
    server.answer = (_reference, response) => void response.writeHead(404).end()
    await office.downloads.retry(office.accountId, [id])
    await office.whenIdle()
    expect(at.list()).toMatchObject([{ state: 'failed' }])
    await office.downloads.clear(office.accountId)
    expect(at.list()).toMatchObject([{ state: 'done', fileName: 'Lease R1.identity.pdf', sha256: file?.sha256 }])
    expect(at.list()[0]).not.toHaveProperty('error')
    expect((await office.downloads.check(office.accountId)).altered).toHaveLength(1)
  })

  test('is no longer checked once another account is chosen', async () => {
    const at = await anOffice()
    await at.office.showDocuments([aDocument('R1')])
    at.office.downloads.startFetching()
    await at.add(['R1'])
    await at.office.whenIdle()
    const check = at.office.downloads.check(at.office.accountId)
    at.office.downloads.shown(['another'])
    await expect(check).rejects.toMatchObject({ appError: { code: 'cancelled' } })
  })

  test('is listed in an up-to-date index if one is wanted', async () => {
    const at = await anOffice()
    const { office } = at
    await office.showDocuments(names(3).map((name) => aDocument(name)))
    office.downloads.startFetching()
    await at.add(names(3), { ...CHOICE, writesIndex: true })
    await office.whenIdle()
    await until(() => at.files().includes('index.csv'))
    await until(() => at.read('index.csv').toString().split('\r\n').length === 5)
    expect(at.read('index.csv').toString()).toContain('Mere Tamati')
    expect(await office.downloads.writeIndex(office.folderId)).toEqual({ fileName: 'index.csv', rows: 3 })
  })
})

function queryOf(search: string) {
  const sort = { by: 'due' as const, descending: false }
  return { search, sort, grouped: false }
}
