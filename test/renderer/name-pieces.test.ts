/** File name patterns split into pieces: what the user sees, and what is stored. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  neighbourOf,
  patternInWords,
  patternOf,
  piecesOf,
  withoutPiece,
  withPart
} from '../../src/renderer/src/screens/downloads/name-pieces.ts'

const shown = (pattern: string) =>
  piecesOf(pattern).map((piece) =>
    piece.kind === 'part' ? piece.name : piece.kind === 'text' ? `“${piece.text}”` : '/'
  )
const without = (pattern: string, at: number) => patternOf(withoutPiece(piecesOf(pattern), at))

test.each([
  ['{account}/{yyyy}/{document} – {signer}.pdf', ['account', '/', 'yyyy', '/', 'document', '“ – ”', 'signer']],
  ['{ DATE } {clientreference}', ['date', '“ ”', 'clientReference']],
  ['Lease {document}.{type}', ['“Lease ”', 'document']],
  ['{colour} {document', ['“{colour}”', '“ ”', '“{”', '“document”']],
  ['', []]
])('%s has the pieces %s', (pattern, pieces) => {
  expect(shown(pattern)).toEqual(pieces)
})

test('splitting and joining a pattern changes nothing but outer spaces', () => {
  const text = fc.string({ unit: fc.constantFrom('{', '}', '/', ' ', '–', 'a', '{document}', '{date}'), maxLength: 30 })
  fc.assert(
    fc.property(text, (pattern) => {
      expect(patternOf(piecesOf(pattern))).toBe(pattern.trim())
    })
  )
})

test('an added part gets the same separator as the others', () => {
  const added = (pattern: string) => patternOf(withPart(piecesOf(pattern), 'date'))
  expect(added('{document}')).toBe('{document} – {date}')
  expect(added('{document}, {signer}')).toBe('{document}, {signer}, {date}')
  expect(added('{matter}/')).toBe('{matter}/{date}')
  expect(added('')).toBe('{date}')
})

test('removing a part also removes its separator', () => {
  expect(without('{document} – {signer} – {date}', 2)).toBe('{document} – {date}')
  expect(without('{document} – {signer}', 0)).toBe('{signer}')
  expect(without('{yyyy}/{matter}/{document}', 2)).toBe('{yyyy}/{document}')
  expect(without('{yyyy}/{document}', 2)).toBe('{yyyy}')
  expect(without('{document}', 0)).toBe('')
})

test('a pattern is described without braces', () => {
  expect(patternInWords('{yyyy}/Lease {document} – {longDate}.pdf')).toBe('Year › Lease Document – Date in words')
})

test('a part’s neighbour is the next part, skipping separators', () => {
  const pieces = piecesOf('{yyyy}/{document} – {signer}')
  expect(neighbourOf(pieces, 0, 1)).toBe(2)
  expect(neighbourOf(pieces, 2, -1)).toBe(0)
  expect(neighbourOf(pieces, 4, 1)).toBeUndefined()
})
