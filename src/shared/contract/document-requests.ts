/** The requests about folders and documents: lists, views, pages, actions, what is told, and what other software hands over. */
import { z } from 'zod'
import { EMPLOYER_FIELDS } from '../model/index.ts'
import type { SavedFile } from './composing-views.ts'
import type {
  AccountRights,
  ActionView,
  AwayView,
  DocumentChange,
  DocumentCounts,
  DocumentList,
  DocumentPage,
  DropFolder,
  DroppedFile,
  EmployersView,
  HintView,
  KnownForm,
  OverviewView,
  SavedView,
  ValidationView
} from './document-views.ts'
import { IDENTITY_FILTERS } from './document-views.ts'
import { answers, byId, id, nothing, page } from './request.ts'
import { SignerCorrection } from './signer-correction.ts'

const reference = z.string().min(1).max(2000)
const byReference = z.strictObject({ reference })
const days = z.number().int().min(0).max(3650)

/** The columns of the list of documents; it can be in the order of each. */
export const DOCUMENT_COLUMNS = [
  'name',
  'package',
  'signers',
  'status',
  'progress',
  'due',
  'lastSigned',
  'folder',
  'matter',
  'reference',
  'clientReference',
  'formReference',
  'identity',
  'changed'
] as const
export type DocumentColumn = (typeof DOCUMENT_COLUMNS)[number]

/** The columns of the list of documents that are shown, in their order, with their widths in CSS pixels. */
export const documentColumns = z
  .array(z.strictObject({ column: z.enum(DOCUMENT_COLUMNS), width: z.int().min(40).max(2000) }))
  .min(1)
  .max(DOCUMENT_COLUMNS.length)
  .refine((columns) => new Set(columns.map(({ column }) => column)).size === columns.length)

export const STATUS_FAMILIES = ['not-started', 'in-progress', 'complete', 'declined', 'expired', 'other'] as const

/** What documents are asked for. Every condition that is there must hold; one that is absent holds always. */
export const DocumentQuery = z.strictObject({
  /** Accounts beside the chosen one, by id; absent: the chosen one alone. */
  accounts: z.array(id).min(1).max(50).optional(),
  /** One folder by its name; absent: all of them. */
  folder: z.string().min(1).max(200).optional(),
  /** Every word must occur in name, signers, e-mails, references or matter number. */
  search: z.string().max(200).default(''),
  families: z.array(z.enum(STATUS_FAMILIES)).max(6).optional(),
  /** So many have signed, of so many. */
  progress: z.strictObject({ signed: z.number().int().min(0), of: z.number().int().min(1) }).optional(),
  /** Not ended, and due from now until the end of the day after so many days. */
  dueWithinDays: days.optional(),
  /** Due on this day of this workstation's zone, `2026-11-21`. */
  dueOn: z.iso.date().optional(),
  /** Not ended, and past its due date. */
  overdue: z.literal(true).optional(),
  /** Not ended, and nothing signed or changed for so many days. */
  stuckForDays: days.optional(),
  /** A part of a signer's name or e-mail. */
  signer: z.string().max(200).optional(),
  /** Somebody can sign it at the counter now. */
  waitingHere: z.literal(true).optional(),
  identity: z.enum(IDENTITY_FILTERS).optional(),
  hasFileUploaded: z.literal(true).optional(),
  unread: z.literal(true).optional(),
  /**
   * Arrived, or became complete, in the week that begins with this Monday, `2026-11-16`; documents that left all folders
   * since are shown, too, so that all of what the overview counts of a week is found.
   */
  week: z.strictObject({ monday: z.iso.date(), what: z.enum(['sent', 'completed']) }).optional(),
  /** Documents that left all folders: only those. Absent: none of those, but for a week's. */
  gone: z.literal(true).optional(),
  sort: z
    .strictObject({ by: z.enum(DOCUMENT_COLUMNS), descending: z.boolean() })
    .default({ by: 'due', descending: false }),
  /** Documents of one package stand together under a line of their own. */
  grouped: z.boolean().default(false)
})
export type DocumentQuery = z.output<typeof DocumentQuery>

