/** Reads the folders of one account side by side, and marks as gone what all of them have ceased to show. */
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
  /** Whether the account is still there. */
  isThere: () => boolean
  /** Documents were marked as gone. */
  changed: () => void
}

/** What came of a round. */
export interface Round {
  looks: FolderLook[]
  /** Why folders could not be read, each once. */
  failures: { thrown: unknown; error: AppError }[]
  /** Whether every folder was read, and each of its documents could be told from the others. */
  isComplete: boolean
}

type MissingTracker = ReturnType<typeof trackMissing>

export function openRounds(accountId: string, deps: RoundsDeps) {
  const { ask, describe, time, reading, folders, isUnknown, isThere, changed } = deps
  let tracker: Promise<MissingTracker> | undefined
  /** Its settings were saved, and may lead to another service: the worker has to know before it is given more. */
  let saved: { isOtherService: boolean } | undefined

  async function tellWorker(): Promise<void> {
    const change = saved
    if (!change) return
    await ask('foldersChanged', { accountId, folders: folders(), ...change })
    if (saved === change) saved = undefined
  }

  /** How long folders were before this run is asked of the mirror once, so that a first look that is empty surprises, too. */
  function followed(): Promise<MissingTracker> {
    tracker ??= ask('counts', { accountId, queries: [], now: time.now(), zone: 'UTC' })
      .then((counts) => trackMissing(new Map(Object.entries(counts.folders))))
      .catch((error: unknown) => {
        tracker = undefined
        throw error
      })
    return tracker
  }

  /** What every folder holds; undefined if one says nothing of that. What the service never had holds nothing. */
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
    /** Reads these folders; one that fails stops no other. @throws only where the worker doesn't answer. */
    async read(some: readonly string[], logs: 'with logs' | 'without logs'): Promise<Round> {
      await tellWorker()
      const missing = await followed()
      // A folder's first look has the logs: they say when its documents began, and what happened to them last.
      const known = await ask('lookedAt', { accountId, folders: [...some] })
      const logsOf = (folder: string) => (Object.hasOwn(known, folder) ? logs : 'with logs')
      const answers = await Promise.allSettled(some.map((folder) => reading.read(folder, logsOf(folder))))
      const looks = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
      const thrown = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []))
      await noticeGone(missing, looks)
      const isComplete = looks.length === folders().length && looks.every(({ taken }) => taken.isComplete)
      return { looks, failures: thrown.map((one) => ({ thrown: one, error: describe(one) })), isComplete }
    },

    /** Has the worker know of what was saved of the account, where it doesn't yet. */
    tellWorker,

    /** What was seen so far was asked of other folders, at another address, or by another key. */
    accountChanged(isOtherService: boolean): void {
      saved = { isOtherService: isOtherService || saved?.isOtherService === true }
      void tracker?.then((missing) => missing.forget()).catch(() => undefined)
    }
  }
}

/**
 * Which documents may be called gone. A document that moves while the folders are read one beside the other can be missed by
 * all of them, so one look says nothing, nor do two at once; and a folder that is suddenly empty, or half as long, may be
 * the service's mistake, so that takes one look more, and longer.
 */

/** A round in which every folder was read, and each of its documents could be told. */
export interface CompleteRound {
  /** When it began, by a clock that never jumps. */
  at: number
  /** When its first look began. */
  begun: number
  /** When its last look began. */
  lastBegun: number
  /** How many documents each folder named. */
  documents: ReadonlyMap<string, number>
}

/** Two rounds that begin sooner one after the other may both see the service in the same midst of something. */
const APART = 5_000
/** The same, where a folder shrank at once. */
const APART_WHEN_DOUBTFUL = 30_000

/** So many documents fewer are nothing to wonder at, whatever share of the folder they are. */
const FEW = 10

/** Follows one account's rounds. */
export function trackMissing(before: ReadonlyMap<string, number>) {
  let lengths = before
  /** When the two rounds before began, oldest first. */
  let begun: number[] = []
  let last: CompleteRound | undefined
  /** How many rounds must still miss what a sudden shrink took away. */
  let doubtful = 0

  return {
    /**
     * Takes a complete round in; answers since when a document must not have been seen to be gone, or undefined if none
     * can be called that, as after a round that came too soon.
     */
    after(round: CompleteRound): number | undefined {
      // Anyone who asks while a round is under way is answered by the same looks: that is one round.
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

    /** What was seen of an account that is asked for elsewhere now, or by another key, says nothing any more. */
    forget(): void {
      begun = []
      last = undefined
    }
  }
}

function hasShrunk(before: number, now: number): boolean {
  return now < before / 2 && before - now >= FEW
}
