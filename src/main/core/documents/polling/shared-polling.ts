/**
 * An office's workstations read an account's folders for each other. One of them holds the lease, reads as a single
 * workstation would, and publishes what changed; the others send the service no requests and take the changes into
 * their own mirrors. While the office's server is away each reads by itself, and less often the more workstations there
 * are. Decision 56 says who may read for whom.
 */
import type { AppError, FolderPolling, PollingTrouble } from '../../../../shared/contract/index.ts'
import { SerialTask } from '../../jobs/lanes.ts'
import { DAY } from '../../lib/calendar.ts'
import { getOrMake } from '../../lib/objects.ts'
import { backoff } from '../../lib/time.ts'
import { FEED_PAGE, type FeedState, feedIdOf, type OfficeFeed, POLL_LEASE } from '../../office/feed.ts'
import { PACE } from './account-state.ts'
import { FeedExchange, type FeedExchangeDeps, type OfficeAccess } from './feed-exchange.ts'
import { FolderComparison } from './folder-comparison.ts'
import type { Round } from './rounds.ts'
import {
  forgetRun,
  holdsLease,
  newSharedAccount,
  RESET_CURSOR,
  type Role,
  type RoundStart,
  type SharedAccountState
} from './shared-account.ts'

export interface SharedPollingDeps extends FeedExchangeDeps {
  /** Whether someone here has the account's documents in view. */
  isLookedAt: (accountId: string) => boolean
  /** Makes this workstation read the folders, after a delay in milliseconds. */
  startReading: (accountId: string, delay: number) => void
  readerChanged: () => void
  /** Reports why the server couldn't be asked; may not be shown. */
  onOfficeError?: ((error: unknown) => void) | undefined
}

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
const NO_TROUBLE = { trouble: undefined, restsUntil: 0 } satisfies Partial<SharedAccountState>
/** How long a proven match stays valid, in milliseconds. */
const MATCH_LIFETIME = DAY

export class SharedPolling {
  readonly #deps: SharedPollingDeps
  readonly #accounts = new Map<string, SharedAccountState>()
  readonly #exchange: FeedExchange
  readonly #comparison: FolderComparison
  #office: OfficeAccess | undefined
  /** In the office, as far as known. */
  #workstations = 1
  /** When it may first wish for rounds that settle documents, by the monotonic clock. */
  #wishesFrom = 0
  #expectedUntil = 0
  #stopExpecting: () => void = () => undefined

