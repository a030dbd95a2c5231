/** The application's menu: what the system expects of one, and the screens as commands with their shortcuts. */
import { app, Menu, type MenuItemConstructorOptions } from 'electron'
import { APP_COMMANDS, DOCUMENT_COMMANDS, type DocumentCommand, type Events } from '../../shared/contract/index.ts'

type MenuCommand = Events['menu.chosen']['command']

export interface MenuParts {
  platform: NodeJS.Platform
  /** Developer tools exist only in the unpackaged application. */
  isPackaged: boolean
  choose(command: MenuCommand): void
}

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
  /**
   * A command that works on every screen, with its usual name. Pages know its shortcut, too: the menu doesn't get keys
   * that a page handles.
   */
  const appCommand = (chosen: keyof typeof APP_COMMANDS, accelerator: string) =>
    command(APP_COMMANDS[chosen], accelerator, chosen)
  const separator: MenuItemConstructorOptions = { type: 'separator' }
  const settings = command('Settings…', 'CmdOrCtrl+,', 'settings')
  const isMac = platform === 'darwin'

  return [
    ...(isMac ? [macMenu(settings)] : []),
    {
      label: 'File',
      submenu: [
        appCommand('compose', 'CmdOrCtrl+N'),
        appCommand('search', 'CmdOrCtrl+K'),
        appCommand('find', 'CmdOrCtrl+F'),
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
        appCommand('back', isMac ? 'Cmd+[' : 'Alt+Left'),
        appCommand('forward', isMac ? 'Cmd+]' : 'Alt+Right'),
        appCommand('refresh', 'CmdOrCtrl+R'),
        separator,
        appCommand('zoom-in', 'CmdOrCtrl+Plus'),
        appCommand('zoom-out', 'CmdOrCtrl+-'),
        appCommand('zoom-reset', 'CmdOrCtrl+0'),
        separator,
        { role: 'togglefullscreen' },
        ...(isPackaged ? [] : [separator, { role: 'toggleDevTools' } as const])
      ]
    },
    {
      label: 'Document',
      // Letter keys work on a selected row; as menu shortcuts they would be taken from anyone typing.
      submenu: (Object.keys(DOCUMENT_COMMANDS) as DocumentCommand[]).map((name) => ({
        id: `document.${name}`,
        label: DOCUMENT_COMMANDS[name],
        click: () => choose(`document.${name}`)
      }))
    },
    { role: 'windowMenu' },
    {
      label: 'Help',
      submenu: [
        appCommand('help', 'F1'),
        { id: 'news', label: 'What’s new', click: () => choose('news') },
        separator,
        { id: 'shortcuts', label: APP_COMMANDS.shortcuts, click: () => choose('shortcuts') }
      ]
    }
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
