/**
 * Any composition survives being stored, loaded, sent and read by the service: every member of 2.1 to 2.12 arrives as
 * typed. The expected values are written here from the reference, not taken from the code that makes the request.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ServiceClient } from '../../src/main/core/service/index.ts'
import { OTHER_TYPE } from '../../src/practice/dialects.ts'
import {
  type ComposedField,
  type ComposedItem,
  type ComposedShareUser,
  type ComposedSigner,
  Composition,
  problemsOf,
  RETURN_ADDRESS,
  type Settings,
  toFormDirectRequest,
  toFormFillerRequest
} from '../../src/shared/composition/index.ts'
import { FIELD_TYPES } from '../../src/shared/model/index.ts'
import { form, forms } from '../fixtures/compositions.ts'
import { anyEmail, anyText } from './arbitrary-of-schema.ts'
import { anOffice } from './practice-office.ts'

const NOW = Date.parse('2026-11-21T00:00:00Z')
const mark = (index: number) => `cs-mark-${index + 1}`

// A record of every member by name: a member added to the composition doesn't compile until it is covered here.
type Every<Model> = { [Member in keyof Model]-?: fc.Arbitrary<Model[Member]> }

const any = anyText.filter((text) => text.length <= 10_000)
const needed = any.filter((text) => text.trim() !== '')
const key = fc.uuid()
const person = { key, FirstName: needed, MiddleName: any, LastName: needed, Email: anyEmail }
const mobile = fc.oneof(any, fc.constantFrom('021012345', '021 012-345', '(021) 012345', '+6421012345'))
const country = fc.oneof(any, fc.constantFrom('64', '+64', '0064', ' 64 '))
const webAddress = fc.oneof(fc.constantFrom('', ' '), fc.webUrl({ withQueryParameters: true, withFragments: true }))

const anyAnswer = fc.oneof(
  fc.record({ key, Label: needed, Value: needed, DataType: fc.constant('text' as const) }),
  fc.record({
    key,
    Label: needed,
    Value: fc.constantFrom('29/02/1980', '1980-02-29'),
    DataType: fc.constant('date' as const)
  }),
  fc.record({ key, Label: needed, Value: anyEmail, DataType: fc.constant('email' as const) })
)
const signerMembers: Every<ComposedSigner> = {
  ...person,
  MobileCountry: country,
  MobileNumber: mobile,
  ClientReference: any,
  ShareUsers: fc.array(
    fc.record<ComposedShareUser>({
      ...person,
      IsDefault: fc.boolean(),
      IsOwner: fc.boolean()
    } satisfies Every<ComposedShareUser>),
    { maxLength: 2 }
  ),
  faceToFace: fc.boolean(),
  video: fc.boolean(),
  deepfakeDetector: fc.boolean(),
  SignerType: any,
  Optional: fc.boolean(),
  UseIDData: fc.boolean(),
  IDData: fc.array(anyAnswer, { minLength: 1, maxLength: 2 }),
  SignerReference: any,
  reviewBeforeSigning: fc.boolean()
}
const fieldMembers: Every<ComposedField> = {
  key,
  Label: any,
  Value: any,
  FieldType: fc.constantFrom(...FIELD_TYPES.filter((name) => name !== undefined), OTHER_TYPE.name),
  IsRequired: fc.boolean(),
  Reference: needed,
  ID: fc.option(any, { nil: undefined }),
  ReadOnly: fc.boolean(),
  ClientField: any
}
const settingsMembers: Every<Settings> = { embedded: fc.boolean(), ReturnUrl: webAddress, NotifyUrl: webAddress }
const itemMembers: Every<ComposedItem> = {
  key,
  Name: needed,
  Reference: needed,
  ClientReference: any,
  signers: fc.array(fc.record(signerMembers), { minLength: 1, maxLength: 2 }),
  FormType: fc.nat({ max: 999_999_999 }).map(String),
  EmployerReference: any,
  XMLData: fc.oneof(
    fc.constant(''),
    any.filter(isXmlText).map((text) => `<data>\r\n${escaped(text)}</data>`)
  ),
  own: fc.option(fc.record(settingsMembers), { nil: undefined }),
  fields: fc.array(fc.record(fieldMembers), { maxLength: 3 })
}
const compositionMembers: Omit<Every<Composition>, 'due' | 'gmt' | 'zone'> = {
  kind: fc.constantFrom('form-direct', 'form-filler'),
  items: fc.array(fc.record(itemMembers), { minLength: 1, maxLength: 3 }),
  ...settingsMembers,
  InvitationEmailTemplateReference: any,
  ListItems: fc.array(fc.record({ key, ClientField: needed, Item: needed, Value: any }), { maxLength: 3 }),
  Sequential: fc.boolean()
}
const anyDue = fc.oneof(
  fc.constant({ due: '', gmt: '', zone: '' }),
  fc.constantFrom(
    { due: '2026-12-04T17:00', gmt: '780', zone: 'Pacific/Auckland' },
    { due: '2027-06-04T17:00', gmt: '720', zone: 'Pacific/Auckland' },
    { due: '2026-12-04T23:59', gmt: '-210', zone: 'America/St_Johns' },
    { due: '2026-12-04T00:00', gmt: '0', zone: '' }
  )
)
const anyComposition = fc
  .tuple(fc.record(compositionMembers), anyDue)
  .map(([members, due]): Composition => ({ ...members, ...due }))
  .filter((composition) => problemsOf(composition, NOW).every(({ severity }) => severity === 'warning'))

describe('any composition', () => {
  test('is stored, loaded, sent and read by the service with every member intact', async () => {
    const { office, client } = await anOffice({ data: 'empty', notify: async () => new Response() })
    await fc.assert(
      fc.asyncProperty(anyComposition, async (composition) => {
        await send(client, keptAndLoaded(composition))
        expect(office.service.recorded().at(-1)?.body).toEqual(asJson(expected(composition)))
      }),
      { numRuns: 150 }
    )
  })

  test('survives the same with five megabytes of XML', async () => {
    const { office, client } = await anOffice({ data: 'empty' })
    const row = '<row id="12"><name>Māia Tamati 漢字 👩‍👩‍👧</name></row>\r\n'
    const XMLData = `<data>${row.repeat(Math.floor(4_990_000 / row.length))}</data>`
    const composition = forms({ items: [form({ XMLData })] })
    expect(problemsOf(composition, NOW)).toEqual([])
    await send(client, keptAndLoaded(composition))
    const body = office.service.recorded().at(-1)?.body as { Forms: { XMLData: string }[] }
    expect(body.Forms[0]?.XMLData === XMLData).toBe(true)
  })
})

function keptAndLoaded(composition: Composition): Composition {
  return Composition.parse(JSON.parse(JSON.stringify(composition)))
}

async function send(client: ServiceClient, composition: Composition): Promise<void> {
  if (composition.kind === 'form-direct') await client.sendForms2(toFormDirectRequest(composition, mark))
  else await client.sendTemplates(toFormFillerRequest(composition, mark))
}

/** 2.1 and 2.9 */
function expected(composition: Composition) {
  const due = composition.due && {
    DueDate: new Date(Date.parse(`${composition.due}:00Z`) - Number(composition.gmt) * 60_000)
      .toISOString()
      .replace('.000', ''),
    GMT: composition.gmt
  }
  const addressesOf = ({ embedded, ReturnUrl, NotifyUrl }: Settings) => ({
    ...memberUnlessEmpty('ReturnUrl', ReturnUrl.trim() || (embedded ? RETURN_ADDRESS : '')),
    ...memberUnlessEmpty('NotifyUrl', NotifyUrl.trim())
  })
  if (composition.kind === 'form-filler') {
    return {
      Templates: composition.items.map((item, index) => ({
        Name: item.Name.trim(),
        Reference: item.Reference.trim(),
        Signers: item.signers.map(templateSigner),
        Fields: item.fields.map(({ Label, Value, FieldType, IsRequired, Reference, ID, ReadOnly, ClientField }) => ({
          Label,
          Value,
          FieldType,
          IsRequired,
          ID: ID ?? Reference,
          Reference,
          ReadOnly,
          ClientField
        })),
        ClientReference: item.ClientReference.trim() || mark(index)
      })),
      ...due,
      ...addressesOf(composition),
      ...on('Embedded', composition.embedded),
      ...on('Sequential', composition.Sequential)
    }
  }
  return {
    Forms: composition.items.map((item, index) => ({
      Name: item.Name.trim(),
      FormType: Number(item.FormType),
      Reference: item.Reference.trim(),
      Signers: item.signers.map(formSigner),
      EmbedForm: (item.own ?? composition).embedded,
      ...addressesOf(item.own ?? composition),
      ...memberUnlessEmpty('XMLData', item.XMLData),
      ...memberUnlessEmpty('EmployerReference', item.EmployerReference.trim()),
      ClientReference: item.ClientReference.trim() || mark(index)
    })),
    ...due,
    ...memberUnlessEmpty('InvitationEmailTemplateReference', composition.InvitationEmailTemplateReference.trim()),
    ...(composition.ListItems.length > 0 && {
      ListItems: composition.ListItems.map(({ ClientField, Item, Value }) => ({ ClientField, Item, Value }))
    })
  }
}

