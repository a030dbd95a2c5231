/**
 * An office's workstations read an account's folders for each other. One of them holds the lease, reads as a single
 * workstation would, and publishes what changed; the others send the service no requests and take the changes into
 * their own mirrors. While the office's server is away each reads by itself, and less often the more workstations there
 * are. Decision 56 says who may read for whom.
 */
import type { AppError, FolderWatch, WatchTrouble } from '../../../../shared/contract/index.ts'
import { OneAtATime } from '../../jobs/lanes.ts'
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

export interface TogetherDeps {
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
  read: (accountId: string, delay: number) => void
  /** Called when documents changed. */
  changed: (accountId: string) => void
  /** Called when they were read for this workstation. */
  looked: (accountId: string, folders: ReadonlyMap<string, FolderTrouble>) => void
  /** Called when the reader, or its state, changed. */
  told: () => void
  /** Reports why the server couldn't be asked; may not be shown. */
  officeTrouble?: ((error: unknown) => void) | undefined
}

/** What a round remembers from its beginning. */
export interface Begun {
  run: number
  /** The office's revision at that time; undefined if unknown. */
  rev: number | undefined
}

/** asking: the server hasn't answered yet. */
type Role = 'asking' | 'reads' | 'follows' | 'alone'

interface Account {
  readonly id: string
  readonly syncing: OneAtATime<void>
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
  isOwed: boolean
  /** The newest wish when a round last began here; that round answers it. */
  begunWith: number
  /** When a round last ended while the office's server was away, by the monotonic clock. */
  readApartAt: number
  /** Changes with each feed, connection and sign-in: results of an earlier run don't apply to this one. */
  run: number
  trouble: WatchTrouble | undefined
  restsUntil: number
  /** What differed in every comparison so far, how many there were, and when the next is allowed. */
  differs: ReadonlySet<string> | undefined
  comparisons: number
  comparesAfter: number
  /** Whether its folders show something else than the office has. */
  isOther: boolean
  /** What each folder was found to contain, and the report of it that was last published. */
  readonly folders: Map<string, FolderReport[string]>
  reported: string
  lookedAt: number
  /** `wish`: undefined while the next one's number isn't known. */
  settling: { wish: number | undefined; upTo: number } | undefined
  /**
   * What this workstation's own round had shown when it was found to match the office; kept until a round that answers
   * the wish has ended.
   */
  seen: { wish: number; upTo: number } | undefined
  readonly waiting: Set<{ wish: number; done: () => void }>
}

/** Cursor meaning that the office has nothing of what was read before. */
const FROM_NOTHING = -1
/** How often the reader renews its lease, and how often at least the others ask, in milliseconds. */
const RENEWED_EVERY = 10_000
const ASKED_EVERY = 30_000
const FIRST_WAIT = 1_000
/** Spreads the requests of those who wait for a lease to end. */
const SPREAD = 2_000
/** While workstations read separately, all together read this many times as often as one reader would. */
const ALL_TOGETHER = 2
/**
 * For this long (up to twice) after the server is back, documents that it lacks are settled by the wishes of others
 * only: one round settles them for everyone.
 */
const BACK = 60_000
/** How long a start waits for the office before reading by itself, and how long someone waits for another's read. */
const PATIENCE = 5_000
/** How long a workstation that couldn't read leaves it to others. */
const RESTS: Record<WatchTrouble, number> = {
  unreachable: PACE.failing,
  keychain: PACE.longestFailing,
  // Until a read of its own has worked.
  refused: Number.POSITIVE_INFINITY
}
/** How long a proven match stays valid, and how often folders that differ are compared. */
const PROVEN_FOR = 86_400_000
const COMPARED_EVERY = 600_000
/** Differences that persist for this many rounds in a row aren't coincidental. */
const SURE_AFTER = 3

export class ReadingTogether {
  readonly #deps: TogetherDeps
  readonly #accounts = new Map<string, Account>()
  #office: { feed: OfficeFeed; key: Uint8Array } | undefined
  /** In the office, as far as known. */
  #workstations = 1
  /** When it may first wish for rounds that settle documents, by the monotonic clock. */
  #wishesFrom = 0
  #expectedUntil = 0
  #stopExpecting: () => void = () => undefined

