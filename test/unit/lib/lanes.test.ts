import { expect, test } from 'vitest'
import { openLanes } from '../../../src/main/core/lib/lanes.ts'

const givenUp = () => new Error('net::ERR_CONNECTION_FAILED')

test('each lane has one request at a time, and anyone else has it in the order of asking', async () => {
  const lanes = openLanes(['one', 'two'], givenUp)
  const [first, second] = [await lanes.take(null), await lanes.take(null)]
  expect([first, second].sort()).toEqual(['one', 'two'])
  const had: string[] = []
  const third = lanes.take(null).then((lane) => had.push(`third ${lane}`))
  const fourth = lanes.take(null).then((lane) => had.push(`fourth ${lane}`))
  lanes.leave('two')
  lanes.leave('one')
  await Promise.all([third, fourth])
  expect(had).toEqual(['third two', 'fourth one'])
})

test('anyone who gives up waiting leaves the others their turn', async () => {
  const lanes = openLanes(['one'], givenUp)
  await lanes.take(null)
  const gone = new AbortController()
  const waits = lanes.take(gone.signal)
  const next = lanes.take(null)
  gone.abort()
  await expect(waits).rejects.toThrow('net::ERR_CONNECTION_FAILED')
  lanes.leave('one')
  expect(await next).toBe('one')
})

test('that a lane comes in the moment in which its waiter gives up takes nobody else’s turn', async () => {
  const lanes = openLanes(['one'], givenUp)
  await lanes.take(null)
  const late = new AbortController()
  const waits = lanes.take(late.signal)
  const last = lanes.take(null)
  lanes.leave('one')
  late.abort()
  // The waiter sees the signal and leaves.
  lanes.leave(await waits)
  expect(await last).toBe('one')
})
