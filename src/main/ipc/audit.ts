/** Requests about the audit trail. */
import { dayAt } from '../core/lib/calendar.ts'
import { type FileKind, TABLE_KINDS } from './dialogs.ts'
import type { Parts } from './parts.ts'
import type { HandlersOf } from './registration.ts'

const KINDS = {
  ...TABLE_KINDS,
  json: { name: 'JSON with hash chain', extensions: ['json'] }
} satisfies Record<string, FileKind>
const EXPORTS: FileKind = { name: 'Exported audit trail', extensions: ['json', 'csv', 'xlsx', 'signature'] }
const KEY: FileKind = { name: 'Public key', extensions: ['pem'] }

export function auditHandlers({
  audit,
  auditExports,
  time,
  chooseFiles,
  chooseSaveFile
}: Pick<Parts, 'audit' | 'auditExports' | 'time' | 'chooseFiles' | 'chooseSaveFile'>): HandlersOf<'audit'> {
  return {
    'audit.list': ({ search, offset, limit }) => audit.list(search, offset, limit),
    'audit.check': () => audit.check(),
    'audit.checkAtStart': async () => audit.checkedAtStart,
    'audit.export': async ({ format }, { stillAsking }) => {
      const suggested = `Audit trail ${dayAt(time.now(), time.zone())}.${format}`
      const path = await chooseSaveFile('Export the audit trail', suggested, [KINDS[format]], stillAsking)
      return path === undefined ? null : auditExports.write(path, format)
    },
    'audit.checkFile': async (_nothing, { stillAsking }) => {
      const [path] = await chooseFiles('Check an exported audit trail', [EXPORTS], stillAsking, 'one')
      return path === undefined ? null : auditExports.check(path)
    },
    'audit.key': async () => ({ fingerprint: (await auditExports.key()).fingerprint }),
    'audit.saveKey': async (_nothing, { stillAsking }) => {
      const path = await chooseSaveFile('Save the public key', 'Countersign audit key.pem', [KEY], stillAsking)
      return path === undefined ? null : auditExports.writeKey(path)
    }
  }
}
