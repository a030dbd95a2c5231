import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { beforeEach, describe, expect, test } from 'vitest'
import Compose from '../../src/renderer/src/screens/compose/Compose.svelte'
import { blankComposition } from '../../src/shared/composition/composition.ts'
import type { DraftOffice } from '../../src/shared/contract/views.ts'
import { form, forms } from '../fixtures/compositions.ts'
import { fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'

let opened: Opened

async function open(change: Parameters<typeof fakeApi>[0] = {}) {
  opened = await openOffice(fakeApi(change))
  show(opened, Compose)
  await settle()
}

/** Returns a text field, with or without suggestions. */
const box = (name: string | RegExp) =>
  screen.queryByRole<HTMLInputElement>('combobox', { name }) ?? screen.getByRole<HTMLInputElement>('textbox', { name })
const type = (name: string | RegExp, value: string) => fireEvent.input(box(name), { target: { value } })
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }))

async function fillOneForm() {
  await press(/^Forms/)
  await type('Name', 'Tax declaration')
  await type('Reference', 'form-1')
  await type(/^Form type/, '3')
  await type('First name', 'Mere')
  await type('Last name', 'Parata')
  await type('E-mail', 'mere.parata@example.com')
}

test('a form hints that it may ask for a file, once its reference matches one with uploads', async () => {
  const { documents } = fakeApi().control.state
  const hint = () => screen.queryByText('Signers have added files to this form before, so it may ask for one.')
  await open({
    documents: documents.map((one) => (one.hasFileUploaded ? { ...one, formDirectReference: 'form-1' } : one))
  })
  await fillOneForm()
  expect(hint()).toBeNull()
  await fireEvent.focusOut(box('Reference'))
  await settle()
  expect(hint()).toBeTruthy()
  await type('Reference', 'form-17')
  await fireEvent.focusOut(box('Reference'))
  await settle()
  expect(hint()).toBeNull()
})

test('a template hints that it may ask for a file when a document of the same name has uploads', async () => {
  const { documents } = fakeApi().control.state
  const hint = () =>
    screen.queryByText('Signers have added files to a document of this name before, so it may ask for one.')
  const name = 'Residential tenancy agreement'
  await open({
    documents: documents.map(({ formDirectReference, ...one }) => (one.hasFileUploaded ? { ...one, name } : one))
  })
  await press(/Residential tenancy/)
  await settle()
  expect(hint()).toBeTruthy()
  await type('Name', 'Residential tenancy')
  await fireEvent.focusOut(box('Name'))
  await settle()
  expect(hint()).toBeNull()
})

test('a form with the same name causes no hint for a template', async () => {
  const { documents } = fakeApi().control.state
  const name = 'Residential tenancy agreement'
  await open({
    documents: documents.map((one) => (one.hasFileUploaded ? { ...one, name, formDirectReference: 'form-1' } : one))
  })
  await press(/Residential tenancy/)
  await settle()
  expect(screen.queryByText(/^Signers have added files/)).toBeNull()
})

describe('choosing what to send', () => {
  beforeEach(() => open())

  test('a template fills in signers and fields', async () => {
    await press(/Residential tenancy/)
    expect(box('Name').value).toBe('Residential tenancy agreement')
    expect(box('Reference').value).toBe('tpl-tenancy')
    expect(
      screen.getAllByRole('combobox', { name: 'First name' }).map((one) => (one as HTMLInputElement).value)
    ).toEqual(['', 'Grace'])
    expect(screen.getByRole('complementary', { name: 'Summary' }).textContent).toMatch(/\w: Grace/)
    expect(box(/^Conditions/).value).toBe('None')
    expect(screen.getByRole('checkbox', { name: 'Furnished' })).toBeTruthy()
    expect(screen.getByLabelText(/^Start of tenancy/).getAttribute('type')).toBe('date')
  })

  test('a template without signers and fields gets one blank signer', async () => {
    await press(/Superannuation/)
    expect(screen.getAllByRole('combobox', { name: 'First name' })).toHaveLength(1)
  })

  test('a template without a name is called by its reference', async () => {
    await press(/tpl-without-a-name/)
    expect(box('Name').value).toBe('tpl-without-a-name')
  })

  test('the template list is searched by name and reference', async () => {
    await fireEvent.input(screen.getByRole('searchbox', { name: 'Search templates' }), {
      target: { value: 'tpl-gift' }
    })
    expect(screen.queryByRole('button', { name: /Deed of gift/ })).toBeTruthy()
    expect(screen.queryByRole('button', { name: /Power of attorney/ })).toBeNull()
  })
})

