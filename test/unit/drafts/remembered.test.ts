import { beforeEach, describe, expect, test } from 'vitest'
import { MAX_FORMS } from '../../../src/main/core/drafts/remembered.ts'
import { type ComposedField, MAX_VALUES, rememberedChoice } from '../../../src/shared/composition/index.ts'
import { form, forms, signer, template, templates } from '../../fixtures/compositions.ts'
import { MINUTE, type Office, openOffice } from './office.ts'

let office: Office
beforeEach(() => {
  office = openOffice()
})

function send(composition = forms()): void {
  office.time.now += MINUTE
  office.remembered.note('a', composition)
}

const field = (FieldType: ComposedField['FieldType'], Reference: string, Value: string): ComposedField => ({
  key: Reference,
  Label: Reference,
  Value,
  FieldType,
  IsRequired: false,
  Reference,
  ReadOnly: false,
  ClientField: ''
})
const everything = () => JSON.stringify(office.db.prepare('SELECT * FROM remembered').all())

describe('previously used values', () => {
  test.each([
    ['SignerType', forms({ items: [form({ signers: [signer({ SignerType: ' Guardian ' })] })] }), 'Guardian'],
    ['EmployerReference', forms({ items: [form({ EmployerReference: 'EMP-9' })] }), 'EMP-9'],
    ['InvitationEmailTemplateReference', forms({ InvitationEmailTemplateReference: 'MAIL-1' }), 'MAIL-1'],
    ['ReturnUrl', forms({ ReturnUrl: 'https://example.com/done' }), 'https://example.com/done'],
    ['NotifyUrl', templates({ NotifyUrl: 'https://example.com/told' }), 'https://example.com/told']
  ])('of %s are offered', (name, composition, value) => {
    send(composition)
    expect(office.remembered.values('a', name)).toEqual([value])
    expect(office.remembered.values('b', name)).toEqual([])
  })

  test('include those of a form’s own settings', () => {
    const own = { embedded: false, ReturnUrl: 'https://example.com/own', NotifyUrl: '' }
    send(forms({ items: [form({ own })] }))
    expect(office.remembered.values('a', 'ReturnUrl')).toEqual([own.ReturnUrl])
  })

  test('are offered newest first, without duplicates, up to a limit', () => {
    for (let number = 0; number < MAX_VALUES + 10; number++) send(forms({ ReturnUrl: `https://example.com/${number}` }))
    send(forms({ ReturnUrl: 'https://example.com/30' }))
    const values = office.remembered.values('a', 'ReturnUrl')
    expect(values).toHaveLength(MAX_VALUES)
    expect(values.slice(0, 3)).toEqual(
      [30, MAX_VALUES + 9, MAX_VALUES + 8].map((number) => `https://example.com/${number}`)
    )
    expect(new Set(values).size).toBe(MAX_VALUES)
  })

  test('exclude fields that weren’t sent', () => {
    const IDData = [{ key: 'q', Label: 'Passport', Value: 'LA123456', DataType: 'text' as const }]
    send(forms({ items: [form({ signers: [signer({ UseIDData: false, IDData })] })] }))
    send(
      templates({ items: [template({ EmployerReference: 'EMP-9', signers: [signer({ SignerType: 'Guardian' })] })] })
    )
    expect(everything()).toBe('[]')
  })

  test('exclude blanks and very long values', () => {
    send(forms({ ReturnUrl: '   ', NotifyUrl: `https://example.com/${'x'.repeat(3000)}` }))
    expect(everything()).toBe('[]')
  })
})

test('identity questions are remembered, but never the answers', () => {
  const IDData = [{ key: 'q', Label: 'Passport number', Value: 'LA123456', DataType: 'text' as const }]
  send(forms({ items: [form({ signers: [signer({ UseIDData: true, IDData })] })] }))
  expect(office.remembered.values('a', 'IDData.Label')).toEqual(['Passport number'])
  expect(everything()).not.toContain('LA123456')
})

test('choices of a template’s lists and buttons are remembered per field, but not texts, ticks and dates', () => {
  const fields = [
    field('DropDownList', 'pay', 'Fortnightly'),
    field('RadioButton', 'pets', 'No'),
    field('Text', 'name', 'Mere Parata'),
    field('MultiLineText', 'note', 'Private'),
    field('DateInput', 'born', '1990-01-01'),
    field('CheckBox', 'agreed', 'true')
  ]
  send(templates({ items: [template({ Reference: 'TPL-1', fields })] }))
  expect(office.remembered.values('a', rememberedChoice('TPL-1', 'pay'))).toEqual(['Fortnightly'])
  expect(office.remembered.values('a', rememberedChoice('TPL-1', 'pets'))).toEqual(['No'])
  expect(office.remembered.values('a', rememberedChoice('TPL-2', 'pay'))).toEqual([])
  for (const personal of ['Mere', 'Private', '1990', 'true']) expect(everything()).not.toContain(personal)
})

describe('choices that the office edits', () => {
  const pets = rememberedChoice('TPL-1', 'pets')
  const sendPets = (value: string) =>
    send(templates({ items: [template({ Reference: 'TPL-1', fields: [field('RadioButton', 'pets', value)] })] }))
  const values = () => office.remembered.values('a', pets)

  test('stay in the office’s order, whichever is sent', () => {
    sendPets('No')
    office.time.now += MINUTE
    expect(office.remembered.keepChoices('a', pets, ['Cat', 'No', 'Dog'])).toEqual(['Cat', 'No', 'Dog'])
    sendPets('Dog')
    expect(values()).toEqual(['Cat', 'No', 'Dog'])
    expect(office.remembered.values('b', pets)).toEqual([])
  })

  test('are forgotten when removed, and come last when sent again', () => {
    sendPets('No')
    office.remembered.keepChoices('a', pets, ['Cat', 'Dog'])
    expect(values()).toEqual(['Cat', 'Dog'])
    sendPets('Rabbit')
    sendPets('No')
    expect(values()).toEqual(['Cat', 'Dog', 'No', 'Rabbit'])
    office.remembered.keepChoices('a', pets, [])
    expect(values()).toEqual([])
  })

  test('are unique and not blank, and are never crowded out by sent values', () => {
    office.remembered.keepChoices('a', pets, ['Cat', ' Cat ', ' ', 'Dog'])
    expect(values()).toEqual(['Cat', 'Dog'])
    for (let number = 0; number < MAX_VALUES + 5; number++) sendPets(`Fish ${number}`)
    expect(values()).toHaveLength(MAX_VALUES)
    expect(values().slice(0, 3)).toEqual(['Cat', 'Dog', `Fish ${MAX_VALUES + 4}`])
  })
})

describe('previously sent forms', () => {
  test('are offered with reference and type, newest first, without duplicates', () => {
    send(forms({ items: [form(), form({ key: 'f2', Name: 'Loan', Reference: 'L-1', FormType: '3' })] }))
    send(forms({ items: [form()] }))
    expect(office.remembered.forms('a')).toEqual([
      { Name: 'Tax file declaration', Reference: 'TFN-1', FormType: '1' },
      { Name: 'Loan', Reference: 'L-1', FormType: '3' }
    ])
    expect(office.remembered.forms('b')).toEqual([])
  })

  test('are limited in number', () => {
    for (let number = 0; number < MAX_FORMS + 5; number++) send(forms({ items: [form({ Reference: `R-${number}` })] }))
    expect(office.remembered.forms('a')).toHaveLength(MAX_FORMS)
  })

  test('don’t include templates', () => {
    send(templates())
    expect(office.remembered.forms('a')).toEqual([])
  })
})
