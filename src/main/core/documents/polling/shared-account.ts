/**
 * What this workstation knows of the reading of a shared account: its role, how far it has read the feed, and what is
 * still to be proven or resolved.
 */
import type { PollingTrouble } from '../../../../shared/contract/index.ts'
import type { SerialTask } from '../../jobs/lanes.ts'
import type { Time } from '../../lib/time.ts'
import type { FeedState } from '../../office/feed.ts'
import type { FolderReport } from '../questions.ts'

/** Cursor meaning that the office has nothing of what was read before. */
export const RESET_CURSOR = -1

/** What a round remembers from its beginning. */
export interface RoundStart {
  run: number
  /** The office's revision at that time; undefined if unknown. */
  seq: number | undefined
  /** The newest wish at that time, which this round answers. */
  wish: number
}

/** asking: the server hasn't answered yet. */
export type Role = 'asking' | 'reads' | 'follows' | 'alone'

/** What this workstation knows of the reading of a shared account. */
export interface SharedAccountState {
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
  /** The newest wish when a round last began here. */
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

/** Nothing is known yet. */
export function newSharedAccount(id: string, syncing: SerialTask<void>): SharedAccountState {
  return {
    id,
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
}

/** Forgets what was true only of the connection or sign-in until now; the service’s refusal outlasts a connection. */
export function forgetRun(account: SharedAccountState): void {
  Object.assign(account, {
    role: 'asking',
    lease: undefined,
    state: undefined,
    pendingResolution: undefined,
    publishedReport: '',
    differs: undefined,
    comparisons: 0,
    run: account.run + 1,
    pendingMatch: undefined
  } satisfies Partial<SharedAccountState>)
}

/** Whether this workstation is the reader now, by both clocks. */
export function holdsLease({ lease }: SharedAccountState, time: Pick<Time, 'elapsed' | 'now'>): boolean {
  return lease !== undefined && time.elapsed() < lease.until && time.now() - lease.began < lease.ms
}
