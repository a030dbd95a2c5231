// The application on Electron itself, driven by Playwright. Dialogs, notifications and the desktop are emulated by
// replacing those functions of Electron's modules inside the running application, right after its start.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { _electron, type ElectronApplication, type Page } from 'playwright'
import type {
  Badge,
  MenuPicture,
  ShownDialog,
  ShownNotification,
  Start,
  Started,
  TrayPicture,
  WindowInfo
} from './launch.ts'

type Modules = typeof import('electron')

interface Record_ {
  readonly open: string[][]
  readonly save: string[]
  readonly message: string[]
  readonly dialogs: ShownDialog[]
  readonly notifications: (ShownNotification & { click(): void })[]
  readonly external: string[]
  readonly paths: string[]
  readonly folders: string[]
  beeps: number
  readonly trays: { tray: Electron.Tray; toolTip: string; menu: Electron.Menu | null }[]
  overlay: string | null
}

/** Runs inside the application, so it may use only its argument. */
function install(electron: Modules): void {
  const { BrowserWindow, dialog, Notification, shell, Tray } = electron
  const record: Record_ = {
    open: [],
    save: [],
    message: [],
    dialogs: [],
    notifications: [],
    external: [],
    paths: [],
    folders: [],
    beeps: 0,
    trays: [],
    overlay: null
  }
  Object.assign(globalThis, { playedByTest: record })
  const optionsOf = <T>(args: readonly unknown[]) => (args.length > 1 ? args[1] : args[0]) as T
  const note = (
    kind: ShownDialog['kind'],
    options: { title?: string; message?: string; detail?: string; buttons?: string[] }
  ) =>
    record.dialogs.push({
      kind,
      title: options.title ?? '',
      message: [options.message, options.detail].filter(Boolean).join('\n'),
      buttons: options.buttons ?? []
    })
  Object.assign(dialog, {
    showOpenDialog: async (...args: unknown[]) => {
      note('open', optionsOf(args))
      const filePaths = record.open.shift()
      if (!filePaths) throw new Error('dialog.showOpenDialog without an answer from the test')
      return { canceled: filePaths.length === 0, filePaths }
    },
    showSaveDialog: async (...args: unknown[]) => {
      note('save', optionsOf(args))
      const filePath = record.save.shift()
      if (filePath === undefined) throw new Error('dialog.showSaveDialog without an answer from the test')
      return { canceled: filePath === '', filePath }
    },
    showMessageBox: async (...args: unknown[]) => {
      const options = optionsOf<{ buttons?: string[]; checkboxChecked?: boolean }>(args)
      note('message', options)
      const button = record.message.shift()
      if (button === undefined) throw new Error('dialog.showMessageBox without an answer from the test')
      const response = (options.buttons ?? []).indexOf(button)
      if (response < 0) throw new Error(`The dialog has no button "${button}"`)
      return { response, checkboxChecked: options.checkboxChecked ?? false }
    },
    showErrorBox: (title: string, message: string) => void note('error', { title, message })
  })
  Notification.prototype.show = function () {
    record.notifications.push({ title: this.title, body: this.body, click: () => this.emit('click', {}) })
  }
  const { setToolTip, setContextMenu } = Tray.prototype
  const trayOf = (tray: Electron.Tray) => {
    const recordedTray = record.trays.find((each) => each.tray === tray)
    if (recordedTray) return recordedTray
    const made = { tray, toolTip: '', menu: null }
    record.trays.push(made)
    return made
  }
  Tray.prototype.setToolTip = function (toolTip) {
    trayOf(this).toolTip = toolTip
    setToolTip.call(this, toolTip)
  }
  Tray.prototype.setContextMenu = function (menu) {
    trayOf(this).menu = menu
    setContextMenu.call(this, menu)
  }
  BrowserWindow.prototype.setOverlayIcon = (overlay, description) => {
    record.overlay = overlay === null ? null : description
  }
  Object.assign(shell, {
    openExternal: async (url: string) => void record.external.push(url),
    openPath: async (path: string) => {
      record.paths.push(path)
      return ''
    },
    showItemInFolder: (path: string) => void record.folders.push(path),
    beep: () => void record.beeps++
  })
}

type Played = typeof globalThis & { playedByTest: Record_ }

