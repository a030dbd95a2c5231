import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareLines } from '../../../src/shared/identity-lines.ts'
import { passportLines } from '../../fixtures/passport-lines.ts'

/** The specimens of ICAO 9303: their names belong to nobody. */
const PASSPORT = passportLines('ERIKSSON<<ANNA<MARIA')
const CARD = 'I<UTOD231458907<<<<<<<<<<<<<<<\n7408122F1204159UTO<<<<<<<<<<<6\nERIKSSON<<ANNA<MARIA<<<<<<<<<<'
const OLD_CARD = 'I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<\nD231458907UTO7408122F1204159<<<<<<<6'
const BEFORE = Date.UTC(2012, 3, 15, 12)
const AFTER = Date.UTC(2012, 3, 16, 12)

test.each([
  ['a passport', PASSPORT, 'L898902C3'],
  ['a card with three lines', CARD, 'D23145890'],
  ['a card with two lines', OLD_CARD, 'D23145890'],
  ['lines that a reader sends without a break', PASSPORT.replace('\n', ''), 'L898902C3'],
  [
    'lines with lower case, spaces and guillemets',
    PASSPORT.toLowerCase().replaceAll('<<', '«').replace('\n', ' \r\n '),
    'L898902C3'
  ]
])('reads %s and matches the name', (_what, lines, number) => {
  expect(compareLines(lines, { signerName: 'Anna Maria Eriksson' }, BEFORE)).toEqual({
    kind: 'matches',
    name: 'ANNA MARIA ERIKSSON',
    isExpired: false,
    isBornOtherwise: false,
    document: { number, expires: '2012-04-15' }
  })
})

test('reports a document as expired from the day after its last', () => {
  expect(compareLines(PASSPORT, { signerName: 'Anna Eriksson' }, BEFORE)).toMatchObject({ isExpired: false })
  expect(compareLines(PASSPORT, { signerName: 'Anna Eriksson' }, AFTER)).toMatchObject({
    kind: 'matches',
    isExpired: true
  })
})

test.each([
  ['same date', PASSPORT, '1974-08-12', false],
  ['another date', PASSPORT, '1974-08-13', true],
  ['another date on a card', CARD, '1947-08-12', true],
  ['unknown date', PASSPORT, undefined, false]
])('compares the date of birth: %s', (_what, lines, born, isBornOtherwise) => {
  const signer = { signerName: 'Anna Eriksson', ...(born && { born }) }
  expect(compareLines(lines, signer, BEFORE)).toMatchObject({ kind: 'matches', isBornOtherwise })
})

test.each([
  ['another first name', 'Anne Eriksson'],
  ['a longer name with the same beginning', 'Annabel Maria Eriksson'],
  ['another family name', 'Anna Ericsson'],
  ['an additional name', 'Anna Eriksson Brooks'],
  ['no name', ' ']
])('reports a difference for %s', (_what, name) => {
  expect(compareLines(PASSPORT, { signerName: name }, BEFORE)).toMatchObject({
    kind: 'differs',
    name: 'ANNA MARIA ERIKSSON'
  })
})

test.each([
  ['MUELLER<<JUERGEN', 'Jürgen Müller'],
  ['MULLER<<JURGEN', 'Jürgen Müller'],
  ['SOERENSEN<<AASE', 'Åse Sørensen'],
  ['NGATA<<HOHEPA<WIREMU', 'Hōhepa Ngata'],
  ['OCONNOR<<SIOBHAN', 'Siobhán O’Connor'],
  ['SMITH<JONES<<MARY<JANE', 'Mary-Jane Smith-Jones'],
  ['RANASINGHE<ARACHCHILAGE<<DON<NISHANTHAPRI', 'Don Nishanthapriya Ranasinghe']
])('matches %s with %s', (lines, name) => {
  expect(compareLines(passportLines(lines), { signerName: name }, BEFORE).kind).toBe('matches')
})

test('reports misread fields, and detects any single wrong digit in checked parts', () => {
  const [first = '', second = ''] = PASSPORT.split('\n')
  expect(
    compareLines(`${first}\n${second.replace('L898902C3', 'L898902C4')}`, { signerName: 'Anna Eriksson' }, BEFORE)
  ).toEqual({
    kind: 'misread',
    fields: ['number', 'whole']
  })
  fc.assert(
    fc.property(
      fc.constantFrom(...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 14, 15, 16, 17, 18, 19, 21, 22, 23, 24, 25, 26]),
      fc.constantFrom(...'0123456789'),
      (at, digit) => {
        fc.pre(second[at] !== digit)
        const wrong = second.slice(0, at) + digit + second.slice(at + 1)
        // A letter and a digit with the same remainder can't be told apart (A is 10, which is the same as 0 modulo 10).
        fc.pre(/\d/.test(second[at] ?? ''))
        expect(compareLines(`${first}\n${wrong}`, { signerName: 'Anna Eriksson' }, BEFORE).kind).toBe('misread')
      }
    )
  )
})

test('waits for missing lines, and accepts any input without failing', () => {
  expect(compareLines(PASSPORT.slice(0, 60), { signerName: 'Anna Eriksson' }, BEFORE)).toEqual({ kind: 'incomplete' })
  expect(compareLines('', { signerName: 'Anna Eriksson' }, BEFORE)).toEqual({ kind: 'incomplete' })
  fc.assert(
    fc.property(
      fc.string({ maxLength: 400 }),
      fc.string(),
      (typed, name) => void compareLines(typed, { signerName: name }, BEFORE)
    )
  )
  const lines = fc
    .constantFrom(88, 72, 90)
    .chain((length) => fc.array(fc.constantFrom(...'ABCZ019<'), { minLength: length, maxLength: length }))
  fc.assert(
    fc.property(lines, fc.string(), (typed, name) => void compareLines(typed.join(''), { signerName: name }, BEFORE))
  )
})
