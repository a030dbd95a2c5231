/** Proves that this workstation's folders show what the office has: only then may another workstation read for it. */
import type { Time } from '../../lib/time.ts'
import type { AskDocuments } from '../questions.ts'
import { isUnknownFolder } from './account-state.ts'
import type { FeedExchange, OfficeAccess } from './feed-exchange.ts'
import type { FolderTrouble } from './folder-reading.ts'
import type { Round } from './rounds.ts'
import { RESET_CURSOR, type RoundStart, type SharedAccountState } from './shared-account.ts'

interface FolderComparisonDeps {
  ask: AskDocuments
  time: Time
  troubleOf: (accountId: string, folder: string) => FolderTrouble
  readerChanged: () => void
  /** Throws while the office's server is away. */
  office: () => OfficeAccess
  /** Asks the office soon who reads. */
  syncSoon: (account: SharedAccountState) => void
}

/** How often folders that differ are compared, in milliseconds. */
const COMPARE_INTERVAL = 600_000
/** Differences that persist for this many rounds in a row aren't coincidental. */
const ROUNDS_UNTIL_SURE = 3

export class FolderComparison {
  readonly #deps: FolderComparisonDeps
  readonly #exchange: Pick<FeedExchange, 'foldersOf' | 'keepCursor' | 'setProvenAt'>

  constructor(deps: FolderComparisonDeps, exchange: Pick<FeedExchange, 'foldersOf' | 'keepCursor' | 'setProvenAt'>) {
    this.#deps = deps
    this.#exchange = exchange
  }

  /**
   * Checks whether this workstation's folders show what the office has. Coincidental differences, caused by something
   * that just happened, disappear in the next rounds.
   */
  async compare(account: SharedAccountState, round: Round | undefined, start: RoundStart | undefined): Promise<void> {
    const { ask, time, readerChanged } = this.#deps
    const { feed, key } = this.#deps.office()
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
        if (start.seq > account.cursor) await this.#exchange.keepCursor(account, start.seq)
      }
      await this.#exchange.setProvenAt(account, time.now())
      return this.#deps.syncSoon(account)
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
    await this.#exchange.setProvenAt(account, 0)
    readerChanged()
  }

  #coversAllFolders(accountId: string, round: Round | undefined): boolean {
    const readNames = new Set(round?.reads.map(({ folder }) => folder))
    return this.#exchange.foldersOf(accountId).every((folder) => {
      const { problem } = this.#deps.troubleOf(accountId, folder)
      return readNames.has(folder) || (problem !== undefined && isUnknownFolder(problem))
    })
  }
}
