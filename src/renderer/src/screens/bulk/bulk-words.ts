/** What rows are used with, the sheet, its columns and its rows: each in a line of words. */
import { titleOf, whoOf } from '../../../../shared/composition/names.ts'
import type { BulkCheck, BulkRow, BulkSheet } from '../../../../shared/contract/views.ts'
import { counted } from '../../words/counts.ts'
import { shortDay } from '../../words/dates.ts'
import { dayAndTime } from '../../words/sends.ts'
import type { Bulk, BulkBase } from './bulk.svelte.ts'

/** "tenants.xlsx, sheet “May”: 200 rows, 9 columns". */
export function sheetInWords({ fileName, sheets, sheet, rows, columns }: BulkSheet): string {
  const which = sheets.length > 1 ? `, sheet “${sheet}”` : ''
  return `${fileName}${which}: ${counted(rows, 'row')}, ${counted(columns.length, 'column')}`
}

/** "tenants.xlsx", or which sheet of it where it has several. */
export function sheetNameOf({ fileName, sheets, sheet }: BulkSheet): string {
  return sheets.length > 1 ? `${fileName}, ${sheet}` : fileName
}

/** "8 columns fill something, 1 fills nothing". */
export function columnsInWords({ mapping, unused }: Pick<Bulk, 'mapping' | 'unused'>): string {
  const used = `${counted(mapping.length, 'column')} ${mapping.length === 1 ? 'fills' : 'fill'} something`
  if (unused.length === 0) return used
  return `${used}, ${unused.length.toLocaleString('en-GB')} ${unused.length === 1 ? 'fills' : 'fill'} nothing`
}

/** "195 rows without errors, 5 with": how many go depends on what becomes of those that repeat others. */
export function checkInWords({ ready, withErrors }: BulkCheck): string {
  const without = `${counted(ready, 'row')} without errors`
  return withErrors === 0 ? without : `${without}, ${withErrors.toLocaleString('en-GB')} with`
}

/** "The same package as in row 12", "The same package was sent on 14 Nov"; blank where it repeats nothing. */
export function duplicateInWords({ duplicateOf }: BulkRow, now: number): string {
  if (!duplicateOf) return ''
  if ('row' in duplicateOf) return `The same package as in row ${duplicateOf.row.toLocaleString('en-GB')}`
  return `The same package was sent on ${shortDay(duplicateOf.sentAt, now)}`
}

/** "The same people got this on Tuesday 24 November, 2 pm, with other data". */
export function alikeInWords(sentAt: number, now: number): string {
  return `The same people got this on ${dayAndTime(sentAt, now)}, with other data`
}

/** What to call a batch: the file's name without its ending. */
export function batchNameOf({ fileName, sheets, sheet }: BulkSheet): string {
  const name = fileName.replace(/\.[^.]+$/, '') || fileName
  return sheets.length > 1 && !name.toLowerCase().includes(sheet.toLowerCase()) ? `${name}, ${sheet}` : name
}

const nouns: Record<BulkBase['from'], string> = { preset: 'Preset', draft: 'Draft', template: 'Template', form: 'Form' }

/** "Preset “Tenancy”: 1 template, 2 signers". */
export function baseInWords({ from, name, composition }: BulkBase): string {
  const items = counted(composition.items.length, composition.kind === 'form-direct' ? 'form' : 'template')
  const people = composition.items.reduce((sum, item) => sum + item.signers.length, 0)
  const who = whoOf(composition)
  return `${nouns[from]} “${name || titleOf(composition)}”: ${items}, ${counted(people, 'signer')}${who ? `, such as ${who}` : ''}`
}
