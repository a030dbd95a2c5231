import { chmodSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkPolicyAt } from '../../../src/main/core/organisation/check.ts'
import { type ManagedSource, managedSourceAtStart } from '../../../src/main/core/organisation/managed.ts'
import { MANAGED_SETTINGS } from '../../../src/main/core/organisation/managed-settings.ts'
import { policyLocation } from '../../../src/main/core/organisation/policy-file.ts'
import { temporaryFolder } from '../storage/folders.ts'
import {
  KEY,
  macWith,
  number,
  policyOn,
  registryOf,
  registryValue,
  TYPES,
  text,
  texts,
  type Value,
  windowsWith
} from './managed-computers.ts'
import { policyOffice } from './policies.ts'

const mine = process.getuid?.() ?? 0
describe('registry settings', () => {
  test('each have their own value, with lists and groups as JSON', async () => {
    const place = windowsWith({
      accounts: texts(
        '[{"name": "Māori Land Law",\n  "address": "https://signing.example.com",\n  "signIn": "bearer"}]'
      ),
      defaultAccount: text('Māori Land Law'),
      otherAccounts: text('enrolled'),
      practiceOffice: number(0),
      removal: number(1),
      quietHours: text('{"from":"18:00","to":"08:00"}'),
      updates: text('null'),
      'retention.documents': number(365),
      'retention.people': text('null'),
      'counter.lockAfter': number(10),
      'counter.identity': text('number-end'),
      'counter.files': number(0),
      'downloads.folder': text('C:\\Scans\\05')
    })
    expect(await policyOn(place)).toEqual({
      accounts: [{ name: 'Māori Land Law', address: 'https://signing.example.com', signIn: 'bearer' }],
      defaultAccount: 'Māori Land Law',
      otherAccounts: 'enrolled',
      practiceOffice: false,
      removal: true,
      quietHours: { from: '18:00', to: '08:00' },
      updates: null,
      retention: { documents: 365, people: null },
      counter: { lockAfter: 10, identity: 'number-end', files: false },
      downloads: { folder: 'C:\\Scans\\05' }
    })
  })

  test.each([
    ['have no key of ours', { kind: 'registry', path: KEY, registry: () => registryOf({}) }],
    ['have only the empty key that Group Policy leaves', windowsWith({})]
  ] as const)('that %s count as none', async (_what, place) => {
    expect(await policyOn(place)).toBe('missing')
  })

  const WRONG: [string, Record<string, Value>, string, RegExp][] = [
    ['an unknown name', { practiceOfice: number(0) }, 'practiceOfice', /Did you mean “practiceOffice”/],
    ['a name in capitals', { Removal: number(0) }, 'Removal', /Did you mean “removal”/],
    ['a text for what is true or false', { removal: text('false') }, 'removal', /must be true or false/],
    ['a number that is neither', { removal: number(2) }, 'removal', /must be true or false/],
    ['a number as text', { 'counter.pinDigits': text('6') }, 'counter.pinDigits', /must be a number/],
    ['a number out of its limits', { 'counter.pinDigits': number(0xffffffff) }, 'counter.pinDigits', /at most 12/],
    ['a choice that isn’t one', { otherAccounts: text('some') }, 'otherAccounts', /must be true, false or "enrolled"/],
    ['a list that isn’t JSON', { signInMethods: text('bearer, oauth') }, 'signInMethods', /isn’t valid JSON/],
    ['a name twice in its JSON', { proxy: text('{"server":"a.example:1","server":"b.example:1"}') }, 'proxy', /twice/],
    [
      'a path with a variable',
      { sharedFile: registryValue(TYPES.expandable, text('%TEMP%\\a')) },
      'sharedFile',
      /of the type/
    ],
    ['bytes', { removal: registryValue(TYPES.bytes, Buffer.from([0])) }, 'removal', /of the type/],
    [
      'an incomplete character',
      { sharedFile: registryValue(TYPES.text, Buffer.from([0x00, 0xd8, 0x41, 0x00])) },
      'sharedFile',
      /of the type/
    ],
    [
      'a group both as a whole and in part',
      { counter: text('{"files":true}'), 'counter.files': number(0) },
      'counter.files',
      /as a whole/
    ],
    ['a contradiction', { removal: number(0), defaultAccount: text('Nobody') }, 'defaultAccount', /isn’t among/],
    ['a withdrawal beside others', { withdraw: number(1), removal: number(0) }, 'removal', /can’t set anything else/],
    ['a withdrawal that isn’t one', { withdraw: number(0) }, 'withdraw', /isn’t a setting/]
  ]
  test.each(WRONG)('with %s are unusable, and the setting is named', async (_what, values, setting, message) => {
    expect(await policyOn(windowsWith(values))).toEqual([{ setting, message: expect.stringMatching(message) }])
  })

  test.each([
    ['a huge value', { sharedFile: registryValue(TYPES.text, Buffer.alloc(2 * 1024 * 1024 + 2, ' ')) }],
    ['countless values', Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`setting${index}`, number(0)]))]
  ])('with %s are read only up to the limit', async (_what, values) => {
    expect(await policyOn(windowsWith(values))).toEqual([{ message: 'The settings are larger than 1 MB.' }])
  })

  test('with a subkey of their own are reported as a mistake', async () => {
    const place = windowsWith({ removal: number(0) }, { [`${KEY}\\counter`]: { files: number(0) } })
    expect(await policyOn(place)).toEqual([
      { setting: 'counter', message: expect.stringMatching(/Settings must be values/) }
    ])
  })

  test('that can’t be opened, or have no library here, lock like a broken file', async () => {
    const failing = () => {
      throw new Error('Access is denied.')
    }
    const unreadable = [{ message: 'The settings couldn’t be read.' }]
    expect(await policyOn({ kind: 'registry', path: KEY, registry: failing })).toEqual(unreadable)
    // The native module for Windows doesn't load on other systems.
    if (process.platform !== 'win32') expect(await policyOn({ kind: 'registry', path: KEY })).toEqual(unreadable)
  })

  test('that are being written are read until two reads agree', async () => {
    const values: Record<string, Value> = { practiceOffice: number(0) }
    let reads = 0
    const writing = () => {
      if (++reads === 1) values.removal = number(0)
    }
    const place: ManagedSource = { kind: 'registry', path: KEY, registry: () => registryOf({ [KEY]: values }, writing) }
    expect(await policyOn(place)).toEqual({ practiceOffice: false, removal: false })
  })

  test('that are replaced, and gone for a moment, don’t count as withdrawn', async () => {
    let reads = 0
    const registry = () => registryOf({ [KEY]: ++reads === 1 ? {} : { removal: number(0) } })
    expect(await policyOn({ kind: 'registry', path: KEY, registry })).toEqual({ removal: false })
  })

  test('are unusable if they never stop changing', async () => {
    let days = 30
    const place: ManagedSource = {
      kind: 'registry',
      path: KEY,
      registry: () => registryOf({ [KEY]: { 'retention.documents': number(days++) } })
    }
    expect(await policyOn(place)).toEqual([{ message: 'The settings were being written while they were read.' }])
  })
})

