/** Reads a response body into one buffer that grows in place, up to a limit, and parses JSON from its bytes. */
import { parseExactly } from '../lib/json-scanning.ts'
import type { Watchdog } from './limits.ts'

export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge'
}

const FIRST_BYTES = 64 * 1024

/**
 * Reads the whole body. The buffer is resizable: growing it commits more address space instead of copying, so a list of
 * 200 MB takes 200 MB and can be transferred to another thread whole. Content-Length is used only to refuse early,
 * never to allocate: it may lie, and for a compressed body it counts the compressed bytes.
 * @param limit bytes, after decompression.
 * @throws BodyTooLarge, or whatever breaks the stream.
 */
export async function readBody(
  response: Response,
  limit: number,
  watchdog: Watchdog
): Promise<Uint8Array<ArrayBuffer>> {
  if ((declaredLength(response) ?? 0) > limit) {
    discardBody(response)
    throw new BodyTooLarge()
  }
  if (!response.body) return new Uint8Array()
  const space = new ArrayBuffer(0, { maxByteLength: limit })
  let length = 0
  for await (const chunk of chunks(response.body, watchdog)) {
    const needed = length + chunk.byteLength
    if (needed > limit) throw new BodyTooLarge()
    if (needed > space.byteLength) space.resize(Math.min(limit, Math.max(needed, FIRST_BYTES, space.byteLength * 2)))
    new Uint8Array(space).set(chunk, length)
    length = needed
  }
  // Shrinks the buffer instead of making it fixed-length, which would copy it.
  space.resize(length)
  return new Uint8Array(space, 0, length)
}

/** Reads the body chunk by chunk; stopping early releases the connection. */
export async function* chunks(
  body: ReadableStream<Uint8Array>,
  watchdog: Watchdog
): AsyncGenerator<Uint8Array, void, void> {
  const reader = body.getReader()
  try {
    while (true) {
      const { done, value } = await watchdog.during('idle', reader.read())
      if (done) return
      if (value.byteLength > 0) yield value
    }
  } finally {
    // Cancelling a broken stream rejects with the error that was thrown above.
    reader.cancel().catch(() => {})
  }
}

/** Returns the body's length according to Content-Length; undefined if missing, or if the body is compressed. */
export function declaredLength(response: Response): number | undefined {
  const encoding = response.headers.get('content-encoding')?.trim().toLowerCase()
  if (encoding && encoding !== 'identity') return undefined
  const header = response.headers.get('content-length')
  return header !== null && /^\d{1,15}$/.test(header) ? Number(header) : undefined
}

/** Releases a response whose body won't be read. */
export function discardBody(response: Response): void {
  response.body?.cancel().catch(() => {})
}

/**
 * Parses the bytes of a response; throws if they aren't JSON. An option of the client, so that large responses can be
 * parsed off the main thread.
 * @param charset from the Content-Type.
 */
export type ParseJson = (bytes: Uint8Array, charset: string | undefined) => unknown | Promise<unknown>

/** Parses UTF-8 (with or without byte order mark), or another charset if the response names one that we know. */
export const parseJson: ParseJson = (bytes, charset) => parseExactly(decoderFor(charset).decode(bytes))

function decoderFor(charset: string | undefined): TextDecoder {
  try {
    return new TextDecoder(charset ?? 'utf-8')
  } catch {
    return new TextDecoder()
  }
}

export function charsetOf(contentType: string | null): string | undefined {
  return /;\s*charset\s*=\s*"?([\w.:-]{1,40})"?/i.exec(contentType ?? '')?.[1]
}
