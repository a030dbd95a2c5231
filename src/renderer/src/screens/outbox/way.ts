/** The way of a package through the outbox, as far as it is known, in words. */
import type { SendView } from '../../../../shared/contract/views.ts'
import { when } from '../../words/dates.ts'
import { comingAt } from '../../words/sends.ts'

export interface Step {
  what: string
  time: string
  /** It has not happened yet. */
  isComing: boolean
}

const ends = {
  sent: 'The service has it',
  refused: 'The service refused it',
  'not-sent': 'Found not to have arrived',
  cancelled: 'Cancelled before it left'
} as const

/** What happened to it in the order it happened, and then what comes. */
export function wayOf(send: SendView, now: number): Step[] {
  const steps: Step[] = [{ what: 'Put in the Outbox', time: when(send.createdAt, now), isComing: false }]
  if (send.attempt > 0 && send.attemptedAt !== undefined) {
    const what = send.attempt === 1 ? 'Tried' : `Tried ${send.attempt} times, the last time`
    steps.push({ what, time: when(send.attemptedAt, now), isComing: false })
  }
  if (send.state === 'uncertain') steps.push({ what: 'No answer came', time: '', isComing: false })
  const end = ends[send.state as keyof typeof ends]
  if (end)
    steps.push({ what: end, time: send.settledAt === undefined ? '' : when(send.settledAt, now), isComing: false })
  const next = nextOf(send, now)
  return next ? [...steps, next] : steps
}

function nextOf(send: SendView, now: number): Step | undefined {
  if (send.state === 'sending') return { what: 'The answer of the service', time: 'on its way', isComing: true }
  if (send.state === 'ready') {
    if (send.hold === 'line') return { what: 'Tried again by itself', time: timeOf(send.goesAt, now), isComing: true }
    return { what: 'Leaves by itself', time: timeOf(send.goesAt, now), isComing: true }
  }
  if (send.state !== 'uncertain') return undefined
  if (send.doubt) return { what: 'You say whether it arrived', time: '', isComing: true }
  return { what: 'The service is asked', time: timeOf(send.nextLookAt, now), isComing: true }
}

function timeOf(at: number | undefined, now: number): string {
  return at === undefined ? '' : comingAt(at, now)
}
