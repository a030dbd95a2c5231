/** Watching a call: what ends it, and that nothing is left behind. */
import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { startWatchdog, TIME_LIMITS } from '../../../src/main/core/service/limits.ts'

const patient = { answer: 60_000, idle: 60_000, total: 60_000 }
const pause = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds))

describe('a watched call', () => {
  test('ends when no answer arrives', async () => {
    const watching = startWatchdog({ ...patient, answer: 10 }, undefined)
    await expect(watching.during('answer', new Promise(() => {}))).rejects.toBeDefined()
    expect(watching.endReason()).toBe('timeout')
    watching.finish()
  })

  test('ends after too long a silence', async () => {
    const watching = startWatchdog({ ...patient, idle: 10 }, undefined)
    await expect(watching.during('idle', new Promise(() => {}))).rejects.toBeDefined()
    expect(watching.endReason()).toBe('timeout')
    watching.finish()
  })

  test('doesn’t end because its reader is slow between two pieces', async () => {
    const watching = startWatchdog({ ...patient, answer: 5, idle: 5 }, undefined)
    await watching.during('idle', Promise.resolve())
    await pause(40)
    expect(await watching.during('idle', Promise.resolve('next'))).toBe('next')
    expect(watching.endReason()).toBeUndefined()
    watching.finish()
  })

  test('is cancelled by its caller exactly once', async () => {
    const cancel = new AbortController()
    const watching = startWatchdog(patient, cancel.signal)
    const step = watching.during('idle', new Promise(() => {}))
    cancel.abort(new Error('a reason that is nobody’s business'))
    await expect(step).rejects.toMatchObject({ name: 'AbortError' })
    expect(watching.endReason()).toBe('cancelled')
    await expect(watching.during('idle', Promise.resolve(1))).rejects.toBeDefined()
    watching.finish()
  })

  test('leaves no listener on the caller’s signal', async () => {
    const cancel = new AbortController()
    const watching = startWatchdog(patient, cancel.signal)
    expect(await watching.during('idle', Promise.resolve('a'))).toBe('a')
    watching.finish()
    expect(getEventListeners(cancel.signal, 'abort')).toEqual([])
    expect(getEventListeners(watching.signal, 'abort')).toEqual([])
  })

  test('a send gets more time for its answer than a small read', () => {
    expect(TIME_LIMITS.send.answer).toBeGreaterThan(TIME_LIMITS.read.answer)
    for (const limits of Object.values(TIME_LIMITS)) expect(limits.total).toBeGreaterThanOrEqual(limits.answer)
  })
})
