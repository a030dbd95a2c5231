/**
 * The network as the signing service's client uses it: Electron's own, so that the system's proxy and certificates hold,
 * in sessions apart from every page, and with a first-used connection for each POST.
 */
import { net, type Session, session } from 'electron'
import { openLanes } from '../core/lib/lanes.ts'
import type { Lookup } from '../core/policy/private-networks.ts'
import { type Fetch, fetchByNetRequest } from '../core/service/index.ts'
import type { ProxySignIns } from '../core/service/proxy-sign-in.ts'
import { lookupIn } from './lookup.ts'

/** How many POSTs may be under way at once; a further one waits for its turn. */
const LANES = 4

/** How long a service that is asked for nothing but its greeting has to answer, in milliseconds. */
const GREETING_LIMIT = 15_000

interface ServiceNetwork {
  fetch: Fetch
  lookup: Lookup
  /** From then on all goes over lines of which none remembers a certificate that a service was shown. */
  renewLines: () => void
  /** Asks once, over a line of its own. Rejects as `fetch`. */
  askOnce: (url: string) => Promise<void>
}

interface NetworkDeps {
  proxies: Pick<ProxySignIns, 'forRequest'>
  /** Resolves once a session goes through the proxy that it is to go through. */
  isProxied: (own: Session) => Promise<void>
}

/** Makes what clients of the service reach it with. Nothing of it is kept on disk: no cookies, no cache. */
export function openServiceNetwork(deps: NetworkDeps): ServiceNetwork {
  let generation = 0
  // The names of the first are for people who look for them.
  const named = (name: string) => session.fromPartition(generation === 0 ? name : `${name}-${generation}`)
  let now = openLines(named, deps)
  return {
    fetch: (...request) => now.fetch(...request),
    lookup: (name) => now.lookup(name),
    renewLines() {
      generation++
      now = openLines(named, deps)
    },
    async askOnce(url) {
      generation++
      const own = fetchIn(named('service-greeting'), deps)
      const answer = await own(url, { method: 'GET', signal: AbortSignal.timeout(GREETING_LIMIT) })
      await answer.body?.cancel()
    }
  }
}

function openLines(named: (name: string) => Session, deps: NetworkDeps): { fetch: Fetch; lookup: Lookup } {
  const reading = named('service-reads-0')
  // Each has six connections to a host: eight files that come slowly would leave one alone with none for what someone looks at.
  const [one, other] = [fetchIn(reading, deps), fetchIn(named('service-reads-1'), deps)]
  let isOthersTurn = false
  const reads: Fetch = (...request) => {
    isOthersTurn = !isOthersTurn
    return (isOthersTurn ? other : one)(...request)
  }
  return { fetch: fetchBy(reads, named, deps), lookup: lookupIn(reading) }
}

function fetchBy(reads: Fetch, named: (name: string) => Session, deps: NetworkDeps): Fetch {
  const lanes = openLanes(
    Array.from({ length: LANES }, (_, index) => openLane(named(`service-sends-${index}`), deps)),
    // In the words of a connection that could not be made: nothing has left.
    () => new Error('net::ERR_CONNECTION_FAILED')
  )

  return async (url, init) => {
    if (init.method !== 'POST') return reads(url, init)
    const lane = await lanes.take(init.signal)
    return post(lane, () => lanes.leave(lane), url, init)
  }
}

/**
 * A session that carries one POST at a time. Chromium repeats a POST by itself when a connection that it had kept open
 * turns out to be closed. Closing the idle ones first leaves none to be surprised by; it would break off whatever else
 * the session does.
 */
function openLane(own: Session, deps: NetworkDeps): Fetch {
  return fetchIn(own, deps, () => own.closeAllConnections())
}

function fetchIn(own: Session, { isProxied, proxies }: NetworkDeps, beforePost?: () => Promise<void>): Fetch {
  const fetch = fetchByNetRequest((options) => net.request({ ...options, session: own }), beforePost, proxies)
  return async (...request) => {
    // Past it nothing is asked.
    await isProxied(own)
    return fetch(...request)
  }
}

async function post(lane: Fetch, leave: () => void, ...request: Parameters<Fetch>): Promise<Response> {
  try {
    const response = await lane(...request)
    if (!response.body) {
      leave()
      return response
    }
    return new Response(response.body.pipeThrough(untilOver(leave)), response)
  } catch (error) {
    leave()
    throw error
  }
}

/** Hands a body on and tells when it is over, read to its end or given up. */
function untilOver(over: () => void): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    flush: over,
    // Not in every type declaration yet; called when the reader gives up or the line breaks.
    cancel: over
  } as Transformer<Uint8Array, Uint8Array>)
}
