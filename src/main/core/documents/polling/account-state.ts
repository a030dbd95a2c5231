/** What polling remembers of each account between two rounds: how its folders fail, and how its connection is. */

import { type AppError, type ConnectionView, localErrorCodes } from '../../../../shared/contract/index.ts'
import type { Time } from '../../lib/time.ts'
import { type Fortune, restAfter, type throttled } from './intervals.ts'

/** An account that is watched. It keeps its place while another is looked at. */
export interface Place {
  accountId: string
  /** Rounds on end in which nothing could be read at all. */
  failures: number
  paces: ReturnType<typeof openFolderPaces>
  isRound: boolean
  /** Whether any of its folders was read in this run. */
  isRead: boolean
  /** When a folder answered last, by the clock that never jumps. */
  answeredAt: number
  /** Something gave cause to look at all folders; while a round is under way, it may have come too late for it. */
  isWanted: boolean
  unschedule?: (() => void) | undefined
  told: ReturnType<typeof throttled>
}

export function newPlace(accountId: string, told: Place['told']): Place {
  return {
    accountId,
    failures: 0,
    paces: openFolderPaces(),
    isRound: false,
    isRead: false,
    answeredAt: Number.NEGATIVE_INFINITY,
    isWanted: false,
    told
  }
}

/** Which folders of one account fail, and until when each is left alone: what fails slows no other folder. Nothing here waits. */

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

/** What is known of the line to each account's service, from the way that calls end. */

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

export function openConnections(time: Pick<Time, 'now'>) {
  const connections = new Map<string, ConnectionView>()

  return {
    /** Notes how a call ended; answers whether the state is another one now. */
    noted(accountId: string, error?: AppError): boolean {
      const state = stateAfter(error)
      if (!state) return false
      const before = connections.get(accountId)
      const since = before?.state === state ? before.since : time.now()
      connections.set(accountId, { state, since, ...(error && state !== 'online' && { error }) })
      return before?.state !== state
    },
    of: (accountId: string | undefined): ConnectionView =>
      (accountId && connections.get(accountId)) || { state: 'unknown', since: time.now() },
    forget: (accountId: string) => void connections.delete(accountId)
  }
}
