/** What is wrong with what is filled in a template's fields (reference 2.12). */
import { readDay, WRITTEN_DAY } from './calendar.ts'
import type { ComposedField, ComposedItem } from './composition.ts'
import { error, type Problem, required, warning } from './problem.ts'

export function problemsOfFields(item: ComposedItem): Problem[] {
  const seen = new Set<string>()
  return item.fields.flatMap((field) => {
    const at = `${item.key}.fields.${field.key}`
    const reference = field.Reference.trim()
    const isAgain = reference !== '' && seen.has(reference)
    seen.add(reference)
    return [
      ...required(
        `${at}.Reference`,
        field.Reference,
        'This field has no reference: enter the one it has in the template.'
      ),
      ...(isAgain
        ? [warning(`${at}.Reference`, 'Two fields have this reference: which value counts is not known.')]
        : []),
      ...problemsOfValue(`${at}.Value`, field)
    ]
  })
}

function problemsOfValue(at: string, field: ComposedField): Problem[] {
  const value = field.Value.trim()
  if (!value) {
    return field.IsRequired && field.ReadOnly
      ? [error(at, `Fill in "${field.Label.trim() || 'this field'}": the signer can't.`)]
      : []
  }
  if (field.FieldType === 'DateInput' && readDay(value) === undefined) {
    return [warning(at, `This doesn't read as a date, such as ${WRITTEN_DAY}.`)]
  }
  if (field.FieldType === 'CheckBox' && !/^(true|false)$/i.test(value)) {
    return [warning(at, 'A box is either ticked ("true") or not ("false").')]
  }
  return []
}
