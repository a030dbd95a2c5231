/** How long data is kept on this computer, and documents on hold, which aren't purged. */
import { z } from 'zod'
import { someDocuments } from './document-requests.ts'
import type { HoldView } from './document-views.ts'
import { answers, noInput, page } from './request.ts'

/** What is purged by age. */
export const RETENTION_KINDS = [
  'documents',
  'trash',
  'sends',
  'downloads',
  'identityFiles',
  'identityNumbers',
  'verifications',
  'people'
] as const
export type RetentionKind = (typeof RETENTION_KINDS)[number]

/** The fewest days that can be set. Recent sends are needed to recognise duplicates. */
const MIN_DAYS_KEPT: Readonly<Record<RetentionKind, number>> = {
  documents: 30,
  trash: 10,
  sends: 60,
  downloads: 30,
  identityFiles: 7,
  identityNumbers: 7,
  verifications: 30,
  people: 30
}

const days = (name: keyof typeof MIN_DAYS_KEPT) => z.int().min(MIN_DAYS_KEPT[name]).max(3650)

/** Days; null for always. `trash` can't be null: its default is 30 days. */
export const retentionDays = {
  documents: days('documents').nullable().describe('Days after a document left the service’s folders.'),
  trash: days('trash').describe('Days that deleted drafts stay in the trash.'),
  sends: days('sends').nullable().describe('Days after a package was sent, or its sending was cancelled.'),
  downloads: days('downloads')
    .nullable()
    .describe('Days that the list of downloads is kept. Files stay where they are.'),
  identityFiles: days('identityFiles')
    .nullable()
    .describe('Days that files of identity data stay on the disk, unless someone has changed or moved them.'),
  identityNumbers: days('identityNumbers')
    .nullable()
    .describe('Days that numbers of passports and identity cards are kept, if a policy has them recorded.'),
  verifications: days('verifications').nullable().describe('Days that saved verifications of signatures are kept.'),
  people: days('people').nullable().describe('Days that people and values are suggested after their last use.')
}
const retentionSchema = z.strictObject(retentionDays)
export type RetentionDays = z.output<typeof retentionSchema>

export interface RetentionView {
  /** The effective values, set by the office or its policy. */
  days: RetentionDays
  holds: number
  /** The last purge, and how many of each kind it removed. */
  last?: { at: number; counts: Partial<Record<RetentionKind, number>> }
}

/** How many days ahead upcoming deletions are announced. */
export const DUE_DAYS = 7

/** How many of each kind will be erased within {@link DUE_DAYS}; absent if a kind is never erased. */
export interface RetentionDue {
  counts: Partial<Record<RetentionKind, number>>
}

export const retentionRequests = {
  'retention.get': answers<RetentionView>()(noInput),
  'retention.due': answers<RetentionDue>()(
    z.strictObject({ kinds: z.array(z.enum(RETENTION_KINDS)).max(RETENTION_KINDS.length) })
  ),
  /** `not-allowed` until an administrator has unlocked the settings, if there is a staff PIN. */
  'retention.set': answers<RetentionView>()(retentionSchema.partial()),
  /** Newest first. */
  'retention.holds': answers<{ holds: HoldView[]; total: number }>()(z.strictObject(page)),
  /** Returns how many documents were newly put on hold. */
  'retention.hold': answers<{ held: number }>()(
    z.strictObject({ some: someDocuments, reason: z.string().trim().min(1).max(500) })
  ),
  'retention.release': answers<{ released: number }>()(z.strictObject({ some: someDocuments }))
}
