/**
 * A list of any length, loaded in pages as rows scroll into view. What is shown stays until its replacement has been
 * loaded.
 */
import { untrack } from 'svelte'
import type { AppError, Result } from '../../../shared/contract/errors.ts'
import { settled } from '../api.ts'
import { type Clock, throttled } from './clock.ts'

/** Rows per page. */
const PAGE = 200
/** Pages kept. Those farthest from the visible rows are dropped first. */
const MAX_PAGES = 20
/** Maximum concurrent page loads, so that a long scroll doesn't load everything it passes. */
const MAX_CONCURRENT_LOADS = 2

export interface Page<Row> {
  rows: Row[]
  /** The length of the whole list. */
  total: number
}

export interface PageRequest {
  offset: number
  limit: number
}

interface Options {
  /** Rows per page: few if an answer is needed before the next keystroke. */
  size?: number
  /** Minimum time between reloads. If absent, every change causes a reload at once. */
  throttle?: { clock: Clock; milliseconds: number }
}

/** @template Query identifies the list (a search, a part, filters) as a JSON-serialisable value. */
export class PagedList<Query, Row, Answer extends Page<Row> = Page<Row>> {
  #pages = $state.raw<ReadonlyMap<number, readonly Row[]>>(new Map())
  #view = $state.raw<Omit<Answer, 'rows'>>()
  #error = $state.raw<AppError>()
  #isLoading = $state(false)
  #query = $state.raw<Query>()
  #shown = $state.raw<Query>()
  #version = $state(0)
  #visiblePages: readonly [number, number] = [0, 0]
  #generation = 0
  #isReloading = false
  #isReloadQueued = false
  readonly #inFlight = new Set<number>()
  readonly #read: (page: PageRequest, query: Query) => Promise<Result<Answer>>
  readonly #size: number
  /** Like `reload`, but throttled by `throttle`, so that many changes cause one reload. */
  readonly scheduleReload: () => void

  constructor(
    read: (page: PageRequest, query: Query) => Promise<Result<Answer>>,
    { size = PAGE, throttle }: Options = {}
  ) {
    this.#read = read
    this.#size = size
    const reload = () => void this.reloadAfterChange()
    this.scheduleReload = throttle ? throttled(throttle.clock, throttle.milliseconds, reload) : reload
  }

