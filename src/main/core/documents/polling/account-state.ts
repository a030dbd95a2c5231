/**
 * What polling remembers of each account between rounds: failing folders, the connection's state, and the resulting
 * rest. Nothing here waits.
 */
import { type AppError, type ConnectionView, traitsOf } from '../../../../shared/contract/index.ts'
import type { Throttled, Time } from '../../lib/time.ts'

/** State of a polled account; kept while another account is in view. */
export class AccountState {
  readonly accountId: string
  readonly changeNotifier: Throttled
  readonly backoffs = openFolderBackoffs()
  readonly #now: () => number
  #connection: ConnectionView | undefined
  /** Consecutive rounds in which nothing at all could be read. */
  failures = 0
  isRoundRunning = false
  /** Whether any of its folders was read in this run. */
  isRead = false
  /** When a folder last answered, by the monotonic clock. */
  answeredAt = Number.NEGATIVE_INFINITY
  /** Whether a read of all folders was requested; during a round, possibly too late for that round. */
  isFullReadRequested = false
  unschedule: (() => void) | undefined

  constructor(accountId: string, changeNotifier: Throttled, { now }: Pick<Time, 'now'>) {
    this.accountId = accountId
    this.changeNotifier = changeNotifier
    this.#now = now
  }

  /** State of the connection to its service, judging by how calls end. */
  get connection(): ConnectionView {
    return this.#connection ?? { state: 'unknown', since: this.#now() }
  }

  /** Records how a call ended; returns whether the connection's state changed. */
  recordOutcome(error?: AppError): boolean {
    const state = stateAfter(error)
    if (!state) return false
    const before = this.#connection
    const since = before?.state === state ? before.since : this.#now()
    this.#connection = { state, since, ...(error && state !== 'online' && { error }) }
    return before?.state !== state
  }

  /** Stops reading and reporting. */
  stop(): void {
    this.unschedule?.()
    this.changeNotifier.stop()
  }
}

/** How a service says that it has no folder of this name: nothing else in the request is variable. */
const UNKNOWN_FOLDER = new Set<AppError['code']>(['not-found', 'invalid'])
/** Errors after which no folder is asked while one rests: more requests would be too many, lock the account, or prompt. */
const ACCOUNT_WIDE_ERRORS = new Set<AppError['code']>(['rate-limited', 'unauthorised', 'keychain'])
/** Consecutive rounds after which a folder counts as unknown to the service. */
const FAILURES_UNTIL_UNKNOWN = 2
/** Shortest rest, however soon a folder is due, in milliseconds. */
const MIN_REST = 1000

interface FolderFailure {
  failures: number
  error: AppError
  /** How many of the latest failures in a row said that there is no such folder. */
  unknown: number
  /** By the monotonic clock; undefined until the round has ended. */
  until?: number
}

export const isUnknownFolder = (error: AppError): boolean => UNKNOWN_FOLDER.has(error.code)

/**
 * Tracks which folders of an account fail, and until when each is left alone, so that a failing folder doesn't slow
 * down the others.
 */
