// Electron's `protocol`: the application serves its own scheme (`app://`) to the pages of a session.
import type * as Electron from 'electron'
import { carryScheme, markPrivileged, schemeOf, toApp } from './schemes.ts'
import { acceptOnly, strictly } from './strict.ts'

type Handler = Parameters<Electron.Protocol['handle']>[1]

/** The response that Chromium is given. */
export interface Served {
  readonly status: number
  readonly headers: [name: string, value: string][]
  readonly body: Buffer
}

/** The handlers of one session. */
export class Schemes {
  readonly #handlers = new Map<string, Handler>()

  handle(scheme: string, handler: Handler): void {
    if (this.#handlers.has(scheme)) throw new Error(`Failed to register protocol: ${scheme}`)
    this.#handlers.set(scheme, handler)
    carryScheme(scheme)
  }

  unhandle(scheme: string): void {
    if (!this.#handlers.delete(scheme)) throw new Error(`Failed to unhandle protocol: ${scheme}`)
  }

  isProtocolHandled(scheme: string): boolean {
    return this.#handlers.has(scheme)
  }

  /** @internal the response of the handler for the request's scheme */
  async answer(request: Request, scheme = schemeOf(request.url)): Promise<Response> {
    const handler = this.#handlers.get(scheme)
    if (!handler) throw new Error(`nobody serves ${scheme}:`)
    return handler(request)
  }

  /** @internal answers a page's request through the application's handler; rejects if that fails */
  async serve(
    scheme: string,
    call: { url: string; method: string; headers: Record<string, string>; body: Buffer | undefined }
  ): Promise<Served> {
    const request = new Request(toApp(call.url), {
      method: call.method,
      headers: Object.entries(call.headers).map(([name, value]): [string, string] => [name, toApp(value)]),
      ...(call.body && !['GET', 'HEAD'].includes(call.method) ? { body: new Uint8Array(call.body) } : {})
    })
    const response = await this.answer(request, scheme)
    if (response.type === 'error') throw new Error('the handler answered Response.error()')
    return { status: response.status, headers: [...response.headers], body: Buffer.from(await response.arrayBuffer()) }
  }
}

type Offered = Pick<Electron.Protocol, 'registerSchemesAsPrivileged' | 'handle' | 'unhandle' | 'isProtocolHandled'>

/** Returns the `protocol` of a session; the default session's is the module's. */
export function protocolOf(schemes: Schemes, isReady: () => boolean): Offered {
  return strictly('protocol', {
    registerSchemesAsPrivileged(list) {
      if (isReady()) throw new Error('protocol.registerSchemesAsPrivileged should be called before app is ready')
      for (const { scheme, privileges } of list) {
        // All of these hold for an address carried over http on a *.localhost host, whether requested or not.
        acceptOnly(`the privileges of ${scheme}:`, privileges, [
          'standard',
          'secure',
          'supportFetchAPI',
          'corsEnabled',
          'stream',
          'codeCache',
          'allowServiceWorkers'
        ])
        if (!privileges?.standard)
          throw new Error(`test host: only standard schemes are emulated, and ${scheme}: is not`)
        markPrivileged(scheme)
      }
    },
    handle: (scheme, handler) => schemes.handle(scheme, handler),
    unhandle: (scheme) => schemes.unhandle(scheme),
    isProtocolHandled: (scheme) => schemes.isProtocolHandled(scheme)
  } satisfies Offered)
}
