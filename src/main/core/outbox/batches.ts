/**
 * Bulk sends from one sheet. A batch is stored in slices and sent only once all of it is stored. If the application
 * ends before that, the incomplete batch is removed at the next start; nothing of it has left.
 */
import type { Composition } from '../../../shared/composition/index.ts'
import type { BatchView } from '../../../shared/contract/index.ts'
import type { LeftOutRow, PackageRow } from '../bulk/dry-run.ts'
import { withProblems } from '../bulk/table-file.ts'
import { AppFailure, fail } from '../lib/failure.ts'
import { each, inSlices, nextTurn } from '../lib/slices.ts'
import { type BatchRecord, type BatchRecords, openBatchRecords } from './batch-records.ts'
import type { OutboxParts } from './parts.ts'
import { currentPerson, holdForRelease, releaseDecision, releaseView } from './releases.ts'
import { requestOf } from './send-actions.ts'
import type { Send, SentRequest } from './send-record.ts'
import type { NewSend } from './sends.ts'

export interface NewBatch {
  /** Set by a caller that needs to find it again after a crash. A second batch with the same id is refused. */
  id?: string
  accountId: string
  name: string
  /** The sheet's headings. */
  columns: string[]
  rows: Iterable<PackageRow>
  leftOut: LeftOutRow[]
  /** When to send it, in milliseconds since 1970 UTC; if absent, after the undo window. */
  at?: number | undefined
}

export interface BatchDeps
  extends Pick<
    OutboxParts,
    'db' | 'newId' | 'time' | 'release' | 'sends' | 'queries' | 'times' | 'pauses' | 'changes' | 'note' | 'wake'
  > {
  /** Sends a failed send again, unchanged. @throws AppFailure if that isn't allowed. */
  retry: (send: Send) => void
}

/** How many sends are cancelled or removed at a time. */
const CHUNK = 50

export class Batches {
  readonly #deps: BatchDeps
  readonly #records: BatchRecords
  /** Batches being stored. */
  readonly #writing = new Set<Promise<unknown>>()

  constructor(deps: BatchDeps) {
    this.#deps = deps
    this.#records = openBatchRecords(deps.db)
  }

  /**
   * Puts a batch in the outbox. Resolves once all of it is stored, which is when it may start.
   * @throws what writing throws; nothing of the batch is left then.
   */
  add(batch: NewBatch): Promise<BatchView> {
    const writing = this.#write(batch)
    this.#writing.add(writing)
    const forget = () => this.#writing.delete(writing)
    writing.then(forget, forget)
    return writing
  }

  /** Returns how many batches are being stored. */
  preparingCount(): number {
    return this.#writing.size
  }

