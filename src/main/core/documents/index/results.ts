/**
 * The rows that a query finds, in its order. Results are cached until the rows change or time changes them, and a
 * search that narrows an earlier one checks only the earlier results.
 */
import type { DocumentQuery } from '../../../../shared/contract/index.ts'
import { getOrMake } from '../../lib/objects.ts'
import type { Sliced } from '../../lib/slices.ts'
import { wordsOf } from '../../lib/text-folding.ts'
import type { DocumentKey, Moment } from '../questions.ts'
import { type Columns, FLAG } from './columns.ts'
import { type Condition, conditionsOf, matchesSearch, type Presence, presenceOf } from './conditions.ts'
import type { DocumentIndex } from './document-index.ts'
import { keyOrder, rowOrder, type Sort } from './order.ts'
import type { IndexRow } from './row.ts'
import { has, mark, type RowSet } from './text-index.ts'

/** How many searches, and how many results, are cached per index. */
const CACHED_PER_INDEX = 12
/** The same for merged results, which are as large as all of their parts. */
const CACHED_MERGED = 3
const PIECE = 8192
/** Up to this many changed rows are checked individually instead of all rows. */
const FEW = 1000

/** A set of rows, valid for a version of its index and a period of time. */
interface MatchingRows {
  version: number
  from: number
  until: number
  rows: RowSet
  count: number
}

interface Search {
  version: number
  presence: Presence
  words: readonly string[]
  rows: RowSet
}

/** Rows in order; valid as long as `from`, the inputs that they were made from, is current. */
interface Result {
  from: readonly unknown[]
  rows: RowList
}

/** Rows of one or several indexes in order, by id. Each row is built on request, in its current state. */
export class RowList {
  readonly indexes: readonly DocumentIndex[]
  readonly rowIds: Uint32Array
  /** Each row's index, as a position in `indexes`; absent if there is only one. */
  readonly places: Uint16Array | undefined
  /** The version of each index that the row ids are of. */
  readonly versions: readonly number[]

  constructor(
    indexes: readonly DocumentIndex[],
    versions: readonly number[],
    rowIds: Uint32Array,
    places?: Uint16Array
  ) {
    this.indexes = indexes
    this.versions = versions
    this.rowIds = rowIds
    this.places = places
  }

  get length(): number {
    return this.rowIds.length
  }

  indexAt(at: number): DocumentIndex {
    return this.indexes[this.places?.[at] ?? 0] as DocumentIndex
  }

  keyAt(at: number): DocumentKey {
    const { columns } = this.indexAt(at).inner
    return { accountId: columns.accountId, reference: columns.references[this.rowIds[at] as number] as string }
  }

  /** Undefined if the row no longer exists. */
  at(at: number): IndexRow | undefined {
    const { isSameSince, rowAt } = this.indexAt(at).inner
    const rowId = this.rowIds[at] as number
    return isSameSince(rowId, this.versions[this.places?.[at] ?? 0] as number) ? rowAt(rowId) : undefined
  }

  /** Returns those rows of a range that still exist. */
  slice(from: number, to: number): IndexRow[] {
    const rows: IndexRow[] = []
    for (let at = from; at < Math.min(to, this.length); at++) {
      const row = this.at(at)
      if (row) rows.push(row)
    }
    return rows
  }
}

interface IndexCache {
  /** This index merged with others. */
  merged: Map<string, Result>
  found: Map<string, MatchingRows>
  results: Map<string, Result>
  searches: Search[]
}

const caches = new WeakMap<DocumentIndex, IndexCache>()

/** Returns the rows that a query finds in these indexes, in its order; the list must not be changed. */
export function* foundRows(indexes: readonly DocumentIndex[], query: DocumentQuery, moment: Moment): Sliced<RowList> {
  const [first, ...others] = new Set(indexes)
  if (!first) return new RowList([], [], new Uint32Array())
  const lists = [yield* orderedRows(first, query, moment)]
  for (const index of others) lists.push(yield* orderedRows(index, query, moment))
  if (lists.length === 1) return lists[0] as RowList
  const { merged } = cacheOf(first)
  const key = orderedKey(query, moment)
  const before = merged.get(key)
  if (before && haveSameItems(before.from, lists)) return before.rows
  const rows = (before && updatedMerge(before.rows, lists, query.sort)) ?? (yield* fullMerge(lists, query.sort))
  cacheValue(merged, key, { from: lists, rows }, CACHED_MERGED)
  return rows
}

function* fullMerge(lists: readonly RowList[], sort: Sort): Sliced<RowList> {
  let rows = lists[0] as RowList
  for (const more of lists.slice(1)) rows = yield* mergedRows(rows, more, sort)
  return rows
}

