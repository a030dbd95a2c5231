import { fireEvent, screen } from '@testing-library/svelte'
import { afterEach, expect, test } from 'vitest'
import Retention from '../../src/renderer/src/screens/settings/Retention.svelte'
import type { OrganisationPolicy } from '../../src/renderer/src/state/policy.svelte.ts'
import { fullPage } from './document-pages.ts'
import { fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'
import { NOW } from './people.ts'

let opened: Opened
const members = [
  { id: 'first', name: 'Grace Okafor', role: 'administrator', hasBadge: false, isCurrent: true } as const
]
afterEach(() => opened?.close())

async function open(state: Parameters<typeof fakeApi>[0] = {}) {
  opened = await openOffice(fakeApi(state))
  show(opened, Retention, { policy: { isLocked: () => false } as unknown as OrganisationPolicy })
  await settle()
  return opened.api.control
}

const inputs = (name: string) =>
  opened.api.control.calls.filter((call) => call.name === name).map((call) => (call as { input: unknown }).input)

async function choose(label: string, value: string) {
  await fireEvent.change(screen.getByLabelText(label), { target: { value } })
  await settle()
}

test('retention periods are set per kind, and data to be erased within a week is counted', async () => {
  const control = await open({ due: { documents: 12, sends: 1, people: 0 } })
  expect(screen.getByText('To be erased within a week:')).toBeTruthy()
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    '12 removed documents',
    '1 sent package'
  ])
  await choose('Sent packages in the Outbox', '90')
  await choose('List of downloads', '')
  expect(inputs('retention.set')).toEqual([{ sends: 90 }, { downloads: null }])
  control.fail('retention.set', { code: 'storage', message: 'The database is locked.' })
  await choose('Saved verifications', '365')
  expect(opened.app.toasts.shown.at(-1)?.text).toMatch(/^That wasn’t saved\./)
})

test('a period that can’t be saved is shown as it was', async () => {
  const control = await open()
  control.fail('retention.set', { code: 'storage', message: 'The database is locked.' })
  const period = screen.getByLabelText<HTMLSelectElement>('Saved verifications')
  const before = period.value
  await choose('Saved verifications', '365')
  expect(screen.getByLabelText<HTMLSelectElement>('Saved verifications').value).toBe(before)
})

test('with a PIN, changes need an administrator', async () => {
  await open({ staff: { members, settings: 'locked' } })
  expect(screen.getByText('These settings are locked.')).toBeTruthy()
  expect(screen.getByLabelText<HTMLSelectElement>('List of downloads').matches(':disabled')).toBe(true)
  await fireEvent.click(screen.getByRole('button', { name: 'Unlock…' }))
  await settle()
  expect(screen.getByRole('dialog', { name: 'Unlock retention' })).toBeTruthy()
})

test('a change after the settings locked again asks for the PIN', async () => {
  const control = await open({ staff: { members, settings: 'open' } })
  control.state.staff = { members, settings: 'locked' }
  control.fail('retention.set', { code: 'not-allowed', message: 'Unlock the counter’s settings first.' })
  await choose('List of downloads', '90')
  expect(screen.getByRole('dialog', { name: 'Unlock retention' })).toBeTruthy()
})

test('holds are listed with staff, date and reason, and can be released one by one', async () => {
  const hold = { reason: 'Dispute with the bank', staff: 'Mere', at: NOW, documentName: 'Lease.pdf' }
  const page = fullPage()
  const { accountId, reference } = page
  await open({ documents: [{ ...page, hold: { ...hold, accountId, reference } }] })
  await fireEvent.click(screen.getByText('1 document on legal hold'))
  expect(screen.getByText('Dispute with the bank')).toBeTruthy()
  await fireEvent.click(screen.getByRole('button', { name: 'Release' }))
  await settle()
  expect(inputs('retention.release')).toHaveLength(1)
  expect(screen.queryByText('1 document on legal hold')).toBeNull()
})
