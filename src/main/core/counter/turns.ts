/**
 * The turns of a session, one after the other: each begins with the service's newest answer, ends with its page wiped, and
 * leaves its outcome to the service.
 */
import type { AppError, CounterOutcome } from '../../../shared/contract/index.ts'
import { within } from '../lib/time.ts'
import type { CounterDeps } from './deps.ts'
import { type NextSigner, nextSigner } from './next-signer.ts'
import { askOnce, askOutcome, type Ending, lastOutcome, paused } from './outcome.ts'
import type { Overlays } from './overlays.ts'
import { enlarged, errorWithoutLink, type Page } from './page.ts'
import { isFree, isShowing, PHASES } from './phases.ts'
import { type PreparedTurn, prepareTurn } from './prepare-turn.ts'
import type { Changes, SessionState } from './session-state.ts'

const NOT_OPENED: AppError = { code: 'cancelled', message: 'The page was never opened, so nothing was signed.' }
const NOT_WIPED: AppError = {
  code: 'internal',
  message: 'The previous page couldn’t be closed. Staff: end the session and restart Countersign.'
}
const OVER: AppError = { code: 'cancelled', message: 'The session ended before this page was opened.' }

/** How long the service may take before the person is asked instead, in milliseconds. */
const AT_ONCE = 1500
/** How long a page may show its own last words, once the service has the person's answer, before ours take its place, in milliseconds. */
const LAST_WORDS = 4000
const NO_PAGE = {
  ...{ origin: '', refused: [], asksFor: [] },
  ...{ wantsFile: undefined, asksFile: undefined, error: undefined, warningUntil: undefined }
} satisfies Changes

export interface SessionParts {
  deps: CounterDeps
  state: SessionState
  page: Page
  overlays: Overlays
}

export class Turns {
  readonly #deps: CounterDeps
  readonly #state: SessionState
  readonly #page: Page
  readonly #overlays: Overlays
  readonly #over: () => void
  /** Whether another turn may follow the one that runs. */
  #goesOn = true
  #asking: Promise<void> = Promise.resolve()

  /** @param over called when the last turn is over, or no other is wanted. */
  constructor({ deps, state, page, overlays }: SessionParts, over: () => void) {
    this.#deps = deps
    this.#state = state
    this.#page = page
    this.#overlays = overlays
    this.#over = over
  }

