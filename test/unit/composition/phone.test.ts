import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { certainMobile, correctedMobile, problemsOf } from '../../../src/shared/composition/index.ts'
import { internationalMobile } from '../../../src/shared/composition/phone.ts'
import { form, forms, signer } from '../../fixtures/compositions.ts'

const NOW = Date.parse('2026-11-21T00:00:00Z')

function problemsWithMobile(MobileCountry: string, MobileNumber: string) {
  const composition = forms({ items: [form({ signers: [signer({ MobileCountry, MobileNumber })] })] })
  return problemsOf(composition, NOW)
}

describe('a mobile number', () => {
  test.each([
    ['', ''],
    ['64', ''],
    ['64', '021012345'],
    ['64', '021 012 345'],
    ['61', '0412 345 678'],
    ['1', '(201) 555-0123'],
    ['44', '07400 123456'],
    ['39', '312 345 6789']
  ])('with country %j, %j is in the service’s format', (country, number) => {
    expect(problemsWithMobile(country, number)).toEqual([])
    expect(correctedMobile({ MobileCountry: country, MobileNumber: number })).toBeUndefined()
  })

  test.each([
    [
      'without its trunk prefix',
      '64',
      '21012345',
      '64',
      '021012345',
      /^Start the number as it’s dialled within the country: 021 012 345/
    ],
    ['with the country code', '64', '+64 21 012 345', '64', '021012345', /without the country code: 021 012 345/],
    ['with the country code after 00', '64', '006421012345', '64', '021012345', /without the country code/],
    ['with the country code and no plus', '64', '6421012345', '64', '021012345', /as it’s dialled within the country/],
    ['with another country code', '64', '+61412345678', '61', '0412345678', /61 as the country, not 64/],
    ['with a country code and no country', '', '+6421012345', '64', '021012345', /64 as the country/]
  ])('%s is corrected in a warning', (_what, MobileCountry, MobileNumber, country, number, words) => {
    const problems = problemsWithMobile(MobileCountry, MobileNumber)
    expect(problems.map(({ severity, at }) => [severity, at])).toEqual([['warning', 'f1.signers.s1.MobileNumber']])
    expect(problems[0]?.message).toMatch(words)
    const corrected = correctedMobile({ MobileCountry, MobileNumber })
    expect(corrected).toEqual({ MobileCountry: country, MobileNumber: number })
    expect(problemsWithMobile(country, number)).toEqual([])
  })

  test.each([
    ['64', '0210', 'MobileNumber', /length of a mobile number in New Zealand/],
    ['64', '09 300 1234', 'MobileNumber', /doesn’t look like a mobile number in New Zealand/],
    ['64', 'ask her', 'MobileNumber', /isn’t a phone number/],
    ['', 'ask her', 'MobileNumber', /isn’t a phone number/],
    ['', '021012345', 'MobileCountry', /Add the country code/],
    ['999', '021012345', 'MobileCountry', /No country has the calling code 999/],
    ['NZ', '021012345', 'MobileCountry', /calling code: 64/],
    ['New Zealand', '021012345', 'MobileCountry', /in digits/],
    ['+64', '021012345', 'MobileCountry', /Only digits are sent: 64/],
    ['0064', '021012345', 'MobileCountry', /Only digits are sent: 64/],
    ['64', '+999 1', 'MobileNumber', /number can’t be dialled/]
  ])('with country %j, %j gives a warning, never an error', (country, number, member, words) => {
    const problems = problemsWithMobile(country, number)
    expect(problems.map(({ severity, at }) => [severity, at])).toEqual([['warning', `f1.signers.s1.${member}`]])
    expect(problems[0]?.message).toMatch(words)
  })

  test.each([
    ['', '+64 21 555 0101', '', '64', '0215550101'],
    ['', '0061 412 345 678', '64', '61', '0412345678'],
    ['', '021 555 0101', '64', '64', '0215550101'],
    ['', '21 555 0101', '64', '64', '0215550101'],
    ['64', '+64 21 555 0101', '', '64', '0215550101'],
    ['NZ', '021 555 0101', '', '64', '0215550101'],
    ['+64', '021 555 0101', '', '64', '0215550101'],
    ['64', '21 555 0101', '61', '64', '0215550101']
  ])(
    'with country %j, %j is put into the service’s format when the field is left, with %j as the usual country',
    (country, number, usual, code, as) => {
      const settled = certainMobile({ MobileCountry: country, MobileNumber: number }, usual)
      expect(settled).toEqual({ MobileCountry: code, MobileNumber: as })
      expect(problemsWithMobile(code, as)).toEqual([])
    }
  )

  test.each([
    ['64', '+61412345678', '64', 'two countries'],
    ['', '021 555 0101', '', 'no country'],
    ['', '09 300 1234', '64', 'not a mobile number there'],
    ['', 'ask her', '64', 'not a number'],
    ['', '', '64', 'nothing'],
    ['64', '0210', '64', 'too short']
  ])('with country %j, %j stays as typed with %j as the usual country: %s', (MobileCountry, MobileNumber, usual) => {
    expect(certainMobile({ MobileCountry, MobileNumber }, usual)).toBeUndefined()
  })

  test.each([
    ['64', '0215550101', '+64 21 555 0101'],
    ['', '+64215550101', '+64 21 555 0101'],
    ['39', '3123456789', '+39 312 345 6789'],
    ['', '0215550101', '0215550101'],
    ['64', 'ask her', 'ask her (country code 64)'],
    ['64', '', '']
  ])('with country %j, %j is shown as %j, which can be dialled from anywhere', (MobileCountry, MobileNumber, shown) => {
    expect(internationalMobile({ MobileCountry, MobileNumber })).toBe(shown)
  })

  test('any input gives only warnings, and a corrected number needs no further correction', () => {
    const digits = fc.stringMatching(/^(\+|00)?[0-9 ()-]{0,18}$/)
    const typed = fc.oneof(digits, fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', '9'.repeat(10_000), '+'))
    fc.assert(
      fc.property(
        fc.oneof(typed, fc.constantFrom('64', '1', '54', '55', '7')),
        typed,
        (MobileCountry, MobileNumber) => {
          for (const problem of problemsWithMobile(MobileCountry, MobileNumber))
            expect(problem.severity).toBe('warning')
          const corrected = correctedMobile({ MobileCountry, MobileNumber })
          if (corrected) expect(correctedMobile(corrected) ?? corrected).toEqual(corrected)
        }
      ),
      { numRuns: 2000 }
    )
  })
})
