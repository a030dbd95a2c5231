import { randomUUID } from 'node:crypto'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Account, PRACTICE_COLOUR } from '../../../src/main/core/accounts/account.ts'
import { type AccountInput, type Accounts, openAccounts } from '../../../src/main/core/accounts/accounts.ts'
import {
  accountSecretsFor,
  type CredentialsInput,
  clientCredentials
} from '../../../src/main/core/accounts/credentials.ts'
import { AppFailure } from '../../../src/main/core/lib/failure.ts'
import { connectInMemory, type Db } from '../../../src/main/core/storage/connection.ts'
import { type Keychain, KeychainError, memoryKeychain } from '../../../src/main/core/storage/keychain.ts'
import { migrate } from '../../../src/main/core/storage/migrations.ts'

const API_KEY = {
  scheme: 'api-key',
  key: 'key-1',
  secret: 'planted secret',
  referer: 'https://office.example.com/'
} as const

type ServiceInput = Extract<AccountInput, { kind: 'service' }>

const service = (parts: Partial<ServiceInput> = {}): ServiceInput => ({
  kind: 'service',
  name: 'Office',
  baseUrl: 'https://sign.example.com/web/v1.4/',
  authentication: API_KEY,
  ...parts
})

/** An office with its database, its keychain, and accounts stored in both. */
function office(keychain: Keychain = memoryKeychain()) {
  const db = connectInMemory()
  onTestFinished(() => void db.close())
  migrate(db)
  const open = () => openAccounts({ db, secrets: keychain.accounts, newId: randomUUID, time: { now: () => 1_000 } })
  return { db, keychain, open, accounts: open() }
}

test('while all are shown, a new package begins in the account used for the last, never in the practice office', async () => {
  const { accounts, open } = office()
  const practice = await accounts.add({ kind: 'practice', name: 'Practice' })
  expect(accounts.forNewPackages()).toBeUndefined()
  const first = await accounts.add(service({ name: 'First' }))
  const second = await accounts.add(service({ name: 'Second' }))
  expect(accounts.forNewPackages()).toBe(first.id)
  accounts.noteComposed(second.id)
  expect(open().forNewPackages()).toBe(second.id)
  accounts.noteComposed(practice.id)
  expect(accounts.forNewPackages()).toBe(first.id)
  accounts.noteComposed(second.id)
  await accounts.remove(second.id)
  expect(accounts.forNewPackages()).toBe(first.id)
})

test('says when another account becomes the one for new packages', async () => {
  const { db, keychain } = office()
  const composedElsewhere = vi.fn()
  const deps = { db, secrets: keychain.accounts, newId: randomUUID, time: { now: () => 1_000 } }
  const accounts = openAccounts({ ...deps, composedElsewhere })
  const first = await accounts.add(service({ name: 'First' }))
  const second = await accounts.add(service({ name: 'Second' }))
  accounts.noteComposed(first.id)
  expect(composedElsewhere).not.toHaveBeenCalled()
  accounts.noteComposed(second.id)
  accounts.noteComposed(second.id)
  expect(composedElsewhere).toHaveBeenCalledOnce()
})

/** A keychain that can be locked. */
function shuttableKeychain() {
  const keychain = memoryKeychain()
  const state = { shut: false }
  const unlessShut =
    <Arguments extends unknown[], Result>(call: (...given: Arguments) => Promise<Result>) =>
    (...given: Arguments) =>
      state.shut ? Promise.reject(new KeychainError('locked', 'Shut.')) : call(...given)
  const { get, set, delete: remove } = keychain.accounts
  const accounts = { get: unlessShut(get), set: unlessShut(set), delete: unlessShut(remove) }
  return { ...keychain, accounts, state }
}

/** A keychain where something else can happen during the next call of a given kind. */
function slowKeychain() {
  const keychain = memoryKeychain()
  const meanwhile = new Map<string, () => void>()
  const happening = (name: string) => {
    meanwhile.get(name)?.()
    meanwhile.delete(name)
  }
  const accounts: Keychain['accounts'] = {
    get: keychain.accounts.get,
    async set(id, secret) {
      await keychain.accounts.set(id, secret)
      happening('set')
    },
    async delete(id) {
      await keychain.accounts.delete(id)
      happening('delete')
    }
  }
  return { ...keychain, accounts, during: (name: 'set' | 'delete', what: () => void) => meanwhile.set(name, what) }
}

function addSend(db: Db, accountId: string, state: string): void {
  db.prepare(
    `INSERT INTO sends (id, account_id, kind, state, title, created_at) VALUES (?, ?, 'form-direct', ?, 'T', 0)`
  ).run(randomUUID(), accountId, state)
}

