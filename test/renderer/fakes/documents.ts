/** The made-up office's documents: filtered, sorted and grouped lists, counts, saved views. */
import type {
  DocumentColumn,
  DocumentPage,
  DocumentQuery,
  DocumentRow,
  FolderRow,
  PackageRow
} from '../../../src/shared/contract/index.ts'
import { byId, Failure, type FakeOffice, type HandlersOf, pageOf } from './office.ts'

export type ListHandlers = Omit<
  HandlersOf<'documents' | 'views'>,
  | 'documents.validate'
  | 'documents.verifications'
  | 'documents.saveValidation'
  | 'documents.openInBrowser'
  | 'documents.videoPassword'
  | 'documents.copyLink'
  | 'documents.correctedCopy'
  | 'documents.duplicate'
>

const DAY = 86_400_000
const ENDED = new Set(['complete', 'declined', 'expired'])

export function documentOf({ state }: FakeOffice, reference: string): DocumentPage {
  const found = state.documents.find((one) => one.reference === reference)
  if (!found) throw new Failure('gone')
  return found
}

export function fakeDocuments(office: FakeOffice): ListHandlers {
  const { state, emit } = office
  let version = 1
  const changed = () => emit('documents.changed', { accountId: office.chosen().id, version: version++ })

  let newest: { of: unknown; key: string; found: DocumentPage[] } | undefined
  /** Caches the result for the same query on the same documents, as the index does. */
  function found(query: DocumentQuery): DocumentPage[] {
    const key = JSON.stringify([state.accounts.filter(({ id }) => office.isShown(id)).map(({ id }) => id), query])
    if (newest?.of !== state.documents || newest.key !== key) {
      newest = { of: state.documents, key, found: matching(query) }
    }
    return newest.found
  }

  function matching(query: DocumentQuery): DocumentPage[] {
    const accounts = new Set(query.accounts)
    const { by, descending } = query.sort ?? { by: 'due', descending: false }
    const way = descending ? -1 : 1
    const keyed = state.documents
      .filter(
        (one) =>
          (one.accountId === 'practice' || office.isShown(one.accountId) || accounts.has(one.accountId)) &&
          fits(one, query, state.now())
      )
      .map((one) => [sortKey(one, by), one] as const)
    // Rows without that date or word come last in either direction.
    keyed.sort(([a], [b]) => (a === b ? 0 : a === '' ? 1 : b === '' ? -1 : a < b ? -way : way))
    return keyed.map(([, one]) => one)
  }

  return {
    'documents.list': ({ query: input, expanded = [], offset, limit }) => {
      const query = input as DocumentQuery
      const all = found(query)
      const lines = query.grouped ? grouped(all, new Set(expanded)) : undefined
      return {
        rows: lines
          ? pageOf(lines, { offset, limit }).map((line) => line())
          : pageOf(all, { offset, limit }).map((one) => rowOf(one)),
        total: (lines ?? all).length,
        documents: all.length,
        lookedAt: state.now() - 120_000
      }
    },
    'documents.counts': () => {
      const here = state.documents.filter((one) => one.goneAt === undefined)
      return {
        folders: Object.fromEntries(
          [...Map.groupBy(here, ({ folder }) => folder)].map(([folder, some]) => [folder, some.length])
        ),
        views: Object.fromEntries(state.views.map(({ id, query }) => [id, found(query).length])),
        unread: here.filter(({ unread }) => unread).length
      }
    },
    'documents.references': ({ query }) => {
      const references = found(query as DocumentQuery).map(({ accountId, reference }) => ({ accountId, reference }))
      return { references: references.slice(0, 10_000), total: references.length }
    },
    'documents.get': ({ reference }) => {
      const document = documentOf(office, reference)
      if (document.accountId !== office.chosen().id) throw new Failure('gone')
      return document
    },
    'documents.refresh': () => {
      changed()
      return null as never
    },
    'documents.markRead': ({ some, read }) => {
      const nameOf = (one: { accountId: string; reference: string }) => `${one.accountId}\n${one.reference}`
      const documents = 'documents' in some ? some.documents : found(some.query as DocumentQuery)
      const meant = new Set(documents.map(nameOf))
      state.documents = state.documents.map((one) => (meant.has(nameOf(one)) ? { ...one, unread: !read } : one))
      changed()
      return null as never
    },
    'documents.export': () => ({ label: 'documents.csv' }),
    'views.list': () => state.views,
    'views.save': ({ id = office.newId('view'), name, query, tell }) => {
      const view = { id, name, query: query as DocumentQuery, tell }
      const exists = state.views.some((one) => one.id === id)
      state.views = exists ? state.views.map((one) => (one.id === id ? view : one)) : [...state.views, view]
      emit('views.changed', null)
      return view
    },
    'views.remove': ({ id }) => {
      byId(state.views, id)
      state.views = state.views.filter((one) => one.id !== id)
      emit('views.changed', null)
      return null as never
    },
    'views.order': ({ ids }) => {
      state.views = ids.map((id) => byId(state.views, id))
      emit('views.changed', null)
      return null as never
    }
  }
}

