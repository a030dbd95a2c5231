/**
 * Serves our own pages from `app://countersign/`, with headers that shut everything else out. Serves only files in the
 * renderer's folder, read-only.
 */
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { protocol, session } from 'electron'
import { APP_SCHEME, fileOfPage, isOfficePage } from '../core/policy/app-pages.ts'

const POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'worker-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data: blob:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'frame-src': "'none'",
  'object-src': "'none'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'"
}

/**
 * Text becomes markup or a script address in only two places: in the framework, and where the PDF worker is started.
 */
const TRUSTED_TYPES = {
  'require-trusted-types-for': "'script'",
  'trusted-types': 'svelte-trusted-html own-worker'
}

/** Nothing listens on port 0, on any computer. */
const NOWHERE = '127.0.0.1:0'

const CONTENT_TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  // What PDFs may leave to the reader: fonts and character maps (scripts/pdfjs-files.ts).
  '.ttf': 'font/ttf',
  '.pfb': 'application/octet-stream',
  '.bcmap': 'application/octet-stream'
}

/** Must be called once, before the application is ready. */
export function declareAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: APP_SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } }
  ])
}

/**
 * Cuts our own pages off every network, as no content policy covers WebRTC. Must be called before the first of them is
 * created.
 */
export async function blockNetworkAccess(devServer?: URL): Promise<void> {
  await session.defaultSession.setProxy({
    mode: 'fixed_servers',
    proxyRules: `socks5://${NOWHERE}`,
    // Otherwise this computer's own addresses would bypass the proxy.
    proxyBypassRules: ['<-loopback>', ...(devServer ? [devServer.host] : [])].join(';')
  })
}

/**
 * Begins serving, in the default session only: signing pages have their own sessions, in which this scheme doesn't
 * exist.
 * @param folder absolute path of the renderer's built files.
 */
export function serveAppPages(folder: string): void {
  protocol.handle(APP_SCHEME, (request) => servePage(request, folder))
}

async function servePage(request: Request, folder: string): Promise<Response> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return errorResponse(405)
  const file = fileOfPage(request.url, folder)
  const type = file && CONTENT_TYPES[extname(file)]
  if (!file || !type) return errorResponse(404)
  try {
    const headers = isOfficePage(request.url) ? OFFICE_HEADERS : HEADERS
    return new Response(await readFile(file), { headers: { ...headers, 'Content-Type': type } })
  } catch {
    return errorResponse(404)
  }
}

/**
 * Gives the development server's pages a policy, too: the shipped one, plus the server's inline styles and hot-reload
 * socket.
 */
export function guardDevServer(server: URL): void {
  const policy = {
    ...POLICY,
    'style-src': "'self' 'unsafe-inline'",
    'connect-src': `'self' ws://${server.host}`
  }
  session.defaultSession.webRequest.onHeadersReceived({ urls: [`${server.origin}/*`] }, (details, respond) => {
    respond({ responseHeaders: { ...details.responseHeaders, 'Content-Security-Policy': [serializePolicy(policy)] } })
  })
}

const HEADERS = {
  'Content-Security-Policy': serializePolicy({ ...POLICY, ...TRUSTED_TYPES }),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': permissionsPolicy('camera=()'),
  'X-DNS-Prefetch-Control': 'off',
  'Cache-Control': 'no-store'
}

/** The office's page shows staff a camera test; `CameraTest` decides when. */
const OFFICE_HEADERS = { ...HEADERS, 'Permissions-Policy': permissionsPolicy('camera=(self)') }

function permissionsPolicy(camera: 'camera=()' | 'camera=(self)'): string {
  return `${camera}, microphone=(), geolocation=(), usb=(), serial=(), hid=(), display-capture=()`
}

function errorResponse(status: 404 | 405): Response {
  return new Response(null, { status, headers: { ...HEADERS, 'Content-Type': 'text/plain; charset=utf-8' } })
}

function serializePolicy(policy: Record<string, string>): string {
  return Object.entries(policy)
    .map(([directive, sources]) => `${directive} ${sources}`)
    .join('; ')
}
