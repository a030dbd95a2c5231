/**
 * Reads the folders of all accounts into the mirror: at a suitable pace, immediately on request, and with only one read
 * per folder at a time. A persistent problem with one account or folder doesn't hold up the others.
 */
import type { AppError, ConnectionView } from '../../../../shared/contract/index.ts'
import type { DocumentResponse } from '../../../../shared/model/index.ts'
import { USUAL_FOLDERS } from '../../accounts/account.ts'
import { getOrMake } from '../../lib/objects.ts'
import { throttled } from '../../lib/time.ts'
import type { SendKeys } from '../questions.ts'
import { AccountState, isUnknownFolder, restAfter } from './account-state.ts'
import { type FolderReadingDeps, type FolderTrouble, type LookEnd, openFolderReading } from './folder-reading.ts'
import type { ReadingTogether } from './reading-together.ts'
import { openRounds, type Round } from './rounds.ts'

/** Errors that may concern one folder or its answer only, while online. */
const MAYBE_ITS_OWN = new Set<AppError['code']>(['timeout', 'not-json'])
/** Minimum interval for telling the screens that an account's documents changed, in milliseconds. */
const TOLD_EVERY = 250

export interface PollingDeps extends Omit<FolderReadingDeps, 'looked'> {
  /** All accounts, with the names of their folders. */
  accounts: () => readonly { id: string; folders: readonly string[] }[]
  /** The accounts in view. */
  shown: () => readonly string[]
  /** Called when an account's documents, or the problems in reading them, changed; at most four times a second. */
  changed: (accountId: string) => void
  /** Called when an account's folders were read, changed or not. */
  looked: (accountId: string) => void
  connectionChanged: () => void
}

/** The part of `ReadingTogether` used here. */
type Together = Pick<
  ReadingTogether,
  'mayRead' | 'paceOf' | 'lookSoon' | 'lookNow' | 'begins' | 'ended' | 'accountChanged'
>

export type Polling = ReturnType<typeof openPolling>

