/**
 * A number of things: "1 form", "2 forms", "no forms".
 * @param forms with # where the number goes, one for each plural form of the language. They are written out where this is
 *   called, as the catalogue of words takes them from there (decision 32).
 * @param formOf which of them a number takes: English, unless the catalogue says otherwise
 */
export function counted(count: number, forms: readonly string[], formOf = (n: number) => (n === 1 ? 0 : 1)): string {
  return (forms[formOf(count)] ?? '').replace('#', count === 0 ? 'no' : count.toLocaleString('en-GB'))
}
