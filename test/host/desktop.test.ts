// Windows, views, and the desktop around them, as a test emulates it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type {
  followVisibility as FollowVisibility,
  showWhenReopened as ShowWhenReopened
} from '../../src/main/shell/windows.ts'
import type { Launched } from '../e2e/launch.ts'
import { eventually, openSite, openView, type Site, startFixture } from './fixture/start.ts'

const windowsFile = pathToFileURL(join(import.meta.dirname, '../../src/main/shell/windows.ts')).href

let app: Launched
let site: Site
const folder = mkdtempSync(join(tmpdir(), 'countersign-host-test-'))

beforeAll(async () => {
  site = await openSite({ '/red': '<!doctype html><style>body{background:rgb(200,20,30)}</style><p>view' })
  app = await startFixture()
})

afterAll(async () => {
  await app.close()
  await site.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('a window', () => {
  it('has the size of its page, and announces a new one', async () => {
    await app.evaluate(() => {
      globalThis.fixture.records.length = 0
      globalThis.fixture.window.on('resize', () => globalThis.fixture.records.push('resize'))
    })
    await app.resizeWindow({ width: 1000, height: 700 })
    expect(await app.evaluate(() => globalThis.fixture.records)).toEqual(['resize'])
    await eventually(() => app.window.evaluate(() => innerWidth === 1000 && innerHeight === 700))
  })

  it('is maximised, made full screen, minimised and restored, with Electron’s events', async () => {
    const emitted = await app.evaluate(() => {
      const { window } = globalThis.fixture
      const emitted: string[] = []
      for (const name of ['maximize', 'unmaximize', 'enter-full-screen', 'leave-full-screen', 'minimize', 'restore']) {
        window.once(name as 'maximize', () => emitted.push(name))
      }
      window.maximize()
      window.unmaximize()
      window.setFullScreen(true)
      window.setFullScreen(false)
      window.minimize()
      window.restore()
      return emitted
    })
    expect(emitted).toEqual(['maximize', 'unmaximize', 'enter-full-screen', 'leave-full-screen', 'minimize', 'restore'])
    expect((await app.windows())[0]?.bounds).toMatchObject({ width: 1000, height: 700 })
  })

  it('takes its page’s title, and zooms it', async () => {
    expect((await app.windows())[0]?.title).toBe('Fixture')
    await app.evaluate(() => globalThis.fixture.window.webContents.setZoomFactor(2))
    await eventually(() => app.window.evaluate(() => innerWidth === 500 && devicePixelRatio === 2))
    await app.evaluate(() => globalThis.fixture.window.webContents.setZoomFactor(1))
  })

  it.each(['activate', 'second-instance'])(
    'comes forward, hidden or minimised, when the application is reopened by %s',
    async (by) => {
      const states = await app.evaluate(
        async ({ app }, { by, windowsFile }) => {
          const { fixture } = globalThis
          const { window } = fixture
          const { showWhenReopened } = await fixture.load<{ showWhenReopened: typeof ShowWhenReopened }>(windowsFile)
          const isThere = () => window.isVisible() && window.isFocused() && !window.isMinimized()
          const stop = showWhenReopened(window)
          const states: boolean[] = []
          for (const leave of ['hide', 'minimize'] as const) {
            window[leave]()
            states.push(isThere())
            app.emit(by, {}, false)
            states.push(isThere())
          }
          stop()
          window.hide()
          app.emit(by, {}, false)
          states.push(isThere())
          window.show()
          return states
        },
        { by, windowsFile }
      )
      expect(states).toEqual([false, true, false, true, false])
    }
  )

  it('counts as seen when it is restored to the full screen, of which Windows reports only that', async () => {
    const said = await app.evaluate(async (_electron, windowsFile) => {
      const { fixture } = globalThis
      const { followVisibility } = await fixture.load<{ followVisibility: typeof FollowVisibility }>(windowsFile)
      const said: boolean[] = []
      followVisibility(fixture.window, (isShown) => said.push(isShown))
      for (const event of ['minimize', 'enter-full-screen', 'hide', 'show', 'minimize', 'restore'])
        fixture.window.emit(event)
      return said
    }, windowsFile)
    expect(said).toEqual([false, true, false, true, false, true])
  })

  it('refuses to close while its listener prevents it', async () => {
    await app.evaluate(() => void globalThis.fixture.window.once('close', (event) => event.preventDefault()))
    await app.closeWindow()
    expect(await app.window.evaluate(() => document.title)).toBe('Fixture')
    expect(await app.windows()).toHaveLength(1)
  })
})

describe('a screenshot', () => {
  it('shows the views over the window’s page, at their places', async () => {
    await openView(app, `${site.origin}/red`)
    const file = join(folder, 'picture.png')
    await app.screenshot(file)
    const data = readFileSync(file).toString('base64')
    const colours = await app.evaluate(async ({ BrowserWindow }, data) => {
      const window = new BrowserWindow({ show: false, width: 300, height: 200 })
      try {
        return await window.webContents.executeJavaScript(`(async () => {
          const image = new Image()
          image.src = 'data:image/png;base64,${data}'
          await image.decode()
          const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d')
          canvas.drawImage(image, 0, 0)
          const at = (x, y) => [...canvas.getImageData(x, y, 1, 1).data].slice(0, 3).join()
          return { window: at(700, 500), view: at(300, 250), width: image.width, height: image.height }
        })()`)
      } finally {
        window.destroy()
      }
    }, data)
    expect(colours).toEqual({ window: '10,120,200', view: '200,20,30', width: 1000, height: 700 })
  })

  it('leaves out a hidden view', async () => {
    await openView(app, `${site.origin}/red`)
    expect(await app.views()).toHaveLength(1)
    await app.evaluate(() => (globalThis.fixture.current as Electron.WebContentsView).setVisible(false))
    expect(await app.views()).toEqual([])
    expect(await app.views('all')).toHaveLength(1)
  })
})

describe('the desktop', () => {
  it('answers a dialog as the test specified', async () => {
    await app.dialog.answerOpen(['/a.pdf'])
    await app.dialog.answerMessage('Keep')
    const answers = await app.evaluate(async ({ dialog }) => {
      const { window } = globalThis.fixture
      const open = await dialog.showOpenDialog(window, { properties: ['openFile'] })
      const box = await dialog.showMessageBox(window, { message: 'Keep it?', buttons: ['Drop', 'Keep'] })
      return { open, box }
    })
    expect(answers).toEqual({
      open: { canceled: false, filePaths: ['/a.pdf'] },
      box: { response: 1, checkboxChecked: false }
    })
    expect(await app.dialog.shown()).toMatchObject([{ kind: 'open' }, { kind: 'message', message: 'Keep it?' }])
  })

  it('fails an unanswered dialog instead of hanging', async () => {
    await expect(app.evaluate(({ dialog }) => dialog.showSaveDialog({}))).rejects.toThrow('without an answer')
  })

  it('clicks menu items by their labels', async () => {
    const clicked = app.evaluate(
      ({ Menu }) =>
        new Promise<string>((resolve) => {
          const template = [
            {
              label: '&File',
              submenu: [
                { label: 'Send', accelerator: 'CmdOrCtrl+S', click: () => resolve('sent') },
                { role: 'quit' as const }
              ]
            },
            { label: 'View', submenu: [{ label: 'Large', type: 'checkbox' as const }] }
          ]
          Menu.setApplicationMenu(Menu.buildFromTemplate(template))
        })
    )
    await eventually(async () => (await app.menu()).length)
    await app.clickMenu(['View', 'Large'])
    await app.clickMenu(['File', 'Send'])
    expect(await clicked).toBe('sent')
    const [file, view] = await app.menu()
    expect(file?.items.map((item) => item.label)).toEqual(['Send', 'Quit'])
    expect(view?.items[0]?.checked).toBe(true)
    await expect(app.clickMenu(['File', 'Nothing'])).rejects.toThrow('No menu item "Nothing"')
  })

  it('shows notifications that a test can click', async () => {
    const clicked = app.evaluate(
      ({ Notification }) =>
        new Promise<string>((resolve) => {
          const shown = new Notification({ title: 'Signed', body: 'One document' })
          shown.on('click', () => resolve('clicked'))
          shown.show()
        })
    )
    await eventually(async () => (await app.notifications()).length)
    expect((await app.notifications())[0]).toMatchObject({ title: 'Signed', body: 'One document' })
    await app.clickNotification(-1)
    expect(await clicked).toBe('clicked')
  })

  it('opens nothing external, but records the attempt', async () => {
    await app.evaluate(async ({ shell }) => {
      await shell.openExternal('https://example.com/help')
      shell.showItemInFolder('/a.pdf')
      shell.beep()
    })
    expect(await app.beeps()).toBe(1)
    expect(await app.openedExternally()).toContain('https://example.com/help')
    expect(await app.shownInFolder()).toEqual(['/a.pdf'])
  })

  it('has a clipboard of its own', async () => {
    await app.setClipboardText('from the test')
    expect(await app.evaluate(({ clipboard }) => clipboard.readText())).toBe('from the test')
  })

  it('has a theme that reaches the pages', async () => {
    const dark = () => app.window.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)
    expect(await dark()).toBe(false)
    await app.evaluate(({ nativeTheme }) => {
      nativeTheme.themeSource = 'dark'
    })
    await eventually(dark)
    await app.window.reload()
    expect(await dark()).toBe(true)
    await app.evaluate(({ nativeTheme }) => {
      nativeTheme.themeSource = 'system'
    })
    await eventually(async () => !(await dark()))
    await app.setMachineTheme({ dark: true })
    await eventually(dark)
    await app.setMachineTheme({ dark: false })
  })

  it('goes to sleep on the test’s command', async () => {
    await app.evaluate(
      ({ powerMonitor }) => void powerMonitor.once('suspend', () => globalThis.fixture.records.push('suspend'))
    )
    await app.emitPower('suspend')
    expect(await app.evaluate(() => globalThis.fixture.records)).toContain('suspend')
  })

  it('announces a context menu that a person opens', async () => {
    await app.evaluate(() => {
      globalThis.fixture.records.length = 0
      globalThis.fixture.window.webContents.once('context-menu', (_event, parameters) =>
        globalThis.fixture.records.push(parameters)
      )
    })
    await app.window.click('#other', { button: 'right' })
    const [opened] = await eventually(() => app.evaluate(() => globalThis.fixture.records))
    expect(opened).toMatchObject({
      linkURL: 'app://fixture/other.html',
      pageURL: 'app://fixture/page.html',
      isEditable: false
    })
  })
})
