import { cleanup, fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, describe, expect, test } from 'vitest'
import Compose from '../../src/renderer/src/screens/compose/Compose.svelte'
import Directory from '../../src/renderer/src/screens/directory/Directory.svelte'
import { differences, fieldInWords } from '../../src/renderer/src/words/employers.ts'
import type { Composition } from '../../src/shared/composition/composition.ts'
import { EMPLOYER_FIELDS } from '../../src/shared/model/account.ts'
import { type FakeApi, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { personOf } from './fakes/remembered.ts'
import { type Opened, openOffice, show } from './office.ts'
import { NOW } from './people.ts'
import { employersOf } from './preview/day-scenes.ts'

let opened: Opened
afterEach(() => opened.close())

async function open(api: FakeApi = withEmployers(), part: string[] = ['employers']) {
  opened = await openOffice(api)
  opened.app.router.go('directory', part)
  show(opened, Directory)
  await settle()
}
function withEmployers(): FakeApi {
  return fakeApi({ employers: { records: employersOf(), from: 'service', at: NOW } })
}
async function choose(name: RegExp) {
  await fireEvent.click(screen.getByRole('link', { name }))
  await settle()
}
async function press(name: string | RegExp) {
  await fireEvent.click(screen.getByRole('button', { name }))
  await settle()
}
async function type(label: string, value: string) {
  await fireEvent.input(screen.getByLabelText(label), { target: { value } })
  await settle()
}
const saved = () =>
  opened.api.control.calls
    .filter(({ name }) => name === 'employers.save')
    .map(({ input }) => input as { records: unknown[] })

test('every field of each editable kind of record has a control', async () => {
  await open()
  for (const [name, kind] of [
    [/Harbour & Co. staff fund/, 'SuperFund'],
    [/Harbour head office/, 'TFN'],
    [/Claims desk/, 'AccClaimsHistory']
  ] as const) {
    await choose(name)
    for (const field of EMPLOYER_FIELDS[kind]) expect(screen.getByLabelText(fieldInWords(field))).toBeTruthy()
    expect(screen.getByLabelText('Default')).toBeTruthy()
  }
})

test('“No employer records” is shown only after the service has listed them', async () => {
  await open(fakeApi({ employers: { records: [], from: 'nowhere' } }))
  expect(screen.getByText('Employer records haven’t been loaded yet.')).toBeTruthy()
  opened.close()
  document.body.replaceChildren()
  await open(fakeApi({ employers: { records: [], from: 'service', at: NOW } }))
  expect(screen.getByText('No employer records yet.')).toBeTruthy()
})

test('saving shows the changes first, and sends only that record', async () => {
  await open()
  await choose(/Harbour & Co. staff fund/)
  await type('Phone', '+61 2 5550 1234')
  await press('Save…')
  const dialog = screen.getByRole('dialog')
  expect(within(dialog).getByText('Save 1 change?')).toBeTruthy()
  expect(within(dialog).getByRole('row', { name: /Phone.*empty.*\+61 2 5550 1234/ })).toBeTruthy()
  expect(saved()).toHaveLength(0)
  await fireEvent.click(within(dialog).getByRole('button', { name: 'Save' }))
  await settle()
  expect(saved()).toHaveLength(1)
  expect(saved()[0]?.records).toMatchObject([
    { kind: 'SuperFund', Reference: 'super-1', fields: { Phone: '+61 2 5550 1234' } }
  ])
  expect((screen.getByRole('button', { name: 'Save…' }) as HTMLButtonElement).disabled).toBe(true)
})

test('an ABN with wrong check digits is not sent', async () => {
  await open()
  await choose(/Harbour & Co. staff fund/)
  await type('ABN', '51 824 753 557')
  expect(screen.getByText(/This isn’t a valid ABN/)).toBeTruthy()
  await press('Save…')
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(saved()).toHaveLength(0)
})

test('a new record needs a unique reference and a name', async () => {
  await open()
  await fireEvent.keyDown(screen.getByRole('button', { name: 'New record' }), { key: 'Enter' })
  await fireEvent.click(await screen.findByRole('menuitem', { name: 'Super fund' }))
  await settle()
  await press('Save…')
  expect(screen.getByText(/Enter a reference/)).toBeTruthy()
  await type('Reference', 'super-2')
  await type('Name', 'Night shift')
  expect(screen.getByText('Another record of this kind has this reference.')).toBeTruthy()
  await type('Reference', 'super-3')
  await press('Save…')
  await fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Save' }))
  await settle()
  expect(saved()[0]?.records).toMatchObject([{ Reference: 'super-3', Name: 'Night shift' }])
})

test('unsaved text in a record is kept while viewing another', async () => {
  await open()
  await choose(/Harbour & Co. staff fund/)
  await type('Phone', '123')
  await choose(/Harbour casuals/)
  expect((screen.getByLabelText('Phone') as HTMLInputElement).value).toBe('')
  await choose(/Harbour & Co. staff fund/)
  expect((screen.getByLabelText('Phone') as HTMLInputElement).value).toBe('123')
  expect(screen.getByText('unsaved')).toBeTruthy()
})

test('read-only records say so', async () => {
  await open()
  await choose(/Screening/)
  expect(screen.queryByRole('button', { name: 'Save…' })).toBeNull()
  expect(screen.getByText(/can only be changed in the service/)).toBeTruthy()
})

test('a failed save keeps the text and can be retried', async () => {
  const api = withEmployers()
  api.control.fail('employers.save', { code: 'timeout', message: 'No answer.' })
  await open(api)
  await choose(/Harbour casuals/)
  await type('USI', 'HAR0001AU')
  await press('Save…')
  await fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Save' }))
  await settle()
  expect(screen.getByText('Saving didn’t work.')).toBeTruthy()
  expect((screen.getByLabelText('USI') as HTMLInputElement).value).toBe('HAR0001AU')
  api.control.heal('employers.save')
  await press('Save again')
  await fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Save' }))
  await settle()
  expect(screen.queryByText('Saving didn’t work.')).toBeNull()
})

test('differences use readable field names', () => {
  const [before] = employersOf()
  if (!before) throw new Error('no record')
  expect(differences(before, { ...before, IsDefault: false, fields: { ...before.fields, SuperFundABN: '1' } })).toEqual(
    [
      { field: 'Default', from: 'yes', to: 'no' },
      { field: 'Super fund ABN', from: '', to: '1' }
    ]
  )
})

test('both lists of recipients are shown', async () => {
  const api = fakeApi()
  api.recipients.list = async () => ({
    ok: true,
    value: {
      fetchedAt: NOW,
      items: [
        {
          notification: [{ FirstName: 'Ana', LastName: 'Brooks', Email: 'ana@example.com', IsReviewer: true }],
          completion: [{ FirstName: 'Hemi', LastName: 'Tane', Email: 'hemi@example.com', IsDefault: true }]
        }
      ]
    }
  })
  await open(api, ['recipients'])
  expect(within(screen.getByRole('region', { name: /on progress/ })).getByText('Ana Brooks')).toBeTruthy()
  expect(within(screen.getByRole('region', { name: /on completion/ })).getByText('Hemi Tane')).toBeTruthy()
  expect(screen.getByText('reviewer')).toBeTruthy()
})

const row = (name: RegExp) => screen.getByRole('row', { name })
const grid = () => screen.getByRole('grid')
async function rightClick(name: RegExp, entry: string | RegExp) {
  await fireEvent.contextMenu(row(name).querySelector('[role=gridcell]') as Element, {
    button: 2,
    clientX: 9,
    clientY: 9
  })
  await settle()
  const items = await screen.findAllByRole('menuitem', { hidden: true })
  const item = items.find((one) => (one.querySelector('.words')?.textContent ?? '').match(entry))
  await fireEvent.click(item as Element)
  await settle()
}

test('templates and forms show when they were last used, and can be searched', async () => {
  const consent = {
    kind: 'form-filler',
    Name: 'Privacy consent',
    Reference: 'tpl-privacy',
    usedAt: NOW,
    uses: 41
  } as const
  const power = { kind: 'form-filler', Name: 'Power of attorney', Reference: 'tpl-poa', uses: 0 } as const
  const tax = { kind: 'form-direct', Name: 'Tax declaration', Reference: 'form-tfn', FormType: '3', uses: 0 } as const
  await open(fakeApi({ knownForms: [consent, power, tax] }), ['templates'])
  expect(row(/Privacy consent/).textContent).toContain('41 times')
  expect(row(/Power of attorney/).textContent).toContain('never')
  expect(screen.queryByText('Tax declaration')).toBeNull()
  await fireEvent.input(screen.getByRole('searchbox'), { target: { value: 'privacy' } })
  await settle()
  expect(screen.queryByText('Power of attorney')).toBeNull()
  await fireEvent.input(screen.getByRole('searchbox'), { target: { value: 'nothing' } })
  await settle()
  expect(screen.getByText('No templates match “nothing”.')).toBeTruthy()
  await press('Clear search')
  expect(screen.getByText('Power of attorney')).toBeTruthy()
  await choose(/^Forms/)
  expect(row(/Tax declaration/).textContent).toContain('form-tfn')
})

describe('people', () => {
  const people = () => [
    personOf({ MobileCountry: '64', MobileNumber: '0215550100' }),
    personOf({ FirstName: 'Tama', LastName: 'Parata' }),
    personOf({ FirstName: 'Ana', LastName: 'Brooks', Email: 'ana@example.com' }),
    personOf({ FirstName: 'Hemi', LastName: 'Tane', Email: 'hemi@example.com', from: 'recipients' })
  ]
  const inBook = () => opened.api.control.state.people.map(({ FirstName }) => FirstName)

  test('list those this office has sent to, with the number of times, and can be searched', async () => {
    await open(fakeApi({ people: people() }), [])
    expect(screen.getAllByRole('row')).toHaveLength(4)
    expect(row(/Mere Parata/).textContent).toMatch(/mere\.parata@example\.com.*once/)
    expect(screen.queryByText('Hemi Tane')).toBeNull()
    await fireEvent.input(screen.getByRole('searchbox'), { target: { value: 'ana' } })
    await settle()
    expect(screen.getAllByRole('row')).toHaveLength(2)
  })

  test('can be sent a package, which is addressed to them without naming them in the URL', async () => {
    await open(fakeApi({ people: people() }), [])
    grid().focus()
    await fireEvent.keyDown(grid(), { key: 'ArrowDown' })
    await fireEvent.keyDown(grid(), { key: 'Enter' })
    await settle()
    expect(window.location.hash).toBe('#/compose?to=person')
    cleanup()
    show(opened, Compose)
    await settle()
    expect(screen.getByRole('heading', { name: 'What do you want to send to Mere Parata?' })).toBeTruthy()
    await press(/^Residential tenancy agreement/)
    await settle()
    expect(screen.getAllByLabelText<HTMLInputElement>('First name').map(({ value }) => value)).toEqual([
      'Mere',
      'Grace'
    ])
    expect(screen.getAllByLabelText<HTMLInputElement>(/^Mobile/)[0]?.value).toBe('0215550100')
  })

  test('are removed only after confirmation', async () => {
    await open(fakeApi({ people: people() }), [])
    await rightClick(/Tama Parata/, /^Forget this person/)
    const dialog = within(await screen.findByRole('dialog', { name: 'Forget Tama Parata?' }))
    expect(inBook()).toContain('Tama')
    await fireEvent.click(dialog.getByRole('button', { name: 'Forget this person' }))
    await settle()
    expect(inBook()).toEqual(['Mere', 'Ana', 'Hemi'])
    expect(screen.queryByText('Tama Parata')).toBeNull()
    expect(opened.app.toasts.shown.at(-1)?.text).toBe('Tama Parata was removed from the address book.')
  })

  test('can be edited: name, e-mail and mobile', async () => {
    await open(fakeApi({ people: people() }), [])
    await rightClick(/Mere Parata/, /^Edit/)
    const dialog = within(await screen.findByRole('dialog', { name: 'Edit person' }))
    const enter = (label: string | RegExp, value: string) =>
      fireEvent.input(dialog.getByLabelText(label), { target: { value } })
    const save = dialog.getByRole<HTMLButtonElement>('button', { name: 'Save' })
    expect(save.disabled).toBe(true)
    await enter('Last name', 'Walker ')
    await enter('E-mail', 'mere@')
    await fireEvent.click(save)
    await settle()
    expect(dialog.getByText('This isn’t an e-mail address. Write it like name@example.com.')).toBeTruthy()
    await enter('E-mail', ' mere.walker@example.com')
    await enter(/^Mobile/, '021 555 0199')
    await fireEvent.click(save)
    await settle()
    expect(opened.api.control.state.people[0]).toMatchObject({ LastName: 'Walker', Email: 'mere.walker@example.com' })
    expect(row(/Mere Walker/).textContent).toContain('mere.walker@example.com')
    expect(row(/Mere Walker/).getAttribute('aria-selected')).toBe('true')
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  test('can’t become a second entry of someone who is there, and the error’s advice is shown', async () => {
    const api = fakeApi({ people: people() })
    await open(api, [])
    const next = 'If they’re the same person, choose “Merge with another person…”.'
    api.control.fail('people.change', { code: 'conflict', message: 'Someone with this name is there.', next })
    await rightClick(/Tama Parata/, /^Edit/)
    const dialog = within(await screen.findByRole('dialog', { name: 'Edit person' }))
    await fireEvent.input(dialog.getByLabelText('First name'), { target: { value: 'Mere' } })
    await fireEvent.click(dialog.getByRole('button', { name: 'Save' }))
    await settle()
    expect(dialog.getByText('The person wasn’t changed.')).toBeTruthy()
    expect(dialog.getAllByText(/choose “Merge with another person…”/).length).toBeGreaterThan(0)
  })

  test('can be merged with another entry of the same person, whichever details are kept', async () => {
    await open(fakeApi({ people: people() }), [])
    await rightClick(/Tama Parata/, /^Merge with another person/)
    const dialog = within(await screen.findByRole('dialog', { name: 'Merge two people' }))
    await settle()
    expect(dialog.getByText(/^Combines Tama Parata \(mere\.parata@example\.com\) with the other entry\./)).toBeTruthy()
    const merge = dialog.getByRole<HTMLButtonElement>('button', { name: 'Merge' })
    expect(merge.disabled).toBe(true)
    // People of the same last name are offered; others are found.
    expect(dialog.getAllByRole('radio')).toHaveLength(1)
    await fireEvent.input(dialog.getByRole('searchbox'), { target: { value: 'ana' } })
    await settle()
    await fireEvent.click(dialog.getByRole('radio', { name: /Ana Brooks/ }))
    await settle()
    const kept = within(dialog.getByRole('group', { name: 'Details to keep' }))
    await fireEvent.click(kept.getByRole('radio', { name: /Tama Parata/ }))
    await fireEvent.click(merge)
    await settle()
    const call = opened.api.control.calls.find(({ name }) => name === 'people.merge')
    expect(call?.input).toEqual({
      from: { FirstName: 'Ana', LastName: 'Brooks', Email: 'ana@example.com' },
      into: { FirstName: 'Tama', LastName: 'Parata', Email: 'mere.parata@example.com' }
    })
    expect(screen.queryByText('Ana Brooks')).toBeNull()
    expect(row(/Tama Parata/).getAttribute('aria-selected')).toBe('true')
  })

  test('are named once where a merge says whom it is about, also without a name', async () => {
    const nameless = personOf({ FirstName: '', LastName: '', Email: 'desk@example.com' })
    await open(fakeApi({ people: [...people(), nameless] }), [])
    await rightClick(/desk@example\.com/, /^Merge with another person/)
    const dialog = within(await screen.findByRole('dialog', { name: 'Merge two people' }))
    await settle()
    expect(dialog.getByText(/^Combines desk@example\.com with the other entry\./)).toBeTruthy()
  })

  test.each([
    ['Edit person', /^Edit/, 'people.change'],
    ['Merge two people', /^Merge/, 'people.merge']
  ] as const)('a “%s” closed while it is saved doesn’t close the next one', async (name, entry, request) => {
    const api = fakeApi({ people: people() })
    await open(api, [])
    const release = api.control.hold(request)
    await rightClick(/Tama Parata/, entry)
    const dialog = within(await screen.findByRole('dialog', { name }))
    await settle()
    if (request === 'people.merge') await fireEvent.click(dialog.getAllByRole('radio')[0] as HTMLElement)
    else await fireEvent.input(dialog.getByLabelText('First name'), { target: { value: 'Tamati' } })
    await settle()
    await fireEvent.click(dialog.getByRole('button', { name: /^(Save|Merge)$/ }))
    await fireEvent.click(dialog.getByRole('button', { name: 'Cancel' }))
    await settle()
    expect(screen.queryByRole('dialog', { name })).toBeNull()
    await rightClick(/Ana Brooks/, entry)
    await settle()
    release()
    await settle()
    expect(screen.getByRole('dialog', { name })).toBeTruthy()
  })

  test('are added when another workstation sends, keeping the selection', async () => {
    const api = fakeApi({ people: people() })
    await open(api, [])
    await fireEvent.click(row(/Ana Brooks/))
    api.control.state.people.unshift(personOf({ FirstName: 'Aroha', Email: 'aroha@example.com' }))
    api.control.emit('people.changed', null)
    await settle()
    expect(screen.getAllByRole('row')).toHaveLength(5)
    expect(row(/Aroha Parata/)).toBeTruthy()
    expect(row(/Ana Brooks/).getAttribute('aria-selected')).toBe('true')
  })

  test('that can’t be removed stay, with an error', async () => {
    const api = fakeApi({ people: people() })
    api.control.fail('people.forget', { code: 'storage', message: 'No.' })
    await open(api, [])
    await rightClick(/Ana Brooks/, /^Forget this person/)
    await fireEvent.click(await screen.findByRole('button', { name: 'Forget this person' }))
    await settle()
    expect(screen.getByText('This person couldn’t be removed.')).toBeTruthy()
    expect(screen.getByText('Ana Brooks')).toBeTruthy()
  })

  test('offer to compose a package when there are none', async () => {
    await open(fakeApi({ people: [] }), [])
    await press('New package')
    expect(window.location.hash).toBe('#/compose')
  })
})

const savedDrafts = () =>
  opened.api.control.calls
    .filter(({ name }) => name === 'drafts.save')
    .map(({ input }) => (input as { composition: Composition }).composition)

test('a package started from a template has its signers and fields', async () => {
  const Signers = [{ SignerReference: 'tenant' }, { SignerReference: 'landlord' }]
  const Fields = [{ Reference: 'rent', Label: 'Rent per week' }]
  const listed = { Name: 'Residential tenancy', Reference: 'tpl-rent', Signers, Fields }
  const usedForm = { kind: 'form-filler' as const, Name: 'Residential tenancy', Reference: 'tpl-rent', uses: 2 }
  await open(fakeApi({ knownForms: [usedForm], templates: [listed] as never }), ['templates'])
  await rightClick(/Residential tenancy/, 'New package from this template')
  expect(savedDrafts()).toMatchObject([
    {
      kind: 'form-filler',
      items: [{ Reference: 'tpl-rent', signers: Signers, fields: [{ Reference: 'rent' }] }]
    }
  ])
  expect(opened.app.router.route.screen).toBe('compose')
  expect(opened.app.router.route.rest).toHaveLength(1)
})

test('a package started from a form has its reference and type', async () => {
  const usedForm = {
    kind: 'form-direct' as const,
    Name: 'Tax declaration',
    Reference: 'form-tfn',
    FormType: '3',
    uses: 1
  }
  await open(fakeApi({ knownForms: [usedForm] }), ['forms'])
  await rightClick(/Tax declaration/, 'New package from this form')
  const item = { Name: 'Tax declaration', Reference: 'form-tfn', FormType: '3' }
  expect(savedDrafts()).toMatchObject([{ kind: 'form-direct', items: [item] }])
})

test('a package started from an unlisted template has only its name and reference, with a warning', async () => {
  const usedForm = { kind: 'form-filler' as const, Name: 'Old lease', Reference: 'tpl-old', uses: 9 }
  await open(fakeApi({ knownForms: [usedForm], templates: [] }), ['templates'])
  await rightClick(/Old lease/, 'New package from this template')
  expect(savedDrafts()).toMatchObject([{ kind: 'form-filler', items: [{ Name: 'Old lease', Reference: 'tpl-old' }] }])
  expect(opened.app.toasts.shown.at(-1)?.text).toContain('“Old lease” isn’t in the template list')
})

test('a package stays in its account when another is selected while the templates are loaded', async () => {
  const usedForm = { kind: 'form-filler' as const, Name: 'Lease', Reference: 'tpl-1', uses: 9 }
  const api = fakeApi({ knownForms: [usedForm] })
  await open(api, ['templates'])
  const release = api.control.hold('templates.list')
  await rightClick(/Lease/, 'New package from this template')
  await opened.app.choose('harbour')
  release()
  await settle()
  expect(api.control.state.drafts.map(({ accountId }) => accountId)).toEqual(['practice'])
  expect(opened.app.router.route.screen).toBe('directory')
})

test('a package that can’t be started reports the error and opens nothing', async () => {
  const usedForm = { kind: 'form-filler' as const, Name: 'Lease', Reference: 'tpl-1', uses: 9 }
  const api = fakeApi({ knownForms: [usedForm] })
  api.control.fail('templates.list', { code: 'offline', message: 'No network.' })
  await open(api, ['templates'])
  await rightClick(/Lease/, 'New package from this template')
  expect(screen.getByText('The package couldn’t be started.')).toBeTruthy()
  expect(savedDrafts()).toEqual([])
  expect(opened.app.router.route.screen).toBe('directory')
})

test('additional service data of recipients, templates and employers is shown as plain text', async () => {
  const others = [{ name: 'Branch', value: '<b>North</b>' }]
  const [employer, ...more] = employersOf()
  if (!employer) return expect.fail('There is none.')
  const api = fakeApi({
    employers: { records: [{ ...employer, others }, ...more], from: 'service', at: NOW },
    knownForms: [{ kind: 'form-filler', Name: 'Lease', Reference: 'lease', uses: 0, others }]
  })
  const people = { items: [{ notification: [{ Email: 'a@example.com', others }], completion: [] }], fetchedAt: NOW }
  api.recipients.list = async () => ({ ok: true, value: people })
  await open(api, ['recipients'])
  expect(screen.getByText('<b>North</b>')).toBeTruthy()
  opened.app.router.go('directory', ['templates'])
  await settle()
  await rightClick(/Lease/, /^Details/)
  expect(screen.getByText('<b>North</b>')).toBeTruthy()
  await fireEvent.click(screen.getAllByRole('button', { name: 'Close', hidden: true }).at(-1) as Element)
  await settle()
  opened.app.router.go('directory', ['employers'])
  await settle()
  await choose(new RegExp(employer.Name))
  expect(screen.getByText('More from the service')).toBeTruthy()
  expect(screen.getByText(/^\d+ more details?$/)).toBeTruthy()
  expect(screen.getByText('<b>North</b>')).toBeTruthy()
})
