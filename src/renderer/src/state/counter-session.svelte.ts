/**
 * The main process's counter session: followed, shown and acted on by the clerk's window or by the page on the second
 * display. Nothing is decided here: a person's actions become requests, and the answers are shown.
 */

import type { AppError, Result } from '../../../shared/contract/errors.ts'
import type { Input, personRequestNames } from '../../../shared/contract/requests.ts'
import type { CounterPhase, CounterSession, CounterTurn } from '../../../shared/contract/views.ts'
import type { Api } from '../api.ts'
import { settled } from '../api.ts'
import { type Clock, Seconds } from './clock.ts'
import { PinRecovery, type PinTarget, PinWait } from './staff-pin.svelte.ts'

type PersonRequest = (typeof personRequestNames)[number]
type ActionsOf<Domain extends string> = PersonRequest extends infer Name
  ? Name extends `${Domain}.${infer Action}`
    ? Action
    : never
  : never

/** The part of the client available to the page on the second display. */
export interface PersonApi {
  counter: Pick<Api['counter'], ActionsOf<'counter'> & keyof Api['counter']>
  settings: Pick<Api['settings'], ActionsOf<'settings'> & keyof Api['settings']>
  on: Api['on']
}

export type Bounds = Input<'counter.show'>['bounds']
/** Why a person covers their page. */
export type CoverReason = Exclude<Input<'counter.cover'>['why'], 'not-me'>
export type StaffAction = Input<'counter.staff'>['does']

/** Minimum milliseconds between activity reports, unless the session is waiting for one. */
const ACTIVITY_INTERVAL = 1000
/** The page's zoom steps, each far enough from the next to make a difference. */
const ZOOMS = [0.5, 0.67, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3]
/** Phases in which the person has no page behind what is shown. */
const pagelessPhases: CounterPhase[] = ['asking', 'return', 'ended']

/** Members whose change means that another screen is shown: errors and busy commands from before no longer apply. */
const screenFields = ['id', 'phase', 'current', 'cover', 'isLocked'] as const
/**
 * Commands that run even while others are in progress: a page that never stops printing must not keep anyone from
 * covering it.
 */
const urgentCommands: ReadonlySet<string> = new Set(['cover', 'resume', 'continue', 'end'])

export class LiveSession implements PinTarget {
  /** The way out for staff who forgot the PIN. Undefined if this page may not offer it. */
  readonly pinRecovery: PinRecovery | undefined = undefined
  readonly #api: PersonApi
  readonly #clock: Clock
  readonly #seconds: Seconds
  #session = $state.raw<CounterSession | null>(null)
  #isLoaded = $state(false)
  /** Commands in progress, newest last. */
  #busy = $state.raw<readonly { name: string }[]>([])
  #screenChanges = 0
  #error = $state.raw<AppError>()
  #pinError = $state.raw<AppError>()
  #pinBusy = $state(false)
  readonly #pinWait: PinWait
  readonly #namedWait: PinWait
  #isStaffRequested = $state(false)
  #pinWasWrong = $state(false)
  #firstKey = ''
  #coveredForStaff = false
  #newest = 0
  #lastTouch = Number.NEGATIVE_INFINITY
  #queuedBounds: Bounds | undefined
  #isShowing = false

  constructor(api: PersonApi, clock: Clock) {
    this.#api = api
    this.#clock = clock
    this.#seconds = new Seconds(clock)
    this.#pinWait = new PinWait(clock)
    this.#namedWait = new PinWait(clock)
  }

  get session() {
    return this.#session
  }
  /** Whether we know if there is a session. */
  get isLoaded() {
    return this.#isLoaded
  }
  /** Why the newest command failed. */
  get error() {
    return this.#error
  }
  /** The newest command in progress. */
  get busy() {
    return this.#busy.at(-1)?.name
  }
  /** Why the newest PIN was rejected. */
  get pinError() {
    return this.#pinError
  }
  get pinBusy() {
    return this.#pinBusy
  }
  get isOffice() {
    return this.pinRecovery !== undefined
  }
  /** Whether staff want the screen: their PIN is asked for in place of what the person sees. */
  get isStaffRequested() {
    return this.#isStaffRequested
  }

  /** Whether a PIN was rejected since staff last had the screen: they may have forgotten it. */
  get pinWasWrong() {
    return this.#pinWasWrong || this.pinWait > 0
  }
  /** The current time, for what is shown for a limited time. */
  get now() {
    return this.#clock.now()
  }

  /** The current turn, or the last one. */
  get turn(): CounterTurn | undefined {
    return this.#session?.turns[this.#session.current]
  }

