// Electron's `net.request`: a ClientRequest on Node's fetch, with redirects that are refused unless they are followed.
import { PassThrough, Readable } from 'node:stream'
import type * as Electron from 'electron'
import { fetch as fetchOver } from 'undici'
import { app } from './app.ts'
import { host } from './host.ts'
import { netErrorOfNode } from './net-errors.ts'
import { agentFor, ProxyRefused } from './net-lines.ts'
import { Session } from './session.ts'
import { acceptOnly, Emulated, notEmulated } from './strict.ts'

const accepted = ['method', 'url', 'session', 'redirect', 'credentials', 'cache', 'referrerPolicy']

/** The members of Electron's IncomingMessage beyond those of a stream. */
type Incoming = Readable & Pick<Electron.IncomingMessage, 'statusCode' | 'statusMessage' | 'headers'>

class ClientRequest
  extends Emulated
  implements Pick<Electron.ClientRequest, 'setHeader' | 'getHeader' | 'removeHeader' | 'abort'>
{
  readonly #method: string
  readonly #url: string
  readonly #headers = new Headers()
  readonly #abort = new AbortController()
  readonly #session: Session
  #isOver = false

  constructor(options: Electron.ClientRequestConstructorOptions) {
    super('ClientRequest', { emits: ['response', 'redirect', 'error', 'abort', 'close', 'finish', 'login'] })
    acceptOnly('net.request', options, accepted)
    if (!app.isReady()) throw new Error('net module can only be used after app is ready')
    if (options.redirect !== 'manual') notEmulated('net.request without redirect: manual')
    if (options.credentials !== 'omit') notEmulated('net.request with credentials')
    this.#method = options.method ?? 'GET'
    this.#session = (options.session as unknown as Session | undefined) ?? Session.of('')
    this.#url = options.url ?? notEmulated('net.request without a url')
    if (!/^https?:$/.test(new URL(this.#url).protocol)) throw new Error('net::ERR_UNKNOWN_URL_SCHEME')
  }

  setHeader(name: string, value: string): void {
    if (/^(content-length|host|trailer|te|upgrade|cookie2|keep-alive|transfer-encoding)$/i.test(name)) {
      throw new Error(`The header "${name}" can't be set`)
    }
    this.#headers.set(name, value)
  }

  getHeader(name: string): string {
    return this.#headers.get(name) ?? ''
  }

  removeHeader(name: string): void {
    this.#headers.delete(name)
  }

  end(body?: string): this {
    void this.#send(body)
    return this
  }

  abort(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#abort.abort()
    this.emit('abort')
    this.emit('close')
  }

  async #send(body?: string): Promise<void> {
    try {
      if (!host.machineState.online) throw new Error('net::ERR_INTERNET_DISCONNECTED')
      const response = await this.#answer(body)
      if (this.#isOver) return
      const location = response.headers.get('location')
      if (location !== null && [301, 302, 303, 307, 308].includes(response.status)) {
        await response.body?.cancel()
        this.#redirected(response, new URL(location, this.#url).href)
      } else {
        this.emit('finish')
        this.emit('response', toIncoming(response))
      }
    } catch (error) {
      if (this.#isOver) return
      if (causedByProxy(error)) return void this.emit('response', proxyRefusal())
      this.#isOver = true
      const chromiumError = chromiumErrorIn(error)
      this.emit('error', chromiumError ?? new Error(`net::${netErrorOfNode(error)}`))
      this.emit('close')
    }
  }

  async #answer(body: string | undefined): Promise<Response> {
    const agent = agentFor(this.#session, new URL(this.#url), (info) => this.#login(info))
    const init = {
      method: this.#method,
      headers: this.#headers,
      redirect: 'manual',
      signal: this.#abort.signal,
      ...(body !== undefined && { body })
    } as const
    if (!agent) return fetch(this.#url, init)
    try {
      return (await fetchOver(this.#url, {
        ...init,
        headers: [...this.#headers],
        dispatcher: agent
      })) as unknown as Response
    } finally {
      // Waits for requests in flight.
      void agent.close()
    }
  }

  #login(info: Electron.AuthInfo): Promise<readonly [string, string] | undefined> {
    return new Promise((resolve) => {
      const answer = (user?: string, password?: string) =>
        resolve(user === undefined || password === undefined ? undefined : [user, password])
      if (!this.emit('login', info, answer)) answer()
    })
  }

  /** Ends the request as Electron does when nobody follows a redirect, since followRedirect isn't emulated. */
  #redirected(response: Response, target: string): void {
    const method = response.status === 303 ? 'GET' : this.#method
    this.emit('redirect', response.status, method, target, headersOf(response))
    if (this.#isOver) return
    this.#isOver = true
    this.emit('error', new Error('Redirect was cancelled'))
    this.emit('close')
  }
}

/** Returns the first error in the chain of causes that already has a Chromium name. */
function chromiumErrorIn(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined
  return error.message.startsWith('net::') ? error : chromiumErrorIn(error.cause)
}

function causedByProxy(error: unknown): boolean {
  return error instanceof ProxyRefused || (error instanceof Error && causedByProxy(error.cause))
}

/**
 * Returns the response for a request that the proxy refused; only the head of what a proxy says in place of the server
 * is exposed.
 */
function proxyRefusal(): Incoming {
  const body = new PassThrough()
  setImmediate(() => body.destroy(new Error('net::ERR_TUNNEL_CONNECTION_FAILED')))
  const head = { statusCode: 407, statusMessage: 'Proxy Authentication Required', headers: {} }
  return Object.assign(body, head)
}

/**
 * Returns a response as Electron's stream. As in Electron, closing it doesn't end its request: a caller that stops
 * reading has to.
 */
function toIncoming(response: Response): Incoming {
  const body = new PassThrough()
  const source = response.body ? Readable.fromWeb(response.body as never) : Readable.from([])
  source.on('error', (error) => body.destroy(error))
  body.on('close', () => source.unpipe(body))
  source.pipe(body)
  return Object.assign(body, {
    statusCode: response.status,
    statusMessage: response.statusText,
    headers: headersOf(response)
  })
}

function headersOf(response: Response): Record<string, string[]> {
  return Object.fromEntries([...response.headers].map(([name, value]) => [name, [asUtf8(value)]]))
}

/** Decodes a header as UTF-8 where possible, as Electron does; Node's fetch gives one character per byte. */
function asUtf8(value: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'))
  } catch {
    return value
  }
}

export function request(options: Electron.ClientRequestConstructorOptions | string): ClientRequest {
  return typeof options === 'string' ? notEmulated('net.request of a bare address') : new ClientRequest(options)
}
