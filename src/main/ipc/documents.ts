/** Requests about documents: lists and pages from the mirror, exports, the overview, and saved views. */

import type { KeptByAnother } from '../../shared/composition/index.ts'
import type { DocumentList, DocumentQuery, DraftSummary, HoldView } from '../../shared/contract/index.ts'
import type { DocumentResponse } from '../../shared/model/index.ts'
import type { TableFormat } from '../core/bulk/table-file.ts'
import type { Answer } from '../core/documents/questions.ts'
import { dayAt } from '../core/lib/calendar.ts'
import { fail } from '../core/lib/failure.ts'
import { defined } from '../core/lib/objects.ts'
import { chosenId, queryFor, selectionFor, shownIds } from './covered-accounts.ts'
import { saveTable } from './dialogs.ts'
import type { Parts } from './parts.ts'
import type { HandlersOf } from './registration.ts'

/** Maximum number of references in one answer. */
const MAX_REFERENCES = 10_000
/** Maximum number of unreadable documents named. */
const MAX_NAMED = 20
/** Days without activity after which the overview counts a document as stuck. */
const STUCK_DAYS = 7

interface DocumentParts extends Pick<Parts, 'accounts' | 'ask' | 'views' | 'time' | 'chooseSaveFile'> {
  polling: Pick<Parts['polling'], 'troubleOf' | 'refresh' | 'refreshWithLogs'>
  /**
   * Opens one of an account's addresses in the user's browser; rejects other addresses with AppFailure
   * `unsafe-address`.
   */
  openInBrowser: (url: string, accountId: string) => Promise<void>
  /** Copies an address to the clipboard, marked to be left out of the system's clipboard history and sync. */
  copyPrivately: (text: string) => Promise<void>
  correctedCopy: (accountId: string, document: DocumentResponse) => DraftSummary
  /** Creates a draft like a document, for other people or the same. */
  another: (accountId: string, document: DocumentResponse, keeps: KeptByAnother) => DraftSummary
  holdOf: (accountId: string, reference: string) => HoldView | undefined
  /** When a document that left the folders at `goneAt` is erased from this computer; undefined for never. */
  erasedFrom: (accountId: string, reference: string, goneAt: number) => number | undefined
  changed: (accountId: string) => void
}

type Freshness = Pick<DocumentList, 'lookedAt' | 'problem' | 'problemFolder' | 'problemAccount' | 'unreadable'>

export function documentHandlers(
  parts: DocumentParts
): Omit<
  HandlersOf<'documents' | 'overview'>,
  'documents.validate' | 'documents.verifications' | 'documents.saveValidation'
