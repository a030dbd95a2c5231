/**
 * Requests for scheduled backups to a folder chosen by a person or the organisation, for recovery keys, and for
 * removing all data.
 */
import { z } from 'zod'
import { timeOfDay } from './document-requests.ts'
import { answers, id, noInput } from './request.ts'
import { MIN_PASSPHRASE_LENGTH } from './views.ts'

export const MAX_PASSPHRASE_LENGTH = 500
export const newPassphrase = z.string().min(MIN_PASSPHRASE_LENGTH).max(MAX_PASSPHRASE_LENGTH)

/**
 * When backups are made. `at` is in this computer's local time; `weekday`, from 1 (Monday) to 7, applies to `weekly`
 * only.
 */
export const BackupPlan = z.strictObject({
  when: z.enum(['daily', 'weekly', 'on-quit']),
  at: timeOfDay.default('18:00'),
  weekday: z.int().min(1).max(7).default(5),
  /** How many to keep; older ones made here are deleted. */
  keep: z.int().min(1).max(99).default(7),
  /** Whether to include the accounts' keys and passwords. */
  secrets: z.boolean().default(false)
})
export type BackupPlan = z.output<typeof BackupPlan>

/** Times in milliseconds since 1970 UTC. */
export interface BackupsView {
  /** null: no scheduled backups. */
  plan: BackupPlan | null
  /** The folder's name. */
  folder?: string
  hasPassphrase: boolean
  /** The newest one made here, scheduled or by hand. */
  last?: { at: number; name: string }
  /** When the next is due. */
  next?: number
  isRunning: boolean
}

export const backupRequests = {
  'storage.backups': answers<BackupsView>()(noInput),
  /** Lets a person choose the folder; null if they cancel. */
  'storage.chooseBackupFolder': answers<{ id: string; label: string } | null>()(noInput),
  /** Changes only what is given. The passphrase is stored in the keychain; the first backup is made at once. */
  'storage.scheduleBackups': answers<BackupsView>()(
    z.strictObject({
      plan: BackupPlan.nullable().optional(),
      folderId: id.optional(),
      passphrase: newPassphrase.optional()
    })
  ),
  /** Makes a backup now, just like a scheduled one. */
  'storage.backUpNow': answers<BackupsView>()(noInput)
}

/**
 * The recovery keys that open the data on this computer, each with the time it was made, in milliseconds since 1970
 * UTC.
 */
export interface RecoveryKeysView {
  /** A person's own, on paper. */
  paperAt?: number
  /** One that only the organisation can read. */
  organisationAt?: number
  /** Whether to suggest making one. */
  isOffered: boolean
}

/** What would be lost by removing all data from this computer. */
export interface RemovalView {
  /** Packages that haven't been sent, or may not have been. */
  unsent: number
  /** Scheduled backups. */
  backups: number
}

export const removalRequests = {
  'storage.removal': answers<RemovalView>()(noInput),
  /**
   * Quits the application, removes everything it keeps for this user on this computer, and reports what was removed.
   * `unsent` is the number of packages shown to the person: `not-allowed` if there are more by now.
   */
  'storage.remove': answers<null>()(z.strictObject({ backups: z.boolean(), unsent: z.int().min(0) }))
}

const recoveryKey = z.string().min(1).max(200)
export const recoveryRequests = {
  'storage.recovery': answers<RecoveryKeysView>()(noInput),
  'storage.dismissRecoveryOffer': answers<null>()(noInput),
  /**
   * Makes this the person's only recovery key; earlier ones stop working. The page generated it; it isn't stored
   * anywhere.
   */
  'storage.keepRecoveryKey': answers<null>()(z.strictObject({ key: recoveryKey })),
  /** Restarts the application, which gives the database a new key that this recovery key opens from then on. */
  'storage.changeKey': answers<null>()(z.strictObject({ key: recoveryKey })),
  /**
   * Opens data whose key the keychain has lost, and restarts the application. On the locked-data page, when the
   * keychain can't be used: opens the data for this run.
   */
  'storage.recover': answers<null>()(z.strictObject({ key: recoveryKey })),
  /** Leaves the locked-data page: the data stays locked, and new work is in memory only. */
  'storage.continueWithout': answers<null>()(noInput),
  /**
   * In a run opened with a recovery key: checks whether the keychain works again, and if so resumes everything that
   * waited for it. Otherwise fails with `keychain`.
   */
  'storage.lookForKeychain': answers<null>()(noInput)
}
