/** Makes the error of an answer whose status says no, with as much of its body as people may see. */
import { charsetOf, parseJson, readBody } from './answer-body.ts'
import type { Authentication } from './authentication.ts'
import { ServiceError } from './errors.ts'
import { codeForStatus, type Refusal, readRefusal, statusMayHaveArrived } from './refusal.ts'
import { readRetryAfter } from './retry.ts'
import type { Watch } from './time-limits.ts'

/** More of an error's body than this is not worth reading. */
const ERROR_BODY_BYTES = 256 * 1024

/** @param now milliseconds since 1970 UTC, against which a Retry-After date is read. */
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
    retryAfterMs: readRetryAfter(response.headers.get('retry-after'), now),
    ...withoutSecrets(said, authentication.secrets)
  })
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
