/** The size of our own pages, as the settings have it. */
import type { BrowserWindow } from 'electron'

/** @param factor 1 is the size as designed; the schema of the settings holds it between 0.5 and 3. */
export function applyZoom(window: BrowserWindow, factor: number): void {
  if (!window.isDestroyed()) window.webContents.setZoomFactor(factor)
}
