/**
 * What every operation needs: the service's address, its path, a strict writer (only the reference's exact shape is ever sent) and a lenient
 * reader of the answer.
 */
import type { z } from 'zod'
import { type DecodedList, type DecodingProblem, decode, decodeList, spell } from '../../../shared/model/index.ts'
import { isServiceError, ServiceError } from './errors.ts'
import { type Refusal, readRefusal } from './refusal.ts'

/** Checks a request against its schema. @throws ServiceError `invalid` with every offending field; nothing was sent. */
export function encode<Schema extends z.ZodType>(
  operation: string,
  schema: Schema,
  request: unknown
): z.output<Schema> {
  const checked = schema.safeParse(request)
  if (checked.success) return checked.data
  const fields = checked.error.issues.map((issue) => ({ field: spell(issue.path), message: issue.message }))
  throw new ServiceError({ code: 'invalid', operation, mayHaveArrived: false, fields })
}

/** A call of an operation: its name, and where it is. */
export function callOf<Options extends object>(
  operation: string,
  options: Options | undefined,
  parameters: Record<string, string> = {}
): Options & { operation: string; path: string } {
  return { ...(options as Options), operation, path: pathTo(operation, parameters) }
}

/** As much of the service's words as people may see. */
export type Shown = (said: Refusal) => Refusal

/** Reads an answer that is one value. @throws ServiceError `unexpected-shape` with the place, and what the service says instead. */
export function decoded<Schema extends z.ZodType>(
  operation: string,
  schema: Schema,
  json: unknown,
  shown: Shown
): z.output<Schema> {
  const result = decode(schema, json)
  if (result.ok) return result.value
  throw unexpected(operation, result.problem, shown(readRefusal(json)))
}

/** Reads an answer that is a list, item by item: one that can't be read becomes a problem and loses no other. */
export function decodedList<Schema extends z.ZodType>(
  operation: string,
  item: Schema,
  json: unknown,
  shown: Shown
): DecodedList<z.output<Schema>> {
  const result = decodeList(item, json)
  if (result.ok) return result.value
  throw unexpected(operation, result.problem, shown(readRefusal(json)))
}

/** It was answered, so it did arrive. */
export function unexpected(operation: string, { path }: Pick<DecodingProblem, 'path'>, said?: Refusal): ServiceError {
  return new ServiceError({ code: 'unexpected-shape', operation, mayHaveArrived: true, path, ...said })
}

/**
 * Joins literal steps and one or more parameters into an encoded path (`/Document/Validation/A%2F1`).
 * @throws ServiceError `invalid` for a parameter that would make another path: empty, `.`, `..`, or no valid text.
 */
export function pathTo(operation: string, parameters: Record<string, string>): string {
  const steps = Object.entries(parameters).map(([name, value]) => {
    // URLs resolve dots away, encoded or not: `..` would call the operation above.
    if (value === '' || value === '.' || value === '..' || !value.isWellFormed()) {
      const fields = [{ field: name, message: 'cannot be part of an address' }]
      throw new ServiceError({ code: 'invalid', operation, mayHaveArrived: false, fields })
    }
    return `/${encodeURIComponent(value)}`
  })
  return `/${operation}${steps.join('')}`
}

/** Waits for the answer of an operation that some services have and the reference doesn't list; undefined if the service doesn't have it (404, 405 or 501). */
export async function undefinedIfUnknown<Value>(answer: Promise<Value>): Promise<Value | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isServiceError(error) && error.code === 'not-found') return undefined
    throw error
  }
}

/** Reads a base URL; a slash at its end is taken off. @throws TypeError where it isn't an absolute http or https URL. */
export function readBaseUrl(text: string): { href: string } {
  const url = URL.parse(text.trim())
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError('The base URL must begin with https:// or http://')
  // fetch refuses addresses with a user in them, and they would turn up in the wrong places.
  if (url.username || url.password) throw new TypeError('The base URL must not contain a user name or password')
  return { href: url.origin + url.pathname.replace(/\/+$/, '') }
}
