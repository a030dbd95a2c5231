import { fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, expect, test } from 'vitest'
import Outbox from '../../src/renderer/src/screens/outbox/Outbox.svelte'
import type { SendView } from '../../src/shared/contract/views.ts'
import { fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'
import { NOW, sendOf } from './people.ts'

const uncertain: SendView = sendOf({
  id: 'old',
  title: 'Deed of gift',
  state: 'uncertain',
  attemptedAt: NOW - 90_000_000,
  documents: [],
  error: { code: 'timeout', message: 'No answer.', mayHaveArrived: true }
})

let opened: Opened
afterEach(() => opened.close())

async function open(sends: SendView[], id?: string) {
  opened = await openOffice(fakeApi({ sends }))
  opened.office.router.go('outbox', id ? [id] : [])
  show(opened, Outbox)
  await settle()
}
const rows = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) =>
      within(row)
        .getAllByRole('gridcell')
        .slice(0, 2)
        .map((cell) => cell.textContent?.trim())
    )

test('what is uncertain stands on top, the rest newest first', async () => {
  await open([
    sendOf({ id: 'a', title: 'Older', attemptedAt: NOW - 5000 }),
    sendOf({ id: 'b', title: 'Newer', attemptedAt: NOW - 100, state: 'refused' }),
    uncertain
  ])
  expect(rows()).toEqual([
    ['Uncertain', 'Deed of gift'],
    ['Refused', 'Newer'],
    ['Sent', 'Older']
  ])
  expect(screen.getByText('One package may have been sent or not.')).toBeTruthy()
})

test('the service is asked about an uncertain one, and its answer is shown in place', async () => {
  await open([uncertain], 'old')
  await fireEvent.click(screen.getByRole('button', { name: 'Ask the service' }))
  await settle()
  expect(opened.api.control.calls.filter((call) => call.name === 'sends.reconcile')).toHaveLength(1)
  expect(rows()).toEqual([['Sent', 'Deed of gift']])
  expect(screen.queryByText('One package may have been sent or not.')).toBeNull()
})

test('a send that changes elsewhere changes here', async () => {
  await open([sendOf({ id: 'a', title: 'Older', state: 'sending' })])
  expect(rows()).toEqual([['Sending', 'Older']])
  opened.api.control.state.sends = [sendOf({ id: 'a', title: 'Older', state: 'sent' })]
  opened.api.control.emit('sends.changed', { id: 'a' })
  await settle()
  expect(rows()).toEqual([['Sent', 'Older']])
})

test('arrows choose a send, Escape goes back to the list', async () => {
  await open([sendOf({ id: 'a', title: 'Older' })])
  await fireEvent.keyDown(screen.getByRole('grid'), { key: 'ArrowDown' })
  await settle()
  expect(opened.office.router.route.rest).toEqual(['a'])
  expect(screen.getByRole('heading', { level: 2, name: 'Older' })).toBeTruthy()
  await fireEvent.keyDown(window, { key: 'Escape' })
  await settle()
  expect(opened.office.router.route.rest).toEqual([])
})

test('a link to a send that is not here says so', async () => {
  await open([uncertain], 'elsewhere')
  expect(screen.getByText("This package isn't in the Outbox.")).toBeTruthy()
})
