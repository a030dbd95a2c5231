/**
 * Why a ready send doesn't leave yet, and until when: its account's outbox is paused, or its time hasn't come. Pauses
 * by a person or the service persist across restarts. Network failures and rate limits end by themselves. A failing
 * keychain is only asked again when a person or the network gives cause.
 */
import { isDeepStrictEqual } from 'node:util'
import type { AppError, OutboxView } from '../../../shared/contract/index.ts'
import { Lanes, Pauses } from '../jobs/lanes.ts'
import { json, optional, type Row, Rows, value } from '../lib/rows.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'

export type OutboxSettings = OutboxView['settings']
type Pause = NonNullable<OutboxView['pause']>

/** An account's outbox as stored, and when its pace allows the next send, on this run's monotonic clock. */
interface Account {
  settings: OutboxSettings
  pause: Pause | undefined
  nextByPace: number
}

const OUTBOXES = new Rows({
  concurrency: value<number>(),
  perMinute: value<number | null>(),
  undoSeconds: value<number>('take_back_seconds'),
  by: optional(value<Pause['by']>('paused_by')),
  since: optional(value<number>('paused_at')),
  error: optional(json<AppError>('pause_error'))
})

const DEFAULTS: OutboxSettings = { concurrency: 2, perMinute: null, undoSeconds: 10 }
/** How long an outbox waits after a first failure, in milliseconds: if nothing left, and if the result is unknown. */
const FIRST_WAIT = { offline: 5_000, uncertain: 1_000 }

/** Each account's outbox settings, and the reasons why nothing leaves it. */
export class AccountPauses {
  readonly #time: Time
  readonly #rows: ReturnType<typeof rowsOf>
  readonly #accounts: Lanes<Account>
  readonly #offline: Pauses
  readonly #rateLimit: Pauses
  readonly #keychain: Pauses

  constructor({ db, time }: { db: Db; time: Time }) {
    this.#time = time
    this.#rows = rowsOf(db)
    this.#accounts = new Lanes((accountId) => ({ ...this.#rows.read(accountId), nextByPace: 0 }))
    this.#offline = new Pauses(time)
    this.#rateLimit = new Pauses(time)
    this.#keychain = new Pauses(time)
  }

  settings(accountId: string): OutboxSettings {
    return this.#accounts.of(accountId).settings
  }

  /** Returns how long sending can be undone, in milliseconds. */
  undoWindow(accountId: string): number {
    return this.settings(accountId).undoSeconds * 1000
  }

  configure(accountId: string, change: Partial<OutboxSettings>): void {
    this.#store(accountId, { settings: { ...this.settings(accountId), ...change } })
  }

  /** Pauses the outbox by hand. If the service paused it already, its reason is kept. */
  pauseByHand(accountId: string): void {
    if (!this.#accounts.of(accountId).pause) {
      this.#store(accountId, { pause: { by: 'person', since: this.#time.now() } })
    }
  }

  /** Applies the office's settings and pause. Returns whether they changed anything. */
  applyOfficeState(
    accountId: string,
    limits: Omit<OutboxSettings, 'undoSeconds'>,
    officePause: Pause | undefined
  ): boolean {
    const { settings, pause } = this.#accounts.of(accountId)
    const next = {
      settings: { ...settings, ...limits },
      pause: officePause && isSame(officePause, pause) ? pause : officePause
    }
    if (isDeepStrictEqual(next, { settings, pause })) return false
    this.#store(accountId, next)
    return true
  }

