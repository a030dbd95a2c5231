import { describe, expect, test } from 'vitest'
import type { ComposedItem } from '../../../src/shared/composition/composition.ts'
import { presetOf, repeatedPackage, startFromPreset } from '../../../src/shared/composition/preset.ts'
import { form, forms, signer } from '../../fixtures/compositions.ts'

const due = { due: '2026-01-20T17:00', gmt: '780', zone: 'Pacific/Auckland' }
const AT = Date.UTC(2026, 0, 20, 4)
const answered = signer({
  MobileCountry: '64',
  MobileNumber: '021012345',
  faceToFace: true,
  IDData: [{ key: 'q', Label: 'Born', Value: '29/02/1980', DataType: 'date' }]
})

describe('a preset', () => {
  test('contains neither the due date nor identity answers', () => {
    const preset = presetOf(forms({ ...due, items: [form({ signers: [answered] })] }), 'keep')
    expect(preset).toMatchObject({ due: '', gmt: '', zone: '' })
    expect(preset.items[0]?.signers[0]).toMatchObject({ FirstName: 'Mere', IDData: [{ Label: 'Born', Value: '' }] })
  })

  test('without its people still says how each of them signs', () => {
    const preset = presetOf(forms({ items: [form({ signers: [answered] })] }), 'blank')
    expect(preset.items[0]?.signers[0]).toMatchObject({
      FirstName: '',
      Email: '',
      MobileNumber: '',
      MobileCountry: '64',
      faceToFace: true
    })
  })
})

describe('a package started from a preset', () => {
  test('has its due date if that is in the future', () => {
    const preset = forms(due)
    expect(startFromPreset(preset, AT - 1)).toBe(preset)
  })

  test('has the default 14 days if its due date has passed', () => {
    expect(startFromPreset(forms(due), AT)).toEqual(forms())
  })
})

test('sending the same package again keeps its due date if that is in the future', () => {
  const due = { due: '2026-12-04T17:00', gmt: '0', zone: 'UTC' }
  const sent = forms(due)
  expect(repeatedPackage(sent, 'people and data', Date.UTC(2026, 10, 24))).toEqual(sent)
  expect(repeatedPackage(sent, 'data', Date.UTC(2026, 10, 24))).toMatchObject(due)
  expect(repeatedPackage(sent, 'people and data', Date.UTC(2026, 11, 5))).toMatchObject({ due: '', gmt: '', zone: '' })
})

test('nothing filled in for one person is passed on to the next', () => {
  const [item] = forms().items
  const sent = forms({
    items: [
      { ...(item as ComposedItem), ClientReference: 'MERE-17', XMLData: '<data><number>123-456-789</number></data>' }
    ]
  })
  const next = repeatedPackage(sent, 'nothing', AT)
  expect(next.items[0]).toMatchObject({
    Name: item?.Name,
    Reference: item?.Reference,
    ClientReference: '',
    XMLData: ''
  })
  expect(repeatedPackage(sent, 'data', AT).items[0]).toMatchObject({
    ClientReference: 'MERE-17',
    XMLData: sent.items[0]?.XMLData
  })
})
