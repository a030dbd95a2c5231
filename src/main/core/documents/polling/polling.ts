/**
 * Reads the folders of all accounts into the mirror: at a suitable pace, immediately on request, and with only one read
 * per folder at a time. A persistent problem with one account or folder doesn't hold up the others.
 */
import type { AppError, ConnectionView } from '../../../../shared/contract/index.ts'
import { DEFAULT_FOLDERS } from '../../accounts/account.ts'
import { asAppError } from '../../errors/app-error.ts'
import { getOrMake } from '../../lib/objects.ts'
import { throttled } from '../../lib/time.ts'
import type { SendKeys } from '../questions.ts'
import { AccountState, isUnknownFolder, restAfter } from './account-state.ts'
import {
  type FolderReadEvent,
  type FolderReadingDeps,
  type FolderTrouble,
  openFolderReading
} from './folder-reading.ts'
import { openRounds, type Round } from './rounds.ts'
import type { SharedPolling } from './shared-polling.ts'

/** Network errors that may concern one folder or its answer only, while online: its list is long, or broken. */
const MAYBE_FOLDER_ONLY = new Set<AppError['code']>(['timeout', 'not-json'])
/** Minimum interval for telling the screens that an account's documents changed, in milliseconds. */
const NOTIFY_INTERVAL = 250

export interface PollingDeps extends Omit<FolderReadingDeps, 'folderRead'> {
  accounts: () => readonly { id: string; folders: readonly string[] }[]
  /** The accounts in view. */
  shown: () => readonly string[]
  /** Called when an account's documents, or the problems in reading them, changed; at most four times a second. */
  changed: (accountId: string) => void
  /** Called when an account's folders were read, changed or not. */
  accountRead: (accountId: string) => void
  connectionChanged: () => void
}

type SharedPollingPart = Pick<
  SharedPolling,
  'mayRead' | 'paceOf' | 'requestRead' | 'awaitRead' | 'roundStarted' | 'roundEnded' | 'accountChanged'
>

/** Why nothing could be read. */
const errorOf = ({ reads, failures }: Round) => (reads.length === 0 ? failures[0]?.error : undefined)

export type Polling = ReturnType<typeof openPolling>