  /** Pauses for a service error that affects all sends. Call it in the transaction that stores the send. */
  pauseByService(accountId: string, error: AppError): void {
    const { pause } = this.#accounts.of(accountId)
    // Written each time, as the previous transaction may have been rolled back.
    this.#store(accountId, {
      pause: pause?.by === 'service' ? pause : { by: 'service', since: this.#time.now(), error }
    })
  }

  /**
   * Pauses the outbox because the credentials aren't available. Nothing is tried until the outbox is resumed or the
   * network changes.
   */
  pauseByKeychain(accountId: string, error: AppError): void {
    const next = [error.next, THEN_RESUME].filter(Boolean).join(' ')
    this.#keychain.block(accountId, { ...error, next })
  }

  /** Resumes the outbox: it tries at once, but no faster than the service asked. */
  resume(accountId: string): void {
    this.#store(accountId, { pause: undefined })
    this.#keychain.clear(accountId)
    this.#offline.tryNow(accountId)
  }

  /** Records an attempt that failed because of the network, or whose result is unknown. */
  failed(accountId: string, kind: 'offline' | 'uncertain', error: AppError): void {
    this.#offline.recordFailure(accountId, { error, first: FIRST_WAIT[kind] })
  }

  /** Records that the service answered. */
  reached(accountId: string): void {
    this.#offline.clear(accountId)
  }

  /** Records that the service asked us to wait. */
  slowDown(accountId: string, error: AppError): void {
    this.#rateLimit.pauseFor(accountId, error, error.retryAfterMs ?? 0)
  }

  /** Retries whatever waits for the network, as the computer may be online again. */
  connectionChanged(): void {
    this.#keychain.clear()
    this.#offline.tryNow()
  }

  /** Records that a send left: the next one waits as long as the pace requires. */
  recordDeparture(accountId: string): void {
    const account = this.#accounts.of(accountId)
    const { perMinute } = account.settings
    account.nextByPace = perMinute === null ? 0 : this.#time.elapsed() + 60_000 / perMinute
  }

  /** Returns how many sends may be in flight at a time: only one until the service is known to be reachable again. */
  concurrency(accountId: string): number {
    return this.#offline.of(accountId) ? 1 : this.settings(accountId).concurrency
  }

  /** Returns whether nothing leaves until someone resumes the outbox. */
  isPaused(accountId: string): boolean {
    return this.#pauseUntilResumed(accountId) !== undefined
  }

  /** Returns how long until something may leave, in milliseconds; 0 if it may now. */
  waitMs(accountId: string): number {
    const { nextByPace, settings } = this.#accounts.of(accountId)
    const pace = settings.perMinute === null ? 0 : nextByPace - this.#time.elapsed()
    return Math.max(0, pace, this.#offline.remaining(accountId), this.#rateLimit.remaining(accountId))
  }

  /** Returns why nothing leaves; undefined if something does, or if only the pace limit holds it back. */
  of(accountId: string): Pause | undefined {
    const untilResumed = this.#pauseUntilResumed(accountId)
    if (untilResumed) return untilResumed
    const wait = this.#rateLimit.remaining(accountId)
    const limit = wait > 0 ? this.#rateLimit.of(accountId) : undefined
    if (limit) return { by: 'service', since: limit.since, error: limit.error, until: this.#wallTimeIn(wait) }
    const offline = this.#offline.of(accountId)
    if (!offline) return undefined
    const { since, error } = offline
    return { by: 'line', since, error, until: this.#wallTimeIn(this.#offline.remaining(accountId)) }
  }

  #pauseUntilResumed(accountId: string): Pause | undefined {
    const keychain = this.#keychain.of(accountId)
    return (
      this.#accounts.of(accountId).pause ??
      (keychain && { by: 'service', since: keychain.since, error: keychain.error })
    )
  }

  #store(accountId: string, change: Partial<Pick<Account, 'settings' | 'pause'>>): void {
    const { settings, pause } = { ...this.#accounts.of(accountId), ...change }
    this.#rows.write(accountId, settings, pause)
    Object.assign(this.#accounts.of(accountId), { settings, pause })
  }

  #wallTimeIn(milliseconds: number): number {
    return Math.round(this.#time.now() + milliseconds)
  }
}

/** Compares pauses. Messages of service pauses may differ: the workstation that was told knows the exact one. */
function isSame(theirs: Pause, ours: Pause | undefined): boolean {
  return theirs.by === ours?.by && (theirs.by === 'service' || theirs.error?.message === ours.error?.message)
}

const THEN_RESUME = 'Packages are sent once you resume the Outbox.'

function rowsOf(db: Db) {
  const read = db.prepare<[string], Row>('SELECT * FROM outboxes WHERE account_id = ?')
  // An account removed while it had sends in flight must not get a new outbox row.
  const write = db.prepare(
    `INSERT INTO outboxes (account_id, concurrency, per_minute, take_back_seconds, paused_by, paused_at, pause_error)
     SELECT id, @concurrency, @perMinute, @undoSeconds, @by, @since, @error FROM accounts WHERE id = @accountId
     ON CONFLICT (account_id) DO UPDATE SET concurrency = @concurrency, per_minute = @perMinute,
       take_back_seconds = @undoSeconds, paused_by = @by, paused_at = @since, pause_error = @error`
  )
  return {
    read(accountId: string): Pick<Account, 'settings' | 'pause'> {
      const found = OUTBOXES.find(read.get(accountId))
      if (!found) return { settings: DEFAULTS, pause: undefined }
      const { by, since = 0, error, ...settings } = found
      return { settings, pause: by && { by, since, ...(error && { error }) } }
    },
    write(accountId: string, settings: OutboxSettings, pause: Pause | undefined): void {
      const { by, since, error } = pause ?? {}
      write.run({ accountId, ...OUTBOXES.write({ ...settings, by, since, error }) })
    }
  }
}

/** How far the wall clock and the monotonic clock may drift apart, in milliseconds. */
const DRIFT = 5 * 60_000

/** The fields of a send that say when it may leave. `goesAt` is 0 for immediately. */
export interface WaitingSend {
  readonly id: string
  readonly batchId: string | undefined
  readonly isScheduled: boolean
  readonly goesAt: number
}

interface Moment {
  wall: number
  elapsed: number
}

/**
 * When a ready send may leave: after its undo window, or at its scheduled time. Changing the wall clock neither
 * shortens nor lengthens either.
 */
export class SendTimes {
  readonly #time: Pick<Time, 'now' | 'elapsed'>
  /** When the undo window of a send or a batch ends, on the monotonic clock. */
  readonly #undoUntil = new Map<string, number>()
  /** When a send or a batch was scheduled. */
  readonly #scheduledAt = new Map<string, Moment>()
  /** When the wall clock was last known to be right: at the start of this run, and when the computer woke. */
  #trusted: Moment

  constructor(time: Pick<Time, 'now' | 'elapsed'>) {
    this.#time = time
    this.#trusted = this.#moment()
  }

  /**
   * Opens the undo window of a send or a batch. A window from an earlier run continues with the time that was left.
   * @param milliseconds from now.
   */
  allowUndo(id: string, milliseconds: number): void {
    if (milliseconds > 0) this.#undoUntil.set(id, this.#time.elapsed() + milliseconds)
  }

  /** Closes the undo window: it is sent now, or sending was undone. */
  endUndo(id: string): void {
    this.#undoUntil.delete(id)
  }

  /** Records that a send or batch was just scheduled, by the wall clock as it is now. */
  schedule(id: string): void {
    this.#scheduledAt.set(id, this.#moment())
  }

  /** Trusts the wall clock as it is, after the computer slept. */
  trustClock(): void {
    this.#scheduledAt.clear()
    this.#trusted = this.#moment()
  }

  /** Returns how long until a ready send may leave, in milliseconds; 0 or less if its time has come. */
  remaining({ id, batchId, isScheduled, goesAt }: WaitingSend): number {
    if (goesAt === 0) return 0
    const scheduled = this.#scheduledAt.get(id) ?? this.#scheduledAt.get(batchId ?? id) ?? this.#trusted
    return isScheduled ? this.#scheduledRemaining(scheduled, goesAt) : this.#undoRemaining(batchId ?? id)
  }

  /** Returns the same in whole milliseconds, as the office stores it; 0 if its time has come. */
  wholeRemaining(send: WaitingSend): number {
    return Math.max(0, Math.round(this.remaining(send)))
  }

  #undoRemaining(id: string): number {
    const until = this.#undoUntil.get(id)
    if (until === undefined) return 0
    const left = until - this.#time.elapsed()
    if (left <= 0) this.#undoUntil.delete(id)
    return Math.max(0, left)
  }

  /**
   * The wall clock decides when a time has come, but its jumps alone don't release anything: the remaining time is also
   * measured on the monotonic clock, from when the send was scheduled or the wall clock was last trusted.
   */
  #scheduledRemaining(from: Moment, at: number): number {
    const byWall = at - this.#time.now()
    const measured = at - from.wall - (this.#time.elapsed() - from.elapsed)
    return byWall <= 0 && measured > DRIFT ? measured : byWall
  }

  #moment(): Moment {
    return { wall: this.#time.now(), elapsed: this.#time.elapsed() }
  }
}
