/** What is said of actions: sentences in the user's words. */
import type { AppError } from '../../../shared/contract/index.ts'
import type { Action } from './action-records.ts'

const NAMES: Record<Action['request']['kind'], string> = {
  correct: 'A correction of this document',
  extend: 'Another due date of this package',
  notary: 'An assignment of this document to a notary',
  remind: 'A reminder to this person'
}

/** Why another one of its kind must wait. */
export function busyWith({ request, state }: Pick<Action, 'request' | 'state'>): string {
  const name = NAMES[request.kind]
  switch (state) {
    case 'waiting':
      return `${name} is already waiting for the connection. Take it back first, or let it go.`
    case 'uncertain':
      return `${name} may have been done, and that isn’t settled yet. Check it, or say what became of it, first.`
    default:
      return `${name} is on its way just now.`
  }
}

/** Why one that is done to the same document must wait for it. */
export function behind({ request, state }: Pick<Action, 'request' | 'state'>): string {
  const name = request.kind === 'remind' ? 'A reminder about this document' : NAMES[request.kind]
  return state === 'waiting'
    ? `${name} is waiting for the connection, and this would overtake it. Let it go or take it back first.`
    : `${name} is on its way just now. Wait until it is done, then ask for this.`
}

export const ALREADY_DONE = 'The service has done this already.'

export const NOT_CHECKABLE =
  'The folders don’t show whether this was done. Ask the people concerned, then say what became of it.'

export const INTERRUPTED: AppError = {
  code: 'timeout',
  message: 'Countersign ended before the service’s answer arrived.',
  mayHaveArrived: true
}

export const NEVER_LEFT: AppError = {
  code: 'cancelled',
  message: 'Countersign ended before this left, so nothing was done. Do it again if it is still wanted.',
  mayHaveArrived: false
}

export const NO_REMINDERS: AppError = {
  code: 'not-found',
  message: 'The service knows no reminders for this account, or has this document no longer: nobody was reminded.',
  mayHaveArrived: false
}