describe('a template list that can’t be loaded', () => {
  test('is reported, and a template can still be entered by reference', async () => {
    const api = fakeApi()
    api.control.fail('templates.list', { code: 'server', message: '500' })
    opened = await openOffice(api)
    show(opened, Compose)
    await settle()
    expect(screen.getByRole('alert').textContent).toContain('couldn’t be loaded')
    await press(/^Use a template reference/)
    expect(box('Reference').value).toBe('')
  })
})

describe('composing', () => {
  beforeEach(() => open())

  test('saves automatically and shows an unobtrusive note', async () => {
    await press(/^Forms/)
    await type('Name', 'Tax declaration')
    await settle()
    await opened.clock.pass(300)
    expect(opened.api.control.state.drafts.map((draft) => draft.title)).toEqual(['Tax declaration'])
    expect(screen.getByText(/^Saved/)).toBeTruthy()
    expect(window.location.hash).toBe(`#/compose/${opened.api.control.state.drafts[0]?.id}`)
  })

  test('shows an alert when changes can’t be saved', async () => {
    opened.api.control.fail('drafts.save', { code: 'no-space', message: 'The disk is full.' })
    await press(/^Forms/)
    await type('Name', 'Tax declaration')
    await settle()
    await opened.clock.pass(300)
    expect(screen.getByRole('alert').textContent).toContain('aren’t being saved')
    expect(box('Name').value).toBe('Tax declaration')
  })

  test('marks a field as invalid only after it was left', async () => {
    await press(/^Forms/)
    expect(box('First name').getAttribute('aria-invalid')).toBeNull()
    await fireEvent.focusOut(box('First name'))
    expect(box('First name').getAttribute('aria-invalid')).toBe('true')
    expect(box('Last name').getAttribute('aria-invalid')).toBeNull()
  })

  test('delays a field’s error while a click is in progress, so that nothing moves under the pointer', async () => {
    await press(/^Forms/)
    await fireEvent.pointerDown(document.body)
    await fireEvent.focusOut(box('First name'))
    expect(box('First name').getAttribute('aria-invalid')).toBeNull()
    await fireEvent.pointerUp(document.body)
    await opened.clock.pass(0)
    expect(box('First name').getAttribute('aria-invalid')).toBe('true')
  })

  test('moves the focus to a field when its problem in the summary is clicked', async () => {
    await press(/^Forms/)
    await fireEvent.click(
      within(screen.getByRole('complementary', { name: 'Summary' })).getByRole('button', {
        name: 'Signer 1: enter the last name.'
      })
    )
    await settle()
    expect(document.activeElement).toBe(box('Last name'))
  })

  test('copies the signers into a second form', async () => {
    await fillOneForm()
    await press('Add another form')
    const names = screen.getAllByRole<HTMLInputElement>('combobox', { name: 'First name' })
    expect(names.map((one) => one.value)).toEqual(['Mere', 'Mere'])
    expect(screen.getByRole('button', { name: 'Send 2 forms' })).toBeTruthy()
  })

  test('sets a due date from the strip of days, and shows it with the zone', async () => {
    await press(/^Forms/)
    expect(screen.getAllByText(/Default \(14 days\), due/).length).toBeGreaterThan(0)
    const [day] = screen.getAllByRole('radio', { name: /November|December/ })
    await fireEvent.click(day as HTMLElement)
    expect(screen.getAllByText(/, 17:00 /).length).toBeGreaterThan(0)
    await settle()
    await opened.clock.pass(300)
    const draft = opened.api.control.state.drafts[0]
    expect(draft?.composition.due).toMatch(/^\d{4}-\d{2}-\d{2}T17:00$/)
    expect(draft?.composition.gmt).toMatch(/^-?\d+$/)
  })

  test('previews the request, with identity answers masked until revealed', async () => {
    await fillOneForm()
    await fireEvent.click(screen.getByRole('checkbox', { name: 'No mobile phone' }))
    await settle()
    await fireEvent.input(screen.getByLabelText('Correct answer'), { target: { value: '1980-02-29' } })
    const details = screen.getByText('What will be sent').closest('details') as HTMLDetailsElement
    details.open = true
    await fireEvent(details, new Event('toggle'))
    const inWords = () => screen.getByRole('group', { name: 'The package in words' }).textContent ?? ''
    await waitFor(() => expect(inWords()).toContain('Form type'))
    const forSupport = screen
      .getByText('For support: the request as it is sent')
      .closest('details') as HTMLDetailsElement
    forSupport.open = true
    await fireEvent(forSupport, new Event('toggle'))
    const shown = () => screen.getByLabelText('The request as JSON').textContent ?? ''
    await waitFor(() => expect(shown()).toContain('"FormType": 3'))
    for (const part of [shown, inWords]) expect(part()).not.toContain('1980-02-29')
    await fireEvent.click(screen.getByRole('checkbox', { name: 'Show identity answers' }))
    for (const part of [shown, inWords]) expect(part()).toContain('1980-02-29')
  })
})

