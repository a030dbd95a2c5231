/**
 * A list of any length, read in pages of rows as they come into sight. What is shown stays until what replaces it
 * is here.
 */
import { untrack } from 'svelte'
import type { AppError, Result } from '../../../shared/contract/errors.ts'
import { settled } from '../api.ts'
import { type Clock, coalesced } from './clock.ts'

/** Rows read at a time. */
const PAGE = 200
/** Pages kept; those farthest from what is in sight go first. */
const KEPT = 20
/** Readings at a time, so that a long scroll doesn't ask for all it passes. */
const AT_ONCE = 2

export interface Page<Row> {
  rows: Row[]
  /** How many there are in all. */
  total: number
}

export interface PageRequest {
  offset: number
  limit: number
}

interface Options {
  /** Rows read at a time: few where an answer must be there before the next key. */
  size?: number
  /** The least time between two changes that are followed; each is followed at once where absent. */
  pause?: { clock: Clock; milliseconds: number }
}

/** @template Query what tells one list from another, as a value that JSON keeps: a search, a part, filters. */
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
  /** The same as `follow`, and no more often than the pause allows: many changes in a short time are followed together. */
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

  /** Whether an answer is here; before it there is nothing to show, not even that there is nothing. */
  get known() {
    return this.#view !== undefined
  }
  get total() {
    return this.#view?.total ?? 0
  }
  /** What an answer says beside its rows, of the list that is shown. */
  get view() {
    return this.#view
  }
  /** Why the list could not be read. */
  get error() {
    return this.#error
  }
  get reading() {
    return this.#reading
  }
  /** The list that was asked for last. */
  get query() {
    return this.#query
  }
  /** The list that is shown: changes when another is there, not when it is asked for. */
  get shown() {
    return this.#shown
  }
  /** Its name, to tell it from others. */
  get shownName(): string {
    return nameOf(this.#shown)
  }
  /** Whether what is shown is another list than the one asked for. */
  get isOther(): boolean {
    return this.shownName !== nameOf(this.#query)
  }
  /** Grows each time that rows were read again in place of those that were shown. */
  get version() {
    return this.#version
  }

  row(index: number): Row | undefined {
    return this.#pages.get(Math.floor(index / this.#size))?.[index % this.#size]
  }

  /** The first row that fits, of those that have been read. */
  find(fits: (row: Row) => boolean): Row | undefined {
    for (const rows of this.#pages.values()) {
      const found = rows.find(fits)
      if (found) return found
    }
    return undefined
  }

  /** Where the first row that fits stands, or -1. */
  indexOf(fits: (row: Row) => boolean): number {
    for (const [page, rows] of this.#pages) {
      const place = rows.findIndex(fits)
      if (place >= 0) return page * this.#size + place
    }
    return -1
  }

  /** Whether every row of the list has been read. */
  get complete(): boolean {
    let read = 0
    for (const rows of this.#pages.values()) read += rows.length
    return this.known && read >= this.total
  }

  /** Forgets what is shown, as when another list takes its place that has nothing to do with it. */
  forget(): void {
    this.#generation++
    this.#inFlight.clear()
    this.#query = undefined
    this.#pages = new Map()
    this.#view = undefined
    this.#error = undefined
    this.#reading = false
  }

  /** Shows another list from its beginning; the same again is no reading. */
  async open(query: Query): Promise<void> {
    if (nameOf(query) === nameOf(untrack(() => this.#query))) return
    this.#query = query
    this.#sight = [0, 0]
    await this.reload()
  }

  /** Tells which rows are in sight; what is missing of them is read. */
  need(first: number, last: number): void {
    this.#sight = [Math.floor(first / this.#size), Math.floor(last / this.#size)]
    // Called from an effect of the table, which must not depend on what has been read.
    untrack(() => this.#readOn())
  }

  /** Reads what is in sight again and forgets the rest. */
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

  /** Reads again once something has changed; changes that come while it reads are followed once, together. */
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
