/** Reads folders of an account side by side, and marks as gone what all of them have ceased to show. */
import type { AppError } from '../../../../shared/contract/index.ts'
import type { AskDesk } from '../questions.ts'
import type { FolderLook, openFolderReading } from './folder-reading.ts'
import { followDepartures } from './missing-documents.ts'

export interface RoundsEffects {
  ask: AskDesk
  describe: (error: unknown) => AppError
  /** The wall clock, in milliseconds since 1970 UTC. */
  clock: () => number
  reading: Pick<ReturnType<typeof openFolderReading>, 'read'>
  /** The names of all folders of an account. */
  foldersOf: (accountId: string) => string[]
  /** Whether the service has said more than once that it has no such folder. */
  isUnknown: (accountId: string, folder: string) => boolean
  isKnown: (accountId: string) => boolean
  /** Documents were marked as gone. */
  changed: (accountId: string) => void
}

/** What came of a round. */
export interface Round {
  looks: FolderLook[]
  /** Why folders could not be read, each once. */
  failures: { thrown: unknown; error: AppError }[]
  /** Whether every folder was read, and each of its documents could be told from the others. */
  isComplete: boolean
}

type Departures = ReturnType<typeof followDepartures>

export function openRounds(effects: RoundsEffects) {
  const { ask, describe, clock, reading, foldersOf, isUnknown, isKnown } = effects
  const departures = new Map<string, Promise<Departures>>()
  /** Accounts whose settings were saved, and whether they lead to another service: the desk has to know before it is told more. */
  const saved = new Map<string, { isOtherService: boolean }>()

  async function tellDesk(accountId: string): Promise<void> {
    const change = saved.get(accountId)
    if (!change) return
    await ask('foldersChanged', { accountId, folders: foldersOf(accountId), ...change })
    if (saved.get(accountId) === change) saved.delete(accountId)
  }

  /** How long folders were before this run is asked of the mirror once, so that a first look that is empty surprises, too. */
  function departuresOf(accountId: string): Promise<Departures> {
    const known = departures.get(accountId)
    if (known) return known
    const asked = ask('counts', { accountId, queries: [], now: clock(), zone: 'UTC' })
      .then(({ folders }) => followDepartures(new Map(Object.entries(folders))))
      .catch((error: unknown) => {
        departures.delete(accountId)
        throw error
      })
    departures.set(accountId, asked)
    return asked
  }

  /** What every folder holds; undefined where one says nothing of that. What the service never had holds nothing. */
  async function lengthsOf(accountId: string, looks: readonly FolderLook[]): Promise<Map<string, number> | undefined> {
    if (!looks.every(({ taken }) => taken.isComplete)) return undefined
    const lengths = new Map(looks.map(({ folder, taken }) => [folder, taken.documents]))
    const unread = foldersOf(accountId).filter((folder) => !lengths.has(folder))
    if (unread.length === 0) return lengths
    if (!unread.every((folder) => isUnknown(accountId, folder))) return undefined
    const lookedAt = await ask('lookedAt', { accountId, folders: unread })
    return unread.some((folder) => Object.hasOwn(lookedAt, folder)) ? undefined : lengths
  }

  async function noticeGone(accountId: string, departures: Departures, looks: readonly FolderLook[]): Promise<void> {
    const documents = await lengthsOf(accountId, looks)
    if (!documents || looks.length === 0) return
    const begun = looks.map((look) => look.begun)
    const since = departures.after({
      at: Math.min(...looks.map(({ at }) => at)),
      begun: Math.min(...begun),
      lastBegun: Math.max(...begun),
      documents
    })
    if (since === undefined || !isKnown(accountId)) return
    if ((await ask('markGone', { accountId, since, now: clock() })) > 0) effects.changed(accountId)
  }

  return {
    /** Reads these folders; one that fails stops no other. @throws only where the desk doesn't answer. */
    async read(accountId: string, folders: readonly string[], logs: 'with logs' | 'without logs'): Promise<Round> {
      await tellDesk(accountId)
      const followed = await departuresOf(accountId)
      // A folder's first look has the logs: they say when its documents began, and what happened to them last.
      const known = await ask('lookedAt', { accountId, folders: [...folders] })
      const logsOf = (folder: string) => (Object.hasOwn(known, folder) ? logs : 'with logs')
      const answers = await Promise.allSettled(folders.map((folder) => reading.read(accountId, folder, logsOf(folder))))
      const looks = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
      const thrown = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []))
      await noticeGone(accountId, followed, looks)
      const isComplete = looks.length === foldersOf(accountId).length && looks.every(({ taken }) => taken.isComplete)
      return { looks, failures: thrown.map((one) => ({ thrown: one, error: describe(one) })), isComplete }
    },

    /** Has the desk know of what was saved of an account, where it doesn't yet. */
    tellDesk,

    /** What was seen so far was asked of other folders, at another address, or by another key. */
    accountChanged(accountId: string, isOtherService: boolean): void {
      saved.set(accountId, { isOtherService: isOtherService || saved.get(accountId)?.isOtherService === true })
      void departures
        .get(accountId)
        ?.then((followed) => followed.forget())
        .catch(() => undefined)
    },

    forget(accountId: string): void {
      departures.delete(accountId)
      saved.delete(accountId)
    }
  }
}
