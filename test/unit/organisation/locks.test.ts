// No request can change what the organisation has set. Tested through the registration, as the screens' requests come
// in.
import { renameSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Account } from '../../../src/main/core/accounts/account.ts'
import { openAccounts } from '../../../src/main/core/accounts/accounts.ts'
import { CounterSettingsKeeper } from '../../../src/main/core/counter/counter-settings.ts'
import { openPreferences } from '../../../src/main/core/notifications/preferences.ts'
import {
  applyAccounts,
  chooseDefaultAccount,
  counterSettingsOf,
  expandHome,
  openDropFolderPolicy
} from '../../../src/main/core/organisation/apply-policy.ts'
import { memoryKeychain } from '../../../src/main/core/storage/keychain.ts'
import { mayComplete, mayEnrol, policyCheckOf, policyHandlers } from '../../../src/main/ipc/organisation.ts'
import { type RequestHandlers, registerHandlers } from '../../../src/main/ipc/registration.ts'
import type { Result } from '../../../src/shared/contract/errors.ts'
import { LOCKABLE, type Lockable, type PolicyView } from '../../../src/shared/contract/policy.ts'
import { type Input, type RequestName, requestNames } from '../../../src/shared/contract/requests.ts'
import { ACCOUNT } from '../../fixtures/drop-folder-office.ts'
import { aPlace } from '../drop-folders/place.ts'
import { policyOffice } from './policies.ts'

const OWN = { name: 'Own', baseUrl: 'https://own.example', authentication: { scheme: 'bearer', token: 't' } } as const
const kinds = {
  signed: 'never',
  completed: 'always',
  declined: 'always',
  expired: 'always',
  'due-tomorrow': 'always',
  'identity-failed': 'always',
  'waits-here': 'views',
  'not-valid': 'always',
  outbox: 'always'
} as const

/**
 * An office under a policy, with the accounts that the policy names.
 * @param had a user-added account from before the policy
 */
async function office(policy: unknown, had?: typeof OWN) {
  const made = policyOffice()
  made.put(policy)
  const organisation = await made.start()
  const keychain = memoryKeychain()
  let ids = 0
  const accounts = openAccounts({
    db: made.db,
    organisation,
    time: made.time.run(),
    secrets: keychain.accounts,
    newId: () => `account-${++ids}`
  })
  await applyAccounts({ organisation, accounts, log: { info: () => undefined, warn: () => undefined } })
  chooseDefaultAccount(organisation, accounts)
  const own = openAccounts({
    db: made.db,
    secrets: keychain.accounts,
    time: made.time.run(),
    newId: () => 'account-own'
  })
  if (had) await own.add({ ...had, kind: 'service' })
  const preferences = openPreferences(made.db, () => organisation.policy.quietHours)
  const handled: string[] = []
  const handlers = Object.fromEntries(requestNames.map((name) => [name, async () => void handled.push(name)]))
  const channels = new Map<string, (event: null, input: unknown) => Promise<unknown>>()
  registerHandlers<null>({
    handle: (name, listener) => void channels.set(name, listener),
    roleOf: () => 'office',
    isAway: () => false,
    whenHandedBack: () => Promise.resolve(),
    authorise: policyCheckOf({
      organisation,
      accounts,
      downloads: () => ({ folder: { id: 'folder' }, pattern: '{document}' }),
      quiet: () => preferences.read().quiet
    }),
    handlers: { ...handlers, ...policyHandlers(organisation) } as unknown as RequestHandlers,
    log: { error: () => undefined }
  })
  const ask = <Name extends RequestName>(name: Name, input: Input<Name>) =>
    channels.get(name)?.(null, input) as Promise<Result<unknown>>
  return { ...made, organisation, accounts, keychain, preferences, ask, handled }
}

const account = { name: 'Harbour Law', address: 'https://signing.example', signIn: 'bearer' }

const SIGN_IN = { scheme: 'oauth', grant: 'code', clientId: 'countersign', issuer: 'https://login.example' }
const BY_OAUTH = {
  ...account,
  signIn: 'oauth',
  oauth: { grant: 'code', clientId: 'countersign', issuer: 'https://login.example' }
}
const IS_BY_OAUTH = { id: 'account-1', name: 'Harbour Law', baseUrl: 'https://signing.example' }

