/**
 * What each error code means for trying again: for queues, for polling, and for the words about what waits. Each code is
 * decided here, once. A place that needs another answer says so, with the reason.
 */
import type { ErrorCode } from './errors.ts'

export interface ErrorTraits {
  /**
   * Where it failed. service: the service itself answered. on-the-way: it didn't, or something else answered in its
   * place. here: on this computer, which says nothing of the service.
   */
  failed: 'service' | 'on-the-way' | 'here'
  /**
   * What would fail in the same way. request: only this request, or its document. account: everything that the account
   * requests. network: everything that uses the connection to the service. keychain: everything that needs the
   * account's secret. disk: everything that is stored in the same place. here: what Countersign was asked to do.
   */
  concerns: 'request' | 'account' | 'network' | 'keychain' | 'disk' | 'here'
  /** Whether it may pass by itself. If not, a person has to do something before it is worth asking again. */
  passes: boolean
}

const ERROR_TRAITS = {
  offline: { failed: 'on-the-way', concerns: 'network', passes: true },
  dns: { failed: 'on-the-way', concerns: 'network', passes: true },
  refused: { failed: 'on-the-way', concerns: 'network', passes: true },
  timeout: { failed: 'on-the-way', concerns: 'network', passes: true },
  // This computer's date is wrong, or the certificate isn't trusted.
  tls: { failed: 'on-the-way', concerns: 'network', passes: false },
  // Usually a network's sign-in page.
  'not-json': { failed: 'on-the-way', concerns: 'network', passes: false },
  // The account's address leads elsewhere.
  'unsafe-address': { failed: 'on-the-way', concerns: 'account', passes: false },

  unauthorised: { failed: 'service', concerns: 'account', passes: false },
  'payment-required': { failed: 'service', concerns: 'account', passes: false },
  quota: { failed: 'service', concerns: 'account', passes: false },
  'rate-limited': { failed: 'service', concerns: 'account', passes: true },
  server: { failed: 'service', concerns: 'request', passes: true },
  incomplete: { failed: 'service', concerns: 'request', passes: true },
  forbidden: { failed: 'service', concerns: 'request', passes: false },
  'not-found': { failed: 'service', concerns: 'request', passes: false },
  conflict: { failed: 'service', concerns: 'request', passes: false },
  invalid: { failed: 'service', concerns: 'request', passes: false },
  'too-large': { failed: 'service', concerns: 'request', passes: false },
  'unexpected-shape': { failed: 'service', concerns: 'request', passes: false },
  'no-data': { failed: 'service', concerns: 'request', passes: false },
  'error-answer': { failed: 'service', concerns: 'request', passes: false },
  'not-a-pdf': { failed: 'service', concerns: 'request', passes: false },

  // Asking again may show the keychain's prompt each time.
  keychain: { failed: 'here', concerns: 'keychain', passes: false },
  storage: { failed: 'here', concerns: 'disk', passes: true },
  'no-space': { failed: 'here', concerns: 'disk', passes: false },
  'not-writable': { failed: 'here', concerns: 'disk', passes: false },

  cancelled: { failed: 'here', concerns: 'here', passes: false },
  'bad-input': { failed: 'here', concerns: 'here', passes: false },
  'not-allowed': { failed: 'here', concerns: 'here', passes: false },
  gone: { failed: 'here', concerns: 'here', passes: false },
  'no-account': { failed: 'here', concerns: 'here', passes: false },
  'bad-file': { failed: 'here', concerns: 'here', passes: false },
  'not-signable': { failed: 'here', concerns: 'here', passes: false },
  busy: { failed: 'here', concerns: 'here', passes: true },
  'wrong-pin': { failed: 'here', concerns: 'here', passes: false },
  'pin-wait': { failed: 'here', concerns: 'here', passes: true },
  'pin-once': { failed: 'here', concerns: 'here', passes: false },
  'no-pin': { failed: 'here', concerns: 'here', passes: false },
  internal: { failed: 'here', concerns: 'here', passes: false }
} as const satisfies Record<ErrorCode, ErrorTraits>

/** Returns what an error's code means. A code that another version stored counts as internal. */
export function traitsOf({ code }: { code: ErrorCode }): ErrorTraits {
  return ERROR_TRAITS[code] ?? ERROR_TRAITS.internal
}
