/** Requests about the audit trail. */
import type { Audit } from '../core/audit/audit.ts'
import { dayAt } from '../core/lib/calendar.ts'
import type { Time } from '../core/lib/time.ts'
import { writeWhereChosen } from '../core/storage/chosen-file.ts'
import { CSV, type Dialogs, type FileKind } from './dialogs.ts'
import type { HandlersOf } from './registration.ts'

export interface AuditParts extends Pick<Dialogs, 'chooseSaveFile'> {
  audit: Pick<Audit, 'list' | 'check' | 'export'>
  time: Pick<Time, 'now' | 'zone'>
}

const KINDS: Record<'csv' | 'json', FileKind> = {
  csv: CSV,
  json: { name: 'Data with the chain', extensions: ['json'] }
}

export function auditHandlers({ audit, time, chooseSaveFile }: AuditParts): HandlersOf<'audit'> {
  return {
    'audit.list': ({ search, offset, limit }) => audit.list(search, offset, limit),
    'audit.check': () => audit.check(),
    'audit.export': async ({ format }, { stillAsking }) => {
      const suggested = `Audit trail ${dayAt(time.now(), time.zone())}.${format}`
      const path = await chooseSaveFile('Export the audit trail', suggested, [KINDS[format]], stillAsking)
      return path === undefined ? null : { label: await writeWhereChosen(path, format, audit.export(format)) }
    }
  }
}
