/** The body that comes with an error, by the service's framework (not in the reference; see docs/decisions). */
import type { z } from 'zod'
import { listOf, received, text } from './spelling.ts'

/** StackTrace is deliberately not named: it is never shown and never kept. */
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
