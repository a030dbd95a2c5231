/** What the outbox's parts work with: its dependencies, and what they share. */
import type { Composition } from '../../../shared/composition/index.ts'
import type { OutboxDeps } from './deps.ts'
import type { AccountPauses, SendTimes } from './pauses.ts'
import type { SendQueries } from './send-list.ts'
import type { Send } from './send-record.ts'
import type { Changes } from './send-view.ts'
import type { Sends } from './sends.ts'
import type { NotArrivedProofs } from './verdict.ts'

export interface OutboxParts extends OutboxDeps {
  sends: Sends
  queries: SendQueries
  times: SendTimes
  pauses: AccountPauses
  changes: Changes
  proofs: NotArrivedProofs
  /** Remembers a composition's people and values. */
  note: (accountId: string, composition: Composition) => void
  /** Returns the state of a send that may leave again: `cancelled` if its batch was cancelled. */
  returnState: (send: Send) => 'ready' | 'cancelled'
  /** Call it when something of the account may have become due. */
  wake: (accountId: string) => void
}