  /** Loads the page of a turn; the person it belongs to has the screen. */
  async begin(index: number): Promise<void> {
    const state = this.#state
    const isNewest = state.moveOn()
    const wiping = this.#page.wipe()
    state.setOutcome(index, undefined)
    state.load({ ...NO_PAGE, current: index })
    const isWiped = await wiping
    if (!isNewest()) return
    if (!isWiped) {
      this.#notBegun(index, NOT_WIPED)
      return
    }
    try {
      const prepared = await prepareTurn(this.#deps, state, index, isNewest)
      if (!isNewest()) return
      if ('signed' in prepared) await this.#settle(index, prepared, { isSure: false })
      else this.#open(index, prepared)
    } catch (error) {
      if (isNewest()) this.#notBegun(index, this.#deps.describe(error))
    }
  }

  #open(index: number, { address, mayNeedCamera }: PreparedTurn): void {
    const state = this.#state
    const { origin } = new URL(address.url)
    state.become({ origin })
    state.hasBegun(index)
    state.noteTurn('page-opened', index, { origin })
    try {
      this.#page.open({
        address,
        documentReference: state.turnOf(index).documentReference,
        zoom: state.shown.zoom,
        language: state.shown.preferences.language,
        media: () => (mayNeedCamera ? this.#overlays.media() : 'never'),
        files: () => this.#deps.settings().mayGiveFiles
      })
    } catch (error) {
      this.failed(errorWithoutLink(this.#deps.describe(error), address.url))
      return
    }
    if (isShowing(state.shown)) this.#page.reveal()
  }

  /** The turn can't begin: the person is told, and goes on to the next, or tries again. */
  #notBegun(index: number, error: AppError): void {
    if (!this.#state.factsOf(index).hasBegun) this.#state.setOutcome(index, { signed: 'skipped', error })
    this.#showFailure(error)
  }

  /** The page can't be shown any more: it is wiped at once, and what is left is a screen of ours. */
  failed(error: AppError): void {
    this.#state.moveOn()
    void this.#page.wipe()
    this.#showFailure(error)
  }

  #showFailure(error: AppError): void {
    this.#state.go('fail', {
      ...{ error, asksFor: [], asksFile: undefined, warningUntil: undefined },
      ...this.#overlays.lasting()
    })
  }

  /**
   * Whether the service has the answer of the person whose page is open, signed or declined: nobody is asked what it knows. It is
   * asked while they look at their page, so no longer than they wait without a word.
   */
  async isAnswered(): Promise<boolean> {
    const { current } = this.#state.shown
    if (!this.#state.factsOf(current).hasBegun) return false
    let isAnswered = false
    const asking = askOnce(this.#deps, this.#state.asked(current)).then((outcome) => {
      isAnswered = hasAnswered(outcome)
    })
    await within(AT_ONCE, asking, this.#deps.time)
    return isAnswered
  }

  /**
   * The folders were read: where the service has the answer of the person whose page is open, the page ends by itself. One of a
   * document that others sent has no way back to us, and would leave them before a page that says it can be closed. One who has
   * asked for help is left with it.
   */
  async follow(): Promise<void> {
    const state = this.#state
    const { current } = state.shown
    const isSame = state.step()
    if (!this.#isOpen() || !hasAnswered(await lastOutcome(this.#deps, state.asked(current)))) return
    await paused(this.#deps.time, LAST_WORDS)
    if (isSame() && this.#isOpen() && state.shown.cover !== 'help') await this.finish('returned')
  }

  /** Whether a page of the turn was opened, and nothing is known yet of what came of it. */
  #isOpen(): boolean {
    const { phase, turns, current } = this.#state.shown
    // Of a session that was found, and can't be read, there are none.
    if (!turns[current] || !this.#state.factsOf(current).hasBegun) return false
    return PHASES[phase].page === 'there' || (phase === 'failed' && !this.#state.turnOf(current).outcome)
  }

  /** Staff has come: what the service knows by now comes before what staff is told that ending would lose. */
  async catchUp(): Promise<void> {
    if (this.#isOpen() && (await this.isAnswered()) && this.#isOpen()) await this.finish('returned')
  }

  /** Wipes the page and asks the service for the turn's outcome. */
  finish(ending: Ending): Promise<void> {
    this.#asking = this.#finish(ending)
    return this.#asking
  }

  async #finish(ending: Ending): Promise<void> {
    const state = this.#state
    const isNewest = state.moveOn()
    const { current } = state.shown
    const { hasBegun } = state.factsOf(current)
    // Out of sight before anyone is told that it is closed.
    const wiping = this.#page.wipe()
    state.go('ask', {
      ...{ asksFor: [], wantsFile: undefined, asksFile: undefined, error: undefined, warningUntil: undefined },
      ...this.#overlays.lasting()
    })
    const isWiped = await wiping
    const outcome: CounterOutcome = hasBegun
      ? await askOutcome(this.#deps, state.asked(current), ending)
      : { signed: 'skipped', error: NOT_OPENED }
    const isStopped = hasBegun && ending === 'stopped'
    const detail = { ...(!isWiped && { wiped: 'no' }), ...(isStopped && { how: 'stopped' }) }
    if (isNewest()) await this.#settle(current, outcome, { isSure: ending === 'finished' }, detail)
  }

  /**
   * The outcome of a turn whose page is wiped, and what follows.
   * @param isSure the person said that they have signed: if the service doesn't say so, they are offered the way back.
   */
  async #settle(
    index: number,
    outcome: CounterOutcome,
    { isSure }: { isSure: boolean },
    detail: Record<string, string> = {}
  ): Promise<void> {
    const isNewest = this.#state.moveOn()
    const following = await nextSigner(this.#deps, this.#state, index, outcome)
    if (!isNewest()) return
    this.#state.setOutcome(index, outcome)
    this.#noteEnd(index, outcome, detail)
    const isOpenYet = outcome.signed === 'not-yet' && (isSure || following.next !== undefined)
    // Who comes after one who may still go back is told only once they have gone on.
    const isOver = !this.#goesOn || (!isOpenYet && this.#passOver(following) === undefined)
    if (isOver) this.#end()
    else this.#state.go('settle', { error: undefined, ...this.#overlays.lasting() })
  }

  /** Writes down who isn't offered the screen, and why. Answers who is. */
  #passOver({ next, passedOver }: NextSigner): number | undefined {
    for (const { index, error } of passedOver) this.#skip(index, error, { because: error.message })
    return next
  }

  #skip(index: number, error: AppError, detail?: Record<string, string>): void {
    const outcome: CounterOutcome = { signed: 'skipped', error }
    this.#state.setOutcome(index, outcome)
    this.#noteEnd(index, outcome, detail)
  }

  #noteEnd(index: number, outcome: CounterOutcome, detail: Record<string, string> = {}): void {
    const { current, refused } = this.#state.shown
    const tried = index === current ? refused.length : 0
    this.#state.noteTurn('turn-ended', index, {
      outcome: outcome.signed,
      ...(tried > 0 && { tried: String(tried) }),
      ...(outcome.error && { error: outcome.error.code }),
      ...detail
    })
  }

  #handOver(index: number): void {
    this.#state.moveOn()
    const { textSize } = this.#state.preferencesOf(index)
    const zoom = enlarged(this.#deps.zoom(), textSize)
    this.#deps.place.enlarge(textSize)
    this.#state.go('hand-over', { ...NO_PAGE, current: index, zoom, ...this.#overlays.lasting() })
  }

  /** All turns that have no outcome never began, or nothing better is known of them. */
  #end(): void {
    this.#state.moveOn()
    const { error, turns, current } = this.#state.shown
    for (const [index, { outcome }] of turns.entries()) {
      if (!outcome) this.#skip(index, (index === current && error) || OVER)
    }
    this.#over()
  }

  /** From the outcome of a turn, or one that failed, to the next. */
  async next(): Promise<void> {
    const state = this.#state
    const { phase, current } = state.shown
    const { outcome, person } = state.turnOf(current)
    if (!outcome) return this.finish('stopped')
    const isNewest = state.moveOn()
    const following = await nextSigner(this.#deps, state, current, outcome)
    // If the screen was left meanwhile, nothing follows before staff has come.
    if (!isNewest() || !isFree(state.shown)) return
    // What failed, and was tried again several times, is written down once.
    if (phase === 'failed') this.#noteEnd(current, outcome)
    const follows = this.#passOver(following)
    if (follows === undefined) this.#end()
    else if (person === state.turnOf(follows).person) await this.begin(follows)
    else this.#handOver(follows)
  }

  /** No other turn follows. Resolves once the service was asked about the one that runs. */
  async stop(): Promise<void> {
    this.#goesOn = false
    const { phase, current } = this.#state.shown
    const { page } = PHASES[phase]
    if (page === 'none') return
    if (phase === 'asking') return this.#asking
    const { outcome } = this.#state.turnOf(current)
    const isUnasked = phase === 'failed' && this.#state.factsOf(current).hasBegun && !outcome
    if (page === 'there' || isUnasked) return this.finish('stopped')
    if (phase === 'failed' && outcome) this.#noteEnd(current, outcome)
    this.#end()
  }
}

/** Whether the service says that they have signed or declined: what is to come of their turn has come. */
const hasAnswered = ({ signed }: CounterOutcome): boolean => signed === 'signed' || signed === 'declined'
