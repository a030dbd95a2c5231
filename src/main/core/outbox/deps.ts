/** The outbox's dependencies on the rest of the application and on its environment. */
import type { Composition } from '../../../shared/composition/index.ts'
import type { DocumentResponse } from '../../../shared/model/index.ts'
import type { SendKeys } from '../documents/questions.ts'
import type { Drafts } from '../drafts/drafts.ts'
import type { SharedDrafts } from '../drafts/shared-drafts.ts'
import type { Time } from '../lib/time.ts'
import type { ServiceClient } from '../service/service-client.ts'
import type { Db } from '../storage/connection.ts'
import type { ReleaseRule } from './releases.ts'

export type SendingClient = Pick<ServiceClient, 'sendFormPackage' | 'sendTemplates'>

/** The part of the drafts that sending needs. */
type SentDrafts = Pick<Drafts, 'get' | 'summary' | 'save' | 'keepVersion'>

/** Called after changes, which are collected: see `Changes` in send-view.ts. */
export interface ChangeListeners {
  sends: (ids: string[]) => void
  /** Called when an account's outbox was paused or resumed, waits for the network, or has new settings or counts. */
  outbox: () => void
  batch: (id: string) => void
  /** A draft went into the outbox, or came back out of it. */
  draft: (id: string) => void
}

/** The result of a look at all folders of an account. */
interface FolderReading {
  documents: DocumentResponse[]
  /** When something was last logged, by the service's clock, in milliseconds since 1970 UTC; absent if no log says. */
  latest?: number
  /** Whether every folder, and every document, could be read. */
  isComplete: boolean
  /** The folders that couldn't be read because the service has none of that name, if that is all that is missing. */
  missingFolders: readonly string[]
}

export interface OutboxDeps {
  db: Db
  drafts: SentDrafts
  clientOf: (accountId: string) => Promise<SendingClient>
  /**
   * Reads the account's folders with logs, and returns the documents in them that may match, with all documents of
   * their packages. Rejects if a folder can't be read.
   * @param searchKeysOf what to look for, called once the folders have been read.
   */
  readAllFolders: (accountId: string, searchKeysOf: () => Promise<SendKeys>) => Promise<FolderReading>
  /** Returns all accounts here with the same folders as this one, itself included; absent if there can't be another. */
  accountsOfSameUser?: (accountId: string) => Promise<readonly string[]>
  /**
   * Hands the documents of a send's answer to the documents' worker, which keeps what no folder response may repeat.
   * Rejects if it can't.
   */
  takeSent: (accountId: string, documents: DocumentResponse[]) => Promise<void>
  /** Called after the service accepted a send, so that its folders are read. */
  arrived: (accountId: string) => void
  /** Called when a composition was put in the outbox, so that its people and values are remembered. */
  noted: (accountId: string, composition: Composition) => void
  /** Drafts shared in an office: each must be sent only once. */
  sharedDrafts?: Pick<
    SharedDrafts,
    | 'prepareSend'
    | 'continueAsNew'
    | 'hasDiverged'
    | 'restoreDraft'
    | 'hasUnsyncedEdits'
    | 'unreportedSends'
    | 'syncSoon'
    | 'reclaimDrafts'
    | 'keepReclaimed'
    | 'stopSharing'
    | 'close'
  >
  /** Called with why the office's server could not be asked. */
  onOfficeError?: (error: unknown) => void
  /** Set where some packages need a second staff member to release them. */
  release?: ReleaseRule
  changed: ChangeListeners
  newId: () => string
  time: Time
}
