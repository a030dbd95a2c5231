/** Situations that must not be dead ends: a forgotten PIN, a request without an answer, a changed clock. */
import { fireEvent, render, screen, within } from '@testing-library/svelte'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import App from '../../src/renderer/src/App.svelte'
import { loadScreens } from '../../src/renderer/src/frame/screens.ts'
import PersonPage from '../../src/renderer/src/screens/counter/person/PersonPage.svelte'
import { PersonDisplay } from '../../src/renderer/src/screens/counter/person/person-display.svelte.ts'
import { OfficeSession } from '../../src/renderer/src/state/counter-session.svelte.ts'
import { presentError } from '../../src/renderer/src/words/errors.ts'
import type { CounterSession, PinState } from '../../src/shared/contract/views.ts'
import { type FakeApi, fakeApi } from './fake-api.ts'
import { FakeClock, settle } from './fake-clock.ts'
import { fakePin, sessionOf, turnOf } from './fakes/counter.ts'
import { type Opened, openOffice, show } from './office.ts'

beforeAll(loadScreens)

const origin = 'https://signing.example.com'
const locked: Partial<CounterSession> = { phase: 'covered', cover: 'away', isLocked: true, origin }
let api: FakeApi
let opened: Opened | undefined

beforeEach(() => {
  api = fakeApi()
})
afterEach(() => {
  opened?.close()
  opened = undefined
})

async function open(session: Partial<CounterSession> = {}) {
  api.control.state.counter = sessionOf(session)
  opened = await openOffice(api)
  show(opened, App, { app: opened.app })
  await settle()
  return opened
}

async function changeSession(change: { [Name in keyof CounterSession]?: CounterSession[Name] | undefined }) {
  if (!api.control.state.counter) throw new Error('There is no session.')
  // Undefined members are removed, as in the main process's answers.
  api.control.state.counter = { ...api.control.state.counter, ...change } as CounterSession
  api.control.emit('counter.changed', { id: api.control.state.counter.id })
  await settle()
}

/** Changes the PIN's state in the main process, which raises the event. */
async function changePin(change: Partial<PinState>) {
  api.control.state.pin = { ...api.control.state.pin, ...change }
  api.control.emit('settings.changed', null)
  await settle()
}

const side = () => within(document.querySelector('dialog') ?? document.body)
const button = (name: string | RegExp) => side().getByRole('button', { name })
const calls = (name: string) => api.control.calls.filter((call) => call.name === name)
async function press(name: string | RegExp) {
  await fireEvent.click(button(name))
  await settle()
}
async function give(pin: string) {
  for (const digit of pin) await fireEvent.click(button(digit))
  await press('Unlock')
}
/** Uses “Forgot PIN?”, which is offered after a wrong PIN. */
async function forgetPin() {
  await give('1')
  await press('Forgot PIN?')
}
async function choose(pin: string) {
  await fireEvent.input(side().getByLabelText('New PIN'), { target: { value: pin } })
  await fireEvent.input(side().getByLabelText('Confirm PIN'), { target: { value: pin } })
  await press('Save PIN')
}

