/**
 * Many packages of one sheet: written down a little at a time, and going only once all of them are. What of a batch was
 * not wholly written when the application ended is removed at the next start; nothing of it has left.
 */

import type { Composition } from '../../../shared/composition/index.ts'
import type { BatchView } from '../../../shared/contract/index.ts'
import type { LeftOutRow, PackageRow } from '../bulk/dry-run.ts'
import { withProblems } from '../bulk/table-file.ts'
import { AppFailure, fail } from '../lib/failure.ts'
import { nextTurn } from '../lib/slices.ts'
import type { Appointments } from './appointments.ts'
import type { BatchRecord, BatchRecords } from './batch-records.ts'
import { CHUNK, chunks, contentOf, slices } from './batch-writing.ts'
import type { Changes } from './changes.ts'
import type { OutboxEffects } from './effects.ts'
import type { Holds } from './holds.ts'
import type { SendPages } from './send-list.ts'
import type { Send } from './send-record.ts'
import type { NewSend, Sends } from './sends.ts'

export interface NewBatch {
  /** Chosen by whoever needs to find it again after a crash; a second batch of that id is refused. */
  id?: string
  accountId: string
  name: string
  /** The sheet's headings. */
  columns: string[]
  rows: Iterable<PackageRow>
  leftOut: LeftOutRow[]
  /** When it goes, in milliseconds since 1970 UTC; after the time to take it back where it is left out. */
  at?: number | undefined
}

export interface BatchParts {
  effects: Pick<OutboxEffects, 'db' | 'newId' | 'clock'>
  sends: Sends
  records: BatchRecords
  pages: SendPages
  holds: Holds
  appointments: Appointments
  changes: Changes
  takeBackMs: (accountId: string) => number
  /** Has a composition's people and values remembered. */
  note: (accountId: string, composition: Composition) => void
  /** Lets a send go again as it is. @throws AppFailure where it must not. */
  retry: (send: Send) => void
  /** Something of the account may have become due. */
  wake: (accountId: string) => void
}