export function openPolling(deps: PollingDeps) {
  const { ask, time } = deps
  type PolledAccount = ReturnType<typeof openAccount>
  const polled = new Map<string, PolledAccount>()
  let isShown = true
  /** The account whose documents someone is waiting for, whether or not the office's window is shown. */
  let followed: string | undefined
  let isStarted = false
  let isStopped = false
  let accounts = deps.accounts
  let sharedPolling: SharedPollingPart | undefined

  const isKnown = (accountId: string) => accounts().some(({ id }) => id === accountId)

  const polledOf = (accountId: string) => getOrMake(polled, accountId, () => openAccount(accountId))

  /** State of an account, and the means to read its folders. */
  function openAccount(accountId: string) {
    const changeNotifier = throttled(time, NOTIFY_INTERVAL, () => deps.changed(accountId))
    const state = new AccountState(accountId, changeNotifier, time)
    const reading = openFolderReading(accountId, { ...deps, folderRead: (news) => handleRead(state, news) })
    const rounds = openRounds(accountId, {
      ask,
      time,
      reading,
      folders: () => foldersOf(accountId),
      isThere: () => isKnown(accountId),
      isUnknown: state.backoffs.isUnknown,
      changed: changeNotifier.request
    })
    return { state, reading, rounds }
  }

  /** Returns the names of an account's folders, without duplicates. */
  function foldersOf(accountId: string): string[] {
    const named = accounts().find(({ id }) => id === accountId)?.folders ?? []
    const folders = named.length > 0 ? named : DEFAULT_FOLDERS
    return [...new Map(folders.map((folder) => [folder.toLowerCase(), folder])).values()]
  }

  function handleRead(account: AccountState, { folder, monotonicAt, error, isChanged }: FolderReadEvent): void {
    if (!isKnown(account.accountId)) return
    account.backoffs.recordOutcome(folder, error)
    if (!error) Object.assign(account, { isRead: true, answeredAt: time.elapsed() })
    if (isChanged) account.changeNotifier.request()
    // If another folder was answered meanwhile, the service is reachable.
    if (error && MAYBE_FOLDER_ONLY.has(error.code) && account.answeredAt >= monotonicAt) return
    if (!account.recordOutcome(error)) return
    deps.connectionChanged()
    if (error) return
    // Whatever restored this connection may have restored the others too.
    for (const { state: one } of polled.values()) {
      const isDown =
        one === account ? one.backoffs.isFailing() && !one.isRoundRunning : one.connection.state === 'offline'
      if (isDown) readSoon(one)
    }
  }

  /**
   * Reads all folders. One that the service doesn't know doesn't stop the others.
   * @throws the first failure of any other kind, or the unknown folder's if no folder could be read.
   */
  async function readAll(accountId: string, logs: 'with logs' | 'without logs'): Promise<Round> {
    const round = await readRound(polledOf(accountId), logs)
    const { reads, failures } = round
    const serious = reads.length === 0 ? failures : failures.filter(({ error }) => !isUnknownFolder(error))
    if (serious[0]) throw serious[0].thrown
    deps.accountRead(accountId)
    return round
  }

  /** Reads these folders, all by default, with new reads. */
  async function readRound(
    { state: { accountId }, reading, rounds }: PolledAccount,
    logs: 'with logs' | 'without logs',
    folders?: readonly string[]
  ): Promise<Round> {
    // A read that is already in progress may have missed what the caller knows about.
    await reading.whenIdle()
    const start = sharedPolling?.roundStarted(accountId)
    const round = await rounds.read(folders ?? foldersOf(accountId), logs)
    await reportRound(accountId, { error: errorOf(round), round, start })
    return round
  }

  function readSoon(account: AccountState): void {
    if (sharedPolling?.mayRead(account.accountId) === false) return void sharedPolling.requestRead(account.accountId)
    account.isFullReadRequested = true
    schedule(account, 0)
  }

  function schedule(account: AccountState, delay: number): void {
    if (account.isRoundRunning || !isStarted || isStopped) return
    account.unschedule?.()
    account.unschedule = time.after(delay, () => void runRound(account))
  }

  async function runRound(account: AccountState): Promise<void> {
    const { accountId } = account
    // Another workstation reads the folders; `startReading` is called when that ends.
    if (sharedPolling?.mayRead(accountId) === false) return
    const startedAt = time.elapsed()
    const folders = foldersOf(accountId)
    const due = account.isFullReadRequested ? folders : account.backoffs.due(folders, startedAt)
    account.isRoundRunning = true
    account.isFullReadRequested = false
    const error = await attempt(accountId, due)
    account.isRoundRunning = false
    account.failures = error ? account.failures + 1 : 0
    if (isStopped || polled.get(accountId)?.state !== account) return
    if (!error) deps.accountRead(accountId)
    schedule(account, account.isFullReadRequested ? 0 : restOf(account, time.elapsed() - startedAt, error))
  }

  const isLookedAt = (accountId: string) => followed === accountId || (isShown && deps.shown().includes(accountId))

  function restOf(account: AccountState, took: number, error: AppError | undefined): number {
    const { accountId, connection, failures, backoffs } = account
    const isOffline = error !== undefined && connection.state === 'offline'
    const pace = followed === accountId ? 'shown' : sharedPolling?.paceOf(accountId)
    const atLeast = typeof pace === 'number' ? pace : 0
    const outcome = {
      isLookedAt: pace === undefined ? isLookedAt(accountId) : pace === 'shown',
      atLeast,
      isOffline,
      took
    }
    if (error) return restAfter({ ...outcome, failures, error }, time.random())
    return backoffs.nextRest(foldersOf(accountId), outcome, time.elapsed(), time.random())
  }

  /**
   * Reads these folders with new reads; returns why nothing could be read. While offline only one folder is requested,
   * and all once it answers.
   */
  async function attempt(accountId: string, folders: readonly string[]): Promise<AppError | undefined> {
    const account = polledOf(accountId)
    const { state, reading, rounds } = account
    try {
      const [first = ''] = foldersOf(accountId)
      const wasOffline = state.connection.state === 'offline'
      await rounds.tellWorker()
      if (wasOffline) await reading.read(first, 'without logs')
      return errorOf(await readRound(account, 'without logs', wasOffline ? undefined : folders))
    } catch (error) {
      const described = asAppError(error)
      await reportRound(accountId, { error: described })
      return described
    }
  }

  /** Work in progress may outlive the database, so nothing is reported once it was stopped. */
  async function reportRound(accountId: string, end: Parameters<SharedPollingPart['roundEnded']>[1]): Promise<void> {
    if (!isStopped) await sharedPolling?.roundEnded(accountId, end)
  }

  function soon(accountId?: string): void {
    for (const { id } of accounts()) {
      if (accountId === undefined || id === accountId) readSoon(polledOf(id).state)
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
      for (const { state, reading } of polled.values()) {
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
    serviceUnreachable(accountId: string): void {
      const state = polled.get(accountId)?.state
      if (state && !state.isRoundRunning && state.connection.state === 'online') readSoon(state)
    },
    /**
     * Call when an account's address, credentials or folders changed: reads in progress used the old ones. The worker
     * is told before anything else is read.
     */
    accountChanged(accountId: string, service: 'the same service' | 'another service'): void {
      const { state, reading, rounds } = polledOf(accountId)
      reading.abortReads()
      state.failures = 0
      state.backoffs.forget()
      rounds.accountChanged(service === 'another service')
      sharedPolling?.accountChanged(accountId)
      readSoon(state)
    },
    /** Erases an account, once none of it is being read any more. */
    async accountRemoved(accountId: string): Promise<void> {
      const account = polled.get(accountId)
      polled.delete(accountId)
      account?.state.stop()
      const settled = account?.reading.whenIdle()
      account?.reading.abortReads()
      await settled
      await ask('erase', { accountId })
    },
    /** Sets how an office's workstations read the folders for each other. Call before anything is read. */
    setSharedPolling(shared: SharedPollingPart): void {
      sharedPolling = shared
    },
    /** Whether someone has the account's documents in view. */
    isLookedAt,
    /** From now on this workstation reads the folders, after a delay in milliseconds. */
    startReading(accountId: string, delay: number): void {
      if (!isKnown(accountId)) return
      const { state } = polledOf(accountId)
      if (delay <= 0) return void readSoon(state)
      state.isFullReadRequested = true
      schedule(state, delay)
    },
    /** Call when another workstation has read the folders, with each one's problems. */
    readByOther(accountId: string, troubles: ReadonlyMap<string, FolderTrouble>): void {
      if (!isKnown(accountId)) return
      const { state, reading } = polledOf(accountId)
      state.isRead = true
      let isChanged = false
      for (const [folder, trouble] of troubles) isChanged = reading.noteTrouble(folder, trouble) || isChanged
      if (isChanged) state.changeNotifier.request()
      if (state.connection.state === 'unknown' && state.recordOutcome()) deps.connectionChanged()
      deps.accountRead(accountId)
    },
    /** Reads every folder now. @throws ServiceError of the first that failed. */
    async refresh(accountId: string): Promise<void> {
      if (sharedPolling?.mayRead(accountId) === false && (await sharedPolling.awaitRead(accountId))) return
      await readAll(accountId, 'without logs')
    },
    async refreshWithLogs(accountId: string, folder: string): Promise<void> {
      const { reading, rounds } = polledOf(accountId)
      await rounds.tellWorker()
      await reading.read(folder, 'with logs')
    },
    /**
     * Reads all folders now, to find out whether that works.
     * @returns how many documents each contains; null for a folder that the service doesn't have.
     * @throws ServiceError if a folder couldn't be read for any other reason, or none could.
     */
    async check(accountId: string): Promise<{ name: string; documents: number | null }[]> {
      const { reads } = await readAll(accountId, 'without logs')
      const read = new Map(reads.map(({ folder, result }) => [folder, result.documents]))
      return foldersOf(accountId).map((name) => ({ name, documents: read.get(name) ?? null }))
    },
    /**
     * Reads all folders with logs, and returns documents that match the keys, and the time of the last event by the
     * service's clock. `missingFolders`: if the service doesn't have some of the folders, and has said so more than once,
     * while everything else was read.
     * @param keysOf returns what to look for; called after the folders have been read.
     * @throws ServiceError if a folder couldn't be read.
     */
    async readAllFolders(accountId: string, keysOf: () => Promise<SendKeys>) {
      const { reads, isComplete } = await readAll(accountId, 'with logs')
      const since = Math.min(...reads.map(({ requestedAt }) => requestedAt))
      const { isCut, ...seen } = await ask('snapshot', { accountId, since, keys: await keysOf() })
      // An unreadable document may be the one sought, even if it has a reference.
      const isReadable = !isCut && reads.every(({ result }) => result.isComplete && result.unreadable.count === 0)
      const unread = foldersOf(accountId).filter((name) => !reads.some(({ folder }) => folder === name))
      const { isUnknown } = polledOf(accountId).state.backoffs
      return {
        ...seen,
        isComplete: isComplete && isReadable,
        missingFolders: isReadable && unread.every(isUnknown) ? unread : []
      }
    },
    /** Whether any of an account's folders was read in this run. */
    isRead: (accountId: string): boolean => polled.get(accountId)?.state.isRead === true,
    /** The names of an account's folders, in the office's order. */
    foldersOf,
    /** Those that the service has, as far as we know. */
    knownFoldersOf: (accountId: string): string[] =>
      foldersOf(accountId).filter((folder) => !polled.get(accountId)?.state.backoffs.isUnknown(folder)),
    troubleOf: (accountId: string, folder: string): FolderTrouble =>
      polled.get(accountId)?.reading.troubleOf(folder) ?? {},
    connectionOf: (accountId: string | undefined): ConnectionView =>
      polled.get(accountId ?? '')?.state.connection ?? { state: 'unknown', since: time.now() }
  }
}
