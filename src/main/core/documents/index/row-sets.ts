/** Sets of rows: one bit a row, by the rows' slots. */

export type RowSet = Uint32Array<ArrayBuffer>

export function has(rows: RowSet, slot: number): boolean {
  return ((rows[slot >>> 5] as number) & (1 << (slot & 31))) !== 0
}

/** Puts a row into the set, or takes it out. */
export function mark(rows: RowSet, slot: number, isIn: boolean): void {
  const bit = 1 << (slot & 31)
  const before = rows[slot >>> 5] as number
  rows[slot >>> 5] = isIn ? before | bit : before & ~bit
}
