/** Connections of which each carries one request at a time: anyone who finds none free waits for their turn. */

export interface Lanes<Lane> {
  /** Rejects in the words of a connection that could not be made where the signal ends the wait: nothing has left. */
  take(signal: AbortSignal | null | undefined): Promise<Lane>
  /** To be called once for each that was taken. */
  leave(lane: Lane): void
}

export function openLanes<Lane>(lanes: readonly Lane[]): Lanes<Lane> {
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
        reject(new Error('net::ERR_CONNECTION_FAILED'))
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
