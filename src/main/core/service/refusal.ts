/**
 * Turns an error response into a ServiceError: its code, the service's own words as far as people may see them, and the
 * problems of single fields.
 */
import { decode, ErrorResponse } from '../../../shared/model/index.ts'
import { redactionOf } from '../lib/redaction.ts'
import { charsetOf, parseJson, readBody } from './answer-body.ts'
import type { Authentication } from './authentication.ts'
import { type FieldProblem, ServiceError, type ServiceErrorCode } from './errors.ts'
import type { Watchdog } from './limits.ts'
import { readRetryAfter } from './limits.ts'

/** Longest message of the service that is passed on, in characters. */
const MAX_MESSAGE_LENGTH = 500
const MAX_FIELDS = 100

const BY_STATUS = new Map<number, ServiceErrorCode>([
  [401, 'unauthorised'],
  [402, 'payment-required'],
  [403, 'forbidden'],
  [404, 'not-found'],
  [405, 'not-found'],
  // The service can't answer in the format that we read.
  [406, 'not-json'],
  // A proxy on the way wants us to sign in; the service never saw the request.
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
  // "Network authentication required": a guest network's sign-in page is in the way.
  [511, 'offline']
])

/** Returns the code for a status outside 200 to 299. */
function codeForStatus(status: number): ServiceErrorCode {
  const known = BY_STATUS.get(status)
  if (known) return known
  if (status >= 300 && status < 400) return 'redirected'
  return status >= 500 || status < 300 ? 'server' : 'invalid'
}

/**
 * Returns whether a request that got this status may have been acted on.
 *
 * 4xx: the service refused, so no. Exceptions: frameworks notice only after doing the work that they can't format the
 * answer (406), and 408 may come from a proxy that timed out. 500: the service took the request and failed somewhere
 * inside, perhaps after the invitations went out. 502 and 504: a gateway passed the request on and got no valid answer.
 * 503: mostly turned away at the door, but a gateway says the same if the service dies half-way, and the two can't be
 * told apart. 501 and 505: not understood, so not done. 511: a guest network answered instead. 303 and 302: how many
 * sites answer a request that they have carried out. 301, 307 and 308 say "ask over there", so nothing was done here.
 */
export function statusMayHaveArrived(status: number): boolean {
  if (status >= 400 && status < 500) return status === 406 || status === 408
  return ![301, 307, 308, 501, 505, 511].includes(status)
}

export interface Refusal {
  serviceMessage?: string
  fields?: FieldProblem[]
}

/** Reads an error's body. Returns nothing for any format but the framework's error body; a StackTrace is never read. */
export function readRefusal(json: unknown): Refusal {
  const decoded = decode(ErrorResponse, json)
  if (!decoded.ok) return {}
  const { Message, Errors } = decoded.value.ResponseStatus ?? {}
  const serviceMessage = oneLine(Message)
  const fields = (Errors ?? [])
    .slice(0, MAX_FIELDS)
    .map((problem) => ({ field: oneLine(problem.FieldName), message: oneLine(problem.Message) }))
    .filter((problem) => problem.field !== '' || problem.message !== '')
  return { ...(serviceMessage && { serviceMessage }), ...(fields.length > 0 && { fields }) }
}

/**
 * Reduces a message to one line. Frameworks put the stack trace into it too, so everything from the trace on is
 * dropped, as are control characters.
 */
function oneLine(text: string | undefined): string {
  const untraced = (text ?? '').split(/(?:^|[\r\n]+)\s*(?:at|---)\s/)[0] ?? ''
  // Bidirectional marks could make the sentence read differently.
  const plain = untraced
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return plain.length > MAX_MESSAGE_LENGTH ? `${plain.slice(0, MAX_MESSAGE_LENGTH - 1)}…` : plain
}

/** Error bodies are read up to this size. */
const ERROR_BODY_BYTES = 256 * 1024

/**
 * Makes the error of a response outside 200 to 299.
 * @param now milliseconds since 1970 UTC, the base for Retry-After dates and the service's own date.
 */
export async function responseError(
  operation: string,
  response: Response,
  watchdog: Watchdog,
  authentication: Authentication,
  now: number
): Promise<ServiceError> {
  const { status } = response
  const body = await readErrorBody(response, watchdog)
  return new ServiceError({
    code: codeForStatus(status),
    operation,
    status,
    mayHaveArrived: statusMayHaveArrived(status),
    clockAheadMs: clockAhead(response.headers.get('date'), now),
    retryAfterMs: retryAfterIn(response.headers, now),
    isTokenExpired: status === 401 && saysTokenExpired(response.headers.get('www-authenticate')),
    ...withoutSecrets(body, authentication.secrets)
  })
}

/** Per RFC 6750; `invalid_token` alone may also mean that the token was never valid. */
function saysTokenExpired(challenge: string | null): boolean | undefined {
  return (/error="?invalid_token\b/i.test(challenge ?? '') && /\bexpired\b/i.test(challenge ?? '')) || undefined
}

/**
 * Returns how far this computer's clock is ahead of the service's, in milliseconds; undefined if the service doesn't
 * send its time.
 * @param date the response's Date header, precise to the second.
 */
export function clockAhead(date: string | null, now: number): number | undefined {
  const theirs = Date.parse(date ?? '')
  return Number.isNaN(theirs) ? undefined : now - theirs
}

/**
 * Returns how long the service asks us to wait, in milliseconds; undefined if it doesn't. A date counts by its own clock,
 * as this computer's may be wrong.
 */
export function retryAfterIn(headers: Headers, now: number): number | undefined {
  return readRetryAfter(headers.get('retry-after'), now - (clockAhead(headers.get('date'), now) ?? 0))
}

/** The status alone says what happened, so a bad body is ignored. */
async function readErrorBody(response: Response, watchdog: Watchdog): Promise<Refusal> {
  return readRefusal(await readSmallJson(response, watchdog))
}

/** Returns an error that came with a status of success; undefined if the answer is anything else. Never rejects. */
export async function readErrorAnswer(response: Response, watchdog: Watchdog): Promise<Refusal | undefined> {
  const json = await readSmallJson(response, watchdog)
  const decoded = decode(ErrorResponse, json)
  return decoded.ok && decoded.value.ResponseStatus?.ErrorCode ? readRefusal(json) : undefined
}

/** Returns undefined if the body can't be read. */
async function readSmallJson(response: Response, watchdog: Watchdog): Promise<unknown> {
  try {
    const bytes = await readBody(response, ERROR_BODY_BYTES, watchdog)
    return await parseJson(bytes, charsetOf(response.headers.get('content-type')))
  } catch {
    return undefined
  }
}

/** Redacts the account's secrets wherever the service repeats them. */
export function withoutSecrets({ serviceMessage, fields }: Refusal, secrets: readonly string[]): Refusal {
  const { hide } = redactionOf(secrets)
  return {
    ...(serviceMessage && { serviceMessage: hide(serviceMessage) }),
    ...(fields && { fields: fields.map(({ field, message }) => ({ field: hide(field), message: hide(message) })) })
  }
}
