/** A package in words, as someone checks it before it is sent: it must say everything that the request says. */
import { describe, expect, test } from 'vitest'
import { type Part, requestInWords } from '../../src/renderer/src/screens/compose/sending/request-in-words.ts'
import type { ComposedSigner, Composition } from '../../src/shared/composition/composition.ts'
import { toFormDirectRequest, toFormFillerRequest } from '../../src/shared/composition/request.ts'
import { form, forms, signer, template, templates } from '../fixtures/compositions.ts'

const NOW = Date.UTC(2025, 10, 28)
const inWords = (composition: Composition, answers: 'shown' | 'masked' = 'shown') =>
  requestInWords(composition, { now: NOW, defaultDueDays: 14, answers })

/** Returns everything that a part says, one fact or title a line. */
function linesOf({ title, facts, parts }: Part): string[] {
  const said = facts.map(({ label, value, note }) => [`${label}: ${value}`, note].filter(Boolean).join(' | '))
  return [title, ...said, ...parts.flatMap(linesOf)].filter(Boolean)
}

/** Returns each value of a request with its path. */
function valuesOf(request: unknown, path = ''): { path: string; value: unknown }[] {
  if (typeof request !== 'object' || request === null) return [{ path, value: request }]
  return Object.entries(request).flatMap(([name, value]) =>
    valuesOf(value, Array.isArray(request) ? `${path}[]` : path ? `${path}.${name}` : name)
  )
}

const everything = (prefix: string): Partial<ComposedSigner> => ({
  FirstName: `${prefix} first`,
  MiddleName: `${prefix} middle`,
  LastName: `${prefix} last`,
  Email: `${prefix}@example.com`.replace(' ', '.'),
  MobileCountry: '64',
  MobileNumber: '021555010',
  ClientReference: `${prefix} client`,
  faceToFace: true,
  video: true,
  deepfakeDetector: true,
  SignerType: `${prefix} type`,
  Optional: true,
  UseIDData: true,
  IDData: [{ key: 'q', Label: `${prefix} question`, Value: `${prefix} answer`, DataType: 'date' }],
  SignerReference: `${prefix} role`,
  reviewBeforeSigning: true,
  ShareUsers: [
    {
      key: 'u',
      FirstName: `${prefix} other first`,
      MiddleName: `${prefix} other middle`,
      LastName: `${prefix} other last`,
      Email: `${prefix}.other@example.com`.replace(' ', '.'),
      IsDefault: true,
      IsOwner: true
    }
  ]
})
const ofPackage = {
  due: '2025-12-20T17:00',
  gmt: '780',
  zone: 'Pacific/Auckland',
  embedded: true,
  Sequential: true,
  ReturnUrl: 'https://example.org/back',
  NotifyUrl: 'https://example.org/told'
}

const direct = forms({
  ...ofPackage,
  InvitationEmailTemplateReference: 'the e-mail',
  ListItems: [{ key: 'l', ClientField: 'the list', Item: 'its choice', Value: 'its value' }],
  items: ['one', 'two'].map((name) =>
    form({
      key: name,
      Name: `Form ${name}`,
      FormType: '4711',
      Reference: `${name} reference`,
      ClientReference: `${name} matter`,
      EmployerReference: `${name} employer`,
      XMLData: `<${name}>20</${name}>`,
      signers: [signer(everything(`${name} A`)), signer({ ...everything(`${name} B`), key: 'b' })]
    })
  )
})
const filler = templates({
  ...ofPackage,
  items: ['one', 'two'].map((name) =>
    template({
      key: name,
      Name: `Template ${name}`,
      Reference: `${name} reference`,
      ClientReference: `${name} matter`,
      signers: [signer(everything(`${name} A`)), signer({ ...everything(`${name} B`), key: 'b' })],
      fields: [
        {
          key: 'd',
          Label: `${name} label`,
          Value: `${name} value`,
          FieldType: 'MultiLineText',
          IsRequired: true,
          Reference: `${name} field`,
          ID: `${name} old field`,
          ReadOnly: true,
          ClientField: `${name} ours`
        }
      ]
    })
  )
})

