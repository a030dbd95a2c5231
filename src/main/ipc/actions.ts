/** Requests about actions on documents. Only actions of accounts that the user sees can be changed. */

import { fail } from '../core/lib/failure.ts'
import { chosenId, coveredRecord, shownIds } from './covered-accounts.ts'
import type { Parts } from './parts.ts'
import type { HandlersOf } from './registration.ts'

export function actionHandlers({ accounts, actions }: Pick<Parts, 'accounts' | 'actions'>): HandlersOf<'actions'> {
  const ownAction = coveredRecord(
    accounts,
    (id) => actions.get(id).accountId,
    () => fail('gone', 'This was done to a document of another account.', { next: 'Choose that account to see it.' })
  )

  return {
    'actions.start': (input) => actions.start(chosenId(accounts), input),
    'actions.list': async ({ reference }) =>
      reference === undefined
        ? shownIds(accounts)
            .flatMap((accountId) => actions.list(accountId))
            .sort((one, other) => other.createdAt - one.createdAt)
        : actions.list(chosenId(accounts), reference),
    'actions.cancel': async ({ id }) => actions.cancel(ownAction(id)),
    'actions.check': async ({ id }) => actions.check(ownAction(id)),
    'actions.retry': async ({ id }) => actions.retry(ownAction(id)),
    'actions.resolve': async ({ id, happened }) => actions.conclude(ownAction(id), happened)
  }
}
