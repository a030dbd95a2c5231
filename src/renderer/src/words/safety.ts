/** Why something isn't stored or was set aside, in words for the people affected. */
import { errorText } from '../../../shared/contract/errors.ts'
import type { KeychainReason, MemoryReason, SetAsideReason, StoreTrouble } from '../../../shared/contract/views.ts'
import { momentInWords } from './dates.ts'

export const keychainWords: Record<KeychainReason, string> = {
  missing: 'This computer has no working keychain.',
  locked: 'This computer’s keychain is locked.',
  failed: 'This computer’s keychain didn’t work.'
}

export const memoryWords: Record<MemoryReason, string> = {
  'no-keychain': 'Without a keychain, there’s nowhere safe to keep the encryption key.',
  'key-missing': 'The keychain works, but the key to your data isn’t in it.',
  'keychain-locked': 'The keychain is locked. Unlock it, then try again.',
  'keychain-failed': 'The keychain didn’t give Countersign the key to your data.',
  'not-writable': 'Countersign can’t write to its data folder. Contact your administrator.',
  'no-space': 'The disk is full. Free some space, then try again.',
  'in-use': 'Another program is using the database. Close it, then try again.',
  'disk-failed': 'The disk isn’t responding properly. Contact your administrator.',
  damaged: 'The database is damaged.',
  'newer-version': 'A newer version of Countersign has used your data.',
  'upgrade-failed': 'Your data couldn’t be updated for this version of Countersign.'
}

/** Explains why data on this computer can't be opened, and what follows. */
export function lockedWords({ reason, usedBy }: { reason: MemoryReason; usedBy?: string }): string {
  if (reason === 'damaged') return `${memoryWords[reason]} It was left as it is.`
  if (reason === 'upgrade-failed')
    return `${memoryWords[reason]} Nothing was lost. Install the version that you had before, and contact your administrator.`
  if (reason === 'newer-version' && usedBy !== undefined)
    return `Countersign ${usedBy} has used your data, and this version is older. Nothing was lost or changed. Install ${usedBy} or a newer version to open it.`
  if (reason === 'newer-version')
    return `${memoryWords[reason]} Nothing was lost or changed. Install the newest version to open it.`
  return `${memoryWords[reason]} Nothing was lost or changed.`
}

const setAsideWords: Record<SetAsideReason, string> = {
  unreadable: 'Its key doesn’t match, or the file is damaged.',
  damaged: 'It is damaged.',
  incomplete: 'Its main file was missing.',
  'newer-version': 'It’s from a newer version of Countersign.',
  'upgrade-failed': 'It couldn’t be updated for this version of Countersign.'
}

/** Returns what happened to a file, as a heading. */
export function troubleTitle(trouble: StoreTrouble): string {
  if (trouble.kind === 'no-new-key') return 'The encryption key wasn’t changed.'
  if (trouble.kind === 'no-backup') return 'Scheduled backups aren’t being made.'
  if (trouble.kind === 'in-memory')
    return trouble.store === 'settings'
      ? 'Settings of this computer aren’t being saved.'
      : 'The list of documents isn’t being saved.'
  if (trouble.store === 'settings') return 'The settings of this computer couldn’t be read.'
  if (trouble.store === 'documents') return 'The saved list of documents couldn’t be opened.'
  return 'Your earlier data couldn’t be opened.'
}

/** Returns what it means, and what to do. */
export function troubleWords(trouble: StoreTrouble): string {
  if (trouble.kind === 'no-new-key')
    return `${trouble.reason === 'damaged' ? setAsideWords.damaged : memoryWords[trouble.reason]} Your data still has its previous key. The new recovery key doesn’t open it.`
  if (trouble.kind === 'no-backup')
    return `${errorText(trouble.error)} None could be made since ${momentInWords(trouble.since)}. Countersign keeps trying.`
  if (trouble.kind === 'in-memory')
    return trouble.store === 'settings'
      ? `${memoryWords[trouble.reason]} Changes of settings are lost when Countersign closes.`
      : `${memoryWords[trouble.reason]} Documents are read from the service again each time. What happened on this computer in the meantime is lost when Countersign closes.`
  if (trouble.store === 'settings')
    return `Countersign uses its usual settings. The old file was kept as “${trouble.name}” in the data folder.`
  if (trouble.store === 'documents')
    return `Countersign reads the documents from the service again. History on this computer and what was unread are in “${trouble.name}” in the data folder.`
  return `${setAsideWords[trouble.reason]} It was kept as “${trouble.name}” in the data folder, and Countersign started with an empty database. Nothing in it was changed: your administrator may be able to open it.`
}
