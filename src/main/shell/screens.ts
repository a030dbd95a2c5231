/**
 * The windows with our own pages: sends them the contract's events while they exist, and knows which of them is asking.
 */
import type { BrowserWindow, IpcMainInvokeEvent } from 'electron'
import type { EventName, Events } from '../../shared/contract/index.ts'
import { isOwnPage } from '../core/policy/app-pages.ts'
import type { Role } from '../ipc/registration.ts'
import { isFromWindow } from './own-page.ts'

export type SendEvent = <Name extends EventName>(name: Name, payload: Events[Name]) => void

/** The events that the window where a person signs receives; all others are only for the office. */
const FOR_THE_PERSON: ReadonlySet<EventName> = new Set([
  'counter.changed',
  'appointments.changed',
  'settings.changed',
  'accounts.changed'
])

export class Screens {
  readonly #office: BrowserWindow
  readonly #devServer: URL | undefined
  #person: () => BrowserWindow | undefined = () => undefined

  constructor(office: BrowserWindow, devServer: URL | undefined) {
    this.#office = office
    this.#devServer = devServer
  }

  /** Adds the window on the second display: whenever there is one, it gets its events and may make requests. */
  addPerson(window: () => BrowserWindow | undefined): void {
    this.#person = window
  }

  readonly send: SendEvent = (name, payload) => {
    this.#sendTo(this.#office, name, payload)
    if (FOR_THE_PERSON.has(name)) this.#sendTo(this.#person(), name, payload)
  }

  /** Returns which of our pages makes this request; undefined if none does. */
  readonly roleOf = (event: IpcMainInvokeEvent): Role | undefined => {
    if (isFromWindow(this.#office, event, this.#devServer)) return 'office'
    return isFromWindow(this.#person(), event, this.#devServer) ? 'person' : undefined
  }

  #sendTo(window: BrowserWindow | undefined, name: EventName, payload: unknown): void {
    if (!window || window.isDestroyed() || window.webContents.isDestroyed()) return
    if (isOwnPage(window.webContents.getURL(), this.#devServer)) window.webContents.send(name, payload)
  }
}
