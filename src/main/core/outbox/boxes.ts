/**
 * Each account's box: how it is set, and why nothing leaves it. What a person or the service paused stays paused over
 * restarts; what the line and the service's "not so fast" hold back ends by itself; and a keychain that can't be used is
 * asked again when somebody or something gives cause.
 */
import type { AppError, OutboxView } from '../../../shared/contract/index.ts'
import { backoff } from '../lib/retry.ts'
import type { Db } from '../storage/connection.ts'
import type { OutboxEffects } from './effects.ts'

export type BoxSettings = OutboxView['settings']
type Pause = NonNullable<OutboxView['pause']>

/** What holds a box back until a moment of this run's clock. */
interface Wait {
  since: number
  error: AppError
  until: number
}

interface Box {
  settings: BoxSettings
  pause?: Pause | undefined
  line?: (Wait & { failures: number }) | undefined
  /** The keychain holds back the credentials: asking it again might ask the person each time. */
  keychain?: Pause | undefined
  rate?: Wait | undefined
  /** When the next may leave by the pace, on this run's clock. */
  paceUntil: number
}

interface Row {
  concurrency: number
  per_minute: number | null
  take_back_seconds: number
  paused_by: 'person' | 'service' | null
  paused_at: number | null
  pause_error: string | null
}

const USUAL: BoxSettings = { concurrency: 2, perMinute: null, takeBackSeconds: 10 }
/** How long a box waits after a first failure, in milliseconds: where nothing left, and where nobody knows. */
const FIRST_WAIT = { line: 5_000, uncertain: 1_000 }

export type Boxes = ReturnType<typeof openBoxes>

export function openBoxes({ db, clock, elapsed, random }: Pick<OutboxEffects, 'db' | 'clock' | 'elapsed' | 'random'>) {
  const rows = rowsOf(db)
  const boxes = new Map<string, Box>()

  function box(accountId: string): Box {
    const known = boxes.get(accountId)
    if (known) return known
    const opened = { ...rows.read(accountId), paceUntil: 0 }
    boxes.set(accountId, opened)
    return opened
  }

  function keep(accountId: string, change: Partial<Pick<Box, 'settings' | 'pause'>>): void {
    const { settings, pause } = { ...box(accountId), ...change }
    rows.write(accountId, settings, pause)
    Object.assign(box(accountId), { settings, pause })
  }

  /** A wait that is over says nothing any more. */
  function running(wait: Wait | undefined): Wait | undefined {
    return wait && wait.until > elapsed() ? wait : undefined
  }

  return {
    settings: (accountId: string): BoxSettings => box(accountId).settings,

    configure(accountId: string, change: Partial<BoxSettings>): void {
      keep(accountId, { settings: { ...box(accountId).settings, ...change } })
    },

    /** Paused by hand. What the service paused keeps its reason. */
    pauseByHand(accountId: string): void {
      if (!box(accountId).pause) keep(accountId, { pause: { by: 'person', since: clock() } })
    },

    /** The service said something that concerns all that would follow. Call it in the transaction that keeps the send. */
    pauseByService(accountId: string, error: AppError): void {
      const { pause } = box(accountId)
      // Written each time: the transaction before may have come to nothing.
      keep(accountId, { pause: pause?.by === 'service' ? pause : { by: 'service', since: clock(), error } })
    },

    /** Lets the box go again: it tries at once, but still not faster than the service asked. */
    resume(accountId: string): void {
      keep(accountId, { pause: undefined })
      tryNow(box(accountId))
    },

    /** The credentials can't be had: nothing is tried before the box is resumed or something is heard of the line. */
    pauseByKeychain(accountId: string, error: AppError): void {
      const next = [error.next, THEN_RESUME].filter(Boolean).join(' ')
      box(accountId).keychain = { by: 'service', since: clock(), error: { ...error, next } }
    },

    /** After an attempt that the line, or nobody knows what, brought to nothing. */
    failed(accountId: string, kind: 'line' | 'uncertain', error: AppError): void {
      const { line } = box(accountId)
      // Those that were on their way together fail together: that is one failure.
      if (line && line.until > elapsed()) return
      const failures = (line?.failures ?? 0) + 1
      const wait = backoff(FIRST_WAIT[kind], failures, random)
      box(accountId).line = { failures, error, since: line?.since ?? clock(), until: elapsed() + wait }
    },

    /** The service answered. */
    reached(accountId: string): void {
      box(accountId).line = undefined
    },

    /** The service asked for patience. */
    slowDown(accountId: string, error: AppError): void {
      const until = elapsed() + (error.retryAfterMs ?? 0)
      const { rate } = box(accountId)
      if (!rate || rate.until < until) box(accountId).rate = { error, until, since: running(rate)?.since ?? clock() }
    },

    /** Something was heard of the line: boxes that wait for it try now. */
    lineChanged(): void {
      for (const one of boxes.values()) tryNow(one)
    },

    /** One left: the next waits as long as the pace asks. */
    left(accountId: string): void {
      const { settings } = box(accountId)
      box(accountId).paceUntil = settings.perMinute === null ? 0 : elapsed() + 60_000 / settings.perMinute
    },

    /** How many may be on their way at a time: one, while it isn't known whether the line is good again. */
    lanes: (accountId: string): number => (box(accountId).line ? 1 : box(accountId).settings.concurrency),

    /** Whether the box stays shut until somebody opens it. */
    isPaused: (accountId: string): boolean => (box(accountId).pause ?? box(accountId).keychain) !== undefined,

    /** Milliseconds until something may leave; 0 for now. */
    waits(accountId: string): number {
      const { line, rate, paceUntil, settings } = box(accountId)
      const pace = settings.perMinute === null ? 0 : paceUntil
      return Math.max(0, Math.max(line?.until ?? 0, rate?.until ?? 0, pace) - elapsed())
    },

    /** Why nothing leaves; undefined where something does, or where nothing but the pace holds it back. */
    pauseOf(accountId: string): Pause | undefined {
      const { pause, keychain, line, rate } = box(accountId)
      if (pause ?? keychain) return pause ?? keychain
      const slowed = running(rate)
      if (slowed) return { by: 'service', since: slowed.since, error: slowed.error, until: wallOf(slowed.until) }
      return line && { by: 'line', since: line.since, error: line.error, until: wallOf(line.until) }
    },

    /** Whether it is the service's "not so fast" that holds the box back. */
    isSlowed: (accountId: string): boolean => running(box(accountId).rate) !== undefined
  }

  function tryNow(one: Box): void {
    one.keychain = undefined
    if (one.line) one.line.until = elapsed()
  }

  function wallOf(moment: number): number {
    return Math.round(clock() + Math.max(0, moment - elapsed()))
  }
}

