/** What actions need of the rest of the application and of the world around it. */
import type { AppError, SignerCorrection } from '../../../shared/contract/index.ts'
import type { AssignQueueDocumentResponse, DocumentResponse } from '../../../shared/model/index.ts'
import type { Rights } from '../accounts/rights.ts'
import type { AskDocuments } from '../documents/questions.ts'
import type { Time } from '../lib/time.ts'
import type { Once } from '../office/once.ts'
import type { ServiceClient } from '../service/service-client.ts'
import type { Db } from '../storage/connection.ts'

/** As much of the service's client as actions take. */
export type ActingClient = Pick<ServiceClient, 'updateSigner' | 'extend' | 'assignQueueDocument' | 'sendReminder'>

/**
 * done: the service answered. refused: it doesn't want this. unsupported: it doesn't know such a thing, or not this
 * document. offline: it never came to the service, or not so fast: it may leave later. uncertain: it may have been done.
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
  /** Of an office's workstations one does an action. */
  once: Once
  /** Reads the account's folders into the mirror by looks that begin now. Rejects if one can't be read. */
  refresh: (accountId: string) => Promise<unknown>
  /** The mirror has what an operation answered of a document of this account. */
  taken: (accountId: string) => void
  /** Has the account's folders read soon: after an action of ours. */
  soon: (accountId: string) => void
  /** The service has taken these corrections of signers. */
  corrected: (accountId: string, signers: readonly SignerCorrection[]) => void
  /** Says an error in the user's words. */
  describe: (error: unknown) => AppError
  /** Called after actions have changed. */
  changed: (ids: string[]) => void
  time: Time
  /** Orders what is known of documents, see `neverBackwards`; after a jump it may be far ahead of the wall clock. */
  moment: () => number
}
