/** What happened to a document between two checks of the service, in sentences. */
import type { ChangeKind, DocumentChange } from '../../../shared/contract/views.ts'
import { counted } from '../../../shared/counted.ts'
import { readDocumentStatus } from '../../../shared/model/document-status.ts'
import { readCertainDate } from '../../../shared/model/service-date.ts'
import { listed } from './counts.ts'
import { clockTime, dayInWords } from './dates.ts'
import { documentStatus, type StatusWords } from './statuses.ts'

export const changeStatuses: Record<ChangeKind, StatusWords> = {
  arrived: { shape: 'ring', word: 'New', tone: 'accent' },
  signed: { shape: 'half', word: 'Signed', tone: 'ok' },
  completed: { shape: 'tick', word: 'Complete', tone: 'ok' },
  declined: { shape: 'cross', word: 'Declined', tone: 'danger' },
  expired: { shape: 'clock', word: 'Expired', tone: 'warn' },
  'identity-failed': { shape: 'cross', word: 'Identity check failed', tone: 'danger' },
  'waits-here': { shape: 'half', word: 'Ready at the counter', tone: 'accent' },
  moved: { shape: 'dot', word: 'Moved', tone: 'quiet' },
  'due-changed': { shape: 'clock', word: 'Due date changed', tone: 'quiet' },
  'signers-changed': { shape: 'dot', word: 'Signers changed', tone: 'quiet' },
  changed: { shape: 'dot', word: 'Updated', tone: 'quiet' },
  gone: { shape: 'bar', word: 'Removed', tone: 'warn' },
  returned: { shape: 'ring', word: 'Back', tone: 'accent' }
}

/** Changes made by someone here where they are the account's own, rather than the consequences of an act. */
export const ACTS: ReadonlySet<ChangeKind> = new Set(['arrived', 'due-changed', 'signers-changed'])

/** Describes a change without the document's name: "Mere Parata signed." */
export function changeInWords({ kind, signer, from, to, isOwn }: DocumentChange): string {
  const who = signer || 'Someone'
  switch (kind) {
    case 'arrived':
      if (!isOwn) return 'Added.'
      return signer ? `Sent to ${listed(signer.split('\n'))}.` : 'Sent.'
    case 'signed':
      return `${who} signed.`
    case 'completed':
      return 'Everyone has signed.'
    case 'declined':
      return `${who} declined to sign.`
    case 'expired':
      return 'Expired.'
    case 'identity-failed':
      return signer ? `${signer}’s identity check failed.` : 'An identity check failed.'
    case 'waits-here':
      return `${who} can sign at the counter.`
    case 'moved':
      return `Moved ${fromTo(from, to)}.`
    case 'due-changed':
      return `Due date changed from ${dueOf(from)} to ${dueOf(to)}.`
    case 'signers-changed':
      return signer ? `${signer}’s details changed.` : 'Signer details changed.'
    case 'changed':
      return from || to ? `Status changed ${fromTo(statusOf(from), statusOf(to))}.` : 'Updated.'
    case 'gone':
      return 'Removed from the service.'
    case 'returned':
      return 'Back on the service.'
  }
}

/**
 * Describes several changes of one kind together: "33 documents sent with “clients”", "Mere Parata signed 3 documents".
 */
export function changesInWords(
  kind: ChangeKind,
  count: number,
  { isOwn, signer, batch }: { isOwn: boolean; signer: string; batch: string }
): string {
  const documents = counted(count, ['# document', '# documents'])
  if (kind === 'arrived' && signer) return `${documents} sent to ${listed(signer.split('\n'))}`
  if (kind === 'arrived') return `${documents} ${isOwn ? 'sent' : 'received'}${batch ? ` with “${batch}”` : ''}`
  if (signer && kind === 'signed') return `${signer} signed ${documents}`
  if (signer && kind === 'declined') return `${signer} declined ${documents}`
  if (signer && kind === 'waits-here') return `${signer} can sign ${documents} at the counter`
  if (kind === 'completed') return `${documents} completed`
  return `${documents}: ${changeStatuses[kind].word.toLowerCase()}`
}

/** Returns the name the lists use. */
function statusOf(written: string | undefined): string | undefined {
  return written && documentStatus(readDocumentStatus(written)).word
}

function fromTo(from: string | undefined, to: string | undefined): string {
  return `from ${from ? `“${from}”` : 'none'} to ${to ? `“${to}”` : 'none'}`
}

/** Formats a due date in this computer's time zone, which the surrounding list names. */
function dueOf(written: string | undefined): string {
  const date = readCertainDate(written)
  if (!date) return written ? `“${written}”` : 'none'
  return date.precision === 'day'
    ? dayInWords(date.at, date.offset ?? 0)
    : `${dayInWords(date.at)} at ${clockTime(date.at)}`
}
