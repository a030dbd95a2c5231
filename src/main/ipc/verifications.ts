/** Requests about verifying the signatures of the chosen account's documents, and what was found. */
import { safeFileName } from '../core/storage/safe-name.ts'
import { chosenId } from './accounts.ts'
import { type FileKind, saveAs } from './dialogs.ts'
import type { Parts } from './parts.ts'
import type { HandlersOf, RequestHandlers } from './registration.ts'

const RESULT: FileKind = { name: 'Result of a check, as JSON', extensions: ['json'] }

type Handled = HandlersOf<'verifications'> &
  Pick<RequestHandlers, 'documents.validate' | 'documents.verifications' | 'documents.saveValidation'>

export function verificationHandlers(parts: Pick<Parts, 'accounts' | 'verifications' | 'chooseSaveFile'>): Handled {
  const { accounts, verifications } = parts
  return {
    'documents.validate': ({ reference }) => verifications.verify(chosenId(accounts), reference),
    'documents.verifications': async ({ reference }) => verifications.ofDocument(chosenId(accounts), reference),
    'documents.saveValidation': async ({ reference }, { stillAsking }) => {
      const { name, bytes } = verifications.file(chosenId(accounts), reference)
      const title = 'Save the result of checking the signatures'
      const suggested = safeFileName(name, { extension: 'json' })
      return saveAs(parts, { title, suggested, kind: RESULT, bytes }, stillAsking)
    },
    'verifications.list': async (asked) => verifications.since(chosenId(accounts), asked),
    'verifications.open': async ({ limit }) => verifications.open(chosenId(accounts), limit),
    'verifications.dismiss': async ({ id }) => verifications.dismiss(chosenId(accounts), id)
  }
}
