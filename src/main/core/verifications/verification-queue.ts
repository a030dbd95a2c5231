/**
 * Verifies completed documents for rules: each is requested until the service has answered, in later runs too. A
 * document leaves the queue in the transaction that stores the answer: after a crash in between it is requested again,
 * and nothing is stored twice.
 */
import type { AppError, RuleVerifications } from '../../../shared/contract/index.ts'
import type { DocumentKey } from '../documents/questions.ts'
import { asAppError } from '../errors/app-error.ts'
import { Lanes, Pauses, SerialTask } from '../jobs/lanes.ts'
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
  /** Called when a rule's progress changed. */
  changed: () => void
  time: Time
}

/** Minimum interval between two requests of an account, in milliseconds: the service has others to serve. */
const REQUEST_INTERVAL = 500
/** The wall clock may jump, so waiting jobs are checked at least this often, in milliseconds. */
const MAX_SLEEP = 60_000
/** First pause of an account, and first wait of a failed document, in milliseconds. */
const FIRST_PAUSE = 1_000
const FIRST_WAIT = 5_000

export class VerificationQueue {
  readonly #deps: VerificationQueueDeps
  readonly #jobs: Jobs
  readonly #lanes: Lanes<SerialTask<void>>
  readonly #pauses: Pauses
  readonly #attempts: Attempts
  /** When the next document of an account may be requested, by the monotonic clock. */
  readonly #nextAt = new Map<string, number>()
  readonly #closing = new AbortController()
  #state: 'unstarted' | 'started' | 'over' = 'unstarted'

  constructor(deps: VerificationQueueDeps) {
    const { db, time } = deps
    this.#deps = deps
    this.#jobs = openJobs(db)
    this.#pauses = new Pauses(time)
    this.#attempts = new Attempts(time)
    const workOf = (accountId: string) => () => this.#work(accountId)
    this.#lanes = new Lanes((accountId) => new SerialTask(time, workOf(accountId), () => this.#schedule(accountId)))
  }

  /**
   * Queues a document, unless it was already verified for a rule. Must be called within a transaction, followed by
   * `wake`.
   */
  add({ accountId, reference, name }: DocumentKey & { name: string }, ruleId: string): void {
    const queuedAt = this.#deps.time.now()
    this.#jobs.add({ accountId, documentReference: reference, documentName: name, ruleId, queuedAt })
  }

  /** Starts making requests. */
  start(): void {
    this.#state = 'started'
    this.wake()
  }

