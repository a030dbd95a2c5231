/**
 * The counter: who can sign here, and the one session that runs. A page never decides that a document is signed, a
 * signing link never leaves this process, and only staff can take the screen back.
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
import type { CounterDeps, LeaveReason, ViewBounds } from './deps.ts'
import {
  askInterruptedOutcomes,
  interruptedSession,
  noteUnstartedTurns,
  unreadableSession
} from './interrupted-session.ts'
import { updateOutcomes } from './outcome.ts'
import { Cleanup } from './page.ts'
import { prepareSession, type SessionRequest } from './prepare-session.ts'
import { compareWithSigner } from './printed-document.ts'
import { type PersonOverlay, Session } from './session.ts'
import type { SessionState } from './session-state.ts'
import { SigningQueue } from './signing-queue.ts'
import type { AskedFrom, StaffAction } from './staff-actions.ts'

export class Counter {
  readonly #deps: CounterDeps
  readonly #queue: SigningQueue
  readonly #cleanup: Cleanup
  #session: Session | undefined
  #isStarting = false
  #isClosed = false

  constructor(deps: CounterDeps) {
    this.#deps = deps
    this.#queue = new SigningQueue(deps)
    this.#cleanup = new Cleanup(deps.time)
  }

  /** Who can sign here now: today's appointments first, then next due first. */
  queue(accountId?: string): Promise<CounterEntry[]> {
    return this.#queue.entries(accountId)
  }

  /** Pins an entry to today, until midnight, or unpins it. */
  pinEntry(entry: Parameters<SigningQueue['pin']>[0]): void {
    this.#queue.pin(entry)
    this.#deps.changed(this.state()?.id ?? '')
  }

  /**
   * @throws AppFailure `not-signable` if they can't sign here now, `busy` while they are at another counter, and the
   * service's failures.
   */
  offer(documentReference: string, signer: number): Promise<CounterOffer> {
    return this.#queue.offer(documentReference, signer)
  }

  /** Compares what is printed on a signer's passport or identity card with their name. @throws AppFailure `gone`. */
  compareDocument(comparison: Parameters<typeof compareWithSigner>[1]): Promise<PrintedComparison> {
    return compareWithSigner(this.#deps, comparison)
  }

  /**
   * Starts a session, with the handover to the first person. Nothing is loaded until they have the screen.
   * @throws AppFailure `busy` while another session runs or another counter has one of these people, `no-pin`,
   * `bad-input`, `gone`, `not-signable`, and the service's failures.
   */
  async start(request: SessionRequest): Promise<CounterSession> {
    if (this.#isClosed) fail('gone', 'Countersign is closing.')
    if (this.isRunning() || this.#isStarting)
      fail('busy', 'Someone else is signing.', { next: 'End that session first.' })
    this.#isStarting = true
    try {
      this.#session = await this.#startSession(request)
    } catch (error) {
      void this.#deps.reservations.release()
      throw error
    } finally {
      this.#isStarting = false
    }
    this.reservationsChanged()
    const { state } = this.#session
    if (request.allowsCamera) state.note('camera-allowed', { by: 'staff', when: 'at the start' })
    this.#deps.changed(state.shown.id)
    return state.shown
  }

  async #startSession(request: SessionRequest): Promise<Session> {
    const { account, accountId: chosen, pin, place, reservations } = this.#deps
    const accountId = chosen()
    const { isSet, waitUntil, asksName, needsName } = await pin.state()
    if (!isSet) fail('no-pin', 'Choose a staff PIN first.')
    if (!(await this.#cleanup.wipe())) {
      fail('internal', 'The previous signing page couldn’t be closed.', {
        next: 'Restart Countersign.'
      })
    }
    const { stateAt, ...start } = await prepareSession(this.#deps, accountId, request)
    const { facts } = start
    await reservations.reserve(
      accountId,
      request.turns.map((turn, index) => ({ ...turn, person: facts[index]?.identity.person ?? '' }))
    )
    const taken = await place.handOver()
    // Much may have happened while the screen was being taken.
    if (this.#isClosed || !account(accountId)) {
      place.giveBack()
      fail('gone', 'The account was removed, or Countersign is closing.')
    }
    // Wrong PINs from before the handover may still make staff wait: the PIN pad shows it from the start.
    const state = { ...stateAt(taken), ...defined({ pinWaitUntil: waitUntil, asksName, needsName }) }
    const session = new Session(this.#deps, this.#cleanup, { ...start, state })
    try {
      noteStart(session.state, this.#deps.officeName(accountId))
    } catch (error) {
      place.giveBack()
      throw error
    }
    return session
  }

  state(): CounterSession | null {
    return this.#session?.state.shown ?? null
  }

  /**
   * Returns the language that someone had their screens in, as long as this session is shown; undefined for English.
   */
  languageOf(id: string, person: { name: string; contact?: string | undefined }): PersonLanguage | undefined {
    const { state } = this.#session ?? {}
    if (state?.shown.id !== id) return undefined
    const index = state.shown.turns.findIndex(
      (turn) => turn.signerName === person.name && turn.contact === person.contact
    )
    const { language } = state.preferencesOf(index)
    return language === 'en' ? undefined : language
  }

  // What a person or staff can do in the session with this id. Each throws AppFailure `gone` if another session, or
  // none, is shown.
  readonly begin = async (id: string) => this.#sessionOf(id).begin()
  readonly show = (id: string, bounds: ViewBounds) => this.#sessionOf(id).show(bounds)
  readonly cover = async (id: string, why: PersonOverlay) => this.#sessionOf(id).cover(why)
  readonly resume = async (id: string) => this.#sessionOf(id).resume()
  readonly allowCamera = async (id: string) => this.#sessionOf(id).allowCamera()
  readonly giveFile = async (id: string, file: string) => this.#sessionOf(id).giveFile(file)
  readonly finish = async (id: string) => this.#sessionOf(id).finish()
  readonly next = async (id: string, stops = false) => this.#sessionOf(id).next(stops)
  readonly retry = async (id: string) => this.#sessionOf(id).retry()
  readonly zoom = async (id: string, factor: number) => this.#sessionOf(id).zoom(factor)
  readonly adjust = async (id: string, changes: Partial<PersonPreferences>) => this.#sessionOf(id).adjust(changes)
  readonly touched = (id: string) => this.#sessionOf(id).touched()
  readonly unlock = async (id: string, pin: string, name?: string) => this.#sessionOf(id).staff.unlock(pin, name)
  readonly staff = async (id: string, action: StaffAction, from: AskedFrom) =>
    this.#sessionOf(id).staff.act(action, from)

  /**
   * Returns the receipt of the person who has the screen, once all of their turns have ended.
   * @throws AppFailure `gone`, `not-allowed`, and if the audit trail has nothing to make a receipt from.
   */
  async receipt(id: string): Promise<ReceiptCode> {
    const { phase, receipt, current, turns } = this.#sessionOf(id).state.shown
    const turn = turns[current]
    const own = turns.filter(({ person }) => person === turn?.person)
    const isDone = (phase === 'between' || phase === 'return') && own.every(({ outcome }) => outcome !== undefined)
    if (!turn || !receipt || !isDone) return fail('not-allowed', 'There is no receipt yet.')
    return this.#deps.receiptOf(id, { name: turn.signerName, contact: turn.contact })
  }

  /**
   * Closes a session whose result staff has seen. Harmless if it's closed already.
   * @throws AppFailure `busy` while the session runs.
   */
  close(id: string): void {
    if (this.state()?.id !== id) return
    if (this.isRunning()) fail('busy', 'This session hasn’t ended yet.')
    this.#session = undefined
    this.#deps.changed('')
  }

  screenLeft(by: LeaveReason): void {
    this.#session?.screenLeft(by)
  }

  /** Called when the second display is gone: the person then signs in this window, behind a lock. */
  displayLost(): void {
    this.#session?.displayLost()
  }

  /**
   * Whether the screen may be left without a PIN: the last attempt found that none is set any more, so nobody could
   * unlock it.
   */
  canLeaveWithoutPin(): boolean {
    return this.#session?.staff.isPinGone() ?? false
  }

  isRunning(): boolean {
    const state = this.state()
    return state !== null && state.phase !== 'ended'
  }

  /** Whether a person has this window, so that nothing of the office may be shown in it. */
  isHandedOver(): boolean {
    return this.isRunning() && this.state()?.place === 'here'
  }

  /**
   * Called when documents of an account changed: the outcomes of ended turns may now be known, and that of the current
   * one, which then ends soon. Never rejects.
   */
  async documentsChanged(accountId: string): Promise<void> {
    const session = this.#session
    if (session?.state.accountId !== accountId) return
    await updateOutcomes(this.#deps, session.state)
    if (this.isRunning()) void session.turns.closeIfAnswered()
  }

  /** The account whose folders will show the running session's outcomes; undefined if no session runs. */
  sessionAccountId(): string | undefined {
    return this.isRunning() ? this.#session?.state.accountId : undefined
  }

  /**
   * Called when the staff, or how long a PIN waits, may have changed; updates a PIN pad that is shown. Never rejects.
   */
  async pinChanged(): Promise<void> {
    const session = this.#session
    const found = await this.#deps.pin.state().catch(() => undefined)
    if (!found || session === undefined || session !== this.#session || !this.isRunning()) return
    const { waitUntil: pinWaitUntil, asksName, needsName } = found
    const { shown } = session.state
    if (shown.pinWaitUntil === pinWaitUntil && shown.asksName === asksName && shown.needsName === needsName) return
    session.state.update({ pinWaitUntil, asksName, needsName })
  }

  /** Called when what is known of other counters, or whether this session's turns are reserved, changed. */
  reservationsChanged(): void {
    const { state } = this.#session ?? {}
    const notReserved = this.#deps.reservations.whyNotReserved()
    if (state && this.isRunning() && state.shown.notReserved !== notReserved) state.update({ notReserved })
    else this.#deps.changed(state?.shown.id ?? '')
  }

  /** Called when accounts changed; ends a session whose account was removed. */
  async accountsChanged(): Promise<void> {
    const session = this.#session
    if (session && this.isRunning() && !this.#deps.account(session.state.accountId)) await session.turns.stop()
  }

  /**
   * Shows, at the application's start, a session that was interrupted: locked, while the service is asked about it. If
   * no PIN is set any more there is nothing to lock with, so it ends. Resolves once the service was asked.
   */
  async resumeInterrupted(): Promise<void> {
    const { account, changed, crashMarker, newId, pin, time } = this.#deps
    const read = this.#session ? null : crashMarker.read()
    if (!read) return
    const isReadable = read !== 'unreadable'
    const found = isReadable ? read : unreadableSession(newId(), time.now())
    const isPractice = account(found.accountId)?.kind === 'practice'
    const resumed = new Session(this.#deps, this.#cleanup, interruptedSession(found, isPractice))
    this.#session = resumed
    resumed.state.note('session-interrupted', isReadable ? { startedBy: found.staff } : { found: 'unreadable' })
    noteUnstartedTurns(found, resumed.state)
    changed(found.id)
    // Includes how long the pad still waits after earlier wrong PINs; otherwise it would look as if it took one now.
    const { isSet, waitUntil, asksName, needsName } = await pin
      .state()
      .catch((): Partial<PinState> => ({ isSet: true }))
    const pinFields = defined({ pinWaitUntil: waitUntil, asksName, needsName })
    if (resumed.state.shown.phase !== 'ended') resumed.state.update(pinFields)
    if (isSet === false) resumed.end({ by: 'no PIN' })
    await askInterruptedOutcomes(this.#deps, resumed.state)
  }

  /**
   * Ends the session as the application closes: wipes the page and leaves nothing to be found interrupted. With
   * `keepsMarker` the crash marker stays, and the next start is locked.
   */
  async end({ keepsMarker = false }: { keepsMarker?: boolean } = {}): Promise<void> {
    this.#isClosed = true
    await this.#session?.shutDown(keepsMarker)
    // While the office's server can still be reached.
    await this.#deps.reservations.release()
  }

  #sessionOf(id: string): Session {
    return this.#session && this.state()?.id === id
      ? this.#session
      : fail('gone', 'This session has ended.', { next: 'Start again from Counter.' })
  }
}

/** @throws the database's error: no session begins without its entry in the audit trail. */
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
