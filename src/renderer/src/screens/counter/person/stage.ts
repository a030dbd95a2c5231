/** Which one thing the person is shown now: pure, from the session and whether staff has asked for the screen. */
import type { CounterSession, CounterTurn } from '../../../../../shared/contract/views.ts'
import type { FollowedSession } from '../../../state/counter-session.svelte.ts'

/**
 * handover, asking, between, failed, return: the phases of that name. frame: the page to sign, in our frame. pause: the
 * person's own cover. file: the page asks for a file. camera: staff has to say whether the page may. consent: the person has to, too. locked: only staff can go on. pin: staff wants the
 * screen. staff: what staff can do after their PIN.
 */
export type Stage =
  | 'handover'
  | 'frame'
  | 'pause'
  | 'file'
  | 'camera'
  | 'consent'
  | 'locked'
  | 'pin'
  | 'staff'
  | 'asking'
  | 'between'
  | 'failed'
  | 'return'

export function stageOf(session: CounterSession, isStaffAsked: boolean): Stage {
  if (session.phase === 'return' || session.phase === 'ended') return isStaffAsked ? 'pin' : 'return'
  if (session.cover === 'staff') return 'staff'
  if (session.cover === 'camera' && !isStaffAsked) return 'camera'
  if (session.isLocked && session.cover !== 'camera') return 'locked'
  if (isStaffAsked) return 'pin'
  switch (session.phase) {
    case 'covered':
      return session.cover === 'file' || session.cover === 'consent' ? session.cover : 'pause'
    case 'loading':
    case 'open':
      return 'frame'
    default:
      return session.phase
  }
}

/** Tells one screenful from the next, so that each begins afresh: its focus at its heading, nothing left of what was typed. */
export function stageKey({ session, staffAsked }: FollowedSession): string {
  if (!session) return ''
  const stage = stageOf(session, staffAsked)
  // The frame stays as it is while its page goes from loading to open.
  return stage === 'frame'
    ? `${session.id} ${session.current} frame`
    : `${session.id} ${session.current} ${stage} ${session.phase} ${session.cover ?? ''}`
}

/** Whose turn comes next, if any: nobody whose turn is over already, as where one before them has declined. */
export function nextTurn({ turns, current }: CounterSession): CounterTurn | undefined {
  return turns.find(({ outcome }, index) => index > current && outcome === undefined)
}

/** This person's own turns, in a row: what "Document 2 of 3" counts. Nobody is told how many others there are. */
export function ownTurns(session: CounterSession): { turns: CounterTurn[]; place: number } {
  const turn = session.turns[session.current]
  if (!turn) return { turns: [], place: 0 }
  const isOwn = (one: CounterTurn | undefined) => one?.person === turn.person
  let first = session.current
  while (first > 0 && isOwn(session.turns[first - 1])) first -= 1
  let end = session.current + 1
  while (end < session.turns.length && isOwn(session.turns[end])) end += 1
  return { turns: session.turns.slice(first, end), place: session.current - first }
}
