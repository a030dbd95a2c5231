import { fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, expect, test } from 'vitest'
import CounterSection from '../../src/renderer/src/screens/settings/counter/CounterSection.svelte'
import { type FakeState, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { fakePin } from './fakes/counter.ts'
import { type Opened, openOffice, show } from './office.ts'

let opened: Opened
afterEach(() => opened?.close())

async function open(change: Partial<FakeState> = {}, settings: Partial<FakeState['counterSettings']> = {}) {
  const api = fakeApi(change)
  api.control.state.counterSettings = { ...api.control.state.counterSettings, ...settings }
  opened = await openOffice(api)
  show(opened, CounterSection)
  await settle()
}
const calls = (name: string) => opened.api.control.calls.filter((call) => call.name === name)
const changes = () => calls('counter.configure').map((call) => call.input)
const settings = () => opened.api.control.state.counterSettings
async function press(name: string | RegExp) {
  await fireEvent.click(screen.getByRole('button', { name }))
  await settle()
}
async function tick(name: string) {
  await fireEvent.click(screen.getByRole('checkbox', { name }))
  await settle()
}
async function type(label: string | RegExp, value: string) {
  await fireEvent.input(screen.getByLabelText(label), { target: { value } })
}
async function leave(label: string | RegExp) {
  await fireEvent.blur(screen.getByLabelText(label))
  await settle()
}
async function send(label: string) {
  await fireEvent.submit(screen.getByLabelText(label).closest('form') as HTMLFormElement)
  await settle()
}
const pin = (change: Partial<FakeState['pin']>) => ({
  pin: { isSet: true, keptIn: 'keychain' as const, reset: 'none' as const, canReset: true, ...change }
})

test('the staff name is saved on leaving the field, and only if it changed', async () => {
  await open()
  await leave('Staff member on this computer')
  expect(changes()).toEqual([])
  await type('Staff member on this computer', ' Grace Okafor ')
  await leave('Staff member on this computer')
  expect(changes()).toEqual([{ staffName: 'Grace Okafor' }])
})

test.each([
  ['Staff member on this computer', 'counter.configure'],
  ['Name of this counter', 'counter.configure'],
  ['Welcome message on the second display', 'counter.configure']
] as const)('what is typed in “%s” while it is being saved stays', async (label, request) => {
  await open()
  const answer = opened.api.control.hold(request)
  await type(label, 'Grace')
  await leave(label)
  await type(label, 'Grace Okafor')
  answer()
  await settle()
  expect(screen.getByLabelText<HTMLInputElement>(label).value).toBe('Grace Okafor')
  opened.api.control.free(request)
  await leave(label)
  expect(JSON.stringify(changes())).toContain('Grace Okafor')
})

test('an address typed while the one before is being saved stays', async () => {
  await open()
  const answer = opened.api.control.hold('counter.configure')
  await type('Allow another address', 'https://one.example.com')
  await send('Allow another address')
  await type('Allow another address', 'https://two.example.com')
  answer()
  await settle()
  expect(screen.getByLabelText<HTMLInputElement>('Allow another address').value).toBe('https://two.example.com')
})

test('a setting that can’t be saved shows the failure and reverts', async () => {
  await open()
  opened.api.control.fail('counter.configure', { code: 'storage', message: 'Not now.' })
  await tick('Use full screen while someone signs')
  expect(opened.app.toasts.shown[0]?.text).toMatch(/^That wasn’t saved\./)
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Use full screen while someone signs' }).checked).toBe(
    true
  )
})

test('changing the PIN requires the current one', async () => {
  await open(pin({}))
  await press('Change PIN…')
  await type('Current PIN', '0000')
  await type('New PIN', '73519')
  await type('Confirm PIN', '73519')
  await send('Confirm PIN')
  expect(screen.getByText('Wrong PIN.')).toBeTruthy()
  expect(document.activeElement).toBe(screen.getByLabelText('Current PIN'))
  await type('Current PIN', '2468')
  await send('Confirm PIN')
  expect(opened.api.control.state.pinDigits).toBe('73519')
  expect(screen.getByText('PIN is set')).toBeTruthy()
})

