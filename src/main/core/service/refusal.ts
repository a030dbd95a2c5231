/**
 * Makes the error of an answer whose status says no: its code, the service's own words as far as people may see them, and what
 * is wrong with which field.
 */
import { decode, ErrorResponse } from '../../../shared/model/index.ts'
import { charsetOf, parseJson, readBody } from './answer-body.ts'
import type { Authentication } from './authentication.ts'
import { type FieldProblem, ServiceError, type ServiceErrorCode } from './errors.ts'
import type { Watch } from './limits.ts'
import { readRetryAfter } from './limits.ts'

/** Longest sentence of the service that is passed on, in characters. */
const LONGEST_MESSAGE = 500
const MOST_FIELDS = 100

const BY_STATUS = new Map<number, ServiceErrorCode>([
  [401, 'unauthorised'],
  [402, 'payment-required'],
  [403, 'forbidden'],
  [404, 'not-found'],
  [405, 'not-found'],
  // The answer can't be given in the form that we read.
  [406, 'not-json'],
  // A proxy on the way wants to know us first; the service never saw the request.
  [407, 'refused'],
  [408, 'timeout'],
  [409, 'conflict'],
  [410, 'not-found'],
  [413, 'too-large'],
  [414, 'too-large'],
  [426, 'quota'],
  [429, 'rate-limited'],
  [431, 'too-large'],
  [501, 'not-found'],
  // "Network authentication required": the sign-in page of a guest network stands between.
  [511, 'offline']
])

/** The code for a status outside 200 to 299. */
function codeForStatus(status: number): ServiceErrorCode {
  const known = BY_STATUS.get(status)
  if (known) return known
  if (status >= 300 && status < 400) return 'redirected'
  return status >= 500 || status < 300 ? 'server' : 'invalid'
}

/**
 * Whether a request that was answered with this status may have been acted on.
 *
 * 4xx: the service says that it refuses, so no. But frameworks find out only after the work is done that they can't
 * word the answer (406), and 408 may come from a proxy that waited for one. 500: it took the request and broke somewhere
 * inside, perhaps after the invitations went out. 502 and 504: a gateway passed the request on and got no sound answer.
 * 503: mostly turned away at the door, but a gateway says the same when the service dies in the middle, and nothing
 * tells the two apart. 501 and 505: not understood, so not done. 511: a guest network answered instead. 303 and 302 are
 * how many pages answer a request that they have done; 301, 307 and 308 say "ask over there", so nothing was done here.
 */
export function statusMayHaveArrived(status: number): boolean {
  if (status >= 400 && status < 500) return status === 406 || status === 408
  return ![301, 307, 308, 501, 505, 511].includes(status)
}

export interface Refusal {
  serviceMessage?: string
  fields?: FieldProblem[]
}

/** Reads an error's body. Anything that isn't the framework's error body says nothing, and a StackTrace is never read. */
export function readRefusal(json: unknown): Refusal {
  const decoded = decode(ErrorResponse, json)
  if (!decoded.ok) return {}
  const { Message, Errors } = decoded.value.ResponseStatus ?? {}
  const serviceMessage = oneLine(Message)
  const fields = (Errors ?? [])
    .slice(0, MOST_FIELDS)
    .map((problem) => ({ field: oneLine(problem.FieldName), message: oneLine(problem.Message) }))
    .filter((problem) => problem.field !== '' || problem.message !== '')
  return { ...(serviceMessage && { serviceMessage }), ...(fields.length > 0 && { fields }) }
}

/** Frameworks put the trace into the message, too: what follows its first line is dropped, and so are control characters. */
function oneLine(text: string | undefined): string {
  const untraced = (text ?? '').split(/(?:^|[\r\n]+)\s*(?:at|---)\s/)[0] ?? ''
  // Direction marks could make the sentence read as another one.
  const plain = untraced
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return plain.length > LONGEST_MESSAGE ? `${plain.slice(0, LONGEST_MESSAGE - 1)}…` : plain
}

/** More of an error's body than this is not worth reading. */
const ERROR_BODY_BYTES = 256 * 1024

/** @param now milliseconds since 1970 UTC, against which a Retry-After date, and the service's own, are read. */
export async function refusedAnswer(
  operation: string,
  response: Response,
  watching: Watch,
  authentication: Authentication,
  now: number
): Promise<ServiceError> {
  const { status } = response
  const said = await readErrorBody(response, watching)
  return new ServiceError({
    code: codeForStatus(status),
    operation,
    status,
    mayHaveArrived: statusMayHaveArrived(status),
    clockAheadMs: clockAhead(response.headers.get('date'), now),
    retryAfterMs: readRetryAfter(response.headers.get('retry-after'), now),
    isTokenOver: status === 401 && saysTokenIsOver(response.headers.get('www-authenticate')),
    ...withoutSecrets(said, authentication.secrets)
  })
}

/** As RFC 6750 has it: the code alone may also mean a token that was never one. */
function saysTokenIsOver(challenge: string | null): boolean | undefined {
  return (/error="?invalid_token\b/i.test(challenge ?? '') && /\bexpired\b/i.test(challenge ?? '')) || undefined
}

/**
 * How far this computer's clock is ahead of the service's, in milliseconds; undefined where that doesn't say its time.
 * @param date as the answer's header says it, to the second.
 */
export function clockAhead(date: string | null, now: number): number | undefined {
  const theirs = Date.parse(date ?? '')
  return Number.isNaN(theirs) ? undefined : now - theirs
}

/** The status alone says what happened; whatever is wrong with the body beside it changes nothing. */
async function readErrorBody(response: Response, watching: Watch): Promise<Refusal> {
  try {
    const bytes = await readBody(response, ERROR_BODY_BYTES, watching)
    return readRefusal(await parseJson(bytes, charsetOf(response.headers.get('content-type'))))
  } catch {
    return {}
  }
}

/** Strikes out whatever of the account's secrets the service repeats. */
export function withoutSecrets({ serviceMessage, fields }: Refusal, secrets: readonly string[]): Refusal {
  const strike = (text: string) =>
    secrets.reduce((shown, secret) => (secret ? shown.replaceAll(secret, '•••') : shown), text)
  return {
    ...(serviceMessage && { serviceMessage: strike(serviceMessage) }),
    ...(fields && { fields: fields.map(({ field, message }) => ({ field: strike(field), message: strike(message) })) })
  }
}
