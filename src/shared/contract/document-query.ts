/** Queries for documents, and the columns of their list. */
import { z } from 'zod'
import { IDENTITY_FILTERS, STATUS_FAMILIES } from '../model/document-status.ts'
import { id } from './request.ts'

export { IDENTITY_FILTERS, IDENTITY_STATES, type IdentityState, STATUS_FAMILIES } from '../model/document-status.ts'

const days = z.number().int().min(0).max(3650)

/** The columns of the document list; each can be sorted by. */
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

/** The visible columns of the document list in order, with their widths in CSS pixels. */
export const documentColumns = z
  .array(z.strictObject({ column: z.enum(DOCUMENT_COLUMNS), width: z.int().min(40).max(2000) }))
  .min(1)
  .max(DOCUMENT_COLUMNS.length)
  .refine((columns) => new Set(columns.map(({ column }) => column)).size === columns.length)

/** A query for documents. All conditions given must hold. */
export const DocumentQuery = z.strictObject({
  /** Additional accounts, by id; absent: the current one only. */
  accounts: z.array(id).min(1).max(50).optional(),
  /** One folder, by name; absent: all folders. */
  folder: z.string().min(1).max(200).optional(),
  /** Each word must occur in the name, signers, e-mails, references or matter number. */
  search: z.string().max(200).default(''),
  families: z.array(z.enum(STATUS_FAMILIES)).max(STATUS_FAMILIES.length).optional(),
  /** How many have signed, of how many. */
  progress: z.strictObject({ signed: z.number().int().min(0), of: z.number().int().min(1) }).optional(),
  /** Not ended, and due between now and the end of the day this many days ahead. */
  dueWithinDays: days.optional(),
  /** Not ended, and due on this day in this workstation's time zone, `2026-11-21`. */
  dueOn: z.iso.date().optional(),
  /** Not ended, as far as known, and past its due date. */
  overdue: z.literal(true).optional(),
  /** Not ended, with nothing signed or changed for this many days. */
  stuckForDays: days.optional(),
  /** Part of a signer's name or e-mail. */
  signer: z.string().max(200).optional(),
  /** Someone can sign it at the counter now. */
  waitingHere: z.literal(true).optional(),
  identity: z.enum(IDENTITY_FILTERS).optional(),
  hasFileUploaded: z.literal(true).optional(),
  unread: z.literal(true).optional(),
  /**
   * Arrived or completed in the week beginning on this Monday, `2026-11-16`. Includes documents that have since
   * disappeared from all folders, so that the result matches the overview's counts for the week.
   */
  week: z.strictObject({ monday: z.iso.date(), what: z.enum(['sent', 'completed']) }).optional(),
  /** Only documents that have disappeared from all folders. Absent: none of those, except with `week`. */
  gone: z.literal(true).optional(),
  sort: z
    .strictObject({ by: z.enum(DOCUMENT_COLUMNS), descending: z.boolean() })
    .default({ by: 'due', descending: false }),
  /** Lists the documents of a package together, under a row of their own. */
  grouped: z.boolean().default(false)
})
export type DocumentQuery = z.output<typeof DocumentQuery>
