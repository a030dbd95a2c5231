/** Australian Business Numbers: eleven digits whose weighted sum is a multiple of 89, so that a slip is seen at once. */

const WEIGHTS = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]
const SEPARATORS = /[\s.\-\u2010-\u2015]/g

/** The number's digits alone; undefined where there are not eleven of them, or anything else stands between. */
export function digitsOfAbn(text: string): string | undefined {
  const digits = text.replace(SEPARATORS, '')
  return /^\d{11}$/.test(digits) ? digits : undefined
}

/** Whether it is an ABN by its checksum. Whether anybody has that number isn't known. */
export function isAbn(text: string): boolean {
  const digits = digitsOfAbn(text)
  // No number begins with 0: the two check digits in front count from 10.
  if (digits === undefined || digits.startsWith('0')) return false
  // The checksum is made of the number as it was before 1 was added to its first digit.
  const sum = WEIGHTS.reduce(
    (total, weight, place) => total + weight * (Number(digits[place]) - (place === 0 ? 1 : 0)),
    0
  )
  return sum % 89 === 0
}
