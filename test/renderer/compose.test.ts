import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { beforeEach, describe, expect, test } from 'vitest'
import Compose from '../../src/renderer/src/screens/compose/Compose.svelte'
import type { SendView } from '../../src/shared/contract/views.ts'
import { fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'
import { documents, NOW } from './people.ts'

let opened: Opened

async function open(change: Parameters<typeof fakeApi>[0] = {}) {
  opened = await openOffice(fakeApi(change))
  show(opened, Compose)
  await settle()
}

const box = (name: string | RegExp) => screen.getByRole<HTMLInputElement>('textbox', { name })
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

function nextSend(change: Partial<SendView>) {
  opened.api.control.state.nextSend = change
}

describe('choosing what to send', () => {
  beforeEach(() => open())

  test('a template fills signers and fields', async () => {
    await press(/Residential tenancy/)
    expect(box('Name').value).toBe('Residential tenancy agreement')
    expect(box('Reference').value).toBe('tpl-tenancy')
    expect(
      screen.getAllByRole('textbox', { name: 'First name' }).map((one) => (one as HTMLInputElement).value)
    ).toEqual(['', 'Grace'])
    expect(box(/^Conditions/).value).toBe('None')
    expect(screen.getByRole('checkbox', { name: 'Furnished' })).toBeTruthy()
    expect(screen.getByLabelText(/^Start of tenancy/).getAttribute('type')).toBe('date')
  })

  test('a template that tells neither signers nor fields still works', async () => {
    await press(/Superannuation/)
    expect(screen.getAllByRole('textbox', { name: 'First name' })).toHaveLength(1)
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
    expect(screen.getByRole('alert').textContent).toContain("can't be read")
    await press(/^A template by hand/)
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
    expect(window.location.hash).toMatch(/^#\/compose\/draft-/)
  })

  test('says loudly when what is typed is not kept', async () => {
    opened.api.control.fail('drafts.save', { code: 'no-space', message: 'The disk is full.' })
    await press(/^Forms/)
    await type('Name', 'Tax declaration')
    await settle()
    await opened.clock.pass(300)
    expect(screen.getByRole('alert').textContent).toContain('not being kept')
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
        name: 'Person 1: enter the last name.'
      })
    )
    await settle()
    expect(document.activeElement).toBe(box('Last name'))
  })

  test('a second form starts with the same people', async () => {
    await fillOneForm()
    await press('Add another form')
    const names = screen.getAllByRole<HTMLInputElement>('textbox', { name: 'First name' })
    expect(names.map((one) => one.value)).toEqual(['Mere', 'Mere'])
    expect(screen.getByRole('button', { name: 'Send 2 forms' })).toBeTruthy()
  })

  test('a day of the strip becomes the due date, said with its zone', async () => {
    await press(/^Forms/)
    expect(screen.getAllByText(/14 days after sending/).length).toBeGreaterThan(0)
    const [day] = screen.getAllByRole('radio', { name: /November|December/ })
    await fireEvent.click(day as HTMLElement)
    expect(screen.getAllByText(/at 17:00, /).length).toBeGreaterThan(0)
    await settle()
    await opened.clock.pass(300)
    const draft = opened.api.control.state.drafts[0]
    expect(draft?.composition.due).toMatch(/^\d{4}-\d{2}-\d{2}T17:00$/)
    expect(draft?.composition.gmt).toMatch(/^-?\d+$/)
  })

  test('what will be sent is shown exactly, the answers that identify people masked until asked for', async () => {
    await fillOneForm()
    await fireEvent.click(screen.getByRole('checkbox', { name: 'Has no mobile phone' }))
    await settle()
    await fireEvent.input(screen.getByLabelText('The right answer'), { target: { value: '1980-02-29' } })
    const details = screen.getByText('What will be sent').closest('details') as HTMLDetailsElement
    details.open = true
    await fireEvent(details, new Event('toggle'))
    const shown = () => screen.getByLabelText('The request as JSON').textContent ?? ''
    await waitFor(() => expect(shown()).toContain('"FormType": 3'))
    expect(shown()).not.toContain('1980-02-29')
    await fireEvent.click(screen.getByRole('checkbox', { name: 'Show the answers that identify people' }))
    expect(shown()).toContain('1980-02-29')
  })
})

describe('by keyboard', () => {
  beforeEach(() => open())

  test('the first field has the focus once it is chosen what to send', async () => {
    await press(/^Forms/)
    await settle()
    expect(document.activeElement).toBe(box('Name'))
  })

  test('Ctrl+Enter sends', async () => {
    await fillOneForm()
    await fireEvent.keyDown(box('E-mail'), { key: 'Enter', ctrlKey: true })
    await screen.findByText(/^Sent: the service made 1 document/)
  })

  test('what is missing is said with whose it is', async () => {
    await fillOneForm()
    await press('Add a person')
    const list = within(screen.getByRole('complementary', { name: 'Summary' }))
    expect(list.getByRole('button', { name: 'Person 2: enter the first name.' })).toBeTruthy()
    expect(list.queryByRole('button', { name: /^Mere Parata: / })).toBeNull()
  })
})

