// Electron's `clipboard`, kept inside the host: tests neither read nor overwrite the machine's.
import type * as Electron from 'electron'
import { notEmulated, strictly } from './strict.ts'

type Offered = Pick<Electron.Clipboard, 'readText' | 'write' | 'writeText' | 'clear'>

type Payload = string | Blob

/** One copied item, in the formats by which a page or the system knows it. */
export class ClipboardItem {
  readonly types: string[]
  readonly #items: Readonly<Record<string, Payload>>

  constructor(items: Readonly<Record<string, Payload>>) {
    this.types = Object.keys(items)
    for (const type of this.types) {
      if (!/^(text\/plain|electron application\/osclipboard;format="[^"]+")$/.test(type))
        notEmulated(`ClipboardItem of '${type}'`)
    }
    this.#items = items
  }

  async getType(type: string): Promise<Blob> {
    const payload = this.#items[type]
    if (payload === undefined) throw new Error(`The clipboard has no ${type}`)
    return typeof payload === 'string' ? new Blob([payload]) : payload
  }
}

function createClipboard(): Offered {
  let text = ''
  return {
    async write(written) {
      const [item] = written
      if (!item || written.length > 1) return notEmulated('clipboard.write of other than one item')
      text = await (await item.getType('text/plain')).text()
    },
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
  ...createClipboard(),
  /** The text selected last, as on Linux. */
  selection: strictly('clipboard.selection', createClipboard())
})
