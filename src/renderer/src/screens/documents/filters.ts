/** The conditions of a query as what a person sees: chips that say what they ask for, can be changed and taken away. */
import type { DocumentQuery } from '../../../../shared/contract/document-query.ts'
import { capital, counted, listed } from '../../words/counts.ts'
import { documentStatus } from '../../words/statuses.ts'

export const FILTERS = [
  'families',
  'due',
  'stuck',
  'progress',
  'signer',
  'waitingHere',
  'identity',
  'hasFileUploaded',
  'unread',
  'accounts',
  'week',
  'gone'
] as const
export type Filter = (typeof FILTERS)[number]

/** What a filter is called where it is offered. One that is not offered comes by a link. */
export const FILTER_NAMES: Record<Exclude<Filter, 'week'>, string> = {
  families: 'Status',
  due: 'Due',
  stuck: 'Stuck for days',
  progress: 'Signed so far',
  signer: 'Signer',
  waitingHere: 'Waits at the counter',
  identity: 'Identity check',
  hasFileUploaded: 'Has uploaded files',
  unread: 'Unread',
  accounts: 'Accounts',
  gone: 'Gone from the service'
}

/** The filters that are on or off, with nothing more to choose. */
export type Flag = 'waitingHere' | 'hasFileUploaded' | 'unread' | 'gone'
export function isFlag(filter: Filter): filter is Flag {
  return filter === 'waitingHere' || filter === 'hasFileUploaded' || filter === 'unread' || filter === 'gone'
}

/** The members of a query that a filter is about. */
const members: Record<Filter, readonly (keyof DocumentQuery)[]> = {
  families: ['families'],
  due: ['overdue', 'dueOn', 'dueWithinDays'],
  stuck: ['stuckForDays'],
  progress: ['progress'],
  signer: ['signer'],
  waitingHere: ['waitingHere'],
  identity: ['identity'],
  hasFileUploaded: ['hasFileUploaded'],
  unread: ['unread'],
  accounts: ['accounts'],
  week: ['week'],
  gone: ['gone']
}

export function familyWords(family: NonNullable<DocumentQuery['families']>[number]): string {
  return family === 'other' ? 'Any other' : documentStatus({ family, raw: '' }).word
}

const identityFilters: Record<NonNullable<DocumentQuery['identity']>, string> = {
  any: 'asked for',
  asked: 'without a result yet',
  passed: 'passed',
  failed: 'failed',
  other: 'to be looked at'
}

/** "Without a result yet", as a choice. */
export function identityFilterWords(state: NonNullable<DocumentQuery['identity']>): string {
  return capital(identityFilters[state])
}

/** A query without what a filter asks for. */
export function without(query: DocumentQuery, filter: Filter): DocumentQuery {
  const rest = { ...query }
  for (const member of members[filter]) delete rest[member]
  return rest
}

/** A query with nothing but its place, its order and its grouping. */
export function withoutAll(query: DocumentQuery): DocumentQuery {
  const rest = FILTERS.reduce(without, query)
  return { ...rest, search: '' }
}

export function hasFilter(query: DocumentQuery, filter: Filter): boolean {
  return members[filter].some((member) => query[member] !== undefined)
}

/** Whether a query asks for less than all there is in its place. */
export function isFiltered(query: DocumentQuery): boolean {
  return query.search !== '' || FILTERS.some((filter) => filter !== 'accounts' && hasFilter(query, filter))
}

/**
 * What a filter asks for, in words.
 * @param nameOf what an account is called.
 */
export function filterInWords(query: DocumentQuery, filter: Filter, nameOf: (account: string) => string): string {
  switch (filter) {
    case 'families':
      return query.families ? listed(query.families.map(familyWords)).replace(' and ', ' or ') : FILTER_NAMES.families
    case 'due':
      return dueInWords(query)
    case 'stuck':
      return query.stuckForDays === undefined ? FILTER_NAMES.stuck : `Stuck for ${counted(query.stuckForDays, 'day')}`
    case 'progress':
      return query.progress ? `${query.progress.signed} of ${query.progress.of} signed` : FILTER_NAMES.progress
    case 'signer':
      return query.signer ? `Signer: ${query.signer}` : FILTER_NAMES.signer
    case 'identity':
      return query.identity ? `Identity check ${identityFilters[query.identity]}` : FILTER_NAMES.identity
    case 'accounts':
      return query.accounts ? `Also ${listed(query.accounts.map(nameOf))}` : FILTER_NAMES.accounts
    case 'week':
      return query.week
        ? `${query.week.what === 'sent' ? 'Arrived' : 'Completed'} in the week of ${dayOf(query.week.monday)}`
        : ''
    default:
      return FILTER_NAMES[filter]
  }
}

function dueInWords({ overdue, dueOn, dueWithinDays }: DocumentQuery): string {
  if (overdue) return 'Overdue'
  if (dueOn !== undefined) return `Due on ${dayOf(dueOn)}`
  if (dueWithinDays === undefined) return FILTER_NAMES.due
  if (dueWithinDays === 0) return 'Due today'
  return dueWithinDays === 1 ? 'Due by tomorrow' : `Due within ${counted(dueWithinDays, 'day')}`
}

/** "16 November 2026", of `2026-11-16`. */
function dayOf(day: string): string {
  const at = new Date(`${day}T00:00:00Z`)
  return at.toLocaleDateString('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'long', year: 'numeric' })
}
