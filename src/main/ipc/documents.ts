/** Requests about documents: lists and pages from the mirror, what is exported of them, the overview, and saved views. */

import type { KeptByAnother } from '../../shared/composition/index.ts'
import type { AppError, DocumentList, DocumentQuery, DraftSummary } from '../../shared/contract/index.ts'
import type { DocumentResponse } from '../../shared/model/index.ts'
import type { TableFormat } from '../core/bulk/table-file.ts'
import { dayAt } from '../core/lib/calendar.ts'
import { fail } from '../core/lib/failure.ts'
import { chosenId } from './accounts.ts'
import { saveTable } from './dialogs.ts'
import type { Parts } from './parts.ts'
import type { HandlersOf } from './registration.ts'

/** As many references as are told at once. */
const MOST_REFERENCES = 10_000
/** As many unreadable documents as are named. */
const NAMED = 20
/** How long nothing may happen to a document until the overview counts it as stuck. */
const STUCK_DAYS = 7

interface DocumentParts extends Pick<Parts, 'accounts' | 'ask' | 'views' | 'time' | 'chooseSaveFile'> {
  watch: Pick<Parts['watch'], 'troubleOf' | 'refresh' | 'refreshWithLogs'>
  /** Opens an address of an account in the person's browser; rejects with AppFailure `unsafe-address` else. */
  openInBrowser: (url: string, accountId: string) => Promise<void>
  /** Puts an address on the clipboard, marked as what isn't kept. */
  copyPrivately: (text: string) => Promise<void>
  /** A draft of what a document was sent as. */
  correctedCopy: (accountId: string, document: DocumentResponse) => DraftSummary
  /** Makes a draft like a document, for others or for the same people. */
  another: (accountId: string, document: DocumentResponse, keeps: KeptByAnother) => DraftSummary
  /** Documents of an account changed. */
  changed: (accountId: string) => void
}

/** What is known of the folders that are shown. */
type Truth = Pick<DocumentList, 'lookedAt' | 'problem' | 'problemFolder' | 'unreadable'>

export function documentHandlers(
  parts: DocumentParts
): Omit<
  HandlersOf<'documents' | 'overview'>,
  'documents.validate' | 'documents.verifications' | 'documents.saveValidation'
