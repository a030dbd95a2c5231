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

test('a form to which signers added files before says so, once it is known which it is', async () => {
  const { documents } = fakeApi().control.state
  const told = () => screen.queryByText('Signers have added files to this form before, so it may ask for one.')
  await open({
    documents: documents.map((one) => (one.hasFileUploaded ? { ...one, formDirectReference: 'form-1' } : one))
  })
  await fillOneForm()
  expect(told()).toBeNull()
  await fireEvent.focusOut(box('Reference'))
  await settle()
  expect(told()).toBeTruthy()
  await type('Reference', 'form-17')
  await fireEvent.focusOut(box('Reference'))
  await settle()
  expect(told()).toBeNull()
})

test('a template says so where signers added files to a document of its name, as documents don’t tell their template', async () => {
  const { documents } = fakeApi().control.state
  const told = () =>
    screen.queryByText('Signers have added files to a document of this name before, so it may ask for one.')
  const name = 'Residential tenancy agreement'
  await open({
    documents: documents.map(({ formDirectReference, ...one }) => (one.hasFileUploaded ? { ...one, name } : one))
  })
  await press(/Residential tenancy/)
  await settle()
  expect(told()).toBeTruthy()
  await type('Name', 'Residential tenancy')
  await fireEvent.focusOut(box('Name'))
  await settle()
  expect(told()).toBeNull()
})

