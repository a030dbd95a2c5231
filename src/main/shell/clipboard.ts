/** The system's clipboard as far as text goes, and what staff had on it while a person has this window. */
import { ClipboardItem, clipboard } from 'electron'
import { inTurn } from '../core/lib/slices.ts'

/** A format of the system's own, which programs that keep what was copied look for. */
const own = (name: string) => `electron application/osclipboard;format="${name}"`
/** A number of Windows, in four bytes. */
const NO = () => new Blob([new Uint8Array(4)])

const NOT_KEPT: Partial<Record<NodeJS.Platform, Record<string, string | Blob>>> = {
  win32: {
    [own('ExcludeClipboardContentFromMonitorProcessing')]: NO(),
    [own('CanIncludeInClipboardHistory')]: NO(),
    [own('CanUploadToCloudClipboard')]: NO()
  },
  darwin: { [own('org.nspasteboard.ConcealedType')]: '', [own('org.nspasteboard.TransientType')]: '' },
  linux: { [own('x-kde-passwordManagerHint')]: 'secret' }
}

export const plainClipboard = {
  read: async (): Promise<string> => clipboard.readText(),
  write: async (text: string): Promise<void> => clipboard.writeText(text),
  /** For what must not stay: the system's history of the clipboard leaves it out, and other computers don't get it. */
  writePrivately: (text: string): Promise<void> =>
    clipboard.write([new ClipboardItem({ 'text/plain': text, ...(NOT_KEPT[process.platform] ?? {}) })]),
  clear: (): void => clipboard.clear()
}

/**
 * What staff had on the clipboard is put aside while a person has this window: it must not be pasted into their page, and
 * nothing that they copied may stay behind. One after the other: what is given back must have been read before.
 */
export class ClipboardAside {
  readonly #platform: NodeJS.Platform
  #isAside = false
  #text = ''

  constructor(platform: NodeJS.Platform = process.platform) {
    this.#platform = platform
  }

  /** Resolves when the clipboard is empty. It is empty as well if this rejects: what was on it couldn't be read. */
  put(): Promise<void> {
    return inTurn(this, async () => {
      const wasAside = this.#isAside
      this.#isAside = true
      try {
        // What lies there later is the person's.
        if (!wasAside) this.#text = await clipboard.readText()
      } finally {
        this.empty()
      }
    })
  }

  /** Empties the clipboard of what the person left and gives staff their text back. */
  giveBack(): Promise<void> {
    return inTurn(this, async () => {
      if (!this.#isAside) return
      const own = this.#text
      this.#isAside = false
      this.#text = ''
      this.empty()
      if (own !== '') await clipboard.writeText(own)
    })
  }

  /** Resolves once nothing is being put aside or given back. */
  settled(): Promise<void> {
    return inTurn(this, () => undefined)
  }

  /** Empties it of what a person may have left before the application ended. */
  empty(): void {
    clipboard.clear()
    // There, what was marked last is pasted by the middle button.
    if (this.#platform === 'linux') clipboard.selection.clear()
  }
}
