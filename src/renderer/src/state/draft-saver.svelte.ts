/**
 * Saves what is typed at most 250 ms after the first unsaved change, including changes made while a save is in flight.
 * Saves run one at a time, and the newest content is always saved last. A failed save is reported and retried until it
 * succeeds; nothing is given up while the window is open. The exception is a draft that is gone or in the outbox: it
 * isn't retried automatically, because waiting doesn't help.
 */
import type { Composition } from '../../../shared/composition/composition.ts'
import type { AppError } from '../../../shared/contract/errors.ts'
import type { DraftOffice } from '../../../shared/contract/views.ts'
import { type Api, ofAccount, settled } from '../api.ts'
import type { Clock } from './clock.ts'

export type SavedState = 'untouched' | 'waiting' | 'saving' | 'saved' | 'failed'

export interface PackageToSave {
  composition: Composition
  accountId: string
  /** The draft's id, if it was saved before. */
  id?: string | undefined
  /** Its sharing state as last loaded, if workstations share drafts. */
  office?: DraftOffice | undefined
}

export interface DraftSaverDeps {
  /** Why nothing may be saved now, if so. */
  refusal?: () => AppError | undefined
  /** Called when a save has succeeded or failed. */
  onAttempt?: () => void
}

const SAVE_DELAY = 250
const FIRST_RETRY_DELAY = 2000
const MAX_RETRY_DELAY = 30_000

export class DraftSaver {
  #state = $state<SavedState>('untouched')
  #error = $state.raw<AppError>()
  #savedAt = $state<number>()
  #id = $state<string>()
  #office = $state.raw<DraftOffice>()
  /** The edition of a shared draft that the content is based on. */
  #edition: number | undefined
  /** The id that the draft gets with its first save, even if that is sent several times. */
  #newId: string = crypto.randomUUID()
  #composition: Composition
  #edits = 0
  #savedEdits = 0
  /** How many edits were included in a save, whether or not it arrived. */
  #sentEdits = 0
  /** When the first edit was made that isn't in any save yet. */
  #unsavedSince: number | undefined
  #failures = 0
  #cancelTimer: (() => void) | undefined
  #saving: Promise<boolean> | undefined
  #closed = false
  readonly #api: Api
  readonly #clock: Clock
  readonly #deps: DraftSaverDeps
  /** The draft's account. */
  readonly accountId: string

