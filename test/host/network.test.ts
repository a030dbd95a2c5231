// A page's requests and downloads: webRequest, downloads, the session's data, and Electron's fetch.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Launched } from '../e2e/launch.ts'
import { eventually, openSite, openView, records, redirectTo, type Site, startFixture } from './fixture/start.ts'

let app: Launched
let site: Site
const folder = mkdtempSync(join(tmpdir(), 'countersign-host-test-'))

beforeAll(async () => {
  site = await openSite({
    '/hop': redirectTo('/landed'),
    '/file': (_request, response) =>
      response
        .writeHead(200, { 'content-type': 'text/plain', 'content-disposition': 'attachment; filename="note.txt"' })
        .end('noted'),
    '/worker.js': (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/javascript' }).end('onfetch = () => {}'),
    '/seen': (request, response) => response.end(JSON.stringify(request.headers)),
    '/cookie': (_request, response) =>
      response.writeHead(200, { 'set-cookie': 'taste=sweet', 'content-type': 'text/html' }).end('<p>')
  })
  app = await startFixture()
})

afterAll(async () => {
  await app.close()
  await site.close()
  rmSync(folder, { recursive: true, force: true })
})

type View = Electron.WebContentsView

describe('webRequest', () => {
  it('blocks what the listener cancels, from a page, a worker and a frame, without a request to the server', async () => {
    const page = await openView(app, `${site.origin}/start`)
    await app.evaluate(() => {
      const { session } = (globalThis.fixture.current as View).webContents
      session.webRequest.onBeforeRequest((details, answer) => {
        const { url, resourceType, method } = details
        globalThis.fixture.records.push({ name: 'request', url, resourceType, method })
        answer({ cancel: url.includes('/private') })
      })
    })
    site.requestedPaths.length = 0
    await page.evaluate(async () => {
      await fetch('/private/a').catch(() => {})
      await fetch('/private/b', { method: 'POST', body: 'x' }).catch(() => {})
      navigator.sendBeacon('/private/c')
      new Image().src = '/private/d'
      const worker = new Worker(
        URL.createObjectURL(
          new Blob([`fetch('${location.origin}/private/e').catch(() => 0).then(() => postMessage(1))`])
        )
      )
      await new Promise((resolve) => (worker.onmessage = resolve))
      const frame = document.createElement('iframe')
      frame.src = '/private/f'
      document.body.append(frame)
      await new Promise((resolve) => (frame.onload = resolve))
      await fetch('/allowed')
    })
    expect(site.requestedPaths).toEqual(['/allowed'])
    const announced = (await records(app)).filter((each) => each.name === 'request')
    expect(announced).toContainEqual({
      name: 'request',
      url: `${site.origin}/private/a`,
      resourceType: 'xhr',
      method: 'GET'
    })
    expect(announced).toContainEqual({
      name: 'request',
      url: `${site.origin}/private/f`,
      resourceType: 'subFrame',
      method: 'GET'
    })
  })

  it('refuses WebSockets while a listener watches them, as they can’t be passed to it', async () => {
    let connections = 0
    const server = createServer(() => connections++).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const page = await openView(app, `${site.origin}/start`)
    await app.evaluate(() => {
      const { webContents } = globalThis.fixture.current as View
      webContents.session.webRequest.onBeforeRequest((_details, answer) => answer({}))
    })
    await page.goto(`${site.origin}/watched`)
    await page.evaluate(
      (port) =>
        new Promise((resolve) => {
          const socket = new WebSocket(`ws://127.0.0.1:${port}/`)
          socket.onerror = () => resolve(undefined)
        }),
      port
    )
    server.close()
    expect(connections).toBe(0)
  })

  it('adds a policy to a page, which the browser then enforces', async () => {
    await openView(app, `${site.origin}/start`)
    await app.evaluate(() => {
      const { session } = (globalThis.fixture.current as View).webContents
      session.webRequest.onHeadersReceived(({ responseHeaders }, answer) =>
        answer({ responseHeaders: { ...responseHeaders, 'Content-Security-Policy': ['sandbox allow-scripts'] } })
      )
    })
    const url = `${site.origin}/kept-apart`
    await app.evaluate(
      (_electron, url) => (globalThis.fixture.current as View).webContents.loadURL(url).then(() => null),
      url
    )
    const page = await app.waitForView(/kept-apart/)
    expect(await page.evaluate(() => [origin, document.title])).toEqual(['null', '/kept-apart'])
  })

  it('redirects, and changes headers in both directions', async () => {
    const page = await openView(app, `${site.origin}/start`)
    await app.evaluate(() => {
      const { webRequest } = (globalThis.fixture.current as View).webContents.session
      webRequest.onBeforeRequest({ urls: ['*://*/moved'] }, (details, answer) => {
        answer({ redirectURL: details.url.replace('/moved', '/seen') })
      })
      webRequest.onBeforeSendHeaders((details, answer) => {
        answer({ requestHeaders: { ...details.requestHeaders, 'X-Added': 'yes' } })
      })
      webRequest.onHeadersReceived((details, answer) => {
        answer({ responseHeaders: { ...details.responseHeaders, 'X-Seen': [String(details.statusCode)] } })
      })
    })
    const got = await page.evaluate(async () => {
      const response = await fetch('/moved')
      return { headers: await response.json(), seen: response.headers.get('x-seen') }
    })
    expect(got.headers['x-added']).toBe('yes')
    expect(got.seen).toBe('200')
  })
})

describe('the languages of a session', () => {
  it('are sent to servers from then on, with falling priority; the page’s own are unchanged', async () => {
    const page = await openView(app, `${site.origin}/start`)
    const own = await page.evaluate(() => [...navigator.languages])
    const speak = (languages: string) =>
      app.evaluate((_electron, languages) => {
        const { session } = (globalThis.fixture.current as View).webContents
        session.setUserAgent(session.getUserAgent(), languages)
      }, languages)
    const sent = () => page.evaluate(async () => (await (await fetch('/seen')).json())['accept-language'])
    await speak('mi,en')
    await eventually(async () => (await sent()) === 'mi,en;q=0.9')
    await speak('zh-Hans,zh-CN,zh,en')
    await eventually(async () => (await sent()) === 'zh-Hans,zh-CN;q=0.9,zh;q=0.8,en;q=0.7')
    expect(await page.evaluate(() => [...navigator.languages])).toEqual(own)
  })
})

describe('a download', () => {
  const save = (what: 'prevent' | 'cancel' | 'save', path: string) =>
    app.evaluate(
      (_electron, { what, path }) => {
        const { fixture } = globalThis
        ;(fixture.current as View).webContents.session.on('will-download', (event, item) => {
          fixture.records.push({ name: 'download', url: item.getURL(), file: item.getFilename() })
          if (what === 'prevent') return event.preventDefault()
          item.once('done', (_event, state) =>
            fixture.records.push({ name: 'done', url: state, path: item.getSavePath() })
          )
          item.setSavePath(path)
          if (what === 'cancel') item.cancel()
        })
      },
      { what, path }
    )
  const begin = (page: Awaited<ReturnType<typeof openView>>) =>
    page.evaluate(() => Object.assign(document.createElement('a'), { href: '/file' }).click())

  it('that is prevented leaves nothing behind', async () => {
    const page = await openView(app, `${site.origin}/start`)
    await save('prevent', join(folder, 'prevented'))
    await begin(page)
    await eventually(async () => (await records(app)).find((each) => each.name === 'download'))
    await page.evaluate(() => fetch('/after'))
    expect(readdirSync(folder)).toEqual([])
  })

  it('that is cancelled is reported as such, and leaves nothing behind', async () => {
    const page = await openView(app, `${site.origin}/start`)
    await save('cancel', join(folder, 'cancelled'))
    await begin(page)
    const done = await eventually(async () => (await records(app)).find((each) => each.name === 'done'))
    expect(done.url).toBe('cancelled')
    expect(existsSync(join(folder, 'cancelled'))).toBe(false)
  })

  it('is saved where the application says', async () => {
    const page = await openView(app, `${site.origin}/start`)
    const path = join(folder, 'deep', 'saved.txt')
    await save('save', path)
    await begin(page)
    const done = await eventually(async () => (await records(app)).find((each) => each.name === 'done'))
    expect(done.url).toBe('completed')
    expect(readFileSync(path, 'utf8')).toBe('noted')
    expect(await records(app)).toContainEqual({ name: 'download', url: `${site.origin}/file`, file: 'note.txt' })
  })
})

describe('a session', () => {
  it('keeps its cookies and storage separate, until they are cleared', async () => {
    const page = await openView(app, `${site.origin}/cookie`)
    await page.evaluate(() => localStorage.setItem('kept', 'yes'))
    const cookies = () =>
      app.evaluate(async () => {
        const found = await (globalThis.fixture.current as View).webContents.session.cookies.get({})
        return found.map(({ name, value, domain }) => ({ name, value, domain }))
      })
    expect(await cookies()).toEqual([{ name: 'taste', value: 'sweet', domain: '127.0.0.1' }])
    expect(await app.evaluate(async ({ session }) => (await session.defaultSession.cookies.get({})).length)).toBe(0)
    await app.evaluate(() => (globalThis.fixture.current as View).webContents.session.clearStorageData())
    expect(await cookies()).toEqual([])
    expect(await page.evaluate(() => localStorage.getItem('kept'))).toBe(null)
  })

  it('has a visible cache and visible workers, until they are cleared', async () => {
    const page = await openView(app, `${site.origin}/start`)
    const storage = () =>
      app.evaluate(async () => {
        const { session } = (globalThis.fixture.current as View).webContents
        const workers = Object.values(session.serviceWorkers.getAllRunning()).map(({ scriptUrl }) => scriptUrl)
        return { isCached: (await session.getCacheSize()) > 0, workers }
      })
    await page.evaluate(() => navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready))
    expect(await storage()).toEqual({ isCached: true, workers: [`${site.origin}/worker.js`] })
    expect(site.requestedPaths).toContain('/worker.js')
    await app.evaluate(() => (globalThis.fixture.current as View).webContents.session.clearData())
    // The worker itself keeps running while the test's own client is attached to it.
    expect((await storage()).isCached).toBe(false)
    expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0)
  })

  it('that would outlive the process is refused', async () => {
    await expect(app.evaluate(({ session }) => void session.fromPartition('persist:x'))).rejects.toThrow('not emulated')
  })
})

