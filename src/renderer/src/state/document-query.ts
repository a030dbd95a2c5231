/**
 * The list of documents as a place in the address: `#/documents/InBox?search=deed`, `#/documents/all?overdue=1`,
 * `#/documents/view/<id>`. What an address says that is not understood is left out, never guessed.
 */
import type { DocumentColumn, DocumentQuery } from '../../../shared/contract/document-query.ts'
import { IDENTITY_FILTERS, STATUS_FAMILIES } from '../../../shared/model/document-status.ts'
import type { AppState } from './app-state.svelte.ts'
import { hrefOf, type Route } from './router.svelte.ts'

/** A view's own query, or in its place the one that a person is changing it to. */
type DocumentPlace =
  | { kind: 'all' }
  | { kind: 'folder'; folder: string }
  | { kind: 'view'; id: string; isChanged: boolean }

export interface DocumentRoute {
  place: DocumentPlace
  /** What the address asks for; of a view that is not being changed the view itself says it. */
  query: DocumentQuery
  /** The document that is open beside the list, and its account where the address names that. */
  document?: string
  account?: string
}

/** What an address has of the document that is open; nothing where none is. */
type OpenPlace = Partial<ReturnType<AppState['documentPlace']>>

type Sort = DocumentQuery['sort']
/** First words of an address that are not a folder's name. */
const WORDS = new Set(['all', 'view', 'folder'])
const FLAGS = ['overdue', 'waitingHere', 'hasFileUploaded', 'unread', 'gone'] as const
const NUMBERS = ['dueWithinDays', 'stuckForDays'] as const
const TEXTS = ['dueOn', 'signer', 'identity'] as const
const LISTS = ['families', 'accounts'] as const

/** What is signed is read newest first; a folder of work by what is due next; everything by what happened last. */
export function sortOf(folder: string | undefined): Sort {
  if (folder === undefined) return { by: 'changed', descending: true }
  return folder === 'Signed' ? { by: 'lastSigned', descending: true } : { by: 'due', descending: false }
}

/**
 * The address of the documents that a query finds, with one of them open where it is named.
 * Conditions about due dates are in the order of these, unless `sort` says otherwise.
 */
export function documentsHref(query: Partial<DocumentQuery>, document?: OpenPlace): string {
  const isAboutDue = query.overdue || query.dueOn !== undefined || query.dueWithinDays !== undefined
  const sort = query.sort ?? (isAboutDue ? { by: 'due', descending: false } : sortOf(query.folder))
  return hrefOf('documents', partsOf(query.folder), parametersOf({ ...query, sort }, document))
}

/** What an address says to find the documents of which an identity check was asked for. */
export const WITH_A_CHECK = { identity: 'any' } as const satisfies Pick<DocumentQuery, 'identity'>

/** The address of a saved view. */
export function viewHref(id: string): string {
  return hrefOf('documents', ['view', id])
}

/** What follows `documents` in the address of a folder; of all of them without one. */
export function partsOf(folder: string | undefined): string[] {
  if (folder === undefined) return ['all']
  return WORDS.has(folder) ? ['folder', folder] : [folder]
}

/** A query as parameters of an address; what holds anyway is left out. The folder is said by the path. */
export function parametersOf(query: Partial<DocumentQuery>, document: OpenPlace = {}): Record<string, string> {
  const parameters: Record<string, string> = {}
  if (query.search) parameters.search = query.search
  for (const name of LISTS) if (query[name]?.length) parameters[name] = query[name].join(',')
  for (const name of TEXTS) if (query[name]) parameters[name] = query[name]
  for (const name of NUMBERS) if (query[name] !== undefined) parameters[name] = String(query[name])
  for (const name of FLAGS) if (query[name]) parameters[name] = '1'
  if (query.progress) parameters.progress = `${query.progress.signed}of${query.progress.of}`
  if (query.week) parameters.week = `${query.week.monday},${query.week.what}`
  if (query.sort && !isSameSort(query.sort, sortOf(query.folder))) {
    parameters.sort = `${query.sort.descending ? '-' : ''}${query.sort.by}`
  }
  if (query.grouped) parameters.grouped = '1'
  return { ...parameters, ...document }
}

/** Where the whole query of a view that is being changed stands in the address. */
export function changedViewParameters(query: DocumentQuery, document?: OpenPlace): Record<string, string> {
  return {
    ...parametersOf(query, document),
    ...(query.folder !== undefined && { folder: query.folder }),
    changed: '1'
  }
}

