/** A list of documents with those of one package together, under a line of their own where there is more than one. */
import type { FolderRow, PackageRow } from '../../../../shared/contract/index.ts'
import { getOrMake } from '../../lib/maps.ts'
import type { Sliced } from '../../lib/slices.ts'
import { documentRowOf, dueOf, type IndexRow } from './row.ts'

/** A document alone, or two and more of one package in the list's order. Its place is that of its first document. */
export type Group = readonly IndexRow[]

/** How many documents a package is named after. */
const NAMED = 3
const PIECE = 4096

const groupsOf = new WeakMap<readonly IndexRow[], readonly Group[]>()

/** The documents of a list by their packages; remembered for as long as the list is. */
export function* grouped(rows: readonly IndexRow[]): Sliced<readonly Group[]> {
  const known = groupsOf.get(rows)
  if (known) return known
  const groups: IndexRow[][] = []
  const byPackage = new Map<string, Map<string, IndexRow[]>>()
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index] as IndexRow
    const group = groupOf(row, byPackage)
    if (group.push(row) === 1) groups.push(group)
    if (index % PIECE === PIECE - 1) yield
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
export function groupedPage(
  groups: readonly Group[],
  { expanded, offset, limit }: { expanded: readonly string[]; offset: number; limit: number }
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
    unread: rows.filter(({ unread }) => unread).length,
    ...(due && { due }),
    isExpanded
  }
}
