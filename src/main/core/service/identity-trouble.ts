/** The errors of operation 9: what was asked for, what came of it, and that asking has changed nothing. */
import type { IDVerificationDataType } from '../../../shared/model/index.ts'
import { type Finding, ServiceError, type ServiceErrorCode } from './errors.ts'
import type { Refusal } from './refusal.ts'

export const OPERATION = 'Download/IDVerification'

/** The error of an answer that isn't what was asked for. */
export function notWhatWasAsked(asked: IDVerificationDataType, finding: Finding, said: Refusal = {}): ServiceError {
  const code = codeOf(asked, finding)
  return new ServiceError({ code, operation: OPERATION, mayHaveArrived: false, asked, finding, ...said })
}

/** Says of an error of this operation what was asked for; other things that were thrown stay as they are. */
export function asIdentityTrouble(asked: IDVerificationDataType, thrown: unknown): unknown {
  if (!(thrown instanceof ServiceError) || thrown.asked) return thrown
  const { code, operation, status, fields, path, retryAfterMs, serviceMessage, reason, movedTo } = thrown
  return new ServiceError({
    ...{ code, operation, status, fields, path, retryAfterMs, serviceMessage, reason, movedTo, asked },
    // Whether a question arrived matters to nobody: it can be asked again.
    mayHaveArrived: false,
    finding: thrown.finding ?? findingOf(thrown)
  })
}

/** What its reason tells of an answer that can't be read. */
function findingOf({ code, reason, status }: ServiceError): Finding | undefined {
  // An answer that is shorter than it says may break before anybody could begin to read it.
  if (/_LENGTH_MISMATCH$|_INCOMPLETE_CHUNKED_/.test(reason ?? '')) return 'line-broke'
  if (code !== 'not-json' || status !== undefined) return undefined
  return reason && /^(?:Z_|ERR_(?:CONTENT_DECODING|ENCODING|DECODE)|ERR__ERROR)/.test(reason) ? 'unpacking' : 'not-http'
}

function codeOf(asked: IDVerificationDataType, finding: Finding): ServiceErrorCode {
  switch (finding) {
    case 'no-content':
    case 'empty':
    case 'no-records':
      return 'no-data'
    case 'error':
    case 'error-without-words':
      return 'error-answer'
    case 'no-end':
    case 'part-only':
    case 'another-length':
    case 'encoded-cut':
    case 'encoded-broken':
      return 'incomplete'
    case 'line-broke':
      return 'interrupted'
    case 'stalled':
    case 'too-slow':
      return 'timeout'
    case 'unpacking':
    case 'not-http':
      return 'not-json'
    case 'json':
      return asked === 'json' ? 'unexpected-shape' : 'not-a-pdf'
    default:
      return asked === 'json' ? 'not-json' : 'not-a-pdf'
  }
}
