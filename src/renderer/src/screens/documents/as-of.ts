/** When a list was last true, in words: with the day where it isn't today's, and always while nothing can be asked. */
import type { ConnectionView } from '../../../../shared/contract/views.ts'
import { clockTime, shortDay } from '../../words/dates.ts'

/** The later of two moments, where there is any. */
export function newest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined ? undefined : Math.max(one, other ?? 0)
}

/** "As of 10:42", "As of 10:42, 21 November", "Offline. As of 10:42, 21 November", "Not read yet". */
export function asOf(lookedAt: number | undefined, now: number, connection: ConnectionView['state']): string {
  const isDown = connection === 'offline' || connection === 'refused'
  const before = connection === 'offline' ? 'Offline. ' : connection === 'refused' ? 'Not accepted. ' : ''
  if (lookedAt === undefined) return `${before}Not read yet`
  const isToday = shortDay(lookedAt, now) === shortDay(now, now)
  const day = isToday && !isDown ? '' : `, ${longDay(lookedAt, now)}`
  return `${before}As of ${clockTime(lookedAt)}${day}`
}

function longDay(at: number, now: number): string {
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear()
  return new Date(at).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    ...(isThisYear ? {} : { year: 'numeric' })
  })
}
