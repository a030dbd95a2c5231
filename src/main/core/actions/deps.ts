/** The dependencies of actions. */
import type { AppError, SignerCorrection } from '../../../shared/contract/index.ts'
import type { AssignQueueDocumentResponse, DocumentResponse } from '../../../shared/model/index.ts'
import type { Rights } from '../accounts/rights.ts'
import type { AskDocuments } from '../documents/questions.ts'
import type { Time } from '../lib/time.ts'
import type { ExclusiveTasks } from '../office/exclusive-tasks.ts'
import type { ServiceClient } from '../service/service-client.ts'
import type { Db } from '../storage/connection.ts'

export type ActingClient = Pick<ServiceClient, 'updateSigner' | 'extend' | 'assignQueueDocument' | 'sendReminder'>

/**
 * The outcome of an attempt. done: the service confirmed it. refused: the service doesn't accept it. unsupported: it
 * doesn't know the operation, or not the document. offline: it didn't reach the service, or was rate-limited, and may
 * be sent later. uncertain: it may have been done.
 */
export type Outcome =
  | { kind: 'done'; document?: DocumentResponse; notary?: AssignQueueDocumentResponse }
  | { kind: 'unsupported' }
  | { kind: 'refused' | 'offline' | 'uncertain'; error: AppError }

export interface ActionDeps {
  db: Db
  clientOf: (accountId: string) => Promise<ActingClient>
  ask: AskDocuments
  rights: Rights
  /** Makes sure that only one of an office's workstations does an action. */
  exclusiveTasks: ExclusiveTasks
  /** Reads the account's folders into the mirror, with looks that begin now. Rejects if one can't be read. */
  refresh: (accountId: string) => Promise<unknown>
  /** Called when the mirror has stored the document that an operation returned. */
  documentStored: (accountId: string) => void
  /** Requests an early read of the account's folders, after one of our actions. */
  readSoon: (accountId: string) => void
  signersCorrected: (accountId: string, signers: readonly SignerCorrection[]) => void
  changed: (ids: string[]) => void
  time: Time
  /**
   * A clock that orders what is known of documents, see `increasingClock`. After a jump it may be far ahead of the wall
   * clock.
   */
  moment: () => number
}
