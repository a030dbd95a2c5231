/**
 * A `fetch` over Electron's `net.request`, for the two things that `net.fetch` can't be told: to answer a redirect instead
 * of failing with it, and to send a POST over a connection that nobody used before.
 */
import { Readable } from 'node:stream'
import type { Fetch } from './exchange.ts'

/** What is used of Electron's ClientRequest, so that this file needs no Electron. */
export interface NetClientRequest {
  setHeader(name: string, value: string): void
  on(event: 'response', listener: (response: NetIncomingMessage) => void): unknown
  on(
    event: 'redirect',
    listener: (status: number, method: string, url: string, headers: Record<string, string[]>) => void
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
 * @param request `(options) => net.request({ ...options, session })`.
 * @param beforePost Chromium sends a request again by itself, a POST too, when a connection that it had kept open turns
 *   out to be closed before the answer: it can't know whether the service got the first. A first use of a connection is
 *   never repeated, so this should close idle ones: `() => session.closeAllConnections()` on a session of their own for
 *   POSTs, as it breaks off whatever else that session is doing.
 */
export function fetchByNetRequest(request: NetRequest, beforePost?: () => Promise<void>): Fetch {
  return async (url, init) => {
    const method = init.method ?? 'GET'
    if (method === 'POST') await beforePost?.()
    init.signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<Response>()
    const sent = request({
      method,
      url,
      redirect: 'manual',
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'unsafe-url'
    })
    for (const [name, value] of new Headers(init.headers)) sent.setHeader(name, value)

    const onAbort = () => {
      reject(init.signal?.reason)
      sent.abort()
    }
    init.signal?.addEventListener('abort', onAbort, { once: true })
    sent.on('redirect', (status, _method, location) => {
      resolve(new Response(null, { status, headers: { location } }))
      sent.abort()
    })
    sent.on('response', (message) => resolve(answerOf(message)))
    // After an answer this has no effect any more: what breaks its body breaks the stream.
    sent.on('error', reject)
    sent.end(typeof init.body === 'string' ? init.body : undefined)
    return promise
  }
}

const WITHOUT_BODY: readonly number[] = [101, 204, 205, 304]

function answerOf(message: NetIncomingMessage): Response {
  const headers = new Headers()
  for (const [name, value] of Object.entries(message.headers)) {
    headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  const status = message.statusCode
  const body = WITHOUT_BODY.includes(status) ? null : Readable.toWeb(message as NetIncomingMessage & Readable)
  return new Response(body as ReadableStream<Uint8Array> | null, { status, headers })
}
