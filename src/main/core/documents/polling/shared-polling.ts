/**
 * An office's workstations read an account's folders for each other. One of them holds the lease, reads as a single
 * workstation would, and publishes what changed; the others send the service no requests and take the changes into
 * their own mirrors. While the office's server is away each reads by itself, and less often the more workstations there
 * are. Decision 56 says who may read for whom.
 */
import type { AppError, FolderPolling, PollingTrouble } from '../../../../shared/contract/index.ts'
import { SerialTask } from '../../jobs/lanes.ts'
import { getOrMake } from '../../lib/objects.ts'
import { inTurn } from '../../lib/slices.ts'
import { backoff, type Time } from '../../lib/time.ts'
import {
  FEED_PAGE,
  type FeedChange,
  type FeedState,
  feedIdOf,
  type OfficeFeed,
  openFromFeed,
  POLL_LEASE,
  sealForFeed
} from '../../office/feed.ts'
import type { AskDocuments, FolderReport } from '../questions.ts'
import { isUnknownFolder, PACE } from './account-state.ts'
import type { FolderTrouble } from './folder-reading.ts'
import type { Round } from './rounds.ts'

/** An account that workstations share. */
interface SharedAccount {
  id: string
  name: string
  baseUrl: string
  folders: readonly string[]
}

export interface SharedPollingDeps {
  ask: AskDocuments
  time: Time
  /** Orders what is known; the same as in `PollingDeps`. */
  moment: () => number
  /** The accounts that the office has too. */
  accounts: () => readonly SharedAccount[]
  /** Whether someone here has the account's documents in view. */
  isLookedAt: (accountId: string) => boolean
  troubleOf: (accountId: string, folder: string) => FolderTrouble
  /** Makes this workstation read the folders, after a delay in milliseconds. */
  startReading: (accountId: string, delay: number) => void
  /** Called when documents changed. */
  changed: (accountId: string) => void
  /** Called when they were read for this workstation. */
  readByOther: (accountId: string, folders: ReadonlyMap<string, FolderTrouble>) => void
  /** Called when the reader, or its state, changed. */
  readerChanged: () => void
  /** Reports why the server couldn't be asked; may not be shown. */
  onOfficeError?: ((error: unknown) => void) | undefined
}

/** What a round remembers from its beginning. */
export interface RoundStart {
  run: number
  /** The office's revision at that time; undefined if unknown. */
  seq: number | undefined
}

/** asking: the server hasn't answered yet. */
type Role = 'asking' | 'reads' | 'follows' | 'alone'

interface Account {
  readonly id: string
  readonly syncing: SerialTask<void>
  role: Role
  failures: number
  feedId: string | undefined
  cursor: number
  /** When its folders were last proven to match the office's, by the wall clock; 0 if never. */
  provenAt: number
  state: FeedState | undefined
  /** When that was requested, by the wall clock. */
  stateAt: number
  /** Ends by whichever clock comes first: the monotonic one may stop while the computer sleeps. */
  lease: { epoch: number; until: number; began: number; ms: number } | undefined
  /** A round was skipped because the lease had expired. */
  hasMissedRound: boolean
  /** The newest wish when a round last began here; that round answers it. */
  wishAtStart: number
  /** When a round last ended while the office's server was away, by the monotonic clock. */
  readAloneAt: number
  /** Changes with each feed, connection and sign-in: results of an earlier run don't apply to this one. */
  run: number
  trouble: PollingTrouble | undefined
  restsUntil: number
  /** What differed in every comparison so far, how many there were, and when the next is allowed. */
  differs: ReadonlySet<string> | undefined
  comparisons: number
  comparesAfter: number
  /** Whether its folders show something else than the office has. */
  isOther: boolean
  /** What each folder was found to contain, and the report of it that was last published. */
  readonly folders: Map<string, FolderReport[string]>
  publishedReport: string
  lookedAt: number
  /** `wish`: undefined while the next one's number isn't known. */
  pendingResolution: { wish: number | undefined; upTo: number } | undefined
  /**
   * What this workstation's own round had shown when it was found to match the office; kept until a round that answers
   * the wish has ended.
   */
  pendingMatch: { wish: number; upTo: number } | undefined
  readonly waiters: Set<{ wish: number; done: () => void }>
}

