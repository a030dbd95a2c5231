/**
 * The network for the signing service's client: Electron's own, so that the system's proxy and certificates apply, in
 * sessions separate from every page, and with a fresh connection for each POST.
 */
import { net, type Session, session } from 'electron'
import { openResourcePool } from '../core/lib/resource-pool.ts'
import type { Lookup } from '../core/policy/private-networks.ts'
import { type Fetch, fetchByNetRequest } from '../core/service/index.ts'
import type { ProxySignIns } from '../core/service/proxy-sign-in.ts'
import { lookupIn } from './dns-lookup.ts'

/** How many POSTs may be in flight at once; further ones wait. */
const MAX_POSTS = 4

/** How long a service has to answer a mere greeting, in milliseconds. */
const GREETING_TIMEOUT_MS = 15_000

interface ServiceNetwork {
  fetch: Fetch
  lookup: Lookup
  /** Returns the proxies for an address as Chromium lists them: `DIRECT`, `PROXY host:port;DIRECT`. */
  proxyFor: (url: string) => Promise<string>
  /** Moves everything to new sessions, none of which remembers a certificate that a service was shown. */
  renewConnections: () => void
  /** Sends one request in a session of its own. Rejects as `fetch`. */
  requestOnce: (url: string) => Promise<void>
}

interface NetworkDeps {
  proxies: Pick<ProxySignIns, 'forRequest'>
  /** Resolves once a session uses the proxy that it should. */
  whenProxied: (own: Session) => Promise<void>
}

/** Opens the network for clients of the service. Nothing is stored on disk: no cookies, no cache. */
export function openServiceNetwork(deps: NetworkDeps): ServiceNetwork {
  let generation = 0
  // The first generation has plain names, for people who look for them.
  const sessionNamed = (name: string) => session.fromPartition(generation === 0 ? name : `${name}-${generation}`)
  let current = openConnections(sessionNamed, deps)
  return {
    fetch: (...request) => current.fetch(...request),
    lookup: (name) => current.lookup(name),
    proxyFor: (url) => current.proxyFor(url),
    renewConnections() {
      generation++
      current = openConnections(sessionNamed, deps)
    },
    async requestOnce(url) {
      generation++
      const own = fetchIn(sessionNamed('service-greeting'), deps)
      const answer = await own(url, { method: 'GET', signal: AbortSignal.timeout(GREETING_TIMEOUT_MS) })
      await answer.body?.cancel()
    }
  }
}

function openConnections(
  sessionNamed: (name: string) => Session,
  deps: NetworkDeps
): Pick<ServiceNetwork, 'fetch' | 'lookup' | 'proxyFor'> {
  const reading = sessionNamed('service-reads-0')
  // Each session has six connections per host: with a single one, eight slow file downloads would leave none for what
  // someone is looking at.
  const [first, second] = [fetchIn(reading, deps), fetchIn(sessionNamed('service-reads-1'), deps)]
  let useSecond = false
  const reads: Fetch = (...request) => {
    useSecond = !useSecond
    return (useSecond ? second : first)(...request)
  }
  return {
    fetch: fetchBy(reads, sessionNamed, deps),
    lookup: lookupIn(reading),
    async proxyFor(url) {
      await deps.whenProxied(reading)
      return reading.resolveProxy(url)
    }
  }
}

function fetchBy(reads: Fetch, sessionNamed: (name: string) => Session, deps: NetworkDeps): Fetch {
  const sendSessions = openResourcePool(
    Array.from({ length: MAX_POSTS }, (_, index) => openSendSession(sessionNamed(`service-sends-${index}`), deps)),
    // Named like a connection that couldn't be made: nothing was sent.
    () => new Error('net::ERR_CONNECTION_FAILED')
  )

  return async (url, init) => {
    if (init.method !== 'POST') return reads(url, init)
    const own = await sendSessions.acquire(init.signal)
    return post(own, () => sendSessions.release(own), url, init)
  }
}

/**
 * Opens a session that carries one POST at a time. Chromium repeats a POST by itself if a connection that it had kept
 * open turns out to be closed. Closing the idle ones first prevents that; it would break anything else the session is
 * doing.
 */
function openSendSession(own: Session, deps: NetworkDeps): Fetch {
  return fetchIn(own, deps, () => own.closeAllConnections())
}

function fetchIn(own: Session, { whenProxied, proxies }: NetworkDeps, beforePost?: () => Promise<void>): Fetch {
  const fetch = fetchByNetRequest((options) => net.request({ ...options, session: own }), beforePost, proxies)
  return async (...request) => {
    // Nothing may bypass the proxy.
    await whenProxied(own)
    return fetch(...request)
  }
}

async function post(own: Fetch, release: () => void, ...request: Parameters<Fetch>): Promise<Response> {
  try {
    const response = await own(...request)
    if (!response.body) {
      release()
      return response
    }
    return new Response(response.body.pipeThrough(watchEnd(release)), response)
  } catch (error) {
    release()
    throw error
  }
}

/** Passes a body through and calls `onEnd` when it ends or is abandoned. */
function watchEnd(onEnd: () => void): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    flush: onEnd,
    // Not in every type declaration yet; called when the reader gives up or the connection breaks.
    cancel: onEnd
  } as Transformer<Uint8Array, Uint8Array>)
}
