/** Light, dark or as the system: the choice in the settings decides for our pages and for what the system draws. */
import { nativeTheme } from 'electron'
import type { Settings } from '../core/storage/settings.ts'

/** Pages learn of it by `prefers-color-scheme`; nothing has to be sent to them. */
export function applyTheme(theme: Settings['theme']): void {
  nativeTheme.themeSource = theme
}