const texts = new WeakMap<DocumentPage, string>()
function textOf(one: DocumentPage): string {
  const cached = texts.get(one)
  if (cached !== undefined) return cached
  const signers = one.people.map(({ name, email }) => `${name} ${email}`).join(' ')
  const references = `${one.reference} ${one.clientReference} ${one.formDirectReference ?? ''} ${one.matterNumber ?? ''}`
  const text = `${one.name} ${references} ${signers}`.toLowerCase()
  texts.set(one, text)
  return text
}

/** Filters as the index does, but without its edge cases: days are counted from now. */
function fits(one: DocumentPage, query: DocumentQuery, now: number): boolean {
  const isOpen = !ENDED.has(one.status.family)
  const due = one.due?.at ?? Number.NaN
  const signer = query.signer?.toLowerCase()
  const words = (query.search ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  return (
    ((query.week !== undefined && !query.gone) || (query.gone === true) === (one.goneAt !== undefined)) &&
    (query.folder === undefined || one.folder === query.folder) &&
    (query.families === undefined || query.families.includes(one.status.family)) &&
    (query.overdue === undefined || (isOpen && due < now)) &&
    (query.dueWithinDays === undefined || (isOpen && due >= now && due < now + (query.dueWithinDays + 1) * DAY)) &&
    (query.dueOn === undefined || (isOpen && new Date(due).toISOString().startsWith(query.dueOn))) &&
    (query.stuckForDays === undefined || (isOpen && one.changedAt < now - query.stuckForDays * DAY)) &&
    (query.progress === undefined ||
      (one.signers.length === query.progress.of &&
        one.signers.filter(({ state }) => state === 'signed').length === query.progress.signed)) &&
    (signer === undefined || one.people.some(({ name, email }) => `${name} ${email}`.toLowerCase().includes(signer))) &&
    (query.waitingHere === undefined || one.signers.some((each) => each.canSignHere && each.state === 'waiting')) &&
    (query.identity === undefined ||
      (query.identity === 'any'
        ? one.idVerificationRequested || one.identity !== 'none'
        : one.identity === query.identity)) &&
    (query.hasFileUploaded === undefined || one.hasFileUploaded) &&
    (query.unread === undefined || one.unread) &&
    words.every((word) => textOf(one).includes(word))
  )
}

function sortKey(one: DocumentPage, by: DocumentColumn): string | number {
  switch (by) {
    case 'name':
      return one.name
    case 'package':
      return one.packageReference ?? ''
    case 'signers':
      return one.signers[0]?.name ?? ''
    case 'status':
      return one.status.family
    case 'progress':
      return one.signers.filter(({ state }) => state === 'signed').length / (one.signers.length || 1)
    case 'due':
      return one.due?.at ?? ''
    case 'lastSigned':
      return one.lastSigned?.at ?? ''
    case 'folder':
      return one.folder
    case 'matter':
      return one.matterNumber ?? ''
    case 'reference':
      return one.reference
    case 'clientReference':
      return one.clientReference ?? ''
    case 'formReference':
      return one.formDirectReference ?? ''
    case 'identity':
      return one.identity
    case 'changed':
      return one.changedAt
  }
}

/** Groups documents of one package under a row of their own, at the position of the first one. */
function grouped(all: readonly DocumentPage[], expanded: ReadonlySet<string>): (() => FolderRow)[] {
  const packages = Map.groupBy(all, (one) => one.packageReference ?? `\n${one.reference}`)
  return [...packages].flatMap(([reference, some]): (() => FolderRow)[] => {
    const [first] = some
    if (!first || some.length === 1) return some.map((one) => () => rowOf(one))
    const line: PackageRow = {
      kind: 'package',
      accountId: first.accountId,
      packageReference: reference,
      name: some.map(({ name }) => name).join(', '),
      documents: some.length,
      complete: some.filter(({ status }) => status.family === 'complete').length,
      unsaid: some.filter(({ status }) => status.family === 'other' && !status.raw).length,
      unread: some.filter(({ unread }) => unread).length,
      ...(first.due && { due: first.due }),
      isExpanded: expanded.has(reference)
    }
    const under = line.isExpanded ? some.map((one) => (): FolderRow => ({ ...rowOf(one), isInPackage: true })) : []
    return [() => line, ...under]
  })
}

function rowOf(page: DocumentPage): DocumentRow {
  const { people: _people, logs: _logs, package: _package, others: _others, ...row } = page
  return { kind: 'document', ...row }
}
