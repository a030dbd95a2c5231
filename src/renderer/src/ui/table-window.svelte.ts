/**
 * Which rows of a long table are drawn, and where: the visible ones and a few around them. Keeps its position when rows
 * are added or removed above, follows the current row, and requests the rows in view.
 */
import { tick, untrack } from 'svelte'
import { geometryOf, ROW_HEIGHT, type TableProps } from './table.ts'

/** The height of the headings in pixels. */
const HEADER_HEIGHT = 33
/** Rows drawn above and below the visible ones. */
const OVERSCAN = 8
/** Assumed visible height in pixels if there is no layout, or before the first one. */
const ASSUMED_HEIGHT = 720
/** Milliseconds a fast-scrolling list must rest before rows are requested: nobody reads rows that fly past. */
const SCROLL_DELAY = 70
/**
 * Up to this many changed rows are drawn together. If more change, for example when a page of them arrives, the visible
 * rows are drawn first and the rest in the next frame: together they would take longer than a frame.
 */
const MAX_CHANGED_ROWS = 12
/** How many rows around its old position to search for the anchor row. */
const ANCHOR_SEARCH_RANGE = 200

/** What a table provides about its rows. */
type Source<Row> = Pick<
  TableProps<Row>,
  'count' | 'rowHeight' | 'place' | 'version' | 'chosen' | 'row' | 'keyOf' | 'onneed'
>

