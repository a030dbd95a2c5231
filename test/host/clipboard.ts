// Electron's `clipboard`, of the host's own: tests neither read nor spoil the machine's.
import type * as Electron from 'electron'
import { strictly } from './strict.ts'

type Offered = Pick<Electron.Clipboard, 'readText' | 'writeText' | 'clear'>

function board(): Offered {
  let text = ''
  return {
    readText: async () => text,
    async writeText(written) {
      text = String(written)
    },
    clear() {
      text = ''
    }
  }
}

export const clipboard = strictly('clipboard', {
  ...board(),
  /** What was marked last, as on Linux. */
  selection: strictly('clipboard.selection', board())
})