/** Runs inside the application: reads its tray icon. */
function readTray(): TrayPicture | null {
  const shown = (globalThis as Played).playedByTest.trays.find(({ tray }) => !tray.isDestroyed())
  if (!shown) return null
  const pictureOf = (menu: Electron.Menu | null | undefined): MenuPicture[] =>
    (menu?.items ?? [])
      .filter((item) => item.visible)
      .map((item) => ({
        label: item.label.replace('&', ''),
        type: item.type,
        enabled: item.enabled,
        checked: item.checked,
        accelerator: String(item.accelerator ?? ''),
        items: pictureOf(item.submenu)
      }))
  return { toolTip: shown.toolTip, hasImage: true, items: pictureOf(shown.menu) }
}

/** Runs inside the application: clicks its tray icon, or an item of that icon's menu. */
function pressTray(_electron: Modules, labels: readonly string[]): void {
  const shown = (globalThis as Played).playedByTest.trays.find(({ tray }) => !tray.isDestroyed())
  if (!shown) throw new Error('The application has no icon in the tray')
  if (labels.length === 0) return void shown.tray.emit('click', {}, shown.tray.getBounds(), { x: 0, y: 0 })
  let items = shown.menu?.items ?? []
  let item: Electron.MenuItem | undefined
  for (const label of labels) {
    item = items.find((each) => each.visible && each.label.replace('&', '') === label)
    items = item?.submenu?.items ?? []
  }
  if (!item?.enabled) throw new Error(`The menu item "${labels.join(' > ')}" can't be clicked`)
  item.click()
}

/** Runs inside the application: reads its badge. */
function readBadge({ app }: Modules): Badge {
  return { count: app.getBadgeCount(), overlay: (globalThis as Played).playedByTest.overlay }
}

/**
 * Runs inside the application: switches the network of every page, and of the service's client, which has its own
 * sessions.
 */
function goOnline({ session, webContents }: Modules, online: boolean): void {
  const own = ['service-reads-0', 'service-reads-1', ...[0, 1, 2, 3].map((index) => `service-sends-${index}`)]
  const all = new Set([
    session.defaultSession,
    ...own.map((name) => session.fromPartition(name)),
    ...webContents.getAllWebContents().map((contents) => contents.session)
  ])
  for (const each of all) {
    if (online) each.disableNetworkEmulation()
    else each.enableNetworkEmulation({ offline: true })
  }
}

interface Playing {
  readonly add?: { width: number; height: number }
  readonly remove?: number
}

/** Runs inside the application: adds or removes a display that doesn't exist. Returns the id of one that was added. */
function plug({ screen }: Modules, { add, remove }: Playing): number {
  const all = screen.getAllDisplays()
  const at = (shown: readonly Electron.Display[]) => {
    const matching = ({ x, y }: { x: number; y: number }) =>
      (shown.find(({ bounds }) => x >= bounds.x && x < bounds.x + bounds.width && y >= bounds.y) ??
        shown[0]) as Electron.Display
    Object.assign(screen, {
      getAllDisplays: () => [...shown],
      getPrimaryDisplay: () => shown[0],
      getDisplayMatching: matching,
      getDisplayNearestPoint: matching
    })
  }
  const primary = screen.getPrimaryDisplay()
  const others = all.filter(({ id }) => id !== primary.id)
  if (remove !== undefined) {
    at([primary, ...others.filter(({ id }) => id !== remove)])
    screen.emit(
      'display-removed',
      {},
      all.find(({ id }) => id === remove)
    )
    return remove
  }
  const x = Math.max(...all.map(({ bounds }) => bounds.x + bounds.width))
  const bounds = { x, y: 0, width: add?.width ?? 0, height: add?.height ?? 0 }
  const size = { width: bounds.width, height: bounds.height }
  const id = Math.max(...all.map((each) => each.id)) + 1
  const added = { ...primary, id, label: `Display ${id}`, bounds, workArea: bounds, size, workAreaSize: size }
  at([primary, ...others, added])
  screen.emit('display-added', {}, added)
  return id
}

