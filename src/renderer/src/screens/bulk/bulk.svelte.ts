/**
 * Sending one package to each row of a sheet: what the rows are put onto, the sheet, which column fills what, what
 * checking found, and the batch that is made. A change of any of these makes what was found of the ones after it void.
 */
import { type ColumnMapping, matchColumns } from '../../../../shared/composition/bulk-columns.ts'
import type { BulkTarget } from '../../../../shared/composition/bulk-fields.ts'
import { bulkTargets, valueAt } from '../../../../shared/composition/bulk-targets.ts'
import type { Composition } from '../../../../shared/composition/composition.ts'
import type { AppError, Result } from '../../../../shared/contract/errors.ts'
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

export type RowsShown = 'all' | 'errors' | 'warnings' | 'duplicates' | 'alike'

/** What becomes of rows that were sent before, or seem so. */
type Decided = 'leave-out' | 'send'

export class Bulk {
  readonly #api: Api
  #base = $state.raw<BulkBase>()
  #sheet = $state.raw<BulkSheet>()
  #mapping = $state.raw<ColumnMapping>([])
  #remembered = $state.raw<RememberedMapping>()
  #show = $state<RowsShown>('all')
  #countryCode = $state<string>()
  #isLost = $state(false)
  #sent: Promise<unknown> = Promise.resolve()
  readonly #targets: readonly BulkTarget[] = $derived(this.#base ? bulkTargets(this.#base.composition) : [])
  readonly rows: PagedList<RowsShown, BulkRow>
  readonly sampling = new Action<SavedFile | null>()
  readonly opening = new Action<BulkSheet | null>()
  readonly checking = new Action<BulkCheck>()
  readonly mending = new Action<SavedFile | null>()
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
  /** All that a column can fill. */
  get targets() {
    return this.#targets
  }
  get check() {
    return this.checking.value
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
    this.#match()
    void this.#recall()
  }

  /** Matches the columns by their headings alone, in place of what is remembered. */
  matchByHeadings(): void {
    this.#match()
  }

  /** Has the person choose a file; without one everything stays. Returns whether there is a sheet. */
  async open(): Promise<boolean> {
    const sheet = await this.opening.run(() => this.#api.bulk.open())
    if (!sheet) return false
    const before = this.#sheet?.id
    if (before !== undefined && before !== sheet.id) void settled(this.#api.bulk.close({ id: before }))
    this.#take(sheet)
    return true
  }

  /** Shows another sheet of the same file. */
  async turnTo(sheet: string): Promise<void> {
    const id = this.#sheet?.id
    if (id === undefined || sheet === this.#sheet?.sheet) return
    const other = await this.opening.run(() => this.#noticed(this.#api.bulk.sheet({ id, sheet })))
    if (other) this.#take(other)
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
      ...(countryCode !== undefined && { countryCode })
    }
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

  /** Saves the rows with errors as a file; null where the person thinks better of it. */
  mend(): Promise<SavedFile | null | undefined> {
    const id = this.#sheet?.id ?? ''
    return this.mending.run(() => this.#noticed(this.#api.bulk.exportFailed({ id })))
  }

  saveSample(format: 'csv' | 'xlsx'): Promise<SavedFile | null | undefined> {
    const composition = this.#base?.composition
    if (!composition) return Promise.resolve(undefined)
    return this.sampling.run(() => this.#api.bulk.saveSample({ composition, format }))
  }

  /** Makes a batch of the rows without errors. */
  send(
    name: string,
    repeats: { duplicates: Decided; alike: Decided },
    at: number | undefined
  ): Promise<BatchView | undefined> {
    const id = this.#sheet?.id ?? ''
    const batch = this.sending.run(() =>
      this.#noticed(this.#api.bulk.send({ id, name, ...repeats, ...(at !== undefined && { at }) }))
    )
    this.#sent = batch
    return batch
  }

  /** Lets go of the sheet once a batch that is being made of it is made; returns why it was not made, if it was not. */
  async leave(): Promise<AppError | undefined> {
    if (!this.sending.busy) {
      this.close()
      return undefined
    }
    await this.#sent
    this.close()
    return this.sending.error
  }

  /** Lets go of the sheet; nothing of it is kept. */
  close(): void {
    const id = this.#sheet?.id
    this.#sheet = undefined
    if (id !== undefined) void settled(this.#api.bulk.close({ id }))
  }

  #take(sheet: BulkSheet): void {
    this.#sheet = sheet
    this.#isLost = false
    this.#match()
    void this.#recall()
  }

  /** Takes up how such a sheet was matched last, unless something was matched by hand meanwhile. */
  async #recall(): Promise<void> {
    const before = this.#mapping
    const id = this.#sheet?.id
    const composition = this.#base?.composition
    if (id === undefined || !composition) return
    const result = await settled(this.#api.bulk.remembered({ id, composition }))
    if (!result.ok || !result.value || this.#mapping !== before || isSame(result.value.mapping, before)) return
    this.#remembered = result.value
    this.#mapping = result.value.mapping
    this.#forgetCheck()
  }

  #match(): void {
    this.#mapping = this.#sheet ? matchColumns(this.#targets, this.#sheet.columns) : []
    this.#forgetCheck()
  }

  #forgetCheck(): void {
    this.checking.clear()
    this.sending.clear()
    this.mending.clear()
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
