/** Tells what the database will never take, as of its content, from what it can't take just now. */

/** Whether trying to write the same again can't help: a full or shut disk is another matter. */
export function isUnkeepable(error: unknown): boolean {
  // Nested too deeply for being written as JSON at all.
  if (error instanceof RangeError || error instanceof TypeError) return true
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH|RANGE|ERROR)/.test(code)
}

/**
 * Writes the first of these that the database takes.
 * @throws what writing the last one threw; and at once what another one wouldn't mend.
 */
export function firstKept<Kept>(ways: readonly (() => Kept)[]): Kept {
  for (const [index, write] of ways.entries()) {
    try {
      return write()
    } catch (error) {
      if (index === ways.length - 1 || !isUnkeepable(error)) throw error
    }
  }
  throw new RangeError('There is nothing to write.')
}
