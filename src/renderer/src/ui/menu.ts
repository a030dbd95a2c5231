/** What stands in a menu. */

/** An action, or a choice where `chosen` is set; 'line' parts groups. */
export type MenuEntry =
  | 'line'
  | {
      label: string
      note?: string
      chosen?: boolean
      danger?: boolean
      disabled?: boolean
      /** A CSS colour shown as a small square. */
      colour?: string
      run: () => void
    }
