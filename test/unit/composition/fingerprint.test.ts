import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type ComposedField,
  type Composition,
  fingerprintOf,
  looseFingerprintOf,
  subjectOf
} from '../../../src/shared/composition/index.ts'
import { form, forms, signer, template, templates } from '../../fixtures/compositions.ts'

const field = (changes: Partial<ComposedField> = {}): ComposedField => ({
  key: 'v1',
  Label: 'Month',
  Value: 'January',
  FieldType: 'Text',
  IsRequired: false,
  Reference: 'F-1',
  ReadOnly: false,
  ClientField: '',
  ...changes
})
const choice = { key: 'c1', ClientField: 'Fund', Item: 'Green', Value: '1' }
const areSame = (one: Composition, other: Composition) => fingerprintOf(one) === fingerprintOf(other)
const oneForm = (changes: Parameters<typeof form>[0]) => forms({ items: [form(changes)] })
const filled = (...fields: ComposedField[]) => templates({ items: [template({ fields })] })

describe('packages differ', () => {
  test.each<[string, Composition, Composition]>([
    ['a field’s value', filled(field()), filled(field({ Value: 'February' }))],
    ['the field of a value', filled(field()), filled(field({ Reference: 'F-2' }))],
    ['one blank field', filled(field()), filled(field({ Value: '' }))],
    ['XML data', oneForm({ XMLData: '<a>1</a>' }), oneForm({ XMLData: '<a>2</a>' })],
    ['the employer', oneForm({ EmployerReference: 'E-1' }), oneForm({ EmployerReference: 'E-2' })],
    ['the form type', oneForm({ FormType: '1' }), oneForm({ FormType: '2' })],
    ['a drop-down item', forms({ ListItems: [choice] }), forms({ ListItems: [{ ...choice, Item: 'Growth' }] })],
    ['the office’s own reference', oneForm({ ClientReference: '2026-01' }), oneForm({ ClientReference: '2026-02' })],
    ['the name of the form', oneForm({ Name: 'Payslip, January' }), oneForm({ Name: 'Payslip, February' })],
    ['who signs', forms(), oneForm({ signers: [signer({ Email: 'tama@example.com' })] })],
    [
      'which of two people with one address signs',
      oneForm({ signers: [signer({ FirstName: 'Mere', Email: 'home@example.com' })] }),
      oneForm({ signers: [signer({ FirstName: 'Wiremu', Email: 'home@example.com' })] })
    ],
    ['a middle name', forms(), oneForm({ signers: [signer({ MiddleName: 'Ana' })] })],
    [
      'who signs in which role',
      oneForm({ signers: [signer({ SignerType: 'Tenant' })] }),
      oneForm({ signers: [signer({ SignerType: 'Guarantor' })] })
    ],
    [
      'the kind',
      forms({ items: [form({ Name: 'N', Reference: 'R' })] }),
      templates({ items: [form({ Name: 'N', Reference: 'R' })] })
    ]
  ])('by %s', (_, one, other) => {
    expect(areSame(one, other)).toBe(false)
  })

  test('by any difference in a field’s value', () => {
    const value = fc.string({ unit: 'grapheme' }).map((text) => text.trim())
    fc.assert(
      fc.property(value, value, (one, other) => {
        fc.pre(one !== other)
        expect(areSame(filled(field({ Value: one })), filled(field({ Value: other })))).toBe(false)
      })
    )
  })
})

describe('packages are the same', () => {
  const second = { ...choice, key: 'c2', Item: 'Growth' }
  test.each<[string, Composition, Composition]>([
    ['with other due dates', forms(), forms({ due: '2026-12-04T17:00', gmt: '780' })],
    ['with another way of signing', forms(), forms({ embedded: true, ReturnUrl: 'https://example.com/' })],
    [
      'with an address spelled differently',
      forms(),
      oneForm({ signers: [signer({ Email: ' Mere.Tamati@EXAMPLE.com ' })] })
    ],
    [
      'with other capitals, spaces and accents in a name',
      forms(),
      oneForm({ signers: [signer({ FirstName: ' MĒRE' })] })
    ],
    [
      'with fields in another order',
      filled(field(), field({ Reference: 'F-2', Value: 'x' })),
      filled(field({ Reference: 'F-2', Value: 'x' }), field())
    ],
    ['with blank fields or without', filled(field()), filled(field(), field({ Reference: 'F-2', Value: ' ' }))],
    ['with choices in another order', forms({ ListItems: [choice, second] }), forms({ ListItems: [second, choice] })],
    ['whatever their keys', oneForm({ key: 'a' }), oneForm({ key: 'b' })],
    [
      'with whatever a template leaves of a form',
      templates(),
      templates({ items: [template({ XMLData: '<a/>' })], ListItems: [choice] })
    ]
  ])('%s', (_, one, other) => {
    expect(areSame(one, other)).toBe(true)
  })
})

test('the fingerprint of megabytes is short, and reveals nothing of the content', () => {
  const fingerprint = fingerprintOf(oneForm({ XMLData: `<secret>${'x'.repeat(1_000_000)}</secret>` }))
  expect(fingerprint.length).toBeLessThan(300)
  expect(fingerprint).not.toContain('secret')
})

describe('packages go to the same people', () => {
  const isAlike = (one: Composition, other: Composition) =>
    looseFingerprintOf(fingerprintOf(one)) === looseFingerprintOf(fingerprintOf(other))
  const swapped = signer({ FirstName: 'Tamati', LastName: 'Mere' })

  test.each<[string, Composition, Composition]>([
    ['with other values', filled(field()), filled(field({ Value: 'February' }))],
    ['with other references', oneForm({ Reference: '1' }), oneForm({ Reference: '2' })],
    ['with first and last names swapped', forms(), oneForm({ signers: [swapped] })],
    ['with a middle name or without', forms(), oneForm({ signers: [signer({ MiddleName: 'Ana' })] })]
  ])('%s', (_, one, other) => {
    expect(areSame(one, other)).toBe(false)
    expect(isAlike(one, other)).toBe(true)
  })

  test.each<[string, Composition, Composition]>([
    ['another person', forms(), oneForm({ signers: [signer({ FirstName: 'Wiremu' })] })],
    ['a form of that type with another name', oneForm({ Name: 'Fee letter' }), oneForm({ Name: 'Engagement letter' })],
    ['another form', oneForm({ FormType: '1' }), oneForm({ FormType: '2' })],
    ['another template', templates(), templates({ items: [template({ Reference: 'other' })] })]
  ])('but not to %s', (_, one, other) => {
    expect(isAlike(one, other)).toBe(false)
  })

  test('unless a fingerprint of an earlier version doesn’t tell', () => {
    expect(looseFingerprintOf(JSON.stringify(['form-direct', '["r","n"]', '']))).toBeUndefined()
  })
})

test('sheets are matched by form or template and number of signers', () => {
  expect(subjectOf(forms())).toBe(subjectOf(oneForm({ Name: 'Other', ClientReference: 'x' })))
  expect(subjectOf(forms())).not.toBe(subjectOf(oneForm({ signers: [signer(), signer()] })))
  expect(subjectOf(forms())).not.toBe(subjectOf(templates()))
})
