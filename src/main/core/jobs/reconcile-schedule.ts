/**
 * When the service is asked what became of jobs that are in doubt: all of an account together, by itself, and sooner where a
 * person or the network gives cause. It takes two looks, `SECOND_LOOK_AFTER` apart on the clock that never jumps, to say that
 * something did not arrive. What a look shows is each queue's to judge.
 */
import type { AppError } from '../../../shared/contract/index.ts'
import type { Time } from '../lib/time.ts'
import { Lanes, OneAtATime, Pauses } from './lanes.ts'

/** How long after a first look a second one decides, in milliseconds: the service may still be at work on it. */
export const SECOND_LOOK_AFTER = 60_000
/** How long to wait after a first look that failed, in milliseconds. */
const FIRST_WAIT = 5_000

/** What this run's looks said of a job. Looks of an earlier run don't count, so no jump of the clock can decide anything. */
export interface Seen<Kind extends string> {
  kind: Kind
  /** When the first look that said so began, on this run's clock. */
  at: number
  /** A second one, long enough after it, said the same. */
  isTwice: boolean
}

/** What is known after a look, that began at `begun`, has said this of a job. */
export function seenAfter<Kind extends string>(
  kind: Kind,
  begun: number,
  before: Seen<string> | undefined
): Seen<Kind> {
  if (before?.kind !== kind) return { kind, at: begun, isTwice: false }
  return { kind, at: before.at, isTwice: begun - before.at >= SECOND_LOOK_AFTER }
}

/** A job that is in doubt. */
export interface InDoubt {
  readonly id: string
  readonly accountId: string
}

export interface ReconcileScheduleDeps {
  time: Time
  /** Accounts that have anything in doubt. */
  accounts: () => Iterable<string>
  /** What is in doubt of an account. */
  inDoubt: (accountId: string) => readonly InDoubt[]
  /** When another look says more of a job, on this run's clock; undefined if only a person can. */
  worthwhileAt: (id: string) => number | undefined
  /** Looks once, and judges what it saw. Answers whether everything could be read. */
  look: (accountId: string) => Promise<boolean>
  /** Says an error in the user's words. */
  describe: (error: unknown) => AppError
  /** A look failed. Answers whether another one is tried by itself. */
  failed: (accountId: string, error: AppError) => boolean
}

const INCOMPLETE: AppError = { code: 'incomplete', message: 'Not everything could be read.' }

export class ReconcileSchedule {
  readonly #deps: ReconcileScheduleDeps
  readonly #pauses: Pauses
  readonly #lanes: Lanes<OneAtATime<boolean>>
  #state: 'closed' | 'open' | 'over' = 'closed'

  constructor(deps: ReconcileScheduleDeps) {
    this.#deps = deps
    this.#pauses = new Pauses(deps.time)
    this.#lanes = new Lanes(
      (accountId) =>
        new OneAtATime(
          deps.time,
          () => this.#look(accountId),
          () => this.plan(accountId)
        )
    )
  }

  /** Begins to look by itself. */
  open(): void {
    this.#state = 'open'
    for (const accountId of this.#deps.accounts()) this.plan(accountId)
  }

  /** Looks no more, and judges nothing more of a look that is under way. Resolves once that has ended. */
  async close(): Promise<void> {
    this.#state = 'over'
    await Promise.all(this.#lanes.all().map((lane) => lane.close()))
  }

  get isOver(): boolean {
    return this.#state === 'over'
  }

  /** Sees to it that the account is looked at when that is due. */
  plan(accountId: string): void {
    const lane = this.#lanes.of(accountId)
    lane.cancel()
    if (this.#state !== 'open' || lane.isRunning) return
    const times = this.#deps.inDoubt(accountId).flatMap((job) => this.nextAt(job) ?? [])
    if (times.length === 0) return
    const first = times.reduce((one, two) => Math.min(one, two))
    lane.later(first - this.#deps.time.elapsed())
  }

  /** Looks now, or right after the look that is under way. Answers whether all could be read. @throws what reading throws. */
  look(accountId: string): Promise<boolean> {
    return this.#lanes.of(accountId).fresh()
  }

  /** When a job is looked for next, on this run's clock; undefined if a person must say, or do something first. */
  nextAt({ id, accountId }: InDoubt): number | undefined {
    const at = this.#deps.worthwhileAt(id)
    const until = this.#pauses.of(accountId)?.until ?? 0
    return at === undefined || until === Number.POSITIVE_INFINITY ? undefined : Math.max(at, until)
  }

  /** What failed before says nothing of now. */
  tryNow(accountId: string): void {
    this.#pauses.tryNow(accountId)
    this.plan(accountId)
  }

  /** Online again, perhaps: looks that failed are tried now. */
  connectionChanged(): void {
    this.#pauses.tryNow()
    for (const accountId of this.#deps.accounts()) this.plan(accountId)
  }

  async #look(accountId: string): Promise<boolean> {
    // Whether by itself or asked for by a person, this look is a try of its own.
    this.#pauses.tryNow(accountId)
    try {
      const isComplete = await this.#deps.look(accountId)
      if (isComplete) this.#pauses.clear(accountId)
      else this.#pauses.failed(accountId, { error: INCOMPLETE, first: FIRST_WAIT })
      return isComplete
    } catch (thrown) {
      const error = this.#deps.describe(thrown)
      if (this.#deps.failed(accountId, error)) this.#pauses.failed(accountId, { error, first: FIRST_WAIT })
      else this.#pauses.block(accountId, error)
      throw thrown
    }
  }
}
