/**
 * Answers questions from the indexes: lists, references, counts, who is waiting. Pure functions of the rows and the
 * moment. A list may group the documents of a package under a row of their own if there is more than one.
 */
import { type CounterEntry, DocumentQuery, type FolderRow, type PackageRow } from '../../../../shared/contract/index.ts'
import { withoutBlanks } from '../../lib/objects.ts'
import type { Sliced } from '../../lib/slices.ts'
import type { Answer, Ask, DocumentKey, DocumentSelection, IdentityCheck, Moment, NamedQuery } from '../questions.ts'
import { FLAG } from './columns.ts'
import { conditionsOf, finds } from './conditions.ts'
import type { DocumentIndex } from './document-index.ts'
import { rowOrder } from './order.ts'
import { textIn } from './packed-row.ts'
import { countFound, foundRows, RowList } from './results.ts'
import { documentRowOf, dueOf, type IndexRow, type RowSigner } from './row.ts'

/** Families of documents that still await someone. */
const OPEN: DocumentQuery['families'] = ['not-started', 'in-progress', 'other']
const PIECE = 1024
const PIECE_OF_CHECKS = 64

/** `expanded` contains package references. */
type Page = Pick<Ask<'list'>, 'expanded' | 'offset' | 'limit'>

export function* listOf(
  indexes: readonly DocumentIndex[],
  query: DocumentQuery,
  moment: Moment,
  page: Page
): Sliced<Answer<'list'>> {
  const rows = yield* foundRows(indexes, query, moment)
  if (query.grouped) return { ...groupedPage(rows, yield* groupRows(rows), page), documents: rows.length }
  const shown = rows.slice(page.offset, page.offset + page.limit).map(documentRowOf)
  return { rows: shown, total: rows.length, documents: rows.length }
}

/** Returns which documents the list shows, in its order, and their total. */
export function* referencesOf(
  indexes: readonly DocumentIndex[],
  query: DocumentQuery,
  moment: Moment,
  limit: number
): Sliced<Answer<'references'>> {
  const rows = yield* inListOrder(indexes, query, moment)
  const references = Array.from({ length: Math.min(limit, rows.length) }, (_, at) => rows.keyAt(at))
  return { references, total: rows.length }
}

/**
 * Counts the documents in each folder of an account, found by each query, and unread.
 * @param indexesOf returns the indexes that a query covers.
 */
export function* countsOf(
  index: DocumentIndex,
  queries: readonly NamedQuery[],
  moment: Moment,
  indexesOf: (query: DocumentQuery) => readonly DocumentIndex[]
): Sliced<Answer<'counts'>> {
  const { columns, rowIdLimit } = index.inner
  const names = [...columns.folders]
  const inFolder = new Uint32Array(names.length)
  let unread = 0
  for (let rowId = 0; rowId < rowIdLimit(); rowId++) {
    const flags = columns.flags[rowId] as number
    if ((flags & FLAG.there) === 0 || (flags & FLAG.gone) !== 0) continue
    const number = columns.folder[rowId] as number
    inFolder[number] = (inFolder[number] as number) + 1
    if ((flags & FLAG.unread) !== 0) unread++
  }
  const folders = names.flatMap((name, number): [string, number][] => {
    const count = inFolder[number] as number
    return count > 0 ? [[name, count]] : []
  })
  const counts: [string, number][] = []
  for (const { id, query } of queries) {
    yield
    counts.push([id, countFound(indexesOf(query), query, moment)])
  }
  // fromEntries, because a folder may have any name: assigning `__proto__` would set the object's prototype.
  return { folders: Object.fromEntries(folders), queries: Object.fromEntries(counts), unread }
}

