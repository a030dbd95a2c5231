/** The texts of desktop notifications, each about one document or a group. Plain text, each part on one line. */
import type { DocumentChange, Events, NewsKind } from '../../../shared/contract/index.ts'
import type { UnnotifiedRefusals } from '../drop-folders/refusals.ts'
import type { UnnotifiedVerification } from '../verifications/verifications-table.ts'
import type { OutboxNews } from './outbox-news.ts'

export interface NotificationText {
  title: string
  body: string
  isSilent: boolean
  /** Where a click leads. */
  leadsTo: Events['document.asked']
  /** Ids of the changes included; an approaching due date isn't one. */
  changes: number[]
}

export interface DocumentNews {
  accountId: string
  reference: string
  name: string
  news: News[]
}

export interface News {
  kind: NewsKind
  signer?: DocumentChange['signer']
  /** The change's id, if it is one. */
  change?: number
}

/** Why notifications are grouped, if not just because there are many. */
export type Occasion = 'away' | 'quiet'

/** Up to this many are shown individually. */
const FEW = 3

/** Most important first: a notification of several things leads with it. */
const BY_WEIGHT: readonly NewsKind[] = [
  'declined',
  'identity-failed',
  'expired',
  'completed',
  'waits-here',
  'signed',
  'due-tomorrow'
]

const COUNT_LABELS: Record<NewsKind, string> = {
  signed: 'signed',
  completed: 'complete',
  declined: 'declined',
  expired: 'expired',
  'due-tomorrow': 'due tomorrow',
  'identity-failed': 'with a failed identity check',
  'waits-here': 'ready at the counter'
}

const OCCASIONS: Record<Occasion, string> = { away: 'While you were away', quiet: 'During quiet hours' }

/** Makes the notification of files that a drop folder refused: for one file the reason, for several their number. */
export function notificationOfRefused(
  { accountId, label, count, name, error }: Omit<UnnotifiedRefusals, 'last'>,
  isSilent: boolean
): NotificationText {
  const folder = oneLine(label, 40)
  const file = oneLine(name)
  const others = (count - 1).toLocaleString('en-GB')
  return {
    title:
      count === 1
        ? `A file in “${folder}” was refused`
        : `${count.toLocaleString('en-GB')} files in “${folder}” were refused`,
    body:
      count === 1 ? [file, ...(error ? [oneLine(error.message, 120)] : [])].join(': ') : `${file} and ${others} more`,
    isSilent,
    leadsTo: { accountId, place: 'activity' },
    changes: []
  }
}

/**
 * Makes the notifications of documents whose signatures a rule found invalid: individual ones for a few, else a single
 * one.
 */
export function notificationsOfVerified(
  verified: readonly UnnotifiedVerification[],
  isSilent: boolean
): NotificationText[] {
  const [first] = verified
  if (!first) return []
  if (verified.length > FEW) {
    const accountId = accountWithMost(verified)
    const title = `${verified.length.toLocaleString('en-GB')} documents have signatures that aren’t valid`
    return [
      {
        title,
        body: namesOf(verified.map(({ documentName: name }) => ({ name }))),
        isSilent,
        leadsTo: { accountId, place: 'activity' },
        changes: []
      }
    ]
  }
  return verified.map(({ accountId, reference, documentName, signatures, notValid }) => ({
    title: notValid === 1 ? 'A signature isn’t valid' : 'Signatures aren’t valid',
    body: `${oneLine(documentName) || 'Untitled document'}: ${invalidCountText(notValid, signatures)}`,
    isSilent,
    leadsTo: { accountId, reference },
    changes: []
  }))
}

/** Makes the notifications of what in the Outbox needs someone: one for each kind and account. */
export function notificationsOfOutbox(news: readonly OutboxNews[], isSilent: boolean): NotificationText[] {
  const groups = Map.groupBy(news, ({ accountId, kind }) => `${kind} ${accountId}`)
  return [...groups.values()].flatMap((some) => {
    const [first] = some
    if (!first) return []
    const { accountId, kind, detail } = first
    const name = oneLine(first.name) || 'A package without a name'
    const body =
      kind === 'paused'
        ? [oneLine(detail, 120), 'Nothing is sent until someone resumes.'].filter(Boolean).join(' ')
        : some.length === 1
          ? [name, oneLine(detail, 120)].filter(Boolean).join(kind === 'to-release' ? ', ' : ': ')
          : namesOf(some)
    const count = some.length.toLocaleString('en-GB')
    const title = some.length === 1 ? OUTBOX_TITLES[kind] : `${count} ${OUTBOX_COUNT_TITLES[kind]}`
    return [{ title, body, isSilent, leadsTo: { accountId, place: 'outbox' as const }, changes: [] }]
  })
}

const OUTBOX_TITLES: Record<OutboxNews['kind'], string> = {
  paused: 'The Outbox is paused',
  'not-sent': 'A package wasn’t sent',
  'not-released': 'A package wasn’t released',
  'to-release': 'A package is waiting for release'
}
const OUTBOX_COUNT_TITLES: Record<OutboxNews['kind'], string> = {
  paused: 'pauses of the Outbox',
  'not-sent': 'packages weren’t sent',
  'not-released': 'packages weren’t released',
  'to-release': 'packages are waiting for release'
}

/** Returns text such as "1 of 3 signatures is not valid". */
function invalidCountText(notValid: number, signatures: number): string {
  const of = `${notValid.toLocaleString('en-GB')} of ${signatures.toLocaleString('en-GB')}`
  return `${of} ${signatures === 1 ? 'signature' : 'signatures'} ${notValid === 1 ? 'is' : 'are'} not valid`
}

