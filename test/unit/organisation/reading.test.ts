import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { describeProblem, MAX_POLICY_BYTES, readPolicy } from '../../../src/main/core/organisation/reading.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

/** Returns a file's problems, one a line. */
function saidBy(file: string | Uint8Array): string[] {
  const read = readPolicy(typeof file === 'string' ? bytes(file) : file)
  return read.ok ? [] : read.problems.map(describeProblem)
}

test('the packed example is usable', () => {
  expect(saidBy(readFileSync(new URL('../../../resources/policy/example.json', import.meta.url)))).toEqual([])
})

test('a policy that sets nothing is usable', () => {
  expect(readPolicy(bytes('{}'))).toEqual({ ok: true, policy: {}, text: '{}', hasBom: false })
})

test('a byte order mark is ignored', () => {
  const read = readPolicy(bytes('\ufeff{"practiceOffice": false}'))
  expect(read).toMatchObject({ ok: true, hasBom: true, policy: { practiceOffice: false } })
})

describe('a file that isn’t a policy is reported', () => {
  test.each([
    ['empty', '', 'The file is empty. A policy that sets nothing is {}.'],
    ['only blanks', ' \r\n\t', 'The file is empty. A policy that sets nothing is {}.'],
    ['UTF-16', new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0]), 'The file is UTF-16. Save it as UTF-8.'],
    [
      'not UTF-8',
      Buffer.from('{\n"defaultAccount":\n"Caf\xe9"}', 'latin1'),
      'Line 3: The file isn’t UTF-8. Save it as UTF-8.'
    ],
    [
      'cut off',
      '{\n  "accounts": [',
      'Line 2, column 16: The file ends in the middle. A closing bracket or quotation mark is missing.'
    ],
    ['a comma too many', '{\n  "practiceOffice": false,\n}', 'Line 3, column 1: Remove the comma before this bracket.'],
    [
      'a comma too few',
      '{\n  "practiceOffice": false\n  "otherAccounts": false\n}',
      'Line 3, column 3: A comma is missing just before.'
    ],
    [
      'a bracket of another kind',
      '{\n  "accounts": [}\n}',
      'Line 2, column 16: This isn’t valid JSON. Look for a missing or extra comma, quotation mark or bracket just before.'
    ],
    ['a comment', '// Ours\n{}', 'Line 1, column 1: JSON has no comments. Remove this one.'],
    [
      'a comment within',
      '{\n  "otherAccounts": true, # Ours\n}',
      'Line 2, column 26: JSON has no comments. Remove this one.'
    ],
    [
      'a capitalised truth value',
      '{\n  "otherAccounts": True,\n  "practiceOffice": true\n}',
      'Line 2, column 20: Write true, false and null in small letters.'
    ],
    ['no for false', '{\n  "removal": no\n}', 'Line 2, column 14: “removal” can’t be “no”. Write false instead.'],
    ['yes for true', '{"counter": {"files": Yes}}', 'Line 1, column 23: “files” can’t be “Yes”. Write true instead.'],
    [
      'off, before a comma',
      '{"removal": off,\n"x": 1}',
      'Line 1, column 13: “removal” can’t be “off”. Write false instead.'
    ],
    [
      'a text without quotation marks',
      '{"defaultAccount": Harbour Law}',
      'Line 1, column 20: Put quotation marks around the text: "Harbour".'
    ],
    [
      'the same in a list',
      '{"signInMethods": ["oauth", bearer]}',
      'Line 1, column 29: Put quotation marks around the text: "bearer".'
    ],
    ['a name without them', '{ removal: false }', 'Line 1, column 3: Put quotation marks around the name: "removal".'],
    ['nothing of JSON’s', '{"removal": nul}', 'Line 1, column 13: Put quotation marks around the text: "nul".'],
    [
      'a word processor’s quotation marks',
      '{\n  “otherAccounts”: true\n}',
      'Line 2, column 3: Quotation marks must be straight double ones: ".'
    ],
    [
      'single quotation marks',
      '{\n  "defaultAccount": \'A\'\n}',
      'Line 2, column 21: Quotation marks must be straight double ones: ".'
    ],
    [
      'a Windows path',
      '{"downloads": {\n"folder": "C:\\Scans"}}',
      'Line 2, column 15: Write each backslash of a path twice, such as C:\\\\Scans.'
    ],
    [
      'no quotation mark at the end',
      '{"defaultAccount": "Harbour\n}',
      'Line 1, column 28: A closing quotation mark is missing before the end of the line.'
    ],
    ['a list', '[]', 'Line 1, column 1: The file must be a group in curly brackets.'],
    ['a text', '"policy"', 'Line 1, column 1: The file must be a group in curly brackets.'],
    ['nothing', 'null', 'Line 1, column 1: The file must be a group in curly brackets.']
  ])('%s', (_name, file, problem) => {
    expect(saidBy(file)).toEqual([problem])
  })

  test('a file of 50 MB, which isn’t read', () => {
    expect(saidBy(new Uint8Array(50 * 1024 * 1024))).toEqual(['The file is larger than 1 MB.'])
    expect(saidBy(bytes(`{}${' '.repeat(MAX_POLICY_BYTES - 2)}`))).toEqual([])
  })

  test.each([
    ['lists in lists', '['.repeat(MAX_POLICY_BYTES / 2) + ']'.repeat(MAX_POLICY_BYTES / 2)],
    ['groups in groups', `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`]
  ])('%s, nested deeper than any stack', (_name, file) => {
    expect(saidBy(file)).toEqual(['The file is nested deeper than any policy.'])
  })

  test('a name that fills half of the file, with many values', () => {
    const name = 'a'.repeat(400_000)
    // 100 reported values, each identified by its path: about 40 MB if each contained the whole name.
    const before = process.memoryUsage().heapUsed
    const [problem] = saidBy(`{"${name}": [${'0,'.repeat(30_000)}0]}`)
    expect(problem).toMatch(/“a+…” isn’t a setting/)
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(200_000_000)
  })

  test('countless unknown names, of which a few are reported', () => {
    const file = `{${Array.from({ length: 40_000 }, (_, index) => `"x${index}": 1`).join(',\n')}}`
    expect(saidBy(file)).toHaveLength(20)
  })
})

