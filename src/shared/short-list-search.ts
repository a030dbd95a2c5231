/**
 * Searches a list that is short enough to be read as a whole. A typing error is forgiven where nothing has the words
 * as they were typed.
 */
import { folded, wordsOf } from './text-folding.ts'

export interface Found<Item> {
  items: Item[]
  /** Nothing has the words as they were typed: these have similar ones. */
  isNear: boolean
}

/**
 * Returns the items whose text has all the typed words, in their original order; all of them if nothing is typed. If
 * there are none, returns those that were probably meant.
 */
export function searchList<Item>(items: readonly Item[], typed: string, textOf: (item: Item) => string): Found<Item> {
  const words = wordsOf(typed)
  const exact = items.filter((item) => hasWords(textOf(item), words))
  if (exact.length > 0) return { items: exact, isNear: false }
  const near = items.filter((item) => isMeantBy(textOf(item), words))
  return { items: near, isNear: near.length > 0 }
}

/** Returns whether the text has all the words, given as by `wordsOf`. */
export function hasWords(text: string, words: readonly string[]): boolean {
  const searched = folded(text)
  return words.every((word) => searched.includes(word))
}

/**
 * Returns whether the text was probably meant by misspelt words: "fatma ben" by Fatima Bennett. Each word is in it, or
 * is one of its words but for few letters, and not all are mere beginnings. Numbers are never misspelt: another one is
 * something else.
 */
export function isMeantBy(text: string, words: readonly string[]): boolean {
  const searched = folded(text)
  const parts = searched.split(' ').flatMap((part) => [part, ...part.split(/[^\p{L}\p{N}']+/u)])
  const isPart = (word: string) => parts.some((part) => word === part || isMisspelt(word, part))
  return words.some(isPart) && words.every((word) => searched.includes(word) || isPart(word))
}

/** Returns whether a word differs from that part of a text by few letters for its length. */
function isMisspelt(word: string, part: string): boolean {
  if (/\d/.test(word)) return false
  const allowed = Math.min(2, Math.floor(Math.max(word.length, part.length) / 3))
  return Math.abs(word.length - part.length) <= allowed && distanceOf(word, part) <= allowed
}

/** Returns how many letters must be added, removed, replaced, or swapped with the next, to turn one word into the other. */
function distanceOf(one: string, other: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1]
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (beforeLast[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
      )
    }
    ;[beforeLast, last] = [last, row]
  }
  return last[other.length] ?? 0
}