> {
  const { accounts, ask, polling } = parts
  const moment = () => ({ now: parts.time.now(), zone: parts.time.zone() })

  /**
   * Returns how current these accounts' data are: as old as their oldest folder, or as the shown folder. A folder that
   * is unreadable and has never been read doesn't affect the others.
   */
  async function freshnessOf(accountIds: readonly string[], shown?: string): Promise<Freshness> {
    const readTimes: (number | undefined)[] = []
    const problems: Pick<DocumentList, 'problem' | 'problemFolder' | 'problemAccount'>[] = []
    const unreadable: NonNullable<DocumentList['unreadable']> = { count: 0, documents: [] }
    for (const account of accounts.list().filter(({ id }) => accountIds.includes(id))) {
      const hasFolder = accountIds.length === 1 || shown === undefined || account.folders.includes(shown)
      const folders = shown === undefined ? [...account.folders] : hasFolder ? [shown] : []
      const lookedAt = await ask('lookedAt', { accountId: account.id, folders })
      for (const folder of folders) {
        const trouble = polling.troubleOf(account.id, folder)
        const at = Object.hasOwn(lookedAt, folder) ? lookedAt[folder] : undefined
        if (at !== undefined || !trouble.problem) readTimes.push(at)
        if (trouble.problem) {
          const where = { problemFolder: folder, ...(accountIds.length > 1 && { problemAccount: account.id }) }
          problems.push({ problem: trouble.problem, ...where })
        }
        unreadable.count += trouble.unreadable?.count ?? 0
        unreadable.documents.push(...(trouble.unreadable?.documents ?? []))
      }
    }
    unreadable.documents.splice(MAX_NAMED)
    const areAllRead = readTimes.length > 0 && readTimes.every((at) => at !== undefined)
    return {
      ...(areAllRead && { lookedAt: Math.min(...readTimes) }),
      ...problems[0],
      ...(unreadable.count > 0 && { unreadable })
    }
  }

  const accountsOf = (accountId: string, { accounts: others = [] }: DocumentQuery) => [accountId, ...others]

  return {
    'documents.list': async ({ query: requested, expanded, offset, limit }) => {
      const { accountId, query } = queryFor(accounts, requested)
      const list = await ask('list', { accountId, query, expanded, offset, limit, ...moment() })
      return { ...list, ...(await freshnessOf(accountsOf(accountId, query), query.folder)) }
    },

    'documents.counts': async () => {
      const [first, ...others] = shownIds(accounts)
      const queries = [first, ...others]
        .flatMap(parts.views.list)
        .map(({ id, query }) => ({ id, query: queryFor(accounts, query).query }))
      const [counts, ...rest] = await Promise.all([
        ask('counts', { accountId: first, queries, ...moment() }),
        ...others.map((accountId) => ask('counts', { accountId, queries: [], ...moment() }))
      ])
      return {
        folders: sumByName([counts, ...rest].map(({ folders }) => folders)),
        views: counts.queries,
        unread: rest.reduce((sum, { unread }) => sum + unread, counts.unread)
      }
    },

    'documents.references': ({ query }) =>
      ask('references', { ...queryFor(accounts, query), limit: MAX_REFERENCES, ...moment() }),

    'documents.get': async ({ reference }) => {
      const accountId = chosenId(accounts)
      const page = (await ask('page', { accountId, reference })) ?? fail('gone', UNKNOWN_DOCUMENT)
      // The log only comes with the folder's answer: the page is shown at once, and notified when the log arrives.
      if (page.logsAreOld && page.goneAt === undefined) {
        polling.refreshWithLogs(accountId, page.folder).catch(() => undefined)
      }
      const { goneAt } = page
      const erasedFrom = goneAt === undefined ? undefined : parts.erasedFrom(accountId, reference, goneAt)
      return { ...page, ...defined({ hold: parts.holdOf(accountId, reference), erasedFrom }) }
    },

    'documents.refresh': async () => {
      const results = await Promise.allSettled(shownIds(accounts).map((id) => polling.refresh(id)))
      // If one of several accounts can't be read, the others are still refreshed.
      for (const result of results) if (result.status === 'rejected') throw result.reason
    },

    'documents.markRead': async ({ some, read }) => {
      const selection = selectionFor(accounts, some)
      if ((await ask('markRead', { ...selection, read, ...moment() })) === 0) return
      const others =
        'query' in selection.some
          ? accountsOf(selection.accountId, selection.some.query)
          : selection.some.documents.map((document) => document.accountId)
      for (const id of new Set(others)) parts.changed(id)
    },

    'documents.export': async ({ some, columns }, { stillAsking }) => {
      const { now, zone } = moment()
      const selection = selectionFor(accounts, some)
      const file = async (format: TableFormat) =>
        (await ask('table', { ...selection, columns, now, zone, format })).bytes
      const name = `Documents ${dayAt(now, zone)}`
      return saveTable(parts, { title: 'Export documents', name, file }, stillAsking)
    },

    'documents.openInBrowser': async ({ reference, page }) => {
      const accountId = chosenId(accounts)
      const { document } = await getDocument(ask, accountId, reference)
      const address =
        page === 'edit' ? document.EditUrl : document.Signers?.[page.videoOf]?.VideoConfirmationDetail?.ShortUrl
      await parts.openInBrowser(address || fail('gone', 'There is no page of this that could be opened.'), accountId)
    },

    'documents.copyLink': async ({ reference }) => {
      const { document } = await getDocument(ask, chosenId(accounts), reference)
      await parts.copyPrivately(document.EditUrl || fail('gone', 'The service gave no link for this document.'))
    },

    'documents.correctedCopy': async ({ reference }) => {
      const accountId = chosenId(accounts)
      const { document } = await getDocument(ask, accountId, reference)
      return parts.correctedCopy(accountId, document)
    },

    'documents.duplicate': async ({ reference, keeps }) => {
      const accountId = chosenId(accounts)
      const { document } = await getDocument(ask, accountId, reference)
      return parts.another(accountId, document, keeps)
    },

    'documents.videoPassword': async ({ reference, signer }) => {
      const { document } = await getDocument(ask, chosenId(accounts), reference)
      const password = document.Signers?.[signer]?.VideoConfirmationDetail?.Password
      return { password: password || fail('gone', 'The service gave no password for this video.') }
    },

    'overview.get': async () => {
      const ids = shownIds(accounts)
      const at = moment()
      const [first, ...others] = await Promise.all(
        ids.map((accountId) => ask('overview', { accountId, stuckDays: STUCK_DAYS, ...at }))
      )
      const {
        unreadable: _unreadable,
        problemFolder: _folder,
        problemAccount: _account,
        ...freshness
      } = await freshnessOf(ids)
      return { ...others.reduce(combineOverviews, first as Overview), ...freshness }
    }
  }
}

