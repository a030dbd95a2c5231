/** Requests about what is done to documents. What is acted on belongs to the account that the person sees. */
import { fail } from '../core/lib/failure.ts'
import { safeFileName } from '../core/storage/safe-name.ts'
import { chosenId } from './accounts.ts'
import { type FileKind, saveAs } from './dialogs.ts'
import type { Parts } from './parts.ts'
import type { HandlersOf, RequestHandlers } from './registration.ts'

const RESULT: FileKind = { name: 'Result of a check, as JSON', extensions: ['json'] }

export function actionHandlers(
  parts: Pick<Parts, 'accounts' | 'actions' | 'validations' | 'chooseSaveFile'>
): HandlersOf<'actions'> & Pick<RequestHandlers, 'documents.validate' | 'documents.saveValidation'> {
  const { accounts, actions, validations } = parts

  function own(id: string): string {
    if (actions.get(id).accountId !== chosenId(accounts)) {
      fail('gone', 'This was done to a document of another account.', { next: 'Choose that account to see it.' })
    }
    return id
  }

  return {
    'actions.start': (input) => actions.start(chosenId(accounts), input),
    'actions.list': async ({ reference }) => actions.list(chosenId(accounts), reference),
    'actions.cancel': async ({ id }) => actions.cancel(own(id)),
    'actions.check': async ({ id }) => actions.check(own(id)),
    'actions.again': async ({ id }) => actions.again(own(id)),
    'actions.settle': async ({ id, happened }) => actions.settle(own(id), happened),

    'documents.validate': ({ reference }) => validations.validate(chosenId(accounts), reference),
    'documents.saveValidation': async ({ reference }, { stillAsking }) => {
      const { name, bytes } = validations.file(chosenId(accounts), reference)
      const title = 'Save the result of checking the signatures'
      const suggested = safeFileName(name, { extension: 'json' })
      return saveAs(parts, { title, suggested, kind: RESULT, bytes }, stillAsking)
    }
  }
}