export function* identityChecksOf(
  indexes: readonly DocumentIndex[],
  { accountId, some, queries = [], after, limit, ...moment }: Ask<'identityChecks'>
): Sliced<IdentityCheck[]> {
  const targets = yield* targetsOf(indexes, some, moment)
  const keys = Array.from({ length: targets.length }, (_, at) => ({ at, ...targets.keyAt(at) }))
  const remaining = keys.filter((key) => !after || compareDocumentKeys(after, key) < 0).sort(compareDocumentKeys)
  yield
  const checks: IdentityCheck[] = []
  for (const [index, { at }] of remaining.slice(0, limit).entries()) {
    if (index % PIECE_OF_CHECKS === PIECE_OF_CHECKS - 1) yield
    const row = targets.at(at)
    if (!row) continue
    const applicable = queries.filter(
      ({ query }) => row.accountId === accountId || query.accounts?.includes(row.accountId)
    )
    checks.push({
      accountId: row.accountId,
      reference: row.reference,
      name: row.name,
      // If it isn't known, the service is asked.
      isThere: row.idVerificationRequested === true || row.identity !== 'none',
      found: matchingOf(row, applicable, moment),
      // After a document is reopened, its old `completedAt` no longer applies.
      ...(row.status.family === 'complete' && { completedAt: row.completedAt ?? 0 })
    })
  }
  return checks
}

/** A total order, so that no document is skipped between two pages. */
function compareDocumentKeys(one: DocumentKey, two: DocumentKey): number {
  if (one.reference !== two.reference) return one.reference < two.reference ? -1 : 1
  if (one.accountId === two.accountId) return 0
  return one.accountId < two.accountId ? -1 : 1
}

/** Returns the ids of the queries that find the row. */
export function matchingOf(row: IndexRow, queries: readonly NamedQuery[], moment: Moment): string[] {
  return queries.filter(({ query }) => finds(query, moment)(row)).map(({ id }) => id)
}

/**
 * Returns the rows meant: the listed documents that these indexes know, each once, or all that the query finds, in its
 * order.
 */
export function* targetsOf(
  indexes: readonly DocumentIndex[],
  some: DocumentSelection,
  moment: Moment
): Sliced<RowList> {
  if ('query' in some) return yield* inListOrder(indexes, some.query, moment)
  const versions = indexes.map((index) => index.version())
  const places: number[] = []
  const rowIds: number[] = []
  const known = indexes.map(() => new Set<number>())
  for (const [number, { accountId, reference }] of some.documents.entries()) {
    if (number % PIECE === PIECE - 1) yield
    for (const [place, index] of indexes.entries()) {
      const rowId = index.inner.columns.accountId === accountId ? index.rowIdOf(reference) : undefined
      if (rowId === undefined || known[place]?.has(rowId)) continue
      known[place]?.add(rowId)
      places.push(place)
      rowIds.push(rowId)
    }
  }
  return new RowList(indexes, versions, Uint32Array.from(rowIds), Uint16Array.from(places))
}

/** Returns documents that haven't ended and are due on a day in the zone, such as `2026-11-22`; next due first. */
export function dueOn(index: DocumentIndex, day: string, zone: string): Answer<'dueOn'> {
  const { columns, text } = index.inner
  const query = DocumentQuery.parse({ dueOn: day, families: OPEN })
  const { conditions } = conditionsOf(query, { now: 0, zone }, columns, text.textOf)
  const rows = rowsWhere(index, (rowId) => conditions.every(({ holds }) => holds(rowId)))
  return rows.map(({ reference, name }) => ({ reference, name }))
}

