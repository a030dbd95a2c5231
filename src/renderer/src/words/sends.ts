/** The outbox in words: what a package is waiting for, when it is sent, and why the whole outbox is paused. */
import { type AppError, type ErrorCode, errorText } from '../../../shared/contract/errors.ts'
import type { EarlierSend, OutboxView, SendCounts, SendView } from '../../../shared/contract/views.ts'
import { clockTime, offsetAt, shortDate, shortDay, whenInWords } from './dates.ts'
import { presentError } from './errors.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

export interface TitledText {
  title: string
  /** What it means for the work, in sentences. */
  meaning: string
  /** What someone wrote about it. */
  quote?: string
}

/** Returns "Friday 4 December, 09:00" by this computer's clock, with the year if it isn't the current one. */
export function dayAndTime(at: number, now: number): string {
  const offset = offsetAt(at)
  return `${shortDate(at, offset, now)}, ${clockTime(at, offset)}`
}

/** Returns when something will happen: "at 10:43", "tomorrow at 09:00", "on 4 Dec at 09:00". */
export function upcomingInWords(at: number, now: number): string {
  const days = Math.round((new Date(at).setHours(0, 0, 0, 0) - new Date(now).setHours(0, 0, 0, 0)) / DAY)
  if (days <= 0) return `at ${clockTime(at)}`
  return days === 1 ? `tomorrow at ${clockTime(at)}` : `on ${shortDay(at, now)} at ${clockTime(at)}`
}

/** Returns the seconds until a time, rounded up; 0 once it is reached. */
export function secondsUntil(at: number, now: number): number {
  return Math.max(0, Math.ceil((at - now) / 1000))
}

/** Explains what an unsent package is waiting for, and when it is sent. */
export function heldInWords(send: SendView, now: number, pause: OutboxView['pause']): TitledText {
  const { goesAt } = send
  const next = goesAt ?? pause?.until
  switch (send.hold) {
    case 'undo':
      return { title: 'Sending in a moment.', meaning: 'You can undo this until then.' }
    case 'time':
      return {
        title: goesAt === undefined ? 'Scheduled.' : `Scheduled for ${dayAndTime(goesAt, now)}.`,
        meaning: 'Keep Countersign open. If it’s closed at that time, this is sent when you next open it.'
      }
    case 'line':
      return {
        title: 'Waiting for a connection.',
        meaning: `It will be sent automatically.${next === undefined ? '' : ` Next try ${upcomingInWords(next, now)}.`}`
      }
    case 'paused':
      if (pause)
        return {
          title: pauseInWords(pause, now).title,
          meaning: 'It will be sent once you resume the Outbox.'
        }
      return { title: 'This batch is paused.', meaning: 'It will be sent once you resume the batch.' }
    case 'rate-limited':
      return {
        title: 'The service is busy.',
        meaning: `Too many packages were sent in a short time. This one will be sent automatically${goesAt === undefined ? '' : ` ${upcomingInWords(goesAt, now)}`}.`
      }
    case 'release':
      return releaseInWords(send.release)
    case 'office':
      return {
        title: 'Waiting for the office’s server.',
        meaning: 'It will be sent automatically once the server can be reached.'
      }
    default:
      return { title: 'Queued.', meaning: 'It will be sent after the packages ahead of it.' }
  }
}

function releaseInWords(release: SendView['release']): TitledText {
  if (release?.refused)
    return {
      title: `${release.refused.by || 'Someone'} didn’t release this.`,
      quote: release.refused.reason,
      meaning: 'Undo the send, correct it and send it again.'
    }
  return {
    title: 'Waiting for release.',
    meaning: release?.by
      ? `Prepared by ${release.by}. It will be sent once another person, a manager or administrator, releases it.`
      : 'It will be sent once a manager or administrator releases it.'
  }
}

/** Returns who didn't release a package and why, or whose release it waits for. Undefined if it needs none. */
export function releaseReason({ release }: SendView): string | undefined {
  if (release?.refused) return `${release.refused.by || 'Someone'}: “${release.refused.reason}”`
  return release && (release.by ? `Prepared by ${release.by}` : 'Waiting for release')
}

/** Returns when something last happened to a send, or will next. For lists. */
export function sendMoment(send: SendView, now: number): string {
  if (send.state === 'ready') {
    if (send.goesAt === undefined) return `since ${whenInWords(send.createdAt, now)}`
    if (send.hold === 'undo') return `in ${secondsUntil(send.goesAt, now)} s`
    return upcomingInWords(send.goesAt, now)
  }
  return whenInWords(send.settledAt ?? send.attemptedAt ?? send.createdAt, now)
}

