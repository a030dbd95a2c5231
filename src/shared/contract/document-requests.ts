/** The requests about folders and documents: lists, views, pages, actions, what is told, and what other software hands over. */
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
import { answers, byId, id, nothing, page } from './request.ts'

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
/** What happens to documents, and what a check of their signatures finds. */
export const NOTIFIED_KINDS = [...NEWS_KINDS, 'not-valid'] as const
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
/** What a person wants told by the desktop. */
export const NotificationPreferences = z.strictObject({
  /** views: only of documents in a saved view that is told of. */
  kinds: z.record(z.enum(NOTIFIED_KINDS), z.enum(['always', 'views', 'never'])),
  /** Nothing is told from one time of day to another, across midnight where `from` is the later one; told in one when it ends. */
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
/** One document: accounts may have documents of the same reference. */
const documentKey = z.strictObject({ accountId: id, reference })
export type DocumentKey = z.output<typeof documentKey>
/** Documents one by one, of any account, or all that a query finds. */
export const someDocuments = z.union([
  z.strictObject({ documents: z.array(documentKey).min(1).max(10_000) }),
  z.strictObject({ query: DocumentQuery })
])

export type SomeDocuments = z.output<typeof someDocuments>

export const documentRequests = {
  'documents.list': answers<DocumentList>()(
    z.strictObject({ query: DocumentQuery, expanded: z.array(reference).max(1000).default([]), ...page })
  ),
  'documents.counts': answers<DocumentCounts>()(nothing),
  /** Which documents a query finds, in its order; at most ten thousand. */
  'documents.references': answers<{ references: DocumentKey[]; total: number }>()(
    z.strictObject({ query: DocumentQuery })
  ),
  'documents.get': answers<DocumentPage>()(byReference),
  /** Reads the folders from the service now. */
  'documents.refresh': answers<null>()(nothing),
  'documents.markRead': answers<null>()(z.strictObject({ some: someDocuments, read: z.boolean() })),
  /** Writes the rows as CSV where the person says; null where they thought better of it. */
  'documents.export': answers<SavedFile | null>()(
    z.strictObject({ some: someDocuments, columns: z.array(z.enum(DOCUMENT_COLUMNS)).min(1).max(20) })
  ),
  /** Asks the service to verify the signatures now, and keeps what it answers. */
  'documents.validate': answers<VerificationView>()(byReference),
  'documents.verifications': answers<DocumentVerifications>()(byReference),
  /** Writes the newest verification as a file where the person says; null where they thought better of it. */
  'documents.saveValidation': answers<SavedFile | null>()(byReference),
  'documents.openInBrowser': answers<null>()(
    z.strictObject({
      reference,
      page: z.union([z.literal('edit'), z.strictObject({ videoOf: z.number().int().min(0) })])
    })
  ),
  /** Puts the address of the document's page on the clipboard, which leaves no copy of it elsewhere. Never a signing link. */
  'documents.copyLink': answers<null>()(byReference),
  /** Makes a draft of what a document was sent as, or as far as the service tells it; sends nothing. */
  'documents.correctedCopy': answers<DraftSummary>()(byReference),
  /** As `documents.correctedCopy`, without the people or with them: the same once more. */
  'documents.another': answers<DraftSummary>()(z.strictObject({ reference, keeps: z.enum(KEPT_BY_ANOTHER) })),
  /** The password of a signer's video confirmation, for a person who asked for it. */
  'documents.videoPassword': answers<{ password: string }>()(
    z.strictObject({ reference, signer: z.number().int().min(0) })
  ),

  /**
   * The verifications since then, newest first, a hundred at most; `notValid`: only those that found a signature that isn't; of
   * documents in whose name all words of `search` occur.
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
  /** Documents whose signatures were found not valid, with nothing better known since, until someone dismisses them. */
  'verifications.open': answers<VerificationList>()(z.strictObject({ limit: z.int().min(1).max(100) })),
  /** Nobody has to look any more at this one, or at those of its document before it. */
  'verifications.dismiss': answers<null>()(byId),

  'views.list': answers<SavedView[]>()(nothing),
  /** Makes a view, or changes the one of that id. */
  'views.save': answers<SavedView>()(
    z.strictObject({ id: id.optional(), name: viewName, query: DocumentQuery, tell: z.boolean() })
  ),
  'views.remove': answers<null>()(byId),
  /** All ids in their new order. */
  'views.order': answers<null>()(z.strictObject({ ids: z.array(id).max(2_000) })),

  'actions.start': answers<ActionView>()(
    z.strictObject({
      /** Made by the screen, so that pressing twice does it once. */
      id: z.uuid(),
      reference,
      request: ActionRequest
    })
  ),
  /** Newest first; of one document, or all that a person should know of. */
  'actions.list': answers<ActionView[]>()(z.strictObject({ reference: reference.optional() })),
  /** Takes back what waits. */
  'actions.cancel': answers<ActionView>()(byId),
  /** Asks the service what became of an uncertain one. */
  'actions.check': answers<ActionView>()(byId),
  /** Does one that was refused or is uncertain once more. */
  'actions.again': answers<ActionView>()(byId),
  /** A person says what became of an uncertain one. */
  'actions.settle': answers<ActionView>()(z.strictObject({ id, happened: z.boolean() })),

  'overview.get': answers<OverviewView>()(nothing),
  /** Newest first: of one document, or of all; those of some kinds alone, and in which all words of `search` occur. */
  'activity.list': answers<{ changes: ActivityEntry[]; total: number }>()(
    z.strictObject({
      reference: reference.optional(),
      kinds: z.array(z.enum(CHANGE_KINDS)).min(1).max(CHANGE_KINDS.length).optional(),
      isOwn: z.boolean().optional(),
      search: z.string().max(200).optional(),
      ...page
    })
  ),
  'activity.away': answers<AwayView>()(nothing),
  /** The person has seen what happened while they were away. */
  'activity.seen': answers<null>()(nothing),
  'notifications.get': answers<NotificationPreferences>()(nothing),
  'notifications.set': answers<NotificationPreferences>()(NotificationPreferences),

  'employers.list': answers<EmployersView>()(z.strictObject({ refresh: z.boolean() })),
  /** Operation 3: saves records that are new or changed. Answers all that the account has. */
  'employers.save': answers<EmployersView>()(z.strictObject({ records: z.array(employerRecord).min(1).max(200) })),
  'forms.known': answers<KnownForm[]>()(nothing),
  /** References of the templates that were sent last from this workstation, newest first. */
  'forms.recentTemplates': answers<string[]>()(nothing),

  'dropFolders.list': answers<DropFolder[]>()(nothing),
  /** Has the person choose a folder of this machine or of the office's server; null where they thought better of it. */
  'dropFolders.add': answers<DropFolder | null>()(nothing),
  'dropFolders.change': answers<DropFolder>()(
    z.strictObject({
      id,
      sends: z.boolean().optional(),
      presetId: id.nullable().optional(),
      paused: z.boolean().optional()
    })
  ),
  'dropFolders.remove': answers<null>()(byId),
  /** What became of files, newest first. */
  'dropFolders.files': answers<{ files: DroppedFile[]; total: number }>()(z.strictObject({ id, ...page })),
  /** Shows a folder, or the report of a file, where the system shows files. */
  'dropFolders.reveal': answers<null>()(byId),
  /** The files that were refused, of all folders of the account, newest first. `dropFolders.changed` tells of more. */
  'dropFolders.refused': answers<RefusedFiles>()(z.strictObject({ ...page })),
  /** Nobody has to look any more at what a folder refused, up to the file `until`. */
  'dropFolders.dismissRefused': answers<null>()(z.strictObject({ folderId: id, until: id })),

  /** Where other software on this machine can hint that something happened (a NotifyUrl call that was passed on). */
  'hints.get': answers<HintView>()(nothing),
  'hints.set': answers<HintView>()(z.strictObject({ listening: z.boolean() }))
}
