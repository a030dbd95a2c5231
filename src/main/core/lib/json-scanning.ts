/**
 * Locates the parts of long JSON in its bytes without parsing them: `JSON.parse` of tens of megabytes would block a
 * thread for a second. Each part is then parsed separately, which also finds any errors inside it.
 */
import { fail } from './failure.ts'
import { inSlices, type Sliced } from './slices.ts'

/** Parses JSON; returns undefined if the text isn't valid. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Numbers with this many digits may exceed what a number can hold exactly. */
const LONG_INTEGER = /\d{16}/

/**
 * As `JSON.parse`, but keeps integers beyond 2^53 as the text that was written, since they would lose precision.
 * References stay exact this way, even if a service writes them as numbers.
 * @throws SyntaxError
 */
export function parseExactly(text: string): unknown {
  return LONG_INTEGER.test(text) ? JSON.parse(text, asWritten) : JSON.parse(text)
}

/** TypeScript's types don't have the third parameter yet (ES2026). */
function asWritten(_name: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  return Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? source : value
}

/** The positions of a list's items. The bytes in between may still be invalid JSON. */
export interface Scan {
  count: number
  /** Offset of each item's first byte; `ends`: one past its last. */
  starts: Uint32Array
  ends: Uint32Array
  /** Items nested deeper than {@link MAX_DEPTH}. */
  tooDeep: ReadonlySet<number>
}

/** A value's position: bytes `from` (inclusive) to `to` (exclusive). */
export interface Piece {
  from: number
  to: number
}

/** A member of an object; if it is a list, with its elements. */
export type Member = Piece & { elements?: Piece[] }

/** empty: no text. cut: ends in the middle of the object. malformed: not a single JSON object. */
export class JsonTrouble extends Error {
  override readonly name = 'JsonTrouble'
  readonly kind: 'empty' | 'cut' | 'malformed'

  constructor(kind: JsonTrouble['kind']) {
    super(kind)
    this.kind = kind
  }
}

/** Deeper than any document; anything deeper couldn't be serialised again. */
export const MAX_DEPTH = 200

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]
/** Number of list items between two pauses. */
const ITEMS_PER_PAUSE = 16
/** Number of bytes of one value between two pauses. */
const STRIDE = 64 * 1024
/** The end of a longer text is searched natively; for short texts, the call costs more than it saves. */
const SHORT_TEXT = 256

/**
 * Locates the items of a list.
 * @param bytes UTF-8, without byte order mark.
 * @returns undefined if the bytes aren't exactly one list; they may be truncated.
 */
export function* scanList(bytes: Uint8Array): Sliced<Scan | undefined> {
  let starts = new Uint32Array(1024)
  let ends = new Uint32Array(1024)
  const tooDeep = new Set<number>()
  const value = new ValueScanner(bytes)
  let count = 0
  let at = skipSpace(bytes, 0)
  if (bytes[at] !== OPEN_LIST) return undefined
  at = skipSpace(bytes, at + 1)
  while (count > 0 || bytes[at] !== CLOSE_LIST) {
    value.begin(at)
    while (!value.read()) yield
    if (value.trouble) return undefined
    if (count === starts.length) {
      starts = doubled(starts)
      ends = doubled(ends)
    }
    starts[count] = at
    ends[count] = value.end
    if (value.deepest > MAX_DEPTH) tooDeep.add(count)
    count++
    at = skipSpace(bytes, value.end)
    if (bytes[at] === CLOSE_LIST) break
    if (bytes[at] !== COMMA) return undefined
    at = skipSpace(bytes, at + 1)
    if (count % ITEMS_PER_PAUSE === 0) yield
  }
  return skipSpace(bytes, at + 1) < bytes.length ? undefined : { count, starts, ends, tooDeep }
}

/**
 * Locates an object's members, and the elements of members that are lists.
 * @param bytes UTF-8, with or without byte order mark.
 * @throws {JsonTrouble}
 */
export function* scanObject(bytes: Uint8Array): Sliced<Map<string, Member>> {
  const members = new Map<string, Member>()
  const value = new ValueScanner(bytes)
  let at = skipSpace(bytes, BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte) ? 3 : 0)
  if (at === bytes.length) throw new JsonTrouble('empty')
  at = afterByte(bytes, at, OPEN_OBJECT)
  while (members.size > 0 || bytes[at] !== CLOSE_OBJECT) {
    if (at < bytes.length && bytes[at] !== QUOTE) throw new JsonTrouble('malformed')
    const name = yield* pieceAt(value, at)
    const text = parsePiece(bytes, name)
    if (typeof text !== 'string' || members.has(text)) throw new JsonTrouble('malformed')
    at = afterByte(bytes, skipSpace(bytes, name.to), COLON)
    const member = bytes[at] === OPEN_LIST ? yield* listAt(bytes, value, at) : yield* pieceAt(value, at)
    members.set(text, member)
    at = skipSpace(bytes, member.to)
    if (bytes[at] === CLOSE_OBJECT) break
    at = afterByte(bytes, at, COMMA)
  }
  if (skipSpace(bytes, at + 1) < bytes.length) throw new JsonTrouble('malformed')
  return members
}

