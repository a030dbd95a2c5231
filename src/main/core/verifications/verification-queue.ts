/**
 * Documents that rules want verified, as they complete: each is asked for until the service has answered, also in a later run.
 * With the answer it leaves the queue, in the same transaction: an end in between asks again, and nothing is there twice.
 */
import type { AppError, RuleVerifications } from '../../../shared/contract/index.ts'
import type { DocumentKey } from '../documents/questions.ts'
import { Lanes, OneAtATime, Pauses } from '../jobs/lanes.ts'
import { Attempts, troubleOf } from '../jobs/retry-policy.ts'
import { defined } from '../lib/objects.ts'
import { json, optional, type RecordOf, Rows, value } from '../lib/rows.ts'
import { backoff, type Time, within } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import { TableStatements } from '../storage/statements.ts'
import type { Verifications } from './verifications.ts'

export interface VerificationQueueDeps {
  db: Db
  verify: Verifications['verify']
  describe: (error: unknown) => AppError
  /** What a rule has to do, or has done, is another. */
  changed: () => void
  time: Time
}

/** From the end of one question of an account to the next, in milliseconds: the service has others to answer. */
const PACE = 500
/** The wall clock may jump: what waits for its time is looked at this often, in milliseconds. */
const LONGEST_SLEEP = 60_000
/** How long an account pauses at first, and a document that failed waits, in milliseconds. */
const FIRST_PAUSE = 1_000
const FIRST_WAIT = 5_000

export class VerificationQueue {
  readonly #deps: VerificationQueueDeps
  readonly #jobs: Jobs
  readonly #lanes: Lanes<OneAtATime<void>>
  readonly #pauses: Pauses
  readonly #attempts: Attempts
  /** When the next of an account may be asked for, on the clock that never jumps. */
  readonly #nextAt = new Map<string, number>()
  readonly #leaving = new AbortController()
  #state: 'closed' | 'open' | 'over' = 'closed'

  constructor(deps: VerificationQueueDeps) {
    const { db, time } = deps
    this.#deps = deps
    this.#jobs = openJobs(db)
    this.#pauses = new Pauses(time)
    this.#attempts = new Attempts(time)
    const workOf = (accountId: string) => () => this.#work(accountId)
    this.#lanes = new Lanes((accountId) => new OneAtATime(time, workOf(accountId), () => this.#plan(accountId)))
  }

  /** Has a document verified, unless a rule did that already. To be called within a transaction; see `wake`. */
  add({ accountId, reference, name }: DocumentKey & { name: string }, ruleId: string): void {
    const queuedAt = this.#deps.time.now()
    this.#jobs.add({ accountId, documentReference: reference, documentName: name, ruleId, queuedAt })
  }

  /** Begins to ask. */
  open(): void {
    this.#state = 'open'
    this.wake()
  }

