import { fireEvent, render, screen, within } from '@testing-library/svelte'
import axe from 'axe-core'
import { tick } from 'svelte'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import App from '../../src/renderer/src/App.svelte'
import { loadScreens } from '../../src/renderer/src/frame/screens.ts'
import PersonPage from '../../src/renderer/src/screens/counter/person/PersonPage.svelte'
import { PersonDisplay } from '../../src/renderer/src/screens/counter/person/person-display.svelte.ts'
import { OfficeSession } from '../../src/renderer/src/state/counter-session.svelte.ts'
import { personRequestNames } from '../../src/shared/contract/requests.ts'
import type { CounterSession, CounterTurn } from '../../src/shared/contract/views.ts'
import { type FakeApi, fakeApi } from './fake-api.ts'
import { FakeClock, settle } from './fake-clock.ts'
import { fakeFiles, fakePin, sessionOf, turnOf } from './fakes/counter.ts'
import { type Opened, openOffice, show } from './office.ts'

beforeAll(loadScreens)

const origin = 'https://signing.example.com'
const two = [turnOf(), turnOf({ documentReference: 'doc-2', documentName: 'Statement of advice' })]
let api: FakeApi
let opened: Opened | undefined

beforeEach(() => {
  api = fakeApi()
})
afterEach(() => {
  opened?.close()
  opened = undefined
})

/** Opens the application during a session. */
async function open(session: Partial<CounterSession> = {}) {
  api.control.state.counter = sessionOf(session)
  opened = await openOffice(api)
  show(opened, App, { app: opened.app })
  await settle()
  return opened
}

/** Changes the session in the main process. */
async function changeSession(change: { [Name in keyof CounterSession]?: CounterSession[Name] | undefined }) {
  if (!api.control.state.counter) throw new Error('There is no session.')
  // Undefined members are removed, as in the main process's answers.
  api.control.state.counter = { ...api.control.state.counter, ...change } as CounterSession
  api.control.emit('counter.changed', { id: api.control.state.counter.id })
  await settle()
}

/** What the signer sees; jsdom treats inert elements as present. */
const side = () => within(document.querySelector('dialog') ?? document.body)
const button = (name: string | RegExp) => side().getByRole('button', { name })
const heading = () => side().getByRole('heading', { level: 1 })
const isPersons = (name: string) => (personRequestNames as readonly string[]).includes(name)
const calls = (name: string) => api.control.calls.filter((call) => call.name === name)
async function press(name: string | RegExp) {
  await fireEvent.click(button(name))
  await settle()
}
async function give(pin: string) {
  for (const digit of pin) await fireEvent.click(button(digit))
  await press('Unlock')
}
const pinField = () => side().getByLabelText<HTMLInputElement>('Staff PIN')

