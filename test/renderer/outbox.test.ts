import { fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, describe, expect, test } from 'vitest'
import { Batches } from '../../src/renderer/src/screens/outbox/batches.svelte.ts'
import Outbox from '../../src/renderer/src/screens/outbox/Outbox.svelte'
import { OpenSend } from '../../src/renderer/src/state/open-send.svelte.ts'
import { heldInWords } from '../../src/renderer/src/words/sends.ts'
import { sendStatus } from '../../src/renderer/src/words/statuses.ts'
import type { BatchView, SendView } from '../../src/shared/contract/views.ts'
import { type FakeState, fakeApi } from './fake-api.ts'
import { FakeClock, settle } from './fake-clock.ts'
import { putSend } from './fakes/outbox.ts'
import { type Opened, openOffice, show } from './office.ts'
import { NOW, officeAccount, practiceAccount, sendOf } from './people.ts'

const settings = { concurrency: 2, perMinute: null, undoSeconds: 10 }
const uncertain = sendOf({
  id: 'old',
  title: 'Deed of gift',
  state: 'uncertain',
  attemptedAt: NOW - 90_000,
  documents: [],
  error: { code: 'timeout', message: 'No answer.', mayHaveArrived: true }
})
const waiting = sendOf({
  id: 'w',
  title: 'Loan variation',
  state: 'ready',
  hold: 'time',
  goesAt: NOW + 3_600_000,
  attempt: 0,
  documents: []
})

function batchOf(change: Partial<BatchView> = {}): BatchView {
  return {
    id: 'batch-1',
    accountId: 'practice',
    name: 'Staff declarations',
    createdAt: NOW - 60_000,
    state: 'going',
    counts: { ready: 50, sending: 2, sent: 130, refused: 3, uncertain: 1, notSent: 4, cancelled: 0 },
    leftOut: 5,
    total: 190,
    ...change
  }
}

let opened: Opened
afterEach(() => opened?.close())

async function open(change: Partial<FakeState>, rest: string[] = [], query: Record<string, string> = {}) {
  opened = await openOffice(fakeApi(change))
  opened.app.router.go('outbox', rest, query)
  show(opened, Outbox)
  await settle()
}

test('an office’s Outbox shows each package’s workstation, the wait for the server, and the pause for everyone', async () => {
  const theirs = sendOf({ id: 'theirs', title: 'Deed of gift', who: 'Josef Lindqvist', workstation: 'Counter 2' })
  const held = sendOf({ ...waiting, id: 'held', hold: 'office' })
  const office = 'away' as const
  await open({ sends: [theirs, held], outbox: { settings, office } }, ['theirs'])
  expect(screen.getAllByText('Josef Lindqvist, from Counter 2').length).toBeGreaterThan(0)
  expect(screen.getByText('Added to the Outbox at Counter 2')).toBeTruthy()
  expect(screen.getByText('The office’s server isn’t available.')).toBeTruthy()
  expect(screen.getAllByText('Waiting for the server').length).toBeGreaterThan(0)
  expect(heldInWords(held, NOW, undefined).title).toBe('Waiting for the office’s server.')
  expect(screen.getByRole('button', { name: 'Pause for the whole office' })).toBeTruthy()
  opened.api.control.state.outbox = { settings, office: 'connected', pause: { by: 'person', since: NOW - 60_000 } }
  opened.api.control.emit('outbox.changed', null)
  await settle()
  expect(screen.getByText(/^Paused for the whole office since/)).toBeTruthy()
  const error = {
    code: 'conflict' as const,
    message: 'The office’s server was restored to an earlier time.',
    next: 'Resume once all have connected.'
  }
  opened.api.control.state.outbox = {
    settings,
    office: 'connected',
    pause: { by: 'person', since: NOW - 60_000, error }
  }
  opened.api.control.emit('outbox.changed', null)
  await opened.clock.pass(1000)
  expect(
    screen.getByText(/restored to an earlier time\. Resume once all have connected\. Nothing is sent until you resume/)
  ).toBeTruthy()
})