  /** Something waits now that didn't, or may go that couldn't. */
  wake(): void {
    if (this.#state !== 'open') return
    for (const accountId of this.#jobs.accounts()) this.#plan(accountId)
  }

  /** The computer may be online again, or an account was changed: what waited for that is tried now. */
  connectionChanged(): void {
    for (const accountId of this.#jobs.accounts()) {
      // A service that asked for time gets it, whatever happens here.
      if (this.#pauses.of(accountId)?.error.code !== 'rate-limited') this.#pauses.clear(accountId)
    }
    this.#jobs.hurry()
    this.wake()
  }

  /** Asks once more for what a rule's documents could not be asked. */
  again(ruleId: string): void {
    this.#jobs.again({ ruleId, now: this.#deps.time.now() })
    this.#deps.changed()
    this.wake()
  }

  /** How far a rule is; undefined if it never had anything verified. */
  ofRule(ruleId: string): RuleVerifications | undefined {
    const { done, waiting, failed, accountId, error } = this.#jobs.ofRule(ruleId)
    if (done + waiting + failed === 0) return undefined
    const problem = (accountId === undefined ? undefined : this.#pauses.of(accountId)?.error) ?? error
    return { done, waiting, failed, ...defined({ problem }) }
  }

  /** Asks for nothing more, and breaks off what is under way: it is asked for again in the next run. */
  async close(limit: number): Promise<void> {
    this.#state = 'over'
    this.#leaving.abort()
    await within(limit, Promise.all(this.#lanes.all().map((lane) => lane.close())), this.#deps.time)
  }

  /** Sees to it that the next of an account is asked for when its time has come. */
  #plan(accountId: string): void {
    const lane = this.#lanes.of(accountId)
    if (this.#state !== 'open' || lane.isRunning) return
    try {
      const next = this.#jobs.head(accountId)
      const wait = next && this.#left(next)
      if (wait === undefined || wait === Number.POSITIVE_INFINITY) lane.cancel()
      else lane.later(Math.min(wait, LONGEST_SLEEP))
    } catch {
      // The database can't be read just now.
      lane.later(LONGEST_SLEEP)
    }
  }

  #left({ accountId, retryAt }: Job): number {
    const { time } = this.#deps
    const paced = (this.#nextAt.get(accountId) ?? 0) - time.elapsed()
    return Math.max(0, this.#pauses.left(accountId), retryAt - time.now(), paced)
  }

  async #work(accountId: string): Promise<void> {
    const { verify, changed, time } = this.#deps
    const job = this.#state === 'open' ? this.#jobs.head(accountId) : undefined
    if (!job || this.#left(job) > 0) return
    const { documentReference, documentName, ruleId } = job
    try {
      await verify(accountId, documentReference, {
        ...{ ruleId, documentName, signal: this.#leaving.signal },
        along: () => void this.#jobs.done(job),
        mayKeep: () => this.#state === 'open'
      })
      this.#attempts.wentWell({ id: keyOf(job), accountId })
      this.#pauses.clear(accountId)
    } catch (thrown) {
      if (this.#state === 'open') this.#failed(job, thrown)
    }
    this.#nextAt.set(accountId, time.elapsed() + PACE)
    changed()
  }

  #failed(job: Job, thrown: unknown): void {
    const { accountId } = job
    const { describe, time } = this.#deps
    const error = describe(thrown)
    // What a network's sign-in says in the service's place would be said to all that follow.
    const trouble = error.code === 'not-json' ? 'offline' : troubleOf(thrown, error)
    const tried = { id: keyOf(job), accountId, queuedAt: job.queuedAt }
    const counts = trouble === 'attempt' && this.#attempts.isItsOwnFault(tried)
    const attempts = job.attempts + (counts ? 1 : 0)
    if (trouble === 'account') this.#pauses.block(accountId, error)
    else if (trouble === 'final') this.#pauses.clear(accountId)
    else this.#pauses.failed(accountId, { error, first: FIRST_PAUSE, atLeast: error.retryAfterMs ?? 0 })
    const isOver = trouble === 'final' || (trouble === 'attempt' && this.#attempts.isEnough(tried, attempts))
    const retryAt = trouble === 'attempt' ? time.now() + backoff(FIRST_WAIT, Math.max(1, attempts), time.random) : 0
    try {
      if (isOver) this.#jobs.fail({ ...job, error, failedAt: time.now() })
      else this.#jobs.delay(job, error, attempts, retryAt)
    } catch {
      // The disk that could not take the answer can't take this either: it stays in line.
    }
  }
}

const keyOf = ({ accountId, documentReference }: Job) => JSON.stringify([accountId, documentReference])

type Job = RecordOf<typeof JOBS>
type Jobs = ReturnType<typeof openJobs>

const JOBS = new Rows({
  accountId: value<string>(),
  documentReference: value<string>(),
  documentName: value<string>(),
  ruleId: value<string>(),
  error: optional(json<AppError>()),
  attempts: value<number>(),
  /** 0: at once. */
  retryAt: value<number>(),
  queuedAt: value<number>(),
  failedAt: optional(value<number>())
})

/**
 * The queue as it lies on the disk: a row for each rule that wants a document, so that none waits for a rule that was turned off or
 * removed while another wants it. What becomes of a document becomes of all of its rows: it is asked for once.
 */
function openJobs(db: Db) {
  const jobs = new TableStatements(db, 'verification_jobs', JOBS)
  const add = jobs.run<[job: object]>(
    `INSERT INTO verification_jobs (account_id, document_reference, document_name, rule_id, queued_at)
     SELECT @accountId, @documentReference, @documentName, @ruleId, @queuedAt WHERE NOT EXISTS (SELECT 1 FROM verifications
       WHERE account_id = @accountId AND document_reference = @documentReference AND rule_id IS NOT NULL)
     ON CONFLICT DO UPDATE SET state = 'waiting', error = NULL, attempts = 0, retry_at = 0,
       queued_at = @queuedAt WHERE state = 'failed'`
  )
  const OF_DOCUMENT = 'account_id = @accountId AND document_reference = @documentReference'
  const done = jobs.run<[job: object]>(`DELETE FROM verification_jobs WHERE ${OF_DOCUMENT}`)
  const fail = jobs.run<[job: object]>(
    `UPDATE verification_jobs SET state = 'failed', error = @error, failed_at = @failedAt WHERE ${OF_DOCUMENT}`
  )
  const delay = jobs.run<[job: object]>(
    `UPDATE verification_jobs SET error = @error, attempts = @attempts, retry_at = @retryAt
     WHERE ${OF_DOCUMENT} AND state = 'waiting'`
  )
  // Whichever rule asked: a document is verified for all of them.
  const verified = db.prepare<[ruleId: string], { done: number; newest: number | null }>(
    `SELECT count(answered_at) AS done, max(answered_at) AS newest FROM (
       SELECT (SELECT max(answered_at) FROM verifications INDEXED BY verifications_for_rules
         WHERE account_id = wanted.account_id AND document_reference = wanted.document_reference AND rule_id IS NOT NULL) AS answered_at
       FROM download_rule_documents AS wanted WHERE rule_id = ? AND type = 'verification')`
  )
  const counted = db.prepare<[string], { state: 'waiting' | 'failed'; count: number; accountId: string }>(
    'SELECT state, count(*) AS count, min(account_id) AS accountId FROM verification_jobs WHERE rule_id = ? GROUP BY state'
  )
  const newestFailed = jobs.one<[ruleId: string]>(
    `WHERE rule_id = ? AND state = 'failed' ORDER BY failed_at DESC LIMIT 1`
  )

  return {
    add: (job: Omit<Job, 'error' | 'attempts' | 'retryAt' | 'failedAt'>): void => void add(JOBS.write(job)),
    /** Accounts of which something waits. */
    accounts: jobs.values<[], string>(`SELECT DISTINCT account_id FROM verification_jobs WHERE state = 'waiting'`),
    /** The next of an account, whatever its time is. While every rule that wants it is off it waits. */
    head: jobs.one<[accountId: string]>(
      `WHERE state = 'waiting' AND account_id = ? AND EXISTS (SELECT 1 FROM download_rules WHERE id = rule_id AND is_on = 1)
       ORDER BY retry_at, queued_at, document_reference, rule_id LIMIT 1`
    ),
    done: (job: Job): void => void done(JOBS.write(job)),
    fail: (job: Job): void => void fail(JOBS.write(job)),
    delay: (job: Job, error: AppError, attempts: number, retryAt: number): void =>
      void delay(JOBS.write({ ...job, error, attempts, retryAt })),
    hurry: jobs.run<[]>(`UPDATE verification_jobs SET retry_at = 0 WHERE state = 'waiting' AND retry_at > 0`),
    again: jobs.run<[{ ruleId: string; now: number }]>(
      `UPDATE verification_jobs SET state = 'waiting', error = NULL, attempts = 0, retry_at = 0, queued_at = @now
       WHERE rule_id = @ruleId AND state = 'failed'`
    ),

    /** How many a rule's are; of what waits an account; and why the newest failed, unless another went well since. */
    ofRule(ruleId: string) {
      const { done = 0, newest } = verified.get(ruleId) ?? {}
      const found = { done, waiting: 0, failed: 0 }
      let accountId: string | undefined
      for (const row of counted.all(ruleId)) {
        found[row.state] = row.count
        if (row.state === 'waiting') accountId = row.accountId
      }
      const failed = found.failed > 0 ? newestFailed(ruleId) : undefined
      const isNews = (failed?.failedAt ?? 0) >= (newest ?? 0)
      return { ...found, accountId, error: isNews ? failed?.error : undefined }
    }
  }
}
