/**
 * Formats a number of things: "1 form", "2 forms", "no forms".
 * @param forms one text for each plural form of the language, with # in place of the number. Write them out at the
 * call, because the word catalogue extracts them there (decision 32).
 * @param formOf selects the form for a number; English, unless the catalogue says otherwise
 */
export function counted(count: number, forms: readonly string[], formOf = (n: number) => (n === 1 ? 0 : 1)): string {
  return (forms[formOf(count)] ?? '').replace('#', count === 0 ? 'no' : count.toLocaleString('en-GB'))
}
