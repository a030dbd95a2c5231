/** Wording for the audit trail: each event as a phrase, each detail with its label. */
import { offsetInWords } from '../../../../shared/composition/zone.ts'
import type { OfficeTrailFinding } from '../../../../shared/contract/office.ts'
import type { AuditCheck, AuditEntry, AuditEvent } from '../../../../shared/contract/views.ts'
import { counted } from '../../../../shared/counted.ts'
import { capital } from '../../words/counts.ts'
import { clockTime, dayInWords, durationInWords, momentInWords, offsetAt } from '../../words/dates.ts'
import type { CheckWords } from '../../words/file-check.ts'
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
  'files-opened': { shape: 'dot', word: 'Files opened for the signer', tone: 'warn' },
  'file-given': { shape: 'tick', word: 'File given to the page', tone: 'warn' },
  'file-not-taken': { shape: 'bar', word: 'File not accepted by the page', tone: 'quiet' },
  'turn-ended': { shape: 'ring', word: 'Signing ended', tone: 'quiet' },
  'session-ended': { shape: 'dot', word: 'Session ended', tone: 'accent' },
  'session-interrupted': { shape: 'question', word: 'Session interrupted', tone: 'danger' },
  'pin-set': { shape: 'dot', word: 'PIN set', tone: 'quiet' },
  'pin-reset': { shape: 'question', word: 'PIN reset', tone: 'warn' },
  'pin-wait-ended': { shape: 'dot', word: 'PIN wait ended', tone: 'quiet' },
  'staff-added': { shape: 'dot', word: 'Staff member added', tone: 'warn' },
  'staff-changed': { shape: 'dot', word: 'Staff member changed', tone: 'warn' },
  'staff-removed': { shape: 'bar', word: 'Staff member removed', tone: 'warn' },
  'package-released': { shape: 'tick', word: 'Package released', tone: 'ok' },
  'package-refused': { shape: 'cross', word: 'Package not released', tone: 'warn' },
  'staff-chosen': { shape: 'dot', word: 'Staff member switched', tone: 'quiet' },
  'settings-unlocked': { shape: 'dot', word: 'Settings unlocked', tone: 'quiet' },
  'settings-changed': { shape: 'dot', word: 'Settings changed', tone: 'quiet' },
  'trail-exported': { shape: 'dot', word: 'Audit trail exported', tone: 'quiet' },
  'receipt-made': { shape: 'dot', word: 'Receipt made', tone: 'quiet' },
  'signing-key-made': { shape: 'dot', word: 'Signing key created', tone: 'quiet' },
  'account-added': { shape: 'dot', word: 'Account added', tone: 'warn' },
  'account-changed': { shape: 'dot', word: 'Account changed', tone: 'warn' },
  'account-removed': { shape: 'bar', word: 'Account removed', tone: 'warn' },
  'entries-lost': { shape: 'cross', word: 'Entries missing', tone: 'danger' },
  'data-backed-up': { shape: 'dot', word: 'Backup made', tone: 'quiet' },
  'enrolment-prepared': { shape: 'dot', word: 'Enrolment file made', tone: 'warn' },
  'settings-exported': { shape: 'dot', word: 'Settings exported', tone: 'quiet' },
  'settings-import-begun': { shape: 'dot', word: 'Settings import begun', tone: 'warn' },
  'settings-imported': { shape: 'dot', word: 'Settings imported', tone: 'warn' },
  'recovery-key-made': { shape: 'dot', word: 'Recovery key made', tone: 'quiet' },
  'database-key-changed': { shape: 'dot', word: 'Encryption key changed', tone: 'quiet' },
  'recovery-key-used': { shape: 'dot', word: 'Recovery key used', tone: 'warn' },
  'data-restored': { shape: 'dot', word: 'Backup restored', tone: 'warn' },
  'office-joined': { shape: 'dot', word: 'Joined an office', tone: 'warn' },
  'office-left': { shape: 'bar', word: 'Left the office', tone: 'warn' },
  'data-purged': { shape: 'bar', word: 'Old data purged', tone: 'quiet' },
  'document-held': { shape: 'pause', word: 'Document put on legal hold', tone: 'warn' },
  'document-released': { shape: 'dot', word: 'Hold released', tone: 'warn' },
  'retention-changed': { shape: 'dot', word: 'Retention changed', tone: 'warn' },
  'policy-changed': { shape: 'dot', word: 'Organisation’s policy changed', tone: 'warn' },
  'office-locked': { shape: 'pause', word: 'Countersign locked', tone: 'quiet' },
  'office-unlocked': { shape: 'dot', word: 'Countersign unlocked', tone: 'quiet' },
  'identity-data-fetched': { shape: 'dot', word: 'Identity data downloaded', tone: 'quiet' },
  'signed-document-fetched': { shape: 'dot', word: 'Signed document downloaded', tone: 'quiet' },
  'signatures-verified': { shape: 'dot', word: 'Signatures verified', tone: 'quiet' },
  'appointment-saved': { shape: 'dot', word: 'Appointment saved', tone: 'quiet' },
  'appointment-removed': { shape: 'bar', word: 'Appointment removed', tone: 'warn' },
  'appointment-arrived': { shape: 'half', word: 'Arrived', tone: 'accent' },
  'appointment-called': { shape: 'half', word: 'Called', tone: 'accent' },
  'appointment-marked': { shape: 'dot', word: 'Appointment updated', tone: 'quiet' },
  'appointment-matched': { shape: 'dot', word: 'Appointment matched', tone: 'quiet' },
  'appointment-missed': { shape: 'cross', word: 'Didn’t come', tone: 'warn' },
  'appointment-undone': { shape: 'dot', word: 'Appointment undone', tone: 'quiet' },
  'appointments-imported': { shape: 'dot', word: 'Appointments imported', tone: 'quiet' }
}

