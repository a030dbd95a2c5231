/** Requests about drafts and sends. */
import { fail } from '../core/failure.ts'
import { chosenId } from './accounts.ts'
import type { Accounts, Drafts, Outbox } from './parts.ts'
import type { RequestHandlers } from './registration.ts'

type Handled = Extract<keyof RequestHandlers, `drafts.${string}` | `sends.${string}`>

export interface SendingParts {
  accounts: Accounts
  drafts: Drafts
  outbox: Outbox
}

export function sendingHandlers({ accounts, drafts, outbox }: SendingParts): Pick<RequestHandlers, Handled> {
  return {
    'drafts.list': async () => drafts.list(chosenId(accounts)),
    'drafts.get': async ({ id }) => drafts.get(id),
    'drafts.save': async ({ id, composition }) => drafts.save(chosenId(accounts), composition, id),
    'drafts.remove': async ({ id }) => {
      drafts.remove(id)
      return null
    },

    'sends.start': async ({ draftId }) => {
      // What is sent goes out in the name of the account that the person sees.
      if (drafts.get(draftId).accountId !== chosenId(accounts)) {
        fail('gone', 'This draft belongs to another account. Choose that account to send it.')
      }
      return outbox.start(draftId)
    },
    'sends.list': async () => outbox.list(chosenId(accounts)),
    'sends.get': async ({ id }) => outbox.get(id),
    'sends.reconcile': ({ id }) => outbox.reconcile(id),
    'sends.again': async ({ id }) => outbox.again(id)
  }
}
