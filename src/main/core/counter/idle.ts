/**
 * Time without a touch: a warning, then the cover, then the end. Whoever is staff and leaves their choice open is taken for gone
 * sooner.
 */
import type { CounterSession, CounterSettings } from '../../../shared/contract/index.ts'
import type { CounterDeps } from './deps.ts'

/** How long staff's choice stays open without a touch, in milliseconds. */
const STAFF_STAYS = 60_000

export interface IdleHappenings {
  /** The page is covered at that moment unless somebody touches something; undefined takes the warning back. */
  warn(until: number | undefined): void
  cover(): void
  end(): void
  /** Staff has gone from an open choice. */
  staffLeft(): void
}

/**
 * person: somebody is expected to act. left: covered until staff comes. staff: their choice is open. nobody: nothing is
 * waited for, or what is waited for is the service.
 */
type Waiting = 'person' | 'left' | 'idle' | 'staff' | 'nobody'

export function openIdle(
  effects: Pick<CounterDeps, 'schedule' | 'clock'> & { idle: () => CounterSettings['idle'] },
  happened: IdleHappenings
) {
  let waiting: Waiting = 'nobody'
  let isWarned = false
  let cancel: (() => void) | undefined

  function after(seconds: number, task: () => void): void {
    cancel?.()
    cancel = effects.schedule(task, seconds * 1000)
  }

  function begin(): void {
    cancel?.()
    cancel = undefined
    const { warnAfter, coverAfter, endAfter } = effects.idle()
    switch (waiting) {
      case 'person':
        after(warnAfter, () => {
          isWarned = true
          after(coverAfter, happened.cover)
          happened.warn(effects.clock() + coverAfter * 1000)
        })
        break
      case 'left':
        // As long as for one who sits before it, so that what they began isn't lost to a moment's absence of staff.
        after(warnAfter + coverAfter + endAfter, happened.end)
        break
      case 'idle':
        after(endAfter, happened.end)
        break
      case 'staff':
        after(STAFF_STAYS / 1000, happened.staffLeft)
        break
      case 'nobody':
        break
    }
  }

  return {
    /** Somebody is there. Behind a cover that only staff can take away that counts for nothing. */
    touched(): void {
      if (waiting !== 'person' && waiting !== 'staff') return
      const wasWarned = isWarned
      isWarned = false
      begin()
      if (wasWarned) happened.warn(undefined)
    },

    /** To be told of each change of the session. */
    follow(state: CounterSession): void {
      const next = waitingFor(state)
      if (next === waiting) return
      waiting = next
      isWarned = false
      begin()
    },

    stop(): void {
      cancel?.()
      cancel = undefined
      waiting = 'nobody'
    }
  }
}

function waitingFor({ phase, cover }: CounterSession): Waiting {
  if (phase === 'asking' || phase === 'return' || phase === 'ended') return 'nobody'
  if (cover === 'staff') return 'staff'
  if (cover === 'idle') return 'idle'
  return cover === 'away' || cover === 'not-me' ? 'left' : 'person'
}
