/**
 * Reads the folders of all accounts into the mirror: as often as fits, at once when asked, and by looks of which each folder
 * has one at a time. What stays wrong with one account or folder holds up no other.
 */
import type { AppError, ConnectionView } from '../../../../shared/contract/index.ts'
import type { DocumentResponse } from '../../../../shared/model/index.ts'
import { USUAL_FOLDERS } from '../../accounts/account.ts'
import { getOrMake } from '../../lib/maps.ts'
import { throttled } from '../../lib/time.ts'
import type { SendKeys } from '../questions.ts'
import { isUnknownFolder, openConnections, Place, restAfter } from './account-state.ts'
import { type FolderReadingDeps, type FolderTrouble, type LookEnd, openFolderReading } from './folder-reading.ts'
import { openRounds, type Round } from './rounds.ts'

/** What may be wrong with one folder, or its answer, while the line is well. */
const MAYBE_ITS_OWN = new Set<AppError['code']>(['timeout', 'not-json'])
/** The screens are told at most so often that an account's documents changed, in milliseconds. */
const TOLD_EVERY = 250

export interface PollingDeps extends Omit<FolderReadingDeps, 'looked'> {
  /** All accounts, with the names of their folders. */
  accounts: () => readonly { id: string; folders: readonly string[] }[]
  /** The account that is looked at; undefined if there is none. */
  chosen: () => string | undefined
  /** Documents of an account changed, or what is wrong with reading them; at most four times a second. */
  changed: (accountId: string) => void
  /** An account's folders were read, whether or not anything had changed. */
  looked: (accountId: string) => void
  connectionChanged: () => void
}

export type Polling = ReturnType<typeof openPolling>

