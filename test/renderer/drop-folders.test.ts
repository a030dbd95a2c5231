import { fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, expect, test } from 'vitest'
import DropFolders from '../../src/renderer/src/screens/settings/DropFolders.svelte'
import { type FakeApi, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'
import { dropFolderScenes } from './preview/drop-folder-scenes.ts'

let opened: Opened
afterEach(() => opened.close())

async function open(api: FakeApi = dropFolderScenes['drop-folders']?.() ?? fakeApi()) {
  opened = await openOffice(api)
  show(opened, DropFolders)
  await settle()
}
const folders = () => opened.api.control.state.dropFolders
const row = (name: string) => {
  const found = screen.getAllByText(name, { selector: '.name' })[0]?.closest('li')
  if (!found) throw new Error(`No folder ${name}`)
  return within(found)
}
async function press(name: string | RegExp) {
  await fireEvent.click(screen.getByRole('button', { name }))
  await settle()
}
async function tick(folder: string) {
  await fireEvent.click(row(folder).getByRole('checkbox'))
  await settle()
}
const isTicked = (folder: string) => row(folder).getByRole<HTMLInputElement>('checkbox').checked

test('without folders, one can be added, and waits for Start', async () => {
  await open(fakeApi())
  expect(screen.getByText('No watched folders yet')).toBeTruthy()
  await press('Watch a folder…')
  expect(row('Scans').getByText('/office/Scans')).toBeTruthy()
  expect(row('Scans').getByText('Paused')).toBeTruthy()
  await press(/^Start\s*Scans/)
  expect(row('Scans').getByText('Watching')).toBeTruthy()
})

test('each folder shows its state and the results of its files', async () => {
  await open()
  expect(row('Payroll').getByText('Watching')).toBeTruthy()
  expect(row('Payroll').getByText(/1,284 imported, 3 failed, last/)).toBeTruthy()
  expect(row('Scans').getByText('Not found')).toBeTruthy()
  expect(row('Scans').getByText(/tries again every 30 seconds/)).toBeTruthy()
  expect(row('Leases').getByText('Paused')).toBeTruthy()
})

test('sending automatically must be confirmed', async () => {
  await open()
  await tick('Leases')
  expect(screen.getByText(/without anyone checking them first/)).toBeTruthy()
  await press('Cancel')
  expect([isTicked('Leases'), folders()[2]?.sends]).toEqual([false, false])
  await tick('Leases')
  await press('Send automatically')
  expect([isTicked('Leases'), folders()[2]?.sends]).toEqual([true, true])
  await tick('Leases')
  expect([isTicked('Leases'), folders()[2]?.sends]).toEqual([false, false])
})

test('a setting that can’t be saved reverts, with an error', async () => {
  await open()
  opened.api.control.fail('dropFolders.change', { code: 'no-space', message: 'The disk is full.' })
  await tick('Payroll')
  expect([isTicked('Payroll'), folders()[0]?.sends]).toEqual([true, true])
  expect(opened.app.toasts.shown.at(-1)?.text).toContain('That wasn’t saved.')
})

test('the preset for spreadsheet rows can be chosen', async () => {
  await open()
  const select = () => row('Leases').getByRole<HTMLSelectElement>('combobox', { name: 'Preset for spreadsheet rows' })
  await fireEvent.change(select(), { target: { value: 'preset-1' } })
  await settle()
  expect(folders()[2]?.presetId).toBe('preset-1')
  await fireEvent.change(select(), { target: { value: '' } })
  await settle()
  expect(folders()[2]?.presetId).toBeUndefined()
})

test('a folder can be paused, resumed and removed', async () => {
  await open()
  await press(/^Pause\s*Payroll/)
  expect(folders()[0]?.state).toBe('paused')
  await press(/^Resume\s*Payroll/)
  expect(folders()[0]?.state).toBe('watching')
  await press(/^Remove\s*Payroll/)
  await press('Stop watching')
  expect(folders().map(({ label }) => label)).toEqual(['Scans', 'Leases'])
})

test('the latest files link to their results, or show why they were refused', async () => {
  await open()
  const details = screen.getByText(/1,284 imported/).closest('details') as HTMLDetailsElement
  details.open = true
  await fireEvent(details, new Event('toggle'))
  await settle()
  const hrefs = screen.getAllByRole('link').map((link) => link.getAttribute('href'))
  expect(hrefs).toEqual(['#/outbox?batch=b1', '#/drafts', '#/compose/a'])
  expect(screen.getByText('42 packages in the Outbox')).toBeTruthy()
  expect(screen.getByText(/isn’t an e-mail address/)).toBeTruthy()
  await press(/^Report\s*on corrections/)
  expect(opened.api.control.calls.at(-1)).toMatchObject({ name: 'dropFolders.reveal', input: { id: 'h2' } })
})
