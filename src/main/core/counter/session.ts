/**
 * One session at the counter, from the first handover until staff has the screen again. Whatever happens and whenever,
 * it moves only by the table of phases and the rules here, and always reaches its end.
 */
import type { AppError, CounterSession, PersonPreferences } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import type { CounterDeps, LeaveReason, ViewBounds } from './deps.ts'
import { Idle } from './idle.ts'
import { outcomeCounts } from './outcome.ts'
import { Overlays } from './overlays.ts'
import type { Cleanup } from './page.ts'
import { enlargedZoom, Page } from './page.ts'
import { isShowing, mayDo, type PersonAction, PHASES } from './phases.ts'
import { type Changes, type SessionStart, SessionState } from './session-state.ts'
import { StaffActions } from './staff-actions.ts'
import { Turns } from './turns.ts'

/** How many refused attempts of a page are kept to show in our frame. */
const MAX_REFUSALS = 20
const UNPLUGGED: AppError = {
  code: 'cancelled',
  message: 'The second display was unplugged, so the page was closed. Anything not submitted is lost.',
  next: 'Try again on this screen, or ask staff to end the session.'
}

/** Removes every overlay and everything that's waited for. */
const CLEARED = {
  cover: undefined,
  coveredBy: undefined,
  error: undefined,
  asksFor: [],
  asksFile: undefined,
  warningUntil: undefined
} satisfies Changes

export type PersonOverlay = 'moment' | 'help' | 'finish' | 'stop' | 'not-me'

export class Session {
  readonly state: SessionState
  readonly turns: Turns
  readonly staff: StaffActions
  readonly #deps: CounterDeps
  readonly #idle: Idle
  readonly #page: Page
  readonly #overlays: Overlays

