/** Trying accounts at real services: what is stored, which service sees which secret, and how failures are reported. */
import { randomUUID } from 'node:crypto'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openAccounts } from '../../src/main/core/accounts/accounts.ts'
import { openClients } from '../../src/main/core/accounts/clients.ts'
import type { CredentialsInput } from '../../src/main/core/accounts/credentials.ts'
import { openServiceFacts } from '../../src/main/core/accounts/service-facts.ts'
import { asAppError } from '../../src/main/core/errors/app-error.ts'
import { withConnectingMessages } from '../../src/main/core/errors/connecting.ts'
import { systemTime } from '../../src/main/core/lib/time.ts'
import { type ReadCertificate, readCertificate } from '../../src/main/core/service/certificate.ts'
import { ServiceError } from '../../src/main/core/service/errors.ts'
import { connectInMemory } from '../../src/main/core/storage/connection.ts'
import { memoryKeychain } from '../../src/main/core/storage/keychain.ts'
import { migrate } from '../../src/main/core/storage/migrations.ts'
import { activeDocuments } from '../fixtures/active-documents.ts'
import { aCertificate } from './certificates.ts'
import { aKey, errorOf } from './client-factory.ts'
import { body, json, nobody, serve, serveBytes, serveSelfSigned } from './hand-written-service.ts'
import { anOffice } from './practice-office.ts'
import { aFormDirectRequest } from './sample-requests.ts'

function opened(certificateReader?: ReadCertificate, request: typeof fetch = fetch) {
  const db = connectInMemory()
  onTestFinished(() => void db.close())
  migrate(db)
  const keychain = memoryKeychain()
  const accounts = openAccounts({ db, secrets: keychain.accounts, newId: randomUUID, time: systemTime })
  const facts = openServiceFacts({ db, time: systemTime, changed: () => undefined })
  const clients = openClients({
    accounts,
    facts,
    fetch: request,
    time: systemTime,
    ...(certificateReader && { lookAtCertificate: certificateReader })
  })
  const tried = (baseUrl: string, authentication: CredentialsInput = { scheme: 'none' }) =>
    withConnectingMessages(clients.test({ baseUrl, authentication })).catch(asAppError)
  const account = async (baseUrl: string) =>
    (
      await accounts.add({
        kind: 'service',
        name: 'Office',
        baseUrl,
        authentication: { scheme: 'bearer', token: 'kept-1' }
      })
    ).id
  return { accounts, clients, keychain, tried, account }
}

test('trying a working service reports the number of documents and stores nothing', async () => {
  const { office } = await anOffice()
  const { accounts, tried } = opened()
  expect(await tried(office.url)).toEqual({ documents: expect.any(Number), missing: [] })
  expect(accounts.list()).toEqual([])
})

