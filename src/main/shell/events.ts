/** Sends the contract's events to our window, while it is there and shows our own page. */
import type { BrowserWindow } from 'electron'
import type { EventName, Events } from '../../shared/contract/index.ts'
import { isOwnPage } from '../core/policy/app-pages.ts'

export type SendEvent = <Name extends EventName>(name: Name, payload: Events[Name]) => void

/** @param windowNow the window, if there is one by then: events begin before it does and go on after it. */
export function eventsTo(windowNow: () => BrowserWindow | undefined, devServer?: URL): SendEvent {
  return (name, payload) => {
    const window = windowNow()
    if (!window || window.isDestroyed() || window.webContents.isDestroyed()) return
    if (isOwnPage(window.webContents.getURL(), devServer)) window.webContents.send(name, payload)
  }
}
