/**
 * Two servers on this machine: the service, whose pages attack, and elsewhere, which must never get a request. Each
 * exists a second time with encryption, for what browsers only do over TLS.
 */
import { createSocket, type Socket } from 'node:dgram'
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http'
import { createSecureServer, type Http2SecureServer } from 'node:http2'
import type { AddressInfo, Socket as Line } from 'node:net'
import { selfSigned } from '../../contract/self-signed.ts'
import type { Ground } from './attack.ts'
import { attackingService, type Page } from './attacking-service.ts'

interface RecordedRequest {
  method: string
  /** The host as it was requested. */
  host: string
  path: string
  headers: IncomingHttpHeaders
}

export interface Servers extends Ground {
  encrypted: Ground
  /** The requests to the service. */
  requests: RecordedRequest[]
  /**
   * Returns what reached elsewhere: its requests; `words` for anything that isn't plain HTTP; `datagram` for UDP;
   * `line` for a connection to the encrypted elsewhere, whatever is sent on it. (A connection to the plain one isn't
   * counted if the browser sends nothing on it.)
   */
  visits(): string[]
  /** Puts a page on the service's `/attack`. */
  show(page: Page): void
  forget(): void
  close(): Promise<void>
}

/**
 * Other addresses of this machine, where it has them: a request that spells the address differently must be noticed
 * too.
 */
const OTHER_ADDRESSES = ['127.0.0.2', '::1']

export async function startServers(): Promise<Servers> {
  let page: Page = { body: '' }
  const visits: string[] = []
  const requests: RecordedRequest[] = []
  const elsewhere = await everywhere((request, response) => {
    visits.push(`${request.method} ${request.url}`)
    response.setHeader('access-control-allow-origin', '*')
    response.end('loot')
  })
  for (const server of elsewhere.servers) {
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      if (error.code?.startsWith('HPE_')) visits.push('words')
      socket.destroy()
    })
  }
  const ears = await listeningForDatagrams(elsewhere.port, () => visits.push('datagram'))
  const answer: RequestListener = (request, response) => {
    const { method = '', url = '', headers } = request
    // HTTP/2 has another name for it.
    requests.push({ method, host: headers.host ?? String(headers[':authority']), path: url, headers })
    attackingService(request, response, page)
  }
  const service = await everywhere(answer)
  const encrypted = await encryptedServer(answer)
  const encryptedElsewhere = await encryptedServer((request, response) => {
    visits.push(`${request.method} ${request.url}`)
    // Lets in a browser that asks for permission first.
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-allow-headers', '*')
    response.end('loot')
  })
  encryptedElsewhere.server.on('connection', () => visits.push('line'))
  ears.push(...(await listeningForDatagrams(encryptedElsewhere.port, () => visits.push('datagram'))))
  return {
    ...groundOf('http', service.port, elsewhere.port),
    encrypted: groundOf('https', encrypted.port, encryptedElsewhere.port),
    requests,
    visits: () => [...visits],
    show: (shown) => {
      page = shown
    },
    forget: () => {
      requests.length = 0
      visits.length = 0
    },
    close: async () => {
      for (const ear of ears) ear.close()
      for (const server of [...service.servers, ...elsewhere.servers]) {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
      for (const { close } of [encrypted, encryptedElsewhere]) await close()
    }
  }
}

function groundOf(scheme: 'http' | 'https', herePort: number, elsewherePort: number): Ground {
  return { here: `${scheme}://127.0.0.1:${herePort}`, herePort, elsewhere: `127.0.0.1:${elsewherePort}` }
}

/**
 * Starts a server for HTTP/2 and HTTP/1.1. Only an attacked application trusts its certificate, by a switch that it is
 * started with.
 */
async function encryptedServer(
  answer: RequestListener
): Promise<{ server: Http2SecureServer; port: number; close(): Promise<void> }> {
  // The requests and answers of both protocols have the same interface.
  const server = createSecureServer({ ...selfSigned, allowHTTP1: true }, answer as never)
  const lines = new Set<Line>()
  server.on('connection', (line: Line) => {
    lines.add(line)
    line.once('close', () => lines.delete(line))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    server,
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const line of lines) line.destroy()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

/** Starts a server at the same port of every address of this machine where that port is free. */
async function everywhere(answer: RequestListener): Promise<{ port: number; servers: Server[] }> {
  const first = createServer(answer)
  await listening(first, '127.0.0.1', 0)
  const { port } = first.address() as AddressInfo
  const servers = [first]
  for (const address of OTHER_ADDRESSES) {
    const server = createServer(answer)
    if (await listening(server, address, port).catch(() => false)) servers.push(server)
  }
  return { port, servers }
}

/** Listens for UDP at the same port of every address: WebTransport, WebRTC and QUIC begin with it. */
async function listeningForDatagrams(port: number, heard: () => void): Promise<Socket[]> {
  const ears: Socket[] = []
  for (const address of ['127.0.0.1', ...OTHER_ADDRESSES]) {
    const ear = createSocket(address.includes(':') ? 'udp6' : 'udp4').on('message', heard)
    const isListening = await new Promise<boolean>((resolve) => {
      ear.once('error', () => resolve(false))
      ear.bind(port, address, () => resolve(true))
    })
    if (isListening) ears.push(ear)
  }
  return ears
}

function listening(server: Server, address: string, port: number): Promise<true> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, address, () => resolve(true))
  })
}