  constructor(deps: TogetherDeps) {
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
    this.#expectedUntil = time.elapsed() + PATIENCE
    this.#stopExpecting()
    this.#stopExpecting = time.after(PATIENCE, () => this.#readAlone(0))
  }

  /** Call when the server has answered; the office has this many workstations. */
  connect(feed: OfficeFeed, key: Uint8Array, workstations: number): void {
    this.#workstations = workstations
    if (this.#office?.feed !== feed) {
      const { time } = this.#deps
      this.#office = { feed, key }
      this.#wishesFrom = time.elapsed() + BACK * (1 + time.random())
      this.#stopExpecting()
      for (const account of this.#accounts.values()) this.#forgetRun(account)
    }
    for (const { id } of this.#deps.accounts()) this.#soon(this.#of(id))
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
    for (const { syncing, waiting } of accounts) {
      syncing.cancel()
      for (const { done } of waiting) done()
    }
    // Requests still in progress would take the lease again.
    if (isPolite) await Promise.all(accounts.map(({ syncing }) => syncing.close()))
    const held = accounts.flatMap(({ feedId, lease }) => (feedId && lease ? [{ feedId, epoch: lease.epoch }] : []))
    for (const account of accounts) this.#forgetRun(account)
    if (isPolite) await Promise.allSettled(held.map(({ feedId, epoch }) => office.feed.giveUp(feedId, epoch)))
    else this.#readAlone()
  }

  /**
   * Call when the server was restored from a backup: the first reader publishes everything, and the others read all of
   * that.
   */
  async restored(key: Uint8Array): Promise<void> {
    for (const its of this.#deps.accounts()) {
      const account = this.#of(its.id)
      await account.syncing.ended()
      account.run++
      await this.#deps.ask('shareFeed', { accountId: its.id, feed: feedIdOf(key, its), cursor: FROM_NOTHING })
      account.feedId = undefined
    }
  }

  /** Call when this workstation no longer belongs to an office. */
  async left(): Promise<void> {
    for (const { id } of this.#accounts.values()) {
      await this.#deps.ask('shareFeed', { accountId: id, feed: null })
      this.#accounts.delete(id)
      this.#deps.read(id, 0)
    }
  }

  /**
   * Call when the office's bell rings.
   * @param channel look: someone wants a read; feed: there are changes.
   */
  rung(channel: 'feed' | 'look', feedId: string): void {
    for (const account of this.#accounts.values()) {
      if (account.feedId === feedId && (channel === 'look') === (account.role === 'reads')) this.#soon(account)
    }
  }

  /** Whether this workstation may request the account's folders from the service itself. */
  mayRead(accountId: string): boolean {
    if (!this.#isShared(accountId)) return true
    if (!this.#office) return this.#deps.time.elapsed() >= this.#expectedUntil
    const account = this.#of(accountId)
    if (account.role !== 'reads') return account.role === 'alone'
    const holds = this.#holds(account)
    // A round that is due meanwhile is made up for after the lease is renewed.
    account.isOwed ||= !holds
    return holds
  }

  /** How often the folders are read: 'shown', a minimum rest in milliseconds, or undefined for the usual pace. */
  paceOf(accountId: string): 'shown' | number | undefined {
    if (!this.#isShared(accountId)) return undefined
    if (!this.#office) return this.#apart(accountId)
    const account = this.#of(accountId)
    if (account.role === 'alone' && account.failures > 0) return this.#apart(accountId)
    return account.role === 'reads' && account.state?.isWatched ? 'shown' : undefined
  }

  /** Asks the reader to read the folders. */
  lookSoon(accountId: string): void {
    const { feedId } = this.#of(accountId)
    if (feedId) this.#office?.feed.wish(feedId).catch((error: unknown) => this.#deps.officeTrouble?.(error))
  }

  /** Asks the reader to read now; resolves once its changes are here, or to false if nobody read in time. */
  async lookNow(accountId: string): Promise<boolean> {
    const { time } = this.#deps
    const account = this.#of(accountId)
    const { feedId } = account
    const wish = feedId && (await this.#office?.feed.wish(feedId).catch(() => undefined))
    if (!wish) return false
    return await new Promise((resolve) => {
      const ended = (isDone: boolean) => {
        stop()
        account.waiting.delete(one)
        resolve(isDone)
      }
      const one = { wish, done: () => ended((account.state?.answered ?? 0) >= wish) }
      const stop = time.after(PATIENCE, () => ended(false))
      account.waiting.add(one)
    })
  }

  /**
   * Call when a round begins here; another may be in progress.
   * @returns what to pass to `ended`.
   */
  begins(accountId: string): Begun | undefined {
    const account = this.#accounts.get(accountId)
    if (!account) return undefined
    account.begunWith = account.state?.wished ?? 0
    return { run: account.run, rev: account.state?.rev }
  }

  /**
   * Call when a round has ended.
   * @param error why nothing could be read.
   */
  async ended(
    accountId: string,
    end: { error?: AppError | undefined; round?: Round | undefined; begun?: Begun | undefined }
  ): Promise<void> {
    const office = this.#office
    const account = this.#accounts.get(accountId)
    if (account && !office && !end.error) account.readApartAt = this.#deps.time.elapsed()
    if (!office || !account?.feedId) return
    try {
      if (end.error) return await this.#failed(account, end.error)
      if (account.trouble) {
        account.trouble = undefined
        account.restsUntil = 0
        this.#soon(account)
      }
      if (account.role === 'reads' && this.#holds(account)) await this.#handOver(account, end.round)
      else if (account.role === 'alone') await this.#compare(account, end.round, end.begun)
      else this.#soon(account)
    } catch (error) {
      this.#deps.officeTrouble?.(error)
      this.#soon(account)
    }
  }

  /** Call when the key or password changed: what the account sees has to be determined again. */
  accountChanged(accountId: string): void {
    const account = this.#accounts.get(accountId)
    if (!account?.feedId) return
    const { feedId, lease } = account
    if (lease && account.role === 'reads') {
      this.#office?.feed.giveUp(feedId, lease.epoch).catch((error: unknown) => this.#deps.officeTrouble?.(error))
    }
    this.#forgetRun(account)
    account.isOther = false
    void this.#proven(account, 0)
      .catch(() => undefined)
      .then(() => this.#soon(account))
  }

  /** Returns who reads which account's folders. */
  view(): FolderWatch[] {
    return this.#deps.accounts().map(({ id, name }) => {
      const account = this.#of(id)
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

  #isOfAllFolders(accountId: string, round: Round | undefined): boolean {
    const looked = new Set(round?.looks.map(({ folder }) => folder))
    return this.#foldersOf(accountId).every((folder) => {
      const { problem } = this.#deps.troubleOf(accountId, folder)
      return looked.has(folder) || (problem !== undefined && isUnknownFolder(problem))
    })
  }

  #isShared(accountId: string): boolean {
    return this.#deps.accounts().some(({ id }) => id === accountId)
  }

  #of(accountId: string): Account {
    return getOrMake(this.#accounts, accountId, () => {
      const syncing = new OneAtATime(
        this.#deps.time,
        () => this.#sync(account),
        () => this.#rested(account)
      )
      const account: Account = {
        ...{ id: accountId, syncing, role: 'asking', failures: 0, feedId: undefined, cursor: 0, provenAt: 0 },
        ...{
          state: undefined,
          stateAt: 0,
          lease: undefined,
          isOwed: false,
          begunWith: 0,
          run: 0,
          readApartAt: Number.NEGATIVE_INFINITY,
          trouble: undefined,
          restsUntil: 0
        },
        ...{ differs: undefined, comparisons: 0, comparesAfter: 0, isOther: false, folders: new Map(), reported: '' },
        ...{ lookedAt: 0, settling: undefined, seen: undefined, waiting: new Set() }
      }
      return account
    })
  }

  #forgetRun(account: Account): void {
    Object.assign(account, {
      ...{ role: 'asking', lease: undefined, state: undefined, settling: undefined, reported: '', restsUntil: 0 },
      ...{ differs: undefined, comparisons: 0, trouble: undefined, run: account.run + 1, seen: undefined }
    } satisfies Partial<Account>)
  }

  #holds({ lease }: Account): boolean {
    if (!lease) return false
    const { time } = this.#deps
    return time.elapsed() < lease.until && time.now() - lease.began < lease.ms
  }

  /** Rest of a workstation that reads by itself because the office can't be asked, in milliseconds. */
  #apart(accountId: string): number {
    const usual = this.#deps.isLookedAt(accountId) ? PACE.shown : PACE.hidden
    const share = (usual * this.#workstations) / ALL_TOGETHER
    return Math.min(PACE.longestApart, Math.max(PACE.hidden, share))
  }

  /** Delay of its first read: fifty workstations mustn't all begin at once. */
  #firstApart(accountId: string): number {
    return this.#deps.time.random() * this.#apart(accountId)
  }

  #readAlone(delay?: number): void {
    if (this.#office) return
    for (const { id } of this.#deps.accounts()) this.#deps.read(id, delay ?? this.#firstApart(id))
    this.#deps.told()
  }

  #soon(account: Account): void {
    if (!this.#office) return
    void account.syncing.fresh().catch(() => undefined)
  }

  #rested(account: Account): void {
    if (!this.#office || !this.#isShared(account.id)) return
    const { time } = this.#deps
    const { failures, role, state, restsUntil, syncing } = account
    if (failures > 0) return void syncing.later(backoff(FIRST_WAIT, failures, time.random))
    if (role === 'reads') return void syncing.later(RENEWED_EVERY)
    const left = state?.holder ? state.holder.left : Math.max(FIRST_WAIT, restsUntil - time.elapsed())
    syncing.later(Math.min(ASKED_EVERY, left) + time.random() * SPREAD)
  }

  #turnsTo(account: Account, role: Role, delay = account.trouble ? PACE.failing : 0): void {
    if (account.role === role) return
    account.role = role
    if (role === 'reads' || role === 'alone') this.#deps.read(account.id, delay)
    this.#deps.told()
  }

  /** Asks the office for the state of the reading, and acts on it. */
  async #sync(account: Account): Promise<void> {
    const office = this.#office
    const its = this.#deps.accounts().find(({ id }) => id === account.id)
    if (!office || !its) return
    try {
      await this.#begin(account, feedIdOf(office.key, its))
      await this.#turn(account)
      account.failures = 0
    } catch (error) {
      if (this.#office !== office) return
      this.#deps.officeTrouble?.(error)
      account.failures++
      // The office can't be asked who reads, as if the server were away.
      if (!this.#holds(account)) this.#turnsTo(account, 'alone', this.#firstApart(account.id))
      throw error
    }
  }

  async #begin(account: Account, feedId: string): Promise<void> {
    if (account.feedId === feedId) return
    const { cursor, provenAt } = await this.#deps.ask('shareFeed', { accountId: account.id, feed: feedId })
    Object.assign(account, {
      ...{ feedId, cursor, provenAt, isOther: false, state: undefined },
      ...{ run: account.run + 1, seen: undefined, settling: undefined }
    } satisfies Partial<Account>)
  }

  async #turn(account: Account): Promise<void> {
    const { state: before, lease: held } = account
    // If nobody has read for the office yet, whatever the first reader sees counts.
    if (!before && account.provenAt === 0) await this.#asked(account, false)
    const wants = account.provenAt > 0 || isUnread(account.state)
    const state = await this.#asked(account, wants && account.restsUntil <= this.#deps.time.elapsed())
    if (!state) return
    if (state.lease) {
      const isStill = account.role === 'reads' && state.lease.epoch === held?.epoch && state.rev >= account.cursor
      if (!isStill) return await this.#takesOver(account, state)
      if (state.rev > account.cursor) await this.#keepCursor(account, state.rev)
      await this.#publish(account)
      if (state.wished > account.begunWith || account.isOwed) {
        account.isOwed = false
        this.#deps.read(account.id, 0)
      }
    } else {
      const isOld = this.#deps.time.now() - account.provenAt > PROVEN_FOR && state.holder !== undefined
      if (account.provenAt === 0 || isOld || account.trouble === 'refused') {
        // After days without the server, fifty workstations compare one after the other; until then, what each has read
        // itself is recent enough.
        const isNew = this.#deps.time.elapsed() - account.readApartAt <= this.#apart(account.id)
        this.#turnsTo(account, 'alone', isOld && isNew && !account.trouble ? this.#firstApart(account.id) : undefined)
      } else {
        this.#turnsTo(account, 'follows')
        await this.#follow(account, state)
      }
    }
    if (before?.holder?.name !== state.holder?.name || before?.troubles.length !== state.troubles.length)
      this.#deps.told()
  }