describe('a PIN forgotten while a signer has the screen', () => {
  test.each([
    ['a screen that was left', locked],
    ['the last screen', { phase: 'return', isLocked: true }]
  ] as [string, Partial<CounterSession>][])(
    'on %s is reset after signing in, and the new one unlocks',
    async (_name, session) => {
      await open(session)
      if (session.phase === 'return') await press('Staff')
      await forgetPin()
      expect(calls('counter.resetPin')).toHaveLength(1)
      expect(side().getByText('Lock this computer, then sign in again.')).toBeTruthy()
      expect(side().queryByLabelText('New PIN')).toBeNull()
      await changePin({ reset: 'allowed' })
      await choose('8315')
      expect(calls('counter.unlock').at(-1)?.input).toMatchObject({ pin: '8315' })
      const { counter } = api.control.state
      expect(counter?.phase === 'ended' || counter?.cover === 'staff').toBe(true)
    }
  )

  test('can still be reset after locking the computer has covered the screen', async () => {
    await open()
    await press('Staff')
    await press('Forgot PIN?')
    await changeSession({ cover: 'away', isLocked: true })
    await changePin({ reset: 'allowed' })
    await choose('8315')
    expect(api.control.state.counter?.cover).toBe('staff')
  })

  test('is offered for reset only after a wrong PIN, or once staff open the pad', async () => {
    await open(locked)
    expect(side().queryByText(/forgot/)).toBeNull()
    await give('1')
    expect(button('Forgot PIN?')).toBeTruthy()
    await changeSession({ id: 'session-2' })
    expect(side().queryByText(/forgot/)).toBeNull()
    await changeSession({ phase: 'return', cover: undefined })
    await press('Staff')
    expect(button('Forgot PIN?')).toBeTruthy()
  })

  test('is not reset when staff go back to the pad', async () => {
    await open(locked)
    await forgetPin()
    await press('Back to PIN')
    expect(document.activeElement).toBe(side().getByLabelText('Staff PIN'))
    await give(fakePin)
    expect(api.control.state.counter?.cover).toBe('staff')
  })

  test('can’t be replaced once the time is up, but the reset can be started again', async () => {
    await open(locked)
    await forgetPin()
    await changePin({ reset: 'allowed' })
    api.control.state.pin = { ...api.control.state.pin, reset: 'none' }
    await choose('8315')
    expect(side().getByText(/two minutes are up/)).toBeTruthy()
    expect(calls('counter.unlock').map(({ input }) => (input as { pin: string }).pin)).toEqual(['1'])
    await press('Start again')
    expect(calls('counter.resetPin')).toHaveLength(2)
  })

  test('names the administrator, and asks main for nothing, if the system doesn’t report sign-ins', async () => {
    api.control.state.pin = { ...api.control.state.pin, canReset: false }
    await open(locked)
    await forgetPin()
    expect(side().getByText(/Only your administrator can reset the PIN.*“Staff PIN”/s)).toBeTruthy()
    expect(calls('counter.resetPin')).toHaveLength(0)
  })

  test('that no longer exists is reported to main, so that the window can be closed', async () => {
    await open(locked)
    await give('1')
    api.control.state.pin = { ...api.control.state.pin, isSet: false }
    await press('Forgot PIN?')
    expect(calls('counter.unlock')).toHaveLength(2)
    expect(side().getByText(/Close Countersign/)).toBeTruthy()
  })

  test('is reset even if the PIN’s state is loaded again in the meantime', async () => {
    const { pin } = api.counter
    let answer = () => {}
    await open(locked)
    await give('1')
    api.counter.pin = async () => {
      api.counter.pin = pin
      const result = await pin()
      await new Promise<void>((resolve) => {
        answer = resolve
      })
      return result
    }
    await press('Forgot PIN?')
    await changePin({})
    answer()
    await settle()
    expect(calls('counter.resetPin')).toHaveLength(1)
    expect(side().getByText('Lock this computer, then sign in again.')).toBeTruthy()
  })

  test('is asked for as usual in the next session', async () => {
    await open(locked)
    await forgetPin()
    await changeSession({ id: 'session-2' })
    expect(side().getByLabelText('Staff PIN')).toBeTruthy()
  })

  test('on the second display refers to the desk, and requests nothing from the office', async () => {
    api.control.state.counter = sessionOf({ ...locked, place: 'other-display' })
    const display = new PersonDisplay(api, new FakeClock(0))
    const close = await display.open()
    render(PersonPage, { display })
    await settle()
    await forgetPin()
    expect(side().getByText(/Ask at the desk/)).toBeTruthy()
    expect([...calls('counter.pin'), ...calls('counter.resetPin')]).toEqual([])
    close()
  })

  test('that was removed entirely leads to closing Countersign', async () => {
    api.control.state.pin = { ...api.control.state.pin, isSet: false }
    await open(locked)
    await give(fakePin)
    expect(side().getByRole('alert').textContent).toMatch(/PIN was removed.*Close Countersign/s)
    await press('Forgot PIN?')
    expect(side().getByText(/Close Countersign/)).toBeTruthy()
    expect(side().getByLabelText('Staff PIN')).toBeTruthy()
    expect(presentError({ code: 'no-pin', message: 'ours' }).todo).toMatch(/close Countersign/)
  })
})

