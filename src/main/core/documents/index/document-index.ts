/**
 * All documents of one account in memory. Each row keeps its slot for as long as it is there, so that orders and sets of
 * rows are arrays of numbers, and a log of changes tells which rows changed since they were made.
 */
import { openFacets } from './columns.ts'
import { openOrders } from './order.ts'
import type { BoardRow } from './row.ts'
import { mark, type RowSet } from './row-sets.ts'
import { BLOCK_WORDS, openTextIndex } from './text-index.ts'

/** So many changes are remembered at least. */
const LOGGED = 32_768

export type Board = ReturnType<typeof openBoard>

export function openBoard() {
  const rows: (BoardRow | undefined)[] = []
  /** The slots that changed, one for each version. */
  const changes: number[] = []
  const slots = new Map<string, number>()
  const free: number[] = []
  const text = openTextIndex()
  const facets = openFacets(BLOCK_WORDS * 32)
  let here: RowSet = new Uint32Array(BLOCK_WORDS)
  let gone: RowSet = new Uint32Array(BLOCK_WORDS)
  let version = 0
  const changedSince = (before: number): readonly number[] | undefined => {
    if (before === version) return []
    return version - before > changes.length ? undefined : changes.slice(before - version)
  }
  const orders = openOrders({ rows, version: () => version, changedSince })

  function slotFor(reference: string): number {
    const known = slots.get(reference)
    if (known !== undefined) return known
    const slot = free.pop() ?? rows.length
    slots.set(reference, slot)
    if (slot >= here.length * 32) {
      here = grown(here, new Uint32Array(here.length * 2))
      gone = grown(gone, new Uint32Array(gone.length * 2))
    }
    return slot
  }

  function become(slot: number, row: BoardRow | undefined): void {
    const before = rows[slot]
    if (before?.search !== row?.search) {
      if (before) text.remove(slot, before.search)
      if (row) text.add(slot, row.search)
    }
    rows[slot] = row
    if (row) facets.put(slot, row)
    else facets.remove(slot)
    mark(here, slot, row !== undefined && row.goneAt === undefined)
    mark(gone, slot, row?.goneAt !== undefined)
    version++
    // Whoever knows an older state than the log tells of looks at all rows.
    if (changes.push(slot) > 2 * LOGGED) changes.splice(0, LOGGED)
  }

  return {
    /** Adds a row, or takes the place of the one with its reference. */
    put: (row: BoardRow): void => become(slotFor(row.reference), row),

    remove(reference: string): void {
      const slot = slots.get(reference)
      if (slot === undefined) return
      become(slot, undefined)
      slots.delete(reference)
      free.push(slot)
    },

    get(reference: string): BoardRow | undefined {
      const slot = slots.get(reference)
      return slot === undefined ? undefined : rows[slot]
    },

    size: (): number => slots.size,

    /** All rows as they are now, in no order. */
    rows: (): BoardRow[] => rows.filter((row) => row !== undefined),

    /** Grows with each change. */
    version: (): number => version,

    /** What the queries work with; see board-found.ts. */
    inner: {
      /** All slots are below this number. */
      slots: (): number => rows.length,
      rowAt: (slot: number): BoardRow | undefined => rows[slot],
      /** The slots that changed after a version, a slot perhaps more than once; undefined where that is too long ago. */
      changedSince,
      /** A set of its own, of the rows that are in a folder, of those that left all of them, or of both. */
      all(which: 'here' | 'gone' | 'both'): RowSet {
        if (which !== 'both') return (which === 'here' ? here : gone).slice()
        return here.map((rows, at) => rows | (gone[at] as number))
      },
      none: (): RowSet => new Uint32Array(here.length),
      text,
      facets,
      orders
    }
  }
}

function grown(list: RowSet, larger: RowSet): RowSet {
  larger.set(list)
  return larger
}