function addAction(db: Db, accountId: string, state: string): void {
  db.prepare(
    `INSERT INTO actions (id, account_id, kind, reference, document_name, target, request, before, state, created_at)
     VALUES (?, ?, 'extend', 'd', 'Deed', 'd', '{}', '{}', ?, 0)`
  ).run(randomUUID(), accountId, state)
}

async function failureOf(call: () => unknown) {
  const error = await Promise.resolve()
    .then(call)
    .catch((thrown: unknown) => thrown)
  if (!(error instanceof AppFailure)) throw new Error(`Not refused: ${String(error)}`)
  return error.appError
}

describe('an account', () => {
  test('is stored with its address as typed, and its secrets only in the keychain', async () => {
    const { accounts, db, keychain, open } = office()
    const added = await accounts.add(service())
    expect(added).toMatchObject({
      name: 'Office',
      kind: 'service',
      baseUrl: 'https://sign.example.com/web/v1.4',
      scheme: 'api-key',
      jsonByQuery: false,
      dataTypeSpelling: 'lower-then-upper',
      folders: ['InBox', 'Progress', 'Signed']
    })
    expect(open().list()).toEqual([added])
    expect(await open().credentialsOf(added.id)).toEqual(API_KEY)
    expect(await keychain.accounts.get(added.id)).toContain('planted secret')
    const everything = JSON.stringify(db.prepare('SELECT * FROM accounts').all())
    expect(everything + JSON.stringify(accounts.list())).not.toMatch(/planted secret|key-1/)
  })

  test.each([
    [{ scheme: 'none' }, { scheme: 'none' }],
    [API_KEY, { scheme: 'api-key', key: 'key-1', secret: 'planted secret', accessUrl: 'https://office.example.com/' }],
    [
      { ...API_KEY, sender: ' ana@example.com ' },
      {
        scheme: 'api-key',
        key: 'key-1',
        secret: 'planted secret',
        accessUrl: 'https://office.example.com/',
        sender: 'ana@example.com'
      }
    ],
    [
      { scheme: 'bearer', token: 'abc.def' },
      { scheme: 'bearer', token: expect.any(Function) }
    ],
    [
      { scheme: 'bearer', token: 'abc.def', apiKey: { key: 'k', secret: 's', referer: 'https://o.example.com' } },
      {
        scheme: 'bearer',
        token: expect.any(Function),
        apiKey: { key: 'k', secret: 's', accessUrl: 'https://o.example.com' }
      }
    ],
    [
      { scheme: 'basic', user: 'office', password: ' planted pass ' },
      { scheme: 'basic', user: 'office', password: ' planted pass ' }
    ],
    [
      { scheme: 'headers', headers: [{ name: 'X-Key', value: 'planted' }] },
      { scheme: 'headers', headers: [{ name: 'X-Key', value: 'planted' }] }
    ]
  ] as const)('gives the service’s client its credentials (%j)', async (authentication, expected) => {
    const { accounts } = office()
    const { id } = await accounts.add(service({ authentication }))
    expect(clientCredentials(await accounts.credentialsOf(id), () => expect.fail('No sign-in is asked for.'))).toEqual(
      expected
    )
  })

  test('has a colour of its own, and the practice office one that no other gets', async () => {
    const { accounts } = office()
    const practice = await accounts.add({ kind: 'practice', name: 'Practice' })
    const others = await Promise.all(
      Array.from({ length: 9 }, (_, index) => accounts.add(service({ name: `Office ${index}` })))
    )
    const colours = others.map(({ colour }) => colour)
    expect(practice.colour).toBe(PRACTICE_COLOUR)
    expect(new Set(colours).size).toBe(8)
    expect(colours).not.toContain(PRACTICE_COLOUR)
  })

  test('can be changed in part; the rest, including its secrets, is kept', async () => {
    const { accounts, open } = office()
    const { id } = await accounts.add(service())
    await accounts.update(id, { name: ' Branch ', jsonByQuery: true, folders: ['InBox'] })
    expect(open().get(id)).toMatchObject({ name: 'Branch', jsonByQuery: true, folders: ['InBox'], scheme: 'api-key' })
    expect(await open().credentialsOf(id)).toEqual(API_KEY)
    await accounts.update(id, {
      authentication: { scheme: 'bearer', token: 'new' },
      baseUrl: 'https://other.example.com'
    })
    expect(open().get(id)).toMatchObject({
      scheme: 'bearer',
      baseUrl: 'https://other.example.com',
      folders: ['InBox'],
      // Was learned of the other service.
      jsonByQuery: false
    })
    expect(await open().credentialsOf(id)).toEqual({ scheme: 'bearer', token: 'new' })
  })

  test('has a unique name, however it is spelled, and can keep its own', async () => {
    const { accounts } = office()
    const { id } = await accounts.add(service({ name: 'Harbour Law' }))
    const nameTaken = {
      code: 'invalid',
      fields: [{ field: 'name', message: expect.stringContaining('Another account') }]
    }
    expect(await failureOf(() => accounts.add(service({ name: ' harbour LAW ' })))).toMatchObject(nameTaken)
    const other = await accounts.add(service({ name: 'Harbour Law 2' }))
    expect(await failureOf(() => accounts.update(other.id, { name: 'HARBOUR LAW' }))).toMatchObject(nameTaken)
    expect(await accounts.update(id, { name: 'HARBOUR LAW' })).toMatchObject({ name: 'HARBOUR LAW' })
    expect(accounts.list().map(({ name }) => name)).toEqual(['HARBOUR LAW', 'Harbour Law 2'])
  })

  test('doesn’t get a name that another took while the keychain was being written', async () => {
    const keychain = slowKeychain()
    const { accounts, db } = office(keychain)
    const { id } = await accounts.add(service())
    const other = await accounts.add(service({ name: 'The other' }))
    keychain.during('set', () => db.prepare('UPDATE accounts SET name = ? WHERE id = ?').run('Harbour', other.id))
    expect(
      await failureOf(() => accounts.update(id, { name: 'harbour', authentication: { ...API_KEY, key: 'key-2' } }))
    ).toMatchObject({
      code: 'invalid',
      fields: [{ field: 'name' }]
    })
    expect(await accounts.credentialsOf(id)).toEqual(API_KEY)
  })

  test('has a spelling of the identity data type, set when it is added or later', async () => {
    const { accounts, open } = office()
    const { id } = await accounts.add(service({ dataTypeSpelling: 'upper' }))
    expect(open().get(id).dataTypeSpelling).toBe('upper')
    await accounts.update(id, { name: 'Branch' })
    expect(open().get(id).dataTypeSpelling).toBe('upper')
    await accounts.update(id, { dataTypeSpelling: 'lower' })
    expect(open().get(id).dataTypeSpelling).toBe('lower')
  })

  test('that no longer needs secrets keeps none', async () => {
    const { accounts, keychain } = office()
    const { id } = await accounts.add(service())
    await accounts.update(id, { authentication: { scheme: 'none' } })
    expect(await keychain.accounts.get(id)).toBeNull()
    expect(await accounts.credentialsOf(id)).toEqual({ scheme: 'none' })
  })
})

