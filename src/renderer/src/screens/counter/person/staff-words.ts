/** What staff is told after their PIN: why it was covered, and what would be lost by ending it. */
import type { CounterSession, CoveredBy } from '../../../../../shared/contract/views.ts'
import { counted } from '../../../words/counts.ts'

const reasons: Record<CoveredBy, string> = {
  moment: 'They asked for a moment.',
  help: '“Help” or “Staff” was pressed.',
  finish: 'They said that they have finished.',
  stop: 'They asked to stop.',
  camera: 'The page asks for the camera or the microphone.',
  away: 'The screen was left.',
  idle: 'Nobody touched the screen for a while.',
  'not-me': 'Whoever had the screen said that they are somebody else.',
  blur: 'Another window came to the front.',
  'full-screen': 'The screen was no longer filled.',
  hidden: 'The window was hidden.',
  closing: 'The window was to be closed.',
  display: 'The second display was unplugged.',
  locked: 'The computer was locked, or slept.',
  page: 'Our own page ended, and was opened again.',
  desk: 'It was covered from the desk.'
}

/** Why it was covered, and what of the page is there still. */
export function whyCovered({ coveredBy, phase, asksFor }: CounterSession): string {
  const why = coveredBy && !(coveredBy === 'camera' && asksFor.length > 0) ? `${reasons[coveredBy]} ` : ''
  if (phase === 'covered') return `${why}The page is as it was left.`
  return `${why}${phase === 'failed' ? 'There is no page any more.' : 'No page is open.'}`
}

/** What "End here" means for the page that is open, and for who was still to come. */
export function whatEndingLoses({ phase, turns, current }: CounterSession): string {
  const toCome = turns.filter(({ outcome }, index) => index > current && outcome === undefined).length
  const page =
    phase === 'covered'
      ? 'Ending closes the page: what was filled in or drawn on it and not sent yet is lost. Then the service is asked what it has.'
      : ''
  const rest = toCome === 0 ? '' : `Ending leaves out ${counted(toCome, 'signature')} still to come.`
  return [page, rest].filter(Boolean).join(' ')
}
