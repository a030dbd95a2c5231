/** The engine under the queues: growing pauses, no work done twice at once, and recovery before anything is sent. */
import { expect, test } from 'vitest'
import { Pauses, SerialTask } from '../../../src/main/core/jobs/lanes.ts'
import { observationAfter, SECOND_CHECK_AFTER } from '../../../src/main/core/jobs/reconcile-schedule.ts'
import { CrashRecovery } from '../../../src/main/core/jobs/recovery.ts'
import { testTime } from '../../fixtures/own-time.ts'

const error = { code: 'offline', message: 'Nobody answers.' } as const

test('simultaneous failures count as one, and each further failure lengthens the pause', async () => {
  const time = testTime()
  const pauses = new Pauses(time.run({ random: () => 0 }))
  pauses.recordFailure('a', { error, first: 1_000 })
  pauses.recordFailure('a', { error, first: 1_000 })
  expect(pauses.of('a')).toMatchObject({ failures: 1 })
  expect(pauses.remaining('a')).toBe(1_000)
  expect(pauses.remaining('b')).toBe(0)
  await time.pass(1_000)
  pauses.recordFailure('a', { error, first: 1_000 })
  expect(pauses.remaining('a')).toBe(2_000)
  pauses.tryNow()
  expect(pauses.remaining('a')).toBe(0)
  pauses.recordFailure('a', { error, first: 1_000, atLeast: 60_000 })
  expect(pauses.remaining('a')).toBe(60_000)
  pauses.clear('a')
  expect(pauses.of('a')).toBeUndefined()
})

test('a blocked queue waits until someone retries', async () => {
  const time = testTime()
  const pauses = new Pauses(time.run())
  pauses.block('a', error)
  await time.pass(86_400_000)
  expect(pauses.remaining('a')).toBe(Number.POSITIVE_INFINITY)
  pauses.tryNow('a')
  expect(pauses.remaining('a')).toBe(0)
})

test('work never runs twice at the same time, and fresh requests share one more run', async () => {
  let runs = 0
  let underWay = 0
  const work = new SerialTask(testTime().run(), async () => {
    runs++
    expect(++underWay).toBe(1)
    await new Promise((resume) => setImmediate(resume))
    underWay--
  })
  await Promise.all([work.run(), work.run(), work.runFresh(), work.runFresh()])
  expect(runs).toBe(2)
  expect(work.isRunning).toBe(false)
})

test('only a second check that is late enough confirms an observation', () => {
  const first = observationAfter('missing', 5, undefined)
  expect(first).toEqual({ kind: 'missing', at: 5, isConfirmed: false })
  expect(observationAfter('missing', 5 + SECOND_CHECK_AFTER - 1, first).isConfirmed).toBe(false)
  expect(observationAfter('missing', 5 + SECOND_CHECK_AFTER, first).isConfirmed).toBe(true)
  expect(observationAfter('there', 5 + SECOND_CHECK_AFTER, first).isConfirmed).toBe(false)
})

test('nothing starts before recovery after a crash has been stored, which happens once', async () => {
  const time = testTime()
  const done: string[] = []
  let isFull = true
  const recovery = new CrashRecovery(time.run(), () => {
    if (isFull) throw new Error('The disk is full.')
    done.push('recovered')
  })
  expect(() => recovery.recoverNow()).toThrow('The disk is full.')
  recovery.runAfterRecovery(() => done.push('begun'))
  expect(done).toEqual([])
  isFull = false
  await time.pass(5_000)
  recovery.recoverNow()
  expect(done).toEqual(['recovered', 'begun'])
})
