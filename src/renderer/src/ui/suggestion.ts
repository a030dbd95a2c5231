/** What a text with suggestions offers. */

export interface Suggestion {
  /** What stands in the field once it is taken. */
  value: string
  /** What is shown in its place. */
  label?: string
  note?: string
  /** Further words that it is found by, not shown. */
  also?: string
}
