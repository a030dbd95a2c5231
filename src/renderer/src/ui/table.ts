/** The columns of a table. */
export interface Column {
  key: string
  label: string
  /** A track of CSS grid (`120px`, `minmax(0, 2fr)`); a share of the rest where absent. */
  width?: string
  align?: 'start' | 'end'
}
