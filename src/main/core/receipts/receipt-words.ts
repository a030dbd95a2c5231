/**
 * The words of a receipt, as markup. "Signed" and "declined" are used only if the service says so. The office's copy is
 * in English; a person's own may be in the language that they chose.
 */
import type { PersonLanguage } from '../../../shared/contract/index.ts'
import type { IdentityNumber } from '../counter/identity-numbers.ts'
import type { ReceiptContent, ReceiptDocument, ReceiptPerson, Result } from './content.ts'
import { type ReceiptSentence, SENTENCES, TRANSLATIONS } from './receipt-translations.ts'

/** The reader's language, and how to write in it. */
export interface Reader {
  language: PersonLanguage
  direction: 'ltr' | 'rtl'
  /** Returns markup; the values are inserted as text. */
  say: (sentence: ReceiptSentence, values?: Readonly<Record<string, string>>) => string
  /** "Friday 20 November 2026", from a time with its offset. */
  day: (iso: string) => string
  /** "10:42:07", with the day and the offset if they differ from those of the beginning. */
  time: (iso: string, began: string) => string
}

export function readerOf(language: PersonLanguage): Reader {
  const sentences = language === 'en' ? SENTENCES : TRANSLATIONS[language]
  // Languages without month names in the browser use English dates.
  const days = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : [language, 'en-GB'], {
    timeZone: 'UTC',
    numberingSystem: 'latn',
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric'
  })
  const day = (iso: string) => {
    const date = new Date(iso.slice(0, 10))
    if (Number.isNaN(date.getTime())) return iso
    return language === 'en' ? days.format(date).replace(',', '') : days.format(date)
  }
  const time = (iso: string, began: string) => {
    const clock = iso.slice(11, 19)
    const withOffset = iso.slice(19) === began.slice(19) ? clock : `${clock} (UTC${iso.slice(19)})`
    return iso.slice(0, 10) === began.slice(0, 10) ? withOffset : `${day(iso)}, ${withOffset}`
  }
  // Isolates a name in the other direction, so that it doesn't reorder the text around it.
  const put = (value: string) => (language === 'en' ? escaped(value) : `<bdi>${escaped(value)}</bdi>`)
  const say: Reader['say'] = (sentence, values = {}) =>
    escaped(sentences[sentence]).replace(/\{(\w+)\}/g, (_place, name) => put(values[name] ?? ''))
  return { language, direction: language === 'ar' ? 'rtl' : 'ltr', say, day, time }
}

/** Says how the words were translated; undefined in English. */
export function translationNote({ language }: Reader): string | undefined {
  return language === 'en' ? undefined : escaped(TRANSLATIONS[language].translated)
}

const RESULTS: Record<Result, { word: ReceiptSentence; tone: 'ok' | 'danger' | 'open'; meaning: ReceiptSentence }> = {
  signed: { word: 'signed', tone: 'ok', meaning: 'confirmed' },
  declined: { word: 'declined', tone: 'danger', meaning: 'confirmed' },
  'not-signed': { word: 'notSigned', tone: 'open', meaning: 'noSignature' },
  stopped: { word: 'stopped', tone: 'open', meaning: 'closed' },
  'not-confirmed': { word: 'notConfirmed', tone: 'open', meaning: 'unsaidBy' },
  'not-opened': { word: 'notOpened', tone: 'open', meaning: 'neverOpened' }
}

/** The result, with who says so and since when, or what isn't known. */
export function resultWords({ result, at, later }: ReceiptDocument, began: string, { say, time }: Reader) {
  const { word, tone, meaning } = RESULTS[result]
  const isUnsaid = meaning === 'unsaidBy' && at === undefined
  const sentence = say(isUnsaid ? 'unsaid' : meaning, { time: at === undefined ? '' : time(at, began) })
  return { word: say(word), tone, meaning: later ? `${sentence} ${say('later')}` : sentence }
}

/** "Pacific/Auckland (UTC+13:00)". */
export function zoneOf({ zone, began }: Pick<ReceiptContent, 'zone' | 'began'>): string {
  return zone === 'UTC' ? zone : `${zone} (UTC${began.slice(19)})`
}

/** How the person was identified, with no more than the trail keeps. The checklist's words are the office's own. */
export function identityWords(
  { identified }: ReceiptPerson,
  began: string,
  reader: Reader
): { lines: string[]; by: string } {
  const { say } = reader
  if (!identified) return { lines: [say('notHanded')], by: '' }
  const { evidence, staff, at } = identified
  const lines = evidence === '' ? [say('noCheck')] : evidence.split('; ').map(escaped)
  const time = reader.time(at, began)
  return { lines, by: staff === '' ? say('handedOver', { time }) : say('handedOverBy', { staff, time }) }
}

const DAY = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'long', year: 'numeric' })

/** What is kept of an identity document; for the office's own copy, which is in English. */
export function readingWords({ number, isEnd, expires }: IdentityNumber): string {
  if (isEnd) return escaped(`Document number ending in ${number}`)
  const until = expires === undefined ? undefined : DAY.format(new Date(expires))
  return escaped(until ? `Document number ${number}, valid until ${until}` : `Document number ${number}`)
}

/** Notices about the limits of what the receipt can say. */
export function noticesOf(content: ReceiptContent, { say, time }: Reader): string[] {
  const { practice, interrupted, ended, copy, lost, unrecorded, replaces, began } = content
  const notices: string[] = []
  if (practice) notices.push(say('practice'))
  if (replaces) notices.push(say('replaces', { number: replaces }))
  if (interrupted) notices.push(say('interrupted', { time: time(interrupted, began) }))
  if (copy === 'file' && ended === undefined) notices.push('The end of this session is missing from the audit trail.')
  if (lost > 0) notices.push(say('lost'))
  if (unrecorded > 0) notices.push('More signatures were planned, but the audit trail has no record of them.')
  return notices
}

const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text for markup. Leaves out invisible characters that would break the line or change its direction. */
export function escaped(text: string): string {
  return text
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .toWellFormed()
    .replace(/[&<>"']/g, (sign) => MARKUP[sign] ?? '')
}
