/** What a receipt says in words. "Signed" and "declined" are said only where the service says so. */
import type { ReceiptContent, ReceiptDocument, ReceiptPerson, Result } from './content.ts'

interface ResultWords {
  word: string
  tone: 'ok' | 'danger' | 'open'
  /** Whose word it is and since when, or what isn't known. */
  meaning: (time: string) => string
}

const confirmed = (time: string) => `Confirmed by the signing service at ${time}.`
const RESULTS: Record<Result, ResultWords> = {
  signed: { word: 'Signed', tone: 'ok', meaning: confirmed },
  declined: { word: 'Declined', tone: 'danger', meaning: confirmed },
  'not-signed': {
    word: 'Not signed yet',
    tone: 'open',
    meaning: (time) => `The signing service had no signature at ${time}.`
  },
  stopped: {
    word: 'Stopped',
    tone: 'open',
    meaning: (time) => `The page was closed before the end. The signing service had no signature at ${time}.`
  },
  'not-confirmed': {
    word: 'Not confirmed',
    tone: 'open',
    meaning: (time) =>
      time === ''
        ? 'The signing service hadn’t said whether it was signed.'
        : `By ${time} the signing service hadn’t said whether it was signed.`
  },
  'not-opened': { word: 'Not opened', tone: 'open', meaning: () => 'The signing page was never shown.' }
}

const DAY = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric'
})

/** "Friday 20 November 2026", of a time with its offset. */
export function dayOf(iso: string): string {
  const day = new Date(iso.slice(0, 10))
  return Number.isNaN(day.getTime()) ? iso : DAY.format(day).replace(',', '')
}

/** "10:42:07", with its day and its offset where these are others than those of the beginning. */
export function timeOf(iso: string, began: string): string {
  const clock = iso.slice(11, 19)
  const offset = iso.slice(19) === began.slice(19) ? clock : `${clock} (UTC${iso.slice(19)})`
  return iso.slice(0, 10) === began.slice(0, 10) ? offset : `${dayOf(iso)}, ${offset}`
}

/** "Pacific/Auckland (UTC+13:00)". */
export function zoneOf({ zone, began }: Pick<ReceiptContent, 'zone' | 'began'>): string {
  return zone === 'UTC' ? zone : `${zone} (UTC${began.slice(19)})`
}

export function resultWords({ result, at, later }: ReceiptDocument, began: string) {
  const { word, tone, meaning } = RESULTS[result]
  const said = meaning(at === undefined ? '' : timeOf(at, began))
  return { word, tone, meaning: later ? `${said} That was after this session.` : said }
}

/** How they were identified: no more than the trail keeps. */
export function identityWords(
  { identified }: ReceiptPerson,
  began: string
): { title: string; lines: string[]; by: string } {
  if (!identified) return { title: 'Identity', lines: ['They weren’t handed the screen.'], by: '' }
  const { evidence, staff, at } = identified
  const lines = evidence === '' ? ['No identity check was recorded.'] : evidence.split('; ')
  const time = timeOf(at, began)
  const by = staff === '' ? `Screen handed over at ${time}.` : `Screen handed over by ${staff} at ${time}.`
  return { title: 'Identity', lines, by }
}

/** What limits what the receipt can say. */
export function noticesOf(content: ReceiptContent): string[] {
  const { practice, interrupted, ended, copy, lost, unrecorded, replaces, began } = content
  const notices: string[] = []
  if (practice) notices.push('Practice: nothing that was signed in this session counts.')
  if (replaces) notices.push(`This receipt replaces ${replaces}, as more is known now.`)
  if (interrupted)
    notices.push(
      `Countersign closed during this session and opened again at ${timeOf(interrupted, began)}. Results are what the signing service said after that.`
    )
  if (copy === 'file' && ended === undefined) notices.push('The audit trail doesn’t have the end of this session.')
  if (lost > 0)
    notices.push(
      'Entries of the audit trail from this time are missing, as they couldn’t be saved. This receipt may be incomplete.'
    )
  if (unrecorded > 0) notices.push('More signatures were planned. The audit trail has nothing of them.')
  return notices
}

export const RECEIPT_WORDS = {
  title: 'Receipt for signing in person',
  file: 'For our file',
  person: (name: string) => `For ${name}`,
  number: 'Receipt number',
  unnamed: 'Unnamed signer',
  unnamedDocument: 'Unnamed document',
  shownFrom: (time: string, origin: string) => `${time} from ${origin}`,
  practiceService: 'the practice service',
  neverShown: 'Never shown',
  files: 'Files given to the page',
  until: (from: string, until: string) => `${from} to ${until}`,
  proof: 'How to check this receipt',
  howToCheck:
    'The PDF file carries the office’s signature. In Countersign, open Audit trail, then Export, then Check a file. A printout can be compared with the office’s copy by its number and its hash.',
  hash: 'Hash (SHA-256)',
  first: 'First audit trail entry',
  last: 'Last audit trail entry',
  key: 'Signing key fingerprint'
}
