/** The part of the composition root that concerns folders and documents: makes its parts and joins them. No logic of its own. */
import { randomBytes } from 'node:crypto'
import type { Events } from '../shared/contract/index.ts'
import type { Accounts } from './core/accounts/accounts.ts'
import type { Clients } from './core/accounts/clients.ts'
import type { FetchedLists } from './core/accounts/fetched-lists.ts'
import { Actions } from './core/actions/actions.ts'
import { openRights } from './core/actions/rights.ts'
import { openValidations } from './core/actions/validations.ts'
import { openEmployers } from './core/directory/employers.ts'
import { openKnownForms } from './core/directory/known-forms.ts'
import { openHints } from './core/documents/polling/hints.ts'
import { neverBackwards } from './core/documents/polling/intervals.ts'
import { openPolling } from './core/documents/polling/polling.ts'
import type { AskDocuments } from './core/documents/questions.ts'
import { openViews } from './core/documents/views.ts'
import type { Time } from './core/lib/time.ts'
import { type BadgeCountsDeps, openBadgeCounts } from './core/notifications/badge-counts.ts'
import { type NotifierDeps, openNotifier } from './core/notifications/notifier.ts'
import { openPreferences } from './core/notifications/preferences.ts'
import { openPresence } from './core/notifications/presence.ts'
import type { Db } from './core/storage/connection.ts'
import { asAppError } from './ipc/errors.ts'

export interface FolderParts extends Pick<NotifierDeps, 'show' | 'withdraw' | 'isHandedOver'> {
  db: Db
  /** Asks the documents' worker, which has a thread of its own. */
  ask: AskDocuments
  accounts: Accounts
  clients: Clients
  lists: FetchedLists
  /** Shows the numbers of badge and tray. */
  showBadgeCounts: BadgeCountsDeps['show']
  connectionChanged: () => void
  /** Documents of an account changed: for anyone who else follows them. */
  documentsChanged: (accountId: string) => void
  /** A saved view was made, changed or removed. */
  viewsChanged: () => void
  send: <Name extends keyof Events>(name: Name, payload: Events[Name]) => void
  /** What happened could not be told, or counted; it is tried again. */
  failed: (error: unknown) => void
  newId: () => string
  time: Time
}

export function openFolders({ db, ask, accounts, clients, lists, send, time, ...parts }: FolderParts) {
  const { failed } = parts
  const clock = time.now
  const chosen = () => accounts.chosen()?.id
  /** Which of two answers is the newer is told by when they were asked for, and a wall clock may be put back. */
  const moment = neverBackwards(time.now)
  let version = 0

  const views = openViews({
    ...{ db, newId: parts.newId },
    changed() {
      send('views.changed', null)
      parts.viewsChanged()
    }
  })
  const settings = openPreferences(db)
  const telling = openNotifier({
    ...{ db, ask, time, failed },
    settings: settings.read,
    accounts: accounts.list,
    views: views.list,
    isRead: (accountId) => watch.isRead(accountId),
    isHandedOver: parts.isHandedOver,
    show: parts.show,
    withdraw: parts.withdraw
  })
  const happened = () => send('activity.changed', null)
  const badgeCounts = openBadgeCounts({
    ...{ ask, chosen, time, failed, happened },
    show: parts.showBadgeCounts
  })
  const presence = openPresence({
    ...{ db, time, failed },
    accountIds: () => accounts.list().map(({ id }) => id),
    changed: happened
  })

  /** Documents of an account changed, or what is wrong with reading them. */
  function documentsChanged(accountId: string): void {
    send('documents.changed', { accountId, version: ++version })
    telling.documentsChanged()
    badgeCounts.changed()
    parts.documentsChanged(accountId)
  }

  const watch = openPolling({
    ...{ ask, chosen, time, moment },
    accounts: accounts.list,
    clientOf: clients.of,
    describe: asAppError,
    changed: documentsChanged,
    looked: (accountId) => send('documents.looked', { accountId, at: time.now() }),
    connectionChanged: parts.connectionChanged
  })
  const hints = openHints({ db, random: randomBytes, wake: () => watch.soon(), time })
  const rights = openRights(db)
  const actions = new Actions({
    ...{ db, ask, rights, moment, time },
    clientOf: clients.of,
    refresh: watch.refresh,
    soon: watch.soon,
    taken: documentsChanged,
    describe: asAppError,
    changed: (ids) => send('actions.changed', { ids })
  })
  const validations = openValidations({ clientOf: clients.of, clock })
  const employers = openEmployers({
    ...{ db, rights, clock },
    clientOf: clients.of,
    describe: asAppError,
    changed: () => send('employers.changed', null)
  })
  const forms = openKnownForms({
    db,
    templates: async (accountId) => (await lists.templates(accountId, { refresh: false })).items
  })
  return {
    ...{
      views,
      settings,
      telling,
      badgeCounts,
      presence,
      watch,
      hints,
      rights,
      actions,
      validations,
      employers,
      forms
    },
    documentsChanged
  }
}
