/**
 * The rows of an index, sorted by each column. An order is built once, in slices; after that only changed rows are
 * removed and reinserted. While many rows change, an order may lag slightly behind.
 */
import { type DocumentColumn, type DocumentQuery, IDENTITY_STATES } from '../../../../shared/contract/index.ts'
import { matterOf } from '../../../../shared/matter.ts'
import type { Sliced } from '../../lib/slices.ts'
import { type Columns, copySortColumns, FLAG, type SortColumns } from './columns.ts'
import { textIn } from './packed-row.ts'

export type Sort = DocumentQuery['sort']
type Key = string | number | undefined
type Compare = (one: number, other: number) => number

const { compare: collate } = new Intl.Collator('en-GB', { numeric: true })
/** What needs attention first. */
const IDENTITY_ORDER: readonly string[] = ['failed', 'other', 'asked', 'partly', 'passed']
/** Each state's position in that list; undefined for states not in it. */
const IDENTITY_RANKS = IDENTITY_STATES.map((state) =>
  IDENTITY_ORDER.includes(state) ? IDENTITY_ORDER.indexOf(state) : undefined
)
/** How many slots are sorted, or rows inserted, between two pauses. */
const PIECE = 512
/** How often an order catches up with changes made meanwhile; the next caller continues. */
const MAX_CATCH_UPS = 2
/** Up to this many changed rows are inserted without a pause. */
const FEW = 1000

export interface OrderedRows {
  columns: Columns
  version: () => number
  /** The row ids changed after a version, possibly with repeats; undefined if that is too long ago. */
  changedSince: (version: number) => readonly number[] | undefined
}

export interface Order {
  rowIds: Uint32Array
  /** Version of the rows that it is for. */
  version: number
}

/** An order, with the sort values that it was built from. */
interface HeldOrder extends Order {
  held: SortColumns
}

export function openOrders({ columns, version, changedSince }: OrderedRows) {
  const orders = new Map<string, Order>()

  function* buildOrder({ by, descending }: Sort): Sliced<HeldOrder> {
    if (descending) {
      const ascending = yield* currentOrder({ by, descending: false })
      return { ...ascending, rowIds: reversed(ascending.rowIds, (rowId) => KEYS[by](ascending.held, rowId)) }
    }
    const byName = by === 'name' ? undefined : yield* currentOrder({ by: 'name', descending: false })
    const asOf = byName?.version ?? version()
    // Rows can change during pauses.
    const held = byName && byName.held !== columns ? byName.held : copySortColumns(columns)
    const rowIds =
      byName?.rowIds.slice() ?? Uint32Array.from(held.references.keys()).filter((rowId) => isIn(held, rowId))
    const keyOf = KEYS[by]
    const keys = new Array<Key>(held.references.length)
    for (let rowId = 0; rowId < held.references.length; rowId++) {
      if (isIn(held, rowId)) keys[rowId] = keyOf(held, rowId)
      if (rowId % PIECE === PIECE - 1) yield
    }
    const compare: Compare = byName
      ? (one, other) => compareKeys(keys[one], keys[other])
      : (one, other) => compareKeys(keys[one], keys[other]) || compareTies(held, one, held, other)
    return { rowIds: yield* mergeSorted(rowIds, compare), version: asOf, held }
  }

  function* updateOrder(order: Order, sort: Sort, changed: readonly number[]): Sliced<HeldOrder> {
    const asOf = version()
    // If there are pauses, rows may change during sorting.
    const held = changed.length > FEW ? copySortColumns(columns) : columns
    const compareRows = rowOrder(sort)
    const compare: Compare = (one, other) => compareRows(held, one, held, other)
    const isChanged = new Uint8Array(columns.references.length)
    for (const rowId of changed) isChanged[rowId] = 1
    const unchanged = unmarked(order.rowIds, isChanged)
    const fresh = yield* mergeSorted(
      Uint32Array.from(new Set(changed)).filter((rowId) => isIn(held, rowId)),
      compare
    )
    const rowIds = new Uint32Array(unchanged.length + fresh.length)
    let taken = 0
    for (let index = 0; index < fresh.length; index++) {
      const rowId = fresh[index] as number
      const until = insertionIndex(unchanged, rowId, compare, taken)
      rowIds.set(unchanged.subarray(taken, until), taken + index)
      rowIds[until + index] = rowId
      taken = until
      if (changed.length > FEW && index % PIECE === PIECE - 1) yield
    }
    rowIds.set(unchanged.subarray(taken), taken + fresh.length)
    return { rowIds, version: asOf, held }
  }

  /** Returns the current order or, if rows keep changing while others are inserted, a slightly stale one. */
  function* currentOrder(sort: Sort): Sliced<HeldOrder> {
    const name = keyOf(sort)
    let newest: HeldOrder | undefined
    for (let round = 0; round < MAX_CATCH_UPS || !newest; round++) {
      const known = orders.get(name)
      if (known?.version === version()) return { ...known, held: columns }
      const changed = known && changedSince(known.version)
      const isNew = !known || !changed || changed.length > known.rowIds.length / 4
      newest = yield* isNew ? buildOrder(sort) : updateOrder(known, sort, changed)
      const { rowIds, version: asOf } = newest
      if (asOf >= (orders.get(name)?.version ?? 0)) orders.set(name, { rowIds, version: asOf })
    }
    return newest
  }

  /**
   * While rows keep changing, returns the known, stale order instead of waiting for it to catch up; a call after the
   * changes catches up.
   */
  function* orderOf(sort: Sort): Sliced<Order> {
    const began = version()
    const building = currentOrder(sort)
    let step = building.next()
    while (!step.done) {
      yield
      const known = orders.get(keyOf(sort))
      if (known && version() !== began) return known
      step = building.next()
    }
    return step.value
  }

  return orderOf
}

