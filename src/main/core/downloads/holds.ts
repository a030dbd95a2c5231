/**
 * Why nothing of an account, or for a folder, moves just now, and until when. Ten thousand files that would all meet the
 * same trouble meet it once: after a wait one of them goes first, and the others follow when it went well.
 */
import type { AppError } from '../../../shared/contract/index.ts'
import { backoff } from '../lib/retry.ts'
import type { Lane } from './download-rows.ts'

export interface Hold {
  error: AppError
  /** On the clock that never jumps; infinite where only a person, or the line's coming back, ends it. */
  until: number
  failures: number
}

/** How long to wait after the first failure, in milliseconds. */
const FIRST_LINE_WAIT = 1_000
const FIRST_FOLDER_WAIT = 5_000

export type Holds = ReturnType<typeof openHolds>

export function openHolds({ elapsed, random }: { elapsed: () => number; random: () => number }) {
  const accounts = new Map<string, Hold>()
  const folders = new Map<string, Hold>()

  function hold(holds: Map<string, Hold>, id: string, error: AppError, first: number): void {
    const known = holds.get(id)
    // What was under way with it met the same.
    const isSame = known !== undefined && known.until > elapsed()
    const failures = isSame ? known.failures : (known?.failures ?? 0) + 1
    const wait = Math.max(error.retryAfterMs ?? 0, backoff(first, failures, random))
    const until = isSame ? Math.max(known.until, elapsed() + (error.retryAfterMs ?? 0)) : elapsed() + wait
    holds.set(id, { error, until, failures })
  }

  const of = ({ accountId, folderId }: Lane): Hold[] =>
    [accounts.get(accountId), folders.get(folderId)].filter((one) => one !== undefined)

  return {
    /** Nobody answered, or the service asks us to wait. */
    line: (accountId: string, error: AppError): void => hold(accounts, accountId, error, FIRST_LINE_WAIT),

    /** Until `release`. */
    account: (accountId: string, error: AppError): void =>
      void accounts.set(accountId, { error, until: Number.POSITIVE_INFINITY, failures: 1 }),

    folder: (folderId: string, error: AppError): void => hold(folders, folderId, error, FIRST_FOLDER_WAIT),

    /** The service answered as it should. */
    reached: (accountId: string): void => void accounts.delete(accountId),
    /** The folder took a file. */
    took: (folderId: string): void => void folders.delete(folderId),

    isHeld: (folderId: string): boolean => folders.has(folderId),

    /** How long nothing may go, in milliseconds; 0 where something may. */
    left: (lane: Lane): number => Math.max(0, ...of(lane).map(({ until }) => until - elapsed())),

    /** Whether one goes first, since the last one met trouble. */
    isTrying: (lane: Lane): boolean => of(lane).length > 0,

    /** The one that lasts longest; undefined where nothing is wrong. */
    of: (lane: Lane): Hold | undefined => of(lane).sort((one, two) => two.until - one.until)[0],

    /** Whatever it was may be over: of one account and all folders, or of all. */
    release(accountId?: string): void {
      if (accountId === undefined) accounts.clear()
      else accounts.delete(accountId)
      folders.clear()
    }
  }
}
