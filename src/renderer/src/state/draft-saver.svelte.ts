/**
 * Keeps what is typed: saved at most 250 ms after the first unsaved change, also where that came while a save was on its
 * way; one save at a time, the newest always last.
 * A save that fails is said and tried again until it succeeds; nothing is given up while the window is open. Only a draft
 * that is gone, or with the outbox, is not tried again by itself: waiting doesn't help there.
 */
import type { Composition } from '../../../shared/composition/composition.ts'
import type { AppError } from '../../../shared/contract/errors.ts'
import type { DraftOffice } from '../../../shared/contract/views.ts'
import { type Api, settled } from '../api.ts'
import type { Clock } from './clock.ts'

export type SavedState = 'untouched' | 'waiting' | 'saving' | 'saved' | 'failed'

/** The package that is kept, and whose it is. */
export interface SavedPackage {
  composition: Composition
  accountId: string
  /** The draft's, where it was saved before. */
  id?: string | undefined
  /** How it stands where workstations share drafts, as it was read. */
  office?: DraftOffice | undefined
}

export interface DraftSaverDeps {
  /** Why nothing may be saved at this moment, where that is so. */
  refusal?: () => AppError | undefined
  /** A save has succeeded or failed. */
  answered?: () => void
}

const PAUSE = 250
const FIRST_RETRY = 2000
const LAST_RETRY = 30_000

export class DraftSaver {
  #state = $state<SavedState>('untouched')
  #error = $state.raw<AppError>()
  #savedAt = $state<number>()
  #id = $state<string>()
  #office = $state.raw<DraftOffice>()
  /** Which edition of a shared draft it goes on from. */
  #edition: number | undefined
  /** What the draft's id becomes with its first save, however often that is sent. */
  #newId: string = crypto.randomUUID()
  #composition: Composition
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
  readonly #deps: DraftSaverDeps
  /** The account that the draft belongs to. */
  readonly accountId: string

  constructor(api: Api, clock: Clock, kept: SavedPackage, deps: DraftSaverDeps = {}) {
    this.#api = api
    this.#clock = clock
    this.#composition = kept.composition
    this.#id = kept.id
    this.#office = kept.office
    this.#edition = kept.office?.edition
    this.accountId = kept.accountId
    this.#deps = deps
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
  /** The draft's id, also before it has it. */
  get key(): string {
    return this.#id ?? this.#newId
  }
  /** How it stands where workstations share drafts; undefined where none are shared. */
  get office() {
    return this.#office
  }
  /** Whether another workstation's content has taken the place of what is kept here. */
  get isOutdated(): boolean {
    return this.#office !== undefined && this.#edition !== undefined && this.#office.edition !== this.#edition
  }
  /** What is kept, as it was when it was last changed. */
  get composition(): Composition {
    return this.#composition
  }
  /** Whether something was typed that is not saved yet. */
  get unsaved(): boolean {
    return this.#edits > this.#kept && !this.#closed
  }
  /** Whether what is unsaved can't be saved by trying again: the draft is gone, or with the outbox. */
  get ended(): boolean {
    return this.#error?.code === 'gone' || this.#error?.code === 'busy'
  }
  /** Whether the draft was sent. */
  get closed(): boolean {
    return this.#closed
  }

  /**
   * Something was changed. The pause isn't started again by each key, so that steady typing is saved too.
   * @param composition a copy of the package as it is now, which nobody changes any more.
   */
  edited(composition: Composition): void {
    this.#composition = composition
    this.#edits++
    this.#since ??= this.#clock.now()
    if (this.#closed || this.ended) return
    if (this.#state !== 'failed') this.#state = 'waiting'
    if (!this.#cancelTimer && !this.#saving) this.#saveAfter(PAUSE)
  }

  /** Saves now what isn't saved yet. Returns whether all of it is kept. */
  async flush(): Promise<boolean> {
    while (this.unsaved) {
      if (this.ended || !(await (this.#saving ?? this.#save()))) return false
    }
    return true
  }

  /** Saves now what isn't saved yet, also where trying again was given up. Returns whether all of it is kept. */
  tryAgain(): Promise<boolean> {
    if (this.ended) this.#error = undefined
    return this.flush()
  }

  /** Keeps it as another draft, where the one that it was is gone. Returns whether all of it is kept. */
  keepAsNew(): Promise<boolean> {
    this.#id = undefined
    this.#edition = undefined
    this.#newId = crypto.randomUUID()
    this.#error = undefined
    this.#edits++
    return this.flush()
  }

  /**
   * The page is going away: sends off what isn't saved yet without waiting, also beside a save that is on its way. The
   * main process takes them in the order in which they were sent.
   */
  leave(): void {
    if (this.#edits > this.#takenAlong && !this.#closed && !this.ended) void this.#saveOnce()
  }

  /** How it stands with the office was read again. */
  stands(office: DraftOffice | undefined): void {
    this.#office = office
    this.#edition ??= office?.edition
  }

  /** What another workstation wrote takes the place of what is kept. Only while nothing is unsaved. */
  follow({ composition, office }: Pick<SavedPackage, 'composition' | 'office'>): void {
    this.#composition = composition
    this.#office = office
    this.#edition = office?.edition
    this.#state = 'untouched'
  }

  /** Makes sure that there is a draft, also of what was never changed. */
  keepAtLeastOnce(): void {
    if (this.#id === undefined && this.#edits === 0) this.edited(this.#composition)
  }

  /** Saves nothing any more: the draft was sent or removed. */
  close(): void {
    this.#closed = true
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
  }

  /**
   * Saves again: what was thought sent is to be worked on after all.
   * @param id the draft's, where it may be another one now.
   */
  reopen(id = this.#id): void {
    if (id !== this.#id) this.#edition = undefined
    this.#id = id
    this.#closed = false
    if (this.unsaved) this.#saveAfter(PAUSE)
  }

  #saveAfter(milliseconds: number): void {
    this.#cancelTimer?.()
    this.#cancelTimer = this.#clock.after(milliseconds, () => {
      this.#cancelTimer = undefined
      if (this.unsaved) void (this.#saving ?? this.#save())
    })
  }

  #save(): Promise<boolean> {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    this.#saving = this.#saveOnce().finally(() => {
      this.#saving = undefined
      if (!this.unsaved || this.ended || this.#cancelTimer) return
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
    const result = await this.#send()
    if (!result.ok) {
      // A later save, sent off beside this one, may have taken all of it along.
      if (edits > this.#kept) this.#fail(result.error)
      this.#deps.answered?.()
      return edits <= this.#kept
    }
    this.#failures = 0
    this.#error = undefined
    this.#id = result.value.id
    this.stands(result.value.office)
    this.#kept = Math.max(this.#kept, edits)
    this.#savedAt = this.#clock.now()
    this.#state = this.#edits === this.#kept ? 'saved' : 'waiting'
    this.#deps.answered?.()
    return true
  }

  #send() {
    const error = this.#deps.refusal?.()
    if (error) return Promise.resolve({ ok: false as const, error })
    const which = this.#id === undefined ? { newId: this.#newId } : { id: this.#id }
    const edition = this.#edition === undefined ? {} : { edition: this.#edition }
    return settled(this.#api.drafts.save({ ...which, ...edition, composition: this.#composition }))
  }

  #fail(error: AppError): void {
    this.#failures++
    this.#takenAlong = this.#kept
    this.#state = 'failed'
    this.#error = error
  }
}
