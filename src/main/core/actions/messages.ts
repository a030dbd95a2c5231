/** Messages about actions, in the user's words. */
import type { AppError } from '../../../shared/contract/index.ts'
import type { Action } from './action-records.ts'

const NAMES: Record<Action['request']['kind'], string> = {
  correct: 'A correction of this document',
  extend: 'Another due date change for this package',
  notary: 'An assignment of this document to a notary',
  remind: 'A reminder to this person'
}

/** Says why another action of the same kind must wait. */
export function busyWith({ request, state }: Pick<Action, 'request' | 'state'>): string {
  const name = NAMES[request.kind]
  switch (state) {
    case 'waiting':
      return `${name} is already waiting for a connection. Undo it first, or wait.`
    case 'uncertain':
      return `${name} isn’t confirmed yet. Check it first.`
    default:
      return `${name} is already in progress.`
  }
}

/** Says why another action on the same document must wait for it. */
export function blockedBy({ request, state }: Pick<Action, 'request' | 'state'>): string {
  const name = request.kind === 'remind' ? 'A reminder about this document' : NAMES[request.kind]
  return state === 'waiting'
    ? `${name} is still waiting for a connection. Undo it first, or wait.`
    : `${name} is in progress. Wait until it’s done.`
}

export const ALREADY_DONE = 'This has already been done.'

export const NOT_CHECKABLE =
  'Your folders don’t show whether this was done. Ask the people concerned, then choose what happened.'

export const INTERRUPTED: AppError = {
  code: 'timeout',
  message: 'Countersign was closed before the service answered.',
  mayHaveArrived: true
}

export const NEVER_SENT: AppError = {
  code: 'cancelled',
  message: 'Countersign was closed before this was sent, so nothing was done. Do it again if you still want it.',
  mayHaveArrived: false
}

export const NO_REMINDERS: AppError = {
  code: 'not-found',
  message: 'This account has no reminders, or the document is no longer on the service. No reminder was sent.',
  mayHaveArrived: false
}