interface Locked {
  setting: Lockable
  policy: unknown
  request: RequestName
  input: unknown
  /** The same request, changing nothing that is set. */
  harmless?: unknown
}

const choice = { what: { references: ['a'] }, types: ['pdf'], writesIndex: false }
const rule = { types: ['pdf'], writesIndex: false, alsoNow: false }
const counter = (setting: Lockable, value: unknown, input: object): Locked => ({
  setting,
  input,
  policy: { counter: { [setting.replace('counter.', '')]: value } },
  request: 'counter.configure',
  harmless: { idleText: 'Kia ora' }
})

const TABLE: readonly Locked[] = [
  { setting: 'accounts', policy: { accounts: [account] }, request: 'accounts.remove', input: { id: 'account-1' } },
  {
    setting: 'accounts',
    policy: { accounts: [account] },
    request: 'accounts.update',
    input: { id: 'account-1', name: 'Mine', baseUrl: 'https://signing.example' },
    harmless: { ...OWN, id: 'account-1', name: 'Harbour Law', baseUrl: 'https://signing.example/' }
  },
  {
    setting: 'accounts',
    policy: { accounts: [account] },
    request: 'accounts.update',
    input: { id: 'account-1', name: 'Harbour Law', baseUrl: 'https://elsewhere.example' }
  },
  {
    setting: 'accounts',
    policy: { accounts: [account] },
    request: 'accounts.update',
    input: {
      id: 'account-1',
      name: 'Harbour Law',
      baseUrl: 'https://signing.example',
      authentication: { scheme: 'none' }
    }
  },
  {
    setting: 'accounts',
    policy: { accounts: [account] },
    request: 'accounts.try',
    input: { id: 'account-1', baseUrl: 'https://elsewhere.example' },
    harmless: { id: 'account-1', baseUrl: 'https://signing.example' }
  },
  {
    setting: 'otherAccounts',
    policy: { otherAccounts: false },
    request: 'accounts.add',
    input: { ...OWN, kind: 'service' },
    harmless: { kind: 'practice', name: 'Practice' }
  },
  {
    setting: 'otherAccounts',
    policy: { otherAccounts: false },
    request: 'accounts.try',
    input: { baseUrl: OWN.baseUrl, authentication: OWN.authentication }
  },
  // A user-added account from before, pointed at another service.
  ...(['accounts.update', 'accounts.try'] as const).map((request): Locked => {
    const { name, ...access } = OWN
    const input = { ...(request === 'accounts.update' && { name }), ...access, id: 'account-own' }
    return {
      setting: 'otherAccounts',
      policy: { otherAccounts: false },
      request,
      input: { ...input, baseUrl: 'https://elsewhere.example' },
      harmless: input
    }
  }),
  ...(['accounts.add', 'accounts.update', 'accounts.try'] as const).map((request): Locked => {
    const whose = {
      'accounts.add': { kind: 'service', name: 'Own' },
      'accounts.update': { id: 'x', name: 'Own' },
      'accounts.try': {}
    }
    const input = { ...whose[request], baseUrl: OWN.baseUrl }
    return {
      setting: 'signInMethods',
      policy: { signInMethods: ['bearer'] },
      request,
      input: { ...input, authentication: { scheme: 'none' } },
      harmless: { ...input, authentication: OWN.authentication }
    }
  }),
  {
    setting: 'signInMethods',
    policy: { signInMethods: ['bearer'] },
    request: 'accounts.signIn',
    input: { authentication: { scheme: 'oauth', grant: 'code', clientId: 'c', issuer: 'https://login.example' } }
  },
  {
    setting: 'practiceOffice',
    policy: { practiceOffice: false },
    request: 'accounts.add',
    input: { kind: 'practice', name: 'Practice' },
    harmless: { ...OWN, kind: 'service' }
  },
  {
    setting: 'signingOrigins',
    policy: { signingOrigins: [] },
    request: 'counter.configure',
    input: { allowedOrigins: ['https://evil.example'] },
    harmless: { fullScreen: true }
  },
  { setting: 'dropFolders', policy: { dropFolders: [] }, request: 'dropFolders.add', input: undefined },
  { setting: 'dropFolders', policy: { dropFolders: [] }, request: 'dropFolders.remove', input: { id: 'a' } },
  {
    setting: 'dropFolders',
    policy: { dropFolders: [] },
    request: 'dropFolders.change',
    input: { id: 'a', sends: true },
    harmless: { id: 'a', presetId: null }
  },
  {
    setting: 'dropFolders',
    policy: { dropFolders: [] },
    request: 'dropFolders.change',
    input: { id: 'a', paused: false }
  },
  ...(['downloads.configure', 'downloads.add', 'downloads.addRule', 'downloads.changeRule'] as const).flatMap(
    (request) => {
      const more = {
        'downloads.configure': {},
        'downloads.add': choice,
        'downloads.addRule': rule,
        'downloads.changeRule': { id: 'r' }
      }
      const harmless = { ...more[request], folderId: 'folder', pattern: '{document}' }
      return [
        {
          setting: 'downloads.folder' as const,
          policy: { downloads: { folder: '/data' } },
          request,
          harmless,
          input: { ...harmless, folderId: 'other' }
        },
        {
          setting: 'downloads.names' as const,
          policy: { downloads: { names: '{document}' } },
          request,
          harmless,
          input: { ...harmless, pattern: '{reference}' }
        }
      ]
    }
  ),
  {
    setting: 'downloads.folder',
    policy: { downloads: { folder: '/data' } },
    request: 'downloads.chooseFolder',
    input: undefined
  },
  {
    setting: 'downloads.folder',
    policy: { downloads: { folder: '/data' } },
    request: 'downloads.relocate',
    input: { from: 'folder', to: 'other' }
  },
  { setting: 'removal', policy: { removal: false }, request: 'storage.remove', input: { backups: false, unsent: 0 } },
  {
    setting: 'crashReports',
    policy: { crashReports: false },
    request: 'support.keepCrashReports',
    input: { keep: true }
  },
  {
    setting: 'backups',
    policy: { backups: { folder: '/data', when: 'daily' } },
    request: 'storage.scheduleBackups',
    input: { plan: null },
    harmless: { passphrase: 'a passphrase of four words' }
  },
  {
    setting: 'backups',
    policy: { backups: { folder: '/data', when: 'daily' } },
    request: 'storage.scheduleBackups',
    input: { folderId: 'other' }
  },
  {
    setting: 'quietHours',
    policy: { quietHours: { from: '18:00', to: '08:00' } },
    request: 'notifications.set',
    input: { kinds, quiet: null, sound: false },
    harmless: { kinds, quiet: { from: '18:00', to: '08:00' }, sound: true }
  },
  {
    setting: 'quietHours',
    policy: { quietHours: null },
    request: 'notifications.set',
    input: { kinds, quiet: { from: '18:00', to: '08:00' }, sound: false },
    harmless: { kinds, quiet: null, sound: true }
  },
  ...[{ clientId: 'mine' }, { issuer: 'https://evil.example' }, { scope: 'all' }].map(
    (change): Locked => ({
      setting: 'accounts',
      policy: { accounts: [BY_OAUTH] },
      request: 'accounts.update',
      input: { ...IS_BY_OAUTH, authentication: { ...SIGN_IN, ...change } },
      harmless: { ...IS_BY_OAUTH, authentication: { ...SIGN_IN, secret: 'ours' } }
    })
  ),
  {
    setting: 'startAtLogin',
    policy: { startAtLogin: true },
    request: 'settings.set',
    input: { startAtLogin: false },
    harmless: { theme: 'dark' }
  },
  counter(
    'counter.idle',
    { warnAfter: 60, coverAfter: 30, endAfter: 60 },
    {
      idle: { warnAfter: 3600, coverAfter: 30, endAfter: 60 }
    }
  ),
  counter('counter.lockAfter', 10, { lockAfter: 0 }),
  counter('counter.checklist', [{ text: 'ID', required: true }], { evidence: [] }),
  counter('counter.fullScreen', true, { fullScreen: false }),
  counter('counter.secondDisplay', true, { useOtherDisplay: false }),
  counter('counter.files', false, { mayGiveFiles: true }),
  counter('counter.printAndSave', false, { mayKeepPages: true }),
  ...(
    ['documents', 'trash', 'sends', 'downloads', 'identityFiles', 'identityNumbers', 'verifications', 'people'] as const
  ).map(
    (name): Locked => ({
      setting: `retention.${name}`,
      policy: { retention: { [name]: 60 } },
      request: 'retention.set',
      input: { [name]: 3650 },
      harmless: { [name === 'sends' ? 'people' : 'sends']: 3650 }
    })
  )
]

