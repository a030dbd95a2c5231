import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byNameKey, nameKey } from '../../../src/main/core/storage/same-name.ts'

test.each([
  ['Lease.pdf', 'LEASE.PDF'],
  ['Étude', 'e\u0301tude'],
  ['ΟΔΟΣ', 'οδος'],
  ['οδός', 'οδόσ'],
  ['Kelvin', '\u212aelvin'],
  ['µ', 'Μ'],
  ['ſ', 'S']
])('“%s” and “%s” are the same name on some system', (one, other) => {
  expect(nameKey(one)).toBe(nameKey(other))
})

test.each([
  ['Straße', 'Strasse'],
  ['a', 'á'],
  ['ﬁ', 'fi'],
  ['Kırı', 'Kiri'],
  ['Lease', 'Lease ']
])('“%s” and “%s” are different names everywhere', (one, other) => {
  expect(nameKey(one)).not.toBe(nameKey(other))
})

test('names that NTFS or macOS treats as equal are equal: compared in capitals, in any normal form', () => {
  // As NTFS's table does it: letter for letter, with the dotless ı standing for itself.
  const capital = (letter: string) =>
    letter === 'ı' || letter.toUpperCase().length !== letter.length ? letter : letter.toUpperCase()
  const capitals = (text: string) => [...text].map(capital).join('')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), (text) => {
      const key = nameKey(text)
      expect(nameKey(capitals(text))).toBe(key)
      expect(nameKey(text.normalize('NFD'))).toBe(key)
      expect(nameKey(key)).toBe(key)
    }),
    { numRuns: 5_000 }
  )
})

test('no file is overlooked whose name could be taken for the one searched for', async () => {
  const letters = fc.constantFrom(
    'a',
    'A',
    'b',
    'e',
    'É',
    'E\u0301',
    '\u0301',
    'k',
    '\u212a',
    'ſ',
    's',
    'Σ',
    'ς',
    '–',
    ' '
  )
  const text = fc.array(letters, { maxLength: 6 }).map((pieces) => pieces.join(''))
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 60 }), text, async (names, beginning) => {
      const expected = names.map(nameKey).filter((key) => key.startsWith(nameKey(beginning)))
      const keys = [...(await byNameKey(names, beginning)).keys()]
      expect(keys).toEqual(expect.arrayContaining(expected))
    }),
    { numRuns: 2_000 }
  )
})

test('the names of a large folder are found by their keys', async () => {
  const names = Array.from({ length: 5000 }, (_, index) => `Lease – ${index}.PDF`)
  const byKey = await byNameKey(names)
  expect(byKey.size).toBe(5000)
  expect(byKey.get('lease – 4321.pdf')).toBe('Lease – 4321.PDF')
  expect((await byNameKey(names, 'LEASE – 4321')).size).toBe(1)
})
