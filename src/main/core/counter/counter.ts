/**
 * The counter: who can sign here, and the one session that runs. The page itself never decides that a document is signed, a
 * signing link never leaves this process, and only staff takes the screen back.
 */
import type {
  CounterEntry,
  CounterOffer,
  CounterSession,
  PersonLanguage,
  PersonPreferences,
  PinState,
  PrintedComparison,
  ReceiptCode
} from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import { defined } from '../lib/objects.ts'
import type { CounterDeps, LeftBy, ViewBounds } from './deps.ts'
import { askOfInterrupted, foundSession, noteNotBegun, unreadableSession } from './interrupted.ts'
import { followOutcomes } from './outcome.ts'
import { Cleanup } from './page.ts'
import { comparedWithSigner } from './printed-document.ts'
import { type PersonOverlay, Session } from './session.ts'
import type { SessionState } from './session-state.ts'
import { SigningQueue } from './signing-queue.ts'
import type { AskedFrom, StaffAction } from './staff-actions.ts'
import { readyToStart, type Wanted } from './starting.ts'

export class Counter {
  readonly #deps: CounterDeps
  readonly #queue: SigningQueue
  readonly #cleanup: Cleanup
  #session: Session | undefined
  #isStarting = false
  #isOver = false

  constructor(deps: CounterDeps) {
    this.#deps = deps
    this.#queue = new SigningQueue(deps)
    this.#cleanup = new Cleanup(deps.time)
  }

  /** Who can sign here now: today's appointments first, then next due first. */
  queue(accountId?: string): Promise<CounterEntry[]> {
    return this.#queue.entries(accountId)
  }

  /** Pins an appointment of today, until midnight, or unpins it. */
  pinEntry(entry: Parameters<SigningQueue['pin']>[0]): void {
    this.#queue.pin(entry)
    this.#deps.changed(this.state()?.id ?? '')
  }

  /** @throws AppFailure `not-signable` if they can't sign here now, and the service's failures. */
  offer(documentReference: string, signer: number): Promise<CounterOffer> {
    return this.#queue.offer(documentReference, signer)
  }

