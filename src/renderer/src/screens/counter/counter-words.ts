/**
 * Wording for the outcome of a turn or a whole session, and for what goes on in one. "Signed" and "declined" are used
 * only when the service reports them.
 */
import type { CounterOutcome, CounterSession, CounterTurn } from '../../../../shared/contract/views.ts'
import type { QueuedPerson } from '../../state/queued-people.ts'
import { listed } from '../../words/counts.ts'
import { clockTime, durationInWords, writtenDay } from '../../words/dates.ts'
import { presentError } from '../../words/errors.ts'
import type { StatusShape, StatusTone } from '../../words/statuses.ts'
import { isolated, withoutMarks } from './person/translator.ts'
import { deviceWords } from './person/words.ts'

export interface OutcomeWords {
  shape: StatusShape
  tone: StatusTone
  /** One or two words, for a list. */
  word: string
  /** A sentence with the person's name. */
  title: string
  meaning: string
  /** What to do next; '' if nothing. */
  todo: string
}

/** Shown once per session, however many signed. */
export const SIGNED_MEANING = 'Confirmed by the signing service.'

type DistinguishingDetails = Pick<QueuedPerson, 'contact' | 'born' | 'matters'>

/**
 * Returns what distinguishes people with the same name when their contact is the same or unknown: "born 12 March 1980,
 * matter 2024-117".
 */
export function birthAndMattersInWords({ born, matters }: Omit<DistinguishingDetails, 'contact'>): string {
  return [born && `born ${writtenDay(born)}`, matters.length > 0 && `matter ${listed(matters)}`]
    .filter(Boolean)
    .join(', ')
}

/** The same with the contact, each part only if needed. */
export const distinguishingInWords = (one: DistinguishingDetails) =>
  [one.contact, birthAndMattersInWords(one)].filter(Boolean).join(', ')

/** Returns where another counter of the office has this person: "At Counter 2 since 10:04". */
export function otherStationInWords({ elsewhere }: Pick<QueuedPerson, 'elsewhere'>): string | undefined {
  return elsewhere && `At ${elsewhere.workstation} since ${clockTime(elsewhere.since)}`
}

/** Why another counter may call, or has called, the person signing here. */
export const NOT_RESERVED: Record<NonNullable<CounterSession['notReserved']>, string> = {
  away: 'Not reserved: the office’s server isn’t available, so another counter could call the same person.',
  taken: 'Not reserved: another counter has called the same person.'
}

/** Returns what to call a person whose name may be unknown. */
export function signerLabel(signerName: string): string {
  return signerName.trim() || 'The signer'
}

/** Returns a name as part of an English sentence, whose direction it leaves alone. */
export const inSentence = (name: string): string => isolated(withoutMarks(name), 'ltr')

/** Codes meaning that the page wasn't opened because nobody tried to, or because the document couldn't be signed. */
const NOT_ATTEMPTED: ReadonlySet<string> = new Set(['cancelled', 'not-signable', 'gone'])

/** Returns the wording for an outcome. The document is named next to it, not in it. */
export function outcomeWords({ signed, error }: CounterOutcome, signerName: string): OutcomeWords {
  const who = inSentence(signerLabel(signerName))
  const whom = inSentence(signerName.trim() || 'the signer')
  switch (signed) {
    case 'signed':
      return {
        shape: 'tick',
        tone: 'ok',
        word: 'Signed',
        title: `${who} has signed`,
        meaning: SIGNED_MEANING,
        todo: ''
      }
    case 'declined':
      return {
        shape: 'cross',
        tone: 'danger',
        word: 'Declined',
        title: `${who} declined`,
        meaning: 'Nobody else will be asked to sign this document.',
        todo: ''
      }
    case 'not-yet':
      return {
        shape: 'ring',
        tone: 'quiet',
        word: 'Not signed yet',
        title: `${who} hasn’t signed yet`,
        meaning: 'The signing service hasn’t received a signature. This updates automatically.',
        todo: 'They can start again or sign later. If the page said the link is locked, send a reminder or correct the e-mail address first.'
      }
    case 'unknown':
      return {
        shape: 'question',
        tone: 'warn',
        word: 'Not confirmed yet',
        title: `We can’t confirm the result for ${whom} yet`,
        meaning:
          error?.code === 'gone' || error?.code === 'no-data'
            ? `The page is closed. ${error.message}`
            : `The page is closed, but the signing service didn’t say whether it’s signed.${error ? ` ${error.message}` : ''}`,
        todo:
          error?.code === 'gone' || error?.code === 'no-data'
            ? 'Ask the signer or check on the service’s website before anyone signs again.'
            : 'Countersign checks again automatically. Don’t let anyone sign again until then.'
      }
    case 'skipped': {
      const common = { shape: 'bar', tone: 'quiet', todo: error?.next ?? '' } as const
      // They wanted to sign, so don't say that they didn't start.
      if (error && !NOT_ATTEMPTED.has(error.code)) {
        const title = `The page for ${whom} couldn’t be opened`
        const { happened, todo } = presentError(error)
        return { ...common, word: 'Couldn’t be opened', title, meaning: `The page was never shown. ${happened}`, todo }
      }
      const meaning = error?.message ?? 'The signing page was never opened.'
      return { ...common, word: 'Not started', title: `${who} didn’t start`, meaning }
    }
  }
}

