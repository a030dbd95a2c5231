/** Requests about the audit trail. */
import { dayAt } from '../core/lib/calendar.ts'
import { writeWhereChosen } from '../core/storage/chosen-file.ts'
import { type FileKind, TABLE_KINDS } from './dialogs.ts'
import type { Parts } from './parts.ts'
import type { HandlersOf } from './registration.ts'

const KINDS = {
  ...TABLE_KINDS,
  json: { name: 'JSON with hash chain', extensions: ['json'] }
} satisfies Record<string, FileKind>

export function auditHandlers({
  audit,
  time,
  chooseSaveFile
}: Pick<Parts, 'audit' | 'time' | 'chooseSaveFile'>): HandlersOf<'audit'> {
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