  constructor(api: Api, clock: Clock, draft: PackageToSave, deps: DraftSaverDeps = {}) {
    this.#api = api
    this.#clock = clock
    this.#composition = draft.composition
    this.#id = draft.id
    this.#office = draft.office
    this.#edition = draft.office?.edition
    this.accountId = draft.accountId
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
  /** The draft's id. Undefined until it is first saved. */
  get id() {
    return this.#id
  }
  /** The draft's id, even before it is first saved. */
  get key(): string {
    return this.#id ?? this.#newId
  }
  /** Its sharing state. Undefined if workstations don't share drafts. */
  get office() {
    return this.#office
  }
  /** The edition of a shared draft that is edited here. */
  get edition(): number | undefined {
    return this.#edition
  }
  /** Whether another workstation's content has replaced what is edited here. */
  get isOutdated(): boolean {
    return this.#office !== undefined && this.#edition !== undefined && this.#office.edition !== this.#edition
  }
  /** The content as of the last change. */
  get composition(): Composition {
    return this.#composition
  }
  get hasUnsavedChanges(): boolean {
    return this.#edits > this.#savedEdits && !this.#closed
  }
  /** Whether retrying can't save the changes: the draft is gone, or in the outbox. */
  get cannotBeSaved(): boolean {
    return this.#error?.code === 'gone' || this.#error?.code === 'busy'
  }
  /** Whether the draft was sent or removed. */
  get closed(): boolean {
    return this.#closed
  }

  /**
   * Records a change. Keystrokes don't restart the pause, so that steady typing is saved too.
   * @param composition a copy of the current package that is never modified afterwards.
   */
  recordEdit(composition: Composition): void {
    this.#composition = composition
    this.#edits++
    this.#unsavedSince ??= this.#clock.now()
    if (this.#closed || this.cannotBeSaved) return
    if (this.#state !== 'failed') this.#state = 'waiting'
    if (!this.#cancelTimer && !this.#saving) this.#saveAfter(SAVE_DELAY)
  }

  /** Saves unsaved changes now. Returns whether everything is saved. */
  async flush(): Promise<boolean> {
    while (this.hasUnsavedChanges) {
      if (this.cannotBeSaved || !(await (this.#saving ?? this.#save()))) return false
    }
    return true
  }

  /** Saves unsaved changes now, even if retrying had ended. Returns whether everything is saved. */
  retry(): Promise<boolean> {
    if (this.cannotBeSaved) this.#error = undefined
    return this.flush()
  }

  /** Saves the content as a new draft, if its own is gone. Returns whether everything is saved. */
  saveAsNew(): Promise<boolean> {
    this.#id = undefined
    this.#edition = undefined
    this.#newId = crypto.randomUUID()
    this.#error = undefined
    this.#edits++
    return this.flush()
  }

  /**
   * Sends unsaved changes without waiting, because the page is going away, even while another save is in flight. The
   * main process handles saves in the order they were sent.
   */
  flushOnExit(): void {
    if (this.#edits > this.#sentEdits && !this.#closed && !this.cannotBeSaved) void this.#saveOnce()
  }

  /** Takes a reloaded sharing state. */
  updateOffice(office: DraftOffice | undefined): void {
    this.#office = office
    this.#edition ??= office?.edition
  }

  /** Replaces the content with what another workstation wrote. Only call this while nothing is unsaved. */
  replaceContent({ composition, office }: Pick<PackageToSave, 'composition' | 'office'>): void {
    this.#composition = composition
    this.#office = office
    this.#edition = office?.edition
    this.#state = 'untouched'
  }

  /** Makes sure that the draft exists, even if nothing was changed. */
  ensureExists(): void {
    if (this.#id === undefined && this.#edits === 0) this.recordEdit(this.#composition)
  }

  /** Stops saving: the draft was sent or removed. */
  close(): void {
    this.#closed = true
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
  }

  /**
   * Resumes saving: a draft thought to be sent is edited after all.
   * @param id the draft's id, which may be a new one.
   */
  reopen(id = this.#id): void {
    if (id !== this.#id) this.#edition = undefined
    this.#id = id
    this.#closed = false
    if (this.hasUnsavedChanges) this.#saveAfter(SAVE_DELAY)
  }

  #saveAfter(milliseconds: number): void {
    this.#cancelTimer?.()
    this.#cancelTimer = this.#clock.after(milliseconds, () => {
      this.#cancelTimer = undefined
      if (this.hasUnsavedChanges) void (this.#saving ?? this.#save())
    })
  }

  #save(): Promise<boolean> {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    this.#saving = this.#saveOnce().finally(() => {
      this.#saving = undefined
      if (!this.hasUnsavedChanges || this.cannotBeSaved || this.#cancelTimer) return
      this.#saveAfter(this.#nextDelay())
    })
    return this.#saving
  }

  /** Returns the milliseconds until the next save. */
  #nextDelay(): number {
    if (this.#failures > 0) return Math.min(MAX_RETRY_DELAY, FIRST_RETRY_DELAY * 2 ** (this.#failures - 1))
    const waited = this.#unsavedSince === undefined ? 0 : this.#clock.now() - this.#unsavedSince
    // If the clock was set back, no time counts as waited.
    return Math.min(SAVE_DELAY, Math.max(0, SAVE_DELAY - waited))
  }

  async #saveOnce(): Promise<boolean> {
    const edits = this.#edits
    this.#unsavedSince = undefined
    this.#sentEdits = edits
    if (this.#state !== 'failed') this.#state = 'saving'
    const result = await this.#send()
    if (!result.ok) {
      // A later save, sent while this one was in flight, may have included everything.
      if (edits > this.#savedEdits) this.#fail(result.error)
      this.#deps.onAttempt?.()
      return edits <= this.#savedEdits
    }
    this.#failures = 0
    this.#error = undefined
    this.#id = result.value.id
    this.updateOffice(result.value.office)
    this.#savedEdits = Math.max(this.#savedEdits, edits)
    this.#savedAt = this.#clock.now()
    this.#state = this.#edits === this.#savedEdits ? 'saved' : 'waiting'
    this.#deps.onAttempt?.()
    return true
  }

  #send() {
    const error = this.#deps.refusal?.()
    if (error) return Promise.resolve({ ok: false as const, error })
    const which = this.#id === undefined ? { newId: this.#newId } : { id: this.#id }
    const edition = this.#edition === undefined ? {} : { edition: this.#edition }
    // The main process may have chosen another account that we don't know of yet.
    const { drafts } = ofAccount(this.#api, this.accountId)
    return settled(drafts.save({ ...which, ...edition, composition: this.#composition }))
  }

  #fail(error: AppError): void {
    this.#failures++
    this.#sentEdits = this.#savedEdits
    this.#state = 'failed'
    this.#error = error
  }
}
