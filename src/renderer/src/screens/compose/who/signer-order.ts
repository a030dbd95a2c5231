/** Signers in their order: moving one, and where one that is dragged would stand. */

/** The list with the one at `from` standing at `to`. */
export function moved<Item>(list: readonly Item[], from: number, to: number): Item[] {
  const rest = list.filter((_, index) => index !== from)
  return [...rest.slice(0, to), ...list.slice(from, from + 1), ...rest.slice(to)]
}

/**
 * Where the one at `from` would stand, let go at the height `y`: below those whose middles are above it.
 * @param middles of all of them, itself included, from the top of the window in CSS pixels.
 */
export function placeAt(middles: readonly number[], from: number, y: number): number {
  return middles.filter((middle, index) => index !== from && middle < y).length
}
