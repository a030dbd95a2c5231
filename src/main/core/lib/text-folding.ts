/** Text as the main process stores and searches it: folded as everywhere, compact, and shortened where necessary. */
export { folded, wordsOf } from '../../../shared/text-folding.ts'

const ONE_BYTE = /^[\0-\xff]*$/

/**
 * Returns a flat copy of the text, one byte per character where possible: concatenated text is searched half as fast.
 */
export function compact(text: string): string {
  return ONE_BYTE.test(text) ? Buffer.from(text, 'latin1').toString('latin1') : text
}

/** Shortens a text to `maxLength` characters, with an ellipsis. */
export function shortened(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const kept = text.slice(0, maxLength - 1)
  // A copy: a slice would keep the whole long text in memory.
  return Buffer.from(`${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`, 'utf16le').toString('utf16le')
}
