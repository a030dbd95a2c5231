/** Requests about downloads. Paths stay on this side; the screens know ids and names. */
import type { AskDesk } from '../core/documents/desk-questions.ts'
import { fail } from '../core/failure.ts'
import { chosenId } from './accounts.ts'
import type { Accounts, Downloads } from './parts.ts'
import type { RequestHandlers } from './registration.ts'

type Handled = Extract<keyof RequestHandlers, `downloads.${string}`>

export interface DownloadParts {
  accounts: Accounts
  ask: AskDesk
  downloads: Downloads
  /** Shows a file in the system's file manager. */
  reveal: (path: string) => void
  /** The last part of the downloads folder's name. */
  folderLabel: () => string
  /** Lets the person choose the folder, and remembers it. Answers its label; undefined where they thought better of it. */
  chooseFolder: (stillAsking: () => boolean) => Promise<string | undefined>
}

export function downloadHandlers(parts: DownloadParts): Pick<RequestHandlers, Handled> {
  const { accounts, ask, downloads } = parts
  return {
    'downloads.start': async ({ reference, type }) => {
      const accountId = chosenId(accounts)
      const mirrored =
        (await ask('get', { accountId, reference })) ?? fail('gone', 'This document isn’t among those that were read.')
      return downloads.start(accountId, reference, mirrored.document.Name ?? reference, type)
    },
    'downloads.list': async () => downloads.list(chosenId(accounts)),
    'downloads.cancel': async ({ id }) => {
      downloads.cancel(id)
      return null
    },
    'downloads.again': async ({ id }) => downloads.again(id),
    'downloads.reveal': async ({ id }) => {
      parts.reveal(downloads.pathOf(id))
      return null
    },
    'downloads.folder': async () => ({ label: parts.folderLabel() }),
    'downloads.chooseFolder': async (_input, { stillAsking }) => {
      const chosen = await parts.chooseFolder(stillAsking)
      return { label: chosen ?? parts.folderLabel() }
    }
  }
}
