/** Requests about viewing identity checks. Images are passed as bytes, and nothing is stored on the way. */
import type { IdentityPictureName, IdentityPictureType } from '../../shared/contract/index.ts'
import type { NoteInAudit } from '../core/audit/audit.ts'
import { safeFileName } from '../core/storage/safe-name.ts'
import { chosenId } from './covered-accounts.ts'
import { type FileKind, saveAs } from './dialogs.ts'
import type { Parts } from './parts.ts'
import type { HandlersOf } from './registration.ts'

interface IdentityParts extends Pick<Parts, 'accounts' | 'readings' | 'chooseSaveFile'> {
  note: NoteInAudit
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

export function identityHandlers(parts: IdentityParts): HandlersOf<'identity'> {
  const { accounts, readings } = parts
  return {
    'identity.read': async ({ reference }) => readings.read(chosenId(accounts), reference),
    'identity.picture': async ({ reading, record, name }) => readings.picture(reading, record, name),
    'identity.keep': async ({ reading }) => readings.keepAlive(reading),
    'identity.close': async ({ reading }) => readings.close(reading),
    'identity.savePicture': async ({ reading, record, name }, { stillAsking }) => {
      const { type, reference, documentName } = readings.about(reading, record, name)
      const kind = kinds[type]
      const suggested = safeFileName(`${documentName} – ${names[name]}`, { extension: kind.extensions[0] })
      let bytes: Uint8Array = new Uint8Array()
      // Copied only once the path is known: while the user is choosing, the reading is cleared as usual.
      const copyBytes = () => {
        bytes = readings.copyOf(reading, record, name)
        return bytes
      }
      try {
        const options = { title: 'Save this picture', suggested, kind, bytes: copyBytes }
        const saved = await saveAs(parts, options, stillAsking)
        if (saved) {
          const detail = { as: 'saved-picture', picture: names[name], file: saved.label }
          parts.note({ what: 'identity-data-fetched', documentReference: reference, documentName, detail })
        }
        return saved
      } finally {
        bytes.fill(0)
      }
    }
  }
}
