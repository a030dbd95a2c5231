/** What is retried and what isn't. */
import { describe, expect, test } from 'vitest'
import { createAuthentication, RETRY_LIMITS } from '../../src/main/core/service/index.ts'
import { aKey, errorOf, impatientClientOf } from './client-factory.ts'
import { body, inTurn, json, serve } from './hand-written-service.ts'
import {
  aFormDirectRequest,
  aFormFillerRequest,
  aNotaryAssignment,
  aTemplateSigner,
  someEmployers
} from './sample-requests.ts'

describe('a GET', () => {
  test.each([500, 502, 503, 504])('is retried after %i and succeeds', async (status) => {
    const service = await serve(inTurn(body('', status), json([])))
    const { client, waits } = impatientClientOf(service.url)
    expect(await client.getTemplateList()).toEqual({ items: [], problems: [] })
    expect(waits).toEqual([250])
  })

  test('waits longer each time, with jitter, and gives up after three attempts', async () => {
    const service = await serve(body('', 503))
    const { client, waits } = impatientClientOf(service.url, { random: () => 0.9 })
    expect((await errorOf(client.getTemplateList())).code).toBe('server')
    expect(service.requests).toHaveLength(3)
    expect(waits).toEqual([450, 900])
  })

  test('is retried when the connection breaks', async () => {
    const service = await serve(inTurn((_asked, _response, request) => request.socket.resetAndDestroy(), json([])))
    await impatientClientOf(service.url).client.getTemplateList()
    expect(service.requests).toHaveLength(2)
  })

  test('is retried when the answer breaks off midway', async () => {
    const service = await serve(
      inTurn((_asked, response) => {
        response.writeHead(200, { 'content-length': 100 })
        response.write('[', () => response.socket?.resetAndDestroy())
      }, json([]))
    )
    await impatientClientOf(service.url).client.getTemplateList()
    expect(service.requests).toHaveLength(2)
  })

  test('waits as long as the service asks, in seconds', async () => {
    const service = await serve(inTurn(body('', 429, { 'retry-after': '7' }), json([])))
    const { client, waits } = impatientClientOf(service.url, { random: () => 0 })
    await client.getTemplateList()
    expect(waits).toEqual([7000])
  })

  test.each([
    ['right', 0],
    ['an hour ahead', 3_600_000],
    ['an hour behind', -3_600_000]
  ])('waits as long as the service asks, until a date, although this computer’s clock is %s', async (_, ahead) => {
    const now = Date.UTC(2031, 0, 1, 12)
    const written = (at: number) => new Date(at).toUTCString()
    const headers = { date: written(now), 'retry-after': written(now + 12_000) }
    const service = await serve(inTurn(body('', 503, headers), json([])))
    const { client, waits } = impatientClientOf(service.url, { clock: () => now + ahead, random: () => 0 })
    await client.getTemplateList()
    expect(waits).toEqual([12_000])
  })

  test('isn’t retried if the requested wait is too long, and that wait is reported', async () => {
    const service = await serve(body('', 429, { 'retry-after': '3600' }))
    const { client, waits } = impatientClientOf(service.url)
    expect(await errorOf(client.getTemplateList())).toMatchObject({ code: 'rate-limited', retryAfterMs: 3_600_000 })
    expect(waits).toEqual([])
    expect(service.requests).toHaveLength(1)
  })

  test.each([
    [400, 'invalid'],
    [401, 'unauthorised'],
    [402, 'payment-required'],
    [403, 'forbidden'],
    [404, 'not-found'],
    [426, 'quota'],
    [501, 'not-found']
  ])('refused with %i is not retried', async (status, code) => {
    const service = await serve(body('', status))
    const { client } = impatientClientOf(service.url)
    expect((await errorOf(client.validateSignatures('d'))).code).toBe(code)
    expect(service.requests).toHaveLength(1)
  })

  test('is signed again at every attempt', async () => {
    const service = await serve(inTurn(body('', 503), json([])))
    const authentication = createAuthentication({ scheme: 'api-key', ...aKey }, { clock: Date.now })
    await impatientClientOf(service.url, { authentication }).client.getTemplateList()
    const nonces = service.requests.map(({ headers }) => headers['x-custom-nonce'])
    expect(new Set(nonces).size).toBe(2)
  })

  test('cancelled during the wait is not retried', async () => {
    const cancel = new AbortController()
    const service = await serve(body('', 503))
    const { client } = impatientClientOf(service.url, { sleep: async () => cancel.abort() })
    expect((await errorOf(client.getTemplateList({ signal: cancel.signal }))).code).toBe('cancelled')
    expect(service.requests).toHaveLength(1)
  })

  test('really waits between attempts by default', async () => {
    const service = await serve(inTurn(body('', 503), json([])))
    const began = performance.now()
    const limits = { retry: { ...RETRY_LIMITS, firstWaitMs: 60 } }
    await impatientClientOf(service.url, { sleep: undefined, random: () => 1, limits }).client.getTemplateList()
    expect(performance.now() - began).toBeGreaterThanOrEqual(55)
  })

  test('for a PDF is retried before its first byte', async () => {
    const service = await serve(inTurn(body('', 503), body('%PDF-1.7 …')))
    const download = await impatientClientOf(service.url).client.downloadIDVerificationPdf('d-1')
    await download.cancel()
    expect(service.requests).toHaveLength(2)
  })
})

