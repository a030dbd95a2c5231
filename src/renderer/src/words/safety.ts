/** Why something is not kept, or was set aside, in words for the person it happens to. */
import type { KeychainReason, MemoryReason, SetAsideReason } from '../../../shared/contract/views.ts'

export const keychainWords: Record<KeychainReason, string> = {
  missing: 'This computer has no working keychain.',
  locked: 'This computer’s keychain is locked. Unlock it and restart Countersign.',
  failed: 'This computer’s keychain didn’t work.'
}

export const memoryWords: Record<MemoryReason, string> = {
  'no-keychain': 'Without a keychain, there’s nowhere safe to keep the encryption key.',
  'keychain-locked': 'The keychain is locked, so the database can’t be opened. Unlock it and restart Countersign.',
  'keychain-failed': 'The keychain didn’t give Countersign the database’s key. Restart Countersign.',
  'not-writable': 'Countersign can’t write to its data folder. Contact your administrator.',
  'no-space': 'The disk is full. Free some space and restart Countersign.',
  'in-use': 'Another program is using the database. Close it and restart Countersign.',
  'disk-failed': 'The disk isn’t responding properly. Contact your administrator.'
}

export const setAsideWords: Record<SetAsideReason, string> = {
  'key-missing': 'Its key is no longer in the keychain.',
  unreadable: 'Its key doesn’t match, or the file is damaged.',
  damaged: 'It is damaged.',
  incomplete: 'Its main file was missing.',
  'newer-version': 'It’s from a newer version of Countersign.',
  'upgrade-failed': 'It couldn’t be updated for this version of Countersign.'
}
