/**
 * Describes what came instead of a requested file, in the user's words: each finding, and refusals with a special
 * meaning for downloads.
 */
import type { AppError, DownloadType } from '../../../shared/contract/index.ts'
import type { Finding, ServiceError } from '../service/errors.ts'

type FileMessage = Pick<AppError, 'code' | 'message' | 'next'>

/** Returns undefined for other operations, and if the general message fits. */
export function fileMessage(error: ServiceError): FileMessage | undefined {
  if (!error.asked) return undefined
  const { asked, finding } = error
  const requested = REQUESTED[asked]
  if (finding) return { code: codeOf(error), message: messages[finding](requested, error), ...ADVICE[finding] }
  // A status of the sign-in service says nothing about the file.
  return asked === 'signed' || error.signIn ? undefined : messageByStatus(error, requested)
}

const REQUESTED: Record<DownloadType, string> = { pdf: 'the PDF', json: 'the records', signed: 'the signed document' }

const NOT_SAVED = 'Nothing was saved.'

/** Messages by finding; `wanted` is what was requested. The service's own message is shown separately. */
const messages: Record<Finding, (wanted: string, error: ServiceError) => string> = {
  nothing: (wanted) => `The signing service sent nothing: ${wanted} may not be ready yet, or may have been deleted.`,
  error: (wanted) => `The signing service refused to send ${wanted}. ${NOT_SAVED}`,
  'sign-in-page': (wanted) =>
    `A sign-in page arrived instead of ${wanted}. Open a browser to sign in to this network, then try again.`,
  'not-http': () => 'What answered at the account’s address isn’t a signing service. Check the address in Settings.',
  'other-form': (wanted) =>
    wanted === 'the PDF'
      ? `The signing service sent the identity records instead of the PDF. ${NOT_SAVED}`
      : 'The signing service sent the PDF instead of the records. Download the PDF instead.',
  'something-else': (wanted) =>
    `What arrived isn’t ${wanted}. Something on your network may have answered instead of the service.`,
  'not-whole': (wanted) => `Part of ${wanted} is missing or damaged. ${NOT_SAVED}`,
  'no-address': () => 'The service doesn’t say where the signed document is.',
  elsewhere: () => `The signed document’s address isn’t one that Countersign may download from. ${NOT_SAVED}`,
  'another-place': (_wanted, { movedTo = '' }) =>
    `The signed document is at ${movedTo}, a new place for this account. ${NOT_SAVED}`,
  'place-away': () => `The signed document’s address can’t be reached. ${NOT_SAVED}`,
  'not-let-in': () => 'The signed document’s address needs a sign-in.',
  expired: () => 'The signed document’s address has expired or isn’t ready yet.',
  page: () => `The signed document’s address opens a web page, not a PDF. ${NOT_SAVED}`,
  'too-slow': (wanted) => `The signing service started sending ${wanted} but stopped or was too slow. ${NOT_SAVED}`
}

/** Advice, where it is certain. */
const ADVICE: Partial<Record<Finding, Pick<AppError, 'next'>>> = {
  'no-address': { next: 'Ask your provider where signed documents are kept.' },
  'another-place': { next: 'Open the signed document once, then save it.' },
  'not-let-in': { next: 'Ask your provider for permission to download signed documents.' },
  expired: { next: 'Try again later.' }
}

function codeOf({ code }: ServiceError): AppError['code'] {
  // Elsewhere, a broken connection is reported as a timeout; here, part of the answer had arrived.
  return code === 'interrupted' ? 'incomplete' : code === 'redirected' ? 'unsafe-address' : code
}

function messageByStatus({ code, status, asked }: ServiceError, requested: string): FileMessage | undefined {
  if (code === 'redirected' || code === 'interrupted') return undefined
  if (code === 'too-large' && status === undefined)
    return { code, message: `${asked === 'pdf' ? 'The PDF is' : 'The records are'} too large for Countersign.` }
  const words = status === undefined ? undefined : BY_STATUS[status]?.(requested)
  return words && { code, ...words }
}

type Words = (requested: string) => Pick<AppError, 'message' | 'next'>
const invalid: Words = (requested) => ({
  message: `The signing service didn’t accept the request for ${requested} of this document.`
})
const notOffered: Words = () => ({
  message: 'This signing service doesn’t offer identity data.',
  next: 'Ask your provider about it.'
})
const behindGateway: Words = () => ({
  message: 'The signing service’s gateway is answering, but the service behind it isn’t.'
})

const BY_STATUS: Readonly<Record<number, Words>> = {
  400: invalid,
  403: () => ({
    message: 'This account doesn’t have permission to see identity checks.',
    next: 'Ask your administrator for permission.'
  }),
  404: () => ({
    message:
      'The signing service has no identity data for this document. Nobody may have completed an identity check yet, or it was deleted after a time.'
  }),
  405: notOffered,
  406: (requested) => ({ message: `The signing service can’t send ${requested} in a format that Countersign reads.` }),
  407: () => ({ message: 'Your network’s proxy needs you to sign in.' }),
  408: () => ({ message: 'The signing service stopped waiting for the request. The connection may be slow.' }),
  410: () => ({ message: 'The signing service has deleted this identity data.' }),
  422: invalid,
  501: notOffered,
  502: behindGateway,
  503: () => ({ message: 'The signing service is temporarily unavailable.' }),
  504: behindGateway,
  511: () => ({
    message: 'This network needs you to sign in first.',
    next: 'Open a browser to sign in, then try again.'
  })
}
