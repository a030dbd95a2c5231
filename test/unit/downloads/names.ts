/**
 * Names that a service or an attacker could supply, and Windows' rules for names, from Microsoft's own documentation.
 */
import fc from 'fast-check'
import { type NameParts, type NamePattern, parsePattern } from '../../../src/main/core/downloads/name-pattern.ts'

export const parts = (some: Partial<NameParts> = {}): NameParts => ({
  account: 'Kauri Law',
  document: 'Deed of lease',
  matter: '2026-117',
  reference: 'DOC-1',
  signers: ['Aroha Ngata'],
  type: 'pdf',
  // 23:05 on the 21st in London, around noon on the 22nd in Auckland.
  date: Date.UTC(2026, 10, 21, 23, 5),
  zone: 'Pacific/Auckland',
  ...some
})

export function pattern(text: string): NamePattern {
  const parsed = parsePattern(text)
  if (!parsed.ok) throw new Error(parsed.problem)
  return parsed.pattern
}

export const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.constantFrom(
    '',
    ' ',
    '.',
    '..',
    '…',
    'CON',
    'nul.txt',
    'COM¹',
    'lpt9',
    '..\\..\\x',
    '../../x',
    '/etc',
    'C:\\x',
    '\\\\a\\b'
  ),
  fc.constantFrom(
    'Te Whatu Ora – Ōtautahi '.repeat(15),
    '👩‍👩‍👧'.repeat(60),
    'Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍'.repeat(30),
    'ǖ'.repeat(300),
    '\ud800'.repeat(9)
  ),
  fc
    .array(
      fc.constantFrom(
        '..',
        '/',
        '\\',
        ':',
        '.',
        ' ',
        '–',
        '(',
        ')',
        'CON',
        'nul',
        '\u202e',
        '\u0000',
        '\u0001',
        '\n',
        '\ud800',
        '.pdf',
        'é',
        'e\u0301',
        '\u0301',
        '한',
        'x'
      ),
      { maxLength: 40 }
    )
    .map((pieces) => pieces.join(''))
)

export const anyParts: fc.Arbitrary<NameParts> = fc.record(
  {
    account: hostileText,
    document: hostileText,
    package: hostileText,
    matter: hostileText,
    reference: hostileText,
    clientReference: hostileText,
    signers: fc.array(hostileText, { maxLength: 4 }),
    type: fc.constantFrom('pdf' as const, 'json' as const, 'signed' as const),
    date: fc.oneof(fc.double(), fc.integer({ min: 0, max: 4e12 }), fc.constant(8.64e15)),
    due: fc.integer({ min: -8.64e15, max: 8.64e15 }),
    zone: fc.constantFrom('Pacific/Auckland', 'America/St_Johns', 'Nowhere/At-all', '')
  },
  { requiredKeys: ['account', 'document', 'reference', 'signers', 'type', 'date', 'zone'] }
)

/** Patterns that people write, and any that could be written. */
export const anyPatternText = fc.oneof(
  fc
    .array(
      fc.oneof(
        fc.constantFrom(
          '{account}',
          '{document}',
          '{package}',
          '{matter}',
          '{reference}',
          '{clientReference}',
          '{signer}'
        ),
        fc.constantFrom('{signers}', '{type}', '{date}', '{yyyy}', '{mm}', '{dd}', '{time}', '{due}', '{ Date }'),
        fc.constantFrom(
          '/',
          '\\',
          ' – ',
          '-',
          '_',
          ' (',
          ')',
          '.',
          '..',
          'CON',
          'C:',
          '.pdf',
          ' ',
          '~',
          'e\u0301',
          '\u202e',
          '\u0000'
        )
      ),
      { maxLength: 14 }
    )
    .map((pieces) => pieces.join('')),
  hostileText
)

/**
 * Returns what is wrong with a path on Windows: the rules of "Naming Files, Paths, and Namespaces" and of what Explorer
 * opens, reimplemented for the test.
 */
export function wrongOnWindows(folder: string, path: readonly string[]): string[] {
  const wrong: string[] = []
  for (const name of path) {
    for (const letter of name) {
      const code = letter.codePointAt(0) ?? 0
      if (code < 32 || '<>:"/\\|?*'.includes(letter)) wrong.push(`${JSON.stringify(name)} has ${code.toString(16)}`)
      if (code >= 0xd800 && code <= 0xdfff) wrong.push(`${JSON.stringify(name)} has half a letter`)
    }
    if (name === '' || name === '.' || name === '..') wrong.push(`${JSON.stringify(name)} is no name`)
    if (name.endsWith('.') || name.endsWith(' ')) wrong.push(`${JSON.stringify(name)} loses its end`)
    if (name.startsWith(' ')) wrong.push(`${JSON.stringify(name)} loses its beginning`)
    const device = name.split('.')[0]?.trim().toUpperCase() ?? ''
    const devices = ['CON', 'PRN', 'AUX', 'NUL', 'CONIN$', 'CONOUT$']
    for (const digit of '0123456789¹²³') devices.push(`COM${digit}`, `LPT${digit}`)
    if (devices.includes(device)) wrong.push(`${JSON.stringify(name)} is a device`)
    if (name.length > 255) wrong.push(`a name of ${name.length}`)
  }
  const fullPath = [folder, ...path].join('\\')
  if (fullPath.length > 259) wrong.push(`a path of ${fullPath.length}`)
  return wrong
}