> {
  const { accounts, ask, watch } = parts
  const moment = () => ({ now: parts.time.now(), zone: parts.time.zone() })

  /**
   * How true what is shown of these accounts is: as old as the oldest of their folders, or of the one that is shown. A
   * folder that can't be read, and never was, makes nothing else unknown.
   */
  async function truthOf(accountIds: readonly string[], shown?: string): Promise<Truth> {
    const looks: (number | undefined)[] = []
    const problems: { problem: AppError; problemFolder: string }[] = []
    const unreadable: NonNullable<DocumentList['unreadable']> = { count: 0, documents: [] }
    for (const account of accounts.list().filter(({ id }) => accountIds.includes(id))) {
      const folders = shown === undefined ? [...account.folders] : [shown]
      const lookedAt = await ask('lookedAt', { accountId: account.id, folders })
      for (const folder of folders) {
        const trouble = watch.troubleOf(account.id, folder)
        const at = Object.hasOwn(lookedAt, folder) ? lookedAt[folder] : undefined
        if (at !== undefined || !trouble.problem) looks.push(at)
        if (trouble.problem) problems.push({ problem: trouble.problem, problemFolder: folder })
        unreadable.count += trouble.unreadable?.count ?? 0
        unreadable.documents.push(...(trouble.unreadable?.documents ?? []))
      }
    }
    unreadable.documents.splice(NAMED)
    const areAllRead = looks.length > 0 && looks.every((at) => at !== undefined)
    return {
      ...(areAllRead && { lookedAt: Math.min(...looks) }),
      ...problems[0],
      ...(unreadable.count > 0 && { unreadable })
    }
  }

  const accountsOf = (accountId: string, { accounts: others = [] }: DocumentQuery) => [accountId, ...others]

  return {
    'documents.list': async ({ query, expanded, offset, limit }) => {
      const accountId = chosenId(accounts)
      const list = await ask('list', { accountId, query, expanded, offset, limit, ...moment() })
      return { ...list, ...(await truthOf(accountsOf(accountId, query), query.folder)) }
    },

    'documents.counts': async () => {
      const accountId = chosenId(accounts)
      const queries = parts.views.list(accountId).map(({ id, query }) => ({ id, query }))
      const counts = await ask('counts', { accountId, queries, ...moment() })
      return { folders: counts.folders, views: counts.queries, unread: counts.unread }
    },

    'documents.references': ({ query }) =>
      ask('references', { accountId: chosenId(accounts), query, limit: MOST_REFERENCES, ...moment() }),

    'documents.get': async ({ reference }) => {
      const accountId = chosenId(accounts)
      const page = (await ask('page', { accountId, reference })) ?? fail('gone', NOT_AMONG_THEM)
      // The log comes with the folder's answer only; the page is shown at once and told when the log is there.
      if (page.logsAreOld && page.goneAt === undefined) {
        watch.refreshWithLogs(accountId, page.folder).catch(() => undefined)
      }
      return page
    },

    'documents.refresh': async () => watch.refresh(chosenId(accounts)),

    'documents.markRead': async ({ some, read }) => {
      const accountId = chosenId(accounts)
      if ((await ask('markRead', { accountId, some, read, ...moment() })) === 0) return
      const others =
        'query' in some ? accountsOf(accountId, some.query) : some.documents.map((document) => document.accountId)
      for (const id of new Set(others)) parts.changed(id)
    },

    'documents.export': async ({ some, columns }, { stillAsking }) => {
      const accountId = chosenId(accounts)
      const { now, zone } = moment()
      const file = async (format: TableFormat) =>
        (await ask('table', { accountId, some, columns, now, zone, format })).bytes
      const name = `Documents ${dayAt(now, zone)}`
      return saveTable(parts, { title: 'Export documents', name, file }, stillAsking)
    },

    'documents.openInBrowser': async ({ reference, page }) => {
      const accountId = chosenId(accounts)
      const { document } = await known(ask, accountId, reference)
      const address =
        page === 'edit' ? document.EditUrl : document.Signers?.[page.videoOf]?.VideoConfirmationDetail?.ShortUrl
      await parts.openInBrowser(address || fail('gone', 'There is no page of this that could be opened.'), accountId)
    },

    'documents.copyLink': async ({ reference }) => {
      const { document } = await known(ask, chosenId(accounts), reference)
      await parts.copyPrivately(document.EditUrl || fail('gone', 'The service gave no link for this document.'))
    },

    'documents.correctedCopy': async ({ reference }) => {
      const accountId = chosenId(accounts)
      const { document } = await known(ask, accountId, reference)
      return parts.correctedCopy(accountId, document)
    },

    'documents.another': async ({ reference, keeps }) => {
      const accountId = chosenId(accounts)
      const { document } = await known(ask, accountId, reference)
      return parts.another(accountId, document, keeps)
    },

    'documents.videoPassword': async ({ reference, signer }) => {
      const { document } = await known(ask, chosenId(accounts), reference)
      const password = document.Signers?.[signer]?.VideoConfirmationDetail?.Password
      return { password: password || fail('gone', 'The service gave no password for this video.') }
    },

    'overview.get': async () => {
      const accountId = chosenId(accounts)
      const overview = await ask('overview', { accountId, stuckDays: STUCK_DAYS, ...moment() })
      const { unreadable: _unreadable, problemFolder: _folder, ...truth } = await truthOf([accountId])
      return { ...overview, ...truth }
    }
  }
}

const NOT_AMONG_THEM = 'This document isn’t among those that were read.'

/** A document of the mirror. @throws AppFailure `gone`. */
export async function known(ask: Parts['ask'], accountId: string, reference: string) {
  return (await ask('get', { accountId, reference })) ?? fail('gone', NOT_AMONG_THEM)
}

/** Requests about saved views of the chosen account's documents. */
export function viewHandlers({ accounts, views }: Pick<Parts, 'accounts' | 'views'>): HandlersOf<'views'> {
  return {
    'views.list': async () => views.list(chosenId(accounts)),
    'views.save': async (view) => views.save(chosenId(accounts), view),
    'views.remove': async ({ id }) => views.remove(chosenId(accounts), id),
    'views.order': async ({ ids }) => views.order(chosenId(accounts), ids)
  }
}
