/** Requests about looking at an identity check's PDF. Only the desk has them, and not while a person has its screen. */
import type { AskDocuments } from '../core/documents/questions.ts'
import type { PdfPreviews } from '../core/identity/pdf-preview.ts'
import { fail } from '../core/lib/failure.ts'
import { chosenId } from './accounts.ts'
import type { Accounts } from './parts.ts'
import type { RequestHandlers } from './registration.ts'

type Handled = Extract<keyof RequestHandlers, `identityPdf.${string}`>

export interface IdentityPdfParts {
  accounts: Accounts
  ask: AskDocuments
  previews: PdfPreviews
  /** A person has the desk's own screen. */
  isHandedOver: () => boolean
  /** Puts the desk's page on paper by the system's dialog; false where the person thought better of it. */
  print: () => Promise<boolean>
}

export function identityPdfHandlers(parts: IdentityPdfParts): Pick<RequestHandlers, Handled> {
  const { accounts, ask, previews } = parts
  const mustBeOurs = () => {
    if (parts.isHandedOver()) fail('not-allowed', 'A person has this screen, so nothing of the office is shown on it.')
  }
  return {
    'identityPdf.open': async ({ reference }) => {
      mustBeOurs()
      const accountId = chosenId(accounts)
      const mirrored =
        (await ask('get', { accountId, reference })) ?? fail('gone', 'This document isn’t among those that were read.')
      return previews.open(accountId, reference, mirrored.document.Name ?? reference)
    },
    'identityPdf.next': async ({ id }) => {
      mustBeOurs()
      return previews.next(id, chosenId(accounts))
    },
    'identityPdf.close': async ({ id }) => {
      previews.close(id)
      return null
    },
    'identityPdf.print': async () => {
      mustBeOurs()
      return { isPrinted: await parts.print() }
    }
  }
}