describe('the signer’s screen', () => {
  test('shows nothing of the office, whichever screen is open', async () => {
    await open({ phase: 'ended' })
    await changeSession({ phase: 'open', origin })
    opened?.app.router.go('documents')
    await settle()
    expect(screen.getByRole('dialog', { name: 'Signing' })).toBeTruthy()
    expect(document.querySelector<HTMLElement>('.frame')?.inert).toBe(true)
  })

  test('requests nothing of the office after a reload, until staff have the screen back', async () => {
    await open({ phase: 'open', origin })
    expect(api.control.calls.map(({ name }) => name).filter((name) => !isPersons(name))).toEqual(['counter.lock'])
    expect(document.querySelector('.frame')).toBeNull()
    expect(screen.queryByText(/practice office/i)).toBeNull()
    await changeSession({ phase: 'ended' })
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(await screen.findByRole('link', { name: /^Counter/, current: 'page' })).toBeTruthy()
  })

  test('ignores the office’s keyboard shortcuts', async () => {
    await open()
    let heard = 0
    const listen = () => heard++
    document.addEventListener('keydown', listen)
    for (const key of ['k', 'n', 'Escape', '/', 'j'])
      await fireEvent.keyDown(button('Staff'), { key, ctrlKey: key === 'k' })
    document.removeEventListener('keydown', listen)
    expect(heard).toBe(0)
    expect(screen.queryByRole('dialog', { name: /Search/ })).toBeNull()
  })

  test('leads to the counter once staff have unlocked it', async () => {
    const { app } = await open({ phase: 'return', isLocked: true })
    await press('Staff')
    await give(fakePin)
    expect(screen.queryByRole('dialog', { name: 'Signing' })).toBeNull()
    expect(app.router.route.screen).toBe('counter')
    expect(document.querySelector<HTMLElement>('.frame')?.inert).toBeFalsy()
  })

  test('is not in this window when the session is on the second display', async () => {
    await open({ place: 'other-display' })
    expect(screen.queryByRole('dialog', { name: 'Signing' })).toBeNull()
    expect(document.querySelector<HTMLElement>('.frame')?.inert).toBeFalsy()
  })

  test('moves the focus to its heading each time it changes', async () => {
    await open({ turns: two })
    for (const change of [
      { phase: 'loading', origin },
      { phase: 'covered', cover: 'help' },
      { phase: 'covered', cover: 'away', isLocked: true },
      { phase: 'between', isLocked: false },
      { phase: 'return', isLocked: true }
    ] as const) {
      await changeSession(change)
      expect(document.activeElement).toBe(heading())
    }
  })

  test.each([
    ['handover', {}],
    ['handover of several', { turns: two }],
    ['page', { phase: 'open', origin }],
    ['warning', { phase: 'open', origin, warningUntil: Date.now() + 20_000 }],
    ['moment', { phase: 'covered', cover: 'moment' }],
    ['finish', { phase: 'covered', cover: 'finish' }],
    ['camera', { phase: 'covered', cover: 'camera', isLocked: true, asksFor: ['camera'] }],
    ['away', { phase: 'covered', cover: 'away', isLocked: true }],
    ['staff', { phase: 'covered', cover: 'staff', refused: [{ what: 'It asked for a key.', at: 0 }] }],
    ['asking', { phase: 'asking' }],
    ['between', { phase: 'between', turns: [turnOf({ outcome: { signed: 'signed' } }), ...two] }],
    ['failed', { phase: 'failed', error: { code: 'timeout', message: 'Too slow.' } }],
    ['return', { phase: 'return', isLocked: true }]
  ] as [string, Partial<CounterSession>][])('%s: has no accessibility violations', async (_name, session) => {
    await open(session)
    const { violations } = await axe.run(screen.getByRole('dialog'), {
      rules: { 'color-contrast': { enabled: false } }
    })
    expect(violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(' ')}`)).toEqual([])
  })
})

describe('the handover', () => {
  test('loads nothing before the signer has confirmed who they are', async () => {
    await open()
    expect(heading().textContent).toMatch(/Please hand the screen to\s+Mere Parata/)
    expect(calls('counter.show')).toHaveLength(0)
    await press('I’m Mere Parata – start')
    expect(calls('counter.begin')).toHaveLength(1)
    expect(calls('counter.show').length).toBeGreaterThan(0)
    expect(api.control.state.counter?.phase).toBe('open')
  })

  test('addresses a signer without a name as the next person', async () => {
    await open({ turns: [turnOf({ signerName: '  ', person: '' })] })
    expect(heading().textContent).toMatch(/the next person/)
    expect(button('I’m the signer – start')).toBeTruthy()
  })

  test('shows the contact of a signer whose name isn’t unique', async () => {
    await open({ turns: [turnOf({ contact: 'mere@example.com' })] })
    expect(side().queryByText(/passport/)).toBeNull()
    expect(side().getByText('mere@example.com')).toBeTruthy()
  })

  test.each([
    ['number-end', /keeps the last four characters of the number of your passport or ID card/],
    ['number-and-expiry', /keeps the number and expiry date of your passport or ID card/]
  ] as const)('states what is kept of the passport: %s', async (keeps, sentence) => {
    await open({ turns: [turnOf({ keeps })] })
    expect(side().getByText(sentence)).toBeTruthy()
  })

  test('lists only the signer’s own documents', async () => {
    await open({
      turns: [...two, turnOf({ documentName: 'Deed of gift', signerName: 'Wiremu Tane', person: 'wiremu tane' })]
    })
    expect(
      side()
        .getAllByRole('listitem')
        .map((one) => one.textContent?.trim())
    ).toEqual(['1 Tenancy agreement Parata', '2 Statement of advice'])
    expect(side().queryByText(/Deed of gift/)).toBeNull()
  })

  test('lets someone say it isn’t them, after which only staff can continue', async () => {
    await open()
    await press('That’s not me')
    expect(api.control.state.counter).toMatchObject({ phase: 'handover', cover: 'not-me', isLocked: true })
    expect(heading().textContent).toBe('Please ask staff')
    expect(side().queryByText(/Mere/)).toBeNull()
    await give(fakePin)
    expect(api.control.state.counter?.cover).toBe('staff')
  })

  test('sends one request when the button is pressed twice', async () => {
    await open()
    api.control.hold('counter.begin')
    await press(/start$/)
    await press(/start$/)
    expect(calls('counter.begin')).toHaveLength(1)
  })
})

describe('the page to sign', () => {
  test('is framed with the document’s name and the page’s origin', async () => {
    await open({ phase: 'open', origin, turns: two, current: 1 })
    expect(heading().textContent).toMatch(/Document 2 of 2\s+Statement of advice/)
    expect(side().getByText('signing.example.com')).toBeTruthy()
    expect(side().getByText('Secure page from')).toBeTruthy()
  })

  test('is marked as not secure without encryption, and a long host shows its end', async () => {
    await open({ phase: 'open', origin: `http://${'signing.example.com.'.repeat(4)}elsewhere.example.net` })
    expect(side().getByText('Not secure: page from')).toBeTruthy()
    expect(side().getByText(/^…/).textContent).toMatch(/elsewhere\.example\.net$/)
  })

  test('is named as the practice service, whichever account is selected', async () => {
    api.control.state.accounts = api.control.state.accounts.map((one) => ({ ...one, chosen: one.kind === 'service' }))
    await open({ phase: 'open', origin: 'http://127.0.0.1:49152', isPractice: true })
    expect(side().getByText('Practice service on this computer')).toBeTruthy()
    expect(screen.getByRole('dialog').textContent).not.toMatch(/127\.0\.0\.1/)
  })

  test('is covered by “I need a moment”, and returns with Continue', async () => {
    await open({ phase: 'open', origin })
    const before = calls('counter.show').length
    await press('I need a moment')
    expect(api.control.state.counter).toMatchObject({ phase: 'covered', cover: 'moment' })
    expect(heading().textContent).toBe('Take your time')
    await press('Continue')
    expect(api.control.state.counter?.phase).toBe('open')
    expect(calls('counter.show').length).toBeGreaterThan(before)
  })

  test('asks before stopping, with Continue first, and Escape continues', async () => {
    await open({ phase: 'open', origin })
    await press('Stop')
    const answers = side().getAllByRole('button', { name: /Continue signing|Stop and close/ })
    expect(answers.map((one) => one.textContent?.trim())).toEqual(['Continue signing', 'Stop and close'])
    await fireEvent.keyDown(heading(), { key: 'Escape' })
    await settle()
    expect(api.control.state.counter?.phase).toBe('open')
    expect(calls('counter.finish')).toHaveLength(0)
    await press('Stop')
    await press('Stop and close')
    expect(calls('counter.finish')).toHaveLength(1)
  })

  test('stays covered when Escape is pressed during a moment', async () => {
    await open({ phase: 'covered', cover: 'moment' })
    await fireEvent.keyDown(heading(), { key: 'Escape' })
    await settle()
    expect(api.control.state.counter?.phase).toBe('covered')
  })

  test('has no highlighted button of ours beside its own', async () => {
    await open({ phase: 'open', origin })
    for (const one of side().getAllByRole('button')) expect(one.className).not.toMatch(/primary/)
  })

  test('zooms in steps within limits', async () => {
    await open({ phase: 'open', origin })
    await press('Larger')
    expect(api.control.state.counter?.zoom).toBe(1.1)
    await press('Smaller')
    await press('Smaller')
    expect(api.control.state.counter?.zoom).toBe(0.9)
    await changeSession({ zoom: 3 })
    expect(button('Larger').getAttribute('aria-disabled')).toBe('true')
    await press('Larger')
    expect(api.control.state.counter?.zoom).toBe(3)
  })

  test('gets the keyboard back with F6, which a hint mentions', async () => {
    await open({ phase: 'open', origin })
    expect(side().getByText('F6: to the buttons')).toBeTruthy()
    const before = calls('counter.show').length
    await fireEvent.keyDown(button('Help'), { key: 'F6' })
    await settle()
    expect(calls('counter.show')).toHaveLength(before + 1)
  })

  test('stays when something fails, with an alert', async () => {
    await open({ phase: 'open', origin })
    api.control.fail('counter.cover', { code: 'internal', message: 'Something went wrong inside Countersign.' })
    await press('Help')
    expect(side().getByRole('alert').textContent).toMatch(/That didn’t work/)
    expect(button('I’ve finished')).toBeTruthy()
  })
})

