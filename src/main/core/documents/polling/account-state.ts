/**
 * What polling remembers of each account between two rounds: how its folders fail, how its connection is, and how long to
 * rest because of it. Nothing here waits.
 */
import { type AppError, type ConnectionView, localErrorCodes } from '../../../../shared/contract/index.ts'
import type { Throttled, Time } from '../../lib/time.ts'

/** What is known of an account that is watched; it stays while another is looked at. */
export class AccountState {
  readonly accountId: string
  readonly told: Throttled
  readonly paces = openFolderPaces()
  readonly #now: () => number
  #connection: ConnectionView | undefined
  /** Rounds on end in which nothing could be read at all. */
  failures = 0
  isRound = false
  /** Whether any of its folders was read in this run. */
  isRead = false
  /** When a folder answered last, by the clock that never jumps. */
  answeredAt = Number.NEGATIVE_INFINITY
  /** Something gave cause to look at all folders; while a round is under way, it may have come too late for it. */
  isWanted = false
  unschedule: (() => void) | undefined

  constructor(accountId: string, told: Throttled, { now }: Pick<Time, 'now'>) {
    this.accountId = accountId
    this.told = told
    this.#now = now
  }

  /** What is known of the connection to its service, from the way that calls end. */
  get connection(): ConnectionView {
    return this.#connection ?? { state: 'unknown', since: this.#now() }
  }

  /** Notes how a call ended; answers whether the connection's state is another one now. */
  noted(error?: AppError): boolean {
    const state = stateAfter(error)
    if (!state) return false
    const before = this.#connection
    const since = before?.state === state ? before.since : this.#now()
    this.#connection = { state, since, ...(error && state !== 'online' && { error }) }
    return before?.state !== state
  }

  /** Nothing more is read or told of it. */
  stop(): void {
    this.unschedule?.()
    this.told.stop()
  }
}

/** How a service says that it has no folder of this name: nothing else of the request is ours to choose. */
const UNKNOWN_FOLDER = new Set<AppError['code']>(['not-found', 'invalid'])
/** What is wrong with every folder where it is wrong with one. */
const OF_THE_ACCOUNT = new Set<AppError['code']>(['rate-limited', 'unauthorised', 'keychain'])
/** So many rounds on end must not know a folder. */
const UNKNOWN_FOR_SURE = 2
/** However soon a folder's own time comes, in milliseconds. */
const SHORTEST_REST = 1000

interface Failing {
  failures: number
  error: AppError
  /** How many of them, the newest included, said that there is no such folder. */
  unknown: number
  /** By a clock that never jumps; undefined until the round has ended. */
  until?: number
}

export const isUnknownFolder = (error: AppError): boolean => UNKNOWN_FOLDER.has(error.code)

/** Which folders of one account fail, and until when each is left alone: what fails slows no other folder. */
function openFolderPaces() {
  const failing = new Map<string, Failing>()

  return {
    /** How a look at a folder ended. */
    noted(folder: string, error: AppError | undefined): void {
      if (!error) return void failing.delete(folder)
      const { failures = 0, unknown = 0 } = failing.get(folder) ?? {}
      failing.set(folder, { failures: failures + 1, error, unknown: isUnknownFolder(error) ? unknown + 1 : 0 })
    },

    /** Those of the folders whose time has come. */
    due: (folders: readonly string[], now: number): string[] =>
      folders.filter((folder) => (failing.get(folder)?.until ?? 0) <= now),

    /** Whether the service has said more than once that it has no such folder. */
    isUnknown: (folder: string): boolean => (failing.get(folder)?.unknown ?? 0) >= UNKNOWN_FOR_SURE,

    /** Whether any folder fails. */
    isFailing: (): boolean => failing.size > 0,

    /** Milliseconds until the next round over the folders; and from here on those that fail rest, each for itself. */
    rest(
      folders: readonly string[],
      fortune: Omit<Fortune, 'failures' | 'error'>,
      now: number,
      random: number
    ): number {
      const fair = restAfter({ ...fortune, failures: 0 }, random)
      const rests = folders.flatMap((folder) => {
        const one = failing.get(folder)
        if (!one) return []
        one.until ??= now + restAfter({ ...fortune, failures: one.failures, error: one.error }, random)
        return { rest: one.until - now, isOfAll: OF_THE_ACCOUNT.has(one.error.code) }
      })
      const own = rests.length < folders.length ? fair : Math.min(...rests.map(({ rest }) => rest))
      const ofAll = rests.flatMap(({ rest, isOfAll }) => (isOfAll ? rest : []))
      return Math.max(SHORTEST_REST, own, ...ofAll)
    },

    /** What failed was asked of another address, or by another key. */
    forget: (): void => failing.clear()
  }
}

