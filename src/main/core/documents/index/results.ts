/**
 * The rows that a query finds, in its order. What was found is kept until the rows change or time changes an answer, and
 * a search that narrows an earlier one looks only at what that one found.
 */
import type { DocumentQuery } from '../../../../shared/contract/index.ts'
import type { Sliced } from '../../lib/slices.ts'
import { wordsOf } from '../../lib/text-folding.ts'
import { type Condition, conditionsOf, finds, isPresent, type Moment, type Presence, presenceOf } from './conditions.ts'
import type { Board } from './document-index.ts'
import { rowOrder } from './order.ts'
import type { BoardRow } from './row.ts'
import { has, mark, type RowSet } from './row-sets.ts'

/** How many searches, and how many results, are kept of a board. */
const KEPT = 12
const PIECE = 8192
/** So many changed rows are looked at one by one, rather than all rows. */
const FEW = 1000

/** A set of rows that holds for a version of its board and a stretch of time. */
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
  rows: readonly BoardRow[]
}

interface Kept {
  found: Map<string, Found>
  results: Map<string, Result>
  searches: Search[]
}

const keptOf = new WeakMap<Board, Kept>()

/** The rows that a query finds on these boards, in its order; the list isn't to be changed. */
export function* foundRows(
  boards: readonly Board[],
  query: DocumentQuery,
  moment: Moment
): Sliced<readonly BoardRow[]> {
  const [first, ...others] = new Set(boards)
  if (!first) return []
  const own = [yield* orderedRows(first, query, moment)]
  for (const board of others) own.push(yield* orderedRows(board, query, moment))
  if (own.length === 1) return own[0] as readonly BoardRow[]
  const { results } = kept(first)
  const before = results.get('of several boards')
  if (before && isSame(before.from, own)) return before.rows
  const compare = rowOrder(query.sort)
  let rows = own[0] as readonly BoardRow[]
  for (const more of own.slice(1)) rows = yield* mergedRows(rows, more, compare)
  keep(results, 'of several boards', { from: own, rows })
  return rows
}

/** How many rows a query finds on these boards. */
export function countFound(boards: readonly Board[], query: DocumentQuery, moment: Moment): number {
  return [...new Set(boards)].reduce((count, board) => count + found(board, query, moment).count, 0)
}

function* orderedRows(board: Board, query: DocumentQuery, moment: Moment): Sliced<readonly BoardRow[]> {
  const order = yield* board.inner.orders(query.sort)
  // From here on without a pause: what is found is of now, and so are the rows, though their order may be a little older.
  const { results } = kept(board)
  const now = found(board, query, moment)
  const key = `${keyOf(query, moment)} ${query.sort.by} ${query.sort.descending}`
  const before = results.get(key)
  if (before && isSame(before.from, [now, order.slots])) return before.rows
  const rows = new Array<BoardRow>(now.count)
  let count = 0
  for (let index = 0; count < now.count && index < order.slots.length; index++) {
    const slot = order.slots[index] as number
    if (has(now.rows, slot)) rows[count++] = rowAt(board, slot)
  }
  if (count < now.count) addNewcomers(board, rows, count, now.rows, order.slots)
  keep(results, key, { from: [now, order.slots], rows })
  return rows
}

/** Rows that came since their order was made stand behind the others until it is followed. */
function addNewcomers(board: Board, rows: BoardRow[], count: number, found: RowSet, order: Uint32Array): void {
  const left = found.slice()
  for (const slot of order) if (has(found, slot)) mark(left, slot, false)
  let end = count
  for (const slot of slotsIn(left)) rows[end++] = rowAt(board, slot)
}

function found(board: Board, query: DocumentQuery, moment: Moment): Found {
  const own = kept(board)
  const version = board.version()
  const key = keyOf(query, moment)
  const before = own.found.get(key)
  const isStillTrue = before && moment.now >= before.from && moment.now < before.until
  if (isStillTrue && before.version === version) return before
  const changed = isStillTrue ? fewChanged(board, before.version) : undefined
  const now = before && changed ? mended(board, before, changed, query, moment) : sift(board, query, moment)
  keep(own.found, key, now)
  return now
}

/** What was found before, with the few rows looked at anew that changed since. */
function mended(board: Board, before: Found, changed: readonly number[], query: DocumentQuery, moment: Moment): Found {
  const rows = board.inner.none()
  rows.set(before.rows)
  const { conditions } = conditionsOf(query, moment, board.inner.facets)
  const isFound = finds(query, moment)
  const result: Found = { ...before, version: board.version(), rows }
  for (const slot of new Set(changed)) {
    const row = board.inner.rowAt(slot)
    const wasIn = has(rows, slot)
    const isIn = row !== undefined && isFound(row)
    mark(rows, slot, isIn)
    result.count += Number(isIn) - Number(wasIn)
    for (const { turnsAt } of conditions) if (turnsAt) result.until = sooner(result.until, turnsAt(slot), moment)
  }
  return result
}

