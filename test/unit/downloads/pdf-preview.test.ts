import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AuditNote } from '../../../src/main/core/audit/audit.ts'
import {
  MAX_PREVIEW_BYTES,
  openPdfPreviews,
  PART,
  type PdfPreviews,
  TIMEOUT
} from '../../../src/main/core/downloads/pdf-preview.ts'
import { asAppError } from '../../../src/main/core/errors/app-error.ts'
import { createAuthentication, createServiceClient } from '../../../src/main/core/service/index.ts'
import { pdfHandlers } from '../../../src/main/ipc/downloads.ts'
import { testTime } from '../../fixtures/own-time.ts'

let server: ReturnType<typeof createServer>
let answer: (response: ServerResponse) => void
let requests: string[]
/** Number of connections that the other side closed. */
let letGo: number
let noted: AuditNote[]
let time: ReturnType<typeof testTime>
let previews: PdfPreviews

beforeEach(async () => {
  requests = []
  noted = []
  letGo = 0
  server = createServer((request, response) => {
    requests.push(request.url ?? '')
    response.on('close', () => {
      if (!response.writableEnded) letGo++
    })
    answer(response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const client = createServiceClient({
    baseUrl: `http://127.0.0.1:${port}`,
    authentication: createAuthentication({ scheme: 'none' }, { clock: Date.now }),
    fetch,
    clock: Date.now,
    random: () => 0
  })
  time = testTime()
  let next = 0
  previews = openPdfPreviews({
    clientOf: async () => client,
    note: (record) => noted.push(record),
    newId: () => `look-${++next}`,
    time: time.run()
  })
})
afterEach(() => {
  previews.closeAll()
  server.closeAllConnections()
  server.close()
})

/** Returns a PDF of that many bytes, with no two kilobytes alike. */
function pdf(size: number): Buffer {
  const bytes = Buffer.alloc(size, 'x')
  for (let at = 0; at < size; at += 1024) bytes.writeUInt32BE(at, Math.min(at, size - 4))
  bytes.write('%PDF-1.7\n')
  bytes.write('\n%%EOF', size - 6)
  return bytes
}

async function read(id: string): Promise<{ bytes: Buffer; parts: number[] }> {
  const pieces: Uint8Array[] = []
  for (;;) {
    const { bytes, isLast } = await previews.next(id, 'office')
    pieces.push(bytes)
    if (isLast) return { bytes: Buffer.concat(pieces), parts: pieces.map(({ byteLength }) => byteLength) }
  }
}
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'nothing',
    (error) => asAppError(error).code
  )
const open = () => previews.open('office', 'DOC 1', 'Lease', 'identity')
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((wait) => setTimeout(wait, 5))
}

describe('previewing an identity check’s PDF', () => {
  test('delivers it completely, in parts of limited size', async () => {
    const file = pdf(3 * PART + 4321)
    answer = (response) => response.writeHead(200, { 'content-length': file.length }).end(file)
    const view = await open()
    expect(view).toEqual({ id: 'look-1', documentReference: 'DOC 1', documentName: 'Lease', length: file.length })
    const { bytes, parts } = await read(view.id)
    expect(bytes.equals(file)).toBe(true)
    // At most one network chunk more.
    expect(Math.max(...parts)).toBeLessThan(PART + 256 * 1024)
    expect(parts.length).toBeGreaterThan(2)
  })

  test('records it in the audit trail only once some of it has arrived', async () => {
    answer = (response) => response.writeHead(404).end()
    expect(await codeOf(open())).toBe('not-found')
    expect(noted).toEqual([])
    answer = (response) => response.end(pdf(2000))
    await open()
    expect(noted).toEqual([
      { what: 'identity-data-fetched', documentReference: 'DOC 1', documentName: 'Lease', detail: { as: 'preview' } }
    ])
  })

  test('is refused if its announced size is too large', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-length': MAX_PREVIEW_BYTES + 1 })
      response.write('%PDF-1.7')
    }
    expect(await codeOf(open())).toBe('too-large')
  })

  test('ends if it turns out to be too large, and drops what arrived', async () => {
    answer = (response) => {
      response.write('%PDF-1.7')
      const piece = Buffer.alloc(PART, 'x')
      const more = () => {
        while (!response.destroyed) if (!response.write(piece)) return void response.once('drain', more)
      }
      more()
    }
    const { id } = await open()
    expect(await codeOf(read(id))).toBe('too-large')
    expect(await codeOf(previews.next(id, 'office'))).toBe('gone')
    await until(() => letGo === 1)
  })

  test('drops it after its last part', async () => {
    answer = (response) => response.end(pdf(2000))
    const { id } = await open()
    await read(id)
    expect(await codeOf(previews.next(id, 'office'))).toBe('gone')
  })

  test('releases the connection when closed, and when the page stops reading', async () => {
    answer = (response) => {
      response.write(pdf(2 * PART))
    }
    const closed = await open()
    previews.close(closed.id)
    await until(() => letGo === 1)
    const forgotten = await open()
    await time.pass(TIMEOUT - 1)
    expect(letGo).toBe(1)
    await time.pass(2)
    await until(() => letGo === 2)
    expect(await codeOf(previews.next(forgotten.id, 'office'))).toBe('gone')
  })

  test('ends the previous preview', async () => {
    answer = (response) => {
      response.write(pdf(2 * PART))
    }
    const first = await open()
    const second = await open()
    await until(() => letGo === 1)
    expect(await codeOf(previews.next(first.id, 'office'))).toBe('gone')
    expect((await previews.next(second.id, 'office')).isLast).toBe(false)
  })

  test('cancels a previous preview that is still waiting for its answer', async () => {
    const waiting: ServerResponse[] = []
    answer = (response) => waiting.push(response)
    const first = codeOf(open())
    await until(() => waiting.length === 1)
    const second = open()
    await until(() => waiting.length === 2)
    for (const response of waiting) response.end(pdf(2000))
    expect(await first).toBe('cancelled')
    expect((await read((await second).id)).bytes.length).toBe(2000)
  })

  test('is limited to the account that opened it', async () => {
    answer = (response) => response.end(pdf(2000))
    const { id } = await open()
    expect(await codeOf(previews.next(id, 'another'))).toBe('gone')
    expect((await read(id)).bytes.length).toBe(2000)
  })

  test('ends when another account is chosen, but not when its own stays shown', async () => {
    answer = (response) => {
      response.write(pdf(2 * PART))
    }
    const { id } = await open()
    previews.closeOthers(['office'])
    expect((await previews.next(id, 'office')).isLast).toBe(false)
    previews.closeOthers(['another'])
    await until(() => letGo === 1)
    expect(await codeOf(previews.next(id, 'office'))).toBe('gone')
  })

  test('fails if the connection breaks, rather than ending early', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-length': 2 * PART })
      response.write(pdf(2 * PART).subarray(0, 5000), () => response.destroy())
    }
    const { id } = await open()
    expect(await codeOf(read(id))).not.toBe('nothing')
  })
})

