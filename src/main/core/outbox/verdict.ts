/**
 * Concludes from a look at the folders what happened to one send. Two looks, a minute apart on the monotonic clock, are
 * needed to conclude that a send did not arrive. An incomplete look says nothing about what it didn't find; if it can't
 * become complete because the service lacks a folder, a person decides, once for each folder. So does a person if the
 * account's folders have been changed since: they may lack the one where the send is.
 */
import type { AppError } from '../../../shared/contract/index.ts'
import type { DocumentResponse } from '../../../shared/model/index.ts'
import { type Observation, observationAfter } from '../jobs/reconcile-schedule.ts'
import type { Time } from '../lib/time.ts'
import type { Match } from './matching.ts'
import type { Send } from './send-record.ts'

/** Up to this age a missing send is retried automatically; later, its documents may have been removed. */
const MAX_RETRY_AGE = 30 * 60_000
const MAX_ATTEMPTS = 3

/** What this run's looks have shown of a send. */
export type SendObservation = Observation<'missing' | 'ambiguous' | 'incomplete'>

/** One look, as far as it concerns one send. */
export interface SendCheck {
  match: Match
  /** Whether all folders could be read. */
  isComplete: boolean
  /** Folders that the service doesn't have, if only those couldn't be read. */
  missingFolders: readonly string[]
  /** When it began, on this run's monotonic clock. */
  startedAt: number
  /** What earlier looks have shown. */
  earlier: SendObservation | undefined
  /** Whether the documents that made the send ambiguous before may still be its own. */
  isStillAmbiguous: boolean
  age: Age
}

/** What is known about the time since a send was attempted, in milliseconds. */
export interface Age {
  /** By the wall clock, which may have been changed since; undefined if it was never attempted. */
  byWall: number | undefined
  /** On the monotonic clock; undefined if an earlier run attempted it. */
  measured: number | undefined
  /** How long after the attempt the service last logged something, by the service's clock. */
  byService: number | undefined
}

/**
 * nothing: no change. arrived, ambiguous: these documents are the send's, or may be, or it may be in these folders, which
 * can't be read. folders-missing: the service lacked a folder in this look. cleared: the earlier ambiguity is gone. The
 * other kinds mean that it did not arrive: ready: retry it automatically. refused: it was refused. not-sent: the user
 * must decide.
 */
export type Verdict =
  | { kind: 'arrived'; documents: readonly DocumentResponse[] }
  | { kind: 'ambiguous'; documents: readonly DocumentResponse[]; missingFolders?: readonly string[] }
  | { kind: 'nothing' | 'folders-missing' | 'cleared' | 'ready' | 'refused' | 'not-sent' }

export function verdictOf(
  send: Pick<Send, 'attempt' | 'ambiguity' | 'error' | 'dismissedFolders'>,
  check: SendCheck
): { verdict: Verdict; seen: SendObservation | undefined } {
  const { match, earlier, startedAt } = check
  const missingFolders = check.missingFolders.filter((folder) => !send.dismissedFolders.includes(folder))
  const lacksOnlyDismissed = check.missingFolders.length > 0 && missingFolders.length === 0
  const isComplete = check.isComplete || lacksOnlyDismissed
  if (match.kind === 'found') return { verdict: { kind: 'arrived', documents: match.documents }, seen: undefined }
  const isLackingFolders = missingFolders.length > 0 && !check.isStillAmbiguous
  if (match.kind === 'unclear' || (!isComplete && !isLackingFolders)) {
    return { verdict: { kind: 'nothing' }, seen: earlier }
  }
  if (!isComplete) {
    // No further look can show that it isn't there. The reference doesn't say what a service without such a folder
    // means: the folder may be empty, or renamed.
    const seen = observationAfter('incomplete', startedAt, earlier)
    const documents = match.kind === 'ambiguous' ? match.documents : []
    const asked: Verdict = { kind: 'ambiguous', documents, missingFolders }
    return { verdict: seen.isConfirmed ? asked : { kind: 'folders-missing' }, seen }
  }
  if (match.kind === 'ambiguous') {
    return {
      verdict: { kind: 'ambiguous', documents: match.documents },
      seen: observationAfter('ambiguous', startedAt, earlier)
    }
  }
  // Possible matches were there and are gone, which doesn't prove that the send never arrived.
  if (check.isStillAmbiguous)
    return { verdict: { kind: 'nothing' }, seen: observationAfter('ambiguous', startedAt, earlier) }
  const seen = observationAfter('missing', startedAt, earlier)
  if (!seen.isConfirmed) return { verdict: { kind: send.ambiguity ? 'cleared' : 'nothing' }, seen }
  const kind = absenceVerdict(send, check.age)
  // What a person said about the missing folders was about earlier attempts.
  const isKnown = kind !== 'ready' || send.attempt === 0 || !lacksOnlyDismissed
  return { verdict: { kind: isKnown ? kind : 'not-sent' }, seen: undefined }
}

function absenceVerdict(
  { attempt, error }: Pick<Send, 'attempt' | 'error'>,
  age: Age
): 'ready' | 'refused' | 'not-sent' {
  if (error?.mayHaveArrived === false) return 'refused'
  if (hasLackedFolders(error)) return 'not-sent'
  // It hasn't been attempted since the user retried it.
  if (attempt === 0) return 'ready'
  return attempt < MAX_ATTEMPTS && isYoung(age) ? 'ready' : 'not-sent'
}

/** Whether the service lacked a folder in a look for this send, since it was attempted or retried. */
export const hasLackedFolders = (error: AppError | undefined): boolean => error?.code === 'incomplete'

/** An impossible age is not young. The wall clock alone isn't trusted: it may have been set back between two runs. */
function isYoung({ byWall, measured, byService }: Age): boolean {
  if (byWall === undefined || byWall < 0) return false
  return Math.max(byWall, measured ?? byService ?? 0) <= MAX_RETRY_AGE
}

/** How long a proof that a send did not arrive allows sending it again, in milliseconds, by either clock. */
const PROOF_LASTS = 5 * 60_000

/** Recent proofs that sends did not arrive. A proof goes stale, as a late send may turn up after it. */
export class NotArrivedProofs {
  readonly #time: Pick<Time, 'now' | 'elapsed'>
  readonly #proofs = new Map<string, { wall: number; elapsed: number }>()

  constructor(time: Pick<Time, 'now' | 'elapsed'>) {
    this.#time = time
  }

  /** Records that nothing of this send is in the folders now. */
  add(id: string): void {
    this.#proofs.set(id, { wall: this.#time.now(), elapsed: this.#time.elapsed() })
  }

  /** Drops a proof, as the send was attempted again since and may have arrived. */
  drop(id: string): void {
    this.#proofs.delete(id)
  }

  /** Drops all proofs after sleep, since the clocks may not show how long the computer slept. */
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
