/** The bytes of an answer as UTF-8 without a byte order mark, and what they say as a whole. */
import { createCipheriv, createHash, hash } from 'node:crypto'
import type { Sliced } from '../../lib/slices.ts'

const PIECE = 4 * 1024 * 1024
const KEY = Buffer.alloc(16, 'countersign')
const NONCE = Buffer.alloc(12)

/**
 * @param charset as the answer's Content-Type named it. An unknown one is read as UTF-8.
 * @returns the same bytes where they are UTF-8 already.
 */
export function asUtf8(bytes: Uint8Array, charset: string | undefined): Uint8Array {
  const encoding = marked(bytes) ?? known(charset)
  if (encoding !== 'utf-8') return new TextEncoder().encode(new TextDecoder(encoding).decode(bytes))
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}

/**
 * The same for the same bytes only. Made of the codes that authenticate AES-GCM, which processors have an instruction for: a
 * tenth of SHA-256's time, and an answer that is asked for every few seconds is nearly always the same. The key is no
 * secret, as nobody is to be kept from anything: whoever could make two answers look alike is the one who answers.
 */
export function* wholeHash(bytes: Uint8Array): Sliced<string> {
  const sum = createHash('sha256').update(String(bytes.length))
  for (let at = 0; at < bytes.length; at += PIECE) {
    const code = createCipheriv('aes-128-gcm', KEY, NONCE)
    code.setAAD(bytes.subarray(at, at + PIECE))
    code.final()
    sum.update(code.getAuthTag())
    yield
  }
  return sum.digest('base64url')
}

/** SHA-1 of one item: enough to tell an answer's items from those of the last. */
export function itemHash(bytes: Uint8Array): string {
  return hash('sha1', bytes, 'base64url')
}

export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

/** What a byte order mark says. */
function marked(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined
}

function known(charset: string | undefined): string {
  try {
    return new TextDecoder(charset ?? 'utf-8').encoding
  } catch {
    return 'utf-8'
  }
}
