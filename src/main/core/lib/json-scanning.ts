/**
 * Where in the bytes of an answer each of its documents stands, without making anything of them: most of them are the same
 * as the last time.
 */
import type { Sliced } from './slices.ts'

/** Where the items of the list stand. The bytes between may still not be JSON: each item is to be parsed by itself. */
export interface Scan {
  count: number
  /** The first byte of each, and the one after its last. */
  starts: Uint32Array
  ends: Uint32Array
  /** Items nested deeper than {@link DEEPEST}. */
  tooDeep: ReadonlySet<number>
}

/** Deeper than any document; what is deeper could not be written down again. */
export const DEEPEST = 200

const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const EVERY = 16

/**
 * Finds the items of the list that the bytes are.
 * @param bytes UTF-8, without byte order mark.
 * @returns undefined where they aren't one list and nothing beside it: they may be cut off.
 */
export function* scanList(bytes: Uint8Array): Sliced<Scan | undefined> {
  const { length } = bytes
  let starts = new Uint32Array(1024)
  let ends = new Uint32Array(1024)
  const tooDeep = new Set<number>()
  let count = 0
  let at = skipSpace(bytes, 0)
  if (bytes[at] !== OPEN_LIST) return undefined
  at = skipSpace(bytes, at + 1)
  if (bytes[at] === CLOSE_LIST) return whole(at)
  for (;;) {
    const end = endOfItem(bytes, at, () => tooDeep.add(count))
    if (end < 0) return undefined
    const last = endOfText(bytes, at, end)
    if (last === at) return undefined
    if (count === starts.length) {
      starts = doubled(starts)
      ends = doubled(ends)
    }
    starts[count] = at
    ends[count] = last
    count++
    if (bytes[end] === CLOSE_LIST) return whole(end)
    at = skipSpace(bytes, end + 1)
    if (count % EVERY === 0) yield
  }

  function whole(end: number): Scan | undefined {
    return skipSpace(bytes, end + 1) < length ? undefined : { count, starts, ends, tooDeep }
  }
}

/** The comma or bracket that ends the item; -1 where the bytes end first. */
function endOfItem(bytes: Uint8Array, from: number, isTooDeep: () => void): number {
  const { length } = bytes
  let depth = 0
  let deepest = 0
  for (let at = from; at < length; at++) {
    const byte = bytes[at] as number
    if (byte === QUOTE) {
      for (at++; at < length; at++) {
        const inside = bytes[at] as number
        if (inside === QUOTE) break
        if (inside === BACKSLASH) at++
      }
    } else if (byte === COMMA) {
      if (depth === 0) return at
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      depth++
      if (depth > deepest) deepest = depth
      if (deepest === DEEPEST + 1) {
        isTooDeep()
        deepest++
      }
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      if (depth === 0) return byte === CLOSE_LIST ? at : -1
      depth--
    }
  }
  return -1
}

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from
  while (isSpace(bytes[at])) at++
  return at
}

function endOfText(bytes: Uint8Array, from: number, before: number): number {
  let end = before
  while (end > from && isSpace(bytes[end - 1])) end--
  return end
}

/** What JSON calls white space. */
function isSpace(byte: number | undefined): boolean {
  return byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09
}

function doubled(numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(numbers.length * 2)
  larger.set(numbers)
  return larger
}