describe('Send', () => {
  beforeEach(() => open())

  test('pressed with something missing sends nothing and goes to the first of it', async () => {
    await press(/^Forms/)
    await press('Send 1 form')
    await settle()
    expect(document.activeElement).toBe(box('Name'))
    expect(opened.api.control.calls.some((call) => call.name === 'sends.start')).toBe(false)
  })

  test('keeps the draft first, sends it, and lists the documents with the way to the counter', async () => {
    await fillOneForm()
    await press('Send 1 form')
    await screen.findByText(/^Sent: the service made 1 document/)
    const names = opened.api.control.calls.map((call) => call.name)
    expect(names.indexOf('drafts.save')).toBeLessThan(names.indexOf('sends.start'))
    expect(screen.getByRole('link', { name: 'Tax declaration.pdf' }).getAttribute('href')).toContain('document=doc-0')
    expect(await screen.findByRole('link', { name: /^Sign now at the counter/ })).toBeTruthy()
  })

  test('pressed twice sends once', async () => {
    await fillOneForm()
    opened.api.control.delay('sends.start', 20)
    const button = screen.getByRole('button', { name: 'Send 1 form' })
    await fireEvent.click(button)
    await settle()
    await fireEvent.click(button)
    await screen.findByText(/^Sent/)
    expect(opened.api.control.calls.filter((call) => call.name === 'sends.start')).toHaveLength(1)
  })

  test("refused: the service's messages stand at their fields, and go when those are corrected", async () => {
    await fillOneForm()
    nextSend({
      state: 'refused',
      documents: [],
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
    await press('Send 1 form')
    await screen.findByText(/the service did not take it/)
    await waitFor(() => expect(document.activeElement).toBe(box('E-mail')))
    expect(box('E-mail').getAttribute('aria-invalid')).toBe('true')
    expect(screen.getByText('Not known.')).toBeTruthy()
    await type('E-mail', 'mere@example.org')
    expect(box('E-mail').getAttribute('aria-invalid')).toBeNull()
  })

  test('uncertain: says that it may have arrived, offers to ask, and shows what the service answers', async () => {
    await fillOneForm()
    nextSend({
      state: 'uncertain',
      documents: [],
      error: { code: 'timeout', message: 'No answer.', mayHaveArrived: true }
    })
    await press('Send 1 form')
    await screen.findByText('No answer came. It may have arrived.')
    expect(screen.queryByRole('button', { name: 'Send 1 form' })).toBeNull()
    nextSend({ state: 'not-sent' })
    await press('Ask the service')
    await screen.findByText(/It did not arrive/)
    expect(screen.getByRole('button', { name: 'Send 1 form' })).toBeTruthy()
    expect(box('Name').value).toBe('Tax declaration')
  })

  test('uncertain stays uncertain when the service cannot be asked', async () => {
    await fillOneForm()
    nextSend({
      state: 'uncertain',
      documents: [],
      error: { code: 'timeout', message: 'No answer.', mayHaveArrived: true }
    })
    await press('Send 1 form')
    opened.api.control.fail('sends.reconcile', { code: 'offline', message: 'No network.' })
    await fireEvent.click(await screen.findByRole('button', { name: 'Ask the service' }))
    await screen.findByText('The service could not be asked.')
    expect(screen.getByText('No answer came. It may have arrived.')).toBeTruthy()
  })

  test('is not begun where the draft cannot be kept', async () => {
    opened.api.control.fail('drafts.save', { code: 'no-space', message: 'The disk is full.' })
    await fillOneForm()
    await press('Send 1 form')
    await screen.findByText('It was not sent.')
    expect(opened.api.control.calls.some((call) => call.name === 'sends.start')).toBe(false)
  })
})

describe('a draft', () => {
  test('that is gone is said, with a way on', async () => {
    opened = await openOffice()
    opened.office.router.go('compose', ['nowhere'])
    show(opened, Compose)
    await screen.findByText("This draft can't be opened.")
    await press('New package')
    expect(screen.getByRole('heading', { name: 'What do you want to send?' })).toBeTruthy()
  })

  test('of documents that cannot be signed here offers no counter', async () => {
    await open({ documents: documents(40, NOW).map((one) => ({ ...one, signers: [] })) })
    await fillOneForm()
    await press('Send 1 form')
    await screen.findByText(/^Sent/)
    await settle()
    expect(screen.queryByRole('link', { name: /^Sign now/ })).toBeNull()
  })
})