function sumByName(counts: readonly Record<string, number>[]): Record<string, number> {
  const sums = new Map<string, number>()
  for (const [name, count] of counts.flatMap((one) => Object.entries(one))) {
    sums.set(name, (sums.get(name) ?? 0) + count)
  }
  // fromEntries, since a folder may have any name: assigning `__proto__` would set the object's prototype.
  return Object.fromEntries(sums)
}

type Overview = Answer<'overview'>

/** Combines two accounts' overviews. Both were made for the same moment, so their states, days and weeks match. */
function combineOverviews(one: Overview, other: Overview): Overview {
  const sum = (
    name:
      | 'withoutDue'
      | 'overdue'
      | 'expired'
      | 'declined'
      | 'identityFailed'
      | 'waitingHere'
      | 'unread'
      | 'withoutWeek'
  ) => one[name] + other[name]
  const addRows = <Row extends { count: number }>(rows: readonly Row[], others: readonly Row[]): Row[] =>
    rows.map((row, at) => ({ ...row, count: row.count + (others[at]?.count ?? 0) }))
  return {
    states: addRows(one.states, other.states),
    due: addRows(one.due, other.due),
    withoutDue: sum('withoutDue'),
    overdue: sum('overdue'),
    expired: sum('expired'),
    stuck: { days: one.stuck.days, count: one.stuck.count + other.stuck.count },
    declined: sum('declined'),
    identityFailed: sum('identityFailed'),
    waitingHere: sum('waitingHere'),
    unread: sum('unread'),
    weeks: one.weeks.map(({ monday, sent, completed }, at) => {
      const theirs = other.weeks[at]
      return { monday, sent: sent + (theirs?.sent ?? 0), completed: completed + (theirs?.completed ?? 0) }
    }),
    withoutWeek: sum('withoutWeek')
  }
}

const UNKNOWN_DOCUMENT = 'This document isn’t among those that were read.'

/** Returns a document from the mirror. @throws AppFailure `gone`. */
export async function getDocument(ask: Parts['ask'], accountId: string, reference: string) {
  return (await ask('get', { accountId, reference })) ?? fail('gone', UNKNOWN_DOCUMENT)
}

/** Requests about saved views of the shown accounts. A new one belongs to the chosen account. */
export function viewHandlers({ accounts, views }: Pick<Parts, 'accounts' | 'views'>): HandlersOf<'views'> {
  const ownerOf = (id: string | undefined) =>
    shownIds(accounts).find((accountId) => views.list(accountId).some((view) => view.id === id)) ?? chosenId(accounts)

  return {
    'views.list': async () => shownIds(accounts).flatMap(views.list),
    'views.save': async (view) => views.save(ownerOf(view.id), view),
    'views.remove': async ({ id }) => views.remove(ownerOf(id), id),
    'views.order': async ({ ids }) => {
      for (const accountId of shownIds(accounts)) views.setOrder(accountId, ids)
    }
  }
}
