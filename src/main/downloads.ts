/** The part of the composition root that concerns identity data on its way to disk. No logic of its own. */
import type { Events } from '../shared/contract/index.ts'
import type { Accounts } from './core/accounts/accounts.ts'
import type { Clients } from './core/accounts/clients.ts'
import type { NoteInAudit } from './core/audit/audit.ts'
import type { Polling } from './core/documents/polling/polling.ts'
import type { AskDocuments } from './core/documents/questions.ts'
import type { Views } from './core/documents/views.ts'
import { openDownloads } from './core/downloads/downloads.ts'
import type { Time } from './core/lib/time.ts'
import type { Db } from './core/storage/connection.ts'
import type { SettingsStore } from './core/storage/settings.ts'
import { asAppError } from './ipc/errors.ts'

export interface IdentityDownloadsDeps {
  db: Db
  /** Asks the documents' desk, which lives in a thread of its own. */
  ask: AskDocuments
  accounts: Accounts
  clients: Clients
  views: Views
  watch: Polling
  settings: SettingsStore
  /** The system's own folder for downloads. */
  usualFolder: string
  note: NoteInAudit
  /** What rules want could not be found out; it is tried again. */
  failed: (error: unknown) => void
  send: <Name extends keyof Events>(name: Name, payload: Events[Name]) => void
  time: Time
  newId: () => string
}

export function openIdentityDownloads({ accounts, settings, usualFolder, ...deps }: IdentityDownloadsDeps) {
  const accountOf = (accountId: string) => accounts.list().find(({ id }) => id === accountId)
  const downloads = openDownloads({
    ...deps,
    clientOf: deps.clients.of,
    accountName: (accountId) => accountOf(accountId)?.name ?? '',
    folderNames: deps.watch.knownFoldersOf,
    folder: () => settings.read().downloadFolder ?? usualFolder,
    setFolder: (path) => void settings.change({ downloadFolder: path }),
    isUsualFolder: (path) => path === usualFolder,
    views: deps.views.list,
    describe: asAppError,
    changed: (id) => deps.send('downloads.changed', { id })
  })
  return {
    downloads,

    /** Accounts were added, changed or removed, or another is chosen. */
    accountsChanged(): void {
      downloads.chosen(accounts.chosen()?.id)
      // Another address or key may be what its files wait for.
      downloads.connectionChanged()
    }
  }
}
