/**
 * Requests about a document's PDFs on a page that shows them: the report of its identity check, and the signed document. Only the
 * office's own window has them, and not while a person has its screen.
 */
import { fail } from '../core/lib/failure.ts'
import { chosenId } from './accounts.ts'
import { known } from './documents.ts'
import type { Parts } from './parts.ts'
import type { HandlersOf } from './registration.ts'

interface PdfParts extends Pick<Parts, 'accounts' | 'ask' | 'previews' | 'isHandedOver'> {
  /** Puts the office window's page on paper by the system's dialog; false where the person thought better of it. */
  print: () => Promise<boolean>
}

export function pdfHandlers(parts: PdfParts): HandlersOf<'pdf'> {
  const { accounts, ask, previews } = parts
  const mustBeOurs = () => {
    if (parts.isHandedOver()) fail('not-allowed', 'A person has this screen, so nothing of the office is shown on it.')
  }
  return {
    'pdf.open': async ({ reference, kind }) => {
      mustBeOurs()
      const accountId = chosenId(accounts)
      const { document } = await known(ask, accountId, reference)
      return previews.open(accountId, reference, document.Name ?? reference, kind)
    },
    'pdf.next': async ({ id }) => {
      mustBeOurs()
      return previews.next(id, chosenId(accounts))
    },
    'pdf.close': async ({ id }) => previews.close(id),
    'pdf.print': async () => {
      mustBeOurs()
      return { isPrinted: await parts.print() }
    }
  }
}
