// Where pages may go: Electron's navigation events; what a listener prevents never reaches the network.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Launched } from '../e2e/launch.ts'
import {
  clearRecords,
  eventually,
  openSite,
  openView,
  records,
  redirectTo,
  refuse,
  type Site,
  startFixture
} from './fixture/start.ts'

let app: Launched
let site: Site

beforeAll(async () => {
  site = await openSite({
    '/hop': redirectTo('/landed'),
    '/start': '<!doctype html><title>start</title><a id="blank" href="/elsewhere" target="_blank">new</a>',
    '/framing': '<!doctype html><title>framing</title><iframe src="/inner"></iframe>'
  })
  app = await startFixture()
})

afterAll(async () => {
  await app.close()
  await site.close()
})

afterEach(() => refuse(app))

const names = async () => (await records(app)).map((each) => each.name)
const settled = (path: string) => eventually(() => site.requestedPaths.includes(path))

describe('a page loaded by the application', () => {
  it('raises no will-navigate', async () => {
    await openView(app, `${site.origin}/start`)
    expect(await names()).toEqual(['did-start-navigation', 'did-navigate'])
  })

  it('raises will-redirect for a redirect all the same', async () => {
    const page = await openView(app, `${site.origin}/start`)
    await clearRecords(app)
    await app.evaluate(
      (_electron, url) => (globalThis.fixture.current as Electron.WebContentsView).webContents.loadURL(url),
      `${site.origin}/hop`
    )
    expect(await names()).toEqual(['did-start-navigation', 'will-redirect', 'did-redirect-navigation', 'did-navigate'])
    // Playwright has its own connection to the page, and may learn of this later.
    await expect.poll(() => page.url()).toBe(`${site.origin}/landed`)
  })

  it('rejects loadURL with Electron’s code', async () => {
    await openView(app, `${site.origin}/start`)
    const refused = await app.evaluate(() => {
      const view = globalThis.fixture.current as Electron.WebContentsView
      return view.webContents
        .loadURL('http://127.0.0.1:9/')
        .catch((error) => ({ code: error.code, errno: error.errno }))
    })
    expect(refused).toEqual({ code: 'ERR_UNSAFE_PORT', errno: -312 })
    expect((await records(app)).find((each) => each.name === 'did-fail-load')).toBeDefined()
  })

  it('rejects loadURL as aborted when a redirect is refused', async () => {
    await openView(app, `${site.origin}/start`)
    await refuse(app, 'will-redirect')
    site.requestedPaths.length = 0
    const code = await app.evaluate(async (_electron, url) => {
      const view = globalThis.fixture.current as Electron.WebContentsView
      return view.webContents.loadURL(url).catch((error) => error.code)
    }, `${site.origin}/hop`)
    expect(code).toBe('ERR_ABORTED')
    expect(site.requestedPaths).toEqual(['/hop'])
  })
})

