/**
 * State of a bulk send, one package for each row of a sheet: the base package, the sheet, the column mapping, the
 * check's results, and the batch. Changing one of these invalidates those after it.
 */
import { type ColumnMapping, type DateOrders, matchColumns } from '../../../../shared/composition/bulk-columns.ts'
import type { DateOrder } from '../../../../shared/composition/bulk-dates.ts'
import type { BulkTarget } from '../../../../shared/composition/bulk-fields.ts'
import { bulkTargets, valueAt } from '../../../../shared/composition/bulk-targets.ts'
import type { Composition } from '../../../../shared/composition/composition.ts'
import { MAX_SHEET_BYTES, tooLargeSheet } from '../../../../shared/contract/composing-requests.ts'
import type { Result } from '../../../../shared/contract/errors.ts'
import type { Input } from '../../../../shared/contract/requests.ts'
import type {
  BatchView,
  BulkCheck,
  BulkRow,
  BulkSheet,
  RememberedMapping,
  SavedFile
} from '../../../../shared/contract/views.ts'
import { type Api, settled } from '../../api.ts'
import { Action } from '../../state/action.svelte.ts'
import type { BulkBase } from '../../state/bulk-base.ts'
import { PagedList } from '../../state/paged-list.svelte.ts'

export type RowsShown = 'all' | 'errors' | 'warnings' | 'duplicates' | 'alike' | 'corrected'

/** What to do with rows that were, or seem to have been, sent before. */
type DuplicateChoice = 'leave-out' | 'send'

/** The batch as entered: its name, and its time if it isn't sent now. */
interface BatchEntry {
  name: string
  start: 'now' | 'later'
  day: string
  time: string
}

export class Bulk {
  readonly #api: Api
  #hasCorrections = false
  #question = $state.raw<{ fileName: string; answer: (may: boolean) => void }>()
  #base = $state.raw<BulkBase>()
  #sheet = $state.raw<BulkSheet>()
  #mapping = $state.raw<ColumnMapping>([])
  #dateOrders = $state.raw<DateOrders>([])
  #remembered = $state.raw<RememberedMapping>()
  /** The check's results as updated by later corrections. */
  #correctedCheck = $state.raw<BulkCheck>()
  #rowsShown = $state<RowsShown>('all')
  #countryCode = $state<string>()
  #batch = $state.raw<BatchEntry>()
  #isLost = $state(false)
  /** Nobody is there to be asked. */
  #isLeaving = false
  #pendingSend: Promise<unknown> = Promise.resolve()
  #pendingOpening: Promise<unknown> = Promise.resolve()
  #lastCorrection: Promise<unknown> = Promise.resolve()
  /** Corrections in flight. */
  readonly #pendingCorrections = new Set<Promise<BulkRow | undefined>>()
  /** Not derived, as it outlives the screen that created it. */
  #targets = $state.raw<readonly BulkTarget[]>([])
  readonly rows: PagedList<RowsShown, BulkRow>
  readonly sampling = new Action<SavedFile | null>()
  readonly opening = new Action<BulkSheet | null>()
  readonly checking = new Action<BulkCheck>()
  readonly exporting = new Action<SavedFile | null>()
  readonly correcting = new Action<{ check: BulkCheck; row: BulkRow }>()
  readonly sending = new Action<BatchView>()

  constructor(api: Api) {
    this.#api = api
    this.rows = new PagedList((page) =>
      this.#detectLoss(api.bulk.rows({ id: this.#id, show: this.#rowsShown, ...page }))
    )
  }

