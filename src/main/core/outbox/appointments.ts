/**
 * Sends that were given a time. The wall clock says when that is, but a jump of it alone makes nothing leave: how long
 * is left is also measured on the clock that never jumps, from when the time was given or from the start of this run;
 * after the computer slept, from when it woke.
 */

/** The two clocks may drift apart by this much, in milliseconds. */
const DRIFT = 5 * 60_000

interface Moment {
  wall: number
  elapsed: number
}

export type Appointments = ReturnType<typeof openAppointments>

export function openAppointments({ clock, elapsed }: { clock: () => number; elapsed: () => number }) {
  const now = (): Moment => ({ wall: clock(), elapsed: elapsed() })
  const given = new Map<string, Moment>()
  let trusted = now()

  return {
    /** A person has just given this send, or this batch, its time by the wall clock as it is. */
    give: (id: string): void => void given.set(id, now()),

    /** The computer slept, or is at work again: the wall clock is right as it is. */
    trustClock(): void {
      given.clear()
      trusted = now()
    },

    /** How long until `at`, in milliseconds; 0 or less where it has come. */
    left(id: string, at: number): number {
      const from = given.get(id) ?? trusted
      const byWall = at - clock()
      const measured = at - from.wall - (elapsed() - from.elapsed)
      return byWall <= 0 && measured > DRIFT ? measured : byWall
    }
  }
}
