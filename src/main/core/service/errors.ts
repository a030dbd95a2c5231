/**
 * What can go wrong between us and the signing service: a closed set of codes. Every error knows whether its request
 * may have reached the service, which decides whether a send is refused (try again) or uncertain (reconcile first).
 */

import { type FieldMessage, serviceErrorCodes } from '../../../shared/contract/errors.ts'
import type { DownloadType } from '../../../shared/contract/views.ts'

/** The contract's codes, and four more that the client tells apart; `ipc/errors.ts` has what the screens get for them. */
export const SERVICE_ERROR_CODES = [
  ...serviceErrorCodes,
  /** The line broke while the call was under way. */
  'interrupted',
  /** The service sends us somewhere else: to another origin, in circles, or with a POST. */
  'redirected',
  /** A download that isn't the PDF it should be. */
  'not-a-pdf',
  /** New tokens can't be kept on this computer. */
  'keychain'
] as const
export type ServiceErrorCode = (typeof SERVICE_ERROR_CODES)[number]

/** What came in place of the PDF or the records that were asked for: of operation 9, or of a signed document's address. */
export const FINDINGS = [
  /** An empty answer, or one that says that there is nothing. */
  'nothing',
  /** An error with status 200. */
  'error',
  /** The page of a network, at which people sign in before it lets anything through. */
  'sign-in-page',
  /** No web service at all. */
  'not-http',
  /** The PDF in place of the records, or the other way round. */
  'other-form',
  /** Anything else, or in a form that can't be read. */
  'something-else',
  /** It, but not all of it, or not as it was sent. */
  'not-whole',
  /** It began to come, and was given up. */
  'too-slow',
  /** Of the signed document's address: there is none. */
  'no-address',
  /** It leads to where nothing is fetched from: a private network, another program, an address that sends us on. */
  'elsewhere',
  /** It is at another place than those from which a person has looked at one. */
  'another-place',
  /** It is on another host, which doesn't answer, or not now. */
  'place-away',
  /** It answers those alone who sign in. */
  'not-let-in',
  /** It answers that there is nothing, or nothing more. */
  'expired',
  /** A page for people. */
  'page'
] as const
export type Finding = (typeof FINDINGS)[number]

/**
 * What is wrong with signing in by OAuth 2. over: the service takes what an account was signed in with no longer. denied: the person,
 * or the service, said no. secret: it doesn't take the client's id or secret. scope: it doesn't give what is asked for. client: either. elsewhere: it leads to another
 * origin. not-found: there is no such service. answer: it answered with something else than tokens. away: it can't be reached.
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

/** What is wrong with one field: its place (`Forms[0].Signers[1].Email`) and why. */
export type FieldProblem = FieldMessage

/** What is known of a certificate that isn't trusted. */
export interface Certificate {
  /** Whose it is, and who says so: names that the server chose; empty where there are none. */
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
   * Whether the service may have got the request and acted on it. False only where that is certain: nothing was sent,
   * or the service said that it refuses.
   */
  mayHaveArrived: boolean
  /** HTTP status, where there was an answer. */
  status?: number | undefined
  /** What is wrong with single fields; for `invalid`. */
  fields?: FieldProblem[] | undefined
  /** Place of the offending member in the answer; for `unexpected-shape`. */
  path?: string | undefined
  /** How far this computer's clock is ahead of the service's, in milliseconds; absent where the service didn't say its time. */
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
  /** Where the server's certificate isn't trusted: what it says. Text from outside. */
  certificate?: Certificate | undefined
  /** The service says of the token that its time is over. */
  isTokenOver?: boolean | undefined
  /** Where a file was asked for: which. */
  asked?: DownloadType | undefined
  /** What came of an answer that had begun. */
  finding?: Finding | undefined
  /** It is the sign-in service that failed, before the signing service was asked. */
  signIn?: SignInTrouble | undefined
  /** Origin that a refused redirect pointed to, so that an account's address can be corrected. */
  movedTo?: string | undefined
}

/** The only error that the client of the service throws. Its `message` holds no secret and nothing personal. */
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
  declare readonly isTokenOver: boolean | undefined
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

/** Only codes and places: a field's message or the service's own words could repeat personal data into a log. */
function summary(details: ServiceErrorDetails): string {
  const notes = [details.status, details.reason, details.path, details.finding].filter(
    (note) => note !== undefined && note !== ''
  )
  return `${details.operation}: ${details.code}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`
}
