/**
 * Two servers of this machine: the service, whose pages attack, and elsewhere, which must never be asked for anything.
 * (A line that a browser opens ahead, and on which it never says a word, is not counted: Chromium does that by itself.)
 */
import { createSocket, type Socket } from 'node:dgram'
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { attackingService } from './attacking-service.ts'

interface Asked {
  method: string
  /** As it was asked for. */
  host: string
  path: string
  headers: IncomingHttpHeaders
}

export interface Servers {
  /** `http://127.0.0.1:PORT` of the service: the origin that a signing page may be on. */
  here: string
  /** Its port. */
  herePort: number
  /** `127.0.0.1:PORT` of elsewhere. */
  elsewhere: string
  /** What was asked of the service. */
  requests: Asked[]
  /** What elsewhere was asked for; `words` is anything that isn't plain HTTP, `datagram` what came without a line (UDP). */
  visits(): string[]
  /** Puts a page on the service's `/attack`. */
  show(body: string): void
  forget(): void
  close(): Promise<void>
}

/** Other addresses of this machine, where it has them: anyone who spells it otherwise must be noticed too. */
const OTHER_ADDRESSES = ['127.0.0.2', '::1']

export async function startServers(): Promise<Servers> {
  let page = ''
  const visits: string[] = []
  const requests: Asked[] = []
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
  const service = await everywhere((request, response) => {
    const { method = '', url = '', headers } = request
    requests.push({ method, host: headers.host ?? '', path: url, headers })
    attackingService(request, response, page)
  })
  return {
    here: `http://127.0.0.1:${service.port}`,
    herePort: service.port,
    elsewhere: `127.0.0.1:${elsewhere.port}`,
    requests,
    visits: () => [...visits],
    show: (body) => {
      page = body
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
    }
  }
}

/** The same answers at the same port of every address of this machine that is nobody else's. */
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

/** At the same port of every address: what WebTransport, WebRTC and QUIC begin with. */
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