describe('while a package’s arrival is uncertain', () => {
  const bearer = { scheme: 'bearer', token: 'abc.def' } as const

  async function unsettledOffice(
    state: 'sending' | 'uncertain' = 'uncertain',
    authentication: CredentialsInput = API_KEY
  ) {
    const parts = office()
    const { id } = await parts.accounts.add(service({ authentication }))
    addSend(parts.db, id, state)
    return { ...parts, id }
  }

  test.each([
    ['sending', 'another address', { baseUrl: 'https://other.example.com' }],
    ['uncertain', 'another address', { baseUrl: 'https://other.example.com' }],
    ['uncertain', 'another key', { authentication: { ...API_KEY, key: 'key-2' } }],
    ['uncertain', 'another sender', { authentication: { ...API_KEY, sender: 'tama@example.com' } }],
    ['sending', 'another sign-in method', { authentication: bearer }],
    ['uncertain', 'no sign-in', { authentication: { scheme: 'none' } }]
  ] as const)('(%s) its service can’t be replaced: %s is refused', async (state, _, changes) => {
    const { accounts, id } = await unsettledOffice(state)
    const before = accounts.get(id)
    const failure = await failureOf(() => accounts.update(id, { name: 'Branch', ...changes }))
    expect(failure).toMatchObject({ code: 'busy', message: expect.stringContaining('Outbox') })
    expect(accounts.get(id)).toEqual(before)
    expect(await accounts.credentialsOf(id)).toEqual(API_KEY)
  })

  test('its name, mark, colour and folders can be changed, and its address entered again unchanged', async () => {
    const { accounts, id } = await unsettledOffice()
    const changes = { name: 'Branch', folders: ['InBox'], baseUrl: 'https://sign.example.com/web/v1.4/' }
    expect(await accounts.update(id, changes)).toMatchObject({ name: 'Branch', folders: ['InBox'] })
    expect(accounts.mark(id, { mark: 'B', colour: '#5f6b7a' })).toMatchObject({ mark: 'B', colour: '#5f6b7a' })
  })

  test('changing other members of its credentials keeps the key, but a different sender is refused', async () => {
    const { accounts, id } = await unsettledOffice()
    await accounts.update(id, { authentication: { scheme: 'api-key', referer: 'https://office.example.com/new' } })
    expect(await accounts.credentialsOf(id)).toEqual({ ...API_KEY, referer: 'https://office.example.com/new' })
    const sender = { scheme: 'api-key', sender: 'tama@example.com' } as const
    expect(await failureOf(() => accounts.update(id, { authentication: sender }))).toMatchObject({ code: 'busy' })
  })

  test('its key can get a new secret', async () => {
    const { accounts, id } = await unsettledOffice()
    await accounts.update(id, { authentication: { ...API_KEY, secret: 'renewed' } })
    expect(await accounts.credentialsOf(id)).toMatchObject({ key: 'key-1', secret: 'renewed' })
  })

  test('its credentials can be entered again if the keychain lost them', async () => {
    const { accounts, keychain, id } = await unsettledOffice()
    await keychain.accounts.delete(id)
    await accounts.update(id, { authentication: { ...API_KEY, key: 'key-2' } })
    expect(await accounts.credentialsOf(id)).toMatchObject({ key: 'key-2' })
    const otherAddress = { authentication: API_KEY, baseUrl: 'https://other.example.com' }
    expect(await failureOf(() => accounts.update(id, otherAddress))).toMatchObject({ code: 'busy' })
  })

  test('a token rejected by the service can be replaced, as nothing can be looked up with it', async () => {
    const { accounts, id } = await unsettledOffice('uncertain', bearer)
    const changes = { authentication: { scheme: 'bearer', token: 'new' } } as const
    expect(await failureOf(() => accounts.update(id, changes))).toMatchObject({ code: 'busy' })
    await accounts.update(id, changes, 'refused')
    expect(await accounts.credentialsOf(id)).toMatchObject({ token: 'new' })
  })

  test('a package sent while the keychain is being written keeps its account’s service', async () => {
    const keychain = slowKeychain()
    const { accounts, db } = office(keychain)
    const { id } = await accounts.add(service())
    const updated = failureOf(async () => {
      keychain.during('set', () => addSend(db, id, 'sending'))
      await accounts.update(id, { authentication: { ...API_KEY, key: 'key-2' }, baseUrl: 'https://other.example.com' })
    })
    expect(await updated).toMatchObject({ code: 'busy' })
    expect(accounts.get(id).baseUrl).toBe('https://sign.example.com/web/v1.4')
    expect(await accounts.credentialsOf(id)).toEqual(API_KEY)
  })
})

