import { fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, expect, test } from 'vitest'
import Counter from '../../src/renderer/src/screens/counter/Counter.svelte'
import type { CounterOffer } from '../../src/shared/contract/views.ts'
import { passportLines } from '../fixtures/passport-lines.ts'
import { type FakeState, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { fakePin } from './fakes/counter.ts'
import { type Opened, openOffice, show } from './office.ts'
import { documents, queueOf } from './people.ts'

let opened: Opened
afterEach(() => opened?.close())

const evidence = [
  { id: 'photo', text: 'Photo ID seen', isRequired: true },
  { id: 'name', text: 'Name matches the document', isRequired: false }
]

/** Returns the first of the queue, with what else could be signed in the same session. */
function offerOf(change: Partial<CounterOffer> = {}): Partial<CounterOffer> {
  const [first, second] = queueOf(documents(8))
  if (!first || !second) throw new Error('The made-up office has nobody to sign.')
  const other = (signer: number, signerName: string) => ({
    ...first,
    signer,
    signerName,
    person: signerName.toLowerCase(),
    after: [...Array(signer).keys()]
  })
  return {
    first,
    entries: [
      { ...first, after: [] },
      ...[other(1, 'Tama Brooks'), other(2, 'Anahera Singh')],
      { ...second, signerName: first.signerName, person: first.person, after: [] }
    ],
    evidence,
    ...change
  }
}

/** @param place the document whose session starts by itself, as after sending it; otherwise staff press “Start”. */
async function open(change: Partial<FakeState> = {}, place?: Record<string, string>) {
  opened = await openOffice(fakeApi({ documents: documents(8), ...change }))
  if (change.offer?.evidence) opened.api.control.state.counterSettings.evidence = change.offer.evidence
  opened.app.router.go('counter', place ? ['start'] : [], place)
  show(opened, Counter)
  await settle()
  if (!place) await press(/^Start: Mere Parata.*, Tenancy/)
}

const calls = (name: string) => opened.api.control.calls.filter((call) => call.name === name)
const sheet = () => within(screen.getByRole('dialog'))
const box = (name: string | RegExp) => sheet().getByRole<HTMLInputElement>('checkbox', { name })
async function press(name: string | RegExp) {
  await fireEvent.click(screen.getByRole('button', { name }))
  await settle()
}
async function tick(name: string | RegExp) {
  await fireEvent.click(box(name))
  await settle()
}

test('once the screen is being handed over, the sheet stays until it was, or couldn’t be', async () => {
  await open()
  const { control } = opened.api
  const answer = control.hold('counter.start')
  await press('Hand over screen')
  await press('Cancel')
  expect(screen.queryByRole('dialog')).toBeTruthy()
  control.fail('counter.start', { code: 'not-signable', message: 'They signed elsewhere.' })
  answer()
  await settle()
  expect(sheet().getByText('They signed elsewhere.')).toBeTruthy()
  await press('Cancel')
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('without required evidence, two clicks hand over the screen', async () => {
  await open()
  // The evidence comes first: Enter alone doesn't hand over.
  expect(document.activeElement).toBe(sheet().getAllByRole('checkbox')[0])
  await press('Hand over screen')
  expect(opened.app.counter.session?.phase).toBe('handover')
  expect(screen.queryByRole('dialog', { name: 'Confirm who is signing' })).toBeNull()
  expect(calls('counter.start')[0]?.input).toEqual({
    turns: [{ documentReference: 'doc-0', signer: 0, evidence: [] }],
    allowsCamera: false
  })
})

test('the keys that hand over the screen are shown on that button', async () => {
  await open()
  const keys = sheet().getByRole('button', { name: 'Hand over screen' }).querySelectorAll('kbd')
  expect([...keys].map((one) => one.textContent)).toEqual(['Ctrl', 'Enter'])
  expect(sheet().getByRole('button', { name: 'Cancel' }).parentElement?.querySelectorAll('kbd')).toHaveLength(2)
})

test('required evidence must be ticked before handover, and is sent along', async () => {
  await open({ offer: offerOf() })
  await press('Hand over screen')
  expect(calls('counter.start')).toHaveLength(0)
  expect(sheet().getByText('Required before you hand over the screen.')).toBeTruthy()
  expect(document.activeElement).toBe(box('Photo ID seen'))
  await tick('Photo ID seen')
  await press('Hand over screen')
  expect(calls('counter.start')[0]?.input).toMatchObject({ turns: [{ evidence: ['photo'] }] })
})

test('the same person’s other documents come before the next person, and each person is checked', async () => {
  await open({ offer: offerOf() })
  await tick('Tama Brooks')
  await tick('Mere Parata signs “Superannuation choice Singh”')
  const first = within(sheet().getByRole('region', { name: 'Mere Parata' }))
  await fireEvent.click(first.getByRole('checkbox', { name: 'Photo ID seen' }))
  await press('Hand over screen')
  // The second person's evidence is still missing.
  expect(calls('counter.start')).toHaveLength(0)
  const second = within(sheet().getByRole('region', { name: 'Tama Brooks' }))
  await fireEvent.click(second.getByRole('checkbox', { name: 'Photo ID seen' }))
  await press('Hand over screen')
  expect(calls('counter.start')[0]?.input).toMatchObject({
    turns: [
      { documentReference: 'doc-0', signer: 0, evidence: ['photo'] },
      { documentReference: 'doc-2', signer: 1, evidence: ['photo'] },
      { documentReference: 'doc-0', signer: 1, evidence: ['photo'] }
    ]
  })
})

test('a later signer can be added only with those before them', async () => {
  const { entries = [], ...offer } = offerOf()
  await open({ offer: { ...offer, entries: entries.slice(0, 3) } })
  expect(box('Anahera Singh').disabled).toBe(true)
  expect(sheet().getByText('Signs after Tama Brooks')).toBeTruthy()
  await tick('Tama Brooks')
  expect(box('Anahera Singh').disabled).toBe(false)
  expect(sheet().getByText('Signs after Tama Brooks')).toBeTruthy()
  await tick('Anahera Singh')
  await tick('Tama Brooks')
  expect(box('Anahera Singh').checked).toBe(false)
})

test('people with the same name are distinguished, and a passport with another date of birth raises a warning', async () => {
  const { first, ...offer } = offerOf()
  if (!first) throw new Error('The made-up office has nobody to sign.')
  const alike = { ...first, contact: '…0199', born: '1980-03-12', matter: '2024-117' }
  await open({ queue: [alike], offer: { ...offer, first: alike, entries: [{ ...alike, after: [] }] } })
  const named = 'Mere Parata (…0199, born 12 March 1980, matter 2024-117)'
  const about = within(sheet().getByRole('region', { name: named }))
  expect(about.getByRole('heading', { name: 'Mere Parata (…0199)' })).toBeTruthy()
  expect(about.getByText('born 12 March 1980, matter 2024-117')).toBeTruthy()
  const value = passportLines('PARATA<<MERE')
  await fireEvent.input(sheet().getByLabelText('Machine-readable lines'), { target: { value } })
  expect(sheet().getByText(/The dates of birth differ: this signer was born 12 March 1980/)).toBeTruthy()
})

const turnsBegun = () => (calls('counter.start')[0] as { input: { turns: object[] } }).input.turns

/** Returns a couple with two documents, the second of which the other person signs first. */
function couple(): Partial<CounterOffer> {
  const { first, ...offer } = offerOf()
  if (!first) throw new Error('The made-up office has nobody to sign.')
  const tama = { signer: 1, signerName: 'Tama Brooks', person: 'tama', contact: 'tama@example.com' }
  const deed = { documentReference: 'doc-deed', documentName: 'Deed of gift' }
  return {
    ...offer,
    first,
    evidence: [],
    entries: [
      { ...first, after: [] },
      { ...first, ...tama, after: [0] },
      { ...first, ...deed, signer: 1, after: [0] },
      { ...first, ...deed, ...tama, signer: 0, after: [] }
    ]
  }
}

test('a couple signs two documents in one session, with as few handovers as possible', async () => {
  await open({ offer: couple() })
  const started = box('Mere Parata signs “Tenancy agreement Parata”')
  expect(started.disabled).toBe(true)
  expect(sheet().getByText('You started with this one').id).toBe(started.getAttribute('aria-describedby'))
  const mereSignsDeed = 'Mere Parata signs “Deed of gift”'
  expect(box(mereSignsDeed).disabled).toBe(true)
  expect(sheet().getByText('Signs after Tama Brooks')).toBeTruthy()
  await tick('Tama Brooks')
  await tick(mereSignsDeed)
  const order = () =>
    sheet()
      .getAllByRole('listitem')
      .map((one) => one.textContent?.replace(/\s+/g, ' ').trim())
  expect(order()).toEqual([
    'Mere Parata: “Tenancy agreement Parata”',
    'Tama Brooks (tama@example.com): “Tenancy agreement Parata” and “Deed of gift”',
    'Mere Parata: “Deed of gift”'
  ])
  await press('Hand over screen')
  expect(turnsBegun()).toEqual([
    { documentReference: 'doc-0', signer: 0, evidence: [] },
    { documentReference: 'doc-0', signer: 1, evidence: [] },
    { documentReference: 'doc-deed', signer: 0, evidence: [] },
    { documentReference: 'doc-deed', signer: 1, evidence: [] }
  ])
})

test('the first person’s checks appear above the table of signatures, the others’ below it', async () => {
  await open({ offer: { ...couple(), evidence: offerOf().evidence ?? [] } })
  await tick('Tama Brooks')
  const table = sheet().getByRole('table')
  const { DOCUMENT_POSITION_PRECEDING: above, DOCUMENT_POSITION_FOLLOWING: below } = Node
  for (const [name, place] of [
    ['Mere Parata', above],
    ['Tama Brooks (tama@example.com)', below]
  ] as const) {
    const checks = sheet().getByRole('region', { name })
    expect(within(checks).getByRole('checkbox', { name: 'Photo ID seen' })).toBeTruthy()
    expect(table.compareDocumentPosition(checks) & place).toBeTruthy()
  }
  expect(sheet().getByRole('region', { name: 'Mere Parata' }).textContent).toContain(
    'To sign: “Tenancy agreement Parata”'
  )
})

test('who begins is said to sign all that is ticked for them, where a table shows who signs what', async () => {
  await open({ offer: couple() })
  await tick('Tama Brooks')
  await tick('Mere Parata signs “Deed of gift”')
  expect(sheet().getByRole('region', { name: 'Mere Parata' }).textContent).toContain(
    'To sign: “Tenancy agreement Parata” and “Deed of gift”'
  )
})

test('what was just sent begins with all that its first signer can sign', async () => {
  const [first] = queueOf(documents(8))
  await open({ offer: offerOf({ evidence: [] }) }, { document: first?.documentReference ?? '' })
  await press('Hand over screen')
  expect(turnsBegun()).toMatchObject([{ documentReference: 'doc-0' }, { documentReference: 'doc-2' }])
})

test('Ctrl and Enter hand the screen over, and what the receipt will say is said while nothing is ticked', async () => {
  await open({ offer: offerOf({ evidence: evidence.map((item) => ({ ...item, isRequired: false })) }) })
  const note = /^Nothing ticked: the receipt will say/
  expect(sheet().getByText(note)).toBeTruthy()
  await tick('Photo ID seen')
  expect(sheet().queryByText(note)).toBeNull()
  await fireEvent.keyDown(box('Photo ID seen'), { key: 'Enter' })
  expect(calls('counter.start')).toHaveLength(0)
  await fireEvent.keyDown(box('Photo ID seen'), { key: 'Enter', ctrlKey: true })
  await settle()
  expect(calls('counter.start')).toHaveLength(1)
})

test('an unchecked later signer is named next to the handover button until something is ticked', async () => {
  await open({ offer: { ...couple(), evidence: offerOf().evidence ?? [] } })
  expect(sheet().queryByRole('button', { name: /^Check / })).toBeNull()
  await tick('Tama Brooks')
  await press('Check Tama Brooks')
  const checks = within(sheet().getByRole('region', { name: 'Tama Brooks (tama@example.com)' }))
  const photo = checks.getByRole('checkbox', { name: 'Photo ID seen' })
  expect(document.activeElement).toBe(photo)
  await fireEvent.click(photo)
  expect(sheet().queryByRole('button', { name: /^Check / })).toBeNull()
})

test('“Select all” ticks everything that can be signed', async () => {
  await open({ offer: couple() })
  await press('Select all')
  expect(
    sheet()
      .getAllByRole<HTMLInputElement>('checkbox')
      .map((one) => one.checked)
  ).toEqual(Array(6).fill(true))
  expect(sheet().getByText(/4 signatures in this session/)).toBeTruthy()
})

test('ten people and thirty documents are ticked at once, and handed over as 300 turns in ten visits', async () => {
  const [first] = queueOf(documents(8))
  if (!first) throw new Error('The made-up office has nobody to sign.')
  const people = [first.signerName, ...Array.from({ length: 9 }, (_, at) => `Person Number${at + 2}`)]
  const entries = Array.from({ length: 30 }, (_, at) =>
    people.map((signerName, signer) => ({
      ...first,
      ...(at > 0 && { documentReference: `doc-more-${at}`, documentName: `Form ${at}` }),
      ...{ signer, signerName, person: signer === 0 ? first.person : signerName },
      after: [...Array(signer).keys()]
    }))
  ).flat()
  await open({ offer: { ...offerOf({ evidence: [] }), entries } })
  await press('Select all')
  const boxes = sheet().getAllByRole<HTMLInputElement>('checkbox')
  expect(boxes.filter(({ checked }) => !checked)).toEqual([])
  expect(sheet().getByText(/300 signatures in this session/)).toBeTruthy()
  expect(sheet().getAllByRole('listitem')).toHaveLength(10)
  await press('Hand over screen')
  const begun = turnsBegun() as { documentReference: string; signer: number }[]
  expect(begun.map(({ signer }) => signer)).toEqual(people.flatMap((_name, at) => Array(30).fill(at)))
  expect(new Set(begun.map(({ documentReference, signer }) => `${documentReference} ${signer}`)).size).toBe(300)
})

test('staff can change who goes first, and the focus stays', async () => {
  await open({ offer: couple() })
  await tick('Tama Brooks')
  await press('Move Tama Brooks (tama@example.com) up')
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Move Mere Parata up')
  await press('Hand over screen')
  expect(turnsBegun()).toEqual([
    { documentReference: 'doc-deed', signer: 0, evidence: [] },
    { documentReference: 'doc-0', signer: 0, evidence: [] },
    { documentReference: 'doc-0', signer: 1, evidence: [] }
  ])
})

test.each([
  ['number-end', /last four characters of the document’s number are kept/],
  ['number-and-expiry', /number and expiry date are kept/]
] as const)(
  'with the policy “%s”, what is kept is stated before a passport is read',
  async (identityKept, sentence) => {
    await open({ offer: offerOf({ evidence: [], identityKept }) })
    expect(sheet().getAllByText(sentence).length).toBeGreaterThan(0)
  }
)

test('a passport is compared with the name at once, and main gets its lines at the handover', async () => {
  await open()
  const [first = '', second = ''] = passportLines('PARATA<<MERE<HINEMOA').split('\n')
  const lines = sheet().getByLabelText('Machine-readable lines')
  await fireEvent.input(lines, { target: { value: first } })
  expect(sheet().getByText(/^Not complete yet/)).toBeTruthy()
  await fireEvent.input(lines, { target: { value: `${first}\n${second.replace('L8', 'L9')}` } })
  expect(sheet().getByText(/^A character is wrong: document number/)).toBeTruthy()
  await fireEvent.input(lines, { target: { value: `${first}\n${second}` } })
  expect(sheet().getByText('The name matches: MERE HINEMOA PARATA.')).toBeTruthy()
  expect(sheet().getByText('The document has expired.')).toBeTruthy()
  expect(JSON.stringify(opened.api.control.calls)).not.toMatch(/HINEMOA|L898902C3/)
  await press('Hand over screen')
  expect(turnsBegun()).toEqual([
    { documentReference: 'doc-0', signer: 0, evidence: [], compared: 'matches', lines: `${first}\n${second}` }
  ])
})

test('if main compares a passport otherwise, the sheet shows the name that main has', async () => {
  await open()
  await fireEvent.input(sheet().getByLabelText('Machine-readable lines'), {
    target: { value: passportLines('PARATA<<MERE') }
  })
  const { first, ...offer } = offerOf()
  if (!first) throw new Error('The made-up office has nobody to sign.')
  const renamed = { ...first, signerName: 'Marie Parata' }
  opened.api.control.state.offer = { ...offer, first: renamed, entries: [{ ...renamed, after: [] }] }
  const message = 'The signer’s name has changed since their document was compared.'
  opened.api.control.fail('counter.start', { code: 'bad-input', message, next: 'Compare it again.' })
  await press('Hand over screen')
  expect(sheet().getByText(/^The signer’s name has changed/)).toBeTruthy()
  expect(sheet().getByText(/The names differ: the document says MERE PARATA, the signer is Marie Parata/)).toBeTruthy()
})

test('a passport is compared with the name in each document, and differences name the document', async () => {
  const entries = offerOf().entries?.map((entry) =>
    entry.documentReference === 'doc-2' ? { ...entry, signerName: 'Marie Parata' } : entry
  )
  await open({ offer: offerOf({ evidence: [], ...(entries && { entries }) }) })
  const value = passportLines('PARATA<<MERE')
  await fireEvent.input(sheet().getByLabelText('Machine-readable lines'), { target: { value } })
  expect(sheet().getByText('The name matches: MERE PARATA.')).toBeTruthy()
  await tick('Tama Brooks')
  await tick('Mere Parata signs “Superannuation choice Singh”')
  const warning =
    'The names differ in “Superannuation choice Singh”: the signer is Marie Parata there. Check who this is.'
  expect(sheet().getByText(warning)).toBeTruthy()
  expect(sheet().queryByText(/The name matches/)).toBeNull()
  await press('Hand over screen')
  expect(turnsBegun()).toMatchObject([{ compared: 'matches' }, { compared: 'differs', lines: value }, {}])
})

/** Opens the fields for a document without machine-readable lines, and fills them in. */
async function typeDocument({ name = 'Mere Parata', number = 'AB 123456', expires = '' } = {}) {
  const way = sheet().queryByRole('button', { name: 'No machine-readable lines? Enter the printed details' })
  if (way) await fireEvent.click(way)
  await settle()
  for (const [label, value] of [
    ['Name on the document', name],
    ['Document number', number],
    ['Expiry date', expires]
  ] as const)
    await fireEvent.input(sheet().getByLabelText(new RegExp(`^${label}`)), { target: { value } })
}

test('a document without machine-readable lines is typed in, compared by main, and recorded as typed', async () => {
  await open({ printed: { kind: 'differs', isExpired: true } })
  await typeDocument({ name: 'Mere Parata', expires: '15/4/2012' })
  // The link moves the focus to the first field.
  expect(document.activeElement).toBe(sheet().getByLabelText('Name on the document'))
  expect(sheet().queryByLabelText('Machine-readable lines')).toBeNull()
  expect(sheet().getByText('Enter the details printed on the document. They aren’t kept.')).toBeTruthy()
  await press('Compare')
  const printed = { name: 'Mere Parata', number: 'AB 123456', expires: '15/4/2012' }
  expect(calls('counter.compareDocument')[0]?.input).toEqual({ documentReference: 'doc-0', signer: 0, printed })
  // The main process decides: the name typed is the signer's.
  expect(sheet().getByText('The names differ: the signer is Mere Parata. Check who this is.')).toBeTruthy()
  expect(sheet().getByText('The document has expired.')).toBeTruthy()
  await press('Hand over screen')
  expect(turnsBegun()).toEqual([{ documentReference: 'doc-0', signer: 0, evidence: [], compared: 'differs', printed }])
})

test('a typed document is compared for each document, and each turn gets its own result', async () => {
  const entries = offerOf().entries?.map((entry) =>
    entry.documentReference === 'doc-2' ? { ...entry, signerName: 'Mere Paratā' } : entry
  )
  const printedIn = { 'doc-2': { kind: 'differs', isExpired: false } } as const
  await open({ offer: offerOf({ evidence: [], ...(entries && { entries }) }), printedIn })
  await typeDocument()
  await press('Compare')
  // A document that isn't signed now isn't mentioned.
  expect(sheet().getByText('The name matches.')).toBeTruthy()
  expect(sheet().queryByText(/The names differ/)).toBeNull()
  await tick('Tama Brooks')
  await tick('Mere Parata signs “Superannuation choice Singh”')
  const warning =
    'The names differ in “Superannuation choice Singh”: the signer is Mere Paratā there. Check who this is.'
  expect(sheet().getByText(warning)).toBeTruthy()
  expect(sheet().queryByText('The name matches.')).toBeNull()
  await press('Hand over screen')
  const printed = { name: 'Mere Parata', number: 'AB 123456', expires: '' }
  expect(turnsBegun()).toEqual([
    { documentReference: 'doc-0', signer: 0, evidence: [], compared: 'matches', printed },
    { documentReference: 'doc-2', signer: 1, evidence: [], compared: 'differs', printed },
    { documentReference: 'doc-0', signer: 1, evidence: [] }
  ])
})

test('typed details must be compared before handover, and again after a change', async () => {
  await open()
  await typeDocument()
  await press('Hand over screen')
  expect(calls('counter.start')).toHaveLength(0)
  expect(sheet().getByText('Compare this document first, or use its machine-readable lines.')).toBeTruthy()
  expect(document.activeElement).toBe(sheet().getByLabelText('Name on the document'))
  await press('Compare')
  expect(sheet().getByText('The name matches.')).toBeTruthy()
  await typeDocument({ name: 'Tama Brooks' })
  expect(sheet().queryByText('The name matches.')).toBeNull()
  await press('Hand over screen')
  expect(calls('counter.start')).toHaveLength(0)
  // After going back to the lines, none of it is submitted.
  await press('Use the machine-readable lines')
  await press('Hand over screen')
  expect(turnsBegun()).toEqual([{ documentReference: 'doc-0', signer: 0, evidence: [] }])
})

test('empty document fields don’t block the handover', async () => {
  await open()
  await typeDocument({ name: ' ', number: '' })
  await press('Hand over screen')
  expect(turnsBegun()).toEqual([{ documentReference: 'doc-0', signer: 0, evidence: [] }])
})

test('impossible document details are reported at their fields, and a failure says what to do', async () => {
  await open({ printed: { kind: 'unusable', fields: ['number', 'expires'] } })
  await typeDocument({ number: '€', expires: 'soon' })
  await press('Compare')
  expect(sheet().getByText('Enter the document number (up to 40 letters and digits).')).toBeTruthy()
  expect(sheet().getByText(/^Enter a date such as 31\/12\/1980/)).toBeTruthy()
  expect(document.activeElement).toBe(sheet().getByLabelText('Document number'))
  await press('Hand over screen')
  expect(calls('counter.start')).toHaveLength(0)
  opened.api.control.fail('counter.compareDocument', {
    code: 'gone',
    message: 'A document is no longer in the folders.'
  })
  await press('Compare')
  expect(sheet().getByText('The document wasn’t compared.')).toBeTruthy()
  await press('Hand over screen')
  expect(calls('counter.start')).toHaveLength(0)
})

test.each([
  ['number-end', /last four characters of its number are kept: tell the signer first/],
  ['number-and-expiry', /Its number and expiry date are kept: tell the signer first/]
] as const)(
  'with the policy “%s”, what is kept is stated before a document is typed in',
  async (identityKept, sentence) => {
    await open({ offer: offerOf({ evidence: [], identityKept }) })
    await typeDocument()
    expect(sheet().getByText(sentence)).toBeTruthy()
  }
)

test('a second signer’s checks are added below, so that nothing moves under the pointer', async () => {
  await open({ offer: offerOf() })
  const before = sheet()
    .getAllByRole('checkbox')
    .map((one) => one.id)
  await tick('Tama Brooks')
  expect(
    sheet()
      .getAllByRole('checkbox')
      .slice(0, before.length)
      .map((one) => one.id)
  ).toEqual(before)
  expect(sheet().getAllByRole('checkbox')).toHaveLength(before.length + evidence.length)
})

test('the staff name can be changed on the start sheet', async () => {
  await open()
  expect(sheet().getByText(/Recorded in the audit trail as/).textContent).toContain('desk-3')
  await press('Not you? Change name')
  await fireEvent.input(sheet().getByLabelText('Your name, for the audit trail'), { target: { value: 'Grace Okafor' } })
  await press('Save name')
  expect(calls('counter.configure').at(-1)?.input).toEqual({ staffName: 'Grace Okafor' })
  expect(sheet().getByText(/Recorded in the audit trail as/).textContent).toContain('Grace Okafor')
})

test('the camera option appears only if someone may need it', async () => {
  const offer = offerOf({ evidence: [] })
  await open({ offer })
  expect(sheet().queryByRole('checkbox', { name: /camera/ })).toBeNull()
  await press('Cancel')
  const entries = offer.entries?.map((entry, at) => ({ ...entry, mayNeedCamera: at === 0 }))
  opened.api.control.state.offer = { ...offer, ...(entries && { entries }) }
  await press(/^Start: Mere Parata, Tenancy/)
  await tick('Allow camera and microphone')
  await press('Hand over screen')
  expect(calls('counter.start')[0]?.input).toMatchObject({ allowsCamera: true })
})

test('without a staff PIN, one must be chosen first', async () => {
  await open({ pin: { isSet: false, keptIn: 'keychain', reset: 'none', canReset: true } })
  expect(screen.getByRole('dialog', { name: 'Choose a staff PIN' })).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Hand over screen' })).toBeNull()
  await fireEvent.input(sheet().getByLabelText('New PIN'), { target: { value: '73519' } })
  await fireEvent.input(sheet().getByLabelText('Confirm PIN'), { target: { value: '73518' } })
  await fireEvent.submit(sheet().getByLabelText('Confirm PIN').closest('form') as HTMLFormElement)
  await settle()
  expect(sheet().getByText('The PINs don’t match.')).toBeTruthy()
  await fireEvent.input(sheet().getByLabelText('Confirm PIN'), { target: { value: '73519' } })
  await fireEvent.submit(sheet().getByLabelText('Confirm PIN').closest('form') as HTMLFormElement)
  await settle()
  expect(calls('counter.setPin').map((call) => call.input)).toEqual([{ pin: '73519' }])
  // Another Enter doesn't hand over.
  expect(document.activeElement).toBe(sheet().getAllByRole('checkbox')[0])
  await press('Hand over screen')
  expect(opened.app.counter.session?.phase).toBe('handover')
})

test('a PIN refused by main is explained at its field', async () => {
  await open({ pin: { isSet: false, keptIn: 'keychain', reset: 'none', canReset: true } })
  const message = 'Choose a PIN that isn’t digits in a row.'
  opened.api.control.fail('counter.setPin', { code: 'invalid', message, fields: [{ field: 'pin', message }] })
  for (const label of ['New PIN', 'Confirm PIN'])
    await fireEvent.input(sheet().getByLabelText(label), { target: { value: '1234' } })
  await fireEvent.submit(sheet().getByLabelText('Confirm PIN').closest('form') as HTMLFormElement)
  await settle()
  expect(sheet().getByText(message)).toBeTruthy()
  expect(document.activeElement).toBe(sheet().getByLabelText('New PIN'))
})

test('a session that can’t start shows the reason, and the sheet stays open', async () => {
  await open()
  opened.api.control.fail('counter.start', { code: 'not-signable', message: 'Someone else first.' })
  await press('Hand over screen')
  expect(sheet().getByText('Signing couldn’t start.')).toBeTruthy()
  expect(opened.app.counter.session).toBeNull()
})

test('when the service can’t be reached, the sheet offers a retry', async () => {
  opened = await openOffice(fakeApi({ documents: documents(8) }))
  opened.api.control.fail('counter.offer', { code: 'offline', message: 'No network.' })
  opened.app.router.go('counter')
  show(opened, Counter)
  await settle()
  await press(/^Start: Mere Parata, Tenancy/)
  expect(sheet().getByText('Mere Parata can’t start signing.')).toBeTruthy()
  opened.api.control.heal('counter.offer')
  await press('Try again')
  expect(sheet().getByRole('heading', { name: 'Mere Parata' })).toBeTruthy()
})

test('nobody else can be started during a session', async () => {
  await open()
  await press('Hand over screen')
  expect(screen.getAllByRole<HTMLButtonElement>('button', { name: /^Start: / }).every((one) => one.disabled)).toBe(true)
})

test('with named staff, switching to someone else requires their PIN', async () => {
  const member = { role: 'clerk' as const, hasBadge: false }
  const members = [
    { ...member, id: 'first', name: 'Grace Okafor', isCurrent: true },
    { ...member, id: 'staff-1', name: 'Ben Tui', isCurrent: false }
  ]
  await open({ offer: offerOf({ staff: 'Grace Okafor' }), staff: { members, settings: 'locked' } })
  await tick('Photo ID seen')
  await press('Not you? Switch')
  expect(sheet().getByLabelText<HTMLSelectElement>('Staff member').value).toBe('Ben Tui')
  await press('Switch')
  expect(sheet().getByText('Enter your PIN.')).toBeTruthy()
  await fireEvent.input(sheet().getByLabelText('PIN'), { target: { value: '0001' } })
  const answer = opened.api.control.hold('counter.chooseStaff')
  await press('Switch')
  await press('Switch')
  answer()
  await settle()
  // Twice would count as two wrong PINs.
  expect(calls('counter.chooseStaff')).toHaveLength(1)
  expect(sheet().getByText('Grace Okafor', { selector: 'option' })).toBeTruthy()
  await fireEvent.input(sheet().getByLabelText('PIN'), { target: { value: fakePin } })
  const second = opened.api.control.hold('counter.chooseStaff')
  await press('Switch')
  await press('Hand over screen')
  await fireEvent.keyDown(window, { key: 'Enter', ctrlKey: true })
  second()
  await settle()
  // It would have begun under the name of the one before.
  expect(calls('counter.start')).toEqual([])
  expect(calls('counter.chooseStaff').at(-1)?.input).toEqual({ name: 'Ben Tui', pin: fakePin })
  expect(sheet().getByText('Ben Tui', { selector: 'strong' })).toBeTruthy()
})
