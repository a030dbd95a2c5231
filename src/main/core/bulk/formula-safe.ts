/**
 * Spreadsheets run what begins like a formula. What is written to a file for them has an apostrophe in front, as OWASP
 * advises; reading takes it off again, so that a file of ours comes back as it was.
 */

/**
 * What begins like a formula, and what would be taken for it once its apostrophes are off. The last four are full-width.
 * Papa Parse puts the apostrophe before what fits.
 */
export const FORMULA_LIKE = /^'*[=+\-@\t\r\n＝＋－＠]/

/** A cell as it was before it was written. */
export function plainCell(text: string): string {
  return /^'+[=+\-@\t\r\n＝＋－＠]/.test(text) ? text.slice(1) : text
}
