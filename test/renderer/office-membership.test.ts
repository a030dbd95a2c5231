import { fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, expect, test } from 'vitest'
import Settings from '../../src/renderer/src/screens/settings/Settings.svelte'
import type { OfficeMembershipState, OfficeMembershipView } from '../../src/shared/contract/office.ts'
import { type FakeState, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { JOIN_CODE, MEMBERSHIP_STATES, membershipOf, pollingOf } from './fakes/membership.ts'
import { type Opened, openOffice, show } from './office.ts'
import { NOW } from './people.ts'

let opened: Opened
afterEach(() => opened?.close())

async function open(membership: OfficeMembershipView | null, staff?: FakeState['staff'], at = 'office') {
  opened = await openOffice(fakeApi({ membership, ...(staff && { staff }) }))
  opened.app.router.go('settings', [at])
  show(opened, Settings)
  await settle()
}
const section = () => screen.getByRole('region', { name: 'Office' })
const calls = (name: string) => opened.api.control.calls.filter((call) => call.name === name).map(({ input }) => input)
async function press(name: string) {
  await fireEvent.click(screen.getByRole('button', { name }))
  await settle()
}
async function type(label: string, value: string) {
  await fireEvent.input(screen.getByRole('textbox', { name: label }), { target: { value } })
}

test('without an office, the section explains it and offers to join one', async () => {
  await open(null)
  expect(section().textContent).toMatch(/work as one office through a server of your own/)
  await press('Join an office…')
  await press('Join')
  expect(screen.getByText('Enter the server’s name.')).toBeTruthy()
  expect(screen.getByText('Enter the join code.')).toBeTruthy()
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Server' }))
  await type('Server', ' office.harbour.example ')
  await type('Port', '70000')
  await press('Join')
  expect(screen.getByText('Enter a number from 1 to 65535.')).toBeTruthy()
  await type('Port', '54329')
  expect(section().ownerDocument.body.textContent).not.toContain('Maximum 5 characters')
  await type('Port', '5433')
  await press('Choose certificate…')
  expect(screen.getByText('harbour-ca.pem')).toBeTruthy()
  await type('Join code', 'WRONG')
  await press('Join')
  expect(screen.getByText('The office’s server doesn’t accept this join code.')).toBeTruthy()
  await type('Join code', JOIN_CODE)
  await press('Join')
  expect(calls('office.join').at(-1)).toEqual({
    host: 'office.harbour.example',
    port: 5433,
    database: 'countersign',
    authority: 'authority-1',
    code: JOIN_CODE
  })
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(within(section()).getByText('Connected to the office')).toBeTruthy()
  // The button pressed before no longer exists.
  expect(document.activeElement).toBe(within(section()).getByRole('heading', { name: 'Office' }))
  expect(document.body.innerHTML).not.toContain('ABCD-EFGH')
})

test.each<[OfficeMembershipState, RegExp]>([
  ['connecting', /Connecting to the office…/],
  ['connected', /Connected to the office.*“Counter 2” at office\.harbour\.example:5432/],
  ['away', /isn’t answering.*wait until it’s back\. Until then you can’t send reminders/],
  ['unwritable', /can’t save right now.*Packages wait until it can.*Tell your administrator/],
  ['crowded', /has no free connection.*Packages wait until one is free.*a few minutes, tell your administrator/],
  [
    'refused',
    /no longer lets this workstation in.*removed this workstation.*Ask them for a new code and join again: everything here stays/
  ],
  ['untrusted', /certificate isn’t trusted.*Tell your administrator/],
  ['pooled', /can’t be used at this address.*belongs to a connection pooler/],
  ['no-keychain', /keychain can’t be used.*sign-in to the office is in the keychain\. Unlock the keychain, or tell/],
  ['elsewhere', /can’t sign in to the office.*another computer’s backup.*new code, then leave/],
  ['older', /database is too old for this version of Countersign.*until it’s upgraded/],
  ['newer', /too old for the office.*until it’s updated.*See Updates/],
  ['other', /a different office’s database.*join with a new code/],
  ['wrong-key', /a different encryption key.*until the office’s key is changed again/]
])('the state “%s” has its own message', async (state, message) => {
  await open(membershipOf(NOW, { state }))
  expect(within(section()).getByRole('status').textContent?.replace(/\s+/g, ' ')).toMatch(message)
})

test.each(MEMBERSHIP_STATES.filter((state) => state !== 'connected' && state !== 'connecting'))(
  'the state “%s” says that packages wait, and refers to the administrator',
  async (state) => {
    await open(membershipOf(NOW, { state }))
    expect(within(section()).getByRole('status').textContent).toMatch(/Packages.* wait.*your administrator/is)
  }
)

test('a workstation that isn’t let in any more joins again at the same server, with all it has', async () => {
  await open(membershipOf(NOW, { state: 'refused' }))
  await press('Join again…')
  const dialog = within(screen.getByRole('dialog', { name: 'Join the office again' }))
  expect(dialog.getByText(/Everything on this workstation stays/)).toBeTruthy()
  const textIn = (field: string) => dialog.getByRole<HTMLInputElement>('textbox', { name: field }).value
  expect([textIn('Server'), textIn('Port')]).toEqual(['office.harbour.example', '5432'])
  await type('Join code', JOIN_CODE)
  await press('Join')
  expect(calls('office.join')).toMatchObject([{ host: 'office.harbour.example', port: 5432, code: JOIN_CODE }])
  expect(within(section()).getByText('Connected to the office')).toBeTruthy()
})

test('the focus stays in the leave dialog while the server comes and goes', async () => {
  await open(membershipOf(NOW, { state: 'away' }))
  const changeState = async (state: OfficeMembershipState) => {
    opened.api.control.state.membership = membershipOf(NOW, { state })
    opened.api.control.emit('office.changed', null)
    await settle()
  }
  await press('Leave the office…')
  const tick = screen.getByRole('checkbox', { name: /the office may still send/ })
  expect(document.activeElement).toBe(tick)
  await changeState('connected')
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Cancel' }))
  await changeState('crowded')
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Cancel' }))
})

test('the focus stays in the dialog when its text is clicked, even after switching windows', async () => {
  await open(membershipOf(NOW, { state: 'away' }))
  await press('Leave the office…')
  const question = screen.getByRole('dialog')
  question.focus()
  expect(document.activeElement).toBe(question)
  question.blur()
  question.focus()
  expect(document.activeElement).toBe(question)
})

test('the focus stays on “Leave the office…” as the state changes', async () => {
  await open(membershipOf(NOW))
  const leave = screen.getByRole('button', { name: 'Leave the office…' })
  leave.focus()
  for (const state of MEMBERSHIP_STATES) {
    opened.api.control.state.membership = membershipOf(NOW, { state })
    opened.api.control.emit('office.changed', null)
    await settle()
    expect(document.activeElement, state).toBe(leave)
  }
})

test('workstations are listed with when they were last seen', async () => {
  await open(membershipOf(NOW))
  const rows = within(within(section()).getByRole('list', { name: 'Workstations' })).getAllByRole('listitem')
  expect(rows.map((row) => row.textContent?.replace(/\s+/g, ' ').trim())).toEqual([
    expect.stringMatching(/^Back room Last seen /),
    'Counter 1 Here now',
    'Counter 2 This workstation',
    'Training room Not seen yet'
  ])
  opened.api.control.state.membership = membershipOf(NOW, { state: 'away' })
  opened.api.control.emit('office.changed', null)
  await settle()
  expect(within(section()).queryByText('Here now')).toBeNull()
})

test('an unfinished leave is reported', async () => {
  await open(membershipOf(NOW, { isLeaving: true }))
  expect(within(section()).getByText('Leaving the office isn’t finished.')).toBeTruthy()
})

test('leaving explains what becomes of packages, and a refusal is shown without leaving', async () => {
  await open(membershipOf(NOW))
  opened.api.control.fail('office.leave', { code: 'busy', message: 'Some packages are being sent just now.' })
  await press('Leave the office…')
  expect(screen.getByText(/come back to its own Outbox/)).toBeTruthy()
  await press('Leave the office')
  expect(screen.getByText('Some packages are being sent just now.')).toBeTruthy()
  opened.api.control.heal('office.leave')
  await press('Leave the office')
  expect(calls('office.leave')).toEqual([{ without: false }, { without: false }])
  expect(within(section()).getByRole('button', { name: 'Join an office…' })).toBeTruthy()
})

test('a leave that fails after its dialog was closed is reported, and one that succeeds leaves the focus alone', async () => {
  await open(membershipOf(NOW))
  const { control } = opened.api
  let answer = control.hold('office.leave')
  await press('Leave the office…')
  await press('Leave the office')
  await press('Cancel')
  control.fail('office.leave', { code: 'busy', message: 'Some packages are being sent just now.' })
  answer()
  await settle()
  expect(opened.app.toasts.shown.map(({ text }) => text).join()).toContain('Some packages are being sent just now.')
  control.heal('office.leave')
  answer = control.hold('office.leave')
  await press('Leave the office…')
  await press('Leave the office')
  await press('Cancel')
  screen.getByRole('combobox', { name: 'Zoom' }).focus()
  answer()
  await settle()
  expect(within(section()).getByRole('button', { name: 'Join an office…' })).toBeTruthy()
  expect(document.activeElement).toBe(screen.getByRole('combobox', { name: 'Zoom' }))
})

test('with locked settings, leaving asks to unlock the office’s settings', async () => {
  await open(membershipOf(NOW), { settings: 'locked', members: [] })
  await press('Leave the office…')
  expect(screen.getByRole('dialog', { name: 'Unlock the office’s settings' })).toBeTruthy()
})

test('presence is requested when the settings open and when the section is shown', async () => {
  await open(membershipOf(NOW), undefined, 'accounts')
  expect(calls('office.checkNow')).toHaveLength(1)
  opened.app.router.go('settings', ['office'])
  await settle()
  expect(calls('office.checkNow')).toHaveLength(2)
})

test('a refusal because of a package in the Outbox links to the Outbox', async () => {
  await open(membershipOf(NOW))
  opened.api.control.fail('office.leave', { code: 'busy', message: 'A package hasn’t reached the office yet.' })
  await press('Leave the office…')
  expect(screen.queryByRole('button', { name: 'Open the Outbox' })).toBeNull()
  await press('Leave the office')
  await press('Open the Outbox')
  expect(opened.app.router.route.screen).toBe('outbox')
})

test('leaving without the server must be confirmed', async () => {
  await open(membershipOf(NOW, { state: 'away' }))
  await press('Leave the office…')
  await press('Leave without the server')
  expect(screen.getByText('Tick this to continue.')).toBeTruthy()
  expect(calls('office.leave')).toEqual([])
  await fireEvent.click(screen.getByRole('checkbox', { name: /the office may still send/ }))
  await press('Leave without the server')
  expect(calls('office.leave')).toEqual([{ without: true }])
})

test('with locked settings, joining asks for an administrator’s PIN first', async () => {
  opened = await openOffice(fakeApi({ membership: null }))
  opened.api.counter.staffList = async () => ({
    ok: true,
    value: { members: [{ name: 'Mere', role: 'administrator', isCurrent: true }], settings: 'locked' } as never
  })
  opened.app.router.go('settings', ['office'])
  show(opened, Settings)
  await settle()
  await press('Join an office…')
  expect(screen.queryByRole('dialog', { name: 'Join an office' })).toBeNull()
  expect(screen.getAllByRole('dialog', { name: /^Unlock/ }).length).toBeGreaterThan(0)
})

test('the section shows which workstation checks each account, since when, and which ones can’t', async () => {
  await open(membershipOf(NOW, { folders: pollingOf(NOW) }))
  const list = within(section()).getByRole('list', { name: 'Checking for new documents' })
  const [mine, nobody, other, alone, away] = within(list).getAllByRole('listitem')
  expect(mine?.textContent).toMatch(/Harbour Law.*This workstation has checked for everyone since/s)
  expect(mine?.textContent).toMatch(/Counter 1.*Account not accepted/s)
  expect(mine?.textContent).toMatch(/Back room.*Its keychain can’t be used.*yesterday/s)
  expect(nobody?.textContent).toMatch(/No workstation is checking right now.*Counter 1.*can’t reach the service/s)
  expect(other?.textContent).toMatch(/shows different documents here/)
  expect(alone?.textContent).toMatch(/For now, this workstation checks by itself/)
  expect(away?.textContent).toMatch(/No other workstation can be asked.*less often than usual.*“Refresh” in Documents/s)
})

test('the section names the other workstation that checks', async () => {
  await open(membershipOf(NOW))
  expect(section().textContent).toMatch(/Counter 1 has checked for everyone since/)
})
