/** Sends the contract's events to a window of ours, while it is there and shows our own page. */
import type { BrowserWindow } from 'electron'
import type { EventName, Events } from '../../shared/contract/index.ts'
import { isOwnPage } from '../core/policy/app-pages.ts'

export type SendEvent = <Name extends EventName>(name: Name, payload: Events[Name]) => void

/** What the window where a person signs is told: the rest is the office's. */
const TOLD_TO_PERSON: ReadonlySet<EventName> = new Set(['counter.changed', 'settings.changed', 'accounts.changed'])

/** The windows, if there are any by then: events begin before they do and go on after them. */
export interface WindowsNow {
  desk: () => BrowserWindow | undefined
  person: () => BrowserWindow | undefined
}

export function eventsTo({ desk, person }: WindowsNow, devServer?: URL): SendEvent {
  return (name, payload) => {
    tell(desk(), devServer, name, payload)
    if (TOLD_TO_PERSON.has(name)) tell(person(), devServer, name, payload)
  }
}

function tell(window: BrowserWindow | undefined, devServer: URL | undefined, name: EventName, payload: unknown): void {
  if (!window || window.isDestroyed() || window.webContents.isDestroyed()) return
  if (isOwnPage(window.webContents.getURL(), devServer)) window.webContents.send(name, payload)
}