  async #asked(account: Account, wants: boolean): Promise<FeedState | undefined> {
    const office = this.#office
    const { id, feedId, trouble } = account
    if (!office || !feedId) return undefined
    const { time, isLookedAt } = this.#deps
    const [asked, began] = [time.elapsed(), time.now()]
    const isShown = isLookedAt(id)
    const state = await office.feed.watch(feedId, { isShown, trouble, ...(wants && { ms: POLL_LEASE }) })
    if (this.#office !== office) return undefined
    const lease = state.lease && { ...state.lease, began, ms: state.lease.until - asked }
    Object.assign(account, { state, stateAt: began, lease })
    return state
  }

  /** First reads everything the previous reader published, so that any differences from then on are new. */
  async #takesOver(account: Account, state: FeedState): Promise<void> {
    const { feed, key } = this.#officeOf()
    const { id, feedId = '' } = account
    const isBehind = state.rev < account.cursor
    if (isBehind || state.rev === 0 || account.provenAt === 0 || account.cursor === FROM_NOTHING) {
      if (isBehind) await feed.raise(feedId, state.lease?.epoch ?? 0, account.cursor)
      await this.#proven(account, account.provenAt || this.#deps.time.now())
      const tags = await feed.liveTags(feedId)
      const { there } = await this.#deps.ask('compareShared', { accountId: id, key, tags, handsOver: true })
      const gone = there.map((tag) => ({ tag: Buffer.from(tag, 'hex'), sealed: undefined }))
      for (let at = 0; at < gone.length; at += FEED_PAGE) {
        await feed.publish(feedId, state.lease?.epoch ?? 0, gone.slice(at, at + FEED_PAGE))
      }
    } else await this.#read(account)
    account.reported = ''
    account.settling = undefined
    account.seen = undefined
    this.#turnsTo(account, 'reads')
  }

  async #follow(account: Account, state: FeedState): Promise<void> {
    const { key } = this.#officeOf()
    const { id, feedId = '' } = account
    if (state.rev < account.cursor || account.cursor === FROM_NOTHING) {
      // The server was restored from a backup: everything is read again.
      await this.#keepCursor(account, 0)
    }
    const report = state.report && (openFromFeed(key, feedId, 'report', state.report) as FolderReport | undefined)
    const isWhole = report !== undefined && Object.values(report).every(wasRead)
    const isSettled = await this.#settleSeen(account, state, isWhole)
    // Fifty workstations ask for the state several times a minute; they ask for changes only if there are any.
    if (isSettled && state.rev > account.cursor) await this.#read(account)
    const lookedAt = state.lookedAgo === undefined ? 0 : Math.round(account.stateAt - state.lookedAgo)
    if (report && Math.abs(lookedAt - account.lookedAt) > FIRST_WAIT) {
      account.lookedAt = lookedAt
      await this.#deps.ask('takeReport', { accountId: id, report: readFolders(report), begun: lookedAt, lookedAt })
      this.#deps.looked(id, new Map(Object.entries(report).map(([folder, its]) => [folder, troubleIn(its)])))
    }
    if (isSettled && state.holder) await this.#settle(account, state, isWhole)
    for (const one of account.waiting) if (state.answered >= one.wish) one.done()
  }

  async #read(account: Account): Promise<void> {
    const { feed, key } = this.#officeOf()
    const { id, feedId = '' } = account
    for (;;) {
      const changes = await feed.changes(feedId, account.cursor)
      const last = changes.at(-1)
      if (!last) return
      await this.#take(account, { key, changes, cursor: last.rev })
      account.cursor = last.rev
      if (changes.length < FEED_PAGE || !this.#isShared(id)) return
    }
  }

  async #take(
    { id, feedId = '' }: Account,
    its: { key: Uint8Array; changes: readonly FeedChange[]; cursor?: number; settles?: number }
  ): Promise<void> {
    const { ask, moment, time, changed } = this.#deps
    const asked = { accountId: id, feed: feedId, begun: moment(), now: time.now(), ...its }
    if ((await ask('takeShared', asked)) > 0) changed(id)
  }

  /**
   * Settles what this workstation's own round has shown to match the office. Documents may have changed since, so
   * changes are read only after a later round has ended. Returns whether they may be read.
   */
  async #settleSeen(account: Account, state: FeedState, isWhole: boolean): Promise<boolean> {
    const { id, seen } = account
    if (!seen) return true
    if (state.answered < seen.wish) return false
    if (isWhole) await this.#deps.ask('settleSeen', { accountId: id, upTo: seen.upTo })
    account.seen = undefined
    return true
  }

  /**
   * Leaves alone what only this workstation knows until a round that began later has ended; then the office's state
   * counts.
   */
  async #settle(account: Account, state: FeedState, isWhole: boolean): Promise<void> {
    const { feed, key } = this.#officeOf()
    const { id, feedId = '', settling } = account
    const { tags, upTo } = await this.#deps.ask('unshared', { accountId: id, key, most: FEED_PAGE })
    if (tags.length === 0) {
      account.settling = undefined
    } else if (!settling) {
      account.settling = { wish: this.#isLongBack() ? await feed.wish(feedId) : undefined, upTo }
    } else if (settling.wish === undefined) {
      // `wished` was read after these documents were found, so the next wish also comes after them.
      settling.wish = state.wished + 1
    } else if (state.wished < settling.wish) {
      if (this.#isLongBack()) await feed.wish(feedId)
    } else if (state.answered >= settling.wish) {
      account.settling = undefined
      if (isWhole)
        await this.#take(account, { key, changes: await feed.documents(feedId, tags), settles: settling.upTo })
    }
  }

  /** When fifty workstations reconnect at once, they mustn't each wish for a round of their own. */
  #isLongBack(): boolean {
    return this.#deps.time.elapsed() >= this.#wishesFrom
  }

  /** Publishes what a round found. */
  async #handOver(account: Account, round: Round | undefined): Promise<void> {
    const { feed, key } = this.#officeOf()
    const { id, feedId = '', lease, begunWith, folders } = account
    for (const { folder, taken } of round?.looks ?? []) {
      const { documents, unreadable, isComplete } = taken
      folders.set(folder, { documents, unreadable, isComplete })
    }
    if (!(await this.#publish(account)) || !lease) return
    const its = this.#foldersOf(id).flatMap((folder) => {
      const found = folders.get(folder)
      const { problem } = this.#deps.troubleOf(id, folder)
      return found || problem ? [[folder, { ...(found ?? NOTHING_READ), ...(problem && { problem }) }] as const] : []
    })
    const report = JSON.stringify(Object.fromEntries(its))
    const sealed = report === account.reported ? undefined : sealForFeed(key, feedId, 'report', Object.fromEntries(its))
    if (await feed.looked(feedId, lease.epoch, begunWith, sealed)) account.reported = report
    else this.#soon(account)
  }

  /**
   * Publishes pending changes; returns whether this workstation is still the reader. Calls run one after the other, so
   * that nothing is published twice.
   */
  #publish(account: Account): Promise<boolean> {
    return inTurn(account, () => this.#publishAll(account))
  }

  async #publishAll(account: Account): Promise<boolean> {
    const { feed, key } = this.#officeOf()
    const { id, feedId = '', lease } = account
    for (;;) {
      const { changes, upTo } = await this.#deps.ask('toShare', { accountId: id, feed: feedId, key, most: FEED_PAGE })
      if (changes.length === 0) return true
      // A hundred thousand documents take longer than the lease lasts.
      const until = account.lease?.until ?? Number.POSITIVE_INFINITY
      if (this.#deps.time.elapsed() > until - POLL_LEASE + RENEWED_EVERY) await this.#asked(account, true)
      const isStill = lease !== undefined && account.lease?.epoch === lease.epoch
      if (!isStill || !(await feed.publish(feedId, lease.epoch, changes))) {
        this.#soon(account)
        return false
      }
      await this.#deps.ask('shared', { accountId: id, upTo })
    }
  }

  async #failed(account: Account, error: AppError): Promise<void> {
    const { feedId = '', lease } = account
    if (error.code === 'cancelled') return
    const trouble = error.code === 'unauthorised' ? 'refused' : error.code === 'keychain' ? 'keychain' : 'unreachable'
    account.trouble = trouble
    account.restsUntil = this.#deps.time.elapsed() + RESTS[trouble]
    if (account.role !== 'reads' || !lease) return
    account.lease = undefined
    account.role = 'asking'
    await this.#officeOf().feed.giveUp(feedId, lease.epoch, trouble)
    this.#soon(account)
  }

  /**
   * Checks whether this workstation's folders show what the office has. Coincidental differences, caused by something
   * that just happened, disappear in the next rounds.
   */
  async #compare(account: Account, round: Round | undefined, begun: Begun | undefined): Promise<void> {
    const { ask, time, told } = this.#deps
    const { feed, key } = this.#officeOf()
    const { id, feedId = '', state } = account
    const isWhole =
      round?.failures.every(({ error }) => isUnknownFolder(error)) && round.looks.every(({ taken }) => taken.isComplete)
    if (!isWhole || !state || time.elapsed() < account.comparesAfter) return
    // The office's revision at the start is unknown; the next round, which follows immediately, will know it.
    if (begun?.rev === undefined) return
    const tags = await feed.liveTags(feedId)
    const { here, there, upTo, areSeen } = await ask('compareShared', { accountId: id, key, tags })
    // The feed or cursor that this result belongs to was replaced meanwhile.
    if (begun.run !== account.run) return
    const now = new Set([...here, ...there])
    if (now.size === 0) {
      Object.assign(account, { differs: undefined, comparisons: 0, isOther: false })
      // This round itself saw everything the office had when it began, so the cursor can skip that. If the folders
      // lacked a document, the cursor stays: the office's changes will say whether it is gone.
      if (areSeen && account.cursor !== FROM_NOTHING && this.#isOfAllFolders(id, round)) {
        const seen = upTo > 0 ? { wish: await feed.wish(feedId), upTo } : undefined
        if (begun.run !== account.run) return
        account.seen = seen
        if (begun.rev > account.cursor) await this.#keepCursor(account, begun.rev)
      }
      await this.#proven(account, time.now())
      return this.#soon(account)
    }
    if (!state.holder) {
      // Nobody reads at the moment, so whatever happened since the last reader differs too, which says nothing about
      // what this workstation sees.
      account.comparesAfter = time.elapsed() + COMPARED_EVERY
      return
    }
    const both = account.differs ? new Set([...account.differs].filter((tag) => now.has(tag))) : now
    account.comparisons = both.size > 0 ? account.comparisons + 1 : 1
    account.differs = both.size > 0 ? both : now
    if (account.comparisons < SURE_AFTER) {
      await feed.wish(feedId)
      return
    }
    Object.assign(account, { differs: undefined, comparisons: 0, isOther: true })
    account.comparesAfter = time.elapsed() + COMPARED_EVERY
    await this.#proven(account, 0)
    told()
  }

  async #keepCursor(account: Account, cursor: number): Promise<void> {
    const { id, feedId = '' } = account
    await this.#deps.ask('shareFeed', { accountId: id, feed: feedId, cursor })
    account.cursor = cursor
  }

  async #proven(account: Account, provenAt: number): Promise<void> {
    account.provenAt = provenAt
    const { id, feedId = '' } = account
    await this.#deps.ask('shareFeed', { accountId: id, feed: feedId, provenAt })
  }

  #officeOf(): { feed: OfficeFeed; key: Uint8Array } {
    if (!this.#office) throw new Error('The office’s server is away.')
    return this.#office
  }
}

/**
 * Whether nobody has read for the office yet, or not for so long that every workstation's match must be proven again.
 * Then the first workstation to come reads, and its documents become the office's.
 */
function isUnread(state: FeedState | undefined): boolean {
  return state?.rev === 0 || (state?.quietFor ?? 0) > PROVEN_FOR
}

const NOTHING_READ: FolderReport[string] = { documents: 0, unreadable: { count: 0, documents: [] }, isComplete: false }

/** A folder that the service doesn't have is empty. */
function wasRead({ problem, isComplete }: FolderReport[string]): boolean {
  return problem ? isUnknownFolder(problem) : isComplete
}

/** Leaves out folders that couldn't be read: nothing is known of their content. */
function readFolders(report: FolderReport): FolderReport {
  return Object.fromEntries(Object.entries(report).filter(([, { problem }]) => !problem))
}

function troubleIn({ problem, unreadable }: FolderReport[string]): FolderTrouble {
  return { ...(problem && { problem }), ...(unreadable.count > 0 && { unreadable }) }
}
