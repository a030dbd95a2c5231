/**
 * The made-up office's support tools: requests set by the test, a computer that has everything it needs, and a report.
 */
import type { RequestLogEntry, SelfTestFinding } from '../../../src/shared/contract/support.ts'
import { Failure, type FakeOffice, type HandlersOf, pageOf } from './office.ts'

/** Returns this many requests, newest first. */
export function requestsOf(count: number, now: number): RequestLogEntry[] {
  const kinds: Partial<RequestLogEntry>[] = [
    { operation: 'Document/GetActiveDocuments', status: 200, bytes: 48_211, milliseconds: 212 },
    { operation: 'Document/GetActiveDocuments', status: 200, bytes: 1_204_118, milliseconds: 1480 },
    { operation: 'FormDirect/SendForms2', method: 'POST', status: 200, bytes: 812, milliseconds: 640 },
    { operation: 'Account/Info', status: 401, bytes: 96, milliseconds: 44 },
    { operation: 'Download/IDVerification', failed: 'timeout', milliseconds: 60_000 }
  ]
  return Array.from({ length: count }, (_, index) => ({
    id: String(count - index),
    at: now - index * 61_000,
    accountId: 'practice',
    method: 'GET' as const,
    operation: '',
    milliseconds: 0,
    bytes: 0,
    ...kinds[index % kinds.length]
  }))
}

const wellFound: SelfTestFinding[] = [
  { what: 'service', accountId: 'practice', state: 'ok', code: 'online', found: 'The service answers.' },
  {
    what: 'clock',
    accountId: 'practice',
    state: 'warn',
    code: '240 s',
    found: 'This computer’s clock is 4 minutes ahead of the service’s.',
    next: 'Turn on automatic time in the system’s settings.'
  },
  { what: 'keychain', state: 'ok', code: 'available', found: 'The keychain works.' },
  { what: 'disk', state: 'ok', code: '118.4 GB', found: '118.4 GB free where Countersign keeps its data.' },
  {
    what: 'printers',
    state: 'note',
    code: '0',
    found: 'No printer is set up.',
    next: 'Add one in the system’s settings to print receipts and documents.'
  }
]

export function fakeSupport({ state, newId }: FakeOffice): HandlersOf<'support'> {
  let report = ''
  return {
    'support.requests': (page) => ({ requests: pageOf(state.requests, page), total: state.requests.length }),
    'support.exportRequests': () => ({ label: 'Countersign requests.csv' }),
    'support.check': () => wellFound,
    'support.report': () => {
      report = newId('report')
      const text = 'Countersign 0.1.0\nSystem: Linux 6.8.0 x64\nKeychain: available\nAccounts: 1\n'
      return {
        id: report,
        files: [
          { name: 'summary.txt', text },
          { name: 'this computer.txt', text: 'keychain: ok (available)\n' },
          { name: 'log.txt', text: '' }
        ]
      }
    },
    'support.saveReport': ({ id }) => {
      if (id !== report) throw new Failure('gone')
      return { label: 'Countersign report.zip' }
    },
    'support.crashReports': () => state.crashReports,
    'support.keepCrashReports': ({ keep }) => {
      state.crashReports = { isKept: keep, reports: keep ? state.crashReports.reports : [] }
      return state.crashReports
    },
    'support.removeCrashReports': () => {
      state.crashReports = { ...state.crashReports, reports: [] }
      return state.crashReports
    }
  }
}