test('a package sent while a policy is being applied keeps its account’s service', async () => {
  const keychain = slowKeychain()
  const { accounts, db } = office(keychain)
  const { id, name } = await accounts.add(service())
  keychain.during('delete', () => addSend(db, id, 'sending'))
  const managed = accounts.manage({ name, baseUrl: 'https://other.example.com', scheme: 'bearer' })
  expect(await failureOf(() => managed)).toMatchObject({ code: 'busy' })
  expect(accounts.get(id)).toMatchObject({ baseUrl: 'https://sign.example.com/web/v1.4', scheme: 'api-key' })
  expect(await accounts.credentialsOf(id)).toEqual(API_KEY)
})

test('a secret entered while a policy changes the account’s sign-in is kept', async () => {
  const keychain = slowKeychain()
  const { accounts } = office(keychain)
  const { id, name } = await accounts.add(service())
  let managing: Promise<void> | undefined
  keychain.during('set', () => {
    managing = accounts.manage({ name, baseUrl: 'https://sign.example.com/web/v1.4', scheme: 'bearer' })
  })
  await accounts.update(id, { authentication: { scheme: 'bearer', token: 'new' } })
  await managing
  expect(await accounts.credentialsOf(id)).toEqual({ scheme: 'bearer', token: 'new' })
})

test('an address set by a policy while a person changes the account stays', async () => {
  const keychain = slowKeychain()
  const { accounts } = office(keychain)
  const { id, name, baseUrl } = await accounts.add(service())
  keychain.during('set', () => void accounts.manage({ name, baseUrl: 'https://other.example.com', scheme: 'api-key' }))
  await accounts.update(id, { baseUrl: baseUrl ?? '', authentication: { ...API_KEY, secret: 'new' } })
  expect(accounts.get(id).baseUrl).toBe('https://other.example.com')
  // The secret was meant for the previous address.
  expect(await accounts.secretState(id)).toBe('missing')
})

