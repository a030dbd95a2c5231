/** The screens' requests about downloads: decoded by the contract, with no path in any answer. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { downloadHandlers } from '../../../src/main/ipc/downloads.ts'
import type { RequestContext, RequestHandlers } from '../../../src/main/ipc/registration.ts'
import {
  type DecodedInput,
  DocumentQuery,
  type Input,
  type RequestName,
  requests
} from '../../../src/shared/contract/index.ts'
import { aDocument, openDownloadOffice } from '../../fixtures/download-office.ts'
import { openPdfServer } from '../../fixtures/pdf-server.ts'

type DownloadRequest = Extract<RequestName, `downloads.${string}`>

async function anOffice() {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-requests-'))
  const server = await openPdfServer()
  const office = await openDownloadOffice({ folder, baseUrl: server.url })
  onTestFinished(async () => {
    office.kill()
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  await office.showDocuments(['R1', 'R2'].map((reference) => aDocument(reference)))
  const revealed: string[] = []
  let chosen: string | undefined = join(folder, 'Evidence')
  const handlers: Pick<RequestHandlers, DownloadRequest> = downloadHandlers({
    accounts: office.accounts,
    ask: office.ask,
    downloads: office.downloads,
    reveal: (path) => revealed.push(path),
    chooseFolder: async () => chosen
  })
  const context: RequestContext = { from: 'office', stillAsking: () => true }
  return {
    office,
    folder,
    revealed,
    thinkBetter() {
      chosen = undefined
    },
    ask<Name extends DownloadRequest>(name: Name, input: Input<Name>) {
      const decoded = requests[name].input.parse(input) as DecodedInput<Name>
      return handlers[name](decoded, context)
    }
  }
}

test('a document can be fetched, listed, and shown in its folder', async () => {
  const { ask, office, revealed } = await anOffice()
  office.downloads.startFetching()
  const begun = await ask('downloads.start', { reference: 'R1', type: 'pdf' })
  expect(await ask('downloads.start', { reference: 'R1', type: 'pdf' })).toMatchObject({ id: begun.id })
  await office.whenIdle()
  const { items, total } = await ask('downloads.list', { reference: 'R1', offset: 0, limit: 10 })
  expect(total).toBe(1)
  expect(items[0]).toMatchObject({ id: begun.id, state: 'done' })
  await ask('downloads.reveal', { id: begun.id })
  expect(revealed).toEqual([join(office.files, ...(items[0]?.fileName ?? '').split('/'))])
  await expect(ask('downloads.start', { reference: 'unknown', type: 'pdf' })).rejects.toMatchObject({
    appError: { code: 'gone' }
  })
})

test('a folder is chosen and set by its id, and no answer contains its path', async () => {
  const { ask, folder, thinkBetter } = await anOffice()
  const chosen = await ask('downloads.chooseFolder', undefined)
  expect(chosen).toMatchObject({ label: 'Evidence' })
  expect(await ask('downloads.settings', undefined)).toMatchObject({
    folder: { label: 'Files' },
    isFolderChosen: false,
    concurrency: 4
  })
  const set = await ask('downloads.configure', { folderId: chosen?.id, concurrency: 2, pattern: '{reference}' })
  expect(set).toMatchObject({
    folder: chosen,
    isFolderChosen: true,
    concurrency: 2,
    pattern: '{reference}',
    types: ['pdf']
  })
  const answers = [chosen, set, await ask('downloads.summary', undefined), await ask('downloads.rules', undefined)]
  expect(JSON.stringify(answers)).not.toContain(folder)
  thinkBetter()
  expect(await ask('downloads.chooseFolder', undefined)).toBeNull()
})

test('a pattern’s results are previewed, and an invalid one is refused with a message', async () => {
  const { ask, office } = await anOffice()
  const shown = await ask('downloads.preview', { pattern: '{document} – {signer}', type: 'pdf', references: ['R1'] })
  expect(shown).toEqual({ examples: [{ documentName: 'Lease R1', fileName: 'Lease R1 – Mere Tamati.identity.pdf' }] })
  expect((await ask('downloads.preview', { pattern: '{document}', type: 'pdf' })).examples).toHaveLength(2)
  const wrong = await ask('downloads.preview', { pattern: '../{document}', type: 'pdf' })
  expect(wrong).toMatchObject({ examples: [], problem: expect.any(String) })
  const choice = { types: ['pdf' as const], pattern: '../{document}', writesIndex: false, folderId: office.folderId }
  await expect(ask('downloads.add', { what: { references: ['R1'] }, ...choice })).rejects.toMatchObject({
    appError: { code: 'invalid', message: wrong.problem }
  })
})

test('rules can be added, changed and removed', async () => {
  const { ask, office } = await anOffice()
  const view = { name: 'Leases', query: DocumentQuery.parse({}), tell: false }
  const { id: viewId } = office.views.save(office.accountId, view)
  const choice = { types: ['pdf' as const], pattern: '{document}', writesIndex: true, folderId: office.folderId }
  const { id } = await ask('downloads.addRule', { viewId, ...choice, alsoNow: true })
  expect(await ask('downloads.rules', undefined)).toMatchObject([{ id, viewName: 'Leases', isOn: true, fetched: 0 }])
  expect(await ask('downloads.summary', undefined)).toMatchObject({ counts: { waiting: 2 } })
  expect(await ask('downloads.changeRule', { id, isOn: false })).toMatchObject({ isOn: false, pattern: '{document}' })
  await ask('downloads.removeRule', { id })
  expect(await ask('downloads.rules', undefined)).toEqual([])
  await expect(ask('downloads.addRule', { viewId: 'none', ...choice, alsoNow: false })).rejects.toMatchObject({
    appError: { code: 'gone' }
  })
})