test('a form of that name says nothing of a template', async () => {
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

  test('a template fills signers and fields', async () => {
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

  test('a template that tells neither signers nor fields still works', async () => {
    await press(/Superannuation/)
    expect(screen.getAllByRole('combobox', { name: 'First name' })).toHaveLength(1)
  })

  test('a template without a name goes by its reference', async () => {
    await press(/tpl-without-a-name/)
    expect(box('Name').value).toBe('tpl-without-a-name')
  })

  test('the list is searched by name and by reference', async () => {
    await fireEvent.input(screen.getByRole('searchbox', { name: 'Search templates' }), {
      target: { value: 'tpl-gift' }
    })
    expect(screen.queryByRole('button', { name: /Deed of gift/ })).toBeTruthy()
    expect(screen.queryByRole('button', { name: /Power of attorney/ })).toBeNull()
  })
})

describe('a list of templates that cannot be read', () => {
  test('is said, and both kinds can still be typed by hand', async () => {
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

  test('is saved as typed and said quietly', async () => {
    await press(/^Forms/)
    await type('Name', 'Tax declaration')
    await settle()
    await opened.clock.pass(300)
    expect(opened.api.control.state.drafts.map((draft) => draft.title)).toEqual(['Tax declaration'])
    expect(screen.getByText(/^Saved/)).toBeTruthy()
    expect(window.location.hash).toBe(`#/compose/${opened.api.control.state.drafts[0]?.id}`)
  })

  test('says loudly when what is typed is not kept', async () => {
    opened.api.control.fail('drafts.save', { code: 'no-space', message: 'The disk is full.' })
    await press(/^Forms/)
    await type('Name', 'Tax declaration')
    await settle()
    await opened.clock.pass(300)
    expect(screen.getByRole('alert').textContent).toContain('aren’t being saved')
    expect(box('Name').value).toBe('Tax declaration')
  })

  test('leaves a field alone until it was touched', async () => {
    await press(/^Forms/)
    expect(box('First name').getAttribute('aria-invalid')).toBeNull()
    await fireEvent.focusOut(box('First name'))
    expect(box('First name').getAttribute('aria-invalid')).toBe('true')
    expect(box('Last name').getAttribute('aria-invalid')).toBeNull()
  })

  test('nothing moves under a click that has begun: what is wrong with the field just left waits for its end', async () => {
    await press(/^Forms/)
    await fireEvent.pointerDown(document.body)
    await fireEvent.focusOut(box('First name'))
    expect(box('First name').getAttribute('aria-invalid')).toBeNull()
    await fireEvent.pointerUp(document.body)
    await opened.clock.pass(0)
    expect(box('First name').getAttribute('aria-invalid')).toBe('true')
  })

  test('a problem in the summary leads to its field', async () => {
    await press(/^Forms/)
    await fireEvent.click(
      within(screen.getByRole('complementary', { name: 'Summary' })).getByRole('button', {
        name: 'Signer 1: enter the last name.'
      })
    )
    await settle()
    expect(document.activeElement).toBe(box('Last name'))
  })

  test('a second form starts with the same people', async () => {
    await fillOneForm()
    await press('Add another form')
    const names = screen.getAllByRole<HTMLInputElement>('combobox', { name: 'First name' })
    expect(names.map((one) => one.value)).toEqual(['Mere', 'Mere'])
    expect(screen.getByRole('button', { name: 'Send 2 forms' })).toBeTruthy()
  })

  test('a day of the strip becomes the due date, said with its zone', async () => {
    await press(/^Forms/)
    expect(screen.getAllByText(/Default \(14 days\), due/).length).toBeGreaterThan(0)
    const [day] = screen.getAllByRole('radio', { name: /November|December/ })
    await fireEvent.click(day as HTMLElement)
    expect(screen.getAllByText(/, 5 pm /).length).toBeGreaterThan(0)
    await settle()
    await opened.clock.pass(300)
    const draft = opened.api.control.state.drafts[0]
    expect(draft?.composition.due).toMatch(/^\d{4}-\d{2}-\d{2}T17:00$/)
    expect(draft?.composition.gmt).toMatch(/^-?\d+$/)
  })

  test('what will be sent is shown exactly, the answers that identify people masked until asked for', async () => {
    await fillOneForm()
    await fireEvent.click(screen.getByRole('checkbox', { name: 'No mobile phone' }))
    await settle()
    await fireEvent.input(screen.getByLabelText('Correct answer'), { target: { value: '1980-02-29' } })
    const details = screen.getByText('What will be sent').closest('details') as HTMLDetailsElement
    details.open = true
    await fireEvent(details, new Event('toggle'))
    const shown = () => screen.getByLabelText('The request as JSON').textContent ?? ''
    await waitFor(() => expect(shown()).toContain('"FormType": 3'))
    expect(shown()).not.toContain('1980-02-29')
    await fireEvent.click(screen.getByRole('checkbox', { name: 'Show identity answers' }))
    expect(shown()).toContain('1980-02-29')
  })
})

describe('what a form has of its own', () => {
  const own = (name = 'Form 2') => within(screen.getByRole('group', { name: `Only for ${name}` }))
  const differs = () => screen.getAllByRole('checkbox', { name: 'Different for this form' })
  const kept = () => opened.api.control.state.drafts[0]?.composition

  test('is asked only where a package has several forms', async () => {
    await open()
    await fillOneForm()
    expect(screen.queryByRole('checkbox', { name: 'Different for this form' })).toBeNull()
    await press('Add another form')
    expect(differs()).toHaveLength(2)
    expect(screen.getAllByText('same as the package')).toHaveLength(2)
  })

  test('begins as the package’s, goes its own way, and is given up again', async () => {
    await open()
    await fillOneForm()
    await press('Add another form')
    await type(/^Redirect after signing/, 'https://office.example.com/back')
    await fireEvent.click(differs()[1] as HTMLElement)
    const page = own().getByRole<HTMLInputElement>('combobox', { name: /^Redirect after signing/ })
    expect(page.value).toBe('https://office.example.com/back')
    await fireEvent.input(page, { target: { value: 'https://office.example.com/own' } })
    await fireEvent.click(own().getByRole('checkbox', { name: 'Sign in this application' }))
    await opened.clock.pass(1000)
    expect(kept()).toMatchObject({ embedded: false, ReturnUrl: 'https://office.example.com/back' })
    expect(kept()?.items.map((item) => item.own)).toEqual([
      undefined,
      { embedded: true, ReturnUrl: 'https://office.example.com/own', NotifyUrl: '' }
    ])
    expect(screen.getByText('At the counter, in this application: Form 2')).toBeTruthy()
    await fireEvent.click(differs()[1] as HTMLElement)
    await opened.clock.pass(1000)
    expect(kept()?.items[1]?.own).toBeUndefined()
    expect(screen.queryByRole('group', { name: 'Only for Form 2' })).toBeNull()
  })

  test('is what face to face switches on, and what is wrong with it says whose it is', async () => {
    await open()
    await fillOneForm()
    await press('Add another form')
    await fireEvent.click(differs()[1] as HTMLElement)
    await fireEvent.click(screen.getAllByRole('checkbox', { name: 'Face to face' })[1] as HTMLElement)
    await fireEvent.input(own().getByRole('combobox', { name: /^Notification address/ }), {
      target: { value: 'nowhere' }
    })
    await opened.clock.pass(1000)
    expect(kept()?.embedded).toBe(false)
    expect(kept()?.items[1]?.own?.embedded).toBe(true)
    const summary = within(screen.getByRole('complementary', { name: 'Summary' }))
    expect(summary.getByText(/^Form 2, Notification address: enter a web address/)).toBeTruthy()
  })
})

describe('an editor that is left while what was typed in it is not saved', () => {
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

  test('says so, and leads back to the text, which is saved as soon as it can be', async () => {
    const [toast] = opened.app.toasts.shown
    expect(toast?.text).toBe('What you typed last in “Tax declaration” is not saved. The disk is full.')
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

  test('goes on trying, and says when it is saved', async () => {
    opened.api.control.heal('drafts.save')
    await opened.clock.pass(5000)
    expect(titles()).toEqual(['Tax declaration'])
    expect(opened.app.toasts.shown.map((toast) => toast.text)).toContain('“Tax declaration” is saved now, in Drafts.')
  })

  test('lets nobody close the window without being asked', async () => {
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

describe('a composer that is left open', () => {
  test('over night says the days as they are in the morning', async () => {
    // In the last hour of a day.
    await open({ now: () => new Date(2025, 10, 26, 23, 0).getTime() })
    await press(/^Forms/)
    expect(screen.getAllByText(/due .*10 December/).length).toBeGreaterThan(0)
    await opened.clock.pass(2 * 3_600_000)
    const summary = within(screen.getByRole('complementary', { name: 'Summary' }))
    expect(summary.getByText(/due .*11 December/)).toBeTruthy()
  })

  test('past its due date says that it has passed', async () => {
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

  test('the first field has the focus once it is chosen what to send', async () => {
    await press(/^Forms/)
    await settle()
    expect(document.activeElement).toBe(box('Name'))
  })

  test('what is missing is said with whose it is', async () => {
    await fillOneForm()
    await press('Add a signer')
    const list = within(screen.getByRole('complementary', { name: 'Summary' }))
    expect(list.getByRole('button', { name: 'Signer 2: enter the first name.' })).toBeTruthy()
    expect(list.queryByRole('button', { name: /^Mere Parata: / })).toBeNull()
  })

  test('a very long name is cut short beside the form, so that what is missing stays in sight', async () => {
    await fillOneForm()
    await type('First name', 'M'.repeat(300))
    await type('Last name', '')
    const list = within(screen.getByRole('complementary', { name: 'Summary' }))
    expect(list.getByRole('button', { name: `${'M'.repeat(60)}…: enter the last name.` })).toBeTruthy()
    expect(list.queryByText(/M{61}/)).toBeNull()
  })
})

describe('a draft', () => {
  test('that is gone is said, with a way on', async () => {
    opened = await openOffice()
    opened.app.router.go('compose', ['nowhere'])
    show(opened, Compose)
    await screen.findByText('This draft can’t be opened.')
    await press('New package')
    expect(screen.getByRole('heading', { name: 'What do you want to send?' })).toBeTruthy()
  })
})

describe('a draft that workstations of an office share', () => {
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
  async function elsewhere(change: { Name?: string; office: Partial<DraftOffice> }) {
    const { state } = opened.api.control
    const [draft] = state.drafts
    if (!draft) throw new Error('There is no draft.')
    const { Name = 'Lease', office } = change
    state.drafts = [{ ...draft, composition: forms({ items: [form({ Name })] }), office: { ...its, ...office } }]
    opened.api.control.emit('drafts.changed', { id: 'draft-1' })
    await settle()
  }

  test('can only be read while someone works on it elsewhere, and is taken over by a click', async () => {
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
    expect([calls('drafts.edit'), calls('drafts.leave')].map(({ length }) => length)).toEqual([1, 0])
  })

  test('shows what is typed elsewhere without losing the place, and saves nothing of that', async () => {
    await openShared({ editingBy: 'Counter 2' })
    const name = box('Name')
    const button = screen.getByRole('button', { name: 'Take over' })
    button.focus()
    for (const edition of [1, 2]) {
      await elsewhere({ Name: `Lease, version ${edition}`, office: { editingBy: 'Counter 2', edition } })
      await opened.clock.pass(1000)
      expect(name.value).toBe(`Lease, version ${edition}`)
      expect(box('Name')).toBe(name)
      expect(document.activeElement).toBe(button)
    }
    expect([calls('drafts.edit'), calls('drafts.leave'), calls('drafts.save')].map(({ length }) => length)).toEqual([
      1, 0, 0
    ])
    await press('Take over')
    await settle()
    await type('Name', 'Lease, typed here')
    await opened.clock.pass(1000)
    expect(calls('drafts.save').map(({ input }) => (input as { edition?: number }).edition)).toEqual([2])
    expect(box('Name')).toBe(name)
  })

  test('shows what is changed elsewhere, and what was typed meanwhile is kept as what it goes on from', async () => {
    await openShared({})
    expect(calls('drafts.edit')).toHaveLength(1)
    await type('Name', 'Lease, typed here')
    await elsewhere({ Name: 'Lease, typed there', office: { edition: 1, versions: 1 } })
    const saves = calls('drafts.save').map(({ input }) => input as { edition?: number })
    expect(saves.map(({ edition }) => edition)).toEqual([0])
    expect(screen.getByText('This draft was changed in two places at once.')).toBeTruthy()
    await press('Keep this version')
    await settle()
    expect(calls('drafts.settle')).toHaveLength(1)
  })

  test('turns to be read as someone begins elsewhere, and is let go of as it is left', async () => {
    await openShared({})
    await elsewhere({ office: { editingBy: 'Counter 2' } })
    expect(box('Name').matches(':disabled')).toBe(true)
    await press('New package')
    await settle()
    expect(calls('drafts.leave')).toHaveLength(1)
  })

  test('is kept only here, and shared again', async () => {
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
    ['offline', '“Lease” may still be shared. Look again in a few minutes.']
  ] as const)('that isn’t kept only here says what is known then: %s', async (code, text) => {
    await openShared({})
    opened.api.control.fail('drafts.setWhose', { code, message: 'Not now.' })
    await press('Keep only here')
    await settle()
    expect(opened.app.toasts.shown.map((toast) => toast.text)).toEqual([`${text} Not now.`])
  })
})
