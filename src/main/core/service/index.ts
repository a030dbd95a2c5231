/** The client of the signing service, as the rest of the program sees it. */
export {
  createAuthentication,
  type OutgoingRequest
} from './authentication.ts'
export {
  FINDINGS,
  type Finding,
  isServiceError,
  ServiceError
} from './errors.ts'
export type { Fetch } from './exchange.ts'
export { RETRY_LIMITS, TIME_LIMITS } from './limits.ts'
export {
  fetchByNetRequest,
  type NetClientRequest,
  type NetRequest
} from './net-request-fetch.ts'
export { readBaseUrl } from './operation.ts'
export type { PdfDownload } from './pdf-answer.ts'
export { createServiceClient, type ServiceClient, type ServiceClientOptions } from './service-client.ts'
export { SERVICE_LIMITS } from './transport.ts'
