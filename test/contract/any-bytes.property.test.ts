/** Any bytes as an HTTP body, or in place of HTTP: the result is a value or a ServiceError, never anything else. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isServiceError, type ServiceClient } from '../../src/main/core/service/index.ts'
import { activeDocuments } from '../fixtures/active-documents.ts'
import { clientOf, hastyLimits } from './client-factory.ts'
import { body, serve, serveBytes } from './hand-written-service.ts'
import { aDocument, aFormDirectRequest, aNotaryAssignment, someEmployers } from './sample-requests.ts'

const good = Buffer.from(JSON.stringify([aDocument(), { PackageReference: 'p', Documents: [aDocument()] }]))

/** Noise, JSON, and valid answers with bytes removed, inserted or flipped. */
const anyBytes: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.uint8Array({ maxLength: 400 }),
  fc.json().map((text) => Buffer.from(text)),
  fc
    .tuple(fc.nat(good.length), fc.nat(good.length), fc.uint8Array({ maxLength: 8 }))
    .map(([one, other, between]) =>
      Buffer.concat([good.subarray(0, Math.min(one, other)), between, good.subarray(Math.max(one, other))])
    )
)

const calls: ((client: ServiceClient) => Promise<unknown>)[] = [
  (client) => activeDocuments(client, 'InBox'),
  (client) => client.getTemplateList(),
  (client) => client.getRecipients(),
  (client) => client.validateSignatures('d-1'),
  (client) => client.getIDVerification('d-1'),
  (client) => client.getAccountInfo(),
  (client) => client.sendForms2(aFormDirectRequest()),
  (client) => client.sendForms(aFormDirectRequest()),
  (client) => client.updateEmployers(someEmployers()),
  (client) => client.assignQueueDocument(aNotaryAssignment()),
  async (client) => {
    const download = await client.downloadIDVerificationPdf('d-1')
    for await (const _piece of download.bytes);
  }
]

const anyStatus = fc.oneof(
  fc.constant(200),
  fc.constantFrom(201, 202, 203, 206, 300, 302, 400, 401, 404, 406, 422, 429, 500, 503)
)
const anyType = fc.constantFrom(
  'application/json',
  'application/json; charset=utf-16',
  'text/html; charset=shift_jis',
  'application/pdf',
  ';;;',
  ''
)

async function endsWell(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!isServiceError(error)) throw error
    expect(error.operation).toMatch(/^[A-Za-z]+\/[A-Za-z0-9]+$/)
    expect(error.message.length).toBeLessThan(300)
  })
}

describe('arbitrary bytes', () => {
  test('as a body, end in a value or a ServiceError', async () => {
    let answer: Parameters<typeof body> = ['']
    const service = await serve((...call) => body(...answer)(...call))
    const client = clientOf(service.url, { limits: hastyLimits(5_000) })
    await fc.assert(
      fc.asyncProperty(anyBytes, anyStatus, anyType, fc.constantFrom(...calls), async (bytes, status, type, call) => {
        answer = [bytes, status, type ? { 'content-type': type } : {}]
        await endsWell(call(client))
      }),
      { numRuns: 600 }
    )
  })

  test('in place of HTTP, end in a value or a ServiceError', async () => {
    let response: Uint8Array = new Uint8Array()
    const service = await serveBytes((socket) => socket.end(response))
    const client = clientOf(service.url, { limits: hastyLimits(5_000) })
    const head = fc.constantFrom(
      '',
      'HTTP/1.1 200 OK\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n',
      'HTTP/1.1 204 No Content\r\n\r\n',
      'HTTP/1.1 302 Found\r\nLocation: \u0001\r\n\r\n',
      'HTTP/1.1 999 \r\n\r\n',
      'HTTP/9.9 200 OK\r\n'
    )
    await fc.assert(
      fc.asyncProperty(head, anyBytes, fc.constantFrom(...calls), async (start, bytes, call) => {
        response = Buffer.concat([Buffer.from(start), bytes])
        await endsWell(call(client))
      }),
      { numRuns: 300 }
    )
  })
})
