/** Requests as they arrive at a service that checks the caller. */
import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createAuthentication } from '../../src/main/core/service/index.ts'
import { aKey, clientOf, errorOf } from './client-factory.ts'
import { json, serve } from './hand-written-service.ts'
import { anOffice } from './practice-office.ts'
import { aFormDirectRequest } from './sample-requests.ts'

const clock = () => 1_930_126_830_900

describe('API key authentication', () => {
  test('signs key, date and nonce, and names the access URL as Referer, in full', async () => {
    const service = await serve(json([]))
    const authentication = createAuthentication({ scheme: 'api-key', ...aKey, sender: 'boss@example.org' }, { clock })
    await clientOf(service.url, { authentication }).getTemplateList()
    const headers = service.requests[0]?.headers ?? {}
    const nonce = String(headers['x-custom-nonce'])
    expect(headers['x-custom-api-key']).toBe('office-key-1')
    expect(headers['x-custom-date']).toBe('1930126830')
    expect(nonce).toMatch(/^[0-9a-f]{32}$/)
    expect(headers['x-custom-signature']).toBe(
      createHmac('sha256', aKey.secret).update(`office-key-1\n1930126830\n${nonce}`).digest('base64')
    )
    expect(headers.referer).toBe('https://office.example.org/portal?branch=7')
    expect(headers['x-custom-sender']).toBe('boss@example.org')
    expect(headers.authorization).toBeUndefined()
  })

  test('signs a POST as well', async () => {
    const service = await serve(json({}))
    const authentication = createAuthentication({ scheme: 'api-key', ...aKey }, { clock })
    await clientOf(service.url, { authentication }).sendForms2(aFormDirectRequest())
    expect(service.requests[0]?.headers['x-custom-signature']).toMatch(/^[A-Za-z0-9+/]{43}=$/)
    expect(service.requests[0]?.headers).not.toHaveProperty('x-custom-sender')
  })

  test('fails as unauthorised if the key can’t be put into a header; nothing is sent or shown', async () => {
    const service = await serve(json([]))
    const authentication = createAuthentication({ scheme: 'api-key', ...aKey, key: 'bad\nkey' }, { clock })
    const error = await errorOf(clientOf(service.url, { authentication }).sendForms2(aFormDirectRequest()))
    expect(error).toMatchObject({ code: 'unauthorised', mayHaveArrived: false })
    expect(error.stack).not.toContain('bad')
    expect(service.requests).toEqual([])
  })
})

describe('bearer authentication', () => {
  test('is sent together with the API key’s headers', async () => {
    const service = await serve(json([]))
    const authentication = createAuthentication({ scheme: 'bearer', token: async () => 'tok', apiKey: aKey }, { clock })
    await clientOf(service.url, { authentication }).getTemplateList()
    expect(service.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer tok',
      'x-custom-api-key': 'office-key-1'
    })
  })

  test('sends only the newest token if there is no key', async () => {
    const service = await serve(json([]))
    let issued = 0
    const authentication = createAuthentication({ scheme: 'bearer', token: () => `tok-${++issued}` }, { clock })
    const client = clientOf(service.url, { authentication })
    await client.getTemplateList()
    await client.getTemplateList()
    expect(service.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer tok-1', 'Bearer tok-2'])
    expect(service.requests[0]?.headers).not.toHaveProperty('x-custom-api-key')
  })

  test('fails as unauthorised if no token can be obtained; nothing is sent', async () => {
    const service = await serve(json([]))
    const token = () => Promise.reject(new Error('refresh of tok-secret failed'))
    const authentication = createAuthentication({ scheme: 'bearer', token }, { clock })
    const error = await errorOf(clientOf(service.url, { authentication }).getTemplateList())
    expect(error).toMatchObject({ code: 'unauthorised', mayHaveArrived: false })
    expect(error.stack).not.toContain('tok-secret')
    expect(service.requests).toEqual([])
  })
})

describe('a service that verifies credentials', () => {
  test.each([
    ['api-key', { scheme: 'api-key', ...aKey, secret: 'other' }],
    ['bearer', { scheme: 'bearer', token: (): string => 'other' }],
    ['bearer-and-key', { scheme: 'bearer', token: (): string => 'tok-practice-1' }],
    ['bearer-and-key', { scheme: 'api-key', ...aKey }],
    ['basic', { scheme: 'basic', user: 'bureau-tūī', password: 'pass word: u' }],
    ['headers', { scheme: 'headers', headers: [{ name: 'X-Gateway-Key', value: 'gate-1' }] }]
  ] as const)('%s: accepts the right credentials, for a POST too, and rejects %j', async (scheme, wrong) => {
    const { office, client } = await anOffice({ data: 'empty' }, scheme)
    expect(await client.getTemplateList()).toMatchObject({ problems: [] })
    await expect(client.sendForms2(aFormDirectRequest())).resolves.toBeDefined()
    const other = clientOf(office.url, { authentication: createAuthentication(wrong, { clock: Date.now }) })
    expect(await errorOf(other.getTemplateList())).toMatchObject({ code: 'unauthorised', status: 401 })
  })

  test('can’t reveal a password or a header’s value by repeating it in its answer', async () => {
    const refusal = { ResponseStatus: { ErrorCode: 'Unauthorized', Message: 'not “pass word: ü”, not gate-1-secret' } }
    const service = await serve(json(refusal, 401))
    for (const credentials of [
      { scheme: 'basic', user: 'bureau', password: 'pass word: ü' },
      { scheme: 'headers', headers: [{ name: 'X-Gateway-Key', value: 'gate-1-secret' }] }
    ] as const) {
      const authentication = createAuthentication(credentials, { clock })
      const error = await errorOf(clientOf(service.url, { authentication }).getTemplateList())
      const secret = credentials.scheme === 'basic' ? 'pass word' : 'gate-1'
      expect(JSON.stringify({ ...error, stack: error.stack })).not.toContain(secret)
    }
  })
})

describe('no authentication', () => {
  test('sends nothing that identifies us, and no cookie that the service set', async () => {
    const service = await serve(json([], 200, { 'set-cookie': 'session=1' }))
    const client = clientOf(service.url)
    await client.getTemplateList()
    await client.getTemplateList()
    const names = service.requests.flatMap(({ headers }) => Object.keys(headers))
    expect(names.filter((name) => /^x-custom|authorization|cookie|referer|origin/.test(name))).toEqual([])
  })
})