describe('options for a single form', () => {
  const own = (name = 'Form 2') => within(screen.getByRole('group', { name: `Only for ${name}` }))
  const differenceBoxes = () => screen.getAllByRole('checkbox', { name: 'Different for this form' })
  const stored = () => opened.api.control.state.drafts[0]?.composition

  test('are offered only when the package has several forms', async () => {
    await open()
    await fillOneForm()
    expect(screen.queryByRole('checkbox', { name: 'Different for this form' })).toBeNull()
    await press('Add another form')
    expect(differenceBoxes()).toHaveLength(2)
    expect(screen.getAllByText('same as the package')).toHaveLength(2)
  })

  test('start with the package’s values, are edited separately, and can be dropped again', async () => {
    await open()
    await fillOneForm()
    await press('Add another form')
    await type(/^Redirect after signing/, 'https://office.example.com/back')
    await fireEvent.click(differenceBoxes()[1] as HTMLElement)
    const page = own().getByRole<HTMLInputElement>('combobox', { name: /^Redirect after signing/ })
    expect(page.value).toBe('https://office.example.com/back')
    await fireEvent.input(page, { target: { value: 'https://office.example.com/own' } })
    await fireEvent.click(own().getByRole('checkbox', { name: 'Sign in this application' }))
    await opened.clock.pass(1000)
    expect(stored()).toMatchObject({ embedded: false, ReturnUrl: 'https://office.example.com/back' })
    expect(stored()?.items.map((item) => item.own)).toEqual([
      undefined,
      { embedded: true, ReturnUrl: 'https://office.example.com/own', NotifyUrl: '' }
    ])
    expect(screen.getByText('At the counter, in this application: Form 2')).toBeTruthy()
    await fireEvent.click(differenceBoxes()[1] as HTMLElement)
    await opened.clock.pass(1000)
    expect(stored()?.items[1]?.own).toBeUndefined()
    expect(screen.queryByRole('group', { name: 'Only for Form 2' })).toBeNull()
  })

  test('include signing in this application when turned on by face to face, and problems name the form', async () => {
    await open()
    await fillOneForm()
    await press('Add another form')
    await fireEvent.click(differenceBoxes()[1] as HTMLElement)
    await fireEvent.click(screen.getAllByRole('checkbox', { name: 'Face to face' })[1] as HTMLElement)
    await fireEvent.input(own().getByRole('combobox', { name: /^Notification address/ }), {
      target: { value: 'nowhere' }
    })
    await opened.clock.pass(1000)
    expect(stored()?.embedded).toBe(false)
    expect(stored()?.items[1]?.own?.embedded).toBe(true)
    const summary = within(screen.getByRole('complementary', { name: 'Summary' }))
    expect(summary.getByText(/^Form 2, Notification address: enter a web address/)).toBeTruthy()
  })
})

