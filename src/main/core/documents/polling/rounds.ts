/** Reads the folders of one account in parallel, and marks documents as gone that none of them shows any more. */
import type { AppError } from '../../../../shared/contract/index.ts'
import { asAppError } from '../../errors/app-error.ts'
import type { Time } from '../../lib/time.ts'
import type { AskDocuments } from '../questions.ts'
import type { FolderRead, FolderReading } from './folder-reading.ts'

export interface RoundsDeps {
  ask: AskDocuments
  time: Time
  reading: Pick<FolderReading, 'read'>
  /** The names of all folders of the account. */
  folders: () => string[]
  /** Whether the service has said more than once that it has no such folder. */
  isUnknown: (folder: string) => boolean
  /** Whether the account still exists. */
  isThere: () => boolean
  /** Called when documents were marked as gone. */
  changed: () => void
}

export interface Round {
  reads: FolderRead[]
  /** Why folders couldn't be read, one entry per folder. */
  failures: { thrown: unknown; error: AppError }[]
  /** Whether every folder was read, and each of its documents could be identified. */
  isComplete: boolean
}

type MissingTracker = ReturnType<typeof trackMissing>

export function openRounds(accountId: string, deps: RoundsDeps) {
  const { ask, time, reading, folders, isUnknown, isThere, changed } = deps
  let tracker: Promise<MissingTracker> | undefined
  /**
   * The account's settings were saved, possibly with another service: the worker must be told before it gets more
   * answers.
   */
  let pendingChange: { isOtherService: boolean } | undefined

  async function tellWorker(): Promise<void> {
    const change = pendingChange
    if (!change) return
    await ask('foldersChanged', { accountId, folders: folders(), ...change })
    if (pendingChange === change) pendingChange = undefined
  }

  /** Loads the folders' document counts from the mirror once, so that an empty first read is suspicious too. */
  function loadTracker(): Promise<MissingTracker> {
    tracker ??= ask('counts', { accountId, queries: [], now: time.now(), zone: 'UTC' })
      .then((counts) => trackMissing(new Map(Object.entries(counts.folders))))
      .catch((error: unknown) => {
        tracker = undefined
        throw error
      })
    return tracker
  }

  /**
   * Returns every folder's number of documents; undefined if any is unknown. A folder that the service never had is
   * empty.
   */
  async function documentCounts(reads: readonly FolderRead[]): Promise<Map<string, number> | undefined> {
    if (!reads.every(({ result }) => result.isComplete)) return undefined
    const lengths = new Map(reads.map(({ folder, result }) => [folder, result.documents]))
    const unread = folders().filter((folder) => !lengths.has(folder))
    if (unread.length === 0) return lengths
    if (!unread.every(isUnknown)) return undefined
    const lookedAt = await ask('lookedAt', { accountId, folders: unread })
    return unread.some((folder) => Object.hasOwn(lookedAt, folder)) ? undefined : lengths
  }

  async function detectGone(missing: MissingTracker, reads: readonly FolderRead[]): Promise<void> {
    const documents = await documentCounts(reads)
    if (!documents || reads.length === 0) return
    const requestTimes = reads.map((read) => read.requestedAt)
    const since = missing.recordRound({
      monotonicAt: Math.min(...reads.map(({ monotonicAt }) => monotonicAt)),
      firstReadAt: Math.min(...requestTimes),
      lastReadAt: Math.max(...requestTimes),
      documents
    })
    if (since === undefined || !isThere()) return
    if ((await ask('markGone', { accountId, since, now: time.now() })) > 0) changed()
  }

  return {
    /** Reads these folders; one that fails doesn't stop the others. @throws only if the worker fails. */
    async read(folderNames: readonly string[], logs: 'with logs' | 'without logs'): Promise<Round> {
      await tellWorker()
      const missing = await loadTracker()
      // A folder's first read includes logs: they say when its documents began, and what last happened to them.
      const known = await ask('lookedAt', { accountId, folders: [...folderNames] })
      const logsOf = (folder: string) => (Object.hasOwn(known, folder) ? logs : 'with logs')
      const answers = await Promise.allSettled(folderNames.map((folder) => reading.read(folder, logsOf(folder))))
      const reads = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
      const thrown = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []))
      await detectGone(missing, reads)
      const isComplete = reads.length === folders().length && reads.every(({ result }) => result.isComplete)
      return { reads, failures: thrown.map((one) => ({ thrown: one, error: asAppError(one) })), isComplete }
    },

    /** Tells the worker about saved settings, if it doesn't know yet. */
    tellWorker,

    /**
     * Call when the account has other folders, another address or another key: earlier observations no longer apply.
     */
    accountChanged(isOtherService: boolean): void {
      pendingChange = { isOtherService: isOtherService || pendingChange?.isOtherService === true }
      void tracker?.then((missing) => missing.forget()).catch(() => undefined)
    }
  }
}

/** A round in which every folder was read, and each of its documents could be identified. */
export interface CompleteRound {
  /** When it began, by the monotonic clock. */
  monotonicAt: number
  /** When its first read began. */
  firstReadAt: number
  /** When its last read began. */
  lastReadAt: number
  /** How many documents each folder contained. */
  documents: ReadonlyMap<string, number>
}

/**
 * Two rounds closer together than this, in milliseconds, may both see the service in the middle of the same operation.
 */
const MIN_INTERVAL = 5_000
/** The same if a folder shrank suddenly. */
const MIN_INTERVAL_AFTER_SHRINK = 30_000

/** Losing fewer documents than this is never suspicious, whatever share of the folder they are. */
const SUSPICIOUS_LOSS = 10

/**
 * Tracks the rounds of one account, and decides which documents count as gone. A document that moves while the folders
 * are read in parallel can be missed by all of them, so one round proves nothing, nor do two in quick succession. A
 * folder that is suddenly empty or half as long may be the service's mistake, so that takes one more round, over a
 * longer time.
 */
export function trackMissing(before: ReadonlyMap<string, number>) {
  let lengths = before
  /** When the previous two rounds began, oldest first. */
  let startTimes: number[] = []
  let last: CompleteRound | undefined
  /** How many more rounds must miss what disappeared in a sudden shrink. */
  let confirmationsLeft = 0

  return {
    /**
     * Takes a complete round; returns since when a document must have been unseen to count as gone, or undefined if
     * none can yet, as after a round that came too soon.
     */
    recordRound(round: CompleteRound): number | undefined {
      // Requests during a round join its reads, so this is the same round.
      if (last && round.firstReadAt <= last.lastReadAt) return undefined
      if (
        last &&
        round.monotonicAt - last.monotonicAt < (confirmationsLeft > 0 ? MIN_INTERVAL_AFTER_SHRINK : MIN_INTERVAL)
      )
        return undefined
      const shrank = [...round.documents].some(([folder, now]) => hasShrunk(lengths.get(folder) ?? 0, now))
      confirmationsLeft = shrank ? 2 : Math.max(0, confirmationsLeft - 1)
      const since = startTimes.at(confirmationsLeft > 0 ? -2 : -1)
      startTimes = [...startTimes, round.firstReadAt].slice(-2)
      lengths = round.documents
      last = round
      return since
    },

    /** Forgets what was seen at a previous address or with a previous key. */
    forget(): void {
      startTimes = []
      last = undefined
    }
  }
}

function hasShrunk(before: number, now: number): boolean {
  return now < before / 2 && before - now >= SUSPICIOUS_LOSS
}