  /** @param cleanup destroys pages of earlier sessions, and finally this one's. */
  constructor(deps: CounterDeps, cleanup: Cleanup, start: SessionStart) {
    this.#deps = deps
    const timeFactor = () => (this.state.shown.preferences.moreTime ? deps.settings().moreTime : 1)
    this.#idle = new Idle(deps.time, () => deps.settings().idle, timeFactor, {
      warn: (until) => this.state.update({ warningUntil: until }),
      cover: () => {
        // Cover the page before writing anything: the disk may be slow.
        this.#overlays.cover('idle', 'locked')
        this.state.note('idle', { became: 'covered' })
      },
      end: () => {
        this.state.note('idle', { became: 'ended' })
        void this.turns.stop()
      },
      staffLeft: () => {
        this.#overlays.cover('away', 'locked')
        this.state.note('idle', { became: 'covered', by: 'staff' })
      }
    })
    this.state = new SessionState(deps, start, (state) => this.#idle.update(state))
    this.#page = this.#openPage(cleanup)
    this.#overlays = new Overlays(this.state, this.#page)
    const parts = { deps, state: this.state, page: this.#page, overlays: this.#overlays }
    this.turns = new Turns(parts, () => this.#turnsFinished())
    this.staff = new StaffActions(parts, this.turns, () => this.end())
    this.#idle.update(this.state.shown)
  }

  #openPage(cleanup: Cleanup): Page {
    const { state } = this
    return new Page(this.#deps, cleanup, {
      loading: () => this.#overlays.pageProgressed('loading'),
      open: (origin) => {
        if (origin !== undefined && origin !== state.shown.origin) state.update({ origin })
        this.#overlays.pageProgressed('open')
      },
      returned: () => void this.turns.finish('returned'),
      failed: (error) => this.turns.failed(error),
      refused: (what, wanted) => {
        const refused = [...state.shown.refused, { what, at: this.#deps.time.now() }]
        state.update({ refused: refused.slice(-MAX_REFUSALS), ...(wanted === 'file' && { wantsFile: true as const }) })
      },
      asksFor: (devices) => this.#overlays.devicesRequested(devices),
      unanswered: () => this.#overlays.unanswered(),
      asksForFile: (accept) => this.#overlays.fileRequested(accept),
      granted: (devices) => this.#overlays.granted(devices),
      otherCamera: () => this.#overlays.otherCamera(),
      touched: () => this.touched()
    })
  }

  begin(): Promise<CounterSession> {
    return this.#act('begin', ({ current }) => {
      this.state.handOver(current)
      return this.turns.begin(current)
    })
  }

  /** Places the page. It's visible only while the phase allows it. */
  show(at: ViewBounds): CounterSession {
    const { shown } = this.state
    if (PHASES[shown.phase].page === 'there') this.#page.setBounds(at)
    if (isShowing(shown)) this.#page.reveal()
    return shown
  }

  cover(why: PersonOverlay): Promise<CounterSession> {
    return this.#act(why === 'not-me' ? why : 'cover', async ({ cover: before, current }) => {
      // Ask whether they have signed only if the service doesn't know: never someone who has declined.
      if (why === 'finish' && before === undefined) {
        const isAnswered = await this.turns.isAnswered()
        const { shown } = this.state
        if (shown.current !== current || shown.cover !== undefined || !mayDo('finish', shown)) return
        if (isAnswered) return this.turns.finish('finished')
      }
      this.#overlays.cover(why, why === 'not-me' ? 'locked' : 'not locked')
      if (why === 'not-me') this.state.noteTurn('left', current, { by: why })
      else if (before !== why) this.state.noteTurn('left', current, { by: 'person', why })
    })
  }

  resume(): Promise<CounterSession> {
    return this.#act('resume', () => {
      this.#overlays.resume('person')
      // It may have become known while they had help.
      void this.turns.closeIfAnswered()
    })
  }

  /** Gives the page the devices it asked for: staff has agreed, and now the person. */
  allowCamera(): Promise<CounterSession> {
    return this.#act('allow-camera', () => this.#overlays.consent())
  }

  /** @throws AppFailure `gone`, or `bad-file`; after `bad-file` the person may choose another file. */
  giveFile(file: string): Promise<CounterSession> {
    return this.#act('give-file', async ({ asksFile, current }) => {
      const isSame = this.state.guardStep()
      const given = asksFile?.files?.find(({ id }) => id === file)
      if (!given) return fail('gone', 'This file is no longer offered.')
      const detail = { file: given.name, bytes: String(given.bytes) }
      // Before the page gets the file: an interruption leaves an entry too many, never a file without one.
      const noteGiven = () => this.state.noteTurn('file-given', current, detail, 'now-or-never')
      const noteNotTaken = () => this.state.noteTurn('file-not-taken', current, detail)
      await this.#page.giveFile(file, noteGiven, noteNotTaken)
      if (isSame()) this.#overlays.endFileRequest()
    })
  }

  finish(): Promise<CounterSession> {
    return this.#act('finish', ({ cover }) => this.turns.finish(cover === 'finish' ? 'finished' : 'stopped'))
  }

  next(stops = false): Promise<CounterSession> {
    return this.#act('next', () => this.turns.next(stops))
  }

  retry(): Promise<CounterSession> {
    return this.#act('retry', ({ current }) => this.turns.begin(current))
  }

  zoom(factor: number): Promise<CounterSession> {
    return this.#act('zoom', () => {
      this.state.update({ zoom: factor })
      this.#page.zoom(factor)
    })
  }

  /**
   * Changes how the person wants the screen, at any moment of their turn, even behind a lock, which they must be able
   * to read. None of it is stored or audited.
   * @throws AppFailure `not-allowed` for what the office doesn't offer.
   */
  adjust(changes: Partial<PersonPreferences>): CounterSession {
    const { shown } = this.state
    const { language, moreTime, textSize } = changes
    if (shown.phase === 'ended') return shown
    const isOffered = language === undefined || language === 'en' || shown.offers.languages.includes(language)
    if (!isOffered || (moreTime && !shown.offers.moreTime)) fail('not-allowed', 'The office doesn’t offer this.')
    if (language !== undefined) this.#page.setLanguage(language)
    if (textSize !== undefined) {
      this.#deps.place.enlarge(textSize)
      const zoom = enlargedZoom(this.#deps.zoom(), textSize)
      this.state.update({ zoom })
      this.#page.zoom(zoom)
    }
    const state = this.state.updatePreferences(changes)
    this.touched()
    return state
  }

  touched(): void {
    this.#idle.touched()
  }

  /** Locks the session because the screen was left: only staff can go on. */
  screenLeft(by: LeaveReason): void {
    this.staff.screenLeft()
    const { phase, cover, current } = this.state.shown
    if (PHASES[phase].page === 'none') return
    if (cover === 'away' || cover === 'idle' || cover === 'not-me') return
    this.#overlays.cover('away', 'locked', by)
    this.state.noteTurn('left', current, { by })
  }

  /**
   * Moves the session to this window, locked, because the second display is gone. An open page can't move with it and
   * is wiped; the outcome of its turn is asked for once staff has chosen to go on or to end. If all turns have
   * finished, the session ends.
   */
  displayLost(): void {
    const { phase, place, current } = this.state.shown
    if (place !== 'other-display' || phase === 'ended') return
    if (phase === 'return') {
      // All outcomes were asked for, and staff had this window all along: there is nothing to lock.
      this.state.noteTurn('left', current, { by: 'display' })
      this.end()
      return
    }
    this.staff.screenLeft()
    this.#overlays.cover('away', 'locked', 'display')
    this.#deps.place.enlarge(this.state.shown.preferences.textSize)
    this.state.update({ place: 'here' })
    if (PHASES[phase].page === 'there') this.turns.failed(UNPLUGGED)
    this.state.noteTurn('left', current, { by: 'display' })
  }

  /**
   * Ends the session as the application closes: wipes the page and asks nothing more.
   * @param keepsMarker whether the next start finds the session interrupted, and locked.
   */
  async shutDown(keepsMarker: boolean): Promise<void> {
    const { phase, current, turns } = this.state.shown
    if (phase === 'ended') return
    this.state.startStep()
    this.#idle.stop()
    const wiped = this.#page.wipe()
    if (keepsMarker) {
      this.#awaitStaff()
      this.state.note('left', { by: 'closing' })
      this.#deps.place.giveBack()
    } else {
      if (turns[current] && !turns[current].outcome && this.state.factsOf(current).hasBegun) {
        this.state.noteTurn('turn-ended', current, { outcome: 'unknown', by: 'application closed' })
      }
      this.end({ by: 'application closed' })
    }
    await wiped
  }

  /** Gives the screen back to staff. Calling it again is harmless. */
  end(how: Record<string, string> = {}): void {
    if (this.state.shown.phase === 'ended') return
    this.state.startStep()
    const seconds = Math.max(0, Math.round((this.#deps.time.now() - this.state.startedAt) / 1000))
    this.state.note('session-ended', { ...outcomeCounts(this.state.shown), seconds: String(seconds), ...how })
    this.#deps.place.giveBack()
    void this.#deps.reservations.release()
    this.state.transition('end', { ...CLEARED, notReserved: undefined, isLocked: false, pinWaitUntil: undefined })
    this.#idle.stop()
  }

  #turnsFinished(): void {
    const { cover, isLocked } = this.state.shown
    // Staff who entered their PIN has the screen already, unless it was left and locked since then.
    if (cover === 'staff' || (this.staff.isEnding() && !isLocked)) this.end()
    else this.#awaitStaff()
  }

  /** Shows only that staff has to come. */
  #awaitStaff(): void {
    // Nobody signs here any more, however long staff takes.
    void this.#deps.reservations.release()
    this.state.transition('finish', { ...CLEARED, isLocked: true })
  }

  /** Runs a person's action, which counts as a touch. Ignores one that doesn't fit the moment. */
  async #act(action: PersonAction, run: (before: CounterSession) => unknown): Promise<CounterSession> {
    if (mayDo(action, this.state.shown)) {
      this.touched()
      await run(this.state.shown)
    }
    return this.state.shown
  }
}