/** What a value is called in words, if not by itself. */
const IN_WORDS: Record<string, string> = {
  DueDate: 'Due date: Sat 20 December, 17:00 New Zealand time (04:00 UTC) · in 22 days',
  GMT: 'New Zealand time',
  EmbedForm: 'Sign in this application: Yes',
  Embedded: 'Sign in this application: Yes',
  Sequential: 'Signers sign in order: Yes',
  EnabledFaceToFaceSigning: 'Face to face: Yes',
  IsFaceToFaceSigning: 'Face to face: Yes',
  UseIDData: 'No mobile phone: Yes',
  DataType: 'answered with a date',
  VideoConfirmation: 'Video confirmation: Yes',
  VideoConfirmationEnabled: 'Video confirmation: Yes',
  EnableDeepfakeDetector: 'Deepfake detector: Yes',
  VideoConfirmationDeepfakeEnabled: 'Deepfake detector: Yes',
  ReviewBeforeSigningEnabled: 'Review before signing: Yes',
  Optional: 'Optional: Yes',
  MobileCountry: '+64',
  IsDefault: 'Default: Yes',
  IsOwner: 'Owner: Yes',
  FieldType: 'Multiple lines',
  IsRequired: 'Required',
  ReadOnly: 'Signers can’t change it'
}

/** Checks that a part says each value of its form, template or signer in exactly one line, and so on in its own parts. */
function expectEachValueOnce(of: object, part: Part): void {
  const entries = Object.entries(of)
  const nested = entries.find(([name]) => ['Forms', 'Templates', 'Signers'].includes(name))
  const children: object[] = nested?.[1] ?? []
  const lines = linesOf({ ...part, parts: part.parts.slice(children.length) })
  for (const { path, value } of valuesOf(Object.fromEntries(entries.filter((entry) => entry !== nested)))) {
    const words = IN_WORDS[path.split('.').at(-1) ?? ''] ?? String(value)
    expect(
      lines.filter((line) => line.includes(words)),
      `${path} (“${words}”) in:\n${lines.join('\n')}`
    ).toHaveLength(1)
  }
  for (const [index, child] of children.entries()) expectEachValueOnce(child, part.parts[index] as Part)
}

describe.each([
  { kind: 'Form Direct', composition: direct, request: toFormDirectRequest(direct, () => 'ours') },
  { kind: 'Form Filler', composition: filler, request: toFormFillerRequest(filler, () => 'ours') }
])('a package of $kind with every field filled in', ({ composition, request }) => {
  const lines = linesOf(inWords(composition))

  test('says each value of the request once, in the part of its form, template or person', () => {
    expectEachValueOnce(request, inWords(composition))
  })

  test('names people in their order', () => {
    expect(lines.filter((line) => /^[12]\. /.test(line))).toEqual(
      ['one A', 'one B', 'two A', 'two B'].map(
        (name, index) => `${(index % 2) + 1}. ${name} first ${name} middle ${name} last`
      )
    )
  })
})

test('identity answers are masked unless they are to be shown', () => {
  expect(linesOf(inWords(direct, 'masked')).join()).not.toContain('answer |')
  expect(linesOf(inWords(direct, 'masked')).join()).not.toContain('one A answer')
  expect(linesOf(inWords(direct)).join()).toContain('one A answer')
})

test('what Countersign fills in is said as such', () => {
  const lines = linesOf(inWords(forms({ embedded: true, items: [form({ ClientReference: '' })] })))
  expect(lines).toContain('Your reference: Assigned when sent')
  expect(lines).toContain('Redirect after signing: Back to Countersign')
  expect(lines).toContain('Due date: Default (14 days), due Fri 12 December')
})

test('a blank field, a tick and a date are said as in the form', () => {
  const field = { IsRequired: false, ReadOnly: false, ClientField: '' }
  const fields = [
    { ...field, key: 'a', Label: 'Notes', Reference: 'notes', FieldType: 'Text', Value: '' },
    { ...field, key: 'b', Label: 'Pets', Reference: 'pets', FieldType: 'CheckBox', Value: 'true' },
    { ...field, key: 'c', Label: 'Starts', Reference: 'starts', FieldType: 'DateInput', Value: '2025-12-05' }
  ]
  const lines = linesOf(inWords(templates({ items: [template({ fields })] })))
  expect(lines).toContain('Notes: Blank | Single line · Field reference: notes')
  expect(lines).toContain('Pets: Ticked | Checkbox · Field reference: pets')
  expect(lines.find((line) => line.startsWith('Starts: '))).toMatch(/^Starts: Friday 5 December 2025 /)
})

test('long XML is cut, with its size', () => {
  const lines = linesOf(inWords(forms({ items: [form({ XMLData: `<a>${'x'.repeat(600_000)}</a>` })] })))
  const line = lines.find((one) => one.startsWith('XML data: ')) ?? ''
  expect(line.length).toBeLessThan(400)
  expect(line).toContain('0.6 MB in all')
})
