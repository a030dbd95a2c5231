/** ID-verification data: the PDF in pieces, and the records. */
import { describe, expect, test } from 'vitest'
import type { PdfDownload } from '../../src/main/core/service/index.ts'
import { clientOf, errorOf, hastyLimits } from './client-factory.ts'
import { body, json, serve } from './hand-written-service.ts'

const pdf = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(300_000, 7), Buffer.from('\n%%EOF\n')])

async function bytesOf({ bytes }: PdfDownload): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of bytes) pieces.push(piece)
  return Buffer.concat(pieces)
}

describe('ID-verification data as PDF', () => {
  test('arrives with every byte, its length and its progress', async () => {
    const service = await serve(
      body(pdf, 200, { 'content-type': 'application/pdf', 'content-length': String(pdf.length) })
    )
    const progress: number[] = []
    const download = await clientOf(service.url).downloadIDVerificationPdf('d/1', {
      onProgress: ({ received, length }) => {
        expect(length).toBe(pdf.length)
        progress.push(received)
      }
    })
    expect(download.length).toBe(pdf.length)
    expect((await bytesOf(download)).equals(pdf)).toBe(true)
    expect(service.requests[0]?.url).toBe('/Download/IDVerification/d%2F1/pdf')
    expect(service.requests[0]?.headers.accept).toMatch(/^application\/pdf/)
    expect(progress.at(-1)).toBe(pdf.length)
    expect(progress).toEqual([...progress].sort((one, other) => one - other))
  })

  test('is recognised even if it arrives byte by byte', async () => {
    const service = await serve(async (_asked, response) => {
      for (const byte of pdf.subarray(0, 12)) {
        response.write(Buffer.from([byte]))
        await new Promise((next) => setTimeout(next, 5))
      }
      response.end(pdf.subarray(12))
    })
    const download = await clientOf(service.url).downloadIDVerificationPdf('d-1')
    expect(download.length).toBeUndefined()
    expect((await bytesOf(download)).equals(pdf)).toBe(true)
  })

  test.each([
    ['a page', '<html>Sorry</html>'],
    ['JSON', '[{"DocId":"1"}]'],
    ['too little', '%PD'],
    ['a PDF further down', `${'x'.repeat(2000)}%PDF-1.7`]
  ])('%s is not a PDF', async (_what, bytes) => {
    const service = await serve(body(bytes, 200, { 'content-type': 'application/pdf' }))
    expect((await errorOf(clientOf(service.url).downloadIDVerificationPdf('d-1'))).code).toBe('not-a-pdf')
  })

  test('throws after its last bytes when the connection breaks', async () => {
    const service = await serve((_asked, response) => {
      response.writeHead(200, { 'content-length': pdf.length })
      response.write(pdf.subarray(0, 1000), () => setTimeout(() => response.socket?.resetAndDestroy(), 30))
    })
    const download = await clientOf(service.url).downloadIDVerificationPdf('d-1')
    expect(await errorOf(bytesOf(download))).toMatchObject({
      code: 'interrupted',
      operation: 'Download/IDVerification'
    })
  })

  test('times out when it stalls', async () => {
    const service = await serve((_asked, response) => {
      response.writeHead(200)
      response.write(pdf.subarray(0, 1000))
    })
    const download = await clientOf(service.url, { limits: hastyLimits(80) }).downloadIDVerificationPdf('d-1')
    expect((await errorOf(bytesOf(download))).code).toBe('timeout')
  })

  test('can be cancelled midway by the caller', async () => {
    const cancel = new AbortController()
    const service = await serve((_asked, response) => {
      response.writeHead(200)
      response.write(pdf.subarray(0, 1000))
    })
    const download = await clientOf(service.url).downloadIDVerificationPdf('d-1', { signal: cancel.signal })
    setTimeout(() => cancel.abort(), 20)
    expect((await errorOf(bytesOf(download))).code).toBe('cancelled')
  })

  test('releases the connection when cancelled', async () => {
    let closed: (() => void) | undefined
    const clientGone = new Promise<void>((done) => {
      closed = done
    })
    const service = await serve((_asked, response) => {
      response.on('close', () => closed?.())
      response.writeHead(200)
      response.write(pdf)
    })
    const download = await clientOf(service.url).downloadIDVerificationPdf('d-1')
    await download.cancel()
    await clientGone
  })

  test('releases the connection when its reader stops early', async () => {
    let closed: (() => void) | undefined
    const clientGone = new Promise<void>((done) => {
      closed = done
    })
    const service = await serve((_asked, response) => {
      response.on('close', () => closed?.())
      response.writeHead(200)
      response.write(pdf)
    })
    const download = await clientOf(service.url).downloadIDVerificationPdf('d-1')
    for await (const _piece of download.bytes) break
    await clientGone
  })

  test('is stopped when larger than the limit', async () => {
    const service = await serve((_asked, response) => response.writeHead(200).end(pdf))
    const call = clientOf(service.url).downloadIDVerificationPdf('d-1', { maxBytes: 100_000 })
    expect((await errorOf(call.then(bytesOf))).code).toBe('too-large')
  })

  test('passes on the service’s reason for a refusal', async () => {
    const service = await serve(json({ ResponseStatus: { Message: 'No verification was requested' } }, 404))
    const error = await errorOf(clientOf(service.url).downloadIDVerificationPdf('d-1'))
    expect(error).toMatchObject({ code: 'not-found', serviceMessage: 'No verification was requested' })
  })
})

describe('ID-verification data as records', () => {
  test('is read', async () => {
    const record = {
      DocClass: 'Passport',
      IsPassed: 'True',
      FaceMatchScore: 97.5,
      Attentions: [{ Name: 'Glare', Detail: 'x' }]
    }
    const service = await serve(json([record]))
    const { items } = await clientOf(service.url).getIDVerification('d-1')
    expect(service.requests[0]?.url).toBe('/Download/IDVerification/d-1/json')
    expect(items).toEqual([{ ...record, IsPassed: true, FaceMatchScore: '97.5' }])
  })
})
