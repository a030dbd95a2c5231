/**
 * A `fetch` over Electron's `net.request`, for two things that `net.fetch` can't do: return a redirect instead of
 * failing, and send a POST over a fresh connection.
 */
import type { Readable } from 'node:stream'
import type { Fetch } from './exchange.ts'
import type { ProxyAnswers, ProxyChallenge } from './proxy-sign-in.ts'

/** The part of Electron's ClientRequest that we use, so that this file doesn't depend on Electron. */
export interface NetClientRequest {
  setHeader(name: string, value: string): void
  on(event: 'response', listener: (response: NetIncomingMessage) => void): unknown
  on(
    event: 'redirect',
    listener: (status: number, method: string, url: string, headers: Record<string, string[]>) => void
  ): unknown
  /** A proxy or website asks for credentials. Without any, its own response (401 or 407) becomes the answer. */
  on(
    event: 'login',
    listener: (challenge: ProxyChallenge, answer: (user?: string, password?: string) => void) => void
  ): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  end(body?: string): unknown
  abort(): void
}

/** Electron's IncomingMessage; at run time it is a Readable. */
interface NetIncomingMessage {
  statusCode: number
  headers: Record<string, string | string[]>
}

export type NetRequest = (options: {
  method: string
  url: string
  redirect: 'manual'
  credentials: 'omit'
  cache: 'no-store'
  referrerPolicy: 'unsafe-url'
}) => NetClientRequest

/**
 * Makes a `fetch` from `net.request`.
 * @param request `(options) => net.request({ ...options, session })`.
 * @param beforePost should close idle connections. Chromium resends a request automatically, even a POST, if a
 * kept-alive connection turns out to be closed before the answer: it can't know whether the service got the first one.
 * It never resends on a connection's first use. Use `() => session.closeAllConnections()` on a session reserved for
 * POSTs, as it also breaks off everything else that the session is doing.
 * @param proxies answers proxies' sign-in challenges; if omitted, none is answered.
 */
export function fetchByNetRequest(
  request: NetRequest,
  beforePost?: () => Promise<void>,
  proxies?: { forRequest: () => ProxyAnswers }
): Fetch {
  return async (url, init) => {
    const method = init.method ?? 'GET'
    if (method === 'POST') await beforePost?.()
    init.signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<Response>()
    const outgoing = request({
      method,
      url,
      redirect: 'manual',
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'unsafe-url'
    })
    for (const [name, value] of new Headers(init.headers)) outgoing.setHeader(name, value)
    const answers = proxies?.forRequest()
    outgoing.on('login', (challenge, answer) => {
      void answers?.answer(challenge).then((login) => (login ? answer(login.user, login.password) : answer()))
      if (!answers) answer()
    })

    const onAbort = () => {
      reject(init.signal?.reason)
      answers?.finish('failed')
      outgoing.abort()
    }
    init.signal?.addEventListener('abort', onAbort, { once: true })
    outgoing.on('redirect', (status, _method, location) => {
      answers?.finish('answered')
      resolve(new Response(null, { status, headers: { location } }))
      outgoing.abort()
    })
    outgoing.on('response', (message) => {
      answers?.finish(message.statusCode === 407 ? 'failed' : 'answered')
      const end = () => outgoing.abort()
      try {
        resolve(responseOf(message as NetIncomingMessage & Readable, end))
      } catch {
        // For example, a status above 599. Thrown inside a listener, the error would be lost and the call would hang.
        end()
        reject(new Error('net::ERR_INVALID_HTTP_RESPONSE'))
      }
    })
    // Has no effect after an answer: an error in the body breaks its stream instead.
    outgoing.on('error', (error) => {
      answers?.finish('failed')
      reject(error)
    })
    outgoing.end(typeof init.body === 'string' ? init.body : undefined)
    return promise
  }
}

const BODILESS_STATUSES: readonly number[] = [204, 205, 304]

/**
 * Makes a Response of Electron's message.
 * @param end ends the request.
 * @throws RangeError for a status that a Response can't have.
 */
function responseOf(message: NetIncomingMessage & Readable, end: () => void): Response {
  const headers = new Headers()
  for (const [name, value] of Object.entries(message.headers)) {
    headers.set(name, asBytes(Array.isArray(value) ? value.join(', ') : value))
  }
  const status = message.statusCode
  const hasNoBody = BODILESS_STATUSES.includes(status)
  const response = new Response(hasNoBody ? null : bodyOf(message), { status, headers })
  // Destroying Electron's message doesn't end its request, and Chromium allows six connections per host.
  message.once('close', () => {
    if (!message.readableEnded) end()
  })
  if (hasNoBody) message.resume()
  return response
}

/**
 * Doesn't use `Readable.toWeb`: data arriving after its body is cancelled throws where nobody can catch it (Node 24).
 */
function bodyOf(message: Readable): ReadableStream<Uint8Array> {
  const pieces: AsyncIterator<Uint8Array, void> = message[Symbol.asyncIterator]()
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await pieces.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: () => void message.destroy()
    },
    { highWaterMark: 0 }
  )
}

/** Electron decodes headers as UTF-8 (electron#42244); a Response wants their bytes, one character each. */
function asBytes(value: string): string {
  return /[^\0-\xff]/.test(value) ? Buffer.from(value).toString('latin1') : value
}
