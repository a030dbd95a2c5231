/** Serves a practice service to this machine only: HTTP on 127.0.0.1, on the port given or a free one. */
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { PracticeService } from './service.ts'

export interface Listening {
  /** Where it listens, without a slash at the end: `http://127.0.0.1:4100`. */
  url: string
  /** Stops listening, ends open connections, and resolves when the port is free again. */
  close(): Promise<void>
}

/** How often time passes for documents when nobody asks for them, so that NotifyUrl hears of an expiry. */
const ROUND = 15_000

/**
 * @param port 0 for a free one
 * @throws where the port is taken (`EADDRINUSE`) or not allowed
 */
export async function listen(service: PracticeService, port = 0): Promise<Listening> {
  const server = createAdaptorServer({
    fetch: (request) => (isLocal(request) ? service.fetch(request) : new Response(null, { status: 421 })),
    // Otherwise Node's own Request and Response are replaced for the whole process.
    overrideGlobalObjects: false
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const rounds = setInterval(() => service.settle(), ROUND)
  rounds.unref()
  const address = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        clearInterval(rounds)
        server.close(() => resolve())
        if ('closeAllConnections' in server) server.closeAllConnections()
      })
  }
}

/** A page of the web whose name was made to point at this machine asks under that name: it gets nothing. */
function isLocal(request: Request): boolean {
  const { hostname } = new URL(request.url)
  return hostname === '127.0.0.1' || hostname === 'localhost' || hostname === '[::1]'
}