describe('tokens renewed while a change is refused are kept for the account', () => {
  const authentication = {
    scheme: 'oauth',
    grant: 'code',
    clientId: 'harbour',
    issuer: 'https://login.example.com',
    tokens: { refresh: 'first' }
  } as const
  const renewed = { refresh: 'rotated', access: 'a' }
  const CHANGES: [string, 'set' | 'delete', (accounts: Accounts, account: Account) => Promise<unknown>][] = [
    [
      'of its sign-in',
      'set',
      (accounts, { id }) => accounts.update(id, { authentication: { scheme: 'bearer', token: 'new' } })
    ],
    [
      'by the organisation’s policy',
      'delete',
      (accounts, { name }) => accounts.manage({ name, baseUrl: 'https://other.example.com', scheme: 'bearer' })
    ],
    ['by being removed', 'delete', (accounts, { id }) => accounts.remove(id)]
  ]

  test.each(CHANGES)('%s', async (_what, call, change) => {
    for (const when of ['meanwhile', 'later']) {
      const keychain = slowKeychain()
      const { accounts, db } = office(keychain)
      const account = await accounts.add(service({ authentication }))
      const revision = accounts.credentialsRevision(account.id)
      const renew = () => accounts.storeTokens(account.id, revision, renewed)
      let renewing: Promise<void> | undefined
      keychain.during(call, () => {
        addSend(db, account.id, 'sending')
        if (when === 'meanwhile') renewing = renew()
      })
      expect(await failureOf(() => change(accounts, account))).toMatchObject({ code: 'busy' })
      await (renewing ?? renew())
      expect(await accounts.credentialsOf(account.id)).toMatchObject({
        scheme: 'oauth',
        tokens: { refresh: 'rotated' }
      })
      // Once it is replaced after all, nothing of the earlier sign-in is stored any more.
      await accounts.update(account.id, { authentication }, 'refused')
      expect(accounts.credentialsRevision(account.id)).not.toBe(revision)
      await renew()
      expect(await accounts.credentialsOf(account.id)).toMatchObject({ tokens: { refresh: 'first' } })
    }
  })
})

describe('while changes to documents aren’t settled', () => {
  const otherAddress = { baseUrl: 'https://other.example.com' }
  const otherKey = { authentication: { ...API_KEY, key: 'key-2' } }

  async function actingOffice(state: string) {
    const parts = office()
    const { id } = await parts.accounts.add(service())
    addAction(parts.db, id, state)
    return { ...parts, id }
  }

  test.each([
    ['waiting', 'another address', otherAddress],
    ['running', 'another address', otherAddress],
    ['uncertain', 'another address', otherAddress],
    ['running', 'another key', otherKey],
    ['uncertain', 'another key', otherKey]
  ])('(%s) %s is refused', async (state, _, changes) => {
    const { accounts, id } = await actingOffice(state)
    const before = accounts.get(id)
    const failure = await failureOf(() => accounts.update(id, { name: 'Branch', ...changes }))
    expect(failure).toMatchObject({ code: 'busy', message: expect.stringContaining('Activity') })
    expect(accounts.get(id)).toEqual(before)
    expect(await accounts.credentialsOf(id)).toEqual(API_KEY)
  })

  test('waiting ones may be sent with another key, and finished ones block nothing', async () => {
    const waiting = await actingOffice('waiting')
    await waiting.accounts.update(waiting.id, otherKey)
    expect(await waiting.accounts.credentialsOf(waiting.id)).toMatchObject({ key: 'key-2' })
    const { accounts, id } = await actingOffice('refused')
    await accounts.update(id, { ...otherAddress, ...otherKey })
    expect(accounts.get(id).baseUrl).toBe(otherAddress.baseUrl)
  })

  test('one sent while the keychain is being written keeps its account’s service', async () => {
    const keychain = slowKeychain()
    const { accounts, db } = office(keychain)
    const { id } = await accounts.add(service())
    keychain.during('set', () => addAction(db, id, 'running'))
    expect(await failureOf(() => accounts.update(id, otherKey))).toMatchObject({ code: 'busy' })
    expect(await accounts.credentialsOf(id)).toEqual(API_KEY)
  })
})

