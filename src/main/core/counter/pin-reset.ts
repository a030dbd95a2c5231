/**
 * A forgotten PIN may be replaced by whoever can sign in to this computer: after they asked for it the computer has to be
 * locked and unlocked again, and then they have two minutes.
 */
import type { PinState } from '../../../shared/contract/index.ts'

const MINUTE = 60_000
/** From the asking to the unlocking: what was asked for long ago must not be allowed to somebody who doesn't know of it. */
const ASKED_FOR = 10 * MINUTE
const ALLOWED_FOR = 2 * MINUTE

type Stage = { is: 'asked' | 'locked' | 'allowed'; since: number }

export function openPinReset(monotonic: () => number) {
  let stage: Stage | undefined

  function now(): Stage | undefined {
    if (stage && monotonic() - stage.since >= (stage.is === 'allowed' ? ALLOWED_FOR : ASKED_FOR)) stage = undefined
    return stage
  }

  return {
    state(): PinState['reset'] {
      const found = now()
      if (!found) return 'none'
      return found.is === 'allowed' ? 'allowed' : 'asked'
    },
    ask(): void {
      stage = { is: 'asked', since: monotonic() }
    },
    /** Whether that changed anything. */
    lock(): boolean {
      const found = now()
      if (!found) return false
      // Whoever had leave and locked it instead has it again at the next unlocking.
      stage = { is: 'locked', since: found.is === 'allowed' ? monotonic() : found.since }
      return true
    },
    /** Whether that changed anything. */
    unlock(): boolean {
      if (now()?.is !== 'locked') return false
      stage = { is: 'allowed', since: monotonic() }
      return true
    },
    end(): void {
      stage = undefined
    }
  }
}
