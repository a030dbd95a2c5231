/** What the audit trail tells, in plain words: each event as a sentence, and each detail with what it is called. */
import { offsetInWords } from '../../../../shared/composition/zone.ts'
import type { AuditCheck, AuditEntry, AuditEvent } from '../../../../shared/contract/views.ts'
import { counted } from '../../../../shared/counted.ts'
import { capital } from '../../words/counts.ts'
import { clockTime, dayInWords, inWords, offsetAt } from '../../words/dates.ts'
import type { StatusWords } from '../../words/statuses.ts'

const events: Record<AuditEvent, StatusWords> = {
  'session-started': { shape: 'dot', word: 'Session started', tone: 'accent' },
  'handed-over': { shape: 'half', word: 'Screen handed over', tone: 'accent' },
  'page-opened': { shape: 'half', word: 'Signing page opened', tone: 'accent' },
  'camera-allowed': { shape: 'tick', word: 'Camera allowed', tone: 'warn' },
  'camera-refused': { shape: 'bar', word: 'Camera not allowed', tone: 'quiet' },
  left: { shape: 'pause', word: 'Page hidden', tone: 'warn' },
  idle: { shape: 'clock', word: 'Idle', tone: 'warn' },
  unlocked: { shape: 'dot', word: 'PIN entered', tone: 'quiet' },
  'pin-wrong': { shape: 'question', word: 'Wrong PIN', tone: 'warn' },
  'page-printed': { shape: 'dot', word: 'Page printed', tone: 'quiet' },
  'page-saved': { shape: 'dot', word: 'Page saved', tone: 'quiet' },
  'turn-ended': { shape: 'ring', word: 'Signing ended', tone: 'quiet' },
  'session-ended': { shape: 'dot', word: 'Session ended', tone: 'accent' },
  'session-interrupted': { shape: 'question', word: 'Session interrupted', tone: 'danger' },
  'pin-set': { shape: 'dot', word: 'PIN set', tone: 'quiet' },
  'pin-reset': { shape: 'question', word: 'PIN reset', tone: 'warn' },
  'settings-changed': { shape: 'dot', word: 'Settings changed', tone: 'quiet' },
  'account-added': { shape: 'dot', word: 'Account added', tone: 'warn' },
  'account-changed': { shape: 'dot', word: 'Account changed', tone: 'warn' },
  'account-removed': { shape: 'bar', word: 'Account removed', tone: 'warn' },
  'entries-lost': { shape: 'cross', word: 'Entries missing', tone: 'danger' },
  'office-locked': { shape: 'pause', word: 'Countersign locked', tone: 'quiet' },
  'office-unlocked': { shape: 'dot', word: 'Countersign unlocked', tone: 'quiet' },
  'identity-data-fetched': { shape: 'dot', word: 'Identity data downloaded', tone: 'quiet' },
  'signed-document-fetched': { shape: 'dot', word: 'Signed document downloaded', tone: 'quiet' },
  'signatures-verified': { shape: 'dot', word: 'Signatures verified', tone: 'quiet' }
}

const outcomes: Readonly<Record<string, StatusWords>> = {
  signed: { shape: 'tick', word: 'Signed', tone: 'ok' },
  declined: { shape: 'cross', word: 'Declined', tone: 'danger' },
  'not-yet': { shape: 'ring', word: 'Not signed yet', tone: 'quiet' },
  unknown: { shape: 'question', word: 'Not confirmed', tone: 'warn' },
  skipped: { shape: 'bar', word: 'Not started', tone: 'quiet' }
}

/** The event as shape and a few words; a turn that ended says how. An event of a later version is shown by its own name. */
export function entryStatus({ what, detail }: Pick<AuditEntry, 'what' | 'detail'>): StatusWords {
  if (what === 'turn-ended') return outcomes[detail.outcome ?? ''] ?? events[what]
  return events[what] ?? { shape: 'dot', word: what, tone: 'quiet' }
}

/** What each detail is called, in the order that they are read. */
const names = new Map([
  ['evidence', 'Evidence checked'],
  ['documents', 'Documents'],
  ['origin', 'Page from'],
  ['devices', 'Devices'],
  ['by', 'By'],
  ['why', 'Reason'],
  ['then', 'Next'],
  ['outcome', 'Result'],
  ['known', 'Known'],
  ['tried', 'Blocked actions'],
  ['error', 'Error'],
  ['because', 'Cause'],
  ['wiped', 'Page wiped'],
  ['place', 'Screen'],
  ['phase', 'During'],
  ['seconds', 'Duration'],
  ['how', 'How'],
  ['as', 'As'],
  ['records', 'Records'],
  ['picture', 'Picture'],
  ['type', 'Type'],
  ['file', 'File'],
  ['found', 'Signatures'],
  ['sha256', 'SHA-256'],
  ['verification', 'Verification ID'],
  ['accountId', 'Account ID'],
  ['where', 'Location'],
  ['account', 'Account'],
  ['changed', 'Changed'],
  ['before', 'Previous name'],
  ['address', 'Address'],
  ['entries', 'Not recorded'],
  ['from', 'From'],
  ['until', 'Until'],
  ['origins', 'Allowed addresses']
])

