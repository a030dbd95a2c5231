/**
 * The document list as an address: `#/documents/InBox?search=deed`, `#/documents/all?overdue=1`,
 * `#/documents/view/<id>`. Parts of an address that aren't understood are ignored, never guessed.
 */
import type { DocumentColumn, DocumentQuery } from '../../../shared/contract/document-query.ts'
import type { DocumentKey } from '../../../shared/contract/document-requests.ts'
import { IDENTITY_FILTERS, STATUS_FAMILIES } from '../../../shared/model/document-status.ts'
import type { AppState } from './app-state.svelte.ts'
import { hrefOf, type Route } from './router.svelte.ts'

/** What the address shows. `isChanged`: the view's own query is replaced by one the user is editing. */
type DocumentPlace =
  | { kind: 'all' }
  | { kind: 'folder'; folder: string }
  | { kind: 'view'; id: string; isChanged: boolean }

export interface DocumentRoute {
  place: DocumentPlace
  /** The query in the address. An unchanged view's query isn't in the address but in the view. */
  query: DocumentQuery
  /** The document open next to the list, and its account if the address names it. */
  document?: string
  account?: string
}

/** The open document's part of an address. Empty if none is open. */
type OpenPlace = Partial<ReturnType<AppState['documentPlace']>>

type Sort = DocumentQuery['sort']
/** First path segments that are not folder names. */
const RESERVED_SEGMENTS = new Set(['all', 'view', 'folder'])
const FLAGS = ['overdue', 'waitingHere', 'hasFileUploaded', 'unread', 'gone'] as const
const NUMBERS = ['dueWithinDays', 'stuckForDays'] as const
const TEXTS = ['dueOn', 'signer', 'identity'] as const
const LISTS = ['families', 'accounts'] as const

/**
 * Returns the default order: signed documents by newest signature, other folders by next due date, everything by latest
 * change.
 */
export function defaultSort(folder: string | undefined): Sort {
  if (folder === undefined) return { by: 'changed', descending: true }
  return folder === 'Signed' ? { by: 'lastSigned', descending: true } : { by: 'due', descending: false }
}

/**
 * Returns the address of the documents matching a query, optionally with one of them open. Queries about due dates are
 * sorted by due date, unless `sort` says otherwise.
 */
export function documentsHref(query: Partial<DocumentQuery>, document?: OpenPlace): string {
  const isAboutDue = query.overdue || query.dueOn !== undefined || query.dueWithinDays !== undefined
  const sort = query.sort ?? (isAboutDue ? { by: 'due', descending: false } : defaultSort(query.folder))
  return hrefOf('documents', folderPath(query.folder), parametersOf({ ...query, sort }, document))
}

/** The query for documents with an identity check. */
export const WITH_IDENTITY_CHECK = { identity: 'any' } as const satisfies Pick<DocumentQuery, 'identity'>

/** Returns the address of a saved view. */
export function viewHref(id: string): string {
  return hrefOf('documents', ['view', id])
}

/** Returns the path after `documents` in a folder's address, or in the address of all documents if undefined. */
export function folderPath(folder: string | undefined): string[] {
  if (folder === undefined) return ['all']
  return RESERVED_SEGMENTS.has(folder) ? ['folder', folder] : [folder]
}

/** Returns a query as address parameters, without defaults. The folder is in the path. */
export function parametersOf(query: Partial<DocumentQuery>, document: OpenPlace = {}): Record<string, string> {
  const parameters: Record<string, string> = {}
  if (query.search) parameters.search = query.search
  for (const name of LISTS) if (query[name]?.length) parameters[name] = query[name].join(',')
  for (const name of TEXTS) if (query[name]) parameters[name] = query[name]
  for (const name of NUMBERS) if (query[name] !== undefined) parameters[name] = String(query[name])
  for (const name of FLAGS) if (query[name]) parameters[name] = '1'
  if (query.progress) parameters.progress = `${query.progress.signed}of${query.progress.of}`
  if (query.week) parameters.week = `${query.week.monday},${query.week.what}`
  if (query.sort && !isSameSort(query.sort, defaultSort(query.folder))) {
    parameters.sort = `${query.sort.descending ? '-' : ''}${query.sort.by}`
  }
  if (query.grouped) parameters.grouped = '1'
  return { ...parameters, ...document }
}