describe('a macOS profile', () => {
  test('gives its settings as they are, or as JSON text if a console has no lists', async () => {
    const place = macWith({
      PayloadUUID: '4D6E3F1A-0000-4000-8000-000000000000',
      signInMethods: ['bearer', 'oauth'],
      practiceOffice: false,
      quietHours: 'null',
      'counter.lockAfter': 10,
      counter: undefined,
      dropFolders: '[]'
    })
    expect(await policyOn(place)).toEqual({
      signInMethods: ['bearer', 'oauth'],
      practiceOffice: false,
      quietHours: null,
      counter: { lockAfter: 10 },
      dropFolders: []
    })
  })

  test('whose file is a link, or isn’t owned by root, isn’t followed', async () => {
    const place = macWith({ removal: false })
    expect(await policyOn({ ...place, owners: [mine + 1] })).toEqual([
      { message: expect.stringMatching(/administrator/) }
    ])
    const link = join(temporaryFolder(), 'link.plist')
    symlinkSync(place.path, link)
    expect(await policyOn({ ...place, path: link })).toEqual([{ message: expect.stringMatching(/link/) }])
    chmodSync(place.path, 0o666)
    expect(await policyOn(place)).toEqual([{ message: expect.stringMatching(/Users can change/) }])
  })

  test.each([
    ['isn’t a property list', 'no plist'],
    ['is a list', '[]']
  ])('that %s is unusable', async (_what, content) => {
    expect(await policyOn(macWith(content))).toEqual([{ message: 'The settings couldn’t be read.' }])
  })

  test('is read by plutil at its fixed path, which this system lacks', async () => {
    if (process.platform === 'darwin') return
    const place = macWith({ removal: false })
    const { convert: _mine, ...system } = place
    expect(await policyOn(system)).toEqual([{ message: 'The settings couldn’t be read.' }])
  })

  test('that is missing, or has only its envelope, counts as none', async () => {
    expect(await policyOn({ kind: 'profile', path: '/nowhere/a.plist', owners: [0] })).toBe('missing')
    expect(await policyOn(macWith({ PayloadVersion: 1 }))).toBe('missing')
  })
})

