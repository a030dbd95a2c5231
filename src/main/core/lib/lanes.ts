/** What carries one call at a time each, such as connections: anyone who finds none free waits for their turn. */

export interface Lanes<Lane> {
  /** Rejects with `givenUp` where the signal ends the wait: nothing was begun. */
  take(signal: AbortSignal | null | undefined): Promise<Lane>
  /** To be called once for each that was taken. */
  leave(lane: Lane): void
}

/** @param givenUp what a wait that its signal ended rejects with. */
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
        // It has a lane already, and its user hears of the signal.
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
