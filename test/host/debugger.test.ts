// webContents.debugger, and how the application holds a page with it: by the browser's own commands, in every frame.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { hold as Hold } from '../../src/main/shell/isolated-page.ts'
import type { Launched } from '../e2e/launch.ts'
import { eventually, openSite, type Site, startFixture } from './fixture/start.ts'

const holdFile = pathToFileURL(join(import.meta.dirname, '../../src/main/shell/isolated-page.ts')).href
const PRINTING = `<script>begun = 0; onbeforeprint = () => begun++</script>`
const CHOOSER = `<body style="margin:0"><input type="file" style="display:block;width:300px;height:200px">`

let app: Launched
let site: Site

beforeAll(async () => {
  const frame = (origin: string) => `<!doctype html><body style="margin:0">
    <iframe src="${origin}/within" style="width:300px;height:200px;border:0"></iframe>`
  site = await openSite({
    '/outer': (request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(frame(`http://localhost:${request.socket.localPort}`))
    },
    '/within': `<!doctype html>${PRINTING}${CHOOSER}`,
    '/page': `<!doctype html>${PRINTING}${CHOOSER}`
  })
  app = await startFixture()
})

afterAll(async () => {
  await app.close()
  await site.close()
})

beforeEach(() =>
  app.evaluate(() => {
    globalThis.fixture.records.length = 0
  })
)

const records = () => app.evaluate(() => globalThis.fixture.records as unknown[])

describe('the debugger', () => {
  it('passes on the messages of the page’s target, and its answers', async () => {
    const answer = await app.evaluate(async (_electron, url) => {
      const { fixture } = globalThis
      const { webContents } = fixture.view()
      await webContents.loadURL('about:blank')
      const line = webContents.debugger
      const heard: string[] = []
      line.on('message', (_event, method) => heard.push(method))
      const before = line.isAttached()
      line.attach('1.3')
      await line.sendCommand('Page.enable')
      await webContents.loadURL(url)
      const { result } = await line.sendCommand('Runtime.evaluate', { expression: '6 * 7' })
      return [before, line.isAttached(), result.value, heard]
    }, `${site.origin}/page`)
    const heard = expect.arrayContaining(['Page.frameNavigated', 'Page.loadEventFired'])
    expect(answer).toEqual([false, true, 42, heard])
  })

  it('refuses what Electron’s debugger refuses', async () => {
    const refused = await app.evaluate(async () => {
      const line = globalThis.fixture.view().webContents.debugger
      const errors: string[] = []
      const hear = (error: Error) => void errors.push(error.message)
      await line.sendCommand('Page.enable').catch(hear)
      try {
        line.attach('9.9')
      } catch (error) {
        hear(error as Error)
      }
      line.attach()
      try {
        line.attach()
      } catch (error) {
        hear(error as Error)
      }
      await line.sendCommand('Page.noSuchThing').catch(hear)
      await line.sendCommand('Page.enable', {}, 'nobody').catch(hear)
      return errors
    })
    expect(refused).toEqual([
      'No target available',
      'Requested protocol version is not supported',
      'Debugger is already attached to the target',
      expect.stringContaining('wasn’t found'.replace('’', "'")),
      'Session with given id not found.'
    ])
  })

  it.each([
    ['it is detached', 'webContents.debugger.detach()'],
    ['the page is closed', 'webContents.close()']
  ])('announces when %s', async (_what, script) => {
    await app.evaluate(async (_electron, script) => {
      const { fixture } = globalThis
      const { webContents } = fixture.view()
      await webContents.loadURL('about:blank')
      webContents.debugger.attach('1.3')
      await webContents.debugger.sendCommand('Page.enable')
      webContents.debugger.on('detach', (_event, reason) => fixture.records.push([reason, webContents.isDestroyed()]))
      new Function('webContents', script)(webContents)
    }, script)
    expect(await eventually(records)).toHaveLength(1)
  })
})

