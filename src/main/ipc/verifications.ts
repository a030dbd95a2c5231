/** Requests about verifying signatures of documents, and the findings. */
import type { VerificationList } from '../../shared/contract/index.ts'
import { safeFileName } from '../core/storage/safe-name.ts'
import { chosenId, coveredOwner, shownIds } from './covered-accounts.ts'
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
    'verifications.list': async ({ offset, limit, ...filter }) => {
      const ids = shownIds(accounts)
      if (ids.length === 1) return verifications.since(ids[0], { offset, limit, ...filter })
      const upTo = { offset: 0, limit: offset + limit }
      return pageOf(await Promise.all(ids.map((id) => verifications.since(id, { ...filter, ...upTo }))), offset, limit)
    },
    'verifications.open': async ({ limit }) =>
      pageOf(
        shownIds(accounts).map((id) => verifications.listOpen(id, limit)),
        0,
        limit
      ),
    'verifications.dismiss': async ({ id }) => {
      verifications.dismiss(coveredOwner(accounts, verifications.accountOf(id)), id)
    }
  }
}

/** Combines several accounts' verifications into one page, newest first. */
function pageOf(lists: readonly VerificationList[], offset: number, limit: number): VerificationList {
  const all = lists.flatMap(({ verifications }) => verifications).sort((one, other) => other.at - one.at)
  return { verifications: all.slice(offset, offset + limit), total: lists.reduce((sum, { total }) => sum + total, 0) }
}
