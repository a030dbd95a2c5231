/**
 * The network as the signing service's client uses it: Electron's own, so that the system's proxy and certificates hold,
 * in sessions apart from every page, and with a first-used connection for each POST.
 */
import { net, type Session, session } from 'electron'
import { type Fetch, fetchByNetRequest } from '../core/service/index.ts'

/** How many POSTs may be under way at once; a further one waits for its turn. */
const LANES = 4

/** A session that carries one POST at a time. */
interface Lane {
  fetch: Fetch
  /** Resolves when the POST before is over, its body read. */
  free: Promise<void>
}

/** Makes the `fetch` for clients of the service. Nothing of it is kept on disk: no cookies, no cache. */
export function openServiceNetwork(): Fetch {
  const reads = fetchIn(session.fromPartition('service-reads'))
  const lanes = Array.from({ length: LANES }, (_, index) => openLane(session.fromPartition(`service-sends-${index}`)))
  let turn = 0

  return (url, init) => {
    if (init.method !== 'POST') return reads(url, init)
    const lane = lanes[turn++ % LANES] as Lane
    return post(lane, url, init)
  }
}

function openLane(own: Session): Lane {
  // Chromium repeats a POST by itself when a connection that it had kept open turns out to be closed. Closing the idle
  // ones first leaves none to be surprised by; it would break off whatever else the session does, hence one at a time.
  return { fetch: fetchIn(own, () => own.closeAllConnections()), free: Promise.resolve() }
}

function fetchIn(own: Session, beforePost?: () => Promise<void>): Fetch {
  return fetchByNetRequest((options) => net.request({ ...options, session: own }), beforePost)
}

async function post(lane: Lane, ...request: Parameters<Fetch>): Promise<Response> {
  const before = lane.free
  const { promise, resolve: leave } = Promise.withResolvers<void>()
  lane.free = promise
  await before
  try {
    const response = await lane.fetch(...request)
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
    // Not in every type declaration yet; called when the reader gives up.
    cancel: over
  } as Transformer<Uint8Array, Uint8Array>)
}
