/**
 * All documents of one account in memory. Each row keeps its id for as long as it is there, so that orders and sets of
 * rows are arrays of numbers, and a log of changes tells which rows changed since they were made.
 */
import { openColumns } from './conditions.ts'
import { openOrders } from './order.ts'
import type { IndexRow } from './row.ts'
import { BLOCK_WORDS, mark, openTextIndex, type RowSet } from './text-index.ts'

/** So many changes are remembered at least. */
const LOGGED = 32_768

export type DocumentIndex = ReturnType<typeof openDocumentIndex>

export function openDocumentIndex() {
  const rows: (IndexRow | undefined)[] = []
  /** The row ids that changed, one for each version. */
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
  const orders = openOrders({ rows, version: () => version, changedSince })

  function rowIdFor(reference: string): number {
    const known = rowIds.get(reference)
    if (known !== undefined) return known
    const rowId = free.pop() ?? rows.length
    rowIds.set(reference, rowId)
    if (rowId >= here.length * 32) {
      here = grown(here, new Uint32Array(here.length * 2))
      gone = grown(gone, new Uint32Array(gone.length * 2))
    }
    return rowId
  }

  function become(rowId: number, row: IndexRow | undefined): void {
    const before = rows[rowId]
    if (before?.search !== row?.search) {
      if (before) text.remove(rowId, before.search)
      if (row) text.add(rowId, row.search)
    }
    rows[rowId] = row
    if (row) columns.put(rowId, row)
    else columns.remove(rowId)
    mark(here, rowId, row !== undefined && row.goneAt === undefined)
    mark(gone, rowId, row?.goneAt !== undefined)
    version++
    // Anyone who knows an older state than the log tells of looks at all rows.
    if (changes.push(rowId) > 2 * LOGGED) changes.splice(0, LOGGED)
  }

  return {
    /** Adds a row, or takes the place of the one with its reference. */
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
      return rowId === undefined ? undefined : rows[rowId]
    },

    size: (): number => rowIds.size,

    /** All rows as they are now, in no order. */
    rows: (): IndexRow[] => rows.filter((row) => row !== undefined),

    /** Grows with each change. */
    version: (): number => version,

    /** What the queries work with; see results.ts. */
    inner: {
      /** All row ids are below this number. */
      rowIds: (): number => rows.length,
      rowAt: (rowId: number): IndexRow | undefined => rows[rowId],
      /** The row ids that changed after a version, a row id perhaps more than once; undefined if that is too long ago. */
      changedSince,
      /** A set of its own, of the rows that are in a folder, of those that left all of them, or of both. */
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
