/** Text as it is searched: `Māori` and `maori`, `Łódź` and `lodz` are the same, and so are any spaces, dashes and quotes. */

const ASCII = /^[\x20-\x7e]*$/
const ONE_BYTE = /^[\0-\xff]*$/
/** Letters that no normal form takes apart, as people write them who lack them. */
const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ı: 'i' }

/** In lower case, without diacritics, with plain dashes and quotes, and with single spaces. */
export function folded(text: string): string {
  // Nearly all texts are plain, and normalising takes ten times as long.
  const plain = ASCII.test(text) ? text.toLowerCase() : withoutMarks(text)
  return /^\s|\s\s|[^\S ]|\s$/.test(plain) ? plain.trim().replace(/\s+/g, ' ') : plain
}

/** A copy of the text in one piece, in as few bytes as it needs: what is put together of others is searched half as fast. */
export function compact(text: string): string {
  return ONE_BYTE.test(text) ? Buffer.from(text, 'latin1').toString('latin1') : text
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

/** The beginning of a text that is longer than so many characters, with a sign that it goes on. */
export function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text
  const kept = text.slice(0, longest - 1)
  // A copy: a slice would keep all of the long text in memory.
  return Buffer.from(`${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`, 'utf16le').toString('utf16le')
}

/** The words of a search, each once. */
export function wordsOf(search: string): string[] {
  const text = folded(search)
  return text === '' ? [] : [...new Set(text.split(' '))]
}
