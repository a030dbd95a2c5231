/**
 * The signed document, from wherever the service says it is: what is fetched, who gets which headers, and what else may
 * be returned.
 */
import { describe, expect, test } from 'vitest'
import { asAppError } from '../../src/main/core/errors/app-error.ts'
import { troubleOf } from '../../src/main/core/jobs/retry-policy.ts'
import { createAuthentication, type ServiceError } from '../../src/main/core/service/index.ts'
import type { SignedDocumentOptions } from '../../src/main/core/service/signed-document.ts'
import { errorText } from '../../src/shared/contract/errors.ts'
import { pdfOf } from '../fixtures/pdfs.ts'
import { aKey, clientOf, errorOf, onlyOneAttempt } from './client-factory.ts'
import { type Answering, serve } from './hand-written-service.ts'

const PDF = Buffer.from(pdfOf([{ lines: ['Lease, signed'] }]))
const authentication = createAuthentication({ scheme: 'api-key', ...aKey }, { clock: Date.now })

/** A service whose validation names this address, and which serves `doc` at its own `/doc`. */
async function saying(address: (url: string) => unknown, doc: Answering = (_asked, response) => response.end(PDF)) {
  const service = await serve((recorded, response, request) => {
    if (recorded.url.startsWith('/doc')) return doc(recorded, response, request)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ Signatures: [], DocumentURL: address(service.url), DocumentName: 'Lease' }))
  })
  return service
}

const fetched = async (url: string, options: SignedDocumentOptions = {}) => {
  const client = clientOf(url, { authentication, limits: onlyOneAttempt })
  const { bytes, from } = await client.downloadSignedDocument('d-1', options)
  const pieces: Uint8Array[] = []
  for await (const piece of bytes) pieces.push(piece)
  return { pdf: Buffer.concat(pieces), from }
}

describe('a signed document arrives complete', () => {
  test.each([
    ['an address of its own', (url: string) => `${url}/doc/1?t=once`],
    ['an address without a host', () => '/doc/1?t=once']
  ])('from %s, signed like every other request', async (_what, address) => {
    const service = await saying(address)
    const { pdf, from } = await fetched(service.url)
    expect(pdf.equals(PDF)).toBe(true)
    expect(from).toBeUndefined()
    expect(service.requests.map(({ url }) => url)).toEqual(['/Document/Validation/d-1', '/doc/1?t=once'])
    expect(service.requests[1]?.headers['x-custom-api-key']).toBe(aKey.key)
  })

  test('from another host, which receives none of the account’s credentials', async () => {
    const service = await saying(() => 'https://www.sign.example.com/doc/1')
    const requests: { url: string; headers: Headers }[] = []
    const client = clientOf(service.url, {
      authentication,
      limits: onlyOneAttempt,
      fetch: async (url, init) => {
        if (!url.startsWith('https:')) return fetch(url, init)
        requests.push({ url, headers: new Headers(init.headers) })
        return new Response(new Uint8Array(PDF))
      }
    })
    const { bytes, from } = await client.downloadSignedDocument('d-1')
    const pieces: Uint8Array[] = []
    for await (const piece of bytes) pieces.push(piece)
    expect(Buffer.concat(pieces).equals(PDF)).toBe(true)
    expect(from).toBe('https://www.sign.example.com')
    expect(requests.map(({ url, headers }) => [url, [...headers.keys()]])).toEqual([
      ['https://www.sign.example.com/doc/1', ['accept']]
    ])
    // If a person has accepted documents from another origin, this one isn't fetched automatically.
    const error = await errorOf(client.downloadSignedDocument('d-1', { allowedOrigins: ['https://files.example.com'] }))
    expect(error).toMatchObject({ finding: 'another-place', movedTo: 'https://www.sign.example.com' })
    expect(requests).toHaveLength(1)
  })
})

describe('a document host of its own', () => {
  const away = (code: string) => Promise.reject(Object.assign(new TypeError('fetch failed'), { cause: { code } }))
  test.each<[string, () => Promise<Response>]>([
    ['has a bad certificate', () => away('CERT_HAS_EXPIRED')],
    ['isn’t found', () => away('ENOTFOUND')],
    ['takes no connection', () => away('ECONNREFUSED')],
    ['can’t be reached from here', () => away('EHOSTUNREACH')],
    ...[402, 426, 429, 500, 503, 511].map((status): [string, () => Promise<Response>] => [
      `answers ${status}`,
      async () => new Response(null, { status })
    ])
  ])('that %s says nothing about the account, and is retried', async (_what, elsewhere) => {
    const service = await saying(() => 'https://www.sign.example.com/doc/1')
    const client = clientOf(service.url, {
      limits: onlyOneAttempt,
      fetch: (url, init) => (url.startsWith('https:') ? elsewhere() : fetch(url, init))
    })
    const error = await errorOf(client.downloadSignedDocument('d-1'))
    expect(error).toMatchObject({ finding: 'place-away', asked: 'signed' })
    expect(troubleOf(error, asAppError(error))).toBe('attempt')
  })
})

