/**
 * Opens the data on this computer. If its keychain is locked, missing or broken and a recovery key exists, the user may
 * type that: the database is then opened for this run with its key in memory only, and all other keychain entries
 * refuse until the keychain works again. Otherwise the data stay locked, as without a recovery key.
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
  /** Its current state. */
  keychainState: () => KeychainState
  /**
   * For a run opened with a recovery key: checks whether the keychain works again, and if so makes its entries
   * available.
   */
  lookAgain?: (() => Promise<KeychainState>) | undefined
  /** The user was asked, and continues without the data stored here. */
  isWithout?: true | undefined
}

/**
 * What the user can do about locked data. Each option that resolves has opened something; no other is called after it.
 */
export interface LockedWays {
  reason: KeychainReason
  /** @throws AppFailure `keychain` if nothing has changed. */
  tryAgain: () => Promise<void>
  /** @throws AppFailure `invalid`, `gone`, `storage`, `no-space`, `not-writable`; FileError. */
  recover: (typed: string) => Promise<void>
  /** Opens nothing: work is stored in memory only. */
  goOn: () => Promise<void>
}

export interface UnlockingDeps {
  /** The data folder. */
  folder: string
  now: () => number
  /** Checks the keychain. Never rejects. */
  openKeychain: () => Promise<{ keychain: Keychain; status: KeychainState }>
  /** Opens the database. @param key of the database, if not the keychain's. Never rejects. */
  openDatabase: (keychain: Keychain, key?: Uint8Array) => Promise<OpenedDatabase>
  /**
   * Tells the user that the data are locked; resolves once one of the options has succeeded. Without it, nobody is
   * asked.
   */
  ask?: (ways: LockedWays) => Promise<void>
}

/** Reasons that are the keychain's, and may be gone a moment later. */
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
      // Only now: if recording the recovery failed, the opened database isn't used.
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
  // It may have been available, but without the key.
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

/** @throws AppFailure if the key was right, but the data can't be opened for another reason. */
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

/** Why existing data can't be opened, if the keychain is the cause. */
function reasonOf({ storage, keychainState }: OpenedData): KeychainReason | undefined {
  const shut = storage.state === 'memory' && storage.hasData ? SHUT[storage.because] : undefined
  if (!shut) return undefined
  const state = keychainState()
  return state.state === 'unavailable' ? state.reason : shut
}

const ENTER = 'Enter the recovery key, or ask your administrator to look at the keychain.'
