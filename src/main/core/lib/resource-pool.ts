/** A pool of resources (such as connections) that each carry one call at a time; callers queue when none is free. */

export interface ResourcePool<Resource> {
  /** Rejects with `abortError` if the signal aborts the wait; no resource was taken then. */
  acquire(signal: AbortSignal | null | undefined): Promise<Resource>
  /** Must be called once for each resource taken. */
  release(resource: Resource): void
}

/** Creates a pool. @param abortError creates the error for an aborted wait. */
export function openResourcePool<Resource>(
  resources: readonly Resource[],
  abortError: () => Error
): ResourcePool<Resource> {
  const free = [...resources]
  const waiting: ((resource: Resource) => void)[] = []

  return {
    async acquire(signal) {
      const resource = free.pop()
      if (resource !== undefined) return resource
      const { promise, resolve, reject } = Promise.withResolvers<Resource>()
      const giveUp = () => {
        const place = waiting.indexOf(resolve)
        // It already has a resource; its user sees the signal.
        if (place < 0) return
        waiting.splice(place, 1)
        reject(abortError())
      }
      waiting.push(resolve)
      signal?.addEventListener('abort', giveUp, { once: true })
      return promise.finally(() => signal?.removeEventListener('abort', giveUp))
    },

    release(resource) {
      const next = waiting.shift()
      if (next) next(resource)
      else free.push(resource)
    }
  }
}
