/**
 * Checks whether an identity document is in a signer's name. The document may have more given names than the office
 * knows; none of the office's may be missing. Their order doesn't matter, since every country prints them differently.
 */
import { folded } from './text-folding.ts'

/** ICAO 9303's transliterations to A–Z; if it allows several, all are accepted. */
const TRANSLITERATIONS: readonly [letters: RegExp, ...as: string[]][] = [
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
 * @param documentParts the parts of the document's name, in the letters a to z.
 * @param truncated the last given name if the lines truncate it: it may continue.
 */
export function matchesMachineName(
  signerName: string,
  documentParts: readonly string[],
  truncated: string | undefined
): boolean {
  const signerParts = signerName
    .normalize('NFC')
    .toLowerCase()
    .replace(/['’.]/g, '')
    .split(/[\s-]+/)
    .filter(Boolean)
  const isInDocument = (part: string) =>
    transliterations(part).some((one) => {
      const letters = one.replace(/[^a-z]/g, '')
      return documentParts.includes(letters) || (truncated !== undefined && letters.startsWith(truncated))
    })
  return signerParts.length > 0 && signerParts.every(isInDocument)
}

/**
 * Compares with the printed name, in any script. A name in another script than the signer's counts as different, since
 * it can't be compared here.
 */
export function matchesPrintedName(signerName: string, printed: string): boolean {
  const documentForms = new Set(printedParts(printed).flatMap(formsOf))
  const signerParts = printedParts(signerName)
  return signerParts.length > 0 && signerParts.every((part) => formsOf(part).some((form) => documentForms.has(form)))
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
  if (/^[\p{Script=Latin}\p{M}]+$/u.test(part)) return transliterations(part)
  // Greek capitals have no accents.
  if (/^[\p{Script=Greek}\p{M}]+$/u.test(part)) return [folded(part)]
  // Vowel points may be omitted and letters elongated. In other scripts, vowel marks make a different name.
  if (/^[\p{Script=Arabic}\p{Script=Hebrew}\p{M}ـ]+$/u.test(part))
    return [part.replace(/[\p{Mn}ـ]/gu, '')].filter(Boolean)
  return [part]
}

function transliterations(part: string): string[] {
  let all = [part]
  for (const [letters, ...as] of TRANSLITERATIONS)
    all = all.flatMap((one) => (letters.test(one) ? as.map((way) => one.replace(letters, way)) : [one]))
  return all.map(folded)
}
