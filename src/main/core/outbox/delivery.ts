/** One attempt: hands a request to the service once, and says what its end means for the send and for the box. */
import type { AppError, ErrorCode } from '../../../shared/contract/index.ts'
import { decode, ErrorResponse, type PackageResponse } from '../../../shared/model/index.ts'
import { isServiceError } from '../service/errors.ts'
import type { SendingClient } from './effects.ts'
import type { SentRequest } from './send-record.ts'

/**
 * taken: the service has it. uncertain: it may have it. refused: it doesn't want this one. line: it never came to the
 * service. rate-limited: not so fast. stopped: what was said concerns all that would follow.
 */
export type Ending =
  | { kind: 'taken'; response: PackageResponse }
  | { kind: 'uncertain' | 'refused' | 'rate-limited' | 'stopped'; error: AppError }
  /** isAnswered: somebody on the way did, so it was posted. */
  | { kind: 'line'; error: AppError; isAnswered: boolean }

/** How long to hold back where the service doesn't say, in milliseconds. */
const USUAL_PATIENCE = 30_000

/** Hands the request over. Never rejects. */
export async function deliver(
  client: SendingClient,
  { kind, request }: SentRequest,
  describe: (error: unknown) => AppError
): Promise<Ending> {
  try {
    const { package: response } =
      kind === 'form-direct' ? await client.sendForms2(request) : await client.sendTemplates(request)
    return endingOfAnswer(response)
  } catch (error) {
    return endingOfFailure(describe(error), isServiceError(error) ? error.status : undefined)
  }
}

/** What an answer with a status of success means. Only what names a package or a document of it is the service's word. */
export function endingOfAnswer(response: PackageResponse): Ending {
  const { PackageReference, QueueReference, Documents = [] } = response
  const isNamed = Boolean(PackageReference || QueueReference) || Documents.some(({ Reference }) => Reference !== '')
  const said = decode(ErrorResponse, response)
  const isFaulty = said.ok && Boolean(said.value.ResponseStatus?.ErrorCode)
  return isNamed && !isFaulty ? { kind: 'taken', response } : { kind: 'uncertain', error: SAYS_NOTHING }
}

/**
 * What an error means. Not knowing is never read as "not sent": that is how packages go twice.
 * @param status of the answer; undefined where there was none.
 */
export function endingOfFailure(error: AppError, status: number | undefined): Exclude<Ending, { kind: 'taken' }> {
  if (error.mayHaveArrived !== false) return { kind: 'uncertain', error: { ...error, mayHaveArrived: true } }
  const isLine = status === undefined ? BAD_LINE.has(error.code) : ANSWERED_ON_THE_WAY.has(status)
  if (isLine) return { kind: 'line', error, isAnswered: status !== undefined }
  if (STOPS_ALL.has(error.code)) return { kind: 'stopped', error }
  if (error.code === 'rate-limited') {
    return { kind: 'rate-limited', error: { ...error, retryAfterMs: error.retryAfterMs ?? USUAL_PATIENCE } }
  }
  return { kind: 'refused', error }
}

/** Where nobody answered, something on the way is at fault, not what was sent. */
const BAD_LINE: ReadonlySet<ErrorCode> = new Set([
  'offline',
  'dns',
  'refused',
  'tls',
  'timeout',
  'not-json',
  'cancelled'
])

/** Answers of what stands between: a guest network's page to sign in at, a proxy that wants to know us first. */
const ANSWERED_ON_THE_WAY: ReadonlySet<number> = new Set([307, 407, 511])

/** An address that has moved for good is wrong for all that would follow, too. */
const STOPS_ALL: ReadonlySet<ErrorCode> = new Set(['unauthorised', 'payment-required', 'quota', 'unsafe-address'])

const SAYS_NOTHING: AppError = {
  code: 'unexpected-shape',
  message: 'What answered did not say that it has the package, so it is looked for in the folders.',
  mayHaveArrived: true
}
