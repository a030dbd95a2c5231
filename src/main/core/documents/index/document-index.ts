/**
 * All documents of one account in memory, stored as columns: a row object is built only on request. Each row keeps its
 * id while it exists, so that orders and sets of rows are arrays of numbers, and a log of changes tells which rows
 * changed since they were made.
 */
import { FLAG, openColumns } from './columns.ts'
import { openOrders } from './order.ts'
import { packed, rowIn } from './packed-row.ts'
import type { IndexRow } from './row.ts'
import { BLOCK_WORDS, mark, openTextIndex, type RowSet } from './text-index.ts'

/** Minimum number of changes remembered. */
const LOGGED = 32_768

export type DocumentIndex = ReturnType<typeof openDocumentIndex>

export function openDocumentIndex() {
  /** The row id that changed in each version. */
  const changes: number[] = []
  const rowIds = new Map<string, number>()
  const free: number[] = []
  const text = openTextIndex()
  const columns = openColumns(BLOCK_WORDS * 32)
  let here: RowSet = new Uint32Array(BLOCK_WORDS)
  let gone: RowSet = new Uint32Array(BLOCK_WORDS)
  let version = 0
  const changedSince = (before: number): readonly number[] | undefined => {
    if (before === version) return []
    return version - before > changes.length ? undefined : changes.slice(before - version)
  }
  const orders = openOrders({ columns, version: () => version, changedSince })

  function isThere(rowId: number): boolean {
    return ((columns.flags[rowId] ?? 0) & FLAG.there) !== 0
  }

  function rowAt(rowId: number): IndexRow | undefined {
    return isThere(rowId) ? rowIn(columns, rowId, text.textOf(rowId)) : undefined
  }

  function rowIdFor(reference: string): number {
    const known = rowIds.get(reference)
    if (known !== undefined) return known
    const rowId = free.pop() ?? columns.references.length
    rowIds.set(reference, rowId)
    columns.references[rowId] = reference
    if (rowId >= here.length * 32) {
      here = grown(here, new Uint32Array(here.length * 2))
      gone = grown(gone, new Uint32Array(gone.length * 2))
    }
    return rowId
  }

  function become(rowId: number, row: IndexRow | undefined): void {
    const before = isThere(rowId) ? text.textOf(rowId) : undefined
    if (before !== row?.search) {
      if (before !== undefined) text.remove(rowId, before)
      if (row) text.add(rowId, row.search)
    }
    if (row) {
      columns.accountId = row.accountId
      columns.put(rowId, row)
    } else columns.remove(rowId)
    columns.texts[rowId] = row && packed(row)
    mark(here, rowId, row !== undefined && row.goneAt === undefined)
    mark(gone, rowId, row?.goneAt !== undefined)
    version++
    // Callers whose version is older than the log have to check all rows.
    if (changes.push(rowId) > 2 * LOGGED) changes.splice(0, LOGGED)
  }

  return {
    /** Adds a row, or replaces the one with the same reference. */
    put: (row: IndexRow): void => become(rowIdFor(row.reference), row),

    remove(reference: string): void {
      const rowId = rowIds.get(reference)
      if (rowId === undefined) return
      become(rowId, undefined)
      rowIds.delete(reference)
      free.push(rowId)
    },

    get(reference: string): IndexRow | undefined {
      const rowId = rowIds.get(reference)
      return rowId === undefined ? undefined : rowAt(rowId)
    },

    rowIdOf: (reference: string): number | undefined => rowIds.get(reference),

    /** Whether there is a row with this id. */
    isThere,

    /** Whether the document has left all folders. */
    isGone: (rowId: number): boolean => ((columns.flags[rowId] ?? 0) & FLAG.gone) !== 0,

    size: (): number => rowIds.size,

    /** All current rows, unordered. */
    rows: (): IndexRow[] => columns.references.flatMap((_, rowId) => rowAt(rowId) ?? []),

    /** Increases with each change. */
    version: (): number => version,

    /** Internals for the queries; see results.ts. */
    inner: {
      /** All row ids are below this number. */
      rowIds: (): number => columns.references.length,
      rowAt,
      /** The row ids changed after a version, possibly with repeats; undefined if that is too long ago. */
      changedSince,
      /** Returns a new set: rows in a folder, rows that left all folders, or both. */
      all(which: 'here' | 'gone' | 'both'): RowSet {
        if (which !== 'both') return (which === 'here' ? here : gone).slice()
        return here.map((rows, at) => rows | (gone[at] as number))
      },
      none: (): RowSet => new Uint32Array(here.length),
      text,
      columns,
      orders
    }
  }
}

function grown(list: RowSet, larger: RowSet): RowSet {
  larger.set(list)
  return larger
}
