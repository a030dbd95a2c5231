/** Makes the request of a composition exactly as it will leave, or says what is missing or has passed. */
import {
  type Composition,
  problemsOf,
  toFormDirectRequest,
  toFormFillerRequest
} from '../../../shared/composition/index.ts'
import type { AppError } from '../../../shared/contract/index.ts'
import { SendFormDirectRequest, SendFormFillerRequest, spell } from '../../../shared/model/index.ts'
import { AppFailure } from '../lib/failure.ts'
import { markOf } from './matching.ts'
import type { SentRequest } from './send-record.ts'

/**
 * The request of a send, with our mark wherever no ClientReference was typed.
 * @param leavesAt when it is to leave, in milliseconds since 1970 UTC: its due date must be later.
 * @throws AppFailure `invalid` with its fields.
 */
export function requestOf(composition: Composition, sendId: string, leavesAt: number): SentRequest {
  const errors = problemsOf(composition, leavesAt).filter((problem) => problem.severity === 'error')
  const mark = (index: number) => `${markOf(sendId)}${index + 1}`
  const { kind } = composition
  const checked =
    kind === 'form-direct'
      ? SendFormDirectRequest.safeParse(toFormDirectRequest(composition, mark))
      : SendFormFillerRequest.safeParse(toFormFillerRequest(composition, mark))
  if (errors.length > 0 || !checked.success) {
    // Our own words if we have them; the model's are the last resort.
    const fields =
      errors.length > 0
        ? errors.map(({ at, message }) => ({ field: at, message }))
        : checked.error?.issues.map((issue) => ({ field: spell(issue.path), message: issue.message }))
    throw new AppFailure({
      code: 'invalid',
      message: 'Some of what is needed is missing or wrong.',
      mayHaveArrived: false,
      ...(fields && { fields })
    })
  }
  return { kind, request: checked.data } as SentRequest
}

/** Why a request can't leave any more; undefined if it can. The service would refuse it, or let it expire at once. */
export function overdue({ request }: SentRequest, now: number): AppError | undefined {
  const due = request.DueDate === undefined ? Number.NaN : Date.parse(request.DueDate)
  if (Number.isNaN(due) || due > now) return undefined
  const message = 'The due date passed before this could be sent. Choose a later one, and send it again.'
  return { code: 'invalid', message, mayHaveArrived: false, fields: [{ field: 'due', message }] }
}