describe('a request without an answer', () => {
  async function follow(session: Partial<CounterSession>) {
    api.control.state.counter = sessionOf({ place: 'other-display', ...session })
    const counter = new OfficeSession(api, new FakeClock(0))
    await counter.open()
    return counter
  }

  test.each(['print', 'save'] as const)('to %s doesn’t block covering, showing and ending', async (does) => {
    const counter = await follow({ phase: 'open', origin, mayKeepPages: true })
    const { staff } = api.counter
    api.counter.staff = (input) => (input.does === does ? new Promise<never>(() => {}) : staff(input))
    const hang = () => {
      void counter.runStaffAction(does)
      expect(counter.busy).toBe(does)
    }
    hang()
    await counter.cover('moment')
    expect(counter.session?.cover).toBe('moment')
    hang()
    await counter.resume()
    expect(counter.session?.phase).toBe('open')
    hang()
    await counter.runStaffAction('cover')
    expect(counter.session?.isLocked).toBe(true)
    hang()
    await counter.unlock(fakePin)
    expect(counter.session?.cover).toBe('staff')
    hang()
    await counter.runStaffAction('continue')
    expect(counter.session?.phase).toBe('open')
    hang()
    await counter.runStaffAction('end')
    expect(counter.session?.phase).toBe('ended')
  })

  test('to cover the page is sent only once', async () => {
    const counter = await follow({ phase: 'open', origin })
    api.control.hold('counter.cover')
    void counter.cover('moment')
    void counter.cover('moment')
    await settle()
    expect(calls('counter.cover')).toHaveLength(1)
  })

  test.each([
    ['cover', { cover: 'idle' }],
    ['lock', { isLocked: false }]
  ] as [string, Partial<CounterSession>][])('is dropped as stale when the %s changes', async (_name, change) => {
    const counter = await follow(locked)
    let refuse = () => {}
    api.counter.staff = () =>
      new Promise((resolve) => {
        refuse = () => resolve({ ok: false, error: { code: 'internal', message: 'No.' } })
      })
    const printing = counter.runStaffAction('print')
    await changeSession(change)
    expect(counter.busy).toBeUndefined()
    refuse()
    await printing
    expect(counter.error).toBeUndefined()
  })
})

describe('the wait after wrong PINs', () => {
  test.each([
    ['back', -3_600_000],
    ['forward', 3_600_000]
  ] as const)('keeps its length when the clock is set %s', async (_name, change) => {
    const { clock } = await open(locked)
    for (let time = 0; time < 3; time++) await give('1111')
    expect(side().getByText('Try again in 5 s.')).toBeTruthy()
    clock.set(change)
    await clock.pass(2000)
    expect(side().getByText('Try again in 3 s.')).toBeTruthy()
    await clock.pass(3000)
    expect(side().queryByText(/Try again in/)).toBeNull()
    const attempts = calls('counter.unlock').length
    await give(fakePin)
    expect(calls('counter.unlock')).toHaveLength(attempts + 1)
  })

  test('ends exactly on time, between two displayed seconds', async () => {
    const { clock } = await open()
    const startedAt = clock.now()
    await changeSession({ ...locked, pinWaitUntil: startedAt + 2500 })
    expect(side().getByText('Try again in 3 s.')).toBeTruthy()
    await clock.pass(2500)
    const attempts = calls('counter.unlock').length
    await give(fakePin)
    expect(calls('counter.unlock')).toHaveLength(attempts + 1)
  })
})

