/**
 * A recovery key as people read, print and type it: 160 bits in eight groups of four letters and digits, each with one more by which
 * a slip is found in its group. Nothing in it can be taken for something else: there is no I, L, O or U.
 */

export const RECOVERY_KEY_BYTES = 20
/** Of an enrolment code, which is written so, too: half as many groups, as each guess costs half a second. */
export const ENROLMENT_CODE_BYTES = 10
/** Of what people read and type: none of them is taken for another. */
export const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** Each has 20 bits. */
const groupsOf = (bytes: number) => (bytes * 8) / 20

/** @param bytes {@link RECOVERY_KEY_BYTES} or {@link ENROLMENT_CODE_BYTES} that can't be guessed. */
export function recoveryKeyText(bytes: Uint8Array): string {
  const digits: number[] = []
  for (let bit = 0; bit < bytes.length * 8; bit += 5) {
    const pair = ((bytes[bit >> 3] ?? 0) << 8) | (bytes[(bit >> 3) + 1] ?? 0)
    digits.push((pair >> (11 - (bit & 7))) & 31)
  }
  const groups: string[] = []
  for (let group = 0; group < groupsOf(bytes.length); group++) {
    const own = digits.slice(group * 4, group * 4 + 4)
    groups.push([...own, checkOf(own, group)].map((digit) => LETTERS[digit]).join(''))
  }
  return groups.join('-')
}

/** What was typed: its bytes; or which group is wrong, counted from 1; or that it isn't as long as a key. */
export type ReadRecoveryKey = { bytes: Uint8Array } | { wrongGroup: number } | { length: number }

/** Spaces, hyphens and capitals don't matter, and an O is a nought. */
export function readRecoveryKey(typed: string, length = RECOVERY_KEY_BYTES): ReadRecoveryKey {
  const text = lettersMeant(typed.normalize('NFKC').replaceAll(/[\s\-–—]/g, ''))
  if (text.length !== groupsOf(length) * 5) return { length: text.length }
  const bytes = new Uint8Array(length)
  let bit = 0
  for (let group = 0; group < groupsOf(length); group++) {
    const digits = [...text.slice(group * 5, group * 5 + 5)].map((letter) => LETTERS.indexOf(letter))
    const own = digits.slice(0, 4)
    if (digits.includes(-1) || checkOf(own, group) !== digits[4]) return { wrongGroup: group + 1 }
    for (const digit of own) {
      const shifted = digit << (11 - (bit & 7))
      const at = bit >> 3
      bytes[at] = (bytes[at] ?? 0) | (shifted >> 8)
      if (at + 1 < bytes.length) bytes[at + 1] = (bytes[at + 1] ?? 0) | (shifted & 255)
      bit += 5
    }
  }
  return { bytes }
}

/** In capitals, with the letters that aren't there read as the digits that they look like. */
export function lettersMeant(text: string): string {
  return text.toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1')
}

/** Odd weights: any one wrong letter makes another sum, and so does a group in another's place. */
function checkOf(digits: readonly number[], group: number): number {
  return digits.reduce((sum, digit, place) => sum + digit * (2 * place + 1), 9 * group) & 31
}
