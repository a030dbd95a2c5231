/** Statuses as shape, word and colour: colour alone never carries the meaning. */
import { traitsOf } from '../../../shared/contract/error-traits.ts'
import type { AppError } from '../../../shared/contract/errors.ts'
import type {
  ActionState,
  BatchView,
  DownloadSummary,
  DownloadView,
  SendHold,
  SendState,
  SendView,
  SignerProgress
} from '../../../shared/contract/views.ts'
import type { SignedStatus } from '../../../shared/model/document.ts'
import type { DocumentStatus, StatusFamily } from '../../../shared/model/document-status.ts'

export type StatusShape = 'ring' | 'half' | 'tick' | 'cross' | 'clock' | 'dot' | 'question' | 'pause' | 'bar'
export type StatusTone = 'quiet' | 'accent' | 'ok' | 'warn' | 'danger'
export interface StatusWords {
  shape: StatusShape
  word: string
  tone: StatusTone
}
/** A check's finding: shape, word, colour, and a sentence on what it means. */
export interface Finding extends StatusWords {
  meaning: string
}

export const familyStatuses: Record<StatusFamily, StatusWords> = {
  'not-started': { shape: 'ring', word: 'Not started', tone: 'quiet' },
  'in-progress': { shape: 'half', word: 'In progress', tone: 'accent' },
  signed: { shape: 'half', word: 'Signed', tone: 'ok' },
  complete: { shape: 'tick', word: 'Complete', tone: 'ok' },
  declined: { shape: 'cross', word: 'Declined', tone: 'danger' },
  expired: { shape: 'clock', word: 'Expired', tone: 'warn' },
  other: { shape: 'dot', word: 'Unknown', tone: 'quiet' }
}

/** Readable spellings of the reference's statuses (2.14) that aren't words. */
const STATUS_SPELLINGS = new Map([
  ['NotStart', 'Not started'],
  ['InProgress', 'In progress'],
  ['Filling', 'Being filled in'],
  ['Filling Form', 'Being filled in']
])

/** Returns a document's status in the service's own word. If the service gives none, it is unknown. */
export function documentStatus(status: DocumentStatus): StatusWords {
  const words = familyStatuses[status.family]
  if (status.of !== undefined) return { ...words, word: `${status.signed} of ${status.of} signed` }
  return status.raw ? { ...words, word: STATUS_SPELLINGS.get(status.raw) ?? status.raw } : words
}

export const signerStatuses: Record<SignerProgress['state'], StatusWords> = {
  signed: { shape: 'tick', word: 'signed', tone: 'ok' },
  declined: { shape: 'cross', word: 'declined', tone: 'danger' },
  waiting: { shape: 'ring', word: 'not yet signed', tone: 'quiet' },
  expired: { shape: 'clock', word: 'expired', tone: 'warn' },
  removed: { shape: 'bar', word: 'removed', tone: 'quiet' },
  // No information is no reason for a warning.
  unknown: { shape: 'dot', word: 'unknown', tone: 'quiet' }
}

const signedStatuses: Record<SignedStatus, string> = {
  Initialized: 'Not invited yet',
  Invitation: 'Invitation sent',
  Reminder1: 'First reminder sent',
  Reminder2: 'Second reminder sent',
  Reminder: 'Reminder sent',
  AutoExtend: 'Due date extended automatically by the service',
  Pending: 'Can’t sign yet: the service is waiting for something else',
  Signed: 'Signed',
  Complete: 'Signed, nothing left to do',
  Declined: 'Declined to sign',
  Rejected: 'Signature rejected',
  Expired: 'Expired before signing',
  Archived: 'Archived by the service',
  Deleted: 'Removed from the document'
}
const signedStatusByName = new Map(
  Object.entries(signedStatuses).map(([name, sentence]) => [name.toLowerCase(), sentence])
)

/** Explains the service's own status word for a signer. Undefined for words we don't know. */
export function signedStatusInWords(raw: string): string | undefined {
  return signedStatusByName.get(raw.trim().toLowerCase())
}

export const actionStatuses: Record<ActionState, StatusWords> = {
  waiting: { shape: 'ring', word: 'Waiting for a connection', tone: 'warn' },
  running: { shape: 'half', word: 'In progress', tone: 'accent' },
  done: { shape: 'tick', word: 'Done', tone: 'ok' },
  refused: { shape: 'cross', word: 'Failed', tone: 'danger' },
  uncertain: { shape: 'question', word: 'Not confirmed', tone: 'warn' },
  cancelled: { shape: 'bar', word: 'Cancelled', tone: 'quiet' }
}

