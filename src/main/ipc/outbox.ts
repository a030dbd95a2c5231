/** Requests about sends, the outbox and batches. What is acted on belongs to the account that the person sees. */
import { type TableFormat, tableFile } from '../core/bulk/table-file.ts'
import { fail } from '../core/lib/failure.ts'
import { defined } from '../core/lib/objects.ts'
import { chosenId } from './accounts.ts'
import { saveTable } from './dialogs.ts'
import type { Parts } from './parts.ts'
import type { HandlersOf } from './registration.ts'

interface OutboxParts extends Pick<Parts, 'accounts' | 'outbox' | 'chooseSaveFile'> {
  drafts: Pick<Parts['drafts'], 'summary'>
}

export function outboxHandlers(parts: OutboxParts): HandlersOf<'sends' | 'outbox' | 'batches'> {
  const { accounts, drafts, outbox } = parts
  const { batches } = outbox

  function ownDraft(id: string): string {
    // What is sent goes out in the name of the account that the person sees.
    if (drafts.summary(id).accountId !== chosenId(accounts)) {
      fail('gone', 'This draft belongs to another account.', { next: 'Choose that account to send it.' })
    }
    return id
  }

  function ownSend(id: string): string {
    if (outbox.get(id).accountId !== chosenId(accounts)) {
      fail('gone', 'This send belongs to another account.', { next: 'Choose that account to see it.' })
    }
    return id
  }

  function ownBatch(id: string): string {
    if (batches.get(id).accountId !== chosenId(accounts)) {
      fail('gone', 'This batch belongs to another account.', { next: 'Choose that account to see it.' })
    }
    return id
  }

  return {
    'sends.start': async ({ draftId, at }) => outbox.start(ownDraft(draftId), { at }),
    'sends.now': async ({ id }) => outbox.now(ownSend(id)),
    'sends.undo': async ({ id }) => outbox.undo(ownSend(id)),
    'sends.list': async ({ search, ...query }) =>
      search.trim() === '' ? outbox.list(chosenId(accounts), query) : outbox.search(chosenId(accounts), search, query),
    'sends.get': async ({ id }) => outbox.get(ownSend(id)),
    'sends.reconcile': async ({ id }) => outbox.reconcile(ownSend(id)),
    'sends.settle': async ({ id, ...answer }) => outbox.settle(ownSend(id), answer),
    'sends.retry': async ({ id }) => outbox.retry(ownSend(id)),
    'sends.again': async ({ id }) => outbox.again(ownSend(id)),
    'sends.another': async ({ id, keeps }) => outbox.another(ownSend(id), keeps),
    'sends.sameSent': async ({ composition }) => outbox.sameSent(chosenId(accounts), composition) ?? null,

    'outbox.state': async () => outbox.state(chosenId(accounts)),
    'outbox.pause': async () => outbox.pause(chosenId(accounts)),
    'outbox.resume': async () => outbox.resume(chosenId(accounts)),
    'outbox.configure': async (change) => outbox.configure(chosenId(accounts), defined(change)),

    'batches.list': async () => batches.list(chosenId(accounts)),
    'batches.pause': async ({ id }) => batches.pause(ownBatch(id)),
    'batches.resume': async ({ id }) => batches.resume(ownBatch(id)),
    'batches.cancel': async ({ id }) => batches.cancel(ownBatch(id)),
    'batches.retry': async ({ id }) => batches.retry(ownBatch(id)),
    'batches.exportFailed': async ({ id }, { stillAsking }) => {
      const { name } = batches.get(ownBatch(id))
      const { columns, rows } = batches.failedRows(id)
      const title = 'Save the rows that were not sent'
      const file = (format: TableFormat) => tableFile(format, columns, rows)
      return saveTable(parts, { title, name: `${name} - not sent`, file }, stillAsking)
    }
  }
}
