/**
 * Turns a sheet into a batch in the outbox. A worker in its own thread holds the rows; this module tracks which account
 * they belong to, when they are checked, and that they go to the outbox only once.
 */

import type { Composition } from '../../../shared/composition/index.ts'
import type {
  BatchView,
  BulkCheck,
  BulkCorrectionResult,
  BulkRow,
  BulkSheet,
  RememberedMapping
} from '../../../shared/contract/index.ts'
import { AppFailure, fail } from '../lib/failure.ts'
import type { Time } from '../lib/time.ts'
import type { LeftOutRow, PackageRow } from './dry-run.ts'
import type { RememberedColumns } from './remembered-columns.ts'
import type { TableFormat } from './table-file.ts'
import type { Ask, BulkQuestions } from './worker.ts'

/** Rows fetched from the worker at a time: few enough not to block the main thread. */
const ROWS_AT_ONCE = 50
/** The most sheets open at a time. A reloaded page may have left one behind. */
const MAX_OPEN_SHEETS = 4

/** The part of the outbox needed here. */
export interface BatchOutbox {
  addBatch(batch: {
    accountId: string
    name: string
    columns: string[]
    rows: Iterable<PackageRow>
    leftOut: LeftOutRow[]
    at?: number
  }): Promise<BatchView>
  /** Returns when packages of the last 30 days were sent or put in the outbox, by fingerprint. */
  sentRecently(accountId: string): ReadonlyMap<string, number>
  /** Runs what compares packages with those sent before and adds them; one at a time for each account. */
  inTurn<Value>(accountId: string, compareAndAdd: () => Promise<Value>): Promise<Value>
}

interface Owner {
  accountId: string
  fileName: string
  /** Of the sheet shown. */
  headings: readonly string[]
  /** Whether it has corrections that haven't been sent. */
  isCorrected: boolean
}

type SheetSource = { path: string } | { bytes: Uint8Array } | { pasted: string }
type CheckRequest = Omit<BulkQuestions['check']['ask'], 'zone' | 'now' | 'recent'>
type SendRequest = Omit<BulkQuestions['prepare']['ask'], 'now' | 'recent'> & { name: string; at?: number | undefined }

export interface BulkDeps {
  columns: RememberedColumns
  worker: { ask: Ask<BulkQuestions>; end(): Promise<void> }
  outbox: BatchOutbox
  time: Pick<Time, 'now' | 'zone'>
  newId: () => string
}

export type Bulk = ReturnType<typeof openBulk>