const pauseTitles: Partial<Record<ErrorCode, string>> = {
  'payment-required': 'Paused: the service says a payment is due.',
  quota: 'Paused: this account’s plan has no documents left.',
  unauthorised: 'Paused: the service doesn’t accept this account’s key.'
}

/**
 * Explains why nothing is being sent, and what to do. @param office set if the outbox is shared with other
 * workstations.
 */
export function pauseInWords(
  pause: NonNullable<OutboxView['pause']>,
  now: number,
  office?: OutboxView['office']
): TitledText {
  const since = whenInWords(pause.since, now)
  if (pause.by === 'person' && office !== undefined && !pause.error)
    return {
      title: `Paused for the whole office since ${since}.`,
      meaning: 'Nothing is sent from any workstation until someone resumes.'
    }
  if (pause.by === 'person')
    return {
      title: `Paused since ${since}.`,
      meaning: pause.error
        ? `${errorText(pause.error)} Nothing is sent until you resume.`
        : 'Nothing is sent until you resume.'
    }
  if (pause.by === 'line') {
    const next = pause.until === undefined ? '' : ` Next try ${upcomingInWords(pause.until, now)}.`
    return {
      title: `Waiting for a connection since ${since}.`,
      meaning: `${failureText(pause.error)}Packages will be sent automatically.${next}`
    }
  }
  if (pause.until !== undefined) {
    return {
      title: `Paused by the service since ${since}.`,
      meaning: `Too many packages were sent in a short time. Sending resumes automatically ${upcomingInWords(pause.until, now)}.`
    }
  }
  const words = pause.error && presentError(pause.error)
  if (pause.error?.code === 'keychain')
    return {
      title: 'Paused: an account’s key or token can’t be read.',
      meaning: `${failureText(pause.error)}${todoOf(pause.error)} Then resume.`
    }
  return {
    title: (pause.error && pauseTitles[pause.error.code]) ?? 'Paused: the service is rejecting packages.',
    meaning: `${words && !pauseTitles[pause.error?.code ?? 'internal'] ? `${words.happened} ` : ''}${todoOf(pause.error)} Then resume.`
  }
}

function failureText(error: AppError | undefined): string {
  return error ? `${presentError(error).happened} ` : ''
}

function todoOf(error: AppError | undefined): string {
  return error ? presentError(error).todo : 'Ask your provider what is wrong.'
}

/** Explains what happened to the same package before, and what sending it again would mean. */
export function repeatSendInWords({ at, state }: EarlierSend, now: number): string {
  const when = dayAndTime(at, now)
  if (state === 'sent')
    return `The same package was sent to the same people on ${when}. If you send it again, they’ll be asked to sign again.`
  if (state === 'ready')
    return `The same package for the same people is in the Outbox and will be sent. If you send this one, too, they’ll be asked to sign twice.`
  return `The same package may have been sent to the same people on ${when}; the service hasn’t confirmed it. If you send it again, they may be asked to sign twice.`
}

function countText(count: number): string {
  return count.toLocaleString('en-GB')
}

/** Describes a batch or the whole outbox: "180 sent, 2 rejected, 18 waiting". Zero counts are left out. */
export function countsInWords(counts: SendCounts, leftOut = 0): string {
  return [
    counts.sent > 0 && `${countText(counts.sent)} sent`,
    counts.sending > 0 && `${countText(counts.sending)} sending`,
    counts.ready > 0 && `${countText(counts.ready)} waiting`,
    counts.uncertain > 0 && `${countText(counts.uncertain)} not confirmed`,
    counts.refused > 0 && `${countText(counts.refused)} rejected`,
    counts.notSent > 0 && `${countText(counts.notSent)} not delivered`,
    counts.cancelled > 0 && `${countText(counts.cancelled)} cancelled`,
    leftOut > 0 && `${countText(leftOut)} left out`
  ]
    .filter(Boolean)
    .join(', ')
}

/** Describes what hasn't been sent yet: "1 sending, 2 waiting". */
export function unsentInWords({ sending, ready }: Pick<SendCounts, 'sending' | 'ready'>): string {
  return countsInWords({ sent: 0, sending, ready, uncertain: 0, refused: 0, notSent: 0, cancelled: 0 })
}
