/**
 * Finds out the outcome of uncertain actions that the folders show. A look that shows what was asked settles an action.
 * So do two looks a minute apart that show the document as before, once the attempt has timed out.
 */
import type { AppError } from '../../../shared/contract/index.ts'
import type { MirroredDocument } from '../documents/questions.ts'
import { ReconcileSchedule, SECOND_LOOK_AFTER, type Seen as SeenAs, seenAfter } from '../jobs/reconcile-schedule.ts'
import { TIME_LIMITS } from '../service/limits.ts'
import { type Action, canBeChecked } from './action-records.ts'
import { shownBy } from './before.ts'
import type { DispatcherDeps } from './dispatcher.ts'
import { readAfresh } from './subject.ts'

/** How long a request in flight may still arrive, in milliseconds. */
const ATTEMPT_LIMIT = TIME_LIMITS.send.total

/** What this run's looks have shown of an action. early: as before, while the request might still arrive. */
type Seen = SeenAs<'early' | 'as before' | 'not there' | 'otherwise'>

export class Reconciler {
  /** The schedule of the looks. */
  readonly schedule: ReconcileSchedule
  readonly #deps: Omit<DispatcherDeps, 'clientOf' | 'left' | 'shared'>
  readonly #seen = new Map<string, Seen>()
  /** When this run last tried an action; for actions of an earlier run, `#begun` is used. */
  readonly #tried = new Map<string, number>()
  readonly #begun: number

  constructor(deps: Omit<DispatcherDeps, 'clientOf' | 'left' | 'shared'>) {
    this.#deps = deps
    this.#begun = deps.time.elapsed()
    this.schedule = new ReconcileSchedule({
      time: deps.time,
      accounts: () => deps.records.accountsIn('uncertain'),
      inDoubt: (accountId) => this.#inDoubt(accountId),
      worthwhileAt: (id) => this.#worthwhileAt(id),
      look: (accountId) => this.#look(accountId),
      describe: deps.describe,
      failed: () => true
    })
  }

  /** Called when an action is sent: earlier observations say nothing about this attempt. */
  left(id: string): void {
    this.#tried.set(id, this.#deps.time.elapsed())
    this.#seen.delete(id)
  }

  #inDoubt(accountId: string): Action[] {
    return this.#deps.records.ofAccount(accountId, 'uncertain').filter(canBeChecked)
  }

  #triedAt(id: string): number {
    return this.#tried.get(id) ?? this.#begun
  }

  #worthwhileAt(id: string): number | undefined {
    const before = this.#seen.get(id)
    if (!before) return 0
    if (isFinal(before)) return undefined
    if (before.kind === 'early') return Math.max(before.at, this.#triedAt(id) + ATTEMPT_LIMIT)
    return before.at + SECOND_LOOK_AFTER
  }

  async #look(accountId: string): Promise<boolean> {
    const begun = this.#deps.time.elapsed()
    const actions = this.#inDoubt(accountId)
    if (actions.length === 0) return true
    const shown = await readAfresh(this.#deps, accountId, new Set(actions.map(({ reference }) => reference)))
    for (const { id } of actions) await this.#judge(id, begun, shown)
    return true
  }

  async #judge(id: string, begun: number, shown: ReadonlyMap<string, MirroredDocument>): Promise<void> {
    const { records, ended } = this.#deps
    const action = records.find(id)
    // A person or another attempt may have settled it meanwhile.
    if (this.schedule.isOver || action?.state !== 'uncertain' || this.#triedAt(id) > begun) return
    const mirrored = shown.get(action.reference)
    const now = mirrored ? shownBy(action.request, action.before, mirrored.document) : 'not there'
    const known = this.#seen.get(id)
    // A person has asked again about what looks couldn't tell.
    const before = known && isFinal(known) ? undefined : known
    switch (now) {
      case 'as asked':
        this.#seen.delete(id)
        return ended(action, { kind: 'done' })
      case 'as before': {
        if (begun < this.#triedAt(id) + ATTEMPT_LIMIT) {
          return this.#remember(action, { kind: 'early', at: begun, isTwice: false })
        }
        const seen = seenAfter('as before', begun, before)
        if (!seen.isTwice) return this.#remember(action, seen)
        this.#seen.delete(id)
        return ended(action, { kind: 'refused', error: DID_NOT_ARRIVE })
      }
      case 'not there': {
        const seen = seenAfter('not there', begun, before)
        return this.#remember(action, seen, seen.isTwice ? NOT_SHOWN : undefined)
      }
      default:
        return this.#remember(action, { kind: 'otherwise', at: begun, isTwice: false }, OTHERWISE)
    }
  }

  #remember(action: Action, seen: Seen, error?: AppError): void {
    this.#seen.set(action.id, seen)
    if (error) this.#deps.records.change(action.id, { error })
    this.#deps.changed(action.id)
  }
}

/** Looks can't tell more; a person has to decide. */
function isFinal({ kind, isTwice }: Seen): boolean {
  return kind === 'otherwise' || (kind === 'not there' && isTwice)
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
const OTHERWISE: AppError = {
  code: 'conflict',
  message: 'The document has changed, but not as requested. Someone else may have changed it, or only part was done.',
  next: 'Check it, then choose what happened.',
  mayHaveArrived: true
}
