/** What the parts of the shared outbox use together. */
import type { SerialTask } from '../jobs/lanes.ts'
import type { AskOutbox, OfficeStore } from '../office/send-store.ts'
import type { DispatchDeps, StartedSends } from './dispatch-store.ts'
import type { OutboxParts } from './parts.ts'
import type { Send } from './send-record.ts'
import type { openSharedRows } from './shared-rows.ts'

export interface SharedDeps
  extends DispatchDeps,
    Pick<OutboxParts, 'changes' | 'wake' | 'onOfficeError' | 'sharedDrafts'> {
  notifyUpdated: (send: Send) => void
  /** Called when this workstation starts looking for the account's uncertain sends. */
  searchStarted: (accountId: string) => void
  restartSearch: (send: Send) => void
}

export interface SharedPart extends SharedDeps {
  rows: ReturnType<typeof openSharedRows>
  /** The office's server, while connected. */
  office: () => OfficeStore | undefined
  ask: AskOutbox
  /** Returns the office's id of a shared account. */
  officeIdOf: (accountId: string) => string | undefined
  stateOf: (accountId: string) => SharedAccount
  /** The office's life of which everything is known here. */
  life: () => number
  /** Called with whether the server could store what was told and claimed. */
  recordWrite: (accountId: string, could: boolean) => void
  syncSoon: (accountId: string) => void
  /** Pulls and pushes everything. Rejects if the server can't be reached. */
  syncNow: (accountId: string) => Promise<void>
}

export interface SharedAccount {
  readonly syncing: SerialTask<void>
  readonly pushingResults: SerialTask<StartedSends>
  /** On this run's monotonic clock: the last sync, and when the next one is wanted for changes since. */
  lastSyncAt: number
  requestedSyncAt: number
  /** Whether something here may have to go to the office, and when all that waits was last checked for that. */
  needsPush: boolean
  lastFullCheckAt: number
  /** How many syncs failed in a row. */
  failures: number
  /** How many sends may be claimed after results are told. */
  claimSlots: number
  isLeaving: boolean
  /** On this run's monotonic clock: until when nothing is claimed, and until when this workstation searches. */
  noClaimsUntil: number
  searchesUntil: number
  isAway: boolean
  /** Whether the server failed to store the last write. Its answers to reads don't change that. */
  isUnwritable: boolean
  /** Whether this run has read every send up to the cursor. */
  hasReadAll: boolean
  /** When checks showed what happened to a send, on this run's monotonic clock; until the office has it. */
  readonly conclusions: Map<string, number>
}
