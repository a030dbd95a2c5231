import type { CounterSession } from './contract/counter-views.ts'

type Moment = Pick<CounterSession, 'phase' | 'place' | 'cover' | 'coveredBy' | 'asksFile' | 'isAnswered'>

/** Whether the person at the second display can't go on without staff, who may be at any screen and look anywhere. */
export function wantsStaff(session: Moment | null): boolean {
  if (session?.place !== 'other-display' || session.phase === 'ended') return false
  const { phase, cover, coveredBy } = session
  // Staff hid the page, or is there.
  if (coveredBy === 'office' || cover === 'staff') return false
  if (cover === undefined) return phase === 'failed' || phase === 'return'
  // What staff has opened they may choose of by themselves, if the page takes any of it.
  if (cover === 'file') return (session.asksFile?.files?.length ?? 0) === 0
  return cover === 'help' || cover === 'camera' || cover === 'not-me' || cover === 'away' || cover === 'idle'
}

/** Whether that is to be heard: nobody of staff has said yet that they are on their way. */
export function callsStaff(session: Moment | null): boolean {
  return wantsStaff(session) && session?.isAnswered !== true
}
