// Electron's `clipboard`, of the host's own: tests neither read nor spoil the machine's.
import type * as Electron from 'electron'
import { strictly } from './strict.ts'

let text = ''
type Offered = Pick<Electron.Clipboard, 'readText' | 'writeText' | 'clear'>

export const clipboard = strictly('clipboard', {
  readText: async () => text,
  async writeText(written) {
    text = String(written)
  },
  clear() {
    text = ''
  }
} satisfies Offered)
