/** The conditions of a query as what a person sees: chips that say what they ask for, can be changed and taken away. */
import type { DocumentQuery } from '../../../../shared/contract/document-query.ts'
import { counted } from '../../../../shared/counted.ts'
import { capital, listed } from '../../words/counts.ts'
import { documentStatus } from '../../words/statuses.ts'

interface Kind {
  /** What it is called where it is offered. */
  name: string
  /** The members of a query that it is about. */
  members: readonly (keyof DocumentQuery)[]
  /** What it asks for, undefined before it is chosen; a filter without is on or off, with nothing more to choose. */
  words?: (query: DocumentQuery, nameOf: (account: string) => string) => string | undefined
}

const kinds = {
  families: {
    name: 'Status',
    members: ['families'],
    words: ({ families }) => families && listed(families.map(familyWords)).replace(' and ', ' or ')
  },
  due: { name: 'Due', members: ['overdue', 'dueOn', 'dueWithinDays'], words: dueInWords },
  stuck: {
    name: 'No progress',
    members: ['stuckForDays'],
    words: ({ stuckForDays: days }) =>
      days === undefined ? undefined : `No progress for ${counted(days, ['# day', '# days'])}`
  },
  progress: {
    name: 'Signed so far',
    members: ['progress'],
    words: ({ progress }) => progress && `${progress.signed} of ${progress.of} signed`
  },
  signer: { name: 'Signer', members: ['signer'], words: ({ signer }) => signer && `Signer: ${signer}` },
  waitingHere: { name: 'Ready at the counter', members: ['waitingHere'] },
  identity: {
    name: 'Identity check',
    members: ['identity'],
    words: ({ identity }) => identity && `Identity check: ${identityFilters[identity]}`
  },
  hasFileUploaded: { name: 'Has uploaded files', members: ['hasFileUploaded'] },
  unread: { name: 'Unread', members: ['unread'] },
  accounts: {
    name: 'Accounts',
    members: ['accounts'],
    words: ({ accounts }, nameOf) => accounts && `Also ${listed(accounts.map(nameOf))}`
  },
  // Not offered: it comes by a link.
  week: {
    name: 'Week',
    members: ['week'],
    words: ({ week }) => week && `${week.what === 'sent' ? 'Added' : 'Completed'} in the week of ${dayOf(week.monday)}`
  },
  gone: { name: 'Removed from the service', members: ['gone'] }
} satisfies Record<string, Kind>
export type Filter = keyof typeof kinds

export const FILTERS = Object.keys(kinds) as Filter[]

function kindOf(filter: Filter): Kind {
  return kinds[filter]
}

export function filterName(filter: Filter): string {
  return kinds[filter].name
}

/** Whether a filter is on or off, with nothing more to choose. */
export function isFlag(filter: Filter): boolean {
  return kindOf(filter).words === undefined
}

export function familyWords(family: NonNullable<DocumentQuery['families']>[number]): string {
  return family === 'other' ? 'Other' : documentStatus({ family, raw: '' }).word
}

const identityFilters: Record<NonNullable<DocumentQuery['identity']>, string> = {
  any: 'requested',
  partly: 'partly passed',
  asked: 'no result yet',
  passed: 'passed',
  failed: 'failed',
  other: 'needs review'
}

/** "No result yet", as a choice. */
export function identityFilterWords(state: NonNullable<DocumentQuery['identity']>): string {
  return capital(identityFilters[state])
}

/** A query without what a filter asks for. */
export function without(query: DocumentQuery, filter: Filter): DocumentQuery {
  const rest = { ...query }
  for (const member of kindOf(filter).members) delete rest[member]
  return rest
}

/** A query with nothing but its place, its order and its grouping. */
export function withoutAll(query: DocumentQuery): DocumentQuery {
  const rest = FILTERS.reduce(without, query)
  return { ...rest, search: '' }
}

export function hasFilter(query: DocumentQuery, filter: Filter): boolean {
  return kindOf(filter).members.some((member) => query[member] !== undefined)
}

/** Whether a query asks for less than all there is in its place. */
export function isFiltered(query: DocumentQuery): boolean {
  return query.search !== '' || FILTERS.some((filter) => filter !== 'accounts' && hasFilter(query, filter))
}

/** Nothing else narrows the list: what is opened leaves it. */
export function isOnlyUnread(query: DocumentQuery): boolean {
  const others = FILTERS.filter((filter) => filter !== 'accounts' && filter !== 'unread')
  return query.unread === true && query.search === '' && !others.some((filter) => hasFilter(query, filter))
}

/**
 * What a filter asks for, in words.
 * @param nameOf what an account is called.
 */
export function filterInWords(query: DocumentQuery, filter: Filter, nameOf: (account: string) => string): string {
  const { name, words } = kindOf(filter)
  return words?.(query, nameOf) || name
}

function dueInWords({ overdue, dueOn, dueWithinDays }: DocumentQuery): string | undefined {
  if (overdue) return 'Overdue'
  if (dueOn !== undefined) return `Due on ${dayOf(dueOn)}`
  if (dueWithinDays === undefined) return undefined
  if (dueWithinDays === 0) return 'Due today'
  return dueWithinDays === 1 ? 'Due by tomorrow' : `Due within ${counted(dueWithinDays, ['# day', '# days'])}`
}

/** "16 November 2026", of `2026-11-16`. */
function dayOf(day: string): string {
  const at = new Date(`${day}T00:00:00Z`)
  return at.toLocaleDateString('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'long', year: 'numeric' })
}
