/**
 * While a person has this window, what staff had on the clipboard is put aside: it must not be pasted into their page, and
 * nothing that they copied may stay behind.
 */
import { clipboard } from 'electron'

export interface ClipboardAside {
  /** Resolves when the clipboard is empty. It is empty as well where this rejects: what was on it couldn't be read. */
  put(): Promise<void>
  /** Empties the clipboard of what the person left and gives staff their text back. */
  giveBack(): Promise<void>
  /** Resolves once nothing is being put aside or given back. */
  settled(): Promise<void>
  /** Empties it of what a person may have left before the application ended. */
  empty(): void
}

export function clipboardAside(platform: NodeJS.Platform = process.platform): ClipboardAside {
  let isAside = false
  let text = ''
  let last: Promise<void> = Promise.resolve()

  function empty(): void {
    clipboard.clear()
    // There, what was marked last is pasted by the middle button.
    if (platform === 'linux') clipboard.selection.clear()
  }

  /** One after the other: what is given back must have been read before. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    const mine = last.then(work)
    last = mine.catch(() => undefined)
    return mine
  }

  async function put(): Promise<void> {
    const wasAside = isAside
    isAside = true
    try {
      // What lies there later is the person's.
      if (!wasAside) text = await clipboard.readText()
    } finally {
      empty()
    }
  }

  async function giveBack(): Promise<void> {
    if (!isAside) return
    const own = text
    isAside = false
    text = ''
    empty()
    if (own !== '') await clipboard.writeText(own)
  }

  return { put: () => inTurn(put), giveBack: () => inTurn(giveBack), settled: () => last, empty }
}
