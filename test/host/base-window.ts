// Electron's BaseWindow: its state and events. Nothing is drawn except a BrowserWindow's page.
import type * as Electron from 'electron'
import { displayAt } from './displays.ts'
import { host } from './host.ts'
import { acceptOnly, Emulated, type EventNames, markDestroyed, notEmulated, preventable } from './strict.ts'
import { View } from './views.ts'

export const windowEvents = {
  emits: [
    'blur',
    'close',
    'closed',
    'enter-full-screen',
    'focus',
    'hide',
    'leave-full-screen',
    'maximize',
    'minimize',
    'move',
    'moved',
    'resize',
    'resized',
    'restore',
    'show',
    'unmaximize'
  ],
  // Nobody drags a window here, presses a mouse's side buttons or shuts the machine down.
  never: ['will-resize', 'will-move', 'app-command', 'swipe', 'session-end', 'query-session-end', 'system-context-menu']
} as const

const acceptedOptions = [
  ...['width', 'height', 'x', 'y', 'useContentSize', 'center', 'minWidth', 'minHeight', 'maxWidth', 'maxHeight'],
  ...['resizable', 'movable', 'minimizable', 'maximizable', 'closable', 'focusable', 'alwaysOnTop', 'fullscreen'],
  ...['fullscreenable', 'skipTaskbar', 'title', 'icon', 'show', 'frame', 'parent', 'modal', 'autoHideMenuBar'],
  ...['backgroundColor', 'hasShadow', 'darkTheme', 'titleBarStyle', 'titleBarOverlay', 'trafficLightPosition'],
  ...['roundedCorners', 'thickFrame', 'accentColor', 'acceptFirstMouse', 'webPreferences', 'paintWhenInitiallyHidden']
]

type Offered = Pick<
  Electron.BaseWindow,
  | 'id'
  | 'show'
  | 'showInactive'
  | 'hide'
  | 'isVisible'
  | 'focus'
  | 'blur'
  | 'isFocused'
  | 'isDestroyed'
  | 'close'
  | 'destroy'
  | 'minimize'
  | 'isMinimized'
  | 'maximize'
  | 'unmaximize'
  | 'isMaximized'
  | 'restore'
  | 'setFullScreen'
  | 'isFullScreen'
  | 'setBounds'
  | 'getBounds'
  | 'setContentBounds'
  | 'getContentBounds'
  | 'getNormalBounds'
  | 'setSize'
  | 'getSize'
  | 'setContentSize'
  | 'getContentSize'
  | 'setPosition'
  | 'getPosition'
  | 'setMinimumSize'
  | 'getMinimumSize'
  | 'center'
  | 'setTitle'
  | 'getTitle'
  | 'setTitleBarOverlay'
  | 'setMenu'
  | 'removeMenu'
  | 'setMenuBarVisibility'
  | 'setAutoHideMenuBar'
  | 'setBackgroundColor'
  | 'getBackgroundColor'
  | 'setEnabled'
  | 'isEnabled'
  | 'setClosable'
  | 'setProgressBar'
  | 'flashFrame'
  | 'setIcon'
  | 'setOverlayIcon'
  | 'setContentProtection'
  | 'setAlwaysOnTop'
  | 'isAlwaysOnTop'
  | 'moveTop'
  | 'getParentWindow'
>

// The last one is for tests.
const workingWhenDestroyed = ['isDestroyed', 'destroy', 'overlay']

const windows = new Set<BaseWindow>()
let lastId = 0

export class BaseWindow extends Emulated implements Offered {
  readonly id = ++lastId
  contentView: View = new View()
  #bounds: Electron.Rectangle
  #normalBounds: Electron.Rectangle
  #title: string
  #background: string
  #visible = false
  #focused = false
  #enabled = true
  #onTop: boolean
  #state: 'normal' | 'minimized' | 'maximized' = 'normal'
  #fullScreen = false
  #minimum: [number, number]
  #destroyed = false
  #overlay: string | undefined
  readonly #parent: BaseWindow | null