  /** Resolves once the batches being stored are complete. */
  async whenWritten(): Promise<void> {
    await Promise.allSettled(this.#writing)
  }

  list(accountId: string): BatchView[] {
    return this.#records.list(accountId).map((record) => this.#viewOf(record))
  }

  /** Returns the batch's name; undefined if there is no such batch. */
  nameOf(id: string | undefined): string | undefined {
    return id === undefined ? undefined : this.#records.find(id)?.name
  }

  get(id: string): BatchView {
    return this.#viewOf(this.#recordOf(id))
  }

  find(id: string): BatchView | undefined {
    const record = this.#records.find(id)
    return record && this.#viewOf(record)
  }

  pause(id: string): BatchView {
    this.#recordOf(id)
    this.#records.setPaused(id, true)
    this.#changed(id)
    return this.get(id)
  }

  /**
   * Releases all sends of a batch that wait for a second staff member. @throws AppFailure `not-allowed` for who put it
   * in the outbox; `busy`; `gone`.
   */
  release(id: string): BatchView {
    const { accountId } = this.#recordOf(id)
    const { sends, release, time, wake } = this.#deps
    const who = currentPerson(release)
    // One person put all of a batch in the outbox, so checking one send is enough.
    releaseDecision(sends.toRelease(id)?.release, who, time.now())
    sends.releaseBatch(JSON.stringify(who), time.now(), id)
    this.#changed(id)
    wake(accountId)
    return this.get(id)
  }

  resume(id: string): BatchView {
    const { accountId } = this.#recordOf(id)
    this.#records.setPaused(id, false)
    this.#changed(id)
    this.#deps.wake(accountId)
    return this.get(id)
  }

  /** Cancels what has not left of a batch, for good. @throws AppFailure `busy` while the batch is being stored. */
  async cancel(id: string): Promise<BatchView> {
    if (this.#recordOf(id).state === 'preparing') {
      fail('busy', 'This batch is still being prepared.', { next: 'Try again in a moment.' })
    }
    this.#records.setState({ id, state: 'cancelled' })
    for (;;) {
      const cancelled = this.#records.cancelSends({ id, limit: CHUNK, now: this.#deps.time.now() })
      for (const sendId of cancelled) this.#deps.changes.send({ id: sendId, batchId: id })
      if (cancelled.length === 0) break
      await nextTurn()
    }
    this.#changed(id)
    return this.get(id)
  }

  /** Retries sends that were refused or did not arrive, except those whose draft was sent or changed since. */
  async retry(id: string): Promise<BatchView> {
    const { accountId, state } = this.#recordOf(id)
    if (state === 'preparing') fail('busy', 'This batch is still being prepared.')
    if (state === 'cancelled') this.#records.setState({ id, state: 'going' })
    await this.#inTransactions(this.#records.failedSends(id), (sendId) => this.#retryOne(sendId))
    this.#deps.changes.batch(id)
    this.#deps.wake(accountId)
    return this.get(id)
  }

  /** Returns the rows that were left out, refused, cancelled or not found, with the reason in an extra column. */
  failedRows(id: string): { columns: string[]; rows: string[][] } {
    const { columns, rows } = this.#records.failedRows(id)
    return withProblems(columns, rows)
  }

  /** Returns the rows that were left out when the batch was made, with the reasons. @throws AppFailure `gone`. */
  leftOutRows(id: string): { columns: string[]; rows: LeftOutRow[] } {
    return this.#records.leftOutRows(id)
  }

  /** Whether sends of the batch that may leave again are cancelled instead. */
  isCancelled(id: string | undefined): boolean {
    return id !== undefined && this.#records.find(id)?.state === 'cancelled'
  }

  isPaused(id: string): boolean {
    return this.#records.find(id)?.isPaused ?? false
  }

  /** Removes incomplete batches, and finishes cancellations. Call it at the start. */
  recover(): void {
    for (const id of this.#records.inState('preparing')) this.#records.remove(id)
    for (const id of this.#records.inState('cancelled')) {
      this.#records.cancelSends({ id, limit: Number.MAX_SAFE_INTEGER, now: this.#deps.time.now() })
    }
  }

  async #write({ id, accountId, name, columns, rows, leftOut, at: requestedAt }: NewBatch): Promise<BatchView> {
    const { time, times, pauses, changes, wake, newId } = this.#deps
    const createdAt = time.now()
    const at = requestedAt !== undefined && requestedAt > createdAt ? requestedAt : undefined
    const batch = { id: id ?? newId(), accountId, name, createdAt }
    this.#records.begin(batch, columns, leftOut)
    changes.batch(batch.id)
    try {
      await this.#inTransactions(rows, (row) => this.#addRow(batch, at, row), batch.id)
      const undoWindow = pauses.undoWindow(accountId)
      this.#records.start({ id: batch.id, goesAt: at === undefined ? time.now() + undoWindow : 0 })
      if (at === undefined) times.allowUndo(batch.id, undoWindow)
      else times.schedule(batch.id)
    } catch (error) {
      await this.#remove(batch.id)
      throw error
    }
    this.#changed(batch.id)
    wake(accountId)
    return this.get(batch.id)
  }

  #addRow(
    batch: Pick<BatchRecord, 'id' | 'accountId' | 'createdAt'>,
    at: number | undefined,
    { row, cells, corrected, composition }: PackageRow
  ): void {
    const { newId, sends, time, note } = this.#deps
    const id = newId()
    const { id: batchId, accountId, createdAt } = batch
    const goes = { isScheduled: at !== undefined, goesAt: at ?? createdAt }
    // A bulk send counts as sent to many people, however few rows it has.
    const held = holdForRelease(this.#deps.release, Number.POSITIVE_INFINITY, goes)
    const send = {
      id,
      accountId,
      batchId,
      createdAt,
      row,
      cells,
      ...(corrected && { corrected }),
      composition,
      ...(held ?? goes)
    }
    sends.add({ ...send, ...requestOrRefusal(composition, id, at ?? time.now()) } as NewSend)
    note(accountId, composition)
  }

  /** Does work for each item, in slices with one transaction each. */
  #inTransactions<Item>(items: Iterable<Item>, work: (item: Item) => void, batchId?: string): Promise<void> {
    return inSlices(each(items, work), (piece) => {
      const last = this.#deps.db.transaction(piece)()
      if (batchId !== undefined) this.#deps.changes.batch(batchId)
      return last
    })
  }

  #retryOne(sendId: string): void {
    const send = this.#deps.sends.find(sendId)
    if (!send) return
    try {
      this.#deps.retry(send)
    } catch (error) {
      if (!(error instanceof AppFailure)) throw error
    }
  }

  /** Removes a batch that couldn't be stored. What can't be removed now is removed at the next start. */
  async #remove(id: string): Promise<void> {
    try {
      while (this.#records.removeSends(id, CHUNK)) await nextTurn()
      this.#records.remove(id)
    } catch {
      return
    } finally {
      this.#changed(id)
    }
  }

  #recordOf(id: string): BatchRecord {
    return this.#records.find(id) ?? fail('gone', 'This batch no longer exists.')
  }

  #viewOf(record: BatchRecord): BatchView {
    const { id, accountId, name, createdAt, leftOut } = record
    const counts = this.#deps.queries.counts(accountId, id)
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
    const { release } = (counts.ready > 0 && this.#deps.sends.toRelease(id)) || {}
    return {
      id,
      accountId,
      name,
      createdAt,
      leftOut,
      counts,
      total,
      state: stateOf(record, counts),
      ...(release && { release: releaseView(release) })
    }
  }

  #changed(id: string): void {
    this.#deps.changes.batch(id)
    this.#deps.changes.outbox()
  }
}

type RowRequest = SentRequest & Pick<NewSend, 'state' | 'error'>

/**
 * Builds a row's request. A row that can't be sent any more (say, its due date has passed since it was checked) becomes
 * a refused send, so it isn't lost.
 */
function requestOrRefusal(composition: Composition, id: string, leavesAt: number): RowRequest {
  try {
    return { ...requestOf(composition, id, leavesAt), state: 'ready' }
  } catch (error) {
    if (!(error instanceof AppFailure)) throw error
    const empty = composition.kind === 'form-direct' ? { Forms: [] } : { Templates: [] }
    return { kind: composition.kind, request: empty, state: 'refused', error: error.appError } as RowRequest
  }
}

function stateOf({ state, isPaused }: BatchRecord, counts: BatchView['counts']): BatchView['state'] {
  if (state === 'preparing') return 'preparing'
  if (counts.ready + counts.sending + counts.uncertain === 0) return 'done'
  return isPaused ? 'paused' : 'going'
}
