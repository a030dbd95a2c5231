/**
 * The signed document as a PDF. The reference has no operation for it: verifying the signatures (operation 10) answers a
 * `DocumentURL` (2.21), of which it says nothing. So the address is asked for again each time, as it may hold only for a while,
 * and is judged like any other that a service gives.
 */
import { isPrivateHost } from '../policy/private-networks.ts'
import type { documents } from './documents.ts'
import type { DownloadOptions } from './downloads.ts'
import { type Finding, ServiceError, type ServiceErrorCode } from './errors.ts'
import { asFileTrouble } from './file-trouble.ts'
import { PDF_RATHER_THAN_JSON, type PdfDownload, readPdf } from './pdf-answer.ts'
import type { Transport } from './transport.ts'

const OPERATION = 'Document/Validation'

export interface SignedDocumentOptions extends DownloadOptions {
  /** Origins beside the service's own that may be asked; without them any that is public and encrypted, for a first look. */
  from?: readonly string[] | undefined
}

export interface SignedDocument extends PdfDownload {
  /** Where it comes from, if that isn't the service itself. */
  from?: string
}

export function signedDocuments(
  transport: Transport,
  { validateSignatures }: Pick<ReturnType<typeof documents>, 'validateSignatures'>
) {
  return {
    /**
     * Fetches the signed document from where the service says that it is.
     * @throws ServiceError of operation 10; of the address and what it answers with `asked: 'signed'` and a finding.
     */
    async downloadSignedDocument(
      documentReference: string,
      { from, onProgress, ...call }: SignedDocumentOptions = {}
    ): Promise<SignedDocument> {
      const { DocumentURL } = await validateSignatures(documentReference, call)
      const url = placeOf(DocumentURL, transport.home, from)
      if (url.origin !== transport.home.origin && (await transport.leadsInside(url))) throw trouble('elsewhere')
      try {
        const answer = await transport.openAt(url, { ...call, operation: OPERATION }, PDF_RATHER_THAN_JSON)
        const limit = call.maxBytes ?? transport.limits.downloadBytes
        const pdf = await readPdf(answer, { asked: 'signed', limit, shown: transport.shown, onProgress })
        return { ...pdf, ...(url.origin !== transport.home.origin && { from: url.origin }) }
      } catch (thrown) {
        throw ofItsPlace(thrown, url.origin === transport.home.origin)
      }
    }
  }
}

/**
 * The address, if it may be fetched from: the service's own origin, or an encrypted one that is public by its name. Where that name
 * leads is seen afterwards; it can't lead elsewhere by then, as only who it belongs to has a certificate that is valid for it.
 */
function placeOf(given: string | undefined, home: URL, from: readonly string[] | undefined): URL {
  if (!given?.trim()) throw trouble('no-address')
  const url = URL.parse(given.trim(), home)
  // A `blob:` has the origin of the address in it.
  if (!url || url.username || url.password || !/^https?:$/.test(url.protocol)) throw trouble('elsewhere')
  if (url.origin === home.origin) return url
  if (url.protocol !== 'https:' || isPrivateHost(url.hostname)) throw trouble('elsewhere')
  if (from && !from.includes(url.origin)) throw trouble('another-place', { movedTo: url.origin })
  return url
}

/**
 * What such an address refuses concerns this document alone: it says nothing of the account's key, or of its other files. Nor does
 * another host that can't be reached, or asks for a pause, say anything of the service.
 */
function ofItsPlace(thrown: unknown, isOwn: boolean): unknown {
  if (!(thrown instanceof ServiceError)) return thrown
  const { code, status, serviceMessage } = thrown
  if (code === 'redirected') return trouble('elsewhere')
  if (status === 401 || status === 403) return trouble('not-let-in', { status, serviceMessage })
  if (status === 404 || status === 410) return trouble('expired', { status, serviceMessage })
  if (!isOwn && OF_A_HOST.has(code)) return trouble('place-away', { status })
  return asFileTrouble('signed', thrown)
}

const OF_A_HOST: ReadonlySet<ServiceErrorCode> = new Set([
  // The service itself has just answered where it is.
  ...(['offline', 'dns', 'refused', 'tls', 'timeout', 'interrupted', 'server', 'rate-limited'] as const),
  ...(['payment-required', 'quota', 'conflict', 'invalid', 'not-json'] as const)
])

/** One that is away is tried again by itself. */
const CODES: Partial<Record<Finding, ServiceErrorCode>> = {
  expired: 'no-data',
  'no-address': 'no-data',
  'place-away': 'timeout'
}

function trouble(finding: Finding, more: Partial<ServiceError> = {}): ServiceError {
  const code = CODES[finding] ?? 'forbidden'
  const { status, serviceMessage, movedTo } = more
  const said = { status, serviceMessage, movedTo }
  return new ServiceError({ code, operation: OPERATION, mayHaveArrived: false, asked: 'signed', finding, ...said })
}
