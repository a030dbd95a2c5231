/** Why something is not kept, or was set aside, in words for the person it happens to. */
import type { KeychainReason, MemoryReason, SetAsideReason } from '../../../shared/contract/views.ts'

export const keychainWords: Record<KeychainReason, string> = {
  missing: 'No keychain answers on this computer.',
  locked: 'The keychain of this computer is locked. Unlock it and start Countersign again.',
  failed: 'The keychain of this computer did not work when it was tried.'
}

export const memoryWords: Record<MemoryReason, string> = {
  'no-keychain': 'Without a keychain there is no safe place for the key that everything is encrypted with.',
  'keychain-locked': 'The keychain is locked, so the database can’t be opened. Unlock it and start Countersign again.',
  'keychain-failed': 'The keychain did not give out the database’s key just now. Start Countersign again.',
  'not-writable': 'Countersign may not write to its data folder. Ask who looks after this computer.',
  'no-space': 'The disk is full. Free some space and start Countersign again.',
  'in-use': 'Another program holds the database open. Close it and start Countersign again.',
  'disk-failed': 'The disk did not answer as it should. Ask who looks after this computer.'
}

export const setAsideWords: Record<SetAsideReason, string> = {
  'key-missing': 'Its key is no longer in the keychain.',
  unreadable: 'The key does not fit it, or its beginning is damaged.',
  damaged: 'It is damaged.',
  incomplete: 'Its main file was missing.',
  'newer-version': 'A later version of Countersign wrote it.',
  'upgrade-failed': 'It did not fit this version of Countersign.'
}
