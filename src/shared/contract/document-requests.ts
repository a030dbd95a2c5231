/**
 * Requests for folders and documents: lists, views, pages, actions, notifications, and what other software hands over.
 */
import { z } from 'zod'
import { KEPT_BY_ANOTHER } from '../composition/preset.ts'
import { EMPLOYER_FIELDS } from '../model/index.ts'
import type { DraftSummary, SavedFile } from './composing-views.ts'
import { ActionRequest } from './document-actions.ts'
import { DOCUMENT_COLUMNS, DocumentQuery } from './document-query.ts'
import type {
  ActionView,
  ActivityEntry,
  AwayView,
  ChangeKind,
  DocumentCounts,
  DocumentList,
  DocumentPage,
  DocumentVerifications,
  DropFolder,
  DroppedFile,
  EmployersView,
  HintView,
  KnownForm,
  OverviewView,
  RefusedFiles,
  SavedView,
  VerificationList,
  VerificationView
} from './document-views.ts'
import { answers, byId, id, noInput, page } from './request.ts'

const reference = z.string().min(1).max(2000)
const byReference = z.strictObject({ reference })

export const NEWS_KINDS = [
  'signed',
  'completed',
  'declined',
  'expired',
  'due-tomorrow',
  'identity-failed',
  'waits-here'
] as const
/** What happens to documents, the result of verifying their signatures, and what in the Outbox needs someone. */
export const NOTIFIED_KINDS = [...NEWS_KINDS, 'not-valid', 'outbox'] as const
export type NewsKind = (typeof NEWS_KINDS)[number]
export type NotifiedKind = (typeof NOTIFIED_KINDS)[number]

const CHANGE_KINDS = [
  'arrived',
  'signed',
  'completed',
  'declined',
  'expired',
  'identity-failed',
  'waits-here',
  'moved',
  'due-changed',
  'signers-changed',
  'changed',
  'gone',
  'returned'
] as const satisfies readonly ChangeKind[]

export const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/)
/** Which desktop notifications a person wants. */
export const NotificationPreferences = z.strictObject({
  /** views: only for documents in a saved view with notifications on. */
  kinds: z.record(z.enum(NOTIFIED_KINDS), z.enum(['always', 'views', 'never'])),
  /**
   * Quiet hours, across midnight if `from` is later than `to`. Notifications are held back and summed up in one when
   * they end.
   */
  quiet: z.strictObject({ from: timeOfDay, to: timeOfDay }).nullable(),
  sound: z.boolean()
})
export type NotificationPreferences = z.output<typeof NotificationPreferences>

const employerRecord = z
  .strictObject({
    kind: z.enum(['SuperFund', 'TFN', 'AccClaimsHistory']),
    Reference: z.string().trim().min(1).max(500),
    Name: z.string().trim().min(1).max(500),
    IsDefault: z.boolean(),
    fields: z.record(z.string().max(100), z.string().max(2000))
  })
  .refine(({ kind, fields }) => {
    const names: ReadonlySet<string> = new Set(EMPLOYER_FIELDS[kind])
    return Object.keys(fields).every((name) => names.has(name))
  }, 'has a field that this kind of record doesn’t have')
export type EmployerChange = z.output<typeof employerRecord>

const viewName = z.string().trim().min(1).max(100)
/** Identifies one document: accounts may have documents with the same reference. */
const documentKey = z.strictObject({ accountId: id, reference })
export type DocumentKey = z.output<typeof documentKey>
/** Listed documents, of any accounts, or all that match a query. */
export const someDocuments = z.union([
  z.strictObject({ documents: z.array(documentKey).min(1).max(10_000) }),
  z.strictObject({ query: DocumentQuery })
])

export type SomeDocuments = z.output<typeof someDocuments>