describe('changing an account', () => {
  test('keeps the working token if the new one doesn’t work', async () => {
    const service = await serve((request, response) => {
      const isKnown = request.headers.authorization === 'Bearer kept-1'
      json(isKnown ? [] : {}, isKnown ? 200 : 401)(request, response, undefined as never)
    })
    const { accounts, clients, account } = opened()
    const id = await account(service.url)
    const typed = { id, baseUrl: service.url, authentication: { scheme: 'bearer', token: 'typed-2' } } as const
    expect(await withConnectingMessages(clients.test(typed)).catch(asAppError)).toMatchObject({ code: 'unauthorised' })
    expect(await accounts.credentialsOf(id)).toEqual({ scheme: 'bearer', token: 'kept-1' })
    expect(await clients.test({ id, baseUrl: service.url })).toEqual({ documents: 0, missing: [] })
  })

  test('never shows the stored token to another origin, when tried or saved', async () => {
    const first = await serve(json([]))
    const second = await serve(json([]))
    const { accounts, clients, account } = opened()
    const id = await account(first.url)
    expect(asAppError(await clients.test({ id, baseUrl: second.url }).catch((error) => error))).toMatchObject({
      code: 'invalid'
    })
    expect(asAppError(await accounts.update(id, { baseUrl: second.url }).catch((error) => error))).toMatchObject({
      code: 'invalid',
      fields: [{ field: 'authentication' }]
    })
    expect(second.requests).toEqual([])
    expect(accounts.get(id).baseUrl).toBe(first.url)
    // A different path is still the same service.
    await accounts.update(id, { baseUrl: `${first.url}/web/v1.4` })
    expect(await accounts.credentialsOf(id)).toEqual({ scheme: 'bearer', token: 'kept-1' })
  })

  test('never shows the stored key to another origin, even if most of it was typed again', async () => {
    const first = await serve(json([]))
    const second = await serve(json([]))
    const { accounts, clients, account } = opened()
    const id = await account(first.url)
    const key = { scheme: 'api-key', key: 'key-1', secret: 'made-up', referer: 'https://office.example.com/' } as const
    const typed = { scheme: 'api-key', referer: 'https://office.example.com/new' } as const
    // There is no stored key yet, and a new one needs all its members.
    for (const authentication of [typed, { ...typed, key: 'key-1' }]) {
      expect(asAppError(await accounts.update(id, { authentication }).catch((error) => error))).toMatchObject({
        code: 'invalid'
      })
    }
    await accounts.update(id, { authentication: key })
    for (const call of [
      () => clients.test({ id, baseUrl: second.url, authentication: typed }),
      () => clients.test({ baseUrl: second.url, authentication: typed }),
      () => accounts.update(id, { baseUrl: second.url, authentication: typed })
    ]) {
      expect(asAppError(await call().catch((error: unknown) => error))).toMatchObject({ code: 'invalid' })
    }
    expect(second.requests).toEqual([])
    expect(await accounts.credentialsOf(id)).toEqual(key)
    await clients.test({ id, baseUrl: first.url, authentication: typed })
    expect(first.requests.at(-1)?.headers.referer).toBe(typed.referer)
    expect(await accounts.credentialsOf(id)).toEqual(key)
  })

  test('requires no credentials if the account has none, at any origin', async () => {
    const first = await serve(json([]))
    const second = await serve(json([]))
    const { accounts, clients, account } = opened()
    const id = await account(first.url)
    await accounts.update(id, { authentication: { scheme: 'none' } })
    expect(await clients.test({ id, baseUrl: second.url })).toMatchObject({ missing: [] })
    expect(second.requests.length).toBeGreaterThan(0)
  })

  test('leaves nothing of the old secret for another origin', async () => {
    const first = await serve(json([]))
    const second = await serve(json([]))
    const { accounts, clients, keychain, account } = opened()
    const id = await account(first.url)
    await accounts.update(id, { baseUrl: second.url, authentication: { scheme: 'none' } })
    clients.forget(id)
    await activeDocuments(await clients.of(id), 'InBox')
    expect(await keychain.accounts.get(id)).toBeNull()
    expect(second.requests.map(({ headers }) => headers.authorization)).toEqual([undefined])
  })
})

test.each([600, -600, 0])('the clock of a service %i seconds ahead is known from its answers', async (clockAhead) => {
  const { office } = await anOffice({ conditions: { clockAhead } }, 'bearer')
  const { accounts, clients } = opened()
  const authentication = { scheme: 'bearer', token: 'tok-practice-1' } as const
  const { id } = await accounts.add({ kind: 'service', name: 'Office', baseUrl: office.url, authentication })
  expect(clients.clockAhead(id)).toBeUndefined()
  await (await clients.of(id)).getTemplateList()
  expect(Math.round((clients.clockAhead(id) ?? 0) / 60_000)).toBe(-clockAhead / 60 || 0)
})