const sendStatuses: Record<SendState, StatusWords> = {
  ready: { shape: 'ring', word: 'Queued', tone: 'quiet' },
  sending: { shape: 'half', word: 'Sending', tone: 'accent' },
  sent: { shape: 'tick', word: 'Sent', tone: 'ok' },
  refused: { shape: 'cross', word: 'Rejected', tone: 'danger' },
  uncertain: { shape: 'question', word: 'Not confirmed', tone: 'warn' },
  'not-sent': { shape: 'cross', word: 'Not delivered', tone: 'warn' },
  cancelled: { shape: 'bar', word: 'Cancelled', tone: 'quiet' }
}
const holdStatuses: Record<SendHold, StatusWords> = {
  undo: { shape: 'clock', word: 'Sending soon', tone: 'accent' },
  time: { shape: 'clock', word: 'Scheduled', tone: 'accent' },
  line: { shape: 'ring', word: 'Waiting for a connection', tone: 'warn' },
  paused: { shape: 'pause', word: 'Paused', tone: 'warn' },
  'rate-limited': { shape: 'clock', word: 'Service is busy', tone: 'quiet' },
  office: { shape: 'ring', word: 'Waiting for the server', tone: 'warn' },
  release: { shape: 'pause', word: 'Waiting for release', tone: 'warn' },
  turn: sendStatuses.ready
}
/** Returns a send's status. If it hasn't left, the status says what holds it; if it is uncertain, that. */
export function sendStatus({
  state,
  hold,
  ambiguity,
  release
}: Pick<SendView, 'state' | 'hold' | 'ambiguity' | 'release'>): StatusWords {
  if (state === 'ready' && release?.refused) return { shape: 'cross', word: 'Not released', tone: 'danger' }
  if (state === 'ready' && hold) return holdStatuses[hold]
  if (state === 'uncertain' && ambiguity) return { shape: 'question', word: 'Needs your decision', tone: 'danger' }
  return sendStatuses[state]
}

const downloadStatuses: Record<DownloadView['state'], StatusWords> = {
  waiting: { shape: 'ring', word: 'Queued', tone: 'quiet' },
  running: { shape: 'half', word: 'Downloading', tone: 'accent' },
  done: { shape: 'tick', word: 'Saved', tone: 'ok' },
  failed: { shape: 'cross', word: 'Failed', tone: 'danger' },
  cancelled: { shape: 'bar', word: 'Stopped', tone: 'quiet' }
}
/**
 * Whether, after this error, what is waiting waits for a connection to the service, and for nothing that a person has
 * to do.
 */
export function isConnectionError(error: AppError): boolean {
  const { concerns, passes } = traitsOf(error)
  return concerns === 'network' && passes
}
/**
 * Returns a download's status. If it is waiting, the status says for what: its own problem, or one that holds all
 * downloads.
 */
export function downloadStatus(
  { state, retryAt, error, wasThere }: Pick<DownloadView, 'state' | 'retryAt' | 'error' | 'wasThere'>,
  queue?: Pick<DownloadSummary, 'isPaused' | 'problem'>
): StatusWords {
  if (state === 'done' && wasThere) return { ...downloadStatuses.done, word: 'Already saved' }
  if (state !== 'waiting') return downloadStatuses[state]
  if (queue?.isPaused) return { shape: 'pause', word: 'Paused', tone: 'warn' }
  const why = error ?? queue?.problem
  if (why && isConnectionError(why)) return { shape: 'ring', word: 'Waiting for a connection', tone: 'warn' }
  if (error?.code === 'busy') return { shape: 'clock', word: 'Being saved', tone: 'quiet' }
  if (why?.code === 'rate-limited') return { shape: 'clock', word: 'Service is busy', tone: 'quiet' }
  if (queue?.problem) return { shape: 'pause', word: 'On hold', tone: 'warn' }
  return retryAt === undefined ? downloadStatuses.waiting : { shape: 'clock', word: 'Retrying soon', tone: 'warn' }
}

/** Returns the status of a whole batch. Once it is done, the status says whether everything was sent. */
export function batchStatus({ state, counts }: Pick<BatchView, 'state' | 'counts'>): StatusWords {
  if (state === 'preparing') return { shape: 'ring', word: 'Preparing', tone: 'quiet' }
  if (state === 'paused') return { shape: 'pause', word: 'Paused', tone: 'warn' }
  if (state === 'going') return { shape: 'half', word: 'Sending', tone: 'accent' }
  if (counts.uncertain > 0) return { shape: 'question', word: 'Some not confirmed', tone: 'warn' }
  if (counts.refused + counts.notSent > 0) return { shape: 'cross', word: 'Some not sent', tone: 'danger' }
  return counts.cancelled > 0
    ? { shape: 'bar', word: 'Cancelled', tone: 'quiet' }
    : { shape: 'tick', word: 'All sent', tone: 'ok' }
}