export function openPolling(deps: PollingDeps) {
  const { ask, time, describe } = deps
  const connections = openConnections(time)
  const reading = openFolderReading({ ...deps, looked })
  const places = new Map<string, Place>()
  let isShown = true
  let isStarted = false
  let isStopped = false

  const isKnown = (accountId: string) => deps.accounts().some(({ id }) => id === accountId)
  const rounds = openRounds({
    ...{ ask, describe, time, reading, foldersOf, isKnown },
    isUnknown: (accountId, folder) => places.get(accountId)?.paces.isUnknown(folder) === true,
    changed: (accountId) => places.get(accountId)?.told.ask()
  })

  function placeOf(accountId: string): Place {
    const told = () => throttled(time, TOLD_EVERY, () => deps.changed(accountId))
    return getOrMake(places, accountId, () => new Place(accountId, told()))
  }

  /** The names of an account's folders, each once. */
  function foldersOf(accountId: string): string[] {
    const named = deps.accounts().find(({ id }) => id === accountId)?.folders ?? []
    const folders = named.length > 0 ? named : USUAL_FOLDERS
    return [...new Map(folders.map((folder) => [folder.toLowerCase(), folder])).values()]
  }

  function looked(accountId: string, { folder, at, error, isChanged }: LookEnd): void {
    if (!isKnown(accountId)) return
    const place = placeOf(accountId)
    place.paces.noted(folder, error)
    if (!error) Object.assign(place, { isRead: true, answeredAt: time.elapsed() })
    if (isChanged) place.told.ask()
    // Where another folder was answered meanwhile, the line is well.
    if (error && MAYBE_ITS_OWN.has(error.code) && place.answeredAt >= at) return
    if (!connections.noted(accountId, error)) return
    deps.connectionChanged()
    if (error) return
    // What brought this line back may have brought back those of others.
    for (const one of places.values()) {
      const isDown =
        one === place ? one.paces.isFailing() && !one.isRound : connections.of(one.accountId).state === 'offline'
      if (isDown) readSoon(one)
    }
  }

  /**
   * Reads all folders. One that the service doesn't know stops no other.
   * @throws the first failure of any other kind; or that of the unknown folder, where no folder could be read.
   */
  async function readAll(accountId: string, logs: 'with logs' | 'without logs'): Promise<Round> {
    // A look that began before may have missed what the caller knows of.
    await reading.settled(accountId)
    const round = await rounds.read(accountId, foldersOf(accountId), logs)
    const { looks, failures } = round
    const serious = looks.length === 0 ? failures : failures.filter(({ error }) => !isUnknownFolder(error))
    if (serious[0]) throw serious[0].thrown
    deps.looked(accountId)
    return round
  }

  function readSoon(place: Place): void {
    place.isWanted = true
    plan(place, 0)
  }

  function plan(place: Place, delay: number): void {
    if (place.isRound || !isStarted || isStopped) return
    place.unschedule?.()
    place.unschedule = time.after(delay, () => void round(place))
  }

  async function round(place: Place): Promise<void> {
    const { accountId } = place
    const begun = time.elapsed()
    const folders = foldersOf(accountId)
    const mine = place.isWanted ? folders : place.paces.due(folders, begun)
    place.isRound = true
    place.isWanted = false
    const error = await attempt(accountId, mine)
    place.isRound = false
    place.failures = error ? place.failures + 1 : 0
    if (places.get(accountId) !== place) return
    if (!error) deps.looked(accountId)
    plan(place, place.isWanted ? 0 : restOf(place, time.elapsed() - begun, error))
  }

  function restOf(place: Place, took: number, error: AppError | undefined): number {
    const { accountId, failures, paces } = place
    const isOffline = error !== undefined && connections.of(accountId).state === 'offline'
    const fortune = { isLookedAt: isShown && deps.chosen() === accountId, isOffline, took }
    if (error) return restAfter({ ...fortune, failures, error }, time.random())
    return paces.rest(foldersOf(accountId), fortune, time.elapsed(), time.random())
  }

  /**
   * Reads these folders by looks that begin now; answers why nothing could be read. While the line is down one folder is
   * asked for; all are, once it answers.
   */
  async function attempt(accountId: string, folders: readonly string[]): Promise<AppError | undefined> {
    try {
      const [first = ''] = foldersOf(accountId)
      const wasOffline = connections.of(accountId).state === 'offline'
      await rounds.tellWorker(accountId)
      if (wasOffline) await reading.read(accountId, first, 'without logs')
      await reading.settled(accountId)
      const all = wasOffline ? foldersOf(accountId) : folders
      const { looks, failures } = await rounds.read(accountId, all, 'without logs')
      return looks.length === 0 ? failures[0]?.error : undefined
    } catch (error) {
      return describe(error)
    }
  }

  function soon(accountId?: string): void {
    for (const { id } of deps.accounts()) {
      if (accountId === undefined || id === accountId) readSoon(placeOf(id))
    }
  }

  return {
    /** Begins to read; the first time at once. */
    start(): void {
      isStarted = true
      soon()
    },
    /** Ends what is under way; nothing is read or told any more. */
    stop(): void {
      isStopped = true
      for (const place of places.values()) {
        place.unschedule?.()
        place.told.stop()
      }
      reading.endAll()
    },
    /** Told when the window is shown or hidden; a window that comes back is made true at once. */
    setShown(shown: boolean): void {
      const chosen = deps.chosen()
      if (shown && !isShown && chosen) soon(chosen)
      isShown = shown
    },
    /** Reads soon: after an action of ours, when another account is chosen, or when something hints that it is worthwhile. */
    soon,
    /** A request of someone else's found nobody. Looks whether that is so, unless it is known or being looked at. */
    unreached(accountId: string): void {
      const place = places.get(accountId)
      if (place && !place.isRound && connections.of(accountId).state === 'online') readSoon(place)
    },
    /**
     * To be called when an account's address, credentials or folders changed: what is under way was asked of the old ones.
     * The worker knows of it before anything is read.
     */
    accountChanged(accountId: string, now: 'the same service' | 'another service'): void {
      reading.end(accountId)
      const place = placeOf(accountId)
      place.failures = 0
      place.paces.forget()
      rounds.accountChanged(accountId, now === 'another service')
      readSoon(place)
    },
    /** Forgets all of an account, once nothing of it is being read any more. */
    async accountRemoved(accountId: string): Promise<void> {
      const place = places.get(accountId)
      places.delete(accountId)
      place?.unschedule?.()
      place?.told.stop()
      const settled = reading.settled(accountId)
      reading.end(accountId)
      await settled
      reading.forget(accountId)
      connections.forget(accountId)
      rounds.forget(accountId)
      await ask('erase', { accountId })
    },
    /** Reads every folder now. @throws ServiceError of the first that failed. */
    async refresh(accountId: string): Promise<void> {
      await readAll(accountId, 'without logs')
    },
    /** Reads one folder now, with the documents' logs. */
    async refreshWithLogs(accountId: string, folder: string): Promise<void> {
      await rounds.tellWorker(accountId)
      await reading.read(accountId, folder, 'with logs')
    },
    /**
     * Reads all folders now, to learn whether that works.
     * @returns how many documents they hold, and which folders the service doesn't have.
     * @throws ServiceError where a folder could not be read for any other reason, or none could.
     */
    async check(accountId: string): Promise<{ documents: number; missing: string[] }> {
      const { looks } = await readAll(accountId, 'without logs')
      const read = new Set(looks.map(({ folder }) => folder))
      return {
        documents: looks.reduce((sum, { taken }) => sum + taken.documents, 0),
        missing: foldersOf(accountId).filter((folder) => !read.has(folder))
      }
    },
    /**
     * What all folders show now that could be what is looked for, with logs; and when something happened last, by the
     * service's clock.
     * @param keysOf what to look for, asked once the folders have been read.
     * @throws ServiceError where a folder could not be read.
     */
    async readAllFolders(
      accountId: string,
      keysOf: () => Promise<SendKeys>
    ): Promise<{ documents: DocumentResponse[]; latest?: number; isComplete: boolean }> {
      const { looks, isComplete } = await readAll(accountId, 'with logs')
      const since = Math.min(...looks.map(({ begun }) => begun))
      const { isCut, ...seen } = await ask('snapshot', { accountId, since, keys: await keysOf() })
      // One that can't be read may be the one that is looked for, even where it says who it is.
      return { ...seen, isComplete: isComplete && !isCut && looks.every(({ taken }) => taken.unreadable.count === 0) }
    },
    /** Whether any of an account's folders was read in this run. */
    isRead: (accountId: string): boolean => places.get(accountId)?.isRead === true,
    /** The names of an account's folders, in the office's order. */
    foldersOf,
    /** Those of them that the service has, as far as is known. */
    knownFoldersOf: (accountId: string): string[] =>
      foldersOf(accountId).filter((folder) => !places.get(accountId)?.paces.isUnknown(folder)),
    troubleOf: (accountId: string, folder: string): FolderTrouble => reading.troubleOf(accountId, folder),
    connectionOf: (accountId: string | undefined): ConnectionView => connections.of(accountId)
  }
}
