/** Sending one draft: kept first, put in the outbox, and followed there until what became of it is known. */
import type { AppError } from '../../../../../shared/contract/errors.ts'
import type { SameSend } from '../../../../../shared/contract/views.ts'
import { type Api, settled } from '../../../api.ts'
import type { Clock } from '../../../state/clock.ts'
import type { DraftSaver } from '../../../state/draft-saver.svelte.ts'
import { OpenSend } from '../../../state/open-send.svelte.ts'

const SENT_BEFORE: AppError = {
  code: 'conflict',
  message: 'The same package for the same people is in the Outbox already.',
  next: 'Open it and send it again if you mean to.'
}

export class Sending {
  #busy = $state(false)
  #sent = $state.raw<OpenSend>()
  #error = $state.raw<AppError>()
  #same = $state.raw<SameSend & { goesAt: number | 'now' | undefined }>()
  #stop: (() => void) | undefined
  /** Told why it was not put in the outbox, once nobody looks here any more. */
  #left: ((error: AppError) => void) | undefined
  readonly #api: Api
  readonly #clock: Clock

  constructor(api: Api, clock: Clock) {
    this.#api = api
    this.#clock = clock
  }

  /** Being kept and put in the outbox at this moment. */
  get busy() {
    return this.#busy
  }
  /** The package in the outbox, once it is there. */
  get sent() {
    return this.#sent
  }
  /** How it stands, as far as is known. */
  get view() {
    return this.#sent?.view
  }
  /** The same that was sent before or waits, and when this one was to go: it was not put in the outbox, and someone has to say that it is meant. */
  get same() {
    return this.#same
  }
  /** Why it could not even be put in the outbox. */
  get error() {
    return this.#error
  }

  /**
   * Puts what the saver keeps in the outbox. A second call while it is under way does nothing.
   * @param at when it goes; without it, after the time to take it back, and with 'now' without that time.
   * @param repeats whether it goes though the same was sent before, or that is looked for first.
   */
  async start(saver: DraftSaver, at?: number | 'now', repeats: 'knowingly' | 'ask' = 'ask'): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    this.clear()
    const error = await this.#start(saver, at, repeats)
    this.#busy = false
    if (error && this.#left) this.#left(error)
    else this.#error = error
  }

  /** Returns why it could not be put in the outbox. */
  async #start(
    saver: DraftSaver,
    at: number | 'now' | undefined,
    repeats: 'knowingly' | 'ask'
  ): Promise<AppError | undefined> {
    saver.keepAtLeastOnce()
    if (!(await saver.flush()) || saver.id === undefined) return saver.error
    const draftId = saver.id
    if (repeats === 'ask') {
      const same = await settled(this.#api.sends.sameSent({ composition: saver.composition }))
      if (!same.ok) return same.error
      if (same.value) {
        // Left meanwhile: nobody is there to ask, so it stays a draft, and that is said.
        if (this.#left) return SENT_BEFORE
        this.#same = { ...same.value, goesAt: at }
        return undefined
      }
    }
    // From here on the draft is the outbox's: what is typed now must not be saved over it.
    saver.close()
    const result = await settled(this.#api.sends.start(typeof at === 'number' ? { draftId, at } : { draftId }))
    if (!result.ok) {
      saver.reopen()
      return result.error
    }
    if (this.#left) return undefined
    this.#sent = new OpenSend(this.#api, this.#clock, result.value.id, result.value)
    this.#stop = this.#sent.follow()
    if (at === 'now') await this.#sent.now()
    return undefined
  }

  /** Takes the package out of the outbox again; returns whether it is a draft again. */
  async undo(saver: DraftSaver): Promise<boolean> {
    const draft = await this.#sent?.undo()
    if (!draft) return false
    this.clear()
    saver.reopen(draft.id)
    return true
  }

  /**
   * The screen is left: nothing is followed any more.
   * @param failed told why the package was not put in the outbox, where that turns out later.
   */
  leave(failed: (error: AppError) => void): void {
    this.#left = failed
    this.clear()
  }

  /** Puts the result away and follows it no longer. */
  clear(): void {
    this.#stop?.()
    this.#stop = undefined
    this.#sent = undefined
    this.#same = undefined
    this.#error = undefined
  }
}
