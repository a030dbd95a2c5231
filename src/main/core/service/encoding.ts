/** Strict writer, lenient reader: what is sent is exactly the reference's shape, and what isn't is never sent. */
import type { z } from 'zod'
import { type DecodedList, type DecodingProblem, decode, decodeList, spell } from '../../../shared/model/index.ts'
import { ServiceError } from './errors.ts'

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

/** Reads an answer that is one value. @throws ServiceError `unexpected-shape` with the place. */
export function decoded<Schema extends z.ZodType>(operation: string, schema: Schema, json: unknown): z.output<Schema> {
  const result = decode(schema, json)
  if (result.ok) return result.value
  throw unexpected(operation, result.problem)
}

/** Reads an answer that is a list, item by item: one that can't be read becomes a problem and loses no other. */
export function decodedList<Schema extends z.ZodType>(
  operation: string,
  item: Schema,
  json: unknown
): DecodedList<z.output<Schema>> {
  const result = decodeList(item, json)
  if (result.ok) return result.value
  throw unexpected(operation, result.problem)
}

/** It was answered, so it did arrive. */
export function unexpected(operation: string, problem: Pick<DecodingProblem, 'path'>): ServiceError {
  return new ServiceError({ code: 'unexpected-shape', operation, mayHaveArrived: true, path: problem.path })
}
