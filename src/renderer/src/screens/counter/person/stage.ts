/** Determines the one thing the person is shown now: pure, from the session and whether staff asked for the screen. */
import type { CounterSession, CounterTurn } from '../../../../../shared/contract/views.ts'
import type { LiveSession } from '../../../state/counter-session.svelte.ts'

/**
 * handover, asking, between, failed, return: the phases of the same name. frame: the signing page in our frame. pause:
 * the person's own cover. file: the page asks for a file. camera: staff must decide whether the page may use it.
 * consent: the person must agree too. locked: only staff can continue. pin: staff want the screen. staff: what staff
 * can do after their PIN.
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

export function stageOf(session: CounterSession, isStaffRequested: boolean): Stage {
  if (session.phase === 'return' || session.phase === 'ended') return isStaffRequested ? 'pin' : 'return'
  if (session.cover === 'staff') return 'staff'
  if (session.cover === 'camera' && !isStaffRequested) return 'camera'
  if (session.isLocked && session.cover !== 'camera') return 'locked'
  if (isStaffRequested) return 'pin'
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

/**
 * Returns a key that differs from one screen to the next, so that each starts afresh: the focus on its heading, and no
 * leftover input.
 */
export function stageKey({ session, isStaffRequested }: LiveSession): string {
  if (!session) return ''
  const stage = stageOf(session, isStaffRequested)
  // The frame stays while its page goes from loading to open.
  return stage === 'frame'
    ? `${session.id} ${session.current} frame`
    : `${session.id} ${session.current} ${stage} ${session.phase} ${session.cover ?? ''}`
}

/** Returns the next turn that isn't over yet (as when an earlier signer declined), if any. */
export function nextTurn({ turns, current }: CounterSession): CounterTurn | undefined {
  return turns.find(({ outcome }, index) => index > current && outcome === undefined)
}

/** Returns this person's own consecutive turns, which "Document 2 of 3" counts. Others' turns aren't revealed. */
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
