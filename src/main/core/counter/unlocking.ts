/** The staff's PIN: gives the choice of what happens, or the screen where it comes back. Wrong ones are told and counted. */
import type { CounterSession } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import type { CounterDeps } from './deps.ts'
import type { Overlays } from './overlays.ts'
import type { SessionState } from './session-state.ts'
import type { PinAnswer } from './staff-pin.ts'

export interface UnlockingParts {
  effects: Pick<CounterDeps, 'pin' | 'clock'>
  record: SessionState
  covers: Overlays
  ended: () => void
}

export function openUnlocking({ effects, record, covers, ended }: UnlockingParts) {
  const isOver = () => record.state.phase === 'ended'
  let isPinGone = false

  function refused(answer: Extract<PinAnswer, { ok: false }>): never {
    const { code, waitUntil } = answer
    if (code === 'wrong-pin') record.note('pin-wrong')
    record.become({ pinWaitUntil: waitUntil })
    const wait = waitUntil === undefined ? {} : { retryAfterMs: Math.max(0, waitUntil - effects.clock()) }
    switch (code) {
      case 'wrong-pin':
        return fail(code, 'That isn’t the PIN.', wait)
      case 'pin-wait':
        return fail(code, 'There were wrong PINs, so the next one is taken only later.', wait)
      case 'no-pin':
        return fail(code, 'The PIN is no longer kept on this computer. Close Countersign and open it again.')
    }
  }

  return {
    /** Whether there was no PIN any more when one was last given. */
    isPinGone: (): boolean => isPinGone,

    /**
     * @throws AppFailure `wrong-pin`, `pin-wait`, `no-pin`; and `keychain` where the PIN can't be read.
     */
    async unlock(pin: string): Promise<CounterSession> {
      if (isOver()) return record.state
      const answer = await effects.pin.check(pin)
      isPinGone = !answer.ok && answer.code === 'no-pin'
      // Much may have happened meanwhile: what counts is where it is now.
      if (isOver()) return record.state
      if (!answer.ok) return refused(answer)
      record.note('unlocked', { phase: record.state.phase })
      record.become({ pinWaitUntil: undefined })
      if (record.state.phase !== 'return') return covers.cover('staff', 'not locked')
      ended()
      return record.state
    }
  }
}