function keyOf({ by, descending }: Sort): string {
  return `${by} ${descending}`
}

function isIn({ flags }: SortColumns, rowId: number): boolean {
  return ((flags[rowId] as number) & FLAG.there) !== 0
}

/**
 * Returns a column's sort keys and comparison, for callers that read each row's key once. Rows without a value come
 * last.
 */
export function keyOrder({ by, descending }: Sort) {
  return {
    keyOf: KEYS[by],
    compareKeys(one: Key, other: Key): number {
      const order = compareKeys(one, other)
      return descending && one !== undefined && other !== undefined ? -order : order
    },
    compareTies
  }
}

/**
 * Compares two rows, of the same or different indexes: by column, then name, reference and account. Rows without a
 * value come last.
 */
export function rowOrder(sort: Sort) {
  const order = keyOrder(sort)
  return (one: SortColumns, rowId: number, other: SortColumns, otherId: number): number =>
    order.compareKeys(order.keyOf(one, rowId), order.keyOf(other, otherId)) || compareTies(one, rowId, other, otherId)
}

/** Each column's sort key; undefined if the row has no value. */
const KEYS: Record<DocumentColumn, (rows: SortColumns, rowId: number) => Key> = {
  name: nameOf,
  package: (rows, rowId) => rows.packageReferences[rows.package[rowId] as number],
  signers: ({ texts }, rowId) => textIn(texts[rowId] as string, 'signers') || undefined,
  status: (rows, rowId) => (rows.family[rowId] as number) + (shareOf(rows, rowId) ?? 0) / 2,
  progress: shareOf,
  due: ({ dueAt }, rowId) => numberOrUndefined(dueAt[rowId] as number),
  lastSigned: ({ lastSignedAt }, rowId) => numberOrUndefined(lastSignedAt[rowId] as number),
  folder: (rows, rowId) => rows.folders[rows.folder[rowId] as number],
  matter: ({ texts }, rowId) => {
    const text = texts[rowId] as string
    return matterOf({ matterNumber: textIn(text, 'matterNumber'), clientReference: textIn(text, 'clientReference') })
  },
  reference: ({ references }, rowId) => references[rowId],
  clientReference: ({ texts }, rowId) => textIn(texts[rowId] as string, 'clientReference') || undefined,
  formReference: ({ texts }, rowId) => textIn(texts[rowId] as string, 'formDirectReference') || undefined,
  identity: ({ identity }, rowId) => IDENTITY_RANKS[identity[rowId] as number],
  changed: ({ changedAt }, rowId) => changedAt[rowId]
}