describe('a page guarded by the debugger', () => {
  /** Opens a page that is held from its start, and records what it tries. */
  async function openHeld(path: string, isHeld = true): Promise<void> {
    await app.evaluate(
      async (_electron, { holdFile, url, isHeld }) => {
        const { fixture } = globalThis
        for (const child of fixture.window.contentView.children) {
          fixture.window.contentView.removeChildView(child)
          ;(child as Partial<Electron.WebContentsView>).webContents?.close()
        }
        const { hold } = await fixture.load<{ hold: typeof Hold }>(holdFile)
        fixture.records.length = 0
        const view = fixture.view()
        fixture.held = view
        const { webContents } = view
        await webContents.loadURL('about:blank')
        if (isHeld) {
          await hold(
            webContents,
            { webRtc: false, camera: '' },
            {
              triedToPrint: () => fixture.records.push('printed'),
              askedForFile: () => fixture.records.push('asked for file'),
              gotOtherCamera: () => fixture.records.push('other camera'),
              holdLost: () => fixture.records.push('slipped')
            }
          )
        }
        await webContents.loadURL(url)
      },
      { holdFile, url: site.origin + path, isHeld }
    )
  }

  const click = () =>
    app.evaluate(() => {
      const { webContents } = globalThis.fixture.held as Electron.WebContentsView
      const at = { x: 50, y: 50, button: 'left', clickCount: 1 } as const
      webContents.sendInputEvent({ type: 'mouseDown', ...at })
      webContents.sendInputEvent({ type: 'mouseUp', ...at })
    })

  it.each(['/page', '/outer'])('can’t print (%s)', async (path) => {
    await openHeld(path)
    const page = await app.waitForView(new RegExp(`${path}$`))
    const frame = page.frames().at(-1)
    expect(await frame?.evaluate(() => [print(), (globalThis as unknown as { begun: number }).begun])).toEqual([
      undefined,
      0
    ])
    expect(await eventually(records)).toEqual(['printed'])
  })

  it('could print without the guard', async () => {
    await openHeld('/page', false)
    const page = await app.waitForView(/\/page$/)
    // Nothing closes a print dialog that a headless browser has opened, so this looks at the frame instead of printing.
    expect(await page.evaluate(() => Object.getOwnPropertyDescriptor(window, 'print')?.configurable)).toBe(true)
  })

  it.each(['/page', '/outer'])('gets no file chooser (%s)', async (path) => {
    await openHeld(path)
    await app.waitForView(new RegExp(`${path}$`))
    // The browser finds a frame of another process under the mouse only some time after the page is there.
    const recorded = await eventually(async () => {
      await click()
      return records()
    })
    expect([...new Set(recorded)]).toEqual(['asked for file'])
    const page = await app.waitForView(new RegExp(`${path}$`))
    const chosen = () =>
      page
        .frames()
        .at(-1)
        ?.evaluate(() => document.querySelector('input')?.files?.length)
    expect(await chosen()).toBe(0)
  })

  it.each(['/page', '/outer'])('can’t open a peer connection (%s)', async (path) => {
    await openHeld(path)
    const page = await app.waitForView(new RegExp(`${path}$`))
    const found = page
      .frames()
      .at(-1)
      ?.evaluate(() => {
        const frame = document.body.appendChild(document.createElement('iframe'))
        const inner = frame.contentWindow as unknown as typeof globalThis
        return [globalThis, inner].flatMap((each) => [typeof each.RTCPeerConnection, 'webkitRTCPeerConnection' in each])
      })
    expect(await found).toEqual(['undefined', false, 'undefined', false])
  })

  it('is reported as unguarded when the connection is lost', async () => {
    await openHeld('/page')
    await app.evaluate(() => (globalThis.fixture.held as Electron.WebContentsView).webContents.debugger.detach())
    expect(await eventually(records)).toEqual(['slipped'])
  })
})