export const NOTIFIED_KINDS = [
  'signed',
  'completed',
  'declined',
  'expired',
  'due-tomorrow',
  'identity-failed',
  'waits-here'
] as const
export type NotifiedKind = (typeof NOTIFIED_KINDS)[number]

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/)
/** What a person wants told by the desktop. */
export const NotificationPreferences = z.strictObject({
  /** views: only of documents in a saved view that is told of. */
  kinds: z.record(z.enum(NOTIFIED_KINDS), z.enum(['always', 'views', 'never'])),
  /** Nothing is told from one time of day to another, across midnight where `from` is the later one; told in one when it ends. */
  quiet: z.strictObject({ from: timeOfDay, to: timeOfDay }).nullable(),
  sound: z.boolean()
})
export type NotificationPreferences = z.output<typeof NotificationPreferences>

/** What can be done to a document. */
export const ActionRequest = z.discriminatedUnion('kind', [
  /** Operation 6: the corrected signers of one document, and only those. */
  z.strictObject({ kind: z.literal('correct'), signers: z.array(SignerCorrection).min(1).max(100) }),
  /** Operation 7: for every document of the package. ISO 8601, and its offset in minutes. */
  z.strictObject({
    kind: z.literal('extend'),
    dueDate: z.iso.datetime({ offset: true }),
    gmt: z.number().int().min(-840).max(840)
  }),
  /** Operation 12; `send` invites without tagging. */
  z.strictObject({ kind: z.literal('notary'), notaryReference: z.string().trim().min(1).max(500), send: z.boolean() }),
  /** Where the account can. */
  z.strictObject({
    kind: z.literal('remind'),
    signerReference: z.string().min(1).max(500),
    signerName: z.string().max(500)
  })
])
export type ActionRequest = z.output<typeof ActionRequest>

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
const some = z.union([
  z.strictObject({ documents: z.array(documentKey).min(1).max(10_000) }),
  z.strictObject({ query: DocumentQuery })
])

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
  'documents.markRead': answers<null>()(z.strictObject({ some, read: z.boolean() })),
  /** Writes the rows as CSV where the person says; null where they thought better of it. */
  'documents.export': answers<SavedFile | null>()(
    z.strictObject({ some, columns: z.array(z.enum(DOCUMENT_COLUMNS)).min(1).max(20) })
  ),
  'documents.validate': answers<ValidationView>()(byReference),
  /** Writes the newest result of validating as a file where the person says; null where they thought better of it. */
  'documents.saveValidation': answers<SavedFile | null>()(byReference),
  'documents.openInBrowser': answers<null>()(
    z.strictObject({
      reference,
      page: z.union([z.literal('edit'), z.strictObject({ videoOf: z.number().int().min(0) })])
    })
  ),
  /** The password of a signer's video confirmation, for a person who asked for it. */
  'documents.videoPassword': answers<{ password: string }>()(
    z.strictObject({ reference, signer: z.number().int().min(0) })
  ),

  'views.list': answers<SavedView[]>()(nothing),
  /** Makes a view, or changes the one of that id. */
  'views.save': answers<SavedView>()(
    z.strictObject({ id: id.optional(), name: viewName, query: DocumentQuery, tell: z.boolean() })
  ),
  'views.remove': answers<null>()(byId),
  /** All ids in their new order. */
  'views.order': answers<null>()(z.strictObject({ ids: z.array(id).max(200) })),

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
  'accounts.rights': answers<AccountRights>()(nothing),

  'overview.get': answers<OverviewView>()(nothing),
  'activity.list': answers<{ changes: DocumentChange[]; total: number }>()(
    z.strictObject({ reference: reference.optional(), ...page })
  ),
  'activity.away': answers<AwayView>()(nothing),
  /** The person has seen what happened while they were away. */
  'activity.seen': answers<null>()(nothing),
  'telling.get': answers<NotificationPreferences>()(nothing),
  'telling.set': answers<NotificationPreferences>()(NotificationPreferences),

  'employers.list': answers<EmployersView>()(z.strictObject({ refresh: z.boolean() })),
  /** Operation 3: saves records that are new or changed. Answers all that the account has. */
  'employers.save': answers<EmployersView>()(z.strictObject({ records: z.array(employerRecord).min(1).max(200) })),
  'forms.known': answers<KnownForm[]>()(nothing),

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
  'dropFolders.reveal': answers<null>()(byId),

  /** Where other software on this machine can hint that something happened (a NotifyUrl call that was passed on). */
  'hints.get': answers<HintView>()(nothing),
  'hints.set': answers<HintView>()(z.strictObject({ listening: z.boolean() }))
}
