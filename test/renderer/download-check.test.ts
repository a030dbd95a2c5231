import { fireEvent, screen, within } from '@testing-library/svelte'
import axe from 'axe-core'
import { afterEach, expect, test } from 'vitest'
import Downloads from '../../src/renderer/src/screens/downloads/Downloads.svelte'
import type { DownloadView } from '../../src/shared/contract/views.ts'
import { type FakeApi, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { checkedOf, usualDownloads } from './fakes/downloads.ts'
import { type Opened, openOffice, show } from './office.ts'
import { downloadOf } from './people.ts'

let opened: Opened
afterEach(() => opened.close())

const files = Array.from({ length: 12 }, (_, index) =>
  downloadOf({ id: `s-${index}`, documentName: `Lease ${index}`, fileName: `2025/Lease ${index}.identity.pdf` })
)
async function open(api: FakeApi = fakeApi({ downloads: files })) {
  opened = await openOffice(api)
  opened.app.router.go('downloads')
  const { container } = show(opened, Downloads)
  await settle()
  return container
}
const calls = (name: string) => opened.api.control.calls.filter((call) => call.name === name)
const isShown = (text: string | RegExp) => screen.queryByText(text) !== null
const region = (name: string) => within(screen.getByRole('region', { name }))
async function press(name: string | RegExp) {
  await fireEvent.click(screen.getByRole('button', { name }))
  await settle()
}
const lost = { intact: 8, missing: files.slice(0, 2).map(checkedOf), altered: files.slice(2, 3).map(checkedOf) }
const found = () =>
  fakeApi({ downloads: files, downloadCheck: { ...lost, unreadable: files.slice(3, 4).map(checkedOf) } })

test('verifying reports that all files are unchanged', async () => {
  await open()
  await press('Verify saved files')
  expect(opened.app.router.route.query.get('show')).toBe('check')
  expect(isShown('All 12 files are unchanged.')).toBe(true)
})

test('a verification in progress shows the number of files, and can’t be started twice', async () => {
  const api = fakeApi({ downloads: files })
  api.control.hold('downloads.check')
  await open(api)
  await press('Verify saved files')
  expect(isShown('Verifying 12 files…')).toBe(true)
  expect(screen.getByRole('progressbar', { name: 'Verifying the files' })).toBeTruthy()
  await press('Verify saved files')
  expect(calls('downloads.check')).toHaveLength(1)
})

test('missing and changed files are listed, and can be downloaded again one by one', async () => {
  await open(found())
  await press('Verify saved files')
  expect(isShown('3 of 12 files changed or missing.')).toBe(true)
  expect(isShown(/8 unchanged\./)).toBe(true)
  expect(region('Missing 2').getByText('Downloads › 2025 › Lease 0.identity.pdf · Identity report')).toBeTruthy()
  await press('Download again: Lease 2')
  expect(calls('downloads.retry')[0]?.input).toEqual({ ids: ['s-2'] })
  expect(region('Changed 1').getByText('Downloading again')).toBeTruthy()
  screen.getByRole('button', { name: 'Download again: Lease 0' }).focus()
  await press('Download again: Lease 0')
  expect(screen.queryByRole('button', { name: /^Fetch \d+ files again$/ })).toBeNull()
  expect(screen.queryByRole('button', { name: 'Download again: Lease 0' })).toBeNull()
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Download again: Lease 1')
})

test('all missing files can be downloaded again at once', async () => {
  await open(found())
  await press('Verify saved files')
  await press('Download 2 files again')
  expect(calls('downloads.retry')[0]?.input).toEqual({ ids: ['s-0', 's-1'] })
  expect(opened.app.toasts.shown.at(-1)?.text).toBe('Downloading 2 files again.')
})

/** Finishes the repeated downloads with this change, a while after the check. */
async function finishDownloads(ids: string[], change: Partial<DownloadView>) {
  const { state, emit } = opened.api.control
  state.downloads = state.downloads.map((one) =>
    ids.includes(one.id) ? { ...one, state: 'done', finishedAt: state.now() + 60_000, ...change } : one
  )
  emit('downloads.changed', { id: null })
  await opened.clock.pass(1000)
}

test('a repeated download is marked when saved, and leaves the headline’s count', async () => {
  await open(fakeApi({ downloads: files, downloadCheck: { ...lost, unreadable: [] } }))
  await press('Verify saved files')
  await press('Download 2 files again')
  expect(region('Missing 2').getAllByText('Downloading again')).toHaveLength(2)
  expect(isShown('3 of 11 files changed or missing.')).toBe(true)
  await finishDownloads(['s-0'], {})
  expect(region('Missing 2').getAllByText('Downloaded again')).toHaveLength(1)
  expect(region('Missing 2').getAllByText('Downloading again')).toHaveLength(1)
  expect(isShown('2 of 11 files changed or missing.')).toBe(true)
  expect(isShown(/8 unchanged\. 1 file downloaded again\./)).toBe(true)
  await finishDownloads(['s-1'], {})
  await press('Download again: Lease 2')
  await finishDownloads(['s-2'], {})
  expect(region('Changed 1').getByText('Downloaded again')).toBeTruthy()
  expect(isShown('3 of 11 files changed or missing, and downloaded again.')).toBe(true)
  expect(screen.queryByText('Downloading again')).toBeNull()
})

test('repeated downloads stay marked when switching views, until the next verification', async () => {
  await open(found())
  await press('Verify saved files')
  await press('Download 2 files again')
  await finishDownloads(['s-0'], {})
  for (const part of ['saved', 'check']) {
    opened.app.router.go('downloads', [], { show: part })
    await settle()
  }
  expect(region('Missing 2').getByText('Downloaded again')).toBeTruthy()
  expect(region('Missing 2').getByText('Downloading again')).toBeTruthy()
  await press('Verify again')
  expect(region('Missing 2').queryByText('Downloaded again')).toBeNull()
})

test('a download that ended before the check, or failed, is not marked as downloaded again', async () => {
  await open(found())
  await press('Verify saved files')
  await press('Download 2 files again')
  await finishDownloads(['s-0'], { finishedAt: opened.api.control.state.now() - 1 })
  await finishDownloads(['s-1'], { state: 'failed', error: { code: 'not-found', message: 'Gone.' } })
  const missing = () => region('Missing 2')
  expect(missing().queryByText('Downloaded again')).toBeNull()
  expect(missing().getByText('Failed')).toBeTruthy()
  expect(missing().getByRole('button', { name: 'Download again: Lease 1' })).toBeTruthy()
  // Once the failure is cleared, it stands for the earlier file.
  await finishDownloads(['s-1'], {})
  expect(missing().queryByText('Failed')).toBeNull()
  expect(missing().queryByText('Downloaded again')).toBeNull()
  await press('Download again: Lease 1')
  await finishDownloads(['s-1'], { finishedAt: opened.api.control.state.now() + 90_000 })
  expect(missing().getByText('Downloaded again')).toBeTruthy()
})

test('once all are downloaded again, the headline mentions only unreadable files', async () => {
  await open(found())
  await press('Verify saved files')
  await press('Download 2 files again')
  await press('Download again: Lease 2')
  await finishDownloads(['s-0', 's-1', 's-2'], {})
  expect(isShown('1 file couldn’t be read.')).toBe(true)
  expect(isShown(/8 unchanged\. 3 files downloaded again\./)).toBe(true)
})

test('unreadable files are not called missing and offer no download', async () => {
  const api = fakeApi({ downloads: files, downloadCheck: { intact: 11, unreadable: files.slice(3, 4).map(checkedOf) } })
  await open(api)
  await press('Verify saved files')
  expect(isShown('1 file couldn’t be read.')).toBe(true)
  const away = region('Couldn’t be read 1')
  expect(away.getByText(/Connect the drive/)).toBeTruthy()
  expect(away.queryByRole('button')).toBeNull()
})

test('a verification that fails is explained and can be retried', async () => {
  const api = fakeApi({ downloads: files })
  api.control.fail('downloads.check', { code: 'storage', message: 'No.' })
  await open(api)
  await press('Verify saved files')
  expect(isShown('Couldn’t verify the files.')).toBe(true)
  api.control.heal('downloads.check')
  await press('Try again')
  expect(isShown('All 12 files are unchanged.')).toBe(true)
})

test('the index can be written, and a failure is explained', async () => {
  const api = fakeApi({ downloads: files })
  await open(api)
  opened.app.router.go('downloads', [], { show: 'check' })
  await settle()
  await press('Write index now')
  expect(calls('downloads.writeIndex')[0]?.input).toEqual({ folderId: 'folder-1' })
  expect(opened.app.toasts.shown.at(-1)?.text).toBe('Saved “index.csv” in “Downloads” with 12 files.')
  api.control.fail('downloads.writeIndex', { code: 'not-writable', message: 'The folder can’t be written to.' })
  await press('Write index now')
  expect(opened.app.toasts.shown.at(-1)?.text).toMatch(
    /^Couldn’t write the index\. The folder can’t be written to\. Choose another folder/
  )
})

test('the index can be written for each rule’s folder', async () => {
  const estate = { id: 'folder-9', label: 'Estate drive' }
  const rule = { ...usualDownloads, id: 'r', viewId: 'v', viewName: 'Deeds', isOn: true, fetched: 3 }
  await open(
    fakeApi({
      downloads: files,
      downloadFolders: [usualDownloads.folder, estate],
      downloadRules: [{ ...rule, folder: estate }]
    })
  )
  opened.app.router.go('downloads', [], { show: 'check' })
  await settle()
  await fireEvent.keyDown(screen.getByRole('button', { name: 'Write index now' }), { key: 'Enter' })
  await fireEvent.click(await screen.findByRole('menuitem', { name: 'In “Estate drive”' }))
  await settle()
  expect(calls('downloads.writeIndex')[0]?.input).toEqual({ folderId: 'folder-9' })
})

test('without saved files there is nothing to verify', async () => {
  await open(fakeApi({ downloads: [] }))
  opened.app.router.go('downloads', [], { show: 'check' })
  await settle()
  expect(isShown('No saved files to verify yet.')).toBe(true)
})

test('the results have no accessibility violations', async () => {
  const container = await open(found())
  await press('Verify saved files')
  const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } })
  expect(violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(' ')}`)).toEqual([])
})
