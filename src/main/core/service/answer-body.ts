/** Reads the body of an answer: never more than the limit, into one buffer that grows in place; and JSON from its bytes. */
import { parseExactly } from '../lib/json-scanning.ts'
import type { Watch } from './limits.ts'

/** The body is larger than the caller's limit. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge'
}

const FIRST_BYTES = 64 * 1024

/**
 * Reads the whole body. The buffer is one resizable piece of address space: growing it commits more of it instead
 * of copying to a larger one, so a list of 200 MB takes 200 MB, and can be handed to another thread whole. What Content-Length claims is used only to refuse early,
 * never to allocate: it may lie, and for a compressed body it counts something else.
 * @param limit bytes, after decompression.
 * @throws BodyTooLarge, or whatever breaks the stream.
 */
export async function readBody(response: Response, limit: number, watch: Watch): Promise<Uint8Array<ArrayBuffer>> {
  if ((declaredLength(response) ?? 0) > limit) {
    drop(response)
    throw new BodyTooLarge()
  }
  if (!response.body) return new Uint8Array()
  const space = new ArrayBuffer(0, { maxByteLength: limit })
  let length = 0
  for await (const chunk of chunks(response.body, watch)) {
    const needed = length + chunk.byteLength
    if (needed > limit) throw new BodyTooLarge()
    if (needed > space.byteLength) space.resize(Math.min(limit, Math.max(needed, FIRST_BYTES, space.byteLength * 2)))
    new Uint8Array(space).set(chunk, length)
    length = needed
  }
  // Given back, rather than made fixed: that would copy it.
  space.resize(length)
  return new Uint8Array(space, 0, length)
}

/** Reads the body piece by piece; a reader that stops early lets the connection go. */
export async function* chunks(body: ReadableStream<Uint8Array>, watch: Watch): AsyncGenerator<Uint8Array, void, void> {
  const reader = body.getReader()
  try {
    while (true) {
      const { done, value } = await watch.during('idle', reader.read())
      if (done) return
      if (value.byteLength > 0) yield value
    }
  } finally {
    // Cancelling a stream that has broken already rejects with what broke it, which was thrown above.
    reader.cancel().catch(() => {})
  }
}

/** What Content-Length says of the bytes that we will read; undefined if it says nothing about them. */
export function declaredLength(response: Response): number | undefined {
  const encoding = response.headers.get('content-encoding')?.trim().toLowerCase()
  if (encoding && encoding !== 'identity') return undefined
  const said = response.headers.get('content-length')
  return said !== null && /^\d{1,15}$/.test(said) ? Number(said) : undefined
}

/** Lets go of an answer whose body nobody will read. */
export function drop(response: Response): void {
  response.body?.cancel().catch(() => {})
}

/**
 * Parses the bytes of an answer; throws what isn't JSON. A parameter of the client, so that large answers can be parsed
 * off the main thread.
 * @param charset as the answer's Content-Type named it.
 */
export type ParseJson = (bytes: Uint8Array, charset: string | undefined) => unknown | Promise<unknown>

/** Reads UTF-8 (with or without byte order mark), or another charset if the answer names one that we know. */
export const parseJson: ParseJson = (bytes, charset) => parseExactly(decoderFor(charset).decode(bytes))

function decoderFor(charset: string | undefined): TextDecoder {
  try {
    return new TextDecoder(charset ?? 'utf-8')
  } catch {
    return new TextDecoder()
  }
}

/** The charset of a Content-Type header, if it names one. */
export function charsetOf(contentType: string | null): string | undefined {
  return /;\s*charset\s*=\s*"?([\w.:-]{1,40})"?/i.exec(contentType ?? '')?.[1]
}
