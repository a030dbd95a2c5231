import { fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, expect, test } from 'vitest'
import Downloads from '../../src/renderer/src/screens/downloads/Downloads.svelte'
import { type FakeApi, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'

let opened: Opened
afterEach(() => opened.close())

async function open(api: FakeApi = fakeApi()) {
  opened = await openOffice(api)
  show(opened, Downloads)
  await settle()
}
const calls = (name: string) => opened.api.control.calls.filter((call) => call.name === name)
async function press(name: string | RegExp) {
  await fireEvent.click(screen.getByRole('button', { name }))
  await settle()
}

test('a download on its way shows how much has come, and moves as it comes', async () => {
  await open()
  const bar = () => screen.getByRole('progressbar', { name: 'Downloading Power of attorney Lindqvist' })
  expect(bar().getAttribute('aria-valuenow')).toBe('20')
  expect(screen.getByText('121 KB of 600 KB')).toBeTruthy()
  const { state } = opened.api.control
  state.downloads = state.downloads.map((one) => (one.id === 'dl-2' ? { ...one, bytes: 450_000 } : one))
  opened.api.control.emit('downloads.changed', { id: 'dl-2' })
  await settle()
  expect(bar().getAttribute('aria-valuenow')).toBe('75')
})

test('a download is stopped, and begun again', async () => {
  await open(fakeApi({ downloads: fakeApi().control.state.downloads.filter((one) => one.id === 'dl-2') }))
  await press('Stop')
  expect(screen.getByText('Stopped')).toBeTruthy()
  await press('Download again')
  expect(screen.getByText('Downloading')).toBeTruthy()
})

test('a download that failed says why and what to do', async () => {
  await open()
  const failed = screen.getByText('Loan variation Lindqvist').closest('li') as HTMLElement
  expect(within(failed).getByText('The file was not saved.')).toBeTruthy()
  expect(within(failed).getByText(/retention period/)).toBeTruthy()
  expect(within(failed).getByRole('button', { name: 'Download again' })).toBeTruthy()
})

test('a file that was moved away is told where it was to be shown', async () => {
  const api = fakeApi()
  api.control.fail('downloads.reveal', { code: 'gone', message: 'The file is not there.' })
  await open(api)
  await press('Show in folder')
  expect(screen.getByText('The file could not be shown in its folder.')).toBeTruthy()
})

test('the folder is named and can be another', async () => {
  await open()
  await press('Saved to “Downloads”. Change…')
  expect(screen.getByRole('button', { name: 'Saved to “Signed papers”. Change…' })).toBeTruthy()
  expect(calls('downloads.chooseFolder')).toHaveLength(1)
})

test('a dialog for the folder that was closed is no error', async () => {
  const api = fakeApi()
  api.control.fail('downloads.chooseFolder', { code: 'cancelled', message: 'Closed.' })
  await open(api)
  await press(/Saved to/)
  expect(screen.queryByText('The folder was not changed.')).toBeNull()
})

test('without downloads there is one sentence and one way on', async () => {
  await open(fakeApi({ downloads: [] }))
  expect(screen.getByText('Nothing has been downloaded yet.')).toBeTruthy()
  await press('Go to the documents')
  expect(opened.office.router.route.screen).toBe('documents')
})
