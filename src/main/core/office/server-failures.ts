/**
 * What a failure to reach or join the office's server means: the state that the screens show of a membership, and the
 * words for someone who joins.
 */
import type { OfficeMembershipState } from '../../../shared/contract/index.ts'
import { AppFailure, codeOf } from '../lib/failure.ts'
import { KeychainError } from '../storage/keychain.ts'
import { isUnwritable } from './ask-office.ts'
import { KEY_ROTATED, KeyRotated, WrongKey } from './keys.ts'

/** PostgreSQL's code for too many connections. */
const TOO_MANY_CONNECTIONS = '53300'
/** PostgreSQL's codes for a failed sign-in and for missing rights. */
const ACCESS_DENIED: ReadonlySet<string> = new Set(['28P01', '28000', '42501'])

/** This workstation's keychain lacks the credentials for the office that its database names. */
export class ForeignCredentials extends Error {}

/** What an error says of the server's state. */
export function stateAfter(error: unknown): OfficeMembershipState {
  if (error instanceof WrongKey) return 'wrong-key'
  // The new key is taken on the next connection.
  if (error instanceof KeyRotated || codeOf(error) === KEY_ROTATED) return 'connecting'
  if (error instanceof ForeignCredentials) return 'elsewhere'
  if (error instanceof KeychainError) return 'no-keychain'
  if (isTls(error)) return 'untrusted'
  if (isPooled(error)) return 'pooled'
  if (isUnwritable(error)) return 'unwritable'
  if (codeOf(error) === TOO_MANY_CONNECTIONS) return 'crowded'
  return ACCESS_DENIED.has(codeOf(error)) ? 'refused' : 'away'
}

/** Why a workstation couldn't join, in words. */
export function joiningFailure(error: unknown): AppFailure {
  const code = codeOf(error)
  if (error instanceof Error && error.name === 'OtherOffice') {
    return new AppFailure({
      code: 'conflict',
      message: 'This join code is for another office, and this workstation already belongs to one.',
      next: 'Leave that one first, or ask its administrator for a code. This code can still be used.'
    })
  }
  if (ACCESS_DENIED.has(code) || code === '3D000') {
    return new AppFailure({
      code: 'invalid',
      message: 'The office’s server doesn’t accept this join code.',
      next: 'Check the code and the database. A code works once, for ten minutes: if it was used or is older, ask your administrator for a new one.'
    })
  }
  if (isTls(error)) {
    return new AppFailure({
      code: 'tls',
      message: 'The certificate of the office’s server isn’t trusted.',
      next: 'Choose the certificate of the authority that issued it, or ask your administrator.'
    })
  }
  if (isPooled(error)) {
    return new AppFailure({
      code: 'invalid',
      message: 'This address belongs to a connection pooler, which doesn’t pass on notifications between workstations.',
      next: 'Ask your administrator for the database server’s own address and port. The join code can still be used.'
    })
  }
  if (isUnwritable(error) || codeOf(error) === TOO_MANY_CONNECTIONS) {
    return new AppFailure({
      code: 'offline',
      message: 'The office’s server is answering, but can’t add a workstation just now.',
      next: 'Tell your administrator that it may be read-only, its disk full, or all its connections in use. The join code can still be used.'
    })
  }
  return new AppFailure({
    code: 'offline',
    message: 'The office’s server can’t be reached.',
    next: 'Check the server’s name and port, and this computer’s network.'
  })
}

/** Checks the name, because the class's module isn't loaded until a connection is made. */
const isPooled = (error: unknown) => error instanceof Error && error.name === 'Pooled'

function isTls(error: unknown): boolean {
  return (
    /CERT|SSL|TLS|SELF_SIGNED|ISSUER/.test(codeOf(error)) ||
    /does not support SSL/.test(error instanceof Error ? error.message : '')
  )
}
