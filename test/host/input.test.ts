// What the application learns of a person's input in a page, and our own context menu.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { offerTextMenu as OfferTextMenu } from '../../src/main/shell/text-menu.ts'
import type { Launched } from '../e2e/launch.ts'
import { eventually, openSite, type Site, startFixture } from './fixture/start.ts'

const menuFile = pathToFileURL(join(import.meta.dirname, '../../src/main/shell/text-menu.ts')).href

let app: Launched
let site: Site
let page: Page

beforeAll(async () => {
  site = await openSite({
    '/form': `<!doctype html><style>body{margin:0} input,p{display:block;margin:0;width:300px;height:100px}</style>
      <input value="Ana Silva"><p>Read this</p><script>keys = []; onkeydown = ({ key, ctrlKey }) => keys.push([key, ctrlKey])</script>`
  })
  app = await startFixture()
  await app.evaluate(
    async ({ clipboard }, { menuFile, url }) => {
      const { fixture } = globalThis
      const { offerTextMenu } = await fixture.load<{ offerTextMenu: typeof OfferTextMenu }>(menuFile)
      const view = fixture.view()
      view.setBounds({ ...view.getBounds(), x: 30, y: 200 })
      const { webContents } = view
      fixture.contents = webContents
      offerTextMenu(webContents, fixture.window, { origin: () => view.getBounds() })
      webContents.on('before-input-event', (event, input) => {
        fixture.records.push(['before-input', input.type, input.key, input.control])
        if (fixture.prevents) event.preventDefault()
      })
      webContents.on('before-mouse-event', (event, { type }) => {
        fixture.records.push(['before-mouse', type])
        if (fixture.prevents) event.preventDefault()
      })
      webContents.on('input-event', (_event, { type }) => fixture.records.push(['input', type]))
      await webContents.loadURL(url)
      await clipboard.writeText('')
    },
    { menuFile, url: `${site.origin}/form` }
  )
  page = await app.waitForView(/\/form$/)
})

afterAll(async () => {
  await app.close()
  await site.close()
})

beforeEach(() =>
  app.evaluate(() => {
    globalThis.fixture.records.length = 0
    globalThis.fixture.prevents = false
  })
)

const prevent = (prevents: boolean) =>
  app.evaluate((_electron, prevents) => {
    globalThis.fixture.prevents = prevents
  }, prevents)
const records = () => app.evaluate(() => globalThis.fixture.records as unknown[][])
const send = (...events: (Electron.KeyboardInputEvent | Electron.MouseInputEvent)[]) =>
  app.evaluate((_electron, events) => {
    for (const event of events) (globalThis.fixture.contents as Electron.WebContents).sendInputEvent(event)
  }, events)
const keys = () => page.evaluate(() => (globalThis as unknown as { keys: unknown[] }).keys.splice(0))

describe('input sent by the application', () => {
  it('reaches the page as a key, after the application was notified', async () => {
    await send({ type: 'keyDown', keyCode: 'P', modifiers: ['control'] })
    expect(await eventually(keys)).toEqual([['p', true]])
    expect(await records()).toEqual([
      ['before-input', 'keyDown', 'p', true],
      ['input', 'rawKeyDown']
    ])
  })

  it('reaches the page as a click', async () => {
    await send({ type: 'mouseDown', x: 20, y: 20, clickCount: 1 }, { type: 'mouseUp', x: 20, y: 20, clickCount: 1 })
    await eventually(() => page.evaluate(() => document.activeElement?.tagName === 'INPUT'))
    expect(await records()).toEqual(
      expect.arrayContaining([
        ['before-mouse', 'mouseDown'],
        ['input', 'mouseDown']
      ])
    )
  })

  it('doesn’t reach the page if the application prevents it', async () => {
    await prevent(true)
    await send({ type: 'keyDown', keyCode: 'F12' }, { type: 'mouseDown', x: 20, y: 20 })
    await prevent(false)
    await send({ type: 'keyDown', keyCode: 'Tab' })
    expect(await eventually(keys)).toEqual([['Tab', false]])
    expect((await records()).filter(([kind]) => kind === 'input')).toEqual([['input', 'rawKeyDown']])
  })
})