describe('net.fetch', () => {
  const attempt = (url: string, init: RequestInit = {}) =>
    app.evaluate(
      async ({ net }, { url, init }) => {
        try {
          const response = await net.fetch(url, init)
          return { status: response.status, url: response.url }
        } catch (error) {
          return { message: (error as Error).message }
        }
      },
      { url, init }
    )

  it('fails with Chromium’s error names', async () => {
    const closed = await openSite()
    await closed.close()
    expect(await attempt(closed.origin)).toEqual({ message: 'net::ERR_CONNECTION_REFUSED' })
    expect(await attempt('http://nothing.invalid/')).toEqual({ message: 'net::ERR_NAME_NOT_RESOLVED' })
    expect(await attempt('file:///nothing/here')).toEqual({ message: 'net::ERR_FILE_NOT_FOUND' })
    expect(await attempt(site.origin.replace('http:', 'https:'))).toEqual({ message: 'net::ERR_SSL_PROTOCOL_ERROR' })
  })

  it('follows a redirect or fails, and never returns one', async () => {
    expect(await attempt(`${site.origin}/hop`)).toMatchObject({ status: 200 })
    expect(await attempt(`${site.origin}/hop`, { redirect: 'manual' })).toEqual({ message: 'Redirect was cancelled' })
    expect(await attempt(`${site.origin}/hop`, { redirect: 'error' })).toMatchObject({
      message: expect.stringContaining('redirect')
    })
  })

  it('fails like the pages while the machine is offline', async () => {
    const page = await openView(app, `${site.origin}/start`)
    await app.setOnline(false)
    expect(await attempt(site.origin)).toEqual({ message: 'net::ERR_INTERNET_DISCONNECTED' })
    expect(await app.evaluate(({ net }) => net.isOnline())).toBe(false)
    await eventually(() => page.evaluate(() => !navigator.onLine))
    expect(
      await page.evaluate(() =>
        fetch('/x').then(
          () => 'answered',
          () => 'failed'
        )
      )
    ).toBe('failed')
    expect(await app.window.evaluate(() => fetch('/page.js').then((response) => response.status))).toBe(200)
    await app.setOnline(true)
    await eventually(() => page.evaluate(() => navigator.onLine))
    expect(await attempt(site.origin)).toMatchObject({ status: 200 })
  })
})