/** Runs inside the application: composes the picture of its first window with the views over it, as base64 PNG. */
async function compose(electron: Modules): Promise<string> {
  const { BrowserWindow, WebContentsView } = electron
  const window = BrowserWindow.getAllWindows().sort((one, two) => one.id - two.id)[0]
  if (!window) throw new Error('The application has no window')
  const { width, height } = window.getContentBounds()
  const picture = async (contents: Electron.WebContents) => (await contents.capturePage()).toDataURL()
  const draw = (x: number, y: number, w: number, h: number, url: string) =>
    `<img style="position:absolute;left:${x}px;top:${y}px;width:${w}px;height:${h}px" src="${url}">`
  let html = draw(0, 0, width, height, await picture(window.webContents))
  for (const child of window.contentView.children) {
    if (!(child instanceof WebContentsView) || child.webContents === window.webContents || !child.getVisible()) continue
    const bounds = child.getBounds()
    html += draw(bounds.x, bounds.y, bounds.width, bounds.height, await picture(child.webContents))
  }
  const studio = new BrowserWindow({
    width,
    height,
    useContentSize: true,
    show: false,
    frame: false,
    webPreferences: { offscreen: true }
  })
  const page = `<body style="margin:0">${html}</body>`
  await studio.loadURL(`data:text/html;base64,${Buffer.from(page).toString('base64')}`)
  const image = await studio.webContents.capturePage()
  studio.destroy()
  return image.toPNG().toString('base64')
}

export async function launchOnElectron(start: Start): Promise<Started> {
  const app = await _electron.launch({
    // The picture and sound behind a grant are fake; whether there is a grant is the application's decision.
    args: [...rootArguments(), '--use-fake-device-for-media-stream', startedBy(start), ...start.args],
    cwd: start.root,
    env: start.env
  })
  let written = ''
  const child = app.process()
  child.stdout?.on('data', (chunk) => (written += chunk))
  child.stderr?.on('data', (chunk) => (written += chunk))
  const ended = new Promise<number | null>((resolve) => {
    if (child.exitCode !== null) resolve(child.exitCode)
    else child.once('exit', resolve)
  })
  await app.evaluate(install)
  const window = await app.firstWindow()

  const played = <K extends keyof Record_>(key: K): Promise<Record_[K]> =>
    app.evaluate((_electron, key) => JSON.parse(JSON.stringify((globalThis as Played).playedByTest[key])), key)

  async function viewPages(which: 'visible' | 'all'): Promise<Page[]> {
    const urls = await app.evaluate(({ BrowserWindow, WebContentsView }, which) => {
      const children = BrowserWindow.getAllWindows().flatMap((each) => each.contentView.children)
      return children
        .filter((child) => child instanceof WebContentsView && (which === 'all' || child.getVisible()))
        .map((child) => (child as Electron.WebContentsView).webContents.getURL())
    }, which)
    return app.windows().filter((page) => page !== window && urls.includes(page.url()))
  }

  return {
    flavour: 'electron',
    window,
    async waitForWindow(address) {
      for (;;) {
        const urls = await app.evaluate(({ BrowserWindow }) =>
          BrowserWindow.getAllWindows().map(({ webContents }) => webContents.getURL())
        )
        const page = app.windows().find((each) => address.test(each.url()) && urls.includes(each.url()))
        if (page) return page
        await pause(20)
      }
    },
    ended,
    views: (which = 'visible') => viewPages(which),
    async waitForView(address) {
      for (;;) {
        const page = (await viewPages('all')).find((each) => address.test(each.url()))
        if (page) return page
        await pause(20)
      }
    },
    addressOf: async (page) => page.url(),
    dialog: {
      answerOpen: (filePaths) => push(app, 'open', [...filePaths]),
      answerSave: (filePath) => push(app, 'save', filePath),
      answerMessage: (button) => push(app, 'message', button),
      shown: () => played('dialogs')
    },
    notifications: () => played('notifications'),
    clickNotification: (index) =>
      app.evaluate((_electron, index) => (globalThis as Played).playedByTest.notifications.at(index)?.click(), index),
    openedExternally: () => played('external'),
    openedPaths: () => played('paths'),
    shownInFolder: () => played('folders'),
    beeps: () => played('beeps'),
    clipboardText: () => app.evaluate(async ({ clipboard }) => clipboard.readText()),
    setClipboardText: (text) => app.evaluate(async ({ clipboard }, text) => clipboard.writeText(text), text),
    menu: () => app.evaluate(readMenu),
    clickMenu: (labels) => app.evaluate(pressMenu, [...labels]),
    tray: () => app.evaluate(readTray),
    clickTray: () => app.evaluate(pressTray, []),
    clickTrayMenu: (labels) => app.evaluate(pressTray, [...labels]),
    badge: () => app.evaluate(readBadge),
    setIdleSeconds: (seconds) =>
      app.evaluate(({ powerMonitor }, seconds) => {
        powerMonitor.getSystemIdleTime = () => seconds
      }, seconds),
    emitPower: (event) => app.evaluate(({ powerMonitor }, event) => void powerMonitor.emit(event), event),
    setLocked: (isLocked) =>
      app.evaluate(({ powerMonitor }, isLocked) => {
        powerMonitor.getSystemIdleState = () => (isLocked ? 'locked' : 'active')
        if (process.platform !== 'linux') powerMonitor.emit(isLocked ? 'lock-screen' : 'unlock-screen')
      }, isLocked),
    setOnline: (online) => app.evaluate(goOnline, online),
    setOwnCertificates: async () => {
      throw new Error('The system’s own store of certificates isn’t a test’s to fill.')
    },
    setMachineTheme: async ({ dark }) => {
      await app.evaluate(({ nativeTheme }, dark) => {
        nativeTheme.themeSource = dark ? 'dark' : 'light'
      }, dark)
    },
    windows: () => app.evaluate(readWindows),
    resizeWindow: (size) =>
      app.evaluate(
        ({ BrowserWindow }, size) =>
          BrowserWindow.getAllWindows()
            .sort((one, two) => one.id - two.id)[0]
            ?.setSize(size.width, size.height),
        size
      ),
    closeWindow: () =>
      app.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()
          .sort((one, two) => one.id - two.id)[0]
          ?.close()
      ),
    focusWindow: () =>
      app.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()
          .sort((one, two) => one.id - two.id)[0]
          ?.focus()
      ),
    blurWindow: () => app.evaluate(({ BrowserWindow }) => BrowserWindow.getFocusedWindow()?.blur()),
    addDisplay: (size) => app.evaluate(plug, { add: size } as Playing),
    removeDisplay: async (id) => void (await app.evaluate(plug, { remove: id } as Playing)),
    screenshot: async (file) => writeFile(file, Buffer.from(await app.evaluate(compose), 'base64')),
    evaluate: (work, argument) =>
      app.evaluate((electron, call) => new Function(`return (${call.source})`)()(electron, call.argument), {
        source: String(work),
        argument
      }),
    async quit() {
      await app.evaluate(({ app }) => void setImmediate(() => app.quit())).catch(() => {})
      return ended
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    logs: () => written
  }
}

