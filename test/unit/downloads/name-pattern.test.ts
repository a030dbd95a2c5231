import { win32 } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  DEFAULT_PATTERN,
  openPreview,
  PLACEHOLDERS,
  parsePattern,
  relativePath
} from '../../../src/main/core/downloads/name-pattern.ts'
import { fitPath, MAX_PATH_LENGTH } from '../../../src/main/core/downloads/target-folder.ts'
import { MAX_NAME_BYTES, numberedName, safeFileName } from '../../../src/main/core/storage/safe-name.ts'
import { DOWNLOAD_TYPES } from '../../../src/shared/contract/downloads.ts'
import { endingOf, FILE_ENDINGS } from '../../../src/shared/file-endings.ts'
import { anyParts, anyPatternText, hostileText, parts, pattern, wrongOnWindows } from './names.ts'

const named = (text: string, some: Parameters<typeof parts>[0] = {}) =>
  relativePath(pattern(text), parts(some)).join('/')

describe('a pattern is turned into a path', () => {
  test('with the office’s folders and name', () => {
    expect(named(DEFAULT_PATTERN)).toBe('Kauri Law/2026/2026-117/Deed of lease – Aroha Ngata – 2026-11-22.identity.pdf')
  })

  test.each([
    ['{document}', 'Deed of lease.identity.pdf'],
    ['{Document}.PDF', 'Deed of lease.identity.pdf'],
    ['{document}.json', 'Deed of lease.identity.pdf'],
    ['{document}.{type}', 'Deed of lease.identity.pdf'],
    ['{document}.Identity.pdf', 'Deed of lease.identity.pdf'],
    ['{document}.identity.json', 'Deed of lease.identity.pdf'],
    ['{document}.signed.pdf', 'Deed of lease.identity.pdf'],
    ['{type}/{document}', 'pdf/Deed of lease.identity.pdf'],
    ['{document}, {signer}, {longDate}', 'Deed of lease, Aroha Ngata, 22 November 2026.identity.pdf'],
    ['{yyyy}\\{mm}\\{dd}\\{time} {document}', '2026/11/22/12-05 Deed of lease.identity.pdf'],
    ['Matter {matter} / {reference} ', 'Matter 2026-117/DOC-1.identity.pdf'],
    ['{document} {due}', 'Deed of lease 2026-12-01.identity.pdf'],
    ['{signers}', 'Aroha Ngata.identity.pdf']
  ])('“%s” is “%s”', (text, path) => {
    expect(named(text, { due: Date.UTC(2026, 10, 30, 23) })).toBe(path)
  })

  test('with the extension of its content', () => {
    expect(named('{document}.pdf', { type: 'json' })).toBe('Deed of lease.identity.json')
  })

  test('with the date in the office’s time zone', () => {
    expect(named('{date}', { zone: 'Europe/London' })).toBe('2026-11-21.identity.pdf')
  })

  test('with the first of several signers, and their number', () => {
    const signers = ['Aroha Ngata', ' ', 'Tāne Kauri', 'Lena Søn']
    expect(named('{signer}', { signers })).toBe('Aroha Ngata and 2 others.identity.pdf')
    expect(named('{signer}', { signers: signers.slice(0, 3) })).toBe('Aroha Ngata and 1 other.identity.pdf')
    expect(named('{signers}', { signers })).toBe('Aroha Ngata, Tāne Kauri, Lena Søn.identity.pdf')
  })
})

test('a matter is the service’s, or the office’s own reference, never one made up by Countersign', () => {
  const matterOf = (clientReference: string) => named('{matter}/{document}', { matter: '', clientReference })
  expect(matterOf('2026/0418')).toBe('2026_0418/Deed of lease.identity.pdf')
  expect(matterOf('cs-2026-1')).toBe('cs-2026-1/Deed of lease.identity.pdf')
  expect(matterOf('cs-7fcd65e2-0a4c-4b39-9d6f-6f9f2c6f0a01-1')).toBe('No matter/Deed of lease.identity.pdf')
})

describe('a missing value', () => {
  const without = { matter: '', signers: [], due: Number.NaN }
  test.each([
    ['{document} – {signer} – {date}', 'Deed of lease – 2026-11-22.identity.pdf'],
    ['{signer} – {document}', 'Deed of lease.identity.pdf'],
    ['{document} – {signer}', 'Deed of lease.identity.pdf'],
    ['{document} ({signer})', 'Deed of lease.identity.pdf'],
    ['{document} [{signer}, {matter}] {date}', 'Deed of lease 2026-11-22.identity.pdf'],
    ['{document}_{matter}_{signer}_{date}', 'Deed of lease_2026-11-22.identity.pdf'],
    ['{document}-{due}.pdf', 'Deed of lease.identity.pdf'],
    ['{document}{matter}{date}', 'Deed of lease2026-11-22.identity.pdf'],
    ['{document} {clientReference}- {date}', 'Deed of lease- 2026-11-22.identity.pdf']
  ])('is left out of “%s” together with its separator', (text, path) => {
    expect(named(text, without)).toBe(path)
  })

  test('is named in its folder, so that the depth stays the same', () => {
    expect(named('{matter}/{signer} {clientReference}/{document}', without)).toBe(
      'No matter/No signer/Deed of lease.identity.pdf'
    )
  })

  test('is replaced by the document’s reference if nothing else is left', () => {
    expect(named('{matter} – {signer}', without)).toBe('DOC-1.identity.pdf')
  })

  test.each(['...', '\u202e', ' \n '])('can also be one that is invisible: %j', (matter) => {
    expect(named('{document} – {matter}', { matter })).toBe('Deed of lease.identity.pdf')
  })
})

