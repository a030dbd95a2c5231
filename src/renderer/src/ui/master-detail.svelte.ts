/** Which row of a list is open beside it, or over it where there is no room for both: choosing, opening and leaving it. */
import { tick } from 'svelte'

interface Options {
  /** Id of what is open, as the address or the screen has it. */
  opened: () => string | undefined
  /** Opens another one, or none. */
  show: (id: string | undefined) => void
  /** Width in pixels of what is open, until it is moved. */
  width: number
  /** A surface narrower than this, in pixels, holds the list or what is open, not both. */
  roomForBoth?: number
  /** Keys that pass over the rows open them also where there is no room for both, and so the list keeps the focus. */
  opensByKeys?: boolean
}

export class MasterDetailState {
  /** Width of the surface in pixels; 0 until it is laid out. */
  room = $state(0)
  /** Width in pixels of what is open, where it stands beside. */
  width = $state(0)
  /** The part of the page with the list, and the one with what is open. */
  list = $state<HTMLElement>()
  detail = $state<HTMLElement>()
  /** Whether the list was last touched by a pointer: keys that pass over its rows open nothing where there is no room. */
  isByHand = false
  readonly opensByKeys: boolean
  /** What is open is only looked into: the keys stay in the list. */
  isPeeking = $state(false)
  /** The row that the keys stand on while there is no room to show what is in it. */
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
  /** The row that is marked in the list. */
  get chosen(): string | undefined {
    return this.isNarrow ? (this.#marked ?? this.opened) : this.opened
  }

  choose(id: string): void {
    this.#marked = id
    if (!this.isNarrow || this.isByHand || this.opensByKeys || this.isPeeking) this.#show(id)
  }

  /** Shows it while the list keeps the keys, or leaves it where it is shown. */
  peek(id: string): void {
    this.isPeeking = this.opened !== id
    this.#marked = id
    this.#show(this.isPeeking ? id : undefined)
  }

  /** Shows it, and gives its heading the focus. */
  async open(id: string): Promise<void> {
    this.isPeeking = false
    this.#marked = id
    this.#show(id)
    await tick()
    this.detail?.querySelector<HTMLElement>('h2')?.focus()
  }

  /** Leaves it: the list has the focus, where it was. */
  async close(): Promise<void> {
    this.isPeeking = false
    this.#marked = this.opened
    this.#show(undefined)
    await tick()
    this.focusList()
  }

  /** Without rows there is no list to have the focus: `otherwise` has it, or the heading. */
  focusList(otherwise?: HTMLElement | null): void {
    if (!this.focusRows()) (otherwise ?? document.querySelector<HTMLElement>('.page h1'))?.focus()
  }

  /** Without rows the focus stays where it is; false then. */
  focusRows(): boolean {
    const list = this.list?.querySelector<HTMLElement>('[role=grid], [role=treegrid]')
    list?.focus()
    return !!list
  }
}
