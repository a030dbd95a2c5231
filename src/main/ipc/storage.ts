/** Requests about data on this computer. Paths and keys stay in the main process. */
import type { MemoryReason } from '../../shared/contract/index.ts'
import { BACKUP_EXTENSION } from '../core/backup/backup.ts'
import type { Backups } from '../core/backup/backups.ts'
import type { RecoveryKeys } from '../core/backup/recovery-keys.ts'
import type { RollingCopies } from '../core/backup/rolling-copies.ts'
import type { BackupSchedule } from '../core/backup/schedule.ts'
import { fail } from '../core/lib/failure.ts'
import { type OpenedDatabase, storedKey } from '../core/storage/database.ts'
import type { Keychain, KeychainState } from '../core/storage/keychain.ts'
import type { OpenedKeychain } from '../core/storage/keytar-keychain.ts'
import type { StoreTroubles } from '../core/storage/store-troubles.ts'
import type { Dialogs } from './dialogs.ts'
import type { HandlersOf } from './registration.ts'

const BACKUPS = { name: 'Backups of Countersign', extensions: [BACKUP_EXTENSION] as [string] }

export interface StorageParts extends Pick<Dialogs, 'chooseFiles' | 'chooseSaveFile'> {
  backups: Backups
  schedule: Pick<BackupSchedule, 'view' | 'offerFolder' | 'set' | 'runNow' | 'existingBackups'>
  copies: Pick<RollingCopies, 'list' | 'stage' | 'use'>
  recoveryKeys: Pick<RecoveryKeys, 'view' | 'setPaperKey' | 'changeKey' | 'dismissOffer'>
  /** Whether someone is signing at the counter. */
  isSigning: () => boolean
  /** Recovers the database's key with a recovery key, and stores it. */
  recoverKey: (typed: string, keychain: Keychain) => Promise<void>
  chooseFolder: (title: string, stillAsking: () => boolean) => Promise<string | undefined>
  /** Today in the office's time zone: `2026-11-24`. */
  today: () => string
  storage: OpenedDatabase
  troubles: Pick<StoreTroubles, 'dismiss'>
  /** Checks the keychain as a start does. */
  openKeychain: () => Promise<Pick<OpenedKeychain, 'keychain' | 'status'>>
  /** For a run opened with a recovery key: checks whether the keychain is back. */
  recheckKeychain: () => Promise<KeychainState>
  /** Sets the database aside. */
  startEmpty: () => Promise<unknown>
  /** Number of packages that are unsent, or may be. */
  unsent: () => number
  /** Schedules removing everything for the next start. */
  scheduleRemoval: (backups: boolean) => Promise<void>
  /** Restarts the application, unless the user stays; `beforeRestart` runs as it ends, while the database is open. */
  restart: (beforeRestart?: () => Promise<void>) => void
}

