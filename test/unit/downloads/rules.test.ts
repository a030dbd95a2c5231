/** Rules: documents of a view are saved to a folder as they complete, each once, despite interruptions. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { documentsInMemory } from '../../../src/main/core/documents/mirror/database.ts'
import { DocumentQuery, type DownloadRule } from '../../../src/shared/contract/index.ts'
import { aDocument, openDownloadOffice } from '../../fixtures/download-office.ts'
import { openPdfServer } from '../../fixtures/pdf-server.ts'

const PROGRESS = { Status: '0 of 1 Signed', LastSignedDate: '' }
const open = (reference: string, members = {}) => aDocument(reference, { ...PROGRESS, ...members })

/** Time passes a hundred times faster, so that batched work is done immediately. */
function quickly(delay: number, task: () => void): () => void {
  const timer = setTimeout(task, delay / 100)
  return () => clearTimeout(timer)
}

async function aRule({ alsoNow = false, begins = [open('R1'), open('R2'), aDocument('OLD')] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-rules-'))
  const server = await openPdfServer()
  let mirror = documentsInMemory()
  const run = () => openDownloadOffice({ folder, baseUrl: server.url, mirror, after: quickly })
  let office = await run()
  onTestFinished(async () => {
    office.kill()
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  await office.showDocuments(begins)
  const view = office.views.save(office.accountId, {
    name: 'Leases',
    query: DocumentQuery.parse({ search: 'lease' }),
    tell: false
  })
  office.downloads.startFetching()
  const choice = { types: ['pdf' as const], pattern: '{document}', writesIndex: false }
  const input = { viewId: view.id, folderId: office.folderId, ...choice, alsoNow }
  const rule = await office.downloads.rules.add(office.accountId, input)
  return {
    server,
    view,
    rule,
    get office() {
      return office
    },
    /** Adds another rule, which also fetches documents that are complete already. */
    addForCompleted: () => office.downloads.rules.add(office.accountId, { ...input, alsoNow: true }),
    now: (): DownloadRule => office.downloads.rules.list(office.accountId)[0] as DownloadRule,
    files: () => readdirSync(office.files).sort(),
    /** Waits until everything that follows from what happened so far is done. */
    async settled() {
      await pause(60)
      await office.whenIdle()
      await pause(30)
      await office.whenIdle()
      return readdirSync(office.files).sort()
    },
    async startAgain(fresh = false) {
      if (fresh) mirror = documentsInMemory()
      office.kill()
      office = await run()
      return office
    }
  }
}

test('a rule without a view fetches every document as it completes', async () => {
  const at = await aRule({ begins: [open('R1'), open('R2', { Name: 'Will R2' })] })
  at.office.downloads.rules.remove(at.office.accountId, at.rule.id)
  const { types, pattern, writesIndex, folder } = at.rule
  const choice = { types, pattern, writesIndex, folderId: folder.id, alsoNow: false }
  const all = await at.office.downloads.rules.add(at.office.accountId, choice)
  expect(all).not.toHaveProperty('viewId')
  expect(all).not.toHaveProperty('viewName')
  await at.office.showDocuments([aDocument('R1'), aDocument('R2', { Name: 'Will R2' })])
  expect(await at.settled()).toEqual(['Lease R1.identity.pdf', 'Will R2.identity.pdf'])
  await at.startAgain()
  expect(at.now()).toMatchObject({ id: all.id, fetched: 2, isOn: true })
})

describe('a rule', () => {
  test('fetches a document that another rule fetches into the same folder under another name', async () => {
    const at = await aRule({ begins: [aDocument('OLD')] })
    const { types, writesIndex, folder } = at.rule
    const choice = { types, writesIndex, folderId: folder.id, alsoNow: true }
    at.office.downloads.pause(at.office.accountId)
    for (const pattern of ['{document}', 'Copy of {document}'])
      await at.office.downloads.rules.add(at.office.accountId, { ...choice, pattern })
    at.office.downloads.resume(at.office.accountId)
    expect(await at.settled()).toEqual(['Copy of Lease OLD.identity.pdf', 'Lease OLD.identity.pdf'])
  })

  test('fetches documents that complete from now on, once', async () => {
    const at = await aRule()
    expect(await at.settled()).toEqual([])
    await at.office.showDocuments([aDocument('R1'), open('R2'), aDocument('OLD')])
    expect(await at.settled()).toEqual(['Lease R1.identity.pdf'])
    expect(at.now()).toMatchObject({ fetched: 1, viewName: 'Leases' })
    expect(at.office.notes).toMatchObject([{ documentReference: 'R1', detail: { by: 'rule' } }])
    // It changes, and comes back: neither is a reason to fetch it again.
    await at.office.showDocuments([
      aDocument('R1', { MatterNumber: 'M-2' }),
      open('R2'),
      aDocument('OLD', { MatterNumber: 'M-2' })
    ])
    await at.settled()
    expect(at.server.requested).toEqual(['R1'])
  })

  test('fetches documents already complete if requested', async () => {
    const at = await aRule({ alsoNow: true })
    expect(await at.settled()).toEqual(['Lease OLD.identity.pdf'])
  })

  test.each([
    ['the documents couldn’t be read just then', false],
    ['the application ended just then', true]
  ])('fetches documents already complete if requested, even if %s', async (_what, isEnded) => {
    const at = await aRule()
    at.office.failing.add('identityChecks')
    await at.addForCompleted()
    if (isEnded) (await at.startAgain()).downloads.startFetching()
    at.office.failing.clear()
    // A file appears under its name just before it counts.
    const fetched = () => at.office.downloads.rules.list(at.office.accountId).map((rule) => rule.fetched)
    await expect.poll(() => fetched().sort()).toEqual([0, 1])
    expect(at.files()).toEqual(['Lease OLD.identity.pdf'])
  })

  test('fetches documents already complete if requested, even if its folders hadn’t been read yet', async () => {
    const at = await aRule()
    const office = await at.startAgain(true)
    office.downloads.startFetching()
    await at.addForCompleted()
    await office.showDocuments([aDocument('OLD')])
    await expect.poll(at.files).toEqual(['Lease OLD.identity.pdf'])
    // Only once: what is seen for the first time later was asked for by nobody.
    await office.showDocuments([aDocument('OLD'), aDocument('OLDER')])
    expect(await at.settled()).toEqual(['Lease OLD.identity.pdf'])
  })

  test('immediately fetches a document that completes in another account of its view', async () => {
    const at = await aRule()
    const { office, view } = at
    const other = await office.accounts.add({
      kind: 'service',
      name: 'Other office',
      baseUrl: at.server.url,
      authentication: { scheme: 'none' }
    })
    const query = DocumentQuery.parse({ search: 'lease', accounts: [office.accountId, other.id] })
    office.views.save(office.accountId, { id: view.id, name: 'Leases', query, tell: false })
    await office.showDocuments([open('X1')], 'Progress', other.id)
    await at.settled()
    await office.showDocuments([aDocument('X1')], 'Progress', other.id)
    await expect.poll(at.files).toEqual(['Lease X1.identity.pdf'])
  })

  test('stops queuing documents as soon as it is turned off', async () => {
    const begins = Array.from({ length: 2_000 }, (_, index) => aDocument(`D${index}`))
    const at = await aRule({ begins })
    const { office } = at
    const rules = office.downloads.rules
    rules.remove(office.accountId, at.rule.id)
    const choice = { types: ['pdf' as const], pattern: '{document}', writesIndex: false }
    const input = { viewId: at.view.id, folderId: office.folderId, ...choice, alsoNow: true }
    const adding = rules.add(office.accountId, input)
    while (rules.list(office.accountId).length === 0) await new Promise((turn) => setImmediate(turn))
    rules.change(office.accountId, rules.list(office.accountId)[0]?.id ?? '', { isOn: false })
    await adding
    await at.settled()
    // What was queued by then stays queued.
    expect(office.downloads.summary(office.accountId).counts.done).toBeLessThan(2_000)
    expect(at.server.requested.length).toBeLessThan(2_000)
  })

  test('ignores documents that completed long ago and are only now seen', async () => {
    const at = await aRule()
    const old = aDocument('OLDER', { LastSignedDate: '2019-03-02T03:15:00Z' })
    await at.office.showDocuments([open('R1'), open('R2'), aDocument('OLD'), old])
    expect(await at.settled()).toEqual([])
  })

  test('ignores documents outside its view or without an identity check', async () => {
    const at = await aRule()
    await at.office.showDocuments([
      aDocument('R1', { Name: 'Will' }),
      aDocument('R2', { IDVerificationRequested: false }),
      aDocument('OLD')
    ])
    expect(await at.settled()).toEqual([])
    // It entered the view after it completed.
    await at.office.showDocuments([aDocument('R1', { Name: 'Lease after all' }), aDocument('OLD')])
    expect(await at.settled()).toEqual(['Lease after all.identity.pdf'])
  })

  test('never fetches twice across restarts, and catches up with documents that completed in the meantime', async () => {
    const at = await aRule()
    await at.office.showDocuments([aDocument('R1'), open('R2'), aDocument('OLD')])
    await at.settled()
    let office = await at.startAgain()
    // The folders are read before downloads start.
    await office.showDocuments([aDocument('R1'), aDocument('R2'), aDocument('OLD')])
    office.downloads.startFetching()
    expect(await at.settled()).toEqual(['Lease R1.identity.pdf', 'Lease R2.identity.pdf'])
    office = await at.startAgain()
    office.downloads.startFetching()
    await office.showDocuments([aDocument('R1'), aDocument('R2'), aDocument('OLD')])
    await at.settled()
    expect(at.server.requested).toEqual(['R1', 'R2'])
  })

  test('goes by the time of completion if the local mirror was rebuilt', async () => {
    const at = await aRule()
    const after = new Date().toISOString()
    const office = await at.startAgain(true)
    office.downloads.startFetching()
    await office.showDocuments([aDocument('R1', { LastSignedDate: after }), open('R2'), aDocument('OLD')])
    expect(await at.settled()).toEqual(['Lease R1.identity.pdf'])
  })

  test('catches up when it is turned on again', async () => {
    const at = await aRule()
    at.office.downloads.rules.change(at.office.accountId, at.rule.id, { isOn: false })
    await at.office.showDocuments([aDocument('R1'), open('R2'), aDocument('OLD')])
    expect(await at.settled()).toEqual([])
    at.office.downloads.rules.change(at.office.accountId, at.rule.id, { isOn: true })
    expect(await at.settled()).toEqual(['Lease R1.identity.pdf'])
  })

  test('catches up later if its documents couldn’t be read when it was turned on', async () => {
    const at = await aRule()
    at.office.downloads.rules.change(at.office.accountId, at.rule.id, { isOn: false })
    await at.office.showDocuments([aDocument('R1'), open('R2'), aDocument('OLD')])
    await at.settled()
    at.office.failing.add('identityChecks')
    at.office.downloads.rules.change(at.office.accountId, at.rule.id, { isOn: true })
    expect(await at.settled()).toEqual([])
    expect(at.office.troubles).not.toEqual([])
    at.office.failing.clear()
    // It retries automatically.
    await pause(400)
    expect(await at.settled()).toEqual(['Lease R1.identity.pdf'])
  })

  test('can fetch signed documents, even without an identity check, once a person allowed it', async () => {
    const at = await aRule()
    const { office } = at
    const change = () => office.downloads.rules.change(office.accountId, at.rule.id, { types: ['pdf', 'signed'] })
    expect(change).toThrow()
    office.rights.signedDocuments = 'yes'
    change()
    const without = { IDVerificationRequested: false }
    await office.showDocuments([aDocument('R1', without), aDocument('R2'), aDocument('OLD')])
    expect(await at.settled()).toEqual(['Lease R1.signed.pdf', 'Lease R2.identity.pdf', 'Lease R2.signed.pdf'])
  })

  test('holds signed documents while saving them isn’t allowed, and fetches them once it is', async () => {
    const at = await aRule()
    const { office } = at
    office.rights.signedDocuments = 'yes'
    office.downloads.rules.change(office.accountId, at.rule.id, { types: ['pdf', 'signed'] })
    office.rights.signedDocuments = 'no'
    await office.showDocuments([aDocument('R1'), open('R2'), aDocument('OLD')])
    expect(await at.settled()).toEqual(['Lease R1.identity.pdf'])
    expect(at.now().problem).toBeUndefined()
    office.rights.signedDocuments = 'yes'
    office.downloads.shown([office.accountId])
    expect(await at.settled()).toEqual(['Lease R1.identity.pdf', 'Lease R1.signed.pdf'])
  })

  test('names the workstation that changed its view’s query, until someone confirms the rule here', async () => {
    const at = await aRule()
    const { office, view, rule } = at
    const { accountId, views } = office
    const saveView = (search: string) =>
      views.save(accountId, { ...view, query: DocumentQuery.parse({ ...view.query, search }) })
    saveView('other')
    // It was changed here.
    expect(at.now()).not.toHaveProperty('viewChangedBy')
    office.office.savedBy = 'Counter 2'
    expect(at.now()).toMatchObject({ viewChangedBy: 'Counter 2' })
    await at.startAgain()
    at.office.office.savedBy = 'Counter 2'
    expect(at.now()).toMatchObject({ viewChangedBy: 'Counter 2' })
    at.office.downloads.rules.change(accountId, rule.id, {})
    expect(at.now()).not.toHaveProperty('viewChangedBy')
  })

  test('keeps that notice when the view is renamed, or the rule is turned off and on', async () => {
    const at = await aRule()
    const { office, view, rule } = at
    const { accountId, views } = office
    const saveView = (search: string, name = view.name) =>
      views.save(accountId, { ...view, name, query: DocumentQuery.parse({ ...view.query, search }) })
    office.office.savedBy = 'Counter 2'
    saveView('other')
    for (const savedBy of [undefined, 'Counter 3']) {
      office.office.savedBy = savedBy
      saveView('other', `Renamed by ${savedBy}`)
      expect(at.now()).toMatchObject({ viewChangedBy: 'Counter 2' })
    }
    for (const isOn of [false, true]) office.downloads.rules.change(accountId, rule.id, { isOn })
    expect(at.now()).toMatchObject({ viewChangedBy: 'Counter 2' })
    await at.startAgain()
    expect(at.now()).toMatchObject({ viewChangedBy: 'Counter 2' })
    // A change made here needs no notice.
    at.office.office.savedBy = undefined
    at.office.views.save(accountId, { ...view, query: DocumentQuery.parse({ ...view.query, search: 'mine' }) })
    expect(at.now()).not.toHaveProperty('viewChangedBy')
  })

  test('pauses while its view doesn’t exist', async () => {
    const at = await aRule()
    at.office.views.remove(at.office.accountId, at.view.id)
    await at.office.showDocuments([aDocument('R1'), open('R2'), aDocument('OLD')])
    expect(await at.settled()).toEqual([])
    expect(at.now()).not.toHaveProperty('viewName')
  })

  test('shows why its most recent file couldn’t be fetched', async () => {
    const at = await aRule()
    at.server.answer = (_reference, response) => void response.writeHead(404).end()
    await at.office.showDocuments([aDocument('R1'), open('R2'), aDocument('OLD')])
    await at.settled()
    expect(at.now().problem?.message).toBeTruthy()
    expect(at.now().fetched).toBe(0)
  })

  test('fetches records in addition to the PDF if both are wanted, and nothing once removed', async () => {
    const at = await aRule()
    at.office.downloads.rules.change(at.office.accountId, at.rule.id, { types: ['pdf', 'json'] })
    await at.office.showDocuments([aDocument('R1'), open('R2'), aDocument('OLD')])
    await at.settled()
    const { items } = at.office.downloads.list([at.office.accountId], { offset: 0, limit: 10 })
    expect(items.map(({ documentReference, type }) => `${documentReference} ${type}`).sort()).toEqual([
      'R1 json',
      'R1 pdf'
    ])
    at.office.downloads.rules.remove(at.office.accountId, at.rule.id)
    await at.office.showDocuments([aDocument('R1'), aDocument('R2'), aDocument('OLD')])
    await at.settled()
    expect(at.server.requested).not.toContain('R2')
    expect(at.office.downloads.rules.list(at.office.accountId)).toEqual([])
    expect(at.office.troubles).toEqual([])
  })
})
