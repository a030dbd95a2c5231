/** The service's refusals, and what a person sees of them. */
import { describe, expect, test } from 'vitest'
import { createAuthentication } from '../../src/main/core/service/index.ts'
import { readRefusal } from '../../src/main/core/service/refusal.ts'
import { aKey, clientOf, errorOf } from './client-factory.ts'
import { body, json, serve } from './hand-written-service.ts'
import { aFormDirectRequest } from './sample-requests.ts'

async function sendRefused(answer: ReturnType<typeof body>) {
  const service = await serve(answer)
  return errorOf(clientOf(service.url).sendForms2(aFormDirectRequest()))
}

describe('statuses', () => {
  test.each([
    [400, 'invalid', false],
    [401, 'unauthorised', false],
    [402, 'payment-required', false],
    [403, 'forbidden', false],
    [404, 'not-found', false],
    [405, 'not-found', false],
    [406, 'not-json', true],
    [408, 'timeout', true],
    [409, 'conflict', false],
    [410, 'not-found', false],
    [413, 'too-large', false],
    [418, 'invalid', false],
    [422, 'invalid', false],
    [426, 'quota', false],
    [429, 'rate-limited', false],
    [500, 'server', true],
    [501, 'not-found', false],
    [502, 'server', true],
    [503, 'server', true],
    [504, 'server', true],
    [511, 'offline', false],
    [599, 'server', true]
  ])('a send answered with %i is %s; may have arrived: %s', async (status, code, mayHaveArrived) => {
    expect(await sendRefused(body('', status))).toMatchObject({ code, status, mayHaveArrived })
  })

  test('a proxy that requires authentication is refused, and the send never reached the service', async () => {
    // Node's fetch hides this status; Electron's returns it.
    const client = clientOf('http://service.example.org', { fetch: async () => new Response('', { status: 407 }) })
    const error = await errorOf(client.sendForms2(aFormDirectRequest()))
    expect(error).toMatchObject({ code: 'refused', status: 407, mayHaveArrived: false })
  })
})

describe('the service’s message', () => {
  test('in a successful answer is passed on, without the account’s secrets', async () => {
    const refusal = { ResponseStatus: { ErrorCode: 'Busy', Message: `Not now, ${aKey.secret}` } }
    const service = await serve(json(refusal))
    const authentication = createAuthentication({ scheme: 'api-key', ...aKey }, { clock: Date.now })
    const client = clientOf(service.url, { authentication })
    const take = async () => ({ kind: 'unexpected-shape' as const, path: '', said: readRefusal(refusal) })
    for (const call of [
      client.getTemplateList(),
      client.getRecipients(),
      client.readActiveDocuments('InBox', {}, take)
    ])
      expect(await errorOf(call)).toMatchObject({ code: 'unexpected-shape', serviceMessage: 'Not now, •••' })
    const sent = await client.sendFormPackage(aFormDirectRequest())
    expect(sent.said).toEqual({ serviceMessage: 'Not now, •••' })
  })

  test('is passed on with the messages for each field', async () => {
    const error = await sendRefused(
      json(
        {
          ResponseStatus: {
            ErrorCode: 'ValidationException',
            Message: 'Two fields are wrong',
            StackTrace: '   at Signing.Api.Send() in C:\\src\\Api.cs:line 12',
            Errors: [
              { ErrorCode: 'NotEmpty', FieldName: 'Forms[0].Name', Message: 'Name must not be empty' },
              { errorcode: 'Email', fieldname: 'Forms[0].Signers[0].Email', message: 'No such domain' }
            ]
          }
        },
        400
      )
    )
    expect(error.serviceMessage).toBe('Two fields are wrong')
    expect(error.fields).toEqual([
      { field: 'Forms[0].Name', message: 'Name must not be empty' },
      { field: 'Forms[0].Signers[0].Email', message: 'No such domain' }
    ])
    expect(JSON.stringify({ ...error, text: error.message })).not.toContain('Api.cs')
  })

  test('loses a stack trace', async () => {
    const message =
      'Object reference not set\r\n   at Signing.Api.Send(Request r) in C:\\src\\Api.cs:line 12\r\n   at X'
    const error = await sendRefused(json({ ResponseStatus: { Message: message } }, 500))
    expect(error.serviceMessage).toBe('Object reference not set')
  })

  test('becomes one line of bounded length, without control or direction characters', async () => {
    const message = `Safe\u202egnp.exe\u0007 \n\n ${'x'.repeat(5000)}`
    const error = await sendRefused(json({ ResponseStatus: { Message: message } }, 400))
    expect(error.serviceMessage).toHaveLength(500)
    expect(error.serviceMessage?.startsWith('Safe gnp.exe xxx')).toBe(true)
  })

  test('keeps markup as text', async () => {
    const error = await sendRefused(json({ ResponseStatus: { Message: '<img src=x onerror=alert(1)>' } }, 400))
    expect(error.serviceMessage).toBe('<img src=x onerror=alert(1)>')
  })

  test.each([
    ['an HTML page', body('<html><h1>502 Bad Gateway</h1></html>', 502, { 'content-type': 'text/html' })],
    ['nothing', body('', 502)],
    ['another JSON', json([1, 2], 502)],
    ['a string', json('no', 502)],
    ['an invalid ResponseStatus', json({ ResponseStatus: 'Error' }, 502)],
    ['invalid Errors', json({ ResponseStatus: { Message: 7, Errors: 'a' } }, 502)],
    ['a huge body', body(`{"ResponseStatus":{"Message":"${'x'.repeat(1_000_000)}"}}`, 502)],
    ['a body cut off', body('{"ResponseStatus":{"Message":"Tr', 502)]
  ])('%s beside a status gives no message, but the status still counts', async (_what, answer) => {
    const error = await sendRefused(answer)
    expect(error).toMatchObject({ code: 'server', status: 502 })
    expect(error.serviceMessage).toBeUndefined()
  })

  test('isn’t needed: an error whose body breaks off keeps its status', async () => {
    const error = await sendRefused((_asked, response) => {
      response.writeHead(403, { 'content-length': 500 })
      response.write('{', () => response.socket?.resetAndDestroy())
    })
    expect(error).toMatchObject({ code: 'forbidden', mayHaveArrived: false })
  })

  test('doesn’t show a secret that the service repeats', async () => {
    const service = await serve((request, ...rest) =>
      json(
        {
          ResponseStatus: {
            Message: `Bad key ${request.headers['x-custom-api-key']}, ${request.headers.authorization}`
          }
        },
        401
      )(request, ...rest)
    )
    const authentication = createAuthentication(
      { scheme: 'bearer', token: () => 'tok-very-secret', apiKey: aKey },
      { clock: Date.now }
    )
    const error = await errorOf(clientOf(service.url, { authentication }).getTemplateList())
    expect(error.serviceMessage).toBe('Bad key •••, Bearer •••')
  })

  test('is not in the error’s own text, and neither is the request', async () => {
    const error = await sendRefused(json({ ResponseStatus: { Message: 'mia.tane@example.com is unknown' } }, 400))
    expect(error.message).toBe('FormDirect/SendForms2: invalid (400)')
    expect(error.stack).not.toContain('mia.tane')
    expect(error.cause).toBeUndefined()
  })
})
