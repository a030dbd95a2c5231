import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { beforeEach, describe, expect, test } from 'vitest'
import Compose from '../../src/renderer/src/screens/compose/Compose.svelte'
import { blankComposition } from '../../src/shared/composition/composition.ts'
import type { AccountView, DraftView, SendView } from '../../src/shared/contract/views.ts'
import { fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { leave, leaveDue, putSend } from './fakes/outbox.ts'
import { type Opened, openOffice, show } from './office.ts'
import { documents, NOW, practiceAccount, sendOf } from './people.ts'

let opened: Opened

/** Returns a package of one form that can be sent as it is. */
function draft(): DraftView {
  const composition = blankComposition('form-direct', 'a')
  const [item] = composition.items
  const signer = item?.signers[0]
  if (item) Object.assign(item, { Name: 'Tax declaration', Reference: 'form-1', FormType: '3' })
  if (signer) Object.assign(signer, { FirstName: 'Mere', LastName: 'Parata', Email: 'mere.parata@example.com' })
  const kind = composition.kind
  return {
    id: 'draft-1',
    accountId: 'practice',
    kind,
    title: 'Tax declaration',
    who: 'Mere Parata',
    updatedAt: NOW,
    composition
  }
}

async function open(change: Parameters<typeof fakeApi>[0] = {}) {
  opened = await openOffice(fakeApi({ drafts: [draft()], ...change }))
  opened.api.control.state.now = () => opened.clock.now()
  opened.app.router.go('compose', ['draft-1'])
  show(opened, Compose)
  await screen.findByRole('button', { name: 'Send 1 form' })
}

const press = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }))
const email = () =>
  screen.queryByRole<HTMLInputElement>('combobox', { name: 'E-mail' }) ??
  screen.getByRole<HTMLInputElement>('textbox', { name: 'E-mail' })
const calls = (name: string) => opened.api.control.calls.filter((call) => call.name === name)
const queued = () => opened.api.control.state.sends[0] as SendView
const control = () => opened.api.control

async function send() {
  await press('Send 1 form')
  await screen.findByRole('heading', { level: 1, name: 'Tax declaration' })
  await settle()
}

/** Changes the send's state in the main process, which raises the event. */
async function changeSend(change: Partial<SendView>) {
  const { hold: _hold, goesAt: _goesAt, ...rest } = queued()
  putSend(control(), { ...rest, attempt: 1, attemptedAt: opened.clock.now(), ...change })
  await opened.clock.pass(300)
}

const unanswered = { code: 'timeout', message: 'No answer.', mayHaveArrived: true } as const

describe('the account’s limits', () => {
  const limited = (limits: AccountView['limits']) => open({ accounts: [{ ...practiceAccount(), limits }] })

  test('cause warnings where the package exceeds them, but don’t block sending', async () => {
    await limited({ documentsLeft: 0, maxDueDays: 7, faceToFace: false })
    await fireEvent.click(screen.getByLabelText('Face to face'))
    await fireEvent.input(screen.getByLabelText('Date'), { target: { value: '2099-12-31' } })
    await settle()
    expect(screen.getByText('The plan has no documents left, and this needs 1.')).toBeTruthy()
    expect(screen.getByText('This account doesn’t allow face-to-face signing.')).toBeTruthy()
    expect(screen.getByText(/allows 7 days at most/)).toBeTruthy()
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Send 1 form' }).disabled).toBe(false)
  })

  test('cause no warnings when the service reports none', async () => {
    await limited({})
    await fireEvent.click(screen.getByLabelText('Face to face'))
    expect(screen.queryByText(/^The plan has|doesn’t allow face-to-face/)).toBeNull()
  })

  test('determine the default due date shown, if the service reports one', async () => {
    await limited({ defaultDueDays: 10 })
    expect(screen.getByRole('radio', { name: /^Default ?10 days/ })).toBeTruthy()
    expect(screen.getAllByText(/^Default \(10 days\), due \w{3} \d+ \w+$/)).toHaveLength(2)
    cleanup()
    await limited({})
    expect(screen.getByRole('radio', { name: /^Default ?set by the service/ })).toBeTruthy()
    expect(screen.getAllByText('Default, set by the service')).toHaveLength(2)
  })
})