describe('the PIN pad with named staff', () => {
  const named = { ...locked, asksName: true as const }

  test('takes a badge without offering names', async () => {
    await open(named)
    await fireEvent.input(side().getByLabelText('Staff PIN or badge'), { target: { value: 'CARD-0042 ' } })
    await fireEvent.submit(side().getByLabelText('Staff PIN or badge').closest('form') as HTMLFormElement)
    await settle()
    expect(calls('counter.unlock').at(-1)?.input).toMatchObject({ pin: 'CARD-0042' })
    expect(calls('counter.unlock').at(-1)?.input).not.toHaveProperty('name')
    expect(side().queryByRole('combobox')).toBeNull()
  })

  test('takes another person’s name and PIN during the previous person’s wait', async () => {
    const { clock } = await open({ ...named })
    await changeSession({ ...named, pinWaitUntil: clock.now() + 300_000 })
    expect(side().getByText(/Try again in 300 s/)).toBeTruthy()
    await fireEvent.click(side().getByRole('button', { name: 'Another staff member' }))
    await settle()
    expect(side().queryByText(/Try again in/)).toBeNull()
    expect(document.activeElement).toBe(side().getByLabelText('Staff name'))
    await fireEvent.input(side().getByLabelText('Staff name'), { target: { value: 'Ana' } })
    // Like Enter in the name field.
    await fireEvent.submit(side().getByLabelText('Staff PIN').closest('form') as HTMLFormElement)
    expect(document.activeElement).toBe(side().getByLabelText('Staff PIN'))
    await fireEvent.input(side().getByLabelText('Staff PIN'), { target: { value: fakePin } })
    await fireEvent.submit(side().getByLabelText('Staff PIN').closest('form') as HTMLFormElement)
    await settle()
    expect(calls('counter.unlock').at(-1)?.input).toMatchObject({ pin: fakePin, name: 'Ana' })
  })

  describe('when nobody has been chosen yet', () => {
    const nobody = { ...named, needsName: true as const }
    const field = () => side().getByLabelText<HTMLInputElement>('Staff PIN or badge')
    const nameField = () => side().getByLabelText<HTMLInputElement>('Staff name')
    const enter = (value: string) => fireEvent.input(field(), { target: { value } })
    async function submit() {
      await fireEvent.submit(field().closest('form') as HTMLFormElement)
      await settle()
    }

    test('asks for the name, and doesn’t submit a PIN without one', async () => {
      await open(nobody)
      expect(side().queryByRole('button', { name: 'Another staff member' })).toBeNull()
      await enter('4826')
      await submit()
      expect(calls('counter.unlock')).toEqual([])
      expect(side().getByRole('alert').textContent).toBe('Enter your name as well.')
      expect(document.activeElement).toBe(nameField())
      await fireEvent.input(nameField(), { target: { value: 'Ana' } })
      await submit()
      expect(calls('counter.unlock').map(({ input }) => input)).toMatchObject([{ pin: '4826', name: 'Ana' }])
    })

    test('takes a badge of digits, and asks for a name after another code', async () => {
      await open(nobody)
      await enter('0042004200')
      await submit()
      expect(calls('counter.unlock').at(-1)?.input).not.toHaveProperty('name')
      expect(side().getByRole('alert').textContent).toBe('Enter your name as well.')
      expect(document.activeElement).toBe(nameField())
    })
  })

  test('offers neither badge nor name when everyone shares one PIN', async () => {
    await open(locked)
    expect(side().getByLabelText('Staff PIN')).toBeTruthy()
    expect(side().queryByRole('button', { name: 'Another staff member' })).toBeNull()
  })
})

