/**
 * Decodes a PDF that comes as base64: bare, in a JSON string, or in a member of a JSON object. It is decoded as it
 * arrives. The stream ends without throwing only if the base64, and any JSON around it, is complete.
 */
import { parsedJson } from '../lib/json-scanning.ts'
import type { Finding } from './errors.ts'

/** The PDF can't be decoded; `finding` says why. */
export class EncodingError extends Error {
  override readonly name = 'EncodingTrouble'
  readonly finding: Finding

  constructor(finding: Finding) {
    super(finding)
    this.finding = finding
  }
}

/** Where a PDF's base64 begins. */
export interface EncodedBeginning {
  /** Index of its first character. */
  at: number
  /** Whether it is inside a JSON string, whose closing quote ends it. */
  isQuoted: boolean
}

/** `%PDF-` as base64; the next character depends on the byte that follows. */
const ENCODED = 'JVBERi0'
/** `data:application/pdf;base64,`; JSON may escape the slash as `\/`. */
const PREFIX = '(?:data:[^,"]{0,200};base64,)?'
/** Allows white space only where it can match in one way; otherwise 64 kB of it would cause seconds of backtracking. */
const BARE = new RegExp(String.raw`^\s*(?:data:[^,"]{0,200};base64,\s*)?(?=${ENCODED})`, 'i')
const QUOTED = new RegExp(String.raw`"${PREFIX}(?:\s|\\[rnt])*(?=${ENCODED})`, 'i')

/** Limit on JSON kept after a PDF, in characters. */
const MAX_TRAILING_LENGTH = 1024 * 1024

/** Finds a PDF's base64 at the beginning of an answer, read as Latin-1. */
export function encodedBeginning(text: string): EncodedBeginning | undefined {
  const bare = BARE.exec(text.replace(/^\xEF\xBB\xBF/, '   '))
  if (bare && text.startsWith(ENCODED, bare[0].length)) return { at: bare[0].length, isQuoted: false }
  if (!/^(?:\xEF\xBB\xBF)?\s*["{[]/.test(text)) return undefined
  const quoted = QUOTED.exec(text)
  const at = quoted && quoted.index + quoted[0].length
  return at && text.startsWith(ENCODED, at) ? { at, isQuoted: true } : undefined
}

/** Decodes base64 that fills the rest of an answer. @throws EncodingTrouble, and whatever `pieces` throws. */
export async function* decodeBare(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const decoder = new Base64Decoder()
  for await (const piece of pieces) {
    const bytes = decoder.write(latin1(piece))
    if (bytes.byteLength > 0) yield bytes
  }
  const rest = decoder.end()
  if (rest.byteLength > 0) yield rest
}

/**
 * Decodes base64 inside a JSON string.
 * @param before everything before its first character.
 * @throws EncodingTrouble, and whatever `pieces` throws.
 */
export async function* decodeQuoted(
  pieces: AsyncIterable<Uint8Array>,
  before: string
): AsyncGenerator<Uint8Array, void, void> {
  const decoder = new Base64Decoder()
  let pending = ''
  let trailing: string | undefined
  for await (const piece of pieces) {
    if (trailing !== undefined) {
      trailing += latin1(piece)
      if (trailing.length > MAX_TRAILING_LENGTH) throw new EncodingError('something-else')
      continue
    }
    const text = pending + latin1(piece)
    // Base64 has no quotes to escape: the next quote ends it, and everything before that must be base64.
    const close = text.indexOf('"')
    const inside = close < 0 ? text : text.slice(0, close)
    // An escape may be split across two pieces.
    pending = close < 0 ? (/\\(?:u[0-9a-f]{0,3})?$/i.exec(inside)?.[0] ?? '') : ''
    const bytes = decoder.write(unescapeJson(pending ? inside.slice(0, -pending.length) : inside))
    if (bytes.byteLength > 0) yield bytes
    if (close >= 0) trailing = text.slice(close + 1)
  }
  if (trailing === undefined || parsedJson(`${before.replace(/^\xEF\xBB\xBF/, '')}"${trailing}`) === undefined) {
    throw new EncodingError('not-whole')
  }
  // With several PDFs, one would be mistaken for all of them.
  if (trailing.includes(ENCODED)) throw new EncodingError('something-else')
  const rest = decoder.end()
  if (rest.byteLength > 0) yield rest
}

/** Some JSON writers escape `/` and `+`. Other escapes stay, and are rejected as not base64. */
function unescapeJson(text: string): string {
  if (!text.includes('\\')) return text
  return text
    .replace(/\\u([0-9a-f]{4})/gi, (_escape, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\\//g, '/')
    .replace(/\\[rnt]/g, '\n')
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

const NOTHING = new Uint8Array()

/** Decodes base64 piece by piece: both alphabets, any line breaks, with or without padding, and nothing else. */
export class Base64Decoder {
  /** Up to three characters that don't make whole bytes yet. */
  #held = ''
  #padding = ''

  /** Returns the bytes that are complete so far. @throws EncodingTrouble for a character that isn't valid in base64. */
  write(text: string): Uint8Array {
    const dense = text.replace(/\s+/g, '')
    if (dense === '') return NOTHING
    const found = /^([A-Za-z0-9+/_-]*)(={0,2})$/.exec(dense)
    const [, digits = '', padded = ''] = found ?? []
    if (!found || (this.#padding !== '' && digits !== '')) throw new EncodingError('not-whole')
    this.#padding += padded
    if (this.#padding.length > 2) throw new EncodingError('not-whole')
    const all = this.#held + digits
    const complete = all.length - (all.length % 4)
    this.#held = all.slice(complete)
    return complete === 0 ? NOTHING : Buffer.from(all.slice(0, complete), 'base64')
  }

  /** Returns the last bytes. @throws EncodingTrouble if the base64 ends in the middle of a byte. */
  end(): Uint8Array {
    const held = this.#held.length
    const isComplete = this.#padding === '' ? held !== 1 : (held + this.#padding.length) % 4 === 0
    if (!isComplete) throw new EncodingError('not-whole')
    return Buffer.from(this.#held, 'base64')
  }
}