/** Cursor meaning that the office has nothing of what was read before. */
const RESET_CURSOR = -1
/** How often the reader renews its lease, and how often at least the others ask, in milliseconds. */
const RENEW_INTERVAL = 10_000
const POLL_INTERVAL = 30_000
const FIRST_WAIT = 1_000
/** Spreads the requests of those who wait for a lease to end. */
const JITTER = 2_000
/** While workstations read separately, all together read this many times as often as one reader would. */
const COMBINED_RATE = 2
/**
 * For this long (up to twice) after the server is back, documents that it lacks are resolved by the wishes of others
 * only: one round resolves them for everyone.
 */
const RECONNECT_GRACE = 60_000
/** How long a start waits for the office before reading by itself, and how long someone waits for another's read. */
const OFFICE_TIMEOUT = 5_000
/** How long a workstation that couldn't read leaves it to others. */
const TROUBLE_RESTS: Record<PollingTrouble, number> = {
  unreachable: PACE.failing,
  keychain: PACE.maxFailing,
  // Until a read of its own has worked.
  refused: Number.POSITIVE_INFINITY
}
/** How long a proven match stays valid, and how often folders that differ are compared. */
const MATCH_LIFETIME = 86_400_000
const COMPARE_INTERVAL = 600_000
/** Differences that persist for this many rounds in a row aren't coincidental. */
const ROUNDS_UNTIL_SURE = 3

export class SharedPolling {
  readonly #deps: SharedPollingDeps
  readonly #accounts = new Map<string, Account>()
  #office: { feed: OfficeFeed; key: Uint8Array } | undefined
  /** In the office, as far as known. */
  #workstations = 1
  /** When it may first wish for rounds that settle documents, by the monotonic clock. */
  #wishesFrom = 0
  #expectedUntil = 0
  #stopExpecting: () => void = () => undefined

  constructor(deps: SharedPollingDeps) {
    this.#deps = deps
  }

