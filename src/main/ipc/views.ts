/** Requests about saved views of the chosen account's documents. */

import type { Views } from '../core/documents/views.ts'
import { chosenId } from './accounts.ts'
import type { Accounts } from './parts.ts'
import type { RequestHandlers } from './registration.ts'

type Handled = Extract<keyof RequestHandlers, `views.${string}`>

export function viewHandlers({
  accounts,
  views
}: {
  accounts: Accounts
  views: Views
}): Pick<RequestHandlers, Handled> {
  return {
    'views.list': async () => views.list(chosenId(accounts)),
    'views.save': async (view) => views.save(chosenId(accounts), view),
    'views.remove': async ({ id }) => {
      views.remove(chosenId(accounts), id)
      return null
    },
    'views.order': async ({ ids }) => {
      views.order(chosenId(accounts), ids)
      return null
    }
  }
}