describe('Send', () => {
  beforeEach(() => open())

  test('saves the draft first, then queues the package for ten seconds', async () => {
    await fireEvent.input(email(), { target: { value: 'mere@example.org' } })
    await send()
    const names = control().calls.map((call) => call.name)
    expect(names.lastIndexOf('drafts.save')).toBeLessThan(names.indexOf('sends.start'))
    expect(screen.getByRole('timer').textContent).toBe('Sending in 10 s')
    await opened.clock.pass(3000)
    expect(screen.getByRole('timer').textContent).toBe('Sending in 7 s')
    expect(calls('sends.now')).toHaveLength(0)
  })

  test('with missing values sends nothing and focuses the first of them', async () => {
    await fireEvent.input(email(), { target: { value: '' } })
    await press('Send 1 form')
    await settle()
    expect(document.activeElement).toBe(email())
    expect(calls('sends.start')).toHaveLength(0)
  })

  test('sends once when pressed repeatedly', async () => {
    const answer = control().hold('sends.start')
    const button = screen.getByRole('button', { name: 'Send 1 form' })
    await fireEvent.click(button)
    await settle()
    await fireEvent.click(button)
    answer()
    await screen.findByRole('timer')
    await fireEvent.click(button)
    await fireEvent.keyDown(window, { key: 'Enter', ctrlKey: true })
    await settle()
    expect(calls('sends.start')).toHaveLength(1)
  })

  test('locks the form until the outbox has accepted or refused the package', async () => {
    const form = email().closest('.form')
    const isLocked = () => (form as HTMLElement).inert === true
    const answer = control().hold('sends.start')
    await press('Send 1 form')
    await settle()
    expect(isLocked()).toBe(true)
    answer()
    await screen.findByRole('timer')
    expect(isLocked()).toBe(true)
    await press(/^Undo send/)
    await settle()
    expect(isLocked()).toBe(false)
    control().fail('sends.start', { code: 'storage', message: 'Not now.' })
    await press('Send 1 form')
    await screen.findByText('The package wasn’t sent.')
    expect(isLocked()).toBe(false)
  })

  test('withdraws the Undo of a removal, which couldn’t change the package any more', async () => {
    await press('Add a signer')
    const trigger = screen.getByRole('button', { name: /^Actions for .*2/ })
    trigger.focus()
    await fireEvent.keyDown(trigger, { key: 'Enter' })
    await fireEvent.click(await screen.findByRole('menuitem', { name: 'Remove' }))
    await settle()
    const labels = () => opened.app.toasts.shown.map((toast) => toast.action?.label)
    expect(labels()).toEqual(['Undo'])
    const answer = control().hold('sends.start')
    await press('Send 1 form')
    await settle()
    expect(labels()).toEqual([])
    answer()
    await screen.findByRole('timer')
  })

  test.each(['drafts.save', 'sends.start'] as const)(
    'reports that %s failed after the screen was left, and offers the way back',
    async (name) => {
      const answer = control().hold(name)
      control().fail(name, { code: 'no-space', message: 'The disk is full.' })
      await fireEvent.input(email(), { target: { value: 'mere@example.org' } })
      await press('Send 1 form')
      opened.app.router.go('compose', [])
      await screen.findByRole('heading', { name: 'What do you want to send?' })
      answer()
      const texts = () => opened.app.toasts.shown.map((toast) => toast.text)
      await waitFor(() => expect(texts()).toContain('“Tax declaration” wasn’t sent. The disk is full.'))
      opened.app.toasts.shown.at(-1)?.action?.run()
      await screen.findByRole('button', { name: 'Send 1 form' })
      expect(email().value).toBe('mere@example.org')
    }
  )

  test('stops following the package when the screen was left before it was queued', async () => {
    const answer = control().hold('sends.start')
    await press('Send 1 form')
    opened.app.router.go('compose', [])
    await settle()
    answer()
    await waitFor(() => expect(control().state.sends).toHaveLength(1))
    await settle()
    control().emit('sends.changed', { ids: [queued().id] })
    await opened.clock.pass(1000)
    expect(calls('sends.get')).toHaveLength(0)
  })

  test('does nothing when the draft can’t be saved', async () => {
    control().fail('drafts.save', { code: 'no-space', message: 'The disk is full.' })
    await fireEvent.input(email(), { target: { value: 'mere@example.org' } })
    await press('Send 1 form')
    await screen.findByText('The package wasn’t sent.')
    expect(calls('sends.start')).toHaveLength(0)
  })

  test('leaves the form editable when the outbox refuses the package', async () => {
    control().fail('sends.start', { code: 'storage', message: 'Not now.' })
    await press('Send 1 form')
    await screen.findByText('The package wasn’t sent.')
    await fireEvent.input(email(), { target: { value: 'later@example.org' } })
    await settle()
    await opened.clock.pass(300)
    expect(control().state.drafts[0]?.composition.items[0]?.signers[0]?.Email).toBe('later@example.org')
  })

  test('sends when the countdown ends, and links to the documents', async () => {
    await send()
    await opened.clock.pass(9900)
    expect(screen.getByRole('timer')).toBeTruthy()
    await opened.clock.pass(200)
    expect(screen.getByRole('timer').textContent).toBe('Sending now…')
    leaveDue(control())
    await opened.clock.pass(300)
    expect(screen.getByText('Sent to Mere Parata.')).toBeTruthy()
    const link = screen.getByRole('link', { name: 'Tax declaration.pdf' })
    expect(link.getAttribute('href')).toContain('document=doc-0')
    // The document's own link is enough.
    expect(screen.queryByRole('link', { name: /^Open the document/ })).toBeNull()
    expect(await screen.findByRole('link', { name: /^Sign now at the counter/ })).toBeTruthy()
    await press('New package')
    expect(await screen.findByRole('heading', { name: 'What do you want to send?' })).toBeTruthy()
  })

  test('notices that the package was sent even without an event', async () => {
    await send()
    control().state.sends = [{ ...queued(), state: 'sending', attempt: 1, attemptedAt: NOW }]
    await opened.clock.pass(11_500)
    expect(screen.getByText('Sending…')).toBeTruthy()
  })

  test('can be hurried with “Send now”', async () => {
    await send()
    screen.getByRole('button', { name: 'Send now' }).focus()
    await press('Send now')
    await screen.findByText(/^Sent/)
    expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1 }))
    expect(calls('sends.now')).toEqual([{ name: 'sends.now', input: { id: queued().id } }])
  })
})