describe('while nobody touches the screen', () => {
  test('the warning counts down in the bar, is announced once, and any touch ends it', async () => {
    const { clock } = await open({ phase: 'open', origin })
    await changeSession({ warningUntil: clock.now() + 28_000 })
    expect(side().getByText('28')).toBeTruthy()
    const announced = side().getByRole('alert').textContent
    await clock.pass(5000)
    expect(side().getByText('23')).toBeTruthy()
    expect(side().getByRole('alert').textContent).toBe(announced)
    await fireEvent.pointerDown(heading())
    await settle()
    expect(api.control.state.counter?.warningUntil).toBeUndefined()
    expect(side().queryByText(/Are you still there/)).toBeNull()
  })

  test('the warning over our own screens is a focused button, and the focus then returns', async () => {
    const { clock } = await open()
    button(/start$/).focus()
    await changeSession({ warningUntil: clock.now() + 28_000 })
    expect(document.activeElement).toBe(button('I’m here'))
    await press('I’m here')
    expect(api.control.state.counter).toMatchObject({ phase: 'handover' })
    expect(api.control.state.counter?.warningUntil).toBeUndefined()
    expect(document.activeElement).toBe(button(/start$/))
  })

  test('moving towards the warning’s button doesn’t dismiss it', async () => {
    const { clock } = await open()
    await changeSession({ warningUntil: clock.now() + 28_000 })
    await fireEvent.pointerMove(button('I’m here'))
    await settle()
    expect(button('I’m here')).toBeTruthy()
    expect(calls('counter.touched')).toHaveLength(0)
  })

  test('activity is reported at most once a second', async () => {
    const { clock } = await open({ phase: 'open', origin })
    for (let time = 0; time < 5; time++) await fireEvent.pointerMove(heading())
    expect(calls('counter.touched')).toHaveLength(1)
    await clock.pass(1000)
    await fireEvent.keyDown(heading(), { key: 'Tab' })
    expect(calls('counter.touched')).toHaveLength(2)
  })
})

