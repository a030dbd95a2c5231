// Displays that a test plugs in and out, and the windows on them.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Launched } from '../e2e/launch.ts'
import { eventually, startFixture } from './fixture/start.ts'

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
