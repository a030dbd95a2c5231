/** Actions on documents in words: their names, their states, and what each state means. */
import type { ActionRequest, SignerCorrection } from '../../../shared/contract/document-actions.ts'
import type { AppError } from '../../../shared/contract/errors.ts'
import type { ActionView } from '../../../shared/contract/views.ts'
import { counted } from '../../../shared/counted.ts'
import { listed } from './counts.ts'
import { momentInWords } from './dates.ts'
import { presentError } from './errors.ts'

export interface ActionWords {
  /** "Due date changed to Friday 5 December 2025 at 17:00." */
  title: string
  /** What it means and what follows, in sentences. Empty if the title says it. */
  meaning: string
}

/** Names an action: "Extend the due date to Friday 5 December 2025 at 17:00". */
export function actionInWords(request: ActionRequest): string {
  switch (request.kind) {
    case 'extend':
      return `Extend the due date to ${dueInWords(request)}`
    case 'correct':
      return `Correct ${listed(request.signers.map(nameOf))}`
    case 'notary':
      return `Assign to notary ${request.notaryReference}`
    case 'remind':
      return `Reminder to ${request.signerName || 'the signer'}`
  }
}

/** Describes an action's state. Nothing is called done before the service has said so. */
export function actionStateInWords({ request, state }: Pick<ActionView, 'request' | 'state'>): ActionWords {
  const what = actionInWords(request)
  switch (state) {
    case 'waiting':
      return {
        title: `${what}: waiting for a connection.`,
        meaning: 'It will be done automatically. You can undo it until then.'
      }
    case 'running':
      return { title: `${what}: in progress…`, meaning: 'Waiting for the service to answer.' }
    case 'done':
      return {
        title: doneTitle(request),
        meaning: doneMeaning(request)
      }
    case 'refused':
      return { title: failedTitle(request), meaning: 'The document hasn’t changed.' }
    case 'uncertain':
      return {
        title: `${what}: not confirmed.`,
        meaning: `The service didn’t answer, so this may or may not have been done. ${repeatInWords(request)}`
      }
    case 'cancelled':
      return { title: `${what}: cancelled.`, meaning: '' }
  }
}

/**
 * Returns what happened and what to do if another workstation got there first and nothing was sent from here. Undefined
 * if the service refused it.
 */
export function officeRefusalInWords({ state, attemptedAt, error }: ActionView): ActionWords | undefined {
  if (state !== 'refused' || attemptedAt !== undefined || error?.code !== 'conflict') return undefined
  return { title: error.message, meaning: error.next ?? '' }
}

/** Explains in sentences why it wasn't done. The service's own message is shown separately, as text. */
export function refusalInWords(error: AppError, { request, attemptedAt }: ActionView): string {
  const { happened } = presentError(error)
  const why = error.code === 'invalid' ? 'The service didn’t accept this.' : happened
  // With several signers, a service may accept some and refuse the others.
  const isAllOrNothing = attemptedAt === undefined || request.kind !== 'correct' || request.signers.length === 1
  const after = isAllOrNothing ? 'The document hasn’t changed.' : 'Check below: some signers may have been changed.'
  return `${why} ${after}`
}

/** Explains what doing it twice would mean. */
export function repeatInWords(request: ActionRequest): string {
  switch (request.kind) {
    case 'extend':
      return 'Doing it again is safe: the due date would be the same.'
    case 'correct':
      return `Doing it again could invite the signer${request.signers.length === 1 ? '' : 's'} twice.`
    case 'notary':
      return 'Doing it again could add it to the queue twice, or invite people twice.'
    case 'remind':
      return 'Doing it again would remind the signer twice.'
  }
}

/** Sums up the actions just started in one sentence, and whether that is good news. */
export function startedInWords(actions: readonly ActionView[]): { text: string; isGood: boolean } {
  const [only] = actions
  const isGood = actions.every(({ state }) => GOOD_STATES.has(state))
  if (actions.length === 1 && only) return { text: actionStateInWords(only).title, isGood }
  const areReminders = actions.every(({ request }) => request.kind === 'remind')
  if (areReminders && actions.every(({ state }) => state === 'done')) {
    return { text: `${counted(actions.length, ['# person', '# people'])} reminded.`, isGood }
  }
  const by = Map.groupBy(actions, ({ state }) => state)
  const parts = [...by].map(([state, some]) => `${some.length.toLocaleString('en-GB')} ${STATE_TEXTS[state]}`)
  return {
    text: `${areReminders ? counted(actions.length, ['# reminder', '# reminders']) : counted(actions.length, ['# package', '# packages'])}: ${parts.join(', ')}.`,
    isGood
  }
}

const GOOD_STATES: ReadonlySet<ActionView['state']> = new Set(['done', 'waiting', 'running'])
const STATE_TEXTS: Record<ActionView['state'], string> = {
  done: 'done',
  waiting: 'waiting for a connection',
  running: 'in progress',
  refused: 'failed',
  uncertain: 'not confirmed',
  cancelled: 'cancelled'
}

function doneTitle(request: ActionRequest): string {
  switch (request.kind) {
    case 'extend':
      return `Due date changed to ${dueInWords(request)}.`
    case 'correct':
      return request.signers.length === 1
        ? `Details of ${nameOf(request.signers[0])} corrected.`
        : `Details of ${counted(request.signers.length, ['# signer', '# signers'])} corrected.`
    case 'notary':
      return `Assigned to notary ${request.notaryReference}.`
    case 'remind':
      return `Reminder sent to ${request.signerName || 'the signer'}.`
  }
}

/** Returns whether a correction gives the signer another e-mail address. */
export function isReaddressed({ Email, was }: SignerCorrection): boolean {
  return Email.trim() !== was.Email.trim()
}

function doneMeaning(request: ActionRequest): string {
  if (request.kind === 'extend') return 'This applies to the whole package.'
  return request.kind === 'correct' && request.signers.some(isReaddressed)
    ? 'A reminder sends the link to the new address.'
    : ''
}

function failedTitle(request: ActionRequest): string {
  switch (request.kind) {
    case 'extend':
      return 'The due date wasn’t changed.'
    case 'correct':
      return `Correcting ${listed(request.signers.map(nameOf))} failed.`
    case 'notary':
      return `Assigning to notary ${request.notaryReference} failed.`
    case 'remind':
      return `The reminder to ${request.signerName || 'the signer'} failed.`
  }
}

function dueInWords({ dueDate, gmt }: Extract<ActionRequest, { kind: 'extend' }>): string {
  const at = Date.parse(dueDate)
  if (Number.isNaN(at)) return dueDate
  return momentInWords(at, gmt)
}

function nameOf(signer: { FirstName: string; LastName: string } | undefined): string {
  return signer ? `${signer.FirstName} ${signer.LastName}` : 'the signer'
}