  constructor(
    options: Electron.BaseWindowConstructorOptions = {},
    name = 'BaseWindow',
    events: EventNames = windowEvents
  ) {
    super(name, events)
    acceptOnly(`new ${name}`, options, acceptedOptions)
    if (options.transparent) notEmulated('a transparent window')
    const { width = 800, height = 600 } = options
    const middle = centred(displayAt({ x: options.x ?? 0, y: options.y ?? 0, width: 1, height: 1 }).bounds, {
      width,
      height
    })
    this.#bounds = { x: options.x ?? middle.x, y: options.y ?? middle.y, width, height }
    this.#normalBounds = { ...this.#bounds }
    this.#title = options.title ?? host.applicationName
    this.#background = options.backgroundColor ?? '#FFFFFF'
    this.#onTop = options.alwaysOnTop ?? false
    this.#minimum = [options.minWidth ?? 0, options.minHeight ?? 0]
    this.#parent = (options.parent as unknown as BaseWindow | undefined) ?? null
    this.contentView.setBounds({ x: 0, y: 0, width, height })
    windows.add(this)
    if (options.show !== false) setImmediate(() => this.#destroyed || this.show())
    if (options.fullscreen) setImmediate(() => this.#destroyed || this.setFullScreen(true))
  }

  static getAllWindows(): BaseWindow[] {
    return [...windows]
  }

  static getFocusedWindow(): BaseWindow | null {
    return [...windows].find((window) => window.isFocused()) ?? null
  }

  static fromId(id: number): BaseWindow | null {
    return [...windows].find((window) => window.id === id) ?? null
  }

  show(): void {
    this.#reveal()
    this.focus()
  }

  showInactive(): void {
    this.#reveal()
  }

  hide(): void {
    if (!this.#visible) return
    this.#visible = false
    this.blur()
    this.emit('hide')
  }

  isVisible(): boolean {
    return this.#visible
  }

  focus(): void {
    if (this.#focused || !this.#visible) return
    for (const other of windows) if (other !== this) other.blur()
    this.#focused = true
    this.emit('focus')
    host.emit('browser-window-focus', this)
  }

  blur(): void {
    if (!this.#focused) return
    this.#focused = false
    this.emit('blur')
    host.emit('browser-window-blur', this)
  }

  isFocused(): boolean {
    return this.#focused
  }

  isDestroyed(): boolean {
    return this.#destroyed
  }

  isEnabled(): boolean {
    return this.#enabled
  }

  setEnabled(enable: boolean): void {
    this.#enabled = enable
  }

  close(): void {
    if (this.#destroyed) return
    const event = preventable({})
    this.emit('close', event)
    if (!event.defaultPrevented) this.finishClose()
    else host.emit('close-prevented')
  }

  destroy(): void {
    if (this.#destroyed) return
    this.#destroyed = true
    windows.delete(this)
    this.dispose()
    this.#focused = false
    markDestroyed(this, workingWhenDestroyed, ['contentView', 'webContents'])
    this.emit('closed')
    host.emit('window-closed', this)
  }

  minimize(): void {
    if (this.#state === 'minimized') return
    this.#state = 'minimized'
    this.blur()
    this.emit('minimize')
  }

  isMinimized(): boolean {
    return this.#state === 'minimized'
  }

  maximize(): void {
    this.#reveal()
    if (this.#state === 'maximized') return
    this.#state = 'maximized'
    this.#place(this.#displayArea())
    this.emit('maximize')
  }

  unmaximize(): void {
    if (this.#state !== 'maximized') return
    this.#state = 'normal'
    this.#place({ ...this.#normalBounds })
    this.emit('unmaximize')
  }

  isMaximized(): boolean {
    return this.#state === 'maximized'
  }

  restore(): void {
    if (this.#state === 'maximized') {
      this.unmaximize()
      return
    }
    if (this.#state !== 'minimized') return
    this.#state = 'normal'
    this.emit('restore')
    this.focus()
  }

  setFullScreen(flag: boolean): void {
    if (flag === this.#fullScreen) return
    this.#fullScreen = flag
    // As on Linux: a hidden window appears, in front of all others, and doesn't announce it.
    if (flag && !this.#visible) {
      this.#visible = true
      this.focus()
    }
    this.#place(flag || this.#state === 'maximized' ? this.#displayArea() : { ...this.#normalBounds })
    this.emit(flag ? 'enter-full-screen' : 'leave-full-screen')
  }

  isFullScreen(): boolean {
    return this.#fullScreen
  }

  get fullScreen(): boolean {
    return this.#fullScreen
  }

  set fullScreen(flag: boolean) {
    this.setFullScreen(flag)
  }

  setBounds(bounds: Partial<Electron.Rectangle>): void {
    this.#state = 'normal'
    this.#normalBounds = { ...this.#bounds, ...bounds }
    const [minWidth, minHeight] = this.#minimum
    this.#normalBounds.width = Math.max(this.#normalBounds.width, minWidth)
    this.#normalBounds.height = Math.max(this.#normalBounds.height, minHeight)
    this.#place({ ...this.#normalBounds })
  }

  getBounds(): Electron.Rectangle {
    return { ...this.#bounds }
  }

  getNormalBounds(): Electron.Rectangle {
    return { ...this.#normalBounds }
  }

  setContentBounds(bounds: Electron.Rectangle): void {
    this.setBounds(bounds)
  }

  /** Returns the bounds of the whole window: no frame is drawn here. */
  getContentBounds(): Electron.Rectangle {
    return this.getBounds()
  }

  setSize(width: number, height: number): void {
    this.setBounds({ width, height })
  }

  getSize(): number[] {
    return [this.#bounds.width, this.#bounds.height]
  }

  setContentSize(width: number, height: number): void {
    this.setSize(width, height)
  }

  getContentSize(): number[] {
    return this.getSize()
  }

  setPosition(x: number, y: number): void {
    this.setBounds({ x, y })
  }

  getPosition(): number[] {
    return [this.#bounds.x, this.#bounds.y]
  }

  setMinimumSize(width: number, height: number): void {
    this.#minimum = [width, height]
  }

  getMinimumSize(): number[] {
    return [...this.#minimum]
  }

  center(): void {
    const { x, y } = centred(this.#displayArea(), this.#bounds)
    this.setPosition(x, y)
  }

  setTitle(title: string): void {
    this.#title = title
  }

  getTitle(): string {
    return this.#title
  }

  get title(): string {
    return this.#title
  }

  set title(title: string) {
    this.#title = title
  }

  setBackgroundColor(color: string): void {
    this.#background = color
  }

  getBackgroundColor(): string {
    return this.#background
  }

  setAlwaysOnTop(flag: boolean): void {
    this.#onTop = flag
  }

  isAlwaysOnTop(): boolean {
    return this.#onTop
  }

  getParentWindow(): Electron.BaseWindow | null {
    return this.#parent as unknown as Electron.BaseWindow | null
  }

  // Effects that only a desktop shows.
  moveTop(): void {}
  setTitleBarOverlay(): void {}
  setMenu(): void {}
  removeMenu(): void {}
  setMenuBarVisibility(): void {}
  setAutoHideMenuBar(): void {}
  setClosable(): void {}
  setProgressBar(): void {}
  flashFrame(): void {}
  setIcon(): void {}
  /** Records the description on every system, though only Windows shows the overlay. */
  setOverlayIcon(overlay: Electron.NativeImage | null, description: string): void {
    if (typeof description !== 'string') {
      throw new TypeError('Error processing argument at index 1, conversion failure')
    }
    this.#overlay = overlay === null ? undefined : description
  }
  /** @internal the description of the icon that overlays the window's own on the task bar */
  get overlay(): string | undefined {
    return this.#overlay
  }
  setContentProtection(): void {}

  /** @internal moves to the primary display because its own was unplugged, and fills it if it filled the other */
  moveToPrimaryDisplay(): void {
    this.#normalBounds = { ...this.#normalBounds, x: 0, y: 0 }
    this.#place(this.#fullScreen || this.#state === 'maximized' ? this.#displayArea() : { ...this.#normalBounds })
  }

  /** Closes the window, once no listener has prevented it. */
  protected finishClose(): void {
    this.destroy()
  }

  protected dispose(): void {}

  protected onResize(_size: { width: number; height: number }): void {}

  /** Returns the whole area of the window's display. */
  #displayArea(): Electron.Rectangle {
    return { ...displayAt(this.#normalBounds).bounds }
  }

  #reveal(): void {
    if (this.#visible) return
    this.#visible = true
    this.emit('show')
  }

  #place(bounds: Electron.Rectangle): void {
    const before = this.#bounds
    this.#bounds = bounds
    this.#layOut()
    if (before.width !== bounds.width || before.height !== bounds.height) {
      this.emit('resize')
      this.emit('resized')
    }
    if (before.x !== bounds.x || before.y !== bounds.y) {
      this.emit('move')
      this.emit('moved')
    }
  }

  #layOut(): void {
    const { width, height } = this.#bounds
    this.contentView.setBounds({ x: 0, y: 0, width, height })
    this.onResize({ width, height })
  }
}

function centred(area: Electron.Rectangle, size: { width: number; height: number }): Electron.Point {
  return {
    x: area.x + Math.round((area.width - size.width) / 2),
    y: area.y + Math.round((area.height - size.height) / 2)
  }
}
