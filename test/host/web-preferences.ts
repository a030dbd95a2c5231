// The preferences that a page of the host may be given, and their allowed values.
import { isAbsolute } from 'node:path'
import type * as Electron from 'electron'
import { acceptOnly, notEmulated } from './strict.ts'

// Only these values are allowed; `undefined` means any.
const preferences: Readonly<Record<string, readonly unknown[] | undefined>> = {
  preload: undefined,
  session: undefined,
  partition: undefined,
  additionalArguments: undefined,
  zoomFactor: undefined,
  sandbox: [true],
  contextIsolation: [true],
  nodeIntegration: [false],
  nodeIntegrationInWorker: [false],
  nodeIntegrationInSubFrames: [false],
  webSecurity: [true],
  allowRunningInsecureContent: [false],
  experimentalFeatures: [false],
  webviewTag: [false],
  plugins: [false, true],
  images: [true],
  javascript: [true],
  webgl: [true, false],
  navigateOnDragDrop: [false],
  disableDialogs: undefined,
  safeDialogs: undefined,
  safeDialogsMessage: undefined,
  autoplayPolicy: undefined,
  spellcheck: undefined,
  devTools: undefined,
  backgroundThrottling: undefined,
  v8CacheOptions: undefined,
  disableHtmlFullscreenWindowResize: undefined,
  focusOnNavigation: undefined,
  enableWebSQL: [false],
  accessibleTitle: undefined,
  transparent: [false]
}

/** Throws for a preference that the host doesn't know, or a value that it doesn't support. */
export function checkPreferences(options: Electron.WebPreferences): void {
  acceptOnly('webPreferences', options, Object.keys(preferences))
  for (const [name, value] of Object.entries(options)) {
    const allowed = preferences[name]
    if (value !== undefined && allowed && !allowed.includes(value)) notEmulated(`webPreferences.${name} = ${value}`)
  }
  if (options.preload !== undefined && !isAbsolute(options.preload))
    throw new TypeError('preload must be an absolute path')
}
