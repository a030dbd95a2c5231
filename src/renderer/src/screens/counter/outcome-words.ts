/** What became of a turn, and of a whole session, in words. "Signed" and "declined" are said only where the service says them. */
import type { CounterOutcome, CounterTurn } from '../../../../shared/contract/views.ts'
import { counted } from '../../words/counts.ts'
import type { StatusShape, StatusTone } from '../../words/statuses.ts'

export interface OutcomeWords {
  shape: StatusShape
  tone: StatusTone
  /** One or two words, for a list. */
  word: string
  /** A sentence with the person's name. */
  title: string
  meaning: string
  /** What to do next; '' where nothing is. */
  todo: string
}

/** What to call a person whose name is not known. */
export function called(signerName: string): string {
  return signerName.trim() || 'The person named on it'
}

/** Which document it is about stands beside the words. */
export function outcomeWords({ signed, error }: CounterOutcome, signerName: string): OutcomeWords {
  const who = called(signerName)
  switch (signed) {
    case 'signed':
      return {
        shape: 'tick',
        tone: 'ok',
        word: 'Signed',
        title: `${who} has signed`,
        meaning: 'The signing service confirms it.',
        todo: ''
      }
    case 'declined':
      return {
        shape: 'cross',
        tone: 'danger',
        word: 'Declined',
        title: `${who} has declined`,
        meaning: 'The signing service says so. Nobody else is asked to sign this document.',
        todo: ''
      }
    case 'not-yet':
      return {
        shape: 'ring',
        tone: 'quiet',
        word: 'Not signed yet',
        title: `${who} has not signed yet`,
        meaning: 'The signing service still waits for it. It is asked again while you see this.',
        todo: 'If the page said that the link is locked, send a reminder or correct the e-mail address first.'
      }
    case 'unknown':
      return {
        shape: 'question',
        tone: 'warn',
        word: 'Not known yet',
        title: 'We don’t know yet what became of it',
        meaning: 'The page is closed, but the signing service could not be asked.',
        todo: 'It is asked again as soon as it answers. Let nobody sign it again before that.'
      }
    case 'skipped':
      return {
        shape: 'bar',
        tone: 'quiet',
        word: 'Not begun',
        title: `${who} did not begin`,
        meaning: error?.message ?? 'The page was never opened.',
        todo: error?.next ?? ''
      }
  }
}

/** What became of all turns, as a heading. */
export function sessionTitle(turns: readonly CounterTurn[]): string {
  const [only] = turns
  if (turns.length === 1 && only?.outcome) return outcomeWords(only.outcome, only.signerName).title
  const signed = turns.filter(({ outcome }) => outcome?.signed === 'signed').length
  const unknown = turns.filter(({ outcome }) => outcome?.signed === 'unknown').length
  if (signed === turns.length) return `All ${turns.length} are signed`
  const known = signed === 0 && unknown === 0 ? 'Nothing was signed' : `${signed} of ${turns.length} signed`
  return unknown === 0 ? known : `${known}, ${counted(unknown, 'is', 'are')} not known yet`
}
