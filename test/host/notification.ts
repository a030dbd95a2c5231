// Electron's Notification: shown ones are recorded, and a test clicks or closes them as a person would.
import type * as Electron from 'electron'
import { acceptOnly, Emulated } from './strict.ts'

const options = [
  'id',
  'groupId',
  'groupTitle',
  'title',
  'subtitle',
  'body',
  'silent',
  'icon',
  'timeoutType',
  'urgency',
  'actions',
  'closeButtonText'
]

export const notificationEvents = {
  emits: ['show', 'click', 'close', 'action'],
  never: ['failed', 'reply']
} as const

type Offered = Pick<Electron.Notification, 'title' | 'subtitle' | 'body' | 'silent' | 'show' | 'close'>

/** All notifications that have been shown, oldest first. */
export const shownNotifications: Notification[] = []

export class Notification extends Emulated implements Offered {
  title: string
  subtitle: string
  body: string
  silent: boolean
  /** @internal still on the screen */
  visible = false
  readonly actions: readonly Electron.NotificationAction[]

  constructor(init: Electron.NotificationConstructorOptions = {}) {
    super('Notification', notificationEvents)
    acceptOnly('new Notification', init, options)
    this.title = init.title ?? ''
    this.subtitle = init.subtitle ?? ''
    this.body = init.body ?? ''
    this.silent = init.silent ?? false
    this.actions = init.actions ?? []
  }

  static isSupported(): boolean {
    return true
  }

  show(): void {
    this.visible = true
    shownNotifications.push(this)
    this.emit('show', {})
  }

  close(): void {
    if (!this.visible) return
    this.visible = false
    this.emit('close', {})
  }

  /** @internal what a person's click does */
  click(): void {
    if (!this.visible) throw new Error('That notification is no longer shown')
    this.visible = false
    this.emit('click', {})
  }
}