export function openPolling(deps: PollingDeps) {
  const { ask, time, describe } = deps
  const watched = new Map<string, ReturnType<typeof watch>>()
  let isShown = true
  /** The account whose documents someone is waiting for, whether or not the office's window is shown. */
  let followed: string | undefined
  let isStarted = false
  let isStopped = false
  let accounts = deps.accounts
  let together: Together | undefined

  const isKnown = (accountId: string) => accounts().some(({ id }) => id === accountId)

  const watchedOf = (accountId: string) => getOrMake(watched, accountId, () => watch(accountId))

  /** State of an account, and the means to read its folders. */
  function watch(accountId: string) {
    const told = throttled(time, TOLD_EVERY, () => deps.changed(accountId))
    const state = new AccountState(accountId, told, time)
    const reading = openFolderReading(accountId, { ...deps, looked: (news) => looked(state, news) })
    const rounds = openRounds(accountId, {
      ...{ ask, describe, time, reading },
      folders: () => foldersOf(accountId),
      isThere: () => isKnown(accountId),
      isUnknown: state.paces.isUnknown,
      changed: told.ask
    })
    return { state, reading, rounds }
  }

  /** Returns the names of an account's folders, without duplicates. */
  function foldersOf(accountId: string): string[] {
    const named = accounts().find(({ id }) => id === accountId)?.folders ?? []
    const folders = named.length > 0 ? named : USUAL_FOLDERS
    return [...new Map(folders.map((folder) => [folder.toLowerCase(), folder])).values()]
  }

  function looked(account: AccountState, { folder, at, error, isChanged }: LookEnd): void {
    if (!isKnown(account.accountId)) return
    account.paces.noted(folder, error)
    if (!error) Object.assign(account, { isRead: true, answeredAt: time.elapsed() })
    if (isChanged) account.told.ask()
    // If another folder was answered meanwhile, the service is reachable.
    if (error && MAYBE_ITS_OWN.has(error.code) && account.answeredAt >= at) return
    if (!account.noted(error)) return
    deps.connectionChanged()
    if (error) return
    // Whatever restored this connection may have restored the others too.
    for (const { state: one } of watched.values()) {
      const isDown = one === account ? one.paces.isFailing() && !one.isRound : one.connection.state === 'offline'
      if (isDown) readSoon(one)
    }
  }

  /**
   * Reads all folders. One that the service doesn't know doesn't stop the others.
   * @throws the first failure of any other kind, or the unknown folder's if no folder could be read.
   */
  async function readAll(accountId: string, logs: 'with logs' | 'without logs'): Promise<Round> {
    const { reading, rounds } = watchedOf(accountId)
    // A read that is already in progress may have missed what the caller knows about.
    await reading.settled()
    const begun = together?.begins(accountId)
    const round = await rounds.read(foldersOf(accountId), logs)
    const { looks, failures } = round
    if (looks.length > 0) await together?.ended(accountId, { round, begun })
    const serious = looks.length === 0 ? failures : failures.filter(({ error }) => !isUnknownFolder(error))
    if (serious[0]) throw serious[0].thrown
    deps.looked(accountId)
    return round
  }

  function readSoon(account: AccountState): void {
    if (together?.mayRead(account.accountId) === false) return void together.lookSoon(account.accountId)
    account.isWanted = true
    plan(account, 0)
  }

  function plan(account: AccountState, delay: number): void {
    if (account.isRound || !isStarted || isStopped) return
    account.unschedule?.()
    account.unschedule = time.after(delay, () => void round(account))
  }

  async function round(account: AccountState): Promise<void> {
    const { accountId } = account
    // Another workstation reads the folders; `isOurs` is called when that ends.
    if (together?.mayRead(accountId) === false) return
    const begun = time.elapsed()
    const folders = foldersOf(accountId)
    const mine = account.isWanted ? folders : account.paces.due(folders, begun)
    account.isRound = true
    account.isWanted = false
    const error = await attempt(accountId, mine)
    account.isRound = false
    account.failures = error ? account.failures + 1 : 0
    if (isStopped || watched.get(accountId)?.state !== account) return
    if (!error) deps.looked(accountId)
    plan(account, account.isWanted ? 0 : restOf(account, time.elapsed() - begun, error))
  }

  const isLookedAt = (accountId: string) => followed === accountId || (isShown && deps.shown().includes(accountId))

  function restOf(account: AccountState, took: number, error: AppError | undefined): number {
    const { accountId, connection, failures, paces } = account
    const isOffline = error !== undefined && connection.state === 'offline'
    const pace = followed === accountId ? 'shown' : together?.paceOf(accountId)
    const atLeast = typeof pace === 'number' ? pace : 0
    const fortune = {
      ...{ isLookedAt: pace === undefined ? isLookedAt(accountId) : pace === 'shown' },
      ...{ atLeast, isOffline, took }
    }
    if (error) return restAfter({ ...fortune, failures, error }, time.random())
    return paces.rest(foldersOf(accountId), fortune, time.elapsed(), time.random())
  }

  /**
   * Reads these folders with new reads; returns why nothing could be read. While offline only one folder is requested,
   * and all once it answers.
   */
  async function attempt(accountId: string, folders: readonly string[]): Promise<AppError | undefined> {
    const { state, reading, rounds } = watchedOf(accountId)
    try {
      const [first = ''] = foldersOf(accountId)
      const wasOffline = state.connection.state === 'offline'
      await rounds.tellWorker()
      if (wasOffline) await reading.read(first, 'without logs')
      await reading.settled()
      const all = wasOffline ? foldersOf(accountId) : folders
      const begun = together?.begins(accountId)
      const round = await rounds.read(all, 'without logs')
      const error = round.looks.length === 0 ? round.failures[0]?.error : undefined
      await together?.ended(accountId, { error, round, begun })
      return error
    } catch (error) {
      const described = describe(error)
      await together?.ended(accountId, { error: described })
      return described
    }
  }

  function soon(accountId?: string): void {
    for (const { id } of accounts()) {
      if (accountId === undefined || id === accountId) readSoon(watchedOf(id).state)
    }
  }

  return {
    /** Starts reading, immediately the first time. */
    start(): void {
      isStarted = true
      soon()
    },
    /** Stops reads in progress; nothing is read or reported afterwards. */
    stop(): void {
      isStopped = true
      // Work in progress may outlive the database, so the list of accounts is copied.
      const last = deps.accounts()
      accounts = () => last
      for (const { state, reading } of watched.values()) {
        state.stop()
        reading.stop()
      }
    },
    /** Call when the window is shown or hidden; a window that reappears is refreshed immediately. */
    setShown(shown: boolean): void {
      if (shown && !isShown) for (const accountId of deps.shown()) soon(accountId)
      isShown = shown
    },
    /** Reads an account as if it were in view, because someone awaits its documents, as at the counter. */
    follow(accountId: string | undefined): void {
      if (followed === accountId) return
      followed = accountId
      if (accountId !== undefined) soon(accountId)
    },
    /** Reads soon: after an action of ours, when another account is chosen, or after a hint. */
    soon,
    /**
     * Call when another request couldn't reach the service. Reads the folders to check that, unless it is known or
     * being checked.
     */
    unreached(accountId: string): void {
      const state = watched.get(accountId)?.state
      if (state && !state.isRound && state.connection.state === 'online') readSoon(state)
    },
    /**
     * Call when an account's address, credentials or folders changed: reads in progress used the old ones. The worker
     * is told before anything else is read.
     */
    accountChanged(accountId: string, now: 'the same service' | 'another service'): void {
      const { state, reading, rounds } = watchedOf(accountId)
      reading.end()
      state.failures = 0
      state.paces.forget()
      rounds.accountChanged(now === 'another service')
      together?.accountChanged(accountId)
      readSoon(state)
    },
    /** Erases an account, once none of it is being read any more. */
    async accountRemoved(accountId: string): Promise<void> {
      const account = watched.get(accountId)
      watched.delete(accountId)
      account?.state.stop()
      const settled = account?.reading.settled()
      account?.reading.end()
      await settled
      await ask('erase', { accountId })
    },
    /** Sets how an office's workstations read the folders for each other. Call before anything is read. */
    readTogether(how: Together): void {
      together = how
    },
    /** Whether someone has the account's documents in view. */
    isLookedAt,
    /** From now on this workstation reads the folders, after a delay in milliseconds. */
    isOurs(accountId: string, delay: number): void {
      if (!isKnown(accountId)) return
      const { state } = watchedOf(accountId)
      if (delay <= 0) return void readSoon(state)
      state.isWanted = true
      plan(state, delay)
    },
    /** Call when another workstation has read the folders, with each one's problems. */
    wasRead(accountId: string, troubles: ReadonlyMap<string, FolderTrouble>): void {
      if (!isKnown(accountId)) return
      const { state, reading } = watchedOf(accountId)
      state.isRead = true
      let isNews = false
      for (const [folder, trouble] of troubles) isNews = reading.noteTrouble(folder, trouble) || isNews
      if (isNews) state.told.ask()
      if (state.connection.state === 'unknown' && state.noted()) deps.connectionChanged()
      deps.looked(accountId)
    },
    /**
     * Reads every folder now.
     * @throws ServiceError of the first that failed.
     */
    async refresh(accountId: string): Promise<void> {
      if (together?.mayRead(accountId) === false && (await together.lookNow(accountId))) return
      await readAll(accountId, 'without logs')
    },
    /** Reads one folder now, with the documents' logs. */
    async refreshWithLogs(accountId: string, folder: string): Promise<void> {
      const { reading, rounds } = watchedOf(accountId)
      await rounds.tellWorker()
      await reading.read(folder, 'with logs')
    },
    /**
     * Reads all folders now, to find out whether that works.
     * @returns how many documents each contains; null for a folder that the service doesn't have.
     * @throws ServiceError if a folder couldn't be read for any other reason, or none could.
     */
    async check(accountId: string): Promise<{ name: string; documents: number | null }[]> {
      const { looks } = await readAll(accountId, 'without logs')
      const read = new Map(looks.map(({ folder, taken }) => [folder, taken.documents]))
      return foldersOf(accountId).map((name) => ({ name, documents: read.get(name) ?? null }))
    },
    /**
     * Reads all folders with logs, and returns documents that match the keys, and the time of the last event by the
     * service's clock.
     * @param keysOf returns what to look for; called after the folders have been read.
     * @throws ServiceError if a folder couldn't be read.
     */
    async readAllFolders(
      accountId: string,
      keysOf: () => Promise<SendKeys>
    ): Promise<{ documents: DocumentResponse[]; latest?: number; isComplete: boolean }> {
      const { looks, isComplete } = await readAll(accountId, 'with logs')
      const since = Math.min(...looks.map(({ begun }) => begun))
      const { isCut, ...seen } = await ask('snapshot', { accountId, since, keys: await keysOf() })
      // An unreadable document may be the one sought, even if it has a reference.
      return { ...seen, isComplete: isComplete && !isCut && looks.every(({ taken }) => taken.unreadable.count === 0) }
    },
    /** Whether any of an account's folders was read in this run. */
    isRead: (accountId: string): boolean => watched.get(accountId)?.state.isRead === true,
    /** The names of an account's folders, in the office's order. */
    foldersOf,
    /** Those that the service has, as far as we know. */
    knownFoldersOf: (accountId: string): string[] =>
      foldersOf(accountId).filter((folder) => !watched.get(accountId)?.state.paces.isUnknown(folder)),
    troubleOf: (accountId: string, folder: string): FolderTrouble =>
      watched.get(accountId)?.reading.troubleOf(folder) ?? {},
    connectionOf: (accountId: string | undefined): ConnectionView =>
      watched.get(accountId ?? '')?.state.connection ?? { state: 'unknown', since: time.now() }
  }
}
