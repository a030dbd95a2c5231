/** How quickly bytes come, over the last seconds, and how long the rest takes at that. */

/** Over so many milliseconds. */
const WINDOW = 5_000
const STEP = 250

export type Speed = ReturnType<typeof openSpeed>

/** @param elapsed milliseconds, by a clock that never goes back. */
export function openSpeed(elapsed: () => number) {
  /** Bytes by steps of time, oldest first. */
  let steps: { at: number; bytes: number }[] = []
  /** Of whole files lately, each the less the longer ago. */
  let usualSize: number | undefined

  function perSecond(): number | undefined {
    const now = elapsed()
    steps = steps.filter(({ at }) => now - at < WINDOW)
    const [first] = steps
    if (!first) return undefined
    const sum = steps.reduce((total, { bytes }) => total + bytes, 0)
    return (sum * 1000) / Math.max(1000, now - first.at)
  }

  return {
    came(bytes: number): void {
      const now = elapsed()
      const newest = steps.at(-1)
      if (newest && now - newest.at < STEP) newest.bytes += bytes
      else {
        // Nobody may ask for hours.
        if (steps.length > (2 * WINDOW) / STEP) steps = steps.filter(({ at }) => now - at < WINDOW)
        steps.push({ at: now, bytes })
      }
    },

    /** A file of this size is whole. */
    whole(bytes: number): void {
      usualSize = usualSize === undefined ? bytes : usualSize * 0.9 + bytes * 0.1
    },

    /** Bytes a second; undefined while nothing comes. */
    perSecond,

    /**
     * Undefined where it can't be told.
     * @param left bytes that are known to be still to come, and files of which nothing is known yet.
     */
    secondsLeft(left: { bytes: number; files: number }): number | undefined {
      const rate = perSecond()
      if (!rate || (left.files > 0 && usualSize === undefined)) return undefined
      return Math.ceil((left.bytes + left.files * (usualSize ?? 0)) / rate)
    }
  }
}