describe('addresses from which a document is never fetched', () => {
  test.each([
    'http://www.sign.example.com/doc/1',
    'https://10.1.2.3/doc/1',
    'https://127.0.0.1:8443/doc/1',
    'https://[::1]/doc/1',
    'https://printer/doc/1',
    'https://nas.local/doc/1',
    'https://2130706433/doc/1',
    'https://mere:secret@www.sign.example.com/doc/1',
    'https://192.168.1.20/doc/1',
    '//192.168.1.20/doc/1',
    '\\\\10.1.2.3\\doc\\1',
    'file:///etc/passwd',
    'file://10.1.2.3/doc/1',
    'javascript:alert(1)',
    'data:application/pdf,%PDF-1.7',
    'blob:HOME/doc/1',
    'filesystem:HOME/doc/1',
    'https://'
  ])('%s', async (address) => {
    const service = await saying((url) => address.replace('HOME', url))
    const urls: string[] = []
    const client = clientOf(service.url, {
      limits: onlyOneAttempt,
      fetch: (url, init) => {
        urls.push(url)
        return fetch(url, init)
      }
    })
    expect(await errorOf(client.downloadSignedDocument('d-1'))).toMatchObject({ asked: 'signed', finding: 'elsewhere' })
    expect(urls).toHaveLength(1)
  })

  test.each([
    ['an office address', 'https://sign.example.com', '10.1.2.3', { finding: 'elsewhere' }],
    ['this computer', 'https://sign.example.com', '127.0.0.1', { finding: 'elsewhere' }],
    ['no address', 'https://sign.example.com', undefined, { finding: 'place-away' }],
    ['another public address', 'https://sign.example.com', '192.1.2.3', undefined],
    ['an office address, if the service is there too', 'https://sign.intranet.example.com', '10.1.2.3', undefined]
  ])('a name that resolves to %s', async (_what, baseUrl, leadsTo, expected) => {
    const isThere = leadsTo !== undefined
    const client = clientOf(baseUrl, {
      limits: onlyOneAttempt,
      fetch: async (url) => {
        if (url.startsWith(baseUrl)) return Response.json({ DocumentURL: 'https://files.intranet.example.com/1' })
        return isThere ? new Response(new Uint8Array(PDF)) : Promise.reject(new Error('net::ERR_NAME_NOT_RESOLVED'))
      },
      lookup: async (name) => {
        if (name === 'sign.example.com') return ['192.1.2.4']
        return isThere ? [leadsTo] : Promise.reject(new Error('net::ERR_NAME_NOT_RESOLVED'))
      }
    })
    const opened = client.downloadSignedDocument('d-1')
    if (expected) expect(await errorOf(opened)).toMatchObject(expected)
    else await expect(opened.then(({ cancel }) => cancel())).resolves.toBeUndefined()
  })

  test('a redirect to another origin', async () => {
    const other = await serve((_asked, response) => response.end(PDF))
    const service = await saying(
      (url) => `${url}/doc/1`,
      (_asked, response) => response.writeHead(302, { location: `${other.url}/doc` }).end()
    )
    expect(await errorOf(fetched(service.url))).toMatchObject({ finding: 'elsewhere' })
    expect(other.requests).toEqual([])
  })
})

const page = (body: string) => `<!doctype html><html><body>${body}</body></html>`
const answering =
  (status: number, body: string, type = 'text/html'): Answering =>
  (_asked, response) =>
    response.writeHead(status, { 'content-type': type }).end(body)

describe('other content in place of the document is recognised', () => {
  test.each<[string, Answering, Partial<ServiceError>, string]>([
    ['a page', answering(200, page('<h1>Lease</h1>')), { finding: 'page' }, 'a web page, not a PDF'],
    [
      'a sign-in page',
      answering(200, page('<form><input type="password"></form>')),
      { finding: 'not-let-in' },
      'needs a sign-in'
    ],
    ['401', answering(401, ''), { finding: 'not-let-in', code: 'forbidden' }, 'needs a sign-in'],
    ['403', answering(403, ''), { finding: 'not-let-in' }, 'needs a sign-in'],
    ['an expired link', answering(410, ''), { finding: 'expired', code: 'no-data' }, 'has expired'],
    ['nothing at the link', answering(404, ''), { finding: 'expired' }, 'has expired'],
    [
      'a page saying that it has expired',
      answering(200, page('This link has expired.')),
      { finding: 'expired' },
      'has expired'
    ],
    ['half a PDF', answering(200, '%PDF-1.7\n1 0 obj', 'application/pdf'), { finding: 'not-whole' }, 'is missing'],
    ['nothing', answering(200, '', 'application/pdf'), { finding: 'nothing' }, 'sent nothing'],
    [
      'a picture',
      answering(200, '\u0089PNG\r\n\u001a\n\u0000', 'image/png'),
      { finding: 'something-else' },
      'isn’t the signed document'
    ],
    [
      'an error with status 200',
      answering(200, '{"ResponseStatus":{"Message":"Sealing is under way."}}', 'application/json'),
      { finding: 'error', serviceMessage: 'Sealing is under way.' },
      'refused to send'
    ]
  ])('%s', async (_what, doc, expected, words) => {
    const service = await saying((url) => `${url}/doc/1`, doc)
    const error = await errorOf(fetched(service.url))
    expect(error).toMatchObject({
      asked: 'signed',
      operation: 'Document/Validation',
      mayHaveArrived: false,
      ...expected
    })
    expect(errorText(asAppError(error))).toContain(words)
  })

  test.each([undefined, null, '', '  '])('an answer without an address: %j', async (address) => {
    const service = await saying(() => address)
    const error = await errorOf(fetched(service.url))
    expect(error).toMatchObject({ finding: 'no-address', code: 'no-data' })
    expect(errorText(asAppError(error))).toContain('The service doesn’t say where the signed document is.')
    expect(service.requests).toHaveLength(1)
  })

  test('a key refused by the validation request itself is reported as for every other request', async () => {
    const service = await serve((_asked, response) => response.writeHead(401).end())
    const error = await errorOf(fetched(service.url))
    expect([error.code, error.asked]).toEqual(['unauthorised', undefined])
  })
})
