/**
 * What became of a turn and of a whole session, and what goes on in one, in words. "Signed" and "declined" are said only where the
 * service says them.
 */
import type { CounterOutcome, CounterSession, CounterTurn } from '../../../../shared/contract/views.ts'
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
        meaning:
          error?.code === 'gone' || error?.code === 'no-data'
            ? `The page is closed. ${error.message}`
            : 'The page is closed, but the signing service could not be asked.',
        todo:
          error?.code === 'gone' || error?.code === 'no-data'
            ? 'Ask the signer, or look on the service’s own page. Let nobody sign it again before that.'
            : 'It is asked again as soon as it answers. Let nobody sign it again before that.'
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

interface ClerkWords {
  title: string
  more: string
  /** Someone of staff is wanted. */
  isWanted: boolean
}

/** What the person on the second display is doing, for the clerk on the first. */
export function clerkWords({ phase, cover, turns, current, asksFor, wasInterrupted }: CounterSession): ClerkWords {
  const turn = turns[current]
  const who = called(turn?.signerName ?? '')
  const whom = turn?.signerName.trim() || 'the person named on it'
  const calm = (title: string, more: string) => ({ title, more, isWanted: false })
  const wanted = (title: string, more: string) => ({ title, more, isWanted: true })

  if (cover === 'help')
    return wanted(
      'Someone is wanted at the second display',
      '“Help” or “Staff” was pressed there. The page is covered until they go on.'
    )
  if (cover === 'camera')
    return wanted(
      `The page asks for the ${asksFor.join(' and the ') || 'camera'}`,
      'It waits, covered, until you say whether it may.'
    )
  if (cover === 'away')
    return wanted('The page is covered', 'Nobody can read or sign it until you press “Go on signing”.')
  if (cover === 'not-me')
    return wanted(
      'Someone else has the second display',
      `It was meant for ${whom}. It is covered; see who stands there, then go on or end.`
    )
  if (cover === 'idle')
    return wanted(
      'Nobody has touched anything for a while',
      'The page is covered. It ends by itself if nothing happens.'
    )
  if (cover === 'staff') return calm('Staff has the second display', 'The PIN was given there.')
  if (cover === 'moment') return calm(`${who} asked for a moment`, 'The page is covered until they go on.')
  if (cover === 'stop' || cover === 'finish')
    return calm(`${who} is about to ${cover === 'stop' ? 'stop' : 'finish'}`, 'They are asked whether they mean it.')

  switch (phase) {
    case 'handover':
      return calm(
        `Waiting for ${whom}`,
        'The second display asks for them. Nothing is loaded before they say that they are there.'
      )
    case 'loading':
      return calm(`${who} is about to sign`, 'The page is being loaded.')
    case 'open':
    case 'covered':
      return calm(`${who} is signing`, 'The page is on the second display.')
    case 'asking':
      return calm('Asking the service', `The page of ${whom} is closed.`)
    case 'between':
      return calm(`${who} sees what was received`, 'The page is closed. They go on, or open it again.')
    case 'failed':
      return wanted('The page can’t be shown', 'The second display offers to try again, or to go on.')
    case 'return':
      return wasInterrupted
        ? wanted(
            'This was interrupted',
            'Countersign ended in the middle of it. Nothing is on the second display any more.'
          )
        : wanted(
            sessionTitle(turns),
            'The page is closed, and the second display asks for the PIN. You can take it back from here, too.'
          )
    case 'ended':
      return calm('It is over', '')
  }
}

/** Whose page it is, and what it may use. */
export function pageWords({
  origin,
  allowsCamera,
  isPractice
}: Pick<CounterSession, 'origin' | 'allowsCamera' | 'isPractice'>): string {
  const { protocol, host } = new URL(origin)
  const from = isPractice
    ? 'The page is the practice office’s, on this computer'
    : `The page comes from ${host}${protocol === 'http:' ? ', over a connection that isn’t encrypted' : ''}`
  return `${from}${allowsCamera ? '. It may use the camera' : ''}.`
}
