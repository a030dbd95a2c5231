// The office's own network: what the organisation trusts in addition to the system, and what it identifies itself with,
// tested with real servers and a real proxy.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createPlainServer, type IncomingMessage, type Server } from 'node:http'
import { createServer, type ServerOptions } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { test as base, chromium, expect, type Page } from 'playwright/test'
import { findChromium } from '../../scripts/system-packages.ts'
import { aCertificate } from '../contract/certificates.ts'
import { type Launched, launch } from './launch.ts'

interface Service {
  readonly port: number
  /** The requests it got, once a connection was up. */
  readonly requests: IncomingMessage[]
  /** The subjects of the certificates it was shown. */
  readonly shownBy: Set<string | undefined>
}

const test = base.extend<{
  /** A signing service without documents. */
  serve(options: ServerOptions): Promise<Service>
  /** Starts the application on a computer with this policy. */
  start(policy: object): Promise<Launched>
}>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads which fixtures are wanted from this pattern.
  serve: async ({}, use) => {
    const ends: (() => void)[] = []
    await use(async (options) => {
      const requests: IncomingMessage[] = []
      const shownBy: Service['shownBy'] = new Set()
      const server = createServer(options, (request, response) => {
        requests.push(request)
        shownBy.add((request.socket as TLSSocket).getPeerX509Certificate()?.subject)
        response.setHeader('content-type', 'application/json').end('[]')
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      ends.push(() => {
        server.close()
        server.closeAllConnections()
      })
      return { requests, shownBy, port: (server.address() as AddressInfo).port }
    })
    for (const end of ends) end()
  },
  // biome-ignore lint/correctness/noEmptyPattern: as above.
  start: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-network-'))
    const started: Launched[] = []
    await use(async (policy) => {
      const path = join(folder, 'policy.json')
      writeFileSync(path, JSON.stringify(policy), { mode: 0o644 })
      const app = await launch({ args: [`--policy-file=${path}`] })
      started.push(app)
      return app
    })
    for (const app of started) await app.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

/** Opens a proxy that lets Grace through, and leads every connection to this port. */
async function openProxy(port: number): Promise<{ server: Server; shown: (string | undefined)[] }> {
  const shown: (string | undefined)[] = []
  const server = createPlainServer((_request, response) => response.writeHead(403).end())
  server.on('connect', ({ headers, url }, socket) => {
    socket.on('error', () => undefined)
    const login = headers['proxy-authorization']
    shown.push(login && Buffer.from(login.replace('Basic ', ''), 'base64').toString())
    if (shown.at(-1) !== 'grace:right' || url !== 'sign.office.example:443') {
      socket.end('HTTP/1.1 407 Who is it\r\nProxy-Authenticate: Basic realm="Office"\r\nContent-Length: 0\r\n\r\n')
      return
    }
    const through = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Go on\r\n\r\n')
      through.pipe(socket).pipe(through)
    })
    through.on('error', () => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, shown }
}

const account = (address: string) => ({ name: 'Harbour Law', address, signIn: 'none' })

async function check(page: Page): Promise<void> {
  await page.evaluate(() => {
    location.hash = '#/settings'
  })
  await page.getByRole('button', { name: 'Check connection of Harbour Law' }).click()
}

test('an organisation’s own certificate authority is trusted and named', { tag: '@full' }, async ({ serve, start }) => {
  const root = aCertificate({ name: 'Harbour Law Root', isAuthority: true })
  const { port } = await serve(aCertificate({ name: 'localhost', by: root }))
  const accounts = [account(`https://localhost:${port}`)]
  const app = await start({ accounts, certificateAuthorities: [root.cert] })
  await check(app.window)
  await expect(app.window.getByText('Connected. No documents found.')).toBeVisible()
  await expect(app.window.getByText('Your organisation’s certificate authority “Harbour Law Root”')).toBeVisible()
})

test('a certificate that the authority didn’t sign is still refused', { tag: '@full' }, async ({ serve, start }) => {
  const root = aCertificate({ name: 'Harbour Law Root', isAuthority: true })
  const { port, requests } = await serve(aCertificate({ name: 'localhost', issuer: root.name }))
  const app = await start({ accounts: [account(`https://localhost:${port}`)], certificateAuthorities: [root.cert] })
  await check(app.window)
  await expect(app.window.getByText('its certificate is from “Harbour Law Root”, which').first()).toBeVisible()
  expect(requests).toHaveLength(0)
})

test('a service that requires a client certificate gets the chosen one, and no other service does', async ({
  serve,
  start
}) => {
  const root = aCertificate({ name: 'Harbour Law Root', isAuthority: true })
  const grace = aCertificate({ name: 'Grace', by: root, purpose: 'client' })
  const ada = aCertificate({ name: 'Ada', by: root, purpose: 'client' })
  const insisting = { ...aCertificate({ name: 'localhost', by: root }), requestCert: true, rejectUnauthorized: true }
  const service = await serve({ ...insisting, ca: root.cert })
  const other = await serve({ ...insisting, ca: root.cert })
  const app = await start({ certificateAuthorities: [root.cert], practiceOffice: false })
  // Under Electron the store is the system's own, which no test fills; test/unit/accounts covers what is chosen there.
  if (app.flavour === 'electron') return
  await app.setOwnCertificates([ada, grace])
  const page = app.window

  await page.getByRole('button', { name: /Connect your office/ }).click()
  await page.getByLabel('Name', { exact: true }).fill('Harbour Law')
  await page.getByLabel('Service address').fill(`https://localhost:${service.port}`)
  await page.getByRole('radio', { name: /^None/ }).check()
  await page.getByText('Client certificate').click()
  await page.getByRole('button', { name: 'Look for certificates' }).click()
  const choice = page.getByLabel('Certificate', { exact: true })
  await choice.selectOption({ label: await choice.getByRole('option', { name: /^Grace/ }).innerText() })
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(page.getByText('Connected. No documents found.')).toBeVisible()
  expect([...service.shownBy]).toEqual(['CN=Grace'])

  const elsewhere = await page.evaluate(
    (baseUrl) => globalThis.window.countersign.accounts.try({ baseUrl, authentication: { scheme: 'none' } }),
    `https://localhost:${other.port}`
  )
  expect(elsewhere).toMatchObject({ ok: false, error: { code: 'tls' } })
  expect(other.requests).toHaveLength(0)
})

test('a proxy that requires a sign-in gets it once someone has signed in, and a wrong password is reported', {
  tag: '@full'
}, async ({ serve, start }) => {
  const root = aCertificate({ name: 'Harbour Law Root', isAuthority: true })
  const service = await serve(aCertificate({ name: 'sign.office.example', by: root }))
  const { server, shown } = await openProxy(service.port)
  try {
    const { port } = server.address() as AddressInfo
    const app = await start({
      accounts: [account('https://sign.office.example/web')],
      certificateAuthorities: [root.cert],
      proxy: { server: `127.0.0.1:${port}` }
    })
    const page = app.window
    await expect(page.getByText('Your network’s proxy needs you to sign in.').first()).toBeVisible()
    expect(service.requests).toHaveLength(0)

    const signIn = async (password: string) => {
      await page.getByRole('button', { name: 'Sign in…' }).click()
      await page.getByLabel('User name').fill('grace')
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    }
    await signIn('wrong')
    await expect(page.getByText('Your network’s proxy didn’t accept the user name and password.')).toBeVisible()
    await signIn('right')
    await expect(page.getByRole('button', { name: 'Sign in…' })).toBeHidden()
    await check(page)
    await expect(page.getByText('Connected. No documents found.')).toBeVisible()
    expect(shown.filter((login) => login === 'grace:wrong')).toHaveLength(1)
    expect(service.requests.every(({ headers }) => headers['proxy-authorization'] === undefined)).toBe(true)
  } finally {
    server.close()
    server.closeAllConnections()
  }
})

test('the browser engine never bypasses a single proxy, and never takes the proxy’s answer for the service’s', {
  tag: '@full'
}, async ({ serve }) => {
  const service = await serve(aCertificate({ name: 'sign.office.example', issuer: 'Nobody' }))
  const connects: string[] = []
  let answer: string | undefined
  const proxy = createPlainServer((_request, response) => response.writeHead(403).end())
  proxy.on('connect', ({ url, headers }, socket) => {
    connects.push(`${url} ${headers['proxy-authorization'] ?? 'nobody'}`)
    socket.on('error', () => undefined)
    if (answer === undefined) socket.destroy()
    else socket.end(answer)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const server = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const browser = await chromium.launch({
    executablePath: findChromium() ?? '',
    args: [
      `--host-resolver-rules=MAP sign.office.example:443 127.0.0.1:${service.port}`,
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])
    ]
  })
  const visit = async (through?: string) => {
    const context = await browser.newContext({
      ignoreHTTPSErrors: true,
      ...(through && { proxy: { server: through } })
    })
    const page = await context.newPage()
    const visited = page.goto('https://sign.office.example/web').then(
      () => 'shown',
      ({ message }: Error) => /ERR_\w+/.exec(message)?.[0]
    )
    return visited.finally(() => context.close())
  }
  try {
    expect(await visit()).toBe('shown')
    const reached = service.requests.length
    for (const proxyAnswer of [
      undefined,
      'HTTP/1.1 302 Found\r\nLocation: https://sign.office.example/other\r\n\r\n',
      'HTTP/1.1 403 No\r\nContent-Length: 9\r\n\r\n<p>No</p>',
      'HTTP/1.1 200 Go on\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n<p>Hi</p>',
      'HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm="x"\r\nContent-Length: 0\r\n\r\n'
    ]) {
      answer = proxyAnswer
      expect(await visit(server)).toMatch(/^ERR_/)
    }
    proxy.close()
    proxy.closeAllConnections()
    expect(await visit(server)).toBe('ERR_PROXY_CONNECTION_FAILED')
    expect(service.requests).toHaveLength(reached)
    expect(new Set(connects)).toEqual(new Set(['sign.office.example:443 nobody']))
  } finally {
    await browser.close()
    proxy.close()
  }
})

test('if a script’s first proxy is dead the browser engine tries the next, and goes direct only if its list says DIRECT', {
  tag: '@full'
}, async ({ serve }) => {
  const service = await serve(aCertificate({ name: 'sign.office.example', issuer: 'Nobody' }))
  const through: string[] = []
  const proxies: Server[] = []
  const listening = async (server: Server) => {
    proxies.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const alive = createPlainServer().on('connect', ({ url = '' }, socket) => {
    through.push(url)
    const line = connect(service.port, '127.0.0.1', () => socket.write('HTTP/1.1 200 Go on\r\n\r\n'))
    line.on('error', () => socket.destroy())
    socket.on('error', () => line.destroy())
    line.pipe(socket).pipe(line)
  })
  const refusing = createPlainServer().on('connect', (_request, socket) => socket.end('HTTP/1.1 403 No\r\n\r\n'))
  const dead = createPlainServer()
  const [live, no, gone] = [await listening(alive), await listening(refusing), await listening(dead)]
  await new Promise((resolve) => dead.close(resolve))
  const lists = {
    next: `PROXY ${gone}; PROXY ${live}`,
    direct: `PROXY ${gone}; DIRECT`,
    alone: `PROXY ${gone}`,
    refused: `PROXY ${no}; PROXY ${live}; DIRECT`,
    nonsense: 'PROXI x'
  }
  const script = `function FindProxyForURL(url, host) { return ${JSON.stringify(lists)}[host.split('.')[0]] || 'DIRECT' }`
  const browser = await chromium.launch({
    executablePath: findChromium() ?? '',
    args: [
      `--proxy-pac-url=data:application/x-ns-proxy-autoconfig;base64,${Buffer.from(script).toString('base64')}`,
      `--host-resolver-rules=MAP *.office.example:443 127.0.0.1:${service.port}`,
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])
    ]
  })
  try {
    const found: Record<string, string> = {}
    for (const list of Object.keys(lists)) {
      const before = service.requests.length
      const context = await browser.newContext({ ignoreHTTPSErrors: true })
      const page = await context.newPage()
      const error = await page.goto(`https://${list}.office.example/web`).then(
        () => undefined,
        ({ message }: Error) => /ERR_\w+/.exec(message)?.[0]
      )
      const reached = service.requests.length > before
      found[list] = error ?? (through.some((url) => url.startsWith(list)) ? 'through a proxy' : 'past all proxies')
      expect(reached, list).toBe(error === undefined)
      await context.close()
    }
    expect(found).toEqual({
      next: 'through a proxy',
      direct: 'past all proxies',
      alone: 'ERR_PROXY_CONNECTION_FAILED',
      refused: 'ERR_TUNNEL_CONNECTION_FAILED',
      nonsense: 'past all proxies'
    })
  } finally {
    await browser.close()
    for (const proxy of proxies) proxy.close()
  }
})
