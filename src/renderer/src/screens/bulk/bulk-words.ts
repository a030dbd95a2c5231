/** One-line descriptions of the package, the sheet, its columns and its rows. */
import { CircleAlert, CircleCheck, TriangleAlert } from '@lucide/svelte'
import { type DateOrder, readDate } from '../../../../shared/composition/bulk-dates.ts'
import { signersInWords, titleOf } from '../../../../shared/composition/names.ts'
import type { BulkCheck, BulkRow, BulkSheet } from '../../../../shared/contract/views.ts'
import { counted } from '../../../../shared/counted.ts'
import type { BulkBase } from '../../state/bulk-base.ts'
import { shortDay } from '../../words/dates.ts'
import { dayAndTime } from '../../words/sends.ts'
import { itemsInWords } from '../compose/describe.ts'
import type { Bulk } from './bulk.svelte.ts'

/** Returns "tenants.xlsx, sheet “May”: 200 rows, 9 columns". */
export function sheetInWords({ fileName, sheets, sheet, rows, columns }: BulkSheet): string {
  const which = sheets.length > 1 ? `, sheet “${sheet}”` : ''
  return `${fileName}${which}: ${counted(rows, ['# row', '# rows'])}, ${counted(columns.length, ['# column', '# columns'])}`
}

/** Returns "tenants.xlsx", with the sheet's name if there are several. */
export function sheetNameOf({ fileName, sheets, sheet }: BulkSheet): string {
  return sheets.length > 1 ? `${fileName}, ${sheet}` : fileName
}

/** Icons for findings in a row. A row without findings needs no label. */
export const findingLooks = {
  error: { icon: CircleAlert, tone: 'danger', label: 'Error' },
  warning: { icon: TriangleAlert, tone: 'warn', label: 'Warning' },
  fine: { icon: CircleCheck, tone: 'ok', label: undefined }
} as const

/** Returns "E-mail: “mere@” → “mere@example.com”"; blank if nothing was corrected. */
export function correctionsInWords({ corrected = [] }: BulkRow): string {
  const quoted = (text: string) => (text ? `“${text}”` : 'blank')
  return corrected.map(({ name, was, now }) => `${name}: ${quoted(was)} → ${quoted(now)}`).join(', ')
}

/** Returns "03/04/2026 is read as 3 April 2026". */
export function dateInWords(example: string, order: DateOrder): string {
  const day = readDate(example, order)?.day
  if (!day) return ''
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const words = new Date(Date.UTC(year, month - 1, date)).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC'
  })
  return `${example} is read as ${words}`
}

/** Returns "8 of 9 columns matched". */
export function columnsInWords({ mapping, unused }: Pick<Bulk, 'mapping' | 'unused'>): string {
  return `${mapping.length.toLocaleString('en-GB')} of ${counted(mapping.length + unused.length, ['# column', '# columns'])} matched`
}

/** Returns "195 rows ready, 5 with errors". How many are sent also depends on what is done with duplicates. */
export function checkInWords({ ready, withErrors }: BulkCheck): string {
  const sendable = `${counted(ready, ['# row', '# rows'])} ready`
  return withErrors === 0 ? sendable : `${sendable}, ${withErrors.toLocaleString('en-GB')} with errors`
}

/** Returns "Same as row 12" or "Already sent on 14 Nov"; blank if it isn't a duplicate. */
export function duplicateInWords({ duplicateOf }: BulkRow, now: number): string {
  if (!duplicateOf) return ''
  if ('row' in duplicateOf) return `Same as row ${duplicateOf.row.toLocaleString('en-GB')}`
  return `Already sent on ${shortDay(duplicateOf.sentAt, now)}`
}

/** Returns "The same people got this on Tuesday 24 November, 14:00, with other data". */
export function alikeInWords(sentAt: number, now: number): string {
  return `The same people got this on ${dayAndTime(sentAt, now)}, with other data`
}

/** Returns a default name for the batch: the file's name without its extension. */
export function batchNameOf({ fileName, sheets, sheet }: BulkSheet): string {
  const name = fileName.replace(/\.[^.]+$/, '') || fileName
  return sheets.length > 1 && !name.toLowerCase().includes(sheet.toLowerCase()) ? `${name}, ${sheet}` : name
}

const nouns: Record<BulkBase['from'], string> = { preset: 'Preset', draft: 'Draft', template: 'Template', form: 'Form' }

/** Returns "Preset “Tenancy”: 1 document, 2 signers". */
export function baseInWords({ from, name, composition }: BulkBase): string {
  const items = itemsInWords(composition)
  const people = composition.items.reduce((sum, item) => sum + item.signers.length, 0)
  const who = signersInWords(composition)
  return `${nouns[from]} “${name || titleOf(composition)}”: ${items}, ${counted(people, ['# signer', '# signers'])}${who ? ` (${who})` : ''}`
}
