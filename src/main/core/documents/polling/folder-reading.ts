/**
 * Reads the folders of one account into the mirror. A folder is never read twice at once, and answers are taken in the
 * order of their requests.
 */
import type { AppError, UnreadableDocument } from '../../../../shared/contract/index.ts'
import { asAppError } from '../../errors/app-error.ts'
import type { Time } from '../../lib/time.ts'
import type { ServiceClient } from '../../service/service-client.ts'
import type { AskDocuments, TakeResult } from '../questions.ts'

type FolderClient = Pick<ServiceClient, 'readActiveDocuments' | 'getAccountInfo'>

export interface FolderReadingDeps {
  ask: AskDocuments
  clientOf: (accountId: string) => Promise<FolderClient>
  /** See `dateFormat` of the service's facts. */
  dateFormatOf: (accountId: string, client: FolderClient) => Promise<string | undefined>
  time: Time
  /** Orders what is known; shared with the code that takes operations' answers. See `increasingClock`. */
  moment: () => number
  /** Called at the end of each read, before its callers get the result. */
  folderRead: (news: FolderReadEvent) => void
}

export interface FolderReadEvent {
  folder: string
  /** When it began, by the monotonic clock. */
  monotonicAt: number
  error?: AppError
  isChanged: boolean
}

export interface FolderTrouble {
  problem?: AppError
  /** At most twenty, and the total. */
  unreadable?: { count: number; documents: UnreadableDocument[] }
}

/** One folder's answer, once taken, and when it was requested. */
export interface FolderRead {
  folder: string
  requestedAt: number
  /** The same by the monotonic clock. */
  monotonicAt: number
  result: Extract<TakeResult, { kind: 'taken' }>
}

interface ReadInProgress {
  withLogs: boolean
  result: Promise<FolderRead>
}

export type FolderReading = ReturnType<typeof openFolderReading>

export function openFolderReading(accountId: string, deps: FolderReadingDeps) {
  const { ask, clientOf, dateFormatOf, time, moment, folderRead } = deps
  const troubles = new Map<string, FolderTrouble>()
  const readsInProgress = new Map<string, ReadInProgress>()
  let controller = new AbortController()

  /** Remembers a folder's trouble; returns whether it has changed. */
  function recordTrouble(folder: string, trouble: FolderTrouble): boolean {
    const before = troubles.get(folder) ?? {}
    troubles.set(folder, trouble)
    return JSON.stringify(before) !== JSON.stringify(trouble)
  }

  async function readFolder(folder: string, withLogs: boolean, signal: AbortSignal): Promise<FolderRead> {
    const monotonicAt = time.elapsed()
    try {
      signal.throwIfAborted()
      const client = await clientOf(accountId)
      const requestedAt = moment()
      const result = await client.readActiveDocuments(
        folder,
        { documentLog: withLogs, signal },
        async (bytes, charset) => {
          const arrived = moment()
          // Only now is the service known to answer.
          const dateFormat = await dateFormatOf(accountId, client)
          // The request may have gone to a previous address, or with a previous key.
          signal.throwIfAborted()
          const read = { accountId, folder, begun: requestedAt, arrived, now: time.now(), withLogs }
          return ask('take', { ...read, bytes, charset, dateFormat })
        }
      )
      const { count } = result.unreadable
      const hasTroubleChanged = recordTrouble(folder, count > 0 ? { unreadable: result.unreadable } : {})
      folderRead({ folder, monotonicAt, isChanged: result.changed > 0 || hasTroubleChanged })
      return { folder, requestedAt, monotonicAt, result }
    } catch (error) {
      if (signal.aborted) throw error
      const problem = asAppError(error)
      // Reported only when it changes: listeners read again on each change, and would loop for as long as the service
      // is down.
      folderRead({ folder, monotonicAt, error: problem, isChanged: recordTrouble(folder, { problem }) })
      throw error
    }
  }

  return {
    /** Joins a read in progress that includes enough, or starts one. @throws ServiceError, AppFailure. */
    read(folder: string, logs: 'with logs' | 'without logs'): Promise<FolderRead> {
      const withLogs = logs === 'with logs'
      const running = readsInProgress.get(folder)
      if (running && (running.withLogs || !withLogs)) return running.result
      const { signal } = controller
      // If a read without logs is in progress and logs are wanted, the new read follows it instead of running in
      // parallel.
      const previous = running ? running.result.catch(() => undefined) : Promise.resolve()
      const result = previous.then(() => readFolder(folder, withLogs, signal))
      const entry = { withLogs, result }
      readsInProgress.set(folder, entry)
      const forget = () => {
        if (readsInProgress.get(folder) === entry) readsInProgress.delete(folder)
      }
      result.then(forget, forget)
      return result
    },

    /** Resolves once all reads that have begun so far have ended. */
    async whenIdle(): Promise<void> {
      await Promise.allSettled([...readsInProgress.values()].map(({ result }) => result))
    },

    /** Aborts the reads in progress; their answers are discarded. */
    abortReads(): void {
      controller.abort()
      controller = new AbortController()
      readsInProgress.clear()
    },
    /** Like `abortReads`, but no further reads are possible. */
    stop: () => controller.abort(),

    troubleOf: (folder: string): FolderTrouble => troubles.get(folder) ?? {},
    /** Records problems found by another workstation's read; returns whether they have changed. */
    noteTrouble: recordTrouble
  }
}