describe('a package that needs release by someone else', () => {
  const { goesAt: _at, ...rest } = waiting
  const held: SendView = { ...rest, hold: 'release', release: { by: 'Ben Tui' } }

  test('names its sender, can’t be sent now, and can be released', async () => {
    await open({ sends: [held] }, ['w'])
    expect(screen.getByText('Waiting for release.')).toBeTruthy()
    expect(
      screen.getByText(
        'Prepared by Ben Tui. It will be sent once another person, a manager or administrator, releases it.'
      )
    ).toBeTruthy()
    expect(screen.getAllByText('Waiting for release').length).toBeGreaterThan(0)
    expect(screen.queryByRole('button', { name: 'Send now' })).toBeNull()
    await press('Release')
    await settle()
    expect(calls('sends.release').at(-1)?.input).toEqual({ id: 'w' })
    expect(screen.getByText('Released by Ana Reweti')).toBeTruthy()
  })

  test('isn’t offered for release to its sender, neither singly nor in the list or a batch', async () => {
    const api = fakeApi({ sends: [held], batches: [batchOf({ release: { by: 'Ben Tui' } })] })
    api.control.state.lock = { ...api.control.state.lock, asksName: true, who: 'Ben Tui' }
    opened = await openOffice(api)
    opened.app.router.go('outbox', ['w'])
    show(opened, Outbox)
    await settle()
    expect(screen.getByText('Waiting for release.')).toBeTruthy()
    await fireEvent.contextMenu(screen.getAllByRole('row')[1] as HTMLElement)
    expect(await screen.findByRole('menuitem', { name: /^Undo send/ })).toBeTruthy()
    expect(screen.queryByRole('menuitem', { name: 'Release' })).toBeNull()
    expect(screen.queryByRole('button', { name: /elease/, hidden: true })).toBeNull()
  })

  test('shows the release in its history before sending', async () => {
    const left = { ...rest, state: 'sent', attempt: 1, attemptedAt: NOW, settledAt: NOW } as const
    const release = { by: 'Ben Tui', released: 'Ana Reweti' }
    await open({ sends: [{ ...left, release }] }, ['w'])
    const steps = screen.getAllByText(/^(Added to the Outbox|Released by Ana Reweti|Sending|Delivered)$/)
    expect(steps.map(({ textContent }) => textContent)).toEqual([
      'Added to the Outbox',
      'Released by Ana Reweti',
      'Sending',
      'Delivered'
    ])
  })

  test('can be refused with a reason, which stays visible', async () => {
    await open({ sends: [held] }, ['w'])
    await press('Don’t release…')
    const dialog = within(screen.getByRole('dialog'))
    const confirm = dialog.getByRole('button', { name: 'Don’t release' })
    expect(confirm.matches(':disabled')).toBe(true)
    await fireEvent.input(dialog.getByLabelText('Reason'), { target: { value: ' Wrong address. ' } })
    await fireEvent.click(confirm)
    await settle()
    expect(calls('sends.refuse').at(-1)?.input).toEqual({ id: 'w', reason: 'Wrong address.' })
    expect(screen.getByText('Ana Reweti didn’t release this.')).toBeTruthy()
    expect(screen.getByText('“Wrong address.”')).toBeTruthy()
    expect(screen.getByText('Undo the send, correct it and send it again.')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Release' })).toBeNull()
    expect(screen.getByRole('button', { name: 'Undo send' })).toBeTruthy()
  })

  test('explains why its sender can’t release it', async () => {
    await open({ sends: [held] }, ['w'])
    opened.api.control.fail('sends.release', {
      code: 'not-allowed',
      message: 'Someone else has to release this: you sent it.'
    })
    await press('Release')
    await settle()
    expect(screen.getByText('Someone else has to release this: you sent it.')).toBeTruthy()
  })

  test.each([
    ['Release', 'sends.release', 'It wasn’t released.'],
    ['Don’t release…', 'sends.refuse', 'Your decision wasn’t saved.']
  ] as const)(
    'stays unchanged while the office’s server is unavailable, and %s can be retried',
    async (name, request, title) => {
      await open({ sends: [held] }, ['w'])
      const decide = async () => {
        await press(name)
        if (request === 'sends.release') return await settle()
        const dialog = within(screen.getByRole('dialog'))
        // The text written earlier is still there.
        const reason = dialog.getByLabelText<HTMLInputElement>('Reason')
        if (calls(request).length > 0) expect(reason.value).toBe('Wrong address.')
        await fireEvent.input(reason, { target: { value: 'Wrong address.' } })
        await fireEvent.click(dialog.getByRole('button', { name: 'Don’t release' }))
        await settle()
      }
      opened.api.control.fail(request, {
        code: 'offline',
        message: 'The office’s server isn’t available just now.',
        next: 'Try again in a few minutes.'
      })
      await decide()
      const message = screen.getByRole('alert').textContent
      expect(message).toContain(title)
      expect(message).toContain('The office’s server isn’t available just now.')
      expect(message).toContain('Try again in a few minutes.')
      expect(screen.getByText('Waiting for release.')).toBeTruthy()
      expect(document.querySelector('[aria-busy="true"]')).toBeNull()
      opened.api.control.heal(request)
      await decide()
      expect(calls(request)).toHaveLength(2)
      expect(screen.queryByText('Waiting for release.')).toBeNull()
      expect(screen.queryByText('The office’s server isn’t available just now.')).toBeNull()
    }
  )

  test('reports in the list, too, that the office’s server is unavailable', async () => {
    await open({ sends: [held] })
    opened.api.control.fail('sends.release', {
      code: 'offline',
      message: 'The office’s server isn’t available just now.',
      next: 'Try again in a few minutes.'
    })
    await fireEvent.contextMenu(screen.getAllByRole('row')[1] as HTMLElement)
    await fireEvent.click(await screen.findByRole('menuitem', { name: 'Release' }))
    await settle()
    expect(opened.app.toasts.shown.map(({ text }) => text)).toEqual([
      'The package wasn’t released. The office’s server isn’t available just now. Try again in a few minutes.'
    ])
    expect(document.querySelector('[aria-busy="true"]')).toBeNull()
  })

  test('can be a batch, released as a whole', async () => {
    const batch = batchOf({ release: { by: 'Ben Tui' } })
    await open({ batches: [batch] })
    await press('Release Staff declarations')
    await settle()
    expect(calls('batches.release').at(-1)?.input).toEqual({ id: 'batch-1' })
    expect(screen.queryByRole('button', { name: 'Release Staff declarations' })).toBeNull()
  })
})

const press = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }))
const calls = (name: string) => opened.api.control.calls.filter((call) => call.name === name)
const tab = (name: string | RegExp) =>
  within(screen.getByRole('navigation', { name: 'Parts of the Outbox' })).getByRole('link', { name })
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

