// Electron's `net`: fetch on Node's, through a session: its own schemes, the network state that the test has given the
// machine, Electron's errors and its handling of redirects.
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type * as Electron from 'electron'
import { app } from './app.ts'
import { host } from './host.ts'
import { netErrorOfNode } from './net-errors.ts'
import { request } from './net-request.ts'
import { schemeOf } from './schemes.ts'
import { Session } from './session.ts'
import { strictly } from './strict.ts'

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.map': 'application/json',
  '.mjs': 'text/javascript',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2'
}

type Init = Parameters<Electron.Net['fetch']>[1]

async function readLocal(url: string): Promise<Response> {
  let bytes: Buffer
  try {
    bytes = await readFile(fileURLToPath(url))
  } catch (error) {
    const missing = ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')
    throw new Error(missing ? 'net::ERR_FILE_NOT_FOUND' : 'net::ERR_ACCESS_DENIED')
  }
  const type = types[extname(new URL(url).pathname).toLowerCase()] ?? 'application/octet-stream'
  return new Response(new Uint8Array(bytes), { headers: { 'content-type': type } })
}

async function fetchIn(session: Session, input: string | Request, init?: Init): Promise<Response> {
  if (!app.isReady()) throw new Error('net module can only be used after app is ready')
  const url = typeof input === 'string' ? input : input.url
  const { bypassCustomProtocolHandlers, ...rest } = init ?? {}
  const scheme = schemeOf(url)
  if (scheme === 'file') return readLocal(url)
  if (session.schemes.isProtocolHandled(scheme)) {
    if (bypassCustomProtocolHandlers) throw new Error('net::ERR_UNKNOWN_URL_SCHEME')
    return session.schemes.answer(new Request(input, rest))
  }
  if (scheme !== 'http' && scheme !== 'https') throw new Error('net::ERR_UNKNOWN_URL_SCHEME')
  if (!host.machineState.online) throw new Error('net::ERR_INTERNET_DISCONNECTED')
  const redirect = rest.redirect ?? (typeof input === 'string' ? 'follow' : input.redirect)
  let response: Response
  try {
    response = await fetch(input, redirect === 'error' ? { ...rest, redirect: 'manual' } : rest)
  } catch (error) {
    const signal = rest.signal ?? (typeof input === 'string' ? undefined : input.signal)
    if (signal?.aborted) throw error
    throw new Error(`net::${netErrorOfNode(error)}`)
  }
  // Electron's fetch never returns a redirect: with 'manual' it aborts, as nobody can be asked to follow it.
  const redirected = [301, 302, 303, 307, 308].includes(response.status) && response.headers.has('location')
  if (!redirected || redirect === 'follow') return response
  await response.body?.cancel()
  if (redirect === 'error') throw new Error("Attempted to redirect, but redirect policy was 'error'")
  throw new Error('Redirect was cancelled')
}

type Offered = Pick<Electron.Net, 'isOnline' | 'online'>

export const net = strictly('net', {
  fetch: (input: string | Request, init?: Init) => fetchIn(Session.of(''), input, init),
  isOnline: () => host.machineState.online,
  get online() {
    return host.machineState.online
  },
  request
} satisfies Offered & Record<string, unknown>)
