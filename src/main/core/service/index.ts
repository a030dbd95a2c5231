/** The client of the signing service, as the rest of the program sees it. */
export {
  createAuthentication,
  type OutgoingRequest
} from './authentication.ts'
export { readBaseUrl } from './base-url.ts'

export type { PdfDownload } from './downloads.ts'
export {
  FINDINGS,
  type Finding,
  isServiceError,
  ServiceError
} from './errors.ts'
export type { Fetch } from './exchange.ts'

export {
  fetchByNetRequest,
  type NetClientRequest,
  type NetRequest
} from './net-request-fetch.ts'

export { RETRY_LIMITS } from './retry.ts'
export { createServiceClient, type ServiceClient, type ServiceClientOptions } from './service-client.ts'
export { TIME_LIMITS } from './time-limits.ts'
export { SERVICE_LIMITS } from './transport.ts'
