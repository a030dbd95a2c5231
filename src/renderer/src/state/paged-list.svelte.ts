/**
 * A list of any length, loaded in pages as rows scroll into view. What is shown stays until its replacement has been
 * loaded.
 */
import { untrack } from 'svelte'
import type { AppError, Result } from '../../../shared/contract/errors.ts'
import { settled } from '../api.ts'
import { type Clock, coalesced } from './clock.ts'

/** Rows per page. */
const PAGE = 200
/** Pages kept. Those farthest from the visible rows are dropped first. */
const KEPT = 20
/** Maximum concurrent page loads, so that a long scroll doesn't load everything it passes. */
const AT_ONCE = 2

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
  pause?: { clock: Clock; milliseconds: number }
}

/** @template Query identifies the list (a search, a part, filters) as a JSON-serialisable value. */
export class PagedList<Query, Row, Answer extends Page<Row> = Page<Row>> {
  #pages = $state.raw<ReadonlyMap<number, readonly Row[]>>(new Map())
  #view = $state.raw<Omit<Answer, 'rows'>>()
  #error = $state.raw<AppError>()
  #reading = $state(false)
  #query = $state.raw<Query>()
  #shown = $state.raw<Query>()
  #version = $state(0)
  #sight: readonly [number, number] = [0, 0]
  #generation = 0
  #following = false
  #followAgain = false
  readonly #inFlight = new Set<number>()
  readonly #read: (page: PageRequest, query: Query) => Promise<Result<Answer>>
  readonly #size: number
  /** Like `follow`, but throttled by `pause`, so that many changes cause one reload. */
  readonly followSoon: () => void

  constructor(
    read: (page: PageRequest, query: Query) => Promise<Result<Answer>>,
    { size = PAGE, pause }: Options = {}
  ) {
    this.#read = read
    this.#size = size
    const follow = () => void this.follow()
    this.followSoon = pause ? coalesced(pause.clock, pause.milliseconds, follow) : follow
  }

  /** Whether the list has been loaded. Until then nothing is shown, not even that it is empty. */
  get known() {
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
  get reading() {
    return this.#reading
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
  get shownName(): string {
    return nameOf(this.#shown)
  }
  /** Whether the shown list isn't the one requested. */
  get isOther(): boolean {
    return this.shownName !== nameOf(this.#query)
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
  get complete(): boolean {
    let read = 0
    for (const rows of this.#pages.values()) read += rows.length
    return this.known && read >= this.total
  }

  /** Clears the list, for example when an unrelated one takes its place. */
  forget(): void {
    this.#generation++
    this.#inFlight.clear()
    this.#query = undefined
    this.#pages = new Map()
    this.#view = undefined
    this.#error = undefined
    this.#reading = false
  }

  /** Shows another list from its beginning. Does nothing if it is the same list. */
  async open(query: Query): Promise<void> {
    if (nameOf(query) === nameOf(untrack(() => this.#query))) return
    this.#query = query
    this.#sight = [0, 0]
    await this.reload()
  }

  /** Sets which rows are in view, and loads those that are missing. */
  need(first: number, last: number): void {
    this.#sight = [Math.floor(first / this.#size), Math.floor(last / this.#size)]
    // Called from an effect of the table, which must not depend on what has been read.
    untrack(() => this.#readOn())
  }

  /** Reloads the pages in view and drops the rest. */
  async reload(): Promise<void> {
    const query = untrack(() => this.#query)
    if (query === undefined) return
    const mine = ++this.#generation
    this.#inFlight.clear()
    this.#reading = true
    const wanted = this.#inSight()
    const results = await Promise.all(wanted.map((page) => this.#ask(page, query)))
    if (mine !== this.#generation) return
    this.#reading = false
    const pages = new Map<number, readonly Row[]>()
    for (const [place, result] of results.entries()) {
      if (!result.ok) {
        this.#error = result.error
        return
      }
      pages.set(wanted[place] ?? 0, result.value.rows)
      this.#take(result.value)
    }
    this.#pages = pages
    this.#error = undefined
    this.#shown = query
    this.#version++
    this.#readOn()
  }

  /** Reloads after a change. Changes during a reload are combined into one more reload. */
  async follow(): Promise<void> {
    if (untrack(() => this.#query) === undefined) return
    this.#followAgain = true
    if (this.#following) return
    this.#following = true
    while (this.#followAgain) {
      this.#followAgain = false
      await this.reload()
    }
    this.#following = false
  }

  #inSight(): number[] {
    const [first, last] = this.#sight
    return Array.from({ length: last - first + 1 }, (_, place) => first + place)
  }

  #readOn(): void {
    for (const page of this.#inSight()) {
      if (this.#inFlight.size >= AT_ONCE) return
      if (this.#pages.has(page) || this.#inFlight.has(page) || page * this.#size >= this.total) continue
      void this.#add(page)
    }
  }

  async #add(page: number): Promise<void> {
    const query = this.#query
    if (query === undefined) return
    const mine = this.#generation
    this.#inFlight.add(page)
    const result = await this.#ask(page, query)
    if (mine !== this.#generation) return
    this.#inFlight.delete(page)
    if (!result.ok) {
      this.#error = result.error
      return
    }
    this.#take(result.value)
    const [first] = this.#sight
    const pages = [...this.#pages, [page, result.value.rows] as const]
    pages.sort(([one], [two]) => Math.abs(one - first) - Math.abs(two - first))
    this.#pages = new Map(pages.slice(0, KEPT))
    this.#readOn()
  }

  #take({ rows: _rows, ...view }: Answer): void {
    this.#view = view
  }

  #ask(page: number, query: Query): Promise<Result<Answer>> {
    return settled(this.#read({ offset: page * this.#size, limit: this.#size }, query))
  }
}

function nameOf(query: unknown): string {
  return JSON.stringify(query) ?? ''
}
