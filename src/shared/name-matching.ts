/**
 * Checks whether an identity document is in a signer's name. The document may have more given names than the office
 * knows; none of the office's may be missing. Their order doesn't matter, since every country prints them differently.
 */
import { folded } from './text-folding.ts'

/** ICAO 9303's transliterations to A–Z; if it allows several, all are accepted. */
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
 * Compares with the document's machine-readable lines.
 * @param have the parts of the document's name, in the letters a to z.
 * @param begun the last given name if the lines truncate it: it may continue.
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

/**
 * Compares with the printed name, in any script. A name in another script than the signer's counts as different, since
 * it can't be compared here.
 */
export function isPrintedAs(signerName: string, printed: string): boolean {
  const have = new Set(printedParts(printed).flatMap(formsOf))
  const wanted = printedParts(signerName)
  return wanted.length > 0 && wanted.every((part) => formsOf(part).some((form) => have.has(form)))
}

/** Splits a name into parts without invisible characters such as direction marks and joiners. */
const printedParts = (name: string) =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{Cf}'’‘ʻʼ`.]/gu, '')
    .split(/[\s,;/\p{Pd}\p{Cc}]+/u)
    .filter((part) => /\p{L}/u.test(part))

function formsOf(part: string): string[] {
  if (/^[\p{Script=Latin}\p{M}]+$/u.test(part)) return writtenAs(part)
  // Greek capitals have no accents.
  if (/^[\p{Script=Greek}\p{M}]+$/u.test(part)) return [folded(part)]
  // Vowel points may be omitted and letters elongated. In other scripts, vowel marks make a different name.
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
