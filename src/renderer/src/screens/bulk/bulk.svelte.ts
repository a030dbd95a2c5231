/**
 * Sending one package to each row of a sheet: what the rows are put onto, the sheet, which column fills what, what
 * checking found, and the batch that is made. A change of any of these makes what was found of the ones after it void.
 */
import { type ColumnMapping, type DateOrders, matchColumns } from '../../../../shared/composition/bulk-columns.ts'
import type { DateOrder } from '../../../../shared/composition/bulk-dates.ts'
import type { BulkTarget } from '../../../../shared/composition/bulk-fields.ts'
import { bulkTargets, valueAt } from '../../../../shared/composition/bulk-targets.ts'
import type { Composition } from '../../../../shared/composition/composition.ts'
import { MOST_SHEET_BYTES, tooLargeSheet } from '../../../../shared/contract/composing-requests.ts'
import type { AppError, Result } from '../../../../shared/contract/errors.ts'
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
import { PagedList } from '../../state/paged-list.svelte.ts'

/** What the rows are put onto: a package whose own values stand wherever a row has none. */
export interface BulkBase {
  from: 'preset' | 'draft' | 'template' | 'form'
  name: string
  composition: Composition
}

export type RowsShown = 'all' | 'errors' | 'warnings' | 'duplicates' | 'alike' | 'corrected'

/** What becomes of rows that were sent before, or seem so. */
type Decided = 'leave-out' | 'send'

