/**
 * What passes between an account's mirror and the office's feed: the reader publishes what a round found, and the others
 * take that into their own mirrors.
 */
import { inTurn } from '../../lib/slices.ts'
import type { Time } from '../../lib/time.ts'
import {
  FEED_PAGE,
  type FeedChange,
  type FeedState,
  type OfficeFeed,
  openFromFeed,
  sealForFeed
} from '../../office/feed.ts'
import type { AskDocuments, FolderReport } from '../questions.ts'
import { isUnknownFolder } from './account-state.ts'
import type { FolderTrouble } from './folder-reading.ts'
import type { Round } from './rounds.ts'
import { RESET_CURSOR, type RoundStart, type SharedAccountState } from './shared-account.ts'

interface SharedAccount {
  id: string
  name: string
  baseUrl: string
  folders: readonly string[]
}

export interface FeedExchangeDeps {
  ask: AskDocuments
  time: Time
  /** Orders what is known; the same as in `PollingDeps`. */
  moment: () => number
  /** The accounts that the office has too. */
  accounts: () => readonly SharedAccount[]
  troubleOf: (accountId: string, folder: string) => FolderTrouble
  changed: (accountId: string) => void
  /** Called when they were read for this workstation. */
  readByOther: (accountId: string, folders: ReadonlyMap<string, FolderTrouble>) => void
}

/** The feed of the office's accounts, and the key of what is in it. */
export interface OfficeAccess {
  readonly feed: OfficeFeed
  readonly key: Uint8Array
}

/** What decides who reads. */
interface Reader {
  /** Throws while the office's server is away. */
  office: () => OfficeAccess
  /** Asks the office soon who reads. */
  syncSoon: (account: SharedAccountState) => void
  renewLeaseIfDue: (account: SharedAccountState) => Promise<void>
  /** Whether this workstation may wish for rounds that resolve documents. */
  mayWish: () => boolean
}

/** Times of a look that differ by less, in milliseconds, are of the same look. */
const SAME_LOOK = 1_000

export class FeedExchange {
  readonly #deps: FeedExchangeDeps
  readonly #reader: Reader

  constructor(deps: FeedExchangeDeps, reader: Reader) {
    this.#deps = deps
    this.#reader = reader
  }

  /** Whether the office still has the account: it may have been removed while a question was under way. */
  isShared(accountId: string): boolean {
    return this.#deps.accounts().some(({ id }) => id === accountId)
  }

  /** The folders of a shared account; none once it is no longer shared. */
  foldersOf(accountId: string): readonly string[] {
    return this.#deps.accounts().find(({ id }) => id === accountId)?.folders ?? []
  }

  /** Stores up to which change of the feed everything is known here. */
  async keepCursor(account: SharedAccountState, cursor: number): Promise<void> {
    const { id, feedId = '' } = account
    await this.#deps.ask('shareFeed', { accountId: id, feed: feedId, cursor })
    account.cursor = cursor
  }

  /** Stores when the folders were proven to match the office's; 0 for never. */
  async setProvenAt(account: SharedAccountState, provenAt: number): Promise<void> {
    account.provenAt = provenAt
    const { id, feedId = '' } = account
    await this.#deps.ask('shareFeed', { accountId: id, feed: feedId, provenAt })
  }

  /** Takes what the reader has published, its report of the folders, and what it has shown to be gone. */
  async follow(account: SharedAccountState, state: FeedState): Promise<void> {
    const { key } = this.#reader.office()
    const { id, feedId = '' } = account
    if (state.seq < account.cursor || account.cursor === RESET_CURSOR) {
      // The server was restored from a backup: everything is read again.
      await this.keepCursor(account, 0)
    }
    const report = state.report && (openFromFeed(key, feedId, 'report', state.report) as FolderReport | undefined)
    const isComplete = report !== undefined && Object.values(report).every(isFullyRead)
    const mayReadChanges = await this.#resolveMatched(account, state, isComplete)
    // Fifty workstations ask for the state several times a minute; they ask for changes only if there are any.
    if (mayReadChanges && state.seq > account.cursor) await this.readChanges(account)
    const lookedAt = state.lookedAgo === undefined ? 0 : Math.round(account.stateAt - state.lookedAgo)
    if (report && this.isShared(id) && Math.abs(lookedAt - account.lookedAt) > SAME_LOOK) {
      account.lookedAt = lookedAt
      // By a clock that never goes back: otherwise a wrong one would make every later read of our own count as older.
      const begun = Math.min(lookedAt, this.#deps.moment())
      await this.#deps.ask('takeReport', { accountId: id, report: readableFolders(report), begun, lookedAt })
      this.#deps.readByOther(id, new Map(Object.entries(report).map(([folder, its]) => [folder, troubleIn(its)])))
    }
    if (mayReadChanges && state.holder) await this.#resolveUnshared(account, state, isComplete)
    for (const one of account.waiters) if (state.answeredUpTo >= one.wish) one.done()
  }

  async readChanges(account: SharedAccountState): Promise<void> {
    const { feed, key } = this.#reader.office()
    const { id, feedId = '' } = account
    for (;;) {
      const changes = await feed.changes(feedId, account.cursor)
      const last = changes.at(-1)
      if (!last) return
      await this.#applyChanges(account, { key, changes, cursor: last.seq })
      account.cursor = last.seq
      if (changes.length < FEED_PAGE || !this.isShared(id)) return
    }
  }

  async #applyChanges(
    { id, feedId = '' }: SharedAccountState,
    update: { key: Uint8Array; changes: readonly FeedChange[]; cursor?: number; settles?: number }
  ): Promise<void> {
    const { ask, moment, time, changed } = this.#deps
    // What was asked for an account that was erased meanwhile would bring back its documents.
    if (!this.isShared(id)) return
    const request = { accountId: id, feed: feedId, begun: moment(), now: time.now(), ...update }
    if ((await ask('takeShared', request)) > 0) changed(id)
  }

