/** What came in place of identity data, in the user's words: each finding, and each refusal that means something else there. */
import type { AppError } from '../../shared/contract/index.ts'
import type { Finding, ServiceError } from '../core/service/errors.ts'

type Words = Pick<AppError, 'code' | 'message' | 'next'>

/** Undefined for other operations, and where the words that all operations share say it. */
export function identityWords(error: ServiceError): Words | undefined {
  if (!error.asked) return undefined
  const wanted = error.asked === 'pdf' ? 'the PDF' : 'the records'
  if (error.finding) return { code: codeOf(error), message: found[error.finding](wanted) }
  return refused(error, wanted)
}

const NOT_KEPT = 'Nothing was kept.'

/** By what was found: `wanted` is what was asked for. What the service itself says of it stands beside. */
const found: Record<Finding, (wanted: string) => string> = {
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
  'too-slow': (wanted) => `The signing service began to send ${wanted}, but was too slow or fell silent. ${NOT_KEPT}`
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
