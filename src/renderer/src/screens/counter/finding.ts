/** Finding people in the queue by what a clerk types: a name, a document, or the day that it is due. */
import type { CounterEntry } from '../../../../shared/contract/views.ts'
import { dayInWords, offsetAt, shortDay } from '../../words/dates.ts'
import { dueWords } from '../documents/document-words.ts'

/** The entries that have all the words typed, in their order. */
export function foundIn(entries: readonly CounterEntry[], typed: string, now: number): CounterEntry[] {
  const words = plain(typed).split(/\s+/).filter(Boolean)
  if (words.length === 0) return [...entries]
  return entries.filter((entry) => {
    const names = plain(`${entry.signerName} ${entry.documentName}`)
    const day = plain(daysOf(entry, now))
    const dayWords = day.split(/[\s,]+/)
    // "5" is the fifth, not 2025 or the 15th; "fri" is Friday, "2025-12" that December.
    return words.every((word) => {
      if (names.includes(word)) return true
      return dayWords.some((one) => (/^\d{1,2}$/.test(word) ? one === word : one.startsWith(word)))
    })
  })
}

/** The day in every way that it may be typed: "Friday 5 December 2025 5 Dec 2025-12-05 5/12 tomorrow". */
function daysOf({ due }: CounterEntry, now: number): string {
  if (!due) return ''
  const offset = due.precision === 'day' ? (due.offset ?? offsetAt(due.at)) : offsetAt(due.at)
  const iso = new Date(due.at + offset * 60_000).toISOString().slice(0, 10)
  const [, month = '', day = ''] = iso.split('-')
  const left = dueWords({ due, status: { raw: '', family: 'in-progress' } }, now)?.left ?? ''
  return [dayInWords(due.at, offset), shortDay(due.at, now), iso, `${Number(day)}/${Number(month)}`, left].join(' ')
}

/** In small letters and without marks over them, so that "ngata" finds "Ngāta". */
export function plain(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
}