describe('a refusal names its field and doesn’t repeat a secret', () => {
  test.each([
    ['name', { name: '  ' }],
    ['baseUrl', { baseUrl: 'http://sign.example.com' }],
    ['baseUrl', { baseUrl: 'https://sign.example.com/?key=planted' }],
    ['authentication.key', { authentication: { ...API_KEY, key: 'planted\r\nX-Header: 1' } }],
    ['authentication.secret', { authentication: { ...API_KEY, secret: '' } }],
    ['authentication.referer', { authentication: { ...API_KEY, referer: 'planted' } }],
    ['authentication.sender', { authentication: { ...API_KEY, sender: 'planted one, two' } }],
    ['authentication.token', { authentication: { scheme: 'bearer', token: 'planted token' } }],
    [
      'authentication.apiKey.referer',
      { authentication: { scheme: 'bearer', token: 't', apiKey: { key: 'k', secret: 's', referer: 'planted' } } }
    ],
    ['authentication.user', { authentication: { scheme: 'basic', user: 'planted:user', password: 'p' } }],
    ['authentication.password', { authentication: { scheme: 'basic', user: 'u', password: 'planted\n' } }],
    [
      'authentication.headers.0.value',
      { authentication: { scheme: 'headers', headers: [{ name: 'X-Key', value: 'planted\r\nX: 1' }] } }
    ],
    [
      'authentication.headers.0.name',
      { authentication: { scheme: 'headers', headers: [{ name: 'X-Key: planted', value: 'v' }] } }
    ],
    [
      'authentication.headers.0.name',
      { authentication: { scheme: 'headers', headers: [{ name: 'Host', value: 'planted' }] } }
    ],
    [
      'authentication.headers.0.name',
      { authentication: { scheme: 'headers', headers: [{ name: 'proxy-authorization', value: 'planted' }] } }
    ],
    [
      'authentication.headers',
      {
        authentication: {
          scheme: 'headers',
          headers: [
            { name: 'X-Key', value: 'a' },
            { name: 'x-key', value: 'planted' }
          ]
        }
      }
    ]
  ] as const)('%s', async (field, parts) => {
    const { accounts, keychain } = office()
    const failure = await failureOf(() => accounts.add(service(parts)))
    expect(failure).toMatchObject({ code: 'invalid', fields: [{ field }] })
    expect(JSON.stringify(failure)).not.toContain('planted')
    expect(accounts.list()).toEqual([])
    expect(keychain.keeps).toBe('in-memory')
  })

  test('an unknown account', async () => {
    const { accounts } = office()
    for (const call of [
      () => accounts.get('x'),
      () => accounts.choose('x'),
      () => accounts.update('x', {}),
      () => accounts.remove('x'),
      () => accounts.credentialsOf('x')
    ]) {
      expect(await failureOf(call)).toMatchObject({ code: 'no-account' })
    }
  })
})

describe('the chosen account', () => {
  test('is the first one, or the one that was chosen, in the next run too', async () => {
    const { accounts, open } = office()
    expect(accounts.chosen()).toBeUndefined()
    const first = await accounts.add(service())
    const second = await accounts.add(service({ name: 'Second' }))
    expect(accounts.chosen()?.id).toBe(first.id)
    accounts.choose(second.id)
    expect(open().chosen()?.id).toBe(second.id)
  })

  test('changes to another when removed, until there is none', async () => {
    const { accounts } = office()
    const first = await accounts.add(service())
    const second = await accounts.add(service({ name: 'The other' }))
    await accounts.remove(first.id)
    expect(accounts.chosen()?.id).toBe(second.id)
    await accounts.remove(second.id)
    expect(accounts.chosen()).toBeUndefined()
    const third = await accounts.add(service())
    expect(accounts.chosen()?.id).toBe(third.id)
  })
})

