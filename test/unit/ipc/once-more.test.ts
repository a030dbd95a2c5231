import { expect, test } from 'vitest'
import { AppFailure } from '../../../src/main/core/lib/failure.ts'
import { KeychainError } from '../../../src/main/core/storage/keychain.ts'
import { withKeychainRetry } from '../../../src/main/ipc/counter.ts'

test('entering a PIN rechecks the keychain once, and the PIN is verified if the keychain is back', async () => {
  const is = { back: true, error: new KeychainError('locked', 'Not now.') as Error }
  const done: string[] = []
  const judged = async (pin: string) => {
    done.push(`judged ${pin}`)
    if (done.length === 1) throw is.error
    return 'open'
  }
  const other = async (): Promise<string> => Promise.reject(is.error)
  const made = () =>
    withKeychainRetry(async () => {
      done.push('looked')
      return is.back
    })({ 'counter.unlock': judged, other }, 'counter.unlock')
  expect(await made()['counter.unlock']('1')).toBe('open')
  expect(done.splice(0)).toEqual(['judged 1', 'looked', 'judged 1'])
  await expect(made().other()).rejects.toBe(is.error)
  is.back = false
  await expect(made()['counter.unlock']('2')).rejects.toBe(is.error)
  expect(done.splice(0)).toEqual(['judged 2', 'looked'])
  // Errors that aren't the keychain's aren't retried.
  is.error = new AppFailure({ code: 'wrong-pin', message: 'Wrong PIN.' })
  await expect(made()['counter.unlock']('3')).rejects.toBe(is.error)
  expect(done).toEqual(['judged 3'])
})
