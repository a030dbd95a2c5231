/**
 * Turns a file into what its folder's settings say: drafts, a batch in the outbox, or only a report. The result is
 * stored in one transaction with the journal's entry, or is found again by its id.
 */

import type { Composition } from '../../../shared/composition/index.ts'
import type { AppError, BatchView } from '../../../shared/contract/index.ts'
import { counted } from '../../../shared/counted.ts'
import { type BatchOutbox, packagesOf } from '../bulk/bulk.ts'
import type { PackageRow } from '../bulk/dry-run.ts'
import type { ImportEntries, openImport, Stored } from '../drafts/importing.ts'
import { asAppError } from '../errors/app-error.ts'
import { AppFailure, fail } from '../lib/failure.ts'
import type { Time } from '../lib/time.ts'
import type { Batches, NewBatch } from '../outbox/batches.ts'
import type { Content } from './dropped-file.ts'
import { type DroppedFileKind, kindOf, MAX_FILE_BYTES, MAX_REQUEST_BYTES } from './dropped-file.ts'
import type { Folder } from './folders.ts'
import type { Entry, Journal } from './journal.ts'
import type { AskFiles, ExchangeAnswer, RequestAnswer } from './package-files.ts'
import { reportOf } from './report.ts'
import { readSheetFile } from './sheet-file.ts'

interface DropFolderOutbox extends Pick<BatchOutbox, 'sentRecently' | 'inTurn'> {
  addBatch(batch: NewBatch & { id: string }): Promise<BatchView>
  batches: Pick<Batches, 'find'>
}

export interface FileImportDeps {
  journal: Journal
  imports: ReturnType<typeof openImport>
  outbox: DropFolderOutbox
  /** Returns a preset's composition. @throws AppFailure if it doesn't exist or can't be read. */
  presetOf: (accountId: string, presetId: string) => Composition
  /** Returns how the account's user writes dates, if the service has said so. */
  dateFormatOf: (accountId: string) => string | undefined
  worker: { ask: AskFiles; end(): Promise<void> }
  time: Pick<Time, 'now' | 'zone'>
  newId: () => string
  made: (stored: Stored) => void
}

type ImportContent =
  | { kind: 'drafts'; entries: ImportEntries; notes: string[]; readings?: string[] }
  | { kind: 'batch'; columns: string[]; rows: Iterable<PackageRow>; readings?: string[] }

/** Whether it was made; or its folder's settings changed during the read, and nothing was made. */
export type FileImportResult = 'made' | 'set-otherwise'

/** Errors of the file itself, which retrying won't fix. */
const FILE_ERRORS: ReadonlySet<string> = new Set(['bad-file', 'invalid', 'too-large'])
/** How often an internal error may fail a file in one run. */
const MAX_ATTEMPTS = 3

export type FileImport = ReturnType<typeof openFileImport>

