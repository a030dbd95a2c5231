/** What is known of the line to each account's service, from the way that calls end. */
import { type AppError, type ConnectionView, localErrorCodes } from '../../../../shared/contract/index.ts'

/** Errors that say that no connection could be made, or that something else than the service answered. */
const UNREACHABLE = new Set<AppError['code']>([
  'offline',
  'dns',
  'refused',
  'timeout',
  'tls',
  'not-json',
  'unsafe-address'
])
const localCodes: ReadonlySet<string> = new Set(localErrorCodes)

/** What a call's end says of the connection; undefined where it failed on this machine, before the service was asked. */
function stateAfter(error: AppError | undefined): ConnectionView['state'] | undefined {
  if (!error) return 'online'
  if (UNREACHABLE.has(error.code)) return 'offline'
  if (localCodes.has(error.code) || error.code === 'cancelled') return undefined
  return error.code === 'unauthorised' ? 'refused' : 'online'
}

export function openConnections(clock: () => number) {
  const connections = new Map<string, ConnectionView>()

  return {
    /** Notes how a call ended; answers whether the state is another one now. */
    noted(accountId: string, error?: AppError): boolean {
      const state = stateAfter(error)
      if (!state) return false
      const before = connections.get(accountId)
      const since = before?.state === state ? before.since : clock()
      connections.set(accountId, { state, since, ...(error && state !== 'online' && { error }) })
      return before?.state !== state
    },
    of: (accountId: string | undefined): ConnectionView =>
      (accountId && connections.get(accountId)) || { state: 'unknown', since: clock() },
    forget: (accountId: string) => void connections.delete(accountId)
  }
}
