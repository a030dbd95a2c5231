/** What is done to documents, in words: what it is called, how it stands and what it means that it does. */
import type { ActionRequest } from '../../../shared/contract/document-actions.ts'
import type { AppError } from '../../../shared/contract/errors.ts'
import type { ActionView } from '../../../shared/contract/views.ts'
import { counted, listed } from './counts.ts'
import { momentInWords, offsetAt, offsetInWords } from './dates.ts'
import { presentError } from './errors.ts'

export interface ActionWords {
  /** "Extension of the due date is uncertain." */
  title: string
  /** What it means and what follows. Sentences. */
  meaning: string
}

/** What it is: "Extend to Friday 5 December 2025 at 17:00, …". */
export function actionInWords(request: ActionRequest): string {
  switch (request.kind) {
    case 'extend':
      return `Extend the due date to ${dueInWords(request)}`
    case 'correct':
      return `Correct ${listed(request.signers.map(nameOf))}`
    case 'notary':
      return `Assign to the queue of the notary ${request.notaryReference}`
    case 'remind':
      return `Remind ${request.signerName || 'the signer'}`
  }
}

/** How it stands. Nothing is said to be done before the service said so. */
export function actionStateInWords({ request, state, notary }: ActionView): ActionWords {
  const what = actionInWords(request)
  switch (state) {
    case 'waiting':
      return {
        title: `${what}: will be done once you’re online again.`,
        meaning: 'It goes by itself, also after a restart. Until it goes you can take it back.'
      }
    case 'running':
      return { title: `${what}: on its way…`, meaning: 'The service has been asked and has not answered yet.' }
    case 'done':
      return { title: doneTitle(request), meaning: doneMeaning(request, notary) }
    case 'refused':
      return { title: `${what}: not done.`, meaning: 'The document is as it was before.' }
    case 'uncertain':
      return {
        title: `${what}: the answer was lost.`,
        meaning: `It may have been done. ${twiceInWords(request)}`
      }
    case 'cancelled':
      return { title: `${what}: taken back.`, meaning: 'It never left this computer.' }
  }
}

/** Why it was not done. Sentences; what the service says is shown apart, as text. */
export function refusalInWords(error: AppError, { request, attemptedAt }: ActionView): string {
  const { happened, canRetry } = presentError(error)
  const why = error.code === 'invalid' ? 'The service did not accept what was asked for.' : happened
  // Of several signers a service may take some and refuse the others.
  const isWhole = attemptedAt === undefined || request.kind !== 'correct' || request.signers.length === 1
  const after = isWhole
    ? 'The document is as it was before.'
    : 'See below whether any of the signers was changed all the same.'
  return `${why} ${after}${canRetry ? ' Trying again may help.' : ''}`
}

/** What it would mean to have it done twice. */
export function twiceInWords(request: ActionRequest): string {
  switch (request.kind) {
    case 'extend':
      return 'Done twice, the due date would still be the same.'
    case 'correct':
      return `Done twice, the signer${request.signers.length === 1 ? '' : 's'} might be invited two times.`
    case 'notary':
      return 'Done twice, it might stand in the queue two times, or people be invited two times.'
    case 'remind':
      return 'Done twice, the signer would be reminded two times.'
  }
}

/** What came of what was just started, in one sentence, and whether it is good news. */
export function startedInWords(actions: readonly ActionView[]): { text: string; isGood: boolean } {
  const [only] = actions
  const isGood = actions.every(({ state }) => GOOD.has(state))
  if (actions.length === 1 && only) return { text: actionStateInWords(only).title, isGood }
  const by = Map.groupBy(actions, ({ state }) => state)
  const parts = [...by].map(([state, some]) => `${some.length.toLocaleString('en-GB')} ${STANDING[state]}`)
  return { text: `Of ${counted(actions.length, 'package')}: ${parts.join(', ')}.`, isGood }
}

const GOOD: ReadonlySet<ActionView['state']> = new Set(['done', 'waiting', 'running'])
const STANDING: Record<ActionView['state'], string> = {
  done: 'done',
  waiting: 'will go once you’re online again',
  running: 'on the way',
  refused: 'not done',
  uncertain: 'without an answer',
  cancelled: 'taken back'
}

function doneTitle(request: ActionRequest): string {
  switch (request.kind) {
    case 'extend':
      return 'The due date was changed.'
    case 'correct':
      return request.signers.length === 1
        ? `${nameOf(request.signers[0])} was corrected.`
        : `${counted(request.signers.length, 'signer')} were corrected.`
    case 'notary':
      return 'Assigned to the notary’s queue.'
    case 'remind':
      return `${request.signerName || 'The signer'} was reminded.`
  }
}

function doneMeaning(request: ActionRequest, notary: ActionView['notary']): string {
  switch (request.kind) {
    case 'extend':
      return `It is now ${dueInWords(request)}, for every document of the package.`
    case 'correct':
      return 'The service has taken the new details.'
    case 'notary':
      return notary ? 'This came back:' : 'The service said yes, and nothing more.'
    case 'remind':
      return 'The service has taken the reminder.'
  }
}

function dueInWords({ dueDate, gmt }: Extract<ActionRequest, { kind: 'extend' }>): string {
  const at = Date.parse(dueDate)
  if (Number.isNaN(at)) return dueDate
  const words = momentInWords(at)
  return gmt === offsetAt(at) ? words : `${words} (sent as ${offsetInWords(gmt)})`
}

function nameOf(signer: { FirstName: string; LastName: string } | undefined): string {
  return signer ? `${signer.FirstName} ${signer.LastName}` : 'The signer'
}
