/**
 * OAuth 2 against a sign-in service that verifies requests: real servers, a browser that follows links over real HTTP,
 * and a clock under the test's control.
 */
import { randomUUID } from 'node:crypto'
import { get } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openAccounts } from '../../src/main/core/accounts/accounts.ts'
import { openBrowserSignIn, SIGN_IN_LIMIT, UNUSED_LIMIT } from '../../src/main/core/accounts/browser-sign-in.ts'
import { openClients, REVOCATION_TIMEOUT } from '../../src/main/core/accounts/clients.ts'
import type { CredentialsChange } from '../../src/main/core/accounts/credentials.ts'
import { openServiceFacts } from '../../src/main/core/accounts/service-facts.ts'
import { asAppError } from '../../src/main/core/errors/app-error.ts'
import { systemTime } from '../../src/main/core/lib/time.ts'
import { connectInMemory } from '../../src/main/core/storage/connection.ts'
import { memoryKeychain } from '../../src/main/core/storage/keychain.ts'
import { migrate } from '../../src/main/core/storage/migrations.ts'
import { openPracticeOffice } from '../../src/practice/office.ts'
import { aKey } from './client-factory.ts'
import { type Answering, body, json, nobody, serve } from './hand-written-service.ts'
import { aFormDirectRequest } from './sample-requests.ts'

const HOUR = 3_600_000
type OAuth = Extract<CredentialsChange, { scheme: 'oauth' }>
const byCode = (parts: Partial<OAuth> = {}) =>
  ({ scheme: 'oauth', grant: 'code', clientId: 'office', ...parts }) satisfies OAuth

async function anOAuthOffice(parts: { secret?: string; keepsRefreshToken?: boolean } = {}) {
  const times = { ahead: 0 }
  const clock = { now: () => Date.now() + times.ahead }
  const auth = { scheme: 'oauth', clientId: 'office', ...parts } as const
  const office = await openPracticeOffice({ data: 'empty', auth, clock })
  onTestFinished(() => office.close())
  const { signIn } = office.service
  if (!signIn) throw new Error('This office has no sign-in service.')
  return { url: office.url, service: office.service, signIn, times, close: office.close }
}

/** A person in a browser who presses this button. */
async function pressing(answer: 'allow' | 'deny', address: string): Promise<Response> {
  expect((await fetch(address)).status).toBe(200)
  const pressed = await fetch(address, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ answer }) })
  return fetch(pressed.headers.get('location') ?? '')
}

/** The parts of an office, and a record of the addresses requested. */
function opened(
  browser: (address: string) => Promise<unknown> = (address) => pressing('allow', address),
  network: typeof fetch = fetch
) {
  const db = connectInMemory()
  onTestFinished(() => void db.close())
  migrate(db)
  const keychain = memoryKeychain()
  const state = { ahead: 0, isShut: false }
  const requests: string[] = []
  const counting: typeof fetch = async (...call) => {
    const sent = String(call[1]?.body ?? '')
    requests.push(`${new URL(String(call[0])).pathname} ${new URLSearchParams(sent).get('grant_type') ?? ''}`.trim())
    return network(...call)
  }
  const secrets = {
    ...keychain.accounts,
    set: async (id: string, text: string) => {
      if (state.isShut) throw new Error('The keychain is shut.')
      await keychain.accounts.set(id, text)
    }
  }
  const waiting = new Set<() => void>()
  const time = {
    ...systemTime,
    now: () => Date.now() + state.ahead,
    after(delay: number, task: () => void) {
      if ([SIGN_IN_LIMIT, REVOCATION_TIMEOUT, UNUSED_LIMIT].includes(delay)) waiting.add(task)
      return () => void waiting.delete(task)
    }
  }
  const accounts = openAccounts({ db, secrets, newId: randomUUID, time })
  const facts = openServiceFacts({ db, time, changed: () => undefined })
  const signedOut: string[] = []
  const clients = openClients({ accounts, facts, fetch: counting, time, signedOut: (id) => void signedOut.push(id) })
  const openedAddresses: string[] = []
  const browserSignIn = openBrowserSignIn({
    fetch: counting,
    newId: randomUUID,
    time,
    openInBrowser: async (address) => {
      openedAddresses.push(address)
      void browser(address).catch(() => undefined)
    }
  })
  const add = async (baseUrl: string, typed: OAuth) => {
    const signIn = typed.grant === 'code' ? await browserSignIn.begin(typed) : undefined
    const authentication = browserSignIn.withTokens({ ...typed, signIn }) as OAuth
    return (await accounts.add({ kind: 'service', name: 'Office', baseUrl, authentication })).id
  }
  const storedSecret = async (id: string) => JSON.parse((await keychain.accounts.get(id)) ?? '{}')
  return {
    accounts,
    add,
    requests,
    browserSignIn,
    clients,
    storedSecret,
    openedAddresses,
    signedOut,
    state,
    giveUpWaiting: () => waiting.forEach((task) => void task())
  }
}

