/** Reads the folders of one account into the mirror: never one folder twice at a time, and each answer taken in the order of its asking. */
import type { AppError, UnreadableDocument } from '../../../../shared/contract/index.ts'
import type { Time } from '../../lib/time.ts'
import type { ServiceClient } from '../../service/service-client.ts'
import type { AskDocuments, Taken } from '../questions.ts'

type FolderClient = Pick<ServiceClient, 'readActiveDocuments' | 'getAccountInfo'>

export interface FolderReadingDeps {
  ask: AskDocuments
  clientOf: (accountId: string) => Promise<FolderClient>
  /** See `dateFormat` of the service's facts. */
  dateFormatOf: (accountId: string, client: FolderClient) => Promise<string | undefined>
  describe: (error: unknown) => AppError
  time: Time
  /** Orders what is known; shared with anyone who takes over what operations answer: see `neverBackwards`. */
  moment: () => number
  /** Called as each look ends, before anyone who asked for it has its answer. */
  looked: (news: LookEnd) => void
}

export interface LookEnd {
  folder: string
  /** When it began, by the clock that never jumps. */
  at: number
  error?: AppError
  isChanged: boolean
}

/** What the newest look at a folder found wrong. */
export interface FolderTrouble {
  problem?: AppError
  /** At most twenty, and how many there are. */
  unreadable?: { count: number; documents: UnreadableDocument[] }
}

/** One folder's answer, taken over, and when it was asked for. */
export interface FolderLook {
  folder: string
  begun: number
  /** The same by the clock that never jumps. */
  at: number
  taken: Extract<Taken, { kind: 'taken' }>
}

interface Reading {
  withLogs: boolean
  result: Promise<FolderLook>
}

export type FolderReading = ReturnType<typeof openFolderReading>

export function openFolderReading(accountId: string, deps: FolderReadingDeps) {
  const { ask, clientOf, dateFormatOf, describe, time, moment, looked } = deps
  const troubles = new Map<string, FolderTrouble>()
  const readings = new Map<string, Reading>()
  /** Ends the looks that are under way. */
  let ending = new AbortController()

  /** Remembers what was wrong with a folder; answers whether that is news. */
  function noted(folder: string, trouble: FolderTrouble): boolean {
    const before = troubles.get(folder) ?? {}
    troubles.set(folder, trouble)
    return JSON.stringify(before) !== JSON.stringify(trouble)
  }

  async function look(folder: string, withLogs: boolean, signal: AbortSignal): Promise<FolderLook> {
    const at = time.elapsed()
    try {
      signal.throwIfAborted()
      const client = await clientOf(accountId)
      const begun = moment()
      const taken = await client.readActiveDocuments(
        folder,
        { documentLog: withLogs, signal },
        async (bytes, charset) => {
          const arrived = moment()
          // Asked now that the service is known to answer.
          const dateFormat = await dateFormatOf(accountId, client)
          // It may have been asked of another address, or by another key.
          signal.throwIfAborted()
          const look = { accountId, folder, begun, arrived, now: time.now(), withLogs }
          return ask('take', { ...look, bytes, charset, dateFormat })
        }
      )
      const { count } = taken.unreadable
      const isNews = noted(folder, count > 0 ? { unreadable: taken.unreadable } : {})
      looked({ folder, at, isChanged: taken.changed > 0 || isNews })
      return { folder, begun, at, taken }
    } catch (error) {
      if (signal.aborted) throw error
      const problem = describe(error)
      // Told once: anyone who hears of a change reads again, and would do so for as long as the service is down.
      looked({ folder, at, error: problem, isChanged: noted(folder, { problem }) })
      throw error
    }
  }

  return {
    /** Joins a look that is under way and shows as much, or begins one. @throws ServiceError, AppFailure. */
    read(folder: string, logs: 'with logs' | 'without logs'): Promise<FolderLook> {
      const withLogs = logs === 'with logs'
      const running = readings.get(folder)
      if (running && (running.withLogs || !withLogs)) return running.result
      const { signal } = ending
      // A look without logs is under way and logs are wanted: they follow it rather than run beside it.
      const begin = running ? running.result.catch(() => undefined) : Promise.resolve()
      const result = begin.then(() => look(folder, withLogs, signal))
      const entry = { withLogs, result }
      readings.set(folder, entry)
      const done = () => {
        if (readings.get(folder) === entry) readings.delete(folder)
      }
      result.then(done, done)
      return result
    },

    /** Resolves once no look that began before now is under way. */
    async settled(): Promise<void> {
      await Promise.allSettled([...readings.values()].map(({ result }) => result))
    },

    /** Ends the looks that are under way: nothing of them is taken over any more. */
    end(): void {
      ending.abort()
      ending = new AbortController()
      readings.clear()
    },
    /** The same, and nothing is read after it. */
    stop: () => ending.abort(),

    troubleOf: (folder: string): FolderTrouble => troubles.get(folder) ?? {},
    /** What another workstation's look found wrong; answers whether that is news. */
    noteTrouble: noted
  }
}
