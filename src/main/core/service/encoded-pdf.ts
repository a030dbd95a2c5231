/**
 * A PDF that comes as base64: bare, in a JSON string, or in a member of a JSON object. It is decoded as it comes, and
 * comes to an end without a throw only where its base64, and the JSON about it, came to theirs.
 */
import { parsedJson } from '../lib/json-scanning.ts'
import type { Finding } from './errors.ts'

/** Why it can't be decoded. */
export class EncodingTrouble extends Error {
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
  /** Inside a JSON string, which ends it. */
  isQuoted: boolean
}

/** `%PDF-` as base64; what follows decides the next character. */
const ENCODED = 'JVBERi0'
/** `data:application/pdf;base64,`, in JSON perhaps with `\/`. */
const PREFIX = '(?:data:[^,"]{0,200};base64,)?'
/** White space stands in it where it can be matched in one way only: 64 kB of it would else be tried for seconds. */
const BARE = new RegExp(String.raw`^\s*(?:data:[^,"]{0,200};base64,\s*)?(?=${ENCODED})`, 'i')
const QUOTED = new RegExp(String.raw`"${PREFIX}(?:\s|\\[rnt])*(?=${ENCODED})`, 'i')

/** Most of the JSON behind a PDF that is kept, in characters. */
const MOST_BEHIND = 1024 * 1024

/** Finds a PDF's base64 in the beginning of an answer, read as Latin-1. */
export function encodedBeginning(text: string): EncodedBeginning | undefined {
  const bare = BARE.exec(text.replace(/^\xEF\xBB\xBF/, '   '))
  if (bare && text.startsWith(ENCODED, bare[0].length)) return { at: bare[0].length, isQuoted: false }
  if (!/^(?:\xEF\xBB\xBF)?\s*["{[]/.test(text)) return undefined
  const quoted = QUOTED.exec(text)
  const at = quoted && quoted.index + quoted[0].length
  return at && text.startsWith(ENCODED, at) ? { at, isQuoted: true } : undefined
}

/**
 * Decodes base64 that fills the rest of an answer.
 * @throws EncodingTrouble, and whatever the pieces throw.
 */
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
 * Decodes base64 that a JSON string holds.
 * @param before all that came before its first character.
 * @throws EncodingTrouble, and whatever the pieces throw.
 */
export async function* decodeQuoted(
  pieces: AsyncIterable<Uint8Array>,
  before: string
): AsyncGenerator<Uint8Array, void, void> {
  const decoder = new Base64Decoder()
  let held = ''
  let behind: string | undefined
  for await (const piece of pieces) {
    if (behind !== undefined) {
      behind += latin1(piece)
      if (behind.length > MOST_BEHIND) throw new EncodingTrouble('something-else')
      continue
    }
    const text = held + latin1(piece)
    // Base64 has no quotes to escape: the next one ends it, and what stands before it must be base64.
    const close = text.indexOf('"')
    const inside = close < 0 ? text : text.slice(0, close)
    // An escape may be cut between two pieces.
    held = close < 0 ? (/\\(?:u[0-9a-f]{0,3})?$/i.exec(inside)?.[0] ?? '') : ''
    const bytes = decoder.write(unescaped(held ? inside.slice(0, -held.length) : inside))
    if (bytes.byteLength > 0) yield bytes
    if (close >= 0) behind = text.slice(close + 1)
  }
  if (behind === undefined || parsedJson(`${before.replace(/^\xEF\xBB\xBF/, '')}"${behind}`) === undefined) {
    throw new EncodingTrouble('not-whole')
  }
  // One of several would be taken for all that there is.
  if (behind.includes(ENCODED)) throw new EncodingTrouble('something-else')
  const rest = decoder.end()
  if (rest.byteLength > 0) yield rest
}

/** Some writers of JSON escape `/` and `+`. What base64 knows no use for stays, and is refused as what it is. */
function unescaped(text: string): string {
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

/** Decodes base64 piece by piece: both alphabets, any line breaks, with and without padding, and nothing else. */
export class Base64Decoder {
  /** Up to three characters that make no whole bytes yet. */
  #held = ''
  #padding = ''

  /** The bytes that are certain by now. @throws EncodingTrouble for a character that has no place in base64. */
  write(text: string): Uint8Array {
    const dense = text.replace(/\s+/g, '')
    if (dense === '') return NOTHING
    const found = /^([A-Za-z0-9+/_-]*)(={0,2})$/.exec(dense)
    const [, digits = '', padded = ''] = found ?? []
    if (!found || (this.#padding !== '' && digits !== '')) throw new EncodingTrouble('not-whole')
    this.#padding += padded
    if (this.#padding.length > 2) throw new EncodingTrouble('not-whole')
    const all = this.#held + digits
    const certain = all.length - (all.length % 4)
    this.#held = all.slice(certain)
    return certain === 0 ? NOTHING : Buffer.from(all.slice(0, certain), 'base64')
  }

  /** The last bytes. @throws EncodingTrouble if it breaks off in the middle of one. */
  end(): Uint8Array {
    const held = this.#held.length
    const isWhole = this.#padding === '' ? held !== 1 : (held + this.#padding.length) % 4 === 0
    if (!isWhole) throw new EncodingTrouble('not-whole')
    return Buffer.from(this.#held, 'base64')
  }
}
