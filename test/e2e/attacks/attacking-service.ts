/** The responses of a service in an attacker's hands: any page, with any header, and every way of responding badly. */
import type { IncomingMessage, ServerResponse } from 'node:http'

const HTML = { 'content-type': 'text/html; charset=utf-8' }
let answered = 0
/** How long a browser has to act on early hints. */
const AHEAD_MS = 150

export interface Page {
  body: string
  /** Additional headers of its response. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Early hints sent ahead of the response (103), each as in a `Link` header. */
  hints?: readonly string[] | undefined
}

/**
 * `/attack`: the page. `/redirect/CODE?to=`: a redirect. `/circle`: a redirect to itself. `/refresh?to=`: a redirect by
 * header. `/file`: a download. `/never`: no response at all. `/reset`: a broken connection. `/cut`: half a response.
 * `/nothing`: no page. `/embedded?script=`: a page of its own. `/say?type=&body=&h=Name:value`: a response made to
 * order. `/count`: how often it was asked, cached for ever. `/log-in`: nothing without a password. Anything else:
 * nothing special.
 */
export function attackingService(request: IncomingMessage, response: ServerResponse, page: Page): void {
  const url = new URL(request.url ?? '/', 'http://service')
  const parameter = (name: string) => url.searchParams.get(name) ?? ''
  const [, route, code] = url.pathname.split('/')
  switch (route) {
    case 'attack':
      if (!page.hints) return void response.writeHead(200, { ...HTML, ...page.headers }).end(page.body)
      response.writeEarlyHints({ link: [...page.hints] })
      return void setTimeout(() => response.writeHead(200, { ...HTML, ...page.headers }).end(page.body), AHEAD_MS)
    case 'redirect':
      // Byte by byte as it came: addresses may contain any character.
      return void response.writeHead(Number(code), { location: Buffer.from(parameter('to')).toString('latin1') }).end()
    case 'circle':
      return void response.writeHead(302, { location: '/circle' }).end()
    case 'refresh':
      return void response.writeHead(200, { ...HTML, refresh: `0;url=${parameter('to')}` }).end('moving on')
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
      response.writeHead(200, { ...HTML, 'content-length': '1000000' }).write('<p>half')
      return void setTimeout(() => response.destroy(), 50)
    case 'embedded':
      return void response
        .writeHead(200, HTML)
        .end(`<title>embedded</title>${parameter('script') ? `<script>${parameter('script')}</script>` : ''}`)
    case 'reset':
      return void response.destroy()
    case 'say': {
      response.setHeader('content-type', parameter('type') || 'text/html; charset=utf-8')
      for (const header of url.searchParams.getAll('h')) {
        const [name = '', ...value] = header.split(':')
        response.appendHeader(name, value.join(':'))
      }
      return void response.writeHead(Number(parameter('status') || 200)).end(parameter('body'))
    }
    case 'count': {
      if (request.headers['if-none-match']) return void response.writeHead(304).end()
      answered += 1
      const cacheHeaders = {
        'cache-control': parameter('kept') || 'max-age=31536000, immutable',
        etag: `"${answered}"`
      }
      return void response.writeHead(200, { ...cacheHeaders, 'content-type': 'text/plain' }).end(String(answered))
    }
    case 'log-in':
      if (request.headers.authorization) return void response.writeHead(200, HTML).end(request.headers.authorization)
      return void response.writeHead(401, { ...HTML, 'www-authenticate': 'Basic realm="Your office"' }).end('log in')
    default:
      return void response
        .writeHead(200, { 'content-type': 'text/plain', 'access-control-allow-origin': '*' })
        .end('ok')
  }
}
