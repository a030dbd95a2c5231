/**
 * What lies over the page, or over a screen of ours that was left, and the page's question for the camera, which waits behind
 * an overlay. The one place that shows a page: only while its phase is loading or open and nobody has locked the screen.
 */
import type { CounterCover, CounterSession, CoveredBy } from '../../../shared/contract/index.ts'
import type { MediaDevice } from '../policy/permissions.ts'
import type { Page } from './page.ts'
import { isShowing, PHASES } from './phases.ts'
import type { Changes, SessionState } from './session-state.ts'

/** Overlays that stay whatever the page does meanwhile: someone has to come, or has come. */
const LASTING: readonly (CounterCover | undefined)[] = ['away', 'idle', 'not-me', 'staff']

const NOTHING = { cover: undefined, coveredBy: undefined, isLocked: false } satisfies Changes

export class Overlays {
  readonly #state: SessionState
  readonly #page: Page
  /** What the page that asks for a file takes. */
  #accept: readonly string[] = []

  constructor(state: SessionState, page: Page) {
    this.#state = state
    this.#page = page
  }

  /** What of the overlay stays when the phase changes underneath. */
  lasting(): Changes {
    const { cover, coveredBy, isLocked } = this.#state.shown
    return LASTING.includes(cover) ? { cover, coveredBy, isLocked } : NOTHING
  }

  /**
   * Nothing happens where staff alone can go on, or has: there is nothing to cover.
   * @param locked whether staff alone can take it away.
   * @param by what brought it about, if that says more than the overlay.
   */
  cover(why: CounterCover, locked: 'locked' | 'not locked', by?: CoveredBy): CounterSession {
    if (PHASES[this.#state.shown.phase].page === 'none') return this.#state.shown
    this.#page.hide()
    return this.#state.go('cover', {
      cover: why,
      // Staff who comes is told what there was before them.
      ...(why !== 'staff' && { coveredBy: by ?? why }),
      isLocked: locked === 'locked',
      warningUntil: undefined
    })
  }

  uncover(): CounterSession {
    const state = this.#state.go('uncover', { ...NOTHING, asksFor: [], asksFile: undefined, warningUntil: undefined })
    if (isShowing(state)) this.#page.reveal()
    return state
  }

  /** The page says how far it is. An overlay stays where it is. */
  pageIs(phase: 'loading' | 'open'): void {
    const before = this.#state.shown
    if (this.#state.pageIs(phase) !== before) this.#page.reveal()
    // Another document asks for nothing that the one before asked for.
    if (phase === 'loading' && before.asksFile) {
      this.dropFile()
      if (before.cover === 'file') this.uncover()
    }
  }

  /** The page asks for devices. */
  asked(devices: readonly MediaDevice[]): void {
    this.#state.become({ asksFor: [...new Set([...this.#state.shown.asksFor, ...devices])] })
    // Where staff has to come, or is there, they see the question then.
    if (this.lasting().cover === undefined) this.cover('camera', 'locked')
  }

  /** The page asks for a file. */
  askedForFile(accept: readonly string[]): void {
    this.#accept = accept
    this.#state.become({ asksFile: this.#offer() })
    if (this.lasting().cover === undefined) this.cover('file', 'not locked')
  }

  /** Staff has opened files for this turn: whoever waits for them sees them. */
  filesOpened(): void {
    const { asksFile, cover } = this.#state.shown
    if (!asksFile) return
    this.#state.become({ asksFile: this.#offer() })
    if (cover === 'staff' || cover === 'file') this.cover('file', 'not locked')
  }

  /** The page asks for a file no longer: it has one, or goes on without. */
  dropFile(): void {
    if (this.#state.shown.asksFile) this.#state.become({ asksFile: undefined })
  }

  #offer(): NonNullable<CounterSession['asksFile']> {
    const { files } = this.#page
    return files.isOpen ? { files: files.offered(this.#accept) } : {}
  }

  /** The page got devices. */
  granted(devices: readonly MediaDevice[]): void {
    const { current, origin } = this.#state.shown
    this.#state.noteTurn('camera-allowed', current, { devices: devices.join(', '), origin, by: 'page got it' })
  }

  /** The page was closed while it waited: that was a no, which nobody gave. */
  unanswered(): void {
    const { asksFor, current } = this.#state.shown
    this.#state.noteTurn('camera-refused', current, { devices: asksFor.join(', '), by: 'the page was closed' })
  }

  /** Yes, for the rest of the session. Only staff can say so. Answers whether there was a question. */
  allowCamera(): boolean {
    return this.#answered(true, 'staff')
  }

  /** Going on without an answer is a no. */
  refuseCamera(by: 'person' | 'staff'): void {
    this.#answered(false, by)
  }

  #answered(granted: boolean, by: 'person' | 'staff'): boolean {
    const { asksFor, current } = this.#state.shown
    if (asksFor.length === 0) return false
    this.#state.noteTurn(granted ? 'camera-allowed' : 'camera-refused', current, { devices: asksFor.join(', '), by })
    this.#state.become({ asksFor: [], allowsCamera: granted })
    this.#page.answer(granted)
    return true
  }
}
