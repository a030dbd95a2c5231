/** Text as the main process keeps and searches it: folded as everywhere, in few bytes, cut where it is too long. */
export { folded, wordsOf } from '../../../shared/text-folding.ts'

const ONE_BYTE = /^[\0-\xff]*$/

/** A copy of the text in one piece, in as few bytes as it needs: what is put together of others is searched half as fast. */
export function compact(text: string): string {
  return ONE_BYTE.test(text) ? Buffer.from(text, 'latin1').toString('latin1') : text
}

/** The beginning of a text that is longer than so many characters, with a sign that it goes on. */
export function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text
  const kept = text.slice(0, longest - 1)
  // A copy: a slice would keep all of the long text in memory.
  return Buffer.from(`${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`, 'utf16le').toString('utf16le')
}
