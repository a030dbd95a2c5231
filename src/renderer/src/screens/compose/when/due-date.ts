/** Changes to a package's due date that keep its offset that of its zone on that day. */
import type { Composition } from '../../../../../shared/composition/composition.ts'
import { NO_DUE } from '../../../../../shared/composition/preset.ts'
import { localTimeIn } from '../../../../../shared/composition/zone.ts'
import { localZone } from '../../../words/dates.ts'

/** A due date with its zone, as a package has them. */
export type Due = Pick<Composition, 'due' | 'gmt' | 'zone'>

/** The end of an office's day: when a date is due where no time was chosen. */
export const USUAL_TIME = '17:00'

/** Another date or time. The zone stays, this computer's where none was chosen; so does an offset that was chosen as such. */
export function withDate(before: Due, day: string, time: string): Due {
  if (!day) return NO_DUE
  const zone = before.zone || (before.gmt === '' ? localZone() : '')
  return inZone({ ...before, due: `${day}T${time}`, zone })
}

/** Another zone: the same time as its clocks show it. */
export function withZone(before: Due, zone: string): Due {
  return inZone({ ...before, zone })
}

/** An offset chosen as such, whatever the date. */
export function withOffset(before: Due, gmt: string): Due {
  return { ...before, gmt, zone: '' }
}

/** A time that can't be read yet keeps the offset it had. */
function inZone(due: Due): Due {
  const there = due.zone ? localTimeIn(due.zone, due.due) : undefined
  return there ? { ...due, gmt: String(there.offset) } : due
}
