/** The layer of desktop notifications, badge and tray, and of what happened while the user was away. */
import type { Polling } from './core/documents/polling/polling.ts'
import type { AskDocuments } from './core/documents/questions.ts'
import type { Views } from './core/documents/views.ts'
import { asAppError } from './core/errors/app-error.ts'
import { openBadgeCounts } from './core/notifications/badge-counts.ts'
import { type NotifierDeps, openNotifier } from './core/notifications/notifier.ts'
import { type OutboxNewsDeps, openOutboxNews } from './core/notifications/outbox-news.ts'
import { openPreferences } from './core/notifications/preferences.ts'
import { openPresence } from './core/notifications/presence.ts'
import type { Foundation } from './foundation.ts'
import { openDesktop } from './shell/desktop.ts'

export interface NotificationDeps {
  ask: AskDocuments
  views: Views
  polling: Polling
  /**
   * Whether the office's window is with a signer or locked. `isSigning`: whether people other than staff could read
   * notifications.
   */
  isAway: () => boolean
  isSigning: () => boolean
  refusals: NotifierDeps['refusals']
  verifications: NotifierDeps['verifications']
  outbox: Pick<OutboxNewsDeps, 'state' | 'attention' | 'find' | 'who'>
}

export function openNotifications(
  foundation: Foundation,
  { ask, views, polling, isAway, isSigning, refusals, verifications, outbox }: NotificationDeps
) {
  const { db, accounts, log, send, time, window } = foundation
  const newsArrived = () => send('activity.changed', null)
  const onError = (error: unknown) => log.warn('What happened could not be told.', { code: asAppError(error).code })

  const desktop = openDesktop({ window, isAway, send, time, log })
  const preferences = openPreferences(db, () => foundation.organisation.policy.quietHours)
  const notifier = openNotifier({
    db,
    ask,
    time,
    onError,
    isSigning,
    refusals,
    verifications,
    ...desktop.notifications,
    outbox: openOutboxNews({ db, accounts: accounts.list, ...outbox }),
    settings: preferences.read,
    accounts: accounts.list,
    views: views.list,
    isRead: (accountId) => polling.isRead(accountId)
  })
  const badgeCounts = openBadgeCounts({
    ask,
    time,
    onError,
    newsArrived,
    shown: accounts.shownIds,
    show: desktop.show
  })
  const presence = openPresence({
    db,
    time,
    onError,
    accountIds: () => accounts.list().map(({ id }) => id),
    changed: newsArrived
  })
  return { desktop, preferences, notifier, badgeCounts, presence }
}