describe('a POST is never retried', () => {
  const sends = [
    ['SendForms2', (client) => client.sendForms2(aFormDirectRequest())],
    ['SendForms', (client) => client.sendForms(aFormDirectRequest())],
    ['Form Filler Send', (client) => client.sendTemplates(aFormFillerRequest())],
    ['UpdateEmployers', (client) => client.updateEmployers(someEmployers())],
    ['UpdateSigner', (client) => client.updateSigner({ DocumentReference: 'd', Signers: [aTemplateSigner()] })],
    ['Extend', (client) => client.extend({ DocumentReference: 'd', DueDate: '2031-01-01' })],
    ['AssignQueueDocument', (client) => client.assignQueueDocument(aNotaryAssignment())],
    ['SendReminder', (client) => client.sendReminder({ DocumentReference: 'd', SignerReference: 's' })]
  ] satisfies [string, (client: ReturnType<typeof impatientClientOf>['client']) => Promise<unknown>][]

  test.each(sends)('%s, even if the service asks for it', async (_name, send) => {
    const service = await serve(body('', 503, { 'retry-after': '0' }))
    const error = await errorOf(send(impatientClientOf(service.url).client))
    expect(error).toMatchObject({ code: 'server', status: 503, mayHaveArrived: true })
    expect(service.requests).toHaveLength(1)
  })

  test.each(sends)('%s, even if the connection broke', async (_name, send) => {
    const service = await serve((_asked, _response, request) => request.socket.resetAndDestroy())
    expect((await errorOf(send(impatientClientOf(service.url).client))).mayHaveArrived).toBe(true)
    expect(service.requests).toHaveLength(1)
  })

  test('not even if a kept-alive connection breaks', async () => {
    const service = await serve((recorded, response, request) => {
      if (recorded.method === 'POST') request.socket.resetAndDestroy()
      else json([])(recorded, response, request)
    })
    const { client } = impatientClientOf(service.url)
    for (let call = 0; call < 5; call++) {
      await client.getTemplateList()
      await errorOf(client.sendForms2(aFormDirectRequest()))
    }
    expect(service.requests.filter(({ method }) => method === 'POST')).toHaveLength(5)
  })
})

describe('a send that is withdrawn at the last moment', () => {
  // Signing takes time, and something else may claim the package until the last moment, so `maySend` is asked after
  // it.
  test('isn’t sent, and is known not to have arrived', async () => {
    const service = await serve(json([]))
    const steps: string[] = []
    const authentication = {
      scheme: 'none' as const,
      sign: async () => void steps.push('signed'),
      secrets: []
    }
    const maySend = () => {
      steps.push('asked')
      return false
    }
    const { client } = impatientClientOf(service.url, { authentication })
    for (const sending of [
      client.sendFormPackage(aFormDirectRequest(), { maySend }),
      client.sendTemplates(aFormFillerRequest(), { maySend })
    ]) {
      expect(await errorOf(sending)).toMatchObject({ code: 'cancelled', mayHaveArrived: false })
    }
    expect(service.requests).toEqual([])
    expect(steps).toEqual(['signed', 'signed', 'asked', 'asked'])
  })

  test('is checked again before a new token makes a second request', async () => {
    const service = await serve(body('', 401))
    const authentication = { scheme: 'none' as const, sign: () => undefined, secrets: [], renew: async () => true }
    let checks = 0
    const { client } = impatientClientOf(service.url, { authentication })
    const error = await errorOf(client.sendFormPackage(aFormDirectRequest(), { maySend: () => checks++ === 0 }))
    expect(error).toMatchObject({ code: 'cancelled', mayHaveArrived: false })
    expect(service.requests).toHaveLength(1)
  })
})
