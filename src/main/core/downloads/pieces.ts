/**
 * Small pieces made into large ones, of which the next is gathered while one is being written. Each call to the system costs
 * the same, whatever it carries.
 */

const PIECE = 512 * 1024
/** Used again and again: to have the system clear so much memory for each file costs more than to fill it. */
const spare: Buffer[] = []
const MOST_SPARE = 24

/** What it yields is good until the next but one is asked for: whoever keeps a piece copies it. */
export async function* inLargePieces(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const source = chunks[Symbol.asyncIterator]()
  const buffers: (Buffer | undefined)[] = [undefined, undefined]
  let turn = 0
  let rest: Uint8Array = new Uint8Array()
  let isOver = false

  async function gather(): Promise<Uint8Array> {
    turn = 1 - turn
    const buffer = buffers[turn] ?? spare.pop() ?? Buffer.allocUnsafeSlow(PIECE)
    buffers[turn] = buffer
    let filled = 0
    while (filled < PIECE) {
      if (rest.byteLength === 0) {
        if (isOver) break
        const next = await source.next()
        if (next.done) {
          isOver = true
          break
        }
        rest = next.value
      }
      const fitting = rest.subarray(0, PIECE - filled)
      buffer.set(fitting, filled)
      filled += fitting.byteLength
      rest = rest.subarray(fitting.byteLength)
    }
    return buffer.subarray(0, filled)
  }

  let coming: Promise<Uint8Array> | undefined
  try {
    let piece = await gather()
    while (piece.byteLength > 0) {
      coming = gather()
      // Whoever is slow with this piece hears of what went wrong with the next one only then.
      coming.catch(() => undefined)
      yield piece
      piece = await coming
    }
  } finally {
    // What is being gathered ends before its source does.
    await coming?.catch(() => undefined)
    await source.return?.()
    for (const buffer of buffers) if (buffer && spare.length < MOST_SPARE) spare.push(buffer)
  }
}
