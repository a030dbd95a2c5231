import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BatchCommit } from '../../../src/main/core/storage/batch-commit.ts'
import { buffered } from '../../../src/main/core/storage/write-buffer.ts'

async function* chunksOf(sizes: readonly number[], bytes: Uint8Array, end?: Error) {
  let at = 0
  for (const size of sizes) {
    yield Buffer.from(bytes.subarray(at, at + size))
    at += size
  }
  if (end) throw end
}

async function joined(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const copies: Buffer[] = []
  // Each piece stays valid until the next one is requested.
  for await (const piece of pieces) copies.push(Buffer.from(piece))
  return Buffer.concat(copies)
}

describe('buffered writing', () => {
  test('preserves the bytes and their order', async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 900_000 }), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(sizes, async (some) => {
        const length = some.reduce((sum, size) => sum + size, 0)
        const content = Buffer.from(Uint32Array.from({ length: Math.ceil(length / 4) }, (_, index) => index).buffer)
        const bytes = content.subarray(0, length)
        expect((await joined(buffered(chunksOf(some, bytes)))).equals(bytes)).toBe(true)
      }),
      { numRuns: 40 }
    )
  })

  test('releases the memory of the source’s chunks, but not of shared ones', async () => {
    const own = new Uint8Array(100_000).fill(1)
    const shared = new Uint8Array(1_000).fill(2)
    async function* chunks() {
      yield own
      yield shared.subarray(0, 600)
      yield shared.subarray(600)
    }
    expect(
      (await joined(buffered(chunks()))).equals(Buffer.concat([Buffer.alloc(100_000, 1), Buffer.alloc(1_000, 2)]))
    ).toBe(true)
    expect(own.byteLength).toBe(0)
    expect(shared.every((byte) => byte === 2) && shared.byteLength).toBe(1_000)
  })

  test('passes on an error of its source, and closes it when nothing more is needed', async () => {
    const broken = new Error('broken')
    await expect(joined(buffered(chunksOf([10, 10], Buffer.alloc(20), broken)))).rejects.toBe(broken)
    let isOver = false
    async function* endless() {
      try {
        for (;;) yield Buffer.alloc(100_000)
      } finally {
        isOver = true
      }
    }
    for await (const _piece of buffered(endless())) break
    expect(isOver).toBe(true)
  })
})

describe('batched commits', () => {
  test('are written together, and immediately if nothing else is expected', async () => {
    const written: number[][] = []
    const settled: number[][] = []
    let others = true
    const planned: (() => void)[] = []
    const commits = new BatchCommit<number>({
      async finish(items) {
        // It is durable before it is reported.
        expect(written.flat()).not.toEqual(expect.arrayContaining([...items]))
        settled.push([...items])
      },
      write: (items) => void written.push([...items]),
      expectsMore: () => others,
      time: {
        after(_delay, task) {
          planned.push(task)
          return () => undefined
        }
      }
    })
    const both = Promise.all([commits.add(1), commits.add(2)])
    expect(written).toEqual([])
    planned[0]?.()
    await both
    others = false
    await commits.add(3)
    expect(written).toEqual([[1, 2], [3]])
    expect(settled).toEqual(written)
  })

  test('report a failed write to everyone waiting', async () => {
    const full = new Error('full')
    const commits = new BatchCommit<number>({
      finish: async () => undefined,
      write() {
        throw full
      },
      expectsMore: () => false,
      time: { after: () => () => undefined }
    })
    await expect(commits.add(1)).rejects.toBe(full)
  })
})
