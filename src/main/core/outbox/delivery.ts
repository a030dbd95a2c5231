/** One attempt: hands a request to the service once, and says what its end means for the send and for the box. */
import type { AppError, ErrorCode } from '../../../shared/contract/index.ts'
import type { PackageResponse } from '../../../shared/model/index.ts'
import type { SendingClient } from './effects.ts'
import type { SentRequest } from './send-record.ts'

/**
 * taken: the service has it. uncertain: it may have it. refused: it doesn't want this one. line: it never left.
 * rate-limited: not so fast. stopped: what was said concerns all that would follow.
 */
export type Ending =
  | { kind: 'taken'; response: PackageResponse }
  | { kind: 'uncertain' | 'refused' | 'line' | 'rate-limited' | 'stopped'; error: AppError }

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
    return { kind: 'taken', response }
  } catch (error) {
    return endingOf(describe(error))
  }
}

/** What an error means. Not knowing is never read as "not sent": that is how packages go twice. */
export function endingOf(error: AppError): Exclude<Ending, { kind: 'taken' }> {
  if (error.mayHaveArrived !== false) return { kind: 'uncertain', error: { ...error, mayHaveArrived: true } }
  if (BAD_LINE.has(error.code)) return { kind: 'line', error }
  if (STOPS_ALL.has(error.code)) return { kind: 'stopped', error }
  if (error.code === 'rate-limited') {
    return { kind: 'rate-limited', error: { ...error, retryAfterMs: error.retryAfterMs ?? USUAL_PATIENCE } }
  }
  return { kind: 'refused', error }
}

/** Something on the way is at fault, not what was sent: an address that redirects is as often a guest network's page. */
const BAD_LINE: ReadonlySet<ErrorCode> = new Set([
  'offline',
  'dns',
  'refused',
  'tls',
  'timeout',
  'not-json',
  'unsafe-address',
  'keychain',
  'cancelled'
])

const STOPS_ALL: ReadonlySet<ErrorCode> = new Set(['unauthorised', 'payment-required', 'quota'])