/** Errors that say that no connection could be made, or that something else than the service answered. */
const UNREACHABLE = new Set<AppError['code']>([
  'offline',
  'dns',
  'refused',
  'timeout',
  'tls',
  'not-json',
  'unsafe-address'
])
const localCodes: ReadonlySet<string> = new Set(localErrorCodes)

/** What a call's end says of the connection; undefined if it failed on this machine, before the service was asked. */
function stateAfter(error: AppError | undefined): ConnectionView['state'] | undefined {
  if (!error) return 'online'
  if (UNREACHABLE.has(error.code)) return 'offline'
  if (localCodes.has(error.code) || error.code === 'cancelled') return undefined
  return error.code === 'unauthorised' ? 'refused' : 'online'
}

/** How long to rest between two rounds over an account's folders, in milliseconds. */
export const PACE = {
  /** While someone looks at the account. */
  shown: 10_000,
  /** While nobody does. */
  hidden: 120_000,
  /** However many workstations read each for itself while their office's server is away. */
  longestApart: 3_600_000,
  /** After a first round that failed; each further one doubles it. */
  failing: 30_000,
  longestFailing: 300_000,
  /** While offline, one folder is asked for now and then, to learn when the service can be reached again. */
  probeShown: 30_000,
  probeHidden: 120_000,
  /** However long a round took: a clock that was put right, or a machine that slept, makes it look longer. */
  longestFair: 600_000,
  /** However long the service asks for: it may have been wrong, and a timer knows no longer than 24 days. */
  longestAskedFor: 3_600_000
}

/** A round that took long leaves so many times as long to everything else on the line. */
const REST_FOR_EACH = 5
/** Rests are lengthened by up to this share after errors, so that fifty workstations don't come back at once. */
const SPREAD = 0.2

/** How an account, or a folder of it, stands after a round. */
export interface Fortune {
  /** The window is shown, and it is this account's. */
  isLookedAt: boolean
  /** How long is rested at least, in milliseconds; where it isn't given, as how it is looked at has it. */
  atLeast?: number
  /** Rounds on end that failed. */
  failures: number
  /** The last error, where the last round failed. */
  error?: Pick<AppError, 'code' | 'retryAfterMs'> | undefined
  /** Whether the service couldn't be reached at all. */
  isOffline: boolean
  /** How long the round took. */
  took: number
}

/**
 * Milliseconds until the next round.
 * @param random 0 up to 1.
 */
export function restAfter(
  { isLookedAt, atLeast = 0, failures, error, isOffline, took }: Fortune,
  random: number
): number {
  const usual = Math.max(isLookedAt ? PACE.shown : PACE.hidden, atLeast)
  const fair = Math.max(usual, Math.min(PACE.longestFair, took * REST_FOR_EACH))
  if (failures === 0) return fair
  const spread = 1 + SPREAD * random
  if (isOffline) return (isLookedAt ? PACE.probeShown : PACE.probeHidden) * spread
  // The keychain might ask the person each time.
  const patience =
    error?.code === 'keychain' ? PACE.longestFailing : Math.min(PACE.longestFailing, PACE.failing * 2 ** (failures - 1))
  return Math.max(fair, patience * spread, Math.min(error?.retryAfterMs ?? 0, PACE.longestAskedFor))
}
