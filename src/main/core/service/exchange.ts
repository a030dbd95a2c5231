/**
 * Sends one signed request and follows redirects within the service's origin. The result is either the response's head
 * or a ServiceError.
 */
import { discardBody } from './answer-body.ts'
import type { Authentication } from './authentication.ts'
import { ServiceError } from './errors.ts'
import type { Watchdog } from './limits.ts'
import { readNetworkFailure } from './network-failure.ts'
import { statusMayHaveArrived } from './refusal.ts'

/**
 * What we need of `fetch`, be it Node's or Electron's net. With `redirect: 'manual'` it should resolve to the redirect
 * itself; if it rejects instead, as `net.fetch` does, redirects are refused (net-request-fetch.ts has one that
 * resolves). `operation`, named as in the reference, is for request logs.
 */
export type Fetch = (url: string, init: RequestInit, operation?: string) => Promise<Response>

export interface Exchange {
  operation: string
  method: 'GET' | 'POST'
  url: URL
  accept: string
  /** JSON text. */
  body?: string | undefined
  /** See `CallOptions`. */
  maySend?: (() => boolean) | undefined
}

const MAX_HOPS = 5

/**
 * Sends one request.
 *
 * Redirects: a GET is followed, freshly signed, while it stays at the account's origin. Other origins are refused for
 * any request. With credentials, we would reveal them to a stranger; without (a download handed to a storage host,
 * say), anyone who can answer for the service could point this program at any machine that the office's network can
 * reach. According to the reference the service itself answers downloads, so nothing is lost. A change of scheme counts
 * as another origin: the account's address then needs correcting, which is what `movedTo` is for. A POST is never
 * redirected, as that could send a package twice.
 *
 * Expired tokens: a 401 guarantees that nothing was accepted, so the request, even a POST, is repeated once with a new
 * token (decision 5).
 */
export async function exchange(
  request: Exchange,
  fetch: Fetch,
  authentication: Authentication,
  watchdog: Watchdog
): Promise<Response> {
  let url = request.url
  for (let hop = 0; hop <= MAX_HOPS; hop++) {
    const response = await sendWithRenewal({ ...request, url }, fetch, authentication, watchdog)
    if (!isRedirect(response)) return response
    discardBody(response)
    const target = redirectTarget(response, url)
    if (request.method === 'POST' || !target || target.origin !== url.origin)
      throw redirectError(request, response, target)
    url = target
  }
  throw new ServiceError({ code: 'redirected', operation: request.operation, mayHaveArrived: false })
}

async function sendWithRenewal(
  request: Exchange,
  fetch: Fetch,
  authentication: Authentication,
  watchdog: Watchdog
): Promise<Response> {
  const first = headersOf(request)
  const response = await sendOnce(request, first, fetch, authentication, watchdog)
  if (response.status !== 401 || !authentication.renew) return response
  const renewing = authentication.renew({ headers: first })
  const isRenewed = await awaitCredentials(request.operation, watchdog, renewing).catch((error: unknown) => {
    discardBody(response)
    throw error
  })
  if (!isRenewed) return response
  discardBody(response)
  return sendOnce(request, headersOf(request), fetch, authentication, watchdog)
}

function headersOf({ accept, body }: Exchange): Headers {
  return new Headers({ Accept: accept, ...(body !== undefined && { 'Content-Type': 'application/json' }) })
}

/** Waits for the credentials of a request. */
async function awaitCredentials<Value>(
  operation: string,
  watchdog: Watchdog,
  step: Value | Promise<Value>
): Promise<Value> {
  try {
    return await watchdog.during('answer', Promise.resolve(step))
  } catch (thrown) {
    const ended = watchdog.endReason()
    // Our own errors contain no credentials. Others thrown while signing might, so nothing of them is passed on.
    if (!ended && thrown instanceof ServiceError) throw thrown
    throw new ServiceError({ code: ended ?? 'unauthorised', operation, mayHaveArrived: false })
  }
}

async function sendOnce(
  { operation, method, url, body, maySend }: Exchange,
  headers: Headers,
  fetch: Fetch,
  authentication: Authentication,
  watchdog: Watchdog
): Promise<Response> {
  // Being async, it turns synchronous throws into rejections.
  const signing = async () => authentication.sign({ method, url, headers, body })
  await awaitCredentials(operation, watchdog, signing())
  const ended = watchdog.endReason()
  if (ended) throw new ServiceError({ code: ended, operation, mayHaveArrived: false })
  if (maySend && !maySend()) throw new ServiceError({ code: 'cancelled', operation, mayHaveArrived: false })
  try {
    return await watchdog.during(
      'answer',
      fetch(
        url.href,
        {
          method,
          headers,
          ...(body !== undefined && { body }),
          redirect: 'manual',
          signal: watchdog.signal,
          // No cookies in either direction, and no personal data in a disk cache.
          credentials: 'omit',
          cache: 'no-store',
          // Stops Electron from cutting the Referer set by authentication; without one, nothing is sent either way.
          referrerPolicy: 'unsafe-url'
        },
        operation
      )
    )
  } catch (thrown) {
    throw requestError(operation, thrown, watchdog)
  }
}

/** Turns whatever `fetch` or reading a body threw into a ServiceError. */
export function requestError(operation: string, thrown: unknown, watchdog: Watchdog): ServiceError {
  const ended = watchdog.endReason()
  // From outside we can't tell how far an aborted request got.
  if (ended) return new ServiceError({ code: ended, operation, mayHaveArrived: true })
  return new ServiceError({ operation, ...readNetworkFailure(thrown) })
}

function isRedirect(response: Response): boolean {
  return response.type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(response.status)
}

function redirectTarget(response: Response, from: URL): URL | undefined {
  const location = response.headers.get('location')
  const target = location === null ? null : URL.parse(location, from)
  return target && /^https?:$/.test(target.protocol) ? target : undefined
}

function redirectError({ operation, method }: Exchange, response: Response, target: URL | undefined): ServiceError {
  return new ServiceError({
    code: 'redirected',
    operation,
    mayHaveArrived: method === 'POST' && (response.status === 0 || statusMayHaveArrived(response.status)),
    status: response.status || undefined,
    // Only the origin: the rest of a redirect may contain a token.
    movedTo: target?.origin
  })
}
