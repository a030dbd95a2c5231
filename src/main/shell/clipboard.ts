/** The system's clipboard, for text, and what staff had on it while a person has this window. */
import { ClipboardItem, clipboard } from 'electron'
import { inTurn } from '../core/lib/slices.ts'

/** A clipboard format of the system's, which programs with a clipboard history look for. */
const customFormat = (name: string) => `electron application/osclipboard;format="${name}"`
/** A number in Windows' format: four bytes. */
const zeroDword = () => new Blob([new Uint8Array(4)])

const HISTORY_OPT_OUT: Partial<Record<NodeJS.Platform, Record<string, string | Blob>>> = {
  win32: {
    [customFormat('ExcludeClipboardContentFromMonitorProcessing')]: zeroDword(),
    [customFormat('CanIncludeInClipboardHistory')]: zeroDword(),
    [customFormat('CanUploadToCloudClipboard')]: zeroDword()
  },
  darwin: {
    [customFormat('org.nspasteboard.ConcealedType')]: '',
    [customFormat('org.nspasteboard.TransientType')]: ''
  },
  linux: { [customFormat('x-kde-passwordManagerHint')]: 'secret' }
}

export const plainClipboard = {
  read: async (): Promise<string> => clipboard.readText(),
  write: async (text: string): Promise<void> => clipboard.writeText(text),
  /** For text that must not stay: kept out of the system's clipboard history and off other computers. */
  writePrivately: (text: string): Promise<void> =>
    clipboard.write([new ClipboardItem({ 'text/plain': text, ...(HISTORY_OPT_OUT[process.platform] ?? {}) })]),
  clear: (): void => clipboard.clear()
}

/**
 * Sets aside what staff had on the clipboard while a person has this window: it must not be pasted into their page, and
 * nothing that they copied may stay behind. One call at a time: text must have been read before it's given back.
 */
export class ClipboardStash {
  readonly #platform: NodeJS.Platform
  #isStashed = false
  #text = ''

  constructor(platform: NodeJS.Platform = process.platform) {
    this.#platform = platform
  }

  /** Resolves once the clipboard is empty. It's emptied even if this rejects, as its text couldn't be read. */
  stash(): Promise<void> {
    return inTurn(this, async () => {
      const wasStashed = this.#isStashed
      this.#isStashed = true
      try {
        // Text found there later is the person's.
        if (!wasStashed) this.#text = await clipboard.readText()
      } finally {
        this.empty()
      }
    })
  }

  /** Removes what the person left on the clipboard and gives staff their text back. */
  restore(): Promise<void> {
    return inTurn(this, async () => {
      if (!this.#isStashed) return
      const staffText = this.#text
      this.#isStashed = false
      this.#text = ''
      this.empty()
      if (staffText !== '') await clipboard.writeText(staffText)
    })
  }

  /** Resolves once nothing is being set aside or given back. */
  whenIdle(): Promise<void> {
    return inTurn(this, () => undefined)
  }

  /** Removes what a person may have left before the application ended. */
  empty(): void {
    clipboard.clear()
    // On Linux, the middle button pastes what was last selected.
    if (this.#platform === 'linux') clipboard.selection.clear()
  }
}
