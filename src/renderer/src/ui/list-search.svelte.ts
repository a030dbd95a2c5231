/** A list's search text: what is typed, and when the search runs. */
import type { Clock } from '../state/clock.ts'

export class ListSearch {
  typed = $state('')
  field = $state<HTMLInputElement>()
  #cancel: (() => void) | undefined
  readonly #clock: Clock
  readonly #find: (words: string) => void
  readonly #delay: number

  /**
   * @param find searches for the words, or shows everything if there are none.
   * @param delay milliseconds without a keystroke before the search runs.
   */
  constructor(clock: Clock, find: (words: string) => void, delay = 200) {
    this.#clock = clock
    this.#find = find
    this.#delay = delay
  }

  /** Whether typed text hasn't been searched for yet. */
  get isTyping(): boolean {
    return this.#cancel !== undefined
  }

  readonly handleInput = (): void => {
    this.stop()
    this.#cancel = this.#clock.after(this.#delay, () => {
      this.#cancel = undefined
      this.#find(this.typed.trim())
    })
  }

  /** Shows the words being searched for, for example when the address has changed. */
  setText(words: string): void {
    if (this.typed.trim() !== words) this.typed = words
  }

  /** Cancels the pending search. */
  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  clear(): void {
    this.stop()
    this.typed = ''
    this.#find('')
  }

  focus(): void {
    this.field?.focus()
    this.field?.select()
  }
}
