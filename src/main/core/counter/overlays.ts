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
  /** Who has let pages use the devices that staff has allowed: for their own turns, and not for the next person's. */
  #consenting: string | undefined
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

  /** @param changes what else is so from then on. */
  uncover(changes: Changes = {}): CounterSession {
    const cleared = { ...NOTHING, asksFor: [], asksFile: undefined, warningUntil: undefined }
    const state = this.#state.go('uncover', { ...cleared, ...changes })
    if (isShowing(state)) this.#page.reveal()
    return state
  }

  /** The page says how far it is. An overlay stays where it is. */
  pageIs(phase: 'loading' | 'open'): void {
    const before = this.#state.shown
    if (this.#state.pageIs(phase) !== before) this.#page.reveal()
    // Another document asks for nothing that the one before asked for.
    if (phase === 'loading') this.dropFile()
  }

  /** The page asks for devices. */
  asked(devices: readonly MediaDevice[]): void {
    this.#state.become({ asksFor: [...new Set([...this.#state.shown.asksFor, ...devices])] })
    // Where staff has to come, or is there, they see the question then.
    if (this.lasting().cover !== undefined) return
    if (this.#state.shown.allowsCamera) this.cover('consent', 'not locked')
    else this.cover('camera', 'locked')
  }

  /** The page asks for a file. */
  askedForFile(accept: readonly string[]): void {
    this.#accept = accept
    this.#state.become({ asksFile: this.#offer() })
    if (this.lasting().cover === undefined) this.cover('file', 'not locked')
  }

  /** Staff has opened files for this turn: who waits for them sees them. */
  filesOpened(): void {
    const { asksFile, cover } = this.#state.shown
    if (!asksFile) return
    this.#state.become({ asksFile: this.#offer() })
    if (cover === 'staff' || cover === 'file') this.cover('file', 'not locked')
  }

  /** The page asks for a file no longer: it has one, or shows another document. Nobody sees a question without what was asked. */
  dropFile(): void {
    const { asksFile, cover } = this.#state.shown
    if (cover === 'file') this.uncover()
    else if (asksFile) this.#state.become({ asksFile: undefined })
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

  /** The page got another camera than the office chose. Staff see it once, and it stands in the trail. */
  otherCamera(): void {
    const { current, origin, otherCamera } = this.#state.shown
    if (otherCamera) return
    this.#state.noteTurn('camera-allowed', current, {
      devices: 'camera',
      origin,
      by: 'page got another than the chosen one'
    })
    this.#state.become({ otherCamera: true })
  }

  /** The page was closed while it waited: that was a no, which nobody gave. */
  unanswered(): void {
    const { asksFor, current } = this.#state.shown
    this.#state.noteTurn('camera-refused', current, { devices: asksFor.join(', '), by: 'the page was closed' })
  }

  /** Staff's yes, for the rest of the session. The page has its answer once the person has said so, too. */
  allowCamera(): void {
    const { asksFor, current } = this.#state.shown
    if (asksFor.length === 0) return
    this.#state.noteTurn('camera-allowed', current, { devices: asksFor.join(', '), by: 'staff' })
    this.#state.become({ allowsCamera: true })
    this.cover('consent', 'not locked')
  }

  /** The person's yes, for all their turns of the session. */
  consent(): void {
    const { asksFor, current } = this.#state.shown
    this.#consenting = this.#state.turnOf(current).person
    this.#state.noteTurn('camera-allowed', current, { devices: asksFor.join(', '), by: 'person' })
    this.#page.answer(true)
    // With the overlay goes what it asked for: nobody sees a question about nothing.
    this.uncover()
  }

  /** What a page of the turn that runs may do with devices. */
  media(): 'ask' | 'yes' {
    const { allowsCamera, current } = this.#state.shown
    return allowsCamera && this.#consenting === this.#state.turnOf(current).person ? 'yes' : 'ask'
  }

  /** Going on without an answer is a no. */
  goOn(by: 'person' | 'staff'): void {
    const { asksFor, allowsCamera, current } = this.#state.shown
    if (asksFor.length > 0) this.#state.noteTurn('camera-refused', current, { devices: asksFor.join(', '), by })
    this.#page.answer(false)
    // What staff has allowed stays allowed where it is the person who goes without.
    this.uncover(asksFor.length > 0 ? { allowsCamera: allowsCamera && by === 'person' } : {})
  }
}
