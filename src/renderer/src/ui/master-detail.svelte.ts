/**
 * Which row of a list is open next to it, or on top of it if there isn't room for both: choosing, opening and closing
 * it.
 */
import { tick } from 'svelte'

interface Options {
  /** The id of the open row, as kept by the address or the screen. */
  opened: () => string | undefined
  /** Opens another row, or none. */
  show: (id: string | undefined) => void
  /** The detail's initial width in pixels. */
  width: number
  /** Below this width in pixels, only the list or the detail is shown. */
  roomForBoth?: number
  /** Moving through rows by keyboard also opens them when there isn't room for both, so the list keeps the focus. */
  opensByKeys?: boolean
}

export class MasterDetailState {
  /** The available width in pixels; 0 until laid out. */
  room = $state(0)
  /** The detail's width in pixels when it is next to the list. */
  width = $state(0)
  /** The elements containing the list and the detail. */
  list = $state<HTMLElement>()
  detail = $state<HTMLElement>()
  /** Whether the list was last used with a pointer: when narrow, moving through rows by keyboard doesn't open them. */
  usedPointer = false
  readonly opensByKeys: boolean
  /** Whether the detail is only being peeked at: keys stay with the list. */
  isPeeking = $state(false)
  /** The row selected by keyboard while there is no room to show its detail. */
  #marked = $state<string>()
  readonly #roomForBoth: number
  readonly #opened: () => string | undefined
  readonly #show: (id: string | undefined) => void

  constructor({ opened, show, width, roomForBoth = 960, opensByKeys = false }: Options) {
    this.width = width
    this.opensByKeys = opensByKeys
    this.#roomForBoth = roomForBoth
    this.#opened = opened
    this.#show = show
  }

  get isNarrow(): boolean {
    return this.room > 0 && this.room < this.#roomForBoth
  }
  get opened(): string | undefined {
    return this.#opened()
  }
  /** The row marked in the list. */
  get chosen(): string | undefined {
    return this.isNarrow ? (this.#marked ?? this.opened) : this.opened
  }

  choose(id: string): void {
    this.#marked = id
    if (!this.isNarrow || this.usedPointer || this.opensByKeys || this.isPeeking) this.#show(id)
  }

  /** Shows a row's detail while the list keeps the focus, or closes it if it is open. */
  peek(id: string): void {
    this.isPeeking = this.opened !== id
    this.#marked = id
    this.#show(this.isPeeking ? id : undefined)
  }

  /** Opens a row and focuses its heading. */
  async open(id: string): Promise<void> {
    this.isPeeking = false
    this.#marked = id
    this.#show(id)
    await tick()
    this.detail?.querySelector<HTMLElement>('h2')?.focus()
  }

  /** Closes the detail. The list gets the focus back where it was. */
  async close(): Promise<void> {
    this.isPeeking = false
    this.#marked = this.opened
    this.#show(undefined)
    await tick()
    this.focusList()
  }

  /** Focuses the list or, if it has no rows, `fallback` or the page's heading. */
  focusList(fallback?: HTMLElement | null): void {
    if (!this.focusRows()) (fallback ?? document.querySelector<HTMLElement>('.page h1'))?.focus()
  }

  /** Focuses the list. If it has no rows, leaves the focus alone and returns false. */
  focusRows(): boolean {
    const list = this.list?.querySelector<HTMLElement>('[role=grid], [role=treegrid]')
    list?.focus()
    return !!list
  }
}