/** Makes the notifications of documents: one each, or a single one if there are many or an occasion groups them. */
export function notificationsOf(
  documents: DocumentNews[],
  occasion: Occasion | undefined,
  isSilent: boolean
): NotificationText[] {
  if (documents.length === 0) return []
  if (!occasion && documents.length <= FEW) return documents.map((one) => notificationOfOne(one, undefined, isSilent))
  const [first] = documents
  if (documents.length === 1 && first) return [notificationOfOne(first, occasion, isSilent)]
  return [groupedNotification(documents, occasion, isSilent)]
}

function notificationOfOne(
  document: DocumentNews,
  occasion: Occasion | undefined,
  isSilent: boolean
): NotificationText {
  const words = document.news.toSorted(byWeight).map(newsText)
  const phrases = [...new Set(words)].slice(0, 4)
  const name = oneLine(document.name) || 'Untitled document'
  const [first = '', ...others] = phrases
  return {
    title: occasion ? OCCASIONS[occasion] : first,
    body: occasion ? `${name}: ${phrases.join(' · ')}` : [name, ...others].join(' · '),
    isSilent,
    leadsTo: { accountId: document.accountId, reference: document.reference },
    changes: changesOf([document])
  }
}

function groupedNotification(
  documents: DocumentNews[],
  occasion: Occasion | undefined,
  isSilent: boolean
): NotificationText {
  const counts = BY_WEIGHT.map((kind) => ({
    kind,
    count: documents.filter(({ news }) => news.some((one) => one.kind === kind)).length
  })).filter(({ count }) => count > 0)
  const [only] = counts
  const isOneKind = counts.length === 1
  const countText = `${documents.length.toLocaleString('en-GB')} documents`
  const byKind = counts.map(({ kind, count }) => `${count.toLocaleString('en-GB')} ${COUNT_LABELS[kind]}`).join(', ')
  const areDue = isOneKind && only?.kind === 'due-tomorrow'
  const headline = areDue ? `${countText} are due tomorrow` : `${countText} changed`
  return {
    title: occasion ? OCCASIONS[occasion] : headline,
    body: occasion ? (areDue ? headline : `${headline}: ${byKind}`) : areDue ? namesOf(documents) : byKind,
    isSilent,
    leadsTo: { accountId: accountWithMost(documents), place: 'activity' },
    changes: changesOf(documents)
  }
}

function newsText({ kind, signer }: News): string {
  const who = signer === undefined ? '' : oneLine(signer, 50)
  switch (kind) {
    case 'signed':
      return who ? `${who} signed` : 'Signed'
    case 'completed':
      return 'Everyone has signed'
    case 'declined':
      return who ? `${who} declined to sign` : 'Declined'
    case 'expired':
      return 'Expired before everyone signed'
    case 'due-tomorrow':
      return 'Due tomorrow'
    case 'identity-failed':
      return who ? `Identity check of ${who} failed` : 'Identity check failed'
    case 'waits-here':
      return who ? `${who} can sign at the counter` : 'Can be signed at the counter'
  }
}

function namesOf(items: readonly { name: string }[]): string {
  const names = items.slice(0, FEW).map(({ name }) => oneLine(name, 40))
  const more = items.length - names.length
  return more === 0 ? names.join(', ') : `${names.join(', ')} and ${more.toLocaleString('en-GB')} more`
}

/** Returns the account with the most items, since the activity screen shows one account. */
function accountWithMost(items: readonly { accountId: string }[]): string {
  const byAccount = Map.groupBy(items, (one) => one.accountId)
  const [[accountId] = ['']] = [...byAccount].sort(([, one], [, other]) => other.length - one.length)
  return accountId
}

function byWeight(one: News, other: News): number {
  return BY_WEIGHT.indexOf(one.kind) - BY_WEIGHT.indexOf(other.kind)
}

function changesOf(documents: DocumentNews[]): number[] {
  return documents.flatMap(({ news }) => news.flatMap(({ change }) => change ?? []))
}

/**
 * Turning text from outside into one short line that can't break the line, change the direction of what follows, or
 * hide anything.
 */

/** Enough of a name to recognise it. */
export const MAX_NAME_LENGTH = 80

// Some scripts put a few marks on a character; hundreds on one letter would cover the lines above and below.
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu
// Joiners and non-joiners stay: some languages' words change their meaning without them.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}]/gu
const JOINERS = new Set(['\u200c', '\u200d'])

/** Reduces text to one line. @param maxLength in characters as people count them; longer text ends with an ellipsis. */
export function oneLine(text: string, maxLength = MAX_NAME_LENGTH): string {
  const line = text
    .slice(0, maxLength * 40)
    .toWellFormed()
    .replaceAll(/[\s\p{Z}]+/gu, ' ')
    .replaceAll(INVISIBLE, (unseen) => (JOINERS.has(unseen) ? unseen : ''))
    .replaceAll(STACKED_MARKS, '$1')
    .replaceAll(/ {2,}/g, ' ')
    .trim()
  return shortened(line, maxLength)
}

function shortened(line: string, maxLength: number): string {
  if (line.length <= maxLength) return line
  const kept: string[] = []
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(line)) {
    // A chain of joined characters counts as one, however long it is.
    kept.push(segment.slice(0, 40))
    if (kept.length > maxLength)
      return `${kept
        .slice(0, maxLength - 1)
        .join('')
        .trimEnd()}…`
  }
  return kept.join('')
}
