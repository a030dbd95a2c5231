/** The client of the signing service, as the rest of the program sees it. */
export {
  type ApiKey,
  type Authentication,
  type Credentials,
  createAuthentication,
  type OutgoingRequest,
  type SigningEffects
} from './authentication.ts'
export { readBaseUrl } from './base-url.ts'
export type { ActiveDocumentsOptions, Unread } from './documents.ts'
export type { DownloadOptions, DownloadProgress, PdfDownload } from './downloads.ts'
export {
  FINDINGS,
  type FieldProblem,
  type Finding,
  isServiceError,
  SERVICE_ERROR_CODES,
  ServiceError,
  type ServiceErrorCode,
  type ServiceErrorDetails
} from './errors.ts'
export type { Fetch } from './exchange.ts'
export { type ParseJson, parseJson } from './json.ts'
export {
  fetchByNetRequest,
  type NetClientRequest,
  type NetIncomingMessage,
  type NetRequest
} from './net-request-fetch.ts'
export type { SentPackage } from './packages.ts'
export { RETRY_LIMITS, type RetryLimits } from './retry.ts'
export { createServiceClient, type ServiceClient, type ServiceClientOptions } from './service-client.ts'
export { type CallKind, TIME_LIMITS, type TimeLimits } from './time-limits.ts'
export { type CallOptions, SERVICE_LIMITS, type ServiceLimits, type Take } from './transport.ts'
