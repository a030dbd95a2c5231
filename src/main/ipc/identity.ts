/** Requests about reading identity checks. Bytes of pictures cross as bytes; nothing of it is kept on the way. */
import type { IdentityPictureName, IdentityPictureType } from '../../shared/contract/index.ts'
import type { NoteInAudit } from '../core/audit/audit.ts'
import type { Readings } from '../core/identity/readings.ts'
import { fail } from '../core/lib/failure.ts'
import { safeFileName } from '../core/storage/safe-name.ts'
import { chosenId } from './accounts.ts'
import { type Dialogs, type FileKind, saveAs } from './dialogs.ts'
import type { Accounts } from './parts.ts'
import type { RequestHandlers } from './registration.ts'

type Handled = Extract<keyof RequestHandlers, `identity.${string}`>

export interface IdentityParts extends Pick<Dialogs, 'chooseSaveFile'> {
  accounts: Accounts
  readings: Readings
  note: NoteInAudit
  /** A person has this screen: nothing of the office is read for it. */
  isHandedOver: () => boolean
}

const kinds: Record<IdentityPictureType, FileKind> = {
  'image/png': { name: 'Picture (PNG)', extensions: ['png'] },
  'image/jpeg': { name: 'Picture (JPEG)', extensions: ['jpg'] },
  'image/webp': { name: 'Picture (WebP)', extensions: ['webp'] }
}
const names: Record<IdentityPictureName, string> = {
  portrait: 'portrait',
  front: 'card front',
  back: 'card back',
  selected: 'card compared'
}

export function identityHandlers({
  accounts,
  readings,
  note,
  isHandedOver,
  chooseSaveFile
}: IdentityParts): Pick<RequestHandlers, Handled> {
  return {
    'identity.read': async ({ reference }) => {
      if (isHandedOver()) fail('not-allowed', 'A person has this screen.')
      return readings.read(chosenId(accounts), reference)
    },
    'identity.picture': async ({ reading, record, name }) => readings.picture(reading, record, name),
    'identity.keep': async ({ reading }) => {
      readings.keep(reading)
      return null
    },
    'identity.close': async ({ reading }) => {
      readings.close(reading)
      return null
    },
    'identity.savePicture': async ({ reading, record, name }, { stillAsking }) => {
      const { type, reference, documentName } = readings.about(reading, record, name)
      const kind = kinds[type]
      const suggested = safeFileName(`${documentName} – ${names[name]}`, { extension: kind.extensions[0] })
      let bytes: Uint8Array = new Uint8Array()
      // Only once it is known where to: while a person thinks about it, it is cleared as usual.
      const copied = () => {
        bytes = readings.copyOf(reading, record, name)
        return bytes
      }
      try {
        const saved = await saveAs(
          { chooseSaveFile },
          { title: 'Save this picture', suggested, kind, bytes: copied },
          stillAsking
        )
        if (saved) {
          const detail = { as: 'saved-picture', picture: names[name], file: saved.label }
          note({ what: 'identity-data-fetched', documentReference: reference, documentName, detail })
        }
        return saved
      } finally {
        bytes.fill(0)
      }
    }
  }
}