/**
 * Returns the folder, as for a packaged application, so that the application has its name and version; or else a test's
 * own script.
 */
function startedBy({ root, main }: Start): string {
  return main === join(root, 'out/main/index.js') ? root : main
}

async function push(
  app: ElectronApplication,
  list: 'open' | 'save' | 'message',
  answer: string | string[]
): Promise<void> {
  await app.evaluate(
    (_electron, { list, answer }) => void (globalThis as Played).playedByTest[list].push(answer as never),
    { list, answer }
  )
}

function readMenu({ Menu }: Modules): MenuPicture[] {
  const read = (menu: Electron.Menu | null | undefined): MenuPicture[] =>
    (menu?.items ?? [])
      .filter((item) => item.visible)
      .map((item) => ({
        label: item.label.replace('&', ''),
        type: item.type,
        enabled: item.enabled,
        checked: item.checked,
        accelerator: String(item.accelerator ?? ''),
        items: read(item.submenu)
      }))
  return read(Menu.getApplicationMenu())
}

function pressMenu({ Menu }: Modules, labels: string[]): void {
  let menu = Menu.getApplicationMenu() as Electron.Menu | null | undefined
  let item: Electron.MenuItem | undefined
  for (const label of labels) {
    item = menu?.items.find((each) => each.visible && each.label.replace('&', '') === label)
    if (!item) throw new Error(`No menu item "${label}"`)
    menu = item.submenu
  }
  item?.click()
}

function readWindows({ BrowserWindow }: Modules): WindowInfo[] {
  return BrowserWindow.getAllWindows().map((each) => ({
    id: each.id,
    title: each.getTitle(),
    bounds: each.getBounds(),
    visible: each.isVisible(),
    focused: each.isFocused(),
    minimized: each.isMinimized(),
    maximized: each.isMaximized(),
    fullScreen: each.isFullScreen()
  }))
}

/** Chromium refuses its sandbox to root, which is only used in containers; no other user runs without it. */
function rootArguments(): string[] {
  return process.getuid?.() === 0 ? ['--no-sandbox'] : []
}
