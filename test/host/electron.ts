// What `import … from 'electron'` resolves to under the test host. The names at the end exist so that importing them
// works; using them throws "not emulated".
import { app } from './app.ts'
import { BaseWindow } from './base-window.ts'
import { BrowserWindow } from './browser-window.ts'
import { ClipboardItem, clipboard } from './clipboard.ts'
import { listenToTests } from './control.ts'
import { dialog } from './dialog.ts'
import { ipcMain } from './ipc.ts'
import { Menu, MenuItem } from './menu.ts'
import { nativeImage } from './native-image.ts'
import { nativeTheme } from './native-theme.ts'
import { net } from './net.ts'
import { absent } from './not-emulated.ts'
import { Notification } from './notification.ts'
import { powerMonitor } from './power-monitor.ts'
import { screen } from './screen.ts'
import { Session, session } from './session.ts'
import { shell } from './shell.ts'
import { Tray } from './tray.ts'
import { View, WebContentsView } from './views.ts'
import { webContents } from './web-contents.ts'

const protocol = Session.of('').protocol

export {
  app,
  BaseWindow,
  BrowserWindow,
  ClipboardItem,
  clipboard,
  dialog,
  ipcMain,
  Menu,
  MenuItem,
  Notification,
  nativeImage,
  nativeTheme,
  net,
  powerMonitor,
  protocol,
  screen,
  session,
  shell,
  Tray,
  View,
  WebContentsView,
  webContents
}

export const autoUpdater = absent('autoUpdater')
export const contentTracing = absent('contentTracing')
export const contextBridge = absent('contextBridge (in the main process)')
export const crashReporter = absent('crashReporter')
export const desktopCapturer = absent('desktopCapturer')
export const globalShortcut = absent('globalShortcut')
export const ImageView = absent('ImageView')
export const inAppPurchase = absent('inAppPurchase')
export const ipcRenderer = absent('ipcRenderer (in the main process)')
export const MessageChannelMain = absent('MessageChannelMain')
export const netLog = absent('netLog')
export const parentPort = absent('parentPort')
export const powerSaveBlocker = absent('powerSaveBlocker')
export const pushNotifications = absent('pushNotifications')
export const safeStorage = absent('safeStorage')
export const ServiceWorkerMain = absent('ServiceWorkerMain')
export const ShareMenu = absent('ShareMenu')
export const systemPreferences = absent('systemPreferences')
export const TouchBar = absent('TouchBar')
export const utilityProcess = absent('utilityProcess')
export const webFrame = absent('webFrame (in the main process)')
export const webFrameMain = absent('webFrameMain')

const all = {
  app,
  autoUpdater,
  BaseWindow,
  BrowserWindow,
  ClipboardItem,
  clipboard,
  contentTracing,
  crashReporter,
  desktopCapturer,
  dialog,
  globalShortcut,
  ImageView,
  inAppPurchase,
  ipcMain,
  Menu,
  MenuItem,
  MessageChannelMain,
  nativeImage,
  nativeTheme,
  net,
  netLog,
  Notification,
  powerMonitor,
  powerSaveBlocker,
  protocol,
  pushNotifications,
  safeStorage,
  screen,
  session,
  ShareMenu,
  shell,
  systemPreferences,
  Tray,
  utilityProcess,
  View,
  WebContentsView,
  webContents,
  webFrameMain
}

// For `import electron from 'electron'` and `require('electron')`, which packages use.
export { all as default, all as 'module.exports' }

listenToTests()
