/** Choices for drop-down lists out of pasted lines: one a line, or columns as they come from a spreadsheet. */
import type { Composition } from '../../../../../shared/composition/composition.ts'
import type { NewKey } from '../edits.ts'

export type ListItem = Composition['ListItems'][number]

/**
 * The lines as choices: "Choice", "Choice⇥Value" or "Field⇥Choice⇥Value". Undefined where there is only one line without
 * columns: that is text for one control.
 * @param field what they belong to where the line doesn't say.
 */
export function choicesOfLines(text: string, field: string, newKey: NewKey): ListItem[] | undefined {
  const lines = text.split(/\r\n|\r|\n/).filter((line) => line.trim())
  if (lines.length < 2 && !text.includes('\t')) return undefined
  return lines.map((line) => {
    const cells = line.split('\t').map((cell) => cell.trim())
    const [ClientField, Item, Value] =
      cells.length >= 3 ? cells : [field, cells[0] ?? '', cells.length === 2 ? cells[1] : cells[0]]
    return { key: newKey(), ClientField: ClientField ?? '', Item: Item ?? '', Value: Value ?? '' }
  })
}
