// Electron's `shell`: records what the application would hand to the desktop, and opens nothing.
import type * as Electron from 'electron'
import { host } from './host.ts'
import { schemeOf } from './schemes.ts'
import { acceptOnly, notEmulated, strictly } from './strict.ts'

type Offered = Pick<Electron.Shell, 'openExternal' | 'openPath' | 'showItemInFolder' | 'beep'>

export const shell = strictly('shell', {
  async openExternal(url, options) {
    acceptOnly('shell.openExternal', options, ['activate', 'workingDirectory', 'logUsage'])
    if (!schemeOf(url)) throw new Error('Invalid URL')
    host.openedExternally.push(url)
  },
  async openPath(path) {
    host.openedPaths.push(path)
    return ''
  },
  showItemInFolder(path) {
    host.shownInFolder.push(path)
  },
  beep() {
    host.beeps++
  },
  trashItem: () => notEmulated('shell.trashItem')
} satisfies Offered & Record<string, unknown>)
