/**
 * Returns a select's options for a number: the usual ones and the current one, by size. A policy or another version may
 * have set an unusual one.
 */
export function numberOptions(
  usual: readonly number[],
  current: number | null,
  labelOf: (value: number) => string
): { value: string; label: string }[] {
  const all = [...new Set([...usual, ...(current === null ? [] : [current])])].sort((one, two) => one - two)
  return all.map((value) => ({ value: String(value), label: labelOf(value) }))
}
