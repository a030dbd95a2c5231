/** The conditions of a query as chips that can be edited and removed. */
import type { DocumentQuery } from '../../../../shared/contract/document-query.ts'
import { counted } from '../../../../shared/counted.ts'
import { capital, listed } from '../../words/counts.ts'
import { documentStatus } from '../../words/statuses.ts'

interface Kind {
  name: string
  /** The members of the query that it covers. */
  members: readonly (keyof DocumentQuery)[]
  /**
   * Describes its value; undefined before one is chosen. A filter without this is on or off, with nothing to choose.
   */
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
  // Not offered in the menu: only links set it.
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

/** Returns whether a filter is just on or off. */
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

/** Returns "No result yet", as an option. */
export function identityFilterWords(state: NonNullable<DocumentQuery['identity']>): string {
  return capital(identityFilters[state])
}

export function without(query: DocumentQuery, filter: Filter): DocumentQuery {
  const rest = { ...query }
  for (const member of kindOf(filter).members) delete rest[member]
  return rest
}

/** Returns a query with only its place, order and grouping. */
export function withoutAll(query: DocumentQuery): DocumentQuery {
  const rest = FILTERS.reduce(without, query)
  return { ...rest, search: '' }
}

export function hasFilter(query: DocumentQuery, filter: Filter): boolean {
  return kindOf(filter).members.some((member) => query[member] !== undefined)
}

/** Returns whether a query excludes anything from its place. */
export function isFiltered(query: DocumentQuery): boolean {
  return query.search !== '' || FILTERS.some((filter) => filter !== 'accounts' && hasFilter(query, filter))
}

/** Returns whether "unread" is the only filter: opening a document then removes it from the list. */
export function isOnlyUnread(query: DocumentQuery): boolean {
  const others = FILTERS.filter((filter) => filter !== 'accounts' && filter !== 'unread')
  return query.unread === true && query.search === '' && !others.some((filter) => hasFilter(query, filter))
}

/**
 * Describes a filter.
 * @param nameOf returns an account's name.
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

/** Formats `2026-11-16` as "16 November 2026". */
function dayOf(day: string): string {
  const at = new Date(`${day}T00:00:00Z`)
  return at.toLocaleDateString('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'long', year: 'numeric' })
}
