import { fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, describe, expect, test } from 'vitest'
import Notices from '../../src/renderer/src/frame/Notices.svelte'
import Counter from '../../src/renderer/src/screens/counter/Counter.svelte'
import { entriesMatching, isDay, namesLike } from '../../src/renderer/src/screens/counter/matching.ts'
import type { CounterEntry, DocumentPage, SignerView } from '../../src/shared/contract/views.ts'
import { type FakeState, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { appointmentOf } from './fakes/appointments.ts'
import { sessionOf } from './fakes/counter.ts'
import { type Opened, openOffice, show } from './office.ts'
import { documents, NOW } from './people.ts'

const DAY = 86_400_000
let opened: Opened
afterEach(() => opened?.close())

function entry(change: Partial<CounterEntry> = {}): CounterEntry {
  const signerName = change.signerName ?? 'Mere Parata'
  return {
    accountId: 'practice',
    documentReference: 'doc-0',
    documentName: 'Tenancy agreement',
    signer: 0,
    signerName,
    person: signerName.toLowerCase(),
    faceToFace: false,
    mayNeedCamera: false,
    isToday: false,
    ...change
  }
}

async function open(change: Partial<FakeState> = {}, query: Record<string, string> = {}, rest: string[] = []) {
  opened = await openOffice(fakeApi({ documents: documents(8), ...change }))
  opened.app.router.go('counter', rest, query)
  show(opened, Counter)
  await settle()
}

const calls = (name: string) => opened.api.control.calls.filter((call) => call.name === name)
const button = (name: string | RegExp) => screen.getByRole('button', { name })
const starts = () => screen.queryAllByRole('button', { name: /^Start: / })
const who = (element: HTMLElement) => element.getAttribute('aria-label')?.replace('Start: ', '')
async function press(name: string | RegExp) {
  await fireEvent.click(button(name))
  await settle()
}
async function type(text: string) {
  await fireEvent.input(screen.getByRole('searchbox'), { target: { value: text } })
}

test('people are found by name, document or due date', () => {
  const due = { at: Date.UTC(2025, 11, 5, 4), offset: 780, precision: 'time' as const }
  const soon = { at: NOW + DAY, offset: 0, precision: 'time' as const }
  const queue = [
    entry({ signerName: 'Wiremu Ngāta', documentName: 'Deed of gift', due }),
    entry({ signerName: 'Tama Brooks', documentName: 'Loan variation', due: soon }),
    entry({ signerName: 'Grace Okafor', documentName: 'Lease of 25 Queen Street' })
  ]
  const namesFor = (typed: string) => entriesMatching(queue, typed, NOW).map((one) => one.signerName)
  expect(namesFor('ngata')).toEqual(['Wiremu Ngāta'])
  expect(namesFor('LOAN tama')).toEqual(['Tama Brooks'])
  expect(namesFor('friday')).toEqual(['Wiremu Ngāta'])
  expect(namesFor('5 dec')).toEqual(['Wiremu Ngāta'])
  expect(namesFor('2025-12-05')).toEqual(['Wiremu Ngāta'])
  expect(namesFor('tomorrow')).toEqual(['Tama Brooks'])
  // The number of a day or house, not the beginning of another number.
  expect(namesFor('2')).toEqual(['Grace Okafor'])
  expect(namesFor('zebra')).toEqual([])
  expect(namesFor('')).toHaveLength(3)
})

test('a search without a match says so and offers the full queue', async () => {
  await open()
  const all = starts().length
  await type('zebra')
  expect(screen.getByText('Nobody in the queue matches “zebra”.')).toBeTruthy()
  await press('Show full queue')
  expect(starts()).toHaveLength(all)
})

test('a misspelt name finds who was probably meant', async () => {
  const queue = ['Fatima Bennett', 'Fatu Sione', 'Wiremu Ngāta'].map((signerName) => entry({ signerName }))
  expect(namesLike(queue, 'fatma benet')).toEqual(['Fatima Bennett'])
  expect(namesLike(queue, 'wiermu')).toEqual(['Wiremu Ngāta'])
  expect([namesLike(queue, 'zebra'), namesLike(queue, 'fa'), namesLike(queue, ' ')]).toEqual([[], [], []])
  await open({ queue })
  await type('fatma benet')
  await press('Fatima Bennett')
  expect(starts().map(who)).toEqual(['Fatima Bennett, Tenancy agreement'])
})

test('pinned appointments move to the top, but only after the pointer and focus have left the list', async () => {
  await open({ queue: [entry(), entry({ documentReference: 'doc-2', signerName: 'Tama Brooks' })] })
  expect(screen.queryByRole('heading', { name: 'Today' })).toBeNull()
  const pin = () => button('Today’s appointment: Tama Brooks, Tenancy agreement')
  pin().focus()
  await press('Today’s appointment: Tama Brooks, Tenancy agreement')
  expect(calls('counter.pinEntry').at(-1)?.input).toEqual({ documentReference: 'doc-2', signer: 0, isToday: true })
  expect(pin().getAttribute('aria-pressed')).toBe('true')
  // Nothing moves under the pointer or the focus.
  expect(starts().map(who)).toEqual(['Mere Parata, Tenancy agreement', 'Tama Brooks, Tenancy agreement'])
  await fireEvent.pointerLeave(document.querySelector('.parts') as Element)
  await settle()
  expect(starts().map(who)).toEqual(['Tama Brooks, Tenancy agreement', 'Mere Parata, Tenancy agreement'])
  expect(document.activeElement).toBe(pin())
  await press('Today’s appointment: Tama Brooks, Tenancy agreement')
  screen.getByRole('searchbox').focus()
  await settle()
  expect(starts().map(who)[0]).toBe('Mere Parata, Tenancy agreement')
})

test('someone at another counter is shown with the time, and can’t be started here', async () => {
  const elsewhere = { workstation: 'Counter 2', since: new Date(NOW).setHours(10, 4, 0, 0) }
  const all = [
    entry({ elsewhere }),
    entry({ documentReference: 'doc-2', signerName: 'Tama Brooks' }),
    entry({ documentReference: 'doc-4', documentName: 'Deed of gift' })
  ]
  await open({ queue: all })
  expect(screen.getByText('At Counter 2 since 10:04')).toBeTruthy()
  expect(starts().map((one) => (one as HTMLButtonElement).disabled)).toEqual([true, false])
})

test('each person is one row, and all their documents are preselected', async () => {
  const all = [
    entry(),
    entry({ documentReference: 'doc-2', signerName: 'Tama Brooks' }),
    entry({ documentReference: 'doc-4', documentName: 'Deed of gift' }),
    entry({ documentReference: 'doc-6', documentName: 'Sent by e-mail', withoutLink: true })
  ]
  await open({ queue: all })
  expect(starts().map(who)).toEqual(['Mere Parata, 3 documents', 'Tama Brooks, Tenancy agreement'])
  expect(screen.getByText('2 people can sign here')).toBeTruthy()
  expect(screen.getByText('The service gave no signing link for 1 of these, so it can’t be signed here.')).toBeTruthy()
  await press('Today’s appointment: Mere Parata, 3 documents')
  expect(calls('counter.pinEntry')).toHaveLength(3)
  await press('Start: Mere Parata, 3 documents')
  const sheet = within(screen.getByRole('dialog'))
  expect(sheet.getByRole<HTMLInputElement>('checkbox', { name: 'Deed of gift' }).checked).toBe(true)
})

test('two people with the same name are separate rows with their contacts', async () => {
  const contacts = ['mere@example.com', '…0199']
  const queue = contacts.map((contact, index) => entry({ contact, documentReference: `doc-${index}`, person: contact }))
  await open({ queue })
  expect(starts()).toHaveLength(2)
  for (const contact of contacts) expect(screen.getByText(contact)).toBeTruthy()
})

test('two people with the same name and contact are distinguished by date of birth and matter, also for appointments', async () => {
  const queue = ['1980-03-12', '1951-07-01'].map((born, at) => {
    const own = { documentReference: `doc-${at}`, person: `mere-${at}`, born, matter: `2024-${at}` }
    return entry({ ...own, contact: '…0199' })
  })
  const choices = queue.map(({ person, signerName: name }) => ({ person, name }))
  await open({ queue, appointments: [appointmentOf({ name: 'Mere Parata', choices })] })
  const details = ['…0199, born 12 March 1980, matter 2024-0', '…0199, born 1 July 1951, matter 2024-1']
  expect(starts().map(who)).toEqual(details.map((detail) => `Mere Parata (${detail}), Tenancy agreement`))
  const which = within(screen.getByRole('group', { name: 'Who in the queue is Mere Parata?' }))
  for (const detail of details) expect(which.getByText(detail)).toBeTruthy()
})

test('typing anywhere on the screen goes into the search field', async () => {
  await open({ queue: [entry()] })
  const field = screen.getByRole<HTMLInputElement>('searchbox')
  const [start] = starts()
  await type('mere')
  const pressed = async (key: string, how = {}, at: Element = document.body) => {
    field.blur()
    // The character goes where the focus is, unless the key event is cancelled.
    const isLeft = await fireEvent.keyDown(at, { key, ...how })
    return { isLeft, arrives: document.activeElement === field }
  }
  const selected = () => field.value.slice(field.selectionStart ?? 0, field.selectionEnd ?? 0)
  expect(await pressed('m')).toEqual({ isLeft: true, arrives: true })
  // The previous search is overwritten.
  expect(selected()).toBe('mere')
  expect(await pressed('Ā', { shiftKey: true })).toEqual({ isLeft: true, arrives: true })
  expect(await pressed('5')).toEqual({ isLeft: true, arrives: true })
  expect(await pressed('/')).toEqual({ isLeft: false, arrives: true })
  for (const key of ['Enter', ' ', 'Tab', '?', 'F5']) expect(await pressed(key), key).toMatchObject({ arrives: false })
  expect(await pressed('m', { ctrlKey: true })).toMatchObject({ arrives: false })
  start?.click()
  await settle()
  expect(await pressed('m', {}, screen.getByRole('dialog'))).toMatchObject({ arrives: false })
})

describe('someone who isn’t in the queue', () => {
  /** Returns a document signed in order: Ben first, then Ana; Ida has signed. */
  function inOrder(): DocumentPage[] {
    const [page] = documents(1)
    const [person] = page?.people ?? []
    if (!page || !person) throw new Error('The made-up office has no document.')
    const one = (index: number, name: string, change: Partial<SignerView>): SignerView => ({
      ...person,
      index,
      name,
      state: 'waiting',
      canSignHere: false,
      faceToFace: false,
      ...change
    })
    const people = [
      one(0, 'Ida Moss', { state: 'signed' }),
      one(1, 'Ben Cole', { canSignHere: true, signedStatus: 'Invitation' }),
      one(2, 'Ana Ruiz', { signedStatus: 'Initialized' }),
      one(3, 'Eve Hart', { signedStatus: 'Invitation' })
    ]
    return [{ ...page, name: 'Deed of gift', signers: people, people }]
  }

  test.each([
    ['ana', 'Ana Ruiz · Deed of gift Signs after Ben Cole'],
    ['ida', 'Ida Moss · Deed of gift Already signed'],
    ['eve', 'Eve Hart · Deed of gift The service gave no link to sign here']
  ])('is searched for in the documents, with the reason why they can’t start (%s)', async (typed, reason) => {
    await open({ documents: inOrder() })
    await type(typed)
    await opened.clock.pass(300)
    const results = screen.getAllByRole('listitem')
    expect(results.map((one) => one.textContent?.replace(/\s+/g, ' ').trim())).toEqual([reason])
    expect(screen.queryByText(/^Without a link they sign from the service’s e-mail\./) !== null).toBe(typed === 'eve')
    await press('Search all documents')
    expect([opened.app.router.route.screen, opened.app.router.route.query.get('search')]).toEqual(['documents', typed])
  })

  test('and in no document can be added as a walk-in with that name', async () => {
    await open()
    await type('Zebedee Quill')
    await opened.clock.pass(300)
    expect(screen.getByText(/No documents match either\./)).toBeTruthy()
    await press('Add “Zebedee Quill” as a walk-in')
    const { screen: name, query } = opened.app.router.route
    expect([name, query.get('for'), query.get('name')]).toEqual(['compose', 'counter', 'Zebedee Quill'])
    expect(screen.queryByRole('button', { name: 'Search all documents' })).toBeNull()
  })

  test('isn’t offered as a walk-in when the search is a day', async () => {
    await open()
    await type('friday')
    await opened.clock.pass(300)
    expect(screen.getByText('Nobody in the queue has anything due “friday”.')).toBeTruthy()
    expect(screen.queryByRole('button', { name: /as a walk-in$/ })).toBeNull()
    const days = ['Friday', 'today', '5 dec', '5/12', '2025-12-05', 'fri 5 december']
    expect(days.filter((one) => !isDay(one, NOW))).toEqual([])
    const names = ['', 'sun', 'may', 'April', 'Dec', 'Sunny', '25 Queen Street', '0410', '021 555 0101', 'Mere Tamati']
    expect(names.filter((one) => isDay(one, NOW))).toEqual([])
  })
})

test('a walk-in whose start sheet is cancelled is first among today’s, ready to start', async () => {
  const queue = [
    entry({ documentReference: 'doc-2', signerName: 'Tama Brooks', isToday: true }),
    entry({ documentReference: 'doc-new' })
  ]
  await open({ queue }, { document: 'doc-new' }, ['start'])
  await fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Cancel' }))
  await settle()
  expect(calls('counter.pinEntry').at(-1)?.input).toEqual({ documentReference: 'doc-new', signer: 0, isToday: true })
  expect(starts().map(who)).toEqual(['Mere Parata, Tenancy agreement', 'Tama Brooks, Tenancy agreement'])
  expect(document.activeElement).toBe(starts()[0])
})

test('cancelling anyone else’s start sheet doesn’t pin them', async () => {
  await open({ queue: [entry()] })
  await press(/^Start: Mere Parata/)
  await fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Cancel' }))
  await settle()
  expect(calls('counter.pinEntry')).toHaveLength(0)
})

test('a pin that can’t be saved is reported', async () => {
  await open({ queue: [entry()] })
  opened.api.control.fail('counter.pinEntry', { code: 'storage', message: 'Not now.' })
  await press(/^Today’s appointment/)
  expect(opened.app.toasts.shown[0]?.text).toMatch(/wasn’t saved/)
})

test('a row shows that the form may ask for a file', async () => {
  await open({
    queue: [entry({ hadFiles: true }), entry({ documentReference: 'doc-2', signerName: 'Tama Brooks', person: 'tama' })]
  })
  expect(screen.getAllByText('May ask for a file')).toHaveLength(1)
  expect(screen.getByTitle('Signers have added files to this form or template before')).toBeTruthy()
})

test('a row shows that the camera may be needed', async () => {
  await open({ queue: [entry({ mayNeedCamera: true }), entry({ documentReference: 'doc-2', faceToFace: true })] })
  expect(screen.getAllByText('May need camera')).toHaveLength(1)
})

test('someone without a signing link is in the queue but can’t be started', async () => {
  await open({ queue: [entry({ withoutLink: true })] })
  expect(screen.getByText('The service gave no signing link, so it can’t be signed here.')).toBeTruthy()
  expect(starts()).toHaveLength(0)
})

test('arrow keys move from the search to the rows and back', async () => {
  await open({
    queue: [0, 1, 2].map((index) => entry({ documentReference: `doc-${index}`, signerName: `Mere ${index}` }))
  })
  const field = screen.getByRole('searchbox')
  field.focus()
  await fireEvent.keyDown(field, { key: 'ArrowDown' })
  expect(document.activeElement).toBe(starts()[0])
  await fireEvent.keyDown(document.activeElement as Element, { key: 'ArrowDown' })
  expect(document.activeElement).toBe(starts()[1])
  await fireEvent.keyDown(document.activeElement as Element, { key: 'End' })
  expect(document.activeElement).toBe(starts()[2])
  await fireEvent.keyDown(document.activeElement as Element, { key: 'Home' })
  await fireEvent.keyDown(document.activeElement as Element, { key: 'ArrowUp' })
  expect(document.activeElement).toBe(field)
})

test('300 people are shown in pages of 100, and arrow keys continue into the next page', async () => {
  const queue = Array.from({ length: 300 }, (_, index) =>
    entry({ documentReference: `doc-${index}`, signerName: `Mere ${index}` })
  )
  await open({ queue })
  expect(starts()).toHaveLength(100)
  expect(screen.getByText('300 people can sign here')).toBeTruthy()
  starts()[99]?.focus()
  await fireEvent.keyDown(document.activeElement as Element, { key: 'ArrowDown' })
  await settle()
  expect(starts()).toHaveLength(200)
  expect(document.activeElement).toBe(starts()[100])
})

test('a link to a document filters the queue, with Start focused', async () => {
  await open({}, { document: 'doc-6' })
  expect(starts()).toHaveLength(1)
  expect(document.activeElement).toBe(button(/^Start: Lena Marchetti/))
  await press('Show full queue')
  expect(starts().length).toBeGreaterThan(1)
})

test('an empty queue is reported only once the documents are known', async () => {
  await open({ documents: [] })
  expect(screen.getByText('Nobody is waiting to sign.')).toBeTruthy()
})

test('a refused account leaves the queue unknown, and links to the settings', async () => {
  await open({ documents: [], connection: { state: 'refused', since: 0 } })
  expect(screen.getByText('The service didn’t accept this account, so the queue can’t be loaded.')).toBeTruthy()
  expect(screen.queryByText('Nobody is waiting to sign.')).toBeNull()
  await press('Open Settings')
  expect(opened.app.router.route.screen).toBe('settings')
})

test('documents that never loaded leave the queue unknown until they load', async () => {
  const api = fakeApi({ documents: [] })
  const { list } = api.documents
  let isRead = false
  api.documents.list = async (input) => {
    const answer = await list(input)
    if (!answer.ok || isRead) return answer
    const { lookedAt: _lookedAt, ...never } = answer.value
    return { ok: true, value: never }
  }
  opened = await openOffice(api)
  opened.app.router.go('counter')
  show(opened, Counter)
  await settle()
  expect(screen.getByText('The documents haven’t been loaded yet.')).toBeTruthy()
  isRead = true
  await press('Refresh now')
  expect(screen.getByText('Nobody is waiting to sign.')).toBeTruthy()
})

test('offline, the queue shows when it was last updated', async () => {
  await open({ connection: { state: 'offline', since: NOW - 60_000 } })
  expect(screen.getByText(/Nobody can start signing until this is fixed\. Updated \d\d:\d\d\./)).toBeTruthy()
  expect(starts().length).toBeGreaterThan(0)
})

test('a queue that can’t be loaded is explained, and can be retried', async () => {
  const api = fakeApi({ documents: documents(8) })
  api.control.fail('counter.queue', { code: 'storage', message: 'Not now.' })
  opened = await openOffice(api)
  opened.app.router.go('counter')
  show(opened, Counter)
  await settle()
  expect(screen.getByText('The queue couldn’t be loaded.')).toBeTruthy()
  api.control.heal('counter.queue')
  await press('Try again')
  expect(starts().length).toBeGreaterThan(0)
})

test('“Add walk-in” takes the searched name, unless it is a day or someone in the queue', async () => {
  await open({ queue: [entry()] })
  for (const [typed, name] of [
    ['Zebedee Quill', 'Zebedee Quill'],
    ['Mere', null],
    ['friday', null]
  ] as const) {
    await type(typed)
    await press('Add walk-in')
    expect(opened.app.router.route.query.get('name')).toBe(name)
    opened.app.router.go('counter')
    await settle()
  }
})

test('the audit trail and walk-ins can be opened from here', async () => {
  await open()
  await press('Audit trail')
  expect(opened.app.router.route.screen).toBe('audit')
  await press('Add walk-in')
  expect([opened.app.router.route.screen, opened.app.router.route.query.get('for')]).toEqual(['compose', 'counter'])
})

test('the search is cleared after a session', async () => {
  await open({ queue: [entry(), entry({ documentReference: 'doc-1', signerName: 'Tama Brooks' })] })
  await type('parata')
  expect(starts()).toHaveLength(1)
  opened.api.control.state.counter = sessionOf({ place: 'here', phase: 'handover' })
  opened.api.control.emit('counter.changed', { id: 'any' })
  await settle()
  opened.api.control.state.counter = null
  opened.api.control.emit('counter.changed', { id: 'any' })
  await settle()
  expect(screen.getByRole<HTMLInputElement>('searchbox').value).toBe('')
  expect(starts()).toHaveLength(2)
})

test('a link with a signer opens their start sheet once', async () => {
  await open({}, { document: 'doc-6', signer: '0' }, ['start'])
  const sheet = screen.getByRole('dialog', { name: 'Confirm who is signing' })
  expect(within(sheet).getByRole('heading', { name: 'Lena Marchetti' })).toBeTruthy()
  expect(opened.app.router.route.rest).toEqual([])
})

test('a document just sent is loaded first, then its first signer’s start sheet opens', async () => {
  const api = fakeApi({ queue: [] })
  const { refresh } = api.documents
  api.documents.refresh = async () => {
    api.control.state.queue = [
      entry({ documentReference: 'doc-new', signer: 1, signerName: 'Tama Brooks' }),
      entry({ documentReference: 'doc-new', signer: 0, signerName: 'Mere Parata' })
    ]
    return refresh()
  }
  opened = await openOffice(api)
  opened.app.router.go('counter', ['start'], { document: 'doc-new' })
  show(opened, Counter)
  await settle()
  await settle()
  expect(within(screen.getByRole('dialog')).getByRole('heading', { name: 'Mere Parata' })).toBeTruthy()
})

test('a document that nobody can sign yet offers a retry', async () => {
  await open({ queue: [] }, { document: 'doc-new' }, ['start'])
  await settle()
  const sheet = screen.getByRole('dialog')
  expect(within(sheet).getByText('Signing can’t start.')).toBeTruthy()
  opened.api.control.state.queue = [entry({ documentReference: 'doc-new' })]
  await fireEvent.click(within(sheet).getByRole('button', { name: 'Try again' }))
  await settle()
  expect(within(screen.getByRole('dialog')).getByRole('heading', { name: 'Mere Parata' })).toBeTruthy()
})

test('a call for help from the second display is answered once', async () => {
  await open({ counter: sessionOf({ place: 'other-display', phase: 'covered', cover: 'help' }) })
  await press('On my way')
  expect(calls('counter.staff')[0]?.input).toMatchObject({ does: 'answer' })
  expect(screen.queryByRole('button', { name: 'On my way' })).toBeNull()
  expect(screen.getByText('Help needed at the second display')).toBeTruthy()
  expect(button('Continue signing')).toBeTruthy()
})

test('on another screen, the notice of the call disappears once answered', async () => {
  opened = await openOffice(
    fakeApi({ counter: sessionOf({ place: 'other-display', phase: 'covered', cover: 'help' }) })
  )
  opened.app.router.go('outbox')
  show(opened, Notices)
  await settle()
  expect(screen.getByRole('alert').textContent).toContain('You’re needed at the second display.')
  await press('On my way')
  expect(screen.queryByText('You’re needed at the second display.')).toBeNull()
})

test('a receipt is checked from the Counter’s menu, and changes in it are located', async () => {
  const key = { fingerprint: 'AB12 CD34', isOurs: true }
  const auditFile = {
    label: 'R-2026-000001-AB12.pdf',
    verdict: 'changed' as const,
    key,
    receipt: { number: 'R-2026-000001-AB12' },
    bytes: { from: 4096, to: 5119 }
  }
  await open({ auditFile })
  await fireEvent.keyDown(button('More actions'), { key: 'Enter' })
  await fireEvent.click(await screen.findByRole('menuitem', { name: 'Check a file…' }))
  await settle()
  const alert = screen.getByRole('alert')
  expect(alert.textContent).toMatch(/“R-2026-000001-AB12\.pdf” was changed\..*bytes 4,096 to 5,119/s)
  await press('Dismiss')
  expect(screen.queryByRole('alert')).toBeNull()
  opened.api.control.fail('audit.checkFile', { code: 'bad-file', message: 'The file couldn’t be read.' })
  await fireEvent.keyDown(button('More actions'), { key: 'Enter' })
  await fireEvent.click(await screen.findByRole('menuitem', { name: 'Check a file…' }))
  await settle()
  expect(screen.getByText('The file couldn’t be checked.')).toBeTruthy()
})
