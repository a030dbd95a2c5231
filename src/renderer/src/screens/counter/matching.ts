/**
 * Finds people in the queue by what a clerk types: a name, a document or a due date. Also explains why someone who was
 * searched for isn't in the queue, as far as their document shows.
 */
import type { Appointment, CounterEntry, DocumentPage, SignerView } from '../../../../shared/contract/views.ts'
import { hasWords, isMeantBy } from '../../../../shared/short-list-search.ts'
import { folded, wordsOf } from '../../../../shared/text-folding.ts'
import { clockTime, dayInWords, offsetAt, shortDay } from '../../words/dates.ts'
import { dueWords } from '../documents/document-words.ts'

const DAY = 86_400_000
const WEEK = Array.from({ length: 7 }, (_, day) => day)
/** Offsets in days from now that hit every month. */
const MONTHS = Array.from({ length: 14 }, (_, part) => part * 28)

/** Returns the entries that match all the words typed, in their original order. */
export function entriesMatching(entries: readonly CounterEntry[], typed: string, now: number): CounterEntry[] {
  const words = wordsOf(typed)
  if (words.length === 0) return [...entries]
  return entries.filter((entry) => {
    const names = folded(`${entry.signerName} ${entry.documentName}`)
    const day = folded(daysOf(entry, now))
    const dayWords = day.split(/[\s,]+/)
    // "5" is the fifth, not 2025 or the 15th; "fri" is Friday, "2025-12" that December.
    return words.every((word) => {
      if (names.includes(word)) return true
      return dayWords.some((one) => (/^\d{1,2}$/.test(word) ? one === word : one.startsWith(word)))
    })
  })
}

/** Returns the names of people in the queue that were probably meant by a misspelt name: "fatma benet". */
export function namesLike(entries: readonly CounterEntry[], typed: string): string[] {
  const words = wordsOf(typed)
  return [...new Set(entries.map(({ signerName }) => signerName))].filter((name) => isMeantBy(name, words))
}

/** Returns the appointments that match all the words typed, by name, time, place, number or subject. */
export function appointmentsMatching(all: readonly Appointment[], typed: string): Appointment[] {
  const words = wordsOf(typed)
  return all.filter(({ name, at, place, number, about, email }) => {
    const texts = folded(`${name} ${clockTime(at)} ${place} ${about ?? ''} ${email ?? ''}`)
    return words.every((word) => (/^\d{1,3}$/.test(word) && Number(word) === number) || texts.includes(word))
  })
}

/** Returns the due date in every form that may be typed: "Friday 5 December 2025 5 Dec 2025-12-05 5/12 tomorrow". */
function daysOf({ due }: CounterEntry, now: number): string {
  if (!due) return ''
  const offset = due.precision === 'day' ? (due.offset ?? offsetAt(due.at)) : offsetAt(due.at)
  const iso = new Date(due.at + offset * 60_000).toISOString().slice(0, 10)
  const [, month = '', day = ''] = iso.split('-')
  const left = dueWords({ due, status: { raw: '', family: 'in-progress' } }, now)?.left ?? ''
  return [dayInWords(due.at, offset), shortDay(due.at, now), iso, `${Number(day)}/${Number(month)}`, left].join(' ')
}

/**
 * Returns whether the typed text is a date and not a name: "friday", "fri 5 dec", "5/12", "tomorrow". A month alone may
 * be a name, and so may the beginning of a weekday.
 */
export function isDay(typed: string, now: number): boolean {
  const words = folded(typed)
    .split(/[\s,./-]+/)
    .filter(Boolean)
  const weekdays = ['today', 'tomorrow', ...WEEK.map((day) => dayWord(now + day * DAY, 0))]
  const names = [...weekdays, ...MONTHS.map((day) => dayWord(now + day * DAY, 2))]
  return (
    words.some((one) => /^\d{1,2}$/.test(one) || weekdays.includes(one)) &&
    words.every(
      (one) => /^(?:\d{1,2}|\d{4})$/.test(one) || (one.length >= 3 && names.some((name) => name.startsWith(one)))
    )
  )
}

/** Returns one word of "friday 5 december 2025". */
const dayWord = (at: number, part: 0 | 2) => folded(dayInWords(at)).split(/\s+/)[part] ?? ''

export interface AbsentSigner {
  accountId: string
  documentReference: string
  documentName: string
  signerName: string
  /** Shown on its own line: "Already signed". */
  why: string
  /** Only the missing link keeps them from signing here: they can sign another way. */
  hasNoLink: boolean
}

/** Statuses of a signer who hasn't been asked yet because someone else signs first. */
const NOT_INVITED = new Set(['Initialized', 'Pending'])

/** Returns the signers of a document found whose name matches all the words, or all its signers if none match. */
export function absentSignersOf(page: DocumentPage, typed: string): AbsentSigner[] {
  const words = wordsOf(typed)
  const named = page.people.filter(({ name }) => hasWords(name, words))
  return (named.length > 0 ? named : page.people).map((person) => {
    const why = absenceReason(page, person)
    return {
      accountId: page.accountId,
      documentReference: page.reference,
      documentName: page.name,
      signerName: person.name.trim() || 'Unnamed signer',
      why: why ?? 'The service gave no link to sign here',
      hasNoLink: why === undefined
    }
  })
}

/** Returns undefined if nothing is known but that there is no link. */
function absenceReason({ people, status, goneAt }: DocumentPage, person: SignerView): string | undefined {
  if (person.state === 'signed') return 'Already signed'
  if (person.state === 'declined') return 'Declined'
  if (person.state === 'removed') return 'Removed from the document'
  if (goneAt !== undefined) return 'The document is no longer in the folders'
  if (person.state === 'expired') return 'Expired'
  if (status.family === 'declined') return 'Another signer declined'
  if (person.canSignHere) return 'Can sign here now'
  const before = people.slice(0, people.indexOf(person)).find(({ state }) => state === 'waiting' || state === 'unknown')
  if (!before || !NOT_INVITED.has(person.signedStatus ?? '')) return undefined
  const name = before.name.trim()
  return name ? `Signs after ${name}` : 'Signs after another signer'
}
