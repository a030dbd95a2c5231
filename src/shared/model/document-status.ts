/** What a document's status says: reference sections 2.14 and 3. */

/** Section 3, Document Status, without the pattern `# of # Signed`. */
export const DOCUMENT_STATUSES = [
  'Complete',
  'Declined',
  'Expired',
  'Rejected',
  'Signed',
  'Filling',
  'Filling Form',
  'InProgress',
  'Signing',
  'NotStart'
] as const

/**
 * The families that people tell apart: nothing yet, someone at it, signed though not said to be complete, done, or ended
 * without being signed.
 */
export const STATUS_FAMILIES = [
  'not-started',
  'in-progress',
  'signed',
  'complete',
  'declined',
  'expired',
  'other'
] as const
export type StatusFamily = (typeof STATUS_FAMILIES)[number]

export interface DocumentStatus {
  /** As the service spelled it. */
  raw: string
  family: StatusFamily
  /** From `# of # Signed`: how many have signed, of how many. */
  signed?: number
  of?: number
}

const FAMILIES = new Map<string, StatusFamily>([
  ['complete', 'complete'],
  ['signed', 'signed'],
  ['declined', 'declined'],
  ['rejected', 'declined'],
  ['expired', 'expired'],
  ['filling', 'in-progress'],
  ['fillingform', 'in-progress'],
  ['inprogress', 'in-progress'],
  ['signing', 'in-progress'],
  ['notstart', 'not-started']
])

const ENDED = new Set<StatusFamily>(['signed', 'complete', 'declined', 'expired'])

/**
 * Whether anyone still waits for a document; undefined if nobody can say: its status isn't told, and not all of its
 * signers are known to have signed.
 */
export function isOpen(
  { family, raw }: Pick<DocumentStatus, 'family' | 'raw'>,
  signers: readonly { state: string }[] = []
): boolean | undefined {
  if (ENDED.has(family)) return false
  if (family !== 'other' || raw) return true
  // One who waits may wait in vain: it may have expired, or have been declined by another.
  return signers.length > 0 && signers.every(({ state }) => state === 'signed') ? false : undefined
}

/** Reads a status; one that isn't known is of the family `other` and keeps its words. */
export function readDocumentStatus(raw: string | undefined): DocumentStatus {
  const spelled = (raw ?? '').trim()
  const counted = /^(\d{1,9})\s+of\s+(\d{1,9})\s+signed$/i.exec(spelled)
  if (counted) {
    const signed = Number(counted[1])
    const of = Number(counted[2])
    const family = of > 0 && signed >= of ? 'signed' : 'in-progress'
    return { raw: spelled, family, signed, of }
  }
  return { raw: spelled, family: FAMILIES.get(spelled.replace(/\s/g, '').toLowerCase()) ?? 'other' }
}

/**
 * What is known of a document's identity checks, in one word: the worst of its signers. `asked` while nothing is known
 * of the result; `partly` where some have passed and the service says nothing of the others; `other` for words that we don't
 * know, which are shown as they came.
 */
export const IDENTITY_STATES = ['none', 'asked', 'partly', 'passed', 'failed', 'other', 'unknown'] as const
export type IdentityState = (typeof IDENTITY_STATES)[number]

/** What documents can be found by: `any` are all of which an identity check was asked for. */
export const IDENTITY_FILTERS = ['any', 'asked', 'partly', 'passed', 'failed', 'other'] as const
