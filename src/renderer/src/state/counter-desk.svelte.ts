/**
 * The counter: who can sign here, whose turn it is, and what became of it. Only what the service answered at the end
 * is ever called signed; the signing page itself decides nothing.
 */
import type { AppError, Result } from '../../../shared/contract/errors.ts'
import type { Input } from '../../../shared/contract/requests.ts'
import type { CounterEntry, CounterOutcome, CounterState } from '../../../shared/contract/views.ts'
import type { Api } from '../api.ts'
import { settled } from '../api.ts'
import { Action } from './action.svelte.ts'
import { Resource } from './resource.svelte.ts'

export type Bounds = Input<'counter.show'>['bounds']

/**
 * queue: nobody signs. handover: the screen goes to the person. page: the signing page is in its place. covered: it is
 * behind our cover. failed: it can't be shown. asking: the service is being asked. outcome: it has answered.
 */
export type Stage = 'queue' | 'handover' | 'page' | 'covered' | 'failed' | 'asking' | 'outcome'

/** Why the page is covered: what the person asked for. */
export type Pause = 'moment' | 'help' | 'finish' | 'stop'

/** Whether any folder is known as the service has it, and why not. */
export interface FoldersStand {
  isRead: boolean
  problem?: AppError
}

export class CounterDesk {
  readonly #api: Api
  readonly queue: Resource<CounterEntry[]>
  /** How far the documents behind the queue are known; read while it is empty. */
  readonly folders: Resource<FoldersStand>
  readonly refreshing = new Action<null>()
  #turn = $state.raw<CounterState | null>(null)
  #entry = $state.raw<CounterEntry>()
  #begun = $state(false)
  #hidden = $state(false)
  #pause = $state<Pause>('moment')
  #ending = $state(false)
  #outcome = $state.raw<CounterOutcome>()
  #starting = $state.raw<CounterEntry>()
  #error = $state.raw<AppError>()
  #known = $state(false)
  #ended = new Set<string>()
  #showing = false
  #resuming = false
  #retrying = $state(false)
  #next: Bounds | undefined

  constructor(api: Api) {
    this.#api = api
    this.queue = new Resource(() => api.counter.queue())
    this.folders = new Resource(() => standOf(api))
  }

  /** The turn that runs, or the one whose outcome is shown. */
  get turn() {
    return this.#turn
  }
  get outcome() {
    return this.#outcome
  }
  get pause() {
    return this.#pause
  }
  /** The entry whose turn is being prepared. */
  get starting() {
    return this.#starting
  }
  /** Why a turn could not begin. */
  get error() {
    return this.#error
  }
  /** Whether it is known if somebody signs now. */
  get known() {
    return this.#known
  }

