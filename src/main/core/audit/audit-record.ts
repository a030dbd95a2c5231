/** What parts tell the audit trail. */
import type { AuditEntry } from '../../../shared/contract/index.ts'

export type AuditRecord = Pick<AuditEntry, 'what'> &
  Partial<Pick<AuditEntry, 'session' | 'documentReference' | 'documentName' | 'signerName' | 'detail'>>

/** Writes one entry, with the time, the zone and who of staff it is. What couldn't be written is told, never thrown. */
export type NoteInAudit = (record: AuditRecord) => void