const refusalOf = async (call: Promise<unknown>) =>
  asAppError(
    await call.then(
      () => expect.fail('It went well.'),
      (error: unknown) => error
    )
  )

async function bytesOf(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of bytes) pieces.push(piece)
  return Buffer.concat(pieces)
}

describe('signed in with the browser', () => {
  test('the account has access, and the keychain holds only the refresh token', async () => {
    const { url } = await anOAuthOffice()
    const { add, clients, storedSecret, openedAddresses } = opened()
    const id = await add(url, byCode({ issuer: url }))
    await expect((await clients.of(id)).getTemplateList()).resolves.toBeDefined()
    const { tokens, endpoints } = await storedSecret(id)
    expect(Object.keys(tokens)).toEqual(['refresh'])
    expect(endpoints).toMatchObject({ token: `${url}/api/oauth2/token` })
    const parameters = new URL(openedAddresses[0] ?? '').searchParams
    expect(parameters.get('code_challenge_method')).toBe('S256')
    expect(parameters.get('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/signed-in$/)
  })

  test('an expired token is renewed, and the changed refresh token is stored', async () => {
    const { url, signIn } = await anOAuthOffice()
    const { add, clients, storedSecret } = opened()
    const id = await add(url, byCode({ issuer: url }))
    const before = (await storedSecret(id)).tokens.refresh
    const client = await clients.of(id)
    await client.getTemplateList()
    const after = (await storedSecret(id)).tokens.refresh
    expect(after).not.toBe(before)
    signIn.expire()
    await client.getTemplateList()
    expect((await storedSecret(id)).tokens.refresh).not.toBe(after)
  })

  test('a token is renewed shortly before it expires, and not earlier', async () => {
    const { url, times } = await anOAuthOffice()
    const { add, requests, clients, state } = opened()
    const client = await clients.of(await add(url, byCode({ issuer: url })))
    await client.getTemplateList()
    await client.getTemplateList()
    const renewals = () => requests.filter((one) => one.endsWith('refresh_token')).length
    expect(renewals()).toBe(1)
    state.ahead = times.ahead = HOUR - 30_000
    await client.getTemplateList()
    expect(renewals()).toBe(2)
  })

  test('concurrent calls share a single refresh', async () => {
    const { url, signIn } = await anOAuthOffice()
    const { add, requests, clients } = opened()
    const client = await clients.of(await add(url, byCode({ issuer: url })))
    await client.getTemplateList()
    signIn.expire()
    requests.length = 0
    await Promise.all(Array.from({ length: 8 }, () => client.getTemplateList()))
    expect(requests.filter((one) => one.endsWith('refresh_token'))).toHaveLength(1)
  })

  test('a second client of the same account, created meanwhile, uses the same tokens', async () => {
    const { url } = await anOAuthOffice()
    const { accounts, add, requests, clients } = opened()
    const id = await add(url, byCode({ issuer: url }))
    const one = await clients.of(id)
    await accounts.update(id, { name: 'Office 2' })
    clients.forget(id)
    const other = await clients.of(id)
    await Promise.all([one.getTemplateList(), other.getTemplateList()])
    expect(requests.filter((call) => call.endsWith('refresh_token'))).toHaveLength(1)
  })

  test('a send rejected for an expired token is sent once more, and arrives once', async () => {
    const { url, service, signIn } = await anOAuthOffice()
    const { add, requests, clients } = opened()
    const client = await clients.of(await add(url, byCode({ issuer: url })))
    await client.getTemplateList()
    signIn.expire()
    requests.length = 0
    await client.sendForms2(aFormDirectRequest())
    expect(requests.filter((one) => one.includes('SendForms2'))).toHaveLength(2)
    expect(service.recorded().filter(({ operation }) => operation === 'SendForms2')).toHaveLength(1)
  })

  test('a service that rejects every token is called twice, no more', async () => {
    const { url } = await anOAuthOffice()
    const refusing = await serve(json({}, 401))
    const { add, clients } = opened()
    const client = await clients.of(await add(refusing.url, byCode({ issuer: url })))
    expect(await refusalOf(client.sendForms2(aFormDirectRequest()))).toMatchObject({
      code: 'unauthorised',
      mayHaveArrived: false
    })
    expect(refusing.requests).toHaveLength(2)
  })

  test('an answer still arriving when the token expires is read completely', async () => {
    const { url, signIn } = await anOAuthOffice()
    const renewalStarted = Promise.withResolvers<void>()
    const over = Promise.withResolvers<void>()
    const slow = await serve((_asked, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('[')
      renewalStarted.resolve()
      void over.promise.then(() => response.end(']'))
    })
    const { add, clients } = opened()
    const client = await clients.of(await add(slow.url, byCode({ issuer: url })))
    const list = client.getTemplateList()
    await renewalStarted.promise
    signIn.expire()
    over.resolve()
    await expect(list).resolves.toMatchObject({ items: [] })
  })

  test('a PDF still arriving when the token expires is read completely, and the next request uses a new token', async () => {
    const { url, signIn } = await anOAuthOffice()
    const renewalStarted = Promise.withResolvers<void>()
    const over = Promise.withResolvers<void>()
    const tokens: (string | undefined)[] = []
    const pdf = Buffer.from(`%PDF-1.4\n${'x'.repeat(70_000)}\n%%EOF\n`)
    const slow = await serve(({ headers }, response) => {
      tokens.push(headers.authorization)
      response.writeHead(200, { 'content-type': 'application/pdf' }).write(pdf.subarray(0, 1000))
      renewalStarted.resolve()
      void over.promise.then(() => response.end(pdf.subarray(1000)))
    })
    const { add, clients, state } = opened()
    const client = await clients.of(await add(slow.url, byCode({ issuer: url })))
    const first = await client.downloadIDVerificationPdf('d-1')
    const reading = bytesOf(first.bytes)
    await renewalStarted.promise
    signIn.expire()
    state.ahead = 2 * HOUR
    over.resolve()
    expect((await reading).equals(pdf)).toBe(true)
    await bytesOf((await client.downloadIDVerificationPdf('d-1')).bytes)
    expect(tokens).toHaveLength(2)
    expect(tokens[1]).not.toBe(tokens[0])
  })

  test.each([2 * HOUR, -2 * HOUR])('the account still works after the clock is set by %i ms', async (by) => {
    const { url, times } = await anOAuthOffice()
    const { add, clients, state } = opened()
    const client = await clients.of(await add(url, byCode({ issuer: url })))
    await client.getTemplateList()
    state.ahead = by
    times.ahead = HOUR + 1
    await expect(client.getTemplateList()).resolves.toBeDefined()
  })

  test('if the answer has no refresh token, the known one is kept', async () => {
    const { url, signIn } = await anOAuthOffice({ keepsRefreshToken: true })
    const { add, clients, storedSecret } = opened()
    const id = await add(url, byCode({ issuer: url }))
    const before = (await storedSecret(id)).tokens.refresh
    const client = await clients.of(id)
    for (let time = 0; time < 3; time++) {
      signIn.expire()
      await client.getTemplateList()
    }
    expect((await storedSecret(id)).tokens.refresh).toBe(before)
  })

  test('new tokens are used only once stored, and none is lost while the keychain is locked', async () => {
    const { url, signIn } = await anOAuthOffice()
    const { add, requests, clients, storedSecret, state } = opened()
    const id = await add(url, byCode({ issuer: url }))
    const client = await clients.of(id)
    await client.getTemplateList()
    const before = (await storedSecret(id)).tokens.refresh
    signIn.expire()
    state.isShut = true
    requests.length = 0
    expect(await refusalOf(client.sendForms2(aFormDirectRequest()))).toMatchObject({
      code: 'keychain',
      mayHaveArrived: false
    })
    expect((await storedSecret(id)).tokens.refresh).toBe(before)
    state.isShut = false
    await client.getTemplateList()
    expect(requests.filter((one) => one.endsWith('refresh_token'))).toHaveLength(1)
    expect((await storedSecret(id)).tokens.refresh).not.toBe(before)
  })

  test('when the sign-in has ended, nothing more is requested until the person signs in again', async () => {
    const { url, signIn } = await anOAuthOffice()
    const { accounts, add, requests, browserSignIn, clients, signedOut } = opened()
    const id = await add(url, byCode({ issuer: url }))
    const client = await clients.of(id)
    signIn.signOut()
    expect(await refusalOf(client.getTemplateList())).toMatchObject({
      code: 'unauthorised',
      message: expect.stringContaining('no longer valid'),
      next: expect.stringContaining('Sign in again')
    })
    expect([clients.isSignedOut(id), signedOut]).toEqual([true, [id]])
    requests.length = 0
    await refusalOf(client.getTemplateList())
    expect(requests).toEqual([])
    const credentials = await accounts.credentialsOf(id)
    if (credentials.scheme !== 'oauth') expect.fail('It signs in otherwise.')
    await accounts.update(id, { authentication: await browserSignIn.signIn(credentials) }, 'refused')
    clients.forget(id)
    await expect((await clients.of(id)).getTemplateList()).resolves.toBeDefined()
    expect(clients.isSignedOut(id)).toBe(false)
  })

  test('a renewal that finishes after another sign-in was stored doesn’t restore the old tokens', async () => {
    const renewalStarted = Promise.withResolvers<void>()
    const isKept = Promise.withResolvers<void>()
    const slow = await serve((...call) => {
      renewalStarted.resolve()
      void isKept.promise.then(() => json({ access_token: 'late', refresh_token: 'late-refresh' })(...call))
    })
    const { accounts, clients, storedSecret } = opened()
    const signedIn = (refresh: string) =>
      byCode({ tokenUrl: slow.url, authorizeUrl: slow.url, tokens: { access: `${refresh}-access`, refresh } })
    const authentication = signedIn('first')
    const { id } = await accounts.add({ kind: 'service', name: 'Office', baseUrl: slow.url, authentication })
    const asking = (await clients.of(id)).getTemplateList().catch(() => undefined)
    await renewalStarted.promise
    await accounts.update(id, { authentication: signedIn('second') })
    isKept.resolve()
    await asking
    expect((await storedSecret(id)).tokens).toEqual({ refresh: 'second' })
  })

  test('the API key’s headers are sent together with the token', async () => {
    const { url } = await anOAuthOffice()
    const service = await serve(json([]))
    const { accessUrl: referer, ...key } = aKey
    const { add, clients } = opened()
    const client = await clients.of(await add(service.url, byCode({ issuer: url, apiKey: { ...key, referer } })))
    await client.getTemplateList()
    expect(service.requests[0]?.headers).toMatchObject({
      'x-custom-api-key': aKey.key,
      authorization: expect.stringMatching(/^Bearer /)
    })
  })
})

test('a sign-in that is replaced is revoked at the service, and the new one keeps working', async () => {
  const { url, signIn } = await anOAuthOffice()
  const { accounts, add, browserSignIn, clients } = opened()
  const id = await add(url, byCode({ issuer: url }))
  const end = await clients.prepareRevocation(id)
  await accounts.update(id, { authentication: await browserSignIn.signIn(byCode({ issuer: url })) })
  clients.forget(id)
  const client = await clients.of(id)
  await client.getTemplateList()
  expect(signIn.renewable()).toBe(2)
  expect([await end(), signIn.renewable()]).toEqual([true, 1])
  signIn.expire()
  await Promise.all([client.getTemplateList(), (await clients.of(id)).getTemplateList()])
  expect(clients.isSignedOut(id)).toBe(false)
})

describe('removing an account', () => {
  test('revokes its sign-in at the service', async () => {
    const { url, signIn } = await anOAuthOffice()
    const { accounts, add, clients } = opened()
    const id = await add(url, byCode({ issuer: url }))
    const end = await clients.prepareRevocation(id)
    await accounts.remove(id)
    expect([await end(), signIn.renewable()]).toEqual([true, 0])
  })

  test('revokes the token that a renewal in progress brings', async () => {
    const { url, signIn } = await anOAuthOffice()
    const renewed = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const { accounts, add, clients } = opened(undefined, async (address, call) => {
      const answer = await fetch(address, call)
      if (String(call?.body ?? '').includes('grant_type=refresh_token')) {
        renewed.resolve()
        await goOn.promise
      }
      return answer
    })
    const id = await add(url, byCode({ issuer: url }))
    const asking = (await clients.of(id)).getTemplateList().catch(() => undefined)
    await renewed.promise
    const end = await clients.prepareRevocation(id)
    await accounts.remove(id)
    const ended = end()
    goOn.resolve()
    expect([await ended, signIn.renewable()]).toEqual([true, 0])
    await asking
  })

  test('begins no renewal while it revokes: no one would know the token that this brings', async () => {
    const { url, signIn } = await anOAuthOffice()
    let askMeanwhile: () => Promise<unknown> = async () => undefined
    const { accounts, add, clients } = opened(undefined, async (address, call) => {
      if (new URLSearchParams(String(call?.body ?? '')).has('token')) await askMeanwhile()
      return fetch(address, call)
    })
    const id = await add(url, byCode({ issuer: url }))
    const client = await clients.of(id)
    const end = await clients.prepareRevocation(id)
    await accounts.remove(id)
    askMeanwhile = () => client.getTemplateList().catch(() => undefined)
    expect([await end(), signIn.renewable()]).toEqual([true, 0])
  })

  test('reports when the service couldn’t be reached or offers no revocation', async () => {
    const { url, close } = await anOAuthOffice()
    const { add, clients } = opened()
    const typed = { authorizeUrl: `${url}/api/oauth2/authorize`, tokenUrl: `${url}/api/oauth2/token` }
    const without = await add(url, byCode(typed))
    expect(await (await clients.prepareRevocation(without))()).toBe(false)
    const found = openedAgain(await anOAuthOffice())
    const id = await found.add
    await found.close()
    expect(await (await found.clients.prepareRevocation(id))()).toBe(false)
    await close()
  })

  test('doesn’t wait for an unresponsive sign-in service', async () => {
    const renewalStarted = Promise.withResolvers<void>()
    const isOver = Promise.withResolvers<void>()
    const hanging = await serve((...call) => {
      renewalStarted.resolve()
      void isOver.promise.then(() => json({})(...call))
    })
    const { accounts, clients, giveUpWaiting } = opened()
    const authentication = byCode({ issuer: hanging.url, tokens: { access: 'a', refresh: 'r' } })
    const { id } = await accounts.add({ kind: 'service', name: 'Office', baseUrl: hanging.url, authentication })
    const ended = (await clients.prepareRevocation(id))()
    await renewalStarted.promise
    giveUpWaiting()
    expect(await ended).toBe(false)
    isOver.resolve()
  })

  function openedAgain({ url, close }: { url: string; close: () => Promise<void> }) {
    const { add, clients } = opened()
    return { add: add(url, byCode({ issuer: url })), clients, close }
  }
})

describe('the client-credentials grant', () => {
  test('gives access, stores no token, and requests another when one expires', async () => {
    const { url, signIn } = await anOAuthOffice({ secret: 'made-up' })
    const { add, requests, clients, storedSecret } = opened()
    const id = await add(url, { scheme: 'oauth', grant: 'client', clientId: 'office', secret: 'made-up', issuer: url })
    const client = await clients.of(id)
    await client.getTemplateList()
    signIn.expire()
    await client.getTemplateList()
    expect(requests.filter((one) => one.endsWith('client_credentials'))).toHaveLength(2)
    expect(await storedSecret(id)).not.toHaveProperty('tokens')
  })

  test('reports a wrong secret without showing it, and the secret can be corrected', async () => {
    const { url } = await anOAuthOffice({ secret: 'made-up' })
    const { add, clients } = opened()
    const wrong = { scheme: 'oauth', grant: 'client', clientId: 'office', secret: 'wr0ng-secret', issuer: url } as const
    const id = await add(url, wrong)
    const error = await refusalOf((await clients.of(id)).getTemplateList())
    expect(error).toMatchObject({
      code: 'unauthorised',
      message: 'The sign-in service didn’t accept the client ID or the secret.'
    })
    expect(JSON.stringify(error)).not.toContain('wr0ng')
    expect(clients.isSignedOut(id)).toBe(false)
  })

  test('is tried again after any refusal, since no person could sign in again', async () => {
    const { url } = await anOAuthOffice({ secret: 'made-up' })
    let isRefused = true
    const { add, clients, signedOut } = opened(undefined, async (address, call) => {
      if (isRefused && String(call?.body ?? '').includes('client_credentials'))
        return Response.json({ error: 'invalid_grant' }, { status: 400 })
      return fetch(address, call)
    })
    const id = await add(url, { scheme: 'oauth', grant: 'client', clientId: 'office', secret: 'made-up', issuer: url })
    const client = await clients.of(id)
    expect(await refusalOf(client.getTemplateList())).toMatchObject({ code: 'unauthorised' })
    isRefused = false
    await client.getTemplateList()
    expect([clients.isSignedOut(id), signedOut]).toEqual([false, []])
  })
})

describe('answers of the sign-in service', () => {
  const typed = (url: string): OAuth => ({
    scheme: 'oauth',
    grant: 'client',
    clientId: 'office',
    secret: 'made-up',
    tokenUrl: `${url}/token`
  })
  async function answered(answering: Answering) {
    const signIn = await serve(answering)
    const service = await serve(json([]))
    const { add, clients } = opened()
    return { client: await clients.of(await add(service.url, typed(signIn.url))), service, signIn }
  }

  test.each([
    ['50 MB', body('x'.repeat(50 * 1024 * 1024)), 'not-json'],
    ['HTML', body('<h1>Welcome</h1>', 200, { 'content-type': 'text/html' }), 'not-json'],
    ['nothing', body('', 200), 'not-json'],
    ['JSON without a token', json({ hello: 'you' }), 'not-json'],
    ['a token that isn’t text', json({ access_token: { a: 1 }, token_type: 'bearer' }), 'not-json'],
    ['a token with a line break', json({ access_token: 'one\r\nX-Other: 1', token_type: 'bearer' }), 'not-json'],
    ['a token of 100 KB', json({ access_token: 'x'.repeat(100_000), token_type: 'bearer' }), 'not-json'],
    ['an HTML page with status 503', body('<h1>Down</h1>', 503), 'refused'],
    ['too many requests', json({}, 429), 'rate-limited'],
    ['an expired grant', json({ error: 'invalid_grant' }, 400), 'unauthorised']
  ])(
    '%s: no request goes to the signing service',
    async (_what, answering, code) => {
      const { client, service } = await answered(answering)
      expect(await refusalOf(client.sendForms2(aFormDirectRequest()))).toMatchObject({ code, mayHaveArrived: false })
      expect(service.requests).toEqual([])
    },
    20_000
  )

  test.each([undefined, -1, 0, 1e300, 'soon', null])(
    'with a lifetime of %s the token is used anyway',
    async (lifetime) => {
      const { client, signIn, service } = await answered(json({ access_token: 'tok', expires_in: lifetime }))
      await client.getTemplateList()
      await client.getTemplateList()
      expect(signIn.requests).toHaveLength(1)
      expect(service.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer tok', 'Bearer tok'])
    }
  )

  test('a redirect to another origin isn’t followed, and no secret goes there', async () => {
    const otherServer = await serve(json({ access_token: 'tok' }))
    const { client } = await answered(body('', 307, { location: `${otherServer.url}/token` }))
    expect(await refusalOf(client.getTemplateList())).toMatchObject({
      message: expect.stringContaining('different website')
    })
    expect(otherServer.requests).toEqual([])
  })

  test('when unreachable, the error names the sign-in service, and a send has not arrived', async () => {
    const service = await serve(json([]))
    const { add, clients } = opened()
    const client = await clients.of(await add(service.url, typed(await nobody())))
    expect(await refusalOf(client.sendForms2(aFormDirectRequest()))).toMatchObject({
      code: 'refused',
      message: expect.stringContaining('sign-in service'),
      next: expect.stringContaining('check its address'),
      mayHaveArrived: false
    })
  })

  test.each(['token_endpoint', 'authorization_endpoint', 'revocation_endpoint'])(
    'discovery: a %s on another origin is refused, and no sign-in is started',
    async (endpoint) => {
      const otherServer = await serve(json({}))
      const found = await serve((request, response) => {
        const origin = `http://${request.headers.host}`
        const ends = { authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token` }
        json({ issuer: origin, ...ends, [endpoint]: `${otherServer.url}/x` })(request, response, undefined as never)
      })
      const { browserSignIn, openedAddresses } = opened()
      expect(await refusalOf(browserSignIn.begin(byCode({ issuer: found.url })))).toMatchObject({
        message: expect.stringContaining('different website')
      })
      expect([openedAddresses, otherServer.requests]).toEqual([[], []])
    }
  )

  test('discovery that names another service as issuer isn’t accepted as a sign-in service', async () => {
    const found = await serve(
      json({ issuer: 'https://other.example.com', token_endpoint: 'https://other.example.com/t' })
    )
    expect(await refusalOf(opened().browserSignIn.begin(byCode({ issuer: found.url })))).toMatchObject({
      message: expect.stringContaining('no sign-in service')
    })
  })

  test.each([
    'http://signing.example.com/token',
    'https://user:pass@signing.example.com/token',
    'ftp://127.0.0.1/token',
    'javascript:alert(1)',
    'token'
  ])('%s isn’t accepted as an address for secrets', async (tokenUrl) => {
    expect(await refusalOf(opened().add('https://signing.example.com', { ...typed(''), tokenUrl }))).toMatchObject({
      code: 'invalid',
      fields: [{ field: 'authentication.tokenUrl' }]
    })
  })
})

describe('the browser’s return', () => {
  /** Signs in with a browser that does `browse`. Returns the outcome. */
  async function signingIn(browse: (address: string, back: URL, state: string) => Promise<unknown>) {
    const { url } = await anOAuthOffice()
    const parts = opened(async (address) => {
      const parameters = new URL(address).searchParams
      await browse(address, new URL(parameters.get('redirect_uri') ?? ''), parameters.get('state') ?? '')
    })
    return { ...parts, call: parts.browserSignIn.begin(byCode({ issuer: url })) }
  }
  const returning = (back: URL, query: Record<string, string>) => fetch(`${back}?${new URLSearchParams(query)}`)

  test('is waited for only until the time limit, then the port is closed', async () => {
    const came = Promise.withResolvers<URL>()
    const { call, giveUpWaiting } = await signingIn(async (_address, back) => came.resolve(back))
    const back = await came.promise
    giveUpWaiting()
    expect(await refusalOf(call)).toMatchObject({ code: 'timeout' })
    await expect(fetch(back)).rejects.toThrow()
  })

  test('isn’t accepted after cancelling', async () => {
    const came = Promise.withResolvers<URL>()
    const { browserSignIn, call } = await signingIn(async (_address, back) => came.resolve(back))
    const back = await came.promise
    browserSignIn.cancel()
    expect(await refusalOf(call)).toMatchObject({ code: 'cancelled' })
    await expect(fetch(back)).rejects.toThrow()
  })

  test('tokens from a code exchange that was cancelled midway are revoked', async () => {
    const office = await anOAuthOffice()
    const exchanging = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const parts = opened(undefined, async (address, call) => {
      const isExchange = String(call?.body ?? '').includes('authorization_code')
      if (isExchange) {
        exchanging.resolve()
        await goOn.promise
      }
      const answer = await fetch(address, call)
      if (String(address).includes('revoke')) ended.resolve()
      return answer
    })
    const call = parts.browserSignIn.begin(byCode({ issuer: office.url }))
    call.catch(() => undefined)
    await exchanging.promise
    parts.browserSignIn.cancel()
    expect(await refusalOf(call)).toMatchObject({ code: 'cancelled' })
    goOn.resolve()
    await ended.promise
    expect(office.signIn.renewable()).toBe(0)
  })

  test('with a wrong state is rejected, and the right one still works', async () => {
    const statuses: number[] = []
    const { call } = await signingIn(async (address, back) => {
      statuses.push((await returning(back, { code: 'stolen', state: 'another' })).status)
      statuses.push((await returning(back, { code: 'stolen' })).status)
      statuses.push((await pressing('allow', address)).status)
    })
    await expect(call).resolves.toBeDefined()
    expect(statuses).toEqual([400, 400, 200])
  })

  test('counts only once', async () => {
    const second = Promise.withResolvers<number>()
    const { call, requests } = await signingIn(async (address, back, state) => {
      await pressing('allow', address)
      // Its port may be closed by then.
      const answer = await returning(back, { code: 'another', state }).catch(() => ({ status: 410 }))
      second.resolve(answer.status)
    })
    await expect(call).resolves.toBeDefined()
    expect(await second.promise).toBe(410)
    expect(requests.filter((one) => one.endsWith('authorization_code'))).toHaveLength(1)
  })

  test('with a denial is reported as declined', async () => {
    const { call } = await signingIn((address) => pressing('deny', address))
    expect(await refusalOf(call)).toMatchObject({ code: 'unauthorised', message: 'The sign-in was declined.' })
  })

  test('with an invalid code fails as unauthorised', async () => {
    const { call } = await signingIn((_address, back, state) => returning(back, { code: 'made-up', state }))
    expect(await refusalOf(call)).toMatchObject({ code: 'unauthorised' })
  })

  test('shows a plain page that can’t be framed, cached or leak its address', async () => {
    const page = Promise.withResolvers<Response>()
    const { call } = await signingIn(async (address) => page.resolve(await pressing('allow', address)))
    await call
    const response = await page.promise
    expect(await response.text()).toContain('You can close this page and return to Countersign.')
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
      'referrer-policy': 'no-referrer'
    })
  })

  test('gets nothing at other paths or methods, or under another host name', async () => {
    const statuses: (number | undefined)[] = []
    const { call } = await signingIn(async (address, back, state) => {
      statuses.push((await fetch(new URL('/favicon.ico', back))).status)
      statuses.push((await fetch(new URL(`/?state=${state}&code=x`, back))).status)
      statuses.push((await fetch(`${back}?state=${state}&code=x`, { method: 'POST' })).status)
      statuses.push(await underName('attacker.example', `${back}?state=${state}&code=x`))
      statuses.push((await pressing('allow', address)).status)
    })
    await expect(call).resolves.toBeDefined()
    expect(statuses).toEqual([404, 404, 405, 421, 200])
  })

  const underName = (host: string, address: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      get(address, { headers: { host } }, (answer) => resolve(answer.resume().statusCode)).on('error', reject)
    })

  test('to a first sign-in is no longer awaited once a second begins', async () => {
    const { url } = await anOAuthOffice()
    const isOpen = Promise.withResolvers<void>()
    let times = 0
    const { browserSignIn } = opened(async (address) => {
      isOpen.resolve()
      if (++times === 2) await pressing('allow', address)
    })
    const first = browserSignIn.begin(byCode({ issuer: url }))
    first.catch(() => undefined)
    await isOpen.promise
    const second = browserSignIn.begin(byCode({ issuer: url }))
    expect(await refusalOf(first)).toMatchObject({ code: 'cancelled' })
    await expect(second).resolves.toBeDefined()
  })

  test('gives tokens that are revoked if no account is stored with them in time', async () => {
    const { url, signIn } = await anOAuthOffice()
    const { add, browserSignIn, giveUpWaiting } = opened()
    const typed = byCode({ issuer: url })
    browserSignIn.discard(await browserSignIn.begin(typed))
    await browserSignIn.begin(typed)
    expect(signIn.renewable()).toBe(2)
    giveUpWaiting()
    await expect.poll(() => signIn.renewable()).toBe(1)
    expect(await add(url, typed)).toBeDefined()
  })

  test('counts only for the settings it was made with: another client, scope or sign-in is refused', async () => {
    const { url } = await anOAuthOffice()
    const { browserSignIn } = opened()
    const typed = byCode({ issuer: url })
    const signIn = await browserSignIn.begin(typed)
    for (const other of [
      { ...typed, clientId: 'other', signIn },
      { ...typed, scope: 'Account', signIn },
      { ...typed, signIn: 'made-up' },
      typed
    ]) {
      expect(() => browserSignIn.withTokens(other)).toThrow(expect.objectContaining({ name: 'AppFailure' }))
    }
    expect(browserSignIn.withTokens({ ...typed, signIn })).toHaveProperty('tokens.access')
    browserSignIn.discard(signIn)
    expect(() => browserSignIn.withTokens({ ...typed, signIn })).toThrow()
  })
})
