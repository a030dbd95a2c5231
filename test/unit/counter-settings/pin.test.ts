import { scryptSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { FULL_COST } from '../../../src/main/core/counter/pin-hash.ts'
import { KeychainError, memoryKeychain, type SecretSlot } from '../../../src/main/core/storage/keychain.ts'
import { lastingKeychain, troubledKeychain } from '../storage/keychains.ts'
import { LITTLE_COST, MINUTE, pinOffice, SECOND } from './office.ts'

const PIN = '74918'
const refusal = (error: object) => ({ appError: error })

/** Returns an office with a PIN, and a run of the application. */
async function withPin(change: Parameters<typeof pinOffice>[0] = {}) {
  const office = pinOffice(change)
  const pin = office.run()
  await pin.set(PIN)
  office.notes.length = 0
  return { ...office, pin }
}

/** Enters wrong PINs, each as soon as one is accepted for checking. */
async function wrongly(office: Awaited<ReturnType<typeof withPin>>, times: number) {
  const answers = []
  for (let time = 0; time < times; time++) {
    const { waitUntil } = await office.pin.state()
    if (waitUntil !== undefined) await office.time.pass(waitUntil - office.time.now + 1)
    answers.push(await office.pin.check('0001'))
  }
  return answers
}

describe('the PIN', () => {
  test('is not set at first, and nothing is accepted', async () => {
    const pin = pinOffice().run()
    expect(await pin.state()).toEqual({ isSet: false, keptIn: 'keychain', reset: 'none', canReset: true })
    expect(await pin.check('')).toEqual({ ok: false, code: 'no-pin' })
    expect(await pin.check(PIN)).toEqual({ ok: false, code: 'no-pin' })
  })

  test('once set is the only one accepted, even after a restart', async () => {
    const { run, pin } = await withPin()
    expect(await pin.check('7491')).toMatchObject({ ok: false, code: 'wrong-pin' })
    expect(await pin.check(PIN)).toEqual({ ok: true })
    expect(await run().check(PIN)).toEqual({ ok: true })
    expect(await run().check(`${PIN} `)).toMatchObject({ ok: false })
  })

  test('isn’t accepted if it was replaced while being checked', async () => {
    const other = pinOffice()
    await other.run().set('60417')
    let storedSecret: string | null = null
    let cameMeanwhile: string | undefined
    const slot: SecretSlot = {
      get: async () => storedSecret,
      async set(secret) {
        storedSecret = secret
        // After the attempt is counted, and before scrypt finishes.
        queueMicrotask(() => {
          storedSecret = cameMeanwhile ?? storedSecret
          cameMeanwhile = undefined
        })
      },
      delete: async () => undefined
    }
    const pin = pinOffice({ slot }).run()
    await pin.set(PIN)
    cameMeanwhile = JSON.stringify(other.storedPin())
    expect(await pin.check(PIN)).toMatchObject({ ok: false, code: 'wrong-pin' })
    expect(await pin.check('60417')).toEqual({ ok: true })
  })

  test('is stored as a salted scrypt hash at full cost, and setting it is recorded', async () => {
    const one = pinOffice({ cost: FULL_COST })
    const other = pinOffice({ cost: FULL_COST })
    for (const { run } of [one, other]) await run().set(PIN)
    const { n, r, p, salt, key } = one.storedPin().hash
    expect(n).toBeGreaterThanOrEqual(2 ** 15)
    expect([r, p]).toEqual([8, 3])
    const hash = scryptSync(PIN, Buffer.from(salt, 'hex'), 32, { N: n, r, p, maxmem: 2 ** 27 })
    expect(key).toBe(hash.toString('hex'))
    expect(other.storedPin().hash.salt).not.toBe(salt)
    expect(JSON.stringify(one.storedPin())).not.toContain(PIN)
    expect(one.notes).toEqual([{ what: 'pin-set', detail: { how: 'the first' } }])
    expect(await one.run().check(PIN)).toEqual({ ok: true })
  })

  test('stored at a lower cost is accepted, and then stored at the current cost', async () => {
    const { run, storedPin } = await withPin()
    expect(await run({ cost: { ...LITTLE_COST, n: 2 ** 12 } }).check(PIN)).toEqual({ ok: true })
    expect(storedPin().hash.n).toBe(2 ** 12)
    expect(await run().check(PIN)).toEqual({ ok: true })
    expect(storedPin().hash.n).toBe(2 ** 12)
  })

  test('can be replaced only with the current one', async () => {
    const { pin, notes } = await withPin()
    await expect(pin.set('60417')).rejects.toMatchObject(refusal({ code: 'invalid', fields: [{ field: 'current' }] }))
    await expect(pin.set('60417', '0001')).rejects.toMatchObject(refusal({ code: 'wrong-pin' }))
    expect(notes).toEqual([{ what: 'pin-wrong', detail: { where: 'choosing a new PIN' } }])
    expect(await pin.check(PIN)).toEqual({ ok: true })
    expect(await pin.set('60417', PIN)).toMatchObject({ isSet: true })
    expect(notes.at(-1)).toEqual({ what: 'pin-set', detail: { how: 'in place of another' } })
    expect(await pin.check(PIN)).toMatchObject({ ok: false })
    expect(await pin.check('60417')).toEqual({ ok: true })
  })

  test('is refused with a reason if it is a common one, and the current one stays', async () => {
    const { pin } = await withPin()
    await expect(pin.set('1234', PIN)).rejects.toMatchObject(
      refusal({ code: 'invalid', fields: [{ field: 'pin', message: expect.stringMatching(/consecutive digits/) }] })
    )
    expect(await pin.check(PIN)).toEqual({ ok: true })
  })

  test('without a keychain is kept in memory, and reported so', async () => {
    const slot = memoryKeychain().staffPin
    const { run } = pinOffice({ slot, keeps: 'in-memory' })
    const pin = run()
    expect(await pin.set(PIN)).toMatchObject({ isSet: true, keptIn: 'memory' })
    expect(await pin.check(PIN)).toEqual({ ok: true })
  })
})

describe('after wrong PINs', () => {
  test('after three tries each wrong one delays the next, up to five minutes', async () => {
    const office = await withPin()
    const answers = await wrongly(office, 9)
    expect(answers.every((answer) => !answer.ok && answer.code === 'wrong-pin')).toBe(true)
    expect(answers.map((answer) => 'waitUntil' in answer)).toEqual([false, false, ...Array(7).fill(true)])
    const { waitUntil } = await office.pin.state()
    expect(waitUntil).toBeGreaterThan(office.time.now + 299 * SECOND)
    expect(waitUntil).toBeLessThanOrEqual(office.time.now + 300 * SECOND)
  })

  test.each([
    [3, 5],
    [4, 15],
    [5, 30],
    [6, 60],
    [7, 300],
    [20, 300]
  ])('%i of them block even the right PIN for %i seconds', async (times, seconds) => {
    const office = await withPin()
    await wrongly(office, times)
    await office.time.pass(seconds * SECOND - 100)
    expect(await office.pin.check(PIN)).toMatchObject({ ok: false, code: 'pin-wait', waitUntil: expect.any(Number) })
    await office.time.pass(100)
    expect(await office.pin.check(PIN)).toEqual({ ok: true })
  })

  test('the right PIN resets the count', async () => {
    const office = await withPin()
    await wrongly(office, 5)
    await office.time.pass(30 * SECOND)
    expect(await office.pin.check(PIN)).toEqual({ ok: true })
    const answers = await wrongly(office, 2)
    expect(answers).toEqual([
      { ok: false, code: 'wrong-pin' },
      { ok: false, code: 'wrong-pin' }
    ])
  })

  test('tries during the delay neither count nor prolong it', async () => {
    const office = await withPin()
    await wrongly(office, 3)
    for (let time = 0; time < 20; time++) await office.pin.check('0001')
    await office.time.pass(5 * SECOND)
    expect(await office.pin.check(PIN)).toEqual({ ok: true })
  })

  test('the delay survives a restart', async () => {
    const office = await withPin()
    await wrongly(office, 7)
    await office.time.pass(100 * SECOND)
    const next = office.run()
    expect(await next.check(PIN)).toMatchObject({ ok: false, code: 'pin-wait' })
    await office.time.pass(199 * SECOND)
    expect(await next.check(PIN)).toMatchObject({ ok: false, code: 'pin-wait' })
    await office.time.pass(2 * SECOND)
    expect(await next.check(PIN)).toEqual({ ok: true })
  })

  test('ending the application before the comparison doesn’t avoid counting', async () => {
    const office = await withPin()
    const real = lastingKeychain(office.entries).staffPin
    for (let time = 0; time < 3; time++) {
      const ended = Promise.withResolvers<void>()
      // The process ends as soon as the attempt is stored: nothing after that happens.
      const slot: SecretSlot = {
        ...real,
        set: async (secret) => {
          await real.set(secret)
          ended.resolve()
          return new Promise<never>(() => undefined)
        }
      }
      void office.run({ slot }).check('0001')
      await ended.promise
    }
    expect(await office.run().check(PIN)).toMatchObject({ ok: false, code: 'pin-wait' })
  })

  test('simultaneous tries are checked one after the other', async () => {
    const office = await withPin()
    const answers = await Promise.all(Array.from({ length: 6 }, () => office.pin.check('0001')))
    expect(answers.map((answer) => !answer.ok && answer.code)).toEqual([
      ...['wrong-pin', 'wrong-pin', 'wrong-pin'],
      ...['pin-wait', 'pin-wait', 'pin-wait']
    ])
    expect(office.storedPin().wrong).toBe(3)
  })

  test('choosing a new PIN is delayed, too', async () => {
    const office = await withPin()
    await wrongly(office, 3)
    await expect(office.pin.set('60417', PIN)).rejects.toMatchObject(
      refusal({ code: 'pin-wait', retryAfterMs: expect.any(Number) })
    )
  })
})

describe('a clock changed by someone', () => {
  test('set back during the delay neither shortens nor prolongs it', async () => {
    const office = await withPin()
    await wrongly(office, 7)
    office.time.now -= 24 * 60 * MINUTE
    await office.time.pass(299 * SECOND)
    expect(await office.pin.check(PIN)).toMatchObject({ ok: false, code: 'pin-wait' })
    await office.time.pass(2 * SECOND)
    expect(await office.pin.check(PIN)).toEqual({ ok: true })
  })

  test('set forward during the delay doesn’t shorten it', async () => {
    const office = await withPin()
    await wrongly(office, 7)
    office.time.now += 24 * 60 * MINUTE
    expect(await office.pin.check(PIN)).toMatchObject({ ok: false, code: 'pin-wait' })
  })

  test('set back between two runs restarts the delay, but doesn’t extend it', async () => {
    const office = await withPin()
    await wrongly(office, 7)
    office.time.now -= 365 * 24 * 60 * MINUTE
    const next = office.run()
    const answer = await next.check(PIN)
    expect(answer).toMatchObject({ ok: false, code: 'pin-wait' })
    expect(!answer.ok && answer.waitUntil).toBeLessThanOrEqual(office.time.now + 300 * SECOND)
    await office.time.pass(299 * SECOND)
    expect(await next.check(PIN)).toMatchObject({ ok: false, code: 'pin-wait' })
    await office.time.pass(2 * SECOND)
    expect(await next.check(PIN)).toEqual({ ok: true })
  })
})

describe('a failing keychain', () => {
  test.each(['locked', 'failed'] as const)('that is %s unlocks nothing, and its error is reported', async (code) => {
    const { run } = await withPin()
    const pin = run({ slot: troubledKeychain(code).staffPin })
    await expect(pin.check(PIN)).rejects.toMatchObject({ name: 'KeychainError', code })
    await expect(pin.state()).rejects.toMatchObject({ code })
    await expect(pin.set('60417', PIN)).rejects.toMatchObject({ code })
  })

  test('that can’t store the try prevents checking it', async () => {
    const { run, entries } = await withPin()
    const slot: SecretSlot = {
      ...lastingKeychain(entries).staffPin,
      set: () => Promise.reject(new KeychainError('failed', 'Not now.'))
    }
    await expect(run({ slot }).check(PIN)).rejects.toMatchObject({ code: 'failed' })
  })

  test('is read again the next time', async () => {
    const { run, entries } = await withPin()
    const real = lastingKeychain(entries).staffPin
    let isLocked = true
    const get = () => (isLocked ? Promise.reject(new KeychainError('locked', 'Not now.')) : real.get())
    const pin = run({ slot: { ...real, get } })
    await expect(pin.check(PIN)).rejects.toMatchObject({ code: 'locked' })
    isLocked = false
    expect(await pin.check(PIN)).toEqual({ ok: true })
  })

  test.each([
    ['no JSON', '74918'],
    ['another shape', '{"pin":"74918"}'],
    ['no hash', '{"hash":{"n":1024,"r":8,"p":1,"salt":"","key":""},"wrong":0,"triedAt":0}'],
    [
      'a cost that would take all memory',
      `{"hash":{"n":1073741824,"r":8,"p":1,"salt":"${'a'.repeat(32)}","key":"${'b'.repeat(64)}"},"wrong":0,"triedAt":0}`
    ]
  ])('whose entry holds %s counts as set, but no PIN is accepted', async (_, text) => {
    const { run, entries } = pinOffice()
    entries.set('staff-pin', text)
    const pin = run()
    expect(await pin.state()).toMatchObject({ isSet: true })
    await expect(pin.check(PIN)).rejects.toMatchObject(refusal({ code: 'keychain' }))
    await expect(pin.set('60417')).rejects.toMatchObject(refusal({ code: 'invalid' }))
    await expect(pin.set('60417', PIN)).rejects.toMatchObject(refusal({ code: 'keychain' }))
    expect(entries.get('staff-pin')).toBe(text)
  })
})

describe('a forgotten PIN', () => {
  test('can be replaced after requesting it, locking the computer and signing in again', async () => {
    const { pin, notes, notified } = await withPin()
    expect(await pin.reset()).toMatchObject({ reset: 'asked' })
    await expect(pin.set('60417')).rejects.toMatchObject(refusal({ code: 'invalid' }))
    pin.screenLocked()
    expect(await pin.state()).toMatchObject({ reset: 'asked' })
    pin.screenUnlocked()
    expect(await pin.state()).toMatchObject({ reset: 'allowed' })
    expect(notified.changed).toBe(2)
    expect(await pin.set('60417')).toMatchObject({ isSet: true, reset: 'none' })
    expect(await pin.check('60417')).toEqual({ ok: true })
    expect(notes).toEqual([
      { what: 'pin-reset', detail: { how: 'asked for' } },
      { what: 'pin-reset', detail: { how: 'after signing in to the computer' } }
    ])
    await expect(pin.set('83920')).rejects.toMatchObject(refusal({ code: 'invalid' }))
  })

  test('can be replaced without the delay, which ends it', async () => {
    const office = await withPin()
    await wrongly(office, 7)
    await office.pin.reset()
    office.pin.screenLocked()
    office.pin.screenUnlocked()
    expect(await office.pin.set('60417')).not.toHaveProperty('waitUntil')
    expect(await office.pin.check('60417')).toEqual({ ok: true })
  })

  test('can’t be replaced after a lock before the request, by unlocking alone, or unrequested', async () => {
    const { pin, notified } = await withPin()
    pin.screenLocked()
    await pin.reset()
    pin.screenUnlocked()
    expect(await pin.state()).toMatchObject({ reset: 'asked' })
    const other = (await withPin()).pin
    other.screenLocked()
    other.screenUnlocked()
    expect(await other.state()).toMatchObject({ reset: 'none' })
    expect(notified.changed).toBe(0)
  })

  test('can be replaced within two minutes only', async () => {
    const { pin, time } = await withPin()
    await pin.reset()
    pin.screenLocked()
    pin.screenUnlocked()
    await time.pass(2 * MINUTE - SECOND)
    expect(await pin.state()).toMatchObject({ reset: 'allowed' })
    await time.pass(SECOND)
    expect(await pin.state()).toMatchObject({ reset: 'none' })
    await expect(pin.set('60417')).rejects.toMatchObject(refusal({ code: 'invalid' }))
  })

  test('can’t be replaced if the request is too old', async () => {
    const { pin, time } = await withPin()
    await pin.reset()
    await time.pass(10 * MINUTE)
    pin.screenLocked()
    pin.screenUnlocked()
    expect(await pin.state()).toMatchObject({ reset: 'none' })
  })

  test('needs a new request after a restart', async () => {
    const { pin, run } = await withPin()
    await pin.reset()
    const next = run()
    next.screenLocked()
    next.screenUnlocked()
    expect(await next.state()).toMatchObject({ reset: 'none' })
  })

  test('must be reset by the administrator if the system doesn’t report signing in', async () => {
    const { pin, entries } = await withPin({ platform: 'linux' })
    expect(await pin.state()).toMatchObject({ canReset: false })
    await expect(pin.reset()).rejects.toMatchObject(refusal({ code: 'bad-input' }))
    pin.screenLocked()
    pin.screenUnlocked()
    expect(await pin.state()).toMatchObject({ reset: 'none' })
    // What administrators do: remove the entry from the keychain.
    entries.delete('staff-pin')
    expect(await pin.state()).toMatchObject({ isSet: false })
    expect(await pin.set('60417')).toMatchObject({ isSet: true })
  })

  test('can’t be reset if none was set', async () => {
    const pin = pinOffice().run()
    expect(await pin.reset()).toMatchObject({ isSet: false, reset: 'none' })
  })
})