/** Returns the address parameters of a view that is being changed, which hold its whole query. */
export function changedViewParameters(query: DocumentQuery, document?: OpenPlace): Record<string, string> {
  return {
    ...parametersOf(query, document),
    ...(query.folder !== undefined && { folder: query.folder }),
    changed: '1'
  }
}

/** Parses an address. */
export function queryFromRoute(route: Route): DocumentRoute {
  const [first, second] = route.rest
  const document = route.query.get('document') ?? undefined
  const account = route.query.get('account') ?? undefined
  const rest = document === undefined ? {} : { document, ...(account !== undefined && { account }) }
  if (first === 'view' && second !== undefined) {
    const isChanged = route.query.get('changed') === '1'
    const folder = route.query.get('folder') ?? undefined
    return { place: { kind: 'view', id: second, isChanged }, query: readQuery(route.query, folder), ...rest }
  }
  const folder = first === 'folder' && second !== undefined ? second : first === 'all' ? undefined : first
  const query = readQuery(route.query, folder)
  return {
    place: query.folder === undefined ? { kind: 'all' } : { kind: 'folder', folder: query.folder },
    query,
    ...rest
  }
}

/** Returns whether two queries find the same documents in the same order, however they are written. */
export function isSameQuery(one: DocumentQuery, other: DocumentQuery): boolean {
  return keyOfQuery(one) === keyOfQuery(other)
}

/** Returns a key that is the same for equal queries. */
export function keyOfQuery(query: DocumentQuery): string {
  const sorted = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify(
    sorted.map(([name, value]) => [name, name === 'families' ? [...(value as string[])].sort() : value])
  )
}

/** Returns what tells a document from others: accounts may use the same reference. */
export function keyOfDocument({ accountId, reference }: DocumentKey): string {
  return `${accountId}\n${reference}`
}

const MAX_DAYS = 3650

function readQuery(parameters: URLSearchParams, folder: string | undefined): DocumentQuery {
  const text = (name: string, maxLength: number) => parameters.get(name)?.slice(0, maxLength) || undefined
  const list = (name: string) => parameters.get(name)?.split(',').filter(Boolean) ?? []
  const query: DocumentQuery = { search: text('search', 200) ?? '', sort: defaultSort(folder), grouped: false }
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

/** Only the names: the first screen parses queries and shows no columns. */
const COLUMNS: Readonly<Record<DocumentColumn, true>> = {
  name: true,
  signers: true,
  status: true,
  progress: true,
  due: true,
  lastSigned: true,
  folder: true,
  matter: true,
  package: true,
  clientReference: true,
  reference: true,
  formReference: true,
  identity: true,
  changed: true
}

export function isColumn(name: string): name is DocumentColumn {
  return Object.hasOwn(COLUMNS, name)
}

function numberOf(text: string | null): number | undefined {
  const number = text !== null && /^\d{1,5}$/.test(text) ? Number(text) : undefined
  return number !== undefined && number <= MAX_DAYS ? number : undefined
}

/** Returns the text if it is a date that exists, such as `2026-11-21`. */
function dayOf(text: string | null | undefined): string | undefined {
  if (!text || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) ? text : undefined
}

function isSameSort(one: Sort, other: Sort): boolean {
  return one.by === other.by && one.descending === other.descending
}

/** Returns the order after clicking a heading: reversed if the list is already sorted by that column. */
export function sortAfterClick(sort: Sort, by: DocumentColumn): Sort {
  if (sort.by === by) return { by, descending: !sort.descending }
  return { by, descending: by === 'lastSigned' || by === 'changed' }
}
