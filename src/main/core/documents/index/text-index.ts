/**
 * Narrows down which rows can contain a word: one bit per row for each letter and pair of letters. A word of one or two
 * letters is found by this alone; for longer words, few rows remain to be read. The index grows in blocks, so that a
 * row costs the same in a large index as in a small one.
 */

import { compact } from '../../lib/text-folding.ts'

/** Letters, digits, three characters common in references and addresses, and one class for all others. */
const OTHER = 39
const CLASSES = 40
/** Single letters come first, then the pairs. */
const GRAMS = CLASSES + CLASSES * CLASSES
const BLOCK_ROWS = 1024
export const BLOCK_WORDS = BLOCK_ROWS / 32

const classes = new Uint8Array(128).fill(OTHER)
;[...'abcdefghijklmnopqrstuvwxyz0123456789.-@'].forEach((sign, index) => {
  classes[sign.charCodeAt(0)] = index
})

/** One range of row ids: for each gram the rows that contain it, and the rows' texts. */
interface Block {
  words: Uint32Array
  texts: string[]
  /** How many texts were added since all were last compacted. */
  loose: number
}

/** A block with this many loose texts is compacted. */
const COMPACT_AFTER = 512

export function openTextIndex() {
  const blocks: Block[] = []
  /** Grams of the current text, each once. */
  const seen = new Uint8Array(GRAMS)
  const grams = new Uint16Array(GRAMS)

  function blockOf(rowId: number): Block {
    const block = Math.floor(rowId / BLOCK_ROWS)
    while (blocks.length <= block) blocks.push({ words: new Uint32Array(GRAMS * BLOCK_WORDS), texts: [], loose: 0 })
    return blocks[block] as Block
  }

  function forEachGram(
    rowId: number,
    text: string,
    write: (words: Uint32Array, at: number, bit: number) => void
  ): void {
    const { words } = blockOf(rowId)
    const count = collect(text, seen, grams)
    const offset = (rowId % BLOCK_ROWS) >>> 5
    const bit = 1 << (rowId & 31)
    for (let index = 0; index < count; index++) {
      const gram = grams[index] as number
      seen[gram] = 0
      write(words, gram * BLOCK_WORDS + offset, bit)
    }
  }

  return {
    add(rowId: number, text: string): void {
      forEachGram(rowId, text, setBit)
      const block = blockOf(rowId)
      block.texts[rowId % BLOCK_ROWS] = text
      if (++block.loose >= COMPACT_AFTER) compactBlock(block)
    },

    remove(rowId: number, text: string): void {
      forEachGram(rowId, text, clearBit)
      blockOf(rowId).texts[rowId % BLOCK_ROWS] = ''
    },

    textOf: (rowId: number): string => blocks[Math.floor(rowId / BLOCK_ROWS)]?.texts[rowId % BLOCK_ROWS] ?? '',

    filter(rows: RowSet, words: readonly string[]): void {
      for (let at = 0; at < rows.length; at++) {
        const before = rows[at] as number
        if (before === 0) continue
        const { texts } = blocks[Math.floor(at / BLOCK_WORDS)] as Block
        const first = (at % BLOCK_WORDS) * 32
        let matchingBits = 0
        for (let remainingBits = before; remainingBits !== 0; remainingBits &= remainingBits - 1) {
          const bit = 31 - Math.clz32(remainingBits & -remainingBits)
          const text = texts[first + bit] as string
          let holdsAll = true
          for (let index = 0; index < words.length && holdsAll; index++)
            holdsAll = text.includes(words[index] as string)
          if (holdsAll) matchingBits |= 1 << bit
        }
        rows[at] = matchingBits
      }
    },

    /**
     * Keeps only rows that can contain the word, which must be folded and without spaces.
     * @returns whether all of them certainly contain it.
     */
    narrow(rows: RowSet, word: string): boolean {
      const count = collect(word, seen, grams)
      for (let index = 0; index < count; index++) seen[grams[index] as number] = 0
      // A pair is more selective than its letters.
      const wanted = grams.subarray(0, count).filter((gram) => word.length === 1 || gram >= CLASSES)
      for (let block = 0; block * BLOCK_WORDS < rows.length; block++) {
        const words = blocks[block]?.words
        const begin = block * BLOCK_WORDS
        for (const gram of wanted) {
          for (let offset = 0; offset < BLOCK_WORDS; offset++) {
            rows[begin + offset] = (rows[begin + offset] as number) & (words?.[gram * BLOCK_WORDS + offset] ?? 0)
          }
        }
      }
      return word.length <= 2 && wanted.every(isOfKnownCharacters)
    }
  }
}

/** Places the texts next to each other in memory: reading scattered ones takes three times as long. */
function compactBlock(block: Block): void {
  block.texts = Array.from(block.texts, (text = '') => compact(text))
  block.loose = 0
}

/** Collects the letters and pairs of a text, each once; leaves them marked in `seen`. */
function collect(text: string, seen: Uint8Array, grams: Uint16Array): number {
  let count = 0
  let before = -1
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    // Search words contain no spaces, so no pair spans one.
    if (code === 32 || code === 10) {
      before = -1
      continue
    }
    const own = code < 128 ? (classes[code] as number) : OTHER
    if (seen[own] === 0) {
      seen[own] = 1
      grams[count++] = own
    }
    if (before >= 0) {
      const pair = CLASSES + before * CLASSES + own
      if (seen[pair] === 0) {
        seen[pair] = 1
        grams[count++] = pair
      }
    }
    before = own
  }
  return count
}

function isOfKnownCharacters(gram: number): boolean {
  if (gram < CLASSES) return gram !== OTHER
  const pair = gram - CLASSES
  return pair % CLASSES !== OTHER && Math.floor(pair / CLASSES) !== OTHER
}

function setBit(words: Uint32Array, at: number, bit: number): void {
  words[at] = (words[at] as number) | bit
}

function clearBit(words: Uint32Array, at: number, bit: number): void {
  words[at] = (words[at] as number) & ~bit
}

/** A set of rows: one bit per row id. */
export type RowSet = Uint32Array<ArrayBuffer>

export function has(rows: RowSet, rowId: number): boolean {
  return ((rows[rowId >>> 5] as number) & (1 << (rowId & 31))) !== 0
}

export function mark(rows: RowSet, rowId: number, isIn: boolean): void {
  const bit = 1 << (rowId & 31)
  const before = rows[rowId >>> 5] as number
  rows[rowId >>> 5] = isIn ? before | bit : before & ~bit
}
