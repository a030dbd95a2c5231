/**
 * A service of identity data in a process of its own: each document has its own PDF, of the size that its reference
 * says.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface PdfService {
  url: string
  close(): Promise<void>
}

const MEGABYTE = 1024 * 1024
const BEGINNING = 64
const PIECE = 64 * 1024
const END = Buffer.from('\n%%EOF\n')

/** `D12-2`: document 12, of 2 megabytes. */
export const referenceOf = (number: number, megabytes: number) => `D${number}-${megabytes}`

export async function openPdfService(): Promise<PdfService> {
  const child: ChildProcess = fork(new URL(import.meta.url), ['serve'], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc']
  })
  const [port] = (await once(child, 'message')) as [number]
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      const gone = once(child, 'exit')
      child.kill()
      await gone
    }
  }
}

/** The SHA-256 of a document's PDF, in hexadecimal. */
export function sha256Of(reference: string): string {
  const hash = createHash('sha256')
  for (const piece of piecesOf(reference)) hash.update(piece)
  return hash.digest('hex')
}

export function lengthOf(reference: string): number {
  return Number(reference.split('-')[1]) * MEGABYTE
}

const filling = Buffer.alloc(PIECE, 'identity data, made up ')

function* piecesOf(reference: string): Generator<Buffer> {
  let left = lengthOf(reference) - BEGINNING - END.length
  yield Buffer.alloc(BEGINNING, `%PDF-1.7 ${reference} `)
  for (; left > 0; left -= PIECE) yield left >= PIECE ? filling : filling.subarray(0, left)
  yield END
}

if (process.argv[2] === 'serve' && process.send) {
  const server = createServer(async (request, response) => {
    const reference = decodeURIComponent(
      new URL(request.url ?? '', 'http://localhost').pathname.split('/').at(-2) ?? ''
    )
    response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': lengthOf(reference) })
    for (const piece of piecesOf(reference)) if (!response.write(piece)) await once(response, 'drain')
    response.end()
  })
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
}
