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
import { createAuthentication, createServiceClient } from '../../../src/main/core/service/index.ts'
import { pdfHandlers } from '../../../src/main/ipc/downloads.ts'
import { asAppError } from '../../../src/main/ipc/errors.ts'
import { testTime } from '../../fixtures/own-time.ts'

let server: ReturnType<typeof createServer>
let answer: (response: ServerResponse) => void
let asked: string[]
/** Number of connections that the other side closed. */
let letGo: number
let noted: AuditNote[]
let time: ReturnType<typeof testTime>
let previews: PdfPreviews

beforeEach(async () => {
  asked = []
  noted = []
  letGo = 0
  server = createServer((request, response) => {
    asked.push(request.url ?? '')
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

describe('an identity check’s PDF on its way to the page', () => {
  test('comes whole, byte for byte, in parts of a bounded size', async () => {
    const whole = pdf(3 * PART + 4321)
    answer = (response) => response.writeHead(200, { 'content-length': whole.length }).end(whole)
    const view = await open()
    expect(view).toEqual({ id: 'look-1', documentReference: 'DOC 1', documentName: 'Lease', length: whole.length })
    const { bytes, parts } = await read(view.id)
    expect(bytes.equals(whole)).toBe(true)
    // At most one network chunk more.
    expect(Math.max(...parts)).toBeLessThan(PART + 256 * 1024)
    expect(parts.length).toBeGreaterThan(2)
  })

  test('is in the audit trail once something of it has come, and only then', async () => {
    answer = (response) => response.writeHead(404).end()
    expect(await codeOf(open())).toBe('not-found')
    expect(noted).toEqual([])
    answer = (response) => response.end(pdf(2000))
    await open()
    expect(noted).toEqual([
      { what: 'identity-data-fetched', documentReference: 'DOC 1', documentName: 'Lease', detail: { as: 'preview' } }
    ])
  })

  test('is refused where it says that it is larger than what is shown', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-length': MAX_PREVIEW_BYTES + 1 })
      response.write('%PDF-1.7')
    }
    expect(await codeOf(open())).toBe('too-large')
  })

  test('ends where it turns out to be larger than it said, and nothing of it stays', async () => {
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

  test('is gone from here with its last part', async () => {
    answer = (response) => response.end(pdf(2000))
    const { id } = await open()
    await read(id)
    expect(await codeOf(previews.next(id, 'office'))).toBe('gone')
  })

  test('is let go of when it is closed, and when a page asks for nothing any more', async () => {
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

  test('ends the one before it', async () => {
    answer = (response) => {
      response.write(pdf(2 * PART))
    }
    const first = await open()
    const second = await open()
    await until(() => letGo === 1)
    expect(await codeOf(previews.next(first.id, 'office'))).toBe('gone')
    expect((await previews.next(second.id, 'office')).isLast).toBe(false)
  })

  test('is asked for once while the other is still waited for, whichever comes first', async () => {
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

  test('is nobody’s but the account’s that asked for it', async () => {
    answer = (response) => response.end(pdf(2000))
    const { id } = await open()
    expect(await codeOf(previews.next(id, 'another'))).toBe('gone')
    expect((await read(id)).bytes.length).toBe(2000)
  })

  test('ends where another account is chosen, and not where its own is set otherwise', async () => {
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

  test('a line that breaks is told, and what came is not taken for all of it', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-length': 2 * PART })
      response.write(pdf(2 * PART).subarray(0, 5000), () => response.destroy())
    }
    const { id } = await open()
    expect(await codeOf(read(id))).not.toBe('nothing')
  })
})

describe('the requests', () => {
  const parts = (isPrinted = true) =>
    pdfHandlers({
      accounts: { shownIds: () => ['office'] } as never,
      ask: (async (_what: string, { reference }: { reference: string }) =>
        reference === 'DOC 1' ? { document: { Name: 'Lease' } } : undefined) as never,
      previews,
      print: async () => isPrinted
    })
  const context = { from: 'office', stillAsking: () => true } as const

  test('show a document that was read, and no other', async () => {
    answer = (response) => response.end(pdf(2000))
    const handlers = parts()
    expect(await handlers['pdf.open']({ reference: 'DOC 1', kind: 'identity' }, context)).toMatchObject({
      documentName: 'Lease'
    })
    expect(await codeOf(handlers['pdf.open']({ reference: '../secret', kind: 'identity' }, context))).toBe('gone')
    expect(asked).toHaveLength(1)
  })

  test('tell printing from thinking better of it', async () => {
    expect(await parts(false)['pdf.print'](undefined, context)).toEqual({ isPrinted: false })
    expect(await parts()['pdf.print'](undefined, context)).toEqual({ isPrinted: true })
  })
})

test('a signed document that was under way when the account was led elsewhere says nothing of the new service', async () => {
  const whole = pdf(2 * PART)
  answer = (response) => response.end(response.req.url?.startsWith('/doc') ? whole : '{"DocumentURL":"/doc/1"}')
  const { id } = await previews.open('office', 'd-1', 'Lease', 'signed')
  previews.forgetSigned('office')
  expect(await codeOf(read(id))).toBe('gone')
  expect(() => previews.signedFrom('office')).toThrow('not-allowed')
  await read((await previews.open('office', 'd-1', 'Lease', 'signed')).id)
  expect(previews.signedFrom('office')).toBeUndefined()
})
