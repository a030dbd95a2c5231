/** Simulated problems at the practice office: chosen in its account, shown on Today, and reset. */
import { fireEvent, screen } from '@testing-library/svelte'
import { afterEach, expect, test } from 'vitest'
import Settings from '../../src/renderer/src/screens/settings/Settings.svelte'
import Today from '../../src/renderer/src/screens/today/Today.svelte'
import type { AccountView } from '../../src/shared/contract/views.ts'
import { fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'
import { officeAccount, practiceAccount } from './people.ts'

let opened: Opened
afterEach(() => opened?.close())

async function open(component: typeof Settings | typeof Today, accounts: AccountView[] = [practiceAccount()]) {
  opened = await openOffice(fakeApi({ accounts }))
  opened.app.router.go(component === Settings ? 'settings' : 'today')
  show(opened, component)
  await settle()
}

const daysSet = () =>
  opened.api.control.calls.flatMap(({ name, input }) => (name === 'accounts.setPracticeDay' ? [input] : []))
const choose = async (name: string, value: string) => {
  await fireEvent.change(screen.getByLabelText(name), { target: { value } })
  await settle()
}
const type = async (name: string, value: string) => {
  await fireEvent.input(screen.getByLabelText(name), { target: { value } })
  await choose(name, value)
}

test('each simulated problem applies immediately, and a reset ends them all', async () => {
  await open(Settings)
  await choose('Refuse every request', '402')
  await fireEvent.click(screen.getByRole('checkbox', { name: 'Earlier version' }))
  await fireEvent.click(screen.getByRole('checkbox', { name: 'All fields' }))
  await settle()
  await type('Clock ahead (minutes)', '-10')
  await type('Documents left in the plan', '0')
  const day = { dialects: ['full', 'v13'], refusal: '402', clockAhead: -600, documentsLeft: 0 }
  expect(daysSet().at(-1)).toEqual({ id: 'practice', day })
  expect(screen.getByText(/^Simulating problems/).textContent).toBe(
    'Simulating problems: the practice office refuses everything (402), answers differently (all fields and earlier version), has its clock 10 minutes behind, has no documents left.'
  )
  await fireEvent.click(screen.getByRole('button', { name: 'Reset to normal' }))
  await settle()
  expect(daysSet().at(-1)).toEqual({ id: 'practice', day: { dialects: [] } })
  expect(screen.queryByText(/^Simulating problems/)).toBeNull()
  expect(screen.getByLabelText<HTMLInputElement>('Clock ahead (minutes)').value).toBe('')
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Reset to normal' }).disabled).toBe(true)
})

test('an invalid number is reported and not set', async () => {
  await open(Settings)
  await type('Clock ahead (minutes)', 'ten')
  await type('Documents left in the plan', '-1')
  expect(screen.getByText(/^Enter whole minutes/)).toBeTruthy()
  expect(screen.getByText('Enter a whole number, or leave blank.')).toBeTruthy()
  expect(daysSet()).toEqual([])
})

test('a change that fails is reported and reverted', async () => {
  await open(Settings)
  opened.api.control.fail('accounts.setPracticeDay', { code: 'refused', message: 'It ended.' })
  await fireEvent.click(screen.getByRole('checkbox', { name: 'Earlier version' }))
  await settle()
  expect(opened.app.toasts.shown.map(({ text }) => text)).toEqual([expect.stringContaining('wasn’t changed')])
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Earlier version' }).checked).toBe(false)
})

test('an account at a service has no simulated problems', async () => {
  await open(Settings, [{ ...officeAccount(), chosen: true }])
  expect(screen.queryByText('Simulate problems')).toBeNull()
})

test('Today shows simulated problems, with a link to the settings', async () => {
  await open(Today, [{ ...practiceAccount(), day: { dialects: [], refusal: 'maintenance' } }])
  expect(screen.getByText(/the practice office refuses everything \(maintenance\)/)).toBeTruthy()
  expect(screen.getByRole<HTMLAnchorElement>('link', { name: 'Change that in Settings' }).hash).toBe('#/settings')
})

test('Today shows nothing without simulated problems', async () => {
  await open(Today)
  expect(screen.queryByText(/Simulating problems/)).toBeNull()
})