export function openBulk({ worker, outbox, columns: remembered, time, newId }: BulkDeps) {
  /** Open sheets and the accounts they were opened for, oldest first. */
  const owners = new Map<string, Owner>()
  const sending = new Set<string>()
  /** Sheets to close once their rows are in the outbox. */
  const closeAfterSending = new Set<string>()
  let sheetlessQuestions = 0

  function ownerOf(accountId: string, id: string): Owner {
    const owner = owners.get(id)
    if (owner?.accountId !== accountId)
      return fail('gone', 'This file is no longer open.', { next: 'Choose it again.' })
    return owner
  }

  async function close(id: string): Promise<void> {
    // Its rows are going to the outbox: someone who left the page meant them to be sent.
    if (sending.has(id)) return void closeAfterSending.add(id)
    if (!owners.delete(id)) return
    await worker.ask('close', { id }).catch(() => undefined)
    await endWhenIdle()
  }

  async function endWhenIdle(): Promise<void> {
    if (owners.size === 0 && sheetlessQuestions === 0) await worker.end()
  }

  /** Asks a question that needs no open sheet. The worker ends afterwards if nothing else needs it. */
  async function withoutSheet<Answer>(asking: () => Promise<Answer>): Promise<Answer> {
    sheetlessQuestions += 1
    try {
      return await asking()
    } finally {
      sheetlessQuestions -= 1
      await endWhenIdle()
    }
  }

  async function takeRows(id: string, count: number): Promise<string[]> {
    const rows: string[] = []
    while (rows.length < count) {
      const more = await worker.ask('take', { id, offset: rows.length, limit: ROWS_AT_ONCE })
      if (more.length === 0)
        fail('internal', 'Some rows couldn’t be read again, so nothing was sent.', { next: 'Open the file again.' })
      rows.push(...more)
    }
    return rows
  }

  async function open(accountId: string, fileName: string, from: SheetSource): Promise<BulkSheet> {
    const id = newId()
    owners.set(id, { accountId, fileName, headings: [], isCorrected: false })
    try {
      const sheet = await withSubject(fileName, worker.ask('open', { id, fileName, ...from }))
      ownerOf(accountId, id)
      owners.set(id, { accountId, fileName, headings: sheet.columns, isCorrected: false })
      const oldest = owners.keys().next().value
      if (owners.size > MAX_OPEN_SHEETS && oldest !== undefined) await close(oldest)
      return sheet
    } catch (error) {
      owners.delete(id)
      // If it was closed while it was read, the worker has it all the same.
      if (owners.size > 0) await worker.ask('close', { id }).catch(() => undefined)
      await endWhenIdle()
      throw error
    }
  }

  async function addRows(accountId: string, { id, name, duplicates, alike, at }: SendRequest): Promise<BatchView> {
    // A scheduled batch must still be valid at its time.
    const now = Math.max(time.now(), at ?? 0)
    const recent = outbox.sentRecently(accountId)
    const { columns, count, leftOut } = await worker.ask('prepare', { id, duplicates, alike, now, recent })
    if (count === 0) fail('invalid', 'None of these rows can be sent: all have errors or were sent before.')
    const rows = packagesOf(await takeRows(id, count))
    ownerOf(accountId, id)
    const later = at !== undefined && { at }
    return outbox.addBatch({ accountId, name, columns, rows, leftOut, ...later })
  }

  const exported = (rows: 'failed' | 'corrected') => (accountId: string, id: string) => ({
    fileName: ownerOf(accountId, id).fileName,
    file: (format: TableFormat): Promise<Uint8Array> => worker.ask(rows, { id, format })
  })

  function refuseWhileSending(id: string): void {
    if (sending.has(id)) fail('busy', 'These rows are already being sent.')
  }

  return {
    /**
     * Opens a file that the user chose or dropped, or rows that they copied.
     * @throws AppFailure `bad-file` if it can't be used; the message says why.
     */
    open,

    /** Opens a made-up sheet for practising with a package. */
    async trySample(accountId: string, composition: Composition): Promise<BulkSheet> {
      const bytes = await withoutSheet(() => worker.ask('practice', { composition, now: time.now() }))
      return open(accountId, 'Sample clients.csv', { bytes })
    },

    /**
     * @param firstRow what its first row contains; detected if undefined.
     * @throws AppFailure `busy` once the rows are being sent.
     */
    async sheet(accountId: string, id: string, sheet: string, firstRow?: BulkSheet['firstRow']): Promise<BulkSheet> {
      const owner = ownerOf(accountId, id)
      refuseWhileSending(id)
      const other = await withSubject(sheet || owner.fileName, worker.ask('sheet', { id, sheet, firstRow }))
      // It may have been closed during the read, or corrected.
      ownerOf(accountId, id).headings = other.columns
      return other
    },

    /** Returns how a sheet with these headings was last matched with the same forms or templates. */
    rememberedMapping(accountId: string, id: string, composition: Composition): RememberedMapping | null {
      return remembered.find(accountId, composition, ownerOf(accountId, id).headings) ?? null
    },

    /** @throws AppFailure `busy` while the rows of the last check are being sent. */
    async check(accountId: string, ask: CheckRequest): Promise<BulkCheck> {
      const { headings } = ownerOf(accountId, ask.id)
      refuseWhileSending(ask.id)
      const moment = { zone: time.zone(), now: time.now(), recent: outbox.sentRecently(accountId) }
      const check = await worker.ask('check', { ...ask, ...moment })
      const { mapping, dateOrders = [] } = ask
      // Its account may have been removed meanwhile, and all that was remembered of it.
      if (owners.has(ask.id)) remembered.remember(accountId, ask.composition, headings, { mapping, dateOrders })
      return check
    },

    async rows(accountId: string, ask: BulkQuestions['rows']['ask']): Promise<{ rows: BulkRow[]; total: number }> {
      ownerOf(accountId, ask.id)
      return worker.ask('rows', ask)
    },

    /** @throws AppFailure `busy` once the rows are being sent. */
    async correct(accountId: string, ask: BulkQuestions['correct']['ask']): Promise<BulkCorrectionResult> {
      ownerOf(accountId, ask.id)
      refuseWhileSending(ask.id)
      const corrected = await worker.ask('correct', ask)
      const owner = owners.get(ask.id)
      if (owner) owner.isCorrected = corrected.inAllSheets > 0
      return corrected
    },
    /** Whether rows are on their way to the outbox, which doesn't have all of them yet. */
    isSending: (): boolean => sending.size > 0,

    /** Returns the names of files with unsent corrections, which aren't stored anywhere. */
    filesWithCorrections: (): string[] =>
      [...owners.values()].flatMap(({ fileName, isCorrected }) => (isCorrected ? fileName : [])),

    async nextError(
      accountId: string,
      ask: BulkQuestions['nextError']['ask']
    ): Promise<{ index: number; row: BulkRow } | null> {
      ownerOf(accountId, ask.id)
      return worker.ask('nextError', ask)
    },

    /** Returns the package made from a row. */
    async package(accountId: string, ask: BulkQuestions['package']['ask']): Promise<Composition> {
      ownerOf(accountId, ask.id)
      return JSON.parse(await worker.ask('package', ask)) as Composition
    },

    /**
     * Puts the rows without errors in the outbox, as one batch. They are checked again: a row that has since become
     * unsendable (its due date passed, its package was sent meanwhile) is left out, with the reason. No row is added
     * that wasn't shown as ready.
     * @throws AppFailure `invalid` if no row can be sent, `busy` if they are being sent already.
     */
    async send(accountId: string, request: SendRequest): Promise<BatchView> {
      const { id } = request
      ownerOf(accountId, id)
      refuseWhileSending(id)
      sending.add(id)
      try {
        const batch = await outbox.inTurn(accountId, () => addRows(accountId, request))
        const owner = owners.get(id)
        if (owner) owner.isCorrected = false
        await worker.ask('taken', { id }).catch(() => undefined)
        return batch
      } finally {
        sending.delete(id)
        if (closeAfterSending.delete(id)) await close(id)
      }
    },

    /** Returns the rows with errors or left out, with the reasons, as a file; and the original file's name. */
    failedRows: exported('failed'),

    /** Returns the sheet with its corrections as a file, and the original file's name. */
    correctedSheet: exported('corrected'),

    /** Returns a file with the columns that fit a composition, and one row. */
    async sample(composition: Composition, format: TableFormat): Promise<Uint8Array> {
      return withoutSheet(() => worker.ask('sample', { composition, format, now: time.now() }))
    },

    /** Closes a sheet and frees its memory. Does nothing if it isn't open. */
    close,

    /** Closes all sheets, for example when another account is chosen or the application ends. */
    async closeAll(): Promise<void> {
      for (const id of [...owners.keys()]) {
        if (sending.has(id)) closeAfterSending.add(id)
        else owners.delete(id)
      }
      await endWhenIdle()
    }
  }
}

/** Names the file or sheet in a reading failure, as another one is shown meanwhile. */
async function withSubject<Value>(subject: string, reading: Promise<Value>): Promise<Value> {
  return reading.catch((error: unknown) => {
    throw error instanceof AppFailure ? new AppFailure({ ...error.appError, subject }) : error
  })
}

/** Parses lazily: thousands of packages take much memory once parsed. */
export function* packagesOf(rows: readonly string[]): Iterable<PackageRow> {
  for (const row of rows) yield JSON.parse(row) as PackageRow
}