/** What an address asks for. */
export function queryFromRoute(route: Route): DocumentRoute {
  const [first, second] = route.rest
  const document = route.query.get('document') ?? undefined
  const account = route.query.get('account') ?? undefined
  const rest = document === undefined ? {} : { document, ...(account !== undefined && { account }) }
  if (first === 'view' && second !== undefined) {
    const isChanged = route.query.get('changed') === '1'
    const folder = route.query.get('folder') ?? undefined
    return { place: { kind: 'view', id: second, isChanged }, query: read(route.query, folder), ...rest }
  }
  const folder = first === 'folder' && second !== undefined ? second : first === 'all' ? undefined : first
  const query = read(route.query, folder)
  return {
    place: query.folder === undefined ? { kind: 'all' } : { kind: 'folder', folder: query.folder },
    query,
    ...rest
  }
}

/** Whether two queries find the same in the same order, however they are written. */
export function isSameQuery(one: DocumentQuery, other: DocumentQuery): boolean {
  return keyOfQuery(one) === keyOfQuery(other)
}

/** A name by which equal queries are equal. */
export function keyOfQuery(query: DocumentQuery): string {
  const sorted = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify(
    sorted.map(([name, value]) => [name, name === 'families' ? [...(value as string[])].sort() : value])
  )
}

const MOST_DAYS = 3650

function read(parameters: URLSearchParams, folder: string | undefined): DocumentQuery {
  const text = (name: string, most: number) => parameters.get(name)?.slice(0, most) || undefined
  const list = (name: string) => parameters.get(name)?.split(',').filter(Boolean) ?? []
  const query: DocumentQuery = { search: text('search', 200) ?? '', sort: sortOf(folder), grouped: false }
  if (folder) query.folder = folder.slice(0, 200)
  const families = STATUS_FAMILIES.filter((family) => list('families').includes(family))
  if (families.length > 0) query.families = families
  const accounts = list('accounts').slice(0, 50)
  if (accounts.length > 0) query.accounts = accounts
  for (const name of NUMBERS) {
    const days = numberOf(parameters.get(name))
    if (days !== undefined) query[name] = days
  }
  for (const name of FLAGS) if (parameters.get(name) === '1') query[name] = true
  const dueOn = dayOf(parameters.get('dueOn'))
  if (dueOn) query.dueOn = dueOn
  const signer = text('signer', 200)
  if (signer) query.signer = signer
  const identity = IDENTITY_FILTERS.find((one) => one === parameters.get('identity'))
  if (identity) query.identity = identity
  const progress = /^(\d{1,4})of([1-9]\d{0,3})$/.exec(parameters.get('progress') ?? '')
  if (progress) query.progress = { signed: Number(progress[1]), of: Number(progress[2]) }
  const [day, what] = (parameters.get('week') ?? '').split(',')
  const monday = dayOf(day)
  if (monday && (what === 'sent' || what === 'completed')) query.week = { monday, what }
  const sort = parameters.get('sort') ?? ''
  const by = sort.replace(/^-/, '')
  if (isColumn(by)) query.sort = { by, descending: sort.startsWith('-') }
  if (parameters.get('grouped') === '1') query.grouped = true
  return query
}

/** Their names alone, as the first screen reads queries and shows no columns. */
const COLUMNS: Readonly<Record<DocumentColumn, true>> = {
  ...{
    name: true,
    signers: true,
    status: true,
    progress: true,
    due: true,
    lastSigned: true,
    folder: true,
    matter: true
  },
  ...{ package: true, clientReference: true, reference: true, formReference: true, identity: true, changed: true }
}

export function isColumn(name: string): name is DocumentColumn {
  return Object.hasOwn(COLUMNS, name)
}

function numberOf(text: string | null): number | undefined {
  const number = text !== null && /^\d{1,5}$/.test(text) ? Number(text) : undefined
  return number !== undefined && number <= MOST_DAYS ? number : undefined
}

/** A day of the calendar that there is, `2026-11-21`. */
function dayOf(text: string | null | undefined): string | undefined {
  if (!text || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) ? text : undefined
}

function isSameSort(one: Sort, other: Sort): boolean {
  return one.by === other.by && one.descending === other.descending
}

/** The order that a heading asks for: the other way round where the list is in its order already. */
export function sortedBy(sort: Sort, by: DocumentColumn): Sort {
  if (sort.by === by) return { by, descending: !sort.descending }
  return { by, descending: by === 'lastSigned' || by === 'changed' }
}
