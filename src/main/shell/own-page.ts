/** What holds for every window that shows a page of our own: how it is made and looks, where it may go, who is asking. */
import {
  type BrowserWindow,
  type IpcMainInvokeEvent,
  nativeTheme,
  type WebContents,
  type WebPreferences
} from 'electron'
import { isOwnPage } from '../core/policy/app-pages.ts'
import type { Settings } from '../core/storage/settings.ts'
import { CONTAINED, guard } from './session-policy.ts'

/** @param preload absolute path of the built preload. */
export function ownPagePreferences(preload: string): WebPreferences {
  return {
    ...CONTAINED,
    preload,
    // Outside macOS the dictionaries come from a server of the browser's maker: that would tell it who works here.
    spellcheck: process.platform === 'darwin'
  }
}

/** Our pages are documents that never navigate; only the development server reloads them. */
export function guardOwnPage(contents: WebContents, devServer: URL | undefined): void {
  // What calls others does so through the session's proxy, which leads nowhere.
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
  guard(contents, {
    mayNavigate: ({ url, isMainFrame }) =>
      devServer !== undefined && isMainFrame && URL.canParse(url) && new URL(url).origin === devServer.origin
  })
}

/** Whether a request comes from the main frame of this window while our own page is in it. */
export function isFromWindow(window: BrowserWindow | undefined, event: IpcMainInvokeEvent, devServer?: URL): boolean {
  if (!window || window.isDestroyed() || event.sender !== window.webContents) return false
  const frame = event.senderFrame
  // A frame that has gone reads as null; one in a page reads as another than the main frame.
  return frame !== null && frame === window.webContents.mainFrame && isOwnPage(frame.url, devServer)
}

/**
 * Light, dark or as the system: decides for our pages and for what the system draws. Pages learn of it by
 * `prefers-color-scheme`; nothing has to be sent to them.
 */
export function applyTheme(theme: Settings['theme']): void {
  nativeTheme.themeSource = theme
}

/** @param factor 1 is the size as designed; the schema of the settings holds it between 0.5 and 3. */
export function applyZoom(window: BrowserWindow, factor: number): void {
  if (!window.isDestroyed()) window.webContents.setZoomFactor(factor)
}
