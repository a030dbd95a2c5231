/**
 * Opens the data on this computer. If its keychain is locked, missing or broken and a recovery key exists, the user may
 * type that: the database is then opened for this run with its key in memory only, and all other keychain entries
 * refuse until the keychain works again. Otherwise the data stay locked, as without a recovery key.
 */
import type { KeychainReason } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import type { OpenedDatabase } from '../storage/database.ts'
import type { MemoryReason } from '../storage/database-fault.ts'
import { deferredKeychain, type Keychain, type KeychainState } from '../storage/keychain.ts'
import { hasRecoveryKey, recoverKey } from './recovery-keys.ts'

export interface OpenedData {
  storage: OpenedDatabase
  keychain: Keychain
  keychainState: () => KeychainState
  /**
   * For a run opened with a recovery key: checks whether the keychain works again, and if so makes its entries
   * available.
   */
  recheckKeychain?: (() => Promise<KeychainState>) | undefined
  /** The user was asked, and continues without the data stored here. */
  isWithoutData?: true | undefined
}

/**
 * What the user can do about locked data. Each option that resolves has opened something; no other is called after it.
 */
export interface UnlockOptions {
  reason: KeychainReason
  /** @throws AppFailure `keychain` if nothing has changed. */
  retry: () => Promise<void>
  /** @throws AppFailure `invalid`, `gone`, `storage`, `no-space`, `not-writable`; FileError. */
  recover: (typed: string) => Promise<void>
  /** Opens nothing: work is stored in memory only. */
  continueWithoutData: () => Promise<void>
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
  ask?: (options: UnlockOptions) => Promise<void>
}

/** Reasons that are the keychain's, and may be gone a moment later. */
const KEYCHAIN_REASONS: Partial<Record<MemoryReason, KeychainReason>> = {
  'no-keychain': 'missing',
  'keychain-locked': 'locked',
  'keychain-failed': 'failed'
}

export async function openData({ ask, ...deps }: UnlockingDeps): Promise<OpenedData> {
  const first = await openWithKeychain(deps)
  const reason = reasonOf(first)
  if (!ask || !reason || !(await hasRecoveryKey(deps.folder))) return first
  let found = first
  const replace = (next: OpenedData) => {
    found.storage.db.close()
    found = next
  }
  await ask({
    reason,
    async retry() {
      const next = await openWithKeychain(deps)
      replace(next)
      if (reasonOf(next) === 'locked')
        fail('keychain', 'The keychain is still locked.', { next: 'Unlock it, then try again.' })
      if (reasonOf(next)) fail('keychain', 'This computer still has no working keychain.', { next: ENTER_KEY })
    },
    async recover(typed) {
      let next: OpenedData | undefined
      const keep = async (key: Uint8Array) => {
        next = await openWithKey(key, found, deps)
        checkOpen(next.storage)
      }
      await recoverKey({ folder: deps.folder, now: deps.now(), keep }, typed).catch((error: unknown) => {
        next?.storage.db.close()
        throw error
      })
      // Only now: if recording the recovery failed, the opened database isn't used.
      if (next) replace(next)
    },
    async continueWithoutData() {
      found = { ...found, isWithoutData: true }
    }
  })
  return found
}

type OpenDeps = Omit<UnlockingDeps, 'ask'>

async function openWithKeychain({ openKeychain, openDatabase }: OpenDeps): Promise<OpenedData> {
  const { keychain, status } = await openKeychain()
  return { storage: await openDatabase(keychain), keychain, keychainState: () => status }
}

async function openWithKey(
  key: Uint8Array,
  before: OpenedData,
  { openKeychain, openDatabase }: OpenDeps
): Promise<OpenedData> {
  const { keychain, check } = deferredKeychain({
    databaseKey: Buffer.from(key).toString('hex'),
    found: reasonOf(before) ?? 'failed',
    check: openKeychain
  })
  let state = before.keychainState()
  // It may have been available, but without the key.
  if (state.state === 'available') state = { state: 'unavailable', reason: 'failed', detail: '' }
  return {
    storage: await openDatabase(keychain, key),
    keychain,
    keychainState: () => state,
    async recheckKeychain() {
      state = await check()
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
    fail('storage', 'The recovery key is right, but your data is damaged.', {
      next: 'Nothing was changed. Ask your administrator to make the keychain work, so that a copy or a backup can be used.'
    })
  }
  fail('storage', 'The recovery key is right, but your data can’t be opened now.', {
    next: 'Close other programs that may be using it, then try again, or contact your administrator.'
  })
}

/** Why existing data can't be opened, if the keychain is the cause. */
function reasonOf({ storage, keychainState }: OpenedData): KeychainReason | undefined {
  const keychainReason = storage.state === 'memory' && storage.hasData ? KEYCHAIN_REASONS[storage.because] : undefined
  if (!keychainReason) return undefined
  const state = keychainState()
  return state.state === 'unavailable' ? state.reason : keychainReason
}

const ENTER_KEY = 'Enter the recovery key, or ask your administrator to look at the keychain.'
