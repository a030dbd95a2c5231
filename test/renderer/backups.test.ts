import { fireEvent, screen, waitFor } from '@testing-library/svelte'
import { afterEach, expect, test } from 'vitest'
import Backups from '../../src/renderer/src/screens/settings/Backups.svelte'
import LockedData from '../../src/renderer/src/screens/settings/LockedData.svelte'
import RecoveryKey from '../../src/renderer/src/screens/settings/RecoveryKey.svelte'
import RemoveEverything from '../../src/renderer/src/screens/settings/RemoveEverything.svelte'
import ScheduledBackups from '../../src/renderer/src/screens/settings/ScheduledBackups.svelte'
import { readRecoveryKey } from '../../src/shared/recovery-key.ts'
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

test('a backup continues after its dialog is closed, and its result is shown', async () => {
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

test('cancelling a restore closes the backup and clears the passphrase', async () => {
  await open()
  for (const leave of [() => press('Cancel'), pressEscape]) {
    await toCheck()
    const before = count('storage.closeBackup')
    await leave()
    expect(count('storage.closeBackup')).toBe(before + 1)
    await press('Restore a backup…')
    expect(screen.getByLabelText('Passphrase')).toHaveProperty('value', '')
    await pressEscape()
  }
})

test('a wrong passphrase is reported at its field, which is cleared and focused', async () => {
  const control = await open()
  const message = 'This isn’t the passphrase for this backup.'
  control.fail('storage.checkBackup', { code: 'bad-file', message, fields: [{ field: 'passphrase', message }] })
  await toCheck()
  const field = screen.getByLabelText<HTMLInputElement>('Passphrase')
  expect(field.getAttribute('aria-invalid')).toBe('true')
  expect(document.activeElement).toBe(field)
  expect(field.value).toBe('')
  expect(screen.queryByText('This backup can’t be used.')).toBeNull()
})

test('a checked backup’s contents get focus, so that they are read out before restoring', async () => {
  await open()
  await toCheck()
  expect(document.activeElement?.textContent).toContain('complete and undamaged')
})

test('a check that was cancelled reports nothing afterwards', async () => {
  const control = await open()
  const free = control.hold('storage.checkBackup')
  await toCheck()
  await pressEscape()
  expect(count('storage.closeBackup')).toBe(1)
  control.fail('storage.checkBackup', { code: 'gone', message: 'This backup is no longer open.' })
  free()
  await settle()
  expect(screen.queryByText('This backup can’t be used.')).toBeNull()
})

test('a running restore can’t be cancelled', async () => {
  const control = await open()
  await toCheck()
  control.hold('storage.restore')
  await press('Replace and restart')
  await pressEscape()
  await press('Cancel')
  expect(screen.getByRole('dialog', { name: 'Restore a backup' })).toBeTruthy()
  expect(count('storage.closeBackup')).toBe(0)
})

test('who stays when asked about the restart can leave the backup, or restore it again', async () => {
  await open()
  await toCheck()
  await press('Replace and restart')
  await press('Replace and restart')
  expect(count('storage.restore')).toBe(2)
  await press('Cancel')
  expect(count('storage.closeBackup')).toBe(1)
  expect(screen.queryByRole('dialog', { name: 'Restore a backup' })).toBeNull()
})

test('scheduled backups are set up with a folder and a passphrase, run now, and turned off', async () => {
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
  // If left blank, the passphrase is kept.
  await press('Save')
  expect(inputs('storage.scheduleBackups')[1]).not.toHaveProperty('passphrase')
  await press('Back up now')
  expect(screen.getByText(/Last backup:/)).toBeTruthy()
  await press('Turn off')
  expect(inputs('storage.scheduleBackups').at(-1)).toEqual({ plan: null })
})

test('a recovery key is stored only after staff confirm having noted it', async () => {
  opened = await openOffice(fakeApi())
  show(opened, RecoveryKey)
  await settle()
  await press('Make a recovery key…')
  const shown =
    screen.getByText((_text, node) => node?.matches('p.key') ?? false).textContent?.replaceAll(/\s/g, '') ?? ''
  expect(readRecoveryKey(shown)).toHaveProperty('bytes')
  await press('Use this key')
  expect(screen.getByText('Note the key first. It can’t be shown again.')).toBeTruthy()
  expect(count('storage.keepRecoveryKey')).toBe(0)
  await press('Print…')
  expect(count('pdf.print')).toBe(1)
  expect(document.querySelector('.sheets')).toBeNull()
  await fireEvent.click(screen.getByRole('checkbox', { name: /printed it or written it down/ }))
  await press('Use this key')
  const [call] = opened.api.control.calls.filter(({ name }) => name === 'storage.keepRecoveryKey')
  expect((call as { input: { key: string } }).input.key.replaceAll('-', '')).toBe(shown)
  expect(screen.getByText(/It opens your data if this computer’s keychain is lost/)).toBeTruthy()
  await press('Replace recovery key…')
  await press('Cancel')
  await press('Change encryption key…')
  await fireEvent.click(screen.getByRole('checkbox', { name: /printed it or written it down/ }))
  await press('Change and restart')
  expect(count('storage.changeKey')).toBe(1)
  expect(document.body.textContent?.replaceAll(/\s/g, '')).not.toContain(shown)
})

test('a recovery key that is being put in use can’t be cancelled any more', async () => {
  opened = await openOffice(fakeApi())
  show(opened, RecoveryKey)
  await settle()
  const answer = opened.api.control.hold('storage.keepRecoveryKey')
  await press('Make a recovery key…')
  await fireEvent.click(screen.getByRole('checkbox', { name: /printed it or written it down/ }))
  await press('Use this key')
  await press('Cancel')
  expect(screen.queryByRole('dialog')).toBeTruthy()
  answer()
  await settle()
  expect(screen.getByText(/It opens your data if this computer’s keychain is lost/)).toBeTruthy()
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('a copy that is being made ready can’t be cancelled any more', async () => {
  const copies = [{ name: 'old', at: Date.UTC(2026, 10, 23, 8, 10), isBeforeUpdate: true }]
  opened = await openOffice(fakeApi({ copies }))
  show(opened, LockedData, { locked: { reason: 'damaged' } })
  await settle()
  const answer = opened.api.control.hold('storage.useCopy')
  await press('Use a copy…')
  await press('Use this copy and restart')
  await press('Cancel')
  expect(screen.queryByRole('dialog')).toBeTruthy()
  opened.api.control.fail('storage.useCopy', { code: 'bad-file', message: 'This backup is damaged.' })
  answer()
  await settle()
  expect(screen.getByText('The copy wasn’t used.')).toBeTruthy()
  await press('Cancel')
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('locked data asks for a recovery key, and a wrong one is reported at its field', async () => {
  opened = await openOffice(fakeApi())
  show(opened, LockedData, { locked: { reason: 'key-missing' } })
  await settle()
  await press('Enter recovery key…')
  const message = 'Group 3 isn’t right. Compare it with the printed key.'
  opened.api.control.fail('storage.recover', { code: 'invalid', message, fields: [{ field: 'key', message }] })
  await fireEvent.input(screen.getByLabelText('Recovery key'), { target: { value: 'AAAAA' } })
  await press('Open my data')
  expect(screen.getByText(message)).toBeTruthy()
  expect(screen.getByLabelText('Recovery key').getAttribute('aria-invalid')).toBe('true')
})

test('data that is being opened by its recovery key can’t be cancelled any more, and a failure is shown', async () => {
  opened = await openOffice(fakeApi())
  show(opened, LockedData, { locked: { reason: 'key-missing' } })
  await settle()
  const answer = opened.api.control.hold('storage.recover')
  await press('Enter recovery key…')
  await fireEvent.input(screen.getByLabelText('Recovery key'), { target: { value: 'AAAAA' } })
  await press('Open my data')
  await press('Cancel')
  expect(screen.getByLabelText<HTMLTextAreaElement>('Recovery key').value).toBe('AAAAA')
  opened.api.control.fail('storage.recover', { code: 'keychain', message: 'The keychain is locked.' })
  answer()
  await settle()
  expect(screen.getByText('Your data still can’t be opened.')).toBeTruthy()
  await press('Cancel')
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('everything is removed only once each consequence is confirmed', async () => {
  opened = await openOffice(fakeApi({ removal: { unsent: 3, backups: 2 } }))
  show(opened, RemoveEverything)
  await settle()
  await press('Remove everything from this computer…')
  const tick = (name: RegExp) => fireEvent.click(screen.getByRole('checkbox', { name }))
  await tick(/I understand/)
  await press('Remove everything')
  expect(screen.getByText('Tick this to continue.')).toBeTruthy()
  expect(count('storage.remove')).toBe(0)
  await tick(/Lose 3 packages/)
  await tick(/Also delete 2 scheduled backups/)
  await press('Remove everything')
  expect(opened.api.control.calls.at(-1)).toEqual({ name: 'storage.remove', input: { backups: true, unsent: 3 } })
})

test('for a damaged database, a copy is chosen by date and shows what it lacks, without asking for a key', async () => {
  const copies = [
    {
      name: 'new',
      at: Date.UTC(2026, 10, 24, 8, 10),
      isBeforeUpdate: false,
      missing: { sends: 3, drafts: 0, downloads: 0, audit: 1 }
    },
    { name: 'partly', at: Date.UTC(2026, 10, 23, 9, 10), isBeforeUpdate: false, missing: { sends: 2, drafts: 0 } },
    { name: 'old', at: Date.UTC(2026, 10, 23, 8, 10), isBeforeUpdate: true }
  ]
  opened = await openOffice(fakeApi({ copies }))
  show(opened, LockedData, { locked: { reason: 'damaged' } })
  await settle()
  for (const name of ['Try again', 'Enter recovery key…']) expect(screen.queryByRole('button', { name })).toBeNull()
  expect(screen.getByRole('button', { name: 'Start with an empty database…' })).toBeTruthy()
  await press('Use a copy…')
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    '3 packages in the Outbox',
    '1 entry of the audit trail'
  ])
  await fireEvent.change(screen.getByLabelText('Copy of'), { target: { value: 'partly' } })
  await settle()
  expect(screen.getByText('2 packages in the Outbox')).toBeTruthy()
  expect(screen.getByText(/may be more, but it can no longer be read/)).toBeTruthy()
  await fireEvent.change(screen.getByLabelText('Copy of'), { target: { value: 'old' } })
  await settle()
  expect(screen.getByText(/can no longer be read/)).toBeTruthy()
  const message = 'This backup is damaged.'
  opened.api.control.fail('storage.useCopy', { code: 'bad-file', message })
  await press('Use this copy and restart')
  expect(screen.getByText('The copy wasn’t used.')).toBeTruthy()
  expect(opened.api.control.calls.filter(({ name }) => name === 'storage.useCopy')).toMatchObject([
    { input: { name: 'old' } }
  ])
})

test('data from a newer version names the version to install', async () => {
  opened = await openOffice(fakeApi())
  show(opened, LockedData, { locked: { reason: 'newer-version', usedBy: '0.4.0' } })
  await settle()
  expect(screen.getByText(/^Countersign 0\.4\.0 has used your data.*Install 0\.4\.0 or a newer version/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Use a copy…' })).toBeNull()
})