describe('a value', () => {
  test.each([
    ['..\\..\\x', '_._x'],
    ['a/b\\c', 'a_b_c'],
    ['CON', '_CON'],
    ['C:\\Windows', 'C__Windows'],
    ['\\\\server\\share', '__server_share'],
    ['{account}', '{account}']
  ])('never adds a folder: %j', (matter, folder) => {
    const path = relativePath(pattern('{matter}/{document}'), parts({ matter }))
    expect(path).toHaveLength(2)
    expect(path[0]).toBe(folder)
  })

  test('loses its own extension if it is that of a document', () => {
    expect(named('{document} – {date}', { document: 'Lease.PDF' })).toBe('Lease – 2026-11-22.identity.pdf')
  })
})

test('the identity data and the signed document of one document never look alike', () => {
  for (const text of ['{document}', '{document}.pdf', '{document}.identity.pdf', '{document}.signed.pdf']) {
    expect(named(text)).toBe('Deed of lease.identity.pdf')
    expect(named(text, { type: 'json' })).toBe('Deed of lease.identity.json')
    expect(named(text, { type: 'signed' })).toBe('Deed of lease.signed.pdf')
  }
  expect(named('{reference}', { reference: 'Deed.signed.pdf' })).toBe('Deed.signed.pdf.identity.pdf')
  const folder = `C:\\${'x'.repeat(150)}`
  fc.assert(
    fc.property(anyPatternText, anyParts, (text, some) => {
      const parsed = parsePattern(text)
      fc.pre(parsed.ok)
      for (const type of DOWNLOAD_TYPES) {
        const path = relativePath(parsed.pattern, { ...some, type })
        // Also if it is shortened, or numbered because of another file.
        for (const name of [path.at(-1) ?? '', fitPath(folder, path).at(-1) ?? '']) {
          for (const one of [name, numberedName(name, 2)]) expect(endingOf(one)).toBe(FILE_ENDINGS[type])
        }
      }
    }),
    { numRuns: 1_000 }
  )
})

describe('an invalid pattern', () => {
  test.each([
    ['', 'Enter a pattern, for example {document} – {date}'],
    ['  ', 'Enter a pattern, for example {document} – {date}'],
    ['{singer}', /^There’s no \{singer\}\. Use one of \{account\}, \{document\}, .*\{signer\}/],
    ['{}', /^There’s no name between \{ and \}\. Use one of \{account\}/],
    ['{document', 'In “{document” a brace isn’t closed: write a placeholder as {document}.'],
    ['{doc{date}', 'In “{doc{date}” a brace isn’t closed: write a placeholder as {document}.'],
    ['document}', 'In “document}” a brace isn’t opened: write a placeholder as {document}.'],
    ['{matter}//{document}', 'A name is missing between two slashes, or after the last one.'],
    ['{document}/', 'A name is missing between two slashes, or after the last one.'],
    ['/{document}', 'Don’t begin with a slash: the pattern starts in the folder that you choose.'],
    ['\\\\server\\{document}', 'Don’t begin with a slash: the pattern starts in the folder that you choose.'],
    ['c:\\{document}', 'Leave out “c:”: the pattern starts in the folder that you choose.'],
    ['../{document}', '“..” can’t be a folder’s name: files stay in the folder that you choose.'],
    ['{matter}/. ./{document}', '“. .” can’t be a folder’s name: files stay in the folder that you choose.'],
    ['\u202e/{document}', '“\u202e” leaves no name.'],
    ['a/b/c/d/e/f/g/h/{document}', 'This makes 8 folders. Use 7 at most.'],
    ['identity', 'Every file would have the same name: add {document} or {reference}.'],
    ['x/{type}.pdf', 'Every file would have the same name: add {document} or {reference}.'],
    [`{document}${'x'.repeat(500)}`, 'The pattern is longer than 500 characters.']
  ])('is rejected with a reason: %j', (text, problem) => {
    const parsed = parsePattern(text)
    expect(parsed.ok ? 'can be used' : parsed.problem).toMatch(problem)
    if (!parsed.ok && typeof problem === 'string') expect(parsed.problem).toBe(problem)
  })

  test('is rejected with a list of placeholders, all of which are valid', () => {
    for (const name of PLACEHOLDERS) expect(parsePattern(`{reference}{${name}}`)).toMatchObject({ ok: true })
  })
})

