// What the host lacks throws when it is used, and every event it knows is one of Electron's.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Launched } from '../e2e/launch.ts'
import { startFixture } from './fixture/start.ts'
import { notificationEvents } from './notification.ts'
import { powerEvents } from './power-monitor.ts'
import { trayEvents } from './tray-events.ts'

let app: Launched

beforeAll(async () => {
  app = await startFixture()
})

afterAll(() => app.close())

/**
 * Runs a line of JavaScript in the application, with `electron` and `window`. Returns the text of the error it throws,
 * or ''.
 */
function failure(line: string): Promise<string> {
  return app.evaluate(async (electron, line) => {
    try {
      await new Function('electron', 'window', line)(electron, globalThis.fixture.window)
      return ''
    } catch (error) {
      return String(error)
    }
  }, line)
}

describe('anything not emulated throws', () => {
  it.each([
    ['a missing module', `new electron.ShareMenu({})`],
    ['a missing function', `electron.safeStorage.encryptString('x')`],
    ['a member of an emulated object', `window.webContents.findInPage('x')`],
    ['a member of an emulated module', `electron.shell.readShortcutLink('x')`],
    ['a member that does not exist in Electron either', `window.fly()`],
    ['an event that can’t happen here', `window.webContents.on('login', () => {})`],
    ['an event of the application', `electron.app.on('continue-activity', () => {})`],
    ['an option of a window', `new electron.BrowserWindow({ vibrancy: 'dark' })`],
    ['an option of a page', `new electron.BrowserWindow({ webPreferences: { offscreen: true } })`],
    ['a dangerous option of a page', `new electron.BrowserWindow({ webPreferences: { nodeIntegration: true } })`],
    ['a page without isolation', `new electron.BrowserWindow({ webPreferences: { contextIsolation: false } })`],
    ['a proxy', `return electron.session.defaultSession.setProxy({ proxyRules: 'http=x' })`],
    [
      'an event of the tray that can’t happen here',
      `new electron.Tray(electron.nativeImage.createEmpty()).on('fly', () => {})`
    ],
    ['a member of an image', `electron.nativeImage.createEmpty().toPNG()`],
    ['a page’s printing with a dialog', `window.webContents.print()`],
    [
      'a dialog over a window that nobody sees',
      `window.minimize(); try { return electron.dialog.showMessageBox(window, {}) } finally { window.restore() }`
    ],
    ['a way to zoom that pages here have not', `window.webContents.setZoomMode('manual')`],
    ['a page’s history to look at', `window.webContents.navigationHistory.getAllEntries()`],
    ['a key that is on no keyboard', `window.webContents.sendInputEvent({ type: 'keyDown', keyCode: 'Any' })`],
    ['a folder', `electron.app.getPath('recent')`]
  ])('%s', async (_what, line) => {
    expect(await failure(line)).toContain('is not emulated by the test host')
  })

  it('but importing it is allowed', async () => {
    expect(await app.evaluate((electron) => typeof electron.ShareMenu)).toBe('function')
  })

  it('and Electron’s own refusals are kept', async () => {
    expect(await failure(`electron.protocol.registerSchemesAsPrivileged([])`)).toContain('before app is ready')
    expect(await failure(`electron.ipcMain.handle('echo', () => 1)`)).toContain('second handler')
    expect(await failure(`electron.Menu.buildFromTemplate([{ role: 'fly' }])`)).toContain('Unknown role')
  })
})

describe('what is destroyed', () => {
  const view = `const view = new electron.WebContentsView(); const contents = view.webContents; contents.close(); `
  const gone = `const gone = new electron.BrowserWindow({ show: false }); gone.destroy(); `

  it.each([
    ['a window that is looked at', `${gone} gone.isFocused()`],
    ['a window that is closed again', `${gone} gone.close()`],
    ['a window’s page', `${gone} gone.webContents`],
    ['a window’s page that should load something', `${gone} gone.loadURL('about:blank')`],
    [
      'a window in its last event',
      `${gone} const next = new electron.BrowserWindow({ show: false });
      let error; next.once('closed', () => { try { next.getBounds() } catch (thrown) { error = thrown } });
      next.destroy(); throw error`
    ],
    ['a page that is stopped', `${view} contents.stop()`],
    ['a page that is closed again', `${view} contents.close()`],
    ['a page’s address', `${view} contents.getURL()`],
    ['a page’s debugger', `${view} contents.debugger`],
    ['a page that is sent something', `${view} contents.send('x')`]
  ])('throws: %s', async (_what, line) => {
    expect(await failure(line)).toContain('Object has been destroyed')
  })

  it('still says so, lets its listeners go, and is destroyed again without an effect', async () => {
    expect(
      await failure(`${gone} gone.off('closed', () => {}); gone.destroy(); if (!gone.isDestroyed()) throw 1`)
    ).toBe('')
    expect(await failure(`${view} contents.off('destroyed', () => {}); if (!contents.isDestroyed()) throw 1`)).toBe('')
  })
})

describe('every event known to the host is one of Electron’s', async () => {
  const file = createRequire(import.meta.url).resolve('electron/electron.d.ts')
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022)

  /** Returns the names in `on(event: '…')` of a class or interface, and of what it extends. */
  function eventsOf(name: string): Set<string> {
    const found = new Set<string>()
    const visit = (node: ts.Node): void => {
      const declared = ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)
      if (!declared || node.name?.text !== name) return void ts.forEachChild(node, visit)
      for (const clause of node.heritageClauses ?? []) {
        for (const type of clause.types) for (const each of eventsOf(type.expression.getText(source))) found.add(each)
      }
      for (const member of node.members) {
        if (member.name?.getText(source) !== 'on') continue
        const [first] = (member as ts.MethodSignature).parameters
        const type = first?.type
        if (type && ts.isLiteralTypeNode(type) && ts.isStringLiteral(type.literal)) found.add(type.literal.text)
      }
    }
    visit(source)
    return found
  }

  // Read from the running host, since importing those parts would start it.
  const knownEvents = await readKnownEvents()

  it.each(Object.entries(knownEvents))('of %s', (name, events) => {
    const real = eventsOf(name)
    expect(real.size).toBeGreaterThan(0)
    // The one event that Electron emits but doesn't declare in its types.
    expect(events.filter((event) => !real.has(event) && event !== 'ipc-message-sync')).toEqual([])
  })
})

async function readKnownEvents(): Promise<Record<string, readonly string[]>> {
  const eventsOf = (each: { emits: readonly string[]; never?: readonly string[] }) => [
    ...each.emits,
    ...(each.never ?? [])
  ]
  const listed: Record<string, readonly string[]> = {
    Notification: eventsOf(notificationEvents),
    PowerMonitor: eventsOf(powerEvents),
    Tray: eventsOf(trayEvents)
  }
  for (const [name, module, variable] of [
    ['App', 'app', 'appEvents'],
    ['BaseWindow', 'base-window', 'windowEvents'],
    ['Session', 'session', 'sessionEvents'],
    ['WebContents', 'web-contents-events', 'webContentsEvents']
  ] as const) {
    const text = readFileSync(new URL(`./${module}.ts`, import.meta.url), 'utf8')
    const body = text.slice(text.indexOf(`export const ${variable} = {`))
    const list = body.slice(0, body.indexOf('} as const')).replaceAll(/\/\/.*$/gm, '')
    listed[name] = [...list.matchAll(/'([a-z-]+)'/g)].map((match) => match[1] ?? '')
  }
  return listed
}
