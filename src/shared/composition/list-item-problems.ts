/** What is wrong with the choices given to drop-down lists (reference 2.8). */
import type { Composition } from './composition.ts'
import { type Problem, required, warning } from './problem.ts'

export function problemsOfListItems(items: Composition['ListItems']): Problem[] {
  const seen = new Set<string>()
  return items.flatMap((one) => {
    const same = JSON.stringify([one.ClientField.trim(), one.Item.trim()])
    const isAgain = one.Item.trim() !== '' && seen.has(same)
    seen.add(same)
    return [
      ...required(`ListItems.${one.key}.ClientField`, one.ClientField, 'Name the field that this choice belongs to.'),
      ...required(`ListItems.${one.key}.Item`, one.Item, 'Say what this choice is called.'),
      ...(isAgain ? [warning(`ListItems.${one.key}.Item`, 'This field has this choice already.')] : [])
    ]
  })
}