describe('leaving an editor with unsaved changes', () => {
  const shownName = () => box('Name').value
  const titles = () => opened.api.control.state.drafts.map((draft) => draft.title)

  beforeEach(async () => {
    await open()
    await press(/^Forms/)
    opened.api.control.fail('drafts.save', { code: 'no-space', message: 'The disk is full.' })
    await type('Name', 'Tax declaration')
    await settle()
    opened.app.router.go('compose', [])
    await screen.findByRole('heading', { name: 'What do you want to send?' })
    await settle()
  })

  test('shows a warning that leads back to the text, which is saved when possible', async () => {
    const [toast] = opened.app.toasts.shown
    expect(toast?.text).toBe('What you typed last in “Tax declaration” isn’t saved. The disk is full.')
    toast?.action?.run()
    await settle()
    expect(shownName()).toBe('Tax declaration')
    expect(screen.getByRole('alert').textContent).toContain('aren’t being saved')
    await type('Name', 'Tax declaration 2026')
    opened.api.control.heal('drafts.save')
    await settle()
    await opened.clock.pass(60_000)
    expect(titles()).toEqual(['Tax declaration 2026'])
    expect(screen.getByText(/^Saved/)).toBeTruthy()
  })

  test('keeps retrying, and reports when the draft is saved', async () => {
    opened.api.control.heal('drafts.save')
    await opened.clock.pass(5000)
    expect(titles()).toEqual(['Tax declaration'])
    expect(opened.app.toasts.shown.map((toast) => toast.text)).toContain('“Tax declaration” is saved now, in Drafts.')
  })

  test('reports unsaved changes when the window is closing', async () => {
    opened.api.control.emit('window.closing', null)
    await settle()
    const answers = () => opened.api.control.calls.filter((call) => call.name === 'system.readyToClose')
    expect(answers().map((call) => call.input)).toEqual([{ kept: false }])
    opened.api.control.heal('drafts.save')
    opened.api.control.emit('window.closing', null)
    await settle()
    expect(answers().map((call) => call.input)).toEqual([{ kept: false }, { kept: true }])
    expect(titles()).toEqual(['Tax declaration'])
  })
})

describe('a composer left open', () => {
  test('overnight shows dates relative to the new day', async () => {
    // Opened in the last hour of the day.
    await open({ now: () => new Date(2025, 10, 26, 23, 0).getTime() })
    await press(/^Forms/)
    expect(screen.getAllByText(/due .*10 December/).length).toBeGreaterThan(0)
    await opened.clock.pass(2 * 3_600_000)
    const summary = within(screen.getByRole('complementary', { name: 'Summary' }))
    expect(summary.getByText(/due .*11 December/)).toBeTruthy()
  })

  test('past its due date reports that the date has passed', async () => {
    const composition = blankComposition('form-direct', 'a')
    const summary = { kind: composition.kind, title: '', who: '', updatedAt: 0 }
    const due = { due: '2025-11-26T23:30', gmt: '0' }
    opened = await openOffice(
      fakeApi({
        now: () => Date.UTC(2025, 10, 26, 23, 0),
        drafts: [{ id: 'draft-1', accountId: 'practice', ...summary, composition: { ...composition, ...due } }]
      })
    )
    opened.app.router.go('compose', ['draft-1'])
    show(opened, Compose)
    await screen.findByRole('button', { name: 'Send 1 form' })
    expect(screen.getByRole('region', { name: '6 things left to fill in' })).toBeTruthy()
    await opened.clock.pass(3_600_000)
    expect(screen.getByRole('region', { name: '7 things left to fill in' })).toBeTruthy()
    await press('Show 1 more')
    expect(screen.getByRole('button', { name: /choose a date in the future/i })).toBeTruthy()
  })
})

