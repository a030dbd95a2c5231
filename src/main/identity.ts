/**
 * The layer of identity data and signed documents: on their way to disk, and on the screen, with what makes them go from memory;
 * and of what verifying signatures found.
 */
import type { NoteInAudit } from './core/audit/audit.ts'
import type { Polling } from './core/documents/polling/polling.ts'
import type { AskDocuments } from './core/documents/questions.ts'
import type { Views } from './core/documents/views.ts'
import { openDownloads } from './core/downloads/downloads.ts'
import { openPdfPreviews } from './core/downloads/pdf-preview.ts'
import { openBriefCopy } from './core/identity/brief-copy.ts'
import { openReadings } from './core/identity/readings.ts'
import type { Once } from './core/office/once.ts'
import { expanded } from './core/organisation/applying.ts'
import { VerificationQueue } from './core/verifications/verification-queue.ts'
import { openVerifications } from './core/verifications/verifications.ts'
import type { Foundation } from './foundation.ts'
import { asAppError } from './ipc/errors.ts'
import { plainClipboard } from './shell/clipboard.ts'

export interface IdentityDeps {
  ask: AskDocuments
  /** What a document is called, as far as the folders say it. */
  nameOf: (accountId: string, reference: string) => Promise<string | undefined>
  views: Views
  /** The office's other workstation that saved a view last. */
  viewSavedBy: (accountId: string, viewId: string) => string | undefined
  once: Once
  watch: Polling
  note: NoteInAudit
  /** Whether the office's window is in a signer's hands. */
  isHandedOver: () => boolean
}

export function openIdentity(
  foundation: Foundation,
  { ask, nameOf, views, viewSavedBy, once, watch, note, isHandedOver }: IdentityDeps
) {
  const { db, accounts, clients, log, newId, rights, send, settings, signals, time, usualFolder, home } = foundation
  const clientOf = clients.of

  const downloadsChanged = (id: string | null) => send('downloads.changed', { id })

  const verifications = openVerifications({
    ...{ db, clientOf, note, nameOf, newId, time },
    changed(document) {
      send('verifications.changed', document)
      signals.emit('verifications')
    }
  })
  const verificationQueue = new VerificationQueue({
    ...{ db, time, describe: asAppError, verify: verifications.verify },
    changed: () => downloadsChanged(null)
  })
  const downloads = openDownloads({
    ...{ db, ask, once, note, clientOf, newId, time, describe: asAppError, verifications: verificationQueue },
    rightsOf: rights.of,
    accountName: (accountId) => accounts.list().find(({ id }) => id === accountId)?.name ?? '',
    folderNames: watch.knownFoldersOf,
    folder: () => settings.read().downloadFolder ?? usualFolder,
    isFolderChosen: () => settings.read().downloadFolder !== undefined,
    setFolder: (path) => void settings.change({ downloadFolder: path }),
    isUsualFolder: (path) => path === usualFolder,
    organisation() {
      const { folder, names } = foundation.organisation.policy.downloads ?? {}
      return { folder: folder && expanded(folder, home), names }
    },
    views: views.list,
    viewSavedBy,
    changed: downloadsChanged,
    failed: (error) => log.warn('What rules fetch could not be found out.', { code: asAppError(error).code })
  })
  const readings = openReadings({
    ...{ clientOf, note, nameOf, newId, time },
    cleared: (reading, why) => send('identity.cleared', { reading, why })
  })
  const pdfPreviews = openPdfPreviews({ clientOf, note, newId, time })
  const briefCopy = openBriefCopy({
    clipboard: { ...plainClipboard, write: plainClipboard.writePrivately },
    isAside: isHandedOver,
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
    ...{ downloads, readings, pdfPreviews, briefCopy, verifications },

    /** Begins to fetch, and to verify what rules want verified. */
    open(): void {
      downloads.open()
      verificationQueue.open()
    },
    /** The computer may be online again. */
    connectionChanged,

    /** Accounts were added, changed or removed, or others are shown. */
    accountsChanged(): void {
      const shown = accounts.shownIds()
      readings.clearOthers(shown)
      pdfPreviews.closeOthers(shown)
      downloads.shown(shown)
      // Another address or key may be what its files wait for.
      connectionChanged()
    },
    /** The counter moved on: where a person has this screen now, nothing of the office's stays in memory. */
    counterChanged: () => isHandedOver() && clearAll(),
    /** Nobody of staff is at the screen. */
    locked(): void {
      clearAll()
      // What is shown is in the page's memory alone.
      send('pdf.cleared', null)
    },
    /** Begins nothing more, and breaks off what is under way. @param limit in milliseconds. */
    async close(limit: number): Promise<void> {
      await Promise.all([downloads.close(limit), verificationQueue.close(limit)])
    },
    async end(): Promise<void> {
      clearAll()
      await briefCopy.end()
    }
  }
}