export const documentRequests = {
  'documents.list': answers<DocumentList>()(
    z.strictObject({ query: DocumentQuery, expanded: z.array(reference).max(1000).default([]), ...page })
  ),
  'documents.counts': answers<DocumentCounts>()(noInput),
  /** The documents that match a query, in its order; at most ten thousand. */
  'documents.references': answers<{ references: DocumentKey[]; total: number }>()(
    z.strictObject({ query: DocumentQuery })
  ),
  'documents.get': answers<DocumentPage>()(byReference),
  /** Reads the folders from the service now. */
  'documents.refresh': answers<null>()(noInput),
  'documents.markRead': answers<null>()(z.strictObject({ some: someDocuments, read: z.boolean() })),
  /** Saves the rows as CSV at a location the person chooses; null if they cancel. */
  'documents.export': answers<SavedFile | null>()(
    z.strictObject({ some: someDocuments, columns: z.array(z.enum(DOCUMENT_COLUMNS)).min(1).max(20) })
  ),
  /** Asks the service to verify the signatures now, and stores its answer. */
  'documents.validate': answers<VerificationView>()(byReference),
  'documents.verifications': answers<DocumentVerifications>()(byReference),
  /** Saves the newest verification as a file at a location the person chooses; null if they cancel. */
  'documents.saveValidation': answers<SavedFile | null>()(byReference),
  'documents.openInBrowser': answers<null>()(
    z.strictObject({
      reference,
      page: z.union([z.literal('edit'), z.strictObject({ videoOf: z.number().int().min(0) })])
    })
  ),
  /**
   * Puts the address of the document's page on the clipboard, which leaves no other copy of it. Never a signing link.
   */
  'documents.copyLink': answers<null>()(byReference),
  /** Makes a draft from what a document was sent as, or else from what the service says of it. Sends nothing. */
  'documents.correctedCopy': answers<DraftSummary>()(byReference),
  /** As `documents.correctedCopy`, to send the same again with or without its people. */
  'documents.duplicate': answers<DraftSummary>()(z.strictObject({ reference, keeps: z.enum(KEPT_BY_ANOTHER) })),
  /** The password of a signer's video confirmation, for a person who asks for it. */
  'documents.videoPassword': answers<{ password: string }>()(
    z.strictObject({ reference, signer: z.number().int().min(0) })
  ),

  /**
   * Lists verifications since a time, newest first. `notValid`: only those that found an invalid signature. `search`:
   * only documents whose name contains all its words.
   */
  'verifications.list': answers<VerificationList>()(
    z.strictObject({
      since: z.number(),
      notValid: z.boolean().default(false),
      search: z.string().max(200).default(''),
      offset: z.int().min(0).default(0),
      limit: z.int().min(1).max(100)
    })
  ),
  /** Documents whose latest known verification found invalid signatures, until dismissed. */
  'verifications.open': answers<VerificationList>()(z.strictObject({ limit: z.int().min(1).max(100) })),
  /** Dismisses this verification and the earlier ones of its document. */
  'verifications.dismiss': answers<null>()(byId),

  'views.list': answers<SavedView[]>()(noInput),
  /** Creates a view, or changes the one with this id. */
  'views.save': answers<SavedView>()(
    z.strictObject({ id: id.optional(), name: viewName, query: DocumentQuery, tell: z.boolean() })
  ),
  'views.remove': answers<null>()(byId),
  /** All ids in their new order. */
  'views.order': answers<null>()(z.strictObject({ ids: z.array(id).max(2_000) })),

  'actions.start': answers<ActionView>()(
    z.strictObject({
      /** Created by the screen, so that pressing the button twice acts only once. */
      id: z.uuid(),
      reference,
      request: ActionRequest
    })
  ),
  /** Newest first: the actions on one document, or all that a person should know of. */
  'actions.list': answers<ActionView[]>()(z.strictObject({ reference: reference.optional() })),
  /** Cancels an action that is still waiting. */
  'actions.cancel': answers<ActionView>()(byId),
  /** Asks the service whether an uncertain action was carried out. */
  'actions.check': answers<ActionView>()(byId),
  /** Retries an action that was refused or is uncertain. */
  'actions.retry': answers<ActionView>()(byId),
  /** Settles an uncertain action by hand. */
  'actions.resolve': answers<ActionView>()(z.strictObject({ id, happened: z.boolean() })),

  'overview.get': answers<OverviewView>()(noInput),
  /**
   * Newest first, of one document or all; optionally only some kinds, or only entries that contain all words of
   * `search`.
   */
  'activity.list': answers<{ changes: ActivityEntry[]; total: number }>()(
    z.strictObject({
      reference: reference.optional(),
      kinds: z.array(z.enum(CHANGE_KINDS)).min(1).max(CHANGE_KINDS.length).optional(),
      isOwn: z.boolean().optional(),
      search: z.string().max(200).optional(),
      ...page
    })
  ),
  'activity.away': answers<AwayView>()(noInput),
  /** The person has seen what happened while they were away. */
  'activity.seen': answers<null>()(noInput),
  'notifications.get': answers<NotificationPreferences>()(noInput),
  'notifications.set': answers<NotificationPreferences>()(NotificationPreferences),

  'employers.list': answers<EmployersView>()(z.strictObject({ refresh: z.boolean() })),
  /** Operation 3: saves new or changed records. Returns all records of the account. */
  'employers.save': answers<EmployersView>()(z.strictObject({ records: z.array(employerRecord).min(1).max(200) })),
  'forms.known': answers<KnownForm[]>()(noInput),
  /** References of the templates sent from this workstation, most recent first. */
  'forms.recentTemplates': answers<string[]>()(noInput),

  'dropFolders.list': answers<DropFolder[]>()(noInput),
  /** Lets a person choose a folder on this machine or the office's server; null if they cancel. */
  'dropFolders.add': answers<DropFolder | null>()(noInput),
  'dropFolders.change': answers<DropFolder>()(
    z.strictObject({
      id,
      sends: z.boolean().optional(),
      presetId: id.nullable().optional(),
      paused: z.boolean().optional()
    })
  ),
  'dropFolders.remove': answers<null>()(byId),
  /** The folder's processed files with their outcomes, newest first. */
  'dropFolders.files': answers<{ files: DroppedFile[]; total: number }>()(z.strictObject({ id, ...page })),
  /** Shows a folder, or the report of a file, in the system's file manager. */
  'dropFolders.reveal': answers<null>()(byId),
  /** The refused files of all the account's folders, newest first. `dropFolders.changed` reports new ones. */
  'dropFolders.refused': answers<RefusedFiles>()(z.strictObject({ ...page })),
  /** Dismisses what a folder refused, up to and including the file `until`. */
  'dropFolders.dismissRefused': answers<null>()(z.strictObject({ folderId: id, until: id })),

  /** Where other software on this machine can hint that something happened (by passing on a NotifyUrl call). */
  'hints.get': answers<HintView>()(noInput),
  'hints.set': answers<HintView>()(z.strictObject({ listening: z.boolean() }))
}
