/** Requests about hand-off folders, of the account that the screens show. Only a folder's own place crosses, for people to read. */

import type { HandOff } from '../core/hand-off/hand-off.ts'
import { fail } from '../core/lib/failure.ts'
import { chosenId } from './accounts.ts'
import type { Accounts } from './parts.ts'
import type { RequestHandlers } from './registration.ts'

type Handled = Extract<keyof RequestHandlers, `handOff.${string}`>

export interface HandOffHandlerParts {
  accounts: Accounts
  handOff: HandOff
  /** Lets the person choose a folder; undefined where they thought better of it. */
  chooseFolder: (title: string, stillAsking: () => boolean) => Promise<string | undefined>
  /** Shows a file or a folder in the system's own window. */
  reveal: (path: string) => void
}

export function handOffHandlers({
  accounts,
  handOff,
  chooseFolder,
  reveal
}: HandOffHandlerParts): Pick<RequestHandlers, Handled> {
  function own(accountId: string): void {
    if (accountId !== chosenId(accounts)) fail('gone', 'This folder belongs to another account.')
  }

  return {
    'handOff.list': async () => handOff.list(chosenId(accounts)),
    'handOff.add': async (_input, { stillAsking }) => {
      const accountId = chosenId(accounts)
      const path = await chooseFolder('A folder that other software hands packages over in', stillAsking)
      return path === undefined ? null : handOff.add(accountId, path, 'paused')
    },
    'handOff.change': async ({ id, ...changes }) => {
      own(handOff.accountOf(id))
      return handOff.change(id, changes)
    },
    'handOff.remove': async ({ id }) => {
      own(handOff.accountOf(id))
      handOff.remove(id)
      return null
    },
    'handOff.files': async ({ id, ...page }) => {
      own(handOff.accountOf(id))
      return handOff.files(id, page)
    },
    'handOff.reveal': async ({ id }) => {
      const { path, accountId } = handOff.pathOf(id)
      own(accountId)
      reveal(path)
      return null
    }
  }
}
