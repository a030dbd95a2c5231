/**
 * Requests about downloads and about a document's PDFs on a page that shows them. Paths stay on this side; the screens know
 * ids and labels.
 */
import { insistOnPattern } from '../core/downloads/name-pattern.ts'
import { chosenId } from './accounts.ts'
import { known } from './documents.ts'
import type { Parts } from './parts.ts'
import type { HandlersOf } from './registration.ts'

interface DownloadParts extends Pick<Parts, 'accounts' | 'ask' | 'downloads' | 'reveal'> {
  /** Lets the person choose a folder. Answers its path; undefined if they thought better of it. */
  chooseFolder: (stillAsking: () => boolean) => Promise<string | undefined>
}

export function downloadHandlers(parts: DownloadParts): HandlersOf<'downloads'> {
  const { accounts, ask, downloads } = parts
  const chosen = () => chosenId(accounts)
  return {
    'downloads.start': async ({ reference, type }) => {
      const accountId = chosen()
      const { document } = await known(ask, accountId, reference)
      return downloads.start(accountId, reference, document.Name ?? reference, type)
    },
    'downloads.add': async ({ what, ...choice }) => {
      insistOnPattern(choice.pattern)
      return downloads.add(chosen(), what, choice)
    },
    'downloads.list': async (demand) => downloads.list(chosen(), demand),
    'downloads.summary': async () => downloads.summary(chosen()),
    'downloads.pause': () => downloads.pause(chosen()),
    'downloads.resume': async () => downloads.resume(chosen()),
    'downloads.cancel': async ({ id }) => downloads.cancel(chosen(), id),
    'downloads.cancelAll': async () => downloads.cancelAll(chosen()),
    'downloads.relocate': async ({ from, to }) => ({ moved: await downloads.relocate(chosen(), from, to) }),
    'downloads.again': async ({ ids }) => downloads.again(chosen(), ids),
    'downloads.againAll': async () => downloads.againAll(chosen()),
    'downloads.clear': async () => downloads.clear(chosen()),
    'downloads.reveal': async ({ id }) => parts.reveal(downloads.pathOf(chosen(), id)),
    'downloads.settings': async () => downloads.settings(),
    'downloads.configure': async (changes) => downloads.configure(changes),
    'downloads.chooseFolder': async (_input, { stillAsking }) => {
      const path = await parts.chooseFolder(stillAsking)
      return path === undefined ? null : downloads.folders.of(path)
    },
    'downloads.preview': (asked) => downloads.preview(chosen(), asked),
    'downloads.rules': async () => downloads.rules.list(chosen()),
    'downloads.addRule': async (input) => {
      insistOnPattern(input.pattern)
      return downloads.rules.add(chosen(), input)
    },
    'downloads.changeRule': async ({ id, ...changes }) => {
      if (changes.pattern !== undefined) insistOnPattern(changes.pattern)
      return downloads.rules.change(chosen(), id, changes)
    },
    'downloads.removeRule': async ({ id }) => downloads.rules.remove(chosen(), id),
    'downloads.verifyAgain': async ({ id }) => downloads.rules.verifyAgain(chosen(), id),
    'downloads.check': () => downloads.check(chosen()),
    'downloads.writeIndex': ({ folderId }) => downloads.writeIndex(folderId)
  }
}

interface PdfParts extends Pick<Parts, 'accounts' | 'ask' | 'previews'> {
  /** Puts the office window's page on paper by the system's dialog; false where the person thought better of it. */
  print: () => Promise<boolean>
}

/** The report of a document's identity check, and the signed document, shown. */
export function pdfHandlers({ accounts, ask, previews, print }: PdfParts): HandlersOf<'pdf'> {
  return {
    'pdf.open': async ({ reference, kind }) => {
      const accountId = chosenId(accounts)
      const { document } = await known(ask, accountId, reference)
      return previews.open(accountId, reference, document.Name ?? reference, kind)
    },
    'pdf.next': async ({ id }) => previews.next(id, chosenId(accounts)),
    'pdf.close': async ({ id }) => previews.close(id),
    'pdf.print': async () => ({ isPrinted: await print() })
  }
}
