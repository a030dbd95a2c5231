/**
 * The documents' worker: sole owner of the mirror and its indexes. Long answers are computed in slices, so that other
 * questions are answered meanwhile.
 */

import { inSlices, inTurn } from '../lib/slices.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import type { DocumentIndex } from './index/document-index.ts'
import { overviewOf, overviewOfStored } from './index/overview.ts'
import {
  countsOf,
  dueOn,
  identityChecksOf,
  listOf,
  matchingOf,
  referencesOf,
  targetsOf,
  waitingHere
} from './index/queries.ts'
import { documentRowOf } from './index/row.ts'
import { tableOf } from './index/table.ts'
import { isReference } from './mirror/answer-items.ts'
import { openAnswerIntake } from './mirror/answers.ts'
import type { Entry } from './mirror/entries.ts'
import { snapshotIn } from './mirror/folder-snapshot.ts'
import { changeFolders, markGone } from './mirror/gone.ts'
import { openMirror } from './mirror/mirror.ts'
import { heldDocuments, purgeDue, purgeMirror } from './mirror/purge.ts'
import {
  compareShared,
  settleSeen,
  shareFeed,
  takeReport,
  takeShared,
  toShare,
  unshared
} from './mirror/shared-documents.ts'
import { updateOf, withLinksOf } from './mirror/update.ts'
import { documentPage } from './page.ts'
import type { Answer, Ask, AskDocuments, DocumentKey, DocumentQuestion, WithSelection } from './questions.ts'

export type DocumentsWorker = ReturnType<typeof openDocumentsWorker>

type Answers = { [Name in DocumentQuestion]: (ask: Ask<Name>) => Answer<Name> | Promise<Answer<Name>> }

/**
 * Questions answered from disk before everything is in memory: those of the first screen, and those that don't need the
 * index. An account erased meanwhile isn't loaded any further.
 */
const ANSWERED_FROM_DISK: ReadonlySet<DocumentQuestion> = new Set([
  'overview',
  'lookedAt',
  'newestChange',
  'changesAfter',
  'activity',
  'keepOnly'
] as const)

const MAX_NAMED = 10_000