describe('a page that navigates', () => {
  it('raises the events in Electron’s order', async () => {
    const page = await openView(app, `${site.origin}/start`)
    await clearRecords(app)
    await page.evaluate(() => void location.assign('/hop'))
    await eventually(async () => (await names()).includes('did-navigate'))
    expect(await names()).toEqual([
      'did-start-navigation',
      'will-frame-navigate',
      'will-navigate',
      'will-redirect',
      'did-redirect-navigation',
      'did-navigate'
    ])
  })

  it.each([
    ['by script', `location.href = '/refused'`],
    ['by a link', `const a = document.createElement('a'); a.href = '/refused'; document.body.append(a); a.click()`],
    [
      'by a form',
      `const f = document.createElement('form'); f.action = '/refused'; f.method = 'post'; document.body.append(f); f.submit()`
    ],
    ['by refresh', `document.head.innerHTML += '<meta http-equiv="refresh" content="0;url=/refused">'`]
  ])('is stopped %s, without a request to the server', async (_how, script) => {
    const page = await openView(app, `${site.origin}/start`)
    await refuse(app, '/refused')
    await clearRecords(app)
    site.requestedPaths.length = 0
    await page.evaluate(script)
    const recorded = await eventually(async () => (await records(app)).find((each) => each.name.startsWith('will-')))
    expect(recorded.url).toContain('/refused')
    await page.evaluate(() => fetch('/after'))
    expect(site.requestedPaths).toEqual(['/after'])
    expect(page.url()).toBe(`${site.origin}/start`)
  })

  it('is stopped at a redirect, without a request to its target', async () => {
    const page = await openView(app, `${site.origin}/start`)
    await refuse(app, 'will-redirect')
    site.requestedPaths.length = 0
    await page.evaluate(() => void location.assign('/hop'))
    await eventually(async () => (await names()).includes('will-redirect'))
    await page.evaluate(() => fetch('/after'))
    expect(site.requestedPaths).toEqual(['/hop', '/after'])
  })

  it('raises only in-page events inside its document', async () => {
    const page = await openView(app, `${site.origin}/start`)
    await clearRecords(app)
    await page.evaluate(() => {
      location.hash = 'there'
      history.pushState(null, '', '/pushed')
    })
    await eventually(async () => (await names()).filter((each) => each === 'did-navigate-in-page').length === 2)
    expect(await names()).toEqual([
      'did-start-navigation',
      'did-navigate-in-page',
      'did-start-navigation',
      'did-navigate-in-page'
    ])
  })

  it.each(['mailto:someone@example.com', 'tel:+441632960000', 'ms-word:ofe|u|https://example.com/a.docx'])(
    'raises will-navigate for %s, and a refused one isn’t passed to the desktop',
    async (url) => {
      const page = await openView(app, `${site.origin}/start`)
      await refuse(app, `will-navigate ${url}`)
      await page.evaluate((url) => location.assign(url), url)
      await eventually(async () =>
        (await records(app)).find((each) => each.name === 'will-navigate' && each.url === url)
      )
      expect(await app.openedExternally()).not.toContain(url)
      await refuse(app)
      await page.evaluate((url) => location.assign(url), url)
      await eventually(async () => (await app.openedExternally()).includes(url))
    }
  )

  it('reaches the application’s own scheme only through will-navigate, and other sessions don’t serve it', async () => {
    const page = await openView(app, `${site.origin}/start`)
    await page.evaluate(() => location.assign('app://fixture/page.html'))
    const raised = await eventually(async () => (await records(app)).find((each) => each.name === 'will-navigate'))
    expect(raised.url).toBe('app://fixture/page.html')
    await page.evaluate(() => fetch('/after'))
    expect(page.url()).toBe(`${site.origin}/start`)
  })

  it('is stopped on its way to a blob: address, and arrives there if allowed', async () => {
    const page = await openView(app, `${site.origin}/start`)
    const go = () =>
      page.evaluate(() => {
        document.title = 'still here'
        location.href = URL.createObjectURL(new Blob(['<title>blob</title>'], { type: 'text/html' }))
      })
    await refuse(app, 'will-navigate blob:')
    await go()
    await eventually(async () => (await names()).includes('will-navigate'))
    await page.evaluate(() => fetch('/after'))
    expect(await page.title()).toBe('still here')
    await refuse(app)
    await go()
    await eventually(async () => (await page.title()) === 'blob')
    expect((await names()).filter((each) => each === 'will-navigate')).toHaveLength(2)
  })

  it('isn’t reported as navigating when the test reloads it', async () => {
    const page = await openView(app, `${site.origin}/start`)
    await clearRecords(app)
    await page.reload()
    expect(await names()).toEqual(['did-start-navigation', 'did-navigate'])
  })
})

describe('a frame', () => {
  it('raises only will-frame-navigate, for its first address too', async () => {
    await openView(app, `${site.origin}/framing`)
    await settled('/inner')
    const raised = (await records(app)).filter((each) => each.url.endsWith('/inner') && each.name.startsWith('will-'))
    expect(raised).toEqual([expect.objectContaining({ name: 'will-frame-navigate', isMainFrame: false })])
  })

  it.each(['same origin', 'another origin'])(
    'is stopped when refused (%s), without a request to the server',
    async (which) => {
      const page = await openView(app, `${site.origin}/start`)
      await refuse(app, '/refused')
      site.requestedPaths.length = 0
      const address = `${which === 'same origin' ? site.origin : site.otherOrigin}/refused`
      await page.evaluate((address) => {
        const frame = document.createElement('iframe')
        frame.src = address
        document.body.append(frame)
      }, address)
      await eventually(async () =>
        (await records(app)).find((each) => each.url === address && each.name === 'will-frame-navigate')
      )
      await page.evaluate(() => fetch('/after'))
      expect(site.requestedPaths).toEqual(['/after'])
    }
  )

  it('of another origin is stopped when it navigates', async () => {
    const page = await openView(app, `${site.origin}/start`)
    await page.evaluate((address) => {
      const frame = document.createElement('iframe')
      frame.src = address
      document.body.append(frame)
    }, `${site.otherOrigin}/framed`)
    const frame = await eventually(() => page.frames().find((each) => each.url().endsWith('/framed')))
    await frame.waitForLoadState()
    await refuse(app, '/refused')
    site.requestedPaths.length = 0
    await frame.evaluate(() => void location.assign('/refused'))
    await eventually(async () =>
      (await records(app)).find((each) => each.url.endsWith('/refused') && each.name === 'will-frame-navigate')
    )
    await page.evaluate(() => fetch('/after'))
    expect(site.requestedPaths).toEqual(['/after'])
  })
})

