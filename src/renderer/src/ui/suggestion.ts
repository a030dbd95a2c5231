/** A suggestion of a text field. */

export interface Suggestion {
  /** The field's text once the suggestion is taken. */
  value: string
  /** Shown instead of the value. */
  label?: string
  note?: string
  /** Additional words to match, not shown. */
  also?: string
}
