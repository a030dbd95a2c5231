/**
 * Run as a program whose parent takes its Secret Service away and brings it back: it opens the keychain, makes the calls
 * that its parent asks for, and answers what each gave, or the error that a person would see.
 */
import keytar from 'keytar'
import { asAppError } from '../../../src/main/core/errors/app-error.ts'
import { deferredKeychain, type Keychain } from '../../../src/main/core/storage/keychain.ts'
import { openKeychainCalls, openKeytarKeychain } from '../../../src/main/core/storage/keytar-keychain.ts'
import type { AppError } from '../../../src/shared/contract/index.ts'

/** What a call gave, or the error that a person would see. */
export type CallResult = { value: unknown } | { error: AppError }

/** Names of calls and their arguments: made at once, answered together. */
export type Calls = [name: keyof typeof calls, ...args: string[]][]

let keychain: Keychain
const turns = openKeychainCalls()
const openKeychain = () => openKeytarKeychain(async () => keytar, { calls: turns })
/** As after opening the data with the recovery key. */
const deferred = deferredKeychain({ databaseKey: 'key', found: 'missing', check: openKeychain })

const calls = {
  /** As a start does, and *Try again*. */
  async open() {
    const opened = await openKeychain()
    keychain = opened.keychain
    return opened.status.state
  },
  /** As *Check again* does. */
  async recheck() {
    const { state } = await deferred.check()
    if (state === 'available') keychain = deferred.keychain
    return state
  },
  get: (id: string) => keychain.accounts.get(id),
  set: (id: string, secret: string) => keychain.accounts.set(id, secret),
  delete: (id: string) => keychain.accounts.delete(id),
  databaseKey: () => keychain.databaseKey.get(),
  /** Reads and writes without end, several at a time, whatever the keychain answers. */
  workOn(id: string) {
    const forever = async (call: () => Promise<unknown>) => {
      for (;;) await call().catch(() => new Promise((resolve) => setTimeout(resolve, 5)))
    }
    for (const call of [
      () => keychain.accounts.set(id, 'x'),
      () => keychain.accounts.get(id),
      keychain.databaseKey.get
    ])
      void forever(call)
  },
  /** Writes one secret after another until the first error, and answers how many the keychain took. */
  async setMany(id: string) {
    for (let count = 0; ; count++) {
      process.send?.('writing')
      const isStored = await keychain.accounts.set(id, String(count).repeat(500)).then(
        () => true,
        () => false
      )
      if (!isStored) return count
    }
  }
}

process.on('message', async (asked: Calls) => {
  const results = asked.map(async ([name, ...args]): Promise<CallResult> => {
    try {
      return { value: (await (calls[name] as (...args: string[]) => unknown)(...args)) ?? null }
    } catch (error) {
      return { error: asAppError(error) }
    }
  })
  process.send?.(await Promise.all(results))
})