describe('each mistake is reported with its line and column', () => {
  test.each([
    [
      'an unknown name',
      '{\n  "practiceOfice": false\n}',
      'Line 2, column 3: “practiceOfice” isn’t a setting. Did you mean “practiceOffice”?'
    ],
    [
      'an unknown name inside a group',
      '{"counter": {\n "idel": 1}}',
      'Line 2, column 2: “idel” isn’t a setting. Did you mean “idle”?'
    ],
    [
      'an unknown name unlike any other',
      '{"printers": true}',
      'Line 1, column 2: “printers” isn’t a setting of this version of Countersign.'
    ],
    [
      'a known name in the wrong place',
      '{"lockAfter": 10}',
      'Line 1, column 2: “lockAfter” is a setting, but it doesn’t belong here.'
    ],
    [
      'an unknown name in other capitals',
      '{"OtherAccounts": false}',
      'Line 1, column 2: “OtherAccounts” isn’t a setting. Did you mean “otherAccounts”?'
    ],
    [
      'a name of JavaScript’s own',
      '{"__proto__": {"practiceOffice": true}}',
      'Line 1, column 2: “__proto__” isn’t a setting of this version of Countersign.'
    ],
    [
      'a duplicate name',
      '{"practiceOffice": true,\n"practiceOffice": false}',
      'Line 2, column 1: “practiceOffice” is written twice.'
    ],
    [
      'text for true or false',
      '{"practiceOffice": "no"}',
      'Line 1, column 20: “practiceOffice” must be true or false.'
    ],
    [
      'a missing setting',
      '{"accounts": [\n{"name": "A", "signIn": "none"}]}',
      'Line 2, column 1: “accounts[1].address” is missing.'
    ],
    [
      'an unknown sign-in method',
      '{"signInMethods": ["bearer",\n"fax"]}',
      'Line 2, column 1: “signInMethods[2]” must be one of: none, api-key, bearer, basic, headers, oauth.'
    ],
    [
      'an idle time above its limit',
      '{"counter": {"idle": {"warnAfter": 120,\n "coverAfter": 30, "endAfter": 3601}}}',
      'Line 2, column 32: “counter.idle.endAfter” must be at most 3600.'
    ],
    [
      'an idle time below its limit',
      '{"counter": {"idle": {"warnAfter": 1, "coverAfter": 30, "endAfter": 300}}}',
      'Line 1, column 36: “counter.idle.warnAfter” must be at least 5.'
    ],
    [
      'half a minute',
      '{"counter": {"lockAfter": 2.5}}',
      'Line 1, column 27: “counter.lockAfter” must be a whole number.'
    ],
    [
      'a PIN that is too long',
      '{"counter": {"pinDigits": 13}}',
      'Line 1, column 27: “counter.pinDigits” must be at most 12.'
    ],
    [
      'an invalid hour',
      '{"quietHours": {"from": "25:00", "to": "08:00"}}',
      'Line 1, column 25: “quietHours.from” must be a time of day from 00:00 to 23:59, such as 18:00.'
    ],
    [
      'a colour given by name',
      '{"accounts": [{"name": "A", "address": "https://a.example", "signIn": "none", "colour": "teal"}]}',
      'Line 1, column 89: “accounts[1].colour” must be a colour such as #1f7a7a.'
    ],
    ['an empty list of methods', '{"signInMethods": []}', 'Line 1, column 19: “signInMethods” is empty.']
  ])('%s', (_name, file, problem) => {
    expect(saidBy(file)).toEqual([problem])
  })

  test('all of them together, in order, also with Windows line endings', () => {
    expect(saidBy('{\r\n"practiceOffice": 1,\r\n"quiet": 2\r\n}')).toEqual([
      'Line 2, column 19: “practiceOffice” must be true or false.',
      'Line 3, column 1: “quiet” isn’t a setting of this version of Countersign.'
    ])
  })
})