describe('a setting of the organisation can’t be changed', () => {
  test.each(TABLE)('$setting: $request', async ({ policy, request, input, harmless }) => {
    const { ask, handled } = await office(policy, OWN)
    expect(await ask(request, input as never)).toMatchObject({
      ok: false,
      error: { code: 'not-allowed', message: 'This is set by your organisation.' }
    })
    expect(handled).toEqual([])
    if (harmless === undefined) return
    expect(await ask(request, harmless as never)).toMatchObject({ ok: true })
    expect(handled).toEqual([request])
  })

  test('but everything can without a policy', async () => {
    const { ask, handled } = await office({})
    for (const { request, input } of TABLE) expect(await ask(request, input as never)).toMatchObject({ ok: true })
    expect(handled).toHaveLength(TABLE.length)
  })

  test('and everything is locked if the file is unusable and none ever was usable', async () => {
    const { ask, handled } = await office('{', OWN)
    // It is unknown then which accounts are the organisation's, so none may be changed.
    const mine = { ...OWN, id: 'account-own' }
    const mineIs = (changes: object) => ask('accounts.update', { ...mine, ...changes } as never)
    expect(await ask('accounts.remove', { id: mine.id })).toMatchObject({ ok: false, error: { code: 'not-allowed' } })
    expect(await mineIs({ name: 'Mine' })).toMatchObject({ ok: false, error: { code: 'not-allowed' } })
    expect(await mineIs({ authentication: { scheme: 'none' } })).toMatchObject({ ok: false })
    // The same account may get another token.
    expect(await mineIs({})).toMatchObject({ ok: true })
    expect(handled.splice(0)).toEqual(['accounts.update'])
    const ofNone = TABLE.filter(({ setting }) => setting !== 'accounts' && setting !== 'signInMethods')
    // Only what differs from the current setting.
    for (const { request, input, policy } of ofNone) {
      if (JSON.stringify(policy).includes('"quietHours":{') || JSON.stringify(policy).includes('"names"')) continue
      expect(await ask(request, input as never), request).toMatchObject({ ok: false, error: { code: 'not-allowed' } })
    }
    expect(handled).toEqual([])
  })

  test('the table has a row for each lockable setting', () => {
    const inTable = new Set(TABLE.map(({ setting }) => setting))
    expect(LOCKABLE.filter((setting) => !inTable.has(setting))).toEqual(['counter.pinDigits'])
  })

  test('the screens are told what is locked', async () => {
    const { ask } = await office({ accounts: [account], counter: { pinDigits: 6 } })
    const answer = (await ask('policy.get', undefined)) as { value: PolicyView }
    expect(answer.value).toMatchObject({
      locked: ['accounts', 'counter.pinDigits'],
      accountIds: ['account-1'],
      colouredIds: [],
      pinDigits: 6
    })
  })
})

