/**
 * What ties each entry of the audit trail to the one before it: its hash is the SHA-256 of that one's hash, a line feed and
 * its own text, all in UTF-8. Any tool can follow the chain in what is exported; it is never told otherwise than here.
 */
import { createHash } from 'node:crypto'
import type { AuditEntry } from '../../../shared/contract/index.ts'

/** What stands for the hash before the first entry. */
export const BEFORE_FIRST = '0'.repeat(64)

/**
 * An entry as one line of JSON: its members in this order, null for what it lacks, `detail` in the order of its names. What
 * differs in any member differs here.
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
    sorted(entry.detail)
  ])
}

/** In hexadecimal. @param text see {@link textOf} */
export function hashAfter(previous: string, text: string): string {
  return createHash('sha256').update(`${previous}\n${text}`, 'utf8').digest('hex')
}

/** The same members always in the same order. */
export function sorted(detail: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(detail).sort(([one], [other]) => (one < other ? -1 : 1)))
}
