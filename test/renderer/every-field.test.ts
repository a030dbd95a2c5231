/**
 * Compares the model of what is sent with the composer: every member of 2.1 to 2.12 has its control, and its place in
 * the preview.
 */
import { fireEvent, screen, within } from '@testing-library/svelte'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import Compose from '../../src/renderer/src/screens/compose/Compose.svelte'
import type { ComposedSigner, Composition } from '../../src/shared/composition/composition.ts'
import {
  signersInWords,
  titleOf,
  toFormDirectRequest,
  toFormFillerRequest
} from '../../src/shared/composition/index.ts'
import { SendFormDirectRequest } from '../../src/shared/model/form-direct.ts'
import { SendFormFillerRequest } from '../../src/shared/model/form-filler.ts'
import { form, forms, signer, template, templates } from '../fixtures/compositions.ts'
import { fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'

/** How a user changes a member: its control's label, what they enter or choose, and what the request then contains. */
interface Change {
  label: string | RegExp
  /** The control's group, if its label isn't the first of its kind. */
  group?: RegExp
  /** What is typed or chosen; true or false for a checkbox. */
  enter: string | boolean
  /** What the request then contains, if not what was entered; null if nothing any more. */
  becomes?: string | number | null
}
/** A member that the application fills in itself: the reason, and the member it changes with. */
interface Filled {
  because: string
  with: string
}
type Table = Record<string, Change | Filled>

const share = /^Shared with/
const question = /^Identity questions/
const list = /^Drop-down choices/
const details = /^Details of/

const person = (path: string): Table => ({
  [`${path}.FirstName`]: { label: 'First name', enter: 'Anahera' },
  [`${path}.MiddleName`]: { label: /^Middle name/, enter: 'Aroha' },
  [`${path}.LastName`]: { label: 'Last name', enter: 'Singh' },
  [`${path}.Email`]: { label: 'E-mail', enter: 'anahera.singh@example.org' }
})

const invitee = (path: string): Table => ({
  ...person(path),
  [`${path}.MobileNumber`]: { label: /^Mobile/, enter: '021555099' },
  [`${path}.MobileCountry`]: { label: /^Country code/, enter: '61' },
  [`${path}.ClientReference`]: { label: /^Your reference for this signer/, enter: 'CLIENT-9' },
  ...Object.fromEntries(
    Object.entries(person(`${path}.ShareUsers[]`)).map(([member, change]) => [member, { ...change, group: share }])
  ),
  [`${path}.ShareUsers[].IsDefault`]: { label: 'Default', group: share, enter: true },
  [`${path}.ShareUsers[].IsOwner`]: { label: 'Owner', group: share, enter: true }
})

const ofPackage: Table = {
  DueDate: { label: 'Date', enter: '2025-12-05', becomes: '2025-12-05T17:00:00Z' },
  GMT: { label: 'UTC offset', enter: '720' }
}

const formDirect: Table = {
  ...ofPackage,
  InvitationEmailTemplateReference: { label: /^Invitation e-mail template/, enter: 'mail-9' },
  'ListItems[].ClientField': { label: 'Field', group: list, enter: 'branch' },
  'ListItems[].Item': { label: 'Choice', group: list, enter: 'Harbour' },
  'ListItems[].Value': { label: 'Value', group: list, enter: 'HB' },
  'Forms[].Name': { label: 'Name', enter: 'Superannuation choice' },
  'Forms[].FormType': { label: /^Form type/, enter: '7', becomes: 7 },
  'Forms[].Reference': { label: 'Reference', enter: 'SUPER-1' },
  'Forms[].EmbedForm': { label: 'Sign in this application', enter: true },
  'Forms[].ReturnUrl': { label: /^Redirect after signing/, enter: 'https://example.org/back' },
  'Forms[].NotifyUrl': { label: /^Notification address/, enter: 'https://example.org/told' },
  'Forms[].XMLData': { label: /^XML data/, enter: '<form><wage>20</wage></form>' },
  'Forms[].EmployerReference': { label: /^Employer reference/, enter: 'EMP-9' },
  'Forms[].ClientReference': { label: 'Your reference optional', enter: 'MATTER-9' },
  ...invitee('Forms[].Signers[]'),
  'Forms[].Signers[].SignerType': { label: /^Signer type/, enter: 'Witness' },
  'Forms[].Signers[].UseIDData': { label: 'No mobile phone', enter: false, becomes: null },
  'Forms[].Signers[].IDData[].Label': { label: 'Question', group: question, enter: 'Passport number' },
  'Forms[].Signers[].IDData[].Value': { label: 'Correct answer', group: question, enter: 'LZ000000' },
  'Forms[].Signers[].IDData[].DataType': { label: 'Answer type', group: question, enter: 'email' },
  'Forms[].Signers[].EnabledFaceToFaceSigning': { label: 'Face to face', enter: true },
  'Forms[].Signers[].Optional': { label: 'Optional', enter: true },
  'Forms[].Signers[].VideoConfirmation': { label: 'Video confirmation', enter: false, becomes: null },
  'Forms[].Signers[].EnableDeepfakeDetector': { label: 'Deepfake detector', enter: true }
}

const formFiller: Table = {
  ...ofPackage,
  Embedded: { label: 'Sign in this application', enter: true },
  Sequential: { label: 'Signers sign in order', enter: true },
  ReturnUrl: { label: /^Redirect after signing/, enter: 'https://example.org/back' },
  NotifyUrl: { label: /^Notification address/, enter: 'https://example.org/told' },
  'Templates[].Name': { label: 'Name', enter: 'Deed of gift' },
  'Templates[].Reference': { label: 'Reference', enter: 'TPL-9' },
  'Templates[].ClientReference': { label: 'Your reference optional', enter: 'MATTER-9' },
  ...invitee('Templates[].Signers[]'),
  'Templates[].Signers[].SignerReference': { label: /^Role in the template/, enter: 'landlord' },
  'Templates[].Signers[].IsFaceToFaceSigning': { label: 'Face to face', enter: true },
  'Templates[].Signers[].VideoConfirmationEnabled': { label: 'Video confirmation', enter: false, becomes: null },
  'Templates[].Signers[].VideoConfirmationDeepfakeEnabled': { label: 'Deepfake detector', enter: true },
  'Templates[].Signers[].ReviewBeforeSigningEnabled': { label: 'Review before signing', enter: true },
  'Templates[].Fields[].Label': { label: 'Field label', group: details, enter: 'Rent per month' },
  'Templates[].Fields[].Value': { label: /^Rent per week/, enter: '420' },
  'Templates[].Fields[].FieldType': { label: 'Field type', group: details, enter: 'DateInput' },
  'Templates[].Fields[].IsRequired': { label: 'Required', group: details, enter: true },
  'Templates[].Fields[].Reference': { label: 'Field reference', group: details, enter: 'rent-9' },
  'Templates[].Fields[].ReadOnly': { label: 'Signers can’t change it', group: details, enter: true },
  'Templates[].Fields[].ClientField': { label: 'Name in your system', group: details, enter: 'wages.rent' },
  'Templates[].Fields[].ID': {
    because: 'it is obsolete, yet required: the same as Reference',
    with: 'Templates[].Fields[].Reference'
  }
}

/** Returns the members of a schema that hold values, written as `Forms[].Signers[].Email`. */
function leavesOf(schema: z.ZodType, path = ''): string[] {
  const { def } = schema as unknown as {
    def: { type: string; shape?: Record<string, z.ZodType>; element?: z.ZodType; innerType?: z.ZodType }
  }
  if (def.shape) {
    return Object.entries(def.shape).flatMap(([name, member]) => leavesOf(member, path ? `${path}.${name}` : name))
  }
  if (def.element) return leavesOf(def.element, `${path}[]`)
  return def.innerType ? leavesOf(def.innerType, path) : [path]
}

/** Returns a request's value at a leaf, taking the first item of each list. */
function valueAt(request: unknown, leaf: string): unknown {
  return leaf
    .split(/\.|(?=\[)/)
    .reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step === '[]' ? 0 : step], request)
}

