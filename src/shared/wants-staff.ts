import type { CounterSession } from './contract/counter-views.ts'

type Moment = Pick<CounterSession, 'phase' | 'place' | 'cover' | 'coveredBy' | 'asksFile' | 'isAnswered'>

/** Returns whether the person at the second display can't continue without staff, who may be on any screen. */
export function wantsStaff(session: Moment | null): boolean {
  if (session?.place !== 'other-display' || session.phase === 'ended') return false
  const { phase, cover, coveredBy } = session
  // Staff covered the page, or are there.
  if (coveredBy === 'office' || cover === 'staff') return false
  if (cover === undefined) return phase === 'failed' || phase === 'return'
  // The person can choose from the files that staff opened without help, if the page accepts any of them.
  if (cover === 'file') return (session.asksFile?.files?.length ?? 0) === 0
  return cover === 'help' || cover === 'camera' || cover === 'not-me' || cover === 'away' || cover === 'idle'
}

/** Returns whether staff have to be alerted: none of them has said yet that they are coming. */
export function callsStaff(session: Moment | null): boolean {
  return wantsStaff(session) && session?.isAnswered !== true
}