test('saving the first PIN is confirmed even if the change event arrives before the answer', async () => {
  await open({ pin: { isSet: false, keptIn: 'keychain', reset: 'none', canReset: true } })
  const { counter, control } = opened.api
  const { setPin } = counter
  counter.setPin = async (input) => {
    const result = await setPin(input)
    control.emit('settings.changed', null)
    await settle()
    return result
  }
  await fireEvent.input(screen.getByLabelText('New PIN'), { target: { value: '4826' } })
  await fireEvent.input(screen.getByLabelText('Confirm PIN'), { target: { value: '4826' } })
  await press('Save PIN')
  expect(opened.app.toasts.shown.map(({ text }) => text)).toEqual(['PIN saved.'])
})

test('a PIN with letters or of the wrong length is refused without asking main', async () => {
  await open(pin({ isSet: false }))
  for (const [typed, message] of [
    ['', 'Enter a PIN.'],
    ['12a4', 'Use digits only.'],
    ['735', 'Use at least 4 digits.'],
    ['7351973519735', 'Use at most 12 digits.']
  ] as const) {
    await type('New PIN', typed)
    await type('Confirm PIN', typed)
    await send('Confirm PIN')
    expect(screen.getByText(message)).toBeTruthy()
  }
  expect(calls('counter.setPin')).toHaveLength(0)
})

test('a forgotten PIN can be reset after signing in to the computer', async () => {
  await open(pin({}))
  await press('Forgot PIN?')
  await press('Reset PIN')
  expect(screen.getByText('Lock this computer, then sign in again.')).toBeTruthy()
  opened.api.control.state.pin = { ...opened.api.control.state.pin, reset: 'allowed' }
  window.dispatchEvent(new Event('focus'))
  await settle()
  expect(screen.getByText('Choose a new PIN within two minutes.')).toBeTruthy()
  await type('New PIN', '73519')
  await type('Confirm PIN', '73519')
  await send('Confirm PIN')
  expect(calls('counter.setPin').at(-1)?.input).toEqual({ pin: '73519' })
  expect(screen.getByText('PIN is set')).toBeTruthy()
})

test('an administrator whose PIN was removed from the keychain is named, and the reset has no time limit', async () => {
  await open(pin({ canReset: false, reset: 'allowed', resetOf: 'Grace Okafor' }))
  expect(screen.getByText('Choose a new PIN for Grace Okafor.')).toBeTruthy()
  await type('New PIN', '73519')
  await type('Confirm PIN', '73519')
  await send('Confirm PIN')
  expect(calls('counter.setPin').at(-1)?.input).toEqual({ pin: '73519' })
})

