import { fireEvent, screen } from '@testing-library/svelte'
import axe from 'axe-core'
import { afterEach, expect, test } from 'vitest'
import DownloadsFolder from '../../src/renderer/src/screens/settings/DownloadsFolder.svelte'
import { type FakeApi, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'

let opened: Opened
afterEach(() => opened.close())

async function open(api: FakeApi = fakeApi()) {
  opened = await openOffice(api)
  const { container } = show(opened, DownloadsFolder)
  await settle()
  return container
}
const savedChanges = () =>
  opened.api.control.calls.filter(({ name }) => name === 'downloads.configure').map(({ input }) => input)
const pattern = () => screen.getByLabelText<HTMLInputElement>(/^File names/)

test('each change is saved immediately', async () => {
  await open()
  await fireEvent.click(screen.getByLabelText(/^Identity data/))
  await settle()
  await fireEvent.click(screen.getByLabelText('Keep an index file'))
  await settle()
  await fireEvent.click(screen.getByRole('button', { name: 'Change…' }))
  await settle()
  await fireEvent.change(screen.getByLabelText('Parallel downloads'), { target: { value: '6' } })
  await settle()
  expect(savedChanges()).toEqual([
    { types: ['pdf', 'json'] },
    { writesIndex: false },
    { folderId: expect.any(String) },
    { concurrency: 6 }
  ])
  expect(opened.api.control.state.downloadSettings.folder.label).toBe('Signed papers')
  expect(opened.api.control.state.downloadSettings.concurrency).toBe(6)
})

test('a file name pattern is saved on leaving the field, if valid', async () => {
  await open()
  await fireEvent.input(pattern(), { target: { value: '{colour}' } })
  await fireEvent.change(pattern())
  await settle()
  expect(savedChanges()).toEqual([])
  expect(screen.getByText(/“\{colour\}” is not one/)).toBeTruthy()
  await fireEvent.input(pattern(), { target: { value: '{matter}/{document}' } })
  await fireEvent.change(pattern())
  await settle()
  expect(savedChanges()).toEqual([{ pattern: '{matter}/{document}' }])
})

test('a part chosen from a menu is saved immediately', async () => {
  await open()
  await fireEvent.keyDown(screen.getAllByRole('button', { name: 'Dash' })[0] as Element, { key: 'Enter' })
  const items = await screen.findAllByRole('menuitem')
  await fireEvent.click(items.find((one) => one.textContent?.includes('Comma')) as Element)
  await settle()
  await settle()
  expect(savedChanges()).toEqual([{ pattern: '{yyyy}/{document}, {signer} – {date}' }])
})

test('a change that can’t be saved is reported', async () => {
  const api = fakeApi()
  api.control.fail('downloads.configure', { code: 'storage', message: 'No.' })
  await open(api)
  await fireEvent.click(screen.getByLabelText(/^Identity data/))
  await settle()
  expect(opened.app.toasts.shown.at(-1)?.text).toMatch(/^That wasn’t saved\./)
})

test('settings that couldn’t be loaded can be retried', async () => {
  const api = fakeApi()
  api.control.fail('downloads.settings', { code: 'storage', message: 'No.' })
  await open(api)
  api.control.heal('downloads.settings')
  await fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await settle()
  expect(pattern().value).toBe('{yyyy}/{document} – {signer} – {date}')
})

test('the section has no accessibility violations', async () => {
  const container = await open()
  const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } })
  expect(violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(' ')}`)).toEqual([])
})