describe('a window that a page opens', () => {
  const deny = () =>
    app.evaluate(() => {
      const { fixture } = globalThis
      const view = fixture.current as Electron.WebContentsView
      view.webContents.setWindowOpenHandler(({ url, frameName, disposition }) => {
        fixture.records.push({ name: 'open', url, frameName, disposition })
        return { action: 'deny' }
      })
    })

  it.each([
    ['window.open', `window.open('/elsewhere', 'named', 'width=300')`, 'new-window'],
    ['window.open without an opener', `window.open('/elsewhere', '_blank', 'noopener')`, 'foreground-tab'],
    ['a link to a new tab', `document.querySelector('#blank').click()`, 'foreground-tab'],
    [
      'a link clicked with Ctrl held',
      `document.querySelector('#blank').dispatchEvent(new MouseEvent('click', { ctrlKey: true, bubbles: true, cancelable: true }))`,
      'foreground-tab'
    ],
    [
      'a link in no document, clicked with Shift held',
      `Object.assign(document.createElement('a'), { href: '/elsewhere' }).dispatchEvent(new MouseEvent('click', { shiftKey: true }))`,
      'new-window'
    ]
  ])('is denied by the handler (%s), without a request to the server', async (_how, script, disposition) => {
    const page = await openView(app, `${site.origin}/start`)
    await deny()
    site.requestedPaths.length = 0
    await page.evaluate(`void (${script})`)
    const attempt = await eventually(async () => (await records(app)).find((each) => each.name === 'open'))
    expect(attempt).toMatchObject({ url: `${site.origin}/elsewhere`, disposition })
    await page.evaluate(() => fetch('/after'))
    expect(site.requestedPaths).toEqual(['/after'])
    expect(
      page
        .context()
        .pages()
        .filter((each) => each.url().includes('elsewhere'))
    ).toEqual([])
  })
})

describe('a page closed by the application', () => {
  it('disappears from the browser and makes no more requests', async () => {
    const page = await openView(app, `${site.origin}/start`)
    await page.evaluate(() => void setInterval(() => fetch('/still-here'), 20))
    await eventually(() => site.requestedPaths.includes('/still-here'))
    const closed = page.waitForEvent('close')
    const results = await app.evaluate(() => {
      const view = globalThis.fixture.current as Electron.WebContentsView
      const { webContents } = view
      const results: string[] = []
      // As in Electron, the view has let go of its contents by then.
      webContents.once('destroyed', () => results.push(`destroyed ${view.webContents}`))
      webContents.close()
      return [...results, String(webContents.isDestroyed())]
    })
    await closed
    expect(results).toEqual(['destroyed undefined', 'true'])
    // A request in flight when the page was closed may still arrive, but before everything that the next page requests.
    const next = await openView(app, `${site.origin}/start`)
    site.requestedPaths.length = 0
    await next.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)))
    await next.evaluate(() => fetch('/after'))
    expect(site.requestedPaths).toEqual(['/after'])
  })

  it('doesn’t retry a failed load', async () => {
    const gone = await openSite()
    await gone.close()
    await openView(app, `${site.origin}/start`)
    await app.evaluate(
      (_electron, url) =>
        (globalThis.fixture.current as Electron.WebContentsView).webContents.loadURL(url).catch(() => {}),
      gone.origin
    )
    await clearRecords(app)
    // Chrome's own error page would have retried within a second.
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect(await records(app)).toEqual([])
  })
})