  /**
   * Call before asking the office's server: until it answers, or a timeout, the folders are left alone.
   * @param workstations the office's number when it last answered, if known.
   */
  expect(workstations = this.#workstations): void {
    this.#workstations = workstations
    if (this.#office) return
    const { time } = this.#deps
    this.#expectedUntil = time.elapsed() + OFFICE_TIMEOUT
    this.#stopExpecting()
    this.#stopExpecting = time.after(OFFICE_TIMEOUT, () => this.#readAlone(0))
  }

  /** Call when the server has answered; the office has this many workstations. */
  connect(feed: OfficeFeed, key: Uint8Array, workstations: number): void {
    this.#workstations = workstations
    if (this.#office?.feed !== feed) {
      const { time } = this.#deps
      this.#office = { feed, key }
      this.#wishesFrom = time.elapsed() + RECONNECT_GRACE * (1 + time.random())
      this.#stopExpecting()
      for (const account of this.#accounts.values()) this.#forgetRun(account)
    }
    for (const { id } of this.#deps.accounts()) this.#syncSoon(this.#accountOf(id))
  }

  /**
   * Call when the server is away. With `isPolite`, this workstation is leaving and gives up its leases, so that another
   * can read immediately.
   */
  async disconnect({ isPolite = false } = {}): Promise<void> {
    const office = this.#office
    if (!office) return
    this.#office = undefined
    const accounts = [...this.#accounts.values()]
    for (const { syncing, waiters } of accounts) {
      syncing.cancel()
      for (const { done } of waiters) done()
    }
    // Requests still in progress would take the lease again.
    if (isPolite) await Promise.all(accounts.map(({ syncing }) => syncing.close()))
    const held = accounts.flatMap(({ feedId, lease }) => (feedId && lease ? [{ feedId, epoch: lease.epoch }] : []))
    for (const account of accounts) this.#forgetRun(account)
    if (isPolite) await Promise.allSettled(held.map(({ feedId, epoch }) => office.feed.releaseLease(feedId, epoch)))
    else this.#readAlone()
  }

  /**
   * Call when the server was restored from a backup: the first reader publishes everything, and the others read all of
   * that.
   */
  async restored(key: Uint8Array): Promise<void> {
    for (const polled of this.#deps.accounts()) {
      const account = this.#accountOf(polled.id)
      await account.syncing.whenIdle()
      account.run++
      await this.#deps.ask('shareFeed', { accountId: polled.id, feed: feedIdOf(key, polled), cursor: RESET_CURSOR })
      account.feedId = undefined
    }
  }

  /** Call when this workstation no longer belongs to an office. */
  async leftOffice(): Promise<void> {
    for (const { id } of this.#accounts.values()) {
      await this.#deps.ask('shareFeed', { accountId: id, feed: null })
      this.#accounts.delete(id)
      this.#deps.startReading(id, 0)
    }
  }

  /**
   * Call when the office's server has notified about a feed.
   * @param channel read: someone requests a read; feed: there are changes.
   */
  notified(channel: 'feed' | 'read', feedId: string): void {
    for (const account of this.#accounts.values()) {
      if (account.feedId === feedId && (channel === 'read') === (account.role === 'reads')) this.#syncSoon(account)
    }
  }

  /** Whether this workstation may request the account's folders from the service itself. */
  mayRead(accountId: string): boolean {
    if (!this.#isShared(accountId)) return true
    if (!this.#office) return this.#deps.time.elapsed() >= this.#expectedUntil
    const account = this.#accountOf(accountId)
    if (account.role !== 'reads') return account.role === 'alone'
    const holds = this.#holdsLease(account)
    // A round that is due meanwhile is made up for after the lease is renewed.
    account.hasMissedRound ||= !holds
    return holds
  }

  /** How often the folders are read: 'shown', a minimum rest in milliseconds, or undefined for the usual pace. */
  paceOf(accountId: string): 'shown' | number | undefined {
    if (!this.#isShared(accountId)) return undefined
    if (!this.#office) return this.#restAlone(accountId)
    const account = this.#accountOf(accountId)
    if (account.role === 'alone' && account.failures > 0) return this.#restAlone(accountId)
    return account.role === 'reads' && account.state?.isLookedAt ? 'shown' : undefined
  }

  /** Asks the reader to read the folders. */
  requestRead(accountId: string): void {
    const { feedId } = this.#accountOf(accountId)
    if (feedId) this.#office?.feed.requestRead(feedId).catch((error: unknown) => this.#deps.onOfficeError?.(error))
  }

  /** Asks the reader to read now; resolves once its changes are here, or to false if nobody read in time. */
  async awaitRead(accountId: string): Promise<boolean> {
    const { time } = this.#deps
    const account = this.#accountOf(accountId)
    const { feedId } = account
    const wish = feedId && (await this.#office?.feed.requestRead(feedId).catch(() => undefined))
    if (!wish) return false
    return await new Promise((resolve) => {
      const finish = (isDone: boolean) => {
        stop()
        account.waiters.delete(waiter)
        resolve(isDone)
      }
      const waiter = { wish, done: () => finish((account.state?.answeredUpTo ?? 0) >= wish) }
      const stop = time.after(OFFICE_TIMEOUT, () => finish(false))
      account.waiters.add(waiter)
    })
  }

  /**
   * Call when a round begins here; another may be in progress.
   * @returns what to pass to `roundEnded`.
   */
  roundStarted(accountId: string): RoundStart | undefined {
    const account = this.#accounts.get(accountId)
    if (!account) return undefined
    account.wishAtStart = account.state?.requestedUpTo ?? 0
    return { run: account.run, seq: account.state?.seq }
  }

  /**
   * Call when a round has ended.
   * @param error why nothing could be read.
   */
  async roundEnded(
    accountId: string,
    end: { error?: AppError | undefined; round?: Round | undefined; start?: RoundStart | undefined }
  ): Promise<void> {
    const office = this.#office
    const account = this.#accounts.get(accountId)
    if (account && !office && !end.error) account.readAloneAt = this.#deps.time.elapsed()
    if (!office || !account?.feedId) return
    try {
      if (end.error) return await this.#handleFailure(account, end.error)
      if (account.trouble) {
        account.trouble = undefined
        account.restsUntil = 0
        this.#syncSoon(account)
      }
      if (account.role === 'reads' && this.#holdsLease(account)) await this.#publishRound(account, end.round)
      else if (account.role === 'alone') await this.#compare(account, end.round, end.start)
      else this.#syncSoon(account)
    } catch (error) {
      this.#deps.onOfficeError?.(error)
      this.#syncSoon(account)
    }
  }

  /** Call when the key or password changed: what the account sees has to be determined again. */
  accountChanged(accountId: string): void {
    const account = this.#accounts.get(accountId)
    if (!account?.feedId) return
    const { feedId, lease } = account
    if (lease && account.role === 'reads') {
      this.#office?.feed.releaseLease(feedId, lease.epoch).catch((error: unknown) => this.#deps.onOfficeError?.(error))
    }
    this.#forgetRun(account)
    account.isOther = false
    void this.#setProvenAt(account, 0)
      .catch(() => undefined)
      .then(() => this.#syncSoon(account))
  }

  /** Returns who reads which account's folders. */
  view(): FolderPolling[] {
    return this.#deps.accounts().map(({ id, name }) => {
      const account = this.#accountOf(id)
      const { state, stateAt, role, isOther, provenAt } = account
      if (!this.#office || !state) return { accountName: name, how: 'away', troubles: [] }
      const ago = (ms: number) => Math.round(stateAt - ms)
      return {
        accountName: name,
        how: role !== 'alone' && provenAt > 0 ? 'together' : role === 'alone' && isOther ? 'other' : 'alone',
        ...(state.holder && {
          by: { name: state.holder.name, isMe: role === 'reads', since: ago(state.holder.since) }
        }),
        troubles: state.troubles.map((one) => ({ ...one, since: ago(one.since) }))
      }
    })
  }

  #foldersOf(accountId: string): readonly string[] {
    return this.#deps.accounts().find(({ id }) => id === accountId)?.folders ?? []
  }

  #coversAllFolders(accountId: string, round: Round | undefined): boolean {
    const readNames = new Set(round?.reads.map(({ folder }) => folder))
    return this.#foldersOf(accountId).every((folder) => {
      const { problem } = this.#deps.troubleOf(accountId, folder)
      return readNames.has(folder) || (problem !== undefined && isUnknownFolder(problem))
    })
  }

  #isShared(accountId: string): boolean {
    return this.#deps.accounts().some(({ id }) => id === accountId)
  }

  #accountOf(accountId: string): Account {
    return getOrMake(this.#accounts, accountId, () => {
      const syncing = new SerialTask(
        this.#deps.time,
        () => this.#sync(account),
        () => this.#scheduleNext(account)
      )
      const account: Account = {
        id: accountId,
        syncing,
        role: 'asking',
        failures: 0,
        feedId: undefined,
        cursor: 0,
        provenAt: 0,
        state: undefined,
        stateAt: 0,
        lease: undefined,
        hasMissedRound: false,
        wishAtStart: 0,
        run: 0,
        readAloneAt: Number.NEGATIVE_INFINITY,
        trouble: undefined,
        restsUntil: 0,
        differs: undefined,
        comparisons: 0,
        comparesAfter: 0,
        isOther: false,
        folders: new Map(),
        publishedReport: '',
        lookedAt: 0,
        pendingResolution: undefined,
        pendingMatch: undefined,
        waiters: new Set()
      }
      return account
    })
  }

  #forgetRun(account: Account): void {
    Object.assign(account, {
      role: 'asking',
      lease: undefined,
      state: undefined,
      pendingResolution: undefined,
      publishedReport: '',
      restsUntil: 0,
      differs: undefined,
      comparisons: 0,
      trouble: undefined,
      run: account.run + 1,
      pendingMatch: undefined
    } satisfies Partial<Account>)
  }

  #holdsLease({ lease }: Account): boolean {
    if (!lease) return false
    const { time } = this.#deps
    return time.elapsed() < lease.until && time.now() - lease.began < lease.ms
  }

  /** Rest of a workstation that reads by itself because the office can't be asked, in milliseconds. */
  #restAlone(accountId: string): number {
    const usual = this.#deps.isLookedAt(accountId) ? PACE.shown : PACE.hidden
    const share = (usual * this.#workstations) / COMBINED_RATE
    return Math.min(PACE.maxAlone, Math.max(PACE.hidden, share))
  }

  /** Delay of its first read: fifty workstations mustn't all begin at once. */
  #firstDelayAlone(accountId: string): number {
    return this.#deps.time.random() * this.#restAlone(accountId)
  }

