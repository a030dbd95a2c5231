/**
 * What happens before the window closes: the page keeps what was typed last, which a save that is still waiting would lose,
 * and the person is asked wherever something would not be as they expect.
 */
import { type BrowserWindow, dialog } from 'electron'
import type { LeavingQuestion } from '../core/policy/leaving.ts'

/** How long the page may take to answer, in milliseconds; then the person decides. */
const PATIENCE = 3000

const NOT_KEPT: LeavingQuestion = {
  message: 'What you typed last could not be saved.',
  detail: 'If you close Countersign now, it is lost. The screen says why it could not be saved.',
  stay: 'Go back',
  leave: 'Close and lose it'
}

export interface Closing {
  /** Whether it may close at all now; where not, nobody is asked anything. */
  mayClose: () => boolean
  /** Tells the page that its window is about to close. */
  tellPage: () => void
  /** What is asked once everything typed is kept; undefined for nothing. */
  question: () => LeavingQuestion | undefined
}

/**
 * Holds the closing of the window back until the page has said that everything is kept, and the person agrees.
 * @returns what to call when the page has answered: whether all is kept.
 */
export function keepBeforeClosing(
  window: BrowserWindow,
  { mayClose, tellPage, question }: Closing
): (kept: boolean) => void {
  let state: 'open' | 'page asked' | 'deciding' | 'closing' = 'open'
  let late: NodeJS.Timeout | undefined

  async function decide(kept: boolean): Promise<void> {
    clearTimeout(late)
    state = 'deciding'
    const agreed = (kept || (await agrees(window, NOT_KEPT))) && (await agrees(window, question()))
    if (window.isDestroyed()) return
    state = agreed ? 'closing' : 'open'
    if (agreed) window.close()
  }

  window.on('close', (event) => {
    if (state === 'closing') return
    event.preventDefault()
    if (state !== 'open' || !mayClose()) return
    // A page that has crashed has nothing more to say, and what it had is kept as far as it was.
    if (window.webContents.isCrashed()) return void decide(true)
    state = 'page asked'
    late = setTimeout(() => void decide(false), PATIENCE)
    tellPage()
  })

  return (kept) => {
    // One that comes late finds the person being asked already.
    if (state === 'page asked') void decide(kept)
  }
}

async function agrees(window: BrowserWindow, question: LeavingQuestion | undefined): Promise<boolean> {
  if (!question) return true
  const { response } = await dialog.showMessageBox(window, {
    type: 'warning',
    message: question.message,
    detail: question.detail,
    buttons: [question.stay, question.leave],
    defaultId: 0,
    cancelId: 0
  })
  return response === 1
}
