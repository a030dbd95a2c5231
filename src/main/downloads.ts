/** The part of the composition root that concerns identity data on its way to disk. No logic of its own. */
import type { Events } from '../shared/contract/index.ts'
import type { Accounts } from './core/accounts/accounts.ts'
import type { Clients } from './core/accounts/clients.ts'
import type { NoteInAudit } from './core/audit/audit.ts'
import type { Polling } from './core/documents/polling/polling.ts'
import type { AskDocuments } from './core/documents/questions.ts'
import type { Views } from './core/documents/views.ts'
import { openDownloads } from './core/downloads/downloads.ts'
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
  /** IANA name of this workstation's zone. */
  zone: () => string
  /** Milliseconds since 1970 UTC. */
  clock: () => number
  newId: () => string
  /** Runs `task` after `delay` milliseconds; answers how to prevent it. */
  schedule: (task: () => void, delay: number) => () => void
}

export function openIdentityDownloads({ accounts, settings, usualFolder, ...parts }: IdentityDownloadsDeps) {
  const accountOf = (accountId: string) => accounts.list().find(({ id }) => id === accountId)
  const downloads = openDownloads({
    ...parts,
    clientOf: parts.clients.of,
    accountName: (accountId) => accountOf(accountId)?.name ?? '',
    folderNames: parts.watch.knownFoldersOf,
    folder: () => settings.read().downloadFolder ?? usualFolder,
    setFolder: (path) => void settings.change({ downloadFolder: path }),
    isUsualFolder: (path) => path === usualFolder,
    views: parts.views.list,
    describe: asAppError,
    changed: (id) => parts.send('downloads.changed', { id }),
    elapsed: () => performance.now(),
    random: Math.random
  })
  return {
    downloads,

    /** Accounts were added, changed or removed, or another is chosen. */
    accountsChanged(): void {
      downloads.chosen(accounts.chosen()?.id)
      // Another address or key may be what its files wait for.
      downloads.lineChanged()
    }
  }
}
