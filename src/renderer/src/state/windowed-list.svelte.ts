/**
 * A list of any length, read in windows of rows as they come into sight. What is shown stays until what replaces it
 * is here.
 */
import { untrack } from 'svelte'
import type { AppError, Result } from '../../../shared/contract/errors.ts'
import { settled } from '../api.ts'

/** Rows read at a time. */
const WINDOW = 200
/** Windows kept; those farthest from what is in sight go first. */
const KEPT = 20
/** Readings at a time, so that a long scroll doesn't ask for all it passes. */
const AT_ONCE = 2

export interface Listed<Row> {
  rows: Row[]
  /** How many there are in all. */
  total: number
}

export interface Asked {
  offset: number
  limit: number
}

export class WindowedList<Row, Answer extends Listed<Row>> {
  #windows = $state.raw<ReadonlyMap<number, readonly Row[]>>(new Map())
  #view = $state.raw<Omit<Answer, 'rows'>>()
  #newest = $state.raw<Omit<Answer, 'rows'>>()
  #error = $state.raw<AppError>()
  #reading = $state(false)
  #name = ''
  #shown = $state('')
  #version = $state(0)
  #sight: readonly [number, number] = [0, 0]
  #generation = 0
  #following = false
  #followAgain = false
  readonly #inFlight = new Set<number>()
  readonly #ask: (asked: Asked) => Promise<Result<Answer>>
  readonly #size: number

  /** @param size rows read at a time: few where an answer must be there before the next key. */
  constructor(ask: (asked: Asked) => Promise<Result<Answer>>, size = WINDOW) {
    this.#ask = ask
    this.#size = size
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
  /** The same of the newest answer, also where that was another list's. */
  get newest() {
    return this.#newest
  }
  /** Why the list could not be read. */
  get error() {
    return this.#error
  }
  get reading() {
    return this.#reading
  }
  /** The name of the list that is shown: changes when another is there, not when it is asked for. */
  get shown() {
    return this.#shown
  }
  /** Grows each time that rows were read anew in place of those that were shown. */
  get version() {
    return this.#version
  }

  row(index: number): Row | undefined {
    return this.#windows.get(Math.floor(index / this.#size))?.[index % this.#size]
  }

  /** The first row that fits, of those that have been read. */
  find(fits: (row: Row) => boolean): Row | undefined {
    for (const rows of this.#windows.values()) {
      const found = rows.find(fits)
      if (found) return found
    }
    return undefined
  }

  /** Where the first row that fits stands, or -1. */
  indexOf(fits: (row: Row) => boolean): number {
    for (const [window, rows] of this.#windows) {
      const place = rows.findIndex(fits)
      if (place >= 0) return window * this.#size + place
    }
    return -1
  }

  /** Whether every row of the list has been read. */
  get complete(): boolean {
    let read = 0
    for (const rows of this.#windows.values()) read += rows.length
    return this.known && read >= this.total
  }

  /** Forgets what is shown, as when another list takes its place that has nothing to do with it. */
  forget(): void {
    this.#generation++
    this.#inFlight.clear()
    this.#windows = new Map()
    this.#view = undefined
    this.#error = undefined
    this.#reading = false
  }

  /** Shows another list from its beginning; what `ask` asks for is the caller's to have changed. */
  async open(name: string): Promise<void> {
    this.#name = name
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
    const mine = ++this.#generation
    this.#inFlight.clear()
    this.#reading = true
    const wanted = this.#inSight()
    const results = await Promise.all(wanted.map((window) => this.#read(window)))
    if (mine !== this.#generation) return
    this.#reading = false
    const windows = new Map<number, readonly Row[]>()
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
    this.#shown = this.#name
    this.#version++
    this.#readOn()
  }

  /** Follows a change; changes that come while it reads are followed once, together. */
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

  #inSight(): number[] {
    const [first, last] = this.#sight
    return Array.from({ length: last - first + 1 }, (_, place) => first + place)
  }

  #readOn(): void {
    for (const window of this.#inSight()) {
      if (this.#inFlight.size >= AT_ONCE) return
      if (this.#windows.has(window) || this.#inFlight.has(window) || window * this.#size >= this.total) continue
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

  #take({ rows: _rows, ...view }: Answer): void {
    this.#view = view
    this.#newest = view
  }

  #read(window: number): Promise<Result<Answer>> {
    return settled(this.#ask({ offset: window * this.#size, limit: this.#size }))
  }
}
