/** The engine under the queues: growing pauses, no work done twice at once, and recovery before anything leaves. */
import { expect, test } from 'vitest'
import { OneAtATime, Pauses } from '../../../src/main/core/jobs/lanes.ts'
import { SECOND_LOOK_AFTER, seenAfter } from '../../../src/main/core/jobs/reconcile-schedule.ts'
import { Recovery } from '../../../src/main/core/jobs/recording.ts'
import { ownTime } from '../../fixtures/own-time.ts'

const error = { code: 'offline', message: 'Nobody answers.' } as const

test('jobs that fail together are one failure, and each further one makes the pause longer', async () => {
  const time = ownTime()
  const pauses = new Pauses(time.run({ random: () => 0 }))
  pauses.failed('a', { error, first: 1_000 })
  pauses.failed('a', { error, first: 1_000 })
  expect(pauses.of('a')).toMatchObject({ failures: 1 })
  expect(pauses.left('a')).toBe(1_000)
  expect(pauses.left('b')).toBe(0)
  await time.pass(1_000)
  pauses.failed('a', { error, first: 1_000 })
  expect(pauses.left('a')).toBe(2_000)
  pauses.tryNow()
  expect(pauses.left('a')).toBe(0)
  pauses.failed('a', { error, first: 1_000, atLeast: 60_000 })
  expect(pauses.left('a')).toBe(60_000)
  pauses.clear('a')
  expect(pauses.of('a')).toBeUndefined()
})

test('what is blocked waits until it is tried by hand', async () => {
  const time = ownTime()
  const pauses = new Pauses(time.run())
  pauses.block('a', error)
  await time.pass(86_400_000)
  expect(pauses.left('a')).toBe(Number.POSITIVE_INFINITY)
  pauses.tryNow('a')
  expect(pauses.left('a')).toBe(0)
})

test('work is never done twice at once; what asks afresh meanwhile has one more run together', async () => {
  let runs = 0
  let underWay = 0
  const work = new OneAtATime(ownTime().run(), async () => {
    runs++
    expect(++underWay).toBe(1)
    await new Promise((resume) => setImmediate(resume))
    underWay--
  })
  await Promise.all([work.now(), work.now(), work.fresh(), work.fresh()])
  expect(runs).toBe(2)
  expect(work.isRunning).toBe(false)
})

test('only a second look that is late enough says the same twice', () => {
  const first = seenAfter('missing', 5, undefined)
  expect(first).toEqual({ kind: 'missing', at: 5, isTwice: false })
  expect(seenAfter('missing', 5 + SECOND_LOOK_AFTER - 1, first).isTwice).toBe(false)
  expect(seenAfter('missing', 5 + SECOND_LOOK_AFTER, first).isTwice).toBe(true)
  expect(seenAfter('there', 5 + SECOND_LOOK_AFTER, first).isTwice).toBe(false)
})

test('nothing is begun before what a crash left is written down, and that is done once', async () => {
  const time = ownTime()
  const done: string[] = []
  let isFull = true
  const recovery = new Recovery(time.run(), () => {
    if (isFull) throw new Error('The disk is full.')
    done.push('recovered')
  })
  expect(() => recovery.now()).toThrow('The disk is full.')
  recovery.before(() => done.push('begun'))
  expect(done).toEqual([])
  isFull = false
  await time.pass(5_000)
  recovery.now()
  expect(done).toEqual(['recovered', 'begun'])
})
