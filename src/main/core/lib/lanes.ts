/** A pool of lanes (such as connections) that carry one call at a time each; callers queue when none is free. */

export interface Lanes<Lane> {
  /** Rejects with `givenUp` if the signal aborts the wait; no lane was taken then. */
  take(signal: AbortSignal | null | undefined): Promise<Lane>
  /** Must be called once for each lane taken. */
  leave(lane: Lane): void
}

/** Creates a pool of lanes. @param givenUp creates the error for an aborted wait. */
export function openLanes<Lane>(lanes: readonly Lane[], givenUp: () => Error): Lanes<Lane> {
  const free = [...lanes]
  const waiting: ((lane: Lane) => void)[] = []

  return {
    async take(signal) {
      const lane = free.pop()
      if (lane !== undefined) return lane
      const { promise, resolve, reject } = Promise.withResolvers<Lane>()
      const giveUp = () => {
        const place = waiting.indexOf(resolve)
        // It already has a lane; its user sees the signal.
        if (place < 0) return
        waiting.splice(place, 1)
        reject(givenUp())
      }
      waiting.push(resolve)
      signal?.addEventListener('abort', giveUp, { once: true })
      return promise.finally(() => signal?.removeEventListener('abort', giveUp))
    },

    leave(lane) {
      const next = waiting.shift()
      if (next) next(lane)
      else free.push(lane)
    }
  }
}
