/**
 * Schedules asking the service what happened to uncertain jobs: all of an account together, automatically, and sooner
 * when a person or the network gives cause. Two looks, `SECOND_CHECK_AFTER` apart on the monotonic clock, are needed to
 * conclude that something did not arrive. Each queue judges for itself what a look shows.
 */
import type { AppError } from '../../../shared/contract/index.ts'
import { asAppError } from '../errors/app-error.ts'
import type { Time } from '../lib/time.ts'
import { Lanes, Pauses, SerialTask } from './lanes.ts'

/** How long after a first look a second one is conclusive, in milliseconds: the service may still be processing it. */
export const SECOND_CHECK_AFTER = 60_000
/** How long to wait after the first failed look, in milliseconds. */
const FIRST_WAIT = 5_000

/** What this run's looks have shown of a job. Earlier runs' don't count, so a clock jump can't decide anything. */
export interface Observation<Kind extends string> {
  kind: Kind
  /** When the first look that showed it began, on this run's monotonic clock. */
  at: number
  /** Whether a second look, long enough after it, showed the same. */
  isConfirmed: boolean
}

/** Returns what is known of a job after a look that began at `startedAt` showed `kind`. */
export function observationAfter<Kind extends string>(
  kind: Kind,
  startedAt: number,
  before: Observation<string> | undefined
): Observation<Kind> {
  if (before?.kind !== kind) return { kind, at: startedAt, isConfirmed: false }
  return { kind, at: before.at, isConfirmed: startedAt - before.at >= SECOND_CHECK_AFTER }
}

export interface UncertainJob {
  readonly id: string
  readonly accountId: string
}

export interface ReconcileScheduleDeps {
  time: Time
  accounts: () => Iterable<string>
  uncertainJobs: (accountId: string) => readonly UncertainJob[]
  /** Returns when another look may help, on this run's monotonic clock; undefined if only a person can. */
  worthwhileAt: (id: string) => number | undefined
  /** Looks once, and judges the result. Returns whether everything could be read. */
  check: (accountId: string) => Promise<boolean>
  /** Called when a look failed. Returns whether to retry automatically. */
  mayRetry: (accountId: string, error: AppError) => boolean
}

const INCOMPLETE: AppError = { code: 'incomplete', message: 'Not everything could be read.' }

export class ReconcileSchedule {
  readonly #deps: ReconcileScheduleDeps
  readonly #pauses: Pauses
  readonly #lanes: Lanes<SerialTask<boolean>>
  #state: 'unstarted' | 'started' | 'over' = 'unstarted'

  constructor(deps: ReconcileScheduleDeps) {
    this.#deps = deps
    this.#pauses = new Pauses(deps.time)
    this.#lanes = new Lanes(
      (accountId) =>
        new SerialTask(
          deps.time,
          () => this.#check(accountId),
          () => this.plan(accountId)
        )
    )
  }

  /** Starts looking automatically. */
  start(): void {
    this.#state = 'started'
    for (const accountId of this.#deps.accounts()) this.plan(accountId)
  }

  /** Stops looking, and judges nothing more of a look in progress. Resolves once that has ended. */
  async close(): Promise<void> {
    this.#state = 'over'
    await Promise.all(this.#lanes.all().map((lane) => lane.close()))
  }

  get isClosed(): boolean {
    return this.#state === 'over'
  }

  /** Plans the account's next look for when it is due. */
  plan(accountId: string): void {
    const lane = this.#lanes.of(accountId)
    lane.cancel()
    if (this.#state !== 'started' || lane.isRunning) return
    const times = this.#deps.uncertainJobs(accountId).flatMap((job) => this.nextCheckAt(job) ?? [])
    if (times.length === 0) return
    const first = times.reduce((one, two) => Math.min(one, two))
    lane.schedule(first - this.#deps.time.elapsed())
  }

  /** Looks now, or after the look in progress. Returns whether it was complete. @throws what reading throws. */
  check(accountId: string): Promise<boolean> {
    return this.#lanes.of(accountId).runFresh()
  }

  /** Returns when a job is looked for next, on this run's monotonic clock; undefined if it needs a person. */
  nextCheckAt({ id, accountId }: UncertainJob): number | undefined {
    const at = this.#deps.worthwhileAt(id)
    const until = this.#pauses.of(accountId)?.until ?? 0
    return at === undefined || until === Number.POSITIVE_INFINITY ? undefined : Math.max(at, until)
  }

  /** Ends the wait after failed looks, as earlier failures don't predict the next look. */
  tryNow(accountId: string): void {
    this.#pauses.tryNow(accountId)
    this.plan(accountId)
  }

  /** Retries failed looks now, as the computer may be online again. */
  connectionChanged(): void {
    this.#pauses.tryNow()
    for (const accountId of this.#deps.accounts()) this.plan(accountId)
  }

  async #check(accountId: string): Promise<boolean> {
    // Each look, automatic or requested, starts with the pause ended.
    this.#pauses.tryNow(accountId)
    try {
      const isComplete = await this.#deps.check(accountId)
      if (isComplete) this.#pauses.clear(accountId)
      else this.#pauses.recordFailure(accountId, { error: INCOMPLETE, first: FIRST_WAIT })
      return isComplete
    } catch (thrown) {
      const error = asAppError(thrown)
      if (this.#deps.mayRetry(accountId, error)) this.#pauses.recordFailure(accountId, { error, first: FIRST_WAIT })
      else this.#pauses.block(accountId, error)
      throw thrown
    }
  }
}
