/** Requests about the audit trail and the receipts made from it. */
import { dayAt } from '../core/lib/calendar.ts'
import { type FileKind, saveAs, TABLE_KINDS } from './dialogs.ts'
import type { Parts } from './parts.ts'
import type { HandlersOf } from './registration.ts'

const KINDS = {
  ...TABLE_KINDS,
  json: { name: 'JSON with hash chain', extensions: ['json'] }
} satisfies Record<string, FileKind>
const CHECKABLE_FILES: FileKind = {
  name: 'Exported audit trail or receipt',
  extensions: ['json', 'csv', 'xlsx', 'signature', 'pdf']
}
const RECEIPT: FileKind = { name: 'Receipt', extensions: ['pdf'] }
const KEY: FileKind = { name: 'Public key', extensions: ['pem'] }

export function auditHandlers({
  audit,
  heads,
  auditExports,
  receipts,
  time,
  chooseFiles,
  chooseSaveFile
}: Pick<
  Parts,
  'audit' | 'heads' | 'auditExports' | 'receipts' | 'time' | 'chooseFiles' | 'chooseSaveFile'
>): HandlersOf<'audit' | 'receipts'> {
  return {
    'audit.list': ({ search, offset, limit }) => audit.list(search, offset, limit),
    async 'audit.check'() {
      const office = heads.findings()
      return { ...(await audit.check()), ...(office.length > 0 && { office }) }
    },
    'audit.checkAtStart': async () => audit.startCheck,
    'audit.export': async ({ format }, { stillAsking }) => {
      const suggested = `Audit trail ${dayAt(time.now(), time.zone())}.${format}`
      const path = await chooseSaveFile('Export the audit trail', suggested, [KINDS[format]], stillAsking)
      return path === undefined ? null : auditExports.write(path, format)
    },
    'audit.checkFile': async (_nothing, { stillAsking }) => {
      const [path] = await chooseFiles('Check a file', [CHECKABLE_FILES], stillAsking, 'one')
      if (path === undefined) return null
      return path.toLowerCase().endsWith('.pdf') ? receipts.check(path) : auditExports.check(path)
    },
    'receipts.people': ({ session }) => receipts.people(session),
    'receipts.print': ({ session, copy, language }) => receipts.print(session, copy, language),
    'receipts.save': async ({ session, copy, language }, { stillAsking }) => {
      const { number, bytes } = await receipts.pdf(session, copy, language)
      const file = { title: 'Save the receipt', suggested: `${number}.pdf`, kind: RECEIPT, bytes }
      const saved = await saveAs({ chooseSaveFile }, file, stillAsking)
      return saved && { ...saved, number }
    },
    'audit.key': async () => ({ fingerprint: (await auditExports.key()).fingerprint }),
    'audit.printKey': () => receipts.printKey(),
    'audit.saveKey': async (_nothing, { stillAsking }) => {
      const path = await chooseSaveFile('Save the public key', 'Countersign audit key.pem', [KEY], stillAsking)
      return path === undefined ? null : auditExports.writeKey(path)
    }
  }
}