describe('removing an account', () => {
  const counted = ['accounts', 'drafts', 'sends', 'document_views', 'downloads', 'drop_folders', 'actions']

  async function busyOffice() {
    const parts = office()
    const [one, other] = [await parts.accounts.add(service()), await parts.accounts.add(service({ name: 'The other' }))]
    for (const { id } of [one, other]) {
      parts.db.exec(`
        INSERT INTO drafts (id, account_id, kind, title, body, created_at, updated_at)
          VALUES ('d${id}', '${id}', 'form-direct', 'T', '{}', 0, 0);
        INSERT INTO sends (id, account_id, kind, state, title, created_at)
          VALUES ('s${id}', '${id}', 'form-direct', 'sent', 'T', 0);
        INSERT INTO drop_folders (id, account_id, place, created_at) VALUES ('h${id}', '${id}', '/h/${id}', 0);
        INSERT INTO actions (id, account_id, kind, reference, document_name, target, request, before, state, created_at)
          VALUES ('a${id}', '${id}', 'remind', 'r', 'D', 't', '{}', '{}', 'done', 0);
        INSERT INTO document_views (id, account_id, name, query, position) VALUES ('v${id}', '${id}', 'V', '{}', 0);
        INSERT OR IGNORE INTO download_folders (id, path) VALUES ('f', '/f');
        INSERT INTO downloads (id, account_id, document_reference, name, type, folder_id, pattern, writes_index, state,
            queued_at)
          VALUES ('l${id}', '${id}', 'r', 'n', 'pdf', 'f', '{document}', 0, 'done', 0);
        INSERT INTO meta VALUES ('fetched:${id}:recipients', 'Ana Example')`)
    }
    return { ...parts, one, other }
  }

  test('removes its secret and everything stored for it, and nothing of another account', async () => {
    const { accounts, db, keychain, one, other } = await busyOffice()
    await accounts.remove(one.id)
    expect(accounts.list().map(({ id }) => id)).toEqual([other.id])
    expect(await keychain.accounts.get(one.id)).toBeNull()
    expect(await keychain.accounts.get(other.id)).not.toBeNull()
    for (const table of counted) expect(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()).toBe(1)
    expect(db.prepare(`SELECT key FROM meta WHERE key LIKE 'fetched:%'`).pluck().all()).toEqual([
      `fetched:${other.id}:recipients`
    ])
  })

  test.each(['ready', 'sending', 'uncertain'])('is refused while a send is %s, and nothing is lost', async (state) => {
    const { accounts, db, one } = await busyOffice()
    db.exec(`UPDATE sends SET state = '${state}'`)
    expect(await failureOf(() => accounts.remove(one.id))).toMatchObject({ code: 'busy' })
    for (const table of counted) expect(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()).toBe(2)
    expect(await accounts.credentialsOf(one.id)).toEqual(API_KEY)
  })

  test.each(['waiting', 'running', 'uncertain'])('is refused while a change to a document is %s', async (state) => {
    const { accounts, db, one } = await busyOffice()
    db.exec(`UPDATE actions SET state = '${state}'`)
    expect(await failureOf(() => accounts.remove(one.id))).toMatchObject({ code: 'busy' })
    for (const table of counted) expect(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()).toBe(2)
  })

  test('is refused if Send is pressed while the keychain is being written, and nothing is lost', async () => {
    const keychain = slowKeychain()
    const { accounts, db } = office(keychain)
    const { id } = await accounts.add(service())
    keychain.during('delete', () => addSend(db, id, 'ready'))
    expect(await failureOf(() => accounts.remove(id))).toMatchObject({ code: 'busy' })
    expect(db.prepare('SELECT state FROM sends').pluck().all()).toEqual(['ready'])
    expect(await accounts.credentialsOf(id)).toEqual(API_KEY)
  })

  test('doesn’t happen at all while the keychain is locked', async () => {
    const keychain = shuttableKeychain()
    const { accounts } = office(keychain)
    const { id } = await accounts.add(service())
    keychain.state.shut = true
    await expect(accounts.remove(id)).rejects.toMatchObject({ name: 'KeychainError', code: 'locked' })
    expect(accounts.get(id).name).toBe('Office')
  })
})

describe('with a locked keychain', () => {
  test('no account is added without its secret', async () => {
    const keychain = shuttableKeychain()
    const { accounts } = office(keychain)
    keychain.state.shut = true
    await expect(accounts.add(service())).rejects.toMatchObject({ code: 'locked' })
    expect(accounts.list()).toEqual([])
    expect(accounts.chosen()).toBeUndefined()
  })

  test('a secret isn’t reported as missing', async () => {
    const keychain = shuttableKeychain()
    const { accounts } = office(keychain)
    const { id } = await accounts.add(service())
    expect(await accounts.secretState(id)).toBe('kept')
    keychain.state.shut = true
    expect(await accounts.secretState(id)).toBe('unknown')
    await expect(accounts.credentialsOf(id)).rejects.toMatchObject({ code: 'locked' })
  })
})

test.each([
  ['is gone', (keychain: Keychain, id: string) => keychain.accounts.delete(id)],
  ['is damaged', (keychain: Keychain, id: string) => keychain.accounts.set(id, '{"scheme":"api-key"')],
  ['has another shape', (keychain: Keychain, id: string) => keychain.accounts.set(id, '{"scheme":"other"}')]
])('a secret that %s has to be entered again', async (_, spoil) => {
  const { accounts, keychain } = office()
  const { id } = await accounts.add(service())
  await spoil(keychain, id)
  expect(await accounts.secretState(id)).toBe('missing')
  const failure = await failureOf(() => accounts.credentialsOf(id))
  const message = 'This account’s API key isn’t on this computer.'
  expect(failure).toMatchObject({ code: 'keychain', message, next: 'Enter it in Settings.' })
  await accounts.update(id, { authentication: API_KEY })
  expect(await accounts.credentialsOf(id)).toEqual(API_KEY)
})

