/** Whom it concerns that a file couldn't be had: this file alone, or all that would go the same way. */
import type { AppError, ErrorCode } from '../../../shared/contract/index.ts'
import { type Finding, isServiceError } from '../service/errors.ts'
import { queryTroubleOf } from '../storage/database-fault.ts'
import { fileErrorOf } from '../storage/file-error.ts'

/**
 * line: nobody answers, or asks us to wait: the account's files wait. attempt: this one broke, and may go well the next time.
 * account: none of the account's would be answered otherwise until a person does something. folder: nothing can be kept
 * there just now. final: it is so, and stays so.
 */
export type Trouble = 'line' | 'attempt' | 'account' | 'folder' | 'final'

/** @param said how the thrown error is told. */
export function troubleOf(thrown: unknown, said: AppError): Trouble {
  const file = fileErrorOf(thrown)
  if (file) return OF_ITS_OWN_NAME.has(file.code) ? 'final' : 'folder'
  if (queryTroubleOf(thrown)) return 'folder'
  if (isServiceError(thrown) && thrown.finding && NOT_THE_SERVICE.has(thrown.finding)) return 'line'
  return KINDS[said.code] ?? 'final'
}

/** What a network's sign-in or another program says in place of the service: all that follows would meet it. */
const NOT_THE_SERVICE: ReadonlySet<Finding> = new Set(['sign-in-page', 'not-http'])

/** What is wrong with a file's place, however often it is tried. */
const OF_ITS_OWN_NAME: ReadonlySet<string> = new Set(['exists', 'outside', 'too-deep'])

const KINDS: Partial<Record<ErrorCode, Trouble>> = {
  offline: 'line',
  dns: 'line',
  refused: 'line',
  tls: 'line',
  'rate-limited': 'line',
  timeout: 'attempt',
  server: 'attempt',
  incomplete: 'attempt',
  // As the outbox does: an address or a key that is wrong is wrong for all that would follow.
  unauthorised: 'account',
  'payment-required': 'account',
  quota: 'account',
  'unsafe-address': 'account',
  keychain: 'account',
  'no-space': 'folder',
  'not-writable': 'folder'
}
