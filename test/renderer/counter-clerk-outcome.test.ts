import { fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, describe, expect, test } from 'vitest'
import Counter from '../../src/renderer/src/screens/counter/Counter.svelte'
import {
  clerkWords,
  outcomeWords,
  pageWords,
  sessionTitle
} from '../../src/renderer/src/screens/counter/counter-words.ts'
import { PERSON_LANGUAGES } from '../../src/shared/contract/counter-views.ts'
import type { CounterOutcome, CounterSession } from '../../src/shared/contract/views.ts'
import { type FakeState, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { sessionOf, turnOf } from './fakes/counter.ts'
import { type Opened, openOffice, show } from './office.ts'
import { documents } from './people.ts'

let opened: Opened
afterEach(() => opened?.close())

async function open(session: Partial<CounterSession>, change: Partial<FakeState> = {}) {
  opened = await openOffice(fakeApi({ documents: documents(8), counter: sessionOf(session), ...change }))
  opened.app.router.go('counter')
  show(opened, Counter)
  await settle()
}
const calls = (name: string) => opened.api.control.calls.filter((call) => call.name === name)
const button = (name: string | RegExp) => screen.getByRole('button', { name })
async function press(name: string | RegExp) {
  await fireEvent.click(button(name))
  await settle()
}
/** Changes the session in the main process, which raises the event. */
async function changeSession(change: Partial<CounterSession>) {
  const { state, emit } = opened.api.control
  if (state.counter) state.counter = { ...state.counter, ...change }
  emit('counter.changed', { id: state.counter?.id ?? '' })
  await settle()
}

const signed: CounterOutcome = { signed: 'signed' }
const notYet: CounterOutcome = { signed: 'not-yet' }
const two = (one: CounterOutcome, other: CounterOutcome) => [
  turnOf({ outcome: one }),
  turnOf({
    documentReference: 'doc-2',
    documentName: 'Superannuation choice',
    signerName: 'Tama Brooks',
    outcome: other
  })
]

test('only outcomes confirmed by the service are shown as signed or declined', () => {
  const offline = { code: 'offline', message: 'No network.' } as const
  const others: CounterOutcome[] = [
    notYet,
    { signed: 'unknown', error: offline },
    { signed: 'skipped', error: offline }
  ]
  for (const outcome of others) {
    const { title, word, tone } = outcomeWords(outcome, 'Mere Parata')
    expect(title).not.toMatch(/has (signed|declined)$/)
    expect(word).not.toMatch(/^(Signed|Declined)$/)
    expect(tone).not.toBe('ok')
  }
  expect(outcomeWords(signed, 'Mere Parata').title).toBe('Mere Parata has signed')
  expect(outcomeWords({ signed: 'declined' }, '').title).toBe('The signer declined')
})

test('a page that couldn’t be opened says what to do now', () => {
  const error = { code: 'unsafe-address', message: 'This signer’s link isn’t encrypted. It wasn’t opened.' } as const
  expect(outcomeWords({ signed: 'skipped', error }, 'Mere Parata').todo).toMatch(/^Ask your administrator/)
})

test('what isn’t confirmed names the person, and gives the one reason there is', () => {
  const error = { code: 'server', message: 'The signing service had a problem.' } as const
  expect(outcomeWords({ signed: 'unknown', error }, 'Mere Parata')).toMatchObject({
    title: 'We can’t confirm the result for Mere Parata yet',
    meaning:
      'The page is closed, but the signing service didn’t say whether it’s signed. The signing service had a problem.'
  })
  expect(outcomeWords({ signed: 'unknown' }, ' ').title).toBe('We can’t confirm the result for the signer yet')
})

test('a page that never opened isn’t described as the signer’s choice', () => {
  const offline = { signed: 'skipped', error: { code: 'offline', message: 'This computer is offline.' } } as const
  expect(outcomeWords(offline, 'Mere Parata')).toMatchObject({
    title: 'The page for Mere Parata couldn’t be opened',
    meaning: 'The page was never shown. This computer is offline.'
  })
  expect(outcomeWords({ signed: 'skipped' }, 'Mere Parata').title).toBe('Mere Parata didn’t start')
})

test('a signer who hasn’t signed isn’t promised that the link still works', () => {
  const { meaning, todo } = outcomeWords(notYet, 'Mere Parata')
  expect(`${meaning} ${todo}`).not.toMatch(/at any time/)
  expect(todo).toMatch(/If the page said the link is locked, send a reminder or correct the e-mail address first\./)
})

test('the heading counts signed documents, and mentions unconfirmed ones', () => {
  expect(sessionTitle(two(signed, signed))).toBe('All 2 signed')
  expect(sessionTitle(two(signed, notYet))).toBe('1 of 2 signed')
  expect(sessionTitle(two(notYet, { signed: 'declined' }))).toBe('Nothing was signed')
  expect(sessionTitle(two(signed, { signed: 'declined' }))).toBe('1 signed, 1 declined')
  expect(sessionTitle(two(notYet, { signed: 'unknown' }))).toBe('0 of 2 signed, 1 not confirmed yet')
  expect(sessionTitle([turnOf({ outcome: signed })])).toBe('Mere Parata has signed')
})

describe('the result page', () => {
  test('lists unsigned turns first, without claims about the queue', async () => {
    await open({ phase: 'ended', turns: two(signed, notYet) })
    expect(screen.getByRole('heading', { level: 1, name: 'Result' })).toBeTruthy()
    const [other, one] = within(screen.getByRole('list', { name: 'Results' })).getAllByRole('listitem')
    expect(one?.textContent).toMatch(/Mere Parata\s*Signed/)
    expect(other?.textContent).toMatch(/Tama Brooks\s*Not signed yet/)
    // Whether they are in the queue isn't for an outcome to say.
    expect(other?.textContent).not.toMatch(/queue/)
    expect(screen.queryByRole('button', { name: 'View document' })).toBeNull()
  })

  test('says once that the service confirmed, and shows the receipt above the results', async () => {
    await open({
      phase: 'ended',
      turns: [...two(signed, signed), turnOf({ documentReference: 'doc-7', outcome: signed })]
    })
    expect(screen.getAllByText('Confirmed by the signing service.')).toHaveLength(1)
    const list = screen.getByRole('list', { name: 'Results' })
    const receipt = screen.getByRole('button', { name: 'Receipt' })
    expect(list.compareDocumentPosition(receipt) & Node.DOCUMENT_POSITION_PRECEDING).toBeTruthy()
  })

  test('updates when a pending signature arrives', async () => {
    await open({ phase: 'ended', turns: [turnOf({ outcome: notYet })] })
    expect(screen.getByRole('heading', { name: 'Mere Parata hasn’t signed yet' })).toBeTruthy()
    await changeSession({ turns: [turnOf({ outcome: signed })] })
    expect(screen.getByRole('heading', { name: 'Mere Parata has signed' })).toBeTruthy()
    expect(screen.queryByText(/not signed yet/i)).toBeNull()
  })

  test('explains why a signer was skipped, and offers a start only when it is their turn', async () => {
    const error = { code: 'not-signable', message: 'It isn’t their turn: Mere Parata signs first.' } as const
    await open({ phase: 'ended', turns: two(notYet, { signed: 'skipped', error }) })
    expect(screen.getAllByText('It isn’t their turn: Mere Parata signs first.')).toHaveLength(1)
    expect(screen.queryByText(/they stand in the queue/)).toBeNull()
    expect(screen.queryByRole('button', { name: /^Start now/ })).toBeNull()
  })

  test('shows a signer’s reason for declining, and links to the document', async () => {
    const [page] = documents(1)
    const [person] = page?.people ?? []
    if (!page || !person) throw new Error('The made-up office has no document.')
    const people = [{ ...person, state: 'declined' as const, declinedReason: 'The rent is wrong.' }]
    await open(
      { phase: 'ended', turns: [turnOf({ signerName: person.name, outcome: { signed: 'declined' } })] },
      { documents: [{ ...page, people }] }
    )
    expect(screen.getByText('Reason: “The rent is wrong.”')).toBeTruthy()
    expect(screen.getByRole<HTMLAnchorElement>('link', { name: 'Tenancy agreement Parata' }).hash).toMatch(
      /document=doc-0/
    )
  })

  test('says that the session was interrupted', async () => {
    await open({ phase: 'ended', wasInterrupted: true, turns: [turnOf({ outcome: notYet })] })
    expect(screen.getByText('Countersign closed during this session.')).toBeTruthy()
  })

  test('leads back to the queue', async () => {
    await open({ phase: 'ended', turns: [turnOf({ outcome: signed })] })
    await press('Back to Counter')
    expect(calls('counter.close')).toHaveLength(1)
    expect(screen.getByRole('heading', { level: 1, name: 'Counter' })).toBeTruthy()
    expect(screen.getAllByRole('button', { name: /^Start: / }).length).toBeGreaterThan(0)
  })

  test('opens the document', async () => {
    await open({ phase: 'ended', turns: [turnOf({ outcome: signed })] })
    await press('View document')
    const { screen: name, query } = opened.app.router.route
    expect([name, query.get('document')]).toEqual(['documents', 'doc-0'])
  })

  test('offers the start sheet for the next person who can sign the same document', async () => {
    const turn = turnOf({ documentReference: 'doc-2', signer: 0, signerName: 'Anahera Singh', outcome: signed })
    await open({ phase: 'ended', turns: [turn] })
    await press(/^Next: Wiremu Tane/)
    expect(within(screen.getByRole('dialog')).getByRole('heading', { name: 'Wiremu Tane' })).toBeTruthy()
  })

  test('offers to start again only for someone who hasn’t signed', async () => {
    await open({ phase: 'ended', turns: [turnOf({ outcome: notYet })] })
    expect(button(/^Start again: Mere Parata/)).toBeTruthy()
    await changeSession({ turns: [turnOf({ outcome: signed })] })
    expect(screen.queryByRole('button', { name: /^Start again/ })).toBeNull()
  })

  test('lists the page’s blocked actions', async () => {
    await open({
      phase: 'ended',
      turns: [turnOf({ outcome: signed })],
      refused: [{ what: 'It asked for the camera or microphone.', at: 0 }]
    })
    expect(screen.getByText('1 blocked action')).toBeTruthy()
    expect(screen.getByText('It asked for the camera or microphone.')).toBeTruthy()
  })
})

describe('while the signer uses the second display', () => {
  const atOtherDisplay = (change: Partial<CounterSession> = {}) => ({
    place: 'other-display' as const,
    phase: 'open' as const,
    origin: 'https://signing.example.com',
    turns: [
      turnOf({ outcome: signed }),
      turnOf({ documentReference: 'doc-2', signerName: 'Tama Brooks', person: 'tama brooks' })
    ],
    current: 1,
    ...change
  })
  const panel = () => within(screen.getByRole('region', { name: 'On the second display' }))

  test('staff see who is signing and the progress, and can’t start anyone else', async () => {
    await open(atOtherDisplay())
    expect(panel().getByRole('heading', { name: 'Tama Brooks is signing' })).toBeTruthy()
    expect(panel().getByText('Page from signing.example.com.')).toBeTruthy()
    const steps = panel().getAllByRole('listitem')
    expect(steps.map((step) => step.textContent?.trim())).toEqual([
      expect.stringMatching(/Signed$/),
      expect.stringMatching(/Now$/)
    ])
    expect(screen.getAllByRole<HTMLButtonElement>('button', { name: /^Start: / }).every((one) => one.disabled)).toBe(
      true
    )
  })

  test('staff can hide the page and let the signer continue', async () => {
    await open(atOtherDisplay())
    await press('Hide page')
    expect(opened.api.control.state.counter?.cover).toBe('away')
    await press('Continue signing')
    expect(opened.api.control.state.counter?.phase).toBe('open')
  })

  test('a page that asks for the camera waits for staff', async () => {
    await open(atOtherDisplay({ phase: 'covered', cover: 'camera', asksFor: ['camera', 'microphone'], isLocked: true }))
    expect(panel().getByRole('heading', { name: 'The page needs the camera and microphone' })).toBeTruthy()
    await press('Allow camera and microphone')
    expect(panel().getByRole('heading', { name: /is asked about the camera and microphone$/ })).toBeTruthy()
    expect(panel().queryByRole('button', { name: /^Allow/ })).toBeNull()
    await press('Don’t allow')
    expect(calls('counter.staff').at(-1)?.input).toMatchObject({ does: 'refuse-camera' })
  })

  test('a page that asks for a file waits for staff, who can open some', async () => {
    await open(atOtherDisplay({ phase: 'covered', cover: 'file', asksFile: {} }))
    expect(panel().getByRole('heading', { name: 'The page asks for a file' })).toBeTruthy()
    await press('Choose files…')
    expect(calls('counter.staff').at(-1)?.input).toMatchObject({ does: 'open-files' })
    expect(panel().getByRole('heading', { name: /is choosing a file$/ })).toBeTruthy()
    expect(clerkWords(sessionOf({ cover: 'file', asksFile: { files: [] } })).isWanted).toBe(true)
  })

  test('pages can be printed and saved only if the office allows it', async () => {
    await open(atOtherDisplay())
    expect(panel().queryByRole('button', { name: /Print page|Save page/ })).toBeNull()
    opened.close()
    document.body.innerHTML = ''
    const api = fakeApi()
    await open(atOtherDisplay(), { counterSettings: { ...api.control.state.counterSettings, mayKeepPages: true } })
    await press('Print page')
    expect(calls('counter.staff').at(-1)?.input).toMatchObject({ does: 'print' })
  })

  test('a failed staff action is reported', async () => {
    await open(atOtherDisplay())
    opened.api.control.fail('counter.staff', { code: 'not-allowed', message: 'Not now.' })
    await press('Hide page')
    expect(panel().getByText('That didn’t work.')).toBeTruthy()
  })

  test('ending the session leads to its result', async () => {
    await open(atOtherDisplay())
    await press('End session')
    expect(screen.getByRole('heading', { level: 1, name: 'Result' })).toBeTruthy()
  })

  test('each state has its own text, and staff are requested only when someone waits for them', () => {
    const isWanted = (change: Partial<CounterSession>) => clerkWords(sessionOf(change)).isWanted
    expect(isWanted({ phase: 'covered', cover: 'help' })).toBe(true)
    expect(isWanted({ phase: 'covered', cover: 'camera' })).toBe(true)
    expect(isWanted({ phase: 'return' })).toBe(true)
    // Unsigned documents never come under a heading that says "finished".
    expect(clerkWords(sessionOf({ cover: 'idle' }), 300).more).toBe(
      'The page is hidden. It closes after 5 minutes unless you continue.'
    )
    expect(clerkWords(sessionOf({ phase: 'return', turns: [turnOf({ outcome: notYet })] })).title).toBe(
      'Mere Parata hasn’t signed yet'
    )
    expect(pageWords({ origin: 'http://127.0.0.1:4000', allowsCamera: false, isPractice: true })).not.toContain('127')
    expect(pageWords({ origin: 'http://sign.example.com', allowsCamera: true, isPractice: false })).toBe(
      'Page from sign.example.com (not encrypted). Camera allowed.'
    )
    expect(isWanted({ phase: 'open' })).toBe(false)
    expect(isWanted({ phase: 'covered', cover: 'moment' })).toBe(false)
    expect(clerkWords(sessionOf({ turns: [turnOf({ signerName: '' })] })).title).toBe('Waiting for the signer')
  })
})

describe('receipts of the session', () => {
  async function choose(name: string) {
    await fireEvent.keyDown(button('Receipt'), { key: 'Enter' })
    await fireEvent.click(await screen.findByRole('menuitem', { name }))
    await settle()
  }

  test('are printed and saved for each person and for the office’s file', async () => {
    await open({ phase: 'ended', turns: two(signed, notYet) })
    await choose('Print for Tama Parata')
    await choose('Print for Mere Parata in Māori')
    await choose('Save for our file…')
    expect(calls('receipts.print').map(({ input }) => input)).toEqual([
      { session: 'session-1', copy: 2 },
      { session: 'session-1', copy: 1, language: 'mi' }
    ])
    expect(calls('receipts.save').map(({ input }) => input)).toEqual([{ session: 'session-1', copy: 'file' }])
    expect(opened.app.toasts.shown.map(({ text }) => text)).toContain(
      'Receipt R-2025-000123-3F2A was sent to the printer.'
    )
  })

  test('are available in every language the office offers, even after the person’s own choice is forgotten', async () => {
    await open({ phase: 'ended', turns: two(signed, signed) })
    await choose('Another language for Tama Parata…')
    const dialog = within(screen.getByRole('dialog', { name: 'Receipt for Tama Parata' }))
    const language = dialog.getByLabelText<HTMLSelectElement>('Language')
    const offered = PERSON_LANGUAGES.filter((one) => one !== 'en')
    expect([...language.options].map(({ value }) => value)).toEqual(offered)
    await fireEvent.change(language, { target: { value: 'to' } })
    await fireEvent.click(dialog.getByRole('button', { name: 'Print' }))
    await settle()
    expect(calls('receipts.print').map(({ input }) => input)).toEqual([
      { session: 'session-1', copy: 2, language: 'to' }
    ])
  })

  test('are only in English if the office offers no other language', async () => {
    await open(
      { phase: 'ended', turns: two(signed, signed) },
      { counterSettings: { ...fakeApi().control.state.counterSettings, languages: [] } }
    )
    await fireEvent.keyDown(button('Receipt'), { key: 'Enter' })
    await screen.findByRole('menuitem', { name: 'Print for Tama Parata' })
    expect(screen.queryByRole('menuitem', { name: /Another language/ })).toBeNull()
  })

  test('show why they can’t be made', async () => {
    const message = 'The audit trail has been changed since this session, so no receipt can be made for it.'
    await open({ phase: 'ended', turns: two(signed, signed) }, { receiptError: { code: 'not-allowed', message } })
    await fireEvent.keyDown(button('Receipt'), { key: 'Enter' })
    await settle()
    expect(screen.getByText('The receipt wasn’t made.')).toBeTruthy()
  })
})
