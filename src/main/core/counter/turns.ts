/**
 * Runs a session's turns one after the other. Each turn begins with the service's newest answer, ends by wiping its
 * page, and takes its outcome from the service.
 */
import type { AppError, CounterOutcome } from '../../../shared/contract/index.ts'
import { asAppError } from '../errors/app-error.ts'
import { within } from '../lib/time.ts'
import type { CounterDeps } from './deps.ts'
import { type NextSigner, nextSigner } from './next-signer.ts'
import { askOnce, askOutcome, type Ending, lastOutcome, sleep } from './outcome.ts'
import type { Overlays } from './overlays.ts'
import { enlargedZoom, errorWithoutLink, type Page } from './page.ts'
import { isFree, isShowing, PHASES } from './phases.ts'
import { type PreparedTurn, prepareTurn } from './prepare-turn.ts'
import type { Changes, SessionState } from './session-state.ts'

const NOT_OPENED: AppError = { code: 'cancelled', message: 'The page was never opened, so nothing was signed.' }
const NOT_WIPED: AppError = {
  code: 'internal',
  message: 'The previous page couldn’t be closed. Staff: end the session and restart Countersign.'
}
const STOPPED: AppError = { code: 'cancelled', message: 'They stopped before this page was opened.' }
const SESSION_ENDED: AppError = { code: 'cancelled', message: 'The session ended before this page was opened.' }

/** How long to wait for the service before asking the person instead, in milliseconds. */
const ANSWER_TIMEOUT = 1500
/**
 * How long a page may keep showing its closing message once the service has the person's answer, in milliseconds. Our
 * own screen then replaces it.
 */
