/**
 * The overlays over the page, or over a screen of ours that was left, and the page's request for the camera, which
 * waits behind an overlay. The page is shown only from here, and only while its phase is loading or open and nobody has
 * locked the screen.
 */
import type { CounterCover, CounterSession, CoveredBy } from '../../../shared/contract/index.ts'
import type { MediaDevice } from '../policy/permissions.ts'
import type { Page } from './page.ts'
import { isShowing, PHASES } from './phases.ts'
import type { Changes, SessionState } from './session-state.ts'

/** Overlays that stay whatever the page does: staff has to come, or has come. */
const LASTING_COVERS: readonly (CounterCover | undefined)[] = ['away', 'idle', 'not-me', 'staff']

const NO_OVERLAY = { cover: undefined, coveredBy: undefined, isLocked: false } satisfies Changes

export class Overlays {
  readonly #state: SessionState
  readonly #page: Page
  /**
   * The person who has let pages use the devices that staff allowed. It applies to their own turns, not the next
   * person's.
   */
  #consentingPerson: string | undefined
  /** The types of file that the requesting page accepts. */
  #accept: readonly string[] = []

  constructor(state: SessionState, page: Page) {
    this.#state = state
    this.#page = page
  }

  /** The parts of the overlay that stay when the phase changes underneath. */
  lastingOverlay(): Changes {
    const { cover, coveredBy, isLocked } = this.#state.shown
    return LASTING_COVERS.includes(cover) ? { cover, coveredBy, isLocked } : NO_OVERLAY
  }

  /**
   * Covers the screen, unless staff alone has it or can go on: there is nothing to cover.
   * @param locked whether only staff can remove the overlay.
   * @param by the cause, if it says more than the overlay.
   * @param changes applied at the same time.
   */
  cover(why: CounterCover, locked: 'locked' | 'not locked', by?: CoveredBy, changes?: Changes): CounterSession {
    if (PHASES[this.#state.shown.phase].page === 'none') return this.#state.shown
    this.#page.hide()
    return this.#state.transition('cover', {
      ...changes,
      cover: why,
      // Staff who comes is shown the overlay that was there before them.
      ...(why !== 'staff' && { coveredBy: by ?? why }),
      isLocked: locked === 'locked',
      warningUntil: undefined
    })
  }

  /** @param changes applied at the same time. */
  #uncover(changes: Changes): void {
    const state = this.#state.transition('uncover', { ...NO_OVERLAY, warningUntil: undefined, ...changes })
    if (isShowing(state)) this.#page.reveal()
  }

  /** Handles the page's progress. Overlays stay. */
  pageProgressed(phase: 'loading' | 'open'): void {
    const before = this.#state.shown
    if (this.#state.setPagePhase(phase) !== before) this.#page.reveal()
    // A new document hasn't asked for what the previous one asked for.
    if (phase === 'loading') this.endFileRequest()
  }

  devicesRequested(devices: readonly MediaDevice[]): void {
    this.#requested({ asksFor: [...new Set([...this.#state.shown.asksFor, ...devices])] })
  }

  fileRequested(accept: readonly string[]): void {
    this.#accept = accept
    this.#requested({ asksFile: this.#fileOffer() })
  }

  #requested(changes: Changes): void {
    // If staff has to come, or is there, they see the request then.
    if (this.lastingOverlay().cover === undefined) this.#ask(changes)
    else this.#state.update(changes)
  }

  /** Asks for one thing that the page waits for: a file only once its request for devices is answered. */
  #ask(changes: Changes): void {
    const { asksFor = [], allowsCamera } = { ...this.#state.shown, ...changes }
    if (asksFor.length === 0) this.cover('file', 'not locked', 'file', changes)
    else if (allowsCamera) this.cover('consent', 'not locked', 'consent', changes)
    else this.cover('camera', 'locked', 'camera', changes)
  }

  /** Goes on after an answer: with what else the page asks for, or with the page. */
  #answered(changes: Changes): void {
    const { asksFor = [], asksFile } = { ...this.#state.shown, ...changes }
    if (asksFor.length > 0 || asksFile) this.#ask(changes)
    else this.#uncover(changes)
  }

  /** Shows the files that staff opened for this turn to the person waiting for them. */
  filesOpened(): void {
    const { asksFile, cover } = this.#state.shown
    if (!asksFile) return
    const changes = { asksFile: this.#fileOffer() }
    if (cover === 'staff' || cover === 'file') this.#ask(changes)
    else this.#state.update(changes)
  }

  /** Ends the request for a file: the page has one, or shows another document. Its overlay goes with it. */
  endFileRequest(): void {
    const { asksFile, cover } = this.#state.shown
    if (cover === 'file') this.#answered({ asksFile: undefined })
    else if (asksFile) this.#state.update({ asksFile: undefined })
  }

  #fileOffer(): NonNullable<CounterSession['asksFile']> {
    const { files } = this.#page
    return files.isOpen ? { files: files.offered(this.#accept) } : {}
  }

  /** Records that the page got devices. */
  granted(devices: readonly MediaDevice[]): void {
    const { current, origin } = this.#state.shown
    this.#state.noteTurn('camera-allowed', current, { devices: devices.join(', '), origin, by: 'page got it' })
  }

  /** Records that the page got a camera other than the office's choice. Staff sees it once. */
  otherCamera(): void {
    const { current, origin, otherCamera } = this.#state.shown
    if (otherCamera) return
    this.#state.noteTurn('camera-allowed', current, {
      devices: 'camera',
      origin,
      by: 'page got another than the chosen one'
    })
    this.#state.update({ otherCamera: true })
  }

  /** Records a refusal that nobody gave: the page was closed while it waited for an answer. */
  unanswered(): void {
    const { asksFor, current } = this.#state.shown
    this.#state.noteTurn('camera-refused', current, { devices: asksFor.join(', '), by: 'the page was closed' })
  }

  /**
   * Allows the devices on staff's behalf, for the rest of the session. The page gets its answer once the person agrees,
   * too.
   */
  allowCamera(): void {
    const { asksFor, current } = this.#state.shown
    if (asksFor.length === 0) return
    this.#state.noteTurn('camera-allowed', current, { devices: asksFor.join(', '), by: 'staff' })
    this.#state.update({ allowsCamera: true })
    this.cover('consent', 'not locked')
  }

  /** Allows the devices for all of the person's turns in this session, by the person. */
  consent(): void {
    const { asksFor, current } = this.#state.shown
    this.#consentingPerson = this.#state.turnOf(current).person
    this.#state.noteTurn('camera-allowed', current, { devices: asksFor.join(', '), by: 'person' })
    this.#page.answer(true)
    this.#answered({ asksFor: [] })
  }

  /** Returns what pages of the current turn may do with devices. */
  media(): 'ask' | 'yes' {
    const { allowsCamera, current } = this.#state.shown
    return allowsCamera && this.#consentingPerson === this.#state.turnOf(current).person ? 'yes' : 'ask'
  }

  /** Removes the overlay; no answer means no, to the devices if the page asks for them, otherwise to the file. */
  resume(by: 'person' | 'staff'): void {
    const { asksFor, allowsCamera, current } = this.#state.shown
    if (asksFor.length === 0) {
      this.#uncover({ asksFile: undefined })
      return
    }
    this.#state.noteTurn('camera-refused', current, { devices: asksFor.join(', '), by })
    this.#page.answer(false)
    // If it's the person who goes on without the devices, staff's permission stays.
    this.#answered({ asksFor: [], allowsCamera: allowsCamera && by === 'person' })
  }
}
