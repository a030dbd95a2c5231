/** Shared by every window with our own page: how it's created and looks, where it may go, and whether it is asking. */
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
    // Outside macOS the dictionaries come from a server of the browser's maker, which would learn who works here.
    spellcheck: process.platform === 'darwin'
  }
}

/** Keeps our pages from navigating; only the development server may reload them. */
export function guardOwnPage(contents: WebContents, devServer: URL | undefined): void {
  // WebRTC then goes through the session's proxy, which leads nowhere.
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
  guard(contents, {
    mayNavigate: ({ url, isMainFrame }) =>
      devServer !== undefined && isMainFrame && URL.canParse(url) && new URL(url).origin === devServer.origin
  })
}

/** Whether a request comes from the main frame of this window while it shows our own page. */
export function isFromWindow(window: BrowserWindow | undefined, event: IpcMainInvokeEvent, devServer?: URL): boolean {
  if (!window || window.isDestroyed() || event.sender !== window.webContents) return false
  const frame = event.senderFrame
  // A frame that is gone reads as null; a subframe isn't the main frame.
  return frame !== null && frame === window.webContents.mainFrame && isOwnPage(frame.url, devServer)
}

/**
 * Sets light, dark or the system's theme, for our pages and native parts. Pages get it through `prefers-color-scheme`;
 * nothing has to be sent to them.
 */
export function applyTheme(theme: Settings['theme']): void {
  nativeTheme.themeSource = theme
}

/** @param factor 1 is the size as designed; the settings' schema limits it to between 0.5 and 3. */
export function applyZoom(window: BrowserWindow, factor: number): void {
  if (!window.isDestroyed()) window.webContents.setZoomFactor(factor)
}
