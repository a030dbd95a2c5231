import { expect, test } from 'vitest'
import { openResourcePool } from '../../../src/main/core/lib/resource-pool.ts'

const givenUp = () => new Error('net::ERR_CONNECTION_FAILED')

test('each resource serves one call at a time, and waiting calls get it in order', async () => {
  const pool = openResourcePool(['one', 'two'], givenUp)
  const [first, second] = [await pool.acquire(null), await pool.acquire(null)]
  expect([first, second].sort()).toEqual(['one', 'two'])
  const had: string[] = []
  const third = pool.acquire(null).then((resource) => had.push(`third ${resource}`))
  const fourth = pool.acquire(null).then((resource) => had.push(`fourth ${resource}`))
  pool.release('two')
  pool.release('one')
  await Promise.all([third, fourth])
  expect(had).toEqual(['third two', 'fourth one'])
})

test('a call that stops waiting leaves the others their turn', async () => {
  const pool = openResourcePool(['one'], givenUp)
  await pool.acquire(null)
  const gone = new AbortController()
  const waits = pool.acquire(gone.signal)
  const next = pool.acquire(null)
  gone.abort()
  await expect(waits).rejects.toThrow('net::ERR_CONNECTION_FAILED')
  pool.release('one')
  expect(await next).toBe('one')
})

test('a call that stops waiting just as a resource is released takes nobody’s turn', async () => {
  const pool = openResourcePool(['one'], givenUp)
  await pool.acquire(null)
  const late = new AbortController()
  const waits = pool.acquire(late.signal)
  const last = pool.acquire(null)
  pool.release('one')
  late.abort()
  // The waiter sees the signal and leaves.
  pool.release(await waits)
  expect(await last).toBe('one')
})