describe('preview requests', () => {
  const parts = (isPrinted = true) =>
    pdfHandlers({
      accounts: { shownIds: () => ['office'] } as never,
      ask: (async (_what: string, { reference }: { reference: string }) =>
        reference === 'DOC 1' ? { document: { Name: 'Lease' } } : undefined) as never,
      previews,
      print: async () => isPrinted
    })
  const context = { from: 'office', stillAsking: () => true } as const

  test('show only documents that have been read from the service', async () => {
    answer = (response) => response.end(pdf(2000))
    const handlers = parts()
    expect(await handlers['pdf.open']({ reference: 'DOC 1', kind: 'identity' }, context)).toMatchObject({
      documentName: 'Lease'
    })
    expect(await codeOf(handlers['pdf.open']({ reference: '../secret', kind: 'identity' }, context))).toBe('gone')
    expect(requests).toHaveLength(1)
  })

  test('tell printing from a cancelled dialog', async () => {
    expect(await parts(false)['pdf.print'](undefined, context)).toEqual({ isPrinted: false })
    expect(await parts()['pdf.print'](undefined, context)).toEqual({ isPrinted: true })
  })
})

test('a signed document opened before its account’s address changed doesn’t approve the new service', async () => {
  const file = pdf(2 * PART)
  answer = (response) => response.end(response.req.url?.startsWith('/doc') ? file : '{"DocumentURL":"/doc/1"}')
  const { id } = await previews.open('office', 'd-1', 'Lease', 'signed')
  previews.forgetSigned('office')
  expect(await codeOf(read(id))).toBe('gone')
  expect(() => previews.signedFrom('office')).toThrow('not-allowed')
  await read((await previews.open('office', 'd-1', 'Lease', 'signed')).id)
  expect(previews.signedFrom('office')).toBeUndefined()
})
