/** Queues documents: one, some, or all that a query finds. */
import type { AddedDownloads, DocumentQuery, DownloadChoice, DownloadView } from '../../../shared/contract/index.ts'
import type { AskDocuments, DocumentKey, IdentityCheck, Some } from '../documents/questions.ts'
import { fail } from '../lib/failure.ts'
import type { Sliced } from '../lib/slices.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import { chunked } from './bulk-changes.ts'
import type { DownloadFolders } from './download-folders.ts'
import type { DownloadsTable } from './downloads-table.ts'
import type { Listing } from './listing.ts'
import type { Runs } from './progress.ts'
import type { Queue } from './queue.ts'
import type { KeptSettings } from './settings.ts'

export interface EnqueueDeps {
  db: Db
  ask: AskDocuments
  table: DownloadsTable
  folders: DownloadFolders
  settings: KeptSettings
  runs: Runs
  queue: Queue
  listing: Listing
  changed: (id?: string) => void
  newId: () => string
  time: Time
}

/** Documents of the account by their references, or all that a query finds. */
export type ManyDocuments = { references: string[] } | { query: DocumentQuery }

const PAGE = 5_000

export function openEnqueue({
  db,
  ask,
  table,
  folders,
  settings,
  runs,
  queue,
  listing,
  changed,
  newId,
  time
}: EnqueueDeps) {
  /** How often all of an account was stopped. */
  const stops = new Map<string, number>()

  function* addAll(
    checks: readonly IdentityCheck[],
    folderId: string,
    choice: DownloadChoice,
    isStopped: () => boolean
  ): Sliced<AddedDownloads> {
    const counts = { added: 0, alreadyQueued: 0, withoutIdentity: 0 }
    for (const { accountId, reference, name, isThere } of checks) {
      if (isStopped()) return counts
      if (!isThere) counts.withoutIdentity += 1
      for (const type of isThere ? new Set(choice.types) : []) {
        const { pattern, writesIndex } = choice
        const what = { accountId, documentReference: reference, name, type, folderId, pattern, writesIndex }
        runs.adding(accountId)
        if (table.add({ id: newId(), ...what, queuedAt: time.now() })) counts.added += 1
        else counts.alreadyQueued += 1
      }
      yield
    }
    return counts
  }

  return {
    /** One document, as it is set. If the same is queued already, that is answered. */
    start(accountId: string, reference: string, name: string, type: DownloadView['type']): DownloadView {
      const { folder, pattern, writesIndex } = settings.read()
      const id = newId()
      const what = { accountId, documentReference: reference, type, folderId: folder.id }
      runs.adding(accountId)
      const isNew = table.add({ id, ...what, name, pattern, writesIndex, queuedAt: time.now() })
      const download = isNew ? table.find(id) : table.same(what)
      // A person asks for this one now.
      queue.lanes.release(accountId)
      queue.added(what)
      changed(download?.id)
      return listing.viewOf(download ?? fail('gone', 'This download is no longer in the list.'))
    },

    /** Many documents; those without an identity check are only counted. @throws AppFailure `gone` for the folder. */
    async add(
      accountId: string,
      what: ManyDocuments,
      { folderId, ...choice }: DownloadChoice & { folderId: string }
    ): Promise<AddedDownloads> {
      folders.pathOf(folderId)
      const begun = stops.get(accountId)
      const isStopped = () => stops.get(accountId) !== begun
      const some: Some =
        'query' in what ? what : { documents: what.references.map((reference) => ({ accountId, reference })) }
      const sum = { added: 0, alreadyQueued: 0, withoutIdentity: 0 }
      let found = 0
      let after: DocumentKey | undefined
      queue.lanes.release(accountId)
      for (let isMore = true; isMore && !isStopped(); ) {
        const asked = { accountId, some, after, limit: PAGE, now: time.now(), zone: time.zone() }
        const page = await ask('identityChecks', asked)
        isMore = page.length === PAGE
        after = page.at(-1)
        found += page.length
        const counts = await chunked(db, addAll(page, folderId, choice, isStopped))
        for (const name of ['added', 'alreadyQueued', 'withoutIdentity'] as const) sum[name] += counts[name]
        for (const lane of new Set(page.map((one) => one.accountId))) queue.added({ accountId: lane, folderId })
        changed()
      }
      // Of what isn't known here no check is known either.
      if ('references' in what && !isStopped()) sum.withoutIdentity += new Set(what.references).size - found
      return sum
    },

    /** What is still being queued of an account is left. */
    stop: (accountId: string): void => void stops.set(accountId, (stops.get(accountId) ?? 0) + 1)
  }
}
