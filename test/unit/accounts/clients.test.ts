/** An account's client calls its service as the account is configured, and sends its secret to no other service. */
import { randomUUID } from 'node:crypto'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openAccounts } from '../../../src/main/core/accounts/accounts.ts'
import { openClients } from '../../../src/main/core/accounts/clients.ts'
import { openServiceFacts } from '../../../src/main/core/accounts/service-facts.ts'
import { systemTime } from '../../../src/main/core/lib/time.ts'
import { connectInMemory } from '../../../src/main/core/storage/connection.ts'
import { type AccountSecrets, memoryKeychain } from '../../../src/main/core/storage/keychain.ts'
import { migrate } from '../../../src/main/core/storage/migrations.ts'
import { json, serve } from '../../contract/hand-written-service.ts'
import { activeDocuments } from '../../fixtures/active-documents.ts'

function opened(secrets: AccountSecrets = memoryKeychain().accounts) {
  const db = connectInMemory()
  onTestFinished(() => void db.close())
  migrate(db)
  /** Starts the application. */
  const start = () => {
    const accounts = openAccounts({ db, secrets, newId: randomUUID, time: systemTime })
    const facts = openServiceFacts({ db, time: systemTime, changed: () => undefined })
    return { accounts, facts, clients: openClients({ accounts, facts, fetch, time: systemTime }) }
  }
  return { db, start, ...start() }
}

test('the identity data type is spelled as the account says, and a change takes effect immediately', async () => {
  const service = await serve(json([{ DocId: '1' }]))
  const { accounts, clients } = opened()
  const { id } = await accounts.add({
    kind: 'service',
    name: 'Office',
    baseUrl: service.url,
    authentication: { scheme: 'none' },
    dataTypeSpelling: 'upper'
  })
  await (await clients.of(id)).getIDVerification('d-1')
  await accounts.update(id, { dataTypeSpelling: 'lower' })
  clients.forget(id)
  await (await clients.of(id)).getIDVerification('d-1')
  expect(service.requests.map(({ url }) => url)).toEqual([
    '/Download/IDVerification/d-1/JSON',
    '/Download/IDVerification/d-1/json'
  ])
})

test.each([402, 426])('a %i marks the known number of remaining documents as outdated', async (status) => {
  const service = await serve((_asked, response) => void response.writeHead(status).end())
  const { accounts, clients, facts } = opened()
  const { id } = await accounts.add({
    kind: 'service',
    name: 'Office',
    baseUrl: service.url,
    authentication: { scheme: 'none' }
  })
  const client = { getAccountInfo: vi.fn(async () => ({ DocumentLeft: 0 })) }
  await facts.limits(id, client)
  await expect(activeDocuments(await clients.of(id), 'InBox')).rejects.toThrow()
  await facts.limits(id, client)
  expect(client.getAccountInfo).toHaveBeenCalledTimes(2)
})

test.each(['after', 'during'] as const)(
  'a clock difference seen before isn’t shown for another service, if the address changes %s the answer',
  async (when) => {
    const behind = new Date(Date.now() - 3_600_000).toUTCString()
    const answered = Promise.withResolvers<void>()
    const moved = Promise.withResolvers<void>()
    const service = await serve(async (_asked, response) => {
      answered.resolve()
      if (when === 'during') await moved.promise
      response.writeHead(200, { 'content-type': 'application/json', date: behind }).end('[]')
    })
    const { accounts, clients } = opened()
    const authentication = { scheme: 'none' } as const
    const { id } = await accounts.add({ kind: 'service', name: 'Office', baseUrl: service.url, authentication })
    const asking = activeDocuments(await clients.of(id), 'InBox')
    await answered.promise
    if (when === 'after') await asking
    if (when === 'after') expect(clients.clockAhead(id)).toBeGreaterThan(3_500_000)
    await accounts.update(id, { baseUrl: 'http://127.0.0.1:9', authentication })
    clients.forget(id)
    moved.resolve()
    await asking
    expect(clients.clockAhead(id)).toBeUndefined()
  }
)

