/**
 * What follows of a look at the folders for one send. It takes two looks, a minute apart on the clock that never jumps, to
 * say that a send did not arrive; one that isn't complete says nothing of what it didn't find.
 */
import type { DocumentResponse } from '../../../shared/model/index.ts'
import { type Seen as SeenAs, seenAfter } from '../jobs/reconcile-schedule.ts'
import type { Time } from '../lib/time.ts'
import type { Match } from './matching.ts'
import type { Send } from './send-record.ts'

/** Up to this age of its attempt a send that is not there goes again by itself; later its documents may have been removed. */
const YOUNG = 30 * 60_000
const MOST_ATTEMPTS = 3

/** What this run's looks said of a send. */
export type Seen = SeenAs<'missing' | 'ambiguous'>

/** One look, as it concerns one send. */
export interface Look {
  match: Match
  /** Whether all folders could be read. */
  isComplete: boolean
  /** When it began, on this run's clock. */
  begun: number
  /** What the looks before it said. */
  before: Seen | undefined
  /** Whether what made the send ambiguous before may still be it. */
  isStillAmbiguous: boolean
  age: Age
}

/** What is known of how long ago a send was tried, in milliseconds. */
export interface Age {
  /** By the wall clock, which may have been changed since; undefined if it was never tried. */
  byWall: number | undefined
  /** On the clock that never jumps; undefined if an earlier run tried it. */
  measured: number | undefined
  /** How long after it something happened at the service, by the service's clock. */
  byService: number | undefined
}

/**
 * nothing: as before. arrived, ambiguous: these documents are it, or may be. cleared: nothing may be it any more. ready,
 * refused, not-sent: it did not arrive, and may go again by itself; or was refused; or a person must say.
 */
export type Verdict =
  | { kind: 'arrived' | 'ambiguous'; documents: readonly DocumentResponse[] }
  | { kind: 'nothing' | 'cleared' | 'ready' | 'refused' | 'not-sent' }

export function verdictOf(
  send: Pick<Send, 'attempt' | 'ambiguity' | 'error'>,
  look: Look
): { verdict: Verdict; seen: Seen | undefined } {
  const { match, isComplete, before, begun } = look
  if (match.kind === 'found') return { verdict: { kind: 'arrived', documents: match.documents }, seen: undefined }
  if (!isComplete || match.kind === 'unclear') return { verdict: { kind: 'nothing' }, seen: before }
  if (match.kind === 'ambiguous') {
    return { verdict: { kind: 'ambiguous', documents: match.documents }, seen: seenAfter('ambiguous', begun, before) }
  }
  // What might have been it was there and is gone: that is no proof that it never arrived.
  if (look.isStillAmbiguous) return { verdict: { kind: 'nothing' }, seen: seenAfter('ambiguous', begun, before) }
  const seen = seenAfter('missing', begun, before)
  if (!seen.isTwice) return { verdict: { kind: send.ambiguity ? 'cleared' : 'nothing' }, seen }
  return { verdict: { kind: absent(send, look.age) }, seen: undefined }
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

/** How long after it was shown not to have arrived a send may still leave by that, in milliseconds, by either clock. */
const PROOF_LASTS = 5 * 60_000

/** What was shown lately not to have arrived. A proof goes stale: what is late may turn up after it. */
export class NotArrivedProofs {
  readonly #time: Pick<Time, 'now' | 'elapsed'>
  readonly #proofs = new Map<string, { wall: number; elapsed: number }>()

  constructor(time: Pick<Time, 'now' | 'elapsed'>) {
    this.#time = time
  }

  /** Nothing of this send is there now. */
  add(id: string): void {
    this.#proofs.set(id, { wall: this.#time.now(), elapsed: this.#time.elapsed() })
  }

  /** It was tried since, and may have arrived. */
  drop(id: string): void {
    this.#proofs.delete(id)
  }

  /** The computer slept, and the clocks may not say how long. */
  dropAll(): void {
    this.#proofs.clear()
  }

  isFresh(id: string): boolean {
    const proof = this.#proofs.get(id)
    if (!proof) return false
    const byWall = Math.abs(this.#time.now() - proof.wall)
    return this.#time.elapsed() - proof.elapsed <= PROOF_LASTS && byWall <= PROOF_LASTS
  }
}