/** Updates a merged list by reinserting the few rows that changed since; undefined if other rows moved too. */
function updatedMerge(before: RowList, own: readonly RowList[], sort: Sort): RowList | undefined {
  if (before.indexes.length !== own.length) return undefined
  const isChanged: Uint8Array[] = []
  for (const [place, { indexes }] of own.entries()) {
    const [index] = indexes as [DocumentIndex]
    const changed = before.indexes[place] === index ? fewChanged(index, before.versions[place] as number) : undefined
    if (!changed) return undefined
    const marks = new Uint8Array(index.inner.rowIdLimit())
    for (const rowId of changed) marks[rowId] = 1
    isChanged.push(marks)
  }
  const rest = unchangedRows(before, own, isChanged)
  if (!rest) return undefined
  const compare = rowOrder(sort)
  const columnsAt = own.map(({ indexes: [index] }) => (index as DocumentIndex).inner.columns)
  const fresh = own.flatMap(({ rowIds }, place) => {
    const marks = isChanged[place] as Uint8Array
    return Array.from(
      rowIds.filter((rowId) => marks[rowId] === 1),
      (rowId) => ({ rowId, place })
    )
  })
  type Row = (typeof fresh)[number]
  const inOrder = (one: Row, other: Row) =>
    compare(columnsAt[one.place] as Columns, one.rowId, columnsAt[other.place] as Columns, other.rowId)
  const rowIds = new Uint32Array(rest.rowIds.length + fresh.length)
  const places = new Uint16Array(rowIds.length)
  let taken = 0
  for (const [at, row] of fresh.sort(inOrder).entries()) {
    let low = taken
    let high = rest.rowIds.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const other = { rowId: rest.rowIds[middle] as number, place: rest.places[middle] as number }
      if (inOrder(other, row) <= 0) low = middle + 1
      else high = middle
    }
    rowIds.set(rest.rowIds.subarray(taken, low), taken + at)
    places.set(rest.places.subarray(taken, low), taken + at)
    rowIds[low + at] = row.rowId
    places[low + at] = row.place
    taken = low
  }
  rowIds.set(rest.rowIds.subarray(taken), taken + fresh.length)
  places.set(rest.places.subarray(taken), taken + fresh.length)
  return new RowList(
    before.indexes,
    own.flatMap((list) => list.versions),
    rowIds,
    places
  )
}

/**
 * Returns the unchanged rows as previously merged; undefined if they differ now, or their order among themselves does.
 */
function unchangedRows(
  before: RowList,
  own: readonly RowList[],
  isChanged: readonly Uint8Array[]
): { rowIds: Uint32Array; places: Uint16Array } | undefined {
  const rowIds = new Uint32Array(before.length)
  const places = new Uint16Array(before.length)
  const cursors = own.map(() => 0)
  const nextOf = (place: number): number | undefined => {
    const list = (own[place] as RowList).rowIds
    const marks = isChanged[place] as Uint8Array
    let cursor = cursors[place] as number
    while (cursor < list.length && marks[list[cursor] as number] === 1) cursor++
    cursors[place] = cursor + 1
    return list[cursor]
  }
  let count = 0
  for (let at = 0; at < before.length; at++) {
    const place = before.places?.[at] ?? 0
    const rowId = before.rowIds[at] as number
    if (isChanged[place]?.[rowId] === 1) continue
    if (nextOf(place) !== rowId) return undefined
    rowIds[count] = rowId
    places[count++] = place
  }
  if (own.some((_, place) => nextOf(place) !== undefined)) return undefined
  return { rowIds: rowIds.subarray(0, count), places: places.subarray(0, count) }
}

export function countFound(indexes: readonly DocumentIndex[], query: DocumentQuery, moment: Moment): number {
  return [...new Set(indexes)].reduce((count, index) => count + matchingRows(index, query, moment).count, 0)
}

function* orderedRows(index: DocumentIndex, query: DocumentQuery, moment: Moment): Sliced<RowList> {
  const order = yield* index.inner.orders(query.sort)
  // No pauses from here on: the set and the rows are current, though their order may be slightly stale.
  const { results } = cacheOf(index)
  const current = matchingRows(index, query, moment)
  const key = orderedKey(query, moment)
  const before = results.get(key)
  if (before && haveSameItems(before.from, [current, order.rowIds])) return before.rows
  const rowIds = new Uint32Array(current.count)
  let count = 0
  for (let at = 0; count < current.count && at < order.rowIds.length; at++) {
    const rowId = order.rowIds[at] as number
    if (has(current.rows, rowId)) rowIds[count++] = rowId
  }
  if (count < current.count) addNewcomers(rowIds, count, current.rows, order.rowIds)
  const rows = new RowList([index], [current.version], rowIds)
  cacheValue(results, key, { from: [current, order.rowIds], rows })
  return rows
}

