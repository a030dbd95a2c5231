import { fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, beforeAll, expect, test } from 'vitest'
import Settings from '../../src/renderer/src/screens/settings/Settings.svelte'
import Today from '../../src/renderer/src/screens/today/Today.svelte'
import { type FakeApi, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'
import { NOW, officeAccount, practiceAccount, sendOf, verificationOf } from './people.ts'
import { changesOf, documentsOf, overviewOf } from './preview/day-scenes.ts'

// The screen loads this with its first dialog.
beforeAll(() => import('../../src/renderer/src/screens/documents/CommandDialogs.svelte'))
let opened: Opened
afterEach(() => opened.close())

async function open(api: FakeApi = fakeApi({ overview: overviewOf(NOW) })) {
  opened = await openOffice(api)
  show(opened, Today)
  await settle()
}
const linkOf = (name: string | RegExp) => screen.getByRole('link', { name }).getAttribute('href')

const group = (name: string) => within(screen.getByRole('region', { name }))

test('each kind that needs attention has a count and links to its documents', async () => {
  await open()
  expect(linkOf(/^Overdue\s?5/)).toContain('overdue=1')
  expect(linkOf(/^No progress\s?11/)).toContain('stuckForDays=7')
  expect(
    group('Declined')
      .getByRole('link', { name: /^Declined\s?7/ })
      .getAttribute('href')
  ).toContain('families=declined')
  expect(linkOf(/^Identity failed\s?2/)).toContain('identity=failed')
  expect(linkOf(/^Can sign here/)).toBe('#/counter')
  expect(linkOf(/24 unread documents/)).toContain('unread=1')
  expect(linkOf(/^Complete\s?604$/)).toContain('families=complete')
})

test('removed documents about to be erased are announced with a link', async () => {
  await open(fakeApi({ overview: overviewOf(NOW), due: { documents: 3 } }))
  expect(linkOf('3 removed documents to be erased from this computer within a week')).toContain('gone=1')
})

test('each row says why it needs attention, and has an action', async () => {
  await open(fakeApi({ overview: overviewOf(NOW), documents: documentsOf(NOW) }))
  const declined = group('Declined')
  expect(declined.getAllByRole('listitem')).toHaveLength(4)
  expect(declined.getByText('4 more').getAttribute('href')).toContain('families=declined')
  expect(declined.getAllByText(/^By .*: “I want my daughter to read it first.”$/)).toHaveLength(3)
  const stalled = group('No progress')
  expect(stalled.getAllByText(/^Last change \d+ days ago · waiting for /).length).toBeGreaterThan(0)
  await fireEvent.click(group('Identity failed').getAllByRole('button', { name: /^View identity check/ })[0] as Element)
  expect(opened.app.router.route).toMatchObject({ screen: 'identity', rest: ['doc-6'] })
})

test('an overdue document can be extended directly', async () => {
  await open(fakeApi({ overview: overviewOf(NOW), documents: documentsOf(NOW) }))
  await fireEvent.click(group('Overdue').getAllByRole('button', { name: /^Extend/ })[0] as Element)
  expect(await screen.findByRole('dialog', { name: 'Extend the due date' })).toBeTruthy()
})

test('a stalled document can be reminded, and a declined one sent again corrected', async () => {
  await open(fakeApi({ overview: overviewOf(NOW), documents: documentsOf(NOW) }))
  await fireEvent.click(group('No progress').getAllByRole('button', { name: /^Remind/ })[0] as Element)
  await settle()
  const dialog = within(screen.getByRole('dialog', { name: 'Send 2 reminders?' }))
  expect(dialog.getAllByRole('listitem')).toHaveLength(2)
  await fireEvent.click(group('Declined').getAllByRole('button', { name: /^Send a new copy/ })[0] as Element)
  await settle()
  expect(opened.api.control.calls.some(({ name }) => name === 'documents.correctedCopy')).toBe(true)
})

test('a declined document can be dismissed, which marks it read', async () => {
  await open(fakeApi({ overview: overviewOf(NOW), documents: documentsOf(NOW) }))
  const [dismiss] = group('Declined').getAllByRole('button', { name: /^Dismiss/ })
  await fireEvent.click(dismiss as Element)
  expect(opened.api.control.calls).toContainEqual(
    expect.objectContaining({ name: 'documents.markRead', input: expect.objectContaining({ read: true }) })
  )
})

test('someone who can sign at the counter can be started', async () => {
  await open()
  await fireEvent.click(group('Can sign here').getAllByRole('button', { name: /^Start/ })[0] as Element)
  const { screen: there, rest, query } = opened.app.router.route
  expect([there, ...rest]).toEqual(['counter', 'start'])
  expect(query.get('signer')).not.toBeNull()
})

test('files refused by a drop folder are one row per folder, with a report, until dismissed', async () => {
  const file = {
    id: 'file-2',
    folderId: 'folder-1',
    name: 'clients.csv',
    at: NOW,
    folder: 'Claims',
    isDismissed: false,
    error: { code: 'invalid' as const, message: 'Row 4 has no e-mail.' }
  }
  const open1 = { folderId: 'folder-1', label: 'Claims', count: 2, newest: 'file-2' }
  await open(fakeApi({ overview: overviewOf(NOW), refused: { files: [file], total: 2, open: [open1] } }))
  const refused = group('Refused files')
  expect(refused.getByText('2 files in “Claims” · Row 4 has no e-mail.')).toBeTruthy()
  await fireEvent.click(refused.getByRole('button', { name: 'Open report clients.csv' }))
  const calls = () => opened.api.control.calls.map(({ name, input }) => ({ name, input }))
  expect(calls()).toContainEqual({ name: 'dropFolders.reveal', input: { id: 'file-2' } })
  await fireEvent.click(refused.getByRole('button', { name: 'Dismiss clients.csv' }))
  await settle()
  expect(calls()).toContainEqual({
    name: 'dropFolders.dismissRefused',
    input: { folderId: 'folder-1', until: 'file-2' }
  })
  expect(screen.queryByRole('region', { name: 'Refused files' })).toBeNull()
})

test('documents with invalid signatures are listed until dismissed', async () => {
  const verifications = [verificationOf({ reference: 'doc-6', documentName: 'Deed of gift' }, 1)]
  await open(fakeApi({ overview: overviewOf(NOW), verifications }))
  const found = group('Not valid')
  expect(found.getByText(/^1 of 3 signatures is not valid · Verified /)).toBeTruthy()
  await fireEvent.click(found.getByRole('button', { name: 'View verification Deed of gift' }))
  expect(opened.app.router.route.screen).toBe('documents')
  expect(opened.app.router.route.query.get('document')).toBe('doc-6')
  await fireEvent.click(found.getByRole('button', { name: 'Dismiss Deed of gift' }))
  await settle()
  expect(screen.queryByRole('region', { name: 'Not valid' })).toBeNull()
})

test('an account that its service doesn’t accept is named with the reason and advice, and its key can be entered again', async () => {
  const error = {
    code: 'unauthorised' as const,
    message: 'The signing service didn’t accept this account’s key or token. This computer’s clock is wrong.',
    next: 'Set this computer’s date and time.'
  }
  const accounts = [practiceAccount(), officeAccount()].map((one) => ({ ...one, shown: true }))
  const notAccepted = [{ accountId: 'harbour', error }]
  const connection = { state: 'refused' as const, since: NOW, error, notAccepted }
  await open(fakeApi({ overview: overviewOf(NOW, { problem: error }), accounts, connection }))
  expect(screen.getByText('The account “Harbour & Co. Conveyancing” isn’t accepted.')).toBeTruthy()
  expect(screen.getByText(/This computer’s clock is wrong\.$/)).toBeTruthy()
  expect(screen.getByText('Set this computer’s date and time.')).toBeTruthy()
  expect(screen.getByText('Nothing is sent or updated for this account until the service accepts it.')).toBeTruthy()
  await fireEvent.click(screen.getByRole('button', { name: /^Enter API key/ }))
  expect(opened.app.router.route).toMatchObject({ screen: 'settings', rest: [] })
  show(opened, Settings)
  await settle()
  expect(screen.getByRole('dialog', { name: 'Edit “Harbour & Co. Conveyancing”' })).toBeTruthy()
  // Coming back to the settings asks nothing.
  expect(opened.app.router.route.query.get('edit')).toBeNull()
})

const noughts = { overdue: 0, expired: 0, declined: 0, identityFailed: 0, unread: 0, stuck: { days: 7, count: 0 } }

test('packages that need attention in the Outbox are listed, and waiting ones counted', async () => {
  const sends = [
    sendOf({ id: 'a', state: 'ready' }),
    sendOf({ id: 'b', state: 'sending' }),
    sendOf({ id: 'c', state: 'refused' })
  ]
  await open(fakeApi({ overview: overviewOf(NOW, noughts), queue: [], sends }))
  await fireEvent.click(group('Not sent').getByRole('button', { name: /^Review/ }))
  expect(opened.app.router.route).toMatchObject({ screen: 'outbox', rest: ['c'] })
  expect(linkOf('2 packages waiting in the Outbox')).toContain('show=waiting')
  expect(screen.queryByText('Nothing needs attention.')).toBeNull()
})

test('a paused Outbox comes first, and is resumed there', async () => {
  const api = fakeApi({ overview: overviewOf(NOW, noughts), queue: [], sends: [sendOf({ id: 'a', state: 'ready' })] })
  const error = { code: 'payment-required', message: 'Account on hold.' } as const
  api.control.state.outbox = { ...api.control.state.outbox, pause: { by: 'service', since: NOW, error } }
  await open(api)
  const paused = group('Outbox paused')
  expect(paused.getByText('Paused: the service says a payment is due')).toBeTruthy()
  expect(paused.getByText('1 package waiting')).toBeTruthy()
  await fireEvent.click(paused.getByRole('button', { name: /^Resume/ }))
  await settle()
  expect(opened.api.control.calls.some(({ name }) => name === 'outbox.resume')).toBe(true)
  expect(screen.queryByRole('region', { name: 'Outbox paused' })).toBeNull()
})

test('a restored Outbox isn’t resumed there: the row says why it is paused, and opens it', async () => {
  const api = fakeApi({ overview: overviewOf(NOW, noughts), queue: [], sends: [sendOf({ id: 'a', state: 'ready' })] })
  const error = { code: 'cancelled', message: 'Restored from a backup or copy.' } as const
  api.control.state.outbox = { ...api.control.state.outbox, pause: { by: 'person', since: NOW, error } }
  await open(api)
  const paused = group('Outbox paused')
  expect(paused.getByText(/Restored from a backup or copy/)).toBeTruthy()
  expect(paused.queryByRole('button', { name: /^Resume/ })).toBeNull()
  await fireEvent.click(paused.getByRole('button', { name: /^Open/ }))
  expect(opened.app.router.route.screen).toBe('outbox')
})

test('a pause that ends by itself isn’t something to act on', async () => {
  const api = fakeApi({ overview: overviewOf(NOW, noughts), queue: [], sends: [sendOf({ id: 'a', state: 'ready' })] })
  api.control.state.outbox = { ...api.control.state.outbox, pause: { by: 'line', since: NOW } }
  await open(api)
  expect(screen.queryByRole('region', { name: 'Outbox paused' })).toBeNull()
})

test('a package that may have arrived isn’t called not sent', async () => {
  const error = { code: 'timeout', message: 'No answer.', mayHaveArrived: true } as const
  const sends = [sendOf({ id: 'u', title: 'Will', state: 'uncertain', error })]
  await open(fakeApi({ overview: overviewOf(NOW, noughts), queue: [], sends }))
  expect(group('Not confirmed').getByText('Will')).toBeTruthy()
  expect(screen.queryByRole('region', { name: 'Not sent' })).toBeNull()
})

test('what waits for a release is shown to act on, and what wasn’t released with the reason', async () => {
  const held = { state: 'ready', hold: 'release', draftId: 'draft-1' } as const
  const refused = { by: 'Ana Reweti', reason: 'Wrong e-mail' }
  const sends = [
    sendOf({ ...held, id: 'a', title: 'Deed of gift', release: { by: 'Ben Tui' } }),
    sendOf({ ...held, id: 'b', title: 'Loan', release: { by: 'Ben Tui', refused } })
  ]
  await open(fakeApi({ overview: overviewOf(NOW, noughts), queue: [], sends }))
  expect(linkOf('1 package waiting in the Outbox')).toContain('show=waiting')
  expect(group('Not released').getByText(/Ana Reweti: “Wrong e-mail”$/)).toBeTruthy()
  await fireEvent.click(group('Waiting for release').getByRole('button', { name: 'Review Deed of gift' }))
  expect(opened.app.router.route).toMatchObject({ screen: 'outbox', rest: ['a'] })
  await fireEvent.click(group('Not released').getByRole('button', { name: 'Correct… Loan' }))
  await settle()
  expect(opened.api.control.calls.some(({ name }) => name === 'sends.undo')).toBe(true)
})

test('empty kinds are hidden, and the page says that nothing needs attention', async () => {
  await open(fakeApi({ overview: overviewOf(NOW, noughts), queue: [] }))
  expect(screen.queryByRole('region', { name: 'Needs attention' })).toBeNull()
  expect(screen.getByText('Nothing needs attention.')).toBeTruthy()
})

test('rows that can’t be reloaded stay', async () => {
  await open(fakeApi({ overview: overviewOf(NOW), documents: documentsOf(NOW) }))
  const before = group('Declined').getAllByRole('listitem').length
  opened.api.control.fail('documents.list', { code: 'server', message: 'The service failed.' })
  opened.api.control.emit('documents.changed', { accountId: 'practice', version: 2 })
  await opened.clock.pass(2000)
  await settle()
  expect(group('Declined').getAllByRole('listitem')).toHaveLength(before)
})

test('the charts of the next 14 days and last 12 weeks have text and links', async () => {
  await open()
  const days = screen.getByRole('list', { name: 'Documents due, day by day' })
  expect(within(days).getAllByRole('listitem')).toHaveLength(14)
  const { day } = overviewOf(NOW).due[0] ?? { day: '' }
  expect(
    within(days)
      .getByRole('link', { name: /^4 documents are due on/ })
      .getAttribute('href')
  ).toContain(`dueOn=${day}`)
  const weeks = screen.getByRole('list', { name: /week by week/ })
  expect(within(weeks).getAllByRole('link', { name: /packages sent in the week of/ }).length).toBeGreaterThan(10)
  expect(within(weeks).getAllByRole('link', { name: /packages completed in the week of/ }).length).toBeGreaterThan(10)
})

test('documents missing from the charts because of an unknown date are counted', async () => {
  await open()
  expect(screen.queryByText(/no known due date|isn’t known when/)).toBeNull()
  opened.api.control.state.overview = overviewOf(NOW, { withoutDue: 13, withoutWeek: 1 })
  opened.api.control.emit('documents.changed', { accountId: 'practice', version: 2 })
  await opened.clock.pass(2000)
  await settle()
  expect(screen.getByText('13 more documents have no known due date.')).toBeTruthy()
  expect(screen.getByText('It isn’t known when 1 document was sent or completed.')).toBeTruthy()
})

test('a day without due documents is skipped by the keyboard', async () => {
  await open()
  expect(screen.getAllByRole('link', { name: /^No documents are due/ })[0]?.getAttribute('tabindex')).toBe('-1')
})

test('changes while away are shown at the top until dismissed', async () => {
  const changes = changesOf(NOW, 9)
  await open(
    fakeApi({
      overview: overviewOf(NOW),
      away: { since: NOW - 7_200_000, until: NOW, total: 9, byKind: { signed: 2, completed: 1 }, changes }
    })
  )
  const away = screen.getByRole('region', { name: 'While you were away' })
  expect(within(away).getByText(/9 changes since .*: 1 complete and 2 signed/)).toBeTruthy()
  expect(within(away).getByText('3 more changes')).toBeTruthy()
  await fireEvent.click(within(away).getByRole('button', { name: 'Dismiss' }))
  await settle()
  expect(screen.queryByText('While you were away')).toBeNull()
  expect(opened.api.control.calls.some(({ name }) => name === 'activity.seen')).toBe(true)
})

test('counts update with the documents', async () => {
  await open()
  opened.api.control.state.overview = overviewOf(NOW, { overdue: 6 })
  opened.api.control.emit('documents.changed', { accountId: 'practice', version: 2 })
  await opened.clock.pass(1500)
  await settle()
  expect(linkOf(/^Overdue\s?6/)).toContain('overdue=1')
})

test('a check without changes updates the time shown', async () => {
  await open()
  const before = screen.getByText(/^Updated/).textContent
  opened.api.control.emit('documents.looked', { accountId: 'practice', at: NOW + 25 * 60_000 })
  await settle()
  expect(screen.getByText(/^Updated/).textContent).not.toBe(before)
})

test('an office without documents is invited to begin a package', async () => {
  await open(fakeApi({ overview: overviewOf(NOW, { states: [], weeks: [] }) }))
  expect(screen.getByText('No documents yet.')).toBeTruthy()
  await fireEvent.click(screen.getByRole('button', { name: 'New package' }))
  expect(opened.app.router.route.screen).toBe('compose')
})

test('an office whose folders were never read isn’t said to have no documents', async () => {
  const { lookedAt: _, ...unread } = overviewOf(NOW, { states: [], weeks: [] })
  await open(fakeApi({ overview: unread }))
  expect(screen.getByText('No folder has been read yet.')).toBeTruthy()
  expect(screen.queryByText('No documents yet.')).toBeNull()
})

test('counts that can’t be loaded show the reason, and can be retried', async () => {
  const api = fakeApi({ overview: overviewOf(NOW) })
  api.control.fail('overview.get', { code: 'storage', message: 'The disk failed.' })
  await open(api)
  expect(screen.getByText('Today’s documents can’t be shown.')).toBeTruthy()
  api.control.heal('overview.get')
  await fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await settle()
  expect(linkOf(/^Overdue\s?5/)).toBeTruthy()
})

test('an account without credentials on this computer says so, and links to the settings', async () => {
  const problem = {
    code: 'keychain',
    message: 'This account’s key, token or password isn’t on this computer.'
  } as const
  const accounts = [{ ...officeAccount(), hasSecret: false }]
  await open(fakeApi({ accounts, overview: { ...overviewOf(NOW), problem } }))
  expect(screen.queryByText(/A folder couldn’t be read/)).toBeNull()
  expect(screen.getByText(problem.message)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
  await fireEvent.click(screen.getByRole('button', { name: 'Go to Settings' }))
  expect(window.location.hash).toBe('#/settings')
})

test('a keychain that fails is reported once, with what to do, and the folders can be read again', async () => {
  const problem = {
    code: 'keychain',
    message: 'This computer’s keychain is locked.',
    next: 'Unlock it and try again.'
  } as const
  await open(fakeApi({ overview: { ...overviewOf(NOW), problem } }))
  const [notice, ...others] = screen.getAllByRole('alert').map(({ textContent }) => textContent)
  expect(notice).toMatch(/keychain is locked\..*Unlock it and try again\./s)
  expect(others).toEqual([])
  expect(screen.queryByRole('button', { name: 'Go to Settings' })).toBeNull()
  await fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await settle()
  expect(opened.api.control.calls.filter(({ name }) => name === 'documents.refresh')).toHaveLength(1)
})
