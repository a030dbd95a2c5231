/**
 * What the person is told, in plain words, and staff after their PIN. Only what the service answered is ever called signed.
 */
import type { AppError } from '../../../../../shared/contract/errors.ts'
import type { CounterSession, CounterTurn, CoveredBy } from '../../../../../shared/contract/views.ts'
import { counted } from '../../../../../shared/counted.ts'
import { capital } from '../../../words/counts.ts'
import { presentError } from '../../../words/errors.ts'

/** Whose page it is in practice: an address of this very computer tells nobody anything. */
export const PRACTICE_SERVICE = 'Practice service on this computer'

/** How much of a host is shown: longer ones lose their beginning, as whose page it is stands at the end. */
const HOST = 48

/** Whom the screen is for, also where the document doesn't say. */
export function personName(turn: CounterTurn | undefined): string {
  return turn?.signerName.trim() || 'the next person'
}

/** What the person says by beginning. */
export function beginWords(turn: CounterTurn | undefined): string {
  return `I’m ${turn?.signerName.trim() || 'the signer'} – start`
}

export function documentName(turn: CounterTurn | undefined): string {
  return turn?.documentName.trim() || 'Unnamed document'
}

export interface OriginWords {
  isEncrypted: boolean
  /** Before the host; the short one where there is little room. */
  said: string
  short: string
  host: string
}

/** Where the page comes from; undefined if that isn't known yet. */
export function originWords(origin: string): OriginWords | undefined {
  if (origin === '') return undefined
  const isEncrypted = origin.startsWith('https://')
  const host = origin.replace(/^[a-z]+:\/\//, '')
  return {
    isEncrypted,
    said: isEncrypted ? 'Secure page from' : 'Not secure: page from',
    short: isEncrypted ? 'Secure:' : 'Not secure:',
    host: host.length > HOST ? `…${host.slice(-HOST)}` : host
  }
}

/** The devices that a page asks for. */
export function deviceWords(devices: CounterSession['asksFor']): string {
  const names = (['camera', 'microphone'] as const).filter((one) => devices.includes(one))
  return names.join(' and ') || 'camera'
}

/** What was done with a document, for the person who did it; '' while that lies before them. */
export function doneWords(outcome: CounterTurn['outcome']): string {
  switch (outcome?.signed) {
    case undefined:
      return ''
    case 'signed':
      return 'Signed'
    case 'declined':
      return 'Declined'
    case 'not-yet':
      return 'Not signed yet'
    case 'unknown':
      return 'Not confirmed yet'
    case 'skipped':
      return 'For later'
  }
}

/** Thanks to the person who has just finished, while the next person waits. */
export function thanked(turn: CounterTurn | undefined): string {
  const name = turn?.signerName.trim()
  return name ? `Thank you, ${name}` : 'Thank you'
}

/** What this person is told at the end, without naming anything: the screen may stand there for a while. */
export function thanks(turns: readonly CounterTurn[]): string {
  const answers = turns.map(({ outcome }) => outcome?.signed)
  if (answers.every((one) => one === 'signed'))
    return answers.length === 1
      ? 'Your signature has been received.'
      : `Your signatures on ${counted(answers.length, ['# document', '# documents'])} have been received.`
  if (answers.every((one) => one === 'signed' || one === 'declined')) return 'Your answer has been received.'
  return 'Staff will tell you what happens next.'
}

/** Why the page can't be shown, to whom it is not the office's affair. */
export function failureWords(error: AppError): string {
  switch (error.code) {
    case 'not-signable':
      return 'It may be someone else’s turn first, or it’s already been signed.'
    case 'gone':
    case 'not-found':
      return 'The document is no longer available.'
    default:
      return presentError(error).happened
  }
}

/** The PIN was taken away while a person has the screen: nothing unlocks it, and closing is allowed then. */
export const NO_PIN = {
  office: 'The staff PIN was removed from this computer. Close Countersign and open it again to unlock the screen.',
  person: 'The staff PIN was removed from this computer. Please ask at the desk.'
}

/** Why a PIN was not taken, at the window of the office or at the person's own. */
export function pinWords(error: AppError | undefined, at: keyof typeof NO_PIN): string {
  if (!error || error.code === 'pin-wait') return ''
  if (error.code === 'wrong-pin') return 'Wrong PIN.'
  if (error.code === 'no-pin') return NO_PIN[at]
  const { happened, todo } = presentError(error)
  return `${happened} ${todo}`
}

/** To staff, where the page asked for a file. */
export const NO_FILES =
  'The page asked for a file. Files can’t be chosen while someone signs here. If the form needs one, they can sign on their own device.'

const reasons: Record<CoveredBy, string> = {
  moment: 'They asked for a moment.',
  help: 'They pressed “Help” or “Staff”.',
  finish: 'They said they’ve finished.',
  stop: 'They asked to stop.',
  camera: 'The page needs the camera or microphone.',
  away: 'The screen was left unattended.',
  idle: 'Nobody used the screen for a while.',
  'not-me': 'They said they’re someone else.',
  blur: 'Another window came to the front.',
  'full-screen': 'Full screen was turned off.',
  hidden: 'The window was hidden.',
  closing: 'Someone tried to close the window.',
  display: 'The second display was unplugged.',
  locked: 'The computer was locked or went to sleep.',
  page: 'Countersign had to reopen this screen.',
  office: 'Staff hid it from the desk.'
}

/** Why the person has to wait for staff, and what of their page is there still. */
export function whyLocked({ cover, coveredBy, phase }: CounterSession): string {
  if (phase === 'covered') {
    return cover === 'idle'
      ? 'The screen wasn’t used for a while, so the page is hidden. Nothing is lost.'
      : 'The screen was left, so the page is hidden. Nothing is lost.'
  }
  if (coveredBy === 'display' && phase === 'failed') {
    return 'The screen was unplugged, so the page was closed. Anything that wasn’t submitted is lost.'
  }
  if (phase === 'failed') return 'The page is closed. Anything that wasn’t submitted is lost.'
  return cover === 'idle'
    ? 'The screen wasn’t used for a while. No page is open.'
    : 'The screen was left. No page is open.'
}

/** Why it was covered, and what of the page is there still. */
export function whyCovered({ coveredBy, phase, asksFor }: CounterSession): string {
  const why = coveredBy && !(coveredBy === 'camera' && asksFor.length > 0) ? `${reasons[coveredBy]} ` : ''
  if (phase === 'covered') return `${why}The page is as they left it.`
  return `${why}${phase === 'failed' ? 'The page is closed.' : 'No page is open.'}`
}

/** What "End here" means for the page that is open, and for who was still to come. */
export function whatEndingLoses({ phase, turns, current }: CounterSession): string {
  const toCome = turns.filter(({ outcome }, index) => index > current && outcome === undefined).length
  const page =
    phase === 'covered'
      ? 'Ending the session closes the page. Anything filled in or drawn but not submitted is lost.'
      : ''
  const rest =
    toCome === 0 ? '' : `${capital(counted(toCome, ['# signature', '# signatures']))} still to come will be skipped.`
  return [page, rest].filter(Boolean).join(' ')
}
