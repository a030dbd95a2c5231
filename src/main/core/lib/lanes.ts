/** A pool of resources (such as connections) that each carry one call at a time; callers queue when none is free. */

export interface ResourcePool<Lane> {
  /** Rejects with `abortError` if the signal aborts the wait; no lane was taken then. */
  acquire(signal: AbortSignal | null | undefined): Promise<Lane>
  /** Must be called once for each lane taken. */
  release(lane: Lane): void
}

/** Creates a pool. @param abortError creates the error for an aborted wait. */
export function openResourcePool<Lane>(lanes: readonly Lane[], abortError: () => Error): ResourcePool<Lane> {
  const free = [...lanes]
  const waiting: ((lane: Lane) => void)[] = []

  return {
    async acquire(signal) {
      const lane = free.pop()
      if (lane !== undefined) return lane
      const { promise, resolve, reject } = Promise.withResolvers<Lane>()
      const giveUp = () => {
        const place = waiting.indexOf(resolve)
        // It already has a lane; its user sees the signal.
        if (place < 0) return
        waiting.splice(place, 1)
        reject(abortError())
      }
      waiting.push(resolve)
      signal?.addEventListener('abort', giveUp, { once: true })
      return promise.finally(() => signal?.removeEventListener('abort', giveUp))
    },

    release(lane) {
      const next = waiting.shift()
      if (next) next(lane)
      else free.push(lane)
    }
  }
}