test('a package shows its name at the service and additional service data', async () => {
  const said = { queueReference: 'Q-17', packageName: 'Lease pack', others: [{ name: 'Region', value: 'South' }] }
  await open({ sends: [sendOf({ id: 's', state: 'sent', packageReference: 'P-1', said })] }, ['s'])
  for (const text of ['Lease pack', 'Q-17', 'More from the service', 'Region', 'South']) {
    expect(screen.getByText(text), text).toBeTruthy()
  }
})

describe('the list of packages', () => {
  test('shows their states, and filters with counts', async () => {
    await open({
      sends: [waiting, uncertain, sendOf({ id: 'b', title: 'Tax', state: 'refused' }), sendOf({ id: 'a' })]
    })
    expect(rows()).toEqual([
      ['Scheduled', 'Loan variation'],
      ['Not confirmed', 'Deed of gift'],
      ['Rejected', 'Tax'],
      ['Sent', 'Tax declaration']
    ])
    const names = within(screen.getByRole('navigation', { name: 'Parts of the Outbox' })).getAllByRole('link')
    expect(names.map((link) => link.textContent?.replace(/\s+/g, ' ').trim())).toEqual([
      'All 4',
      'Needs attention 2',
      'Waiting 1',
      'Sent 1'
    ])
  })

  test('shows why packages need attention', async () => {
    const error = {
      code: 'invalid',
      message: 'Refused.',
      fields: [{ field: 'Forms[0].Name', message: 'Too long a name.' }]
    } as const
    await open(
      { sends: [sendOf({ id: 'b', state: 'refused', error: { ...error, fields: [...error.fields] } }), sendOf({})] },
      [],
      { show: 'attention' }
    )
    expect(rows()).toHaveLength(1)
    expect(screen.getByText('Too long a name.')).toBeTruthy()
  })

  test('can be searched by title and recipient', async () => {
    await open({ sends: [sendOf({ id: 'a' }), sendOf({ id: 'b', title: 'Deed', who: 'Tama Brooks' })] })
    await fireEvent.input(screen.getByRole('searchbox', { name: 'Search the Outbox' }), {
      target: { value: 'tama' }
    })
    await opened.clock.pass(250)
    expect(rows()).toEqual([['Sent', 'Deed']])
    const field = screen.getByRole('searchbox')
    field.focus()
    await fireEvent.input(field, { target: { value: 'nobody' } })
    await opened.clock.pass(250)
    expect(screen.getByText('No packages match “nobody”.')).toBeTruthy()
    await fireEvent.keyDown(field, { key: 'ArrowDown' })
    expect(document.activeElement, 'without rows, typing goes on').toBe(field)
    await press('Clear search')
    await settle()
    expect(rows()).toHaveLength(2)
  })

  test('is loaded in pages, even with 100,000 packages', async () => {
    await open({
      sends: Array.from({ length: 100_000 }, (_, index) => sendOf({ id: `s${index}`, title: `Package ${index}` }))
    })
    expect(tab(/^All/).textContent).toContain('100,000')
    expect(calls('sends.list').map((call) => call.input)).toEqual([{ show: 'all', search: '', offset: 0, limit: 200 }])
    expect(screen.getAllByRole('row').length).toBeLessThan(60)
  })

  test('is reloaded a few times at most during a burst of 2,000 events', async () => {
    await open({ sends: [uncertain] })
    const before = { list: calls('sends.list').length, box: calls('outbox.state').length }
    for (let index = 0; index < 2000; index++) {
      opened.api.control.emit('sends.changed', { ids: [`other-${index}`] })
      opened.api.control.emit('outbox.changed', null)
      if (index % 200 === 0) await opened.clock.pass(10)
    }
    await opened.clock.pass(1000)
    expect(calls('sends.list').length - before.list).toBeLessThanOrEqual(3)
    expect(calls('outbox.state').length - before.box).toBeLessThanOrEqual(3)
  })

  test('updates when a package changes elsewhere', async () => {
    await open({ sends: [sendOf({ id: 'a', state: 'sending' })] })
    expect(rows()).toEqual([['Sending', 'Tax declaration']])
    putSend(opened.api.control, sendOf({ id: 'a' }))
    await opened.clock.pass(300)
    expect(rows()).toEqual([['Sent', 'Tax declaration']])
    expect(tab(/^Sent/).textContent).toContain('1')
  })

  test('doesn’t claim to be empty when a filter failed to load', async () => {
    await open({ sends: [] }, [], { show: 'attention' })
    expect(screen.getByText('Nothing needs attention.')).toBeTruthy()
    opened.api.control.fail('sends.list', { code: 'internal', message: 'The database is locked.' })
    opened.app.router.go('outbox', [], { show: 'sent' })
    await settle()
    expect(screen.getByText('The list couldn’t be loaded.')).toBeTruthy()
    expect(screen.queryByText('Nothing has been sent yet.')).toBeNull()
    expect(screen.queryByText('Nothing needs attention.')).toBeNull()
  })

  test('offers to compose a package when empty', async () => {
    await open({ sends: [] })
    expect(screen.getByText('Nothing has been sent yet.')).toBeTruthy()
    await press('New package')
    expect(opened.app.router.route.screen).toBe('compose')
  })

  test('offers a retry if it can’t be loaded', async () => {
    opened = await openOffice(fakeApi({ sends: [uncertain] }))
    opened.api.control.fail('sends.list', { code: 'storage', message: 'Not now.' })
    opened.app.router.go('outbox')
    show(opened, Outbox)
    await settle()
    expect(screen.getByText('The list couldn’t be loaded.')).toBeTruthy()
    opened.api.control.heal('sends.list')
    await press('Try again')
    await settle()
    expect(rows()).toHaveLength(1)
  })

  test('says once that nothing can be loaded, and one retry loads everything', async () => {
    opened = await openOffice(fakeApi({ sends: [uncertain] }))
    const requests = ['sends.list', 'outbox.state', 'batches.list'] as const
    for (const name of requests) opened.api.control.fail(name, { code: 'storage', message: 'Not now.' })
    opened.app.outbox.clear()
    await opened.app.outbox.load()
    opened.app.router.go('outbox')
    show(opened, Outbox)
    await settle()
    expect(screen.getAllByText('Not now.')).toHaveLength(1)
    for (const name of requests) opened.api.control.heal(name)
    await press('Try again')
    await settle()
    expect(rows()).toHaveLength(1)
    expect(tab(/^Needs attention/).textContent).toContain('1')
    expect(screen.queryByText('Not now.')).toBeNull()
  })
})

