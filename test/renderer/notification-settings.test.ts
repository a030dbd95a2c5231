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
const kept = () => opened.api.control.state.notifications

async function pick(kind: string, choice: string) {
  await fireEvent.click(group(kind).getByRole('radio', { name: choice }))
  await settle()
}
async function setTime(label: string, value: string) {
  await fireEvent.change(screen.getByLabelText(label), { target: { value } })
  await settle()
}

test('each kind shows what is wanted told of it', async () => {
  await open()
  expect(screen.getAllByRole('radiogroup')).toHaveLength(8)
  expect(chosen('Someone has signed')).toBe('never')
  expect(chosen('A document is due tomorrow')).toBe('always')
  expect(chosen('Someone can sign at the counter')).toBe('views')
})

test('a choice is kept at once, and nothing else is changed by it', async () => {
  await open()
  const before = structuredClone(kept())
  await pick('Someone has signed', 'Selected views')
  expect(kept()).toEqual({ ...before, kinds: { ...before.kinds, signed: 'views' } })
  expect(chosen('Someone has signed')).toBe('views')
})

test('choices made one after the other, faster than they are kept, are all kept', async () => {
  await open()
  const answer = opened.api.control.hold('notifications.set')
  await fireEvent.click(group('Someone has signed').getByRole('radio', { name: 'Always' }))
  await fireEvent.click(group('A document expired').getByRole('radio', { name: 'Never' }))
  await fireEvent.click(screen.getByRole('checkbox', { name: 'Play a sound' }))
  answer()
  await settle()
  expect(kept()).toMatchObject({ kinds: { signed: 'always', expired: 'never', completed: 'always' }, sound: true })
})

test('quiet hours have two times, and say that they go over night', async () => {
  await open()
  expect(screen.queryByLabelText('From')).toBeNull()
  await fireEvent.click(screen.getByRole('checkbox', { name: 'Quiet hours' }))
  await settle()
  expect(kept().quiet).toEqual({ from: '18:00', to: '08:00' })
  expect(screen.getByText(/Until the next day/)).toBeTruthy()
  await setTime('From', '12:00')
  await setTime('Until', '13:00')
  expect(kept().quiet).toEqual({ from: '12:00', to: '13:00' })
  expect(screen.queryByText(/Until the next day/)).toBeNull()
  await setTime('Until', '12:00')
  expect(screen.getByText(/no quiet hours/)).toBeTruthy()
  await fireEvent.click(screen.getByRole('checkbox', { name: 'Quiet hours' }))
  await settle()
  expect(kept().quiet).toBeNull()
})

test('where no view is chosen it is said that nothing is told of views', async () => {
  await open()
  expect(screen.getByText(/No view has notifications turned on yet/)).toBeTruthy()
  await pick('Someone can sign at the counter', 'Never')
  expect(screen.queryByText(/No view has notifications turned on yet/)).toBeNull()
})

test('a time that is half typed changes nothing', async () => {
  await open(fakeApi({ notifications: { ...first(), quiet: { from: '20:00', to: '07:00' } } }))
  await setTime('From', '')
  expect(kept().quiet).toEqual({ from: '20:00', to: '07:00' })
})

test('what could not be kept is said, and shown as it still is', async () => {
  await open()
  opened.api.control.fail('notifications.set', { code: 'storage', message: 'The disk is full.' })
  await pick('Someone has signed', 'Always')
  expect(opened.app.toasts.shown.map(({ text }) => text).join()).toMatch(/wasn’t saved/)
  expect(chosen('Someone has signed')).toBe('never')
})

test('what can’t be read is said', async () => {
  const api = fakeApi()
  api.control.fail('notifications.get', { code: 'storage', message: 'The disk is full.' })
  await open(api)
  expect(screen.queryAllByRole('radiogroup')).toEqual([])
  expect(screen.getByRole('alert')).toBeTruthy()
})

function first(): NotificationPreferences {
  return fakeApi().control.state.notifications
}