export function storageHandlers({
  storage,
  troubles,
  backups,
  schedule,
  copies,
  recoveryKeys,
  openKeychain,
  ...parts
}: StorageParts): HandlersOf<'storage'> {
  /** @throws AppFailure if the keychain can't be used now. */
  async function requireKeychain(): Promise<Keychain> {
    const { keychain, status } = await openKeychain()
    requireAvailable(status)
    return keychain
  }

  function requireAvailable(status: KeychainState): void {
    if (status.state === 'available') return
    if (status.hasOtherKey) {
      fail('keychain', 'The keychain works, but the encryption key in it isn’t the one for the data that is open.', {
        next: 'Restart Countersign, and enter the recovery key in Settings to replace that key.'
      })
    }
    if (status.reason === 'locked')
      fail('keychain', 'The keychain is still locked.', { next: 'Unlock it, then try again.' })
    // One that was there and stopped can be reached only after a restart: see `noticingStop`.
    fail('keychain', 'This computer still has no working keychain.', {
      next: 'If it should work, restart Countersign. Otherwise, ask your administrator to look at this computer’s keychain.'
    })
  }

  /** @throws AppFailure if someone signs, whom a restart would interrupt. */
  function refuseWhileSigning(): void {
    if (parts.isSigning())
      fail('busy', 'Someone is signing at the counter.', { next: 'Try again when they’ve finished.' })
  }

  /** @throws AppFailure if a restart wouldn't help. */
  async function checkKeychain(): Promise<void> {
    const keychain = await requireKeychain()
    if ((await storedKey(keychain)) === undefined && storage.state === 'memory' && storage.hasData) {
      fail('keychain', 'The keychain works, but the key to your data isn’t in it.', { next: ASK_ADMINISTRATOR })
    }
  }

  return {
    'storage.tryAgain': async () => {
      if (storage.state === 'encrypted') return
      await checkKeychain()
      parts.restart()
    },
    'storage.recovery': () => recoveryKeys.view(),
    'storage.dismissRecoveryOffer': async () => recoveryKeys.dismissOffer(),
    'storage.keepRecoveryKey': async ({ key }) => {
      backups.checkBackupPossible()
      await recoveryKeys.setPaperKey(key)
    },
    'storage.changeKey': async ({ key }) => {
      backups.checkBackupPossible()
      refuseWhileSigning()
      await recoveryKeys.changeKey(key)
      parts.restart()
    },
    'storage.removal': async () => ({
      unsent: parts.unsent(),
      backups: schedule.existingBackups().length
    }),
    'storage.remove': async ({ backups: withBackups, unsent }) => {
      refuseWhileSigning()
      const refuseOthersUnsent = () => {
        if (parts.unsent() <= unsent) return
        fail('not-allowed', 'Packages in the Outbox haven’t been sent, and would be lost.', {
          next: 'Send or delete them first, or confirm that they may be lost.'
        })
      }
      refuseOthersUnsent()
      parts.restart(async () => {
        // Drop folders add packages until the application ends, and one that was being sent may be uncertain by now.
        refuseOthersUnsent()
        await parts.scheduleRemoval(withBackups)
      })
    },
    'storage.recover': async ({ key }) => {
      if (storage.state === 'encrypted') fail('not-allowed', 'Your data is open already.')
      await parts.recoverKey(key, await requireKeychain())
      parts.restart()
    },
    'storage.continueWithout': async () => undefined,
    'storage.lookForKeychain': async () => requireAvailable(await parts.recheckKeychain()),
    'storage.startEmpty': async () => {
      if (storage.state === 'encrypted' || !MAY_BE_SET_ASIDE.has(storage.because))
        fail('not-allowed', 'Your data can still be opened, so it wasn’t set aside.')
      await parts.startEmpty()
      parts.restart()
    },
    'storage.copies': () => copies.list(),
    'storage.useCopy': async ({ name }) => {
      refuseWhileSigning()
      const stage = await copies.stage(name)
      parts.restart(() => copies.use(stage))
    },
    'storage.dismiss': async ({ name }) => troubles.dismiss(name),
    'storage.backUp': async (input, { stillAsking }) => {
      backups.checkBackupPossible()
      const suggested = `Countersign ${parts.today()}.${BACKUP_EXTENSION}`
      const path = await parts.chooseSaveFile('Save the backup', suggested, [BACKUPS], stillAsking)
      if (path === undefined) return null
      return { name: await backups.make(path, input) }
    },
    'storage.chooseBackup': async (_input, { stillAsking }) => {
      const [path] = await parts.chooseFiles('Choose a backup', [BACKUPS], stillAsking)
      return path === undefined ? null : backups.open(path)
    },
    'storage.checkBackup': ({ id, passphrase }) => backups.check(id, passphrase),
    'storage.restore': async ({ id }) => {
      refuseWhileSigning()
      backups.requireChecked(id)
      parts.restart(() => backups.restore(id))
    },
    'storage.closeBackup': ({ id }) => backups.close(id),
    'storage.backups': () => schedule.view(),
    'storage.chooseBackupFolder': async (_nothing, { stillAsking }) => {
      const path = await parts.chooseFolder('Where backups go', stillAsking)
      return path === undefined ? null : schedule.offerFolder(path)
    },
    'storage.scheduleBackups': async (input) => {
      backups.checkBackupPossible()
      return schedule.set(input)
    },
    'storage.backUpNow': async () => {
      backups.checkBackupPossible()
      return schedule.runNow()
    }
  }
}

/** Reasons that retrying won't solve. */
const MAY_BE_SET_ASIDE: ReadonlySet<MemoryReason> = new Set([
  'key-missing',
  'damaged',
  'newer-version',
  'upgrade-failed'
])

const ASK_ADMINISTRATOR = 'Ask your administrator to look at the keychain of this computer.'