  constructor(deps: SharedPollingDeps) {
    this.#deps = deps
    const office = () => this.#requireOffice()
    const syncSoon = (account: SharedAccountState) => this.#syncSoon(account)
    this.#exchange = new FeedExchange(deps, {
      office,
      syncSoon,
      renewLeaseIfDue: (account) => this.#renewLeaseIfDue(account),
      mayWish: () => this.#mayWish()
    })
    this.#comparison = new FolderComparison({ ...deps, office, syncSoon }, this.#exchange)
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
      for (const account of this.#accounts.values()) forgetRun(account)
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
    for (const account of accounts) forgetRun(account)
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
    if (!this.#exchange.isShared(accountId)) return true
    if (!this.#office) return this.#deps.time.elapsed() >= this.#expectedUntil
    const account = this.#accountOf(accountId)
    if (account.role !== 'reads') return account.role === 'alone' || this.#mayRetry(account)
    const holds = holdsLease(account, this.#deps.time)
    // A round that is due meanwhile is made up for after the lease is renewed.
    account.hasMissedRound ||= !holds
    return holds
  }

  /** How often the folders are read: 'shown', a minimum rest in milliseconds, or undefined for the usual pace. */
  paceOf(accountId: string): 'shown' | number | undefined {
    if (!this.#exchange.isShared(accountId)) return undefined
    if (!this.#office) return this.#restAlone(accountId)
    const account = this.#accountOf(accountId)
    if (account.role === 'alone' && account.failures > 0) return this.#restAlone(accountId)
    return account.role === 'reads' && account.state?.isLookedAt ? 'shown' : undefined
  }

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

  /** Call when a round begins here; another may be in progress. @returns what to pass to `roundEnded`. */
  roundStarted(accountId: string): RoundStart | undefined {
    const account = this.#accounts.get(accountId)
    if (!account) return undefined
    const wish = account.state?.requestedUpTo ?? 0
    account.wishAtStart = wish
    return { run: account.run, seq: account.state?.seq, wish }
  }

  /** Call when a round has ended. @param error why nothing could be read. */
  async roundEnded(
    accountId: string,
    end: { error?: AppError | undefined; round?: Round | undefined; start?: RoundStart | undefined }
  ): Promise<void> {
    if (!this.#exchange.isShared(accountId)) return
    const account = this.#accountOf(accountId)
    if (end.error) this.#noteTrouble(account, end.error)
    else if (account.trouble) {
      Object.assign(account, NO_TROUBLE)
      this.#syncSoon(account)
    }
    if (!this.#office && !end.error) account.readAloneAt = this.#deps.time.elapsed()
    if (!this.#office || !account.feedId) return
    try {
      if (end.error) return await this.#handleFailure(account, end.error)
      if (account.role === 'reads' && holdsLease(account, this.#deps.time))
        await this.#exchange.publishRound(account, end.round, end.start)
      else if (account.role === 'alone') await this.#comparison.compare(account, end.round, end.start)
      else this.#syncSoon(account)
    } catch (error) {
      this.#deps.onOfficeError?.(error)
      this.#syncSoon(account)
    }
  }

  /** Call when the key or password changed: what the account sees has to be determined again. */
  accountChanged(accountId: string): void {
    const account = this.#accounts.get(accountId)
    if (account) Object.assign(account, NO_TROUBLE)
    if (!account?.feedId) return
    const { feedId, lease } = account
    if (lease && account.role === 'reads') {
      this.#office?.feed.releaseLease(feedId, lease.epoch).catch((error: unknown) => this.#deps.onOfficeError?.(error))
    }
    forgetRun(account)
    account.isOther = false
    void this.#exchange
      .setProvenAt(account, 0)
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

  #accountOf(accountId: string): SharedAccountState {
    return getOrMake(this.#accounts, accountId, () => {
      const syncing = new SerialTask(
        this.#deps.time,
        () => this.#sync(account),
        () => this.#scheduleNext(account)
      )
      const account = newSharedAccount(accountId, syncing)
      return account
    })
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

  #syncSoon(account: SharedAccountState): void {
    if (!this.#office) return
    void account.syncing.runFresh().catch(() => undefined)
  }

  #scheduleNext(account: SharedAccountState): void {
    if (!this.#office || !this.#exchange.isShared(account.id)) return
    const { time } = this.#deps
    const { failures, role, state, restsUntil, syncing } = account
    if (failures > 0) return void syncing.schedule(backoff(FIRST_WAIT, failures, time.random))
    if (role === 'reads') return void syncing.schedule(RENEW_INTERVAL)
    const remaining = state?.holder ? state.holder.remaining : Math.max(FIRST_WAIT, restsUntil - time.elapsed())
    syncing.schedule(Math.min(POLL_INTERVAL, remaining) + time.random() * JITTER)
  }

  #setRole(account: SharedAccountState, role: Role, delay = account.trouble ? PACE.failing : 0): void {
    if (account.role === role) return
    account.role = role
    if (role === 'reads' || role === 'alone') this.#deps.startReading(account.id, delay)
    this.#deps.readerChanged()
  }

  async #sync(account: SharedAccountState): Promise<void> {
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
      if (!holdsLease(account, this.#deps.time)) this.#setRole(account, 'alone', this.#firstDelayAlone(account.id))
      throw error
    }
  }

  async #adoptFeed(account: SharedAccountState, feedId: string): Promise<void> {
    const { cursor: cursorBefore, provenAt: provenBefore } = account
    const share = { accountId: account.id, feed: feedId }
    const stored = await this.#deps.ask('shareFeed', share)
    const isReplaced = (cursorBefore > 0 && stored.cursor === 0) || (provenBefore > 0 && stored.provenAt === 0)
    if (account.feedId === feedId && !isReplaced) return
    // If a damaged mirror was replaced by an empty one, the office has all that was read before, but perhaps not what
    // the first reads of the new one have shown.
    const { cursor, provenAt } =
      account.feedId === feedId ? await this.#deps.ask('shareFeed', { ...share, cursor: RESET_CURSOR }) : stored
    Object.assign(account, {
      feedId,
      cursor,
      provenAt,
      isOther: false,
      state: undefined,
      run: account.run + 1,
      pendingMatch: undefined,
      pendingResolution: undefined
    } satisfies Partial<SharedAccountState>)
  }

  async #updateRole(account: SharedAccountState): Promise<void> {
    const { state: before, lease: held } = account
    // If nobody has read for the office yet, whatever the first reader sees counts.
    if (!before && account.provenAt === 0) await this.#fetchState(account, false)
    const wantsLease = account.provenAt > 0 || needsFirstReader(account.state)
    const state = await this.#fetchState(account, wantsLease && account.restsUntil <= this.#deps.time.elapsed())
    if (!state) return
    // One that couldn't be released doesn't count.
    if (wantsLease && state.lease) {
      const isStillReader = account.role === 'reads' && state.lease.epoch === held?.epoch && state.seq >= account.cursor
      if (!isStillReader) return await this.#takeOver(account, state)
      if (state.seq > account.cursor) await this.#exchange.keepCursor(account, state.seq)
      await this.#exchange.publish(account)
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
        if (this.#mayRetry(account)) this.#deps.startReading(account.id, 0)
        await this.#exchange.follow(account, state)
      }
    }
    if (before?.holder?.name !== state.holder?.name || before?.troubles.length !== state.troubles.length)
      this.#deps.readerChanged()
  }

  async #fetchState(account: SharedAccountState, wantsLease: boolean): Promise<FeedState | undefined> {
    const office = this.#office
    const { id, feedId, run, trouble } = account
    if (!office || !feedId) return undefined
    const { time, isLookedAt } = this.#deps
    const [requestedAt, began] = [time.elapsed(), time.now()]
    const isShown = isLookedAt(id)
    const state = await office.feed.poll(feedId, { isShown, trouble, ...(wantsLease && { ms: POLL_LEASE }) })
    if (this.#office !== office || account.run !== run) {
      // Leaving waits for this, and doesn’t know of the lease.
      if (!this.#office && state.lease) await office.feed.releaseLease(feedId, state.lease.epoch).catch(() => undefined)
      return undefined
    }
    const lease = state.lease && { ...state.lease, began, ms: state.lease.until - requestedAt }
    Object.assign(account, { state, stateAt: began, lease })
    return state
  }

  async #renewLeaseIfDue(account: SharedAccountState): Promise<void> {
    const until = account.lease?.until ?? Number.POSITIVE_INFINITY
    if (this.#deps.time.elapsed() > until - POLL_LEASE + RENEW_INTERVAL) await this.#fetchState(account, true)
  }

  /**
   * First reads everything the previous reader published, so that any differences from then on are new, and prepares
   * to publish what the office lacks.
   */
  async #takeOver(account: SharedAccountState, state: FeedState): Promise<void> {
    const { feed, key } = this.#requireOffice()
    const { id, feedId = '', run } = account
    const isBehind = state.seq < account.cursor
    const isFirst = isBehind || state.seq === 0 || account.provenAt === 0 || account.cursor === RESET_CURSOR
    const isReset = account.cursor === RESET_CURSOR
    // Others may have published since the server was restored.
    if (isReset) await this.#exchange.keepCursor(account, 0)
    if (isFirst) await this.#exchange.setProvenAt(account, account.provenAt || this.#deps.time.now())
    if (!isFirst || isReset) await this.#exchange.readChanges(account)
    if (isBehind) await feed.raiseSeq(feedId, state.lease?.epoch ?? 0, account.cursor)
    // A restored server may lack what this workstation has had for long, even if it has followed another reader since.
    const tags = await feed.liveTags(feedId)
    const handsOver = isFirst ? 'all' : 'lacking'
    const { there } = await this.#deps.ask('compareShared', { accountId: id, key, tags, handsOver })
    const gone = isFirst && !isReset ? there.map((tag) => ({ tag: Buffer.from(tag, 'hex'), sealed: undefined })) : []
    for (let at = 0; at < gone.length; at += FEED_PAGE) {
      await feed.publish(feedId, state.lease?.epoch ?? 0, gone.slice(at, at + FEED_PAGE))
    }
    if (account.run !== run) return
    account.publishedReport = ''
    account.pendingResolution = undefined
    account.pendingMatch = undefined
    this.#setRole(account, 'reads')
  }

  #noteTrouble(account: SharedAccountState, { code }: AppError): void {
    if (code === 'cancelled') return
    const trouble = code === 'unauthorised' ? 'refused' : code === 'keychain' ? 'keychain' : 'unreachable'
    account.trouble = trouble
    account.restsUntil = this.#deps.time.elapsed() + TROUBLE_RESTS[trouble]
  }

  /** Whether it follows another because it couldn't read, and may find out by itself whether that works again. */
  #mayRetry({ role, trouble, restsUntil }: SharedAccountState): boolean {
    return role === 'follows' && trouble !== undefined && restsUntil <= this.#deps.time.elapsed()
  }

  async #handleFailure(account: SharedAccountState, error: AppError): Promise<void> {
    const { feedId = '', lease, trouble } = account
    if (error.code === 'cancelled' || account.role !== 'reads' || !lease) return
    account.lease = undefined
    account.role = 'asking'
    await this.#requireOffice().feed.releaseLease(feedId, lease.epoch, trouble)
    this.#syncSoon(account)
  }

  /** When fifty workstations reconnect at once, they mustn't each wish for a round of their own. */
  #mayWish(): boolean {
    return this.#deps.time.elapsed() >= this.#wishesFrom
  }

  #requireOffice(): OfficeAccess {
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
