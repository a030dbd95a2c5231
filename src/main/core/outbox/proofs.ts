/** What was shown lately not to have arrived. A proof goes stale: what is late may turn up after it. */
import type { OutboxEffects } from './effects.ts'

/** How long after it a send may still leave by it, in milliseconds, whichever clock says so. */
const LASTS = 5 * 60_000

export type Proofs = ReturnType<typeof openProofs>

export function openProofs({ clock, elapsed }: Pick<OutboxEffects, 'clock' | 'elapsed'>) {
  const proofs = new Map<string, { wall: number; elapsed: number }>()

  return {
    /** Nothing of this send is there now. */
    add: (id: string): void => void proofs.set(id, { wall: clock(), elapsed: elapsed() }),
    /** It was tried since, and may have arrived. */
    drop: (id: string): void => void proofs.delete(id),
    /** The computer slept, and the clocks may not say how long. */
    dropAll: (): void => proofs.clear(),
    isFresh(id: string): boolean {
      const proof = proofs.get(id)
      if (!proof) return false
      return elapsed() - proof.elapsed <= LASTS && Math.abs(clock() - proof.wall) <= LASTS
    }
  }
}
