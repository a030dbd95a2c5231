/**
 * One session at the counter, from the first handover until staff has the screen again. Whatever happens at whatever moment, it
 * moves on by the table of phases and what is written here, and always comes to its end.
 */
import type { AppError, CounterSession, PersonPreferences } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import type { CounterDeps, LeftBy, ViewBounds } from './deps.ts'
import { Idle } from './idle.ts'
import { outcomeCounts } from './outcome.ts'
import { Overlays } from './overlays.ts'
import type { Cleanup } from './page.ts'
import { enlarged, Page } from './page.ts'
import { isShowing, mayDo, type PersonAction, PHASES } from './phases.ts'
import { type Changes, type SessionStart, SessionState } from './session-state.ts'
import { StaffActions } from './staff-actions.ts'
import { Turns } from './turns.ts'

/** How many refused attempts of a page are remembered for our frame to tell of. */
const REMEMBERED = 20
const UNPLUGGED: AppError = {
  code: 'cancelled',
  message: 'The second display was unplugged, so the page was closed. Anything not submitted is lost.',
  next: 'Try again on this screen, or ask staff to end the session.'
}

/** Nothing is left over the screen, and nothing is waited for. */
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

  /** @param cleanup of pages of sessions before, and in the end of those of this one */
  constructor(deps: CounterDeps, cleanup: Cleanup, start: SessionStart) {
    this.#deps = deps
    const patience = () => (this.state.shown.preferences.moreTime ? deps.settings().moreTime : 1)
    this.#idle = new Idle(deps.time, () => deps.settings().idle, patience, {
      warn: (until) => this.state.become({ warningUntil: until }),
      cover: () => {
        // Out of sight before anything is written: the disk may take its time.
        this.#overlays.cover('idle', 'locked')
        this.state.note('idle', { became: 'covered' })
      },
      end: () => {
        this.state.note('idle', { became: 'ended' })
        void this.turns.stop()
      },
      staffLeft: () => this.#overlays.cover('away', 'locked')
    })
    this.state = new SessionState(deps, start, (state) => this.#idle.follow(state))
    this.#page = this.#openPage(cleanup)
    this.#overlays = new Overlays(this.state, this.#page)
    const parts = { deps, state: this.state, page: this.#page, overlays: this.#overlays }
    this.turns = new Turns(parts, () => this.#over())
    this.staff = new StaffActions(parts, this.turns, () => this.end())
    this.#idle.follow(this.state.shown)
  }

  #openPage(cleanup: Cleanup): Page {
    const { state } = this
    return new Page(this.#deps, cleanup, {
      loading: () => this.#overlays.pageIs('loading'),
      open: (origin) => {
        if (origin !== undefined && origin !== state.shown.origin) state.become({ origin })
        this.#overlays.pageIs('open')
      },
      returned: () => void this.turns.finish('returned'),
      failed: (error) => this.turns.failed(error),
      refused: (what, wanted) => {
        const refused = [...state.shown.refused, { what, at: this.#deps.time.now() }]
        state.become({ refused: refused.slice(-REMEMBERED), ...(wanted === 'file' && { wantsFile: true as const }) })
      },
      asksFor: (devices) => this.#overlays.asked(devices),
      unanswered: () => this.#overlays.unanswered(),
      asksForFile: (accept) => this.#overlays.askedForFile(accept),
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

  /** Where the page is to be seen. It is seen only while it may be. */
  show(at: ViewBounds): CounterSession {
    const { shown } = this.state
    if (PHASES[shown.phase].page === 'there') this.#page.place(at)
    if (isShowing(shown)) this.#page.reveal()
    return shown
  }

  cover(why: PersonOverlay): Promise<CounterSession> {
    return this.#act(why === 'not-me' ? why : 'cover', async ({ cover: before, current }) => {
      // Whether they have signed is asked only of those of whom the service doesn't know it: never of one who declined.
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
      this.#overlays.goOn('person')
      // It may have become known while they had help.
      void this.turns.follow()
    })
  }

  /** The page that asks gets the devices: staff has said so, and now the person. */
  allowCamera(): Promise<CounterSession> {
    return this.#act('allow-camera', () => this.#overlays.consent())
  }

  /** @throws AppFailure `gone`, `bad-file`: then they may choose another. */
  giveFile(file: string): Promise<CounterSession> {
    return this.#act('give-file', async ({ asksFile, current }) => {
      const isSame = this.state.step()
      const given = asksFile?.files?.find(({ id }) => id === file)
      if (!given) return fail('gone', 'This file is no longer offered.')
      const detail = { file: given.name, bytes: String(given.bytes) }
      // Before the page has it: an end in between leaves an entry too many, never a file that nobody knows of.
      const noted = () => this.state.noteTurn('file-given', current, detail, 'now-or-never')
      const refused = () => this.state.noteTurn('file-not-taken', current, detail)
      await this.#page.giveFile(file, noted, refused)
      if (isSame()) this.#overlays.dropFile()
    })
  }

  finish(): Promise<CounterSession> {
    return this.#act('finish', ({ cover }) => this.turns.finish(cover === 'finish' ? 'finished' : 'stopped'))
  }

  next(): Promise<CounterSession> {
    return this.#act('next', () => this.turns.next())
  }

  retry(): Promise<CounterSession> {
    return this.#act('retry', ({ current }) => this.turns.begin(current))
  }

  zoom(factor: number): Promise<CounterSession> {
    return this.#act('zoom', () => {
      this.state.become({ zoom: factor })
      this.#page.zoom(factor)
    })
  }

  /**
   * The person wants the screen otherwise, at any moment of their turn: also behind a lock, which they have to be able to read. Nothing
   * of it is written down.
   * @throws AppFailure `not-allowed` for what the office doesn't offer.
   */
  adjust(changes: Partial<PersonPreferences>): CounterSession {
    const { shown } = this.state
    const { language, moreTime, textSize } = changes
    if (shown.phase === 'ended') return shown
    const isOffered = language === undefined || language === 'en' || shown.offers.languages.includes(language)
    if (!isOffered || (moreTime && !shown.offers.moreTime)) fail('not-allowed', 'The office doesn’t offer this.')
    if (language !== undefined) this.#page.speak(language)
    if (textSize !== undefined) {
      this.#deps.place.enlarge(textSize)
      const zoom = enlarged(this.#deps.zoom(), textSize)
      this.state.become({ zoom })
      this.#page.zoom(zoom)
    }
    const state = this.state.prefer(changes)
    this.touched()
    return state
  }

  touched(): void {
    this.#idle.touched()
  }

  /** The place where the person signs was left: only staff can go on. */
  left(by: LeftBy): void {
    const { phase, cover, current } = this.state.shown
    if (PHASES[phase].page === 'none') return
    if (cover === 'away' || cover === 'idle' || cover === 'not-me') return
    this.#overlays.cover('away', 'locked', by)
    this.state.noteTurn('left', current, { by })
  }

  /**
   * The second display is gone: the session goes on in this window, locked. A page can't come with it, and is wiped: the outcome
   * of its turn is asked for when staff has chosen to go on or to end. If all have finished, the session is over.
   */
  placeLost(): void {
    const { phase, place, current } = this.state.shown
    if (place !== 'other-display' || phase === 'ended') return
    if (phase === 'return') {
      // Everything was asked, and this window was staff's all along: there is nothing to lock.
      this.state.noteTurn('left', current, { by: 'display' })
      this.end()
      return
    }
    this.#overlays.cover('away', 'locked', 'display')
    this.#deps.place.enlarge(this.state.shown.preferences.textSize)
    this.state.become({ place: 'here' })
    if (PHASES[phase].page === 'there') this.turns.failed(UNPLUGGED)
    this.state.noteTurn('left', current, { by: 'display' })
  }

  /**
   * The application ends: nothing of the page stays, and nobody is asked any more.
   * @param keepsMarker whether the next start finds it interrupted, and so locked
   */
  async closed(keepsMarker: boolean): Promise<void> {
    const { phase, current, turns } = this.state.shown
    if (phase === 'ended') return
    this.state.moveOn()
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

  /** Staff has the screen again. Calling it again is harmless. */
  end(how: Record<string, string> = {}): void {
    if (this.state.shown.phase === 'ended') return
    this.state.moveOn()
    const seconds = Math.max(0, Math.round((this.#deps.time.now() - this.state.startedAt) / 1000))
    this.state.note('session-ended', { ...outcomeCounts(this.state.shown), seconds: String(seconds), ...how })
    this.#deps.place.giveBack()
    void this.#deps.reservations.release()
    this.state.go('end', { ...CLEARED, notReserved: undefined, isLocked: false, pinWaitUntil: undefined })
    this.#idle.stop()
  }

  #over(): void {
    const { cover, isLocked } = this.state.shown
    // Staff who has given their PIN has the screen already; one that was left since then is nobody's.
    if (cover === 'staff' || (this.staff.isEnding() && !isLocked)) this.end()
    else this.#awaitStaff()
  }

  /** Nothing is left to be seen but that staff has to come. */
  #awaitStaff(): void {
    // Nobody signs here any more, whenever staff comes.
    void this.#deps.reservations.release()
    this.state.go('finish', { ...CLEARED, isLocked: true })
  }

  /** A person did something: they are there. What doesn't fit the moment changes nothing. */
  async #act(action: PersonAction, does: (before: CounterSession) => unknown): Promise<CounterSession> {
    if (mayDo(action, this.state.shown)) {
      this.touched()
      await does(this.state.shown)
    }
    return this.state.shown
  }
}
