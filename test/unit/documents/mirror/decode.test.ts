import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readItem } from '../../../../src/main/core/documents/mirror/answer-items.ts'
import { decodeDocument } from '../../../../src/shared/model/document-decoding.ts'
import { DocumentResponse, decode, SIGNED_STATUSES } from '../../../../src/shared/model/index.ts'

const texts = fc.oneof(
  { weight: 4, arbitrary: fc.string() },
  fc.constantFrom('true', 'False', '', '0', 'Signed', 'InBox', '780')
)
const scalar: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: texts },
  { weight: 3, arbitrary: fc.boolean() },
  fc.constant(null),
  fc.oneof(fc.integer(), fc.double()),
  fc.constantFrom(...SIGNED_STATUSES, 'signed', 'INBOX', 'Progress', 0, 1, 13, 99)
)
const anything = fc.oneof({ weight: 5, arbitrary: scalar }, fc.jsonValue())

/** Any spelling of a name. */
const spelled = (name: string) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(name) },
    fc.constantFrom(name.toLowerCase(), name.toUpperCase(), `${name}2`, '__proto__', 'constructor', 'toString')
  )

function object(members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  const entries = Object.entries(members).map(([name, value]) => fc.tuple(spelled(name), value, fc.nat(3)))
  const built = fc.tuple(...entries, fc.constant(null)).map((all) => {
    const made: [string, unknown][] = []
    for (const entry of all) if (entry && entry[2] > 0) made.push([entry[0], entry[1]])
    // As JSON.parse does it: a member named __proto__ is an ordinary member.
    return JSON.parse(`{${made.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`)
  })
  return fc.oneof({ weight: 20, arbitrary: built }, anything)
}

const list = (item: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.array(fc.oneof({ weight: 9, arbitrary: item }, fc.constant(null)), { maxLength: 3 }) },
    anything
  )

const named = (names: string, value: fc.Arbitrary<unknown>) =>
  Object.fromEntries(names.split(' ').map((name) => [name, value]))
const mostlyText = fc.oneof({ weight: 15, arbitrary: texts }, anything)
const mostlyFlag = fc.oneof({ weight: 15, arbitrary: fc.boolean() }, anything)
const log = object(named('Name Action Date GMT Role', mostlyText))
const shareUser = object({
  ...named('FirstName LastName Email', mostlyText),
  ...named('IsDefault IsOwner', mostlyFlag)
})
const video = object({ ...named('Name ShortUrl Password', mostlyText), ...named('IsVideoReady IsWitness', mostlyFlag) })
const signer = object({
  ...named('FirstName Email SigningKey DeclinedReason IDVerificationResult', mostlyText),
  ...named('HasSigned Editable EnabledFaceToFaceSigning', mostlyFlag),
  SignedStatus: scalar,
  ShareUsers: list(shareUser),
  VideoConfirmationDetail: video
})
const document = object({
  Reference: texts,
  ...named('Name Status DueDate GMT PackageReference Unknown', mostlyText),
  ...named('HasFileUploaded IDVerificationRequested', mostlyFlag),
  Folder: scalar,
  Signers: list(signer),
  Logs: list(log)
})

describe('fast decoding of a document', () => {
  test('gives the same as the schema, for any JSON', () => {
    fc.assert(
      fc.property(document, (json) => {
        // Vitest's own comparison takes a member named `constructor` for the type.
        deepStrictEqual(decodeDocument(structuredClone(json)), decode(DocumentResponse, json))
      }),
      { numRuns: 3000 }
    )
  })

  test('doesn’t copy what is already spelled as in the reference', () => {
    const json = {
      Reference: 'r',
      Signers: [{ FirstName: 'Ana', HasSigned: true, SignedStatus: 'Signed' }],
      New: { a: 1 }
    }
    const decoded = decodeDocument(json)
    expect(decoded.ok && decoded.value).toBe(json)
  })
})

describe('an item that isn’t a valid document', () => {
  const deep = `{"Reference":"r","Name":"n","New":${'['.repeat(300)}${']'.repeat(300)}}`

  test.each([
    ['has no reference', '{"Name":"Lease"}', { path: '.Reference', name: 'Lease' }],
    ['has an empty reference', '{"Reference":" ","Name":"Lease"}', { path: '.Reference', name: 'Lease' }],
    ['has a reference that can’t be requested', '{"Reference":"\\ud800"}', { path: '.Reference' }],
    ['has an invalid signer', '{"reference":"r","Signers":[5]}', { path: '.Signers[0]', reference: 'r' }],
    ['is null', 'null', { path: '' }],
    ['is nested too deep to be kept', deep, { path: '', reference: 'r', name: 'n' }]
  ])('is identified as far as it can be: it %s', (_, text, members) => {
    expect(readItem(text, text === deep)).toEqual({ kind: 'unreadable', ...members })
  })
})
