/** Text from outside as one short line: nothing in it breaks the line, turns the direction of what follows, or hides. */

/** Enough of a name to know it by. */
export const LONGEST_NAME = 80

// A character of a script may carry a few marks; hundreds on one letter reach over the lines above and below.
const MARKS = /(\p{M}{4})\p{M}+/gu
// Joiners and non-joiners stay: words of some languages are other words without them.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}]/gu
const JOINERS = new Set(['\u200c', '\u200d'])

/** @param longest in characters as people count them; what is longer ends with an ellipsis. */
export function oneLine(text: string, longest = LONGEST_NAME): string {
  const line = text
    .slice(0, longest * 40)
    .toWellFormed()
    .replaceAll(/[\s\p{Z}]+/gu, ' ')
    .replaceAll(UNSEEN, (unseen) => (JOINERS.has(unseen) ? unseen : ''))
    .replaceAll(MARKS, '$1')
    .replaceAll(/ {2,}/g, ' ')
    .trim()
  return shortened(line, longest)
}

function shortened(line: string, longest: number): string {
  if (line.length <= longest) return line
  const kept: string[] = []
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(line)) {
    // A chain of joiners counts as one character, however long it is.
    kept.push(segment.slice(0, 40))
    if (kept.length > longest)
      return `${kept
        .slice(0, longest - 1)
        .join('')
        .trimEnd()}…`
  }
  return kept.join('')
}
