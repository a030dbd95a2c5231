/**
 * Why a ready send doesn't leave yet, and until when: what pauses its account's outbox, and its own time. What a person or
 * the service paused stays paused over restarts; what the network and the service's "not so fast" hold back ends by itself;
 * and a keychain that can't be used is asked again only when someone or something gives cause.
 */
import { isDeepStrictEqual } from 'node:util'
import type { AppError, OutboxView } from '../../../shared/contract/index.ts'
import { Lanes, Pauses } from '../jobs/lanes.ts'
import { json, optional, type Row, Rows, value } from '../lib/rows.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'

export type OutboxSettings = OutboxView['settings']
type Pause = NonNullable<OutboxView['pause']>

/** What is kept of an account's outbox, and when the next send may leave by its pace, on this run's clock. */
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

const USUAL: OutboxSettings = { concurrency: 2, perMinute: null, undoSeconds: 10 }
/** How long an outbox waits after a first failure, in milliseconds: if nothing left, and if nobody knows. */
const FIRST_WAIT = { offline: 5_000, uncertain: 1_000 }

/** How each account's outbox is set, and why nothing leaves it. */
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

  /** How long sending can be undone, in milliseconds. */
  undoWindow(accountId: string): number {
    return this.settings(accountId).undoSeconds * 1000
  }

  configure(accountId: string, change: Partial<OutboxSettings>): void {
    this.#keep(accountId, { settings: { ...this.settings(accountId), ...change } })
  }

  /** Paused by hand. What the service paused keeps its reason. */
  pauseByHand(accountId: string): void {
    if (!this.#accounts.of(accountId).pause) {
      this.#keep(accountId, { pause: { by: 'person', since: this.#time.now() } })
    }
  }

  /** As the office has it; answers whether that is news. */
  follow(accountId: string, limits: Omit<OutboxSettings, 'undoSeconds'>, theirs: Pause | undefined): boolean {
    const { settings, pause } = this.#accounts.of(accountId)
    const next = { settings: { ...settings, ...limits }, pause: theirs && isSame(theirs, pause) ? pause : theirs }
    if (isDeepStrictEqual(next, { settings, pause })) return false
    this.#keep(accountId, next)
    return true
  }

  /** The service said something that concerns all that would follow. Call it in the transaction that keeps the send. */
  pauseByService(accountId: string, error: AppError): void {
    const { pause } = this.#accounts.of(accountId)
    // Written each time: the transaction before may have come to nothing.
    this.#keep(accountId, {
      pause: pause?.by === 'service' ? pause : { by: 'service', since: this.#time.now(), error }
    })
  }

  /** The credentials can't be had: nothing is tried before the outbox is resumed or something is heard of the network. */
  pauseByKeychain(accountId: string, error: AppError): void {
    const next = [error.next, THEN_RESUME].filter(Boolean).join(' ')
    this.#keychain.block(accountId, { ...error, next })
  }

  /** Lets the outbox go again: it tries at once, but still not faster than the service asked. */
  resume(accountId: string): void {
    this.#keep(accountId, { pause: undefined })
    this.#keychain.clear(accountId)
    this.#offline.tryNow(accountId)
  }

  /** After an attempt that the network, or nobody knows what, brought to nothing. */
  failed(accountId: string, kind: 'offline' | 'uncertain', error: AppError): void {
    this.#offline.failed(accountId, { error, first: FIRST_WAIT[kind] })
  }

  /** The service answered. */
  reached(accountId: string): void {
    this.#offline.clear(accountId)
  }

  /** The service asked us to wait. */
  slowDown(accountId: string, error: AppError): void {
    this.#rateLimit.hold(accountId, error, error.retryAfterMs ?? 0)
  }

  /** Online again, perhaps: whatever waits for the network tries now. */
  connectionChanged(): void {
    this.#keychain.clear()
    this.#offline.tryNow()
  }

  /** One left: the next waits as long as the pace asks. */
  left(accountId: string): void {
    const account = this.#accounts.of(accountId)
    const { perMinute } = account.settings
    account.nextByPace = perMinute === null ? 0 : this.#time.elapsed() + 60_000 / perMinute
  }

  /** How many may be under way at a time: one, while it isn't known whether the service can be reached again. */
  concurrency(accountId: string): number {
    return this.#offline.of(accountId) ? 1 : this.settings(accountId).concurrency
  }

  /** Whether nothing leaves until someone resumes it. */
  isPaused(accountId: string): boolean {
    return this.#untilResumed(accountId) !== undefined
  }

  /** Milliseconds until something may leave; 0 for now. */
  waits(accountId: string): number {
    const { nextByPace, settings } = this.#accounts.of(accountId)
    const pace = settings.perMinute === null ? 0 : nextByPace - this.#time.elapsed()
    return Math.max(0, pace, this.#offline.left(accountId), this.#rateLimit.left(accountId))
  }

  /** Why nothing leaves; undefined if something does, or if nothing but the pace holds it back. */
  of(accountId: string): Pause | undefined {
    const untilResumed = this.#untilResumed(accountId)
    if (untilResumed) return untilResumed
    const wait = this.#rateLimit.left(accountId)
    const limit = wait > 0 ? this.#rateLimit.of(accountId) : undefined
    if (limit) return { by: 'service', since: limit.since, error: limit.error, until: this.#wallIn(wait) }
    const offline = this.#offline.of(accountId)
    if (!offline) return undefined
    const { since, error } = offline
    return { by: 'line', since, error, until: this.#wallIn(this.#offline.left(accountId)) }
  }

  #untilResumed(accountId: string): Pause | undefined {
    const keychain = this.#keychain.of(accountId)
    return (
      this.#accounts.of(accountId).pause ??
      (keychain && { by: 'service', since: keychain.since, error: keychain.error })
    )
  }

  #keep(accountId: string, change: Partial<Pick<Account, 'settings' | 'pause'>>): void {
    const { settings, pause } = { ...this.#accounts.of(accountId), ...change }
    this.#rows.write(accountId, settings, pause)
    Object.assign(this.#accounts.of(accountId), { settings, pause })
  }

  #wallIn(milliseconds: number): number {
    return Math.round(this.#time.now() + milliseconds)
  }
}

/** What the service said, the workstation that it said it to knows best. */
function isSame(theirs: Pause, ours: Pause | undefined): boolean {
  return theirs.by === ours?.by && (theirs.by === 'service' || theirs.error?.message === ours.error?.message)
}

const THEN_RESUME = 'Packages are sent once you resume the Outbox.'

function rowsOf(db: Db) {
  const read = db.prepare<[string], Row>('SELECT * FROM outboxes WHERE account_id = ?')
  // An account that was removed while something of it was under way gets no outbox any more.
  const write = db.prepare(
    `INSERT INTO outboxes (account_id, concurrency, per_minute, take_back_seconds, paused_by, paused_at, pause_error)
     SELECT id, @concurrency, @perMinute, @undoSeconds, @by, @since, @error FROM accounts WHERE id = @accountId
     ON CONFLICT (account_id) DO UPDATE SET concurrency = @concurrency, per_minute = @perMinute,
       take_back_seconds = @undoSeconds, paused_by = @by, paused_at = @since, pause_error = @error`
  )
  return {
    read(accountId: string): Pick<Account, 'settings' | 'pause'> {
      const found = OUTBOXES.find(read.get(accountId))
      if (!found) return { settings: USUAL, pause: undefined }
      const { by, since = 0, error, ...settings } = found
      return { settings, pause: by && { by, since, ...(error && { error }) } }
    },
    write(accountId: string, settings: OutboxSettings, pause: Pause | undefined): void {
      const { by, since, error } = pause ?? {}
      write.run({ accountId, ...OUTBOXES.write({ ...settings, by, since, error }) })
    }
  }
}

/** The wall clock and the clock that never jumps may drift apart by this much, in milliseconds. */
const DRIFT = 5 * 60_000

/** As much of a send as says when it may leave. `goesAt` is 0 for at once. */
export interface Waits {
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
 * When a ready send may leave: after the time in which sending can be undone, or at the time that a person gave it. Neither
 * is shortened or lengthened by a clock that is put forwards or back.
 */
export class SendTimes {
  readonly #time: Pick<Time, 'now' | 'elapsed'>
  /** When the undo window of a send or a batch ends, on the clock that never jumps. */
  readonly #undoUntil = new Map<string, number>()
  /** When a send or a batch was given its time. */
  readonly #given = new Map<string, Moment>()
  /** When the wall clock was last known to be right: at the start of this run, and when the computer woke. */
  #trusted: Moment

  constructor(time: Pick<Time, 'now' | 'elapsed'>) {
    this.#time = time
    this.#trusted = this.#moment()
  }

  /**
   * Opens the undo window of a send or a batch. An earlier run's is taken over with what was left of it.
   * @param milliseconds from now.
   */
  allowUndo(id: string, milliseconds: number): void {
    if (milliseconds > 0) this.#undoUntil.set(id, this.#time.elapsed() + milliseconds)
  }

  /** Closes the undo window: it goes now, or was taken back. */
  endUndo(id: string): void {
    this.#undoUntil.delete(id)
  }

  /** A person has just given this send, or this batch, its time by the wall clock as it is. */
  schedule(id: string): void {
    this.#given.set(id, this.#moment())
  }

  /** The computer slept, or is at work again: the wall clock is right as it is. */
  trustClock(): void {
    this.#given.clear()
    this.#trusted = this.#moment()
  }

  /** How long until a ready send may leave, in milliseconds; 0 or less if its time has come. */
  left({ id, batchId, isScheduled, goesAt }: Waits): number {
    if (goesAt === 0) return 0
    return isScheduled ? this.#scheduledLeft(batchId ?? id, goesAt) : this.#undoLeft(batchId ?? id)
  }

  #undoLeft(id: string): number {
    const until = this.#undoUntil.get(id)
    if (until === undefined) return 0
    const left = until - this.#time.elapsed()
    if (left <= 0) this.#undoUntil.delete(id)
    return Math.max(0, left)
  }

  /**
   * The wall clock says when a time comes, but a jump of it alone makes nothing leave: how long is left is also measured on
   * the clock that never jumps, from when the time was given or from when the wall clock was last trusted.
   */
  #scheduledLeft(id: string, at: number): number {
    const from = this.#given.get(id) ?? this.#trusted
    const byWall = at - this.#time.now()
    const measured = at - from.wall - (this.#time.elapsed() - from.elapsed)
    return byWall <= 0 && measured > DRIFT ? measured : byWall
  }

  #moment(): Moment {
    return { wall: this.#time.now(), elapsed: this.#time.elapsed() }
  }
}
