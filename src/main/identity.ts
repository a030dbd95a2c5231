/**
 * The layer for identity data, signed documents and verification results: downloads to disk, views on screen, and
 * removing them from memory.
 */
import type { NoteInAudit } from './core/audit/audit.ts'
import type { Polling } from './core/documents/polling/polling.ts'
import type { AskDocuments } from './core/documents/questions.ts'
import type { Views } from './core/documents/views.ts'
import { openDownloads } from './core/downloads/downloads.ts'
import { openPdfPreviews } from './core/downloads/pdf-preview.ts'
import { asAppError } from './core/errors/app-error.ts'
import { openBriefCopy } from './core/identity/brief-copy.ts'
import { openReadings } from './core/identity/readings.ts'
import type { ExclusiveTasks } from './core/office/exclusive-tasks.ts'
import { expandHome } from './core/organisation/apply-policy.ts'
import { VerificationQueue } from './core/verifications/verification-queue.ts'
import { openVerifications } from './core/verifications/verifications.ts'
import type { Foundation } from './foundation.ts'
import { plainClipboard } from './shell/clipboard.ts'

export interface IdentityDeps {
  ask: AskDocuments
  /** A document's name, if it is known from the folders. */
  nameOf: (accountId: string, reference: string) => Promise<string | undefined>
  views: Views
  /** The office's other workstation that last saved a view. */
  viewSavedBy: (accountId: string, viewId: string) => string | undefined
  exclusiveTasks: ExclusiveTasks
  polling: Polling
  note: NoteInAudit
  /** Whether a signer has the office's window. */
  isHandedOver: () => boolean
}

export function openIdentity(
  foundation: Foundation,
  { ask, nameOf, views, viewSavedBy, exclusiveTasks, polling, note, isHandedOver }: IdentityDeps
) {
  const { db, accounts, clients, log, newId, rights, send, settings, signals, time, defaultDownloadFolder, home } =
    foundation
  const clientOf = clients.of

  const downloadsChanged = (id: string | null) => send('downloads.changed', { id })

  const verifications = openVerifications({
    db,
    clientOf,
    note,
    nameOf,
    newId,
    time,
    changed(document) {
      send('verifications.changed', document)
      signals.emit('verifications')
    }
  })
  const verificationQueue = new VerificationQueue({
    db,
    time,
    verify: verifications.verify,
    changed: () => downloadsChanged(null)
  })
  const downloads = openDownloads({
    db,
    ask,
    exclusiveTasks,
    note,
    clientOf,
    newId,
    time,
    verifications: verificationQueue,
    rightsOf: rights.of,
    accountName: (accountId) => accounts.list().find(({ id }) => id === accountId)?.name ?? '',
    folderNames: polling.knownFoldersOf,
    folder: () => settings.read().downloadFolder ?? defaultDownloadFolder,
    isFolderChosen: () => settings.read().downloadFolder !== undefined,
    setFolder: (path) => void settings.change({ downloadFolder: path }),
    isDefaultFolder: (path) => path === defaultDownloadFolder,
    organisation() {
      const { folder, names } = foundation.organisation.policy.downloads ?? {}
      return { folder: folder && expandHome(folder, home), names }
    },
    views: views.list,
    viewSavedBy,
    changed: downloadsChanged,
    onError: (error) => log.warn('What rules fetch could not be found out.', { code: asAppError(error).code })
  })
  const readings = openReadings({
    clientOf,
    note,
    nameOf,
    newId,
    time,
    cleared: (reading, why) => send('identity.cleared', { reading, why })
  })
  const pdfPreviews = openPdfPreviews({ clientOf, note, newId, time })
  const briefCopy = openBriefCopy({
    clipboard: { ...plainClipboard, write: plainClipboard.writePrivately },
    isUsedBySigner: isHandedOver,
    time
  })

  function connectionChanged(): void {
    downloads.connectionChanged()
    verificationQueue.connectionChanged()
  }

  function clearAll(): void {
    readings.clearAll('away')
    pdfPreviews.closeAll()
  }

  return {
    downloads,
    readings,
    pdfPreviews,
    briefCopy,
    verifications,

    /** Starts downloads, and the verifications that download rules ask for. */
    start(): void {
      downloads.startFetching()
      verificationQueue.start()
    },
    /** The computer may be online again. */
    connectionChanged,

    /** Called when accounts were added, changed or removed, or others are shown. */
    accountsChanged(): void {
      const shown = accounts.shownIds()
      readings.clearOthers(shown)
      pdfPreviews.closeOthers(shown)
      downloads.shown(shown)
      // Downloads may have been waiting for another address or key.
      connectionChanged()
    },
    /** Called when the counter moved on: clears the office's data from memory while a signer has this screen. */
    counterChanged: () => isHandedOver() && clearAll(),
    locked(): void {
      clearAll()
      // Shown PDFs exist only in the page's memory.
      send('pdf.cleared', null)
    },
    /** Starts nothing new, and aborts work in progress. @param limit in milliseconds. */
    async close(limit: number): Promise<void> {
      await Promise.all([downloads.close(limit), verificationQueue.close(limit)])
    },
    async end(): Promise<void> {
      clearAll()
      await briefCopy.end()
    }
  }
}
