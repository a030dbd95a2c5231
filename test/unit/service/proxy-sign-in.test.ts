/** Signing in to the office's proxies: which credentials each gets, how often, and when a person is asked. */
import { describe, expect, test } from 'vitest'
import { memoryKeychain } from '../../../src/main/core/storage/keychain.ts'
import { GRACE, NAME, OFFICE, opened, signedIn } from './proxy-office.ts'

/** Waits until all pending microtasks have run. */
const atRest = () => new Promise((resolve) => setImmediate(resolve))

describe('a proxy that requires a sign-in', () => {
  test('waits for a person if no credentials are known, and is announced once', async () => {
    const { signIns, changes } = opened()
    for (let request = 0; request < 3; request++) {
      expect(await signIns.forRequest().answer(OFFICE)).toBeUndefined()
    }
    expect(signIns.waiting()).toEqual({ proxy: NAME, wasRefused: false })
    expect(changes()).toBe(1)
  })

  test('gets the entered credentials, in the next run too', async () => {
    const { signIns, slot } = await signedIn()
    expect(signIns.waiting()).toBeUndefined()
    expect(await signIns.forRequest().answer(OFFICE)).toEqual(GRACE)
    expect(await opened(slot).signIns.forRequest().answer(OFFICE)).toEqual(GRACE)
  })

  test('that rejects them has them forgotten, and a person is asked again', async () => {
    const { signIns, slot } = await signedIn()
    const request = signIns.forRequest()
    expect(await request.answer(OFFICE)).toEqual(GRACE)
    expect(await request.answer(OFFICE)).toBeUndefined()
    request.finish('failed')
    expect(signIns.waiting()).toEqual({ proxy: NAME, wasRefused: true })
    expect(await signIns.forRequest().answer(OFFICE)).toBeUndefined()
    await expect.poll(() => slot.get()).toBe('{}')
    await signIns.signIn({ ...GRACE, password: 'right' })
    expect(await signIns.forRequest().answer(OFFICE)).toEqual({ ...GRACE, password: 'right' })
  })

  test('gets unproven credentials from one request only, however many are waiting', async () => {
    const { signIns } = await signedIn()
    const first = signIns.forRequest()
    const shown = [await first.answer(OFFICE)]
    const others = Array.from({ length: 5 }, () => signIns.forRequest())
    const waiting = Promise.all(others.map((one) => one.answer(OFFICE)))
    expect(await first.answer(OFFICE)).toBeUndefined()
    first.finish('failed')
    expect(await waiting).toEqual(Array(5).fill(undefined))
    expect(shown).toEqual([GRACE])
  })

  test('that accepts them lets the other waiting requests go on', async () => {
    const { signIns } = await signedIn()
    const first = signIns.forRequest()
    await first.answer(OFFICE)
    const waiting = signIns.forRequest().answer(OFFICE)
    await atRest()
    first.finish('answered')
    expect(await waiting).toEqual(GRACE)
    expect(await signIns.forRequest().answer(OFFICE)).toEqual(GRACE)
  })

  test('that rejects them isn’t waited for if several requests read them from the keychain at once', async () => {
    const { slot } = await signedIn()
    const { signIns } = opened(slot)
    const [first, second] = [signIns.forRequest(), signIns.forRequest()]
    const shown = first.answer(OFFICE)
    const waiting = second.answer(OFFICE)
    expect(await shown).toEqual(GRACE)
    await atRest()
    const again = await Promise.race([first.answer(OFFICE), atRest().then(() => 'waits for itself')])
    expect(again).toBeUndefined()
    first.finish('failed')
    expect(await waiting).toBeUndefined()
    expect(signIns.waiting()).toEqual({ proxy: NAME, wasRefused: true })
  })

  test('is tried by the next request if the first was abandoned', async () => {
    const { signIns } = await signedIn()
    const first = signIns.forRequest()
    await first.answer(OFFICE)
    const waiting = signIns.forRequest().answer(OFFICE)
    await atRest()
    first.finish('failed')
    expect(await waiting).toEqual(GRACE)
  })
})

test('nothing is stored if no proxy is waiting', async () => {
  const { signIns, slot } = opened()
  await expect(signIns.signIn(GRACE)).rejects.toMatchObject({ appError: { code: 'not-allowed' } })
  expect(await slot.get()).toBeNull()
})

test('credentials that the keychain can’t store are used until the application ends', async () => {
  const slot = { ...memoryKeychain().proxies, set: () => Promise.reject(new Error('It is shut.')) }
  const { signIns } = opened(slot)
  await signIns.forRequest().answer(OFFICE)
  await expect(signIns.signIn(GRACE)).rejects.toThrow('It is shut.')
  expect(await signIns.forRequest().answer(OFFICE)).toEqual(GRACE)
})
