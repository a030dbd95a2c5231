/**
 * What can go wrong between us and the signing service: a closed set of codes. Every error knows whether its request
 * may have reached the service, which decides whether a send is refused (try again) or uncertain (reconcile first).
 */

import { type FieldMessage, serviceErrorCodes } from '../../../shared/contract/errors.ts'
import type { DownloadType } from '../../../shared/contract/views.ts'

/** The contract's codes, and four more that the client distinguishes; `core/errors` maps those for the screens. */
export const SERVICE_ERROR_CODES = [
  ...serviceErrorCodes,
  /** The connection broke during the call. */
  'interrupted',
  /** The service redirects us: to another origin, in a loop, or a POST. */
  'redirected',
  /** A download that isn't the PDF it should be. */
  'not-a-pdf',
  /** New tokens can't be stored on this computer. */
  'keychain'
] as const
export type ServiceErrorCode = (typeof SERVICE_ERROR_CODES)[number]

/** What came in place of a requested PDF or identity records, from operation 9 or a signed document's address. */
export const FINDINGS = [
  /** An empty answer, or one that says that there is nothing. */
  'nothing',
  /** An error with status 200. */
  'error',
  /** A network's sign-in page, shown before it lets anything through. */
  'sign-in-page',
  /** The answer isn't HTTP. */
  'not-http',
  /** The PDF in place of the records, or vice versa. */
  'other-form',
  /** Anything else, or in an unreadable format. */
  'something-else',
  /** The right file, but incomplete or damaged. */
  'not-whole',
  /** The transfer started, but timed out. */
  'too-slow',
  /** Signed documents only: the service gives no address. */
  'no-address',
  /** The address is one we never fetch from: a private network, another protocol, or one that redirects. */
  'elsewhere',
  /** The address's origin isn't among those that a person has opened a signed document from. */
  'another-place',
  /** The address is on another host, which doesn't respond now. */
  'place-away',
  /** The address requires a sign-in. */
  'not-let-in',
  /** The address answers that there is nothing, or nothing any more. */
  'expired',
  /** A web page for people. */
  'page'
] as const
export type Finding = (typeof FINDINGS)[number]

/**
 * What went wrong with an OAuth 2 sign-in.
 * - over: the service no longer accepts the account's sign-in.
 * - denied: the person or the service declined.
 * - secret: the client's ID or secret was rejected.
 * - scope: the scope isn't granted.
 * - client: one of those two.
 * - elsewhere: the service redirects to another origin.
 * - not-found: there is no such service.
 * - answer: the answer contained no tokens.
 * - away: the service can't be reached.
 */
export type SignInTrouble =
  | 'over'
  | 'denied'
  | 'secret'
  | 'scope'
  | 'client'
  | 'elsewhere'
  | 'not-found'
  | 'answer'
  | 'away'

/** A problem with one field: its path (`Forms[0].Signers[1].Email`) and the reason. */
export type FieldProblem = FieldMessage

/** Details of a certificate that isn't trusted. */
export interface Certificate {
  /** Owner and issuer: names that the server chose; empty if there are none. */
  subject: string
  issuer: string
  /** Milliseconds since 1970 UTC. */
  validFrom: number
  validTo: number
}

export interface ServiceErrorDetails {
  code: ServiceErrorCode
  /** The operation as the reference names it (`FormDirect/SendForms2`). */
  operation: string
  /**
   * Whether the service may have received the request and acted on it. False only if it certainly didn't: nothing was
   * sent, or the service refused.
   */
  mayHaveArrived: boolean
  /** HTTP status, if there was a response. */
  status?: number | undefined
  /** Problems with single fields; for `invalid`. */
  fields?: FieldProblem[] | undefined
  /** Path of the offending member in the answer; for `unexpected-shape`. */
  path?: string | undefined
  /**
   * How far this computer's clock is ahead of the service's, in milliseconds; absent if the service didn't send its
   * time.
   */
  clockAheadMs?: number | undefined
  /** How long the service asks us to wait, in milliseconds. */
  retryAfterMs?: number | undefined
  /**
   * The service's own words: one bounded line, without stack trace, for people's eyes only. It is text from outside:
   * never markup, and never logged, as it may repeat what was sent.
   */
  serviceMessage?: string | undefined
  /** The network's own code (`ECONNREFUSED`, `ERR_CERT_DATE_INVALID`), for support. */
  reason?: string | undefined
  /** Details of the server's certificate if it isn't trusted. Text from outside. */
  certificate?: Certificate | undefined
  /** Whether the service says that the token has expired. */
  isTokenExpired?: boolean | undefined
  /** The kind of file, if one was asked for. */
  asked?: DownloadType | undefined
  /** What came in place of the file. */
  finding?: Finding | undefined
  /** Set if the sign-in service failed, before the signing service was called. */
  signIn?: SignInTrouble | undefined
  /** Origin of a refused redirect, so that an account's address can be corrected. */
  movedTo?: string | undefined
}

/** The only error that the service client throws. Its `message` contains no secret and nothing personal. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  declare readonly code: ServiceErrorCode
  declare readonly operation: string
  declare readonly mayHaveArrived: boolean
  declare readonly status: number | undefined
  declare readonly fields: FieldProblem[] | undefined
  declare readonly path: string | undefined
  declare readonly clockAheadMs: number | undefined
  declare readonly retryAfterMs: number | undefined
  declare readonly serviceMessage: string | undefined
  declare readonly reason: string | undefined
  declare readonly certificate: Certificate | undefined
  declare readonly isTokenExpired: boolean | undefined
  declare readonly movedTo: string | undefined
  declare readonly signIn: SignInTrouble | undefined
  declare readonly asked: DownloadType | undefined
  declare readonly finding: Finding | undefined

  constructor(details: ServiceErrorDetails) {
    super(summary(details))
    Object.assign(this, details)
  }
}

export function isServiceError(error: unknown): error is ServiceError {
  return error instanceof ServiceError
}

/** Only codes and paths: a field's message or the service's own words could put personal data into a log. */
function summary(details: ServiceErrorDetails): string {
  const notes = [details.status, details.reason, details.path, details.finding].filter(
    (note) => note !== undefined && note !== ''
  )
  return `${details.operation}: ${details.code}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`
}
