// Electron's Menu and MenuItem: tests read and click them by their labels; nothing is drawn.
import type * as Electron from 'electron'
import { app } from './app.ts'
import { BaseWindow } from './base-window.ts'
import { BrowserWindow } from './browser-window.ts'
import { acceptOnly, Emulated, notEmulated } from './strict.ts'

const itemOptions = [
  ...['click', 'role', 'type', 'label', 'accelerator', 'enabled', 'visible', 'checked', 'submenu', 'id', 'icon'],
  ...['sublabel', 'toolTip', 'accessibilityLabel', 'registerAccelerator', 'acceleratorWorksWhenHidden'],
  ...['before', 'after', 'beforeGroupContaining', 'afterGroupContaining']
]

type Role = NonNullable<Electron.MenuItemConstructorOptions['role']>

// Each role's default label. A role that isn't listed here isn't one of Electron's.
const roles: Readonly<Record<Role, string>> = {
  undo: 'Undo',
  redo: 'Redo',
  cut: 'Cut',
  copy: 'Copy',
  paste: 'Paste',
  pasteAndMatchStyle: 'Paste and Match Style',
  delete: 'Delete',
  selectAll: 'Select All',
  reload: 'Reload',
  forceReload: 'Force Reload',
  toggleDevTools: 'Toggle Developer Tools',
  resetZoom: 'Actual Size',
  zoomIn: 'Zoom In',
  zoomOut: 'Zoom Out',
  toggleSpellChecker: 'Check Spelling While Typing',
  togglefullscreen: 'Toggle Full Screen',
  window: 'Window',
  minimize: 'Minimize',
  close: 'Close Window',
  help: 'Help',
  about: 'About',
  services: 'Services',
  hide: 'Hide',
  hideOthers: 'Hide Others',
  unhide: 'Show All',
  quit: 'Quit',
  showSubstitutions: 'Show Substitutions',
  toggleSmartQuotes: 'Smart Quotes',
  toggleSmartDashes: 'Smart Dashes',
  toggleTextReplacement: 'Text Replacement',
  startSpeaking: 'Start Speaking',
  stopSpeaking: 'Stop Speaking',
  zoom: 'Zoom',
  front: 'Bring All to Front',
  appMenu: 'App',
  fileMenu: 'File',
  editMenu: 'Edit',
  viewMenu: 'View',
  shareMenu: 'Share',
  recentDocuments: 'Open Recent',
  toggleTabBar: 'Toggle Tab Bar',
  selectNextTab: 'Show Next Tab',
  selectPreviousTab: 'Show Previous Tab',
  showAllTabs: 'Show All Tabs',
  mergeAllWindows: 'Merge All Windows',
  clearRecentDocuments: 'Clear Menu',
  moveTabToNewWindow: 'Move Tab to New Window',
  windowMenu: 'Window'
}

type ItemOffered = Pick<Electron.MenuItem, 'id' | 'label' | 'enabled' | 'visible' | 'checked' | 'type' | 'click'>

export class MenuItem implements ItemOffered {
  id: string
  label: string
  enabled: boolean
  visible: boolean
  checked: boolean
  readonly type: NonNullable<Electron.MenuItemConstructorOptions['type']>
  readonly role: Role | undefined
  readonly accelerator: string | undefined
  readonly submenu: Menu | undefined
  readonly sublabel: string
  readonly toolTip: string
  readonly click: (...args: unknown[]) => void
  menu: Menu | undefined

  constructor(options: Electron.MenuItemConstructorOptions) {
    acceptOnly('a menu item', options, itemOptions)
    const { role, submenu } = options
    if (role !== undefined && !(role in roles)) throw new Error(`Unknown role: ${role}`)
    if (options.type === 'submenu' && !submenu) throw new Error('Invalid submenu')
    this.id = options.id ?? ''
    this.label = options.label ?? (role ? roles[role] : '')
    this.enabled = options.enabled ?? true
    this.visible = options.visible ?? true
    this.checked = options.checked ?? false
    this.role = role
    this.accelerator = options.accelerator
    this.sublabel = options.sublabel ?? ''
    this.toolTip = options.toolTip ?? ''
    this.type = options.type ?? (submenu ? 'submenu' : 'normal')
    this.submenu = Array.isArray(submenu) ? Menu.buildFromTemplate(submenu) : (submenu as unknown as Menu | undefined)
    this.click = () => this.press(options.click)
  }

  /** @internal */
  private press(click: Electron.MenuItemConstructorOptions['click']): void {
    if (this.type === 'checkbox') this.checked = !this.checked
    if (this.type === 'radio') this.menu?.chooseRadio(this)
    const window = BaseWindow.getFocusedWindow() ?? BaseWindow.getAllWindows()[0]
    if (click) {
      const event = { shiftKey: false, ctrlKey: false, altKey: false, metaKey: false, triggeredByAccelerator: false }
      click(this as unknown as Electron.MenuItem, window as unknown as Electron.BaseWindow, event)
      return
    }
    if (this.role) runRole(this.role, window)
  }
}