const THEN_RESUME = 'What waits goes once you resume the Outbox.'

function rowsOf(db: Db) {
  const read = db.prepare<[string], Row>('SELECT * FROM outboxes WHERE account_id = ?')
  // An account that was removed while something of it was on its way gets no box any more.
  const write = db.prepare(
    `INSERT INTO outboxes (account_id, concurrency, per_minute, take_back_seconds, paused_by, paused_at, pause_error)
     SELECT id, @concurrency, @perMinute, @takeBackSeconds, @by, @since, @error FROM accounts WHERE id = @accountId
     ON CONFLICT (account_id) DO UPDATE SET concurrency = @concurrency, per_minute = @perMinute,
       take_back_seconds = @takeBackSeconds, paused_by = @by, paused_at = @since, pause_error = @error`
  )
  return {
    read(accountId: string): Pick<Box, 'settings' | 'pause'> {
      const row = read.get(accountId)
      if (!row) return { settings: USUAL }
      return {
        settings: {
          concurrency: row.concurrency,
          perMinute: row.per_minute,
          takeBackSeconds: row.take_back_seconds
        },
        pause: row.paused_by
          ? {
              by: row.paused_by,
              since: row.paused_at ?? 0,
              ...(row.pause_error !== null && { error: JSON.parse(row.pause_error) as AppError })
            }
          : undefined
      }
    },
    write(accountId: string, settings: BoxSettings, pause: Pause | undefined): void {
      write.run({
        accountId,
        ...settings,
        by: pause?.by ?? null,
        since: pause?.since ?? null,
        error: pause?.error ? JSON.stringify(pause.error) : null
      })
    }
  }
}