/** 2.3 */
function formSigner(signer: ComposedSigner) {
  return {
    ...invitee(signer),
    ...memberUnlessEmpty('SignerType', signer.SignerType.trim()),
    ...on('UseIDData', signer.UseIDData),
    ...(signer.UseIDData && {
      IDData: signer.IDData.map(({ Label, Value, DataType }) => ({ Label, Value, DataType }))
    }),
    ...on('EnabledFaceToFaceSigning', signer.faceToFace),
    ...on('Optional', signer.Optional),
    ...on('VideoConfirmation', signer.video),
    ...on('EnableDeepfakeDetector', signer.video && signer.deepfakeDetector)
  }
}

/** 2.11 */
function templateSigner(signer: ComposedSigner) {
  return {
    ...invitee(signer),
    ...memberUnlessEmpty('SignerReference', signer.SignerReference.trim()),
    ...on('IsFaceToFaceSigning', signer.faceToFace),
    ...on('VideoConfirmationEnabled', signer.video),
    ...on('VideoConfirmationDeepfakeEnabled', signer.video && signer.deepfakeDetector),
    ...on('ReviewBeforeSigningEnabled', signer.reviewBeforeSigning)
  }
}

/** 2.4 to 2.6. The number is reduced to digits if it consists of them, and so is its country's calling code. */
function invitee(signer: ComposedSigner) {
  const number = inDigits(signer.MobileNumber, /^\d+$/)
  const shared = signer.ShareUsers.map((user) => ({
    ...userInfo(user),
    ...on('IsDefault', user.IsDefault),
    ...on('IsOwner', user.IsOwner)
  }))
  return {
    ...userInfo(signer),
    ...memberUnlessEmpty('MobileNumber', number),
    ...memberUnlessEmpty(
      'MobileCountry',
      number && inDigits(signer.MobileCountry, /^(\+|00)?\d+$/).replace(/^(\+|00)(?=\d+$)/, '')
    ),
    ...memberUnlessEmpty('ClientReference', signer.ClientReference.trim()),
    ...(shared.length > 0 && { ShareUsers: shared })
  }
}

function userInfo({ FirstName, MiddleName, LastName, Email }: ComposedShareUser | ComposedSigner) {
  return {
    FirstName: FirstName.trim(),
    ...memberUnlessEmpty('MiddleName', MiddleName.trim()),
    LastName: LastName.trim(),
    Email: Email.trim()
  }
}

function inDigits(typed: string, digits: RegExp): string {
  const compact = typed.replace(/[\s().\-/‐-―]/g, '')
  return digits.test(compact) ? compact : typed.trim()
}

function memberUnlessEmpty(member: string, value: string) {
  return value === '' ? {} : { [member]: value }
}

function on(member: string, value: boolean) {
  return value ? { [member]: true } : {}
}

function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Characters that XML 1.0 allows. */
function isXmlText(text: string): boolean {
  return text.isWellFormed() && /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u.test(text)
}
