/** What can be done with a row: by its menu, and by a key while the row is chosen. */
import type { MenuEntry } from '../../ui/menu.ts'

export interface RowAction<Row> {
  label: string
  /** As `KeyboardEvent.key` has it. */
  key?: string
  danger?: boolean
  run: (row: Row) => void
}

export function menuOf<Row>(actions: readonly RowAction<Row>[], row: Row): MenuEntry[] {
  return actions.flatMap((action, index): MenuEntry[] => {
    const entry: MenuEntry = {
      label: action.label,
      ...(action.key !== undefined && { note: action.key.length === 1 ? action.key.toUpperCase() : action.key }),
      ...(action.danger && { danger: true }),
      run: () => action.run(row)
    }
    const partsFromAbove = action.danger && index > 0 && !actions[index - 1]?.danger
    return partsFromAbove ? ['line', entry] : [entry]
  })
}

/** Does what the key stands for; returns whether it stands for anything. */
export function actByKey<Row>(actions: readonly RowAction<Row>[], event: KeyboardEvent, row: Row): boolean {
  const action = actions.find(({ key }) => key !== undefined && key.toLowerCase() === event.key.toLowerCase())
  action?.run(row)
  return action !== undefined
}
