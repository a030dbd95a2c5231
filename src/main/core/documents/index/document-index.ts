/**
 * All documents of one account in memory, stored as columns: a row object is built only on request. Each row keeps its
 * id while it exists, so that orders and sets of rows are arrays of numbers, and a log of changes tells which rows
 * changed since they were made.
 */
import { copyInto, FLAG, openColumns } from './columns.ts'
import { openOrders } from './order.ts'
import { packRow, unpackRow } from './packed-row.ts'
import type { IndexRow } from './row.ts'
import { BLOCK_WORDS, mark, openTextIndex, type RowSet } from './text-index.ts'

/** Minimum number of changes remembered. */
const MIN_LOGGED_CHANGES = 32_768

export type DocumentIndex = ReturnType<typeof openDocumentIndex>

export function openDocumentIndex() {
  /** The row id that changed in each version. */
  const changes: number[] = []
  const rowIds = new Map<string, number>()
  const freeRowIds: number[] = []
  /** The version in which each row id was given to its present document. */
  const givenIn: number[] = []
  const text = openTextIndex()
  const columns = openColumns(BLOCK_WORDS * 32)
  let present: RowSet = new Uint32Array(BLOCK_WORDS)
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
    return isThere(rowId) ? unpackRow(columns, rowId, text.textOf(rowId)) : undefined
  }

  function rowIdFor(reference: string): number {
    const known = rowIds.get(reference)
    if (known !== undefined) return known
    const rowId = freeRowIds.pop() ?? columns.references.length
    rowIds.set(reference, rowId)
    givenIn[rowId] = version + 1
    columns.references[rowId] = reference
    if (rowId >= present.length * 32) {
      present = copyInto(present, new Uint32Array(present.length * 2))
      gone = copyInto(gone, new Uint32Array(gone.length * 2))
    }
    return rowId
  }

  function setRow(rowId: number, row: IndexRow | undefined): void {
    const before = isThere(rowId) ? text.textOf(rowId) : undefined
    if (before !== row?.search) {
      if (before !== undefined) text.remove(rowId, before)
      if (row) text.add(rowId, row.search)
    }
    if (row) {
      columns.accountId = row.accountId
      columns.put(rowId, row)
    } else columns.remove(rowId)
    // Lists being merged still compare a row that was removed during a pause.
    columns.texts[rowId] = row ? packRow(row) : ''
    mark(present, rowId, row !== undefined && row.goneAt === undefined)
    mark(gone, rowId, row?.goneAt !== undefined)
    version++
    // Callers whose version is older than the log have to check all rows.
    if (changes.push(rowId) > 2 * MIN_LOGGED_CHANGES) changes.splice(0, MIN_LOGGED_CHANGES)
  }

  return {
    /** Adds a row, or replaces the one with the same reference. */
    put: (row: IndexRow): void => setRow(rowIdFor(row.reference), row),

    remove(reference: string): void {
      const rowId = rowIds.get(reference)
      if (rowId === undefined) return
      setRow(rowId, undefined)
      rowIds.delete(reference)
      freeRowIds.push(rowId)
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
      rowIdLimit: (): number => columns.references.length,
      rowAt,
      /** Whether a row id stands for the same document as in this version: those of erased documents are reused. */
      isSameSince: (rowId: number, before: number): boolean => isThere(rowId) && (givenIn[rowId] as number) <= before,
      /** The row ids changed after a version, possibly with repeats; undefined if that is too long ago. */
      changedSince,
      /** Returns a new set: rows in a folder, rows that left all folders, or both. */
      all(which: 'here' | 'gone' | 'both'): RowSet {
        if (which !== 'both') return (which === 'here' ? present : gone).slice()
        return present.map((rows, at) => rows | (gone[at] as number))
      },
      emptyRows: (): RowSet => new Uint32Array(present.length),
      text,
      columns,
      orders
    }
  }
}
