/** What the desktop shows: one notice of one document, or one of many folded together. Text only, a line each. */
import type { DocumentChange, Events, TellableKind } from '../../../shared/contract/index.ts'
import { oneLine } from './one-line.ts'

export interface Notice {
  title: string
  body: string
  isSilent: boolean
  /** Where a click leads. */
  leadsTo: Events['document.asked']
  /** The changes it tells of, by id; a due date that comes near is none. */
  changes: number[]
}

/** One document, and what is told of it. */
export interface Told {
  accountId: string
  reference: string
  name: string
  news: News[]
}

export interface News {
  kind: TellableKind
  signer?: DocumentChange['signer']
  /** The change's id, where it is one. */
  change?: number
}

/** Why several are told in one, where it isn't only that they are many. */
export type Occasion = 'away' | 'quiet'

/** So many are told one by one. */
const FEW = 3

/** What matters most comes first: it is what a notice of several things is about. */
const BY_WEIGHT: readonly TellableKind[] = [
  'declined',
  'identity-failed',
  'expired',
  'completed',
  'waits-here',
  'signed',
  'due-tomorrow'
]

const COUNTED: Record<TellableKind, string> = {
  signed: 'signed',
  completed: 'complete',
  declined: 'declined',
  expired: 'expired',
  'due-tomorrow': 'due tomorrow',
  'identity-failed': 'with a failed identity check',
  'waits-here': 'waiting at the counter'
}

const OCCASIONS: Record<Occasion, string> = { away: 'While you were away', quiet: 'During quiet hours' }

/** The notices of a few documents: one each, or one of all where they are many or an occasion joins them. */
export function noticesOf(told: Told[], occasion: Occasion | undefined, isSilent: boolean): Notice[] {
  if (told.length === 0) return []
  if (!occasion && told.length <= FEW) return told.map((one) => noticeOfOne(one, undefined, isSilent))
  const [first] = told
  if (told.length === 1 && first) return [noticeOfOne(first, occasion, isSilent)]
  return [folded(told, occasion, isSilent)]
}

function noticeOfOne(told: Told, occasion: Occasion | undefined, isSilent: boolean): Notice {
  const words = told.news.toSorted(byWeight).map(wordsOf)
  const said = [...new Set(words)].slice(0, 4)
  const name = oneLine(told.name) || 'A document without a name'
  const [first = '', ...others] = said
  return {
    title: occasion ? OCCASIONS[occasion] : first,
    body: occasion ? `${name}: ${said.join(' · ')}` : [name, ...others].join(' · '),
    isSilent,
    leadsTo: { accountId: told.accountId, reference: told.reference },
    changes: changesOf([told])
  }
}

function folded(told: Told[], occasion: Occasion | undefined, isSilent: boolean): Notice {
  const counts = BY_WEIGHT.map((kind) => ({
    kind,
    count: told.filter(({ news }) => news.some((one) => one.kind === kind)).length
  })).filter(({ count }) => count > 0)
  const [only] = counts
  const isOneKind = counts.length === 1
  const many = `${told.length.toLocaleString('en-GB')} documents`
  const byKind = counts.map(({ kind, count }) => `${count.toLocaleString('en-GB')} ${COUNTED[kind]}`).join(', ')
  const areDue = isOneKind && only?.kind === 'due-tomorrow'
  const headline = areDue ? `${many} are due tomorrow` : `${many} changed`
  return {
    title: occasion ? OCCASIONS[occasion] : headline,
    body: occasion ? (areDue ? headline : `${headline}: ${byKind}`) : areDue ? namesOf(told) : byKind,
    isSilent,
    leadsTo: { accountId: mostOf(told), place: 'activity' },
    changes: changesOf(told)
  }
}

function wordsOf({ kind, signer }: News): string {
  const who = signer === undefined ? '' : oneLine(signer, 50)
  switch (kind) {
    case 'signed':
      return who ? `${who} signed` : 'Signed'
    case 'completed':
      return 'Complete: everybody has signed'
    case 'declined':
      return who ? `${who} declined to sign` : 'Declined'
    case 'expired':
      return 'Expired before everybody signed'
    case 'due-tomorrow':
      return 'Due tomorrow'
    case 'identity-failed':
      return who ? `Identity check of ${who} failed` : 'Identity check failed'
    case 'waits-here':
      return who ? `${who} can sign at the counter` : 'Can be signed at the counter'
  }
}

function namesOf(told: Told[]): string {
  const names = told.slice(0, FEW).map(({ name }) => oneLine(name, 40))
  return `${names.join(', ')} and ${(told.length - names.length).toLocaleString('en-GB')} more`
}

/** The account with most of them: the activity that is shown is an account's. */
function mostOf(told: Told[]): string {
  const counts = new Map<string, number>()
  for (const { accountId } of told) counts.set(accountId, (counts.get(accountId) ?? 0) + 1)
  const [[accountId] = ['']] = [...counts].sort(([, one], [, other]) => other - one)
  return accountId
}

function byWeight(one: News, other: News): number {
  return BY_WEIGHT.indexOf(one.kind) - BY_WEIGHT.indexOf(other.kind)
}

function changesOf(told: Told[]): number[] {
  return told.flatMap(({ news }) => news.flatMap(({ change }) => change ?? []))
}
