/** What documents are asked for, and the columns of their list. */
import { z } from 'zod'
import { IDENTITY_FILTERS, STATUS_FAMILIES } from '../model/document-status.ts'
import { id } from './request.ts'

export { IDENTITY_FILTERS, IDENTITY_STATES, type IdentityState, STATUS_FAMILIES } from '../model/document-status.ts'

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

/** What documents are asked for. Every condition that is there must hold; one that is absent holds always. */
export const DocumentQuery = z.strictObject({
  /** Accounts beside the chosen one, by id; absent: the chosen one alone. */
  accounts: z.array(id).min(1).max(50).optional(),
  /** One folder by its name; absent: all of them. */
  folder: z.string().min(1).max(200).optional(),
  /** Every word must occur in name, signers, e-mails, references or matter number. */
  search: z.string().max(200).default(''),
  families: z.array(z.enum(STATUS_FAMILIES)).max(STATUS_FAMILIES.length).optional(),
  /** So many have signed, of so many. */
  progress: z.strictObject({ signed: z.number().int().min(0), of: z.number().int().min(1) }).optional(),
  /** Not ended, and due from now until the end of the day after so many days. */
  dueWithinDays: days.optional(),
  /** Due on this day of this workstation's zone, `2026-11-21`. */
  dueOn: z.iso.date().optional(),
  /** Not ended, as far as anyone can say, and past its due date. */
  overdue: z.literal(true).optional(),
  /** Not ended, and nothing signed or changed for so many days. */
  stuckForDays: days.optional(),
  /** A part of a signer's name or e-mail. */
  signer: z.string().max(200).optional(),
  /** Someone can sign it at the counter now. */
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