export class Bulk {
  readonly #api: Api
  #hasCorrections = false
  #question = $state.raw<{ fileName: string; answer: (may: boolean) => void }>()
  #base = $state.raw<BulkBase>()
  #sheet = $state.raw<BulkSheet>()
  #mapping = $state.raw<ColumnMapping>([])
  #dateOrders = $state.raw<DateOrders>([])
  #remembered = $state.raw<RememberedMapping>()
  /** What a correction since has made of what checking found. */
  #since = $state.raw<BulkCheck>()
  #show = $state<RowsShown>('all')
  #countryCode = $state<string>()
  #isLost = $state(false)
  #sent: Promise<unknown> = Promise.resolve()
  #corrected: Promise<unknown> = Promise.resolve()
  /** Corrections that are not answered yet. */
  readonly #correctionsUnderWay = new Set<Promise<BulkRow | undefined>>()
  /** Not derived: it outlives the screen that it was made on. */
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
    this.rows = new PagedList((asked) =>
      this.#noticed(api.bulk.rows({ id: this.#sheet?.id ?? '', show: this.#show, ...asked }))
    )
  }

  get base() {
    return this.#base
  }
  get sheet() {
    return this.#sheet
  }
  get mapping() {
    return this.#mapping
  }
  /** Whether cells of the sheet were corrected: that is lost with it. */
  get hasCorrections() {
    return this.#hasCorrections
  }
  /** The name of the sheet whose corrections would be lost to another one, while that is asked. */
  get replaced(): string | undefined {
    return this.#question?.fileName
  }
  /** All that a column can fill. */
  get targets() {
    return this.#targets
  }
  /** What checking found, and what has become of it with each correction since. */
  get check() {
    return this.checking.value && (this.#since ?? this.checking.value)
  }
  /** Columns that fill a date and could be read either way: how they are read, by what. */
  get dateDoubts(): { column: number; example: string; order: DateOrder }[] {
    const kinds = new Map(this.#targets.map(({ target, kind }) => [target, kind]))
    return (this.#sheet?.dateDoubts ?? []).flatMap(({ column, example }) => {
      const kind = kinds.get(this.targetOf(column) ?? '')
      if (kind !== 'date' && kind !== 'due' && kind !== 'answer') return []
      const said = this.#dateOrders.find((one) => one.column === column)
      return [{ column, example, order: said?.order ?? 'day-first' }]
    })
  }
  /** The calling code that numbers without one are given. */
  get countryCode() {
    return this.#countryCode
  }
  get show() {
    return this.#show
  }
  /** Whether the sheet was closed behind our back, so that the file must be chosen again. */
  get isLost() {
    return this.#isLost
  }
  /** When a sheet with these headings was matched as this one is now; undefined where the headings alone say it. */
  get matchedAsOn(): number | undefined {
    return this.#remembered?.mapping === this.#mapping ? this.#remembered.at : undefined
  }
  /** Columns that fill nothing, by their places. */
  get unused(): number[] {
    const used = new Set(this.#mapping.map(({ column }) => column))
    return (this.#sheet?.columns ?? []).flatMap((_, column) => (used.has(column) ? [] : [column]))
  }
  /** What must be there and is neither filled by a column nor said by the package itself. */
  get missing(): BulkTarget[] {
    const filled = new Set(this.#mapping.map(({ target }) => target))
    const composition = this.#base?.composition
    return this.#targets.filter(
      ({ required, target, path }) => required && !filled.has(target) && composition && isBlank(composition, path)
    )
  }

  /** People whom no column fills: they are the same in every package. */
  get unchanged(): string[] {
    const filled = new Set(this.#mapping.map(({ target }) => target))
    const touched = new Set(this.#targets.filter(({ target }) => filled.has(target)).map(placeOf))
    return (this.#base?.composition.items ?? []).flatMap((item, index) =>
      item.signers
        .filter((_, order) => !touched.has(placeOf({ item: index + 1, person: order + 1 })))
        .map(({ FirstName, LastName, Email }) => `${FirstName} ${LastName}`.trim() || Email.trim())
        .filter(Boolean)
    )
  }

  /** How many would go. */
  sendable(duplicates: Decided, alike: Decided): number {
    if (!this.check) return 0
    // A row with errors repeats nothing: both are among those that are ready, and none is in both.
    const { ready, duplicates: repeating, alike: seeming } = this.check
    return ready - (duplicates === 'send' ? 0 : repeating) - (alike === 'send' ? 0 : seeming)
  }

  targetOf(column: number): string | undefined {
    return this.#mapping.find((one) => one.column === column)?.target
  }

  /** Puts the rows onto another package; the columns are matched again. */
  begin(base: BulkBase): void {
    this.#base = base
    this.#targets = bulkTargets(base.composition)
    this.#match()
    void this.#recall()
  }

  /** Matches the columns by their headings alone, in place of what is remembered. */
  matchByHeadings(): void {
    this.#match()
  }

  /** Has the person choose a file; without one everything stays. Returns whether there is a sheet. */
  open(): Promise<boolean> {
    return this.#open(() => this.#api.bulk.open())
  }

  /** Takes a file that was dropped on the window. One that is too large isn't even read. */
  openDropped(file: File): Promise<boolean> {
    return this.#open(async () => {
      const { name, size } = file
      const refused = (message: string) => ({
        ok: false as const,
        error: { code: 'bad-file' as const, message, subject: name }
      })
      if (size > MOST_SHEET_BYTES) return refused(tooLargeSheet(size))
      const bytes = await file.arrayBuffer().catch(() => undefined)
      if (!bytes) return refused('It couldn’t be read. If it’s a folder, drop the file in it.')
      return this.#api.bulk.openDropped({ fileName: name, bytes: new Uint8Array(bytes) })
    })
  }

  /** Takes rows that were copied in a spreadsheet; those on the clipboard where their text isn't given. */
  paste(text?: string): Promise<boolean> {
    return this.#open(() => this.#api.bulk.paste({ ...(text !== undefined && { text }) }))
  }

  /** Takes the practice office's sample, with a package to go with it where none is chosen. */
  practise(): Promise<boolean> {
    const chosen = this.#base?.composition
    return this.#open(async () => {
      const result = await settled(this.#api.bulk.practise({ ...(chosen && { composition: chosen }) }))
      if (!result.ok) return result
      const { sheet, name, composition } = result.value
      if (!chosen) this.begin({ from: 'preset', name, composition })
      return { ok: true, value: sheet }
    })
  }

  /** Answers whether a sheet in which cells were corrected gives way to another. */
  mayReplace(may: boolean): void {
    const asked = this.#question
    this.#question = undefined
    asked?.answer(may)
  }

  #askToReplace({ fileName }: BulkSheet): Promise<boolean> {
    this.mayReplace(false)
    return new Promise((answer) => (this.#question = { fileName, answer }))
  }

  async #open(opening: () => Promise<Result<BulkSheet | null>>): Promise<boolean> {
    if (this.#hasCorrections && this.#sheet && !(await this.#askToReplace(this.#sheet))) return false
    const sheet = await this.opening.run(opening)
    if (!sheet) return false
    this.#hasCorrections = false
    const before = this.#sheet?.id
    if (before !== undefined && before !== sheet.id) void settled(this.#api.bulk.close({ id: before }))
    await this.#take(sheet)
    return true
  }

  /** Shows another sheet of the same file. */
  async turnTo(sheet: string): Promise<void> {
    const id = this.#sheet?.id
    if (id === undefined || sheet === this.#sheet?.sheet) return
    const other = await this.opening.run(() => this.#noticed(this.#api.bulk.sheet({ id, sheet })))
    if (other) await this.#take(other)
  }

  /** Reads the sheet again, with its first row as headings or as data. */
  async readFirstRow(firstRow: BulkSheet['firstRow']): Promise<void> {
    const { id, sheet } = this.#sheet ?? {}
    if (id === undefined || sheet === undefined) return
    const again = await this.opening.run(() => this.#noticed(this.#api.bulk.sheet({ id, sheet, firstRow })))
    if (again) await this.#take(again)
  }

  /** Says which comes first in the dates of a column. */
  readDates(column: number, order: DateOrder): void {
    this.#dateOrders = [...this.#dateOrders.filter((one) => one.column !== column), { column, order }]
    this.#forgetCheck()
  }

  /** Has a column fill a target, which no other column does from now on; or nothing. */
  fill(column: number, target: string | undefined): void {
    const others = this.#mapping.filter((one) => one.column !== column && one.target !== target)
    this.#mapping = target === undefined ? others : [...others, { column, target }]
    this.#forgetCheck()
  }

  /**
   * Tries all rows, without sending anything. Returns whether it could be done.
   * @param countryCode for mobile numbers that have none, from now on.
   */
  async run(countryCode = this.#countryCode): Promise<boolean> {
    this.#countryCode = countryCode
    const sheet = this.#sheet
    const base = this.#base
    if (!sheet || !base) return false
    this.sending.clear()
    this.rows.forget()
    const input = {
      ...{ id: sheet.id, composition: base.composition, mapping: this.#mapping },
      ...(this.#dateOrders.length > 0 && { dateOrders: this.#dateOrders }),
      ...(countryCode !== undefined && { countryCode })
    }
    this.#since = undefined
    const check = await this.checking.run(() => this.#noticed(this.#api.bulk.check(input)))
    if (!check) return false
    await this.look(check.withErrors > 0 ? 'errors' : 'all')
    return true
  }

  /** Shows some of the rows. */
  async look(show: RowsShown): Promise<void> {
    this.#show = show
    this.rows.forget()
    await this.rows.open(show)
  }

  /** Puts other text in a cell, or with null back what the file says; the file stays as it is. Returns the row as it is then. */
  async correct(row: number, column: number, value: string | null): Promise<BulkRow | undefined> {
    const id = this.#sheet?.id ?? ''
    // One after the other: none is lost where someone is quicker than the answers.
    const mine = this.#corrected.then(() => this.#correctNow({ id, row, column, value }))
    this.#corrected = mine
    this.#correctionsUnderWay.add(mine)
    const corrected = await mine
    this.#correctionsUnderWay.delete(mine)
    // Others may repeat it now, or no longer.
    if (corrected) await this.rows.reload()
    return corrected
  }

  async #correctNow(input: Input<'bulk.correct'>): Promise<BulkRow | undefined> {
    const corrected = await this.correcting.run(() => this.#noticed(this.#api.bulk.correct(input)))
    if (!corrected || this.#sheet?.id !== input.id || !this.check) return undefined
    this.#since = corrected.check
    this.#hasCorrections = corrected.inAllSheets > 0
    return corrected.row
  }

  /** The next row with an error after one, among those that are shown; undefined where there is none. */
  async nextError(after: number): Promise<{ index: number; row: BulkRow } | undefined> {
    const id = this.#sheet?.id ?? ''
    const result = await this.#noticed(this.#api.bulk.nextError({ id, show: this.#show, after }))
    return result.ok ? (result.value ?? undefined) : undefined
  }

  /** The package that a row makes. */
  packageOf(row: number): Promise<Result<Composition>> {
    return this.#noticed(this.#api.bulk.package({ id: this.#sheet?.id ?? '', row }))
  }

  /** Saves the whole sheet with what was corrected; null where the person thinks better of it. */
  saveCorrected(): Promise<SavedFile | null | undefined> {
    const id = this.#sheet?.id ?? ''
    return this.exporting.run(() => this.#noticed(this.#api.bulk.exportCorrected({ id })))
  }

  /** Saves the rows with errors as a file; null where the person thinks better of it. */
  exportFailed(): Promise<SavedFile | null | undefined> {
    const id = this.#sheet?.id ?? ''
    return this.exporting.run(() => this.#noticed(this.#api.bulk.exportFailed({ id })))
  }

  saveSample(format: 'csv' | 'xlsx'): Promise<SavedFile | null | undefined> {
    const composition = this.#base?.composition
    if (!composition) return Promise.resolve(undefined)
    return this.sampling.run(() => this.#api.bulk.saveSample({ composition, format }))
  }

  /** Makes a batch of the rows without errors, once what was corrected in them is there too. */
  send(
    name: string,
    repeats: { duplicates: Decided; alike: Decided },
    at: number | undefined
  ): Promise<BatchView | undefined> {
    const id = this.#sheet?.id ?? ''
    const seen = this.check
    const batch = this.sending.run(async () => {
      const message = await this.#hindrance(id, seen)
      if (message) return { ok: false, error: { code: 'invalid', message } }
      return this.#noticed(this.#api.bulk.send({ id, name, ...repeats, ...(at !== undefined && { at }) }))
    })
    this.#sent = batch
    return batch
  }

  /** Waits for corrections under way; why what was seen to go would not be what goes, if they have it so. */
  async #hindrance(id: string, seen: BulkCheck | undefined): Promise<string | undefined> {
    while (this.#correctionsUnderWay.size > 0) {
      const corrected = await Promise.all(this.#correctionsUnderWay)
      if (corrected.includes(undefined)) return 'A cell couldn’t be corrected. Correct it again, then send.'
    }
    const now = this.check
    if (!now || this.#sheet?.id !== id) return 'The rows have changed. Check them again, then send.'
    const isAsSeen = now.ready === seen?.ready && now.duplicates === seen.duplicates && now.alike === seen.alike
    return isAsSeen ? undefined : 'A correction changed which rows are ready. Look at the numbers, then send.'
  }

  /**
   * Is done once nothing is being made of the sheet, as its screen is left. A sheet that was sent is let go of, any other
   * stays, with what was corrected. Returns why a batch that was being made was not made.
   */
  async leave(): Promise<AppError | undefined> {
    this.mayReplace(false)
    const isUnderWay = this.sending.busy
    if (isUnderWay) await this.#sent
    if (this.sending.value) this.close()
    return isUnderWay ? this.sending.error : undefined
  }

  /** Lets go of the sheet; nothing of it is kept. */
  close(): void {
    const id = this.#sheet?.id
    this.#sheet = undefined
    this.#hasCorrections = false
    if (id !== undefined) void settled(this.#api.bulk.close({ id }))
  }

  /** Is done once it is known how such a sheet was read last: what follows may be the check. */
  async #take(sheet: BulkSheet): Promise<void> {
    this.#sheet = sheet
    this.#isLost = false
    this.#dateOrders = []
    this.#match()
    await this.#recall()
  }

  /** Takes up how such a sheet was matched last, unless something was matched by hand meanwhile. */
  async #recall(): Promise<void> {
    const before = this.#mapping
    const id = this.#sheet?.id
    const composition = this.#base?.composition
    if (id === undefined || !composition) return
    const result = await settled(this.#api.bulk.remembered({ id, composition }))
    if (!result.ok || !result.value || this.#mapping !== before || this.#sheet?.id !== id) return
    // Where this sheet's own dates tell their order, what was said of the last one's does not count.
    const doubtful = new Set(this.#sheet?.dateDoubts.map(({ column }) => column))
    const dateOrders = result.value.dateOrders.filter(({ column }) => doubtful.has(column))
    if (this.#dateOrders.length === 0 && dateOrders.length > 0) {
      this.#dateOrders = dateOrders
      this.#forgetCheck()
    }
    if (isSame(result.value.mapping, before)) return
    this.#remembered = result.value
    this.#mapping = result.value.mapping
    this.#forgetCheck()
  }

  #match(): void {
    this.#mapping = this.#sheet ? matchColumns(this.#targets, this.#sheet.columns) : []
    this.#forgetCheck()
  }

  #forgetCheck(): void {
    this.#since = undefined
    this.checking.clear()
    this.sending.clear()
    this.exporting.clear()
    this.correcting.clear()
    this.rows.forget()
  }

  /** Notices where an answer says that the sheet isn't open any more. */
  async #noticed<Value>(answer: Promise<Result<Value>>): Promise<Result<Value>> {
    const result = await settled(answer)
    if (!result.ok && result.error.code === 'gone' && this.#sheet) {
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

/** Which person of which form a target belongs to. */
function placeOf({ item, person }: Pick<BulkTarget, 'item' | 'person'>): string {
  return `${item} ${person}`
}

/** Whether nothing stands at a place of the package. */
function isBlank(composition: Composition, path: BulkTarget['path']): boolean {
  const value = valueAt(composition, path)
  return typeof value !== 'string' || value.trim() === ''
}
