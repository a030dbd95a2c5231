/** Reads the folders of one account in parallel, and marks documents as gone that none of them shows any more. */
import type { AppError } from '../../../../shared/contract/index.ts'
import type { Time } from '../../lib/time.ts'
import type { AskDocuments } from '../questions.ts'
import type { FolderLook, FolderReading } from './folder-reading.ts'

export interface RoundsDeps {
  ask: AskDocuments
  describe: (error: unknown) => AppError
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

/** Result of a round. */
export interface Round {
  looks: FolderLook[]
  /** Why folders couldn't be read, one entry per folder. */
  failures: { thrown: unknown; error: AppError }[]
  /** Whether every folder was read, and each of its documents could be identified. */
  isComplete: boolean
}

type MissingTracker = ReturnType<typeof trackMissing>

export function openRounds(accountId: string, deps: RoundsDeps) {
  const { ask, describe, time, reading, folders, isUnknown, isThere, changed } = deps
  let tracker: Promise<MissingTracker> | undefined
  /**
   * The account's settings were saved, possibly with another service: the worker must be told before it gets more
   * answers.
   */
  let saved: { isOtherService: boolean } | undefined

  async function tellWorker(): Promise<void> {
    const change = saved
    if (!change) return
    await ask('foldersChanged', { accountId, folders: folders(), ...change })
    if (saved === change) saved = undefined
  }

  /** Loads the folders' document counts from the mirror once, so that an empty first read is suspicious too. */
  function followed(): Promise<MissingTracker> {
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
  async function lengthsOf(looks: readonly FolderLook[]): Promise<Map<string, number> | undefined> {
    if (!looks.every(({ taken }) => taken.isComplete)) return undefined
    const lengths = new Map(looks.map(({ folder, taken }) => [folder, taken.documents]))
    const unread = folders().filter((folder) => !lengths.has(folder))
    if (unread.length === 0) return lengths
    if (!unread.every(isUnknown)) return undefined
    const lookedAt = await ask('lookedAt', { accountId, folders: unread })
    return unread.some((folder) => Object.hasOwn(lookedAt, folder)) ? undefined : lengths
  }

  async function noticeGone(missing: MissingTracker, looks: readonly FolderLook[]): Promise<void> {
    const documents = await lengthsOf(looks)
    if (!documents || looks.length === 0) return
    const begun = looks.map((look) => look.begun)
    const since = missing.after({
      at: Math.min(...looks.map(({ at }) => at)),
      begun: Math.min(...begun),
      lastBegun: Math.max(...begun),
      documents
    })
    if (since === undefined || !isThere()) return
    if ((await ask('markGone', { accountId, since, now: time.now() })) > 0) changed()
  }

  return {
    /**
     * Reads these folders; one that fails doesn't stop the others.
     * @throws only if the worker fails.
     */
    async read(some: readonly string[], logs: 'with logs' | 'without logs'): Promise<Round> {
      await tellWorker()
      const missing = await followed()
      // A folder's first read includes logs: they say when its documents began, and what last happened to them.
      const known = await ask('lookedAt', { accountId, folders: [...some] })
      const logsOf = (folder: string) => (Object.hasOwn(known, folder) ? logs : 'with logs')
      const answers = await Promise.allSettled(some.map((folder) => reading.read(folder, logsOf(folder))))
      const looks = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
      const thrown = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []))
      await noticeGone(missing, looks)
      const isComplete = looks.length === folders().length && looks.every(({ taken }) => taken.isComplete)
      return { looks, failures: thrown.map((one) => ({ thrown: one, error: describe(one) })), isComplete }
    },

    /** Tells the worker about saved settings, if it doesn't know yet. */
    tellWorker,

    /**
     * Call when the account has other folders, another address or another key: earlier observations no longer apply.
     */
    accountChanged(isOtherService: boolean): void {
      saved = { isOtherService: isOtherService || saved?.isOtherService === true }
      void tracker?.then((missing) => missing.forget()).catch(() => undefined)
    }
  }
}

/**
 * Decides which documents count as gone. A document that moves while the folders are read in parallel can be missed by
 * all of them, so one round proves nothing, nor do two in quick succession. A folder that is suddenly empty or half as
 * long may be the service's mistake, so that takes one more round, over a longer time.
 */

/** A round in which every folder was read, and each of its documents could be identified. */
export interface CompleteRound {
  /** When it began, by the monotonic clock. */
  at: number
  /** When its first read began. */
  begun: number
  /** When its last read began. */
  lastBegun: number
  /** How many documents each folder contained. */
  documents: ReadonlyMap<string, number>
}

/**
 * Two rounds closer together than this, in milliseconds, may both see the service in the middle of the same operation.
 */
const APART = 5_000
/** The same if a folder shrank suddenly. */
const APART_WHEN_DOUBTFUL = 30_000

/** Losing fewer documents than this is never suspicious, whatever share of the folder they are. */
const FEW = 10

/** Tracks the rounds of one account. */
export function trackMissing(before: ReadonlyMap<string, number>) {
  let lengths = before
  /** When the previous two rounds began, oldest first. */
  let begun: number[] = []
  let last: CompleteRound | undefined
  /** How many more rounds must miss what disappeared in a sudden shrink. */
  let doubtful = 0

  return {
    /**
     * Takes a complete round; returns since when a document must have been unseen to count as gone, or undefined if
     * none can yet, as after a round that came too soon.
     */
    after(round: CompleteRound): number | undefined {
      // Requests during a round join its reads, so this is the same round.
      if (last && round.begun <= last.lastBegun) return undefined
      if (last && round.at - last.at < (doubtful > 0 ? APART_WHEN_DOUBTFUL : APART)) return undefined
      const shrank = [...round.documents].some(([folder, now]) => hasShrunk(lengths.get(folder) ?? 0, now))
      doubtful = shrank ? 2 : Math.max(0, doubtful - 1)
      const since = begun.at(doubtful > 0 ? -2 : -1)
      begun = [...begun, round.begun].slice(-2)
      lengths = round.documents
      last = round
      return since
    },

    /** Forgets what was seen at a previous address or with a previous key. */
    forget(): void {
      begun = []
      last = undefined
    }
  }
}

function hasShrunk(before: number, now: number): boolean {
  return now < before / 2 && before - now >= FEW
}