function openFolderBackoffs() {
  const failing = new Map<string, FolderFailure>()

  return {
    recordOutcome(folder: string, error: AppError | undefined): void {
      if (!error) return void failing.delete(folder)
      const { failures = 0, unknown = 0 } = failing.get(folder) ?? {}
      failing.set(folder, { failures: failures + 1, error, unknown: isUnknownFolder(error) ? unknown + 1 : 0 })
    },

    due: (folders: readonly string[], now: number): string[] =>
      folders.filter((folder) => (failing.get(folder)?.until ?? 0) <= now),

    /** Whether the service has said more than once that it has no such folder. */
    isUnknown: (folder: string): boolean => (failing.get(folder)?.unknown ?? 0) >= FAILURES_UNTIL_UNKNOWN,

    /** Whether any folder fails. */
    isFailing: (): boolean => failing.size > 0,

    /** Returns the milliseconds until the next round. From now on, each failing folder rests by itself. */
    nextRest(
      folders: readonly string[],
      outcome: Omit<RoundOutcome, 'failures' | 'error'>,
      now: number,
      random: number
    ): number {
      const fairRest = restAfter({ ...outcome, failures: 0 }, random)
      const rests = folders.flatMap((folder) => {
        const one = failing.get(folder)
        if (!one) return []
        one.until ??= now + restAfter({ ...outcome, failures: one.failures, error: one.error }, random)
        return { rest: one.until - now, isOfAll: ACCOUNT_WIDE_ERRORS.has(one.error.code) }
      })
      const ownRest = rests.length < folders.length ? fairRest : Math.min(...rests.map(({ rest }) => rest))
      const accountWideRests = rests.flatMap(({ rest, isOfAll }) => (isOfAll ? rest : []))
      return Math.max(MIN_REST, ownRest, ...accountWideRests)
    },

    /** Forgets failures from a previous address or key. */
    forget: (): void => failing.clear()
  }
}

/** Derives the connection's state from the end of a call; undefined if that says nothing of the service. */
function stateAfter(error: AppError | undefined): ConnectionView['state'] | undefined {
  if (!error) return 'online'
  const { failed } = traitsOf(error)
  if (failed === 'on-the-way') return 'offline'
  if (failed === 'here') return undefined
  return error.code === 'unauthorised' ? 'refused' : 'online'
}

/** Rests between two rounds over an account's folders, in milliseconds. */
export const PACE = {
  /** While someone looks at the account. */
  shown: 10_000,
  /** While nobody does. */
  hidden: 120_000,
  /** Limit while the office's server is away and workstations read separately, however many there are. */
  maxAlone: 3_600_000,
  /** After a first failed round; doubled for each further one. */
  failing: 30_000,
  maxFailing: 300_000,
  /** While offline, one folder is requested now and then, to learn when the service is reachable again. */
  probeShown: 30_000,
  probeHidden: 120_000,
  /** Limit, however long a round took: a corrected clock or a sleeping machine makes it seem longer. */
  maxFair: 600_000,
  /** Limit on the service's own request: it may be mistaken, and timers can't exceed 24 days. */
  maxRequested: 3_600_000
}

/** After a slow round, the rest is this many times as long, leaving the line to everything else. */
const REST_FACTOR = 5
/** After errors, rests are lengthened by up to this share, so that fifty workstations don't all return at once. */
const JITTER = 0.2

/** State of an account, or of one of its folders, after a round. */
export interface RoundOutcome {
  /** Whether the window is shown, with this account in view. */
  isLookedAt: boolean
  /** Minimum rest in milliseconds, in addition to the usual one. */
  atLeast?: number
  /** Consecutive failed rounds. */
  failures: number
  /** The last error, if the last round failed. */
  error?: Pick<AppError, 'code' | 'retryAfterMs'> | undefined
  /** Whether the service couldn't be reached at all. */
  isOffline: boolean
  /** How long the round took. */
  took: number
}

/** Returns the milliseconds until the next round. @param random 0 up to 1. */
export function restAfter(
  { isLookedAt, atLeast = 0, failures, error, isOffline, took }: RoundOutcome,
  random: number
): number {
  const usual = Math.max(isLookedAt ? PACE.shown : PACE.hidden, atLeast)
  const fairRest = Math.max(usual, Math.min(PACE.maxFair, took * REST_FACTOR))
  if (failures === 0) return fairRest
  const jitter = 1 + JITTER * random
  if (isOffline) return (isLookedAt ? PACE.probeShown : PACE.probeHidden) * jitter
  // The keychain might prompt the person each time.
  const backoff =
    error?.code === 'keychain' ? PACE.maxFailing : Math.min(PACE.maxFailing, PACE.failing * 2 ** (failures - 1))
  return Math.max(fairRest, backoff * jitter, Math.min(error?.retryAfterMs ?? 0, PACE.maxRequested))
}