  /** Whether a person has this screen, or the given one of ours. */
  isWith(place: CounterSession['place']): boolean {
    return this.#session?.place === place && this.#session.phase !== 'ended'
  }

  /** Returns the receipt of the person who has just finished. */
  readonly receipt = (id: string) => settled(this.#api.counter.receipt({ id }))

  /** Whole seconds until a time in the session, updated every second. 0 if it has passed or is undefined. */
  secondsUntil(moment: number | undefined): number {
    if (moment === undefined) return 0
    return Math.max(0, Math.ceil((moment - this.#seconds.now) / 1000))
  }

  /** Seconds until a PIN is accepted again. */
  get pinWait(): number {
    return this.#pinWait.secondsLeft
  }
  get asksName(): boolean {
    return this.#session?.asksName ?? false
  }
  get needsName(): boolean {
    return this.#session?.needsName ?? false
  }
  get namedPinWait(): number {
    return this.#namedWait.secondsLeft
  }

  /** Loads the session, then follows it. Returns a function that stops following. */
  async open(): Promise<() => void> {
    const stop = this.#api.on('counter.changed', () => void this.load())
    await this.load()
    return stop
  }

  async load(): Promise<void> {
    const mine = ++this.#newest
    const result = await settled(this.#api.counter.state())
    if (mine !== this.#newest) return
    if (result.ok) this.#adopt(result.value)
    this.#isLoaded = true
  }

  /** Replaces the loaded session with one that a request returned. */
  put(session: CounterSession | null): void {
    this.#newest++
    this.#adopt(session)
  }

  /** Loads the person's page, because they now have the screen. */
  readonly begin = () => this.#command('begin', (id) => this.#api.counter.begin({ id }))
  readonly cover = (why: Input<'counter.cover'>['why']) =>
    this.#command('cover', (id) => this.#api.counter.cover({ id, why }))
  /** Removes the person's own cover, or lets a page that asks for the camera continue without it. */
  readonly resume = () => this.#command('resume', (id) => this.#api.counter.resume({ id }))
  readonly allowCamera = () => this.#command('allowCamera', (id) => this.#api.counter.allowCamera({ id }))
  readonly giveFile = (file: string) => this.#command('giveFile', (id) => this.#api.counter.giveFile({ id, file }))
  /** Closes the page and asks the service for the result. */
  readonly finish = () => this.#command('finish', (id) => this.#api.counter.finish({ id }))
  readonly next = () => this.#command('next', (id) => this.#api.counter.next({ id }))
  /** Continues with the next person: this one signs nothing more. */
  readonly stopHere = () => this.#command('stopHere', (id) => this.#api.counter.next({ id, stops: true }))
  readonly retry = () => this.#command('retry', (id) => this.#api.counter.retry({ id }))
  readonly runStaffAction = (action: StaffAction) =>
    this.#command(action, (id) => this.#api.counter.staff({ id, does: action }))

  /** Returns the page's next zoom step, or undefined if there is none. */
  zoomStep(way: 'smaller' | 'larger'): number | undefined {
    const now = this.#session?.zoom ?? 1
    if (way === 'larger') return ZOOMS.find((step) => step > now + 0.01)
    return ZOOMS.findLast((step) => step < now - 0.01)
  }

  async zoom(way: 'smaller' | 'larger'): Promise<void> {
    const factor = this.zoomStep(way)
    if (factor !== undefined) await this.#command('zoom', (id) => this.#api.counter.zoom({ id, factor }))
  }

  /** Changes how the person wants the screen. */
  readonly adjust = (changes: Omit<Input<'counter.adjust'>, 'id'>) =>
    this.#command('adjust', (id) => this.#api.counter.adjust({ id, ...changes }))

  /** Reports activity: at once if the session is waiting for it, otherwise throttled. */
  reportActivity(): void {
    const session = this.#session
    if (!session) return
    const now = this.#clock.now()
    if (session.warningUntil === undefined && now - this.#lastTouch < ACTIVITY_INTERVAL) return
    this.#lastTouch = now
    void settled(this.#api.counter.touched({ id: session.id }))
  }

  /**
   * Asks for the staff PIN. A visible page lies on top of ours, so it is covered first.
   * @param firstKey the key with which they began typing the PIN, on a screen that shows no pad yet
   */
  async requestStaff(firstKey = ''): Promise<void> {
    const phase = this.#session?.phase
    if (phase === 'open' || phase === 'loading') {
      await this.cover('help')
      this.#coveredForStaff = true
    }
    this.#pinError = undefined
    this.#firstKey = firstKey
    this.#isStaffRequested = true
  }

  /** Returns, only once, what was typed before the pad was shown. */
  takeFirstKey(): string {
    const key = this.#firstKey
    this.#firstKey = ''
    return key
  }

  /** Leaves the PIN prompt for what was shown before. */
  async cancelStaffRequest(): Promise<void> {
    // By now the page may have another cover, which isn't ours to remove.
    const shouldResume = this.#coveredForStaff && this.#session?.cover === 'help'
    if (shouldResume) await this.resume()
    this.pinRecovery?.cancel()
    this.#clearStaffRequest()
  }

  /** Submits the PIN, which is never stored. */
  async unlock(pin: string, name?: string): Promise<void> {
    const session = this.#session
    if (!session || this.#pinBusy) return
    this.#pinBusy = true
    this.#pinError = undefined
    const mine = ++this.#newest
    const result = await settled(this.#api.counter.unlock({ id: session.id, pin, ...(name !== undefined && { name }) }))
    this.#pinBusy = false
    this.#pinWasWrong = !result.ok
    if (result.ok) {
      this.#clearStaffRequest()
      if (mine === this.#newest) this.#adopt(result.value)
      return
    }
    this.#pinError = result.error
    const wait = name === undefined ? this.#pinWait : this.#namedWait
    if (result.error.retryAfterMs) wait.start(result.error.retryAfterMs)
    await this.load()
  }

  /**
   * Reports the bounds of the page's place. Calls never overlap: while one is in flight, only the newest bounds are
   * queued.
   * @param bounds in CSS pixels of our window.
   */
  async show(bounds: Bounds): Promise<void> {
    this.#queuedBounds = bounds
    if (this.#isShowing) return
    this.#isShowing = true
    while (this.#queuedBounds && this.#session && !pagelessPhases.includes(this.#session.phase)) {
      const { id } = this.#session
      const now = this.#queuedBounds
      this.#queuedBounds = undefined
      const mine = ++this.#newest
      const result = await settled(this.#api.counter.show({ id, bounds: now }))
      // If it was refused, the session has moved on without us.
      if (!result.ok) await this.load()
      else if (mine === this.#newest) this.#adopt(result.value)
    }
    this.#queuedBounds = undefined
    this.#isShowing = false
  }

  /** Drops the queued bounds, because the page has no place on the screen any more. */
  hide(): void {
    this.#queuedBounds = undefined
  }

  /**
   * Runs one command at a time, except for urgent ones. Its answer is adopted unless something newer was loaded
   * meanwhile; an error is shown unless the session has moved on.
   */
  async #command(name: string, call: (id: string) => Promise<Result<CounterSession | null>>): Promise<void> {
    const session = this.#session
    const isUnderWay = urgentCommands.has(name) ? this.#busy.some((one) => one.name === name) : this.#busy.length > 0
    if (!session || isUnderWay) return
    const command = { name }
    this.#busy = [...this.#busy, command]
    this.#error = undefined
    const mine = ++this.#newest
    const screenChanges = this.#screenChanges
    const result = await settled(call(session.id))
    this.#busy = this.#busy.filter((one) => one !== command)
    if (!result.ok) {
      if (screenChanges === this.#screenChanges) this.#error = result.error
      await this.load()
    } else if (mine === this.#newest) this.#adopt(result.value)
  }

  #adopt(session: CounterSession | null): void {
    const before = this.#session
    const hasScreenChanged = screenFields.some((member) => before?.[member] !== session?.[member])
    this.#session = session
    this.#isLoaded = true
    this.#pinWait.syncWith(session?.pinWaitUntil)
    if (before?.id !== session?.id) this.#pinWasWrong = false
    if (!hasScreenChanged) return
    this.#screenChanges++
    // What was requested has taken effect, although its answer may still be in flight.
    this.#busy = []
    if (session?.phase !== 'covered') this.#clearStaffRequest()
    this.#error = undefined
  }

  #clearStaffRequest(): void {
    this.#isStaffRequested = false
    this.#firstKey = ''
    this.#coveredForStaff = false
    this.#pinError = undefined
  }
}

/** The clerk's session, with what the page on the second display may not do. */
export class OfficeSession extends LiveSession {
  override readonly pinRecovery: PinRecovery
  readonly #api: Api

  constructor(api: Api, clock: Clock) {
    super(api, clock)
    this.#api = api
    this.pinRecovery = new PinRecovery(api)
  }

  /** Closes the session once staff have seen the result. */
  async close(): Promise<void> {
    const id = this.session?.id
    if (id === undefined) return
    await settled(this.#api.counter.close({ id }))
    await this.load()
  }
}
