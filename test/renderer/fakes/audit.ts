/** The made-up office's audit trail: entries set by the test, newest first, searchable by any word. */
import type { AuditEntry } from '../../../src/shared/contract/views.ts'
import { Failure, type FakeOffice, type HandlersOf, pageOf } from './office.ts'

/** Returns an entry, with `change` applied. */
export function auditEntryOf(change: Partial<AuditEntry> = {}): AuditEntry {
  return {
    seq: 1,
    at: Date.UTC(2025, 10, 26, 10, 42),
    zone: 'Pacific/Auckland',
    staff: 'Grace Okafor',
    what: 'session-started',
    session: 'session-1',
    documentReference: 'doc-0',
    documentName: 'Tenancy agreement Parata',
    signerName: 'Mere Parata',
    detail: {},
    ...change
  }
}

export function fakeAudit(office: FakeOffice): HandlersOf<'audit' | 'receipts'> {
  const { state } = office
  return {
    'audit.list': ({ search, ...page }) => {
      const words = search.toLowerCase().split(/\s+/).filter(Boolean)
      const fitting = state.audit
        .filter((entry) => {
          const text = Object.values({ ...entry, detail: Object.values(entry.detail).join(' ') })
            .join(' ')
            .toLowerCase()
          return words.every((word) => text.includes(word))
        })
        .sort((one, two) => two.seq - one.seq)
      return { entries: pageOf(fitting, page), total: fitting.length }
    },
    'audit.check': () => ({ isWhole: true, entries: state.audit.length, isCutOff: false, ...state.auditCheck }),
    'audit.checkAtStart': () => state.auditAtStart,
    'audit.checkFile': () => state.auditFile,
    'audit.key': () => ({
      fingerprint: '3F2A 91C4 0B7E D85A 6610 7C9F E423 AB18 55D0 2E6B F9A7 1384 C05D 77E2 4A9B 60F1'
    }),
    'audit.printKey': () => null as never,
    'audit.saveKey': () => ({ label: 'Countersign audit key.pem' }),
    'receipts.people': () => {
      if (state.receiptError) throw new Failure(state.receiptError.code, state.receiptError)
      const people = [{ name: 'Mere Parata', language: 'mi' as const }, { name: 'Tama Parata' }]
      return { people, languages: state.counterSettings.languages }
    },
    'receipts.print': () => ({ number: 'R-2025-000123-3F2A' }),
    'receipts.save': () => ({ label: 'R-2025-000123-3F2A.pdf', number: 'R-2025-000123-3F2A' }),
    'audit.export': ({ format }) => ({ label: `Audit trail.${format}` }) as never
  }
}
