/**
 * Combines small chunks into large ones, gathering the next while one is being written. Each system call costs the
 * same, whatever its size.
 */

/**
 * Deliberately not a power of two: Linux caches a write in contiguous memory of that length, and finding half a
 * megabyte in one run took five times as long as copying it.
 */
const PIECE = 384 * 1024
/** Reused: having the system zero so much memory for each file costs more than filling it. */
const spareBuffers: Buffer[] = []
const MAX_SPARE_BUFFERS = 24
const NOTHING = new Uint8Array()

/**
 * Yields large chunks. A chunk is valid until the next but one is requested: copy it to keep it longer. Input chunks
 * are consumed: one that owns its whole buffer is empty afterwards.
 */
export async function* buffered(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const source = chunks[Symbol.asyncIterator]()
  const buffers: (Buffer | undefined)[] = [undefined, undefined]
  let turn = 0
  let chunk: Uint8Array = NOTHING
  let taken = 0
  let isDone = false

  async function gather(): Promise<Uint8Array> {
    turn = 1 - turn
    const buffer = buffers[turn] ?? spareBuffers.pop() ?? Buffer.allocUnsafeSlow(PIECE)
    buffers[turn] = buffer
    let filled = 0
    while (filled < PIECE) {
      if (taken === chunk.byteLength) {
        if (isDone) break
        releaseChunk(chunk)
        taken = 0
        const next = await source.next()
        chunk = next.done ? NOTHING : next.value
        isDone = next.done === true
        continue
      }
      const fitting = chunk.subarray(taken, taken + PIECE - filled)
      buffer.set(fitting, filled)
      filled += fitting.byteLength
      taken += fitting.byteLength
    }
    return buffer.subarray(0, filled)
  }

  let upcoming: Promise<Uint8Array> | undefined
  try {
    let piece = await gather()
    while (piece.byteLength > 0) {
      upcoming = gather()
      // A consumer that is slow with this chunk sees the next one's error only when asking for it.
      upcoming.catch(() => undefined)
      yield piece
      piece = await upcoming
    }
  } finally {
    // Gathering must end before its source does.
    await upcoming?.catch(() => undefined)
    await source.return?.()
    for (const buffer of buffers) {
      // It may have held a passport.
      buffer?.fill(0)
      if (buffer && spareBuffers.length < MAX_SPARE_BUFFERS) spareBuffers.push(buffer)
    }
  }
}

/**
 * Releases a chunk's memory at once. The garbage collector would wait for tens of megabytes, and go through the whole
 * heap each time.
 */
function releaseChunk({ buffer, byteLength }: Uint8Array): void {
  if (byteLength > 0 && byteLength === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0)
}
