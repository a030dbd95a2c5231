/** The send being viewed: its last known state, kept up to date. */
import type { KeptByAnother } from '../../../shared/composition/preset.ts'
import type { AppError, Result } from '../../../shared/contract/errors.ts'
import type { Input } from '../../../shared/contract/requests.ts'
import type { DraftSummary, SendView } from '../../../shared/contract/views.ts'
import { type Api, settled } from '../api.ts'
import { type Clock, throttled } from './clock.ts'

/** Minimum milliseconds between reloads. */
const RELOAD_INTERVAL = 250

export type SendAction =
  | 'now'
  | 'reschedule'
  | 'release'
  | 'refuse'
  | 'undo'
  | 'reconcile'
  | 'resolve'
  | 'retry'
  | 'toDraft'
  | 'duplicate'

export class OpenSend {
  #view = $state.raw<SendView>()
  #loadedAt = $state<number>()
  #error = $state.raw<AppError>()
  #pendingAction = $state<SendAction>()
  #failure = $state.raw<{ action: SendAction; error: AppError }>()
  #newestRequest = 0
  #newestApplied = 0
  #closed = false
  readonly id: string
  readonly #api: Api
  readonly #clock: Clock
  readonly #scheduleReload: () => void

  /** @param known its state, if already loaded. */
  constructor(api: Api, clock: Clock, id: string, known?: SendView) {
    this.id = id
    this.#api = api
    this.#clock = clock
    this.#scheduleReload = throttled(clock, RELOAD_INTERVAL, () => void this.load())
    if (known) {
      this.#view = known
      this.#loadedAt = clock.now()
    }
  }

  /** The last known state, kept if a later load fails. */
  get view() {
    return this.#view
  }
  /** When that state was current. */
  get loadedAt() {
    return this.#loadedAt
  }
  /** Why the current state couldn't be loaded. */
  get error() {
    return this.#error
  }
  get pendingAction() {
    return this.#pendingAction
  }
  /** The action that failed, and why. */
  get failure() {
    return this.#failure
  }

  /** Reloads the send whenever it changes. Returns a function that stops that. */
  follow(): () => void {
    return this.#api.on('sends.changed', ({ ids }) => {
      if (ids.includes(this.id)) this.#scheduleReload()
    })
  }

  async load(): Promise<void> {
    const mine = ++this.#newestRequest
    const result = await settled(this.#api.sends.get({ id: this.id }))
    if (result.ok) this.#apply(mine, result.value)
    else if (mine > this.#newestApplied && !this.#closed) this.#error = result.error
  }

  sendNow(): Promise<void> {
    return this.#change('now', () => this.#api.sends.now({ id: this.id }))
  }
  /** Changes when a send that waits for its time leaves. @param at in milliseconds since 1970 UTC. */
  reschedule(at: number): Promise<void> {
    return this.#change('reschedule', () => this.#api.sends.reschedule({ id: this.id, at }))
  }
  /** Releases a send that waits for approval by another staff member. */
  release(): Promise<void> {
    return this.#change('release', () => this.#api.sends.release({ id: this.id }))
  }
  /** Refuses that approval, with a reason: the send stays in the outbox. */
  refuse(reason: string): Promise<void> {
    return this.#change('refuse', () => this.#api.sends.refuse({ id: this.id, reason }))
  }
  reconcile(): Promise<void> {
    return this.#change('reconcile', () => this.#api.sends.reconcile({ id: this.id }))
  }
  retry(): Promise<void> {
    return this.#change('retry', () => this.#api.sends.retry({ id: this.id }))
  }
  /** Settles an uncertain send: it arrived as these documents, or without known ones. */
  resolve(documents: readonly string[]): Promise<void> {
    return this.#resolve({ id: this.id, arrived: true, documents: [...documents] })
  }
  /** Settles an uncertain send: it didn't arrive. */
  resolveAsMissing(): Promise<void> {
    return this.#resolve({ id: this.id, arrived: false })
  }
  #resolve(input: Input<'sends.resolve'>): Promise<void> {
    return this.#change('resolve', () => this.#api.sends.resolve(input))
  }

  /** Takes it out of the outbox. Returns the draft it becomes again. */
  async undo(): Promise<DraftSummary | undefined> {
    const draft = await this.#do('undo', () => this.#api.sends.undo({ id: this.id }))
    // It is no longer a send, so failing to load it as one isn't an error.
    if (draft) this.#closed = true
    return draft
  }

  makeDraft(): Promise<DraftSummary | undefined> {
    return this.#do('toDraft', () => this.#api.sends.toDraft({ id: this.id }))
  }

  /** Creates a draft like it, for the same people or others, and returns it. */
  makeSimilarDraft(keeps: KeptByAnother): Promise<DraftSummary | undefined> {
    return this.#do('duplicate', () => this.#api.sends.duplicate({ id: this.id, keeps }))
  }

  async #change(action: SendAction, call: () => Promise<Result<SendView>>): Promise<void> {
    const mine = ++this.#newestRequest
    const view = await this.#do(action, call)
    if (view) this.#apply(mine, view)
  }

  async #do<Value>(action: SendAction, call: () => Promise<Result<Value>>): Promise<Value | undefined> {
    if (this.#pendingAction) return undefined
    this.#pendingAction = action
    this.#failure = undefined
    const result = await settled(call())
    // The state may have changed meanwhile, which would explain the failure.
    if (!result.ok) await this.load()
    this.#pendingAction = undefined
    if (result.ok) return result.value
    this.#failure = { action, error: result.error }
    return undefined
  }

  /** Takes an answer, unless that of a later request has already arrived. */
  #apply(request: number, view: SendView): void {
    if (request < this.#newestApplied || this.#closed) return
    this.#newestApplied = request
    if (this.#view?.state !== view.state) this.#failure = undefined
    this.#view = view
    this.#loadedAt = this.#clock.now()
    this.#error = undefined
  }
}