test('a service is asked for JSON in the address only if it needs that itself, not the one before', async () => {
  const inAddressOnly = await serve(({ url }, response) => {
    const type = url.includes('format=json') ? 'application/json' : 'application/xml'
    response.writeHead(200, { 'content-type': type }).end(type === 'application/json' ? '[]' : '<list/>')
  })
  const usual = await serve(({ url }, response) => {
    response.writeHead(url.includes('format') ? 400 : 200, { 'content-type': 'application/json' }).end('[]')
  })
  const { accounts, clients } = opened()
  const authentication = { scheme: 'none' } as const
  const first = { kind: 'service', name: 'Office', baseUrl: inAddressOnly.url, authentication } as const
  const { id } = await accounts.add(first)
  await activeDocuments(await clients.of(id), 'InBox')
  expect(accounts.get(id).jsonByQuery).toBe(true)
  await accounts.update(id, { baseUrl: usual.url, authentication })
  clients.forget(id)
  await activeDocuments(await clients.of(id), 'InBox')
  expect(accounts.get(id).jsonByQuery).toBe(false)
})

describe('while an account’s address changes', () => {
  const bearer = (token: string) => ({ scheme: 'bearer', token }) as const
  const changed = async () => {
    const [first, second] = [await serve(json([])), await serve(json([]))]
    const added = { kind: 'service', name: 'Office', baseUrl: first.url, authentication: bearer('old') } as const
    const change = { baseUrl: second.url, authentication: bearer('new') }
    const shown = () => [first, second].map(({ requests }) => requests.map(({ headers }) => headers.authorization))
    return { added, change, shown }
  }

  test('a failed write to the disk leaves everything as it was', async () => {
    const { added, change, shown } = await changed()
    const { db, accounts, clients } = opened()
    const { id } = await accounts.add(added)
    db.exec(`CREATE TRIGGER full BEFORE UPDATE ON accounts BEGIN SELECT RAISE(ABORT, 'full'); END`)
    await expect(accounts.update(id, change)).rejects.toThrow('full')
    await activeDocuments(await clients.of(id), 'InBox')
    expect(shown()).toEqual([['Bearer old'], []])
  })

  test('quitting midway shows the new secret to no one else', async () => {
    const { added, change, shown } = await changed()
    const { accounts: secrets } = memoryKeychain()
    let isEnding = false
    const { accounts, start } = opened({
      ...secrets,
      set: async (id, secret) => {
        await secrets.set(id, secret)
        if (isEnding) await new Promise(() => undefined)
      }
    })
    const { id } = await accounts.add(added)
    isEnding = true
    void accounts.update(id, change)
    await expect.poll(() => secrets.get(id)).toContain('new')
    const next = start()
    expect(await next.accounts.secretState(id)).toBe('missing')
    await expect(next.clients.of(id)).rejects.toMatchObject({ appError: { code: 'keychain' } })
    expect(shown()).toEqual([[], []])
  })

  test('a caller that waits for the keychain gets the new client, and nothing goes to the old service', async () => {
    const { added, change, shown } = await changed()
    const { accounts: secrets } = memoryKeychain()
    const { promise: opens, resolve: open } = Promise.withResolvers<void>()
    let isShut = false
    const { accounts, clients } = opened({
      ...secrets,
      get: async (id) => {
        if (isShut) await opens
        return secrets.get(id)
      }
    })
    const { id } = await accounts.add(added)
    isShut = true
    const client = clients.of(id)
    isShut = false
    await accounts.update(id, change)
    clients.forget(id)
    open()
    await activeDocuments(await client, 'InBox')
    expect(shown()).toEqual([[], ['Bearer new']])
  })

  test('a client obtained earlier sends nothing, and reports that nothing was sent', async () => {
    const { added, change, shown } = await changed()
    const { accounts, clients } = opened()
    const { id } = await accounts.add(added)
    const client = await clients.of(id)
    await accounts.update(id, { name: 'Another name' })
    await activeDocuments(client, 'InBox')
    await accounts.update(id, change)
    const error = await client.sendReminder({ DocumentReference: 'd', SignerReference: 's' }).catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'refused', mayHaveArrived: false })
    expect(shown()).toEqual([['Bearer old'], []])
  })

  test('credentials stored by an earlier version are used', async () => {
    const { added, shown } = await changed()
    const { accounts: secrets } = memoryKeychain()
    const { accounts, clients } = opened(secrets)
    const { id } = await accounts.add(added)
    await secrets.set(id, JSON.stringify(bearer('old')))
    await activeDocuments(await clients.of(id), 'InBox')
    expect(shown()).toEqual([['Bearer old'], []])
  })
})