export class TableWindow<Row> {
  /** The scrolling element. */
  grid = $state<HTMLElement>()
  /** Its height in pixels; 0 before there is a layout. */
  viewportHeight = $state(0)
  scrolled = $state(0)
  #active = $state(0)
  #anchor: { key: string; index: number } | undefined
  #requestedFrom = 0
  /** Whether only visible rows are drawn, until the next frame. */
  #drawsOnlyVisible = $state(false)
  #cancelRequest = () => {}
  readonly #source: Source<Row>
  /** What each element last drew. */
  readonly #lastDrawn: (Row | undefined)[] = []
  readonly #geometry = $derived.by(() => geometryOf(this.#source.count, this.#viewHeight, this.rowHeight))
  readonly #offset = $derived.by(() => this.#geometry.offsetAt(this.scrolled))
  readonly first = $derived.by(() => Math.max(0, Math.floor(this.#offset / this.rowHeight) - OVERSCAN))
  readonly last = $derived.by(() =>
    Math.min(this.#source.count - 1, Math.ceil((this.#offset + this.#viewHeight) / this.rowHeight) + OVERSCAN)
  )
  /** The rows to draw, each with its element: elements of rows that leave at one end are reused at the other. */
  readonly drawn = $derived.by(() => {
    const slots = Math.ceil(this.#viewHeight / this.rowHeight) + 2 * OVERSCAN + 2
    return Array.from({ length: Math.max(0, this.last - this.first + 1) }, (_, offset) => ({
      index: this.first + offset,
      slot: (this.first + offset) % slots
    }))
  })
  /** The current row for the keyboard: the chosen one while it is drawn. */
  readonly current = $derived.by(() => {
    const { chosen, count } = this.#source
    const one = chosen === undefined ? undefined : this.drawn.find(({ index }) => this.keyAt(index) === chosen)
    return one?.index ?? Math.min(this.#active, Math.max(0, count - 1))
  })

  /** Must be created during component initialisation, because its effects belong to the component. */
  constructor(source: Source<Row>) {
    this.#source = source
    let placeBefore = source.place
    let versionBefore = source.version
    $effect.pre(() => {
      const { place, version } = source
      const isReloaded = version !== versionBefore
      versionBefore = version
      if (place !== placeBefore) {
        placeBefore = place
        this.#active = 0
        this.#anchor = undefined
        this.#scrollTo(0)
      } else if (isReloaded) untrack(() => this.#keepPosition())
    })
    $effect.pre(() => this.#splitDrawing())
    $effect(() => this.#requestRows())
    $effect(() => this.#rememberAnchor())
    $effect(() => () => this.#cancelRequest())
  }

  /** The height of all rows in pixels. */
  get height(): number {
    return this.#geometry.height
  }
  /** Rows that a page key moves by. */
  get page(): number {
    return Math.max(1, Math.floor(this.#viewHeight / this.rowHeight) - 1)
  }
  /** The height of a row in pixels. */
  get rowHeight(): number {
    return this.#source.rowHeight ?? ROW_HEIGHT
  }
  get #viewHeight(): number {
    return this.viewportHeight || ASSUMED_HEIGHT
  }

  /** Returns the pixels from the top of all rows to where this one is drawn. */
  topOf(index: number): number {
    const shift = this.height < this.#source.count * this.rowHeight ? this.scrolled - this.#offset : 0
    return index * this.rowHeight + shift
  }

  /** Returns the row to draw. Undefined while it isn't loaded, or is deferred until the visible rows are drawn. */
  rowAt(index: number): Row | undefined {
    if (this.#drawsOnlyVisible && !this.#isVisible(index)) return undefined
    return this.#source.row(index)
  }

  keyAt(index: number): string | undefined {
    const at = this.#source.row(index)
    return at === undefined ? undefined : this.#source.keyOf(at)
  }

  /**
   * Returns the row to draw. While it isn't loaded, returns what its element last drew: that is hidden, but needn't be
   * created again.
   */
  rowOrLastDrawn(at: Row | undefined, slot: number): Row | undefined {
    if (at !== undefined) this.#lastDrawn[slot] = at
    return at ?? this.#lastDrawn[slot]
  }

  /** Makes a row current, without scrolling. */
  setCurrent(index: number): void {
    this.#active = index
  }

  /** Makes a row, or the nearest one, current and scrolls it into view. Returns its index. */
  goTo(index: number): number {
    const to = Math.max(0, Math.min(this.#source.count - 1, index))
    this.#active = to
    const { grid } = this
    if (!grid) return to
    const top = to * this.rowHeight
    const room = grid.clientHeight - HEADER_HEIGHT
    const now = this.#geometry.offsetAt(grid.scrollTop)
    if (top < now) grid.scrollTop = this.#geometry.scrollFor(top)
    else if (top + this.rowHeight > now + room)
      grid.scrollTop = Math.ceil(this.#geometry.scrollFor(top + this.rowHeight - room))
    return to
  }

  #isVisible(index: number): boolean {
    return (index + 1) * this.rowHeight > this.#offset && index * this.rowHeight < this.#offset + this.#viewHeight
  }

  /** Runs before each drawing: decides whether to draw only the visible rows first. */
  #splitDrawing(): void {
    let others = 0
    for (const { index, slot } of this.drawn) {
      const at = this.#source.row(index)
      if (at !== undefined && at !== this.#lastDrawn[slot]) others++
    }
    if (others <= MAX_CHANGED_ROWS || untrack(() => this.#drawsOnlyVisible)) return
    this.#drawsOnlyVisible = true
    requestAnimationFrame(() => setTimeout(() => (this.#drawsOnlyVisible = false)))
  }

  #requestRows(): void {
    if (this.#source.count === 0) return
    const [from, to] = [this.first, this.last]
    this.#cancelRequest()
    const request = () => {
      this.#requestedFrom = from
      this.#source.onneed?.(from, to)
    }
    if (Math.abs(from - this.#requestedFrom) <= to - from) request()
    else {
      const timer = setTimeout(request, SCROLL_DELAY)
      this.#cancelRequest = () => clearTimeout(timer)
    }
  }

  /**
   * Runs after each drawing: remembers the chosen or the topmost row as the anchor, which is what the reader is looking
   * at.
   */
  #rememberAnchor(): void {
    const top = Math.ceil(this.#offset / this.rowHeight)
    const { chosen } = this.#source
    const chosenAt =
      chosen === undefined ? undefined : this.drawn.find(({ index }) => index >= top && this.keyAt(index) === chosen)
    const index = chosenAt?.index ?? top
    const key = this.keyAt(index)
    this.#anchor = key === undefined ? undefined : { key, index }
  }

  /**
   * Keeps the visible rows in place when rows above are added or removed. At the top, the newest rows are shown
   * instead.
   */
  #keepPosition(): void {
    const anchor = this.#anchor
    if (!anchor || this.scrolled === 0) return
    for (let away = 0; away <= ANCHOR_SEARCH_RANGE; away++) {
      for (const index of [anchor.index + away, anchor.index - away]) {
        if (this.keyAt(index) !== anchor.key) continue
        if (away > 0) this.#scrollTo(this.#geometry.scrollFor(this.#offset + (index - anchor.index) * this.rowHeight))
        return
      }
    }
  }

  #scrollTo(top: number): void {
    this.scrolled = Math.max(0, top)
    // The element first grows to the new list's height and is then scrolled, both before anything is painted.
    void tick().then(() => {
      if (this.grid && this.grid.scrollTop !== top) this.grid.scrollTop = top
    })
  }
}
