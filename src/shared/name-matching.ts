/**
 * Whether an identity document names a signer. A document may have more given names than an office; none of the office's may be
 * missing. Their order says nothing: every country prints them in its own.
 */
import { folded } from './text-folding.ts'

/** As ICAO 9303 writes them with the letters from A to Z; where it leaves a choice, both count. */
const WRITTEN: readonly [letters: RegExp, ...as: string[]][] = [
  [/[äæ]/g, 'ae', 'a'],
  [/[öøœ]/g, 'oe', 'o'],
  [/ü/g, 'ue', 'u'],
  [/å/g, 'aa', 'a'],
  [/ß/g, 'ss'],
  [/þ/g, 'th'],
  [/[ðđ]/g, 'd'],
  [/ł/g, 'l'],
  [/ñ/g, 'n', 'nxx']
]

/**
 * By the document's machine-readable lines.
 * @param have the parts of the document's name, in the letters from a to z.
 * @param begun the last given name where the lines cut it off: it may go on.
 */
export function isNamed(signerName: string, have: readonly string[], begun: string | undefined): boolean {
  const wanted = signerName
    .normalize('NFC')
    .toLowerCase()
    .replace(/['’.]/g, '')
    .split(/[\s-]+/)
    .filter(Boolean)
  const isThere = (part: string) =>
    writtenAs(part).some((one) => {
      const letters = one.replace(/[^a-z]/g, '')
      return have.includes(letters) || (begun !== undefined && letters.startsWith(begun))
    })
  return wanted.length > 0 && wanted.every(isThere)
}

/** By the name as it is printed, in any script. A name in another script than the signer's differs: nobody here can tell. */
export function isPrintedAs(signerName: string, printed: string): boolean {
  const have = new Set(printedParts(printed).flatMap(formsOf))
  const wanted = printedParts(signerName)
  return wanted.length > 0 && wanted.every((part) => formsOf(part).some((form) => have.has(form)))
}

/** Without what nobody sees: marks of direction, joiners. */
const printedParts = (name: string) =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{Cf}'’‘ʻʼ`.]/gu, '')
    .split(/[\s,;/\p{Pd}\p{Cc}]+/u)
    .filter((part) => /\p{L}/u.test(part))

function formsOf(part: string): string[] {
  if (/^[\p{Script=Latin}\p{M}]+$/u.test(part)) return writtenAs(part)
  // Capitals have no accents there.
  if (/^[\p{Script=Greek}\p{M}]+$/u.test(part)) return [folded(part)]
  // Vowel points may be left out, and letters drawn out; the vowels of other scripts make another name of it.
  if (/^[\p{Script=Arabic}\p{Script=Hebrew}\p{M}ـ]+$/u.test(part))
    return [part.replace(/[\p{Mn}ـ]/gu, '')].filter(Boolean)
  return [part]
}

function writtenAs(part: string): string[] {
  let all = [part]
  for (const [letters, ...as] of WRITTEN)
    all = all.flatMap((one) => (letters.test(one) ? as.map((way) => one.replace(letters, way)) : [one]))
  return all.map(folded)
}
