/** What the outbox says: what a package waits for, when it goes, and why the whole box stands still. */
import type { AppError, ErrorCode } from '../../../shared/contract/errors.ts'
import type { OutboxView, SendCounts, SendView } from '../../../shared/contract/views.ts'
import { clockTime, offsetAt, shortDate, shortDay, timeInWords, when, zoneInWords } from './dates.ts'
import { presentError } from './errors.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

export interface Said {
  title: string
  /** What it means for the work. Sentences. */
  meaning: string
}

/** "Friday 4 December, 9 am", the year where it is not this one, by this computer's clock. */
export function dayAndTime(at: number, now: number): string {
  const offset = offsetAt(at)
  return `${shortDate(at, offset, now)}, ${timeInWords(at, offset)}`
}

/** "at 10:43", "tomorrow at 09:00", "on 4 Dec at 09:00": when something is to happen. */
export function comingAt(at: number, now: number): string {
  const days = Math.round((new Date(at).setHours(0, 0, 0, 0) - new Date(now).setHours(0, 0, 0, 0)) / DAY)
  if (days <= 0) return `at ${clockTime(at)}`
  return `${days === 1 ? 'tomorrow' : `on ${shortDay(at, now)}`} at ${clockTime(at)}`
}

/** Seconds until a moment, rounded up; 0 once it is here. */
export function secondsUntil(at: number, now: number): number {
  return Math.max(0, Math.ceil((at - now) / 1000))
}

/** What a package that has not left waits for, and that it goes by itself. */
export function heldInWords(send: SendView, now: number, pause: OutboxView['pause']): Said {
  const { goesAt } = send
  const next = goesAt ?? pause?.until
  switch (send.hold) {
    case 'undo':
      return { title: 'It goes in a moment.', meaning: 'Until then you can take it back.' }
    case 'time':
      return {
        title:
          goesAt === undefined
            ? 'It goes later.'
            : `Goes on ${dayAndTime(goesAt, now)} ${zoneInWords(goesAt, offsetAt(goesAt))}.`,
        meaning: 'It goes by itself if Countersign is open then; otherwise as soon as it is opened.'
      }
    case 'line':
      return {
        title: 'Waiting for a connection.',
        meaning: `It goes by itself, also after a restart.${next === undefined ? '' : ` Next try ${comingAt(next, now)}.`}`
      }
    case 'paused':
      if (pause)
        return {
          title: 'The Outbox is paused.',
          meaning: `${pauseInWords(pause, now).title} It goes when the Outbox goes on.`
        }
      return { title: 'Its batch is paused.', meaning: 'It goes when the batch goes on.' }
    case 'rate-limited':
      return {
        title: 'The service asks for a pause.',
        meaning: `Too many packages came in a short time. It goes by itself${goesAt === undefined ? '' : ` ${comingAt(goesAt, now)}`}.`
      }
    default:
      return { title: 'Waiting its turn.', meaning: 'It goes by itself as soon as those before it have left.' }
  }
}

/** When something happened to it last, or will: for lists. */
export function sendMoment(send: SendView, now: number): string {
  if (send.state === 'ready') {
    if (send.goesAt === undefined) return `since ${when(send.createdAt, now)}`
    if (send.hold === 'undo') return `in ${secondsUntil(send.goesAt, now)} s`
    return comingAt(send.goesAt, now)
  }
  return when(send.settledAt ?? send.attemptedAt ?? send.createdAt, now)
}

const refusals: Partial<Record<ErrorCode, string>> = {
  'payment-required': 'Paused: the service says that a payment is due.',
  quota: 'Paused: the plan of this account has no documents left.',
  unauthorised: 'Paused: the service does not accept the key of this account.',
  forbidden: 'Paused: this account may not send.'
}

/** Why nothing leaves the box, and what to do. */
export function pauseInWords(pause: NonNullable<OutboxView['pause']>, now: number): Said {
  const since = when(pause.since, now)
  if (pause.by === 'person')
    return {
      title: `Paused by you since ${since}.`,
      meaning: 'Nothing leaves until you let it go on. Everything stays here, also after a restart.'
    }
  if (pause.by === 'line') {
    const next = pause.until === undefined ? '' : ` Next try ${comingAt(pause.until, now)}.`
    return {
      title: `Waiting for a connection since ${since}.`,
      meaning: `${whatBroke(pause.error)}Everything stays here and goes by itself, also after a restart.${next}`
    }
  }
  if (pause.until !== undefined) {
    return {
      title: `The service asks for a pause since ${since}.`,
      meaning: `Too many packages came in a short time. It goes on by itself ${comingAt(pause.until, now)}.`
    }
  }
  const words = pause.error && presentError(pause.error)
  return {
    title: (pause.error && refusals[pause.error.code]) ?? 'Paused: the service refuses what is sent.',
    meaning: `${words && !refusals[pause.error?.code ?? 'internal'] ? `${words.happened} ` : ''}Nothing is lost: everything waits here. ${todoOf(pause.error)} Then let it go on.`
  }
}

function whatBroke(error: AppError | undefined): string {
  return error ? `${presentError(error).happened} ` : ''
}

function todoOf(error: AppError | undefined): string {
  return error ? presentError(error).todo : 'Ask your provider what is wrong.'
}

/** "180 sent, 2 need you, 18 waiting": a batch or the whole box in words; what there is none of is left out. */
export function countsInWords(counts: SendCounts, leftOut = 0): string {
  const parts: [number, string][] = [
    [counts.sent, 'sent'],
    [counts.sending, 'being sent'],
    [counts.ready, 'waiting'],
    [counts.uncertain, 'uncertain'],
    [counts.refused, 'refused'],
    [counts.notSent, 'did not arrive'],
    [counts.cancelled, 'cancelled'],
    [leftOut, 'left out']
  ]
  return parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count.toLocaleString('en-GB')} ${word}`)
    .join(', ')
}

/** "1 being sent, 2 waiting": what has not left yet. */
export function underWayInWords({ sending, ready }: Pick<SendCounts, 'sending' | 'ready'>): string {
  return countsInWords({ sent: 0, sending, ready, uncertain: 0, refused: 0, notSent: 0, cancelled: 0 })
}