/**
 * Reads a file in slices with frequent pauses, so that a large one doesn't block anything else.
 * @throws AppFailure `invalid` with the matching `messages` message if the JSON is broken; anything else the reading
 * throws.
 */
export async function readInSlices<Content>(
  reading: Sliced<Content>,
  messages: Record<JsonTrouble['kind'], string>
): Promise<Content> {
  try {
    return await inSlices(reading)
  } catch (error) {
    if (!(error instanceof JsonTrouble)) throw error
    return fail('invalid', messages[error.kind])
  }
}

/** Parses a piece. @throws {JsonTrouble} `malformed` if the piece isn't JSON in UTF-8. */
export function parsePiece(bytes: Uint8Array, { from, to }: Piece): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(from, to)))
  } catch {
    throw new JsonTrouble('malformed')
  }
}

function* listAt(bytes: Uint8Array, value: ValueScanner, from: number): Sliced<Member> {
  const elements: Piece[] = []
  let at = skipSpace(bytes, from + 1)
  while (elements.length > 0 || bytes[at] !== CLOSE_LIST) {
    const element = yield* pieceAt(value, at)
    elements.push(element)
    at = skipSpace(bytes, element.to)
    if (bytes[at] === CLOSE_LIST) break
    at = afterByte(bytes, at, COMMA)
    if (elements.length % ITEMS_PER_PAUSE === 0) yield
  }
  return { from, to: at + 1, elements }
}

function* pieceAt(value: ValueScanner, from: number): Sliced<Piece> {
  value.begin(from)
  while (!value.read()) yield
  if (value.trouble) throw new JsonTrouble(value.trouble)
  return { from, to: value.end }
}

/** Scans a value in strides; reused for the next one. */
class ValueScanner {
  /** One past the value's last byte, once it has been read. */
  end = 0
  /** Depth of nested lists and objects, counting the value itself. */
  deepest = 0
  trouble: 'cut' | 'malformed' | undefined
  readonly #bytes: Uint8Array
  #at = 0
  #depth = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  begin(from: number): void {
    this.#at = from
    this.#depth = 0
    this.deepest = 0
    this.trouble = undefined
  }

  /** Continues scanning; returns whether the end or an error was found. */
  read(): boolean {
    const bytes = this.#bytes
    const first = bytes[this.#at]
    if (this.#depth > 0 || first === OPEN_OBJECT || first === OPEN_LIST) return this.#readNested()
    const { length } = bytes
    let at = this.#at
    if (first === QUOTE) at = endOfRest(bytes, at + 1)
    else while (at < length && !endsScalar(bytes[at] as number)) at++
    if (at < 0 || (first !== QUOTE && at === length)) this.trouble = 'cut'
    else if (at === this.#at) this.trouble = 'malformed'
    this.end = at
    return true
  }

  /** Doesn't check that brackets match in kind; parsing the value does. */
  #readNested(): boolean {
    const bytes = this.#bytes
    const { length } = bytes
    const until = Math.min(length, this.#at + STRIDE)
    let depth = this.#depth
    let deepest = this.deepest
    let at = this.#at
    for (; at < until; at++) {
      const byte = bytes[at] as number
      if (byte === QUOTE) {
        // Most texts are short: find their end here, without a call.
        const near = Math.min(length, at + SHORT_TEXT)
        let inside = at + 1
        for (; inside < near; inside++) {
          const one = bytes[inside] as number
          if (one === QUOTE) break
          if (one === BACKSLASH) inside++
        }
        at = inside < near ? inside : endOfRest(bytes, inside) - 1
        if (at < 0) {
          this.trouble = 'cut'
          return true
        }
      } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        depth++
        if (depth > deepest) deepest = depth
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        depth--
        if (depth === 0) {
          this.end = at + 1
          this.deepest = deepest
          return true
        }
      }
    }
    this.#at = at
    this.#depth = depth
    this.deepest = deepest
    if (at >= length) this.trouble = 'cut'
    return at >= length
  }
}

/** The end of the text that `from` lies in, outside of an escape; -1 if the bytes end first. */
function endOfRest(bytes: Uint8Array, from: number): number {
  for (let quote = bytes.indexOf(QUOTE, from); quote !== -1; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let backslashes = 0
    while (quote - 1 - backslashes >= from && bytes[quote - 1 - backslashes] === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return quote + 1
  }
  return -1
}

/** Position of the next token after the wanted byte. @throws {JsonTrouble} */
function afterByte(bytes: Uint8Array, at: number, expected: number): number {
  if (at >= bytes.length) throw new JsonTrouble('cut')
  if (bytes[at] !== expected) throw new JsonTrouble('malformed')
  return skipSpace(bytes, at + 1)
}

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from
  while (isSpace(bytes[at])) at++
  return at
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

function endsScalar(byte: number): boolean {
  return byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_LIST || isSpace(byte)
}

function doubled(numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(numbers.length * 2)
  larger.set(numbers)
  return larger
}
