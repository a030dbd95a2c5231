import { fireEvent, screen } from '@testing-library/svelte'
import { afterEach, expect, test } from 'vitest'
import FirstRun from '../../src/renderer/src/screens/first-run/FirstRun.svelte'
import Settings from '../../src/renderer/src/screens/settings/Settings.svelte'
import { fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'

let opened: Opened
afterEach(() => opened?.close())

async function open(change: Parameters<typeof fakeApi>[0] = {}) {
  opened = await openOffice(fakeApi(change))
  opened.app.router.go('settings')
  show(opened, Settings)
  await settle()
}
const calls = (name: string) => opened.api.control.calls.filter((call) => call.name === name)
async function press(name: string | RegExp) {
  await fireEvent.click(screen.getByRole('button', { name }))
  await settle()
}
const toast = () => opened.app.toasts.shown.at(-1)?.text

test('settings are exported to a file', async () => {
  await open()
  await press('Export settings…')
  expect(toast()).toBe('Settings saved as Countersign.countersign-settings.')
})

test('settings are exported once, even if a file is chosen for importing meanwhile', async () => {
  await open()
  const answers = (['settingsFile.save', 'settingsFile.choose'] as const).map((name) => opened.api.control.hold(name))
  for (const name of ['Export settings…', 'Import settings…', 'Export settings…']) await press(name)
  expect(calls('settingsFile.save')).toHaveLength(1)
  for (const answer of answers) answer()
  await settle()
  expect(screen.getByRole('dialog', { name: 'Import settings' })).toBeTruthy()
})

test('importing shows the changes, what is left as it is, and accounts that need their keys, before applying', async () => {
  await open()
  await press('Import settings…')
  const changes = screen.getByRole('list', { name: 'What changes' })
  expect(changes.textContent).toContain('Folders of “Harbour & Co.”')
  expect(changes.textContent).toContain('InBox, Progress, Signed')
  const left = screen.getByRole('list', { name: 'Left as it is' })
  expect(left.textContent).toContain('Set by your organisation.')
  expect(left.textContent).toContain(
    'Preset “Lease renewal” of “Harbour & Co.”There’s already one with this name here.'
  )
  expect(screen.getByText(/sign in or enter them for “Wharf Street”/)).toBeTruthy()
  expect(calls('settingsFile.apply')).toEqual([])
  await press('Make 6 changes')
  expect(calls('settingsFile.apply').map(({ input }) => input)).toEqual([{ id: 'settings-1' }])
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(toast()).toBe(
    'Settings imported, but 3 of them were left as they are here. Now enter the keys of the new accounts.'
  )
  expect(opened.app.router.route.rest).toEqual(['accounts'])
})

test.each([
  [1, 'Settings imported, but 1 of them was left as it is here.'],
  [0, 'Settings imported.']
])('after importing, the message says how many settings were left: %i', async (leftCount, message) => {
  const usual = fakeApi().control.state.settingsFile
  await open({ settingsFile: usual && { ...usual, left: usual.left.slice(0, leftCount), withoutSecret: [] } })
  await press('Import settings…')
  await press('Make 6 changes')
  expect(toast()).toBe(message)
})

test('a file without changes can only be cancelled, and is then closed', async () => {
  const usual = fakeApi().control.state.settingsFile
  await open({ settingsFile: usual && { ...usual, changes: [], left: [], withoutSecret: [] } })
  await press('Import settings…')
  expect(screen.getByText('Nothing would change on this computer.')).toBeTruthy()
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Import' }).disabled).toBe(true)
  await press('Cancel')
  expect(calls('settingsFile.close')).toHaveLength(1)
  expect(calls('settingsFile.apply')).toEqual([])
})

test('a file that can’t be used is reported, and so is a failed import', async () => {
  await open()
  const message = 'This isn’t a Countersign settings file.'
  opened.api.control.fail('settingsFile.choose', { code: 'invalid', message })
  await press('Import settings…')
  expect(screen.getByText(message)).toBeTruthy()
  opened.api.control.heal('settingsFile.choose')
  await press('Import settings…')
  opened.api.control.fail('settingsFile.apply', { code: 'keychain', message: 'The keychain is locked.' })
  await press('Make 6 changes')
  expect(screen.getByRole('dialog').textContent).toContain('Not everything was imported.')
})

test('the first run can import settings', async () => {
  opened = await openOffice(fakeApi({ accounts: [] }))
  show(opened, FirstRun, { Help: undefined })
  await settle()
  expect(screen.queryByRole('button', { name: 'Export settings…' })).toBeNull()
  await press('Import settings…')
  await press('Make 6 changes')
  expect(opened.app.router.route.screen).toBe('settings')
})
