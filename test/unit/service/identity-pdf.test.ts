/** What is accepted as a whole PDF, in whatever form it comes, and what never is. */
import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createAuthentication, type PdfDownload, type ServiceClient } from '../../../src/main/core/service/index.ts'
import { aKey, clientOf, errorOf, onlyOneAttempt } from '../../contract/client-factory.ts'
import { type Answering, body, json, serve, serveBytes } from '../../contract/hand-written-service.ts'
import { aLinearisedPdf, aPdf, aPdfOfTwoRevisions, pdfOf } from './identity/a-pdf.ts'

async function bytesOf(download: PdfDownload): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of download.bytes) pieces.push(piece)
  return Buffer.concat(pieces)
}
const fetched = async (client: ServiceClient) => bytesOf(await client.downloadIDVerificationPdf('d-1'))
const from = async (answering: Answering) =>
  clientOf((await serve(answering)).url, { limits: onlyOneAttempt }).downloadIDVerificationPdf('d-1')
const typed = (type: string) => ({ 'content-type': type })

const base64 = aPdf.toString('base64')
const lines = base64.replace(/.{20}/g, '$&\r\n')
const url = base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')

describe('a complete PDF', () => {
  test.each<[string, Answering]>([
    ['with another content type', body(aPdf, 200, typed('text/html'))],
    ['without a content type', body(aPdf)],
    ['compressed', body(gzipSync(aPdf), 200, { 'content-encoding': 'gzip' })],
    ['of two revisions', body(aPdfOfTwoRevisions)],
    ['linearised', body(aLinearisedPdf)],
    ['behind a byte order mark', body(Buffer.concat([Buffer.from('efbbbf', 'hex'), aPdf]))],
    ['behind 1,024 bytes of rubbish', body(Buffer.concat([Buffer.alloc(1024, 'x'), aPdf]))],
    ['before blank lines and noughts', body(Buffer.concat([aPdf, Buffer.from('\r\n\0\0\0')]))],
    ['before a page of rubbish', body(Buffer.concat([aPdf, Buffer.alloc(1000, '<br>')]))],
    ['as the whole of a part', body(aPdf, 206, { 'content-range': `bytes 0-${aPdf.length - 1}/${aPdf.length}` })]
  ])('%s arrives byte for byte', async (_how, answering) => {
    const pdf = await bytesOf(await from(answering))
    expect(pdf.includes(aPdf.subarray(0, 100)) || pdf.equals(aLinearisedPdf)).toBe(true)
    expect(pdf.subarray(-1100).includes('%%EOF')).toBe(true)
  })

  test.each<[string, Answering]>([
    ['as text', body(base64, 200, typed('text/plain'))],
    ['with the type of a PDF', body(base64, 200, typed('application/pdf'))],
    ['in lines', body(`\r\n${lines}\r\n`)],
    ['in the alphabet of addresses, without padding', body(url)],
    ['with a prefix', body(`data:application/pdf;base64,${base64}`)],
    ['behind a byte order mark', body(`\uFEFF${base64}`)],
    ['in a JSON string', json(base64)],
    ['in a JSON string of an announced length', json(base64, 200, { 'content-length': String(base64.length + 2) })],
    ['in a JSON string with line breaks', json(lines)],
    ['in a JSON string with a prefix', json(`data:application/pdf;base64,${base64}`)],
    ['in a JSON string with escapes', body(`"${base64.replaceAll('/', '\\/').replace('A', '\\u0041')}"`)],
    ['in a JSON string, compressed', body(gzipSync(JSON.stringify(base64)), 200, { 'content-encoding': 'gzip' })],
    ['in a member', json({ FileName: 'é.pdf', Data: base64, Size: aPdf.length })],
    ['in a member of a member of a list', json([{ Files: [{ Name: 'a "b" c', Content: lines }] }])]
  ])('as base64 %s arrives decoded', async (_how, answering) => {
    const download = await from(answering)
    expect((await bytesOf(download)).equals(aPdf)).toBe(true)
    // The announced length is that of something else.
    expect(download.length).toBeUndefined()
  })

  test('in base64 arrives decoded, wherever it is cut', async () => {
    // Longer than the part checked before decoding, with every base64 character in it.
    const pdf = Buffer.concat([aPdf.subarray(0, 100), randomBytes(3000), aPdf.subarray(100)])
    const inLines = pdf.toString('base64').replace(/.{30}/g, '$&\r\n')
    const text = JSON.stringify({ Name: 'x', Data: `data:application/pdf;base64,${inLines}` })
      .replaceAll('/', '\\u002F')
      .replaceAll('+', '\\u002b')
    let cuts: number[] = []
    const service = await serve(async (_asked, response) => {
      response.writeHead(200)
      let at = 0
      for (const cut of [...cuts, text.length]) {
        response.write(text.slice(at, cut))
        at = cut
        await new Promise(setImmediate)
      }
      response.end()
    })
    const client = clientOf(service.url)
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 1, max: text.length - 1 }), { maxLength: 30 }),
        async (some) => {
          cuts = some.sort((one, other) => one - other)
          expect((await fetched(client)).equals(pdf)).toBe(true)
        }
      ),
      { numRuns: 60 }
    )
  })
})

