/** Sends one draft: saves it, puts it in the outbox, and follows it there until its outcome is known. */
import type { AppError } from '../../../../../shared/contract/errors.ts'
import type { EarlierSend } from '../../../../../shared/contract/views.ts'
import { type Api, settled } from '../../../api.ts'
import type { Clock } from '../../../state/clock.ts'
import type { DraftSaver } from '../../../state/draft-saver.svelte.ts'
import { OpenSend } from '../../../state/open-send.svelte.ts'

const ALREADY_SENT: AppError = {
  code: 'conflict',
  message: 'The same package for the same people is in the Outbox already.',
  next: 'Open it and send it again if you mean to.'
}

export class Sending {
  #busy = $state(false)
  #sent = $state.raw<OpenSend>()
  #error = $state.raw<AppError>()
  #duplicate = $state.raw<EarlierSend & { goesAt: number | 'now' | undefined }>()
  #stopFollowing: (() => void) | undefined
  /** Called with the error if it couldn't be put in the outbox after the user left. */
  #onLateFailure: ((error: AppError) => void) | undefined
  readonly #api: Api
  readonly #clock: Clock

  constructor(api: Api, clock: Clock) {
    this.#api = api
    this.#clock = clock
  }

  /** Whether it is being saved and put in the outbox now. */
  get busy() {
    return this.#busy
  }
  /** The package in the outbox, once it is there. */
  get sent() {
    return this.#sent
  }
  /** Its current state, as far as is known. */
  get view() {
    return this.#sent?.view
  }
  /**
   * The same package, already sent or waiting, and when this one was to go. Nothing was put in the outbox: the user
   * must confirm the repeat.
   */
  get duplicate() {
    return this.#duplicate
  }
  /** Why it could not even be put in the outbox. */
  get error() {
    return this.#error
  }

  /**
   * Puts the saver's draft in the outbox. Does nothing while a call is in progress.
   * @param at when to send; undefined for after the undo period, 'now' for without it.
   * @param repeats 'knowingly' to send even if the same was sent before, 'ask' to check first.
   */
  async start(saver: DraftSaver, at?: number | 'now', repeats: 'knowingly' | 'ask' = 'ask'): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    this.clear()
    const error = await this.#start(saver, at, repeats)
    this.#busy = false
    if (error && this.#onLateFailure) this.#onLateFailure(error)
    else this.#error = error
  }

  /** Returns an error if it could not be put in the outbox. */
  async #start(
    saver: DraftSaver,
    at: number | 'now' | undefined,
    repeats: 'knowingly' | 'ask'
  ): Promise<AppError | undefined> {
    saver.ensureExists()
    if (!(await saver.flush()) || saver.id === undefined) return saver.error
    const draftId = saver.id
    // As it was when Send was pressed: another workstation's content may be shown in a moment.
    const { edition } = saver
    if (repeats === 'ask') {
      const same = await settled(this.#api.sends.sameSent({ composition: saver.composition }))
      if (!same.ok) return same.error
      if (same.value) {
        // The user has left, so there is nobody to ask: it stays a draft, and that is reported.
        if (this.#onLateFailure) return ALREADY_SENT
        this.#duplicate = { ...same.value, goesAt: at }
        return undefined
      }
    }
    // From here on the outbox owns the draft: further input must not be saved over it.
    saver.close()
    const result = await settled(
      this.#api.sends.start({
        draftId,
        ...(typeof at === 'number' && { at }),
        ...(edition !== undefined && { edition })
      })
    )
    if (!result.ok) {
      saver.reopen()
      return result.error
    }
    if (this.#onLateFailure) return undefined
    this.#sent = new OpenSend(this.#api, this.#clock, result.value.id, result.value)
    this.#stopFollowing = this.#sent.follow()
    if (at === 'now') await this.#sent.sendNow()
    return undefined
  }

  /** Takes the package out of the outbox. Returns whether it is a draft again. */
  async undo(saver: DraftSaver): Promise<boolean> {
    const draft = await this.#sent?.undo()
    if (!draft) return false
    this.clear()
    saver.reopen(draft.id)
    return true
  }

  /**
   * Stops following when the user leaves the screen.
   * @param onFailure called if the package turns out later not to have been put in the outbox.
   */
  leave(onFailure: (error: AppError) => void): void {
    this.#onLateFailure = onFailure
    this.clear()
  }

  /** Discards the result and stops following it. */
  clear(): void {
    this.#stopFollowing?.()
    this.#stopFollowing = undefined
    this.#sent = undefined
    this.#duplicate = undefined
    this.#error = undefined
  }
}