/** The slots that changed since, where they are few. */
function fewChanged(board: Board, version: number): readonly number[] | undefined {
  const changed = board.inner.changedSince(version)
  return changed && changed.length <= FEW ? changed : undefined
}

function sooner(until: number, at: number, { now }: Moment): number {
  return at > now && at < until ? at : until
}

function sift(board: Board, query: DocumentQuery, moment: Moment): Found {
  const { conditions, until } = conditionsOf(query, moment, board.inner.facets)
  const candidates = searched(board, wordsOf(query.search), presenceOf(query))
  const rows = candidates.slice()
  // Whoever isn't in the text at all isn't among its people.
  const person = wordsOf(query.signer ?? '').filter((word) => !board.inner.text.narrow(rows, word))
  if (person.length > 0) board.inner.text.sift(rows, person)
  const timed = conditions.flatMap(({ turnsAt }) => (turnsAt ? [turnsAt] : []))
  const result: Found = { version: board.version(), from: moment.now, until, rows, count: 0 }
  for (let word = 0; word < rows.length; word++) {
    let bits = rows[word] as number
    for (let left = conditions.length > 0 ? bits : 0; left !== 0; left &= left - 1) {
      const lowest = left & -left
      const slot = (word << 5) + 31 - Math.clz32(lowest)
      for (const turnsAt of timed) result.until = sooner(result.until, turnsAt(slot), moment)
      for (let index = 0; index < conditions.length; index++) {
        if ((conditions[index] as Condition).holds(slot)) continue
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
function searched(board: Board, words: readonly string[], presence: Presence): RowSet {
  if (words.length === 0) return board.inner.all(presence)
  const own = kept(board)
  const version = board.version()
  own.searches = own.searches.flatMap((search) => mendedSearch(board, search) ?? [])
  const earlier = own.searches
    .filter((search) => search.presence === presence && search.words.every((word) => isIn(word, words)))
    .sort((one, other) => other.words.join('').length - one.words.join('').length)[0]
  if (earlier && words.every((word) => earlier.words.includes(word))) return earlier.rows
  const rows = earlier ? earlier.rows.slice() : board.inner.all(presence)
  const unread = words.filter((word) => !earlier?.words.includes(word) && !board.inner.text.narrow(rows, word))
  // The longest is likely the rarest: where it is missing the others aren't looked for.
  if (unread.length > 0)
    board.inner.text.sift(
      rows,
      unread.toSorted((one, other) => other.length - one.length)
    )
  own.searches = [{ version, presence, words, rows }, ...own.searches].slice(0, KEPT)
  return rows
}

/** An earlier search, made true for the rows of now; undefined where too many changed. */
function mendedSearch(board: Board, search: Search): Search | undefined {
  const changed = fewChanged(board, search.version)
  if (!changed || changed.length === 0) return changed && search
  const rows = board.inner.none()
  rows.set(search.rows)
  for (const slot of changed) {
    const row = board.inner.rowAt(slot)
    const isShown = row !== undefined && isPresent(row, search.presence)
    mark(rows, slot, isShown && search.words.every((word) => row.search.includes(word)))
  }
  return { ...search, version: board.version(), rows }
}

/** Whether what holds all of `words` holds this one, too. */
function isIn(word: string, words: readonly string[]): boolean {
  return words.some((longer) => longer.includes(word))
}

function* mergedRows(
  one: readonly BoardRow[],
  other: readonly BoardRow[],
  compare: (one: BoardRow, other: BoardRow) => number
): Sliced<BoardRow[]> {
  const rows: BoardRow[] = []
  let left = 0
  let right = 0
  while (left < one.length && right < other.length) {
    const takesLeft = compare(one[left] as BoardRow, other[right] as BoardRow) <= 0
    rows.push((takesLeft ? one[left++] : other[right++]) as BoardRow)
    if (rows.length % PIECE === 0) yield
  }
  return rows.concat(one.slice(left), other.slice(right))
}

function* slotsIn(rows: RowSet): Generator<number> {
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

function rowAt(board: Board, slot: number): BoardRow {
  return board.inner.rowAt(slot) as BoardRow
}

/** The query without what only orders and groups. */
function keyOf(
  { sort: _sort, grouped: _grouped, accounts: _accounts, ...rest }: DocumentQuery,
  { zone }: Moment
): string {
  return JSON.stringify([rest, zone])
}

function kept(board: Board): Kept {
  const known = keptOf.get(board)
  if (known) return known
  const fresh: Kept = { found: new Map(), results: new Map(), searches: [] }
  keptOf.set(board, fresh)
  return fresh
}

/** Keeps the newest few. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > KEPT && oldest !== undefined) map.delete(oldest)
}
