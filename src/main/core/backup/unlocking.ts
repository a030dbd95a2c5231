/**
 * Opens what is kept on this computer. Where its keychain is locked, absent or broken and a recovery key was made, a person may type that:
 * then the database is opened for this run, with its key in memory alone, and every other entry of the keychain refuses until the
 * keychain is back. Where they don't, all is as without a recovery key: the data stay locked.
 */
import type { KeychainReason } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import type { OpenedDatabase } from '../storage/database.ts'
import type { MemoryReason } from '../storage/database-fault.ts'
import { type Keychain, type KeychainState, lateKeychain } from '../storage/keychain.ts'
import { hasRecoveryKey, recoverKey } from './recovery.ts'

export interface OpenedData {
  storage: OpenedDatabase
  keychain: Keychain
  /** What is known of it now. */
  keychainState: () => KeychainState
  /** Of a run that was opened by a recovery key: looks whether the keychain is back. From then on its entries are there. */
  lookAgain?: (() => Promise<KeychainState>) | undefined
  /** A person was asked, and goes on without what is kept here. */
  isWithout?: true | undefined
}

/** The ways on from data whose key the keychain doesn't give. Each that resolves has opened something, and none is asked for after it. */
export interface LockedWays {
  reason: KeychainReason
  /** @throws AppFailure `keychain` where it is as it was. */
  tryAgain: () => Promise<void>
  /** @throws AppFailure `invalid`, `gone`, `storage`, `no-space`, `not-writable`; FileError. */
  recover: (typed: string) => Promise<void>
  /** Nothing is opened: what is done is in memory only. */
  goOn: () => Promise<void>
}

export interface UnlockingDeps {
  /** The data folder. */
  folder: string
  now: () => number
  /** Looks at the keychain. Never rejects. */
  openKeychain: () => Promise<{ keychain: Keychain; status: KeychainState }>
  /** @param key of the database, where not the keychain's. Never rejects. */
  openDatabase: (keychain: Keychain, key?: Uint8Array) => Promise<OpenedDatabase>
  /** Shows a person that the data are locked; resolves once one of the ways has led on. Nobody is asked where it is left out. */
  ask?: (ways: LockedWays) => Promise<void>
}

/** Reasons that lie in the keychain, and that it may be free of a moment later. */
const SHUT: Partial<Record<MemoryReason, KeychainReason>> = {
  'no-keychain': 'missing',
  'keychain-locked': 'locked',
  'keychain-failed': 'failed'
}

export async function openData({ ask, ...deps }: UnlockingDeps): Promise<OpenedData> {
  const first = await opened(deps)
  const reason = reasonOf(first)
  if (!ask || !reason || !(await hasRecoveryKey(deps.folder))) return first
  let found = first
  const replace = (next: OpenedData) => {
    found.storage.db.close()
    found = next
  }
  await ask({
    reason,
    async tryAgain() {
      const next = await opened(deps)
      replace(next)
      if (reasonOf(next) === 'locked')
        fail('keychain', 'The keychain is still locked.', { next: 'Unlock it, then try again.' })
      if (reasonOf(next)) fail('keychain', 'This computer still has no working keychain.', { next: ENTER })
    },
    async recover(typed) {
      let next: OpenedData | undefined
      const keep = async (key: Uint8Array) => {
        next = await openedBy(key, found, deps)
        checkOpen(next.storage)
      }
      await recoverKey({ folder: deps.folder, now: deps.now(), keep }, typed).catch((error: unknown) => {
        next?.storage.db.close()
        throw error
      })
      // Only now: what was opened and can't be noted isn't gone on with.
      if (next) replace(next)
    },
    async goOn() {
      found = { ...found, isWithout: true }
    }
  })
  return found
}

type Parts = Omit<UnlockingDeps, 'ask'>

async function opened({ openKeychain, openDatabase }: Parts): Promise<OpenedData> {
  const { keychain, status } = await openKeychain()
  return { storage: await openDatabase(keychain), keychain, keychainState: () => status }
}

async function openedBy(
  key: Uint8Array,
  before: OpenedData,
  { openKeychain, openDatabase }: Parts
): Promise<OpenedData> {
  const { keychain, look } = lateKeychain({
    databaseKey: Buffer.from(key).toString('hex'),
    found: reasonOf(before) ?? 'failed',
    look: openKeychain
  })
  let state = before.keychainState()
  // It may have been there, and not have given the key.
  if (state.state === 'available') state = { state: 'unavailable', reason: 'failed', detail: '' }
  return {
    storage: await openDatabase(keychain, key),
    keychain,
    keychainState: () => state,
    async lookAgain() {
      state = await look()
      return state
    }
  }
}

/** @throws AppFailure where the key was right, and the data can't be opened for another reason. */
function checkOpen(storage: OpenedDatabase): void {
  if (storage.state === 'encrypted') return
  const { because } = storage
  if (because === 'no-space') fail('no-space', 'The recovery key is right, but the disk is full.')
  if (because === 'not-writable')
    fail('not-writable', 'The recovery key is right, but Countersign can’t write to its data folder.')
  if (because === 'newer-version') {
    fail('storage', 'The recovery key is right, but a newer version of Countersign has used your data.', {
      next: 'Install the newest version, then enter the key again.'
    })
  }
  if (because === 'damaged') {
    fail('storage', 'The recovery key is right, but your data are damaged.', {
      next: 'Nothing was changed. Ask your administrator to make the keychain work, so that a copy or a backup can be used.'
    })
  }
  fail('storage', 'The recovery key is right, but your data can’t be opened now.', {
    next: 'Close other programs that may use them, then try again, or contact your administrator.'
  })
}

/** Why the data that are here can't be opened, where that is the keychain's doing. */
function reasonOf({ storage, keychainState }: OpenedData): KeychainReason | undefined {
  const shut = storage.state === 'memory' && storage.hasData ? SHUT[storage.because] : undefined
  if (!shut) return undefined
  const state = keychainState()
  return state.state === 'unavailable' ? state.reason : shut
}

const ENTER = 'Enter the recovery key, or ask your administrator to look at the keychain.'