/** Opens the worker. @param db as opened by `openDocuments`; the worker closes it. */
export function openDocumentsWorker({ db, time }: { db: Db; time: Pick<Time, 'now'> }) {
  const closing = new AbortController()
  const mirror = openMirror(db, time.now(), closing.signal)
  const intake = openAnswerIntake(mirror, closing.signal)

  /** Serialises work that goes through a whole account: one erased in between would look like a damaged file. */
  const oneByOne = <Done>(work: () => Done | Promise<Done>) => inTurn(mirror, work)

  /** What the purge in progress, or else the next, must not erase. */
  let held = heldDocuments([])

  const indexOf = (accountId: string): DocumentIndex => mirror.account(accountId).index

  function indexesOf(accountId: string, others: readonly string[] = []): DocumentIndex[] {
    return [...new Set([accountId, ...others])].map(indexOf)
  }

  function indexesWith({ accountId, some }: Pick<WithSelection, 'accountId' | 'some'>): DocumentIndex[] {
    return indexesOf(accountId, 'query' in some ? some.query.accounts : some.documents.map((one) => one.accountId))
  }

  function entryOf({ accountId, reference }: DocumentKey): Entry | undefined {
    return mirror.account(accountId).entries.get(reference)
  }

  function inPackage(accountId: string, packageReference: string): Entry[] {
    const account = mirror.account(accountId)
    return account.entries.inPackage(packageReference).sort((one, two) => (one.reference < two.reference ? -1 : 1))
  }

  /** The references of all documents that an action on one affects: extending one extends its package. */
  function actedOn(key: DocumentKey, kind: Ask<'acting'>['kind']): Set<string> {
    const { packageReference } = entryOf(key) ?? {}
    const others = kind === 'extend' && packageReference ? inPackage(key.accountId, packageReference) : []
    return new Set([key.reference, ...others.map(({ reference }) => reference)])
  }

  const rowsOf = (ask: WithSelection) => inSlices(targetsOf(indexesWith(ask), ask.some, ask))

  const answers: Answers = {
    take: (ask) => oneByOne(() => intake.take(ask)),

    takeOne({ accountId, document, now, arrived = now, isOwn }) {
      const account = mirror.account(accountId)
      const entry = account.entries.get(document.Reference)
      const source = { requestedAt: arrived, arrived, now, isOwn: () => isOwn }
      const { writing, isChanged } = updateOf(mirror, account, entry, document, source)
      if (entry && (isChanged || writing.content)) mirror.invalidateFolder(account, entry.folder)
      mirror.write([writing])
      const { packageReference } = writing.entry
      if (isOwn && packageReference) account.extended.set(packageReference, document.Reference)
      return null
    },

    takeSent: ({ accountId, documents, now }) =>
      oneByOne(async () => {
        const account = mirror.account(accountId)
        // Skips references that can't be used in requests; answers of folders skip them too.
        for (const sent of documents.filter(({ Reference }) => isReference(Reference))) {
          const entry = account.entries.get(sent.Reference)
          const document = entry ? withLinksOf(mirror.document(entry), sent) : sent
          const source = { requestedAt: now, arrived: now, now, isOwn: () => true }
          const { writing } = updateOf(mirror, account, entry, document, source)
          if (entry && writing.content) mirror.invalidateFolder(account, entry.folder)
          mirror.write([writing])
          if (mirror.ownActions.has(accountId, sent.Reference, 'send')) continue
          mirror.ownActions.note({ accountId, reference: sent.Reference }, sent, { kind: 'send', at: now })
          if (!entry || !mirror.changes.markOwn(accountId, sent.Reference)) continue
          const some = { documents: [{ accountId, reference: sent.Reference }] }
          await mirror.markRead(await rowsOf({ accountId, some, now, zone: 'UTC' }), true)
        }
        return null
      }),

    acting({ accountId, reference, kind, due, now }) {
      for (const one of actedOn({ accountId, reference }, kind)) {
        const entry = entryOf({ accountId, reference: one })
        const document = entry && mirror.document(entry)
        mirror.ownActions.note({ accountId, reference: one }, document, { kind, at: now, due })
      }
      return null
    },

    actionRefused({ accountId, reference, kind }) {
      for (const one of actedOn({ accountId, reference }, kind)) mirror.ownActions.undo(accountId, one, kind)
      return null
    },

    markGone: ({ accountId, since, now }) => oneByOne(() => markGone(mirror, mirror.account(accountId), since, now)),

    lookedAt({ accountId, folders }) {
      const known = mirror.account(accountId).folders
      return Object.fromEntries(
        folders.flatMap((name) => {
          const folder = known.get(name)
          return folder?.result ? [[name, folder.lookedAt] as const] : []
        })
      )
    },

    snapshot: (ask) => oneByOne(() => inSlices(snapshotIn(mirror, mirror.account(ask.accountId), ask))),

    get(ask) {
      const entry = entryOf(ask)
      return entry && mirror.mirroredDocument(mirror.account(ask.accountId), entry)
    },

    page(ask) {
      const account = mirror.account(ask.accountId)
      const entry = entryOf(ask)
      const mirrored = entry && mirror.mirroredDocument(account, entry)
      const row = account.index.get(ask.reference)
      if (!mirrored || !row) return undefined
      const others = entry.packageReference === undefined ? [] : inPackage(ask.accountId, entry.packageReference)
      return documentPage(
        mirrored,
        documentRowOf(row),
        others.flatMap(({ reference }) => account.index.get(reference) ?? [])
      )
    },

    inPackage: ({ accountId, packageReference }) =>
      inPackage(accountId, packageReference).flatMap(
        (entry) => mirror.mirroredDocument(mirror.account(accountId), entry) ?? []
      ),

    list: ({ accountId, query, expanded, offset, limit, ...moment }) =>
      inSlices(listOf(indexesOf(accountId, query.accounts), query, moment, { expanded, offset, limit })),

    references: ({ accountId, query, limit, ...moment }) =>
      inSlices(referencesOf(indexesOf(accountId, query.accounts), query, moment, limit)),

    counts: ({ accountId, queries, ...moment }) =>
      inSlices(countsOf(indexOf(accountId), queries, moment, ({ accounts }) => indexesOf(accountId, accounts))),

    async table({ columns, format, ...ask }) {
      const rows = await rowsOf(ask)
      return { bytes: await inSlices(tableOf(rows, columns, ask.zone, format)), documents: rows.length }
    },

    async overview({ accountId, stuckDays, ...moment }) {
      const stored = mirror.figures(accountId)
      if (stored) return overviewOfStored(stored, moment, stuckDays)
      await mirror.ready()
      return inSlices(overviewOf(indexOf(accountId), moment, stuckDays))
    },

    waitingHere: ({ accountId, withoutLink }) => waitingHere(indexOf(accountId), withoutLink),

    async markRead({ read, ...ask }) {
      return mirror.markRead(await rowsOf(ask), read)
    },

    newestChange: () => mirror.changes.newest(),
    changesAfter: ({ after, limit }) => mirror.changes.after(after, limit),
    activity: (ask) => inSlices(mirror.changes.activity(ask)),

    matching({ accountId, reference, queries, ...moment }) {
      const row = indexOf(accountId).get(reference)
      return row ? matchingOf(row, queries, moment) : []
    },

    identityChecks: (ask) => inSlices(identityChecksOf(indexesWith(ask), ask)),

    dueOn: ({ accountId, day, zone }) => dueOn(indexOf(accountId), day, zone),

    foldersChanged: ({ accountId, ...ask }) =>
      oneByOne(async () => {
        await changeFolders(mirror, mirror.account(accountId), ask)
        return null
      }),

    async named(ask) {
      const rows = await rowsOf(ask)
      return rows.slice(0, MAX_NAMED).map(({ accountId, reference, name }) => ({ accountId, reference, name }))
    },

    purgeDue: ({ before, held: documents }) => purgeDue(mirror, before, heldDocuments(documents)),
    purge({ now, before, held: documents }) {
      held = heldDocuments(documents)
      return oneByOne(() => purgeMirror(mirror, now, before, held))
    },
    hold({ documents }) {
      documents.forEach(held.add)
      return null
    },

    shareFeed: (ask) => oneByOne(() => shareFeed(mirror, ask)),
    toShare: (ask) => oneByOne(() => toShare(mirror, ask)),
    shared({ accountId, upTo }) {
      mirror.shared.dropUpTo(accountId, upTo)
      return null
    },
    unshared: (ask) => unshared(mirror, ask),
    takeShared: (ask) => oneByOne(() => takeShared(mirror, ask)),
    takeReport: (ask) => oneByOne(() => takeReport(mirror, ask)),
    compareShared: (ask) => oneByOne(() => compareShared(mirror, ask)),
    settleSeen: (ask) => oneByOne(() => settleSeen(mirror, ask)),

    erase: ({ accountId }) =>
      oneByOne(() => {
        mirror.erase(accountId)
        return null
      }),

    keepOnly: ({ accountIds }) =>
      oneByOne(() => {
        const kept = new Set(accountIds)
        for (const accountId of mirror.accountIds()) if (!kept.has(accountId)) mirror.erase(accountId)
        return null
      })
  }

  const ask: AskDocuments = async (name, ask) => {
    await (ANSWERED_FROM_DISK.has(name) ? mirror.whenFoldersKnown() : mirror.ready())
    return (answers[name] as (ask: unknown) => Promise<never>)(ask)
  }

  return {
    /** Resolves once everything is in memory. Rejects if the file can't be read: then no question can be answered. */
    ready: mirror.ready,
    ask,

    /** Lets the current write finish, drops any that would follow, then closes the database. */
    async close(): Promise<void> {
      closing.abort()
      await oneByOne(mirror.ready).catch(() => undefined)
      db.close()
    }
  }
}
