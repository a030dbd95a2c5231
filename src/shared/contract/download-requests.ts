/** The requests about ID-verification data on its way to disk. */
import { z } from 'zod'
import { ID_VERIFICATION_DATA_TYPES } from '../model/id-verification.ts'
import { DocumentQuery } from './document-query.ts'
import type {
  AddedDownloads,
  DownloadCheck,
  DownloadFolder,
  DownloadPage,
  DownloadRule,
  DownloadSettings,
  DownloadSummary,
  DownloadView,
  PatternPreview
} from './download-views.ts'
import { answers, byId, id, nothing, page } from './request.ts'

const reference = z.string().min(1).max(2000)
const type = z.enum(ID_VERIFICATION_DATA_TYPES)
const pattern = z.string().trim().min(1).max(500)
const choice = {
  types: z.array(type).min(1).max(ID_VERIFICATION_DATA_TYPES.length),
  pattern,
  writesIndex: z.boolean()
}

const DOWNLOAD_STATES = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const

export const downloadRequests = {
  /** One document, in the folder and by the pattern that are set. Where the same is queued already, that is answered. */
  'downloads.start': answers<DownloadView>()(z.strictObject({ reference, type })),
  /** Many documents of the chosen account: those named, or all that a query finds. */
  'downloads.add': answers<AddedDownloads>()(
    z.strictObject({
      what: z.union([
        z.strictObject({ references: z.array(reference).min(1).max(10_000) }),
        z.strictObject({ query: DocumentQuery })
      ]),
      folderId: id,
      ...choice
    })
  ),
  /** What moves first, then what was finished, newest first. */
  'downloads.list': answers<DownloadPage>()(
    z.strictObject({
      states: z.array(z.enum(DOWNLOAD_STATES)).min(1).optional(),
      /** Of one document only. */
      reference: reference.optional(),
      ...page
    })
  ),
  'downloads.summary': answers<DownloadSummary>()(nothing),
  /** Holds the whole queue, over restarts too; what is under way is put back. */
  'downloads.pause': answers<DownloadSummary>()(nothing),
  /** Goes on; what waits for the line, a folder or its time is tried at once, whether or not the queue was held. */
  'downloads.resume': answers<DownloadSummary>()(nothing),
  'downloads.cancel': answers<null>()(byId),
  'downloads.cancelAll': answers<null>()(nothing),
  /**
   * Has what waits for one folder saved into another; answers how many files that are. Rules, and what is downloaded
   * later, keep their folders.
   */
  'downloads.saveElsewhere': answers<{ moved: number }>()(z.strictObject({ from: id, to: id })),
  /** Begins again what failed or was cancelled, or what the check found missing or altered. */
  'downloads.again': answers<null>()(z.strictObject({ ids: z.array(id).min(1).max(10_000) })),
  /** Begins again all that failed. */
  'downloads.againAll': answers<null>()(nothing),
  /** Takes what failed or was cancelled out of the list. Files, and what is known of them, stay. */
  'downloads.clear': answers<null>()(nothing),
  'downloads.reveal': answers<null>()(byId),
  'downloads.settings': answers<DownloadSettings>()(nothing),
  'downloads.configure': answers<DownloadSettings>()(
    z.strictObject({ ...choice, concurrency: z.int().min(1).max(8), folderId: id }).partial()
  ),
  /** Has the person choose a folder; null where they thought better of it. Nothing is set by it: its id goes into another request. */
  'downloads.chooseFolder': answers<DownloadFolder | null>()(nothing),
  /** What files would be called: of these documents, or of the newest ones with an identity check. */
  'downloads.preview': answers<PatternPreview>()(
    z.strictObject({ pattern: z.string().max(500), type, references: z.array(reference).max(5).optional() })
  ),
  'downloads.rules': answers<DownloadRule[]>()(nothing),
  /** Begins with what completes from now on; `alsoNow`: and with what is complete already. */
  'downloads.addRule': answers<DownloadRule>()(
    z.strictObject({ viewId: id, folderId: id, ...choice, alsoNow: z.boolean() })
  ),
  'downloads.changeRule': answers<DownloadRule>()(
    z.strictObject({ id, folderId: id.optional(), isOn: z.boolean().optional(), ...z.object(choice).partial().shape })
  ),
  'downloads.removeRule': answers<null>()(byId),
  /** Reads every file that was fetched, and compares it with what is known of it. */
  'downloads.check': answers<DownloadCheck>()(nothing),
  /** Writes the index of a folder again. Answers its name below the folder. */
  'downloads.writeIndex': answers<{ fileName: string; rows: number }>()(z.strictObject({ folderId: id }))
}