describe('a package that was sent', () => {
  async function sent(change: Partial<SendView> = {}) {
    await open()
    control().state.nextSend = change
    await send()
    await press('Send now')
    await screen.findByText('Sent to Mere Parata.')
  }

  test('shows when it is due, or that the account’s default applies', async () => {
    await sent({ due: { at: Date.UTC(2025, 11, 5, 4), precision: 'time' } })
    expect(screen.getByText(/^Can be signed until Friday 5 December 2025 at/)).toBeTruthy()
    cleanup()
    await open({ accounts: [{ ...practiceAccount(), limits: { defaultDueDays: 10 } }] })
    await send()
    await press('Send now')
    expect(await screen.findByText('No due date was set: your account’s 10 days apply.')).toBeTruthy()
  })

  test('offers the link of each document that has one', async () => {
    await sent({
      documents: [
        { reference: 'doc-0', name: 'Tax.pdf', hasLink: true },
        { reference: 'doc-2', name: 'Fund.pdf' }
      ]
    })
    expect(screen.queryByRole('button', { name: 'Copy link: Fund.pdf' })).toBeNull()
    await press('Copy link: Tax.pdf')
    await settle()
    expect(calls('documents.copyLink').map(({ input }) => input)).toEqual([{ reference: 'doc-0' }])
    expect(opened.app.toasts.shown.at(-1)?.text).toBe('Link copied.')
  })

  test('can be sent to someone else, with the same form and no signers', async () => {
    await sent()
    await press('Send another like this')
    await screen.findByRole('button', { name: 'Send 1 form' })
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('Tax declaration')
    expect(email().value).toBe('')
    expect(screen.getByLabelText<HTMLInputElement>('First name').value).toBe('')
  })

  test('asks for confirmation before it is sent to the same people again', async () => {
    await sent()
    const first = queued().id
    await fireEvent.keyDown(screen.getByRole('button', { name: 'What the next one begins with' }), { key: 'Enter' })
    await fireEvent.click(await screen.findByRole('menuitem', { name: 'With the same people and data' }))
    await screen.findByRole('button', { name: 'Send 1 form' })
    expect(email().value).toBe('mere.parata@example.com')
    await press('Send 1 form')
    const dialog = within(await screen.findByRole('dialog', { name: 'Send this again?' }))
    expect(dialog.getByText(/^The same package was sent to the same people on /)).toBeTruthy()
    expect(calls('sends.start')).toHaveLength(1)
    await fireEvent.click(dialog.getByRole('button', { name: 'Cancel' }))
    await settle()
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(calls('sends.start')).toHaveLength(1)
    await press('Send 1 form')
    await fireEvent.click(await screen.findByRole('button', { name: 'Send again' }))
    await screen.findByRole('timer')
    expect(calls('sends.start')).toHaveLength(2)
    expect(queued().id).not.toBe(first)
  })
})

