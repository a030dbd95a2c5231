/** The application's menu: what the system expects of one, and the screens as commands with their keys. */
import { app, Menu, type MenuItemConstructorOptions } from 'electron'
import type { Events } from '../../shared/contract/index.ts'

type MenuCommand = Events['menu.chosen']['command']

export interface MenuParts {
  platform: NodeJS.Platform
  /** Developer tools exist in the unpackaged application only. */
  isPackaged: boolean
  choose(command: MenuCommand): void
}

/** Builds the menu and makes it the application's. */
export function installMenu(parts: MenuParts): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(parts)))
}

function menuTemplate({ platform, isPackaged, choose }: MenuParts): MenuItemConstructorOptions[] {
  const command = (label: string, accelerator: string, chosen: MenuCommand): MenuItemConstructorOptions => ({
    id: chosen,
    label,
    accelerator,
    click: () => choose(chosen)
  })
  const separator: MenuItemConstructorOptions = { type: 'separator' }
  const settings = command('Settings…', 'CmdOrCtrl+,', 'settings')
  const isMac = platform === 'darwin'

  return [
    ...(isMac ? [macMenu(settings)] : []),
    {
      label: 'File',
      submenu: [
        command('Compose', 'CmdOrCtrl+N', 'compose'),
        command('Search', 'CmdOrCtrl+K', 'search'),
        separator,
        ...(isMac ? [{ role: 'close' } as const] : [settings, separator, { role: 'quit' } as const])
      ]
    },
    { role: 'editMenu' },
    {
      label: 'View',
      submenu: [
        command('Documents', 'CmdOrCtrl+1', 'documents'),
        command('Counter', 'CmdOrCtrl+2', 'counter'),
        command('Downloads', 'CmdOrCtrl+3', 'downloads'),
        separator,
        { role: 'togglefullscreen' },
        ...(isPackaged ? [] : [separator, { role: 'toggleDevTools' } as const])
      ]
    },
    { role: 'windowMenu' }
  ]
}

function macMenu(settings: MenuItemConstructorOptions): MenuItemConstructorOptions {
  return {
    label: app.name,
    submenu: [
      { role: 'about' },
      { type: 'separator' },
      settings,
      { type: 'separator' },
      { role: 'services' },
      { type: 'separator' },
      { role: 'hide' },
      { role: 'hideOthers' },
      { role: 'unhide' },
      { type: 'separator' },
      { role: 'quit' }
    ]
  }
}
