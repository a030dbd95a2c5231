import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_NAME_BYTES, numberedName, safeFileName } from '../../../src/main/core/storage/safe-name.ts'

const RESERVED = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$|clock\$)$/i

/** Document names as a service or an attacker could supply them. */
const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.string({ unit: 'grapheme', maxLength: 400 }),
  fc
    .array(
      fc.oneof(
        fc.constantFrom(
          '..',
          '/',
          '\\',
          ':',
          '.',
          ' ',
          'CON',
          'nul',
          'com1',
          '\u202e',
          '\u0000',
          '\n',
          '\ud800',
          '.pdf',
          '.exe'
        ),
        fc.constantFrom('é', 'e\u0301', '\u0301', '한', '👩‍👩‍👧', 'ﬁ', '\u2028', '\u00a0', '\uffff', 'Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍'),
        fc.string({ maxLength: 5 })
      ),
      { maxLength: 60 }
    )
    .map((parts) => parts.join(''))
)

describe('a file name made from arbitrary text', () => {
  test('is valid on Windows, macOS and Linux', () => {
    fc.assert(
      fc.property(hostileText, fc.constantFrom(undefined, 'pdf', 'json'), (text, extension) => {
        const name = safeFileName(text, extension === undefined ? {} : { extension })
        expect(name).not.toBe('')
        expect(name).not.toMatch(/[<>:"/\\|?*]|\p{C}|\p{Zl}|\p{Zp}/u)
        expect(name).not.toMatch(/^[. ]|[. ]$/)
        expect(name.split('.', 1)[0]?.trim()).not.toMatch(RESERVED)
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(MAX_NAME_BYTES)
        expect(Buffer.byteLength(name.normalize('NFD'))).toBeLessThanOrEqual(MAX_NAME_BYTES)
        expect(Buffer.byteLength(numberedName(name, 9999))).toBeLessThanOrEqual(255)
        if (extension !== undefined) expect(name.endsWith(`.${extension}`)).toBe(true)
      }),
      { numRuns: 3_000 }
    )
  })

  test('is unchanged when made safe again', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const name = safeFileName(text)
        expect(safeFileName(name)).toBe(name)
      }),
      { numRuns: 3_000 }
    )
  })
})

test.each([
  ['Loan agreement.pdf', 'Loan agreement.pdf'],
  ['Mietvertrag Müller & Søn (2026).pdf', 'Mietvertrag Müller & Søn (2026).pdf'],
  ['契約書 第1版.pdf', '契約書 第1版.pdf'],
  ['Cafe\u0301.pdf', 'Café.pdf'],
  ['../../etc/passwd', '_._etc_passwd'],
  ['C:\\Windows\\system32\\a.dll', 'C__Windows_system32_a.dll'],
  ['invoice\u202efdp.exe', 'invoicefdp.exe'],
  ['CON', '_CON'],
  ['con.txt', '_con.txt'],
  ['COM¹.log', '_COM¹.log'],
  ['nul .pdf', '_nul.pdf'],
  ['console.txt', 'console.txt'],
  ['name. . .', 'name'],
  ['.hidden', 'hidden'],
  ['two\nlines\tand a tab', 'two lines and a tab'],
  ['a\u0000b', 'ab'],
  ['', 'document'],
  ['. . .', 'document'],
  ['\u200b\u202e', 'document']
])('“%s” becomes “%s”', (text, name) => {
  expect(safeFileName(text)).toBe(name)
})

test('the requested extension is present exactly once', () => {
  expect(safeFileName('Letter', { extension: 'pdf' })).toBe('Letter.pdf')
  expect(safeFileName('Letter.PDF', { extension: 'pdf' })).toBe('Letter.pdf')
  expect(safeFileName('Letter.exe', { extension: 'pdf' })).toBe('Letter.exe.pdf')
  expect(safeFileName('', { extension: 'pdf', fallback: 'identity' })).toBe('identity.pdf')
})

test('a long name is cut between characters, and keeps its extension', () => {
  const name = safeFileName(`${'👩‍👩‍👧é'.repeat(60)}.pdf`)
  expect(name).toMatch(/\.pdf$/)
  expect(name).not.toContain('\ufffd')
  expect(Buffer.byteLength(name)).toBeGreaterThan(MAX_NAME_BYTES - 40)
})

test('a second file of the same name is numbered before its extension', () => {
  expect(numberedName('letter.pdf', 2)).toBe('letter (2).pdf')
  expect(numberedName('letter.signed.pdf', 2)).toBe('letter (2).signed.pdf')
  expect(numberedName('letter.Identity.PDF', 2)).toBe('letter (2).Identity.PDF')
  expect(numberedName('letter.final.pdf', 2)).toBe('letter.final (2).pdf')
  expect(numberedName('.signed.pdf', 2)).toBe('.signed (2).pdf')
  expect(numberedName('letter', 3)).toBe('letter (3)')
})
