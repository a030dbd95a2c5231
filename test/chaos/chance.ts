/** Chance that can be repeated: the same seed gives the same choices. */
export interface Chance {
  /** From 0 up to, but not including, `end`. */
  below(end: number): number
  oneOf<Item>(items: readonly [Item, ...Item[]]): Item
}

/** @param seed any whole number. */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0
  // Mulberry32: small, and good enough to spread moments.
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    below: (end) => Math.floor(next() * end),
    oneOf: (items) => items[Math.floor(next() * items.length)] ?? items[0]
  }
}
