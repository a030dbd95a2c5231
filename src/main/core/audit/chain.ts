/**
 * Chains the audit trail's entries: an entry's hash is the SHA-256 of the previous hash, a line feed and its own text,
 * in UTF-8. Any tool can verify the chain in an export; this is the only definition.
 */
import { createHash } from 'node:crypto'
import type { AuditEntry } from '../../../shared/contract/index.ts'

/** The previous hash of the first entry. */
export const BEFORE_FIRST = '0'.repeat(64)

/**
 * Returns an entry as one line of JSON: its members in this order, null if missing, `detail` sorted by name. Any
 * difference in a member changes it.
 */
export function textOf(entry: AuditEntry): string {
  return JSON.stringify([
    entry.seq,
    entry.at,
    entry.zone,
    entry.staff,
    entry.what,
    entry.session ?? null,
    entry.documentReference ?? null,
    entry.documentName ?? null,
    entry.signerName ?? null,
    sortedByName(entry.detail)
  ])
}

/** Returns the hash in hexadecimal. @param text see {@link textOf} */
export function hashAfter(previous: string, text: string): string {
  return createHash('sha256').update(`${previous}\n${text}`, 'utf8').digest('hex')
}

export function sortedByName(detail: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(detail).sort(([one], [other]) => (one < other ? -1 : 1)))
}