export function openFileImport({ journal, imports, outbox, worker, time, newId, made, ...deps }: FileImportDeps) {
  const tries = new Map<string, number>()
  let active = 0

  const batchReport = ({ name }: Entry, count: number, readings: readonly string[] = []) =>
    reportOf({
      name,
      at: time.now(),
      zone: time.zone(),
      summary: `${counted(count, ['# package', '# packages'])} went to the Outbox.`,
      readings
    })

  function recordBatch(entry: Entry, { total }: BatchView): void {
    const report = journal.find(entry.id)?.report ?? batchReport(entry, total)
    journal.recordMade(entry.id, { outcome: 'batch', count: total, draftIds: [], report }, time.now())
  }

  function recordFailure(entry: Entry, error: AppError): void {
    const at = time.now()
    const report = reportOf({ name: entry.name, at, zone: time.zone(), summary: 'Nothing was created.', error })
    journal.recordMade(entry.id, { outcome: 'failed', count: 0, draftIds: [], error, report }, at)
  }

  async function makeDrafts(
    folder: Folder,
    entry: Entry,
    { entries, notes, readings = [] }: ImportContent & { kind: 'drafts' }
  ): Promise<void> {
    const at = time.now()
    const stored = await imports.store(folder.accountId, entries, ({ drafts, presets }) => {
      const count = drafts.length + presets.length
      const parts = [
        ...(drafts.length > 0 ? [counted(drafts.length, ['# draft', '# drafts'])] : []),
        ...(presets.length > 0 ? [counted(presets.length, ['# preset', '# presets'])] : [])
      ]
      const summary = `${parts.join(' and ')} ${count === 1 ? 'was' : 'were'} created. Nothing was sent.`
      const report = reportOf({ name: entry.name, at, zone: time.zone(), summary, notes, readings })
      journal.recordMade(entry.id, { outcome: 'drafts', count, draftIds: drafts.map(({ id }) => id), report }, at)
    })
    made(stored)
  }

  async function readAndMake(
    folder: Folder,
    entry: Entry,
    bytes: Uint8Array,
    current: () => Folder | undefined
  ): Promise<FileImportResult> {
    const kind = kindOf(entry.name) ?? fail('bad-file', 'This file type isn’t supported.')
    const found = await read(folder, kind, entry.name, bytes)
    // Must run in the same event-loop turn as what follows.
    if (!hasSameSettings(folder, current())) return 'set-otherwise'
    if (found.kind === 'drafts') {
      await makeDrafts(folder, entry, found)
      return 'made'
    }
    const { columns, rows, readings } = found
    const name = entry.name.replace(/\.[^.]+$/, '').slice(0, 200)
    // A request is one package. Its report is stored first, in case the application ends before the batch is recorded.
    if (readings) journal.storeReport(entry.id, batchReport(entry, 1, readings))
    const batch = { id: entry.batchId, accountId: folder.accountId, name, columns, rows, leftOut: [] }
    recordBatch(entry, await outbox.addBatch(batch))
    return 'made'
  }

  async function read(folder: Folder, kind: DroppedFileKind, name: string, bytes: Uint8Array): Promise<ImportContent> {
    switch (kind) {
      case 'countersign':
        return readExchange(await worker.ask('exchange', { bytes }))
      case 'request':
        if (bytes.byteLength > MAX_REQUEST_BYTES) {
          fail('too-large', `Requests can’t be larger than ${MAX_REQUEST_BYTES / 1024 / 1024} MB.`, {
            next: `Split it.`
          })
        }
        return readRequest(
          folder,
          await worker.ask('request', { bytes, now: time.now(), dateFormat: deps.dateFormatOf(folder.accountId) })
        )
      case 'sheet':
        return readSheet(folder, name, bytes)
    }
  }

  function readRequest(folder: Folder, request: RequestAnswer): ImportContent {
    const isRepeated = outbox.sentRecently(folder.accountId).has(request.fingerprint)
    const concerns = [
      ...request.notes,
      ...request.problems,
      ...(isRepeated ? ['The same package was sent in the last 30 days.'] : [])
    ]
    const composition = JSON.parse(request.composition) as Composition
    const { readings } = request
    if (folder.sends && concerns.length === 0) {
      return { kind: 'batch', columns: [], rows: [{ row: 1, cells: [], composition }], readings }
    }
    return {
      kind: 'drafts',
      entries: { drafts: [composition], presets: [] },
      notes: withHeldBackNote(folder, concerns),
      readings
    }
  }

  async function readSheet(folder: Folder, name: string, bytes: Uint8Array): Promise<ImportContent> {
    const base = folder.presetId === undefined ? undefined : requirePreset(folder.accountId, folder.presetId)
    const checkContext = { zone: time.zone(), now: time.now(), recent: outbox.sentRecently(folder.accountId) }
    const sheet = await readSheetFile(worker.ask, { id: newId(), name, bytes, base, ...checkContext })
    const { columns, isClean } = sheet
    if (folder.sends && isClean) return { kind: 'batch', columns, rows: packagesOf(sheet.rows) }
    const drafts = compositionsOf(sheet.rows)
    return { kind: 'drafts', entries: { drafts, presets: [] }, notes: withHeldBackNote(folder, sheet.notes) }
  }

  function requirePreset(accountId: string, presetId: string): Composition {
    try {
      return deps.presetOf(accountId, presetId)
    } catch (error) {
      if (!(error instanceof AppFailure)) throw error
      return fail('bad-file', 'This folder’s preset was removed or can’t be read.', {
        next: 'Choose another in Settings, then drop the file again.'
      })
    }
  }

  return {
    /** Marks a claim as made if its batch exists already, because the application ended before that was stored. */
    adoptBatch(entry: Entry): boolean {
      const batch = outbox.batches.find(entry.batchId)
      if (!batch || batch.state === 'preparing') return false
      recordBatch(entry, batch)
      return true
    },

    /**
     * Processes a claimed file; afterwards the journal has it as made.
     * @param current the folder's settings by then: if sending was turned off a moment ago, nothing is sent.
     * @throws errors that aren't the file's fault: it is still claimed, and must be retried.
     */
    async importFile(
      folder: Folder,
      entry: Entry,
      { bytes }: Content,
      current: () => Folder | undefined
    ): Promise<FileImportResult> {
      active += 1
      try {
        if (!bytes)
          fail('too-large', `This file is larger than ${MAX_FILE_BYTES / 1024 / 1024} MB.`, { next: `Split it.` })
        const make = () => readAndMake(folder, entry, bytes, current)
        return await (folder.sends ? outbox.inTurn(folder.accountId, make) : make())
      } catch (error) {
        const described = asAppError(error)
        if (!FILE_ERRORS.has(described.code) && !isGivenUp(entry, described)) throw error
        recordFailure(entry, described)
        return 'made'
      } finally {
        active -= 1
      }
    },

    /** Call it when nothing is to be made for a while: the worker holds a thread's memory. */
    async releaseWorker(): Promise<void> {
      if (active === 0) await worker.end()
    }
  }

  /** An internal error must not hold up a file forever without a report. */
  function isGivenUp({ id }: Entry, { code }: AppError): boolean {
    if (code !== 'internal') return false
    const count = (tries.get(id) ?? 0) + 1
    tries.set(id, count)
    return count >= MAX_ATTEMPTS
  }
}

function hasSameSettings(one: Folder, other: Folder | undefined): boolean {
  return (
    other?.accountId === one.accountId &&
    other.sends === one.sends &&
    other.presetId === one.presetId &&
    other.isPaused === one.isPaused
  )
}

function readExchange({ drafts, presets }: ExchangeAnswer): ImportContent {
  return { kind: 'drafts', entries: { drafts: parseEach(drafts), presets: parseEach(presets) }, notes: [] }
}

function* parseEach<Value>(texts: readonly string[]): Iterable<Value> {
  for (const text of texts) yield JSON.parse(text) as Value
}

function withHeldBackNote({ sends }: Folder, notes: readonly string[]): string[] {
  return sends && notes.length > 0 ? ['It wasn’t sent automatically. Please check this first.', ...notes] : [...notes]
}

function* compositionsOf(rows: readonly string[]): Iterable<Composition> {
  for (const { composition } of packagesOf(rows)) yield composition
}
