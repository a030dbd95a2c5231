// How a test talks to the host: requests and replies over the process's IPC channel, hidden from the application.
import { writeFile } from 'node:fs/promises'
import type * as Electron from 'electron'
import { app } from './app.ts'
import { BrowserWindow } from './browser-window.ts'
import { clipboard } from './clipboard.ts'
import { dialogs, type ShownDialog } from './dialog.ts'
import { chromium, host } from './host.ts'
import { clickMenu, type MenuSnapshot, snapshotOfMenu } from './menu.ts'
import { nativeTheme } from './native-theme.ts'
import type { OwnCertificate } from './net-lines.ts'
import { shownNotifications } from './notification.ts'
import { type PowerEvent, powerEvents, powerMonitor } from './power-monitor.ts'
import { screen } from './screen.ts'
import { screenshot } from './screenshot.ts'
import { snapshotOfTray, type TraySnapshot, tray } from './tray.ts'
import { type View, WebContentsView } from './views.ts'
import { WebContents } from './web-contents.ts'

/** A page of the application, with what a test needs to find it among Chromium's. */
export interface PageInfo {
  readonly targetId: string
  readonly kind: 'window' | 'view'
  readonly windowId: number
  /** The URL as the application knows it: app://… where Chromium says http://…. */
  readonly url: string
  readonly visible: boolean
  readonly bounds: Electron.Rectangle
}

/** A notification that has been shown. */
interface ShownNotification {
  readonly title: string
  readonly body: string
  readonly visible: boolean
}

/** The state of a window, as a test reads it. */
interface WindowInfo {
  readonly id: number
  readonly title: string
  readonly bounds: Electron.Rectangle
  readonly visible: boolean
  readonly focused: boolean
  readonly minimized: boolean
  readonly maximized: boolean
  readonly fullScreen: boolean
}

function viewsIn(view: View, isParentVisible: boolean): { view: WebContentsView; visible: boolean }[] {
  return view.children.flatMap((child) => {
    const visible = isParentVisible && child.getVisible()
    const own = child instanceof WebContentsView ? [{ view: child, visible }] : []
    return [...own, ...viewsIn(child, visible)]
  })
}

function pages(): PageInfo[] {
  const found: PageInfo[] = []
  for (const window of BrowserWindow.getAllWindows()) {
    const { webContents: page } = window
    const windowId = window.id
    if (page.targetId) {
      const bounds = window.getBounds()
      found.push({
        targetId: page.targetId,
        kind: 'window',
        windowId,
        url: page.getURL(),
        visible: window.isVisible(),
        bounds
      })
    }
    for (const { view, visible } of viewsIn(window.contentView, true)) {
      const page: WebContents | undefined = view.webContents
      if (!page?.targetId) continue
      found.push({
        targetId: page.targetId,
        kind: 'view',
        windowId,
        url: page.getURL(),
        visible,
        bounds: view.getBounds()
      })
    }
  }
  return found
}

function findWindow(id?: number): BrowserWindow {
  const found = id === undefined ? BrowserWindow.getAllWindows()[0] : BrowserWindow.fromId(id)
  if (!found) throw new Error('The application has no such window')
  return found
}

