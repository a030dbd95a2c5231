/**
 * Reads the folders of one account into the mirror. A folder is never read twice at once, and answers are taken in the
 * order of their requests.
 */
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
  /** Orders what is known; shared with the code that takes operations' answers. See `neverBackwards`. */
  moment: () => number
  /** Called at the end of each read, before its callers get the result. */
  looked: (news: LookEnd) => void
}

export interface LookEnd {
  folder: string
  /** When it began, by the monotonic clock. */
  at: number
  error?: AppError
  isChanged: boolean
}

/** Problems found by the newest read of a folder. */
export interface FolderTrouble {
  problem?: AppError
  /** At most twenty, and the total. */
  unreadable?: { count: number; documents: UnreadableDocument[] }
}

/** One folder's answer, once taken, and when it was requested. */
export interface FolderLook {
  folder: string
  begun: number
  /** The same by the monotonic clock. */
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
  /** Aborts the reads in progress. */
  let ending = new AbortController()

  /** Remembers a folder's trouble; returns whether it has changed. */
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
          // Only now is the service known to answer.
          const dateFormat = await dateFormatOf(accountId, client)
          // The request may have gone to a previous address, or with a previous key.
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
      // Reported only when it changes: listeners read again on each change, and would loop for as long as the service
      // is down.
      looked({ folder, at, error: problem, isChanged: noted(folder, { problem }) })
      throw error
    }
  }

  return {
    /**
     * Joins a read in progress that includes enough, or starts one.
     * @throws ServiceError, AppFailure.
     */
    read(folder: string, logs: 'with logs' | 'without logs'): Promise<FolderLook> {
      const withLogs = logs === 'with logs'
      const running = readings.get(folder)
      if (running && (running.withLogs || !withLogs)) return running.result
      const { signal } = ending
      // If a read without logs is in progress and logs are wanted, the new read follows it instead of running in
      // parallel.
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

    /** Resolves once all reads that have begun so far have ended. */
    async settled(): Promise<void> {
      await Promise.allSettled([...readings.values()].map(({ result }) => result))
    },

    /** Aborts the reads in progress; their answers are discarded. */
    end(): void {
      ending.abort()
      ending = new AbortController()
      readings.clear()
    },
    /** Like `end`, but no further reads are possible. */
    stop: () => ending.abort(),

    troubleOf: (folder: string): FolderTrouble => troubles.get(folder) ?? {},
    /** Records problems found by another workstation's read; returns whether they have changed. */
    noteTrouble: noted
  }
}
