/**
 * Which rows of a long table are drawn and where they stand: those in sight and a few beside them. Keeps the place when
 * rows come or go above it, follows the row that the keys stand on, and asks for the rows that are in sight.
 */
import { tick, untrack } from 'svelte'
import { ROW, sheetOf, type TableProps } from './table.ts'

/** Pixels of the headings. */
const HEAD = 33
/** Rows drawn above and below what is in sight. */
const BESIDE = 8
/** Pixels in sight where there is no layout, and before the first one. */
const SCREENFUL = 720
/** Milliseconds that a list which flies past must rest before rows are asked for: nobody reads what has gone by. */
const REST = 70
/**
 * So many rows that become others at once are drawn together. Of more, as when a page of them arrives, those in sight are drawn
 * first and those beside them in the next frame: together they would take longer than a frame lasts.
 */
const AT_ONCE = 12
/** Rows around its old place in which the row that was in sight is looked for. */
const NEAR = 200

/** What a table says of its rows. */
type Source<Row> = Pick<TableProps<Row>, 'count' | 'place' | 'version' | 'chosen' | 'row' | 'keyOf' | 'onneed'>

export class TableWindow<Row> {
  /** The element that scrolls. */
  grid = $state<HTMLElement>()
  /** Its height in pixels; 0 before there is a layout. */
  inSight = $state(0)
  scrolled = $state(0)
  #active = $state(0)
  #anchor: { key: string; index: number } | undefined
  #asked = 0
  /** Whether only what is in sight is drawn, until the next frame. */
  #isInSightOnly = $state(false)
  #stopResting = () => {}
  readonly #source: Source<Row>
  /** What each element drew last. */
  readonly #lent: (Row | undefined)[] = []
  readonly #sheet = $derived.by(() => sheetOf(this.#source.count, this.#room))
  readonly #depth = $derived.by(() => this.#sheet.depthAt(this.scrolled))
  readonly first = $derived.by(() => Math.max(0, Math.floor(this.#depth / ROW) - BESIDE))
  readonly last = $derived.by(() =>
    Math.min(this.#source.count - 1, Math.ceil((this.#depth + this.#room) / ROW) + BESIDE)
  )
  /** The rows to draw, each with its element: a row that leaves at one end lends its own to the next at the other. */
  readonly drawn = $derived.by(() => {
    const slots = Math.ceil(this.#room / ROW) + 2 * BESIDE + 2
    return Array.from({ length: Math.max(0, this.last - this.first + 1) }, (_, offset) => ({
      index: this.first + offset,
      slot: (this.first + offset) % slots
    }))
  })
  /** The row that the keys stand on: the chosen one while it is drawn. */
  readonly current = $derived.by(() => {
    const { chosen, count } = this.#source
    const one = chosen === undefined ? undefined : this.drawn.find(({ index }) => this.keyAt(index) === chosen)
    return one?.index ?? Math.min(this.#active, Math.max(0, count - 1))
  })

  /** Made as its component begins, which its effects belong to. */
  constructor(source: Source<Row>) {
    this.#source = source
    let placeBefore = source.place
    let versionBefore = source.version
    $effect.pre(() => {
      const { place, version } = source
      const isReadAgain = version !== versionBefore
      versionBefore = version
      if (place !== placeBefore) {
        placeBefore = place
        this.#active = 0
        this.#anchor = undefined
        this.#scrollTo(0)
      } else if (isReadAgain) untrack(() => this.#stay())
    })
    $effect.pre(() => this.#spread())
    $effect(() => this.#ask())
    $effect(() => this.#remember())
    $effect(() => () => this.#stopResting())
  }

  /** Of all rows together, in pixels. */
  get height(): number {
    return this.#sheet.height
  }
  /** Rows that a page key goes on by. */
  get page(): number {
    return Math.max(1, Math.floor(this.#room / ROW) - 1)
  }
  get #room(): number {
    return this.inSight || SCREENFUL
  }

  /** Pixels from the top of all rows to where one is drawn. */
  topOf(index: number): number {
    const shift = this.height < this.#source.count * ROW ? this.scrolled - this.#depth : 0
    return index * ROW + shift
  }

  /** The row to draw; undefined while it isn't here, or waits for those in sight. */
  rowAt(index: number): Row | undefined {
    if (this.#isInSightOnly && !this.#isInSight(index)) return undefined
    return this.#source.row(index)
  }

  keyAt(index: number): string | undefined {
    const at = this.#source.row(index)
    return at === undefined ? undefined : this.#source.keyOf(at)
  }

  /** The row to draw; while one is not here yet, what its element drew before, which is hidden but need not be made again. */
  inkOf(at: Row | undefined, slot: number): Row | undefined {
    if (at !== undefined) this.#lent[slot] = at
    return at ?? this.#lent[slot]
  }

  /** Puts the keys on a row, without scrolling. */
  put(index: number): void {
    this.#active = index
  }

  /** Puts the keys on a row, or on the nearest there is, and brings it into sight. Answers which it is. */
  go(index: number): number {
    const to = Math.max(0, Math.min(this.#source.count - 1, index))
    this.#active = to
    const { grid } = this
    if (!grid) return to
    const top = to * ROW
    const room = grid.clientHeight - HEAD
    const now = this.#sheet.depthAt(grid.scrollTop)
    if (top < now) grid.scrollTop = this.#sheet.scrollFor(top)
    else if (top + ROW > now + room) grid.scrollTop = Math.ceil(this.#sheet.scrollFor(top + ROW - room))
    return to
  }

  #isInSight(index: number): boolean {
    return (index + 1) * ROW > this.#depth && index * ROW < this.#depth + this.#room
  }

  /** Before each drawing. */
  #spread(): void {
    let others = 0
    for (const { index, slot } of this.drawn) {
      const at = this.#source.row(index)
      if (at !== undefined && at !== this.#lent[slot]) others++
    }
    if (others <= AT_ONCE || untrack(() => this.#isInSightOnly)) return
    this.#isInSightOnly = true
    requestAnimationFrame(() => setTimeout(() => (this.#isInSightOnly = false)))
  }

  #ask(): void {
    if (this.#source.count === 0) return
    const [from, to] = [this.first, this.last]
    this.#stopResting()
    const need = () => {
      this.#asked = from
      this.#source.onneed?.(from, to)
    }
    if (Math.abs(from - this.#asked) <= to - from) need()
    else {
      const timer = setTimeout(need, REST)
      this.#stopResting = () => clearTimeout(timer)
    }
  }

  /** After each drawing: what stands at the top, or is chosen, is what the eye rests on. */
  #remember(): void {
    const top = Math.ceil(this.#depth / ROW)
    const { chosen } = this.#source
    const chosenAt =
      chosen === undefined ? undefined : this.drawn.find(({ index }) => index >= top && this.keyAt(index) === chosen)
    const index = chosenAt?.index ?? top
    const key = this.keyAt(index)
    this.#anchor = key === undefined ? undefined : { key, index }
  }

  /** Rows that came or went above what is in sight don't move it. At the top the newest rows are shown instead. */
  #stay(): void {
    const anchor = this.#anchor
    if (!anchor || this.scrolled === 0) return
    for (let away = 0; away <= NEAR; away++) {
      for (const index of [anchor.index + away, anchor.index - away]) {
        if (this.keyAt(index) !== anchor.key) continue
        if (away > 0) this.#scrollTo(this.#sheet.scrollFor(this.#depth + (index - anchor.index) * ROW))
        return
      }
    }
  }

  #scrollTo(top: number): void {
    this.scrolled = Math.max(0, top)
    // The element is made as tall as the new list before it is scrolled, and both before anything is painted.
    void tick().then(() => {
      if (this.grid && this.grid.scrollTop !== top) this.grid.scrollTop = top
    })
  }
}
