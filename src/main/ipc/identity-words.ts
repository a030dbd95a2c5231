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

/** By what was found: `wanted` is what was asked for. */
const found: Record<Finding, (wanted: string) => string> = {
  'no-content': (wanted) => `The signing service says that it has nothing to send in place of ${wanted}.`,
  empty: (wanted) => `The signing service’s answer is empty: ${wanted} may not be made yet, or no longer be there.`,
  'no-records': () => 'The signing service has no record of an identity check for this document.',
  'sign-in-page': (wanted) =>
    `A page to sign in at came in place of ${wanted}. Sign in to this network in a web browser, then try again.`,
  page: (wanted) => `A web page came in place of ${wanted}. Something between this computer and the service sent it.`,
  markup: (wanted) => `The signing service answered in XML, in which ${wanted} can’t be read. ${NOT_KEPT}`,
  error: (wanted) => `The signing service said why it doesn’t send ${wanted}. ${NOT_KEPT}`,
  'error-without-words': (wanted) => `The signing service doesn’t send ${wanted}, and doesn’t say why.`,
  records: () => `The signing service sent the records of the identity check in place of the PDF. ${NOT_KEPT}`,
  pdf: () => 'The signing service sent the PDF in place of the records. Ask for the PDF instead.',
  json: (wanted) => `The signing service sent data in which ${wanted} can’t be found. ${NOT_KEPT}`,
  'broken-json': (wanted) => `The signing service sent data that breaks off, or is spoilt, in place of ${wanted}.`,
  text: (wanted) => `The signing service sent plain text in place of ${wanted}. ${NOT_KEPT}`,
  image: (wanted) => `The signing service sent a picture in place of ${wanted}. ${NOT_KEPT}`,
  archive: (wanted) => `The signing service sent a packed file (such as ZIP) in place of ${wanted}. ${NOT_KEPT}`,
  bytes: (wanted) => `The signing service sent a file of an unknown kind in place of ${wanted}. ${NOT_KEPT}`,
  'other-encoded': (wanted) => `The signing service sent something encoded that isn’t ${wanted}. ${NOT_KEPT}`,
  'several-pdfs': () => `The signing service sent several PDFs in one answer, which can’t be told apart. ${NOT_KEPT}`,
  'no-end': () => `The PDF stops before its end, so a part of it is missing. ${NOT_KEPT}`,
  'part-only': (wanted) => `The signing service sent only a part of ${wanted}. ${NOT_KEPT}`,
  'another-length': (wanted) => `The length of ${wanted} isn’t the one that the signing service announced. ${NOT_KEPT}`,
  'line-broke': (wanted) => `The line to the signing service broke in the middle of ${wanted}. ${NOT_KEPT}`,
  stalled: (wanted) => `The signing service began to send ${wanted} and then fell silent. ${NOT_KEPT}`,
  'too-slow': (wanted) => `${capital(wanted)} came so slowly that it was given up. ${NOT_KEPT}`,
  'encoded-cut': () => `The PDF came encoded as text that stops before its end. ${NOT_KEPT}`,
  'encoded-broken': () => `The PDF came encoded as text that has characters in it that don’t belong there. ${NOT_KEPT}`,
  unpacking: (wanted) => `${capital(wanted)} came compressed in a way that can’t be undone. ${NOT_KEPT}`,
  'not-http': () => 'What answered at the account’s address isn’t a web service. Check the address in Settings.'
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
      return { code, message: 'The signing service gave up waiting for the question. The line may be slow.' }
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

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}