it('a person’s input is announced, and scripted events are not', async () => {
  await page.evaluate(() => dispatchEvent(new KeyboardEvent('keydown', { key: 'x' })))
  await page.mouse.move(30, 30)
  await page.mouse.wheel(0, 10)
  await page.keyboard.press('x')
  await eventually(async () => (await records()).some(([, type]) => type === 'keyUp'))
  const types = (await records()).map(([, type]) => type)
  expect(types).toEqual(expect.arrayContaining(['mouseMove', 'mouseWheel', 'rawKeyDown', 'keyUp']))
  expect(types.filter((type) => type === 'rawKeyDown')).toHaveLength(1)
})

describe('our context menu in a signer’s page', () => {
  const labels = async () =>
    (await app.menu())
      .filter(({ type }) => type !== 'separator')
      .map(({ label, enabled }) => `${label}${enabled ? '' : ' (off)'}`)
  const field = () => page.evaluate(() => document.querySelector('input')?.value)

  it('offers what a field allows at the moment, and does it', async () => {
    const onText = { button: 'right', position: { x: 10, y: 50 } } as const
    await page.locator('input').click()
    await page.locator('input').click({ button: 'right' })
    await eventually(async () => (await labels()).includes('Select all'))
    expect(await labels()).toEqual(['Undo (off)', 'Redo (off)', 'Cut (off)', 'Copy (off)', 'Paste', 'Select all'])
    await app.clickMenu(['Select all'])
    await eventually(() => page.evaluate(() => String(getSelection()) === 'Ana Silva'))
    await page.locator('input').click(onText)
    await eventually(async () => (await labels()).includes('Cut'))
    await app.clickMenu(['Cut'])
    await eventually(async () => (await field()) === '')
    expect(await app.clipboardText()).toBe('Ana Silva')
    await page.locator('input').click(onText)
    await eventually(async () => (await labels()).includes('Undo'))
    await app.clickMenu(['Paste'])
    await eventually(async () => (await field()) === 'Ana Silva')
    await page.locator('input').click(onText)
    await eventually(async () => (await labels()).includes('Undo'))
    await app.clickMenu(['Undo'])
    await eventually(async () => (await field()) === '')
    await page.evaluate(() => Object.assign(document.querySelector('input') ?? {}, { value: 'Ana Silva' }))
  })

  it('can be opened from the keyboard, too, at the caret in the window', async () => {
    await app.evaluate(() => {
      const contents = globalThis.fixture.contents as Electron.WebContents
      contents.once('context-menu', (_event, { menuSourceType, misspelledWord, y }) =>
        globalThis.fixture.records.push(['asked', menuSourceType, misspelledWord, y > 0 && y < 100])
      )
    })
    await page.locator('input').press('Shift+F10')
    await eventually(async () => (await labels()).includes('Paste'))
    expect(await records()).toContainEqual(['asked', 'keyboard', '', true])
    const place = await app.evaluate(({ Menu }) => (Menu as unknown as { open: { place: Electron.Point } }).open.place)
    expect(place.x).toBeGreaterThanOrEqual(30)
    expect(place.y).toBeGreaterThan(200)
    expect(place.y).toBeLessThan(300)
  })

  it('offers to copy selected text', async () => {
    await page.evaluate(() => getSelection()?.selectAllChildren(document.querySelector('p') as Node))
    await page.locator('p').click({ button: 'right', position: { x: 10, y: 10 } })
    await eventually(async () => (await labels()).length === 1)
    expect(await labels()).toEqual(['Copy'])
    await app.clickMenu(['Copy'])
    await eventually(async () => (await app.clipboardText()) === 'Read this')
  })

  it('isn’t shown if there is nothing to do', async () => {
    await page.evaluate(() => getSelection()?.removeAllRanges())
    await page.locator('p').click({ button: 'right', position: { x: 200, y: 80 } })
    await page.mouse.move(1, 1)
    // Without a context menu of ours, this is the application menu, or nothing.
    expect((await labels()).join()).not.toContain('Copy')
  })
})
