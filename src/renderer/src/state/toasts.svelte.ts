/** What was just done, said for a while, with an action (Undo) where there is one. */
import type { AppError } from '../../../shared/contract/errors.ts'
import type { RequestName } from '../../../shared/contract/requests.ts'
import type { Clock } from './clock.ts'

export interface Toast {
  id: number
  text: string
  kind: 'done' | 'danger'
  /** `takes`: the request that it leads to, which the role of who works here by then may refuse. */
  action?: { label: string; run: () => void; takes?: RequestName }
  about?: string
}

const SHOWN_FOR = 8000

export class Toasts {
  #shown = $state.raw<readonly Toast[]>([])
  #held = false
  #next = 1
  readonly #clock: Clock
  readonly #refusal: (takes: RequestName | undefined) => string | undefined

  /** @param refusal why the role of who works here refuses a request; undefined where it doesn't. */
  constructor(clock: Clock, refusal: (takes: RequestName | undefined) => string | undefined) {
    this.#clock = clock
    this.#refusal = refusal
  }

  get shown() {
    return this.#shown
  }

  /**
   * Says something that was done.
   * @param about what is done again and again, such as marking who arrives: the newest takes the place of the one before, so that they
   *   never pile up over the page.
   */
  say(text: string, action?: Toast['action'], about?: string): void {
    if (about !== undefined) this.forget(about)
    this.#add({
      id: this.#next++,
      text,
      kind: 'done',
      ...(action && { action }),
      ...(about !== undefined && { about })
    })
  }

  /** Says something that failed. */
  warn(text: string, action?: Toast['action']): void {
    this.#add({ id: this.#next++, text, kind: 'danger', ...(action && { action }) })
  }

  /** Says what could not be done, and why. */
  failed(text: string, { message }: AppError): void {
    this.warn(`${text} ${message}`)
  }

  /** Takes back what was done last, where that can be, or says why who works here may not; answers whether there was anything. */
  undo(): boolean {
    const newest = this.#shown.findLast(({ action }) => action?.label === 'Undo')
    if (!newest) return false
    const why = this.#refusal(newest.action?.takes)
    if (why !== undefined) {
      this.warn(why)
      return true
    }
    this.drop(newest.id)
    newest.action?.run()
    return true
  }

  /** What was said about this can't be taken back any more. */
  forget(about: string): void {
    this.#shown = this.#shown.filter((toast) => toast.about !== about)
  }

  drop(id: number): void {
    this.#shown = this.#shown.filter((toast) => toast.id !== id)
  }

  /** Keeps what is shown while someone reads it. */
  hold(): void {
    this.#held = true
  }
  release(): void {
    this.#held = false
  }

  #add(toast: Toast): void {
    this.#shown = [...this.#shown.slice(-2), toast]
    this.#clock.after(SHOWN_FOR, () => this.#fade(toast.id))
  }

  #fade(id: number): void {
    if (!this.#held) {
      this.drop(id)
      return
    }
    this.#clock.after(SHOWN_FOR / 4, () => this.#fade(id))
  }
}
