/**
 * Finds out the outcome of uncertain actions that the folders show. A look that shows what was asked settles an action.
 * So do two looks a minute apart that show the document as before, once the attempt has timed out.
 */
import type { AppError } from '../../../shared/contract/index.ts'
import type { MirroredDocument } from '../documents/questions.ts'
import {
  observationAfter,
  ReconcileSchedule,
  SECOND_CHECK_AFTER,
  type Observation as SeenAs
} from '../jobs/reconcile-schedule.ts'
import { TIME_LIMITS } from '../service/limits.ts'
import { type Action, canBeChecked } from './action-records.ts'
import type { DispatcherDeps } from './dispatcher.ts'
import { shownStateOf } from './shown-state.ts'
import { readFoldersNow } from './subject.ts'

/** How long a request in flight may still arrive, in milliseconds. */
const ATTEMPT_LIMIT = TIME_LIMITS.send.total

/** What this run's looks have shown of an action. early: as before, while the request might still arrive. */
type Observation = SeenAs<'early' | 'as before' | 'not there' | 'otherwise'>

export class Reconciler {
  readonly schedule: ReconcileSchedule
  readonly #deps: Omit<DispatcherDeps, 'clientOf' | 'attemptStarted' | 'shared'>
  readonly #observations = new Map<string, Observation>()
  /** When this run last tried an action; for actions of an earlier run, `#startedAt` is used. */
  readonly #attemptStarts = new Map<string, number>()
  readonly #startedAt: number

  constructor(deps: Omit<DispatcherDeps, 'clientOf' | 'attemptStarted' | 'shared'>) {
    this.#deps = deps
    this.#startedAt = deps.time.elapsed()
    this.schedule = new ReconcileSchedule({
      time: deps.time,
      accounts: () => deps.records.accountsIn('uncertain'),
      uncertainJobs: (accountId) => this.#uncertainActions(accountId),
      worthwhileAt: (id) => this.#nextCheckAt(id),
      check: (accountId) => this.#check(accountId),
      mayRetry: () => true
    })
  }

  /** Called when an action is sent: earlier observations say nothing about this attempt. */
  attemptStarted(id: string): void {
    this.#attemptStarts.set(id, this.#deps.time.elapsed())
    this.#observations.delete(id)
  }

  #uncertainActions(accountId: string): Action[] {
    return this.#deps.records.ofAccount(accountId, 'uncertain').filter(canBeChecked)
  }

  #lastAttemptAt(id: string): number {
    return this.#attemptStarts.get(id) ?? this.#startedAt
  }

  #nextCheckAt(id: string): number | undefined {
    const before = this.#observations.get(id)
    if (!before) return 0
    if (isFinal(before)) return undefined
    if (before.kind === 'early') return Math.max(before.at, this.#lastAttemptAt(id) + ATTEMPT_LIMIT)
    return before.at + SECOND_CHECK_AFTER
  }

  async #check(accountId: string): Promise<boolean> {
    const startedAt = this.#deps.time.elapsed()
    const actions = this.#uncertainActions(accountId)
    if (actions.length === 0) return true
    const shown = await readFoldersNow(this.#deps, accountId, new Set(actions.map(({ reference }) => reference)))
    for (const { id } of actions) await this.#judge(id, startedAt, shown)
    return true
  }

  async #judge(id: string, startedAt: number, shown: ReadonlyMap<string, MirroredDocument>): Promise<void> {
    const { records, recordOutcome } = this.#deps
    const action = records.find(id)
    // A person or another attempt may have settled it meanwhile.
    if (this.schedule.isClosed || action?.state !== 'uncertain' || this.#lastAttemptAt(id) > startedAt) return
    const mirrored = shown.get(action.reference)
    const state = mirrored ? shownStateOf(action.request, action.before, mirrored.document) : 'not there'
    const known = this.#observations.get(id)
    // A person has asked again about what looks couldn't tell.
    const before = known && isFinal(known) ? undefined : known
    switch (state) {
      case 'as asked':
        this.#observations.delete(id)
        return recordOutcome(action, { kind: 'done' })
      case 'as before': {
        if (startedAt < this.#lastAttemptAt(id) + ATTEMPT_LIMIT) {
          return this.#remember(action, { kind: 'early', at: startedAt, isConfirmed: false })
        }
        const seen = observationAfter('as before', startedAt, before)
        if (!seen.isConfirmed) return this.#remember(action, seen)
        this.#observations.delete(id)
        return recordOutcome(action, { kind: 'refused', error: DID_NOT_ARRIVE })
      }
      case 'not there': {
        const seen = observationAfter('not there', startedAt, before)
        return this.#remember(action, seen, seen.isConfirmed ? NOT_SHOWN : undefined)
      }
      default:
        return this.#remember(action, { kind: 'otherwise', at: startedAt, isConfirmed: false }, CHANGED_OTHERWISE)
    }
  }

  #remember(action: Action, seen: Observation, error?: AppError): void {
    this.#observations.set(action.id, seen)
    if (error) this.#deps.records.change(action.id, { error })
    this.#deps.changed(action.id)
  }
}

/** Looks can't tell more; a person has to decide. */
function isFinal({ kind, isConfirmed }: Observation): boolean {
  return kind === 'otherwise' || (kind === 'not there' && isConfirmed)
}

const DID_NOT_ARRIVE: AppError = {
  code: 'timeout',
  message: 'It wasn’t done: the document hasn’t changed. Do it again if you still want it.',
  mayHaveArrived: false
}
const NOT_SHOWN: AppError = {
  code: 'timeout',
  message: 'This document is no longer in your folders, so it isn’t known whether this was done.',
  mayHaveArrived: true
}
const CHANGED_OTHERWISE: AppError = {
  code: 'conflict',
  message: 'The document has changed, but not as requested. Someone else may have changed it, or only part was done.',
  next: 'Check it, then choose what happened.',
  mayHaveArrived: true
}
