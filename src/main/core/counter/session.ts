/**
 * One session at the counter, from the first handover until staff has the screen again. Whatever happens at whatever moment, it
 * moves on by what is written here and in the parts that it joins, and always comes to its end.
 */
import type { CounterSession } from '../../../shared/contract/index.ts'
import { openCamera } from './camera.ts'
import type { CounterEffects } from './counter-effects.ts'
import type { LeftBy } from './counter-place.ts'
import { OWN_COVERS, openCovers } from './covers.ts'
import { openIdle } from './idle.ts'
import { followOutcomes } from './later-outcomes.ts'
import { openPage } from './page.ts'
import { openRecord, type RecordStart } from './record.ts'
import { openStaffDeeds } from './staff-deeds.ts'
import { openTurns } from './turns.ts'
import { openUnlocking } from './unlocking.ts'

/** How many refused attempts of a page are remembered for our frame to tell of. */
const REMEMBERED = 20

export type OpenSession = ReturnType<typeof openSession>

export function openSession(effects: CounterEffects, start: RecordStart) {
  const idle = openIdle(
    { schedule: effects.schedule, clock: effects.clock, idle: () => effects.settings().idle },
    {
      warn: (until) => record.become({ warningUntil: until }),
      cover() {
        record.note('idle', { became: 'covered' })
        covers.cover('idle', 'locked')
      },
      end() {
        record.note('idle', { became: 'ended' })
        void turns.stop()
      },
      staffLeft: () => covers.cover('away', 'locked')
    }
  )
  const record = openRecord(effects, start, idle.follow)
  const page = openPage(effects, {
    loading: () => covers.pageIs('loading'),
    open: () => covers.pageIs('open'),
    returned: () => void turns.finish('returned'),
    failed: (error) => turns.failed(error),
    refused: (what) =>
      record.become({ refused: [...record.state.refused, { what, at: effects.clock() }].slice(-REMEMBERED) }),
    asksFor: (devices) => camera.asked(devices),
    touched: idle.touched
  })
  const covers = openCovers({ record, page })
  const camera = openCamera({ record, page, covers })
  const turns = openTurns({ effects, record, page, covers, over })
  const unlocking = openUnlocking({ effects, record, covers, ended })
  const deeds = openStaffDeeds({ effects, record, page, covers, camera, turns, ended })

  function over(): void {
    // Staff who has given their PIN has the screen already.
    if (record.state.cover === 'staff' || deeds.isEnding()) {
      ended()
      return
    }
    record.become({
      ...{ phase: 'return', cover: undefined, isLocked: true, error: undefined, asksFor: [], warningUntil: undefined }
    })
  }

  function ended(how: Record<string, string> = {}): void {
    if (record.state.phase === 'ended') return
    record.moveOn()
    effects.running.keep(null)
    effects.place.giveBack()
    record.become({
      ...{ phase: 'ended', cover: undefined, isLocked: false, error: undefined, asksFor: [], warningUntil: undefined },
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

    cover: (why: 'moment' | 'help' | 'finish' | 'stop') =>
      act(
        () => (covers.isShowing() && covers.isFree()) || hasOwnCover(),
        () => covers.cover(why, 'not locked')
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
        () => turns.finish('stopped')
      ),

    next: () =>
      act(
        () => isPhase('between', 'failed') && covers.isFree(),
        () => turns.next()
      ),

    retry: () =>
      act(
        () => isPhase('failed') && covers.isFree(),
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
      if (phase === 'return' || phase === 'ended' || cover === 'away' || cover === 'idle') return
      record.noteTurn('left', record.state.current, { by })
      covers.cover('away', 'locked')
    },

    /** What is not yet known of turns may be known now. Never rejects. */
    documentsChanged: (): Promise<void> => followOutcomes(effects, record),

    /** Ends it without anybody's doing: the screen stays locked until staff comes. */
    stop: (): Promise<void> => turns.stop(),

    /** The application ends: nothing of the page stays, and nobody is asked any more. */
    async closed(): Promise<void> {
      if (isPhase('ended')) return
      record.moveOn()
      idle.stop()
      const wiped = page.wipe()
      const { current } = record.state
      if (record.factsOf(current).hasBegun && !record.turnOf(current).outcome) {
        record.noteTurn('turn-ended', current, { outcome: 'unknown', by: 'application closed' })
      }
      ended({ by: 'application closed' })
      await wiped
    },

    ended
  }
}

/** How many turns came to which outcome. */
function outcomeCounts({ turns }: CounterSession): Record<string, string> {
  const counts: Record<string, number> = {}
  for (const { outcome } of turns) {
    const signed = outcome?.signed ?? 'unknown'
    counts[signed] = (counts[signed] ?? 0) + 1
  }
  return Object.fromEntries(Object.entries(counts).map(([signed, count]) => [signed, String(count)]))
}