test('a package found to be a duplicate after leaving the screen stays a draft, with a notice', async () => {
  await open({ sent: { 'send-1': draft().composition }, sends: [sendOf()] })
  const answer = control().hold('sends.sameSent')
  await press('Send 1 form')
  opened.app.router.go('compose', [])
  await screen.findByRole('heading', { name: 'What do you want to send?' })
  answer()
  const texts = () => opened.app.toasts.shown.map((toast) => toast.text)
  await waitFor(() =>
    expect(texts()).toContain(
      '“Tax declaration” wasn’t sent. The same package for the same people is in the Outbox already.'
    )
  )
  expect(calls('sends.start')).toHaveLength(0)
  expect(control().state.drafts).toHaveLength(1)
})

describe('returning to a package that was sent', () => {
  const placeOfSend = () => window.location.hash

  test('shows its state instead of the form, and undoing it there shows the form', async () => {
    await open()
    await send()
    expect(placeOfSend()).toBe(`#/compose/draft-1?send=${queued().id}`)
    opened.app.router.go('compose', [])
    await screen.findByRole('heading', { name: 'What do you want to send?' })
    opened.app.router.go('compose', ['draft-1'], { send: queued().id })
    await settle()
    expect(screen.getByRole('timer')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Send 1 form' })).toBeNull()
    await fireEvent.keyDown(window, { key: 'Escape' })
    expect(await screen.findByRole('button', { name: 'Send 1 form' })).toBeTruthy()
    expect(placeOfSend()).toBe('#/compose/draft-1')
  })

  test('opens the form for correction when it has been refused', async () => {
    await open({ sends: [sendOf({ id: 'one', state: 'refused', documents: [] })] })
    opened.app.router.go('compose', [])
    await settle()
    opened.app.router.go('compose', ['draft-1'], { send: 'one' })
    expect(await screen.findByRole('button', { name: 'Send 1 form' })).toBeTruthy()
  })
})

describe('undoing a send', () => {
  beforeEach(() => open())

  test('returns to the form with the same focus, and saves further changes', async () => {
    const before = email()
    before.focus()
    await fireEvent.keyDown(before, { key: 'Enter', ctrlKey: true })
    await screen.findByRole('timer')
    expect(screen.queryByRole('button', { name: 'Send 1 form' })).toBeNull()
    await press(/^Undo send/)
    await settle()
    expect(email()).toBe(before)
    expect(document.activeElement).toBe(before)
    expect(control().state.sends).toEqual([])
    await fireEvent.input(email(), { target: { value: 'corrected@example.org' } })
    await settle()
    await opened.clock.pass(300)
    expect(control().state.drafts[0]?.composition.items[0]?.signers[0]?.Email).toBe('corrected@example.org')
    expect(opened.app.toasts.shown.map((toast) => toast.text)).toContain('Send undone.')
  })

  test('continues in the draft that it returns, even if that is a new one', async () => {
    await send()
    const { undo } = opened.api.sends
    opened.api.sends.undo = async (input) => {
      const result = await undo(input)
      if (!result.ok) return result
      control().state.drafts = control().state.drafts.map((one) => ({ ...one, id: 'draft-2' }))
      return { ok: true, value: { ...result.value, id: 'draft-2' } }
    }
    await press(/^Undo send/)
    await settle()
    expect(window.location.hash).toBe('#/compose/draft-2')
    await fireEvent.input(email(), { target: { value: 'corrected@example.org' } })
    await settle()
    await opened.clock.pass(300)
    const emails = control().state.drafts.map((one) => [one.id, one.composition.items[0]?.signers[0]?.Email])
    expect(emails).toEqual([['draft-2', 'corrected@example.org']])
  })

  test.each([{ key: 'Escape' }, { key: 'z', ctrlKey: true }])('works with %o', async (keys) => {
    await send()
    await fireEvent.keyDown(document.activeElement ?? window, keys)
    expect(await screen.findByRole('button', { name: 'Send 1 form' })).toBeTruthy()
    expect(calls('sends.undo')).toHaveLength(1)
  })

  test('no longer works by key once the package is being sent', async () => {
    await send()
    await changeSend({ state: 'sending' })
    await fireEvent.keyDown(window, { key: 'Escape' })
    await fireEvent.keyDown(window, { key: 'z', ctrlKey: true })
    expect(calls('sends.undo')).toHaveLength(0)
  })

  test('says when it is too late, and shows the state', async () => {
    await send()
    control().state.sends = [{ ...queued(), state: 'sending', attempt: 1, attemptedAt: NOW }]
    await press(/^Undo send/)
    await settle()
    expect(screen.getByText('Too late to undo.')).toBeTruthy()
    expect(screen.getByText('Sending…')).toBeTruthy()
    expect(screen.queryByRole('button', { name: /^Undo send/ })).toBeNull()
  })
})

describe('by keyboard', () => {
  beforeEach(() => open())

  test('Ctrl+Enter sends and focuses the heading', async () => {
    await fireEvent.keyDown(email(), { key: 'Enter', ctrlKey: true })
    const heading = await screen.findByRole('heading', { level: 1, name: 'Tax declaration' })
    expect(document.activeElement).toBe(heading)
  })

  test('Ctrl+Enter does nothing while the package is waiting', async () => {
    await send()
    await fireEvent.keyDown(window, { key: 'Enter', ctrlKey: true })
    await settle()
    expect(calls('sends.start')).toHaveLength(1)
  })
})

describe('following a package after Send', () => {
  beforeEach(async () => {
    await open()
    await send()
  })

  test('refused: shows the form with the service’s messages at their fields until corrected', async () => {
    await changeSend({
      state: 'refused',
      error: {
        code: 'invalid',
        message: 'Refused.',
        mayHaveArrived: false,
        fields: [
          { field: 'Forms[0].Signers[0].Email', message: 'This address bounces.' },
          { field: 'Forms[0].Colour', message: 'Not known.' }
        ]
      }
    })
    expect(screen.getByText(/the service rejected it/)).toBeTruthy()
    await waitFor(() => expect(document.activeElement).toBe(email()))
    expect(email().getAttribute('aria-invalid')).toBe('true')
    expect(screen.getByText('Not known.')).toBeTruthy()
    await fireEvent.input(email(), { target: { value: 'mere@example.org' } })
    expect(email().getAttribute('aria-invalid')).toBeNull()
    await settle()
    await opened.clock.pass(300)
    expect(control().state.drafts[0]?.composition.items[0]?.signers[0]?.Email).toBe('mere@example.org')
  })

  test('uncertain: says that it may have arrived and when the next check is, then shows the result', async () => {
    const nextLookAt = opened.clock.now() + 60_000
    await changeSend({ state: 'uncertain', documents: [], error: unanswered, nextLookAt })
    expect(screen.getByText('Not confirmed. It may have arrived.')).toBeTruthy()
    expect(screen.getByText(/checks automatically, next check at \d\d:\d\d/)).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Send 1 form' })).toBeNull()
    expect(screen.queryByRole('button', { name: /^Undo send/ })).toBeNull()
    await changeSend({ state: 'sent', documents: [{ reference: 'doc-0', name: 'Tax declaration.pdf' }] })
    expect(screen.getByText(/^Sent/)).toBeTruthy()
  })

  test('uncertain: stays so when the service can’t be checked', async () => {
    await changeSend({ state: 'uncertain', documents: [], error: unanswered })
    control().fail('sends.reconcile', { code: 'offline', message: 'No network.' })
    await press('Check now')
    expect(await screen.findByText('We couldn’t check with the service.')).toBeTruthy()
    expect(screen.getByText('Not confirmed. It may have arrived.')).toBeTruthy()
  })

  test('not sent: shows the form, which can be sent again', async () => {
    await changeSend({ state: 'not-sent' })
    expect(screen.getByText(/Not delivered/)).toBeTruthy()
    await press('Send 1 form')
    expect(await screen.findByRole('timer')).toBeTruthy()
    expect(calls('sends.start')).toHaveLength(2)
  })

  test('offline: waits for a connection and says that it will be sent automatically', async () => {
    await changeSend({ state: 'ready', hold: 'line', attempt: 0 })
    expect(screen.getByText('Waiting for a connection.')).toBeTruthy()
    expect(screen.getByText(/It will be sent automatically\./)).toBeTruthy()
    expect(screen.getByRole('button', { name: /^Undo send/ })).toBeTruthy()
  })

  test('changes of other packages are not loaded', async () => {
    const before = calls('sends.get').length
    control().emit('sends.changed', { ids: ['another'] })
    await opened.clock.pass(1000)
    expect(calls('sends.get')).toHaveLength(before)
  })

  test('a state that can’t be loaded leaves the last one, with its time', async () => {
    control().fail('sends.get', { code: 'storage', message: 'Not now.' })
    control().emit('sends.changed', { ids: [queued().id] })
    await opened.clock.pass(1000)
    expect(screen.getByRole('timer')).toBeTruthy()
    expect(screen.getByText(/This is from \d\d:\d\d\./)).toBeTruthy()
  })
})

describe('an uncertain package that can’t be matched', () => {
  const found = (reference: string) => ({
    reference,
    name: `Tax declaration ${reference}`,
    signers: ['Mere Parata'],
    folder: 'InBox',
    status: 'Not started',
    clientReference: 'M-1'
  })

  async function inDoubt(names: string[], references: string[], missingFolders?: string[]) {
    await open()
    await send()
    const sent = names.map((name) => ({ name, signers: ['Mere Parata'], clientReference: 'M-1' }))
    await changeSend({
      state: 'uncertain',
      documents: [],
      error: unanswered,
      ambiguity: { sent, found: references.map(found), ...(missingFolders && { missingFolders }) }
    })
  }

  test('shows both sides, and “It’s this one” marks it as sent with that document', async () => {
    await inDoubt(['Tax declaration'], ['doc-1', 'doc-2'])
    expect(within(screen.getByRole('region', { name: 'What was sent' })).getByText('Tax declaration')).toBeTruthy()
    const folders = within(screen.getByRole('region', { name: 'In the folders' }))
    expect(folders.getByText('Tax declaration doc-2')).toBeTruthy()
    await fireEvent.click(folders.getAllByRole('button', { name: 'It’s this one' })[1] as HTMLElement)
    expect(await screen.findByRole('link', { name: 'Tax declaration doc-2' })).toBeTruthy()
    expect(calls('sends.resolve')[0]?.input).toEqual({ id: queued().id, arrived: true, documents: ['doc-2'] })
  })

  test('with several forms is settled with the documents that are ticked', async () => {
    await inDoubt(['Tax declaration', 'Deed of gift'], ['doc-1', 'doc-2', 'doc-3'])
    const marks = screen.getAllByRole('checkbox', { name: 'Part of this package' })
    await fireEvent.click(marks[0] as HTMLElement)
    await fireEvent.click(marks[2] as HTMLElement)
    await press('It’s these 2 documents')
    await settle()
    expect(calls('sends.resolve')[0]?.input).toMatchObject({ arrived: true, documents: ['doc-1', 'doc-3'] })
  })

  test('is marked as not delivered only after confirmation, and can then be sent again', async () => {
    await inDoubt(['Tax declaration'], [])
    expect(screen.getByText('Nothing similar')).toBeTruthy()
    await press('It didn’t arrive')
    const dialog = within(await screen.findByRole('dialog'))
    expect(calls('sends.resolve')).toHaveLength(0)
    await fireEvent.click(dialog.getByRole('button', { name: 'Mark as not delivered' }))
    expect(await screen.findByRole('button', { name: 'Send 1 form' })).toBeTruthy()
    expect(calls('sends.resolve')[0]?.input).toEqual({ id: queued().id, arrived: false })
  })

  test('names the folders that the service lacks, and can then be marked as sent without documents', async () => {
    await inDoubt(['Tax declaration'], [], ['Archive'])
    expect(screen.getByText(/^The service has no folder “Archive”\. The package may be there\./)).toBeTruthy()
    await press('It arrived')
    await settle()
    expect(calls('sends.resolve')[0]?.input).toEqual({ id: queued().id, arrived: true, documents: [] })
  })
})

describe('before sending', () => {
  test('being offline is shown, and sending is still possible', async () => {
    await open({
      connection: { state: 'offline', since: NOW - 60_000, error: { code: 'offline', message: 'No network.' } }
    })
    expect(screen.getByText(/^You’ve been offline since/)).toBeTruthy()
    expect(screen.getByText('You can still send. It will go when you’re back online.')).toBeTruthy()
    await send()
    expect(calls('sends.start')).toHaveLength(1)
  })

  test('a paused Outbox is shown', async () => {
    await open({
      outbox: {
        settings: { concurrency: 2, perMinute: null, undoSeconds: 10 },
        pause: { by: 'service', since: NOW, error: { code: 'quota', message: '426' } }
      }
    })
    expect(screen.getByText('Paused: this account’s plan has no documents left.')).toBeTruthy()
  })

  test('documents that can’t be signed at the counter offer no counter link after sending', async () => {
    await open({ documents: documents(40, NOW).map((one) => ({ ...one, signers: [] })) })
    await send()
    leave(control(), queued().id)
    await opened.clock.pass(300)
    expect(screen.getByText(/^Sent/)).toBeTruthy()
    expect(screen.queryByRole('link', { name: /^Sign now/ })).toBeNull()
  })
})

describe('scheduling a send', () => {
  beforeEach(() => open())

  async function choose(name: RegExp) {
    await fireEvent.keyDown(screen.getByRole('button', { name: 'Send later' }), { key: 'Enter' })
    await fireEvent.click(await screen.findByRole('menuitem', { name }))
    await settle()
  }

  test('a suggested time is one menu entry, and is confirmed in words', async () => {
    await choose(/^Tomorrow at 09:00/)
    expect(await screen.findByText(/^Scheduled for Thursday 27 November, 09:00\.$/)).toBeTruthy()
    const tomorrow = new Date(NOW)
    tomorrow.setDate(tomorrow.getDate() + 1)
    expect(calls('sends.start')[0]?.input).toMatchObject({ at: tomorrow.setHours(9, 0, 0, 0) })
  })

  test('any future date and time can be chosen', async () => {
    await choose(/^Choose a date/)
    const dialog = within(await screen.findByRole('dialog', { name: 'Send later' }))
    await fireEvent.input(dialog.getByLabelText('Date'), { target: { value: '2025-11-01' } })
    expect(dialog.getByText(/That time has passed/)).toBeTruthy()
    expect(dialog.getByRole<HTMLButtonElement>('button', { name: 'Schedule' }).disabled).toBe(true)
    await fireEvent.input(dialog.getByLabelText('Date'), { target: { value: '2025-12-04' } })
    expect(dialog.getByText('Sends on Thursday 4 December, 09:00')).toBeTruthy()
    await fireEvent.click(dialog.getByRole('button', { name: 'Schedule' }))
    await screen.findByRole('button', { name: 'Cancel sending' })
    expect(queued()).toMatchObject({ hold: 'time', goesAt: new Date(2025, 11, 4, 9).getTime() })
    await fireEvent.keyDown(window, { key: 'Escape' })
    await settle()
    expect(queued()).toMatchObject({ hold: 'time' })
  })

  test('missing values must be filled in first', async () => {
    await fireEvent.input(email(), { target: { value: '' } })
    await choose(/^Choose a date/)
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(document.activeElement).toBe(email())
  })
})
