/** Requests about backups that are made by themselves, into a folder that a person or the organisation chose. */
import { z } from 'zod'
import { timeOfDay } from './document-requests.ts'
import { answers, id, nothing } from './request.ts'
import { LEAST_PASSPHRASE } from './views.ts'

export const MOST_PASSPHRASE = 500
export const newPassphrase = z.string().min(LEAST_PASSPHRASE).max(MOST_PASSPHRASE)

/** When backups are made. `at` is by this computer's clock; `weekday` from 1, Monday, to 7, and used of `weekly` alone. */
export const BackupPlan = z.strictObject({
  when: z.enum(['daily', 'weekly', 'on-quit']),
  at: timeOfDay.default('18:00'),
  weekday: z.int().min(1).max(7).default(5),
  /** So many are kept; older ones that were made here are removed. */
  keep: z.int().min(1).max(99).default(7),
  /** Whether accounts' keys and passwords go in. */
  secrets: z.boolean().default(false)
})
export type BackupPlan = z.output<typeof BackupPlan>

/** Times in milliseconds since 1970 UTC. */
export interface BackupsView {
  /** null: none are made by themselves. */
  plan: BackupPlan | null
  /** The folder's name. */
  folder?: string
  hasPassphrase: boolean
  /** The newest that was made here, of whichever way. */
  last?: { at: number; name: string }
  /** When the next is due. */
  next?: number
  isRunning: boolean
}

export const backupRequests = {
  'storage.backups': answers<BackupsView>()(nothing),
  /** Asks for the folder; null where the person thought better of it. */
  'storage.chooseBackupFolder': answers<{ id: string; label: string } | null>()(nothing),
  /** Sets what is named. The passphrase goes into the keychain; the first backup is made at once. */
  'storage.scheduleBackups': answers<BackupsView>()(
    z.strictObject({
      plan: BackupPlan.nullable().optional(),
      folderId: id.optional(),
      passphrase: newPassphrase.optional()
    })
  ),
  /** Makes one now as it would be made when it is due. */
  'storage.backUpNow': answers<BackupsView>()(nothing)
}

/** Which recovery keys open the data on this computer, each by when it was made; in milliseconds since 1970 UTC. */
export interface RecoveryView {
  /** A person's, on paper. */
  paperAt?: number
  /** One that only the organisation can read. */
  organisationAt?: number
  /** Whether it is worth a word that there is none. */
  isOffered: boolean
}

/** What removing everything from this computer would take with it. */
export interface RemovalView {
  /** Packages that haven't been sent, or of which it isn't known. */
  unsent: number
  /** Backups that were made by themselves. */
  backups: number
  /**
   * The key that goes is the one that all data folders of this user had once: another one (`--user-data-dir`) that wasn't opened since
   * each has its own is opened by it alone.
   */
  othersMayNeedKey: boolean
}

export const removalRequests = {
  'storage.removal': answers<RemovalView>()(nothing),
  /**
   * Ends the application, removes everything that it keeps of this user on this computer, and says what was removed. `unsent` is how
   * many packages the person was shown: `not-allowed` where there are more.
   */
  'storage.remove': answers<null>()(z.strictObject({ backups: z.boolean(), unsent: z.int().min(0) }))
}

const recoveryKey = z.string().min(1).max(200)
export const recoveryRequests = {
  'storage.recovery': answers<RecoveryView>()(nothing),
  'storage.dismissRecoveryOffer': answers<null>()(nothing),
  /** From now on this key opens the data, and no earlier one of a person's. It was made by the page, and is kept nowhere. */
  'storage.keepRecoveryKey': answers<null>()(z.strictObject({ key: recoveryKey })),
  /** Starts the application again, which gives the database another key; this recovery key opens it from then on. */
  'storage.changeKey': answers<null>()(z.strictObject({ key: recoveryKey })),
  /**
   * Opens data whose key the keychain has lost, and starts the application again. On the page of locked data, where the keychain can't be
   * used: opens them for this run.
   */
  'storage.recover': answers<null>()(z.strictObject({ key: recoveryKey })),
  /** Leaves the page of locked data: they stay locked, and what is done is in memory only. */
  'storage.goOn': answers<null>()(nothing),
  /**
   * Of a run that was opened by a recovery key: looks whether the keychain is back; then all that waited for it goes on. Refused with
   * `keychain` where it isn't.
   */
  'storage.lookForKeychain': answers<null>()(nothing)
}
