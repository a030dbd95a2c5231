/** Which folders of one account fail, and until when each is left alone: what fails slows no other folder. Nothing here waits. */
import type { AppError } from '../../../../shared/contract/index.ts'
import { type Fortune, restAfter } from './intervals.ts'

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

export function openFolderPaces() {
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
