import { fireEvent, screen, waitFor } from '@testing-library/svelte'
import { afterEach, expect, test } from 'vitest'
import Backups from '../../src/renderer/src/screens/settings/Backups.svelte'
import ScheduledBackups from '../../src/renderer/src/screens/settings/ScheduledBackups.svelte'
import { fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'

const PASSPHRASE = 'a passphrase of four words'
let opened: Opened
afterEach(() => opened?.close())

async function open() {
  opened = await openOffice(fakeApi())
  show(opened, Backups)
  await settle()
  return opened.api.control
}

async function press(name: string) {
  await fireEvent.click(screen.getByRole('button', { name }))
  await settle()
}

async function toCheck() {
  await press('Restore a backup…')
  await fireEvent.input(screen.getByLabelText('Passphrase'), { target: { value: PASSPHRASE } })
  await press('Check backup')
}

const pressEscape = async () => {
  await fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Escape' })
  await settle()
}
const count = (name: string) => opened.api.control.calls.filter((call) => call.name === name).length

test('a backup goes on without its dialog, and its end is told', async () => {
  const control = await open()
  const free = control.hold('storage.backUp')
  await press('Back up…')
  await press('Save backup…')
  expect(document.activeElement).toBe(screen.getByLabelText('Passphrase'))
  for (const label of ['Passphrase', 'Repeat passphrase'])
    await fireEvent.input(screen.getByLabelText(label), { target: { value: PASSPHRASE } })
  await press('Save backup…')
  await pressEscape()
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  control.fail('storage.backUp', { code: 'no-space', message: 'The disk is full.' })
  free()
  await settle()
  expect(opened.app.toasts.shown.map(({ text }) => text).join()).toContain('No backup was made.')
})

test('a wrong passphrase is told at its field, which is ready for the next', async () => {
  const control = await open()
  const message = 'This isn’t the passphrase of this backup.'
  control.fail('storage.checkBackup', { code: 'bad-file', message, fields: [{ field: 'passphrase', message }] })
  await toCheck()
  const field = screen.getByLabelText<HTMLInputElement>('Passphrase')
  expect(field.getAttribute('aria-invalid')).toBe('true')
  expect(document.activeElement).toBe(field)
  expect(field.value).toBe('')
  expect(screen.queryByText('This backup can’t be used.')).toBeNull()
})

test('what a backup holds is read out before it is restored', async () => {
  await open()
  await toCheck()
  expect(document.activeElement?.textContent).toContain('complete and undamaged')
})

test('a check that is left says nothing more', async () => {
  const control = await open()
  const free = control.hold('storage.checkBackup')
  await toCheck()
  await pressEscape()
  expect(count('storage.leaveBackup')).toBe(1)
  control.fail('storage.checkBackup', { code: 'gone', message: 'This backup is no longer open.' })
  free()
  await settle()
  expect(screen.queryByText('This backup can’t be used.')).toBeNull()
})

test('what is being put in place can’t be left', async () => {
  const control = await open()
  await toCheck()
  control.hold('storage.restore')
  await press('Replace and restart')
  await pressEscape()
  await press('Cancel')
  expect(screen.getByRole('dialog', { name: 'Restore a backup' })).toBeTruthy()
  expect(count('storage.leaveBackup')).toBe(0)
})

test('backups by themselves: set with a folder and a passphrase, made now, and turned off', async () => {
  opened = await openOffice(fakeApi())
  show(opened, ScheduledBackups)
  await settle()
  const inputs = (name: string) =>
    opened.api.control.calls.filter((call) => call.name === name).map(({ input }) => input)
  await press('Schedule backups…')
  await press('Save')
  expect(screen.getByText('Choose a folder.')).toBeTruthy()
  expect(inputs('storage.scheduleBackups')).toEqual([])
  await press('Choose…')
  for (const label of ['Passphrase', 'Repeat passphrase'])
    await fireEvent.input(screen.getByLabelText(label), { target: { value: PASSPHRASE } })
  await press('Save')
  expect(inputs('storage.scheduleBackups')).toEqual([
    {
      plan: { when: 'daily', at: '18:00', weekday: 5, keep: 7, secrets: false },
      folderId: 'folder-backups',
      passphrase: PASSPHRASE
    }
  ])
  expect(screen.getByText('Every day at 18:00, into “Backups”. 7 copies kept.')).toBeTruthy()
  await press('Change schedule…')
  // Left blank, the passphrase stays.
  await press('Save')
  expect(inputs('storage.scheduleBackups')[1]).not.toHaveProperty('passphrase')
  await press('Back up now')
  expect(screen.getByText(/Last backup:/)).toBeTruthy()
  await press('Turn off')
  expect(inputs('storage.scheduleBackups').at(-1)).toEqual({ plan: null })
})
