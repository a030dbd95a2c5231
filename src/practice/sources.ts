/** An office's time and randomness, and what is made from them: references, keys, made-up people. */

export interface Clock {
  /** Milliseconds since 1970 UTC. */
  now(): number
}

/** Fills and returns the given array, as `crypto.getRandomValues` does. */
export type RandomBytes = (into: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>

export const systemClock: Clock = { now: () => Date.now() }

/** Reads from the system in blocks: a large office needs millions of bytes, and each call is costly. */
export const systemRandom: RandomBytes = (into) => {
  for (let index = 0; index < into.length; index++) {
    if (poolPosition === POOL.length) {
      crypto.getRandomValues(POOL)
      poolPosition = 0
    }
    into[index] = POOL[poolPosition] ?? 0
    // Used bytes are erased.
    POOL[poolPosition++] = 0
  }
  return into
}
const POOL = new Uint8Array(65_536)
let poolPosition = POOL.length

const HEX = charCodes('0123456789abcdef')
const LETTERS = charCodes('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')
const DASH = 45

// Both build an array of character codes: concatenating characters would need many times the memory.

/** Creates a reference as the service does: a GUID in lower case. */
export function newReference(random: RandomBytes): string {
  const bytes = random(new Uint8Array(16))
  const text = new Uint8Array(36)
  let place = 0
  for (let index = 0; index < 16; index++) {
    if (index === 4 || index === 6 || index === 8 || index === 10) text[place++] = DASH
    const byte = bytes[index] ?? 0
    text[place++] = HEX[byte >> 4] ?? 0
    text[place++] = HEX[byte & 15] ?? 0
  }
  return String.fromCharCode(...text)
}

/** Creates a signing page's key: 43 characters of 6 random bits each, so that knowing it is the permission. */
export function newKey(random: RandomBytes): string {
  const bytes = random(new Uint8Array(43))
  for (let index = 0; index < bytes.length; index++) bytes[index] = LETTERS[(bytes[index] ?? 0) & 63] ?? 0
  return String.fromCharCode(...bytes)
}

function charCodes(letters: string): Uint8Array {
  return Uint8Array.from(letters, (letter) => letter.charCodeAt(0))
}

/**
 * Returns a deterministic pseudo-random generator for a seed: for made-up people and their pictures, never for keys.
 */
export function repeatableRandom(seed: string): () => number {
  let state = 2166136261
  for (let index = 0; index < seed.length; index++) {
    state = Math.imul(state ^ seed.charCodeAt(index), 16777619)
  }
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