describe('the staff PIN', () => {
  const locked: Partial<CounterSession> = { phase: 'covered', cover: 'away', isLocked: true }

  test('is all that a locked screen asks for, and leads to the staff options', async () => {
    await open(locked)
    expect(heading().textContent).toBe('Please ask staff to continue')
    expect(side().queryByRole('button', { name: /Continue|Go on/ })).toBeNull()
    await give(fakePin)
    expect(api.control.state.counter?.cover).toBe('staff')
    await press('Continue signing')
    expect(api.control.state.counter).toMatchObject({ phase: 'open', isLocked: false })
  })

  test('is masked, takes digits only, and is cleared once submitted', async () => {
    await open(locked)
    expect(pinField().type).toBe('password')
    await fireEvent.input(pinField(), { target: { value: '13x7' } })
    expect(pinField().value).toBe('137')
    api.control.hold('counter.unlock')
    await press('Unlock')
    expect(pinField().value).toBe('')
    expect(calls('counter.unlock').at(-1)?.input).toMatchObject({ pin: '137' })
  })

  test('can be typed without focusing the field, with Backspace', async () => {
    await open(locked)
    for (const key of ['2', '4', '6', '9', 'Backspace', '8']) await fireEvent.keyDown(heading(), { key })
    expect(pinField().value).toBe('2468')
    await fireEvent.keyDown(heading(), { key: 'Enter' })
    await settle()
    expect(api.control.state.counter?.cover).toBe('staff')
  })

  test('puts the focus in its field, whichever way staff start', async () => {
    await open(locked)
    await fireEvent.keyDown(heading(), { key: '2' })
    expect(document.activeElement).toBe(pinField())
    await changeSession({ phase: 'handover', cover: undefined, isLocked: false })
    await press('Staff')
    expect(document.activeElement).toBe(pinField())
    await press('Go back')
    expect(document.activeElement).toBe(heading())
  })

  test('comes before “Go back” in keyboard order', async () => {
    await open()
    await press('Staff')
    const order = button('Unlock').compareDocumentPosition(button('Go back'))
    expect(order & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy()
  })

  test('is cleared when the screen changes', async () => {
    await open(locked)
    await fireEvent.click(button('2'))
    await changeSession({ cover: 'idle' })
    expect(pinField().value).toBe('')
  })

  test('shows each wrong attempt, and after several a wait that counts down', async () => {
    const { clock } = await open(locked)
    await give('1111')
    const first = side().getByText('Wrong PIN.')
    await give('1111')
    expect(side().getByText('Wrong PIN.')).not.toBe(first)
    await give('1111')
    expect(side().getByText('Try again in 5 s.')).toBeTruthy()
    const attempts = calls('counter.unlock').length
    await give(fakePin)
    expect(calls('counter.unlock')).toHaveLength(attempts)
    // A PIN that wasn't submitted doesn't stay, or the next one would be appended to it.
    expect(pinField().value).toBe('')
    await clock.pass(5000)
    api.control.state.pin = { isSet: true, keptIn: 'keychain', reset: 'none', canReset: true }
    expect(side().queryByText(/Try again in/)).toBeNull()
    await give(fakePin)
    expect(api.control.state.counter?.cover).toBe('staff')
  })

  test('is asked for after covering the page, and “Go back” shows it again', async () => {
    await open({ phase: 'open', origin })
    await press('Staff')
    expect(api.control.state.counter?.phase).toBe('covered')
    expect(heading().textContent).toBe('Staff only')
    await press('Go back')
    expect(api.control.state.counter?.phase).toBe('open')
    expect(button('I’ve finished')).toBeTruthy()
  })

  test('lets staff end the session from a handover', async () => {
    await open()
    await press('Staff')
    await give(fakePin)
    await press('End session')
    expect(api.control.state.counter?.phase).toBe('ended')
  })

  test('explains a blocked file request to the signer, and what to do to staff', async () => {
    await open({ phase: 'open', origin })
    expect(side().queryByText(/Files can’t be chosen/)).toBeNull()
    await changeSession({ wantsFile: true })
    expect(side().getByText('Files can’t be chosen on this screen. Please ask staff.')).toBeTruthy()
    await changeSession({ phase: 'covered', cover: 'staff' })
    expect(side().getByText(/^The page asked for a file\./)).toBeTruthy()
  })

  test('isn’t needed to give one of the files that staff opened', async () => {
    await open({ phase: 'covered', cover: 'file', asksFile: {}, origin })
    expect(side().getByRole('heading', { name: 'The page asks for a file' })).toBeTruthy()
    expect(side().getByText(/Please ask staff/)).toBeTruthy()
    await changeSession({ asksFile: { files: [] } })
    expect(side().getByText(/doesn’t take the files/)).toBeTruthy()
    await changeSession({ asksFile: { files: fakeFiles } })
    expect(side().getByText('PDF, 471 KB')).toBeTruthy()
    expect(side().getByText('JPG, 3.1 MB')).toBeTruthy()
    await press('Give this file')
    expect([side().getByText('Choose a file first.') !== null, calls('counter.giveFile')]).toEqual([true, []])
    await fireEvent.click(side().getByRole('radio', { name: /Power bill/ }))
    await press('Give this file')
    expect(calls('counter.giveFile').at(-1)?.input).toMatchObject({ file: fakeFiles[1]?.id })
    expect(api.control.state.counter).toMatchObject({ phase: 'open' })
  })

  test('isn’t needed to continue without a file, and lets staff open a folder', async () => {
    await open({ phase: 'covered', cover: 'file', asksFile: {}, origin })
    await press('Continue without a file')
    expect(api.control.state.counter).toMatchObject({ phase: 'open' })
    await changeSession({ phase: 'covered', cover: 'staff', asksFile: {} })
    await press('Open a folder…')
    expect(calls('counter.staff').at(-1)?.input).toMatchObject({ does: 'open-folder' })
    expect(side().getAllByRole('radio').length).toBe(fakeFiles.length)
  })

  test('is required for the list of blocked actions, and for printing the page', async () => {
    const refused = [{ what: 'It asked for the place where this computer is.', at: 0 }]
    await open({ phase: 'open', origin, refused, mayKeepPages: true })
    expect(side().queryByText(/not allowed/)).toBeNull()
    await changeSession({ phase: 'covered', cover: 'staff' })
    expect(side().getByText('1 blocked action')).toBeTruthy()
    await press('Print page')
    expect(calls('counter.staff').at(-1)?.input).toMatchObject({ does: 'print' })
    await changeSession({ mayKeepPages: false })
    expect(side().queryByRole('button', { name: 'Print page' })).toBeNull()
  })
})

describe('the camera', () => {
  const asking: Partial<CounterSession> = {
    phase: 'covered',
    cover: 'camera',
    isLocked: true,
    origin,
    asksFor: ['camera', 'microphone']
  }

  test('needs the staff PIN and then the signer’s consent', async () => {
    await open(asking)
    expect(heading().textContent).toBe('The page needs the camera and microphone')
    expect(side().queryByRole('button', { name: /^Allow/ })).toBeNull()
    await give(fakePin)
    await press(/^Allow camera/)
    // The signer is asked, too.
    expect(heading().textContent).toBe('The page needs the camera and microphone')
    expect(side().getByText('Staff have allowed it. It’s used only if you agree.')).toBeTruthy()
    await press('Allow')
    expect(calls('counter.allowCamera')).toHaveLength(1)
    expect(api.control.state.counter).toMatchObject({ phase: 'open', allowsCamera: true })
  })

  test('can be declined by the signer after staff allowed it', async () => {
    await open({ ...asking, cover: 'consent', isLocked: false, allowsCamera: true })
    await press('Continue without it')
    expect(calls('counter.resume')).toHaveLength(1)
    expect(calls('counter.allowCamera')).toEqual([])
  })

  test('can be denied by staff, or declined by the signer first', async () => {
    await open(asking)
    await press('Continue without it')
    expect(api.control.state.counter).toMatchObject({ phase: 'open', allowsCamera: false })
    await changeSession(asking)
    await give(fakePin)
    await press('Don’t allow')
    expect(api.control.state.counter).toMatchObject({ phase: 'open', allowsCamera: false })
  })
})

describe('after a document', () => {
  test('nothing is claimed while the service is being asked', async () => {
    api.control.state.asksService = false
    await open({ phase: 'open', origin })
    await press('I’ve finished')
    await press('Yes, I’ve signed')
    expect(heading().textContent).toBe('One moment, please…')
    expect(side().queryByText(/signed/i)).toBeNull()
  })

  test('the result is shown, and the same person’s next document follows without a handover', async () => {
    await open({ phase: 'open', origin, turns: two })
    await press('I’ve finished')
    await press('Yes, I’ve signed')
    expect(heading().textContent).toBe('Signed: Tenancy agreement Parata')
    await press('Continue to Statement of advice')
    expect(api.control.state.counter).toMatchObject({ current: 1, phase: 'open' })
    expect(heading().textContent).toMatch(/Document 2 of 2/)
  })

  test('documents skipped after a co-signer declined are neither counted nor pointed to', async () => {
    const named = (name: string, outcome?: CounterTurn['outcome']) =>
      turnOf({ documentReference: name, documentName: name, ...(outcome && { outcome }) })
    const skipped = named('Will', { signed: 'skipped' })
    const turns = [named('Deed'), skipped, named('Lease'), named('Letter')]
    await open({ turns })
    expect(side().getByText(/^You have/).textContent).toBe('You have 3 documents to sign.')
    await changeSession({ phase: 'between', turns: [named('Deed', { signed: 'signed' }), ...turns.slice(1)] })
    expect(button('Continue to Lease')).toBeTruthy()
    expect(side().getByText('Next: document 3 of 4')).toBeTruthy()
    const [pointedAt] = side().getAllByRole('listitem', { current: 'step' })
    expect(pointedAt?.textContent).toContain('Lease')
  })

  test('a single remaining document is named', async () => {
    const declined = turnOf({ documentReference: 'will', documentName: 'Will', outcome: { signed: 'skipped' } })
    await open({ turns: [turnOf(), declined] })
    expect(side().queryByText(/^You have/)).toBeNull()
    expect(document.body.textContent).toContain('To sign: Tenancy agreement Parata')
  })

  test.each(['not-yet', 'unknown', 'skipped', 'declined'] as const)('%s is never shown as signed', async (signed) => {
    await open({ phase: 'between', turns: [turnOf({ outcome: { signed } }), ...two] })
    expect(heading().textContent).not.toMatch(/^Signed/)
  })

  test('who has declined may stop there, without their other documents', async () => {
    const [first = turnOf(), ...others] = two
    await open({ phase: 'between', turns: [{ ...first, outcome: { signed: 'signed' } }, ...others] })
    expect(side().queryByRole('button', { name: 'Stop here' })).toBeNull()
    await changeSession({ turns: [{ ...first, outcome: { signed: 'declined' } }, ...others] })
    expect(button('Continue to Statement of advice')).toBeTruthy()
    await press('Stop here')
    expect(calls('counter.next')).toMatchObject([{ input: { stops: true } }])
    expect(heading().textContent).toBe('Thank you')
  })

  test('a skipped document is shown as not signed', async () => {
    await open({ phase: 'between', turns: [turnOf({ outcome: { signed: 'skipped' } }), ...two] })
    expect(heading().textContent).toBe('Not signed: Tenancy agreement Parata')
  })

  test('the next person isn’t shown the previous person’s result', async () => {
    api.control.state.outcome = { signed: 'declined' }
    await open({
      phase: 'open',
      origin,
      turns: [turnOf(), turnOf({ signerName: 'Wiremu Tane', person: 'wiremu tane' })]
    })
    await press('I’ve finished')
    await press('Yes, I’ve signed')
    await press('Pass the screen to the next person')
    expect(heading().textContent).toMatch(/Please hand the screen to\s+Wiremu Tane/)
    expect(side().queryByText(/declined|Mere/i)).toBeNull()
  })

  test('each person is thanked, with their results, before the next is asked for', async () => {
    api.control.state.outcomes = [{ signed: 'signed' }, { signed: 'declined' }]
    await open({
      phase: 'open',
      origin,
      current: 1,
      turns: [
        turnOf({ outcome: { signed: 'signed' } }),
        two[1] ?? turnOf(),
        turnOf({ signerName: 'Wiremu Tane', person: 'wiremu tane' })
      ]
    })
    await press('I’ve finished')
    await press('Yes, I’ve signed')
    expect(heading().textContent).toBe('Thank you, Mere Parata')
    const done = side()
      .getAllByRole('listitem')
      .map((one) => one.textContent?.trim())
    expect(done).toEqual(['Tenancy agreement Parata Signed', 'Statement of advice Declined'])
    expect(side().queryByText(/Wiremu/)).toBeNull()
  })

  test('“I’ve finished” asks whether they have signed, with yes first', async () => {
    await open({ phase: 'open', origin })
    await press('I’ve finished')
    expect(heading().textContent).toBe('Have you signed?')
    const answers = side().getAllByRole('button', { name: /Not yet|Yes/ })
    expect(answers.map((one) => one.textContent?.trim())).toEqual(['Yes, I’ve signed', 'Not yet'])
    expect(answers.map((one) => /primary/.test(one.className))).toEqual([true, false])
    await press('Not yet')
    expect(api.control.state.counter?.phase).toBe('open')
    expect(calls('counter.finish')).toHaveLength(0)
  })

  test('a document without a signature can be opened again or left', async () => {
    api.control.state.outcome = { signed: 'not-yet' }
    await open({ phase: 'open', origin })
    await press('I’ve finished')
    await press('Yes, I’ve signed')
    expect(heading().textContent).toBe('Not signed yet')
    await press('Open again')
    expect(calls('counter.retry')).toHaveLength(1)
    expect(api.control.state.counter?.phase).toBe('open')
    await press('I’ve finished')
    await press('Yes, I’ve signed')
    await press('Not now')
    expect(heading().textContent).toBe('Thank you')
    expect(side().getByText('Not signed yet')).toBeTruthy()
  })

  test('a page that can’t be shown can be retried or skipped', async () => {
    await open({
      phase: 'failed',
      error: { code: 'timeout', message: 'The signing service took too long to respond.' },
      turns: two
    })
    expect(side().getByText(/nothing you did.*took too long/)).toBeTruthy()
    await press('Try again')
    expect(calls('counter.retry')).toHaveLength(1)
    await changeSession({ phase: 'failed' })
    await press('Skip this document')
    expect(calls('counter.next')).toHaveLength(1)
  })

  test('a turn that can’t be signed any more offers no retry', async () => {
    await open({ phase: 'failed', error: { code: 'not-signable', message: 'Signed elsewhere.' } })
    expect(side().queryByRole('button', { name: 'Try again' })).toBeNull()
    expect(button('Give the screen back')).toBeTruthy()
  })

  test('the last screen shows the results for a minute, then only thanks, and never a name', async () => {
    const turns = [turnOf({ documentName: 'Tenancy agreement', outcome: { signed: 'signed' } })]
    const { clock } = await open({ phase: 'return', isLocked: true, turns })
    const dialogText = () => screen.getByRole('dialog').textContent
    expect(dialogText()).toMatch(/Thank you.*Tenancy agreement\s+Signed.*Please give the screen back to staff\./s)
    expect(dialogText()).not.toMatch(/Parata/)
    await clock.pass(60_000)
    expect(dialogText()).toMatch(/Thank you.*Your signature has been received.*Please give the screen back to staff\./s)
    expect(dialogText()).not.toMatch(/Tenancy/)
  })

  test('the last screen hides the PIN pad until staff ask for it or start typing', async () => {
    await open({ phase: 'return', isLocked: true, turns: [turnOf({ outcome: { signed: 'signed' } })] })
    expect(
      side()
        .getAllByRole('button')
        .map((one) => one.textContent?.trim())
    ).toEqual(['Staff'])
    await fireEvent.keyDown(heading(), { key: '2', ctrlKey: true })
    expect(side().queryByLabelText('Staff PIN')).toBeNull()
    await fireEvent.keyDown(heading(), { key: '2' })
    await settle()
    expect([pinField().value, document.activeElement]).toEqual(['2', pinField()])
    await press('Go back')
    await press('Staff')
    expect(pinField().value).toBe('')
    await give(fakePin)
    expect(api.control.state.counter?.phase).toBe('ended')
  })

  test('an unknown result isn’t thanked for as a signature', async () => {
    await open({ phase: 'return', isLocked: true, turns: [turnOf({ outcome: { signed: 'unknown' } })] })
    expect(side().queryByText(/received/)).toBeNull()
    expect(side().getByText('Staff will tell you what happens next.')).toBeTruthy()
  })

  test('an interrupted session is described as interrupted', async () => {
    await open({ phase: 'return', isLocked: true, wasInterrupted: true })
    expect(heading().textContent).toBe('Signing was interrupted')
  })
})

describe('the second display', () => {
  /** Returns only the part of the client that the display's page may use. */
  function personApi(): FakeApi {
    const groups: Record<string, Record<string, unknown>> = {}
    for (const name of personRequestNames) {
      const [domain, action] = name.split('.') as ['counter' | 'settings', never]
      groups[domain] = { ...groups[domain], [action]: api[domain][action] }
    }
    return { ...groups, on: api.on } as unknown as FakeApi
  }

  async function openDisplay() {
    const clock = new FakeClock(api.control.state.now())
    const display = new PersonDisplay(personApi(), clock)
    const close = await display.open()
    render(PersonPage, { display })
    await settle()
    return close
  }

  test('shows the office’s welcome message and the time, and updates when they change', async () => {
    api.control.state.counterSettings.idleText = 'Welcome to Harbour'
    const close = await openDisplay()
    expect(heading().textContent).toBe('Welcome to Harbour')
    expect(document.querySelector('time')?.textContent).toMatch(/^\d\d:\d\d$/)
    api.control.state.counterSettings.idleText = 'Please take a seat'
    api.control.emit('settings.changed', null)
    await settle()
    expect(heading().textContent).toBe('Please take a seat')
    close()
  })

  test('shows the office’s name without a logo, and updates with the account', async () => {
    const { logo: _logo, ...settings } = api.control.state.counterSettings
    api.control.state.counterSettings = { ...settings, idleText: '' }
    const close = await openDisplay()
    const name = () => api.control.state.accounts.find(({ chosen }) => chosen)?.name ?? ''
    expect(screen.getByText(name())).toBeTruthy()
    const before = name()
    api.control.state.accounts = api.control.state.accounts.map((one) => ({ ...one, chosen: !one.chosen }))
    expect(name()).not.toBe(before)
    api.control.emit('accounts.changed', null)
    await settle()
    expect(screen.getByText(name())).toBeTruthy()
    close()
  })

  test('shows the signer’s screens, and makes only the requests allowed to it', async () => {
    const close = await openDisplay()
    api.control.state.counter = sessionOf({ place: 'other-display' })
    await changeSession({})
    await press('I’m Mere Parata – start')
    await press('I’ve finished')
    await press('Yes, I’ve signed')
    expect(heading().textContent).toBe('Thank you')
    expect(side().getByText('You’re finished with this screen.')).toBeTruthy()
    await press('Staff')
    await give(fakePin)
    expect(heading().textContent).toBe('Welcome')
    const requests = new Set(api.control.calls.map((call) => call.name))
    expect([...requests].filter((name) => !isPersons(name))).toEqual([])
    close()
  })

  test('ignores a session in the staff’s window', async () => {
    api.control.state.counter = sessionOf({ place: 'here' })
    const close = await openDisplay()
    expect(heading().textContent).toBe('Welcome')
    close()
  })
})

describe('following a session', () => {
  async function follow(session: Partial<CounterSession>) {
    api.control.state.counter = sessionOf(session)
    const counter = new OfficeSession(api, new FakeClock(0))
    await counter.open()
    return counter
  }
  const place = { x: 0, y: 76, width: 1366, height: 600 }

  test('the page’s bounds are sent one at a time, skipping outdated ones', async () => {
    const counter = await follow({ phase: 'open' })
    await Promise.all([500, 510, 520, 530].map((height) => counter.show({ ...place, height })))
    expect(calls('counter.show').map(({ input }) => (input as { bounds: typeof place }).bounds.height)).toEqual([
      500, 530
    ])
  })

  test('an answer older than the latest state is not shown', async () => {
    const counter = await follow({ phase: 'handover' })
    const { begin } = api.counter
    let answer = () => {}
    api.counter.begin = async (input) => {
      const result = await begin(input)
      await new Promise<void>((resolve) => {
        answer = resolve
      })
      return result
    }
    const beginning = counter.begin()
    await settle()
    await changeSession({ phase: 'covered', cover: 'away', isLocked: true })
    answer()
    await beginning
    await tick()
    expect(counter.session?.cover).toBe('away')
  })

  test('closing the result ends the session for staff', async () => {
    const counter = await follow({ phase: 'ended' })
    await counter.close()
    expect(counter.session).toBeNull()
  })
})

describe('the receipt', () => {
  const thanked = {
    phase: 'between' as const,
    turns: [turnOf({ outcome: { signed: 'signed' } }), turnOf({ signerName: 'Ben Tui', person: 'ben tui' })]
  }
  const code = () => side().queryByRole('img', { name: 'QR code of receipt R-2025-000123-3F2A' })

  test('is shown on request, and disappears with the person', async () => {
    await open({ ...thanked, receipt: 'on-request' })
    expect(code()).toBeNull()
    expect(calls('counter.receipt')).toEqual([])
    await press('Show my receipt number')
    expect(code()).toBeTruthy()
    expect(side().getByText('R-2025-000123-3F2A')).toBeTruthy()
    await changeSession({ phase: 'handover', current: 1 })
    expect(code()).toBeNull()
    expect(side().queryByText(/R-2025/)).toBeNull()
  })

  test('is shown to everyone once all is done, if the office chose that', async () => {
    await open({ ...thanked, turns: two, receipt: 'always' })
    expect(calls('counter.receipt')).toEqual([])
    await changeSession({
      phase: 'return',
      isLocked: true,
      turns: two.map((turn) => ({ ...turn, outcome: { signed: 'signed' } }))
    })
    expect(code()).toBeTruthy()
  })

  test('is not offered if no page could be opened', async () => {
    const turns = [turnOf({ outcome: { signed: 'skipped' } })]
    await open({ phase: 'return', isLocked: true, turns, receipt: 'on-request' })
    expect(side().queryByRole('button', { name: 'Show my receipt number' })).toBeNull()
  })

  test('is not offered without receipts, and a failure to make it is reported', async () => {
    await open(thanked)
    expect(side().queryByRole('button', { name: 'Show my receipt number' })).toBeNull()
    api.control.fail('counter.receipt', { code: 'keychain', message: 'The keychain is locked.' })
    await changeSession({ receipt: 'on-request' })
    await press('Show my receipt number')
    expect(side().getByText('The receipt isn’t ready. Please ask staff.')).toBeTruthy()
  })
})