describe('a badge reader, which types keys and then Enter', () => {
  const named = { ...locked, asksName: true as const }
  const field = () => side().getByLabelText<HTMLInputElement>('Staff PIN or badge')
  const submitted = () => calls('counter.unlock').map(({ input }) => (input as { pin: string }).pin)

  async function type(keys: string) {
    for (const key of keys) await typeKey(key)
  }
  async function typeKey(key: string) {
    const goesOn = await fireEvent.keyDown(document.activeElement ?? document.body, { key })
    const now = document.activeElement
    if (!goesOn || !(now instanceof HTMLInputElement)) return settle()
    if (key === 'Enter') await fireEvent.submit(now.closest('form') as HTMLFormElement)
    else await fireEvent.input(now, { target: { value: now.value + key } })
    await settle()
  }
  async function scan(code: string) {
    await type(code)
    await typeKey('Enter')
  }

  test.each([
    ['a screen that was left', named],
    ['the last screen, before the pad appears', { phase: 'return', isLocked: true, asksName: true }],
    ['a page that asks for the camera', { ...named, cover: 'camera', asksFor: ['camera'] }]
  ] as [string, Partial<CounterSession>][])('is read completely on %s', async (_name, session) => {
    await open(session)
    await scan('CARD-0042')
    expect(submitted()).toEqual(['CARD-0042'])
  })

  test('is read completely when Countersign is locked', async () => {
    api.control.state.lock = { ...api.control.state.lock, isLocked: true, asksName: true }
    opened = await openOffice(api)
    show(opened, App, { app: opened.app })
    await settle()
    await scan('CARD-0042')
    expect(calls('counter.unlockOffice').map(({ input }) => input)).toEqual([{ pin: 'CARD-0042' }])
  })

  /** Unlocks Countersign with a one-time PIN. */
  async function unlockWithOneTimePin() {
    const { state } = api.control
    state.lock = { ...state.lock, isLocked: true, asksName: true }
    state.isPinOnce = true
    opened = await openOffice(api)
    show(opened, App, { app: opened.app })
    await settle()
    await fireEvent.click(side().getByRole('button', { name: 'Another staff member' }))
    await settle()
    await fireEvent.input(side().getByLabelText('Staff name'), { target: { value: 'Grace Okafor' } })
    await fireEvent.input(side().getByLabelText('Staff PIN'), { target: { value: fakePin } })
    await fireEvent.click(side().getByRole('button', { name: 'Unlock' }))
    await settle()
    return { state, clock: opened.clock }
  }

  test('leaves the owner of a one-time PIN to choose a new one when unlocking', async () => {
    const { state } = await unlockWithOneTimePin()
    expect(document.activeElement).toBe(side().getByRole('heading', { name: 'Choose your own PIN' }))
    expect(side().queryByLabelText('Staff PIN')).toBeNull()
    // One thing at a time: no PIN is asked for while one is being chosen.
    expect(screen.queryByText(/^Enter the staff PIN/)).toBeNull()
    for (const label of ['New PIN', 'Confirm PIN'])
      await fireEvent.input(side().getByLabelText(label), { target: { value: '83920' } })
    await fireEvent.click(side().getByRole('button', { name: 'Save PIN' }))
    await settle()
    expect(calls('counter.setPin').map(({ input }) => input)).toEqual([
      { pin: '83920', current: fakePin, name: 'Grace Okafor' }
    ])
    expect(calls('counter.unlockOffice').at(-1)?.input).toEqual({ pin: '83920', name: 'Grace Okafor' })
    expect(screen.queryByRole('heading', { name: 'Choose your own PIN' })).toBeNull()
    expect(state.lock.isLocked).toBe(false)
  })

  test('returns to the pad with an error if the one-time PIN has changed meanwhile', async () => {
    const { state } = await unlockWithOneTimePin()
    state.pinDigits = '51736284'
    for (const label of ['New PIN', 'Confirm PIN'])
      await fireEvent.input(side().getByLabelText(label), { target: { value: '83920' } })
    await fireEvent.click(side().getByRole('button', { name: 'Save PIN' }))
    await settle()
    expect(calls('counter.setPin')).toHaveLength(1)
    expect(screen.queryByRole('heading', { name: 'Choose your own PIN' })).toBeNull()
    expect(side().getByText(/Wrong/)).toBeTruthy()
    expect(side().getByLabelText('Staff PIN or badge')).toBeTruthy()
    expect(screen.getByText(/^Enter the staff PIN/)).toBeTruthy()
  })

  test('discards a one-time PIN after a minute without input', async () => {
    const { clock } = await unlockWithOneTimePin()
    await clock.pass(50_000)
    await fireEvent.input(side().getByLabelText('New PIN'), { target: { value: '839' } })
    await clock.pass(50_000)
    expect(side().getByRole('heading', { name: 'Choose your own PIN' })).toBeTruthy()
    await clock.pass(10_000)
    expect(screen.queryByRole('heading', { name: 'Choose your own PIN' })).toBeNull()
    expect(side().getByLabelText('Staff PIN or badge')).toBeTruthy()
  })

  test('discards a one-time PIN when staff or the lock change', async () => {
    await unlockWithOneTimePin()
    api.control.emit('lock.changed', null)
    await settle()
    expect(screen.queryByRole('heading', { name: 'Choose your own PIN' })).toBeNull()
    expect(side().getByLabelText('Staff PIN or badge')).toBeTruthy()
  })

  test('enters no letters when everyone shares one PIN', async () => {
    await open(locked)
    await scan('CARD-0042')
    expect(submitted()).toEqual(['0042'])
    await changeSession({ phase: 'return', cover: undefined })
    await type('C')
    expect(side().queryByLabelText('Staff PIN')).toBeNull()
  })

  test('is accepted during the wait after wrong PINs', async () => {
    const { clock } = await open(named)
    await changeSession({ ...named, pinWaitUntil: clock.now() + 300_000 })
    await scan('CARD-0042')
    expect(submitted()).toEqual(['CARD-0042'])
  })

  test('is not appended to a PIN entered during the wait', async () => {
    const { clock } = await open(named)
    await changeSession({ ...named, pinWaitUntil: clock.now() + 300_000 })
    await scan('9713')
    expect(field().value).toBe('')
    expect(submitted()).toEqual([])
    await scan('CARD-0042')
    expect(submitted()).toEqual(['CARD-0042'])
  })

  test('is ignored while another badge is being checked, and leaves nothing in the field', async () => {
    await open(named)
    const answer = api.control.hold('counter.unlock')
    await scan('CARD-0041')
    await scan('CARD-0042')
    expect(field().value).toBe('')
    answer()
    await settle()
    expect(submitted()).toEqual(['CARD-0041'])
  })

  test('needs no name in the form for another staff member', async () => {
    await open(named)
    await press('Another staff member')
    side().getByLabelText('Staff PIN').focus()
    await scan('CARD-0042')
    expect(calls('counter.unlock').at(-1)?.input).toMatchObject({ pin: 'CARD-0042' })
    expect(calls('counter.unlock').at(-1)?.input).not.toHaveProperty('name')
  })

  test('is counted in characters, a PIN in digits', async () => {
    await open(named)
    await type('9')
    expect(side().getByText('1 digit typed')).toBeTruthy()
    await type('B')
    expect(side().getByText('2 characters typed')).toBeTruthy()
  })
})