function nameOf({ texts }: SortColumns, rowId: number): string {
  return textIn(texts[rowId] as string, 'name')
}

/** Undefined if nobody has to sign, or it isn't known who has. */
function shareOf({ signed, of }: SortColumns, rowId: number): number | undefined {
  const share = numberOrUndefined((signed[rowId] as number) / (of[rowId] as number))
  return share === undefined ? share : Math.min(1, share)
}

function numberOrUndefined(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value
}

function compareKeys(one: Key, other: Key): number {
  if (one === other) return 0
  if (one === undefined) return 1
  if (other === undefined) return -1
  return typeof one === 'string' ? collate(one, other as string) : one - (other as number)
}

function compareTies(one: SortColumns, rowId: number, other: SortColumns, otherId: number): number {
  const [reference, otherReference] = [one.references[rowId] as string, other.references[otherId] as string]
  return (
    compareKeys(nameOf(one, rowId), nameOf(other, otherId)) ||
    compareKeys(reference, otherReference) ||
    compareCodeUnits(reference, otherReference) ||
    compareCodeUnits(one.accountId, other.accountId)
  )
}

/** For texts that the collator considers equal. */
function compareCodeUnits(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

function unmarked(rowIds: Uint32Array, isMarked: Uint8Array): Uint32Array {
  const rest = new Uint32Array(rowIds.length)
  let count = 0
  for (let index = 0; index < rowIds.length; index++) {
    const rowId = rowIds[index] as number
    if (isMarked[rowId] === 0) rest[count++] = rowId
  }
  return rest.subarray(0, count)
}

/** Stable merge sort. */
function* mergeSorted(rowIds: Uint32Array<ArrayBuffer>, compare: Compare): Sliced<Uint32Array<ArrayBuffer>> {
  for (let begin = 0; begin < rowIds.length; begin += PIECE) {
    rowIds.subarray(begin, begin + PIECE).sort(compare)
    if (rowIds.length > FEW) yield
  }
  let from = rowIds
  let to = new Uint32Array(rowIds.length)
  for (let width = PIECE; width < rowIds.length; width *= 2) {
    for (let begin = 0; begin < rowIds.length; begin += 2 * width) {
      const middle = Math.min(begin + width, rowIds.length)
      const end = Math.min(begin + 2 * width, rowIds.length)
      let left = begin
      let right = middle
      for (let index = begin; index < end; index++) {
        const takesLeft = right >= end || (left < middle && compare(from[left] as number, from[right] as number) <= 0)
        to[index] = from[takesLeft ? left++ : right++] as number
        if (rowIds.length > FEW && index % PIECE === 0) yield
      }
    }
    ;[from, to] = [to, from]
  }
  return from
}

/** Reverses an order, except that ties keep their order and rows without a value stay last. */
function reversed(rowIds: Uint32Array, keyAt: (rowId: number) => Key): Uint32Array {
  const result = new Uint32Array(rowIds.length)
  let valued = rowIds.length
  while (valued > 0 && keyAt(rowIds[valued - 1] as number) === undefined) valued--
  result.set(rowIds.subarray(valued), valued)
  let written = 0
  let end = valued
  for (let index = valued - 1; index >= 0; index--) {
    const isFirst = index === 0 || compareKeys(keyAt(rowIds[index - 1] as number), keyAt(rowIds[index] as number)) !== 0
    if (!isFirst) continue
    result.set(rowIds.subarray(index, end), written)
    written += end - index
    end = index
  }
  return result
}

/** Binary search for a row's position in a sorted list, starting at `from`. */
function insertionIndex(rowIds: Uint32Array, rowId: number, compare: Compare, from: number): number {
  let low = from
  let high = rowIds.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(rowIds[middle] as number, rowId) <= 0) low = middle + 1
    else high = middle
  }
  return low
}