/** Every request that a test can make. */
const requests = {
  endpoint: async () => {
    await host.started
    return chromium().endpoint()
  },
  pages: async (): Promise<PageInfo[]> => pages(),
  windows: async (): Promise<WindowInfo[]> =>
    BrowserWindow.getAllWindows().map((each) => ({
      id: each.id,
      title: each.getTitle(),
      bounds: each.getBounds(),
      visible: each.isVisible(),
      focused: each.isFocused(),
      minimized: each.isMinimized(),
      maximized: each.isMaximized(),
      fullScreen: each.isFullScreen()
    })),
  resizeWindow: async (size: { width: number; height: number }) => findWindow().setSize(size.width, size.height),
  closeWindow: async () => findWindow().close(),
  focusWindow: async () => findWindow().focus(),
  blurWindow: async () => BrowserWindow.getFocusedWindow()?.blur(),
  answerOpen: async (filePaths: string[]) => dialogs.answerOpen({ canceled: filePaths.length === 0, filePaths }),
  answerSave: async (filePath: string) => dialogs.answerSave({ canceled: filePath === '', filePath }),
  answerMessage: async (answer: { response: number; checkboxChecked: boolean } | { button: string }) =>
    dialogs.answerMessage(answer),
  dialogs: async (): Promise<readonly ShownDialog[]> => dialogs.shown,
  notifications: async (): Promise<ShownNotification[]> =>
    shownNotifications.map(({ title, body, visible }) => ({ title, body, visible })),
  clickNotification: async (index: number) => {
    const notification = shownNotifications.at(index)
    if (!notification) throw new Error(`No notification ${index}: ${shownNotifications.length} have been shown`)
    notification.click()
  },
  openedExternally: async () => host.openedExternally,
  openedPaths: async () => host.openedPaths,
  shownInFolder: async () => host.shownInFolder,
  beeps: async () => host.beeps,
  clipboardText: async () => clipboard.readText(),
  setClipboardText: async (text: string) => clipboard.writeText(text),
  menu: async (): Promise<MenuSnapshot[]> => snapshotOfMenu(),
  clickMenu: async (labels: string[]) => clickMenu(labels),
  tray: async (): Promise<TraySnapshot | null> => snapshotOfTray(),
  clickTray: async () => tray().click(),
  clickTrayMenu: async (labels: string[]) => clickMenu(labels, tray().menu),
  badge: async (): Promise<{ count: number; overlay: string | null }> => ({
    count: app.getBadgeCount(),
    overlay: BrowserWindow.getAllWindows()[0]?.overlay ?? null
  }),
  emitPower: async (event: PowerEvent) => {
    if (!powerEvents.emits.includes(event)) throw new Error(`powerMonitor doesn't tell of ${event} on this system`)
    powerMonitor.emit(event)
  },
  setIdleSeconds: async (seconds: number) => {
    powerMonitor.idleSeconds = seconds
  },
  setLocked: async (isLocked: boolean) => {
    powerMonitor.isLocked = isLocked
    if (process.platform !== 'linux') powerMonitor.emit(isLocked ? 'lock-screen' : 'unlock-screen')
  },
  setOnline: async (online: boolean) => {
    host.machineState.online = online
    await Promise.all(WebContents.all().map((contents) => contents.applyMachineState()))
  },
  setOwnCertificates: async (certificates: readonly OwnCertificate[]) => {
    host.ownCertificates = certificates
  },
  setMachineTheme: async (theme: { dark?: boolean; highContrast?: boolean }) => nativeTheme.setMachine(theme),
  addDisplay: async (size: { width: number; height: number }) => screen.add(size),
  removeDisplay: async (id: number) => screen.remove(id),
  crashPage: async (targetId: string) => {
    WebContents.all()
      .find((each) => each.targetId === targetId)
      ?.forcefullyCrashRenderer()
  },
  activate: async () =>
    void app.emit(
      'activate',
      {},
      BrowserWindow.getAllWindows().some((each) => each.isVisible())
    ),
  screenshot: async (file: string) => writeFile(file, await screenshot(findWindow())),
  evaluate: async ({ source, argument }: { source: string; argument: unknown }): Promise<unknown> => {
    const electron = await import('./electron.ts')
    // The source text of a test's function, which runs in the application's process.
    const work = new Function(`return (${source})`)() as (modules: unknown, argument: unknown) => unknown
    return work(electron.default, argument)
  },
  quit: async () => void setImmediate(() => app.quit())
} satisfies Record<string, (argument: never) => Promise<unknown>>

/** The requests by name, for the side that makes them. */
export type Requests = typeof requests

interface TestRequest {
  readonly host: number
  readonly name: keyof Requests
  readonly argument: never
}

export function listenToTests(): void {
  if (!process.send) return
  const reply = (answer: object) => void process.send?.(answer, undefined, undefined, () => {})
  process.on('message', (message: TestRequest) => {
    if (typeof message?.host !== 'number') return
    const request = requests[message.name] as ((argument: never) => Promise<unknown>) | undefined
    Promise.resolve()
      .then(() => (request ? request(message.argument) : Promise.reject(new Error(`no request ${message.name}`))))
      .then(
        (value) => reply({ host: message.host, ok: true, value }),
        (error: Error) => reply({ host: message.host, ok: false, error: error.message })
      )
  })
  // The process that started us has gone: nobody is left to look at this application.
  process.on('disconnect', () => app.exit(1))
  process.channel?.unref()
}