describe('the practice office', () => {
  const running = { baseUrl: 'http://127.0.0.1:40123/web/v1.4', credentials: API_KEY }

  test('has its address and credentials only while its service runs, and none of them is stored', async () => {
    const { accounts, keychain, db } = office()
    const { id } = await accounts.add({ kind: 'practice', name: 'Practice' })
    expect(accounts.get(id)).toMatchObject({ baseUrl: null, scheme: 'none' })
    expect(await failureOf(() => accounts.credentialsOf(id))).toMatchObject({ code: 'refused' })
    accounts.setPracticeService(running)
    expect(accounts.get(id)).toMatchObject({ baseUrl: running.baseUrl, scheme: 'api-key' })
    expect(await accounts.credentialsOf(id)).toEqual(API_KEY)
    expect(await accounts.secretState(id)).toBe('kept')
    await accounts.update(id, { name: 'Training' })
    expect(await keychain.accounts.get(id)).toBeNull()
    expect(db.prepare('SELECT base_url, auth_scheme FROM accounts').get()).toEqual({
      base_url: null,
      auth_scheme: 'none'
    })
    accounts.setPracticeService(undefined)
    expect(accounts.get(id)).toMatchObject({ name: 'Training', baseUrl: null })
  })

  test('can’t be pointed at a real service', async () => {
    const { accounts } = office()
    const { id } = await accounts.add({ kind: 'practice', name: 'Practice' })
    const failure = await failureOf(() => accounts.update(id, { baseUrl: 'https://sign.example.com' }))
    expect(failure).toMatchObject({ code: 'invalid' })
  })
})

test('with a database in memory, no secret goes to the operating system’s keychain', async () => {
  const keychain: Keychain = { ...memoryKeychain(), keeps: 'in-os' }
  const db = connectInMemory()
  onTestFinished(() => void db.close())
  await accountSecretsFor({ db, state: 'memory', because: 'no-space', hasData: true }, keychain).set('a', 'secret')
  expect(await keychain.accounts.get('a')).toBeNull()
  await accountSecretsFor({ db, state: 'encrypted' }, keychain).set('a', 'secret')
  expect(await keychain.accounts.get('a')).toBe('secret')
})

describe('telling accounts apart', () => {
  const named = async (...names: string[]) => {
    const { accounts } = office()
    const ids: string[] = []
    for (const name of names) ids.push((await accounts.add(service({ name }))).id)
    return { accounts, ids, marks: () => ids.map((id) => accounts.marks().get(id)) }
  }

  test('no two have the same mark, even if their names begin alike', async () => {
    const { marks } = await named('Harbour & Co.', 'Hill Crest', 'Herbert Cross', 'ßeta', '…', 'H', 'Hh')
    const [first, second, third, ...others] = marks()
    expect([first, second, third]).toEqual(['HC', 'HI', 'HE'])
    expect(new Set(marks()).size).toBe(others.length + 3)
    for (const mark of marks()) expect(mark).toMatch(/^.{1,2}$/u)
  })

  test('a mark chosen by a person is unique, and another account gets other letters of its name', async () => {
    const { accounts, ids, marks } = await named('Harbour & Co.', 'Branch')
    const [harbour = '', branch = ''] = ids
    accounts.mark(branch, { mark: 'hc' })
    expect(marks()).toEqual(['HA', 'hc'])
    const failure = await failureOf(async () => accounts.mark(harbour, { mark: 'HC' }))
    expect(failure).toMatchObject({ code: 'invalid', fields: [{ field: 'mark' }] })
    expect(accounts.get(harbour).mark).toBe('')
    accounts.mark(branch, { mark: '' })
    expect(marks()).toEqual(['HC', 'B'])
  })

  test('the practice office keeps its colour, but can get another mark', async () => {
    const { accounts } = office()
    const { id } = await accounts.add({ kind: 'practice', name: 'Practice office' })
    expect(await failureOf(async () => accounts.mark(id, { colour: '#5f6b7a' }))).toMatchObject({ code: 'invalid' })
    expect(accounts.mark(id, { mark: 'X' })).toMatchObject({ mark: 'X', colour: PRACTICE_COLOUR })
  })

  test('they keep the order in which a person arranged them, also after a restart', async () => {
    const { accounts, open } = office()
    const ids: string[] = []
    for (const name of ['One', 'Two', 'Three']) ids.push((await accounts.add(service({ name }))).id)
    const [one = '', two = '', three = ''] = ids
    accounts.reorder([three, 'gone', three, one])
    expect(accounts.list().map(({ name }) => name)).toEqual(['Three', 'One', 'Two'])
    const { id: four } = await accounts.add(service({ name: 'Four' }))
    expect(
      open()
        .list()
        .map(({ id }) => id)
    ).toEqual([three, one, two, four])
  })
})

test('accounts of one user are those with the same address and key, whatever its secret', async () => {
  const { accounts } = office()
  const add = async (name: string, parts: Partial<ServiceInput> = {}) =>
    (await accounts.add(service({ name, ...parts }))).id
  const first = await add('One')
  const second = await add('Two', { authentication: { ...API_KEY, secret: 'another secret' } })
  await add('Three', { authentication: { ...API_KEY, key: 'key-2' } })
  const elsewhere = await add('Four', { baseUrl: 'https://elsewhere.example.com/web/v1.4/' })
  expect(await accounts.idsOfSameUser(first)).toEqual([first, second])
  expect(await accounts.idsOfSameUser(elsewhere)).toEqual([elsewhere])
})