/** Returns who can sign at the counter now, next due first; with `withoutLink`, also those who only lack a link. */
export function waitingHere(index: DocumentIndex, withoutLink?: true): CounterEntry[] {
  const { flags } = index.inner.columns
  const flagMask = withoutLink ? FLAG.waitsHere | FLAG.lacksLink : FLAG.waitsHere
  const isIncluded = (signer: RowSigner) => signer.canSignHere || (withoutLink === true && signer.lacksLink === true)
  const rows = rowsWhere(index, (rowId) => ((flags[rowId] as number) & flagMask) !== 0)
  const withFiles = originsWithFiles(
    index,
    new Set(rows.map((row) => originOf(row.formDirectReference ?? '', row.name)))
  )
  return rows.flatMap((row) =>
    row.signers.flatMap((signer, index) =>
      isIncluded(signer)
        ? [
            {
              accountId: row.accountId,
              documentReference: row.reference,
              documentName: row.name,
              signer: index,
              signerName: signer.name,
              person: signer.person ?? '',
              faceToFace: signer.faceToFace === true,
              mayNeedCamera: signer.mayNeedCamera === true,
              // Appointments belong to the counter, which adds them.
              isToday: false,
              ...(withFiles.has(originOf(row.formDirectReference ?? '', row.name)) && { hadFiles: true as const }),
              ...(signer.lacksLink && { withoutLink: true as const }),
              ...withoutBlanks({ due: dueOf(row) })
            }
          ]
        : []
    )
  )
}

/** Identifies what a document was made from: its form or, since documents don't name their template, its own name. */
const originOf = (form: string, name: string) => (form === '' ? `name ${name}` : `form ${form}`)

/** Returns which of these have a document that files were uploaded to during signing, wherever it is now. */
function originsWithFiles(index: DocumentIndex, origins: ReadonlySet<string>): ReadonlySet<string> {
  const { columns, rowIdLimit } = index.inner
  const found = new Set<string>()
  for (let rowId = 0; rowId < rowIdLimit(); rowId++) {
    if (((columns.flags[rowId] as number) & FLAG.hasFile) === 0) continue
    const text = columns.texts[rowId]
    const origin = text === undefined ? '' : originOf(textIn(text, 'formDirectReference'), textIn(text, 'name'))
    if (origins.has(origin)) found.add(origin)
  }
  return found
}

/** Returns the rows in a folder for which `holds` is true, next due first. */
function rowsWhere(index: DocumentIndex, holds: (rowId: number) => boolean): IndexRow[] {
  const { columns, rowAt, rowIdLimit } = index.inner
  const found: number[] = []
  for (let rowId = 0; rowId < rowIdLimit(); rowId++) {
    const isHere = ((columns.flags[rowId] as number) & (FLAG.there | FLAG.gone)) === FLAG.there
    if (isHere && holds(rowId)) found.push(rowId)
  }
  found.sort((one, other) => nextDueFirst(columns, one, columns, other))
  return found.flatMap((rowId) => rowAt(rowId) ?? [])
}

function* inListOrder(indexes: readonly DocumentIndex[], query: DocumentQuery, moment: Moment): Sliced<RowList> {
  const rows = yield* foundRows(indexes, query, moment)
  if (!query.grouped) return rows
  const { members } = yield* groupRows(rows)
  return new RowList(
    rows.indexes,
    rows.versions,
    members.map((at) => rows.rowIds[at] as number),
    rows.places && Uint16Array.from(members, (at) => rows.places?.[at] as number)
  )
}

const nextDueFirst = rowOrder({ by: 'due', descending: false })

/** The documents of a list, grouped by package. A group's position is that of its first document. */
interface Groups {
  /** Positions in the list, group by group: a single document, or two or more of one package in list order. */
  members: Uint32Array
  /** Where each group begins in `members`, followed by the end of the last one. */
  begins: Uint32Array
}

/** How many documents a package's name consists of. */
const NAMES_SHOWN = 3
const PIECE_OF_GROUPS = 4096

const groupsOf = new WeakMap<RowList, Groups>()