describe('any pattern', () => {
  const root = 'C:\\Users\\Ana Example\\Downloads'

  test('gives a path inside the folder that is valid on Windows, not empty and reproducible', () => {
    let tried = 0
    let used = 0
    fc.assert(
      fc.property(anyPatternText, anyParts, fc.integer({ min: 3, max: 150 }), (text, names, length) => {
        tried += 1
        const parsed = parsePattern(text)
        if (!parsed.ok) {
          expect(parsed.problem).not.toBe('')
          return
        }
        used += 1
        const path = relativePath(parsed.pattern, names)
        const folder = root.padEnd(length, 'x').slice(0, length)
        const fitting = fitPath(folder, path)
        for (const one of [path, fitting]) {
          expect(one.length).toBe(path.length)
          for (const name of one) {
            expect(safeFileName(name)).toBe(name)
            expect(name).toBe(name.normalize('NFC'))
            expect(name).not.toMatch(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/)
            expect(Buffer.byteLength(name.normalize('NFD'))).toBeLessThanOrEqual(MAX_NAME_BYTES)
          }
          expect(one.at(-1)?.endsWith(FILE_ENDINGS[names.type])).toBe(true)
          expect(one.at(-1)?.length).toBeGreaterThan(FILE_ENDINGS[names.type].length)
          expect(wrongOnWindows('', one.slice(0, 1))).toEqual([])
        }
        expect(wrongOnWindows(folder, fitting)).toEqual([])
        expect([folder, ...fitting].join('\\').length).toBeLessThanOrEqual(MAX_PATH_LENGTH)
        const numbered = [...fitting.slice(0, -1), numberedName(fitting.at(-1) ?? '', 9999)]
        expect(wrongOnWindows(folder, numbered)).toEqual([])
        // The temporary file next to it, while it is written.
        const passing = [...fitting.slice(0, -1), '.countersign-0123456789abcdef.part']
        expect(wrongOnWindows(folder, passing)).toEqual([])
        const between = win32.relative(folder, win32.resolve(folder, ...fitting))
        expect(between.split('\\')).toEqual(fitting)
        expect(relativePath(parsed.pattern, names)).toEqual(path)
        expect(fitPath(folder, fitting)).toEqual(fitting)
      }),
      { numRuns: 4_000 }
    )
    expect(used).toBeGreaterThan(tried / 8)
  })

  test('is accepted, or rejected with a reason', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const parsed = parsePattern(text)
        expect(parsed.ok || parsed.problem.length > 10).toBe(true)
      }),
      { numRuns: 2_000 }
    )
  })
})

describe('a path too long for Windows', () => {
  const long = 'Te Whatu Ora – Ōtautahi '.repeat(20)

  test('has its longest names shortened, and the others kept', () => {
    const folder = `C:\\${'x'.repeat(100)}`
    const path = relativePath(pattern('{account}/{matter}/{document} {date}'), parts({ matter: long, document: long }))
    const fitting = fitPath(folder, path)
    expect(fitting[0]).toBe('Kauri Law')
    expect(fitting[1]).toMatch(/^Te Whatu Ora – Ōtautahi/)
    expect(fitting[2]).toMatch(/^Te Whatu Ora .*\.identity\.pdf$/)
    const length = [folder, ...fitting].join('\\').length
    expect(length).toBeLessThanOrEqual(MAX_PATH_LENGTH)
    expect(length).toBeGreaterThan(MAX_PATH_LENGTH - 12)
  })

  test('is refused if the folder itself is too deep', () => {
    expect(() => fitPath('x'.repeat(233), ['a.pdf'])).toThrow(expect.objectContaining({ code: 'too-deep' }))
    expect(() => fitPath('x'.repeat(220), [long.slice(0, 90).trim(), 'a.pdf'])).toThrow(
      expect.objectContaining({ code: 'too-deep' })
    )
    expect(fitPath('x'.repeat(220), ['a.pdf'])).toEqual(['a.pdf'])
  })
})

test('without documents, the preview uses a made-up one', async () => {
  const at = Date.UTC(2026, 10, 24)
  const ask = (async () => ({ rows: [] })) as never
  const time = { now: () => at, zone: () => 'Pacific/Auckland' }
  const preview = openPreview({ ask, accountName: () => 'Kauri Law', time })
  expect(await preview('a', { pattern: '{account}/{document}, {signer}, {longDate}', type: 'pdf' })).toEqual({
    examples: [
      {
        documentName: 'Tenancy agreement',
        fileName: 'Kauri Law/Tenancy agreement, Aroha Ngata, 24 November 2026.identity.pdf'
      }
    ]
  })
})