describe('which policy takes effect', () => {
  const strict = windowsWith({ removal: number(0) })

  test('managed settings in place of the file, which is reported as unused', async () => {
    const office = policyOffice()
    office.put({ practiceOffice: false })
    const organisation = await office.start(strict)
    expect(organisation.policy).toEqual({ removal: false })
    expect(organisation.view()).toMatchObject({
      place: KEY,
      isManaged: true,
      unusedFile: office.path,
      locked: ['removal']
    })
  })

  test('the file, if there are no managed settings', async () => {
    const office = policyOffice()
    office.put({ practiceOffice: false })
    const organisation = await office.start(windowsWith({}))
    expect(organisation.policy).toEqual({ practiceOffice: false })
    expect(organisation.view()).not.toHaveProperty('isManaged')
    expect(organisation.view()).not.toHaveProperty('unusedFile')
  })

  test('the last usable one if managed settings are unusable, and not the file', async () => {
    const office = policyOffice()
    await office.start(strict)
    office.put({ practiceOffice: false })
    const organisation = await office.start(windowsWith({ removal: text('no') }))
    expect(organisation.policy).toEqual({ removal: false })
    expect(organisation.view()).toMatchObject({ state: 'broken', problems: [{ setting: 'removal' }] })
    expect(office.log.at(-1)?.detail).toMatchObject({ setting: 'removal' })
  })

  test('the last one if managed settings are gone, until they are withdrawn', async () => {
    const office = policyOffice()
    await office.start(strict)
    expect((await office.start(windowsWith({}))).view()).toMatchObject({ state: 'missing', locked: ['removal'] })
    expect((await office.start(windowsWith({ withdraw: number(1) }))).view()).toMatchObject({
      state: 'followed',
      locked: []
    })
    expect((await office.start(windowsWith({}))).view()).toMatchObject({ state: 'none', locked: [] })
  })

  test('a new one, once the registry has it', async () => {
    const office = policyOffice()
    const values: Record<string, Value> = { removal: number(0) }
    const organisation = await office.start({
      kind: 'registry',
      path: KEY,
      registry: () => registryOf({ [KEY]: values })
    })
    const changed = new Promise<void>((resolve) => {
      const stop = organisation.follow(() => async () => {
        stop()
        resolve()
      })
    })
    values['counter.files'] = number(0)
    await office.time.pass(600_000)
    await office.time.pass(1000)
    await changed
    expect(organisation.view().locked).toEqual(['removal', 'counter.files'])
  })
})

describe('at start', () => {
  test.each([
    ['win32', 'C:\\Users\\grace', 'HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\Countersign'],
    ['darwin', '/Users/grace', '/Library/Managed Preferences/app.countersign.desktop.plist'],
    ['linux', '/home/grace', undefined]
  ] as const)('%s looks for managed settings in one place', (platform, home, path) => {
    expect(managedSourceAtStart(platform, policyLocation(platform, home), home)?.path).toBe(path)
  })

  test('a given policy file rules out managed settings', () => {
    expect(
      managedSourceAtStart('win32', { path: '/tmp/mine.json', owners: [mine] }, 'C:\\Users\\grace')
    ).toBeUndefined()
  })

  test('macOS uses the application’s name', () => {
    const config = readFileSync('electron-builder.yml', 'utf8')
    expect(managedSourceAtStart('darwin', policyLocation('darwin', '/Users/grace'), '/Users/grace')?.path).toContain(
      `/${/^appId: (.*)$/m.exec(config)?.[1]}.plist`
    )
  })
})

describe('a policy check', () => {
  test('without a file reports what is managed', async () => {
    expect(await checkPolicyAt('', windowsWith({ removal: number(0) }))).toEqual({
      isUsable: true,
      lines: ['The policy sets:', '  removal: false']
    })
    expect(await checkPolicyAt('', windowsWith({ removal: text('no') }))).toEqual({
      isUsable: false,
      lines: ['removal: “removal” must be true or false.']
    })
    expect(await checkPolicyAt('', windowsWith({}))).toMatchObject({ isUsable: false })
  })

  test('of a file reports if no file would be used', async () => {
    const file = join(temporaryFolder(), 'policy.json')
    writeFileSync(file, '{"removal": false}')
    const { isUsable, lines } = await checkPolicyAt(file, windowsWith({ practiceOffice: number(0) }))
    expect(isUsable).toBe(true)
    expect(lines.at(-1)).toBe(`On this computer no file is used: it has the settings in ${KEY}.`)
    expect((await checkPolicyAt(file, windowsWith({}))).lines).toEqual(['The policy sets:', '  removal: false'])
  })
})

test('every setting has a kind and a description', () => {
  expect(MANAGED_SETTINGS.filter(({ description }) => !/\.$/.test(description))).toEqual([])
  const kinds = Object.fromEntries(MANAGED_SETTINGS.map(({ name, kind }) => [name, kind]))
  expect(kinds).toMatchObject({
    accounts: 'json',
    defaultAccount: 'text',
    otherAccounts: 'choice',
    removal: 'boolean',
    quietHours: 'json',
    'retention.people': 'integer',
    'counter.identity': 'choice',
    'counter.idle': 'json',
    updates: 'json'
  })
})
