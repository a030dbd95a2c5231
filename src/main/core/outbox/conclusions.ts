/**
 * What follows of a look at the folders for one send. It takes two looks, `SECOND_LOOK_AFTER` apart on the clock that
 * never jumps, to say that a send did not arrive; one that isn't complete says nothing of what it didn't find.
 */
import type { DocumentResponse } from '../../../shared/model/index.ts'
import type { Send } from './send-record.ts'
import type { Verdict } from './traces.ts'

/** How long after a first look a second one decides, in milliseconds: the service may still be at work on it. */
export const SECOND_LOOK_AFTER = 60_000
/** Up to this age of its attempt a send that is not there goes again by itself; later its documents may have been removed. */
const YOUNG = 30 * 60_000
const MOST_ATTEMPTS = 3

/** What this run's looks said of a send. */
export interface Seen {
  kind: 'missing' | 'doubt'
  /** When the first look that said so began. */
  at: number
  /** A second one said the same. */
  isTwice: boolean
}

/** One look, as it concerns one send. */
export interface Look {
  verdict: Verdict
  /** Whether all folders could be read. */
  isComplete: boolean
  /** When it began, on this run's clock. */
  begun: number
  /** What the looks before it said. */
  before: Seen | undefined
  /** Whether what made the send doubtful before may still be it. */
  isDoubtOpen: boolean
  age: Age
}

/** What is known of how long ago a send was tried, in milliseconds. */
export interface Age {
  /** By the wall clock, which may have been put otherwise since; undefined where it was never tried. */
  byWall: number | undefined
  /** On the clock that never jumps; undefined where an earlier run tried it. */
  measured: number | undefined
  /** How long after it something happened at the service, by the service's clock. */
  byService: number | undefined
}

/**
 * nothing: as before. arrived, doubt: these documents are it, or may be. cleared: nothing may be it any more. ready,
 * refused, not-sent: it did not arrive, and may go again by itself; or was refused; or a person must say.
 */
export type Conclusion =
  | { kind: 'arrived' | 'doubt'; documents: readonly DocumentResponse[] }
  | { kind: 'nothing' | 'cleared' | 'ready' | 'refused' | 'not-sent' }

export function conclude(
  send: Pick<Send, 'attempt' | 'doubt' | 'error'>,
  look: Look
): { conclusion: Conclusion; seen: Seen | undefined } {
  const { verdict, isComplete, before } = look
  if (verdict.kind === 'found') {
    return { conclusion: { kind: 'arrived', documents: verdict.documents }, seen: undefined }
  }
  if (!isComplete || verdict.kind === 'unclear') return { conclusion: { kind: 'nothing' }, seen: before }
  if (verdict.kind === 'doubt') {
    return { conclusion: { kind: 'doubt', documents: verdict.documents }, seen: seenNow('doubt', look) }
  }
  // What might have been it was there and is gone: that is no proof that it never arrived.
  if (look.isDoubtOpen) return { conclusion: { kind: 'nothing' }, seen: seenNow('doubt', look) }
  const seen = seenNow('missing', look)
  if (!seen.isTwice) return { conclusion: { kind: send.doubt ? 'cleared' : 'nothing' }, seen }
  return { conclusion: { kind: absent(send, look.age) }, seen: undefined }
}

function seenNow(kind: Seen['kind'], { before, begun }: Look): Seen {
  if (before?.kind !== kind) return { kind, at: begun, isTwice: false }
  return { kind, at: before.at, isTwice: begun - before.at >= SECOND_LOOK_AFTER }
}

function absent({ attempt, error }: Pick<Send, 'attempt' | 'error'>, age: Age): 'ready' | 'refused' | 'not-sent' {
  if (error?.mayHaveArrived === false) return 'refused'
  // Not tried since a person let it go again.
  if (attempt === 0) return 'ready'
  return attempt < MOST_ATTEMPTS && isYoung(age) ? 'ready' : 'not-sent'
}

/** A time that can't be is not young. The wall clock alone is not believed: it may have been put back between two runs. */
function isYoung({ byWall, measured, byService }: Age): boolean {
  if (byWall === undefined || byWall < 0) return false
  return Math.max(byWall, measured ?? byService ?? 0) <= YOUNG
}
