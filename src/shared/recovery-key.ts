/**
 * A recovery key as people read, print and type it: 160 bits in eight groups of four letters and digits, each followed
 * by a check character that reveals a typing error in its group. The alphabet has no I, L, O or U, so no two characters
 * can be confused.
 */

export const RECOVERY_KEY_BYTES = 20
/**
 * For an enrolment code, which has the same format: half as many groups suffice, because each guess costs half a
 * second.
 */
export const ENROLMENT_CODE_BYTES = 10
/** The alphabet, without characters that could be confused. */
export const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** Each group has 20 bits. */
const groupsOf = (bytes: number) => (bytes * 8) / 20

/**
 * Formats a key or code.
 * @param bytes {@link RECOVERY_KEY_BYTES} or {@link ENROLMENT_CODE_BYTES} unpredictable bytes.
 */
export function recoveryKeyText(bytes: Uint8Array): string {
  const digits: number[] = []
  for (let bit = 0; bit < bytes.length * 8; bit += 5) {
    const pair = ((bytes[bit >> 3] ?? 0) << 8) | (bytes[(bit >> 3) + 1] ?? 0)
    digits.push((pair >> (11 - (bit & 7))) & 31)
  }
  const groups: string[] = []
  for (let group = 0; group < groupsOf(bytes.length); group++) {
    const groupDigits = digits.slice(group * 4, group * 4 + 4)
    groups.push([...groupDigits, checkOf(groupDigits, group)].map((digit) => ALPHABET[digit]).join(''))
  }
  return groups.join('-')
}

/**
 * The result of parsing a typed key: its bytes; or the wrong group, counted from 1; or its length, if that isn't a
 * key's.
 */
export type ReadRecoveryKey = { bytes: Uint8Array } | { wrongGroup: number } | { length: number }

/** Parses a typed key. Spaces, hyphens and case don't matter, and an O counts as a zero. */
export function readRecoveryKey(typed: string, length = RECOVERY_KEY_BYTES): ReadRecoveryKey {
  const text = normalizeLetters(typed.normalize('NFKC').replaceAll(/[\s\-–—]/g, ''))
  if (text.length !== groupsOf(length) * 5) return { length: text.length }
  const bytes = new Uint8Array(length)
  let bit = 0
  for (let group = 0; group < groupsOf(length); group++) {
    const digits = [...text.slice(group * 5, group * 5 + 5)].map((letter) => ALPHABET.indexOf(letter))
    const groupDigits = digits.slice(0, 4)
    if (digits.includes(-1) || checkOf(groupDigits, group) !== digits[4]) return { wrongGroup: group + 1 }
    for (const digit of groupDigits) {
      const shifted = digit << (11 - (bit & 7))
      const at = bit >> 3
      bytes[at] = (bytes[at] ?? 0) | (shifted >> 8)
      if (at + 1 < bytes.length) bytes[at + 1] = (bytes[at + 1] ?? 0) | (shifted & 255)
      bit += 5
    }
  }
  return { bytes }
}

/** Converts text to upper case, with letters missing from the alphabet read as the digits they look like. */
export function normalizeLetters(text: string): string {
  return text.toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1')
}

/**
 * Computes a group's check character. The weights are odd, so that any single wrong letter changes the sum, as does a
 * group in another's place.
 */
function checkOf(digits: readonly number[], group: number): number {
  return digits.reduce((sum, digit, place) => sum + digit * (2 * place + 1), 9 * group) & 31
}
