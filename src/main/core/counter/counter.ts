/**
 * The counter: who can sign here, and the one session that runs. The page itself never decides that a document is signed, a
 * signing link never leaves this process, and only staff takes the screen back.
 */
import type { CounterEntry, CounterOffer, CounterSession } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import { openCleanup } from './cleanup.ts'
import type { LeftBy } from './counter-place.ts'
import type { CounterDeps } from './deps.ts'
import { askOfInterrupted, foundSession, noteNotBegun, unreadableSession } from './interrupted.ts'
import { type OpenSession, openSession } from './session.ts'
import { openQueue } from './signing-queue.ts'
import type { ViewBounds } from './signing-view.ts'
import type { AskedFrom, StaffAction } from './staff-actions.ts'
import { readyToStart, type Wanted } from './starting.ts'

export type Counter = ReturnType<typeof openCounter>

export function openCounter(effects: CounterDeps) {
  let session: OpenSession | undefined
  let isStarting = false
  let isOver = false

  const queue = openQueue(effects)
  const leftovers = openCleanup(effects)

  const isRunning = () => session !== undefined && session.state().phase !== 'ended'

  /** @throws AppFailure `gone` where this isn't the session that is shown. */
  function named(id: string): OpenSession {
    return session?.state().id === id ? session : fail('gone', 'This signing is over.')
  }

  function mustBeFree(): void {
    if (isOver) fail('gone', 'Countersign is closing.')
    if (isRunning() || isStarting) fail('busy', 'Somebody else is signing. End that first.')
  }

  async function started(wanted: Wanted): Promise<OpenSession> {
    const accountId = effects.accountId()
    const { isSet } = await effects.pin.state()
    if (!isSet) fail('no-pin', 'Choose a PIN first: with it staff takes the screen back.')
    if (!(await leftovers.wipe())) {
      fail(
        'internal',
        'The page of a signing before could not be closed, so no other is begun. Start Countersign again.'
      )
    }
    const { stateAt, ...start } = await readyToStart(effects, accountId, wanted)
    const place = await effects.place.take()
    // Much may happen while a screen is being filled.
    if (isOver || !effects.account(accountId)) {
      effects.place.giveBack()
      fail('gone', 'The account was removed, or Countersign is closing.')
    }
    return openSession(effects, leftovers, { ...start, state: stateAt(place) })
  }

  function noteStart({ record }: OpenSession, { allowsCamera }: Wanted): void {
    const { turns } = record.state
    const evidence = [...new Set(turns.flatMap((_turn, index) => record.factsOf(index).evidence))]
    record.noteTurn('session-started', 0, {
      documents: String(new Set(turns.map(({ documentReference }) => documentReference)).size),
      turns: String(turns.length),
      evidence: evidence.join('; '),
      place: record.state.place
    })
    if (allowsCamera) record.note('camera-allowed', { by: 'staff', when: 'at the start' })
  }

  return {
    /** Who can sign here now: today's appointments first, then next due first. */
    queue: (): Promise<CounterEntry[]> => queue.queue(),
    /** Pins an appointment of today, until midnight, or unpins it. */
    pinEntry(entry: Parameters<typeof queue.pinEntry>[0]): void {
      queue.pinEntry(entry)
      effects.changed(session?.state().id ?? '')
    },
    offer: (documentReference: string, signer: number): Promise<CounterOffer> => queue.offer(documentReference, signer),

    /**
     * Begins a session with a first handover. Nothing is loaded until the person has the screen.
     * @throws AppFailure `busy` while another lasts, `no-pin`, `bad-input`, `gone`, `not-signable`, and the service's failures.
     */
    async start(wanted: Wanted): Promise<CounterSession> {
      mustBeFree()
      isStarting = true
      try {
        session = await started(wanted)
      } finally {
        isStarting = false
      }
      session.record.keep()
      noteStart(session, wanted)
      effects.changed(session.state().id)
      return session.state()
    },

    state: (): CounterSession | null => session?.state() ?? null,

    /** The person has the screen: their page is loaded. */
    begin: async (id: string): Promise<CounterSession> => named(id).begin(),
    show: (id: string, bounds: ViewBounds): CounterSession => named(id).show(bounds),
    cover: async (id: string, why: 'moment' | 'help' | 'finish' | 'stop' | 'not-me'): Promise<CounterSession> =>
      named(id).cover(why),
    resume: async (id: string): Promise<CounterSession> => named(id).resume(),
    finish: async (id: string): Promise<CounterSession> => named(id).finish(),
    next: async (id: string): Promise<CounterSession> => named(id).next(),
    retry: async (id: string): Promise<CounterSession> => named(id).retry(),
    zoom: async (id: string, factor: number): Promise<CounterSession> => named(id).zoom(factor),
    touched: (id: string): void => named(id).touched(),
    unlock: async (id: string, pin: string): Promise<CounterSession> => named(id).unlock(pin),
    staff: async (id: string, does: StaffAction, from: AskedFrom): Promise<CounterSession | null> =>
      named(id).staff(does, from),

    /**
     * Staff has seen what became of it. Harmless where it is closed already.
     * @throws AppFailure `busy` while it lasts.
     */
    close(id: string): void {
      if (session?.state().id !== id) return
      if (isRunning()) fail('busy', 'This signing isn’t over yet.')
      session = undefined
      effects.changed('')
    },

    /** The place where the person signs was left. */
    left: (by: LeftBy): void => session?.left(by),

    /** The second display is gone: from now on this window is where the person signs, behind a lock. */
    placeLost: (): void => session?.placeLost(),

    /** Whether the screen may be left without a PIN: as last known there is none any more, so nobody could unlock it. */
    canBeLeft: (): boolean => session?.canBeLeft() ?? false,

    /** Whether this window is in a person's hands: nothing of the office may be shown in it. */
    isHandedOver: (): boolean => isRunning() && session?.state().place === 'here',
    isRunning,

    /** Documents of an account changed: what wasn't known of turns may be known now. Never rejects. */
    async documentsChanged(accountId: string): Promise<void> {
      if (session?.record.accountId === accountId) await session.documentsChanged()
    },

    /** Accounts changed: a session of one that was removed ends. */
    async accountsChanged(): Promise<void> {
      if (session && isRunning() && !effects.account(session.record.accountId)) await session.stop()
    },

    /**
     * At the start of the application: shows what was interrupted, locked, and asks the service about it. Where nobody has a
     * PIN any more there is nothing to lock with. Resolves when the service was asked.
     */
    async resumeInterrupted(): Promise<void> {
      const read = session ? null : effects.running.read()
      if (!read) return
      const isReadable = read !== 'unreadable'
      const found = isReadable ? read : unreadableSession(effects.newId(), effects.clock())
      const isPractice = effects.account(found.accountId)?.kind === 'practice'
      const resumed = openSession(effects, leftovers, foundSession(found, isPractice))
      session = resumed
      resumed.record.note('session-interrupted', isReadable ? { startedBy: found.staff } : { found: 'unreadable' })
      noteNotBegun(found, resumed.record)
      effects.changed(found.id)
      const isPinSet = await effects.pin.state().then(
        ({ isSet }) => isSet,
        () => true
      )
      if (!isPinSet) resumed.ended({ by: 'no PIN' })
      await askOfInterrupted(effects, resumed.record)
    },

    /**
     * The application ends: the page is wiped, and nothing is left to be found interrupted, except where the note of what
     * runs is kept: then the next start is locked.
     */
    async end({ keepsNote = false }: { keepsNote?: boolean } = {}): Promise<void> {
      isOver = true
      await session?.closed(keepsNote)
    }
  }
}