  /** Compares what is printed on a signer's passport or identity card with their name. @throws AppFailure `gone`. */
  compareDocument(asked: Parameters<typeof comparedWithSigner>[1]): Promise<PrintedComparison> {
    return comparedWithSigner(this.#deps, asked)
  }

  /**
   * Begins a session with a first handover. Nothing is loaded until the person has the screen.
   * @throws AppFailure `busy` while another lasts, or another counter has one of them, `no-pin`, `bad-input`, `gone`, `not-signable`, and the service's failures.
   */
  async start(wanted: Wanted): Promise<CounterSession> {
    if (this.#isOver) fail('gone', 'Countersign is closing.')
    if (this.isRunning() || this.#isStarting)
      fail('busy', 'Someone else is signing.', { next: 'End that session first.' })
    this.#isStarting = true
    try {
      this.#session = await this.#started(wanted)
    } catch (error) {
      void this.#deps.reservations.release()
      throw error
    } finally {
      this.#isStarting = false
    }
    this.reservationsChanged()
    const { state } = this.#session
    if (wanted.allowsCamera) state.note('camera-allowed', { by: 'staff', when: 'at the start' })
    this.#deps.changed(state.shown.id)
    return state.shown
  }

  async #started(wanted: Wanted): Promise<Session> {
    const { account, accountId: chosen, pin, place, reservations } = this.#deps
    const accountId = chosen()
    const { isSet, waitUntil, asksName, needsName } = await pin.state()
    if (!isSet) fail('no-pin', 'Choose a staff PIN first.')
    if (!(await this.#cleanup.wipe())) {
      fail('internal', 'The previous signing page couldn’t be closed.', {
        next: 'Restart Countersign.'
      })
    }
    const { stateAt, ...start } = await readyToStart(this.#deps, accountId, wanted)
    const { facts } = start
    await reservations.take(
      accountId,
      wanted.turns.map((turn, index) => ({ ...turn, person: facts[index]?.identity.person ?? '' }))
    )
    const taken = await place.take()
    // Much may happen while a screen is being filled.
    if (this.#isOver || !account(accountId)) {
      place.giveBack()
      fail('gone', 'The account was removed, or Countersign is closing.')
    }
    // Guesses from before the screen changed hands may make staff wait: the pad says so from the start.
    const state = { ...stateAt(taken), ...defined({ pinWaitUntil: waitUntil, asksName, needsName }) }
    const started = new Session(this.#deps, this.#cleanup, { ...start, state })
    try {
      noteStart(started.state, this.#deps.officeName(accountId))
    } catch (error) {
      place.giveBack()
      throw error
    }
    return started
  }

  state(): CounterSession | null {
    return this.#session?.state.shown ?? null
  }

  /** In which language someone had their screens in this session, for as long as it is shown; undefined where in English. */
  languageOf(id: string, person: { name: string; contact?: string | undefined }): PersonLanguage | undefined {
    const { state } = this.#session ?? {}
    if (state?.shown.id !== id) return undefined
    const index = state.shown.turns.findIndex(
      (turn) => turn.signerName === person.name && turn.contact === person.contact
    )
    const { language } = state.preferencesOf(index)
    return language === 'en' ? undefined : language
  }

  // What a person or staff does in the session of this id; each throws AppFailure `gone` if that isn't the one that is shown.
  readonly begin = async (id: string) => this.#named(id).begin()
  readonly show = (id: string, bounds: ViewBounds) => this.#named(id).show(bounds)
  readonly cover = async (id: string, why: PersonOverlay) => this.#named(id).cover(why)
  readonly resume = async (id: string) => this.#named(id).resume()
  readonly allowCamera = async (id: string) => this.#named(id).allowCamera()
  readonly giveFile = async (id: string, file: string) => this.#named(id).giveFile(file)
  readonly finish = async (id: string) => this.#named(id).finish()
  readonly next = async (id: string) => this.#named(id).next()
  readonly retry = async (id: string) => this.#named(id).retry()
  readonly zoom = async (id: string, factor: number) => this.#named(id).zoom(factor)
  readonly adjust = async (id: string, changes: Partial<PersonPreferences>) => this.#named(id).adjust(changes)
  readonly touched = (id: string) => this.#named(id).touched()
  readonly unlock = async (id: string, pin: string, name?: string) => this.#named(id).staff.unlock(pin, name)
  readonly staff = async (id: string, does: StaffAction, from: AskedFrom) => this.#named(id).staff.act(does, from)

  /**
   * The receipt of the person who has the screen, once all of their turns have come to an end.
   * @throws AppFailure `gone`, `not-allowed`, and where the trail bears none.
   */
  async receipt(id: string): Promise<ReceiptCode> {
    const { phase, receipt, current, turns } = this.#named(id).state.shown
    const turn = turns[current]
    const own = turns.filter(({ person }) => person === turn?.person)
    const isDone = (phase === 'between' || phase === 'return') && own.every(({ outcome }) => outcome !== undefined)
    if (!turn || !receipt || !isDone) return fail('not-allowed', 'There is no receipt yet.')
    return this.#deps.receiptOf(id, { name: turn.signerName, contact: turn.contact })
  }

  /**
   * Staff has seen the result. Harmless if it is closed already.
   * @throws AppFailure `busy` while it lasts.
   */
  close(id: string): void {
    if (this.state()?.id !== id) return
    if (this.isRunning()) fail('busy', 'This session hasn’t ended yet.')
    this.#session = undefined
    this.#deps.changed('')
  }

  /** The place where the person signs was left. */
  left(by: LeftBy): void {
    this.#session?.left(by)
  }

  /** The second display is gone: from now on this window is where the person signs, behind a lock. */
  placeLost(): void {
    this.#session?.placeLost()
  }

  /** Whether the screen may be left without a PIN: as last known there is none any more, so nobody could unlock it. */
  canBeLeft(): boolean {
    return this.#session?.staff.isPinGone() ?? false
  }

  isRunning(): boolean {
    const state = this.state()
    return state !== null && state.phase !== 'ended'
  }

  /** Whether this window is in a person's hands: nothing of the office may be shown in it. */
  isHandedOver(): boolean {
    return this.isRunning() && this.state()?.place === 'here'
  }

  /**
   * Documents of an account changed: what came of turns that have ended may be known now, and of the one that runs, which then
   * ends soon. Never rejects.
   */
  async documentsChanged(accountId: string): Promise<void> {
    const session = this.#session
    if (session?.state.accountId !== accountId) return
    await followOutcomes(this.#deps, session.state)
    if (this.isRunning()) void session.turns.follow()
  }

  /** The account whose folders tell of the page that is open, or was; undefined if nobody waits for them. */
  followed(): string | undefined {
    return this.isRunning() ? this.#session?.state.accountId : undefined
  }

  /** Who of staff there is, or how long a PIN waits, may have changed: a pad that is shown says so. Never rejects. */
  async pinChanged(): Promise<void> {
    const session = this.#session
    const found = await this.#deps.pin.state().catch(() => undefined)
    if (!found || session === undefined || session !== this.#session || !this.isRunning()) return
    const { waitUntil: pinWaitUntil, asksName, needsName } = found
    const { shown } = session.state
    if (shown.pinWaitUntil === pinWaitUntil && shown.asksName === asksName && shown.needsName === needsName) return
    session.state.become({ pinWaitUntil, asksName, needsName })
  }

  /** Who is at other counters is known otherwise, or whether who signs here is reserved. */
  reservationsChanged(): void {
    const { state } = this.#session ?? {}
    const notReserved = this.#deps.reservations.lacking()
    if (state && this.isRunning() && state.shown.notReserved !== notReserved) state.become({ notReserved })
    else this.#deps.changed(state?.shown.id ?? '')
  }

  /** Accounts changed: a session of one that was removed ends. */
  async accountsChanged(): Promise<void> {
    const session = this.#session
    if (session && this.isRunning() && !this.#deps.account(session.state.accountId)) await session.turns.stop()
  }

  /**
   * At the start of the application: shows what was interrupted, locked, and asks the service about it. If nobody has a PIN any
   * more there is nothing to lock with. Resolves when the service was asked.
   */
  async resumeInterrupted(): Promise<void> {
    const { account, changed, crashMarker, newId, pin, time } = this.#deps
    const read = this.#session ? null : crashMarker.read()
    if (!read) return
    const isReadable = read !== 'unreadable'
    const found = isReadable ? read : unreadableSession(newId(), time.now())
    const isPractice = account(found.accountId)?.kind === 'practice'
    const resumed = new Session(this.#deps, this.#cleanup, foundSession(found, isPractice))
    this.#session = resumed
    resumed.state.note('session-interrupted', isReadable ? { startedBy: found.staff } : { found: 'unreadable' })
    noteNotBegun(found, resumed.state)
    changed(found.id)
    // Also how long the pad waits after wrong PINs of before: else it would look as if one were taken.
    const { isSet, waitUntil, asksName, needsName } = await pin
      .state()
      .catch((): Partial<PinState> => ({ isSet: true }))
    const said = defined({ pinWaitUntil: waitUntil, asksName, needsName })
    if (resumed.state.shown.phase !== 'ended') resumed.state.become(said)
    if (isSet === false) resumed.end({ by: 'no PIN' })
    await askOfInterrupted(this.#deps, resumed.state)
  }

  /**
   * The application ends: the page is wiped, and nothing is left to be found interrupted, except if the marker of what runs is
   * kept: then the next start is locked.
   */
  async end({ keepsMarker = false }: { keepsMarker?: boolean } = {}): Promise<void> {
    this.#isOver = true
    await this.#session?.closed(keepsMarker)
    // While the office's server can still be asked.
    await this.#deps.reservations.release()
  }

  #named(id: string): Session {
    return this.#session && this.state()?.id === id
      ? this.#session
      : fail('gone', 'This session has ended.', { next: 'Start again from Counter.' })
  }
}

/** @throws the database's error: without its entry no session begins. */
function noteStart(state: SessionState, account: string): void {
  const { turns, place, isPractice } = state.shown
  const documents = new Set(turns.map(({ documentReference }) => documentReference)).size
  const evidence = new Set(turns.flatMap((_turn, index) => state.factsOf(index).evidence))
  const detail = {
    documents: String(documents),
    turns: String(turns.length),
    evidence: [...evidence].join('; '),
    place,
    account,
    ...(isPractice && { practice: 'yes' })
  }
  state.noteTurn('session-started', 0, detail, 'now-or-never')
}
