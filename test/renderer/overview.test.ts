import { fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, expect, test } from 'vitest'
import Overview from '../../src/renderer/src/screens/overview/Overview.svelte'
import { type FakeApi, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'
import { NOW, sendOf } from './people.ts'
import { changesOf, overviewOf } from './preview/day-scenes.ts'

let opened: Opened
afterEach(() => opened.close())

async function open(api: FakeApi = fakeApi({ overview: overviewOf(NOW) })) {
  opened = await openOffice(api)
  show(opened, Overview)
  await settle()
}
const linkOf = (name: string | RegExp) => screen.getByRole('link', { name }).getAttribute('href')

test('every number leads to the list behind it', async () => {
  await open()
  expect(linkOf(/5 Overdue/)).toContain('overdue=1')
  expect(linkOf(/11 Stuck 7 days/)).toContain('stuckForDays=7')
  expect(linkOf(/7 Declined/)).toContain('families=declined')
  expect(linkOf(/2 Identity failed/)).toContain('identity=failed')
  expect(linkOf(/At the counter/)).toBe('#/counter')
  expect(linkOf(/24 Unread/)).toContain('unread=1')
  expect(linkOf(/^Complete\s?604$/)).toContain('families=complete')
})

const noughts = { overdue: 0, declined: 0, identityFailed: 0, unread: 0, stuck: { days: 7, count: 0 } }

test('what waits in the Outbox is told beside what needs someone there', async () => {
  const sends = [
    sendOf({ id: 'a', state: 'ready' }),
    sendOf({ id: 'b', state: 'sending' }),
    sendOf({ id: 'c', state: 'refused' })
  ]
  await open(fakeApi({ overview: overviewOf(NOW, noughts), queue: [], sends }))
  expect(linkOf(/^1\s?To check in Outbox/)).toBe('#/outbox')
  expect(linkOf(/^2\s?Waiting in Outbox/)).toBe('#/outbox')
  expect(screen.queryByText('Nothing needs you just now.')).toBeNull()
})

test('what is nought has no tile, and that nothing needs anyone is said', async () => {
  await open(fakeApi({ overview: overviewOf(NOW, noughts), queue: [] }))
  expect(screen.queryByRole('list', { name: 'What may need you' })).toBeNull()
  expect(screen.getByText('Nothing needs you just now.')).toBeTruthy()
})

test('the next fourteen days and the last twelve weeks are read as sentences, and lead on', async () => {
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

test('what the charts don’t hold, as nobody knows when it was or is due, is said', async () => {
  await open()
  expect(screen.queryByText(/no known due date|Not known of/)).toBeNull()
  opened.api.control.state.overview = overviewOf(NOW, { withoutDue: 13, withoutWeek: 1 })
  opened.api.control.emit('documents.changed', { accountId: 'practice', version: 2 })
  await opened.clock.pass(2000)
  await settle()
  expect(screen.getByText('13 more documents have no known due date.')).toBeTruthy()
  expect(screen.getByText('Not known of 1 document: when it was sent or completed.')).toBeTruthy()
})

test('a day without anything due is no stop for the keyboard', async () => {
  await open()
  expect(screen.getAllByRole('link', { name: /^No documents are due/ })[0]?.getAttribute('tabindex')).toBe('-1')
})

test('what happened while nobody looked stands on top until it is seen', async () => {
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
  await fireEvent.click(within(away).getByRole('button', { name: 'I have seen it' }))
  await settle()
  expect(screen.queryByText('While you were away')).toBeNull()
  expect(opened.api.control.calls.some(({ name }) => name === 'activity.seen')).toBe(true)
})

test('numbers follow the documents', async () => {
  await open()
  opened.api.control.state.overview = overviewOf(NOW, { overdue: 6 })
  opened.api.control.emit('documents.changed', { accountId: 'practice', version: 2 })
  await opened.clock.pass(1500)
  await settle()
  expect(linkOf(/6 Overdue/)).toContain('overdue=1')
})

test('a reading that found nothing new makes the numbers as true as it is', async () => {
  await open()
  const before = screen.getByText(/^As of/).textContent
  opened.api.control.emit('documents.looked', { accountId: 'practice', at: NOW + 25 * 60_000 })
  await settle()
  expect(screen.getByText(/^As of/).textContent).not.toBe(before)
})

test('an office without documents is told where they come from', async () => {
  await open(fakeApi({ overview: overviewOf(NOW, { states: [], weeks: [] }) }))
  expect(screen.getByText('No documents yet.')).toBeTruthy()
  await fireEvent.click(screen.getByRole('button', { name: 'Compose a package' }))
  expect(opened.app.router.route.screen).toBe('compose')
})

test('numbers that could not be counted say why, and are counted again', async () => {
  const api = fakeApi({ overview: overviewOf(NOW) })
  api.control.fail('overview.get', { code: 'storage', message: 'The disk failed.' })
  await open(api)
  expect(screen.getByText("The overview can't be shown.")).toBeTruthy()
  api.control.heal('overview.get')
  await fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await settle()
  expect(linkOf(/5 Overdue/)).toBeTruthy()
})
