import { fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, expect, test } from 'vitest'
import NotificationSettings from '../../src/renderer/src/screens/settings/NotificationSettings.svelte'
import type { NotificationPreferences } from '../../src/shared/contract/index.ts'
import { type FakeApi, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'

let opened: Opened
afterEach(() => opened.close())

async function open(api: FakeApi = fakeApi()) {
  opened = await openOffice(api)
  show(opened, NotificationSettings)
  await settle()
}
const group = (name: string) => within(screen.getByRole('radiogroup', { name }))
const chosen = (name: string) =>
  group(name)
    .getAllByRole<HTMLInputElement>('radio')
    .find(({ checked }) => checked)?.value
const saved = () => opened.api.control.state.notifications

async function pick(kind: string, choice: string) {
  await fireEvent.click(group(kind).getByRole('radio', { name: choice }))
  await settle()
}
async function setTime(label: string, value: string) {
  await fireEvent.change(screen.getByLabelText(label), { target: { value } })
  await settle()
}

test('each kind shows its setting', async () => {
  await open()
  expect(screen.getAllByRole('radiogroup')).toHaveLength(9)
  expect(chosen('Someone has signed')).toBe('never')
  expect(chosen('A document is due tomorrow')).toBe('always')
  expect(chosen('Someone can sign at the counter')).toBe('views')
})

test('a choice is saved immediately and changes nothing else', async () => {
  await open()
  const before = structuredClone(saved())
  await pick('Someone has signed', 'Selected views')
  expect(saved()).toEqual({ ...before, kinds: { ...before.kinds, signed: 'views' } })
  expect(chosen('Someone has signed')).toBe('views')
})

test('choices made faster than they are saved are all saved', async () => {
  await open()
  const answer = opened.api.control.hold('notifications.set')
  await fireEvent.click(group('Someone has signed').getByRole('radio', { name: 'Always' }))
  await fireEvent.click(group('A document expired').getByRole('radio', { name: 'Never' }))
  await fireEvent.click(screen.getByRole('checkbox', { name: 'Play a sound' }))
  answer()
  await settle()
  expect(saved()).toMatchObject({ kinds: { signed: 'always', expired: 'never', completed: 'always' }, sound: true })
})

test('quiet hours have two times, and mention when they last overnight', async () => {
  await open()
  expect(screen.queryByLabelText('From')).toBeNull()
  await fireEvent.click(screen.getByRole('checkbox', { name: 'Quiet hours' }))
  await settle()
  expect(saved().quiet).toEqual({ from: '18:00', to: '08:00' })
  expect(screen.getByText(/Until the next day/)).toBeTruthy()
  await setTime('From', '12:00')
  await setTime('Until', '13:00')
  expect(saved().quiet).toEqual({ from: '12:00', to: '13:00' })
  expect(screen.queryByText(/Until the next day/)).toBeNull()
  await setTime('Until', '12:00')
  expect(screen.getByText(/no quiet hours/)).toBeTruthy()
  await fireEvent.click(screen.getByRole('checkbox', { name: 'Quiet hours' }))
  await settle()
  expect(saved().quiet).toBeNull()
})

test('a note appears when no view has notifications turned on', async () => {
  await open()
  expect(screen.getByText(/No view has notifications turned on yet/)).toBeTruthy()
  await pick('Someone can sign at the counter', 'Never')
  expect(screen.queryByText(/No view has notifications turned on yet/)).toBeNull()
})

test('an incomplete time changes nothing', async () => {
  await open(fakeApi({ notifications: { ...first(), quiet: { from: '20:00', to: '07:00' } } }))
  await setTime('From', '')
  expect(saved().quiet).toEqual({ from: '20:00', to: '07:00' })
})

test('a setting that can’t be saved reverts, with an error', async () => {
  await open()
  opened.api.control.fail('notifications.set', { code: 'storage', message: 'The disk is full.' })
  await pick('Someone has signed', 'Always')
  expect(opened.app.toasts.shown.map(({ text }) => text).join()).toMatch(/wasn’t saved/)
  expect(chosen('Someone has signed')).toBe('never')
})

test('settings that can’t be loaded show an error', async () => {
  const api = fakeApi()
  api.control.fail('notifications.get', { code: 'storage', message: 'The disk is full.' })
  await open(api)
  expect(screen.queryAllByRole('radiogroup')).toEqual([])
  expect(screen.getByRole('alert')).toBeTruthy()
})

function first(): NotificationPreferences {
  return fakeApi().control.state.notifications
}
