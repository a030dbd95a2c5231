/**
 * One session at the counter, from the first handover until staff has the screen again. Whatever happens at whatever moment, it
 * moves on by what is written here and in the parts that it joins, and always comes to its end.
 */
import type { AppError, CounterSession } from '../../../shared/contract/index.ts'
import { openCamera } from './camera.ts'
import type { Cleanup } from './cleanup.ts'
import type { LeftBy } from './counter-place.ts'
import type { CounterDeps } from './deps.ts'
import { openIdle } from './idle.ts'
import { followOutcomes } from './later-outcomes.ts'
import { outcomeCounts } from './outcome.ts'
import { OWN_COVERS, openOverlays } from './overlays.ts'
import { openPage } from './page.ts'
import { type Changes, openRecord, type RecordStart } from './session-state.ts'
import { openStaffActions } from './staff-actions.ts'
import { openTurns } from './turns.ts'
import { openUnlocking } from './unlocking.ts'

/** How many refused attempts of a page are remembered for our frame to tell of. */
const REMEMBERED = 20
const UNPLUGGED: AppError = {
  code: 'cancelled',
  message:
    'The second display was unplugged, so the page was closed. What was not sent from it is lost. Try again on this screen, or have staff end it.'
}

/** Nothing is left to be seen but that staff has to come. */
const RETURN = {
  phase: 'return',
  cover: undefined,
  coveredBy: undefined,
  isLocked: true,
  error: undefined,
  asksFor: [],
  warningUntil: undefined
} satisfies Changes

export type OpenSession = ReturnType<typeof openSession>

