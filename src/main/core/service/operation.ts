/**
 * What every operation needs: the service's address, its path, a strict encoder (only the reference's exact shape is
 * ever sent) and a lenient decoder.
 */
import type { z } from 'zod'
import { type DecodedList, type DecodingProblem, decode, decodeList, formatPath } from '../../../shared/model/index.ts'
import { isServiceError, ServiceError } from './errors.ts'
import { type Refusal, readRefusal } from './refusal.ts'

/**
 * Validates a request against its schema.
 * @throws ServiceError `invalid` with every offending field; nothing was sent.
 */
export function encode<Schema extends z.ZodType>(
  operation: string,
  schema: Schema,
  request: unknown
): z.output<Schema> {
  const checked = schema.safeParse(request)
  if (checked.success) return checked.data
  const fields = checked.error.issues.map((issue) => ({ field: formatPath(issue.path), message: issue.message }))
  throw new ServiceError({ code: 'invalid', operation, mayHaveArrived: false, fields })
}

/** Makes the call of an operation: its name and path, with the caller's options. */
export function callOf<Options extends object>(
  operation: string,
  options: Options | undefined,
  parameters: Record<string, string> = {}
): Options & { operation: string; path: string } {
  return { ...(options as Options), operation, path: pathTo(operation, parameters) }
}

/** Reduces the service's words to what people may see. */
export type Redact = (refusal: Refusal) => Refusal

/**
 * Decodes an answer that is one value.
 * @throws ServiceError `unexpected-shape` with the path, and any error text in the answer.
 */
export function decodeAnswer<Schema extends z.ZodType>(
  operation: string,
  schema: Schema,
  json: unknown,
  redact: Redact
): z.output<Schema> {
  const result = decode(schema, json)
  if (result.ok) return result.value
  throw unexpectedShape(operation, result.problem, redact(readRefusal(json)))
}

/**
 * Decodes a list item by item: an unreadable item becomes a problem and doesn't affect the others.
 * @throws ServiceError `unexpected-shape` if it isn't a list.
 */
export function decodeListAnswer<Schema extends z.ZodType>(
  operation: string,
  item: Schema,
  json: unknown,
  redact: Redact
): DecodedList<z.output<Schema>> {
  const result = decodeList(item, json)
  if (result.ok) return result.value
  throw unexpectedShape(operation, result.problem, redact(readRefusal(json)))
}

/** Makes an `unexpected-shape` error. There was an answer, so the request did arrive. */
export function unexpectedShape(
  operation: string,
  { path }: Pick<DecodingProblem, 'path'>,
  said?: Refusal
): ServiceError {
  return new ServiceError({ code: 'unexpected-shape', operation, mayHaveArrived: true, path, ...said })
}

/**
 * Joins the operation and its parameters into an encoded path (`/Document/Validation/A%2F1`).
 * @throws ServiceError `invalid` for a parameter that would change the path (empty, `.`, `..`) or isn't valid text.
 */
export function pathTo(operation: string, parameters: Record<string, string>): string {
  const steps = Object.entries(parameters).map(([name, value]) => {
    // URLs resolve dots away, encoded or not: `..` would call the parent path.
    if (value === '' || value === '.' || value === '..' || !value.isWellFormed()) {
      const fields = [{ field: name, message: 'cannot be part of an address' }]
      throw new ServiceError({ code: 'invalid', operation, mayHaveArrived: false, fields })
    }
    return `/${encodeURIComponent(value)}`
  })
  return `/${operation}${steps.join('')}`
}

/**
 * Awaits an operation that isn't in the reference and that only some services have; undefined if the service lacks it
 * (404, 405 or 501).
 */
export async function undefinedIfUnsupported<Value>(answer: Promise<Value>): Promise<Value | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isServiceError(error) && error.code === 'not-found') return undefined
    throw error
  }
}

/**
 * Reads a base URL and removes trailing slashes.
 * @throws TypeError if it isn't an absolute http or https URL, or contains credentials.
 */
export function readBaseUrl(text: string): { href: string } {
  const url = URL.parse(text.trim())
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError('The base URL must begin with https:// or http://')
  // fetch rejects URLs with credentials, and they would leak into logs and messages.
  if (url.username || url.password) throw new TypeError('The base URL must not contain a user name or password')
  return { href: url.origin + url.pathname.replace(/\/+$/, '') }
}
