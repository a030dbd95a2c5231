/**
 * What is asked of the indexes: lists, references, counts, who waits. Pure over the rows and the moment. A list may have the
 * documents of one package together, under a line of their own where there is more than one.
 */
import { type CounterEntry, DocumentQuery, type FolderRow, type PackageRow } from '../../../../shared/contract/index.ts'
import { getOrMake, withoutBlanks } from '../../lib/objects.ts'
import type { Sliced } from '../../lib/slices.ts'
import type { Answer, Ask, DocumentKey, IdentityCheck, Moment, NamedQuery, Some } from '../questions.ts'
import { conditionsOf, FLAG, finds } from './conditions.ts'
import type { DocumentIndex } from './document-index.ts'
import { rowOrder } from './order.ts'
import { countFound, foundRows } from './results.ts'
import { documentRowOf, dueOf, type IndexRow, type RowSigner } from './row.ts'

/** Families of documents that someone still waits for. */
const OPEN: DocumentQuery['families'] = ['not-started', 'in-progress', 'other']
const PIECE = 1024
const PIECE_OF_CHECKS = 64

/** `expanded` names packages by their references. */
type Page = Pick<Ask<'list'>, 'expanded' | 'offset' | 'limit'>

/** A page of the list. */
export function* listOf(
  indexes: readonly DocumentIndex[],
  query: DocumentQuery,
  moment: Moment,
  page: Page
): Sliced<Answer<'list'>> {
  const rows = yield* foundRows(indexes, query, moment)
  if (query.grouped) return { ...groupedPage(yield* grouped(rows), page), documents: rows.length }
  const shown = rows.slice(page.offset, page.offset + page.limit).map(documentRowOf)
  return { rows: shown, total: rows.length, documents: rows.length }
}

/** Which documents the list shows, in its order, and how many there are. */
export function* referencesOf(
  indexes: readonly DocumentIndex[],
  query: DocumentQuery,
  moment: Moment,
  limit: number
): Sliced<Answer<'references'>> {
  const rows = yield* inListOrder(indexes, query, moment)
  const references = rows.slice(0, limit).map(({ accountId, reference }) => ({ accountId, reference }))
  return { references, total: rows.length }
}

/**
 * How many documents each folder of an account holds, each query finds, and how many are unread.
 * @param indexesOf the indexes that a query asks for.
 */