describe('a new PIN', () => {
  test.each([
    ['counter.setPin', {}],
    ['counter.addStaff', { name: 'Ana', role: 'clerk' }],
    ['counter.changeStaff', { id: 'ana' }]
  ] as const)('has as many digits as the organisation requires: %s', async (request, more) => {
    const { ask, handled } = await office({ counter: { pinDigits: 6 } })
    expect(await ask(request, { ...more, pin: '12345' } as never)).toMatchObject({
      ok: false,
      error: {
        code: 'invalid',
        message: 'Your organisation wants PINs of at least 6 digits.',
        fields: [{ field: 'pin' }]
      }
    })
    expect(handled).toEqual([])
    expect(await ask(request, { ...more, pin: '123456' } as never)).toMatchObject({ ok: true })
  })
})

describe('the organisation’s settings take effect', () => {
  test('an account has the colour from the policy, and can be recoloured only if none is given', async () => {
    const second = { ...account, name: 'Second', colour: '#112233' }
    const { ask, handled } = await office({ accounts: [account, second] })
    expect(await ask('accounts.mark', { id: 'account-2', colour: '#5f6b7a' })).toMatchObject({
      ok: false,
      error: { code: 'not-allowed' }
    })
    expect(handled.splice(0)).toEqual([])
    await ask('accounts.mark', { id: 'account-2', mark: 'S' })
    await ask('accounts.mark', { id: 'account-1', colour: '#5f6b7a' })
    expect(handled).toEqual(['accounts.mark', 'accounts.mark'])
    expect(((await ask('policy.get', undefined)) as { value: PolicyView }).value.colouredIds).toEqual(['account-2'])
  })

  test('its accounts exist at start, without secrets, and the default one is selected', async () => {
    const second = { ...account, name: 'Second', signIn: 'none', colour: '#112233' }
    const { accounts } = await office({ accounts: [account, second], defaultAccount: 'second' })
    expect(accounts.list()).toMatchObject([
      { name: 'Harbour Law', baseUrl: 'https://signing.example', scheme: 'bearer' },
      { name: 'Second', scheme: 'none', colour: '#112233' }
    ])
    expect(accounts.chosen()?.name).toBe('Second')
    expect(await accounts.secretState('account-1')).toBe('missing')
  })

  test('a policy that changes later leaves people in the account that they work in', async () => {
    const second = { ...account, name: 'Second', signIn: 'none' }
    const policy = { accounts: [account, second], defaultAccount: 'Second' }
    const { accounts, put, organisation } = await office(policy)
    accounts.choose('account-1')
    put({ ...policy, systemLog: true })
    await organisation.check()
    await applyAccounts({ organisation, accounts, log: { info: () => undefined, warn: () => undefined } })
    expect(accounts.chosen()?.name).toBe('Harbour Law')
  })

  test('an account with a changed address keeps no secret for the old one, or for another sign-in method', async () => {
    const { accounts, keychain, put, organisation } = await office({ accounts: [account] })
    const login = { ...OWN, name: 'Harbour Law', baseUrl: account.address }
    await accounts.update('account-1', login)
    expect(await accounts.secretState('account-1')).toBe('kept')
    put({ accounts: [{ ...account, address: 'https://elsewhere.example' }] })
    await organisation.check()
    const apply = () => applyAccounts({ organisation, accounts, log: { info: () => undefined, warn: () => undefined } })
    // What was learned of the service before isn't true of this one.
    expect(await apply()).toEqual(['account-1'])
    expect(await apply()).toEqual([])
    expect(accounts.get('account-1').baseUrl).toBe('https://elsewhere.example')
    expect(await accounts.secretState('account-1')).toBe('missing')

    put({ accounts: [{ ...account, signIn: 'basic' }] })
    await organisation.check()
    await applyAccounts({ organisation, accounts, log: { info: () => undefined, warn: () => undefined } })
    expect(await keychain.accounts.get('account-1')).toBeNull()
    expect(accounts.list()).toHaveLength(1)
  })

  test('enrolment only: accounts are added only from an enrolment file', async () => {
    const { ask, handled, accounts, organisation, put } = await office({
      otherAccounts: 'enrolled',
      accounts: [account]
    })
    const own = { name: 'Own', scheme: 'bearer' } as const
    expect(await ask('accounts.add', { ...OWN, kind: 'service' })).toMatchObject({ error: { code: 'not-allowed' } })
    expect(await ask('accounts.try', { baseUrl: OWN.baseUrl, authentication: OWN.authentication })).toMatchObject({
      ok: false
    })
    expect(handled).toEqual([])
    expect(organisation.view()).toMatchObject({ enrolsOnly: true, locked: expect.arrayContaining(['otherAccounts']) })
    expect(() => mayEnrol(own, { organisation, accounts })).not.toThrow()
    expect(() => mayEnrol({ ...own, name: 'HARBOUR law' }, { organisation, accounts })).toThrow()
    put({ otherAccounts: 'enrolled', signInMethods: ['basic'] })
    await organisation.check()
    expect(() => mayEnrol(own, { organisation, accounts })).toThrow()
    expect(() => mayComplete({ id: 'own', scheme: 'bearer' }, { organisation })).toThrow()
    expect(() => mayComplete({ id: 'own', scheme: 'basic' }, { organisation })).not.toThrow()
    put({ otherAccounts: false })
    await organisation.check()
    expect(() => mayEnrol({ ...own, scheme: 'basic' }, { organisation, accounts })).toThrow()
  })

  test('an account whose sign-in method is no longer allowed isn’t used', async () => {
    const { accounts, put, organisation } = await office({})
    const { id } = await accounts.add({ ...OWN, kind: 'service' })
    await expect(accounts.credentialsOf(id)).resolves.toMatchObject({ scheme: 'bearer' })
    put({ signInMethods: ['basic'] })
    await organisation.check()
    await expect(accounts.credentialsOf(id)).rejects.toMatchObject({ appError: { code: 'not-allowed' } })
  })

  test('http is allowed for the named hosts and no others', async () => {
    const { accounts } = await office({ plainHttpHosts: ['sign.office.example'] })
    expect(accounts.normaliseAddress('http://sign.office.example/web')).toBe('http://sign.office.example/web')
    expect(() => accounts.normaliseAddress('http://evil.sign.office.example')).toThrow()
  })

  test('they override the office’s counter settings, which return afterwards', async () => {
    const made = await office({ signingOrigins: ['https://LOGIN.example'], counter: { lockAfter: 10, files: false } })
    const notes: { detail?: Record<string, string> }[] = []
    const settings = new CounterSettingsKeeper({
      db: made.db,
      organisation: () => counterSettingsOf(made.organisation.policy),
      userName: () => 'grace',
      otherDisplay: () => undefined,
      note: (one) => void notes.push(one),
      changed: () => undefined
    })
    settings.configure({ mayGiveFiles: true, lockAfter: 0, idleText: 'Kia ora' })
    expect(settings.read()).toMatchObject({
      lockAfter: 10,
      mayGiveFiles: false,
      idleText: 'Kia ora',
      allowedOrigins: ['https://login.example']
    })
    const before = settings.read()
    made.put({})
    await made.organisation.check()
    expect(settings.read()).toMatchObject({ lockAfter: 0, mayGiveFiles: true, allowedOrigins: [] })
    settings.organisationChanged(before)
    expect(notes.at(-1)?.detail).toMatchObject({ by: 'policy of the organisation', 'automatic lock': '10 → 0' })
  })

  test('they override a person’s quiet hours, which return afterwards', async () => {
    const { preferences, put, organisation } = await office({})
    const own = { from: '12:00', to: '13:00' }
    preferences.set({ kinds, quiet: own, sound: false })
    put({ quietHours: null })
    await organisation.check()
    expect(preferences.read().quiet).toBeNull()
    preferences.set({ kinds, quiet: null, sound: true })
    put({})
    await organisation.check()
    expect(preferences.read()).toMatchObject({ quiet: own, sound: true })
  })

  test('a folder in each user’s home is found in their own', () => {
    expect(expandHome('~/Documents/Identity', '/home/grace')).toBe('/home/grace/Documents/Identity')
    expect(expandHome('/srv/drop', '/home/grace')).toBe('/srv/drop')
  })
})