/** Rows newer than the order come last until the order catches up. */
function addNewcomers(rowIds: Uint32Array, count: number, found: RowSet, order: Uint32Array): void {
  const remaining = found.slice()
  for (const rowId of order) if (has(found, rowId)) mark(remaining, rowId, false)
  let end = count
  for (const rowId of rowIdsIn(remaining)) rowIds[end++] = rowId
}

function matchingRows(index: DocumentIndex, query: DocumentQuery, moment: Moment): MatchingRows {
  const cache = cacheOf(index)
  const version = index.version()
  const key = cacheKey(query, moment)
  const before = cache.found.get(key)
  const isStillValid = before && moment.now >= before.from && moment.now < before.until
  if (isStillValid && before.version === version) return before
  const changed = isStillValid ? fewChanged(index, before.version) : undefined
  const current =
    before && changed ? updatedMatches(index, before, changed, query, moment) : filter(index, query, moment)
  cacheValue(cache.found, key, current)
  return current
}

/** Updates a result by rechecking the few rows that changed since. */
function updatedMatches(
  index: DocumentIndex,
  before: MatchingRows,
  changed: readonly number[],
  query: DocumentQuery,
  moment: Moment
): MatchingRows {
  const rows = index.inner.emptyRows()
  rows.set(before.rows)
  const { columns, text } = index.inner
  const { conditions } = conditionsOf(query, moment, columns, text.textOf)
  const words = wordsOf(query.search)
  const presence = presenceOf(query)
  const result: MatchingRows = { ...before, version: index.version(), rows }
  for (const rowId of new Set(changed)) {
    const wasIn = has(rows, rowId)
    const isIn = isCandidate(index, rowId, words, presence) && conditions.every(({ holds }) => holds(rowId))
    mark(rows, rowId, isIn)
    result.count += Number(isIn) - Number(wasIn)
    for (const { changesAt } of conditions) if (changesAt) result.until = sooner(result.until, changesAt(rowId), moment)
  }
  return result
}

function isCandidate(
  { inner: { columns, text } }: DocumentIndex,
  rowId: number,
  words: readonly string[],
  presence: Presence
): boolean {
  const flags = columns.flags[rowId] as number
  return (flags & FLAG.there) !== 0 && matchesSearch((flags & FLAG.gone) !== 0, text.textOf(rowId), words, presence)
}

/** Returns the row ids changed since a version, if there are few. */
function fewChanged(index: DocumentIndex, version: number): readonly number[] | undefined {
  const changed = index.inner.changedSince(version)
  return changed && changed.length <= FEW ? changed : undefined
}

function sooner(until: number, at: number, { now }: Moment): number {
  return at > now && at < until ? at : until
}

function filter(index: DocumentIndex, query: DocumentQuery, moment: Moment): MatchingRows {
  const { conditions, until } = conditionsOf(query, moment, index.inner.columns, index.inner.text.textOf)
  const candidates = searchRows(index, wordsOf(query.search), presenceOf(query))
  const rows = candidates.slice()
  // If a name isn't in the whole text, it isn't among its people either.
  const person = wordsOf(query.signer ?? '').filter((word) => !index.inner.text.narrow(rows, word))
  if (person.length > 0) index.inner.text.filter(rows, person)
  const timed = conditions.flatMap(({ changesAt }) => (changesAt ? [changesAt] : []))
  const result: MatchingRows = { version: index.version(), from: moment.now, until, rows, count: 0 }
  for (let word = 0; word < rows.length; word++) {
    let bits = rows[word] as number
    for (let left = conditions.length > 0 ? bits : 0; left !== 0; left &= left - 1) {
      const lowest = left & -left
      const rowId = (word << 5) + 31 - Math.clz32(lowest)
      for (const turnsAt of timed) result.until = sooner(result.until, turnsAt(rowId), moment)
      for (let index = 0; index < conditions.length; index++) {
        if ((conditions[index] as Condition).holds(rowId)) continue
        bits &= ~lowest
        break
      }
    }
    rows[word] = bits
    result.count += bitsIn(bits)
  }
  return result
}

