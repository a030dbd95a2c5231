/** What is chosen in a list and shown beside it, or over it where there is no room for both: choosing, opening and leaving it. */
import { tick } from 'svelte'

/** A surface narrower than this, in pixels, holds the list or what is chosen in it, not both. */
const ROOM_FOR_BOTH = 960

export class Beside {
  /** Width of the surface in pixels; 0 until it is laid out. */
  room = $state(0)
  /** Width in pixels of what is chosen, where it stands beside. */
  width = $state(0)
  /** The part of the page with the list, and the one with what is chosen. */
  list = $state<HTMLElement>()
  detail = $state<HTMLElement>()
  /** Whether the list was last touched by a pointer: keys that pass over its rows open nothing where there is no room. */
  isByHand = false
  /** The row that the keys stand on while there is no room to show what is in it. */
  #marked = $state<string>()
  readonly #opened: () => string | undefined
  readonly #show: (id: string | undefined) => void
  readonly isNarrow = $derived(this.room > 0 && this.room < ROOM_FOR_BOTH)

  /**
   * @param opened id of what is shown, as the address has it.
   * @param show has another one shown, or none.
   * @param width of what is shown in pixels, until it is moved.
   */
  constructor(opened: () => string | undefined, show: (id: string | undefined) => void, width: number) {
    this.width = width
    this.#opened = opened
    this.#show = show
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
    if (!this.isNarrow || this.isByHand) this.#show(id)
  }

  /** Shows it, and gives its heading the focus. */
  async open(id: string): Promise<void> {
    this.#marked = id
    this.#show(id)
    await tick()
    this.detail?.querySelector<HTMLElement>('h2')?.focus()
  }

  /** Leaves it: the list has the focus, where it was. */
  async close(): Promise<void> {
    this.#marked = this.opened
    this.#show(undefined)
    await tick()
    this.focusList()
  }

  focusList(): void {
    this.list?.querySelector<HTMLElement>('[role=grid]')?.focus()
  }
}
