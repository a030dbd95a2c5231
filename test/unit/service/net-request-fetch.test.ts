/** The fetch for Electron, over a stand-in for Electron's `net.request`, to a real server. */
import { EventEmitter } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import type { net } from 'electron'
import { describe, expect, test } from 'vitest'
import { fetchByNetRequest, type NetClientRequest, type NetRequest } from '../../../src/main/core/service/index.ts'
import { clientOf, errorOf } from '../../contract/client-factory.ts'
import { body, inTurn, json, nobody, serve } from '../../contract/hand-written-service.ts'
import { aFormDirectRequest } from '../../contract/sample-requests.ts'

/** Six connections per host, as in Chromium. */
const agent = new Agent({ keepAlive: true, maxSockets: 6 })

/** Like Electron's: headers are read as UTF-8, and closing the message doesn't end the request. */
function messageOf(response: IncomingMessage, isAborted: () => boolean) {
  const message = new PassThrough()
  response.on('data', (bytes) => message.destroyed || message.write(bytes))
  response.on('end', () => message.end())
  response.on('error', (error) => void (isAborted() || message.destroy(error)))
  const headers = Object.entries(response.headers).map(([name, value]) => [
    name,
    Buffer.from(String(value), 'latin1').toString()
  ])
  return Object.assign(message, { statusCode: response.statusCode ?? 0, headers: Object.fromEntries(headers) })
}

/** Emits redirects, and aborts the request if nobody follows; failures are spelled as Chromium spells them. */
function netRequest(options: Parameters<NetRequest>[0]): NetClientRequest {
  const events = new EventEmitter()
  const sent = httpRequest(options.url, { method: options.method, agent })
  let aborted = false
  const fail = (error: Error) => !aborted && events.emit('error', error)
  sent.on('error', (error: NodeJS.ErrnoException) =>
    fail(new Error(`net::ERR_CONNECTION_${error.code?.replace('ECONN', '')}`))
  )
  sent.on('response', (response) => {
    const status = response.statusCode ?? 0
    if (![301, 302, 303, 307, 308].includes(status) || !response.headers.location)
      return events.emit(
        'response',
        messageOf(response, () => aborted)
      )
    const target = new URL(response.headers.location, options.url).href
    events.emit('redirect', status, options.method, target, {})
    sent.destroy()
    return fail(new Error('Redirect was cancelled'))
  })
  return Object.assign(events, {
    setHeader: (name: string, value: string) => void sent.setHeader(name, value),
    end: (bytes?: string) => sent.end(bytes),
    abort() {
      aborted = true
      sent.destroy()
    }
  })
}

const overNet = { fetch: fetchByNetRequest(netRequest) }

describe('fetch over Electron’s net.request', () => {
  test('matches Electron’s own types', () => {
    const fits =
      (electron: typeof net): NetRequest =>
      (options) =>
        electron.request(options)
    expect(fits).toBeTypeOf('function')
  })

  test('sends and answers', async () => {
    const service = await serve(json({ PackageReference: 'p-1' }))
    const { package: sent } = await clientOf(service.url, overNet).sendForms2(aFormDirectRequest())
    expect(sent.PackageReference).toBe('p-1')
    expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual(aFormDirectRequest())
    expect(service.requests[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      accept: 'application/json'
    })
  })

  test('returns redirects, so that a GET is followed inside the service', async () => {
    const service = await serve(inTurn(body('', 302, { location: '/elsewhere' }), json([])))
    await clientOf(service.url, overNet).getTemplateList()
    expect(service.requests.map(({ url }) => url)).toEqual(['/FormFiller/GetTemplateList', '/elsewhere'])
  })

  test('returns a redirect to another origin, which is refused and named', async () => {
    const stranger = await serve(json([]))
    const service = await serve(body('', 307, { location: stranger.url }))
    const error = await errorOf(clientOf(service.url, overNet).sendForms2(aFormDirectRequest()))
    expect(error).toMatchObject({ code: 'redirected', movedTo: stranger.url, status: 307, mayHaveArrived: false })
    expect(stranger.requests).toEqual([])
  })

  test('fails as the network fails', async () => {
    const error = await errorOf(clientOf(await nobody(), overNet).sendForms2(aFormDirectRequest()))
    expect(error).toMatchObject({ code: 'refused', reason: 'ERR_CONNECTION_REFUSED', mayHaveArrived: false })
  })

  test('can be cancelled', async () => {
    const cancel = new AbortController()
    const service = await serve(() => cancel.abort())
    const call = clientOf(service.url, overNet).getTemplateList({ signal: cancel.signal })
    expect((await errorOf(call)).code).toBe('cancelled')
  })

  test('accepts an answer without a body', async () => {
    const service = await serve(body('', 204))
    const reminder = { DocumentReference: 'd', SignerReference: 's' }
    expect(await clientOf(service.url, overNet).sendReminder(reminder)).toBe('sent')
  })

  test('accepts an answer with a header that isn’t Latin-1', async () => {
    const name = Buffer.from('filename="Tūī.pdf"').toString('latin1')
    const service = await serve(body('[]', 200, { 'content-type': 'application/json', 'content-disposition': name }))
    expect(await clientOf(service.url, overNet).getTemplateList()).toEqual({ items: [], problems: [] })
    const answer = await overNet.fetch(service.url, { method: 'GET' })
    expect(answer.headers.get('content-disposition')).toBe(name)
    await answer.body?.cancel()
  })

  test.each([700, 999])('fails the call immediately for the invalid status %i', async (status) => {
    const service = await serve(body('{}', status))
    const error = await errorOf(clientOf(service.url, overNet).sendForms2(aFormDirectRequest()))
    expect(error).toMatchObject({ mayHaveArrived: true, reason: 'ERR_INVALID_HTTP_RESPONSE' })
  })

  test('frees the connection of an answer that is never read to its end', async () => {
    const service = await serve(({ url }, response) => {
      response.writeHead(200)
      if (url === '/short') response.end('it')
      else response.write('one of two')
    })
    for (let count = 0; count < 7; count++) {
      const answer = await overNet.fetch(`${service.url}/long`, { method: 'GET' })
      await answer.body?.cancel()
    }
    const answer = await overNet.fetch(`${service.url}/short`, { method: 'GET' })
    expect(await answer.text()).toBe('it')
  })

  test('makes a POST, and only a POST, wait until no used connection is left', async () => {
    const service = await serve(json([]))
    const happened: string[] = []
    const recording: NetRequest = (options) => {
      happened.push(options.method)
      return netRequest(options)
    }
    const fetch = fetchByNetRequest(recording, async () => {
      happened.push('closed')
    })
    const client = clientOf(service.url, { fetch })
    await client.getTemplateList()
    await client.sendForms(aFormDirectRequest())
    expect(happened).toEqual(['GET', 'closed', 'POST'])
  })
})