  get base() {
    return this.#base
  }
  get sheet() {
    return this.#sheet
  }
  /** The sheet's id; blank if there is none, which is answered as gone. */
  get #id(): string {
    return this.#sheet?.id ?? ''
  }
  get mapping() {
    return this.#mapping
  }
  /** Whether cells were corrected. Corrections are lost with the sheet. */
  get hasCorrections() {
    return this.#hasCorrections
  }
  /** The name of the sheet whose corrections would be lost to another one, while the user is asked. */
  get sheetToReplace(): string | undefined {
    return this.#question?.fileName
  }
  /** All fields that a column can fill. */
  get targets() {
    return this.#targets
  }
  /** The check's results, updated with each correction. */
  get check() {
    return this.checking.value && (this.#correctedCheck ?? this.checking.value)
  }
  /** Columns with ambiguous dates: an example, and how they are read. */
  get ambiguousDates(): { column: number; example: string; order: DateOrder }[] {
    const kinds = new Map(this.#targets.map(({ target, kind }) => [target, kind]))
    return (this.#sheet?.dateDoubts ?? []).flatMap(({ column, example }) => {
      const kind = kinds.get(this.targetOf(column) ?? '')
      if (kind !== 'date' && kind !== 'due' && kind !== 'answer') return []
      const chosen = this.#dateOrders.find((one) => one.column === column)
      return [{ column, example, order: chosen?.order ?? 'day-first' }]
    })
  }
  /** The calling code for numbers without one. */
  get countryCode() {
    return this.#countryCode
  }
  get rowsShown() {
    return this.#rowsShown
  }
  /** What was entered about the batch; undefined until then, and again for another sheet. */
  get batch() {
    return this.#batch
  }
  /** Whether main closed the sheet, so that the file must be chosen again. */
  get isLost() {
    return this.#isLost
  }
  /**
   * When a sheet with these headings was last mapped as this one is now; undefined if only the headings determine the
   * mapping.
   */
  get rememberedAt(): number | undefined {
    return this.#remembered?.mapping === this.#mapping ? this.#remembered.at : undefined
  }
  /** Indexes of the columns that fill nothing. */
  get unused(): number[] {
    const used = new Set(this.#mapping.map(({ column }) => column))
    return (this.#sheet?.columns ?? []).flatMap((_, column) => (used.has(column) ? [] : [column]))
  }
  /** Required fields that neither a column nor the package fills. */
  get missing(): BulkTarget[] {
    const filled = new Set(this.#mapping.map(({ target }) => target))
    const composition = this.#base?.composition
    return this.#targets.filter(
      ({ required, target, path }) => required && !filled.has(target) && composition && isBlank(composition, path)
    )
  }

  /** People that no column fills: they are the same in every package. */
  get fixedPeople(): string[] {
    const filled = new Set(this.#mapping.map(({ target }) => target))
    const touched = new Set(this.#targets.filter(({ target }) => filled.has(target)).map(personKey))
    return (this.#base?.composition.items ?? []).flatMap((item, index) =>
      item.signers
        .filter((_, order) => !touched.has(personKey({ item: index + 1, person: order + 1 })))
        .map(({ FirstName, LastName, Email }) => `${FirstName} ${LastName}`.trim() || Email.trim())
        .filter(Boolean)
    )
  }

  /** Returns how many rows would be sent. */
  sendable(duplicates: DuplicateChoice, alike: DuplicateChoice): number {
    if (!this.check) return 0
    // A row with errors isn't counted as a duplicate: both counts are included in `ready`.
    const { ready, duplicates: repeating, alike: seeming, alikeDuplicates } = this.check
    if (duplicates === 'send') return ready - (alike === 'send' ? 0 : seeming)
    return ready - repeating - (alike === 'send' ? 0 : seeming - alikeDuplicates)
  }

  targetOf(column: number): string | undefined {
    return this.#mapping.find((one) => one.column === column)?.target
  }

  /** Sets the base package, or none; the columns are matched again. */
  setBase(base: BulkBase | undefined): void {
    this.#base = base
    this.#targets = base ? bulkTargets(base.composition) : []
    this.#match()
    void this.#restoreMapping()
  }

  /** Matches the columns by their headings only, discarding the remembered mapping. */
  matchByHeadings(): void {
    this.#match()
  }

  /** Opens a file dialog; if it is cancelled nothing changes. Returns whether there is a sheet. */
  open(): Promise<boolean> {
    return this.#open(() => this.#api.bulk.open())
  }

  /** Opens a file dropped on the window. A file that is too large isn't read at all. */
  openDropped(file: File): Promise<boolean> {
    return this.#open(async () => {
      const { name, size } = file
      const refused = (message: string) => ({
        ok: false as const,
        error: { code: 'bad-file' as const, message, subject: name }
      })
      if (size > MAX_SHEET_BYTES) return refused(tooLargeSheet(size))
      const bytes = await file.arrayBuffer().catch(() => undefined)
      if (!bytes) return refused('It couldn’t be read. If it’s a folder, drop the file in it.')
      return this.#api.bulk.openDropped({ fileName: name, bytes: new Uint8Array(bytes) })
    })
  }

  /** Takes rows copied in a spreadsheet; reads the clipboard if no text is given. */
  paste(text?: string): Promise<boolean> {
    return this.#open(() => this.#api.bulk.paste({ ...(text !== undefined && { text }) }))
  }

  /** Opens the rows that were left out of a batch, with the package it was made of; without one, it has to be chosen. */
  openLeftOut(batchId: string, base: BulkBase | undefined): Promise<boolean> {
    return this.#open(
      () => this.#api.bulk.openLeftOut({ batchId }),
      () => this.setBase(base)
    )
  }

  /** Opens the practice office's sample, with its package if none is chosen. */
  openSample(): Promise<boolean> {
    const chosen = this.#base?.composition
    let base: BulkBase | undefined
    return this.#open(
      async () => {
        const result = await settled(this.#api.bulk.trySample({ ...(chosen && { composition: chosen }) }))
        if (!result.ok) return result
        const { sheet, name, composition } = result.value
        base = { from: 'preset', name, composition }
        return { ok: true, value: sheet }
      },
      () => {
        if (!chosen) this.setBase(base)
      }
    )
  }

  /** Answers whether a sheet with corrections may be replaced. */
  answerReplace(isAllowed: boolean): void {
    const question = this.#question
    this.#question = undefined
    question?.answer(isAllowed)
  }

  /** Returns whether the sheet may be replaced, once its corrections are answered. */
  async #mayReplace(): Promise<boolean> {
    await this.#allCorrected()
    if (!this.#hasCorrections || !this.#sheet) return true
    this.answerReplace(false)
    if (this.#isLeaving) return false
    const { fileName } = this.#sheet
    return new Promise((answer) => (this.#question = { fileName, answer }))
  }

  async #allCorrected(): Promise<void> {
    while (this.#pendingCorrections.size > 0) await Promise.all(this.#pendingCorrections)
  }

  /** @param onuse called before the sheet is used. */
  #open(opening: () => Promise<Result<BulkSheet | null>>, onuse?: () => void): Promise<boolean> {
    const isOpen = this.#openNow(opening, onuse)
    this.#pendingOpening = isOpen
    return isOpen
  }

  async #openNow(opening: () => Promise<Result<BulkSheet | null>>, onuse?: () => void): Promise<boolean> {
    if (!(await this.#mayReplace())) return false
    const lastCorrection = this.#lastCorrection
    const sheet = await this.opening.run(opening)
    if (!sheet) return false
    // While it was read, a cell of the one before may have been corrected.
    if (this.#lastCorrection !== lastCorrection && !(await this.#mayReplace())) {
      void settled(this.#api.bulk.close({ id: sheet.id }))
      return false
    }
    this.#hasCorrections = false
    const before = this.#sheet?.id
    if (before !== undefined && before !== sheet.id) void settled(this.#api.bulk.close({ id: before }))
    onuse?.()
    await this.#useSheet(sheet)
    return true
  }

  async switchSheet(sheet: string): Promise<void> {
    const id = this.#sheet?.id
    if (id === undefined || sheet === this.#sheet?.sheet) return
    await this.#reread({ id, sheet })
  }

  /** Reads the sheet again, with its first row as headings or as data. */
  async readFirstRow(firstRow: BulkSheet['firstRow']): Promise<void> {
    const { id, sheet } = this.#sheet ?? {}
    if (id === undefined || sheet === undefined) return
    await this.#reread({ id, sheet, firstRow })
  }

  /** Reads a sheet of the file. Nothing can be corrected meanwhile, as it would be taken for a cell of that one. */
  async #reread(input: Input<'bulk.sheet'>): Promise<void> {
    const read = await this.opening.run(async () => {
      await this.#allCorrected()
      this.#clearCheck()
      return this.#detectLoss(this.#api.bulk.sheet(input))
    })
    if (read) await this.#useSheet(read)
  }

  enterBatch(batch: BatchEntry): void {
    this.#batch = batch
  }

  /** Sets the order of day and month in a column's dates. */
  setDateOrder(column: number, order: DateOrder): void {
    this.#dateOrders = [...this.#dateOrders.filter((one) => one.column !== column), { column, order }]
    this.#clearCheck()
  }

  /** Assigns a field to a column, taking it from any other column; undefined for none. */
  assignField(column: number, target: string | undefined): void {
    const others = this.#mapping.filter((one) => one.column !== column && one.target !== target)
    this.#mapping = target === undefined ? others : [...others, { column, target }]
    this.#clearCheck()
  }

  /**
   * Checks all rows without sending anything. Returns whether that succeeded.
   * @param countryCode for mobile numbers without one, from now on.
   */
  async runCheck(countryCode = this.#countryCode): Promise<boolean> {
    this.#countryCode = countryCode
    const sheet = this.#sheet
    const base = this.#base
    if (!sheet || !base) return false
    const sent = this.sending.busy ? this.#pendingSend : undefined
    if (!sent) this.sending.clear()
    this.rows.clear()
    // The newest check counts, not one under way with other choices.
    if (this.checking.busy) this.checking.clear()
    const input = {
      id: sheet.id,
      composition: base.composition,
      mapping: this.#mapping,
      ...(this.#dateOrders.length > 0 && { dateOrders: this.#dateOrders }),
      ...(countryCode !== undefined && { countryCode })
    }
    const check = await this.checking.run(async () => {
      // Rows that are being sent go as they were shown, and the result is shown too.
      if (await sent) return { ok: false, error: { code: 'busy', message: 'These rows are already in the Outbox.' } }
      return this.#detectLoss(this.#api.bulk.check(input))
    })
    if (!check) return false
    // Only now: a correction asked for before may have been answered during the check, which includes it.
    this.#correctedCheck = undefined
    await this.showRows(check.withErrors > 0 ? 'errors' : 'all')
    return true
  }

  async showRows(show: RowsShown): Promise<void> {
    this.#rowsShown = show
    this.rows.clear()
    await this.rows.open(show)
  }

  /** Corrects a cell; null restores the file's text. The file itself isn't changed. Returns the updated row. */
  async correct(row: number, column: number, value: string | null): Promise<BulkRow | undefined> {
    const id = this.#id
    // Sequentially, so that none is lost if the user is faster than the answers.
    const mine = this.#lastCorrection.then(() => this.#correctNow({ id, row, column, value }))
    this.#lastCorrection = mine
    this.#pendingCorrections.add(mine)
    const corrected = await mine
    this.#pendingCorrections.delete(mine)
    // Other rows may have become duplicates of it, or stopped being so.
    if (corrected) await this.rows.reload()
    return corrected
  }

  async #correctNow(input: Input<'bulk.correct'>): Promise<BulkRow | undefined> {
    if (this.#sheet?.id !== input.id) return undefined
    const corrected = await this.correcting.run(async () => {
      const result = await this.#detectLoss(this.#api.bulk.correct(input))
      // It counts even if the check that it was made in has been discarded meanwhile.
      if (result.ok && this.#sheet?.id === input.id) this.#hasCorrections = result.value.inAllSheets > 0
      return result
    })
    if (!corrected || this.#sheet?.id !== input.id || !this.check) return undefined
    this.#correctedCheck = corrected.check
    return corrected.row
  }

  /** Returns the next row with an error after a given row, in the current subset; undefined if there is none. */
  async nextError(after: number): Promise<{ index: number; row: BulkRow } | undefined> {
    const result = await this.#detectLoss(this.#api.bulk.nextError({ id: this.#id, show: this.#rowsShown, after }))
    return result.ok ? (result.value ?? undefined) : undefined
  }

  packageOf(row: number): Promise<Result<Composition>> {
    return this.#detectLoss(this.#api.bulk.package({ id: this.#id, row }))
  }

  /** Saves the whole sheet with its corrections; null if the user cancels. */
  saveCorrected(): Promise<SavedFile | null | undefined> {
    return this.exporting.run(() => this.#detectLoss(this.#api.bulk.exportCorrected({ id: this.#id })))
  }

  /** Saves the rows with errors as a file; null if the user cancels. */
  exportFailed(): Promise<SavedFile | null | undefined> {
    return this.exporting.run(() => this.#detectLoss(this.#api.bulk.exportFailed({ id: this.#id })))
  }

  saveSample(format: 'csv' | 'xlsx'): Promise<SavedFile | null | undefined> {
    const composition = this.#base?.composition
    if (!composition) return Promise.resolve(undefined)
    return this.sampling.run(() => this.#api.bulk.saveSample({ composition, format }))
  }

  /** Creates a batch of the rows without errors, once pending corrections are applied. */
  send(
    name: string,
    repeats: { duplicates: DuplicateChoice; alike: DuplicateChoice },
    at: number | undefined
  ): Promise<BatchView | undefined> {
    const id = this.#id
    const seen = this.check
    const batch = this.sending.run(async () => {
      const message = await this.#sendBlocker(id, seen)
      if (message) return { ok: false, error: { code: 'invalid', message } }
      return this.#detectLoss(this.#api.bulk.send({ id, name, ...repeats, ...(at !== undefined && { at }) }))
    })
    this.#pendingSend = batch
    return batch
  }

  /** Waits for pending corrections. Returns a message if what would be sent then differs from what the user saw. */
  async #sendBlocker(id: string, seen: BulkCheck | undefined): Promise<string | undefined> {
    while (this.#pendingCorrections.size > 0) {
      const corrected = await Promise.all(this.#pendingCorrections)
      if (corrected.includes(undefined)) return 'A cell couldn’t be corrected. Correct it again, then send.'
    }
    const now = this.check
    if (!now || this.#sheet?.id !== id || this.checking.busy)
      return 'The rows have changed. Check them again, then send.'
    const isAsSeen = now.ready === seen?.ready && now.duplicates === seen.duplicates && now.alike === seen.alike
    return isAsSeen ? undefined : 'A correction changed which rows are ready. Look at the numbers, then send.'
  }

  /**
   * Resolves once nothing is in progress, when the screen is left: no batch is created, and no file is read. A sheet
   * that was sent is closed; any other stays with its corrections. Fails if a batch being created did.
   */
  async leave(): Promise<Result<null>> {
    this.#isLeaving = true
    this.answerReplace(false)
    const isUnderWay = this.sending.busy
    if (isUnderWay) await this.#pendingSend
    await this.#pendingOpening
    this.#isLeaving = false
    if (this.sending.value) this.close()
    const error = isUnderWay ? this.sending.error : undefined
    return error ? { ok: false, error } : { ok: true, value: null }
  }

  /** Closes the sheet; nothing of it is kept. */
  close(): void {
    const id = this.#sheet?.id
    this.#sheet = undefined
    this.#hasCorrections = false
    if (id !== undefined) void settled(this.#api.bulk.close({ id }))
  }

  /** Resolves once the remembered mapping is loaded, as a check may follow. */
  async #useSheet(sheet: BulkSheet): Promise<void> {
    const before = this.#sheet
    if (before?.id !== sheet.id) this.sending.clear()
    if (before?.id !== sheet.id || before.sheet !== sheet.sheet) this.#batch = undefined
    this.#sheet = sheet
    this.#isLost = false
    this.#dateOrders = []
    this.#match()
    await this.#restoreMapping()
  }

  /** Restores the mapping last used for a sheet like this, unless it was changed by hand meanwhile. */
  async #restoreMapping(): Promise<void> {
    const before = this.#mapping
    const id = this.#sheet?.id
    const composition = this.#base?.composition
    if (id === undefined || !composition) return
    const result = await settled(this.#api.bulk.remembered({ id, composition }))
    if (!result.ok || !result.value || this.#mapping !== before || this.#sheet?.id !== id) return
    // If this sheet's dates are unambiguous, the remembered order doesn't apply.
    const ambiguousColumns = new Set(this.#sheet?.dateDoubts.map(({ column }) => column))
    const dateOrders = result.value.dateOrders.filter(({ column }) => ambiguousColumns.has(column))
    if (this.#dateOrders.length === 0 && dateOrders.length > 0) {
      this.#dateOrders = dateOrders
      this.#clearCheck()
    }
    if (isSame(result.value.mapping, before)) return
    this.#remembered = result.value
    this.#mapping = result.value.mapping
    this.#clearCheck()
  }

  #match(): void {
    this.#mapping = this.#sheet ? matchColumns(this.#targets, this.#sheet.columns) : []
    this.#clearCheck()
  }

  #clearCheck(): void {
    this.#correctedCheck = undefined
    this.checking.clear()
    if (!this.sending.busy) this.sending.clear()
    this.exporting.clear()
    this.correcting.clear()
    this.rows.clear()
  }

  /** Detects answers that say the sheet is no longer open, unless another has replaced it meanwhile. */
  async #detectLoss<Value>(answer: Promise<Result<Value>>): Promise<Result<Value>> {
    const id = this.#sheet?.id
    const result = await settled(answer)
    if (!result.ok && result.error.code === 'gone' && this.#sheet && this.#sheet.id === id) {
      this.#sheet = undefined
      this.#isLost = true
    }
    return result
  }
}

function isSame(one: ColumnMapping, other: ColumnMapping): boolean {
  const filled = new Set(other.map(({ target, column }) => `${column} ${target}`))
  return one.length === other.length && one.every(({ target, column }) => filled.has(`${column} ${target}`))
}

/** Returns a key for the person and form that a field belongs to. */
function personKey({ item, person }: Pick<BulkTarget, 'item' | 'person'>): string {
  return `${item} ${person}`
}

/** Returns whether the package has no value at a path. */
function isBlank(composition: Composition, path: BulkTarget['path']): boolean {
  const value = valueAt(composition, path)
  return typeof value !== 'string' || value.trim() === ''
}
