/**
 * Folds text for searching: `Māori` and `maori`, `Łódź` and `lodz` are the same, and so are all kinds of spaces, dashes
 * and quotes.
 */

const ASCII = /^[\x20-\x7e]*$/
/** Letters that no Unicode normal form decomposes, with their usual substitutes. */
const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ı: 'i' }

/** Converts text to lower case, without diacritics, with plain dashes and quotes and single spaces. */
export function folded(text: string): string {
  // Nearly all texts are plain ASCII, and normalising takes ten times as long.
  const plain = ASCII.test(text) ? text.toLowerCase() : withoutMarks(text)
  return /^\s|\s\s|[^\S ]|\s$/.test(plain) ? plain.trim().replace(/\s+/g, ' ') : plain
}

function withoutMarks(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/\p{Pd}/gu, '-')
    .replace(/[‘’ʼ]/g, "'")
    .replace(/[“”]/g, '"')
    .replaceAll('ς', 'σ')
    .toLowerCase()
    .replace(/[ßæœøłđı]/g, (letter) => LETTERS[letter] as string)
}

/** Returns the distinct words of a search. */
export function wordsOf(search: string): string[] {
  const text = folded(search)
  return text === '' ? [] : [...new Set(text.split(' '))]
}
