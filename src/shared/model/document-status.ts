/** The meaning of a document's status: reference sections 2.14 and 3. */

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
 * The groups that people distinguish: not started, in progress, signed but not declared complete, complete, or ended
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
  /** From `# of # Signed`: how many of how many have signed. */
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
 * Returns whether signatures are still expected; undefined if unknown: the document has no status, and not all of its
 * signers are known to have signed.
 */
export function isOpen(
  { family, raw }: Pick<DocumentStatus, 'family' | 'raw'>,
  signers: readonly { state: string }[] = []
): boolean | undefined {
  if (ENDED.has(family)) return false
  if (family !== 'other' || raw) return true
  // A waiting signer proves nothing: the document may have expired, or another signer may have declined.
  return signers.length > 0 && signers.every(({ state }) => state === 'signed') ? false : undefined
}

/** Parses a status; an unknown one gets the family `other` and keeps its text. */
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
 * Summary of a document's identity checks: the worst among its signers. `asked`: no result is known. `partly`: some
 * have passed, and the service says nothing about the others. `other`: unknown words, which are shown unchanged.
 */
export const IDENTITY_STATES = ['none', 'asked', 'partly', 'passed', 'failed', 'other', 'unknown'] as const
export type IdentityState = (typeof IDENTITY_STATES)[number]

/** Filters for documents; `any` matches all for which an identity check was requested. */
export const IDENTITY_FILTERS = ['any', 'asked', 'partly', 'passed', 'failed', 'other'] as const
