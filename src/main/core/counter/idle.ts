/**
 * What happens without a touch: a warning, then the page is covered, then the session ends. Staff who leave their
 * choice open are assumed to have gone after a shorter time.
 */
import type { CounterSession, CounterSettings } from '../../../shared/contract/index.ts'
import type { Time } from '../lib/time.ts'
import { PHASES } from './phases.ts'

/** How long staff's choice stays open without a touch, in seconds. */
const STAFF_TIMEOUT = 60

export interface IdleEvents {
  /** The page is covered at that moment unless someone touches something; undefined cancels the warning. */
  warn(until: number | undefined): void
  cover(): void
  end(): void
  /** Staff has left an open choice. */
  staffLeft(): void
}

/**
 * person: someone is expected to act. left: covered until staff comes. idle: covered because nobody touched anything.
 * staff: their choice is open. nobody: nothing is waited for, or only the service.
 */
type Waiting = 'person' | 'left' | 'idle' | 'staff' | 'nobody'

export class Idle {
  readonly #time: Time
  readonly #settings: () => CounterSettings['idle']
  readonly #timeFactor: () => number
  readonly #events: IdleEvents
  #waiting: Waiting = 'nobody'
  #isWarned = false
  #cancel: (() => void) | undefined

  /** @param timeFactor factor by which a person's times are extended; not those of staff, nor of a page that was left. */
  constructor(time: Time, settings: () => CounterSettings['idle'], timeFactor: () => number, events: IdleEvents) {
    this.#time = time
    this.#settings = settings
    this.#timeFactor = timeFactor
    this.#events = events
  }

  /** Called on each touch. Behind an overlay that only staff can remove, a touch doesn't count. */
  touched(): void {
    if (this.#waiting !== 'person' && this.#waiting !== 'staff') return
    const wasWarned = this.#isWarned
    this.#isWarned = false
    this.#restart()
    if (wasWarned) this.#events.warn(undefined)
  }

  update(state: CounterSession): void {
    const next = waitingFor(state)
    if (next === this.#waiting) return
    this.#waiting = next
    this.#isWarned = false
    this.#restart()
  }

  stop(): void {
    this.#waiting = 'nobody'
    this.#restart()
  }

  #restart(): void {
    this.#cancel?.()
    this.#cancel = undefined
    const { warnAfter, coverAfter, endAfter } = this.#settings()
    switch (this.#waiting) {
      case 'person': {
        const timeFactor = this.#timeFactor()
        this.#after(warnAfter * timeFactor, () => {
          this.#isWarned = true
          this.#after(coverAfter * timeFactor, () => this.#events.cover())
          this.#events.warn(this.#time.now() + coverAfter * timeFactor * 1000)
        })
        break
      }
      case 'left':
        // As long as for someone sitting at the page, so that staff's short absence doesn't cost people what they
        // began.
        this.#after(warnAfter + coverAfter + endAfter, () => this.#events.end())
        break
      case 'idle':
        this.#after(endAfter, () => this.#events.end())
        break
      case 'staff':
        this.#after(STAFF_TIMEOUT, () => this.#events.staffLeft())
        break
      case 'nobody':
        break
    }
  }

  #after(seconds: number, task: () => void): void {
    this.#cancel?.()
    this.#cancel = this.#time.after(seconds * 1000, task)
  }
}

function waitingFor({ phase, cover }: CounterSession): Waiting {
  if (!PHASES[phase].isTimed) return 'nobody'
  if (cover === 'staff') return 'staff'
  if (cover === 'idle') return 'idle'
  return cover === 'away' || cover === 'not-me' ? 'left' : 'person'
}