const values: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  by: {
    blur: 'another window came to the front',
    'full-screen': 'full screen was turned off',
    hidden: 'the window was hidden',
    closing: 'someone tried to close the window',
    display: 'the display was unplugged',
    locked: 'the computer was locked',
    'not-me': 'they said they’re someone else',
    page: 'Countersign reopened this screen',
    person: 'the person',
    rule: 'a rule'
  },
  why: {
    moment: 'asked for a moment',
    help: 'asked for help or staff',
    stop: 'asked to stop',
    finish: 'said they’ve finished'
  },
  as: {
    records: 'records on screen',
    preview: 'PDF on screen',
    'saved-picture': 'saved picture'
  },
  found: {
    valid: 'all valid',
    'not-valid': 'not all valid',
    unconfirmed: 'not all confirmed',
    none: 'none found',
    unknown: 'no information'
  },
  type: { pdf: 'PDF', json: 'records (JSON)' },
  place: { here: 'this screen', 'other-display': 'second display' },
  phase: {
    handover: 'handover',
    loading: 'loading the page',
    open: 'signing',
    covered: 'page hidden',
    asking: 'checking the result',
    between: 'between documents',
    failed: 'page couldn’t be opened',
    return: 'returning the screen'
  }
}

/** The details of an entry as names and values, in the order that they are read. */
export function detailsIn({ detail, zone }: Pick<AuditEntry, 'detail' | 'zone'>): { name: string; value: string }[] {
  const order = [...names.keys()]
  const rank = (key: string) => (order.includes(key) ? order.indexOf(key) : order.length)
  return Object.entries(detail)
    .filter(([key, value]) => value !== '' || key === 'evidence')
    .sort(([one], [other]) => rank(one) - rank(other))
    .map(([key, value]) => ({
      name: names.get(key) ?? outcomes[key]?.word ?? capital(key),
      value: isMoment(key, value) ? momentOf({ at: Date.parse(value), zone }) : valueInWords(key, value)
    }))
}

function isMoment(key: string, value: string): boolean {
  return (key === 'from' || key === 'until') && !Number.isNaN(Date.parse(value))
}

/** Said, not left out: that nothing was ticked is what someone may look for. */
const NOTHING_TICKED = 'Nothing ticked'

function valueInWords(key: string, value: string): string {
  if (key === 'evidence' && value === '') return NOTHING_TICKED
  if (key === 'outcome') return outcomes[value]?.word ?? value
  if (key === 'seconds' && /^\d+$/.test(value)) return inWords(Number(value) * 1000)
  return values[key]?.[value] ?? value
}

/** In one line, for a list: what of it matters most. */
export function inShort(entry: AuditEntry): string {
  const { account, address, entries, evidence, origin, by, why, devices, how, as, type, found, changed } = entry.detail
  const seen = evidence === undefined ? '' : valueInWords('evidence', evidence)
  const left = why ? valueInWords('why', why) : by && valueInWords('by', by)
  const form = [as && valueInWords('as', as), type && valueInWords('type', type), found && valueInWords('found', found)]
  const lost = entry.what === 'entries-lost' && entries && counted(Number(entries), ['# entry', '# entries'])
  const told = [seen, account, origin, devices, ...form, left, how, changed, address, lost].filter(Boolean)
  return told.join('; ')
}

/** "21 Nov 2026 10:42:07", at the workstation's zone. */
export function momentOf({ at, zone }: Pick<AuditEntry, 'at' | 'zone'>): string {
  const offset = offsetAt(at, zone)
  const [, day = '', month = '', year = ''] = dayInWords(at, offset).split(' ')
  return `${day.padStart(2, '\u2007')} ${month.slice(0, 3)} ${year} ${clockTime(at, offset)}:${secondsOf(at)}`
}

/** "UTC+13:00". */
export function zoneOf({ at, zone }: Pick<AuditEntry, 'at' | 'zone'>): string {
  return offsetInWords(offsetAt(at, zone))
}

/** "Saturday 21 November 2026 at 10:42:07, Pacific/Auckland (UTC+13:00)"; a zone that is named like its offset is named once. */
export function momentInFull({ at, zone }: Pick<AuditEntry, 'at' | 'zone'>): string {
  const offset = offsetAt(at, zone)
  const away = offsetInWords(offset)
  const where = zone === away ? zone : `${zone} (${away})`
  return `${dayInWords(at, offset)} at ${clockTime(at, offset)}:${secondsOf(at)}, ${where}`
}

function secondsOf(at: number): string {
  return String(Math.floor(at / 1000) % 60).padStart(2, '0')
}

export interface CheckWords {
  kind: 'ok' | 'warn' | 'danger'
  title: string
  more: string
}

/** Whether the trail is as it was written. */
export function checkWords({ isWhole, entries, brokenAt, isCutOff, unwritten = 0 }: AuditCheck): CheckWords {
  const waits = unwritten > 0 && `${capital(counted(unwritten, ['# entry is', '# entries are']))} waiting to be saved:`
  const full = 'the disk is full or can’t be written to. Nobody can start signing until this is fixed.'
  if (isWhole && waits) return { kind: 'warn', title: 'The newest entries aren’t saved yet.', more: `${waits} ${full}` }
  if (isWhole)
    return {
      kind: 'ok',
      title: 'No issues found.',
      more: `${capital(counted(entries, ['# entry', '# entries']))} checked. None were changed or removed.`
    }
  const wrong = [
    ...(brokenAt === undefined ? [] : [`Entry ${brokenAt.toLocaleString('en-GB')} doesn’t match the one before it.`]),
    ...(isCutOff ? ['Entries at the end are missing.'] : [])
  ]
  return {
    kind: 'danger',
    title: 'The audit trail was changed.',
    more: `${wrong.join(' ') || 'It doesn’t match what was recorded.'} Entries were changed, removed or added outside Countersign. Export it now and tell your administrator.`
  }
}
