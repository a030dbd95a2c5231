/**
 * One request and the head of its answer: signed, sent, and led through redirects that stay with the service. What
 * comes back is either the answer or a ServiceError.
 */
import { drop } from './answer-body.ts'
import type { Authentication } from './authentication.ts'
import { ServiceError } from './errors.ts'
import type { Watch } from './limits.ts'
import { readNetworkFailure } from './network-failure.ts'
import { statusMayHaveArrived } from './refusal.ts'

/**
 * What we need of `fetch`: Node's, or Electron's net. With `redirect: 'manual'` it should resolve to the redirect itself;
 * where it rejects instead, as `net.fetch` does, redirects are refused (see net-request-fetch.ts for one that resolves). The operation,
 * as the reference calls it, is for what writes down what was asked.
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
  mayLeave?: (() => boolean) | undefined
}

const MOST_HOPS = 5

/**
 * Sends one request.
 *
 * Redirects: a GET is led on, freshly signed, while it stays at the origin that the account names. Another origin is
 * refused whatever is fetched: with credentials it would tell a stranger who we are, and without them (a download
 * handed to a storage host, say) it would let anyone who answers for the service point this program at any machine that
 * the office's network can reach. The reference has the service itself answer downloads, so nothing is lost. A change of
 * scheme is another origin, too: the account's address is then to be corrected, which `movedTo` helps with. A POST
 * is never sent a second time, as that could send a package twice.
 *
 * A token that ran out meanwhile: 401 says for certain that nothing was taken, so what was asked is asked once more with another
 * token, a POST too (decision 5).
 */
export async function exchange(
  request: Exchange,
  fetch: Fetch,
  authentication: Authentication,
  watch: Watch
): Promise<Response> {
  let url = request.url
  for (let hop = 0; hop <= MOST_HOPS; hop++) {
    const response = await sendWithRenewal({ ...request, url }, fetch, authentication, watch)
    if (!isRedirect(response)) return response
    drop(response)
    const target = redirectTarget(response, url)
    if (request.method === 'POST' || !target || target.origin !== url.origin)
      throw redirected(request, response, target)
    url = target
  }
  throw new ServiceError({ code: 'redirected', operation: request.operation, mayHaveArrived: false })
}

async function sendWithRenewal(
  request: Exchange,
  fetch: Fetch,
  authentication: Authentication,
  watch: Watch
): Promise<Response> {
  const first = headersOf(request)
  const response = await sendOnce(request, first, fetch, authentication, watch)
  if (response.status !== 401 || !authentication.renew) return response
  const renewing = authentication.renew({ headers: first })
  const isRenewed = await credential(request.operation, watch, renewing).catch((error: unknown) => {
    drop(response)
    throw error
  })
  if (!isRenewed) return response
  drop(response)
  return sendOnce(request, headersOf(request), fetch, authentication, watch)
}

function headersOf({ accept, body }: Exchange): Headers {
  return new Headers({ Accept: accept, ...(body !== undefined && { 'Content-Type': 'application/json' }) })
}

/** Waits for what a request is signed with. */
async function credential<Value>(operation: string, watch: Watch, step: Value | Promise<Value>): Promise<Value> {
  try {
    return await watch.during('answer', Promise.resolve(step))
  } catch (thrown) {
    const ended = watch.ended()
    // Ours hold no credential; what else signing threw may, so nothing of that is passed on.
    if (!ended && thrown instanceof ServiceError) throw thrown
    throw new ServiceError({ code: ended ?? 'unauthorised', operation, mayHaveArrived: false })
  }
}

async function sendOnce(
  { operation, method, url, body, mayLeave }: Exchange,
  headers: Headers,
  fetch: Fetch,
  authentication: Authentication,
  watch: Watch
): Promise<Response> {
  // What it throws at once is caught, too.
  const signing = async () => authentication.sign({ method, url, headers, body })
  await credential(operation, watch, signing())
  const ended = watch.ended()
  if (ended) throw new ServiceError({ code: ended, operation, mayHaveArrived: false })
  if (mayLeave && !mayLeave()) throw new ServiceError({ code: 'cancelled', operation, mayHaveArrived: false })
  try {
    return await watch.during(
      'answer',
      fetch(
        url.href,
        {
          method,
          headers,
          ...(body !== undefined && { body }),
          redirect: 'manual',
          signal: watch.signal,
          // No cookie comes or goes, and no answer with people in it stays in a cache on disk.
          credentials: 'omit',
          cache: 'no-store',
          // So that Electron doesn't cut the Referer that authentication set; without one nothing is sent either way.
          referrerPolicy: 'unsafe-url'
        },
        operation
      )
    )
  } catch (thrown) {
    throw failure(operation, thrown, watch)
  }
}

/** Makes our error of whatever `fetch` or the reading of a body threw. */
export function failure(operation: string, thrown: unknown, watch: Watch): ServiceError {
  const ended = watch.ended()
  // From outside nobody can tell how far an ended request had got.
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

function redirected({ operation, method }: Exchange, response: Response, target: URL | undefined): ServiceError {
  return new ServiceError({
    code: 'redirected',
    operation,
    mayHaveArrived: method === 'POST' && (response.status === 0 || statusMayHaveArrived(response.status)),
    status: response.status || undefined,
    // Only the origin: the rest of a redirect may hold a token.
    movedTo: target?.origin
  })
}