const CLOSING_MESSAGE_TIME = 4000
const NO_PAGE = {
  origin: '',
  refused: [],
  asksFor: [],
  wantsFile: undefined,
  asksFile: undefined,
  error: undefined,
  warningUntil: undefined
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
  readonly #onFinished: () => void
  /** Whether another turn may follow the current one. */
  #mayContinue = true
  #asking: Promise<void> = Promise.resolve()

  /** @param onFinished called once the last turn is over, or no further one is wanted. */
  constructor({ deps, state, page, overlays }: SessionParts, onFinished: () => void) {
    this.#deps = deps
    this.#state = state
    this.#page = page
    this.#overlays = overlays
    this.#onFinished = onFinished
  }

  /** Loads the page of a turn, whose person has the screen. */
  async begin(index: number): Promise<void> {
    const state = this.#state
    const isNewest = state.startStep()
    const wiping = this.#page.wipe()
    state.setOutcome(index, undefined)
    state.startLoading({ ...NO_PAGE, current: index })
    const isWiped = await wiping
    if (!isNewest()) return
    if (!isWiped) {
      this.#failToBegin(index, NOT_WIPED)
      return
    }
    try {
      const prepared = await prepareTurn(this.#deps, state, index, isNewest)
      if (!isNewest()) return
      if ('signed' in prepared) await this.#conclude(index, prepared, { isSure: false })
      else this.#open(index, prepared)
    } catch (error) {
      if (isNewest()) this.#failToBegin(index, asAppError(error))
    }
  }

  #open(index: number, { address, mayNeedCamera }: PreparedTurn): void {
    const state = this.#state
    const { origin } = new URL(address.url)
    state.update({ origin })
    state.markPageOpened(index)
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
      this.failed(errorWithoutLink(asAppError(error), address.url))
      return
    }
    if (isShowing(state.shown)) this.#page.reveal()
  }

  /** Handles a turn that can't begin: the person sees why, and goes on to the next or tries again. */
  #failToBegin(index: number, error: AppError): void {
    if (!this.#state.factsOf(index).hasBegun) this.#state.setOutcome(index, { signed: 'skipped', error })
    this.#showFailure(error)
  }

  /** Handles a page that can't be shown any more: wipes it at once and shows our own error screen. */
  failed(error: AppError): void {
    this.#state.startStep()
    void this.#page.wipe()
    this.#showFailure(error)
  }

  #showFailure(error: AppError): void {
    this.#state.transition('fail', {
      error,
      asksFor: [],
      asksFile: undefined,
      warningUntil: undefined,
      ...this.#overlays.lastingOverlay()
    })
  }

  /**
   * Whether the service has an answer (signed or declined) from the person whose page is open, who then needn't be
   * asked. They look at their page meanwhile, so this waits no longer than people do without feedback.
   */
  async isAnswered(): Promise<boolean> {
    const { current } = this.#state.shown
    if (!this.#state.factsOf(current).hasBegun) return false
    let isAnswered = false
    const asking = askOnce(this.#deps, this.#state.queryOf(current)).then((outcome) => {
      isAnswered = hasAnswered(outcome)
    })
    await within(ANSWER_TIMEOUT, asking, this.#deps.time)
    return isAnswered
  }

  /**
   * Called after the folders were read. Closes the open page if the service has the person's answer: a document that
   * others sent has no return address of ours, and would leave the person on a page that says it can be closed. Doesn't
   * interrupt someone who has asked for help.
   */
  async closeIfAnswered(): Promise<void> {
    const state = this.#state
    const { current } = state.shown
    const isSame = state.guardStep()
    if (!this.#isOpen() || !hasAnswered(await lastOutcome(this.#deps, state.queryOf(current)))) return
    await sleep(this.#deps.time, CLOSING_MESSAGE_TIME)
    if (isSame() && this.#isOpen() && state.shown.cover !== 'help') await this.finish('returned')
  }

  /** Whether a page of the current turn was opened and its outcome isn't known yet. */
  #isOpen(): boolean {
    const { phase, turns, current } = this.#state.shown
    // An interrupted session whose marker can't be read has no turns.
    if (!turns[current] || !this.#state.factsOf(current).hasBegun) return false
    return PHASES[phase].page === 'there' || (phase === 'failed' && !this.#state.turnOf(current).outcome)
  }

  /**
   * Called when staff comes. Asks the service first, so that an answer it already has isn't listed among what ending
   * would lose.
   */
  async finishIfAnswered(): Promise<void> {
    if (this.#isOpen() && (await this.isAnswered()) && this.#isOpen()) await this.finish('returned')
  }

  /** Wipes the page and asks the service for the turn's outcome. */
  finish(ending: Ending): Promise<void> {
    this.#asking = this.#finish(ending)
    return this.#asking
  }

  async #finish(ending: Ending): Promise<void> {
    const state = this.#state
    const isNewest = state.startStep()
    const { current } = state.shown
    const { hasBegun } = state.factsOf(current)
    // Take the page out of sight before saying that it's closed.
    const wiping = this.#page.wipe()
    state.transition('ask', {
      asksFor: [],
      wantsFile: undefined,
      asksFile: undefined,
      error: undefined,
      warningUntil: undefined,
      ...this.#overlays.lastingOverlay()
    })
    const isWiped = await wiping
    const outcome: CounterOutcome = hasBegun
      ? await askOutcome(this.#deps, state.queryOf(current), ending)
      : { signed: 'skipped', error: NOT_OPENED }
    const isStopped = hasBegun && ending === 'stopped'
    const detail = { ...(!isWiped && { wiped: 'no' }), ...(isStopped && { how: 'stopped' }) }
    if (isNewest()) await this.#conclude(current, outcome, { isSure: ending === 'finished' }, detail)
  }

  /**
   * Records the outcome of a turn whose page was wiped, and decides what follows.
   * @param isSure the person says they have signed; if the service doesn't confirm it, they are offered the way back.
   */
  async #conclude(
    index: number,
    outcome: CounterOutcome,
    { isSure }: { isSure: boolean },
    detail: Record<string, string> = {}
  ): Promise<void> {
    const isNewest = this.#state.startStep()
    const following = await nextSigner(this.#deps, this.#state, index, outcome)
    if (!isNewest()) return
    this.#state.setOutcome(index, outcome)
    this.#noteEnd(index, outcome, detail)
    const mayStillSign = outcome.signed === 'not-yet' && (isSure || following.next !== undefined)
    // If this person may still go back, those passed over are recorded once they have moved on.
    const isOver = !this.#mayContinue || (!mayStillSign && this.#passOver(following) === undefined)
    if (isOver) this.#end()
    else this.#state.transition('settle', { error: undefined, ...this.#overlays.lastingOverlay() })
  }

  /** Records who is passed over, and why. Returns who comes next. */
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
    this.#state.startStep()
    const { textSize } = this.#state.preferencesOf(index)
    const zoom = enlargedZoom(this.#deps.zoom(), textSize)
    this.#deps.place.enlarge(textSize)
    this.#state.transition('hand-over', { ...NO_PAGE, current: index, zoom, ...this.#overlays.lastingOverlay() })
  }

  /** Ends the session. Turns without an outcome never began, or nothing better is known about them. */
  #end(): void {
    this.#state.startStep()
    const { error, turns, current } = this.#state.shown
    for (const [index, { outcome }] of turns.entries()) {
      if (!outcome) this.#skip(index, (index === current && error) || SESSION_ENDED)
    }
    this.#onFinished()
  }

  /**
   * Moves on to the next turn from one that has an outcome or has failed.
   * @param stops whether this person signs nothing more: the next turn is then someone else's.
   */
  async next(stops = false): Promise<void> {
    const state = this.#state
    const { phase, current, turns } = state.shown
    const { outcome, person } = state.turnOf(current)
    if (!outcome) return this.finish('stopped')
    for (const [index, turn] of turns.entries()) {
      if (stops && turn.person === person && !turn.outcome) this.#skip(index, STOPPED)
    }
    const isNewest = state.startStep()
    const following = await nextSigner(this.#deps, state, current, outcome)
    // If the screen was left meanwhile, nothing follows until staff has come.
    if (!isNewest() || !isFree(state.shown)) return
    // A failure that was retried several times is recorded once.
    if (phase === 'failed') this.#noteEnd(current, outcome)
    const nextIndex = this.#passOver(following)
    if (nextIndex === undefined) this.#end()
    else if (person === state.turnOf(nextIndex).person) await this.begin(nextIndex)
    else this.#handOver(nextIndex)
  }

  /** Lets no other turn follow. Resolves once the service was asked about the current one. */
  async stop(): Promise<void> {
    this.#mayContinue = false
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

/** Whether the service says that they have signed or declined, so that the turn is settled. */
const hasAnswered = ({ signed }: CounterOutcome): boolean => signed === 'signed' || signed === 'declined'
