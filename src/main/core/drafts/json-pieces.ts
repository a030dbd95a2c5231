/**
 * Takes a long JSON object apart into its members, and members that are arrays into their elements, without parsing
 * them: `JSON.parse` of tens of megabytes would hold the main thread for a second. Each piece is then parsed by itself,
 * which also finds whatever is wrong inside it.
 */

/** Where a value stands: bytes `from` (included) to `to` (excluded). */
export interface Piece {
  from: number
  to: number
}

export type Member = Piece & { elements?: Piece[] }

/** empty: there is no text. cut: it ends in the middle of the object. malformed: it isn't one object of JSON. */
export type JsonTroubleKind = 'empty' | 'cut' | 'malformed'

export class JsonTrouble extends Error {
  override readonly name = 'JsonTrouble'
  readonly kind: JsonTroubleKind

  constructor(kind: JsonTroubleKind) {
    super(kind)
    this.kind = kind
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/** After how many steps whoever runs this is given a chance to rest. */
const STRIDE = 20_000

/**
 * To be run a step at a time; each step takes well under a millisecond.
 * @throws {JsonTrouble}
 */
export function* takeApart(bytes: Uint8Array): Generator<void, Map<string, Member>> {
  const members = new Map<string, Member>()
  let at = blanksEnd(bytes, BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte) ? 3 : 0)
  if (at === bytes.length) throw new JsonTrouble('empty')
  at = expect(bytes, at, OPEN_OBJECT)
  if (bytes[at] === CLOSE_OBJECT) at += 1
  else {
    for (;;) {
      if (at < bytes.length && bytes[at] !== QUOTE) throw new JsonTrouble('malformed')
      const nameEnd = textEnd(bytes, at)
      const name = parse(bytes, { from: at, to: nameEnd })
      if (typeof name !== 'string' || members.has(name)) throw new JsonTrouble('malformed')
      at = expect(bytes, blanksEnd(bytes, nameEnd), COLON)
      const member = yield* memberAt(bytes, at)
      members.set(name, member)
      at = blanksEnd(bytes, member.to)
      if (bytes[at] === CLOSE_OBJECT) break
      at = expect(bytes, at, COMMA)
    }
    at += 1
  }
  if (blanksEnd(bytes, at) < bytes.length) throw new JsonTrouble('malformed')
  return members
}

/** @throws {JsonTrouble} `malformed` where the piece isn't JSON in UTF-8. */
export function parse(bytes: Uint8Array, { from, to }: Piece): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(from, to)))
  } catch {
    throw new JsonTrouble('malformed')
  }
}

function* memberAt(bytes: Uint8Array, from: number): Generator<void, Member> {
  if (bytes[from] !== OPEN_ARRAY) return { from, to: yield* valueEnd(bytes, from) }
  const elements: Piece[] = []
  let at = blanksEnd(bytes, from + 1)
  if (bytes[at] === CLOSE_ARRAY) return { from, to: at + 1, elements }
  for (;;) {
    const to = yield* valueEnd(bytes, at)
    elements.push({ from: at, to })
    at = blanksEnd(bytes, to)
    if (bytes[at] === CLOSE_ARRAY) return { from, to: at + 1, elements }
    at = expect(bytes, at, COMMA)
    if (elements.length % 100 === 0) yield
  }
}

/** The end of the value that begins here. */
function* valueEnd(bytes: Uint8Array, from: number): Generator<void, number> {
  const first = bytes[from]
  if (first === QUOTE) return textEnd(bytes, from)
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return yield* nestedEnd(bytes, from)
  let at = from
  while (at < bytes.length && !isBlank(bytes[at]) && !endsScalar(bytes[at])) at += 1
  if (at === bytes.length) throw new JsonTrouble('cut')
  if (at === from) throw new JsonTrouble('malformed')
  return at
}

function* nestedEnd(bytes: Uint8Array, from: number): Generator<void, number> {
  let depth = 0
  let steps = 0
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) at = textEnd(bytes, at) - 1
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1
    // Whether it is the right bracket shows when the piece is parsed.
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1
    if (depth === 0) return at + 1
    if (++steps % STRIDE === 0) yield
  }
  throw new JsonTrouble('cut')
}

/** The end of the text whose quote stands here. */
function textEnd(bytes: Uint8Array, from: number): number {
  for (let quote = bytes.indexOf(QUOTE, from + 1); quote !== -1; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let backslashes = 0
    while (bytes[quote - 1 - backslashes] === BACKSLASH) backslashes += 1
    if (backslashes % 2 === 0) return quote + 1
  }
  throw new JsonTrouble('cut')
}

/** The place of what follows the wanted byte, blanks left out. */
function expect(bytes: Uint8Array, at: number, wanted: number): number {
  if (at >= bytes.length) throw new JsonTrouble('cut')
  if (bytes[at] !== wanted) throw new JsonTrouble('malformed')
  return blanksEnd(bytes, at + 1)
}

function blanksEnd(bytes: Uint8Array, from: number): number {
  let at = from
  while (isBlank(bytes[at])) at += 1
  return at
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

function endsScalar(byte: number | undefined): boolean {
  return byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY
}
