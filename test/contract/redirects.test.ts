/** Redirects: followed within the service, refused everywhere else; credentials are never sent to another origin. */
import { describe, expect, test } from 'vitest'
import { createAuthentication } from '../../src/main/core/service/index.ts'
import { aKey, clientOf, errorOf } from './client-factory.ts'
import { type Answering, body, inTurn, json, serve } from './hand-written-service.ts'
import { aFormDirectRequest } from './sample-requests.ts'

const withKey = {
  authentication: createAuthentication({ scheme: 'bearer', token: () => 'tok-1', apiKey: aKey }, { clock: Date.now })
}

const to = (location: string, status = 302): Answering => body('', status, { location })

describe('a GET', () => {
  test.each([301, 302, 303, 307, 308])('follows a %i inside the service and is signed again', async (status) => {
    const service = await serve(inTurn(to('/elsewhere?x=1', status), json([])))
    await clientOf(service.url, withKey).getTemplateList()
    const [first, second] = service.requests
    expect(second).toMatchObject({ method: 'GET', url: '/elsewhere?x=1' })
    expect(second?.headers.authorization).toBe('Bearer tok-1')
    expect(second?.headers['x-custom-nonce']).not.toBe(first?.headers['x-custom-nonce'])
  })

  test('follows at most five redirects', async () => {
    const service = await serve(to('/again'))
    expect((await errorOf(clientOf(service.url).getTemplateList())).code).toBe('redirected')
    expect(service.requests).toHaveLength(6)
  })

  test('isn’t redirected to another origin, which receives no request', async () => {
    const stranger = await serve(json([]))
    const service = await serve(to(`${stranger.url}/steal?token=1`))
    const error = await errorOf(clientOf(service.url, withKey).getTemplateList())
    expect(error).toMatchObject({ code: 'redirected', movedTo: stranger.url, status: 302 })
    expect(error.message).not.toContain('token')
    expect(stranger.requests).toEqual([])
  })

  test('isn’t redirected to another origin in a second hop either', async () => {
    const stranger = await serve(json([]))
    const service = await serve(inTurn(to('/one'), to(`${stranger.url}/two`)))
    expect((await errorOf(clientOf(service.url, withKey).getTemplateList())).code).toBe('redirected')
    expect(stranger.requests).toEqual([])
  })

  test.each([
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:application/json,[]',
    'ftp://files.example.org/',
    'http://',
    '//stranger.example.org/x',
    'https://127.0.0.1/'
  ])('isn’t redirected to %s', async (location) => {
    const service = await serve(to(location))
    expect((await errorOf(clientOf(service.url).getTemplateList())).code).toBe('redirected')
    expect(service.requests).toHaveLength(1)
  })

  test('is refused if the redirect has no location', async () => {
    const service = await serve(body('', 302))
    expect((await errorOf(clientOf(service.url).getTemplateList())).code).toBe('redirected')
  })

  test('for a PDF isn’t redirected to another origin either', async () => {
    const stranger = await serve(body('%PDF-1.7'))
    const service = await serve(to(stranger.url))
    expect((await errorOf(clientOf(service.url, withKey).downloadIDVerificationPdf('d-1'))).code).toBe('redirected')
    expect(stranger.requests).toEqual([])
  })

  test('is refused if fetch can’t tell the redirect’s location, like Electron’s own', async () => {
    const cancelling = async () => {
      throw new Error('Redirect was cancelled')
    }
    const client = clientOf('http://service.example.org', { fetch: cancelling })
    expect((await errorOf(client.getTemplateList())).code).toBe('redirected')
  })
})

describe('a POST', () => {
  test.each([
    [301, false],
    [302, true],
    [303, true],
    [307, false],
    [308, false]
  ])('redirected by %i is never posted again; may have arrived: %s', async (status, mayHaveArrived) => {
    const service = await serve(to('/elsewhere', status))
    const error = await errorOf(clientOf(service.url).sendForms2(aFormDirectRequest()))
    expect(error).toMatchObject({ code: 'redirected', mayHaveArrived, status })
    expect(service.requests).toHaveLength(1)
  })

  test('redirected to another origin sends nothing there, and reports where the service has moved', async () => {
    const stranger = await serve(json({}))
    const service = await serve(to(`${stranger.url}/FormDirect/SendForms2`, 307))
    const error = await errorOf(clientOf(service.url, withKey).sendForms2(aFormDirectRequest()))
    expect(error.movedTo).toBe(stranger.url)
    expect(stranger.requests).toEqual([])
  })
})
