/** Clients for tests: real fetch and no waiting between attempts; everything else as in an office. */
import {
  createAuthentication,
  createServiceClient,
  SERVICE_LIMITS,
  type ServiceClient,
  type ServiceClientOptions,
  ServiceError,
  TIME_LIMITS
} from '../../src/main/core/service/index.ts'

export const aKey = {
  key: 'office-key-1',
  secret: 'a-secret-nobody-may-see',
  accessUrl: 'https://office.example.org/portal?branch=7'
}

export const noAuthentication = createAuthentication({ scheme: 'none' }, { clock: Date.now })

export function clientOf(baseUrl: string, changes: Partial<ServiceClientOptions> = {}): ServiceClient {
  return createServiceClient({
    baseUrl,
    authentication: noAuthentication,
    fetch,
    clock: Date.now,
    random: () => 0.5,
    sleep: async () => {},
    ...changes
  })
}

/** Returns a client that records how long it would have waited between attempts. */
export function impatientClientOf(baseUrl: string, changes: Partial<ServiceClientOptions> = {}) {
  const waits: number[] = []
  const client = clientOf(baseUrl, {
    sleep: async (milliseconds) => {
      waits.push(milliseconds)
    },
    ...changes
  })
  return { client, waits }
}

/** Returns limits under which every kind of call gives up after that many milliseconds of silence, without retries. */
export function hastyLimits(milliseconds: number): Partial<typeof SERVICE_LIMITS> {
  const times = { answer: milliseconds, idle: milliseconds, total: milliseconds * 20 }
  return {
    times: { read: times, list: times, send: times, download: times },
    retry: { ...SERVICE_LIMITS.retry, attempts: 1 }
  }
}

export const onlyOneAttempt = { retry: { ...SERVICE_LIMITS.retry, attempts: 1 }, times: TIME_LIMITS }

/**
 * Returns the ServiceError of a failing call.
 * @throws if the call ends otherwise
 */
export async function errorOf(call: Promise<unknown>): Promise<ServiceError> {
  const error = await call.then(
    () => new Error('The call succeeded'),
    (thrown: unknown) => thrown
  )
  if (error instanceof ServiceError) return error
  throw error
}