const outcomes: Readonly<Record<string, StatusWords>> = {
  signed: { shape: 'tick', word: 'Signed', tone: 'ok' },
  declined: { shape: 'cross', word: 'Declined', tone: 'danger' },
  'not-yet': { shape: 'ring', word: 'Not signed yet', tone: 'quiet' },
  unknown: { shape: 'question', word: 'Not confirmed', tone: 'warn' },
  skipped: { shape: 'bar', word: 'Not started', tone: 'quiet' }
}

const VIEWED: Readonly<Record<string, StatusWords>> = {
  'signed-document-fetched': { shape: 'dot', word: 'Document viewed', tone: 'quiet' },
  'identity-data-fetched': { shape: 'dot', word: 'Identity data viewed', tone: 'quiet' }
}
const RELEASE_RULE_CHANGED: StatusWords = { shape: 'dot', word: 'Release rule changed', tone: 'warn' }

/**
 * Returns an event's icon and phrase; a turn that ended is described by its outcome. Events of a later version are
 * shown by their own name.
 */
export function entryStatus({ what, detail }: Pick<AuditEntry, 'what' | 'detail'>): StatusWords {
  // Looking at something isn't downloading it.
  if (detail.as !== undefined && VIEWED[what]) return VIEWED[what]
  if (what === 'staff-changed' && detail.release !== undefined) return RELEASE_RULE_CHANGED
  if (what === 'turn-ended') return outcomes[detail.outcome ?? ''] ?? events[what]
  return events[what] ?? { shape: 'dot', word: what, tone: 'quiet' }
}

/** The label of each detail, in display order. */
const detailLabels = new Map([
  ['number', 'Receipt number'],
  ['copy', 'Copy'],
  ['replaces', 'Replaces'],
  ['last', 'Up to entry'],
  ['turn', 'Signature in this session'],
  ['contact', 'Contact'],
  ['practice', 'Practice'],
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
  ['made', 'Backup of'],
  ['source', 'Source'],
  ['before', 'Previous name'],
  ['secrets', 'With account keys'],
  ['package', 'Package'],
  ['sentBy', 'Sent by'],
  ['releaseBefore', 'Rule before'],
  ['release', 'Rule now'],
  ['name', 'Name'],
  ['role', 'Role'],
  ['user', 'Database user'],
  ['pin', 'PIN'],
  ['badge', 'Badge'],
  ['records', 'Records'],
  ['key', 'Key fingerprint'],
  ['picture', 'Picture'],
  ['type', 'Type'],
  ['file', 'File'],
  ['files', 'Files'],
  ['bytes', 'Size in bytes'],
  ['found', 'Signatures'],
  ['sha256', 'SHA-256'],
  ['verification', 'Verification ID'],
  ['accountId', 'Account ID'],
  ['where', 'Location'],
  ['account', 'Account'],
  ['planned', 'Planned'],
  ['changed', 'Changed'],
  ['address', 'Address'],
  ['entries', 'Not recorded'],
  ['from', 'From'],
  ['until', 'Until'],
  ['origins', 'Allowed addresses'],
  ['appointment', 'Appointment'],
  ['at', 'Counter or room'],
  ['times', 'Times called'],
  ['to', 'Now'],
  ['was', 'Was'],
  ['matched', 'Matched with'],
  ['added', 'Added'],
  ['moved', 'Changed'],
  ['cancelled', 'Cancelled']
])

const appointmentSteps: Readonly<Record<string, string>> = {
  expected: 'expected',
  arrived: 'arrived',
  called: 'called',
  here: 'at the counter',
  done: 'done',
  'no-show': 'didn’t come'
}

