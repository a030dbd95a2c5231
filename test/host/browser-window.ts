// Electron's BrowserWindow: a window with a Chromium page inside. In a headed run the page has Chromium's own window.
import type * as Electron from 'electron'
import { BaseWindow, windowEvents } from './base-window.ts'
import { chromium, host } from './host.ts'
import { firstPaint } from './navigation.ts'
import { preventable } from './strict.ts'
import { WebContents } from './web-contents.ts'

const browserWindowEvents = {
  emits: [...windowEvents.emits, 'page-title-updated', 'ready-to-show'],
  never: [...windowEvents.never, 'unresponsive', 'responsive', 'enter-html-full-screen', 'leave-html-full-screen']
} as const

export class BrowserWindow extends BaseWindow {
  readonly webContents: WebContents
  #isReadyToShow = false

  constructor(options: Electron.BrowserWindowConstructorOptions = {}) {
    super(options, 'BrowserWindow', browserWindowEvents)
    const { width, height } = this.getBounds()
    this.webContents = new WebContents(options.webPreferences, { width, height })
    this.webContents.once('destroyed', () => this.destroy())
    this.webContents.on('page-title-updated', (event: Electron.Event, title: string, explicit: boolean) => {
      const own = preventable({})
      this.emit('page-title-updated', own, title, explicit)
      if (!event.defaultPrevented && !own.defaultPrevented) this.setTitle(title)
    })
    this.webContents.on(firstPaint, () => {
      if (this.#isReadyToShow) return
      this.#isReadyToShow = true
      this.emit('ready-to-show')
    })
    this.on('focus', () => this.webContents.focus())
    this.on('blur', () => this.webContents.blur())
    host.emit('browser-window-created', this)
  }

  static override getAllWindows(): BrowserWindow[] {
    return BaseWindow.getAllWindows().filter((window) => window instanceof BrowserWindow)
  }

  static override getFocusedWindow(): BrowserWindow | null {
    return BrowserWindow.getAllWindows().find((window) => window.isFocused()) ?? null
  }

  static override fromId(id: number): BrowserWindow | null {
    return BrowserWindow.getAllWindows().find((window) => window.id === id) ?? null
  }

  static fromWebContents(contents: WebContents): BrowserWindow | null {
    return BrowserWindow.getAllWindows().find((window) => window.webContents === contents) ?? null
  }

  loadURL(url: string, loadOptions?: Electron.LoadURLOptions): Promise<void> {
    return this.webContents.loadURL(url, loadOptions)
  }

  loadFile(file: string, loadOptions?: Electron.LoadFileOptions): Promise<void> {
    return this.webContents.loadFile(file, loadOptions)
  }

  reload(): void {
    this.webContents.reload()
  }

  protected override finishClose(): void {
    // Asks the page first (beforeunload); the window ends with its page.
    this.webContents.close({ waitForBeforeUnload: true })
  }

  protected override dispose(): void {
    if (!this.webContents.isDestroyed()) this.webContents.close()
  }

  protected override onResize(size: { width: number; height: number }): void {
    this.webContents.setSize(size)
    if (process.env.HOST_HEADED === '1') void this.#sizeHeaded()
  }

  async #sizeHeaded(): Promise<void> {
    const { targetId } = this.webContents
    if (!targetId) return
    const { windowId } = await chromium().root.send('Browser.getWindowForTarget', { targetId })
    const { x: left, y: top, width, height } = this.getBounds()
    chromium().root.sendAndForget('Browser.setWindowBounds', { windowId, bounds: { left, top, width, height } })
  }
}