describe('a policy that contradicts itself is reported', () => {
  const account = '{"name": "A", "address": "https://a.example", "signIn": "bearer"}'
  test.each([
    ['a missing default account', `{"accounts": [${account}], "defaultAccount": "B"}`, '“B” isn’t among the accounts.'],
    [
      'a sign-in method that isn’t allowed',
      `{"accounts": [${account}], "signInMethods": ["basic"]}`,
      '“A” signs in by “bearer”, which “signInMethods” doesn’t allow.'
    ],
    [
      'OAuth 2 details for an account with another sign-in method',
      `{"accounts": [${account.replace('}', ', "oauth": {"grant": "code", "clientId": "c", "issuer": "https://l.example"}}')}]}`,
      '“A” signs in by “bearer”, and has “oauth”.'
    ],
    ...[
      ['{"grant": "code", "clientId": "c"}', 'Enter the address for tokens.'],
      [
        '{"grant": "code", "clientId": "c", "tokenUrl": "https://l.example/t"}',
        'Enter the address of the sign-in page.'
      ],
      [
        '{"grant": "code", "clientId": "c", "issuer": "https://l.example", "tokenUrl": "https://l.example/t"}',
        'Write either “issuer” or the other addresses.'
      ]
    ].map(([oauth, reason = '']) => [
      `sign-in by OAuth 2 that lacks something: ${reason}`,
      `{"accounts": [{"name": "A", "address": "https://a.example", "signIn": "oauth", "oauth": ${oauth}}]}`,
      reason
    ]),
    [
      'two accounts with one name',
      `{"accounts": [${account}, ${account.replace('"A"', '"a"')}]}`,
      'Two accounts are called “a”.'
    ],
    [
      'an unencrypted address',
      `{"accounts": [${account.replace('https', 'http')}]}`,
      'The address must start with https:// to keep your key or token safe.'
    ],
    [
      'an unknown way of adding accounts',
      '{"otherAccounts": "sometimes"}',
      '“otherAccounts” must be true, false or "enrolled".'
    ],
    [
      'a relative path of a presets file',
      '{"sharedFile": "Office.countersign-settings"}',
      'Write the full path of the file, or start it with ~/ for the user’s home folder.'
    ],
    [
      'nothing left to use',
      '{"otherAccounts": false, "practiceOffice": false}',
      'With no accounts and no practice office, nobody could use Countersign.'
    ],
    [
      'a signing origin in a private network',
      '{"signingOrigins": ["https://10.0.0.1"]}',
      'This address is on a private network. Signing pages can only open public addresses.'
    ],
    [
      'a host with more than a host name',
      '{"plainHttpHosts": ["http://a.example"]}',
      'Write a host by its name alone, in lower case, such as sign.office.example.'
    ],
    [
      'two ways to a proxy',
      '{"proxy": {"server": "proxy.example:8080", "script": "https://a.example/proxy.pac"}}',
      'Name the proxy by “server” or by “script”, not by both.'
    ],
    ['exceptions from no proxy', '{"proxy": {"except": ["a.example"]}}', 'Exceptions need a “server”.'],
    [
      'a proxy script without an address',
      '{"proxy": {"script": "proxy.pac"}}',
      'Write the whole address of the script, starting with https:// or http://.'
    ],
    [
      'an invalid certificate authority',
      '{"certificateAuthorities": ["-----BEGIN CERTIFICATE-----"]}',
      'This isn’t one certificate of a certificate authority, as text that starts with -----BEGIN CERTIFICATE-----.'
    ],
    ['a folder of nobody', '{"dropFolders": [{"folder": "/drop", "account": "A"}]}', '“A” isn’t among the accounts.'],
    [
      'a relative path of a folder',
      '{"downloads": {"folder": "Identity"}}',
      'Write the full path of the folder, or start it with ~/ for the user’s home folder.'
    ],
    [
      'a path out of the home folder',
      '{"downloads": {"folder": "~/../other"}}',
      'Write the full path of the folder, or start it with ~/ for the user’s home folder.'
    ],
    [
      'identical file names',
      '{"downloads": {"names": "file"}}',
      'Every file would have the same name: add {document} or {reference}.'
    ],
    [
      'quiet hours of no length',
      '{"quietHours": {"from": "08:00", "to": "08:00"}}',
      'Quiet hours start and end at the same time. For none, write null.'
    ],
    ['a check twice', '{"counter": {"checklist": [{"text": "ID"}, {"text": "id"}]}}', '“id” is in the checklist twice.']
  ])('%s', (_name, file, problem) => {
    expect(saidBy(file)).toEqual([expect.stringMatching(/^Line 1, column \d+: /)])
    expect(saidBy(file)[0]?.replace(/^.*?: /, '')).toBe(problem)
  })

  test('a named host may be used without encryption', () => {
    expect(saidBy(`{"accounts": [${account.replace('https', 'http')}], "plainHttpHosts": ["a.example"]}`)).toEqual([])
  })
})
