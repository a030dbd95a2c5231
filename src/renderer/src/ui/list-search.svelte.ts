/** The words that a list is searched by: what is typed, and when that is looked for. */
import type { Clock } from '../state/clock.ts'

export class ListSearch {
  typed = $state('')
  field = $state<HTMLInputElement>()
  #cancel: (() => void) | undefined
  readonly #clock: Clock
  readonly #find: (words: string) => void
  readonly #pause: number

  /**
   * @param find looks for words, or for everything without any.
   * @param pause milliseconds without a key until that is done.
   */
  constructor(clock: Clock, find: (words: string) => void, pause = 200) {
    this.#clock = clock
    this.#find = find
    this.#pause = pause
  }

  /** Whether something was typed that has not been looked for yet. */
  get isTyping(): boolean {
    return this.#cancel !== undefined
  }

  /** A key was pressed. */
  readonly typing = (): void => {
    this.stop()
    this.#cancel = this.#clock.after(this.#pause, () => {
      this.#cancel = undefined
      this.#find(this.typed.trim())
    })
  }

  /** Shows the words that are searched for, as when the address says others. */
  take(words: string): void {
    if (this.typed.trim() !== words) this.typed = words
  }

  /** Looks for nothing more of what was typed. */
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
