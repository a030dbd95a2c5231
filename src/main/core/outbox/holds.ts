/**
 * The time to take a send or a batch back, measured by the clock that never jumps. An earlier run's is taken over with
 * what was left of it, and never becomes longer than the setting by a clock that was put back.
 */
export type Holds = ReturnType<typeof openHolds>

export function openHolds(elapsed: () => number) {
  const until = new Map<string, number>()

  return {
    /** @param milliseconds from now. */
    hold(id: string, milliseconds: number): void {
      if (milliseconds > 0) until.set(id, elapsed() + milliseconds)
    },
    release: (id: string): void => void until.delete(id),
    /** How long it is still held, in milliseconds; 0 where it isn't. */
    left(id: string): number {
      const end = until.get(id)
      if (end === undefined) return 0
      const left = end - elapsed()
      if (left <= 0) until.delete(id)
      return Math.max(0, left)
    }
  }
}
