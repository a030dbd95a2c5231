/** Requests about documents: lists and pages from the mirror, actions on the service. */
import { FOLDERS } from '../../shared/model/index.ts'
import { documentPage, documentRow } from '../core/documents/pages.ts'
import { fail } from '../core/failure.ts'
import { chosenId } from './accounts.ts'
import type { Accounts, Clients, Mirror, Watch } from './parts.ts'
import type { RequestHandlers } from './registration.ts'

type Handled = Extract<keyof RequestHandlers, `documents.${string}`>

export interface DocumentParts {
  accounts: Accounts
  clients: Clients
  mirror: Mirror
  watch: Watch
  /** Opens an address of the chosen account in the person's browser; rejects with AppFailure `unsafe-address` else. */
  openInBrowser: (url: string) => Promise<void>
  clock: () => number
  changed: (folders: string[]) => void
}

export function documentHandlers(parts: DocumentParts): Pick<RequestHandlers, Handled> {
  const { accounts, clients, mirror, watch } = parts

  function known(accountId: string, reference: string) {
    return mirror.get(accountId, reference) ?? fail('gone', 'This document isn’t among those that were read.')
  }

  function page(accountId: string, reference: string) {
    const mirrored = known(accountId, reference)
    const { PackageReference } = mirrored.document
    return documentPage(mirrored, PackageReference ? mirror.inPackage(accountId, PackageReference) : [])
  }

  return {
    'documents.list': async (query) => {
      const accountId = chosenId(accounts)
      const { documents, total } = mirror.page({ accountId, ...query })
      const lookedAt = mirror.lookedAt(accountId, query.folder)
      return {
        rows: documents.map(documentRow),
        total,
        counts: mirror.counts(accountId),
        ...(lookedAt !== undefined && { lookedAt }),
        ...watch.troubleOf(accountId, query.folder)
      }
    },

    'documents.get': async ({ reference }) => {
      const accountId = chosenId(accounts)
      const mirrored = known(accountId, reference)
      // The log comes with the folder's answer only; the page is shown at once and told when the log is there.
      if (mirrored.logsAreOld && mirrored.goneAt === undefined) {
        watch.refreshWithLogs(accountId, mirrored.folder).catch(() => undefined)
      }
      return page(accountId, reference)
    },

    'documents.refresh': async () => {
      await watch.refresh(chosenId(accounts))
      return null
    },

    'documents.extend': async ({ reference, dueDate, gmt }) => {
      const accountId = chosenId(accounts)
      const client = await clients.of(accountId)
      const document = await client.extend({ DocumentReference: reference, DueDate: dueDate, GMT: String(gmt) })
      mirror.takeOne(accountId, document)
      parts.changed([...FOLDERS])
      // The other documents of the package moved too.
      watch.soon()
      return page(accountId, reference)
    },

    'documents.validate': async ({ reference }) => {
      const client = await clients.of(chosenId(accounts))
      const { DocumentURL: _url, ...result } = await client.validateSignatures(reference)
      return { ...result, checkedAt: parts.clock() }
    },

    'documents.openInBrowser': async ({ reference }) => {
      const { EditUrl } = known(chosenId(accounts), reference).document
      await parts.openInBrowser(EditUrl ?? fail('gone', 'This document has no page of its own.'))
      return null
    }
  }
}
