/**
 * Decodes the JSON of a response into a value, or a problem with its location. Decoding never throws, and one bad item
 * never loses a list.
 */
import type { z } from 'zod'
import { listOf, received, text } from './spelling.ts'

/** What is wrong in a response, and where: `path` is written like `[3].Signers[0].HasSigned`, `''` for the whole. */
export interface DecodingProblem {
  path: string
  message: string
}

export type Decoded<Value> = { ok: true; value: Value } | { ok: false; problem: DecodingProblem }

/** A list's readable items, and a problem for each unreadable one. */
export interface DecodedList<Item> {
  items: Item[]
  problems: DecodingProblem[]
}

export function decode<Schema extends z.ZodType>(schema: Schema, json: unknown): Decoded<z.output<Schema>> {
  const result = schema.safeParse(json)
  if (result.success) return { ok: true, value: result.data }
  return { ok: false, problem: firstProblem(result.error, []) }
}

/** Decodes a list item by item. Null is an empty list; anything else that isn't a list is a single problem. */
export function decodeList<Schema extends z.ZodType>(
  item: Schema,
  json: unknown
): Decoded<DecodedList<z.output<Schema>>> {
  if (json === null || json === undefined) return { ok: true, value: { items: [], problems: [] } }
  if (!Array.isArray(json)) return { ok: false, problem: { path: '', message: 'is not a list' } }
  const items: z.output<Schema>[] = []
  const problems: DecodingProblem[] = []
  for (const [index, one] of json.entries()) {
    const result = item.safeParse(one)
    if (result.success) items.push(result.data)
    else problems.push(firstProblem(result.error, [index]))
  }
  return { ok: true, value: { items, problems } }
}

function firstProblem(error: z.ZodError, parentPath: PropertyKey[]): DecodingProblem {
  const issue = deepest(error.issues)
  return { path: formatPath([...parentPath, ...(issue?.path ?? [])]), message: issue?.message ?? 'is not readable' }
}

/** Picks the most informative issue: a union reports its own location first, but a failed branch says more. */
function deepest(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
  const [issue] = issues
  if (issue?.code !== 'invalid_union') return issue
  const branches = issue.errors.map((branch) => deepest(branch)).filter((inner) => inner !== undefined)
  const custom = branches.find((inner) => inner.code === 'custom') ?? branches[0]
  return custom ? { ...custom, path: [...issue.path, ...custom.path] } : issue
}

/** Formats a path as in JavaScript: `[0].Signers[1].Email`. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '')
}

/**
 * The body of an error response, as the service's framework sends it (not in the reference; see docs/decisions).
 * StackTrace is left out on purpose: it is never shown and never stored.
 */
export const ErrorResponse = received({
  ResponseStatus: received({
    ErrorCode: text.optional(),
    Message: text.optional(),
    Errors: listOf(
      received({ ErrorCode: text.optional(), FieldName: text.optional(), Message: text.optional() })
    ).optional()
  }).optional()
})
export type ErrorResponse = z.output<typeof ErrorResponse>