  /** Call when there may be new jobs, or waiting ones may proceed. */
  wake(): void {
    if (this.#state !== 'started') return
    for (const accountId of this.#jobs.accounts()) this.#schedule(accountId)
  }

  /** Call when the computer may be online again, or an account changed: jobs waiting for that are tried now. */
  connectionChanged(): void {
    for (const accountId of this.#jobs.accounts()) {
      // A rate limit set by the service is always respected.
      if (this.#pauses.of(accountId)?.error.code !== 'rate-limited') this.#pauses.clear(accountId)
    }
    this.#jobs.makeDue()
    this.wake()
  }

  retryFailed(ruleId: string): void {
    this.#jobs.retryFailed({ ruleId, now: this.#deps.time.now() })
    this.#deps.changed()
    this.wake()
  }

  /** Returns a rule's progress; undefined if it never had anything verified. */
  ofRule(ruleId: string): RuleVerifications | undefined {
    const { done, waiting, failed, accountId, error } = this.#jobs.ofRule(ruleId)
    if (done + waiting + failed === 0) return undefined
    const problem = (accountId === undefined ? undefined : this.#pauses.of(accountId)?.error) ?? error
    return { done, waiting, failed, ...defined({ problem }) }
  }

  /** Stops making requests and aborts those in progress, which are repeated in the next run. */
  async close(limit: number): Promise<void> {
    this.#state = 'over'
    this.#closing.abort()
    await within(limit, Promise.all(this.#lanes.all().map((lane) => lane.close())), this.#deps.time)
  }

  #schedule(accountId: string): void {
    const lane = this.#lanes.of(accountId)
    if (this.#state !== 'started' || lane.isRunning) return
    try {
      const next = this.#jobs.nextJob(accountId)
      const wait = next && this.#remainingWait(next)
      if (wait === undefined || wait === Number.POSITIVE_INFINITY) lane.cancel()
      else lane.schedule(Math.min(wait, MAX_SLEEP))
    } catch {
      // The database can't be read at the moment.
      lane.schedule(MAX_SLEEP)
    }
  }

  #remainingWait({ accountId, retryAt }: Job): number {
    const { time } = this.#deps
    const paced = (this.#nextAt.get(accountId) ?? 0) - time.elapsed()
    return Math.max(0, this.#pauses.remaining(accountId), retryAt - time.now(), paced)
  }

  async #work(accountId: string): Promise<void> {
    const { verify, changed, time } = this.#deps
    const job = this.#state === 'started' ? this.#jobs.nextJob(accountId) : undefined
    if (!job || this.#remainingWait(job) > 0) return
    const { documentReference, documentName, ruleId } = job
    try {
      await verify(accountId, documentReference, {
        ruleId,
        documentName,
        signal: this.#closing.signal,
        inTransaction: () => void this.#jobs.done(job),
        mayKeep: () => this.#state === 'started'
      })
      this.#attempts.recordSuccess({ id: keyOf(job), accountId })
      this.#pauses.clear(accountId)
    } catch (thrown) {
      if (this.#state === 'started') this.#failed(job, thrown)
    }
    this.#nextAt.set(accountId, time.elapsed() + REQUEST_INTERVAL)
    changed()
  }

  #failed(job: Job, thrown: unknown): void {
    const { accountId } = job
    const { time } = this.#deps
    const error = asAppError(thrown)
    const trouble = troubleOf(thrown, error)
    const tried = { id: keyOf(job), accountId, queuedAt: job.queuedAt }
    const isCounted = trouble === 'attempt' && this.#attempts.recordFailure(tried)
    const attempts = job.attempts + (isCounted ? 1 : 0)
    if (trouble === 'account') this.#pauses.block(accountId, error)
    else if (trouble === 'final') this.#pauses.clear(accountId)
    else this.#pauses.recordFailure(accountId, { error, first: FIRST_PAUSE, atLeast: error.retryAfterMs ?? 0 })
    const isOver = trouble === 'final' || (trouble === 'attempt' && this.#attempts.isExhausted(tried, attempts))
    const retryAt = trouble === 'attempt' ? time.now() + backoff(FIRST_WAIT, Math.max(1, attempts), time.random) : 0
    try {
      if (isOver) this.#jobs.fail({ ...job, error, failedAt: time.now() })
      else this.#jobs.delay(job, error, attempts, retryAt)
    } catch {
      // If the disk couldn't take the answer, it can't take this either: the job stays queued.
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
  /** 0: immediately. */
  retryAt: value<number>(),
  queuedAt: value<number>(),
  failedAt: optional(value<number>())
})

/**
 * The queue on disk: one row per rule and document, so that a document doesn't wait for a rule that was turned off or
 * removed while another wants it. A result applies to all rows of a document, so it is requested once.
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
  const countVerified = db.prepare<[ruleId: string], { done: number; newest: number | null }>(
    `SELECT count(answered_at) AS done, max(answered_at) AS newest FROM (
       SELECT (SELECT max(answered_at) FROM verifications INDEXED BY verifications_for_rules
         WHERE account_id = wanted.account_id AND document_reference = wanted.document_reference AND rule_id IS NOT NULL) AS answered_at
       FROM download_rule_documents AS wanted WHERE rule_id = ? AND type = 'verification')`
  )
  const countByState = db.prepare<[string], { state: 'waiting' | 'failed'; count: number; accountId: string }>(
    'SELECT state, count(*) AS count, min(account_id) AS accountId FROM verification_jobs WHERE rule_id = ? GROUP BY state'
  )
  const newestFailed = jobs.one<[ruleId: string]>(
    `WHERE rule_id = ? AND state = 'failed' ORDER BY failed_at DESC LIMIT 1`
  )

  return {
    add: (job: Omit<Job, 'error' | 'attempts' | 'retryAt' | 'failedAt'>): void => void add(JOBS.write(job)),
    accounts: jobs.values<[], string>(`SELECT DISTINCT account_id FROM verification_jobs WHERE state = 'waiting'`),
    /** The next job of an account, even if it isn't due yet. A job waits while every rule that wants it is off. */
    nextJob: jobs.one<[accountId: string]>(
      `WHERE state = 'waiting' AND account_id = ? AND EXISTS (SELECT 1 FROM download_rules WHERE id = rule_id AND is_on = 1)
       ORDER BY retry_at, queued_at, document_reference, rule_id LIMIT 1`
    ),
    done: (job: Job): void => void done(JOBS.write(job)),
    fail: (job: Job): void => void fail(JOBS.write(job)),
    delay: (job: Job, error: AppError, attempts: number, retryAt: number): void =>
      void delay(JOBS.write({ ...job, error, attempts, retryAt })),
    makeDue: jobs.run<[]>(`UPDATE verification_jobs SET retry_at = 0 WHERE state = 'waiting' AND retry_at > 0`),
    retryFailed: jobs.run<[{ ruleId: string; now: number }]>(
      `UPDATE verification_jobs SET state = 'waiting', error = NULL, attempts = 0, retry_at = 0, queued_at = @now
       WHERE rule_id = @ruleId AND state = 'failed'`
    ),

    /**
     * Counts a rule's jobs. Also returns an account with waiting ones, and why the newest failed unless another has
     * succeeded since.
     */
    ofRule(ruleId: string) {
      const { done = 0, newest } = countVerified.get(ruleId) ?? {}
      const found = { done, waiting: 0, failed: 0 }
      let accountId: string | undefined
      for (const row of countByState.all(ruleId)) {
        found[row.state] = row.count
        if (row.state === 'waiting') accountId = row.accountId
      }
      const failed = found.failed > 0 ? newestFailed(ruleId) : undefined
      const isLatest = (failed?.failedAt ?? 0) >= (newest ?? 0)
      return { ...found, accountId, error: isLatest ? failed?.error : undefined }
    }
  }
}