describe('messages on the signer’s screen', () => {
  const error = { code: 'not-signable', message: 'Signed elsewhere.' } as const

  test('mention checking with the service only for a turn that began', async () => {
    await open({ phase: 'failed', error, turns: [turnOf({ outcome: { signed: 'skipped', error } })] })
    expect(side().queryByText(/check with the signing service/)).toBeNull()
    await changeSession({ phase: 'failed', error: { code: 'timeout', message: 'Too slow.' }, turns: [turnOf()] })
    expect(side().getByText(/check with the signing service/)).toBeTruthy()
  })

  test.each(['moment', 'help', 'finish', 'stop', 'away', 'idle', 'staff'] as const)(
    'on the cover %s, mention the camera only if allowed and the page is open',
    async (cover) => {
      const isLocked = cover === 'away' || cover === 'idle'
      await open({ phase: 'covered', cover, isLocked, origin, allowsCamera: true })
      expect(side().getByText('The camera may still be on.')).toBeTruthy()
      await changeSession({ allowsCamera: false })
      expect(side().queryByText(/camera may/)).toBeNull()
    }
  )

  test('don’t mention the camera without a page', async () => {
    await open({ phase: 'handover', cover: 'away', isLocked: true, allowsCamera: true })
    expect(screen.getByRole('dialog').textContent).not.toMatch(/camera/)
  })
})
