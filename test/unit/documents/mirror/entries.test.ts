/** The entries that answers are compared with, stored in arrays: checked against a plain map. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openDocumentIndex } from '../../../../src/main/core/documents/index/document-index.ts'
import { Entries, itemHash, newKey } from '../../../../src/main/core/documents/mirror/entries.ts'
import { row } from '../index/rows.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const hashOf = (item: string, dateFormat?: string) => itemHash(bytesOf(item), dateFormat, newKey())

function openEntries(count: number) {
  const index = openDocumentIndex()
  for (let at = 0; at < count; at++) index.put(row({ Reference: `D-${at}`, PackageReference: `P-${at % 7}` }))
  const entries = new Entries(index)
  const put = (at: number, hashes: { plain?: string | undefined; logged?: string | undefined }) =>
    entries.put(at + 1, {
      accountId: 'a',
      reference: `D-${at}`,
      folder: 'Progress',
      isPlaced: true,
      isMissing: false,
      logsAreOld: true,
      ownSeenAt: 1,
      ownSeenInRun: 2,
      knownAt: 3,
      look: 4,
      place: 5,
      also: undefined,
      lastLogAt: undefined,
      packageReference: undefined,
      clientReference: '',
      matchKey: '',
      hashes: { plain: hashes.plain, logged: hashes.logged }
    })
  return { index, entries, put }
}

test('a document is found by the bytes it was last stored from, with or without logs, and by no others', () => {
  const COUNT = 1100
  const step = fc.record({
    at: fc.nat(COUNT - 1),
    plain: fc.option(fc.nat(9999), { nil: undefined }),
    logged: fc.option(fc.nat(9999), { nil: undefined }),
    format: fc.constantFrom(undefined, 'dd/MM/yyyy', 'MM/dd/yyyy')
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { entries, put } = openEntries(COUNT)
      const written = new Map<number, { plain?: string | undefined; logged?: string | undefined }>()
      const write = (at: number, hashes: { plain?: string | undefined; logged?: string | undefined }) => {
        written.set(at, hashes)
        put(at, hashes)
      }
      for (let at = 0; at < COUNT; at++) write(at, { plain: hashOf(`${at} as it was`).text() })
      for (const { at, plain, logged, format } of steps) {
        write(at, {
          plain: plain === undefined ? plain : hashOf(`${at} ${plain}`, format).text(),
          logged: logged === undefined ? logged : hashOf(`${at} ${logged}`).text()
        })
      }
      const found = (mode: 'plain' | 'logged', item: string, format?: string) =>
        entries.byItemHash(mode, hashOf(item, format))?.reference
      for (const { at, plain, logged, format } of steps) {
        const hashes = written.get(at)
        for (const [mode, item, spelled] of [
          ['plain', `${at} ${plain}`, format],
          ['plain', `${at} ${plain}`, 'another'],
          ['logged', `${at} ${logged}`, undefined],
          ['logged', `${at} ${plain}`, undefined],
          ['plain', `${at} as it was`, undefined]
        ] as const) {
          const isKept = hashes?.[mode] === hashOf(item, spelled).text()
          expect(found(mode, item, spelled)).toBe(isKept ? `D-${at}` : undefined)
        }
      }
      for (let at = 0; at < COUNT; at++) {
        if (written.get(at)?.plain === hashOf(`${at} as it was`).text())
          expect(found('plain', `${at} as it was`)).toBe(`D-${at}`)
      }
    }),
    { numRuns: 10 }
  )
})

test('the documents of a package are those currently in it', () => {
  const change = fc.tuple(fc.nat(29), fc.option(fc.constantFrom('P-1', 'P-2', 'P-3'), { nil: undefined }))
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const { index, entries } = openEntries(30)
      const packages = new Map(Array.from({ length: 30 }, (_, at) => [`D-${at}`, `P-${at % 7}` as string | undefined]))
      for (const [at, PackageReference] of changes) {
        index.put(row({ Reference: `D-${at}`, PackageReference }))
        packages.set(`D-${at}`, PackageReference)
      }
      for (const packageReference of ['P-1', 'P-2', 'P-3', 'P-6', 'P-9']) {
        const expected = [...packages].filter(([, own]) => own === packageReference).map(([reference]) => reference)
        expect(
          entries
            .inPackage(packageReference)
            .map(({ reference }) => reference)
            .sort()
        ).toEqual(expected.sort())
      }
    })
  )
})