/** @param leftovers pages of sessions before, and in the end those of this one */
export function openSession(effects: CounterDeps, leftovers: Cleanup, start: RecordStart) {
  const idle = openIdle(
    { schedule: effects.schedule, clock: effects.clock, idle: () => effects.settings().idle },
    {
      warn: (until) => record.become({ warningUntil: until }),
      cover() {
        // Out of sight before anything is written: the disk may take its time.
        covers.cover('idle', 'locked')
        record.note('idle', { became: 'covered' })
      },
      end() {
        record.note('idle', { became: 'ended' })
        void turns.stop()
      },
      staffLeft: () => covers.cover('away', 'locked')
    }
  )
  const record = openRecord(effects, start, idle.follow)
  const page = openPage(effects, leftovers, {
    loading: () => covers.pageIs('loading'),
    open(origin) {
      if (origin !== undefined && origin !== record.state.origin) record.become({ origin })
      covers.pageIs('open')
    },
    returned: () => void turns.finish('returned'),
    failed: (error) => turns.failed(error),
    refused: (what) =>
      record.become({ refused: [...record.state.refused, { what, at: effects.clock() }].slice(-REMEMBERED) }),
    asksFor: (devices) => camera.asked(devices),
    unanswered: () => camera.closed(),
    granted: (devices) => camera.granted(devices),
    touched: idle.touched
  })
  const covers = openOverlays({ record, page })
  const camera = openCamera({ record, page, covers })
  const turns = openTurns({ effects, record, page, covers, over })
  const unlocking = openUnlocking({ effects, record, covers, ended })
  const deeds = openStaffActions({ effects, record, page, covers, camera, turns, ended })

  function over(): void {
    // Staff who has given their PIN has the screen already; one that was left since then is nobody's.
    if (record.state.cover === 'staff' || (deeds.isEnding() && !record.state.isLocked)) {
      ended()
      return
    }
    record.become(RETURN)
  }

  function ended(how: Record<string, string> = {}): void {
    if (record.state.phase === 'ended') return
    record.moveOn()
    effects.running.keep(null)
    effects.place.giveBack()
    record.become({
      ...{
        phase: 'ended',
        cover: undefined,
        coveredBy: undefined,
        isLocked: false,
        error: undefined,
        asksFor: [],
        warningUntil: undefined
      },
      pinWaitUntil: undefined
    })
    idle.stop()
    record.note('session-ended', { ...outcomeCounts(record.state), ...seconds(), ...how })
  }

  const seconds = () => ({ seconds: String(Math.max(0, Math.round((effects.clock() - start.startedAt) / 1000))) })

  /** A person did something: they are there. What doesn't fit the moment changes nothing. */
  async function act(fits: () => boolean, deed: () => unknown): Promise<CounterSession> {
    if (fits()) {
      idle.touched()
      await deed()
    }
    return record.state
  }

  const isPhase = (...phases: CounterSession['phase'][]) => phases.includes(record.state.phase)
  const hasOwnCover = () => {
    const { cover, isLocked } = record.state
    return !isLocked && isPhase('covered') && cover !== undefined && OWN_COVERS.includes(cover)
  }

  /** What the service doesn't have yet may be opened again, before anybody goes on. */
  const isNotSignedYet = () => isPhase('between') && record.turnOf(record.state.current).outcome?.signed === 'not-yet'

  idle.follow(record.state)

  return {
    record,
    state: (): CounterSession => record.state,

    begin: () =>
      act(
        () => isPhase('handover') && covers.isFree(),
        () => {
          const { current } = record.state
          const evidence = record.factsOf(current).evidence.join('; ')
          record.noteTurn('handed-over', current, { evidence, place: record.state.place })
          return turns.begin(current)
        }
      ),

    /** Where the page is to be seen. It is seen only while it may be. */
    show(at: Parameters<typeof page.place>[0]): CounterSession {
      if (isPhase('loading', 'open', 'covered')) page.place(at)
      if (covers.isShowing()) page.reveal()
      return record.state
    },

    cover: (why: 'moment' | 'help' | 'finish' | 'stop' | 'not-me') =>
      act(
        () =>
          why === 'not-me'
            ? isPhase('handover') && covers.isFree()
            : (covers.isShowing() && covers.isFree()) || hasOwnCover(),
        () => {
          const before = record.state.cover
          covers.cover(why, why === 'not-me' ? 'locked' : 'not locked')
          if (why === 'not-me') record.noteTurn('left', record.state.current, { by: why })
          else if (before !== why) record.noteTurn('left', record.state.current, { by: 'person', why })
        }
      ),

    resume: () =>
      act(
        () => hasOwnCover() || record.state.cover === 'camera',
        () => {
          camera.refuse('person')
          covers.uncover()
        }
      ),

    finish: () =>
      act(
        () => (covers.isShowing() && covers.isFree()) || hasOwnCover(),
        () => turns.finish(record.state.cover === 'finish' ? 'finished' : 'stopped')
      ),

    next: () =>
      act(
        () => isPhase('between', 'failed') && covers.isFree(),
        () => turns.next()
      ),

    retry: () =>
      act(
        () => (isPhase('failed') || isNotSignedYet()) && covers.isFree(),
        () => turns.begin(record.state.current)
      ),

    zoom: (factor: number) =>
      act(
        () => (isPhase('between', 'failed') || covers.isShowing()) && covers.isFree(),
        () => {
          record.become({ zoom: factor })
          page.zoom(factor)
        }
      ),

    touched: idle.touched,
    unlock: unlocking.unlock,
    staff: deeds.staff,

    /** The place where the person signs was left: only staff can go on. */
    left(by: LeftBy): void {
      const { phase, cover } = record.state
      if (phase === 'return' || phase === 'ended') return
      if (cover === 'away' || cover === 'idle' || cover === 'not-me') return
      covers.cover('away', 'locked', by)
      record.noteTurn('left', record.state.current, { by })
    },

    /**
     * The second display is gone: the session goes on in this window, locked. A page can't come with it, and is wiped: what
     * became of its turn is asked when staff has chosen to go on or to end. Where all have finished, it is over.
     */
    placeLost(): void {
      if (record.state.place !== 'other-display' || isPhase('ended')) return
      if (isPhase('return')) {
        // Everything was asked, and this window was staff's all along: there is nothing to lock.
        record.noteTurn('left', record.state.current, { by: 'display' })
        ended()
        return
      }
      const hasPage = isPhase('loading', 'open', 'covered')
      covers.cover('away', 'locked', 'display')
      record.become({ place: 'here' })
      if (hasPage) turns.failed(UNPLUGGED)
      record.noteTurn('left', record.state.current, { by: 'display' })
    },

    /** The PIN is gone, as last known: nobody can unlock it any more. */
    canBeLeft: unlocking.isPinGone,

    /** What is not yet known of turns may be known now. Never rejects. */
    documentsChanged: (): Promise<void> => followOutcomes(effects, record),

    /** Ends it without anybody's doing: the screen stays locked until staff comes. */
    stop: (): Promise<void> => turns.stop(),

    /**
     * The application ends: nothing of the page stays, and nobody is asked any more.
     * @param keepsNote whether the next start finds it interrupted, and so locked
     */
    async closed(keepsNote: boolean): Promise<void> {
      if (isPhase('ended')) return
      record.moveOn()
      idle.stop()
      const wiped = page.wipe()
      if (keepsNote) {
        record.become(RETURN)
        record.note('left', { by: 'closing' })
        effects.place.giveBack()
      } else {
        const { current, turns: all } = record.state
        if (all[current] && !all[current].outcome && record.factsOf(current).hasBegun) {
          record.noteTurn('turn-ended', current, { outcome: 'unknown', by: 'application closed' })
        }
        ended({ by: 'application closed' })
      }
      await wiped
    },

    ended
  }
}