/** Returns the heading for the outcome of all turns. */
export function sessionTitle(turns: readonly CounterTurn[]): string {
  const [only] = turns
  if (turns.length === 1 && only?.outcome) return outcomeWords(only.outcome, only.signerName).title
  const signed = turns.filter(({ outcome }) => outcome?.signed === 'signed').length
  const unknown = turns.filter(({ outcome }) => outcome?.signed === 'unknown').length
  if (signed === turns.length) return `All ${turns.length} signed`
  const declined = turns.filter(({ outcome }) => outcome?.signed === 'declined').length
  if (declined > 0 && signed > 0 && signed + declined === turns.length) return `${signed} signed, ${declined} declined`
  const known = signed === 0 && unknown === 0 ? 'Nothing was signed' : `${signed} of ${turns.length} signed`
  return unknown === 0 ? known : `${known}, ${unknown} not confirmed yet`
}

interface ClerkWords {
  title: string
  more: string
  /** A member of staff is needed. */
  isWanted: boolean
}

/**
 * Describes what the person on the second display is doing, for the clerk on the first.
 * @param endAfter seconds after which a page hidden because nobody was there closes, if known.
 */
export function clerkWords(
  { phase, cover, turns, current, asksFor, asksFile, wasInterrupted }: CounterSession,
  endAfter?: number
): ClerkWords {
  const turn = turns[current]
  const who = inSentence(signerLabel(turn?.signerName ?? ''))
  const whom = inSentence(turn?.signerName.trim() || 'the signer')
  const calm = (title: string, more: string) => ({ title, more, isWanted: false })
  const wanted = (title: string, more: string) => ({ title, more, isWanted: true })

  if (cover === 'help')
    return wanted(
      'Help needed at the second display',
      'They pressed “Help” or “Staff”. The page is hidden until they continue.'
    )
  if (cover === 'camera')
    return wanted(`The page needs the ${deviceWords(asksFor)}`, 'It stays hidden until you decide.')
  if (cover === 'consent')
    return calm(
      `${who} is asked about the ${deviceWords(asksFor)}`,
      'You have allowed it. The page gets it once they agree.'
    )
  if (cover === 'file') {
    if (!asksFile?.files)
      return wanted(
        'The page asks for a file',
        'Choose files or a folder for this signer. They see the file names, and choose one to give to the page.'
      )
    return asksFile.files.length === 0
      ? wanted('The page doesn’t accept these files', 'Choose others, or continue without a file.')
      : calm(`${who} is choosing a file`, 'They see the names of the files you chose.')
  }
  if (cover === 'away')
    return wanted('The page is hidden', 'Nobody can read or sign it until you press “Continue signing”.')
  if (cover === 'not-me')
    return wanted(
      'The wrong person is at the second display',
      `It’s for ${whom}. Check who is there, then continue or end the session.`
    )
  if (cover === 'idle') {
    return wanted(
      'No activity for a while',
      endAfter === undefined
        ? 'The page is hidden and will close automatically.'
        : `The page is hidden. It closes after ${durationInWords(endAfter * 1000)} unless you continue.`
    )
  }
  if (cover === 'staff') return calm('Staff unlocked the second display', 'The staff PIN was entered there.')
  if (cover === 'moment') return calm(`${who} asked for a moment`, 'The page is hidden until they continue.')
  if (cover === 'stop' || cover === 'finish')
    return calm(`${who} is about to ${cover === 'stop' ? 'stop' : 'finish'}`, 'Waiting for them to confirm.')

  switch (phase) {
    case 'handover':
      return calm(`Waiting for ${whom}`, 'The page opens once they confirm who they are on the second display.')
    case 'loading':
      return calm(`${who} is about to sign`, 'The page is loading.')
    case 'open':
    case 'covered':
      return calm(`${who} is signing`, 'The page is open on the second display.')
    case 'asking':
      return calm('Checking the result', `The page for ${whom} is closed.`)
    case 'between':
      return calm(`${who} is looking at the result`, 'They can continue, or open the page again.')
    case 'failed':
      return wanted('The page couldn’t be opened', 'They can try again or skip it on the second display.')
    case 'return':
      return wasInterrupted
        ? wanted('Signing was interrupted', 'Countersign closed unexpectedly. Nothing is on the second display now.')
        : wanted(sessionTitle(turns), 'The page is closed. Enter the staff PIN on the second display, or finish here.')
    case 'ended':
      return calm('Finished', '')
  }
}

/** Describes whose page it is, and what it may use. */
export function pageWords({
  origin,
  allowsCamera,
  isPractice
}: Pick<CounterSession, 'origin' | 'allowsCamera' | 'isPractice'>): string {
  const { protocol, host } = new URL(origin)
  const from = isPractice
    ? 'Page from the practice office on this computer'
    : `Page from ${host}${protocol === 'http:' ? ' (not encrypted)' : ''}`
  return `${from}${allowsCamera ? '. Camera allowed' : ''}.`
}
