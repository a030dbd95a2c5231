/** The application as the system knows it: one at a time, ended in order, and what the screens are told of it. */
import { app, type BrowserWindow } from 'electron'
import type { SystemStatus } from '../../shared/contract/index.ts'
import type { OpenedDatabase } from '../core/storage/database.ts'
import type { KeychainState } from '../core/storage/keychain.ts'
import { bringForward } from './windows.ts'

/**
 * One application at a time: two would write the same database. Must be called before anything is opened.
 * @param windowNow the window to show when someone starts the application again, if there is one by then.
 * @returns false if another instance runs already: this one must end without touching a file.
 */
export function holdSingleInstance(windowNow: () => BrowserWindow | undefined): boolean {
  if (!app.requestSingleInstanceLock()) return false
  // What the second instance was started with is text from outside, and not looked at.
  app.on('second-instance', () => void bringForward(windowNow()))
  return true
}

/**
 * Holds the application back from ending until what must be done before is done.
 * @param before begun once, however often quitting is asked for. Never rejects.
 */
export function endAfter(before: () => Promise<void>): void {
  let isLeaving = false
  let hasLeft = false
  app.on('will-quit', (event) => {
    if (hasLeft) return
    event.preventDefault()
    if (isLeaving) return
    isLeaving = true
    void before().then(() => {
      hasLeft = true
      app.quit()
    })
  })
}

/** What the screens are told of the application itself. */
export function systemStatus(opened: OpenedDatabase, keychain: KeychainState): SystemStatus {
  return {
    version: app.getVersion(),
    platform: process.platform,
    keychain:
      keychain.state === 'available' ? { state: 'available' } : { state: 'unavailable', reason: keychain.reason },
    storage: opened.state === 'encrypted' ? { state: 'encrypted' } : { state: 'memory', reason: opened.because },
    ...(opened.setAside && { setAside: opened.setAside })
  }
}
