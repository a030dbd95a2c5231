import { fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, expect, test } from 'vitest'
import ActivityScreen from '../../src/renderer/src/screens/activity/Activity.svelte'
import { Activity, timelineOf } from '../../src/renderer/src/screens/activity/activity.svelte.ts'
import type { ActionView, ActivityEntry } from '../../src/shared/contract/views.ts'
import { type FakeApi, fakeApi } from './fake-api.ts'
import { FakeClock, settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'
import { NOW, verificationOf } from './people.ts'
import { changesOf } from './preview/day-scenes.ts'

let opened: Opened
afterEach(() => opened.close())

async function open(api: FakeApi) {
  opened = await openOffice(api)
  show(opened, ActivityScreen)
  await settle()
}

test('activity is grouped by day, and each entry links to its document', async () => {
  const changes = changesOf(NOW, 60)
  await open(fakeApi({ changes }))
  expect(screen.getAllByRole('region').length).toBeGreaterThan(1)
  expect(screen.getAllByRole('listitem')).toHaveLength(60)
  const [first] = changes
  expect(screen.getAllByRole('link', { name: first?.documentName ?? '' })[0]?.getAttribute('href')).toContain(
    `document=${first?.reference}`
  )
})

test('a change made on this computer is labelled', async () => {
  await open(fakeApi({ changes: changesOf(NOW, 9) }))
  expect(screen.getAllByText('from this computer')).toHaveLength(1)
})

test('earlier activity is loaded on request', async () => {
  await open(fakeApi({ changes: changesOf(NOW, 230) }))
  expect(screen.getAllByRole('listitem')).toHaveLength(100)
  const more = () => fireEvent.click(screen.getByRole('button', { name: 'Show earlier' }))
  await more()
  await settle()
  expect(screen.getAllByRole('listitem')).toHaveLength(200)
  await more()
  await settle()
  expect(screen.getAllByRole('listitem')).toHaveLength(230)
  expect(screen.queryByRole('button', { name: 'Show earlier' })).toBeNull()
})

test('a superseded load requests no further pages', async () => {
  const api = fakeApi({ changes: changesOf(NOW, 330) })
  const activity = new Activity(api, new FakeClock(NOW))
  await activity.load()
  await activity.loadMore()
  const answer = api.control.hold('activity.list')
  const overtaken = activity.loadMore()
  api.control.free('activity.list')
  await activity.load()
  const listCalls = () => api.control.calls.filter(({ name }) => name === 'activity.list').length
  const before = listCalls()
  answer()
  await overtaken
  expect(listCalls()).toBe(before)
  expect(activity.list.value?.changes).toHaveLength(200)
})

test('a change that arrives between two pages neither repeats an entry nor hides the last one', async () => {
  const changes = changesOf(NOW, 150)
  const api = fakeApi({ changes: changes.slice(1) })
  const activity = new Activity(api, new FakeClock(NOW))
  await activity.load()
  const list = api.activity.list
  api.activity.list = async (input) => {
    const answer = await list(input)
    if (input?.offset === 0) api.control.state.changes.unshift(changes[0] as ActivityEntry)
    return answer
  }
  await activity.loadMore()
  const ids = activity.list.value?.changes.map(({ id }) => id)
  expect(ids).toEqual(changes.slice(1).map(({ id }) => id))
  expect(activity.list.value?.from).toBe(0)
})

test('unsettled actions are listed separately at the top', async () => {
  await open(
    fakeApi({
      actions: [
        {
          id: 'a-1',
          accountId: 'practice',
          request: { kind: 'remind', signerReference: 's-1', signerName: 'Mere Parata' },
          reference: 'doc-1',
          documentName: 'Deed of gift',
          state: 'uncertain',
          createdAt: NOW
        },
        {
          id: 'a-2',
          accountId: 'practice',
          request: { kind: 'remind', signerReference: 's-2', signerName: 'Tama Whaanga' },
          reference: 'doc-2',
          documentName: 'Loan variation',
          state: 'done',
          createdAt: NOW
        }
      ]
    })
  )
  const unsettled = screen.getByRole('region', { name: 'Unfinished' })
  expect(within(unsettled).getByText('Not confirmed')).toBeTruthy()
  expect(within(unsettled).getByRole('link', { name: 'Deed of gift' })).toBeTruthy()
  expect(within(unsettled).queryByText('Loan variation')).toBeNull()
})

/** Returns `count` changes for different documents, newest first, a minute apart. */
function inARow(count: number, change: Partial<ActivityEntry>, from = NOW): ActivityEntry[] {
  return Array.from({ length: count }, (_, index) => ({
    id: from / 1000 - index,
    accountId: 'practice',
    reference: `row-${index}`,
    documentName: `Consent ${index}`,
    kind: 'arrived',
    at: from - index * 60_000,
    isOwn: false,
    ...change
  }))
}

test('documents sent in one batch are one entry that lists its documents', async () => {
  const changes = inARow(33, { isOwn: true, batch: 'clients' })
  await open(fakeApi({ changes }))
  const act = screen.getByText('33 documents sent with “clients”').closest('details') as HTMLDetailsElement
  expect(act.open).toBe(false)
  expect(within(act).getAllByRole('link', { hidden: true })).toHaveLength(33)
  expect(screen.getAllByText('from this computer').length).toBeGreaterThan(0)
})

test('consecutive signatures by one person are one entry, separate from another person’s', async () => {
  const hour = 3_600_000
  await open(
    fakeApi({
      changes: [
        ...inARow(3, { kind: 'signed', signer: 'Mere Parata' }),
        ...inARow(4, { kind: 'signed', signer: 'Tama Whaanga' }, NOW - 4 * 60_000),
        ...inARow(2, { kind: 'signed', signer: 'Mere Parata' }, NOW - hour)
      ]
    })
  )
  expect(screen.getByText('Mere Parata signed 3 documents')).toBeTruthy()
  expect(screen.getByText('Tama Whaanga signed 4 documents')).toBeTruthy()
  expect(screen.getByText('Mere Parata signed 2 documents: “Consent 0” and “Consent 1”')).toBeTruthy()
})

test('a package of two documents for a couple is three entries, though their events alternate', async () => {
  const [margaret, edwin] = ['Margaret Hollis', 'Edwin Hollis']
  const both = [0, 1].flatMap((index): ActivityEntry[] => {
    const one = { ...(inARow(1, {})[0] as ActivityEntry), reference: `row-${index}`, documentName: `Will ${index}` }
    return [
      { ...one, id: index * 3, kind: 'waits-here', signer: edwin },
      { ...one, id: index * 3 + 1, kind: 'waits-here', signer: margaret },
      { ...one, id: index * 3 + 2, kind: 'arrived', isOwn: true, signer: `${margaret}\n${edwin}` }
    ]
  })
  await open(fakeApi({ changes: both }))
  expect([...document.querySelectorAll('summary strong')].map(({ textContent }) => textContent)).toEqual([
    'Edwin Hollis can sign 2 documents at the counter: “Will 0” and “Will 1”',
    'Margaret Hollis can sign 2 documents at the counter: “Will 0” and “Will 1”',
    '2 documents sent to Margaret Hollis and Edwin Hollis: “Will 0” and “Will 1”'
  ])
})

test('documents sent an hour apart are not grouped, nor those sent to different people', async () => {
  const [first, ...others] = inARow(3, { isOwn: true, signer: 'Mere Parata' })
  const changes = [...inARow(1, { isOwn: true, signer: 'Tama Whaanga' }), ...others]
  await open(fakeApi({ changes: [...changes, { ...(first as ActivityEntry), id: 1, at: NOW - 3_600_000 }] }))
  expect(screen.getByText('2 documents sent to Mere Parata: “Consent 1” and “Consent 2”')).toBeTruthy()
  expect(screen.getAllByText(/^Sent to /)).toHaveLength(4)
})

test('before anyone has signed in here, Activity offers that, and loads once they have', async () => {
  const lock = { isLocked: false, opensBySignIn: false, asksName: true } as const
  const api = fakeApi({ lock: { ...lock, needsName: true } })
  api.control.fail('activity.list', { code: 'not-allowed', message: 'Nobody has signed in at this computer.' })
  await open(api)
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
  await fireEvent.click(screen.getByRole('button', { name: 'Enter name and PIN' }))
  expect(api.control.calls.some(({ name }) => name === 'counter.lockOffice')).toBe(true)
  api.control.heal('activity.list')
  api.control.state.lock = { ...lock, who: 'Anna Lee' }
  api.control.emit('lock.changed', null)
  await settle()
  await settle()
  expect(screen.getByText('No activity yet.')).toBeTruthy()
})

test('“Sent” shows what this computer sent, including reminders, and nothing else', async () => {
  const remind = (state: ActionView['state'], signerName: string): ActionView => ({
    id: signerName,
    accountId: 'practice',
    reference: 'doc-1',
    documentName: 'Lease',
    state,
    createdAt: NOW,
    request: { kind: 'remind', signerReference: signerName, signerName }
  })
  const changes = [
    ...inARow(1, { isOwn: true, signer: 'Aroha Ngata' }),
    ...inARow(1, { id: 1, kind: 'signed', signer: 'Ben Smith' }),
    ...inARow(1, { id: 2, isOwn: false })
  ]
  await open(fakeApi({ changes, actions: [remind('done', 'Aroha'), remind('refused', 'Ben')] }))
  await fireEvent.click(screen.getByRole('link', { name: 'Sent' }))
  window.dispatchEvent(new HashChangeEvent('hashchange'))
  await settle()
  const texts = screen.getAllByRole('listitem').map(({ textContent }) => textContent ?? '')
  expect(texts.filter((one) => one.includes('Sent to Aroha Ngata.'))).toHaveLength(1)
  expect(texts.filter((one) => one.includes('Reminder sent to Aroha.'))).toHaveLength(1)
  expect(texts.filter((one) => /Ben|Added/.test(one))).toEqual([])
})

test('a filter shows only its kinds, and a search matches documents and people', async () => {
  await open(fakeApi({ changes: changesOf(NOW, 90) }))
  const listCalls = () => opened.api.control.calls.filter(({ name }) => name === 'activity.list').at(-1)?.input
  await fireEvent.click(screen.getByRole('link', { name: 'Problems' }))
  window.dispatchEvent(new HashChangeEvent('hashchange'))
  await settle()
  expect(listCalls()).toMatchObject({ kinds: ['declined', 'expired', 'identity-failed', 'gone'], offset: 0 })
  expect(screen.queryByText(/ signed\.$/)).toBeNull()
  await fireEvent.input(screen.getByRole('searchbox', { name: 'Search activity' }), {
    target: { value: 'nobody here' }
  })
  await opened.clock.pass(300)
  await settle()
  expect(listCalls()).toMatchObject({ search: 'nobody here' })
  expect(screen.getByText('Nothing found.')).toBeTruthy()
  await fireEvent.click(screen.getByRole('button', { name: 'Show all activity' }))
  await settle()
  expect(listCalls()).not.toHaveProperty('search')
  expect(screen.getAllByRole('listitem').length).toBeGreaterThan(50)
})

test('actions are found by document or signer, and appear under the right filters', async () => {
  const action = (state: ActionView['state'], documentName: string): ActionView => ({
    id: documentName,
    accountId: 'practice',
    reference: documentName,
    documentName,
    state,
    createdAt: NOW,
    request: { kind: 'remind', signerReference: 's-1', signerName: 'Mere Parata' }
  })
  const actions = [action('done', 'Ngāta deed'), action('refused', 'Loan variation')]
  const shown = { part: 'all' as const, search: '' }
  const names = (what: object) =>
    timelineOf({ changes: [], verifications: [], from: 0 }, actions, { ...shown, ...what }).map(
      ({ documentName }) => documentName
    )
  expect(names({})).toEqual(['Ngāta deed', 'Loan variation'])
  expect(names({ search: 'ngata' })).toEqual(['Ngāta deed'])
  expect(names({ search: 'loan mere' })).toEqual(['Loan variation'])
  expect(names({ part: 'problems' })).toEqual(['Loan variation'])
  expect(names({ part: 'signed' })).toEqual([])
})

test('verification results are listed: valid ones grouped, and each invalid one separately', async () => {
  const verifications = ['a', 'b', 'c', 'd'].map((reference, index) =>
    verificationOf(
      { reference, documentName: `Lease ${reference}`, at: NOW - index * 1000, by: 'rule' },
      index === 2 ? 1 : 0
    )
  )
  const api = fakeApi({ changes: [], verifications })
  await open(api)
  expect(screen.getByText('Signatures verified: 1 of 3 not valid.')).toBeTruthy()
  expect(screen.getAllByText('Signatures verified: all 3 valid.')).toHaveLength(3)
  opened.app.router.replace('activity', [], { show: 'problems' })
  await settle()
  expect(screen.getAllByRole('listitem')).toHaveLength(1)
  expect(api.control.calls.filter(({ name }) => name === 'verifications.list').at(-1)?.input).toMatchObject({
    notValid: true
  })
  opened.app.router.replace('activity', [], { show: 'signed' })
  await settle()
  expect(screen.queryByText(/^Signatures verified/)).toBeNull()
})

test('documents verified by a rule are grouped into one entry', async () => {
  const verifications = Array.from({ length: 33 }, (_, index) =>
    verificationOf({ id: `v${index}`, reference: `r${index}`, documentName: `Lease ${index}`, at: NOW - index * 1000 })
  )
  await open(fakeApi({ changes: [], verifications }))
  expect(screen.getByText('33 documents verified: all signatures valid')).toBeTruthy()
})

test('all verifications can be loaded page by page and found by searching', async () => {
  const verifications = Array.from({ length: 730 }, (_, index) =>
    verificationOf({
      id: `v${index}`,
      reference: `r${index}`,
      documentName: `Lease ${index}`,
      at: NOW - index * 3_600_000
    })
  )
  const changes = inARow(1, { documentName: 'Deed of gift' }, NOW - 150 * 3_600_000)
  await open(fakeApi({ changes, verifications }))
  expect(screen.getAllByRole('listitem')).toHaveLength(100)
  expect(screen.queryByText('Deed of gift')).toBeNull()
  await fireEvent.click(screen.getByRole('button', { name: 'Show earlier' }))
  await settle()
  // At its chronological position.
  expect(screen.getAllByRole('listitem')).toHaveLength(201)
  expect(screen.getByText('Deed of gift')).toBeTruthy()
  await fireEvent.input(screen.getByRole('searchbox', { name: 'Search activity' }), { target: { value: 'lease 729' } })
  await opened.clock.pass(300)
  await settle()
  expect(screen.getAllByRole('listitem')).toHaveLength(1)
  expect(screen.getByRole('link', { name: 'Lease 729' })).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Show earlier' })).toBeNull()
})

test('without any activity, the page shows one sentence and a link to the documents', async () => {
  await open(fakeApi())
  expect(screen.getByText('No activity yet.')).toBeTruthy()
  await fireEvent.click(screen.getByRole('button', { name: 'Open documents' }))
  expect(opened.app.router.route.screen).toBe('documents')
})

test('a sent document names its recipients, and later status changes are not labelled as made here', async () => {
  const of = (change: Partial<ActivityEntry>) =>
    inARow(1, { isOwn: true, reference: 'doc-1', documentName: 'Lease', ...change })
  await open(
    fakeApi({
      changes: [
        ...of({ id: 4, kind: 'changed', from: 'NotStart', to: 'Filling' }),
        ...of({ id: 3, kind: 'changed' }),
        ...of({ id: 2, kind: 'arrived', signer: 'Aroha Ngata\nBen Smith' })
      ],
      actions: [
        {
          id: 'a-1',
          accountId: 'practice',
          request: { kind: 'remind', signerReference: 's-1', signerName: 'Aroha Ngata' },
          reference: 'doc-1',
          documentName: 'Lease',
          state: 'done',
          createdAt: NOW
        }
      ]
    })
  )
  expect(screen.getByText('Sent to Aroha Ngata and Ben Smith.')).toBeTruthy()
  expect(screen.getByText('Reminder sent to Aroha Ngata.')).toBeTruthy()
  expect(screen.getByText('Status changed from “Not started” to “Being filled in”.')).toBeTruthy()
  expect(screen.queryByText('Updated.')).toBeNull()
  // The signer began to fill it in; nobody on this computer did.
  expect(screen.getAllByText('from this computer')).toHaveLength(2)
})
