/**
 * Downloads the signed document as a PDF. The reference has no operation for it: verifying the signatures (operation
 * 10) returns a `DocumentURL` (2.21), about which it says nothing. So the address is requested afresh each time, as it
 * may expire, and is vetted like any other address a service gives us.
 */
import { isPrivateHost } from '../policy/private-networks.ts'
import type { documentOperations } from './documents.ts'
import type { DownloadOptions } from './downloads.ts'
import { type Finding, ServiceError, type ServiceErrorCode } from './errors.ts'
import { asDownloadError } from './file-trouble.ts'
import { ACCEPT_PDF, type PdfDownload, readPdf } from './pdf-answer.ts'
import type { Transport } from './transport.ts'

const OPERATION = 'Document/Validation'

export interface SignedDocumentOptions extends DownloadOptions {
  /**
   * Origins allowed in addition to the service's own. If undefined, any public https origin is allowed, for a first
   * look.
   */
  allowedOrigins?: readonly string[] | undefined
}

export interface SignedDocument extends PdfDownload {
  /** Origin it comes from, if that isn't the service itself. */
  from?: string
}

export function signedDocumentOperations(
  transport: Transport,
  { validateSignatures }: Pick<ReturnType<typeof documentOperations>, 'validateSignatures'>
) {
  return {
    /**
     * Downloads the signed document from the address that the service gives.
     * @throws ServiceError of operation 10; for the address and its answer, one with `asked: 'signed'` and a finding.
     */
    async downloadSignedDocument(
      documentReference: string,
      { allowedOrigins, onProgress, ...call }: SignedDocumentOptions = {}
    ): Promise<SignedDocument> {
      const { DocumentURL } = await validateSignatures(documentReference, call)
      const url = allowedAddress(DocumentURL, transport.serviceUrl, allowedOrigins)
      if (url.origin !== transport.serviceUrl.origin && (await transport.leadsToPrivateNetwork(url)))
        throw findingError('elsewhere')
      try {
        const answer = await transport.openAt(url, { ...call, operation: OPERATION }, ACCEPT_PDF)
        const limit = call.maxBytes ?? transport.limits.downloadBytes
        const pdf = await readPdf(answer, { asked: 'signed', limit, redact: transport.redact, onProgress })
        return { ...pdf, ...(url.origin !== transport.serviceUrl.origin && { from: url.origin }) }
      } catch (thrown) {
        throw asDocumentError(thrown, url.origin === transport.serviceUrl.origin)
      }
    }
  }
}

/**
 * Returns the address if it may be fetched from: the service's own origin, or an https origin with a public host name.
 * What the name resolves to is checked afterwards. It can't be re-pointed between that check and the request, because
 * only the name's owner has a valid certificate for it.
 */
function allowedAddress(given: string | undefined, home: URL, from: readonly string[] | undefined): URL {
  if (!given?.trim()) throw findingError('no-address')
  const url = URL.parse(given.trim(), home)
  // `blob:` URLs report the origin of the address inside them.
  if (!url || url.username || url.password || !/^https?:$/.test(url.protocol)) throw findingError('elsewhere')
  if (url.origin === home.origin) return url
  if (url.protocol !== 'https:' || isPrivateHost(url.hostname)) throw findingError('elsewhere')
  if (from && !from.includes(url.origin)) throw findingError('another-place', { movedTo: url.origin })
  return url
}

/**
 * Limits an error to this document. A refusal at such an address says nothing about the account's key or its other
 * files, and an unreachable or rate-limiting host says nothing about the service.
 */
function asDocumentError(thrown: unknown, isOwn: boolean): unknown {
  if (!(thrown instanceof ServiceError)) return thrown
  const { code, status, serviceMessage } = thrown
  if (code === 'redirected') return findingError('elsewhere')
  if (status === 401 || status === 403) return findingError('not-let-in', { status, serviceMessage })
  if (status === 404 || status === 410) return findingError('expired', { status, serviceMessage })
  if (!isOwn && HOST_ERRORS.has(code)) return findingError('place-away', { status })
  return asDownloadError('signed', thrown)
}

const HOST_ERRORS: ReadonlySet<ServiceErrorCode> = new Set([
  // The service itself has just answered, so network errors are the other host's.
  ...(['offline', 'dns', 'refused', 'tls', 'timeout', 'interrupted', 'server', 'rate-limited'] as const),
  ...(['payment-required', 'quota', 'conflict', 'invalid', 'not-json'] as const)
])

/** `place-away` becomes `timeout`, so that it is retried automatically. */
const CODES: Partial<Record<Finding, ServiceErrorCode>> = {
  expired: 'no-data',
  'no-address': 'no-data',
  'place-away': 'timeout'
}

function findingError(finding: Finding, more: Partial<ServiceError> = {}): ServiceError {
  const code = CODES[finding] ?? 'forbidden'
  const { status, serviceMessage, movedTo } = more
  const details = { status, serviceMessage, movedTo }
  return new ServiceError({ code, operation: OPERATION, mayHaveArrived: false, asked: 'signed', finding, ...details })
}