/** Groups a list; cached for as long as the list exists. */
function* groupRows(rows: RowList): Sliced<Groups> {
  const known = groupsOf.get(rows)
  if (known) return known
  const count = rows.length
  // The group of each document, and of each package of an index; 0 means none yet.
  const groups = new Uint32Array(count)
  const byPackage = rows.indexes.map(({ inner }) => new Uint32Array(inner.columns.packageReferences.length))
  const sizes = new Uint32Array(count + 2)
  let last = 0
  for (let at = 0; at < count; at++) {
    const own = byPackage[rows.places?.[at] ?? 0] as Uint32Array
    const number = rows.indexAt(at).inner.columns.package[rows.rowIds[at] as number] as number
    // A package added during a pause has a number beyond the array; its documents stay ungrouped until the list is
    // rebuilt.
    const group = (number > 0 && own[number]) || ++last
    if (number > 0) own[number] = group
    groups[at] = group
    sizes[group + 1] = (sizes[group + 1] as number) + 1
    if (at % PIECE_OF_GROUPS === PIECE_OF_GROUPS - 1) yield
  }
  const begins = sizes.subarray(1, last + 2)
  for (let group = 1; group <= last; group++) begins[group] = (begins[group] as number) + (begins[group - 1] as number)
  const ends = begins.slice()
  const members = new Uint32Array(count)
  for (let at = 0; at < count; at++) {
    const group = (groups[at] as number) - 1
    const end = ends[group] as number
    members[end] = at
    ends[group] = end + 1
  }
  const grouping = { members, begins }
  groupsOf.set(rows, grouping)
  return grouping
}

/** Returns a page of lines: single documents, packages, and the documents of expanded packages. */
function groupedPage(
  rows: RowList,
  { members, begins }: Groups,
  { expanded, offset, limit }: Page
): { rows: FolderRow[]; total: number } {
  const open = rows.indexes.map(
    ({ inner }) => new Set(expanded.flatMap((reference) => inner.columns.packageNumberOf(reference) ?? []))
  )
  const page: FolderRow[] = []
  let total = 0
  const end = offset + limit
  for (let group = 0; group + 1 < begins.length; group++) {
    const [begin, next] = [begins[group] as number, begins[group + 1] as number]
    const first = members[begin] as number
    const { columns } = rows.indexAt(first).inner
    const isPackage = next - begin > 1
    const isExpanded =
      isPackage &&
      open[rows.places?.[first] ?? 0]?.has(columns.package[rows.rowIds[first] as number] as number) === true
    const lines = 1 + (isExpanded ? next - begin : 0)
    if (total < end && total + lines > offset) {
      const own = Array.from(members.subarray(begin, next))
      for (let line = Math.max(0, offset - total); line < Math.min(lines, end - total); line++) {
        if (isPackage && line === 0) page.push(...packageRowOf(rows, own, isExpanded))
        else page.push(...singleRow(rows.at(own[Math.max(0, line - 1)] as number), line > 0))
      }
    }
    total += lines
  }
  return { rows: page, total }
}

function singleRow(row: IndexRow | undefined, isInPackage: boolean): FolderRow[] {
  return row ? [{ ...documentRowOf(row), ...(isInPackage && { isInPackage: true as const }) }] : []
}

/** @param members positions in the list. */
function packageRowOf(list: RowList, members: readonly number[], isExpanded: boolean): PackageRow[] {
  const rows = members.flatMap((at) => list.at(at) ?? [])
  const [first] = rows
  if (!first?.packageReference) return []
  const names = rows.slice(0, NAMES_SHOWN).map(({ name }) => name)
  const more = rows.length - names.length
  const [due] = rows.flatMap((row) => dueOf(row) ?? []).sort((one, other) => one.at - other.at)
  return [
    {
      kind: 'package',
      accountId: first.accountId,
      packageReference: first.packageReference,
      name: more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', '),
      documents: rows.length,
      complete: rows.filter(({ status }) => status.family === 'complete').length,
      unsaid: rows.filter(({ status }) => status.family === 'other' && !status.raw).length,
      unread: rows.filter(({ unread }) => unread).length,
      ...(due && { due }),
      isExpanded
    }
  ]
}