  /** Whether the list has been loaded. Until then nothing is shown, not even that it is empty. */
  get isLoaded() {
    return this.#view !== undefined
  }
  get total() {
    return this.#view?.total ?? 0
  }
  /** What an answer contains besides its rows, for the shown list. */
  get view() {
    return this.#view
  }
  /** Why the list couldn't be loaded. */
  get error() {
    return this.#error
  }
  get isLoading() {
    return this.#isLoading
  }
  /** The list requested last. */
  get query() {
    return this.#query
  }
  /** The list being shown: changes when a new list has been loaded, not when it is requested. */
  get shown() {
    return this.#shown
  }
  /** A key of the shown list. */
  get shownKey(): string {
    return keyOf(this.#shown)
  }
  /** Whether the shown list isn't the one requested. */
  get isOutdated(): boolean {
    return this.shownKey !== keyOf(this.#query)
  }
  /** Incremented whenever the rows shown are replaced by a reload. */
  get version() {
    return this.#version
  }

  row(index: number): Row | undefined {
    return this.#pages.get(Math.floor(index / this.#size))?.[index % this.#size]
  }

  /** Returns the first loaded row that matches. */
  find(fits: (row: Row) => boolean): Row | undefined {
    for (const rows of this.#pages.values()) {
      const found = rows.find(fits)
      if (found) return found
    }
    return undefined
  }

  /** Returns the index of the first loaded row that matches, or -1. */
  indexOf(fits: (row: Row) => boolean): number {
    for (const [page, rows] of this.#pages) {
      const place = rows.findIndex(fits)
      if (place >= 0) return page * this.#size + place
    }
    return -1
  }

  /** Whether every row has been loaded. */
  get isComplete(): boolean {
    let read = 0
    for (const rows of this.#pages.values()) read += rows.length
    return this.isLoaded && read >= this.total
  }

  /** Clears the list, for example when an unrelated one takes its place. */
  clear(): void {
    this.#generation++
    this.#inFlight.clear()
    this.#query = undefined
    this.#pages = new Map()
    this.#view = undefined
    this.#error = undefined
    this.#isLoading = false
  }

  /** Shows another list from its beginning. Does nothing if it is the same list. */
  async open(query: Query): Promise<void> {
    if (keyOf(query) === keyOf(untrack(() => this.#query))) return
    this.#query = query
    this.#visiblePages = [0, 0]
    await this.reload()
  }

  /** Sets which rows are in view, and loads those that are missing. */
  ensureLoaded(first: number, last: number): void {
    this.#visiblePages = [Math.floor(first / this.#size), Math.floor(last / this.#size)]
    // Called from an effect of the table, which must not depend on what has been read.
    untrack(() => this.#loadMissing())
  }

  /** Reloads the pages in view and drops the rest. */
  async reload(): Promise<void> {
    const query = untrack(() => this.#query)
    if (query === undefined) return
    const mine = ++this.#generation
    this.#inFlight.clear()
    this.#isLoading = true
    const visible = this.#visiblePageNumbers()
    const results = await Promise.all(visible.map((page) => this.#fetch(page, query)))
    if (mine !== this.#generation) return
    this.#isLoading = false
    const pages = new Map<number, readonly Row[]>()
    for (const [place, result] of results.entries()) {
      if (!result.ok) {
        this.#error = result.error
        return
      }
      pages.set(visible[place] ?? 0, result.value.rows)
      this.#apply(result.value)
    }
    this.#pages = pages
    this.#error = undefined
    this.#shown = query
    this.#version++
    this.#loadMissing()
  }

  /** Reloads after a change. Changes during a reload are combined into one more reload. */
  async reloadAfterChange(): Promise<void> {
    if (untrack(() => this.#query) === undefined) return
    this.#isReloadQueued = true
    if (this.#isReloading) return
    this.#isReloading = true
    while (this.#isReloadQueued) {
      this.#isReloadQueued = false
      await this.reload()
    }
    this.#isReloading = false
  }

  #visiblePageNumbers(): number[] {
    const [first, last] = this.#visiblePages
    return Array.from({ length: last - first + 1 }, (_, place) => first + place)
  }

  #loadMissing(): void {
    for (const page of this.#visiblePageNumbers()) {
      if (this.#inFlight.size >= MAX_CONCURRENT_LOADS) return
      if (this.#pages.has(page) || this.#inFlight.has(page) || page * this.#size >= this.total) continue
      void this.#loadPage(page)
    }
  }

  async #loadPage(page: number): Promise<void> {
    const query = this.#query
    if (query === undefined) return
    const mine = this.#generation
    this.#inFlight.add(page)
    const result = await this.#fetch(page, query)
    if (mine !== this.#generation) return
    this.#inFlight.delete(page)
    if (!result.ok) {
      this.#error = result.error
      return
    }
    this.#apply(result.value)
    const [first] = this.#visiblePages
    const pages = [...this.#pages, [page, result.value.rows] as const]
    pages.sort(([one], [two]) => Math.abs(one - first) - Math.abs(two - first))
    this.#pages = new Map(pages.slice(0, MAX_PAGES))
    this.#loadMissing()
  }

  #apply({ rows: _rows, ...view }: Answer): void {
    this.#view = view
  }

  #fetch(page: number, query: Query): Promise<Result<Answer>> {
    return settled(this.#read({ offset: page * this.#size, limit: this.#size }, query))
  }
}

function keyOf(query: unknown): string {
  return JSON.stringify(query) ?? ''
}