function runRole(role: Role, window: BaseWindow | undefined): void {
  const page = window instanceof BrowserWindow ? window.webContents : undefined
  const actions: Partial<Record<Role, () => void>> = {
    quit: () => app.quit(),
    close: () => window?.close(),
    minimize: () => window?.minimize(),
    togglefullscreen: () => window?.setFullScreen(!window.isFullScreen()),
    reload: () => page?.reload(),
    forceReload: () => page?.reloadIgnoringCache(),
    resetZoom: () => page?.setZoomLevel(0),
    zoomIn: () => page?.setZoomLevel(page.getZoomLevel() + 0.5),
    zoomOut: () => page?.setZoomLevel(page.getZoomLevel() - 0.5)
  }
  const action = actions[role] ?? notEmulated(`clicking the menu role '${role}'`)
  action()
}

let applicationMenu: Menu | null = null
let openMenu: Menu | undefined

export class Menu extends Emulated {
  readonly items: MenuItem[] = []
  /** @internal where it was opened, in its window; undefined at the pointer */
  place: Electron.Point | undefined
  #closed: (() => void) | undefined

  constructor() {
    super('Menu', { emits: ['menu-will-show', 'menu-will-close'] })
  }

  static buildFromTemplate(template: readonly (Electron.MenuItemConstructorOptions | MenuItem)[]): Menu {
    if (!Array.isArray(template)) throw new TypeError('Invalid template for Menu: Menu template must be an array')
    const menu = new Menu()
    for (const entry of template) {
      if (!(entry instanceof MenuItem) && !('label' in entry) && !('role' in entry) && entry.type !== 'separator') {
        throw new TypeError('Invalid template for MenuItem: must have at least one of label, role or type')
      }
      menu.append(entry instanceof MenuItem ? entry : new MenuItem(entry))
    }
    return menu
  }

  static setApplicationMenu(menu: Menu | null): void {
    applicationMenu = menu
  }

  static getApplicationMenu(): Menu | null {
    return applicationMenu
  }

  static sendActionToFirstResponder(): never {
    return notEmulated('Menu.sendActionToFirstResponder')
  }

  /** @internal the open context menu, if any */
  static get open(): Menu | undefined {
    return openMenu
  }

  append(item: MenuItem): void {
    this.insert(this.items.length, item)
  }

  insert(position: number, item: MenuItem): void {
    item.menu = this
    this.items.splice(position, 0, item)
  }

  getMenuItemById(id: string): MenuItem | null {
    for (const item of this.items) {
      const found = item.id === id ? item : item.submenu?.getMenuItemById(id)
      if (found) return found
    }
    return null
  }

  popup(options: Electron.PopupOptions = {}): void {
    acceptOnly('Menu.popup', options, ['window', 'frame', 'x', 'y', 'positioningItem', 'sourceType', 'callback'])
    const { x, y } = options
    if ([x, y].some((each) => each !== undefined && !Number.isInteger(each)))
      throw new TypeError('Error processing argument at index 2, conversion failure')
    this.place = x === undefined || y === undefined || x === -1 || y === -1 ? undefined : { x, y }
    openMenu?.closePopup()
    openMenu = this
    this.#closed = options.callback
    this.emit('menu-will-show', {})
  }

  closePopup(): void {
    if (openMenu !== this) return
    openMenu = undefined
    this.emit('menu-will-close', {})
    this.#closed?.()
  }

  /** @internal checks one radio item and unchecks the others in its group of adjacent items */
  chooseRadio(chosen: MenuItem): void {
    const at = this.items.indexOf(chosen)
    const isRadio = (index: number) => this.items[index]?.type === 'radio'
    let from = at
    while (isRadio(from - 1)) from--
    for (let i = from; isRadio(i); i++) {
      const item = this.items[i]
      if (item) item.checked = item === chosen
    }
  }
}

/**
 * Clicks the item under these labels, in `inside`: by default the open context menu, or else the application menu.
 * @throws Error where a person couldn't click it
 */
export function clickMenu(labels: readonly string[], inside: Menu | null = openMenu ?? applicationMenu): void {
  let menu: Menu | null | undefined = inside
  let item: MenuItem | undefined
  for (const label of labels) {
    item = menu?.items.find((each) => each.visible && each.label.replace('&', '') === label)
    if (!item)
      throw new Error(`No menu item "${label}" in ${menu?.items.map((each) => each.label).join(', ') ?? 'no menu'}`)
    menu = item.submenu
  }
  if (!item?.enabled) throw new Error(`The menu item "${labels.join(' > ')}" can't be clicked`)
  openMenu?.closePopup()
  item.click()
}

/** A menu as a test reads it. */
export interface MenuSnapshot {
  readonly label: string
  readonly type: string
  readonly enabled: boolean
  readonly checked: boolean
  readonly accelerator: string
  readonly items: readonly MenuSnapshot[]
}

/** Returns a menu as a test reads it: by default the open context menu, or else the application menu. */
export function snapshotOfMenu(menu: Menu | null = openMenu ?? applicationMenu): MenuSnapshot[] {
  return (menu?.items ?? [])
    .filter((item) => item.visible)
    .map((item) => ({
      label: item.label.replace('&', ''),
      type: item.type,
      enabled: item.enabled,
      checked: item.checked,
      accelerator: item.accelerator ?? '',
      items: item.submenu ? snapshotOfMenu(item.submenu) : []
    }))
}