  get stage(): Stage {
    if (!this.#turn) return 'queue'
    if (this.#retrying) return 'asking'
    if (this.#outcome) return 'outcome'
    if (this.#ending || this.#turn.phase === 'returned') return 'asking'
    if (this.#turn.phase === 'failed') return 'failed'
    if (!this.#begun && this.#turn.phase === 'handover') return 'handover'
    return this.#hidden ? 'covered' : 'page'
  }

  /** Who can sign the same document after the one whose turn it was. */
  get nextSigner(): CounterEntry | undefined {
    const turn = this.#turn
    if (!turn) return undefined
    return this.queue.value?.find(
      (entry) => entry.documentReference === turn.documentReference && !this.#isOf(turn, entry)
    )
  }

  /** Takes up a turn that is under way, as after leaving this screen. */
  async load(): Promise<void> {
    await Promise.all([this.readQueue(), this.follow()])
    this.#known = true
    // An outcome that was shown before this screen was made is shown no more.
    if (!this.#turn) this.#giveBack()
  }

  /** Reads who can sign. That nobody can is worth saying only where the documents could be read. */
  async readQueue(): Promise<void> {
    await this.queue.load()
    if (this.queue.value?.length === 0) void this.folders.load()
  }

  /** Has the documents read from the service, then the queue. */
  async refresh(): Promise<void> {
    await this.refreshing.run(() => this.#api.documents.refresh())
    await this.readQueue()
  }

  /** Reads the running turn again. */
  async follow(): Promise<void> {
    const result = await settled(this.#api.counter.state())
    if (!result.ok || this.#ending || this.#outcome) return
    const state = result.value
    if (!state) {
      // Over without us: the account was changed, or the application is closing.
      this.#forget()
      return
    }
    if (this.#ended.has(state.id)) return
    const isNew = state.id !== this.#turn?.id
    this.#turn = state
    if (isNew) this.#begun = state.phase !== 'handover'
    if (state.phase === 'covered' && !this.#showing && !this.#resuming) this.#hidden = true
    if (state.phase === 'returned') await this.end()
  }

  /** Prepares a signer's turn; the screen is then to be handed over. */
  async start(entry: CounterEntry): Promise<void> {
    if (this.#starting) return
    this.#starting = entry
    this.#error = undefined
    const { documentReference, signer } = entry
    const result = await settled(this.#api.counter.start({ documentReference, signer }))
    this.#starting = undefined
    if (!result.ok) {
      this.#error = result.error
      await this.readQueue()
      return
    }
    this.#forget()
    this.#entry = entry
    this.#turn = result.value
  }

  /** The person has the screen: the page is shown as soon as its place is known. */
  begin(): void {
    this.#begun = true
    this.resume()
  }

  /**
   * Tells where the page's place is. Calls never overlap: while one is under way only the newest place waits.
   * @param bounds in CSS pixels of our window.
   */
  async place(bounds: Bounds): Promise<void> {
    this.#next = bounds
    if (this.#showing) return
    this.#showing = true
    while (this.#next && this.#turn && this.stage === 'page') {
      const { id } = this.#turn
      const now = this.#next
      this.#next = undefined
      const result = await settled(this.#api.counter.show({ id, bounds: now }))
      if (this.#turn?.id !== id) break
      if (result.ok) this.#adopt(result.value)
      else this.#turn = { ...this.#turn, phase: 'failed', error: result.error }
    }
    this.#next = undefined
    this.#showing = false
    this.#resuming = false
    // What was asked for while a call was under way may be the opposite of it.
    if (this.#hidden && this.#turn) await this.#cover(this.#turn.id)
  }

  /** Hides the page behind our cover. */
  async hide(why: Pause): Promise<void> {
    const turn = this.#turn
    if (!turn) return
    this.#pause = why
    this.#hidden = true
    await this.#cover(turn.id)
  }

  /** Brings the page back; its place says where, as soon as it is there. */
  resume(): void {
    // Until the page is asked for, what is read of it still says that it is covered.
    this.#resuming = true
    this.#hidden = false
  }

  /** Closes the page and asks the service what became of it. Once for each turn, whoever asks. */
  async end(): Promise<void> {
    const turn = this.#turn
    if (!turn || this.#ended.has(turn.id)) return
    this.#ended.add(turn.id)
    this.#ending = true
    const result = await settled(this.#api.counter.end({ id: turn.id }))
    await this.readQueue()
    this.#ending = false
    this.#outcome = result.ok ? result.value : { signed: 'unknown', error: result.error }
  }

  /** Takes the screen back before anything was shown. */
  async takeBack(): Promise<void> {
    const turn = this.#turn
    if (!turn) return
    this.#ended.add(turn.id)
    this.#forget()
    await settled(this.#api.counter.end({ id: turn.id }))
    this.#giveBack()
    await this.readQueue()
  }

  /** After a failure: closes the page and, where the service says that it is still to sign, opens it anew. */
  async tryAgain(): Promise<void> {
    const turn = this.#turn
    const entry = this.#entry ?? this.queue.value?.find((one) => turn && this.#isOf(turn, one))
    this.#retrying = true
    await this.end()
    const { signed } = this.#outcome ?? {}
    if (entry && signed !== 'signed' && signed !== 'declined') {
      await this.start(entry)
      if (!this.#error) this.begin()
    }
    this.#retrying = false
  }

  /** Back to the queue: the clerk has the screen again. */
  leave(): void {
    this.#forget()
    this.#error = undefined
    this.#giveBack()
  }

  /** Until this is known, nothing of the office is told on this screen. A turn that lasts goes on. */
  #giveBack(): void {
    void settled(this.#api.counter.leave())
  }

  #isOf(turn: CounterState, entry: CounterEntry): boolean {
    if (entry.documentReference !== turn.documentReference) return false
    return this.#entry ? entry.signer === this.#entry.signer : entry.signerName === turn.signerName
  }

  #adopt(state: CounterState): void {
    if (this.#ended.has(state.id)) return
    this.#turn = state
    if (state.phase === 'returned') void this.end()
  }

  async #cover(id: string): Promise<void> {
    const result = await settled(this.#api.counter.cover({ id }))
    if (result.ok && this.#turn?.id === id) this.#adopt(result.value)
  }

  #forget(): void {
    this.#turn = null
    this.#entry = undefined
    this.#outcome = undefined
    this.#begun = false
    this.#hidden = false
    this.#resuming = false
    this.#next = undefined
  }
}

async function standOf(api: Api): Promise<Result<FoldersStand>> {
  const list = await settled(api.documents.list({ query: {}, offset: 0, limit: 1 }))
  const problem = list.ok ? list.value.problem : list.error
  const isRead = list.ok && list.value.lookedAt !== undefined && !problem
  return { ok: true, value: { isRead, ...(problem && { problem }) } }
}