test('if the system doesn’t report sign-ins, only the administrator can reset the PIN', async () => {
  await open(pin({ canReset: false }))
  await press('Forgot PIN?')
  expect(screen.getByText(/Only your administrator can reset the PIN/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Reset PIN' })).toBeNull()
})

test('a warning shows that the PIN is kept only until the application closes', async () => {
  await open(pin({ keptIn: 'memory' }))
  expect(screen.getByText('The PIN is only kept until Countersign closes.')).toBeTruthy()
})

test('checks can be added, required, reordered and removed with undo', async () => {
  await open()
  const texts = () => settings().evidence.map(({ text }) => text)
  await press('Add check')
  await type('Evidence 3', 'Proof of address seen')
  expect(changes()).toEqual([])
  await leave('Evidence 3')
  expect(texts()).toEqual(['Photo ID seen', 'Name matches the document', 'Proof of address seen'])
  await fireEvent.click(screen.getAllByRole('checkbox', { name: 'Required' })[0] as HTMLElement)
  await settle()
  expect(settings().evidence[0]?.isRequired).toBe(true)
  await press('Move up: Proof of address seen')
  expect(texts()[1]).toBe('Proof of address seen')
  await press('Remove: Photo ID seen')
  expect(texts()).toEqual(['Proof of address seen', 'Name matches the document'])
  opened.app.toasts.shown[0]?.action?.run()
  await settle()
  expect(texts()[0]).toBe('Photo ID seen')
})

test('undoing a removed check keeps those that were added or changed since', async () => {
  await open()
  await press('Remove: Photo ID seen')
  await press('Add check')
  await type('Evidence 2', 'Proof of address seen')
  await leave('Evidence 2')
  opened.app.toasts.shown.at(-1)?.action?.run()
  await settle()
  const texts = settings().evidence.map(({ text }) => text)
  expect(texts).toHaveLength(3)
  expect(texts).toContain('Proof of address seen')
  expect(texts).toContain('Photo ID seen')
})

test('a removed check can no longer be restored once the settings are locked', async () => {
  await open({ ...pin({}), staff: { members: [], settings: 'open' } })
  await press('Remove: Photo ID seen')
  expect(opened.app.toasts.shown).toHaveLength(1)
  lockAgain()
  opened.api.control.emit('settings.changed', null)
  await settle()
  expect(opened.app.toasts.shown).toEqual([])
})

test('a check without text is not saved, with an error', async () => {
  await open()
  await press('Add check')
  await leave('Evidence 3')
  expect(screen.getByText('Enter what to check, or remove this line.')).toBeTruthy()
  expect(settings().evidence).toHaveLength(2)
})

test('the second display is named when connected, and reported missing otherwise', async () => {
  await open()
  expect(screen.getByText('No second display is connected. Until one is, people sign on this screen.')).toBeTruthy()
  opened.api.control.state.counterSettings = { ...settings(), otherDisplay: 'DELL P2419H' }
  opened.api.control.emit('settings.changed', null)
  await settle()
  expect(screen.getByText('People sign on “DELL P2419H” while you keep using this screen.')).toBeTruthy()
})

test('the second display’s welcome message and logo can be set', async () => {
  // This is possible before the second display is switched on.
  await open({}, { useOtherDisplay: false })
  await type('Welcome message on the second display', 'Kia ora')
  await leave('Welcome message on the second display')
  expect(settings().idleText).toBe('Kia ora')
  await press('Choose logo…')
  expect(screen.getByRole('img', { name: 'Logo on the second display' })).toBeTruthy()
  await press('Remove logo')
  expect(settings().logo).toBeUndefined()
})

test('the waiting room has a counter name, a call sound, and pictures that can be added and removed', async () => {
  await open()
  await type('Name of this counter', 'Counter 2')
  await leave('Name of this counter')
  await tick('Play a soft sound when a number is called')
  expect(settings().waitingRoom).toMatchObject({ counterName: 'Counter 2', callSound: true, noShowAfter: 15 })
  await press('Add pictures…')
  await settle()
  expect(settings().waitingRoom.pictures).toHaveLength(1)
  await press('Remove picture 1')
  expect(settings().waitingRoom).toMatchObject({ counterName: 'Counter 2', pictures: [] })
  opened.api.control.fail('counter.addPictures', { code: 'bad-file', message: 'This picture is animated.' })
  await press('Add pictures…')
  expect(screen.getByText('This picture is animated.')).toBeTruthy()
})

test('a picture that can’t be used is explained', async () => {
  await open({}, { useOtherDisplay: true })
  opened.api.control.fail('counter.chooseLogo', { code: 'bad-file', message: 'This picture is larger than 1 MB.' })
  await press('Choose logo…')
  expect(screen.getByText('This picture is larger than 1 MB.')).toBeTruthy()
})

test('the idle times are choices, including a custom value already set', async () => {
  await open({}, { idle: { warnAfter: 45, coverAfter: 30, endAfter: 300 } })
  const select = screen.getByLabelText<HTMLSelectElement>('Warn after')
  expect(select.selectedOptions[0]?.textContent).toBe('45 seconds')
  await fireEvent.change(select, { target: { value: '60' } })
  await settle()
  expect(changes()).toEqual([{ idle: { warnAfter: 60, coverAfter: 30, endAfter: 300 } }])
  expect(screen.getByText(/After 6 minutes 30 seconds in total/)).toBeTruthy()
})

test('the languages offered show whether they were reviewed, and each can be switched off', async () => {
  await open({}, { languages: ['mi', 'ar'] })
  const group = within(screen.getByRole('group', { name: 'Languages beside English' }))
  expect(group.getAllByRole('checkbox')).toHaveLength(7)
  expect(group.getAllByText('Machine-made, not reviewed')).toHaveLength(7)
  await tick('te reo Māori (Māori)')
  await tick('हिन्दी (Hindi)')
  expect(changes()).toEqual([{ languages: ['ar'] }, { languages: ['ar', 'hi'] }])
  expect(within(screen.getByLabelText('More time')).getByRole('option', { name: 'Not offered' })).toBeTruthy()
})

test('an allowed address can be added and removed', async () => {
  await open()
  await type('Allow another address', 'https://pay.example.com')
  await send('Allow another address')
  expect(settings().allowedOrigins).toEqual(['https://pay.example.com'])
  expect(
    within(screen.getByRole('list', { name: 'Allowed addresses' })).getByText('https://pay.example.com')
  ).toBeTruthy()
  await press('Remove https://pay.example.com')
  expect(settings().allowedOrigins).toEqual([])
})

test('an address that can’t be allowed shows an error at its field and keeps the text', async () => {
  await open()
  const message = 'Start the address with https://.'
  opened.api.control.fail('counter.configure', {
    code: 'invalid',
    message,
    fields: [{ field: 'allowedOrigins[0]', message }]
  })
  await type('Allow another address', 'http://pay.example.com')
  await send('Allow another address')
  expect(screen.getByText(message)).toBeTruthy()
  expect(screen.getByLabelText<HTMLInputElement>('Allow another address').value).toBe('http://pay.example.com')
  expect(screen.queryByRole('list', { name: 'Allowed addresses' })).toBeNull()
})

const grace = { id: 'first', name: 'Grace Okafor', role: 'administrator' as const, hasBadge: false, isCurrent: true }
const ben = { id: 'staff-1', name: 'Ben Tui', role: 'clerk' as const, hasBadge: true, isCurrent: false }
const dialog = () => within(screen.getByRole('dialog'))

test('locked settings can’t be changed until an administrator’s PIN is entered, and can be locked again', async () => {
  await open({ ...pin({}), staff: { members: [], settings: 'locked' } })
  const box = () => screen.getByRole<HTMLInputElement>('checkbox', { name: 'Use full screen while someone signs' })
  expect(box().matches(':disabled')).toBe(true)
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Add a staff member…' }).disabled).toBe(true)
  // Who is at this computer can still be changed, as nobody has a name.
  expect(screen.getByLabelText<HTMLInputElement>('Staff member on this computer').closest('fieldset')).toBeNull()
  await press('Unlock…')
  await fireEvent.input(dialog().getByLabelText('Staff PIN'), { target: { value: '0001' } })
  await send('Staff PIN')
  expect(dialog().getByText('Wrong PIN.')).toBeTruthy()
  await fireEvent.input(dialog().getByLabelText('Staff PIN'), { target: { value: fakePin } })
  await send('Staff PIN')
  expect(box().matches(':disabled')).toBe(false)
  expect(calls('counter.openSettings').at(-1)?.input).toEqual({ pin: fakePin })
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Lock now' }))
  await press('Lock now')
  expect(box().matches(':disabled')).toBe(true)
})

test('with named staff, an administrator is chosen for unlocking', async () => {
  const ana = { ...grace, id: 'staff-2', name: 'Ana Reweti', isCurrent: false }
  const members = [{ ...grace, isCurrent: false }, { ...ben, isCurrent: true }, ana]
  await open({ ...pin({}), staff: { members, settings: 'locked' } })
  expect(screen.queryByRole('button', { name: 'Edit Ben Tui' })).toBeNull()
  await press('Unlock…')
  const choice = dialog().getByLabelText<HTMLSelectElement>('Administrator')
  expect([...choice.options].map(({ label }) => label)).toEqual(['Grace Okafor', 'Ana Reweti'])
  await fireEvent.input(dialog().getByLabelText('PIN'), { target: { value: fakePin } })
  await send('PIN')
  expect(calls('counter.openSettings').at(-1)?.input).toEqual({ pin: fakePin, name: 'Grace Okafor' })
})

test('adding staff takes a name, role, PIN and badge, and a badge reader’s Enter doesn’t submit', async () => {
  await open({ ...pin({}), staff: { members: [], settings: 'open' } })
  await press('Add a staff member…')
  await send('Name')
  expect(dialog().getByText('Enter a name.')).toBeTruthy()
  await type('Name', ' Ben Tui ')
  await fireEvent.change(dialog().getByLabelText('Role'), { target: { value: 'manager' } })
  await type('PIN', '60417')
  await type(/^Badge/, 'CARD-0042')
  const entered = await fireEvent.keyDown(dialog().getByLabelText(/^Badge/), { key: 'Enter' })
  expect(entered).toBe(false)
  await send('Name')
  expect(calls('counter.addStaff').at(-1)?.input).toEqual({
    name: 'Ben Tui',
    role: 'manager',
    pin: '60417',
    badge: 'CARD-0042'
  })
  const list = within(screen.getByRole('list', { name: 'Staff' }))
  expect(list.getByText('Manager, badge')).toBeTruthy()
  expect(list.getByText('Administrator, at this computer now')).toBeTruthy()
  // Their PIN replaces the single name.
  expect(screen.queryByLabelText('Staff member on this computer')).toBeNull()
})

test('release by someone else can’t be required with fewer than two who can release', async () => {
  await open({ ...pin({}), staff: { members: [grace, ben], settings: 'open' } })
  expect(screen.getByLabelText<HTMLSelectElement>('Packages someone else must release').disabled).toBe(true)
  expect(screen.getByText(/^Add a second manager or administrator first/)).toBeTruthy()
})

test('a rule that nobody else can fulfil shows a warning and can be switched off', async () => {
  await open({ ...pin({}), staff: { members: [grace, ben], settings: 'open', release: { above: 0 } } })
  expect(screen.getByText(`Nobody else can release what ${grace.name} sends.`)).toBeTruthy()
  const choice = screen.getByLabelText<HTMLSelectElement>('Packages someone else must release')
  expect([...choice.options].map(({ label }) => label)).toEqual(['None', 'All'])
  await fireEvent.change(choice, { target: { value: '' } })
  await settle()
  expect(screen.queryByText(`Nobody else can release what ${grace.name} sends.`)).toBeNull()
})

test('which packages need release by someone else can be chosen with several managers', async () => {
  await open({ ...pin({}), staff: { members: [grace, { ...ben, role: 'manager' }], settings: 'open' } })
  const choice = screen.getByLabelText<HTMLSelectElement>('Packages someone else must release')
  expect(choice.selectedOptions[0]?.label).toBe('None')
  await fireEvent.change(choice, { target: { value: '5' } })
  await settle()
  expect(calls('counter.setReleaseNeeded').at(-1)?.input).toEqual({ release: { above: 5 } })
  expect(opened.api.control.state.staff.release).toEqual({ above: 5 })
  await fireEvent.change(choice, { target: { value: '' } })
  await settle()
  expect(opened.api.control.state.staff).not.toHaveProperty('release')
})

test('a rule for releases that can’t be saved is shown as it was', async () => {
  await open({ ...pin({}), staff: { members: [grace, { ...ben, role: 'manager' }], settings: 'open' } })
  opened.api.control.fail('counter.setReleaseNeeded', { code: 'storage', message: 'Not now.' })
  const rule = () => screen.getByLabelText<HTMLSelectElement>('Packages someone else must release')
  await fireEvent.change(rule(), { target: { value: '5' } })
  await settle()
  expect(opened.app.toasts.shown[0]?.text).toMatch(/^That wasn’t saved\./)
  expect(rule().value).toBe('')
})

test('staff can be edited and removed, and errors appear at their field', async () => {
  await open({ ...pin({}), staff: { members: [grace, ben], settings: 'open' } })
  await press('Edit Ben Tui')
  opened.api.control.fail('counter.changeStaff', {
    code: 'invalid',
    message: 'No.',
    fields: [{ field: 'name', message: 'Someone has this name already.' }]
  })
  await type('Name', 'Grace Okafor')
  await send('Name')
  expect(dialog().getByText('Someone has this name already.')).toBeTruthy()
  opened.api.control.heal('counter.changeStaff')
  await type('Name', 'Ben Tui-Smith')
  await send('Name')
  expect(calls('counter.changeStaff').at(-1)?.input).toEqual({ id: 'staff-1', name: 'Ben Tui-Smith', role: 'clerk' })
  await press('Edit Ben Tui-Smith')
  await press('Remove staff member…')
  await press('Remove')
  expect(calls('counter.removeStaff').at(-1)?.input).toEqual({ id: 'staff-1' })
  expect(screen.queryByText('Ben Tui-Smith')).toBeNull()
})

test.each([
  ['saved', 'counter.changeStaff', ['Save'], []],
  ['removed', 'counter.removeStaff', ['Remove staff member…', 'Remove'], ['Remove staff member…']]
] as const)(
  'a staff member %s after their dialog was closed doesn’t close the next one',
  async (_how, request, first, second) => {
    await open({ ...pin({}), staff: { members: [grace, ben], settings: 'open' } })
    const answer = opened.api.control.hold(request)
    for (const name of ['Edit Ben Tui', ...first, 'Cancel', 'Edit Grace Okafor', ...second]) await press(name)
    answer()
    await settle()
    expect(calls(request)).toHaveLength(1)
    expect(screen.getByRole('dialog', { name: /Grace Okafor/ })).toBeTruthy()
  }
)

test('a badge is taken away once, however often it is pressed', async () => {
  await open({ ...pin({}), staff: { members: [grace, ben], settings: 'open' } })
  const answer = opened.api.control.hold('counter.changeStaff')
  await press('Edit Ben Tui')
  await press('Remove badge')
  await press('Remove badge')
  answer()
  await settle()
  expect(calls('counter.changeStaff')).toHaveLength(1)
})

test('a wrong PIN answered after its dialog was closed isn’t reported in the next one', async () => {
  await open({ ...pin({}), staff: { members: [grace], settings: 'locked' } })
  const answer = opened.api.control.hold('counter.openSettings')
  await press('Unlock…')
  await type('PIN of Grace Okafor', '99999')
  await send('PIN of Grace Okafor')
  await press('Cancel')
  answer()
  await settle()
  await press('Unlock…')
  expect(dialog().queryByText(/Wrong PIN/)).toBeNull()
})

test('removing the last named staff member warns that the PIN is everyone’s again', async () => {
  await open({ ...pin({}), staff: { members: [grace, ben], settings: 'open' } })
  const removalText = async (name: string) => {
    await press(`Edit ${name}`)
    await press('Remove staff member…')
    return dialog().getByText(/stays in the audit trail/).textContent
  }
  expect(await removalText('Ben Tui')).toMatch(/^Their PIN and badge stop working\./)
  await press('Remove')
  expect(await removalText('Grace Okafor')).toMatch(/^Their PIN becomes everyone’s again\./)
})

/** Locks the settings in the main process, as after ten minutes. Raising the event is left to the test. */
function lockAgain() {
  const { state } = opened.api.control
  state.staff = { ...state.staff, settings: 'locked' }
}

test('settings that lock automatically are shown as locked immediately', async () => {
  await open({ ...pin({}), staff: { members: [grace, ben], settings: 'open' } })
  expect(screen.getByText(/^These settings are unlocked/)).toBeTruthy()
  lockAgain()
  opened.api.control.emit('settings.changed', null)
  await settle()
  expect(screen.queryByText(/^These settings are unlocked/)).toBeNull()
  expect(screen.getByText('These settings are locked.')).toBeTruthy()
  expect(screen.queryByRole('dialog')).toBeNull()
})

test.each([
  ['setting', 'counter.configure', () => tick('Use full screen while someone signs')],
  ['logo', 'counter.chooseLogo', () => press('Choose logo…')],
  ['picture', 'counter.addPictures', () => press('Add pictures…')]
] as const)('a %s refused because the settings have locked asks for the PIN', async (_name, request, change) => {
  await open({ ...pin({}), staff: { members: [grace], settings: 'open' } })
  lockAgain()
  opened.api.control.fail(request, { code: 'not-allowed', message: 'Unlock the counter’s settings first.' })
  await change()
  expect(screen.queryByText(/^These settings are unlocked/)).toBeNull()
  await fireEvent.input(dialog().getByLabelText('PIN of Grace Okafor'), { target: { value: fakePin } })
  await send('PIN of Grace Okafor')
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(screen.getByText(/^These settings are unlocked/)).toBeTruthy()
})

test('a half-completed new staff member survives the PIN prompt', async () => {
  await open({ ...pin({}), staff: { members: [grace], settings: 'open' } })
  await press('Add a staff member…')
  await type('Name', 'Ben Tui')
  await type('PIN', '60417')
  lockAgain()
  await send('Name')
  expect(screen.queryByLabelText('Name')).toBeNull()
  await fireEvent.input(screen.getByLabelText('PIN of Grace Okafor'), { target: { value: fakePin } })
  await send('PIN of Grace Okafor')
  expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('Ben Tui')
  expect(dialog().queryByText(/wasn’t saved/)).toBeNull()
  await send('Name')
  expect(within(screen.getByRole('list', { name: 'Staff' })).getByText('Ben Tui')).toBeTruthy()
})

test('other refusals don’t ask for the PIN', async () => {
  await open({ ...pin({}), staff: { members: [grace], settings: 'open' } })
  opened.api.control.fail('counter.configure', { code: 'storage', message: 'Not now.' })
  lockAgain()
  await tick('Use full screen while someone signs')
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('the pen display test shows type, pressure, tilt, touches beside the pen, and tap accuracy', async () => {
  await open()
  await press('Test a pen display…')
  const pad = screen.getByLabelText('Draw and tap here')
  Object.defineProperties(pad, { clientWidth: { value: 1000 }, clientHeight: { value: 500 } })
  pad.getBoundingClientRect = () => ({ left: 0, top: 0, width: 1000, height: 500 }) as DOMRect
  const point = (type: string, init: PointerEventInit) =>
    fireEvent(pad, new PointerEvent(type, { bubbles: true, ...init }))
  const pen = { pointerId: 1, pointerType: 'pen' }
  const value = (name: string) => screen.getByText(name).nextElementSibling?.textContent
  await point('pointerdown', { ...pen, clientX: 300, clientY: 100, pressure: 0.2, tiltX: 10, tiltY: -5 })
  await point('pointermove', { ...pen, clientX: 400, clientY: 100, pressure: 0.8, tiltX: 12, tiltY: -5 })
  await point('pointerdown', { pointerId: 2, pointerType: 'touch', clientX: 500, clientY: 400, pressure: 0.5 })
  expect([value('Seen as'), value('Pressure now'), value('Tilt')]).toEqual(['Pen', '80 %', '12° across, -5° along'])
  expect([value('Pressure so far'), value('Touches beside the pen')]).toEqual(['20 % to 80 %', '1'])
  await point('pointerup', pen)
  for (const y of [0.08, 0.5, 0.92]) {
    for (const x of [0.08, 0.5, 0.92]) {
      await point('pointerdown', { ...pen, clientX: x * 1000 + 3, clientY: y * 500 - 2, pressure: 0.4 })
      await point('pointerup', pen)
    }
  }
  expect(value('Accuracy')).toBe('Taps land 3 px to the right and 2 px above on average.')
  await press('Clear')
  expect([value('Seen as'), value('Accuracy')]).toEqual(['Nothing yet', '0 of 9 crosses tapped'])

  // A palm lands on a cross just before the pen: a touch beside the pen, not a tap. A finger that was there long before
  // is a tap.
  const palm = (pointerId: number, x: number) =>
    point('pointerdown', { pointerId, pointerType: 'touch', clientX: x * 1000, clientY: 250, pressure: 1 })
  await palm(3, 0.92)
  await opened.clock.pass(2000)
  await palm(4, 0.5)
  await opened.clock.pass(300)
  expect(value('Accuracy')).toBe('2 of 9 crosses tapped')
  await point('pointerdown', { ...pen, clientX: 0.08 * 1000, clientY: 40, pressure: 0.4 })
  expect([value('Touches beside the pen'), value('Accuracy')]).toEqual(['1', '2 of 9 crosses tapped'])
  await point('pointerup', pen)
  // It is counted once only.
  await point('pointerdown', { ...pen, clientX: 500, clientY: 40, pressure: 0.4 })
  expect([value('Touches beside the pen'), value('Accuracy')]).toEqual(['1', '3 of 9 crosses tapped'])
  await point('pointerup', pen)
  await press('Clear')
  await fireEvent.click(screen.getByText('Close', { selector: 'button' }))
  await settle()
  expect(screen.queryByLabelText('Draw and tap here')).toBeNull()
})
