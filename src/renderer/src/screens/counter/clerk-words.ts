/** What the person on the second display is doing, for the clerk on the first. */
import type { CounterSession } from '../../../../shared/contract/views.ts'
import { called, sessionTitle } from './outcome-words.ts'

export interface ClerkWords {
  title: string
  more: string
  /** Someone of staff is wanted. */
  isWanted: boolean
}

export function clerkWords({ phase, cover, turns, current, asksFor, wasInterrupted }: CounterSession): ClerkWords {
  const turn = turns[current]
  const who = called(turn?.signerName ?? '')
  const whom = turn?.signerName.trim() || 'the person named on it'
  const calm = (title: string, more: string) => ({ title, more, isWanted: false })
  const wanted = (title: string, more: string) => ({ title, more, isWanted: true })

  if (cover === 'help')
    return wanted(
      'Somebody is wanted at the second display',
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
      'Somebody else has the second display',
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
    : `The page comes from ${host}${protocol === 'http:' ? ', over a line that isn’t encrypted' : ''}`
  return `${from}${allowsCamera ? '. It may use the camera' : ''}.`
}