/** Returns the rows with the given presence that contain all words; must not be changed. */
function searchRows(index: DocumentIndex, words: readonly string[], presence: Presence): RowSet {
  if (words.length === 0) return index.inner.all(presence)
  const cache = cacheOf(index)
  const version = index.version()
  cache.searches = cache.searches.flatMap((search) => updatedSearch(index, search) ?? [])
  const earlier = cache.searches
    .filter((search) => search.presence === presence && search.words.every((word) => isPartOfAny(word, words)))
    .sort((one, other) => other.words.join('').length - one.words.join('').length)[0]
  if (earlier && words.every((word) => earlier.words.includes(word))) return earlier.rows
  const rows = earlier ? earlier.rows.slice() : index.inner.all(presence)
  const unresolvedWords = words.filter((word) => !earlier?.words.includes(word) && !index.inner.text.narrow(rows, word))
  // The longest word is likely the rarest: if it is missing, the others needn't be looked for.
  if (unresolvedWords.length > 0)
    index.inner.text.filter(
      rows,
      unresolvedWords.toSorted((one, other) => other.length - one.length)
    )
  cache.searches = [{ version, presence, words, rows }, ...cache.searches].slice(0, CACHED_PER_INDEX)
  return rows
}

/** Brings an earlier search up to date; undefined if too many rows changed. */
function updatedSearch(index: DocumentIndex, search: Search): Search | undefined {
  const changed = fewChanged(index, search.version)
  if (!changed || changed.length === 0) return changed && search
  const rows = index.inner.emptyRows()
  rows.set(search.rows)
  for (const rowId of changed) mark(rows, rowId, isCandidate(index, rowId, search.words, search.presence))
  return { ...search, version: index.version(), rows }
}

/** Whether any text that contains all of `words` contains this word too. */
function isPartOfAny(word: string, words: readonly string[]): boolean {
  return words.some((longer) => longer.includes(word))
}

/** Merges two lists; the second has one index. Each sort key is read once. */
function* mergedRows(one: RowList, other: RowList, sort: Sort): Sliced<RowList> {
  const { keyOf: sortKeyOf, compareKeys, compareTies } = keyOrder(sort)
  const [index] = other.indexes as [DocumentIndex]
  const { columns } = index.inner
  const leftKey = (at: number) =>
    at < one.length ? sortKeyOf(one.indexAt(at).inner.columns, one.rowIds[at] as number) : undefined
  const rightKey = (at: number) => (at < other.length ? sortKeyOf(columns, other.rowIds[at] as number) : undefined)
  const count = one.length + other.length
  const rowIds = new Uint32Array(count)
  const places = new Uint16Array(count)
  let left = 0
  let right = 0
  let [key, otherKey] = [leftKey(left), rightKey(right)]
  for (let at = 0; at < count; at++) {
    if (at % PIECE === PIECE - 1) yield
    const takesLeft =
      right >= other.length ||
      (left < one.length &&
        (compareKeys(key, otherKey) ||
          compareTies(
            one.indexAt(left).inner.columns,
            one.rowIds[left] as number,
            columns,
            other.rowIds[right] as number
          )) <= 0)
    places[at] = takesLeft ? (one.places?.[left] ?? 0) : one.indexes.length
    rowIds[at] = (takesLeft ? one.rowIds[left++] : other.rowIds[right++]) as number
    if (takesLeft) key = leftKey(left)
    else otherKey = rightKey(right)
  }
  return new RowList([...one.indexes, index], [...one.versions, ...other.versions], rowIds, places)
}

function* rowIdsIn(rows: RowSet): Generator<number> {
  for (let word = 0; word < rows.length; word++) {
    for (let left = rows[word] as number; left !== 0; left &= left - 1)
      yield (word << 5) + 31 - Math.clz32(left & -left)
  }
}

function bitsIn(bits: number): number {
  let count = 0
  for (let left = bits; left !== 0; left &= left - 1) count++
  return count
}

function haveSameItems(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index])
}

/** Ignores what only affects order and grouping. */
function cacheKey(
  { sort: _sort, grouped: _grouped, accounts: _accounts, ...rest }: DocumentQuery,
  { zone }: Moment
): string {
  return JSON.stringify([rest, zone])
}

function orderedKey(query: DocumentQuery, moment: Moment): string {
  return `${cacheKey(query, moment)} ${query.sort.by} ${query.sort.descending}`
}

function cacheOf(index: DocumentIndex): IndexCache {
  return getOrMake(caches, index, () => ({ merged: new Map(), found: new Map(), results: new Map(), searches: [] }))
}

/** Caches a value and evicts the oldest. */
function cacheValue<Value>(map: Map<string, Value>, key: string, value: Value, limit = CACHED_PER_INDEX): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > limit && oldest !== undefined) map.delete(oldest)
}
