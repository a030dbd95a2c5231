/**
 * Listens on this machine alone for a hint that something happened: any request to one address that nobody can guess. What it
 * carries is not read; it can cause nothing but a look at the folders.
 */
import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const HOST = '127.0.0.1'
const NAMES: readonly string[] = [HOST, 'localhost']
/** A hint with a larger body than this, in bytes, isn't one. */
const LARGEST_BODY = 1_000_000
const MOST_CONNECTIONS = 8
/** How long a whole request may take, in milliseconds. */
const PATIENCE = 5_000
/** How long the beginning of one may. A few connections that say nothing must not keep hints out. */
const BEGINS_WITHIN = 2_000
const LOOKED_AT_EVERY = 1_000

export interface HintListener {
  port: number
  close: () => Promise<void>
}

/**
 * @param port 0 for any that is free.
 * @throws the system's error where the port can't be had.
 */
export async function listenForHints(port: number, token: string, hinted: () => void): Promise<HintListener> {
  const server = createServer({
    maxHeaderSize: 8192,
    requestTimeout: PATIENCE,
    headersTimeout: BEGINS_WITHIN,
    connectionsCheckingInterval: LOOKED_AT_EVERY,
    keepAliveTimeout: 1
  })
  server.maxConnections = MOST_CONNECTIONS
  server.on('request', (request, response) => answer(request, response, token, hinted))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, HOST, () => {
      server.off('error', reject)
      resolve()
    })
  })
  // A connection that breaks while it is being accepted is nobody's trouble.
  server.on('error', () => undefined)
  return { port: (server.address() as AddressInfo).port, close: () => closed(server) }
}

/** The path of the one address that is answered. */
export function hintPath(token: string): string {
  return `/hint/${token}`
}

function answer(request: IncomingMessage, response: ServerResponse, token: string, hinted: () => void): void {
  response.setHeader('connection', 'close')
  response.setHeader('cache-control', 'no-store')
  // A page in a browser whose name leads here by a trick of DNS names itself in Host.
  const status = isOurName(request.headers.host) ? (isSame(pathOf(request.url), hintPath(token)) ? 204 : 404) : 421
  if (status !== 204) {
    // Whatever else is sent isn't waited for.
    response.writeHead(status).end(() => request.destroy())
    return
  }
  let received = 0
  request.on('data', (piece: Buffer) => {
    received += piece.length
    if (received > LARGEST_BODY) request.destroy()
  })
  request.on('error', () => undefined)
  request.on('end', () => {
    hinted()
    response.writeHead(status).end()
  })
}

function isOurName(host: string | undefined): boolean {
  return NAMES.includes((host ?? '').replace(/:\d{1,5}$/, '').toLowerCase())
}

function pathOf(target: string | undefined): string {
  return (target ?? '').split('?', 1)[0] ?? ''
}

/** Takes as long for a guess that is nearly right as for any other of its length. */
function isSame(said: string, right: string): boolean {
  const [one, other] = [Buffer.from(said), Buffer.from(right)]
  return one.length === other.length && timingSafeEqual(one, other)
}

function closed(server: Server): Promise<void> {
  const done = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeAllConnections()
  return done
}
