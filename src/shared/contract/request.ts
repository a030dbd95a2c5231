/** How the contract defines a request, and the inputs that many requests share. */
import { z } from 'zod'

/** A request: the schema of its input. The reply's type exists for the compiler only. */
export interface Request<Input extends z.ZodType = z.ZodType, Reply = unknown> {
  input: Input
  reply?: Reply
}

/** `answers<Reply>()(schema of the input)`. */
export function answers<Reply>() {
  return <Input extends z.ZodType>(input: Input): Request<Input, Reply> => ({ input })
}

export const noInput = z.undefined()
export const id = z.string().min(1).max(200)
export const byId = z.strictObject({ id })
/** One page of a list that may be long. */
export const page = { offset: z.number().int().min(0), limit: z.number().int().min(1).max(500) }