const valueTexts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  to: appointmentSteps,
  source: { copy: 'a copy on this computer' },
  matched: { signer: 'someone in the queue', none: 'nobody in the queue' },
  was: appointmentSteps,
  by: {
    blur: 'another window came to the front',
    'full-screen': 'full screen was turned off',
    hidden: 'the window was hidden',
    closing: 'someone tried to close the window',
    display: 'the display was unplugged',
    locked: 'the computer was locked',
    'not-me': 'they said they’re someone else',
    page: 'Countersign reopened this screen',
    person: 'by hand',
    rule: 'by a rule'
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
  copy: { file: 'for the file' },
  how: { stopped: 'stopped before the end', 'the first': 'first PIN', 'in place of another': 'replaced another PIN' },
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

/** Returns a detail's label; two of them mean something else by their event or value. */
function detailLabel(what: string, key: string, value: string): string {
  if (key === 'before' && what === 'data-restored') return 'Entries before'
  // Numbers of the queue are digits alone.
  if (key === 'number' && /^\d+$/.test(value)) return 'Number'
  return detailLabels.get(key) ?? outcomes[key]?.word ?? capital(key)
}

/** Returns an entry's details as names and values, in display order. */
export function detailsIn({ what, detail, zone }: Pick<AuditEntry, 'what' | 'detail' | 'zone'>): {
  name: string
  value: string
}[] {
  const order = [...detailLabels.keys()]
  const rank = (key: string) => (order.includes(key) ? order.indexOf(key) : order.length)
  return Object.entries(detail)
    .filter(([key, value]) => value !== '' || key === 'evidence')
    .sort(([one], [other]) => rank(one) - rank(other))
    .map(([key, value]) => ({
      name: detailLabel(what, key, value),
      value: isMoment(key, value) ? momentOf({ at: Date.parse(value), zone }) : valueInWords(key, value)
    }))
}

function isMoment(key: string, value: string): boolean {
  return (key === 'from' || key === 'until') && !Number.isNaN(Date.parse(value))
}

/** Stated rather than left out, as someone may look for it. */
const NOTHING_TICKED = 'Nothing ticked'

/** @param above the people above which packages have to be released, or "-" for no rule. */
function releaseRuleInWords(above: string): string {
  if (above === '-') return 'none'
  if (!/^\d+$/.test(above)) return above
  const people = Number(above)
  if (people === 0) return 'all packages'
  return `packages to more than ${counted(people, ['# person', '# people'])}, and bulk sends`
}

function valueInWords(key: string, value: string): string {
  if (key === 'release' || key === 'releaseBefore') return releaseRuleInWords(value)
  if (key === 'evidence' && value === '') return NOTHING_TICKED
  if (key === 'copy' && /^\d+$/.test(value)) return 'for the signer'
  if (key === 'outcome') return outcomes[value]?.word ?? value
  if (key === 'seconds' && /^\d+$/.test(value)) return durationInWords(Number(value) * 1000)
  return valueTexts[key]?.[value] ?? value
}

/** Summarises the most important details in one line, for a list. */
export function summaryOf(entry: AuditEntry): string {
  const { account, address, entries, evidence, origin, by, why, devices, as, type, found, changed, number, to } =
    entry.detail
  const { name, package: title, planned, release, releaseBefore = '-' } = entry.detail
  const rule = release && `${releaseRuleInWords(releaseBefore)} → ${releaseRuleInWords(release)}`
  const how = entry.detail.how && valueInWords('how', entry.detail.how)
  const seen = evidence === undefined ? '' : valueInWords('evidence', evidence)
  const reason = why ? valueInWords('why', why) : by && valueInWords('by', by)
  const form = [as && valueInWords('as', as), type && valueInWords('type', type), found && valueInWords('found', found)]
  const lost = entry.what === 'entries-lost' && entries && counted(Number(entries), ['# entry', '# entries'])
  const step = entry.what === 'appointment-marked' && to && valueInWords('to', to)
  // A receipt's number is already its full name.
  const which = number && (/^\d+$/.test(number) ? `Number ${number}` : number)
  const parts = [
    title,
    name,
    rule,
    seen,
    which,
    step,
    account,
    origin,
    devices,
    ...form,
    reason,
    how,
    planned,
    changed,
    address,
    lost
  ].filter(Boolean)
  return parts.join('; ')
}

/** Formats "21 Nov 2026 10:42:07", in the workstation's zone. */
export function momentOf({ at, zone }: Pick<AuditEntry, 'at' | 'zone'>): string {
  const offset = offsetAt(at, zone)
  const [, day = '', month = '', year = ''] = dayInWords(at, offset).split(' ')
  return `${day.padStart(2, '\u2007')} ${month.slice(0, 3)} ${year} ${clockTime(at, offset)}:${secondsOf(at)}`
}

/** Formats "UTC+13:00". */
export function zoneOf({ at, zone }: Pick<AuditEntry, 'at' | 'zone'>): string {
  return offsetInWords(offsetAt(at, zone))
}

/**
 * Formats "Saturday 21 November 2026 at 10:42:07, Pacific/Auckland (UTC+13:00)"; a zone named like its offset is shown
 * once.
 */
export function momentInFull({ at, zone }: Pick<AuditEntry, 'at' | 'zone'>): string {
  const offset = offsetAt(at, zone)
  const offsetText = offsetInWords(offset)
  const where = zone === offsetText ? zone : `${zone} (${offsetText})`
  return `${dayInWords(at, offset)} at ${clockTime(at, offset)}:${secondsOf(at)}, ${where}`
}

function secondsOf(at: number): string {
  return String(Math.floor(at / 1000) % 60).padStart(2, '0')
}

const missingWords: Record<NonNullable<AuditCheck['missing']>, string> = {
  cut: 'Entries at the end are missing, although the rest of the database is as it was. Someone removed them outside Countersign.',
  'older-copy':
    'An older copy of the database is in use, so the newest entries are missing. Someone restored a backup, or replaced the file.',
  replaced:
    'The database was replaced by a new one, for example because it was damaged. The entries before that aren’t in it.',
  forgotten:
    'This computer’s keychain no longer has the last entry, so entries at the end may be missing. Someone removed it, or the keychain was reset.'
}
const EXPORT_NOW = 'Export the trail now and tell your administrator.'

/** Returns whether the trail is unchanged; if not, who or what may have changed it. */
export function checkWords(check: AuditCheck): CheckWords {
  const { isWhole, entries, brokenAt, isCutOff, missing, isDamaged, unwritten = 0, after } = check
  const unwrittenText =
    unwritten > 0 && `${capital(counted(unwritten, ['# entry is', '# entries are']))} waiting to be saved:`
  const full = 'the disk is full or can’t be written to. Nobody can start signing until this is fixed.'
  if (isWhole && unwrittenText)
    return { kind: 'warn', title: 'The newest entries aren’t saved yet.', more: `${unwrittenText} ${full}` }
  if (isWhole) {
    const many = capital(counted(entries, ['# entry', '# entries']))
    const more =
      after === undefined
        ? `${many} checked. None were changed or removed.`
        : `${many} checked since the last check. None were changed or removed.`
    return { kind: 'ok', title: 'No issues found.', more }
  }
  if (isDamaged) {
    const more = `The disk couldn’t read all of it, or the file is damaged. Nothing suggests that someone changed it. ${EXPORT_NOW}`
    return { kind: 'danger', title: 'The audit trail is damaged.', more }
  }
  const lacking = isCutOff ? missingWords[missing ?? 'cut'] : ''
  if (brokenAt === undefined) {
    const title = missing === 'cut' || !missing ? 'Entries were removed.' : 'Entries are missing.'
    return { kind: 'danger', title, more: `${lacking} ${EXPORT_NOW}` }
  }
  const wrong = `Entry ${brokenAt.toLocaleString('en-GB')} doesn’t match the one before it, although the database isn’t damaged. Someone changed, removed or added entries outside Countersign.`
  return {
    kind: 'danger',
    title: 'The audit trail was changed.',
    more: `${wrong} ${lacking && `${lacking} `}${EXPORT_NOW}`
  }
}

/** Describes a finding about another workstation's trail; `who` is its name. */
function officeSentence({ name: who = '', why, at }: OfficeTrailFinding): string {
  const day = momentInWords(at)
  switch (why) {
    case 'restored':
      return `A backup was restored on “${who}”. Since ${day} it has continued from an earlier point.`
    case 'older-copy':
      return `“${who}” has used an older copy of its database since ${day}, so its newest entries are missing. Someone replaced the file.`
    case 'replaced':
      return `“${who}” has had a new database since ${day}. The entries before that aren’t in it.`
    case 'forgotten':
      return `“${who}” has been missing entries since ${day}, and its keychain no longer has the last one.`
    case 'cut':
      return `Entries of “${who}” were removed or changed outside Countersign. This was noticed on ${day}.`
    case 'rewritten':
      return `The office’s server no longer has what workstations reported about their audit trails. This was noticed on ${day}. Someone changed its database.`
  }
}

/** The most findings shown, newest first. */
const MAX_FINDINGS = 5

/** Describes what the workstations of an office found about each other's trails; undefined if all is well. */
export function officeCheckWords({ office = [] }: AuditCheck): CheckWords | undefined {
  if (office.length === 0) return undefined
  const items = office.slice(-MAX_FINDINGS).map(officeSentence).reverse()
  const isHarmless = office.every(({ why }) => why === 'restored')
  return {
    kind: isHarmless ? 'warn' : 'danger',
    title: 'Entries are missing from the office’s audit trails.',
    more: isHarmless
      ? 'Each workstation says why.'
      : 'Tell your administrator, and export the trails of these workstations now.',
    items
  }
}
