/** Lets the page keep what was typed last before its window closes: a save that is still waiting would be lost with it. */
import { type BrowserWindow, dialog } from 'electron'

/** How long the page may take, in milliseconds; one that hangs can't keep a window open for ever. */
const PATIENCE = 3000

/**
 * Holds the closing of the window back until the page has said that everything is kept.
 * @param tellPage tells the page that its window is about to close.
 * @returns what to call when the page has answered: whether all is kept. Where it isn't, the person decides.
 */
export function keepBeforeClosing(window: BrowserWindow, tellPage: () => void): (kept: boolean) => void {
  let state: 'open' | 'asked' | 'closing' = 'open'
  let late: NodeJS.Timeout | undefined

  function close(): void {
    clearTimeout(late)
    if (window.isDestroyed()) return
    state = 'closing'
    window.close()
  }

  async function ask(): Promise<void> {
    const may = await mayLose(window)
    state = 'open'
    if (may) close()
  }

  window.on('close', (event) => {
    if (state === 'closing' || window.webContents.isCrashed()) return
    event.preventDefault()
    if (state === 'asked') return
    state = 'asked'
    late = setTimeout(close, PATIENCE)
    tellPage()
  })

  return (kept) => {
    if (state !== 'asked') return
    clearTimeout(late)
    if (kept) close()
    else void ask()
  }
}

async function mayLose(window: BrowserWindow): Promise<boolean> {
  const { response } = await dialog.showMessageBox(window, {
    type: 'warning',
    message: 'What you typed last could not be saved.',
    detail: 'If you close Countersign now, it is lost. The screen says why it could not be saved.',
    buttons: ['Go back', 'Close and lose it'],
    defaultId: 0,
    cancelId: 0
  })
  return response === 1
}