describe('drop folders of the policy', () => {
  async function watched(send: boolean) {
    const place = await aPlace()
    const policy = policyOffice()
    const put = (sends: boolean) =>
      policy.put({ accounts: [account], dropFolders: [{ folder: place.place, account: account.name, send: sends }] })
    put(send)
    const organisation = await policy.start()
    const { list, add, change } = place.office.dropFolders
    const before = { add: async () => undefined as unknown }
    const folders = openDropFolderPolicy({
      organisation,
      accounts: { list: () => [{ id: ACCOUNT, name: account.name } as Account] },
      dropFolders: {
        list,
        change,
        add: async (...folder) => {
          await before.add()
          return add(...folder)
        }
      },
      home: place.folder,
      time: policy.time.run(),
      log: { info: () => undefined, warn: () => undefined }
    })
    return { ...place, view: place.view, put, organisation, folders, before, time: policy.time }
  }

  test('that can’t be reached is watched once it can, as a network drive after the start', async () => {
    const { folders, place, view, time } = await watched(true)
    renameSync(place, `${place} away`)
    await folders.apply()
    expect(view().state).toBe('paused')
    renameSync(`${place} away`, place)
    await time.pass(2 * 60_000)
    await expect.poll(() => view().state).not.toBe('paused')
    expect(view()).toMatchObject({ sends: true })
  })

  test('follow the policy in force, although the one before is still being applied', async () => {
    const { folders, put, organisation, view, office, id, before } = await watched(true)
    office.dropFolders.remove(id)
    const { promise, resolve } = Promise.withResolvers<void>()
    before.add = () => promise
    const first = folders.apply()
    put(false)
    await organisation.check()
    before.add = async () => undefined
    const second = folders.apply()
    await new Promise((resume) => setImmediate(resume))
    resolve()
    await Promise.all([first, second])
    expect(view()).toMatchObject({ sends: false })
  })
})