const everybody: Partial<ComposedSigner> = {
  MobileCountry: '64',
  MobileNumber: '021555010',
  video: true,
  UseIDData: true,
  IDData: [{ key: 'q', Label: 'Staff number', Value: '12345', DataType: 'text' }],
  ShareUsers: [
    {
      key: 'u',
      FirstName: 'Tama',
      MiddleName: '',
      LastName: 'Brooks',
      Email: 'tama.brooks@example.com',
      IsDefault: false,
      IsOwner: false
    }
  ]
}
const due = { due: '2025-12-20T17:00', gmt: '0', zone: '' }

const oneForm = () =>
  forms({
    ...due,
    items: [form({ signers: [signer(everybody)] })],
    ListItems: [{ key: 'l', ClientField: 'office', Item: 'City', Value: 'CT' }]
  })

const oneTemplate = () =>
  templates({
    ...due,
    items: [
      template({
        signers: [signer(everybody)],
        fields: [
          {
            key: 'd',
            Label: 'Rent per week',
            Value: '400',
            FieldType: 'Text',
            IsRequired: false,
            Reference: 'rent',
            ReadOnly: false,
            ClientField: ''
          }
        ]
      })
    ]
  })

let opened: Opened

/** Opens the composer with this package, with all its collapsed parts expanded. */
async function openComposer(composition: Composition) {
  const api = fakeApi({
    drafts: [
      {
        id: 'draft-1',
        accountId: 'practice',
        kind: composition.kind,
        title: titleOf(composition),
        who: signersInWords(composition),
        updatedAt: 0,
        composition
      }
    ]
  })
  opened = await openOffice(api)
  opened.app.router.go('compose', ['draft-1'])
  show(opened, Compose)
  await screen.findAllByLabelText('First name')
  await settle()
  const ofFields = screen.queryByRole('button', { name: 'Show field details' })
  if (ofFields) await fireEvent.click(ofFields)
  // Some hold others, which are there once they are open.
  for (let part = closedPart(); part; part = closedPart()) {
    part.open = true
    await fireEvent(part, new Event('toggle'))
    await settle()
  }
  const answers = screen.queryByLabelText('Show identity answers')
  if (answers) await fireEvent.click(answers)
  await settle()
}

