/**
 * The documents of one folder that fit a search, read in windows of 200 as they come into sight. What is shown stays
 * until what replaces it is here.
 */
import { untrack } from 'svelte'
import type { AppError, Result } from '../../../shared/contract/errors.ts'
import type { DocumentList, DocumentRow } from '../../../shared/contract/views.ts'
import type { Api } from '../api.ts'
import { settled } from '../api.ts'
import { Action } from './action.svelte.ts'

/** Rows read at a time. */
export const WINDOW = 200
/** Windows kept; those farthest from what is in sight go first. */
const KEPT = 20
/** Readings at a time, so that a long scroll doesn't ask for all it passes. */
const AT_ONCE = 2

export class FolderList {
  #folder = ''
  #search = ''
  #windows = $state.raw<ReadonlyMap<number, readonly DocumentRow[]>>(new Map())
  #view = $state.raw<Omit<DocumentList, 'rows'>>()
  #counts = $state.raw<Record<string, number>>({})
  #error = $state.raw<AppError>()
  #reading = $state(false)
  #shown = $state('')
  #sight: readonly [number, number] = [0, 0]
  #generation = 0
  #following = false
  #followAgain = false
  readonly #inFlight = new Set<number>()
  readonly #api: Api
  /** Asking the service for the folders now. */
  readonly refreshing = new Action<null>()

  constructor(api: Api) {
    this.#api = api
  }

  /** Whether an answer is here; before it there is nothing to show, not even that there is nothing. */
  get known() {
    return this.#view !== undefined
  }
  get total() {
    return this.#view?.total ?? 0
  }
  get counts() {
    return this.#counts
  }
  get lookedAt() {
    return this.#view?.lookedAt
  }
  get unreadable() {
    return this.#view?.unreadable
  }
  /** Why the folder may not be as the service has it now. */
  get problem(): AppError | undefined {
    return this.#view?.problem ?? this.refreshing.error
  }
  /** Why the list itself could not be read. */
  get error() {
    return this.#error
  }
  get reading() {
    return this.#reading
  }
  /** Folder and search of what is shown: changes when another list is there, not when it is asked for. */
  get shown() {
    return this.#shown
  }

  row(index: number): DocumentRow | undefined {
    return this.#windows.get(Math.floor(index / WINDOW))?.[index % WINDOW]
  }

  /** The row of a reference, where it has been read. */
  find(reference: string): DocumentRow | undefined {
    for (const rows of this.#windows.values()) {
      const found = rows.find((row) => row.reference === reference)
      if (found) return found
    }
    return undefined
  }

  /** Whether what is shown are the results of a search, all of them read, and this document is not among them. */
  lacks(reference: string): boolean {
    if (!this.known || !this.#shown || this.#shown.endsWith('\n')) return false
    let read = 0
    for (const rows of this.#windows.values()) read += rows.length
    return read >= this.total && !this.find(reference)
  }

  /** Shows a folder and a search; the same again is no reading. */
  async open(folder: string, search: string): Promise<void> {
    if (folder === this.#folder && search === this.#search) return
    if (folder !== this.#folder) {
      this.#windows = new Map()
      this.#view = undefined
      this.#error = undefined
      this.refreshing.clear()
    }
    this.#folder = folder
    this.#search = search
    this.#sight = [0, 0]
    await this.reload()
  }

  /** Tells which rows are in sight; what is missing of them is read. */
  need(first: number, last: number): void {
    this.#sight = [Math.floor(first / WINDOW), Math.floor(last / WINDOW)]
    // Called from an effect of the table, which must not depend on what has been read.
    untrack(() => this.#readOn())
  }

  /** Reads what is in sight again and forgets the rest. */
  async reload(): Promise<void> {
    const mine = ++this.#generation
    this.#inFlight.clear()
    this.#reading = true
    const wanted = this.#inSight()
    const results = await Promise.all(wanted.map((window) => this.#read(window)))
    if (mine !== this.#generation) return
    this.#reading = false
    const windows = new Map<number, readonly DocumentRow[]>()
    for (const [place, result] of results.entries()) {
      if (!result.ok) {
        this.#error = result.error
        return
      }
      windows.set(wanted[place] ?? 0, result.value.rows)
      this.#take(result.value)
    }
    this.#windows = windows
    this.#error = undefined
    this.#shown = `${this.#folder}\n${this.#search}`
    this.#readOn()
  }

  /** Follows a change of the documents; changes that come while it reads are followed once, together. */
  async follow(): Promise<void> {
    this.#followAgain = true
    if (this.#following) return
    this.#following = true
    while (this.#followAgain) {
      this.#followAgain = false
      await this.reload()
    }
    this.#following = false
  }

  /** Has the folders read from the service, then shows them. */
  async refresh(): Promise<void> {
    if (this.refreshing.busy) return
    await this.refreshing.run(() => this.#api.documents.refresh())
    await this.follow()
  }

  #inSight(): number[] {
    const [first, last] = this.#sight
    return Array.from({ length: last - first + 1 }, (_, place) => first + place)
  }

  #readOn(): void {
    for (const window of this.#inSight()) {
      if (this.#inFlight.size >= AT_ONCE) return
      if (this.#windows.has(window) || this.#inFlight.has(window) || window * WINDOW >= this.total) continue
      void this.#add(window)
    }
  }

  async #add(window: number): Promise<void> {
    const mine = this.#generation
    this.#inFlight.add(window)
    const result = await this.#read(window)
    if (mine !== this.#generation) return
    this.#inFlight.delete(window)
    if (!result.ok) {
      this.#error = result.error
      return
    }
    this.#take(result.value)
    const [first] = this.#sight
    const windows = [...this.#windows, [window, result.value.rows] as const]
    windows.sort(([one], [two]) => Math.abs(one - first) - Math.abs(two - first))
    this.#windows = new Map(windows.slice(0, KEPT))
    this.#readOn()
  }

  #take({ rows: _rows, ...view }: DocumentList): void {
    this.#view = view
    this.#counts = view.counts
  }

  #read(window: number): Promise<Result<DocumentList>> {
    const { documents } = this.#api
    const asked = { folder: this.#folder, search: this.#search, offset: window * WINDOW, limit: WINDOW }
    return settled(documents.list(asked))
  }
}
