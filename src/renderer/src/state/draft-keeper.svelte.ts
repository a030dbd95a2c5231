/**
 * Keeps what is typed: saved at most 250 ms after the first unsaved change, also where that came while a save was on its
 * way; one save at a time, the newest always last.
 * A save that fails is said and tried again until it succeeds; nothing is given up while the window is open.
 */
import type { Composition } from '../../../shared/composition/composition.ts'
import type { AppError } from '../../../shared/contract/errors.ts'
import { type Api, settled } from '../api.ts'
import type { Clock } from './clock.ts'

export type KeptState = 'untouched' | 'waiting' | 'saving' | 'saved' | 'failed'

const PAUSE = 250
const FIRST_RETRY = 2000
const LAST_RETRY = 30_000

export class DraftKeeper {
  #state = $state<KeptState>('untouched')
  #error = $state.raw<AppError>()
  #savedAt = $state<number>()
  #id = $state<string>()
  #edits = 0
  #kept = 0
  /** How many of the edits some save has taken along, arrived or not. */
  #takenAlong = 0
  /** When the first change came that no save has taken along yet. */
  #since: number | undefined
  #failures = 0
  #cancelTimer: (() => void) | undefined
  #saving: Promise<boolean> | undefined
  #closed = false
  readonly #api: Api
  readonly #clock: Clock
  readonly #read: () => Composition

  /**
   * @param read answers a copy of what is to be kept, as it is now.
   * @param id the draft's, where it was saved before.
   */
  constructor(api: Api, clock: Clock, read: () => Composition, id?: string) {
    this.#api = api
    this.#clock = clock
    this.#read = read
    this.#id = id
  }

  get state() {
    return this.#state
  }
  get error() {
    return this.#error
  }
  get savedAt() {
    return this.#savedAt
  }
  /** The draft's id, once it has one. */
  get id() {
    return this.#id
  }

  /** Something was changed. The pause isn't begun anew by each key, so that steady typing is saved too. */
  edited(): void {
    this.#edits++
    this.#since ??= this.#clock.now()
    if (this.#closed) return
    if (this.#state !== 'failed') this.#state = 'waiting'
    if (!this.#cancelTimer && !this.#saving) this.#saveAfter(PAUSE)
  }

  /** Saves now what isn't saved yet. Answers whether all of it is kept. */
  async flush(): Promise<boolean> {
    while (this.#edits > this.#kept && !this.#closed) {
      if (!(await (this.#saving ?? this.#save()))) return false
    }
    return true
  }

  /**
   * The page is going away: sends off what isn't saved yet without waiting, also beside a save that is on its way. The
   * main process takes them in the order in which they were sent.
   */
  leave(): void {
    if (this.#edits > this.#takenAlong && !this.#closed) void this.#saveOnce()
  }

  /** Makes sure that there is a draft, also of what was never changed. */
  keepAtLeastOnce(): void {
    if (this.#id === undefined && this.#edits === 0) this.edited()
  }

  /** Saves nothing any more: the draft was sent or removed. */
  close(): void {
    this.#closed = true
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
  }

  /** Saves again: what was thought sent is to be worked on after all. */
  reopen(): void {
    this.#closed = false
    if (this.#edits > this.#kept) this.#saveAfter(PAUSE)
  }

  #saveAfter(milliseconds: number): void {
    this.#cancelTimer?.()
    this.#cancelTimer = this.#clock.after(milliseconds, () => {
      this.#cancelTimer = undefined
      void (this.#saving ?? this.#save())
    })
  }

  #save(): Promise<boolean> {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    this.#saving = this.#saveOnce().finally(() => {
      this.#saving = undefined
      if (this.#closed || this.#edits === this.#kept || this.#cancelTimer) return
      this.#saveAfter(this.#pause())
    })
    return this.#saving
  }

  /** Milliseconds until the next save. */
  #pause(): number {
    if (this.#failures > 0) return Math.min(LAST_RETRY, FIRST_RETRY * 2 ** (this.#failures - 1))
    const waited = this.#since === undefined ? 0 : this.#clock.now() - this.#since
    // A clock that was put back counts as no time waited.
    return Math.min(PAUSE, Math.max(0, PAUSE - waited))
  }

  async #saveOnce(): Promise<boolean> {
    const edits = this.#edits
    this.#since = undefined
    this.#takenAlong = edits
    if (this.#state !== 'failed') this.#state = 'saving'
    const id = this.#id
    const result = await settled(this.#api.drafts.save({ ...(id && { id }), composition: this.#read() }))
    if (!result.ok) {
      this.#failures++
      this.#takenAlong = this.#kept
      this.#state = 'failed'
      this.#error = result.error
      return false
    }
    this.#failures = 0
    this.#error = undefined
    this.#id = result.value.id
    this.#kept = Math.max(this.#kept, edits)
    this.#savedAt = this.#clock.now()
    this.#state = this.#edits === edits ? 'saved' : 'waiting'
    return true
  }
}