  #readAlone(delay?: number): void {
    if (this.#office) return
    for (const { id } of this.#deps.accounts()) this.#deps.startReading(id, delay ?? this.#firstDelayAlone(id))
    this.#deps.readerChanged()
  }

  #syncSoon(account: Account): void {
    if (!this.#office) return
    void account.syncing.runFresh().catch(() => undefined)
  }

  #scheduleNext(account: Account): void {
    if (!this.#office || !this.#isShared(account.id)) return
    const { time } = this.#deps
    const { failures, role, state, restsUntil, syncing } = account
    if (failures > 0) return void syncing.schedule(backoff(FIRST_WAIT, failures, time.random))
    if (role === 'reads') return void syncing.schedule(RENEW_INTERVAL)
    const remaining = state?.holder ? state.holder.remaining : Math.max(FIRST_WAIT, restsUntil - time.elapsed())
    syncing.schedule(Math.min(POLL_INTERVAL, remaining) + time.random() * JITTER)
  }

  #setRole(account: Account, role: Role, delay = account.trouble ? PACE.failing : 0): void {
    if (account.role === role) return
    account.role = role
    if (role === 'reads' || role === 'alone') this.#deps.startReading(account.id, delay)
    this.#deps.readerChanged()
  }

  /** Asks the office for the state of the reading, and acts on it. */
  async #sync(account: Account): Promise<void> {
    const office = this.#office
    const shared = this.#deps.accounts().find(({ id }) => id === account.id)
    if (!office || !shared) return
    try {
      await this.#adoptFeed(account, feedIdOf(office.key, shared))
      await this.#updateRole(account)
      account.failures = 0
    } catch (error) {
      if (this.#office !== office) return
      this.#deps.onOfficeError?.(error)
      account.failures++
      // The office can't be asked who reads, as if the server were away.
      if (!this.#holdsLease(account)) this.#setRole(account, 'alone', this.#firstDelayAlone(account.id))
      throw error
    }
  }

  async #adoptFeed(account: Account, feedId: string): Promise<void> {
    if (account.feedId === feedId) return
    const { cursor, provenAt } = await this.#deps.ask('shareFeed', { accountId: account.id, feed: feedId })
    Object.assign(account, {
      feedId,
      cursor,
      provenAt,
      isOther: false,
      state: undefined,
      run: account.run + 1,
      pendingMatch: undefined,
      pendingResolution: undefined
    } satisfies Partial<Account>)
  }

