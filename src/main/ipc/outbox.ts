/** Requests about sends, the outbox and batches. Only those of accounts that the user sees can be changed. */
import type { OutboxView, SendCounts } from '../../shared/contract/index.ts'
import type { NoteInAudit } from '../core/audit/audit.ts'
import { type TableFormat, tableFile } from '../core/bulk/table-file.ts'
import { fail } from '../core/lib/failure.ts'
import { defined } from '../core/lib/objects.ts'
import { chosenId, coveredRecord, shownIds } from './covered-accounts.ts'
import { saveTable } from './dialogs.ts'
import type { Parts } from './parts.ts'
import type { HandlersOf } from './registration.ts'

interface OutboxParts extends Pick<Parts, 'accounts' | 'outbox' | 'chooseSaveFile'> {
  note: NoteInAudit
  sharedDrafts: Pick<Parts['sharedDrafts'], 'assertSendable'>
  drafts: Pick<Parts['drafts'], 'summary'>
}

export function outboxHandlers(parts: OutboxParts): HandlersOf<'sends' | 'outbox' | 'batches'> {
  const { accounts, drafts, note, outbox, sharedDrafts } = parts
  const { batches } = outbox

  // Packages are sent in the name of an account that the user sees.
  const ownDraft = coveredRecord(
    accounts,
    (id) => drafts.summary(id).accountId,
    () => fail('gone', 'This draft belongs to another account.', { next: 'Choose that account to send it.' })
  )
  const ownSend = coveredRecord(
    accounts,
    (id) => outbox.get(id).accountId,
    () => fail('gone', 'This send belongs to another account.', { next: 'Choose that account to see it.' })
  )
  const ownBatch = coveredRecord(
    accounts,
    (id) => batches.get(id).accountId,
    () => fail('gone', 'This batch belongs to another account.', { next: 'Choose that account to see it.' })
  )

  function sendableDraft(id: string, edition: number | undefined): string {
    sharedDrafts.assertSendable(ownDraft(id), edition)
    return id
  }

  /** Withdraws a send from the office first, since another workstation may send it. */
  async function withdrawFromOffice(id: string): Promise<string> {
    await outbox.shared.withholdForUndo(outbox.get(ownSend(id)))
    return id
  }

  /**
   * Runs `act` for each account covered; returns the combined outbox.
   * @param ids the accounts, if something was awaited since the request: others may be shown by now.
   */
  function forAll(act: (accountId: string) => OutboxView, ids = shownIds(accounts)): OutboxView {
    const [first, ...others] = ids
    const view = act(first)
    if (others.length === 0) return view
    const views = others.map((accountId) => ({ accountId, view: act(accountId) }))
    const paused = [{ accountId: first, view }, ...views].flatMap(({ accountId, view: { pause } }) =>
      pause ? [{ accountId, pause }] : []
    )
    return { ...views.map(({ view }) => view).reduce(combineOutboxes, view), ...(paused.length > 0 && { paused }) }
  }

  return {
    'sends.start': async ({ draftId, at, edition }) => outbox.enqueue(sendableDraft(draftId, edition), { at }),
    'sends.now': async ({ id }) => outbox.sendNow(ownSend(id)),
    'sends.reschedule': async ({ id, at }) => outbox.reschedule(ownSend(id), at),
    'sends.undo': async ({ id }) => outbox.undo(await withdrawFromOffice(id)),
    'sends.release': async ({ id }) => {
      const view = await outbox.release(ownSend(id))
      note({ what: 'package-released', detail: { package: view.title, sentBy: view.release?.by ?? '' } })
      return view
    },
    'sends.refuse': async ({ id, reason }) => {
      const view = await outbox.refuse(ownSend(id), reason)
      note({ what: 'package-refused', detail: { package: view.title, sentBy: view.release?.by ?? '', why: reason } })
      return view
    },
    'sends.list': async ({ search, ...query }) =>
      search.trim() === '' ? outbox.list(shownIds(accounts), query) : outbox.search(shownIds(accounts), search, query),
    'sends.get': async ({ id }) => outbox.get(ownSend(id)),
    'sends.composition': async ({ id }) => outbox.compositionOf(ownSend(id)),
    'sends.reconcile': async ({ id }) => outbox.reconcile(ownSend(id)),
    'sends.resolve': async ({ id, ...answer }) => outbox.resolveAmbiguity(ownSend(id), answer),
    'sends.retry': async ({ id }) => outbox.retry(ownSend(id)),
    'sends.toDraft': async ({ id }) => outbox.toDraft(await withdrawFromOffice(id)),
    'sends.duplicate': async ({ id, keeps }) => outbox.duplicate(ownSend(id), keeps),
    'sends.sameSent': async ({ composition }) => outbox.sameSent(chosenId(accounts), composition) ?? null,

    'outbox.state': async () => forAll(outbox.state),
    'outbox.pause': async () => {
      const ids = shownIds(accounts)
      for (const accountId of ids) await outbox.shared.pause(accountId, true)
      return forAll(outbox.pause, ids)
    },
    'outbox.resume': async () => {
      const ids = shownIds(accounts)
      for (const accountId of ids) await outbox.shared.pause(accountId, false)
      return forAll(outbox.resume, ids)
    },
    'outbox.configure': async (change) => {
      const ids = shownIds(accounts)
      for (const accountId of ids) {
        await outbox.shared.configure(accountId, { ...outbox.state(accountId).settings, ...defined(change) })
      }
      return forAll((accountId) => outbox.configure(accountId, defined(change)), ids)
    },

    'batches.list': async () =>
      shownIds(accounts)
        .flatMap((accountId) => batches.list(accountId))
        .sort((one, other) => other.createdAt - one.createdAt),
    'batches.pause': async ({ id }) => batches.pause(ownBatch(id)),
    'batches.release': async ({ id }) => {
      const { name, release } = batches.get(ownBatch(id))
      const view = batches.release(id)
      note({ what: 'package-released', detail: { package: name, sentBy: release?.by ?? '' } })
      return view
    },
    'batches.resume': async ({ id }) => batches.resume(ownBatch(id)),
    'batches.cancel': async ({ id }) => batches.cancel(ownBatch(id)),
    'batches.retry': async ({ id }) => batches.retry(ownBatch(id)),
    'batches.leftOut': async ({ id, offset, limit }) => {
      const { rows } = batches.leftOutRows(ownBatch(id))
      const shown = rows.slice(offset, offset + limit).map(({ row, problems }) => ({ row, problems }))
      return { rows: shown, total: rows.length }
    },
    'batches.exportFailed': async ({ id }, { stillAsking }) => {
      const { name } = batches.get(ownBatch(id))
      const { columns, rows } = batches.failedRows(id)
      const title = 'Save the rows that were not sent'
      const file = (format: TableFormat) => tableFile(format, columns, rows)
      return saveTable(parts, { title, name: `${name} - not sent`, file }, stillAsking)
    }
  }
}

/**
 * Combines two outboxes: paused only if both are, and the office is unavailable if it is for either. Settings are the
 * first one's.
 */
function combineOutboxes({ counts, releases, pause, settings, office }: OutboxView, other: OutboxView): OutboxView {
  const some = releases ?? other.releases
  const their = office === undefined || office === 'connected' ? other.office : office
  const names = Object.keys(counts) as (keyof SendCounts)[]
  const sums = names.map((name) => [name, counts[name] + other.counts[name]])
  return {
    counts: Object.fromEntries(sums) as typeof counts,
    settings,
    ...(some && {
      releases: {
        undecided: (releases?.undecided ?? 0) + (other.releases?.undecided ?? 0),
        refused: (releases?.refused ?? 0) + (other.releases?.refused ?? 0)
      }
    }),
    ...(pause && other.pause && { pause }),
    ...(their && { office: their })
  }
}
