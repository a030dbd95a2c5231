/** Employer records are checked before they are saved, above all the checksums of their ABNs. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { digitsOfAbn, employerProblems, isAbn } from '../../../src/shared/composition/employer-problems.ts'

/** ABNs of public bodies, and the tax office's own example. */
const PUBLIC = ['51 824 753 556', '53 004 085 616', '33 051 775 556', '88 000 014 675', '28 008 984 049']

describe('an ABN', () => {
  test.each(PUBLIC)('%s is valid, with or without separators', (number) => {
    expect(isAbn(number)).toBe(true)
    expect(isAbn(number.replaceAll(' ', ''))).toBe(true)
    expect(isAbn(number.replaceAll(' ', '-'))).toBe(true)
  })

  test('with one wrong digit, or two neighbouring digits swapped, is invalid', () => {
    const number = fc.constantFrom(...PUBLIC.map((one) => one.replaceAll(' ', '')))
    const mistaken = fc
      .tuple(number, fc.nat(10), fc.integer({ min: 1, max: 9 }))
      .map(
        ([digits, place, by]) =>
          `${digits.slice(0, place)}${(Number(digits[place]) + by) % 10}${digits.slice(place + 1)}`
      )
    const swapped = fc
      .tuple(number, fc.integer({ min: 1, max: 9 }))
      .filter(([digits, place]) => digits[place] !== digits[place + 1])
      .map(
        ([digits, place]) => `${digits.slice(0, place)}${digits[place + 1]}${digits[place]}${digits.slice(place + 2)}`
      )
    fc.assert(fc.property(fc.oneof(mistaken, swapped), (digits) => !isAbn(digits)))
  })

  test.each(['', '5182475355', '518247535561', '51 824 753 55x', '٥١ ٨٢٤ ٧٥٣ ٥٥٦', '01 824 753 556'])(
    '%j is invalid',
    (text) => expect(isAbn(text)).toBe(false)
  )

  test('is checked without throwing, whatever is typed', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !isAbn(text) || digitsOfAbn(text) !== undefined))
  })
})

describe('an employer record', () => {
  const record = (fields: Record<string, string>, more: object = {}) => ({
    kind: 'TFN' as const,
    Reference: 'employer-1',
    Name: 'Kauri Orchards',
    fields,
    ...more
  })
  const messagesOf = (...problems: Parameters<typeof employerProblems>) =>
    employerProblems(...problems).map(({ severity, at }) => `${severity} ${at}`)

  test('needs a reference and a name', () => {
    expect(messagesOf(record({}))).toEqual([])
    expect(messagesOf(record({}, { Reference: ' ', Name: '' }))).toEqual(['error Reference', 'error Name'])
  })

  test('has its ABNs and e-mail addresses checked if given', () => {
    expect(messagesOf(record({ ABN: '51 824 753 556', BusinessEmail: 'pay@example.com' }))).toEqual([])
    expect(messagesOf(record({ ABN: '51 824 753 557', BusinessEmail: 'pay at example.com' }))).toEqual([
      'error ABN',
      'error BusinessEmail'
    ])
    expect(messagesOf(record({ SuperFundABN: '1', BusinessABN: '', ABN: ' ' }, { kind: 'SuperFund' }))).toEqual([
      'error SuperFundABN'
    ])
  })

  test('may have only the fields of its kind, and its kind must be one that can be saved', () => {
    expect(messagesOf(record({ USI: '1' }))).toEqual(['error USI'])
    expect(messagesOf(record({}, { kind: 'MOJ' }))).toEqual(['error kind'])
  })
})