describe('by keyboard', () => {
  test('arrow keys open a package, and Escape returns to the list', async () => {
    await open({ sends: [sendOf({ id: 'a', title: 'Older' })] })
    await fireEvent.keyDown(screen.getByRole('grid'), { key: 'ArrowDown' })
    await settle()
    expect(opened.app.router.route.rest).toEqual(['a'])
    expect(screen.getByRole('heading', { level: 2, name: 'Older' })).toBeTruthy()
    await fireEvent.keyDown(window, { key: 'Escape' })
    await settle()
    expect(opened.app.router.route.rest).toEqual([])
    expect(document.activeElement).toBe(screen.getByRole('grid'))
  })

  test('Enter focuses the package, “/” the search', async () => {
    await open({ sends: [sendOf({ id: 'a', title: 'Older' })] })
    await fireEvent.keyDown(screen.getByRole('grid'), { key: 'Enter' })
    await settle()
    expect(document.activeElement).toBe(screen.getByRole('heading', { level: 2, name: 'Older' }))
    await fireEvent.keyDown(window, { key: '/' })
    expect(document.activeElement).toBe(screen.getByRole('searchbox'))
  })
})

describe('a package', () => {
  test('keeps the filter and search it was opened from', async () => {
    await open({ sends: [waiting] }, [], { show: 'waiting', search: 'loan' })
    await fireEvent.keyDown(screen.getByRole('grid'), { key: 'Enter' })
    await settle()
    expect(window.location.hash).toBe('#/outbox/w?show=waiting&search=loan')
  })

  test('that was sent shows its recipients and links to its documents', async () => {
    await open({ sends: [sendOf({ packageStatus: 'Queued' })] }, ['send-1'])
    expect(screen.getByText('Sent to Mere Parata.')).toBeTruthy()
    expect(screen.getAllByRole('link', { name: 'Tax declaration.pdf' }).at(-1)?.getAttribute('href')).toContain(
      'document=doc-0'
    )
    expect(screen.getByText('package-900')).toBeTruthy()
    expect(screen.getByText('Added to the Outbox')).toBeTruthy()
    const links = screen.getAllByRole('link').map((link) => link.getAttribute('href') ?? '')
    expect(links.every((href) => href.startsWith('#/'))).toBe(true)
    expect(document.body.textContent).not.toContain('://')
  })

  test('that was sent can be the start of another', async () => {
    await open({ sends: [sendOf({})], drafts: [] }, ['send-1'])
    await press('Send another like this')
    await settle()
    expect(calls('sends.duplicate').map(({ input }) => input)).toEqual([{ id: 'send-1', keeps: 'nothing' }])
    expect(window.location.hash).toMatch(/^#\/compose\/draft/)
    expect(opened.api.control.state.drafts[0]?.who).toBe('')
  })

  test('that is uncertain can be checked, and the result is shown in place', async () => {
    await open({ sends: [uncertain] }, ['old'])
    await press('Check now')
    await opened.clock.pass(300)
    expect(calls('sends.reconcile')).toHaveLength(1)
    expect(rows()).toEqual([['Sent', 'Deed of gift']])
  })

  test('that wasn’t delivered can be retried as it is', async () => {
    await open({ sends: [sendOf({ state: 'not-sent', documents: [] })] }, ['send-1'])
    await press('Try again')
    await settle()
    expect(screen.getByText('Queued.')).toBeTruthy()
  })

  test('that was rejected can be opened for correction', async () => {
    const draft = {
      id: 'draft-1',
      accountId: 'practice',
      kind: 'form-direct',
      title: 'Tax',
      who: '',
      updatedAt: NOW
    } as const
    const drafts = [{ ...draft, composition: { items: [] } as never }]
    await open({ drafts, sends: [sendOf({ state: 'refused', error: { code: 'server', message: '500' } })] }, ['send-1'])
    await press('Edit and send again')
    await settle()
    expect([opened.app.router.route.screen, ...opened.app.router.route.rest]).toEqual(['compose', 'draft-1'])
  })

  test('that is waiting can be moved back to Drafts, and the list gets the focus', async () => {
    const draft = {
      id: 'draft-1',
      accountId: 'practice',
      kind: 'form-direct',
      title: 'Tax',
      who: '',
      updatedAt: NOW
    } as const
    await open({ drafts: [{ ...draft, composition: { items: [] } as never }], sends: [waiting, uncertain] }, ['w'])
    await press('Cancel sending')
    await opened.clock.pass(300)
    expect(rows()).toEqual([['Not confirmed', 'Deed of gift']])
    expect(document.activeElement).toBe(screen.getByRole('grid'))
    expect(opened.app.toasts.shown.map((toast) => toast.text)).toContain('Moved back to Drafts.')
  })

  test('that is scheduled can get another time, from the package and from the list', async () => {
    await open({ sends: [waiting] }, ['w'])
    const setTime = async (time: string) => {
      const dialog = within(await screen.findByRole('dialog', { name: 'Change time' }))
      expect(dialog.getByRole<HTMLButtonElement>('button', { name: 'Change time' }).disabled).toBe(true)
      await fireEvent.input(dialog.getByLabelText('Time'), { target: { value: time } })
      await fireEvent.click(dialog.getByRole('button', { name: 'Change time' }))
      await settle()
    }
    await press('Change time…')
    await setTime('23:30')
    await fireEvent.contextMenu(screen.getAllByRole('row')[1] as HTMLElement)
    await fireEvent.click(await screen.findByRole('menuitem', { name: 'Change time…' }))
    await setTime('23:45')
    const times = calls('sends.reschedule').map(({ input }) => new Date((input as { at: number }).at))
    expect(times.map((time) => `${time.getHours()}:${time.getMinutes()}`)).toEqual(['23:30', '23:45'])
    expect(opened.app.toasts.shown.at(-1)?.text).toMatch(/^Sends on .*23:45/)
  })

  test('that left while its time was being changed says so', async () => {
    await open({ sends: [waiting] }, ['w'])
    opened.api.control.fail('sends.reschedule', { code: 'busy', message: 'This package is no longer scheduled.' })
    await press('Change time…')
    const dialog = within(await screen.findByRole('dialog', { name: 'Change time' }))
    await fireEvent.input(dialog.getByLabelText('Time'), { target: { value: '23:30' } })
    await fireEvent.click(dialog.getByRole('button', { name: 'Change time' }))
    await settle()
    expect(screen.getByText('The time wasn’t changed.')).toBeTruthy()
    expect(screen.getByText('This package is no longer scheduled.')).toBeTruthy()
  })

  test('that isn’t in the Outbox is reported', async () => {
    await open({ sends: [uncertain] }, ['elsewhere'])
    expect(screen.getByText('This package isn’t in the Outbox.')).toBeTruthy()
  })
})

describe('a late answer', () => {
  test('never replaces a newer one', async () => {
    const api = fakeApi({ sends: [sendOf({ id: 'a', state: 'sending' })] })
    const open = new OpenSend(api, new FakeClock(NOW), 'a')
    let answerFirst = () => {}
    const get = api.sends.get
    let requests = 0
    api.sends.get = async (input) => {
      const answer = await get(input)
      if (++requests === 1) await new Promise<void>((resolve) => (answerFirst = resolve))
      return answer
    }
    const first = open.load()
    await settle()
    api.control.state.sends = [sendOf({ id: 'a', state: 'sent' })]
    await open.load()
    expect(open.view?.state).toBe('sent')
    answerFirst()
    await first
    expect(open.view?.state).toBe('sent')
  })
})

test.each([
  ['paused', 'Sent when the pause ends'],
  ['line', 'Retried automatically'],
  ['turn', 'Sent automatically']
] as const)('a waiting package (%s) shows what happens next', async (hold, words) => {
  await open({ sends: [{ ...waiting, hold }] }, ['w'])
  expect(screen.getByText(words)).toBeTruthy()
})

describe('the Outbox', () => {
  test('can be paused and resumed', async () => {
    await open({ sends: [waiting] })
    await press('Pause')
    await settle()
    expect(screen.getByText(/^Paused since/)).toBeTruthy()
    await press('Resume')
    await settle()
    expect(screen.queryByText(/^Paused since/)).toBeNull()
    expect(screen.getByRole('button', { name: 'Pause' })).toBeTruthy()
  })

  test.each([
    ['payment-required', 'Paused: the service says a payment is due.'],
    ['quota', 'Paused: this account’s plan has no documents left.'],
    ['unauthorised', 'Paused: the service doesn’t accept this account’s key.']
  ] as const)('paused by the service (%s) explains why', async (code, words) => {
    await open({
      sends: [waiting],
      outbox: { settings, pause: { by: 'service', since: NOW, error: { code, message: 'x' } } }
    })
    expect(screen.getByText(words)).toBeTruthy()
    expect(screen.getByText(/Then resume\.$/)).toBeTruthy()
    await press('Resume')
    await settle()
    expect(calls('outbox.resume')).toHaveLength(1)
  })

  test('paused because of the keychain says so once for all accounts, and what to do', async () => {
    const error = {
      code: 'keychain',
      message: 'This computer’s keychain stopped while Countersign was running.',
      next: 'If it doesn’t start again by itself, start it. Then restart Countersign.'
    } as const
    const pause = { by: 'service', since: NOW, error } as const
    const paused = ['practice', 'harbour'].map((accountId) => ({ accountId, pause }))
    await open({
      accounts: [practiceAccount(), officeAccount()],
      sends: [waiting],
      outbox: { settings, pause, paused }
    })
    expect(screen.getByText(/^Paused: an account’s key or token can’t be read\.$/)).toBeTruthy()
    expect(screen.getByText(`${error.message} ${error.next} Then resume.`)).toBeTruthy()
    expect(screen.getAllByText(/keychain/)).toHaveLength(1)
    expect(screen.queryByText(/the service is rejecting/)).toBeNull()
  })

  test('waiting for a connection shows since when, and the next attempt', async () => {
    await open({
      sends: [waiting],
      outbox: { settings, pause: { by: 'line', since: NOW - 60_000, until: NOW + 60_000 } }
    })
    expect(screen.getByText(/^Waiting for a connection since \d\d:\d\d\.$/)).toBeTruthy()
    expect(screen.getByText(/Next try at \d\d:\d\d\./)).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Try now' })).toBeTruthy()
  })

  test('slowed down by the service can’t be resumed by hand', async () => {
    const error = { code: 'rate-limited', message: '429' } as const
    await open({
      sends: [waiting],
      outbox: { settings, pause: { by: 'service', since: NOW, until: NOW + 60_000, error } }
    })
    expect(screen.getByText(/^Paused by the service since/)).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Resume' })).toBeNull()
  })

  test('has settings that reject invalid values', async () => {
    await open({ sends: [waiting] })
    await press('Outbox settings')
    const dialog = within(await screen.findByRole('dialog'))
    const seconds = dialog.getByRole('textbox', { name: /^Time to undo/ })
    await fireEvent.input(seconds, { target: { value: '900' } })
    expect(dialog.getByText('Enter a whole number from 0 to 60.')).toBeTruthy()
    await fireEvent.input(seconds, { target: { value: '0' } })
    await fireEvent.input(dialog.getByRole('textbox', { name: /^Most packages per minute/ }), {
      target: { value: '30' }
    })
    await fireEvent.click(dialog.getByRole('button', { name: 'Save' }))
    await settle()
    expect(opened.api.control.state.outbox.settings).toEqual({ concurrency: 2, perMinute: 30, undoSeconds: 0 })
    expect(screen.queryByRole('dialog')).toBeNull()
  })
})

describe('a batch', () => {
  const ofBatch = [
    sendOf({ id: 'r1', title: 'First', batchId: 'batch-1', row: 1 }),
    sendOf({ id: 'r2', title: 'Second', batchId: 'batch-1', row: 2, state: 'refused' })
  ]

  test('in progress is shown above the packages, and can be paused and resumed', async () => {
    await open({ batches: [batchOf()], sends: [...ofBatch, uncertain] })
    expect(screen.getByRole('img', { name: /^Staff declarations: 130 sent, 2 sending, 50 waiting/ })).toBeTruthy()
    await press('Pause Staff declarations')
    await settle()
    expect(opened.api.control.state.batches[0]?.state).toBe('paused')
    await press('Resume Staff declarations')
    await settle()
    expect(opened.api.control.state.batches[0]?.state).toBe('going')
  })

  test('links to its rows, with their counts', async () => {
    await open({ batches: [batchOf()], sends: [...ofBatch, uncertain] }, [], { batch: 'batch-1' })
    expect(screen.getAllByRole('row').slice(1)).toHaveLength(2)
    expect(tab(/^All/).textContent).toContain('190')
    expect(tab(/^Needs attention/).getAttribute('href')).toContain('batch=batch-1')
    expect(screen.getByRole('columnheader', { name: 'Row' })).toBeTruthy()
    expect(screen.getByRole('link', { name: 'All packages' })).toBeTruthy()
  })

  test('is cancelled for the remaining packages only after confirmation', async () => {
    await open({ batches: [batchOf()] }, [], { batch: 'batch-1' })
    await press('Cancel the rest…')
    const dialog = within(await screen.findByRole('dialog'))
    expect(calls('batches.cancel')).toHaveLength(0)
    await fireEvent.click(dialog.getByRole('button', { name: 'Cancel 50 packages' }))
    await settle()
    expect(screen.getByText(/50 cancelled/)).toBeTruthy()
  })

  test('can retry failed packages and export the rows to fix', async () => {
    await open({ batches: [batchOf()] }, [], { batch: 'batch-1' })
    await press('Try 7 packages again')
    await settle()
    expect(calls('batches.retry')).toHaveLength(1)
    await press('Export 5 rows left out…')
    await settle()
    expect(opened.app.toasts.shown.at(-1)?.text).toContain('Rows to fix.csv')
  })

  test('that couldn’t be paused explains why, and stays unchanged', async () => {
    await open({ batches: [batchOf()] })
    opened.api.control.fail('batches.pause', { code: 'storage', message: 'Not now.' })
    await press('Pause Staff declarations')
    await settle()
    expect(screen.getByText('That didn’t work.')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Pause Staff declarations' })).toBeTruthy()
  })

  test('that ends while another is being paused is shown as ended', async () => {
    await open({ batches: [batchOf(), batchOf({ id: 'batch-2', name: 'tenants' })] })
    const { api, clock } = opened
    const batches = new Batches(api, clock)
    await batches.load()
    const paused = api.control.hold('batches.pause')
    const pausing = batches.change('batch-1', 'pause')
    const read = api.control.hold('batches.list')
    const { state } = api.control
    state.batches = state.batches.map((one) => (one.id === 'batch-2' ? { ...one, state: 'done' as const } : one))
    void batches.load()
    paused()
    await settle()
    read()
    await pausing
    expect([batches.find('batch-1')?.state, batches.find('batch-2')?.state]).toEqual(['paused', 'done'])
  })

  test('that is done is listed under Batches', async () => {
    const counts = { ready: 0, sending: 0, sent: 190, refused: 0, uncertain: 0, notSent: 0, cancelled: 0 }
    await open({ batches: [batchOf({ state: 'done', counts, leftOut: 0 })], sends: ofBatch })
    expect(screen.queryByText('Staff declarations')).toBeNull()
    await fireEvent.click(tab(/^Batches/))
    opened.app.router.go('outbox', [], { show: 'batches' })
    await settle()
    expect(screen.getByText('All sent')).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Staff declarations' }).getAttribute('href')).toBe('#/outbox?batch=batch-1')
  })
})

test('a batch with left-out rows counts as all sent, and shows their number', async () => {
  const counts = { ready: 0, sending: 0, sent: 11, refused: 0, uncertain: 0, notSent: 0, cancelled: 0 }
  await open({ batches: [batchOf({ state: 'done', counts, leftOut: 1, total: 11 })] }, [], { show: 'batches' })
  expect(screen.getByText('All sent')).toBeTruthy()
  expect(screen.getByText('11 sent')).toBeTruthy()
  expect(screen.getByText('1 row left out of this batch')).toBeTruthy()
})

test('rows left out of a batch can be seen with their reasons, and opened as a sheet to fix and send', async () => {
  const counts = { ready: 0, sending: 0, sent: 11, refused: 0, uncertain: 0, notSent: 0, cancelled: 0 }
  await open({ batches: [batchOf({ state: 'done', counts, leftOut: 2, total: 11 })] }, [], { batch: 'batch-1' })
  // Said once, and without saying that nothing is sent for them: they may be sent since, or be duplicates.
  expect(screen.getAllByText(/left out/).map(({ textContent }) => textContent?.trim())).toEqual([
    'Export 2 rows left out…',
    '2 rows left out of this batch'
  ])
  await press('Show rows left out of Staff declarations')
  const dialog = within(await screen.findByRole('dialog', { name: '2 rows left out' }))
  await settle()
  expect(dialog.getByText('Row 4')).toBeTruthy()
  expect(dialog.getByText('Same as row 2.')).toBeTruthy()
  await fireEvent.click(dialog.getByRole('button', { name: 'Fix and send…' }))
  await settle()
  expect(window.location.hash).toBe('#/bulk?leftOut=batch-1')
})

test('rows left out of a batch of another account can’t be sent from this one', async () => {
  const accounts = [practiceAccount(), officeAccount()].map((one) => ({ ...one, shown: true }))
  const batch = batchOf({ state: 'done', leftOut: 110, total: 11, accountId: 'harbour' })
  await open({ accounts, batches: [batch] }, [], { batch: 'batch-1' })
  await press('Show rows left out of Staff declarations')
  const dialog = within(await screen.findByRole('dialog', { name: '110 rows left out' }))
  await settle()
  expect(dialog.getByText('Choose the account “Harbour & Co. Conveyancing” to fix and send them.')).toBeTruthy()
  expect(dialog.getByText('And 10 more rows.')).toBeTruthy()
  expect(dialog.queryByRole('button', { name: 'Fix and send…' })).toBeNull()
})

test('a scheduled package counts as waiting', async () => {
  await open({ sends: [waiting] })
  expect(screen.getByText('1 waiting')).toBeTruthy()
})

test('the scheduled time is described in one sentence', () => {
  const { title, meaning } = heldInWords({ ...waiting, goesAt: Date.UTC(2025, 11, 5, 9) }, NOW, undefined)
  expect(title).toMatch(/^Scheduled for Friday 5 December, \d\d:\d\d\.$/)
  expect(meaning).toMatch(/^Keep Countersign open/)
})

test('every state and reason for waiting has its own text', () => {
  const holds = ['undo', 'time', 'line', 'paused', 'rate-limited', 'turn'] as const
  const states = ['sending', 'sent', 'refused', 'uncertain', 'not-sent', 'cancelled'] as const
  const all: Pick<SendView, 'state' | 'hold' | 'ambiguity'>[] = [
    ...holds.map((hold) => ({ state: 'ready' as const, hold })),
    ...states.map((state) => ({ state })),
    { state: 'uncertain', ambiguity: { sent: [], found: [] } }
  ]
  expect(new Set(all.map((one) => sendStatus(one).word)).size).toBe(all.length)
})