const closedPart = () => document.querySelector<HTMLDetailsElement>('details:not([open])')

/** Returns the request as "What will be sent" shows it to support. */
function preview(): unknown {
  return JSON.parse(screen.getByLabelText('The request as JSON').textContent ?? '')
}

/** Returns what "What will be sent" says in words. */
function inWords(): string {
  return screen.getByRole('group', { name: 'The package in words' }).textContent ?? ''
}

/** Returns the request made from the stored draft. */
async function savedRequest(): Promise<unknown> {
  await opened.clock.pass(1000)
  const composition = opened.api.control.state.drafts.find((one) => one.id === 'draft-1')?.composition as Composition
  const mark = () => 'ours'
  return composition.kind === 'form-direct'
    ? toFormDirectRequest(composition, mark)
    : toFormFillerRequest(composition, mark)
}

/** Returns a control's accessible description. */
function descriptionOf(control: Element): string {
  const ids = control.getAttribute('aria-describedby')?.split(' ') ?? []
  return ids
    .map((id) => document.getElementById(id)?.textContent ?? '')
    .join(' ')
    .trim()
}

async function operate({ label, group, enter }: Change) {
  const scope = group ? within(screen.getAllByRole('group', { name: group }).at(-1) as HTMLElement) : screen
  const control = scope.getAllByLabelText(label, { selector: 'input, select, textarea' })[0] as HTMLInputElement
  expect(control.matches(':disabled, :read-only:not(select, [type=checkbox])')).toBe(false)
  expect(descriptionOf(control), 'it has no help').not.toBe('')
  control.focus()
  if (control.type === 'checkbox') {
    expect(control.checked, 'the box has the other state before').toBe(!enter)
    await fireEvent.click(control)
  } else if (control instanceof HTMLSelectElement) {
    await fireEvent.change(control, { target: { value: enter } })
  } else await fireEvent.input(control, { target: { value: enter } })
  await settle()
}

const kinds = [
  { kind: 'Form Direct', schema: SendFormDirectRequest, table: formDirect, composition: oneForm },
  { kind: 'Form Filler', schema: SendFormFillerRequest, table: formFiller, composition: oneTemplate }
]

test('the time and the zone of the due date have descriptions too', async () => {
  await openComposer(oneForm())
  for (const label of ['Time', 'Time zone']) expect(descriptionOf(screen.getByLabelText(label))).not.toBe('')
})

describe.each(kinds)('the fields of $kind', ({ schema, table, composition }) => {
  const changes = Object.entries(table).map(([leaf, entry]) => {
    const change = 'with' in entry ? table[entry.with] : entry
    if (!change || 'with' in change) throw new Error(`${leaf} is filled in with a member that nobody can change.`)
    return { leaf, change, why: 'with' in entry ? ` (filled in: ${entry.because})` : '' }
  })

  test('are all listed here, without extra ones', () => {
    expect(Object.keys(table).sort()).toEqual(leavesOf(schema).sort())
  })

  test.each(changes)('$leaf can be set on the screen, and is in the preview$why', async ({ leaf, change }) => {
    await openComposer(composition())
    const before = { preview: valueAt(preview(), leaf), kept: valueAt(await savedRequest(), leaf), inWords: inWords() }
    await operate(change)
    const becomes = change.becomes === null ? undefined : (change.becomes ?? change.enter)
    expect(valueAt(preview(), leaf)).toEqual(becomes)
    expect(valueAt(await savedRequest(), leaf)).toEqual(becomes)
    expect(before.preview).not.toEqual(becomes)
    expect(before.kept).not.toEqual(becomes)
    expect(inWords()).not.toBe(before.inWords)
  })
})
