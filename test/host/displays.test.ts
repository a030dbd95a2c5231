// Displays that a test plugs in and out, and the windows on them.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { openPersonWindow as OpenPersonWindow } from '../../src/main/shell/own-windows.ts'
import type { Launched } from '../e2e/launch.ts'
import { eventually, startFixture } from './fixture/start.ts'

const ownWindowsFile = pathToFileURL(join(import.meta.dirname, '../../src/main/shell/own-windows.ts')).href

let app: Launched

beforeAll(async () => {
  app = await startFixture()
})

afterAll(() => app.close())

it('a window fills its display, and moves to the first one when its display is unplugged', async () => {
  await app.evaluate(({ screen }) => {
    const { records } = globalThis.fixture
    records.length = 0
    screen.on('display-added', (_event, { id }) => records.push(['added', id]))
    screen.on('display-removed', (_event, { id }) => records.push(['removed', id]))
  })
  const id = await app.addDisplay({ width: 1280, height: 800 })
  const filled = await app.evaluate(async ({ BrowserWindow, screen }, id) => {
    const display = screen.getAllDisplays().find((each) => each.id === id)
    const window = new BrowserWindow({ ...display?.bounds, fullscreen: true, show: false, title: 'Other' })
    await window.loadURL('app://fixture/other.html')
    window.showInactive()
    return {
      display: display?.bounds,
      window: window.getBounds(),
      on: screen.getDisplayMatching(window.getBounds()).id
    }
  }, id)
  expect(filled).toEqual({ display: filled.window, window: { x: 1920, y: 0, width: 1280, height: 800 }, on: id })
  const page = await app.waitForWindow(/other\.html/)
  await eventually(() => page.evaluate(() => innerWidth === 1280 && innerHeight === 800))
  expect((await app.windows()).map(({ bounds }) => bounds.x >= 1920)).toEqual([false, true])

  await app.removeDisplay(id)
  const other = (await app.windows()).at(-1)
  expect(other).toMatchObject({ fullScreen: true, bounds: { x: 0, y: 0, width: 1920, height: 1080 } })
  expect(await app.evaluate(() => globalThis.fixture.records)).toEqual([
    ['added', id],
    ['removed', id]
  ])
  await expect(app.removeDisplay(1)).rejects.toThrow('no display 1 to unplug')
})

it('a hidden window that is made full screen appears at once, and takes the focus', async () => {
  await app.focusWindow()
  const states = await app.evaluate(async ({ BrowserWindow }) => {
    const window = new BrowserWindow({ fullscreen: true, show: false })
    const states = [[window.isVisible(), window.isFocused()]]
    await new Promise((done) => window.once('enter-full-screen', () => done(undefined)))
    states.push([window.isVisible(), window.isFocused()])
    window.destroy()
    return states
  })
  expect(states).toEqual([
    [false, false],
    [true, true]
  ])
})

it('the window for a person on the second display appears when its page does, and leaves the clerk the keyboard', async () => {
  await app.focusWindow()
  const id = await app.addDisplay({ width: 1280, height: 800 })
  const seen = await app.evaluate(
    async ({ screen }, { file, id, preload }) => {
      const { window: office, load } = globalThis.fixture
      const { openPersonWindow } = await load<{ openPersonWindow: typeof OpenPersonWindow }>(file)
      const display = screen.getAllDisplays().find((each) => each.id === id) as Electron.Display
      const seen: string[] = []
      office.on('blur', () => seen.push('the clerk lost the keyboard'))
      const log = { error: () => seen.push('could not be loaded') }
      const start = 'app://fixture/other.html'
      const window = openPersonWindow(display, { start, zoom: () => 1, log, preload, devServer: undefined })
      window.prependOnceListener('ready-to-show', () => seen.push('its page is drawn'))
      window.once('show', () => seen.push('shown'))
      await new Promise((done) => window.once('enter-full-screen', () => done(undefined)))
      seen.push(window.isVisible() ? 'fills the display' : 'fills it unseen')
      seen.push(String(screen.getDisplayMatching(window.getBounds()).id === id))
      window.destroy()
      return seen
    },
    { file: ownWindowsFile, id, preload: join(import.meta.dirname, 'fixture/preload.cjs') }
  )
  expect(seen).toEqual(['its page is drawn', 'shown', 'fills the display', 'true'])
  await app.removeDisplay(id)
})

it('a window loses the focus to another program, and regains it', async () => {
  await app.focusWindow()
  await app.evaluate(() => {
    const { records, window } = globalThis.fixture
    records.length = 0
    window.on('blur', () => records.push('blur'))
    window.on('focus', () => records.push('focus'))
  })
  await app.blurWindow()
  expect((await app.windows()).map(({ focused }) => focused)).toEqual([false, false])
  await app.focusWindow()
  expect(await app.evaluate(() => globalThis.fixture.records)).toEqual(['blur', 'focus'])
})
