/**
 * The rows that a query finds, in its order. What was found is kept until the rows change or time changes an answer, and
 * a search that narrows an earlier one looks only at what that one found.
 */
import type { DocumentQuery } from '../../../../shared/contract/index.ts'
import { getOrMake } from '../../lib/objects.ts'
import type { Sliced } from '../../lib/slices.ts'
import { wordsOf } from '../../lib/text-folding.ts'
import type { Moment } from '../questions.ts'
import { type Condition, conditionsOf, isSearched, type Presence, presenceOf } from './conditions.ts'
import type { DocumentIndex } from './document-index.ts'
import { rowOrder } from './order.ts'
import type { IndexRow } from './row.ts'
import { has, mark, type RowSet } from './text-index.ts'

/** How many searches, and how many results, are kept of an index. */
const KEPT = 12
const PIECE = 8192
/** So many changed rows are looked at one by one, rather than all rows. */
const FEW = 1000

/** A set of rows that holds for a version of its index and a stretch of time. */
interface Found {
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

/** Rows in their order; as good as what they were made from is the newest. */
interface Result {
  from: readonly unknown[]
  rows: readonly IndexRow[]
}

interface Kept {
  found: Map<string, Found>
  results: Map<string, Result>
  searches: Search[]
}

const keptOf = new WeakMap<DocumentIndex, Kept>()

/** The rows that a query finds on these indexes, in its order; the list isn't to be changed. */
export function* foundRows(
  indexes: readonly DocumentIndex[],
  query: DocumentQuery,
  moment: Moment
): Sliced<readonly IndexRow[]> {
  const [first, ...others] = new Set(indexes)
  if (!first) return []
  const own = [yield* orderedRows(first, query, moment)]
  for (const index of others) own.push(yield* orderedRows(index, query, moment))
  if (own.length === 1) return own[0] as readonly IndexRow[]
  const { results } = kept(first)
  const before = results.get('of several indexes')
  if (before && isSame(before.from, own)) return before.rows
  const compare = rowOrder(query.sort)
  let rows = own[0] as readonly IndexRow[]
  for (const more of own.slice(1)) rows = yield* mergedRows(rows, more, compare)
  keep(results, 'of several indexes', { from: own, rows })
  return rows
}

/** How many rows a query finds on these indexes. */
export function countFound(indexes: readonly DocumentIndex[], query: DocumentQuery, moment: Moment): number {
  return [...new Set(indexes)].reduce((count, index) => count + found(index, query, moment).count, 0)
}

function* orderedRows(index: DocumentIndex, query: DocumentQuery, moment: Moment): Sliced<readonly IndexRow[]> {
  const order = yield* index.inner.orders(query.sort)
  // From here on without a pause: what is found is of now, and so are the rows, though their order may be a little older.
  const { results } = kept(index)
  const now = found(index, query, moment)
  const key = `${keyOf(query, moment)} ${query.sort.by} ${query.sort.descending}`
  const before = results.get(key)
  if (before && isSame(before.from, [now, order.rowIds])) return before.rows
  const rows = new Array<IndexRow>(now.count)
  let count = 0
  for (let at = 0; count < now.count && at < order.rowIds.length; at++) {
    const rowId = order.rowIds[at] as number
    if (has(now.rows, rowId)) rows[count++] = rowAt(index, rowId)
  }
  if (count < now.count) addNewcomers(index, rows, count, now.rows, order.rowIds)
  keep(results, key, { from: [now, order.rowIds], rows })
  return rows
}

/** Rows that came since their order was made stand behind the others until it is followed. */
function addNewcomers(index: DocumentIndex, rows: IndexRow[], count: number, found: RowSet, order: Uint32Array): void {
  const left = found.slice()
  for (const rowId of order) if (has(found, rowId)) mark(left, rowId, false)
  let end = count
  for (const rowId of rowIdsIn(left)) rows[end++] = rowAt(index, rowId)
}

function found(index: DocumentIndex, query: DocumentQuery, moment: Moment): Found {
  const own = kept(index)
  const version = index.version()
  const key = keyOf(query, moment)
  const before = own.found.get(key)
  const isStillTrue = before && moment.now >= before.from && moment.now < before.until
  if (isStillTrue && before.version === version) return before
  const changed = isStillTrue ? fewChanged(index, before.version) : undefined
  const now = before && changed ? updated(index, before, changed, query, moment) : filter(index, query, moment)
  keep(own.found, key, now)
  return now
}

/** What was found before, with the few rows that changed since looked at again. */
function updated(
  index: DocumentIndex,
  before: Found,
  changed: readonly number[],
  query: DocumentQuery,
  moment: Moment
): Found {
  const rows = index.inner.none()
  rows.set(before.rows)
  const { conditions } = conditionsOf(query, moment, index.inner.columns)
  const words = wordsOf(query.search)
  const presence = presenceOf(query)
  const result: Found = { ...before, version: index.version(), rows }
  for (const rowId of new Set(changed)) {
    const row = index.inner.rowAt(rowId)
    const wasIn = has(rows, rowId)
    const isIn = row !== undefined && isSearched(row, words, presence) && conditions.every(({ holds }) => holds(rowId))
    mark(rows, rowId, isIn)
    result.count += Number(isIn) - Number(wasIn)
    for (const { turnsAt } of conditions) if (turnsAt) result.until = sooner(result.until, turnsAt(rowId), moment)
  }
  return result
}

/** The row ids that changed since, where they are few. */
function fewChanged(index: DocumentIndex, version: number): readonly number[] | undefined {
  const changed = index.inner.changedSince(version)
  return changed && changed.length <= FEW ? changed : undefined
}

function sooner(until: number, at: number, { now }: Moment): number {
  return at > now && at < until ? at : until
}

function filter(index: DocumentIndex, query: DocumentQuery, moment: Moment): Found {
  const { conditions, until } = conditionsOf(query, moment, index.inner.columns)
  const candidates = searched(index, wordsOf(query.search), presenceOf(query))
  const rows = candidates.slice()
  // Anyone who isn't in the text at all isn't among its people.
  const person = wordsOf(query.signer ?? '').filter((word) => !index.inner.text.narrow(rows, word))
  if (person.length > 0) index.inner.text.filter(rows, person)
  const timed = conditions.flatMap(({ turnsAt }) => (turnsAt ? [turnsAt] : []))
  const result: Found = { version: index.version(), from: moment.now, until, rows, count: 0 }
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

/** The rows that hold all words, of those in a folder, of those that left, or of both; not to be changed. */
function searched(index: DocumentIndex, words: readonly string[], presence: Presence): RowSet {
  if (words.length === 0) return index.inner.all(presence)
  const own = kept(index)
  const version = index.version()
  own.searches = own.searches.flatMap((search) => updatedSearch(index, search) ?? [])
  const earlier = own.searches
    .filter((search) => search.presence === presence && search.words.every((word) => isIn(word, words)))
    .sort((one, other) => other.words.join('').length - one.words.join('').length)[0]
  if (earlier && words.every((word) => earlier.words.includes(word))) return earlier.rows
  const rows = earlier ? earlier.rows.slice() : index.inner.all(presence)
  const unread = words.filter((word) => !earlier?.words.includes(word) && !index.inner.text.narrow(rows, word))
  // The longest is likely the rarest: where it is missing the others aren't looked for.
  if (unread.length > 0)
    index.inner.text.filter(
      rows,
      unread.toSorted((one, other) => other.length - one.length)
    )
  own.searches = [{ version, presence, words, rows }, ...own.searches].slice(0, KEPT)
  return rows
}

/** An earlier search, made true for the rows of now; undefined if too many changed. */
function updatedSearch(index: DocumentIndex, search: Search): Search | undefined {
  const changed = fewChanged(index, search.version)
  if (!changed || changed.length === 0) return changed && search
  const rows = index.inner.none()
  rows.set(search.rows)
  for (const rowId of changed) {
    const row = index.inner.rowAt(rowId)
    mark(rows, rowId, row !== undefined && isSearched(row, search.words, search.presence))
  }
  return { ...search, version: index.version(), rows }
}

/** Whether what holds all of `words` holds this one, too. */
function isIn(word: string, words: readonly string[]): boolean {
  return words.some((longer) => longer.includes(word))
}

function* mergedRows(
  one: readonly IndexRow[],
  other: readonly IndexRow[],
  compare: (one: IndexRow, other: IndexRow) => number
): Sliced<IndexRow[]> {
  const rows: IndexRow[] = []
  let left = 0
  let right = 0
  while (left < one.length && right < other.length) {
    const takesLeft = compare(one[left] as IndexRow, other[right] as IndexRow) <= 0
    rows.push((takesLeft ? one[left++] : other[right++]) as IndexRow)
    if (rows.length % PIECE === 0) yield
  }
  return rows.concat(one.slice(left), other.slice(right))
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

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index])
}

function rowAt(index: DocumentIndex, rowId: number): IndexRow {
  return index.inner.rowAt(rowId) as IndexRow
}

/** The query without what only orders and groups. */
function keyOf(
  { sort: _sort, grouped: _grouped, accounts: _accounts, ...rest }: DocumentQuery,
  { zone }: Moment
): string {
  return JSON.stringify([rest, zone])
}

function kept(index: DocumentIndex): Kept {
  return getOrMake(keptOf, index, () => ({ found: new Map(), results: new Map(), searches: [] }))
}

/** Keeps the newest few. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > KEPT && oldest !== undefined) map.delete(oldest)
}
