/**
 * While a person has this window, what staff had on the clipboard is put aside: it must not be pasted into their page, and
 * nothing that they copied may stay behind.
 */
import { clipboard } from 'electron'

export interface ClipboardAside {
  /** Resolves when the clipboard is empty. */
  put(): Promise<void>
  /** Empties the clipboard of what the person left and gives staff their text back. */
  giveBack(): Promise<void>
}

export function clipboardAside(): ClipboardAside {
  let text: string | undefined
  return {
    async put() {
      text ??= await clipboard.readText()
      clipboard.clear()
    },
    async giveBack() {
      const own = text
      text = undefined
      if (own === undefined) return
      clipboard.clear()
      if (own !== '') await clipboard.writeText(own)
    }
  }
}