describe('by keyboard', () => {
  beforeEach(() => open())

  test('the first field gets focus after choosing what to send', async () => {
    await press(/^Forms/)
    await settle()
    expect(document.activeElement).toBe(box('Name'))
  })

  test('messages about missing values name the signer', async () => {
    await fillOneForm()
    await press('Add a signer')
    const list = within(screen.getByRole('complementary', { name: 'Summary' }))
    expect(list.getByRole('button', { name: 'Signer 2: enter the first name.' })).toBeTruthy()
    expect(list.queryByRole('button', { name: /^Mere Parata: / })).toBeNull()
  })

  test('a very long name is truncated in the summary', async () => {
    await fillOneForm()
    await type('First name', 'M'.repeat(300))
    await type('Last name', '')
    const list = within(screen.getByRole('complementary', { name: 'Summary' }))
    expect(list.getByRole('button', { name: `${'M'.repeat(60)}…: enter the last name.` })).toBeTruthy()
    expect(list.queryByText(/M{61}/)).toBeNull()
  })
})

describe('a draft that no longer exists', () => {
  test('shows an error and offers a new package', async () => {
    opened = await openOffice()
    opened.app.router.go('compose', ['nowhere'])
    show(opened, Compose)
    await screen.findByText('This draft can’t be opened.')
    await press('New package')
    expect(screen.getByRole('heading', { name: 'What do you want to send?' })).toBeTruthy()
  })
})