  /**
   * Resolves what this workstation's own round has shown to match the office. Documents may have changed since, so
   * changes are read only after a later round has ended. Returns whether they may be read.
   */
  async #resolveMatched(account: SharedAccountState, state: FeedState, isComplete: boolean): Promise<boolean> {
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
  async #resolveUnshared(account: SharedAccountState, state: FeedState, isComplete: boolean): Promise<void> {
    const { feed, key } = this.#reader.office()
    const { id, feedId = '', pendingResolution } = account
    const { tags, upTo } = await this.#deps.ask('unshared', { accountId: id, key, limit: FEED_PAGE })
    if (tags.length === 0) {
      account.pendingResolution = undefined
    } else if (!pendingResolution) {
      account.pendingResolution = { wish: this.#reader.mayWish() ? await feed.requestRead(feedId) : undefined, upTo }
    } else if (pendingResolution.wish === undefined) {
      // `requestedUpTo` was read after these documents were found, so the next wish also comes after them.
      pendingResolution.wish = state.requestedUpTo + 1
    } else if (state.requestedUpTo < pendingResolution.wish) {
      if (this.#reader.mayWish()) await feed.requestRead(feedId)
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

  async publishRound(
    account: SharedAccountState,
    round: Round | undefined,
    start: RoundStart | undefined
  ): Promise<void> {
    const { feed, key } = this.#reader.office()
    const { id, feedId = '', lease, folders } = account
    for (const { folder, result } of round?.reads ?? []) {
      const { documents, unreadable, isComplete } = result
      folders.set(folder, { documents, unreadable, isComplete })
    }
    if (!(await this.publish(account)) || !lease) return
    const entries = this.foldersOf(id).flatMap((folder) => {
      const found = folders.get(folder)
      const { problem } = this.#deps.troubleOf(id, folder)
      return found || problem ? [[folder, { ...(found ?? NOTHING_READ), ...(problem && { problem }) }] as const] : []
    })
    const report = Object.fromEntries(entries)
    const text = JSON.stringify(report)
    const sealed = text === account.publishedReport ? undefined : sealForFeed(key, feedId, 'report', report)
    if (await feed.finishRead(feedId, lease.epoch, start?.wish ?? 0, sealed)) account.publishedReport = text
    else this.#reader.syncSoon(account)
  }

  /**
   * Publishes pending changes; returns whether this workstation is still the reader. Calls run one after the other, so
   * that nothing is published twice.
   */
  publish(account: SharedAccountState): Promise<boolean> {
    return inTurn(account, () => this.#publishAll(account))
  }

  async #publishAll(account: SharedAccountState): Promise<boolean> {
    const { feed, key } = this.#reader.office()
    const { id, feedId = '', lease } = account
    for (;;) {
      const { changes, upTo } = await this.#deps.ask('toShare', { accountId: id, feed: feedId, key, limit: FEED_PAGE })
      if (changes.length === 0) return true
      // A hundred thousand documents take longer than the lease lasts.
      await this.#reader.renewLeaseIfDue(account)
      const isStillReader = lease !== undefined && account.lease?.epoch === lease.epoch
      if (!isStillReader || !(await feed.publish(feedId, lease.epoch, changes))) {
        this.#reader.syncSoon(account)
        return false
      }
      await this.#deps.ask('shared', { accountId: id, upTo })
    }
  }
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
