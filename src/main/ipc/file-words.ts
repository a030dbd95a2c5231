/** What came in place of a file, in the user's words: each finding, and each refusal that means something else there. */
import type { AppError, DownloadType } from '../../shared/contract/index.ts'
import type { Finding, ServiceError } from '../core/service/errors.ts'

type Words = Pick<AppError, 'code' | 'message' | 'next'>

/** Undefined for other operations, and where the words that all operations share say it. */
export function fileWords(error: ServiceError): Words | undefined {
  if (!error.asked) return undefined
  const { asked, finding } = error
  const wanted = WANTED[asked]
  if (finding) return { code: codeOf(error), message: found[finding](wanted, error), ...WAYS_ON[finding] }
  return asked === 'signed' ? undefined : refused(error, wanted)
}

const WANTED: Record<DownloadType, string> = { pdf: 'the PDF', json: 'the records', signed: 'the signed document' }

const NOT_KEPT = 'Nothing was kept.'

/** By what was found: `wanted` is what was asked for. What the service itself says of it stands beside. */
const found: Record<Finding, (wanted: string, error: ServiceError) => string> = {
  nothing: (wanted) => `The signing service sent nothing: ${wanted} may not be made yet, or no longer be there.`,
  error: (wanted) => `The signing service says that it doesn’t send ${wanted}. ${NOT_KEPT}`,
  'sign-in-page': (wanted) =>
    `A page to sign in at came in place of ${wanted}. Sign in to this network in a web browser, then try again.`,
  'not-http': () => 'What answered at the account’s address isn’t a web service. Check the address in Settings.',
  'other-form': (wanted) =>
    wanted === 'the PDF'
      ? `The signing service sent the records of the identity check in place of the PDF. ${NOT_KEPT}`
      : 'The signing service sent the PDF in place of the records. Ask for the PDF instead.',
  'something-else': (wanted) =>
    `The answer can’t be read as ${wanted}. Perhaps something between this computer and the service sent it.`,
  'not-whole': (wanted) => `A part of ${wanted} is missing or was damaged on its way. ${NOT_KEPT}`,
  'no-address': () => 'The service doesn’t say where the signed document can be had.',
  elsewhere: () => `The service says that the signed document is where Countersign fetches nothing from. ${NOT_KEPT}`,
  'another-place': (_wanted, { movedTo = '' }) =>
    `The signed document is at ${movedTo}, from where nobody has looked at one yet. ${NOT_KEPT}`,
  'place-away': () => `Where the service says that the signed document is, nobody answers just now. ${NOT_KEPT}`,
  'not-let-in': () => 'Where the service says that the signed document is, one has to sign in.',
  expired: () => 'The service gave an address for the signed document that isn’t good any more, or not yet.',
  page: () => `Where the service says that the signed document is, there is a page and no PDF. ${NOT_KEPT}`,
  'too-slow': (wanted) => `The signing service began to send ${wanted}, but was too slow or fell silent. ${NOT_KEPT}`
}

/** What can be done, where that is certain. */
const WAYS_ON: Partial<Record<Finding, Pick<AppError, 'next'>>> = {
  'no-address': { next: 'Your provider can tell you where signed documents are kept.' },
  'another-place': { next: 'Open the signed document once, then save it.' },
  'not-let-in': { next: 'Ask your provider for the right to fetch signed documents.' },
  expired: { next: 'Try again later: the service is asked for a new address each time.' }
}

function codeOf({ code }: ServiceError): AppError['code'] {
  // A line that broke before any answer is told as a service that took too long; here something had come.
  return code === 'interrupted' ? 'incomplete' : code === 'redirected' ? 'unsafe-address' : code
}

/** By the status of a refusal. */
function refused({ code, status, asked }: ServiceError, wanted: string): Words | undefined {
  if (code === 'redirected' || code === 'interrupted') return undefined
  switch (status) {
    case 400:
    case 422:
      return { code, message: `The signing service doesn’t accept the question for ${wanted} of this document.` }
    case 403:
      return {
        code,
        message: 'The signing service doesn’t let this account see who was checked.',
        next: 'Ask for that right.'
      }
    case 404:
      return {
        code,
        message: 'The signing service has no identity data of this document: it keeps it for a time only, or has none.'
      }
    case 405:
    case 501:
      return {
        code,
        message: 'This signing service doesn’t hand out identity data.',
        next: 'Ask your provider about it.'
      }
    case 406:
      return { code, message: `The signing service can’t send ${wanted} in a form that Countersign reads.` }
    case 407:
      return { code, message: 'The proxy of this network wants you to sign in before it lets anything through.' }
    case 410:
      return {
        code,
        message: 'The signing service had this identity data and has deleted it: it keeps it for a time only.'
      }
    case 408:
      return { code, message: 'The signing service gave up waiting for the request. The connection may be slow.' }
    case 502:
    case 504:
      return { code, message: 'A gateway before the signing service can’t reach it just now.' }
    case 503:
      return { code, message: 'The signing service is closed for a moment, or has too much to do.' }
    case 511:
      return {
        code,
        message: 'This network wants you to sign in first.',
        next: 'Open a web page, sign in, then try again.'
      }
    default:
      return code === 'too-large' && status === undefined
        ? { code, message: `${asked === 'pdf' ? 'The PDF is' : 'The records are'} larger than Countersign takes.` }
        : undefined
  }
}