export function openBatches({ effects, sends, records, pages, holds, appointments, changes, ...parts }: BatchParts) {
  const { db, clock } = effects
  /** Batches that are being written down. */
  const underWay = new Set<Promise<void>>()

  function recordOf(id: string): BatchRecord {
    return records.find(id) ?? fail('gone', 'This batch is no longer there.')
  }

  function viewOf(record: BatchRecord): BatchView {
    const { id, accountId, name, createdAt, leftOut } = record
    const counts = pages.counts(accountId, id)
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
    return { id, accountId, name, createdAt, leftOut, counts, total, state: stateOf(record, counts) }
  }

  function addRow(
    batch: Pick<BatchRecord, 'id' | 'accountId' | 'createdAt'>,
    at: number | undefined,
    row: PackageRow
  ): void {
    const id = effects.newId()
    const { id: batchId, accountId, createdAt } = batch
    const goes = { isScheduled: at !== undefined, goesAt: at ?? createdAt }
    const { row: number, cells, composition } = row
    const send = { id, accountId, batchId, createdAt, row: number, cells, composition, ...goes }
    sends.add({ ...send, ...contentOf(composition, id, at ?? clock()) } as NewSend)
    parts.note(accountId, composition)
  }

  async function write({ id, accountId, name, columns, rows, leftOut, at: asked }: NewBatch): Promise<BatchView> {
    const createdAt = clock()
    const at = asked !== undefined && asked > createdAt ? asked : undefined
    const batch = { id: id ?? effects.newId(), accountId, name, createdAt }
    records.begin(batch, columns, leftOut)
    changes.batch(batch.id)
    try {
      for (const chunk of slices(rows)) {
        db.transaction(() => {
          for (const row of chunk()) addRow(batch, at, row)
        })()
        changes.batch(batch.id)
        await nextTurn()
      }
      const takeBack = parts.takeBackMs(accountId)
      records.go(batch.id, at === undefined ? clock() + takeBack : 0)
      if (at === undefined) holds.hold(batch.id, takeBack)
      else appointments.give(batch.id)
    } catch (error) {
      await remove(batch.id)
      throw error
    }
    changes.outbox()
    changes.batch(batch.id)
    parts.wake(accountId)
    return viewOf(recordOf(batch.id))
  }

  return {
    /**
     * Puts a batch in the outbox. Resolves when all of it is written down, which is when it may begin to go.
     * @throws what writing throws; nothing of the batch is left then.
     */
    add(batch: NewBatch): Promise<BatchView> {
      const writing = write(batch)
      const over = writing.then(
        () => undefined,
        () => undefined
      )
      underWay.add(over)
      void over.then(() => underWay.delete(over))
      return writing
    },

    /** How many are being written down. */
    preparing: (): number => underWay.size,
    /** Resolves when those that are being written down are. */
    written: async (): Promise<void> => void (await Promise.all(underWay)),

    list: (accountId: string): BatchView[] => records.list(accountId).map(viewOf),
    /** @throws AppFailure `gone`. */
    get: (id: string): BatchView => viewOf(recordOf(id)),
    find(id: string): BatchView | undefined {
      const record = records.find(id)
      return record && viewOf(record)
    },

    pause(id: string): BatchView {
      recordOf(id)
      records.setPaused(id, true)
      changes.batch(id)
      changes.outbox()
      return viewOf(recordOf(id))
    },

    resume(id: string): BatchView {
      const { accountId } = recordOf(id)
      records.setPaused(id, false)
      changes.batch(id)
      changes.outbox()
      parts.wake(accountId)
      return viewOf(recordOf(id))
    },

    /** What of the batch has not left stays here for good. @throws AppFailure `busy` while it is being written down. */
    async cancel(id: string): Promise<BatchView> {
      if (recordOf(id).state === 'preparing')
        fail('busy', 'This batch is still being written down.', { next: 'Cancel it after that.' })
      records.setState(id, 'cancelled')
      await cancelRest(id)
      return viewOf(recordOf(id))
    },

    /** Lets those go again that were refused or did not arrive; one whose draft was sent or changed since is left out. */
    async retry(id: string): Promise<BatchView> {
      const { accountId, state } = recordOf(id)
      if (state === 'preparing') fail('busy', 'This batch is still being written down.')
      if (state === 'cancelled') records.setState(id, 'going')
      for (const some of chunks(records.failedSends(id))) {
        db.transaction(() => {
          for (const sendId of some) retryOne(sendId)
        })()
        await nextTurn()
      }
      changes.batch(id)
      parts.wake(accountId)
      return viewOf(recordOf(id))
    },

    /** The rows that were left out, refused, cancelled or didn't arrive, as they were, with why in a last column. */
    failedRows(id: string): { columns: string[]; rows: string[][] } {
      const { columns, rows } = records.failedRows(id)
      return withProblems(columns, rows)
    },

    /** Whether its sends stay here once they are back. */
    isCancelled: (id: string | undefined): boolean => id !== undefined && records.find(id)?.state === 'cancelled',
    isPaused: (id: string): boolean => records.find(id)?.isPaused ?? false,

    /** At start: removes what was not wholly written, finishes cancelling, and takes over the time to take back. */
    takeUpInterrupted(): void {
      for (const id of records.inState('preparing')) records.remove(id)
      for (const id of records.inState('cancelled')) records.cancelSends(id, Number.MAX_SAFE_INTEGER, clock())
      for (const { id, accountId, goesAt } of records.held(clock())) {
        holds.hold(id, Math.min(goesAt - clock(), parts.takeBackMs(accountId)))
      }
    }
  }

  function retryOne(sendId: string): void {
    const send = sends.find(sendId)
    if (!send) return
    try {
      parts.retry(send)
    } catch (error) {
      if (!(error instanceof AppFailure)) throw error
    }
  }

  async function cancelRest(id: string): Promise<void> {
    for (;;) {
      const cancelled = records.cancelSends(id, CHUNK, clock())
      for (const sendId of cancelled) changes.send(sendId, id)
      if (cancelled.length === 0) break
      await nextTurn()
    }
    changes.batch(id)
    changes.outbox()
  }

  /** What can't be removed now is removed at the next start. */
  async function remove(id: string): Promise<void> {
    try {
      while (records.removeSends(id, CHUNK)) await nextTurn()
      records.remove(id)
    } catch {
      return
    } finally {
      changes.batch(id)
      changes.outbox()
    }
  }
}

function stateOf({ state, isPaused }: BatchRecord, counts: BatchView['counts']): BatchView['state'] {
  if (state === 'preparing') return 'preparing'
  if (counts.ready + counts.sending + counts.uncertain === 0) return 'done'
  return isPaused ? 'paused' : 'going'
}