  async #updateRole(account: Account): Promise<void> {
    const { state: before, lease: held } = account
    // If nobody has read for the office yet, whatever the first reader sees counts.
    if (!before && account.provenAt === 0) await this.#fetchState(account, false)
    const wantsLease = account.provenAt > 0 || needsFirstReader(account.state)
    const state = await this.#fetchState(account, wantsLease && account.restsUntil <= this.#deps.time.elapsed())
    if (!state) return
    if (state.lease) {
      const isStillReader = account.role === 'reads' && state.lease.epoch === held?.epoch && state.seq >= account.cursor
      if (!isStillReader) return await this.#takeOver(account, state)
      if (state.seq > account.cursor) await this.#keepCursor(account, state.seq)
      await this.#publish(account)
      if (state.requestedUpTo > account.wishAtStart || account.hasMissedRound) {
        account.hasMissedRound = false
        this.#deps.startReading(account.id, 0)
      }
    } else {
      const isMatchOld = this.#deps.time.now() - account.provenAt > MATCH_LIFETIME && state.holder !== undefined
      if (account.provenAt === 0 || isMatchOld || account.trouble === 'refused') {
        // After days without the server, fifty workstations compare one after the other; until then, what each has read
        // itself is recent enough.
        const hasReadRecently = this.#deps.time.elapsed() - account.readAloneAt <= this.#restAlone(account.id)
        this.#setRole(
          account,
          'alone',
          isMatchOld && hasReadRecently && !account.trouble ? this.#firstDelayAlone(account.id) : undefined
        )
      } else {
        this.#setRole(account, 'follows')
        await this.#follow(account, state)
      }
    }
    if (before?.holder?.name !== state.holder?.name || before?.troubles.length !== state.troubles.length)
      this.#deps.readerChanged()
  }

  async #fetchState(account: Account, wantsLease: boolean): Promise<FeedState | undefined> {
    const office = this.#office
    const { id, feedId, trouble } = account
    if (!office || !feedId) return undefined
    const { time, isLookedAt } = this.#deps
    const [requestedAt, began] = [time.elapsed(), time.now()]
    const isShown = isLookedAt(id)
    const state = await office.feed.poll(feedId, { isShown, trouble, ...(wantsLease && { ms: POLL_LEASE }) })
    if (this.#office !== office) return undefined
    const lease = state.lease && { ...state.lease, began, ms: state.lease.until - requestedAt }
    Object.assign(account, { state, stateAt: began, lease })
    return state
  }

  /** First reads everything the previous reader published, so that any differences from then on are new. */
  async #takeOver(account: Account, state: FeedState): Promise<void> {
    const { feed, key } = this.#requireOffice()
    const { id, feedId = '' } = account
    const isBehind = state.seq < account.cursor
    if (isBehind || state.seq === 0 || account.provenAt === 0 || account.cursor === RESET_CURSOR) {
      if (isBehind) await feed.raiseSeq(feedId, state.lease?.epoch ?? 0, account.cursor)
      await this.#setProvenAt(account, account.provenAt || this.#deps.time.now())
      const tags = await feed.liveTags(feedId)
      const { there } = await this.#deps.ask('compareShared', { accountId: id, key, tags, handsOver: true })
      const gone = there.map((tag) => ({ tag: Buffer.from(tag, 'hex'), sealed: undefined }))
      for (let at = 0; at < gone.length; at += FEED_PAGE) {
        await feed.publish(feedId, state.lease?.epoch ?? 0, gone.slice(at, at + FEED_PAGE))
      }
    } else await this.#readChanges(account)
    account.publishedReport = ''
    account.pendingResolution = undefined
    account.pendingMatch = undefined
    this.#setRole(account, 'reads')
  }

  async #follow(account: Account, state: FeedState): Promise<void> {
    const { key } = this.#requireOffice()
    const { id, feedId = '' } = account
    if (state.seq < account.cursor || account.cursor === RESET_CURSOR) {
      // The server was restored from a backup: everything is read again.
      await this.#keepCursor(account, 0)
    }
    const report = state.report && (openFromFeed(key, feedId, 'report', state.report) as FolderReport | undefined)
    const isComplete = report !== undefined && Object.values(report).every(isFullyRead)
    const mayReadChanges = await this.#resolveMatched(account, state, isComplete)
    // Fifty workstations ask for the state several times a minute; they ask for changes only if there are any.
    if (mayReadChanges && state.seq > account.cursor) await this.#readChanges(account)
    const lookedAt = state.lookedAgo === undefined ? 0 : Math.round(account.stateAt - state.lookedAgo)
    if (report && Math.abs(lookedAt - account.lookedAt) > FIRST_WAIT) {
      account.lookedAt = lookedAt
      await this.#deps.ask('takeReport', { accountId: id, report: readableFolders(report), begun: lookedAt, lookedAt })
      this.#deps.readByOther(id, new Map(Object.entries(report).map(([folder, its]) => [folder, troubleIn(its)])))
    }
    if (mayReadChanges && state.holder) await this.#resolveUnshared(account, state, isComplete)
    for (const one of account.waiters) if (state.answeredUpTo >= one.wish) one.done()
  }

  async #readChanges(account: Account): Promise<void> {
    const { feed, key } = this.#requireOffice()
    const { id, feedId = '' } = account
    for (;;) {
      const changes = await feed.changes(feedId, account.cursor)
      const last = changes.at(-1)
      if (!last) return
      await this.#applyChanges(account, { key, changes, cursor: last.seq })
      account.cursor = last.seq
      if (changes.length < FEED_PAGE || !this.#isShared(id)) return
    }
  }

  async #applyChanges(
    { id, feedId = '' }: Account,
    update: { key: Uint8Array; changes: readonly FeedChange[]; cursor?: number; settles?: number }
  ): Promise<void> {
    const { ask, moment, time, changed } = this.#deps
    const request = { accountId: id, feed: feedId, begun: moment(), now: time.now(), ...update }
    if ((await ask('takeShared', request)) > 0) changed(id)
  }

  /**
   * Resolves what this workstation's own round has shown to match the office. Documents may have changed since, so
   * changes are read only after a later round has ended. Returns whether they may be read.
   */
  async #resolveMatched(account: Account, state: FeedState, isComplete: boolean): Promise<boolean> {
    const { id, pendingMatch } = account
    if (!pendingMatch) return true
    if (state.answeredUpTo < pendingMatch.wish) return false
    if (isComplete) await this.#deps.ask('settleSeen', { accountId: id, upTo: pendingMatch.upTo })
    account.pendingMatch = undefined
    return true
  }

  /**
   * Leaves alone what only this workstation knows until a round that began later has ended; then the office's state
   * counts.
   */
  async #resolveUnshared(account: Account, state: FeedState, isComplete: boolean): Promise<void> {
    const { feed, key } = this.#requireOffice()
    const { id, feedId = '', pendingResolution } = account
    const { tags, upTo } = await this.#deps.ask('unshared', { accountId: id, key, limit: FEED_PAGE })
    if (tags.length === 0) {
      account.pendingResolution = undefined
    } else if (!pendingResolution) {
      account.pendingResolution = { wish: this.#mayWish() ? await feed.requestRead(feedId) : undefined, upTo }
    } else if (pendingResolution.wish === undefined) {
      // `requestedUpTo` was read after these documents were found, so the next wish also comes after them.
      pendingResolution.wish = state.requestedUpTo + 1
    } else if (state.requestedUpTo < pendingResolution.wish) {
      if (this.#mayWish()) await feed.requestRead(feedId)
    } else if (state.answeredUpTo >= pendingResolution.wish) {
      account.pendingResolution = undefined
      if (isComplete)
        await this.#applyChanges(account, {
          key,
          changes: await feed.documents(feedId, tags),
          settles: pendingResolution.upTo
        })
    }
  }

  /** When fifty workstations reconnect at once, they mustn't each wish for a round of their own. */
  #mayWish(): boolean {
    return this.#deps.time.elapsed() >= this.#wishesFrom
  }

  /** Publishes what a round found. */
  async #publishRound(account: Account, round: Round | undefined): Promise<void> {
    const { feed, key } = this.#requireOffice()
    const { id, feedId = '', lease, wishAtStart, folders } = account
    for (const { folder, result } of round?.reads ?? []) {
      const { documents, unreadable, isComplete } = result
      folders.set(folder, { documents, unreadable, isComplete })
    }
    if (!(await this.#publish(account)) || !lease) return
    const entries = this.#foldersOf(id).flatMap((folder) => {
      const found = folders.get(folder)
      const { problem } = this.#deps.troubleOf(id, folder)
      return found || problem ? [[folder, { ...(found ?? NOTHING_READ), ...(problem && { problem }) }] as const] : []
    })
    const report = JSON.stringify(Object.fromEntries(entries))
    const sealed =
      report === account.publishedReport ? undefined : sealForFeed(key, feedId, 'report', Object.fromEntries(entries))
    if (await feed.finishRead(feedId, lease.epoch, wishAtStart, sealed)) account.publishedReport = report
    else this.#syncSoon(account)
  }

  /**
   * Publishes pending changes; returns whether this workstation is still the reader. Calls run one after the other, so
   * that nothing is published twice.
   */
  #publish(account: Account): Promise<boolean> {
    return inTurn(account, () => this.#publishAll(account))
  }

  async #publishAll(account: Account): Promise<boolean> {
    const { feed, key } = this.#requireOffice()
    const { id, feedId = '', lease } = account
    for (;;) {
      const { changes, upTo } = await this.#deps.ask('toShare', { accountId: id, feed: feedId, key, limit: FEED_PAGE })
      if (changes.length === 0) return true
      // A hundred thousand documents take longer than the lease lasts.
      const until = account.lease?.until ?? Number.POSITIVE_INFINITY
      if (this.#deps.time.elapsed() > until - POLL_LEASE + RENEW_INTERVAL) await this.#fetchState(account, true)
      const isStillReader = lease !== undefined && account.lease?.epoch === lease.epoch
      if (!isStillReader || !(await feed.publish(feedId, lease.epoch, changes))) {
        this.#syncSoon(account)
        return false
      }
      await this.#deps.ask('shared', { accountId: id, upTo })
    }
  }

  async #handleFailure(account: Account, error: AppError): Promise<void> {
    const { feedId = '', lease } = account
    if (error.code === 'cancelled') return
    const trouble = error.code === 'unauthorised' ? 'refused' : error.code === 'keychain' ? 'keychain' : 'unreachable'
    account.trouble = trouble
    account.restsUntil = this.#deps.time.elapsed() + TROUBLE_RESTS[trouble]
    if (account.role !== 'reads' || !lease) return
    account.lease = undefined
    account.role = 'asking'
    await this.#requireOffice().feed.releaseLease(feedId, lease.epoch, trouble)
    this.#syncSoon(account)
  }

  /**
   * Checks whether this workstation's folders show what the office has. Coincidental differences, caused by something
   * that just happened, disappear in the next rounds.
   */
  async #compare(account: Account, round: Round | undefined, start: RoundStart | undefined): Promise<void> {
    const { ask, time, readerChanged } = this.#deps
    const { feed, key } = this.#requireOffice()
    const { id, feedId = '', state } = account
    const isComplete =
      round?.failures.every(({ error }) => isUnknownFolder(error)) &&
      round.reads.every(({ result }) => result.isComplete)
    if (!isComplete || !state || time.elapsed() < account.comparesAfter) return
    // The office's revision at the start is unknown; the next round, which follows immediately, will know it.
    if (start?.seq === undefined) return
    const tags = await feed.liveTags(feedId)
    const { here, there, upTo, areSeen } = await ask('compareShared', { accountId: id, key, tags })
    // The feed or cursor that this result belongs to was replaced meanwhile.
    if (start.run !== account.run) return
    const differing = new Set([...here, ...there])
    if (differing.size === 0) {
      Object.assign(account, { differs: undefined, comparisons: 0, isOther: false })
      // This round itself saw everything the office had when it began, so the cursor can skip that. If the folders
      // lacked a document, the cursor stays: the office's changes will say whether it is gone.
      if (areSeen && account.cursor !== RESET_CURSOR && this.#coversAllFolders(id, round)) {
        const pendingMatch = upTo > 0 ? { wish: await feed.requestRead(feedId), upTo } : undefined
        if (start.run !== account.run) return
        account.pendingMatch = pendingMatch
        if (start.seq > account.cursor) await this.#keepCursor(account, start.seq)
      }
      await this.#setProvenAt(account, time.now())
      return this.#syncSoon(account)
    }
    if (!state.holder) {
      // Nobody reads at the moment, so whatever happened since the last reader differs too, which says nothing about
      // what this workstation sees.
      account.comparesAfter = time.elapsed() + COMPARE_INTERVAL
      return
    }
    const persistent = account.differs ? new Set([...account.differs].filter((tag) => differing.has(tag))) : differing
    account.comparisons = persistent.size > 0 ? account.comparisons + 1 : 1
    account.differs = persistent.size > 0 ? persistent : differing
    if (account.comparisons < ROUNDS_UNTIL_SURE) {
      await feed.requestRead(feedId)
      return
    }
    Object.assign(account, { differs: undefined, comparisons: 0, isOther: true })
    account.comparesAfter = time.elapsed() + COMPARE_INTERVAL
    await this.#setProvenAt(account, 0)
    readerChanged()
  }

  async #keepCursor(account: Account, cursor: number): Promise<void> {
    const { id, feedId = '' } = account
    await this.#deps.ask('shareFeed', { accountId: id, feed: feedId, cursor })
    account.cursor = cursor
  }

  async #setProvenAt(account: Account, provenAt: number): Promise<void> {
    account.provenAt = provenAt
    const { id, feedId = '' } = account
    await this.#deps.ask('shareFeed', { accountId: id, feed: feedId, provenAt })
  }

  #requireOffice(): { feed: OfficeFeed; key: Uint8Array } {
    if (!this.#office) throw new Error('The office’s server is away.')
    return this.#office
  }
}

/**
 * Whether nobody has read for the office yet, or not for so long that every workstation's match must be proven again.
 * Then the first workstation to come reads, and its documents become the office's.
 */
function needsFirstReader(state: FeedState | undefined): boolean {
  return state?.seq === 0 || (state?.quietFor ?? 0) > MATCH_LIFETIME
}

const NOTHING_READ: FolderReport[string] = { documents: 0, unreadable: { count: 0, documents: [] }, isComplete: false }

/** A folder that the service doesn't have is empty. */
function isFullyRead({ problem, isComplete }: FolderReport[string]): boolean {
  return problem ? isUnknownFolder(problem) : isComplete
}

/** Leaves out folders that couldn't be read: nothing is known of their content. */
function readableFolders(report: FolderReport): FolderReport {
  return Object.fromEntries(Object.entries(report).filter(([, { problem }]) => !problem))
}

function troubleIn({ problem, unreadable }: FolderReport[string]): FolderTrouble {
  return { ...(problem && { problem }), ...(unreadable.count > 0 && { unreadable }) }
}
