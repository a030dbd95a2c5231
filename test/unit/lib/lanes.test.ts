import { expect, test } from 'vitest'
import { openResourcePool } from '../../../src/main/core/lib/lanes.ts'

const givenUp = () => new Error('net::ERR_CONNECTION_FAILED')

test('each lane has one request at a time, and anyone else has it in the order of asking', async () => {
  const lanes = openResourcePool(['one', 'two'], givenUp)
  const [first, second] = [await lanes.acquire(null), await lanes.acquire(null)]
  expect([first, second].sort()).toEqual(['one', 'two'])
  const had: string[] = []
  const third = lanes.acquire(null).then((lane) => had.push(`third ${lane}`))
  const fourth = lanes.acquire(null).then((lane) => had.push(`fourth ${lane}`))
  lanes.release('two')
  lanes.release('one')
  await Promise.all([third, fourth])
  expect(had).toEqual(['third two', 'fourth one'])
})

test('anyone who gives up waiting leaves the others their turn', async () => {
  const lanes = openResourcePool(['one'], givenUp)
  await lanes.acquire(null)
  const gone = new AbortController()
  const waits = lanes.acquire(gone.signal)
  const next = lanes.acquire(null)
  gone.abort()
  await expect(waits).rejects.toThrow('net::ERR_CONNECTION_FAILED')
  lanes.release('one')
  expect(await next).toBe('one')
})

test('that a lane comes in the moment in which its waiter gives up takes nobody else’s turn', async () => {
  const lanes = openResourcePool(['one'], givenUp)
  await lanes.acquire(null)
  const late = new AbortController()
  const waits = lanes.acquire(late.signal)
  const last = lanes.acquire(null)
  lanes.release('one')
  late.abort()
  // The waiter sees the signal and leaves.
  lanes.release(await waits)
  expect(await last).toBe('one')
})
