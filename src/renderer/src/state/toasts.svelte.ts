/** Short-lived messages about what was just done, some with an action (Undo). */
import type { AppError } from '../../../shared/contract/errors.ts'
import type { RequestName } from '../../../shared/contract/requests.ts'
import type { Clock } from './clock.ts'

export interface Toast {
  id: number
  text: string
  kind: 'done' | 'danger'
  /** `request`: the request it leads to, which the role of the staff member working here by then may refuse. */
  action?: { label: string; run: () => void; request?: RequestName }
  about?: string
}

const SHOWN_FOR = 8000

export class Toasts {
  #shown = $state.raw<readonly Toast[]>([])
  #isHeld = false
  #next = 1
  readonly #clock: Clock
  readonly #refusal: (request: RequestName | undefined) => string | undefined

  /** @param refusal returns why the staff member's role refuses a request, or undefined if it doesn't. */
  constructor(clock: Clock, refusal: (request: RequestName | undefined) => string | undefined) {
    this.#clock = clock
    this.#refusal = refusal
  }

  get shown() {
    return this.#shown
  }

  /**
   * Reports something that was done.
   * @param about identifies actions that repeat often, such as marking arrivals: the newest message replaces the one
   * before, so that they don't pile up over the page.
   */
  say(text: string, action?: Toast['action'], about?: string): void {
    if (about !== undefined) this.dismissAbout(about)
    this.#add({
      id: this.#next++,
      text,
      kind: 'done',
      ...(action && { action }),
      ...(about !== undefined && { about })
    })
  }

  /** Reports a failure. */
  warn(text: string, action?: Toast['action']): void {
    this.#add({ id: this.#next++, text, kind: 'danger', ...(action && { action }) })
  }

  /** Reports what failed, and why. */
  showError(text: string, { message }: AppError): void {
    this.warn(`${text} ${message}`)
  }

  /**
   * Undoes the last action if possible, or says why the staff member may not. Returns whether there was anything to
   * undo.
   */
  undo(): boolean {
    const newest = this.#shown.findLast(({ action }) => action?.label === 'Undo')
    if (!newest) return false
    const why = this.#refusal(newest.action?.request)
    if (why !== undefined) {
      this.warn(why)
      return true
    }
    this.dismiss(newest.id)
    newest.action?.run()
    return true
  }

  /** Removes the messages about this, because it can't be undone any more. */
  dismissAbout(about: string): void {
    this.#shown = this.#shown.filter((toast) => toast.about !== about)
  }

  /** Removes the messages with an action, because it would act in another account now. */
  dismissActions(): void {
    this.#shown = this.#shown.filter(({ action }) => action === undefined)
  }

  dismiss(id: number): void {
    this.#shown = this.#shown.filter((toast) => toast.id !== id)
  }

  /** Keeps messages visible while someone reads them. */
  hold(): void {
    this.#isHeld = true
  }
  release(): void {
    this.#isHeld = false
  }

  #add(toast: Toast): void {
    this.#shown = [...this.#shown.slice(-2), toast]
    this.#clock.after(SHOWN_FOR, () => this.#fade(toast.id))
  }

  #fade(id: number): void {
    if (!this.#isHeld) {
      this.dismiss(id)
      return
    }
    this.#clock.after(SHOWN_FOR / 4, () => this.#fade(id))
  }
}
