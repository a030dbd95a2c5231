/**
 * Two servers of this machine: the service, whose pages attack, and elsewhere, which must never be asked for anything.
 * (A line that a browser opens ahead, and on which it never says a word, is not counted: Chromium does that by itself.)
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Servers {
  /** `http://127.0.0.1:PORT` of the service: the origin that a signing page may be on. */
  here: string
  /** Its port. */
  herePort: number
  /** `127.0.0.1:PORT` of elsewhere. */
  elsewhere: string
  /** What was asked of the service: method, host as asked for, path. */
  requests: { method: string; host: string; path: string }[]
  /** How often elsewhere was asked for anything, sockets included. */
  visits(): number
  /** Puts a page on the service's `/attack`. */
  show(body: string): void
  forget(): void
  close(): Promise<void>
}

export async function startServers(): Promise<Servers> {
  let page = ''
  let visits = 0
  const requests: Servers['requests'] = []
  const hostile = createServer((_request, response) => {
    visits += 1
    response.end('loot')
  })
  const elsewhere = await listening(hostile)
  const service = createServer((request, response) => {
    requests.push({ method: request.method ?? '', host: request.headers.host ?? '', path: request.url ?? '' })
    serve(request, response, page)
  })
  const port = await listening(service)
  return {
    here: `http://127.0.0.1:${port}`,
    herePort: port,
    elsewhere: `127.0.0.1:${elsewhere}`,
    requests,
    visits: () => visits,
    show: (body) => {
      page = body
    },
    forget: () => {
      requests.length = 0
      visits = 0
    },
    close: async () => {
      for (const server of [service, hostile]) {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
    }
  }
}

/**
 * `/attack`: the page. `/redirect/CODE?to=`: a redirect. `/refresh?to=`: a redirect by header. `/file`: a download.
 * `/never`: no answer at all. `/cut`: half an answer. `/embedded`: a page of its own. Anything else: nothing special.
 */
function serve(request: IncomingMessage, response: ServerResponse, page: string): void {
  const url = new URL(request.url ?? '/', 'http://service')
  const to = url.searchParams.get('to') ?? ''
  const [, route, code] = url.pathname.split('/')
  const html = { 'content-type': 'text/html; charset=utf-8' }
  switch (route) {
    case 'attack':
      return void response.writeHead(200, html).end(page)
    case 'redirect':
      return void response.writeHead(Number(code), { location: to }).end()
    case 'refresh':
      return void response.writeHead(200, { ...html, refresh: `0;url=${to}` }).end('moving on')
    case 'file':
      return void response
        .writeHead(200, {
          'content-type': 'application/octet-stream',
          'content-disposition': 'attachment; filename=run.exe'
        })
        .end('MZ')
    case 'never':
      return
    case 'nothing':
      return void response.writeHead(204).end()
    case 'cut':
      response.writeHead(200, { ...html, 'content-length': '1000000' }).write('<p>half')
      return void setTimeout(() => response.destroy(), 50)
    case 'embedded':
      return void response
        .writeHead(200, html)
        .end(
          `<title>embedded</title>${url.searchParams.get('script') ? `<script>${url.searchParams.get('script')}</script>` : ''}`
        )
    case 'reset':
      return void response.destroy()
    default:
      return void response
        .writeHead(200, { 'content-type': 'text/plain', 'access-control-allow-origin': '*' })
        .end('ok')
  }
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
