/** One package of the outbox that is being looked at: how it stands as far as is known, followed as that changes. */
import type { KeptByAnother } from '../../../shared/composition/preset.ts'
import type { AppError, Result } from '../../../shared/contract/errors.ts'
import type { Input } from '../../../shared/contract/requests.ts'
import type { DraftSummary, SendView } from '../../../shared/contract/views.ts'
import { type Api, settled } from '../api.ts'
import { type Clock, coalesced } from './clock.ts'

/** Milliseconds between two readings. */
const PAUSE = 250

/** What a person can do about it. */
export type SendAction = 'now' | 'release' | 'refuse' | 'undo' | 'reconcile' | 'settle' | 'retry' | 'again' | 'another'

export class OpenSend {
  #view = $state.raw<SendView>()
  #knownAt = $state<number>()
  #error = $state.raw<AppError>()
  #doing = $state<SendAction>()
  #trouble = $state.raw<{ action: SendAction; error: AppError }>()
  #begun = 0
  #taken = 0
  #closed = false
  readonly id: string
  readonly #api: Api
  readonly #clock: Clock
  readonly #followUp: () => void

  /** @param known how it stands, where that was answered already. */
  constructor(api: Api, clock: Clock, id: string, known?: SendView) {
    this.id = id
    this.#api = api
    this.#clock = clock
    this.#followUp = coalesced(clock, PAUSE, () => void this.load())
    if (known) {
      this.#view = known
      this.#knownAt = clock.now()
    }
  }

  /** How it stands, as far as is known; stays while a later reading fails. */
  get view() {
    return this.#view
  }
  /** When that was last true. */
  get knownAt() {
    return this.#knownAt
  }
  /** Why how it stands now could not be read. */
  get error() {
    return this.#error
  }
  /** What is being done at this moment. */
  get doing() {
    return this.#doing
  }
  /** What could not be done, and why. */
  get trouble() {
    return this.#trouble
  }

  /** Reads how it stands whenever it changes. Returns a function that stops that. */
  follow(): () => void {
    return this.#api.on('sends.changed', ({ ids }) => {
      if (ids.includes(this.id)) this.#followUp()
    })
  }

  async load(): Promise<void> {
    const mine = ++this.#begun
    const result = await settled(this.#api.sends.get({ id: this.id }))
    if (result.ok) this.#take(mine, result.value)
    else if (mine > this.#taken && !this.#closed) this.#error = result.error
  }

  now(): Promise<void> {
    return this.#change('now', () => this.#api.sends.now({ id: this.id }))
  }
  /** Lets it go that waits for another of staff. */
  release(): Promise<void> {
    return this.#change('release', () => this.#api.sends.release({ id: this.id }))
  }
  /** It stays, for this reason. */
  refuse(reason: string): Promise<void> {
    return this.#change('refuse', () => this.#api.sends.refuse({ id: this.id, reason }))
  }
  reconcile(): Promise<void> {
    return this.#change('reconcile', () => this.#api.sends.reconcile({ id: this.id }))
  }
  retry(): Promise<void> {
    return this.#change('retry', () => this.#api.sends.retry({ id: this.id }))
  }
  /** It arrived as these documents; with none it did not arrive. */
  settle(documents: readonly string[]): Promise<void> {
    const { id } = this
    const input: Input<'sends.settle'> =
      documents.length > 0 ? { id, arrived: true, documents: [...documents] } : { id, arrived: false }
    return this.#change('settle', () => this.#api.sends.settle(input))
  }

  /** Takes it out of the outbox; returns the draft that it is again. */
  async undo(): Promise<DraftSummary | undefined> {
    const draft = await this.#do('undo', () => this.#api.sends.undo({ id: this.id }))
    // It is no send any more: that it can't be read as one is no trouble.
    if (draft) this.#closed = true
    return draft
  }

  /** Makes a draft of it; answers that. */
  again(): Promise<DraftSummary | undefined> {
    return this.#do('again', () => this.#api.sends.again({ id: this.id }))
  }

  /** Makes a draft like it, to other people or to the same; answers that. */
  another(keeps: KeptByAnother): Promise<DraftSummary | undefined> {
    return this.#do('another', () => this.#api.sends.another({ id: this.id, keeps }))
  }

  async #change(action: SendAction, call: () => Promise<Result<SendView>>): Promise<void> {
    const mine = ++this.#begun
    const view = await this.#do(action, call)
    if (view) this.#take(mine, view)
  }

  async #do<Value>(action: SendAction, call: () => Promise<Result<Value>>): Promise<Value | undefined> {
    if (this.#doing) return undefined
    this.#doing = action
    this.#trouble = undefined
    const result = await settled(call())
    // It may have gone on meanwhile, which is why that could not be done.
    if (!result.ok) await this.load()
    this.#doing = undefined
    if (result.ok) return result.value
    this.#trouble = { action, error: result.error }
    return undefined
  }

  /** Takes an answer in, unless one that was asked for later is here already. */
  #take(asked: number, view: SendView): void {
    if (asked < this.#taken || this.#closed) return
    this.#taken = asked
    if (this.#view?.state !== view.state) this.#trouble = undefined
    this.#view = view
    this.#knownAt = this.#clock.now()
    this.#error = undefined
  }
}