describe('problems while connecting are explained', () => {
  test('rejected credentials are named as they were typed', async () => {
    const { url } = await serve(json({}, 401))
    const { clients } = opened()
    const saidOf = async (authentication: CredentialsInput) =>
      asAppError(
        await withConnectingMessages(clients.test({ baseUrl: url, authentication }), authentication.scheme).catch(
          (error) => error
        )
      )
    const key = { scheme: 'api-key', key: 'key-1', secret: 'made-up', referer: 'https://office.example.com/' } as const
    expect((await saidOf(key)).message).toMatch(/API key, the secret or the access URL/)
    expect((await saidOf({ scheme: 'bearer', token: 'typed' })).message).toMatch(/didn’t accept the token/)
    expect((await saidOf({ scheme: 'basic', user: 'u', password: 'p' })).message).toMatch(/user name or the password/)
    const headers = [{ name: 'X-Key', value: 'v' }]
    expect((await saidOf({ scheme: 'headers', headers })).message).toMatch(/didn’t accept the headers/)
    expect((await saidOf({ scheme: 'none' })).message).toMatch(/asks for a key or token/)
  })

  test.each([
    ['the wrong path', json({}, 404), /no document folders.*path/, 'not-found'],
    ['a service under maintenance', body('<h1>Back soon</h1>', 503), /temporarily unavailable/, 'server'],
    [
      'the page of a guest network',
      body('<!doctype html><form>', 200, { 'content-type': 'text/html' }),
      /opens a web page/,
      'not-json'
    ],
    ['another service', json({ hello: 'you' }), /isn’t a signing service/, 'unexpected-shape'],
    ['a key without permission', json({}, 403), /doesn’t let it read/, 'forbidden']
  ])('%s', async (_what, answering, words, code) => {
    const { url } = await serve(answering)
    const error = await opened().tried(url)
    expect(error).toMatchObject({ code, message: expect.stringMatching(words) })
    expect(error).not.toHaveProperty('mayHaveArrived')
    expect(JSON.stringify(error)).not.toMatch(/retention|Send nothing|removed/)
  })

  describe('a certificate', () => {
    const year = (from: number, to: number) => ({
      from: new Date(Date.UTC(from, 4, 3)),
      to: new Date(Date.UTC(to, 4, 3))
    })
    /** Returns what is reported about a server that shows this certificate, and the requests it got. */
    async function shown(options: Parameters<typeof aCertificate>[0], trust: 'trusted' | 'unknown') {
      const certificate = aCertificate(options)
      if (trust === 'trusted') {
        const before = getCACertificates()
        setDefaultCACertificates([...before, certificate.cert])
        onTestFinished(() => setDefaultCACertificates(before))
      }
      const { url, requests } = await serveSelfSigned(json([]), certificate)
      const error = await opened().tried(url.replace('127.0.0.1', 'localhost'))
      expect(requests).toEqual([])
      return error
    }

    test.each([
      ['is self-signed', { name: 'localhost' }, 'unknown', /self-signed by “localhost”/],
      [
        'an unknown authority vouches for',
        { name: 'is from an unknown authority', issuer: 'Harbour Network' },
        'unknown',
        /from “Harbour Network”, which this computer doesn’t trust/
      ],
      ['has expired', { name: 'localhost', ...year(2020, 2021) }, 'trusted', /expired on 3 May 2021\./],
      ['isn’t valid yet', { name: 'localhost', ...year(2040, 2041) }, 'trusted', /isn’t valid until 3 May 2040/],
      ['is for another name', { name: 'other.example.com' }, 'trusted', /is for “other\.example\.com”\./],
      [
        'has a name that would read as another sentence',
        { name: 'localhost', issuer: `Trust us\u202e\n${'x'.repeat(300)}` },
        'unknown',
        /“Trust us x{80,95}…”/
      ]
    ] as const)('that %s', async (_what, options, trust, words) => {
      expect(await shown(options, trust)).toMatchObject({ code: 'tls', message: expect.stringMatching(words) })
    })

    test('that can’t be read is reported all the same', async () => {
      const { url } = await serveSelfSigned(json([]))
      const { tried } = opened(async () => undefined)
      expect(await tried(url)).toMatchObject({
        code: 'tls',
        message: expect.stringContaining('an issuer that this computer doesn’t trust')
      })
    })

    test('of the sign-in service is reported as such', async () => {
      const { url } = await serveSelfSigned(json({}), aCertificate({ name: 'localhost' }))
      const service = await serve(json([]))
      const client = { scheme: 'oauth', grant: 'client', clientId: 'office', secret: 'made-up' } as const
      expect(await opened().tried(service.url, { ...client, tokenUrl: `${url}/token` })).toMatchObject({
        code: 'tls',
        message: expect.stringMatching(/sign-in service isn’t secure: its certificate is self-signed by “localhost”/)
      })
    })

    test('is read within a time limit', async () => {
      const { url } = await serveBytes(() => undefined)
      expect(await readCertificate(new URL(url.replace('http', 'https')), 50)).toBeUndefined()
      expect(await readCertificate(new URL((await nobody()).replace('http', 'https')))).toBeUndefined()
    })
  })

  test('an expired token, as the service reports it', async () => {
    const challenge = 'Bearer error="invalid_token", error_description="The access token expired"'
    const { url } = await serve(json({}, 401, { 'www-authenticate': challenge }))
    expect(await opened().tried(url, { scheme: 'bearer', token: 'old' })).toMatchObject({
      code: 'unauthorised',
      message: 'This account’s token has expired.'
    })
  })

  test('a proxy that requires authentication', async () => {
    // Node's fetch never returns a 407; Electron's does.
    const details = {
      code: 'refused',
      operation: 'Document/GetActiveDocuments',
      mayHaveArrived: false,
      status: 407
    } as const
    const error = await withConnectingMessages(Promise.reject(new ServiceError(details))).catch(asAppError)
    expect(error).toMatchObject({ code: 'refused', message: expect.stringContaining('proxy') })
  })

  test('an address whose name isn’t found', async () => {
    // As Node reports it; no DNS server is asked.
    const cause = Object.assign(new Error('getaddrinfo ENOTFOUND sign.exmaple.com'), { code: 'ENOTFOUND' })
    const { accounts, tried } = opened(undefined, () => Promise.reject(new TypeError('fetch failed', { cause })))
    expect(await tried('https://sign.exmaple.com')).toEqual({
      code: 'dns',
      message: 'The signing service’s address can’t be found.',
      next: 'Check the address and your network connection.'
    })
    expect(accounts.list()).toEqual([])
  })

  test('an address where nothing listens', async () => {
    const error = await opened().tried(await nobody())
    expect(error).toMatchObject({ code: 'refused', next: expect.stringMatching(/^Check the address\./) })
  })

  describe.each([
    [600, /is 10 minutes behind the service’s/],
    [-600, /is 10 minutes ahead of the service’s/]
  ])('if the clock of a service is %i seconds ahead', (clockAhead, words) => {
    test.each([
      ['right', aKey.key],
      ['wrong', 'wrong-key']
    ])('a %s key is refused, and the clocks are compared', async (_which, key) => {
      const { office } = await anOffice({ conditions: { clockAhead } }, 'api-key')
      const { accessUrl: referer, secret } = aKey
      expect(await opened().tried(office.url, { scheme: 'api-key', key, secret, referer })).toMatchObject({
        code: 'unauthorised',
        message: expect.stringMatching(words),
        next: expect.stringContaining('date and time')
      })
    })

    test('a package with the right key is refused for its date alone, and doesn’t arrive', async () => {
      const { office, client } = await anOffice({ data: 'empty', conditions: { clockAhead } }, 'api-key')
      const error = await errorOf(client.sendForms2(aFormDirectRequest()))
      expect(error).toMatchObject({ code: 'unauthorised', status: 401, mayHaveArrived: false })
      expect(asAppError(error).message).toMatch(words)
      expect(office.service.state.documents).toEqual({})
    })
  })

  test.each([240, -240])(
    'a right key is accepted if the clock of a service is %i seconds ahead',
    async (clockAhead) => {
      const { office, client } = await anOffice({ data: 'empty', conditions: { clockAhead } }, 'api-key')
      const { accessUrl: referer, key, secret } = aKey
      expect(await opened().tried(office.url, { scheme: 'api-key', key, secret, referer })).toMatchObject({
        missing: []
      })
      await client.sendForms2(aFormDirectRequest())
      expect(Object.keys(office.service.state.documents)).not.toEqual([])
    }
  )

  test('a wrong key at a service whose clock is right is reported as a wrong key', async () => {
    const { office } = await anOffice({}, 'bearer')
    const error = await opened().tried(office.url, { scheme: 'bearer', token: 'wrong' })
    expect(error).toMatchObject({
      code: 'unauthorised',
      message: expect.not.stringContaining('clock'),
      next: expect.not.stringContaining('Settings')
    })
  })
})