const crlf = '\r\n'
const closing = (bytes: Buffer) => Buffer.concat([Buffer.from(`HTTP/1.1 200 OK${crlf}${crlf}`), bytes])
const ways: [string, (file: Buffer, cut: number) => Buffer][] = [
  [
    'with a stated length',
    (file, cut) =>
      Buffer.concat([
        Buffer.from(`HTTP/1.1 200 OK${crlf}Content-Length: ${file.length}${crlf}${crlf}`),
        file.subarray(0, cut)
      ])
  ],
  ['of no announced length', (file, cut) => closing(file.subarray(0, cut))],
  [
    'in chunks, ended as if complete',
    (file, cut) =>
      Buffer.concat([
        Buffer.from(`HTTP/1.1 200 OK${crlf}Transfer-Encoding: chunked${crlf}${crlf}`),
        ...(cut > 0 ? [Buffer.from(`${cut.toString(16)}${crlf}`), file.subarray(0, cut), Buffer.from(crlf)] : []),
        Buffer.from(`0${crlf}${crlf}`)
      ])
  ],
  [
    'in a chunk that isn’t ended',
    (file, cut) =>
      Buffer.concat([
        Buffer.from(`HTTP/1.1 200 OK${crlf}Transfer-Encoding: chunked${crlf}${crlf}${file.length.toString(16)}${crlf}`),
        file.subarray(0, cut)
      ])
  ]
]

describe('a truncated PDF', () => {
  test.each(ways)('%s is never taken for complete, wherever it is cut', async (_how, answerOf) => {
    await neverWhole(aPdf, answerOf)
  })

  test.each(ways)('%s, linearised, is never taken for complete', async (_how, answerOf) => {
    await neverWhole(aLinearisedPdf, answerOf)
  })

  test.each(ways)('%s, as base64, is never taken for complete', { tags: ['full'] }, async (_how, answerOf) => {
    await neverWhole(Buffer.from(JSON.stringify({ Data: base64 })), answerOf)
  })

  test('that is compressed is never taken for complete', async () => {
    const packed = gzipSync(aPdf, { level: 0 })
    // Leave out gzip's trailing checksum and length: without them all of the PDF is there.
    await neverWhole(packed.subarray(0, -8), (bytes, cut) =>
      Buffer.concat([Buffer.from(`HTTP/1.1 200 OK${crlf}Content-Encoding: gzip${crlf}${crlf}`), bytes.subarray(0, cut)])
    )
  })

  async function neverWhole(bytes: Buffer, answerOf: (file: Buffer, cut: number) => Buffer): Promise<void> {
    let cut = bytes.length
    const service = await serveBytes((socket) => socket.end(answerOf(bytes, cut)))
    const client = clientOf(service.url, { limits: onlyOneAttempt })
    for (cut = 0; cut < bytes.length; cut++) {
      const error = await errorOf(fetched(client))
      expect([cut, error.code]).toEqual([cut, expect.stringMatching(/^(interrupted|incomplete|no-data|not-a-pdf)$/)])
    }
  }
})

describe('the Content-Length', () => {
  const announcing = (length: number, headers: Record<string, string> = {}) =>
    clientOf('http://service.example.org', {
      limits: onlyOneAttempt,
      fetch: async () =>
        new Response(new Uint8Array(aPdf), { headers: { 'content-length': String(length), ...headers } })
    })

  test.each([-1, 1])('off by %i byte makes the PDF incomplete, even if fetch accepted it', async (more) => {
    expect(await errorOf(fetched(announcing(aPdf.length + more)))).toMatchObject({
      code: 'incomplete',
      finding: 'not-whole'
    })
  })

  test('of a compressed answer counts other bytes, and is ignored', async () => {
    // As Electron's net answers: already decompressed, with the original headers.
    const download = await announcing(40, { 'content-encoding': 'gzip' }).downloadIDVerificationPdf('d-1')
    expect(download.length).toBeUndefined()
    expect((await bytesOf(download)).equals(aPdf)).toBe(true)
  })
})

test('a long page of white space is recognised without delay', async () => {
  const before = process.threadCpuUsage()
  const error = await errorOf(from(body(`${' '.repeat(200_000)}<html>`)))
  const { user } = process.threadCpuUsage(before)
  expect(error.code).toBe('not-a-pdf')
  expect(user / 1000).toBeLessThan(1_000)
})

test('an error in place of the PDF is shown without the account’s secrets', async () => {
  const service = await serve(json({ ResponseStatus: { Message: `Key ${aKey.key} with ${aKey.secret} is asleep` } }))
  const authentication = createAuthentication({ scheme: 'api-key', ...aKey }, { clock: Date.now })
  const client = clientOf(service.url, { authentication })
  for (const call of [fetched(client), client.getIDVerification('d-1')]) {
    expect((await errorOf(call)).serviceMessage).toBe('Key ••• with ••• is asleep')
  }
})

describe('a large PDF', () => {
  test.each([
    ['as it is', (pdf: Buffer) => pdf],
    ['as base64', (pdf: Buffer) => Buffer.from(JSON.stringify(pdf.toString('base64')))]
  ])('of 64 MB %s arrives in small pieces', async (_how, encoded) => {
    const piece = encoded(pdfOf(64 * 1024 * 1024))
    const service = await serve((_asked, response) => response.end(piece))
    const download = await clientOf(service.url).downloadIDVerificationPdf('d-1')
    let most = 0
    let bytes = 0
    for await (const one of download.bytes) {
      bytes += one.byteLength
      most = Math.max(most, one.byteLength)
    }
    expect(bytes).toBe(64 * 1024 * 1024)
    expect(most).toBeLessThan(1024 * 1024)
  })
})
