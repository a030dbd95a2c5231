/** What became of a turn at the counter, for the clerk. "Signed" and "declined" are said only where the service says them. */
import type { CounterOutcome } from '../../../../shared/contract/views.ts'
import type { StatusShape, StatusTone } from '../../words/statuses.ts'

export interface OutcomeWords {
  shape: StatusShape
  tone: StatusTone
  title: string
  meaning: string
  todo: string
}

/** @param others whether somebody else can sign the same document here now. */
export function outcomeWords(outcome: CounterOutcome, who: string, document: string, others: boolean): OutcomeWords {
  switch (outcome.signed) {
    case 'signed':
      return {
        shape: 'tick',
        tone: 'ok',
        title: `${who} has signed`,
        meaning: `The signing service confirms it for “${document}”.`,
        todo: others ? 'Somebody else can sign the same document now.' : 'Please give the screen back to the desk.'
      }
    case 'declined':
      return {
        shape: 'cross',
        tone: 'danger',
        title: `${who} has declined`,
        meaning: `The signing service says so for “${document}”.`,
        todo: 'The reason, where one was given, stands on the document’s page.'
      }
    case 'not-yet':
      return {
        shape: 'ring',
        tone: 'quiet',
        title: `${who} has not signed yet`,
        meaning: `The signing service still waits for “${document}”.`,
        todo: `${who} has not signed. If the page said that the link is locked, the office has to send a reminder or correct the e-mail address before it opens again.`
      }
    case 'unknown':
      return {
        shape: 'question',
        tone: 'warn',
        title: 'We don’t know yet what became of it',
        meaning: `The page for “${document}” is closed, but the signing service could not be asked.`,
        todo: 'Look at the document’s page once the service answers, before anybody signs again.'
      }
  }
}