export function* countsOf(
  index: DocumentIndex,
  queries: readonly NamedQuery[],
  moment: Moment,
  indexesOf: (query: DocumentQuery) => readonly DocumentIndex[]
): Sliced<Answer<'counts'>> {
  const { columns, rowIds } = index.inner
  const names = columns.folders()
  const inFolder = new Uint32Array(names.length)
  let unread = 0
  for (let rowId = 0; rowId < rowIds(); rowId++) {
    const flags = columns.flags[rowId] as number
    if (columns.rows[rowId] === undefined || (flags & FLAG.gone) !== 0) continue
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
  // fromEntries, since a folder may have any name: one that is assigned could be taken for the object's prototype.
  return { folders: Object.fromEntries(folders), queries: Object.fromEntries(counts), unread }
}

/** See the worker's question. */
export function* identityChecksOf(
  indexes: readonly DocumentIndex[],
  { accountId, some, queries = [], after, limit, ...moment }: Ask<'identityChecks'>
): Sliced<IdentityCheck[]> {
  const rows = [...(yield* targetsOf(indexes, some, moment))].filter((row) => !after || inOrder(after, row) < 0)
  rows.sort(inOrder)
  yield
  const checks: IdentityCheck[] = []
  for (const [index, row] of rows.slice(0, limit).entries()) {
    if (index % PIECE_OF_CHECKS === PIECE_OF_CHECKS - 1) yield
    const asked = queries.filter(({ query }) => row.accountId === accountId || query.accounts?.includes(row.accountId))
    checks.push({
      accountId: row.accountId,
      reference: row.reference,
      name: row.name,
      // Where nobody says, the service is asked.
      isThere: row.idVerificationRequested === true || row.identity !== 'none',
      found: matchingOf(row, asked, moment),
      // What is kept of a document that was reopened isn't there any more.
      ...(row.status.family === 'complete' && { completedAt: row.completedAt ?? 0 })
    })
  }
  return checks
}

/** A total order, so that nothing is left out between two pages. */
function inOrder(one: DocumentKey, two: DocumentKey): number {
  if (one.reference !== two.reference) return one.reference < two.reference ? -1 : 1
  if (one.accountId === two.accountId) return 0
  return one.accountId < two.accountId ? -1 : 1
}

/** Which of the queries find the row. */
export function matchingOf(row: IndexRow, queries: readonly NamedQuery[], moment: Moment): string[] {
  return queries.filter(({ query }) => finds(query, moment)(row)).map(({ id }) => id)
}

/** The rows that are meant: the documents that these indexes know, each once, or all that the query finds, in its order. */
export function* targetsOf(indexes: readonly DocumentIndex[], some: Some, moment: Moment): Sliced<readonly IndexRow[]> {
  if ('query' in some) return yield* inListOrder(indexes, some.query, moment)
  const rows = new Set<IndexRow>()
  for (const [index, { accountId, reference }] of some.documents.entries()) {
    if (index % PIECE === PIECE - 1) yield
    for (const index of indexes) {
      const row = index.get(reference)
      if (row?.accountId === accountId) rows.add(row)
    }
  }
  return [...rows]
}

/** Documents that haven't ended and are due on that day of the zone, `2026-11-22`; the first due first. */
export function dueOn(index: DocumentIndex, day: string, zone: string): Answer<'dueOn'> {
  const { columns, rowAt, rowIds } = index.inner
  const { conditions } = conditionsOf(DocumentQuery.parse({ dueOn: day, families: OPEN }), { now: 0, zone }, columns)
  const rows: IndexRow[] = []
  for (let rowId = 0; rowId < rowIds(); rowId++) {
    const row = rowAt(rowId)
    if (row && row.goneAt === undefined && conditions.every(({ holds }) => holds(rowId))) rows.push(row)
  }
  return rows.sort(nextDueFirst).map(({ reference, name }) => ({ reference, name }))
}

/** Who can sign at the counter now, next due first; with those, where they are asked for, who only lack a link. */
export function waitingHere(index: DocumentIndex, withoutLink?: true): CounterEntry[] {
  const isMeant = (signer: RowSigner) => signer.canSignHere || (withoutLink === true && signer.lacksLink === true)
  return index
    .rows()
    .filter((row) => row.goneAt === undefined && row.signers.some(isMeant))
    .sort(nextDueFirst)
    .flatMap((row) =>
      row.signers.flatMap((signer, index) =>
        isMeant(signer)
          ? [
              {
                documentReference: row.reference,
                documentName: row.name,
                signer: index,
                signerName: signer.name,
                person: signer.person ?? '',
                faceToFace: signer.faceToFace === true,
                mayNeedCamera: signer.mayNeedCamera === true,
                // Appointments are the counter's own, which lays them over.
                isToday: false,
                ...(signer.lacksLink && { withoutLink: true as const }),
                ...withoutBlanks({ due: dueOf(row) })
              }
            ]
          : []
      )
    )
}

function* inListOrder(
  indexes: readonly DocumentIndex[],
  query: DocumentQuery,
  moment: Moment
): Sliced<readonly IndexRow[]> {
  const rows = yield* foundRows(indexes, query, moment)
  return query.grouped ? (yield* grouped(rows)).flat() : rows
}

const nextDueFirst = rowOrder({ by: 'due', descending: false })

/** A document alone, or two and more of one package in the list's order. Its place is that of its first document. */
type Group = readonly IndexRow[]

/** How many documents a package is named after. */
const NAMED = 3
const PIECE_OF_GROUPS = 4096

const groupsOf = new WeakMap<readonly IndexRow[], readonly Group[]>()

/** The documents of a list by their packages; remembered for as long as the list is. */
function* grouped(rows: readonly IndexRow[]): Sliced<readonly Group[]> {
  const known = groupsOf.get(rows)
  if (known) return known
  const groups: IndexRow[][] = []
  const byPackage = new Map<string, Map<string, IndexRow[]>>()
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index] as IndexRow
    const group = groupOf(row, byPackage)
    if (group.push(row) === 1) groups.push(group)
    if (index % PIECE_OF_GROUPS === PIECE_OF_GROUPS - 1) yield
  }
  groupsOf.set(rows, groups)
  return groups
}

/** The group that a row belongs to; an empty one where it is the first, or has no package. */
function groupOf(
  { accountId, packageReference }: IndexRow,
  byPackage: Map<string, Map<string, IndexRow[]>>
): IndexRow[] {
  if (packageReference === undefined) return []
  const own = getOrMake(byPackage, accountId, () => new Map<string, IndexRow[]>())
  return getOrMake(own, packageReference, () => [])
}

/** A page of the lines: each document alone, each package, and the documents of those that are expanded. */
function groupedPage(
  groups: readonly Group[],
  { expanded, offset, limit }: Page
): { rows: FolderRow[]; total: number } {
  const open = new Set(expanded)
  const page: FolderRow[] = []
  let total = 0
  const end = offset + limit
  for (const group of groups) {
    const isExpanded = group.length > 1 && open.has(group[0]?.packageReference ?? '')
    const lines = 1 + (isExpanded ? group.length : 0)
    if (total < end && total + lines > offset) {
      const own = isExpanded ? [group, ...group.map((row) => [row])] : [group]
      own.forEach((line, index) => {
        if (total + index < offset || total + index >= end) return
        if (line.length > 1) page.push(packageRowOf(line, isExpanded))
        else page.push({ ...documentRowOf(line[0] as IndexRow), ...(index > 0 && { isInPackage: true }) })
      })
    }
    total += lines
  }
  return { rows: page, total }
}

function packageRowOf(rows: Group, isExpanded: boolean): PackageRow {
  const { accountId, packageReference } = rows[0] as IndexRow
  const names = rows.slice(0, NAMED).map(({ name }) => name)
  const more = rows.length - names.length
  const [due] = rows.flatMap((row) => dueOf(row) ?? []).sort((one, other) => one.at - other.at)
  return {
    kind: 'package',
    accountId,
    packageReference: packageReference as string,
    name: more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', '),
    documents: rows.length,
    complete: rows.filter(({ status }) => status.family === 'complete').length,
    unsaid: rows.filter(({ status }) => status.family === 'other' && !status.raw).length,
    unread: rows.filter(({ unread }) => unread).length,
    ...(due && { due }),
    isExpanded
  }
}
