import { fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import RequestLog from '../../src/renderer/src/screens/requests/RequestLog.svelte'
import Settings from '../../src/renderer/src/screens/settings/Settings.svelte'
import Support from '../../src/renderer/src/screens/settings/Support.svelte'
import type { OrganisationPolicy } from '../../src/renderer/src/state/policy.svelte.ts'
import { fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { requestsOf } from './fakes/support.ts'
import { type Opened, openOffice, show } from './office.ts'
import { NOW } from './people.ts'

let opened: Opened
afterEach(() => opened?.close())

async function openLog(count: number) {
  opened = await openOffice(fakeApi({ requests: requestsOf(count, NOW) }))
  opened.app.router.go('requests')
  show(opened, RequestLog)
  await settle()
}
async function openSettings() {
  opened = await openOffice(fakeApi())
  opened.app.router.go('settings', ['support'])
  show(opened, Settings)
  await settle()
}
async function press(name: string | RegExp) {
  await fireEvent.click(screen.getByRole('button', { name }))
  await settle()
}
const rows = () => screen.getAllByRole('row').slice(1)

test('a request is shown with operation, status, duration, size and account', async () => {
  await openLog(5)
  expect(screen.getByText('5 requests')).toBeTruthy()
  expect(rows()[2]?.textContent).toMatch(/POST\s+FormDirect\/SendForms2/)
  expect(rows()[1]?.textContent).toMatch(/200.*1\.5 s.*1\.2 MB.*Practice office/)
  expect(rows()[3]?.textContent).toContain('401')
})

test('only the visible ones of 5,000 requests are drawn, and new ones appear', async () => {
  await openLog(5000)
  expect(rows().length).toBeLessThan(60)
  opened.api.control.state.requests = requestsOf(3, NOW)
  opened.api.control.emit('requests.changed', null)
  await opened.clock.pass(1100)
  expect(rows()).toHaveLength(3)
})

test('an empty log says what it will contain, and what it never does', async () => {
  await openLog(0)
  expect(screen.getByText('No requests yet')).toBeTruthy()
  expect(screen.getByText(/Never what was sent\.$/)).toBeTruthy()
})

test('the log can be exported', async () => {
  await openLog(2)
  await press('Export CSV…')
  expect(opened.app.toasts.shown.map(({ text }) => text)).toEqual(['Saved as “Countersign requests.csv”.'])
})

test('checking this computer lists each finding with advice', async () => {
  await openSettings()
  await press('Check this computer')
  const found = within(screen.getByRole('list', { name: 'What was found' }))
  expect(found.getByText('This computer’s clock is 4 minutes ahead of the service’s.')).toBeTruthy()
  expect(found.getByText('Turn on automatic time in the system’s settings.')).toBeTruthy()
})

test.each([
  ['no', [], 'No camera is connected.'],
  ['a', [{ kind: 'audioinput' }, { kind: 'videoinput' }], 'A camera is connected.']
])('checking this computer finds %s camera', async (_how, devices, words) => {
  vi.stubGlobal('navigator', { ...navigator, mediaDevices: { enumerateDevices: async () => devices } })
  onTestFinished(() => void vi.unstubAllGlobals())
  await openSettings()
  await press('Check this computer')
  expect(screen.getByText(words).closest('li')?.textContent).toContain('Camera')
})

test('a report can be read before it is saved', async () => {
  await openSettings()
  await press('Save a report…')
  const dialog = within(await screen.findByRole('dialog', { name: 'Report for support' }))
  expect(dialog.getByLabelText('summary.txt').textContent).toContain('Countersign 0.1.0')
  await fireEvent.click(dialog.getByRole('button', { name: 'Save…' }))
  await settle()
  expect(opened.app.toasts.shown.map(({ text }) => text)).toEqual(['Saved as “Countersign report.zip”.'])
})

test('diagnostics are copied as a short text', async () => {
  await openSettings()
  await press('Copy diagnostics')
  const [copied] = opened.api.control.calls.filter(({ name }) => name === 'system.copy')
  expect(copied?.input).toEqual({ text: expect.stringMatching(/^Countersign 0\.1\.0\n[\s\S]*keychain: ok/) })
})

test('crash reports can be turned off and deleted, and are added to a report only on request', async () => {
  const api = fakeApi({
    crashReports: {
      isKept: true,
      reports: [
        { at: NOW, bytes: 1 },
        { at: NOW - 1, bytes: 2 }
      ]
    }
  })
  opened = await openOffice(api)
  show(opened, Support, { policy: { isLocked: () => false } as unknown as OrganisationPolicy })
  await settle()
  const inputsOf = (name: string) => api.control.calls.flatMap((call) => (call.name === name ? [call.input] : []))
  expect(screen.getByText(/^2 crash reports, the newest from/)).toBeTruthy()
  await press('Save a report…')
  const add = screen.getByRole<HTMLInputElement>('checkbox', { name: 'Add 2 crash reports' })
  expect(add.checked).toBe(false)
  await fireEvent.click(add)
  await press('Save…')
  expect(inputsOf('support.saveReport')).toEqual([{ id: expect.any(String), withCrashReports: true }])
  // Choices for one report don't carry over to the next.
  await press('Save a report…')
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Add 2 crash reports' }).checked).toBe(false)
  await press('Cancel')
  await press('Delete')
  expect(screen.queryByText(/crash reports, the newest/)).toBeNull()
  await fireEvent.click(screen.getByRole('checkbox', { name: 'Keep crash reports on this computer' }))
  await settle()
  expect(inputsOf('support.keepCrashReports')).toEqual([{ keep: false }])
})
