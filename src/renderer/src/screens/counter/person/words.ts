/**
 * Wording for the person, in plain words, and for staff after their PIN. Only what the service confirmed is ever called
 * signed.
 */
import type { AppError } from '../../../../../shared/contract/errors.ts'
import type { CounterSession, CounterTurn, CoveredBy, OfferedFile } from '../../../../../shared/contract/views.ts'
import { counted } from '../../../../../shared/counted.ts'
import { capital } from '../../../words/counts.ts'
import { presentError } from '../../../words/errors.ts'
import { type Translator, withoutMarks } from './translator.ts'

/**
 * Text for the person is in their language; text for staff is plain English, as staff need not read another language.
 */
type Say = Translator['say']

/** Maximum length of a host; longer ones lose their beginning, as the end tells whose page it is. */
const MAX_HOST_LENGTH = 48

/** Maximum length of a name on a button, in characters; the heading above has all of it. */
const MAX_NAME_LENGTH = 60

const nameOf = (turn: CounterTurn | undefined) => withoutMarks(turn?.signerName ?? '').trim()

/** Returns whom the screen is for, also if the document has no name. */
export function personName(say: Say, turn: CounterTurn | undefined): string {
  return nameOf(turn) || say('the next person')
}

/** Returns the label of the button with which the person starts. */
export function startLabel(say: Say, turn: CounterTurn | undefined): string {
  const name = nameOf(turn)
  const short = name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH).trimEnd()}…` : name
  return name ? say('I’m {name} – start', { name: short }) : say('I’m the signer – start')
}

export function documentName(say: Say, turn: CounterTurn | undefined): string {
  return withoutMarks(turn?.documentName ?? '').trim() || say('Unnamed document')
}

export interface OriginWords {
  isEncrypted: boolean
  /** Precedes the host; `short` is used if there is little room. */
  said: string
  short: string
  host: string
}

/** Returns where the page comes from, or undefined if that isn't known yet. */
export function originWords(say: Say, origin: string): OriginWords | undefined {
  if (origin === '') return undefined
  const isEncrypted = origin.startsWith('https://')
  const host = origin.replace(/^[a-z]+:\/\//, '')
  return {
    isEncrypted,
    said: isEncrypted ? say('Secure page from') : say('Not secure: page from'),
    short: isEncrypted ? say('Secure:') : say('Not secure:'),
    host: host.length > MAX_HOST_LENGTH ? `…${host.slice(-MAX_HOST_LENGTH)}` : host
  }
}

/** Returns which devices the page asks for, for the person. */
export function needsWords(say: Say, devices: CounterSession['asksFor']): string {
  if (!devices.includes('microphone')) return say('The page needs the camera')
  return devices.includes('camera')
    ? say('The page needs the camera and microphone')
    : say('The page needs the microphone')
}

/** Returns the devices that a page asks for, for staff. */
export function deviceWords(devices: CounterSession['asksFor']): string {
  const names = (['camera', 'microphone'] as const).filter((one) => devices.includes(one))
  return names.join(' and ') || 'camera'
}

/** Returns the outcome of a document for the person who signed; '' while it is still to come. */
export function doneWords(say: Say, outcome: CounterTurn['outcome']): string {
  switch (outcome?.signed) {
    case undefined:
      return ''
    case 'signed':
      return say('Signed')
    case 'declined':
      return say('Declined')
    case 'not-yet':
      return say('Not signed yet')
    case 'unknown':
      return say('Not confirmed yet')
    case 'skipped':
      return say('Not signed')
  }
}

/** Thanks the person who has just finished, while the next person waits. */
export function thanksForPerson(say: Say, turn: CounterTurn | undefined): string {
  const name = nameOf(turn)
  return name ? say('Thank you, {name}', { name }) : say('Thank you')
}

/** Returns the closing message, without naming anything: the screen may be left unattended. */
export function closingMessage(say: Say, turns: readonly CounterTurn[]): string {
  const answers = turns.map(({ outcome }) => outcome?.signed)
  if (answers.every((one) => one === 'signed'))
    return answers.length === 1
      ? say('Your signature has been received.')
      : say('Your signatures on {count} documents have been received.', { count: answers.length })
  if (answers.every((one) => one === 'signed' || one === 'declined'))
    return answers.length === 1 ? say('Your answer has been received.') : say('Your answers have been received.')
  return say('Staff will tell you what happens next.')
}

/** Returns why the page can't be shown, for the person. The main process's own message is for staff, in the details. */
export function failureWords(say: Say, error: AppError): string {
  switch (error.code) {
    case 'not-signable':
      return say('It may be someone else’s turn first, or it’s already been signed.')
    case 'gone':
    case 'not-found':
      return say('The document is no longer available.')
    case 'timeout':
      return say('The page took too long to open.')
    case 'offline':
    case 'dns':
    case 'refused':
    case 'rate-limited':
    case 'server':
      return say('The signing service can’t be reached just now.')
    case 'cancelled':
      return say('The page is closed. Anything that wasn’t submitted is lost.')
    default:
      return say('Something went wrong with the page.')
  }
}

/** The PIN was removed while a person has the screen: nothing can unlock it, and closing is then allowed. */
export const NO_PIN = {
  office: 'The staff PIN was removed from this computer. Close Countersign and open it again to unlock the screen.',
  person: 'The staff PIN was removed from this computer. Please ask staff.'
}

/** Returns why a PIN was refused, in the office's window or on the person's display. */
export function pinWords(error: AppError | undefined, at: keyof typeof NO_PIN): string {
  if (!error || error.code === 'pin-wait') return ''
  if (error.code === 'wrong-pin') return 'Wrong PIN.'
  if (error.code === 'no-pin') return NO_PIN[at]
  const { happened, todo } = presentError(error)
  return `${happened} ${todo}`
}

/** Returns a file's type and size: "PDF, 471 KB". */
export function fileWords({ name, bytes }: OfferedFile): string {
  const [, extension = ''] = /\.([A-Za-z0-9]{1,5})$/.exec(name) ?? []
  const kilobytes = Math.max(1, Math.round(bytes / 1024))
  const size = kilobytes < 1000 ? `${kilobytes} KB` : `${(bytes / (1024 * 1024)).toFixed(1)} MB`
  return [extension.toUpperCase(), size].filter(Boolean).join(', ')
}

/** For staff: the page asked for a file. */
export const NO_FILES =
  'The page asked for a file. Files can’t be chosen while someone signs here. If the form needs one, they can sign on their own device.'

/** For staff: the page got a camera other than the chosen one. */
export const OTHER_CAMERA = 'The camera chosen in Settings isn’t connected or is in use, so the page got another one.'

const coverReasons: Record<CoveredBy, string> = {
  moment: 'They asked for a moment.',
  help: 'They pressed “Help” or “Staff”.',
  finish: 'They said they’ve finished.',
  stop: 'They asked to stop.',
  file: 'The page asked for a file.',
  camera: 'The page needs the camera or microphone.',
  consent: 'The page needs the camera or microphone.',
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
  office: 'Staff hid it from the counter.'
}

/** Returns why the person has to wait for staff, and what is left of their page. */
export function whyLocked(say: Say, { cover, coveredBy, phase }: CounterSession): string {
  if (phase === 'covered') {
    return cover === 'idle'
      ? say('The screen wasn’t used for a while, so the page is hidden. Nothing is lost.')
      : say('Your page is hidden and stays as you left it.')
  }
  if (coveredBy === 'display' && phase === 'failed')
    return say('The screen was unplugged, so the page was closed. Anything that wasn’t submitted is lost.')
  if (phase === 'failed') return say('The page is closed. Anything that wasn’t submitted is lost.')
  return cover === 'idle' ? say('The screen wasn’t used for a while. No page is open.') : say('No page is open.')
}

/** Returns why the page was covered, and what is left of it. */
export function whyCovered({ coveredBy, phase, asksFor }: CounterSession): string {
  const why = coveredBy && !(coveredBy === 'camera' && asksFor.length > 0) ? `${coverReasons[coveredBy]} ` : ''
  if (phase === 'covered') return `${why}The page is as they left it.`
  return `${why}${phase === 'failed' ? 'The page is closed.' : 'No page is open.'}`
}

/** Returns what "End here" means for the open page and for people still to come. */
export function whatEndingLoses({ phase, turns, current }: CounterSession): string {
  // Someone who wasn't handed the page yet can't have signed; otherwise only the service knows.
  const from = phase === 'handover' ? current : current + 1
  const toCome = turns.filter(({ outcome }, index) => index >= from && outcome === undefined).length
  const page =
    phase === 'covered'
      ? 'Ending the session closes the page. Anything filled in or drawn but not submitted is lost.'
      : ''
  if (toCome === 0) return page
  return page
    ? `${page} ${capital(counted(toCome, ['# more signature is', '# more signatures are']))} left for another time.`
    : `If you end the session, ${counted(toCome, ['# signature is', '# signatures are'])} left for another time.`
}
