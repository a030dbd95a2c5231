/** Putting a page of our own on paper: the system's dialog asks how, and what becomes of it is told. */
import type { BrowserWindow } from 'electron'
import { fail } from '../core/lib/failure.ts'

/** What Electron says where the person thought better of it (webContents.print, `failureReason`). */
const CANCELLED = 'Print job canceled'

/**
 * As the page's print style has it. Nothing is written to a file by us; the system's own queue is the system's.
 * @returns false where the person cancelled.
 * @throws AppFailure `internal` where there is no printer, or it failed.
 */
export async function printWithDialog(window: BrowserWindow): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<{ isPrinted: boolean; why: string }>()
  window.webContents.print({}, (isPrinted, why) => resolve({ isPrinted, why }))
  const { isPrinted, why } = await promise
  if (!isPrinted && why !== CANCELLED)
    fail('internal', 'The pages could not be printed.', {
      next: 'See whether this computer’s printer is there and ready.'
    })
  return isPrinted
}