describe('a draft shared between workstations', () => {
  const its = { isMine: false, canBeMine: true, versions: 0, edition: 0 }

  async function openShared(office: Partial<DraftOffice>) {
    const composition = forms({ items: [form({ Name: 'Lease' })] })
    const draft = {
      id: 'draft-1',
      accountId: 'practice',
      kind: composition.kind,
      title: 'Lease',
      who: '',
      updatedAt: 0
    }
    opened = await openOffice(fakeApi({ drafts: [{ ...draft, composition, office: { ...its, ...office } }] }))
    opened.app.router.go('compose', ['draft-1'])
    show(opened, Compose)
    await settle()
  }
  const calls = (name: string) => opened.api.control.calls.filter((call) => call.name === name)
  /** Changes the draft as another workstation would. */
  async function changeElsewhere(change: { Name?: string; office: Partial<DraftOffice> }) {
    const { state } = opened.api.control
    const [draft] = state.drafts
    if (!draft) throw new Error('There is no draft.')
    const { Name = 'Lease', office } = change
    state.drafts = [{ ...draft, composition: forms({ items: [form({ Name })] }), office: { ...its, ...office } }]
    opened.api.control.emit('drafts.changed', { id: 'draft-1' })
    await settle()
  }

  test('is read-only while it is edited elsewhere, and can be taken over', async () => {
    await openShared({ editingBy: 'Counter 2' })
    expect(screen.getByText('Being edited at Counter 2.')).toBeTruthy()
    expect(box('Name').matches(':disabled')).toBe(true)
    expect(screen.queryByRole('button', { name: /^Send 1 form/ })).toBeNull()
    await press('Take over')
    await settle()
    expect(calls('drafts.takeOver')).toHaveLength(1)
    expect(box('Name').matches(':disabled')).toBe(false)
    expect(screen.getByRole('button', { name: /^Send 1 form/ })).toBeTruthy()
    // The lock that was just taken isn't released.
    expect([calls('drafts.editorOpened'), calls('drafts.editorClosed')].map(({ length }) => length)).toEqual([1, 0])
  })

  test('shows changes made elsewhere without losing focus, and doesn’t save them', async () => {
    await openShared({ editingBy: 'Counter 2' })
    const name = box('Name')
    const button = screen.getByRole('button', { name: 'Take over' })
    button.focus()
    for (const edition of [1, 2]) {
      await changeElsewhere({ Name: `Lease, version ${edition}`, office: { editingBy: 'Counter 2', edition } })
      await opened.clock.pass(1000)
      expect(name.value).toBe(`Lease, version ${edition}`)
      expect(box('Name')).toBe(name)
      expect(document.activeElement).toBe(button)
    }
    expect(
      [calls('drafts.editorOpened'), calls('drafts.editorClosed'), calls('drafts.save')].map(({ length }) => length)
    ).toEqual([1, 0, 0])
    await press('Take over')
    await settle()
    await type('Name', 'Lease, typed here')
    await opened.clock.pass(1000)
    expect(calls('drafts.save').map(({ input }) => (input as { edition?: number }).edition)).toEqual([2])
    expect(box('Name')).toBe(name)
  })

  test('shows a conflict when it was changed elsewhere during editing, and a version can be kept', async () => {
    await openShared({})
    expect(calls('drafts.editorOpened')).toHaveLength(1)
    await type('Name', 'Lease, typed here')
    await changeElsewhere({ Name: 'Lease, typed there', office: { edition: 1, versions: 1 } })
    const saves = calls('drafts.save').map(({ input }) => input as { edition?: number })
    expect(saves.map(({ edition }) => edition)).toEqual([0])
    expect(screen.getByText('This draft was changed in two places at once.')).toBeTruthy()
    await press('Keep this version')
    await settle()
    expect(calls('drafts.resolveConflicts')).toHaveLength(1)
  })

  test('is sent only as it was shown when Send was pressed, and otherwise shown again', async () => {
    await openShared({})
    const { control } = opened.api
    const asking = control.hold('sends.sameSent')
    await press(/^Send 1 form/)
    await settle()
    await changeElsewhere({ Name: 'Lease, changed there', office: { edition: 1 } })
    const starting = control.hold('sends.start')
    asking()
    await settle()
    await changeElsewhere({ Name: 'Lease, changed there again', office: { edition: 2 } })
    starting()
    await settle()
    expect(control.state.sends).toEqual([])
    expect(screen.getByText('The package wasn’t sent.')).toBeTruthy()
    expect(box('Name').value).toBe('Lease, changed there again')
    await press(/^Send 1 form/)
    await settle()
    expect(control.state.sends).toHaveLength(1)
  })

  test('withdraws the Undo of a removal once it is edited elsewhere', async () => {
    const undos = () => opened.app.toasts.shown.filter(({ action }) => action?.label === 'Undo').length
    async function addAndRemove() {
      await press('Add a signer')
      const trigger = screen.getByRole('button', { name: /^Actions for .*2/ })
      trigger.focus()
      await fireEvent.keyDown(trigger, { key: 'Enter' })
      await fireEvent.click(await screen.findByRole('menuitem', { name: 'Remove' }))
      await opened.clock.pass(1000)
    }
    await openShared({})
    await addAndRemove()
    expect(undos()).toBe(1)
    await changeElsewhere({ Name: 'Lease, typed there', office: { edition: 1 } })
    expect(undos()).toBe(0)
    await addAndRemove()
    await changeElsewhere({ Name: 'Lease, typed there', office: { edition: 1, editingBy: 'Counter 2' } })
    expect(undos()).toBe(0)
  })

  test('becomes read-only when edited elsewhere, and is released on leaving', async () => {
    await openShared({})
    await changeElsewhere({ office: { editingBy: 'Counter 2' } })
    expect(box('Name').matches(':disabled')).toBe(true)
    await press('New package')
    await settle()
    expect(calls('drafts.editorClosed')).toHaveLength(1)
  })

  test('can be kept on this workstation only, and shared again', async () => {
    await openShared({})
    expect(screen.getByText('Shared with the office')).toBeTruthy()
    await press('Keep only here')
    await settle()
    expect(screen.getByText('Only here')).toBeTruthy()
    await press('Share with the office')
    await settle()
    expect(screen.getByText('Shared with the office')).toBeTruthy()
  })

  test.each([
    ['conflict', '“Lease” is still shared.'],
    ['offline', '“Lease” may still be shared. Check again in a few minutes.']
  ] as const)('explains why it couldn’t be kept on this workstation only: %s', async (code, text) => {
    await openShared({})
    opened.api.control.fail('drafts.setOwner', { code, message: 'Not now.' })
    await press('Keep only here')
    await settle()
    expect(opened.app.toasts.shown.map((toast) => toast.text)).toEqual([`${text} Not now.`])
  })
})
