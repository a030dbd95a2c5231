/**
 * Small pieces made into large ones, of which the next is gathered while one is being written. Each call to the system costs
 * the same, whatever it carries.
 */

/**
 * Not a power of two: Linux keeps what one call writes in runs of memory as long as that, and to find half a megabyte in one run
 * took it five times as long as to copy it.
 */
const PIECE = 384 * 1024
/** Used again and again: to have the system clear so much memory for each file costs more than to fill it. */
const spare: Buffer[] = []
const MOST_SPARE = 24
const NOTHING = new Uint8Array()

/**
 * What it yields is good until the next but one is asked for: anyone who keeps a piece copies it. What it takes is used up: a chunk
 * that has its memory to itself is empty afterwards.
 */
export async function* buffered(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const source = chunks[Symbol.asyncIterator]()
  const buffers: (Buffer | undefined)[] = [undefined, undefined]
  let turn = 0
  let chunk: Uint8Array = NOTHING
  let taken = 0
  let isOver = false

  async function gather(): Promise<Uint8Array> {
    turn = 1 - turn
    const buffer = buffers[turn] ?? spare.pop() ?? Buffer.allocUnsafeSlow(PIECE)
    buffers[turn] = buffer
    let filled = 0
    while (filled < PIECE) {
      if (taken === chunk.byteLength) {
        if (isOver) break
        giveBack(chunk)
        taken = 0
        const next = await source.next()
        chunk = next.done ? NOTHING : next.value
        isOver = next.done === true
        continue
      }
      const fitting = chunk.subarray(taken, taken + PIECE - filled)
      buffer.set(fitting, filled)
      filled += fitting.byteLength
      taken += fitting.byteLength
    }
    return buffer.subarray(0, filled)
  }

  let coming: Promise<Uint8Array> | undefined
  try {
    let piece = await gather()
    while (piece.byteLength > 0) {
      coming = gather()
      // Anyone who is slow with this piece hears of what went wrong with the next one only then.
      coming.catch(() => undefined)
      yield piece
      piece = await coming
    }
  } finally {
    // What is being gathered ends before its source does.
    await coming?.catch(() => undefined)
    await source.return?.()
    for (const buffer of buffers) {
      // What it held was someone's passport.
      buffer?.fill(0)
      if (buffer && spare.length < MOST_SPARE) spare.push(buffer)
    }
  }
}

/** The collector would look for it only after tens of megabytes, and go through all of the heap for it each time. */
function giveBack({ buffer, byteLength }: Uint8Array): void {
  if (byteLength > 0 && byteLength === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0)
}
