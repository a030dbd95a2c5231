/** What the outbox needs of the rest of the application and of the world around it. */
import type { Composition } from '../../../shared/composition/index.ts'
import type { AppError } from '../../../shared/contract/index.ts'
import type { DocumentResponse } from '../../../shared/model/index.ts'
import type { SendKeys } from '../documents/questions.ts'
import type { Drafts } from '../drafts/drafts.ts'
import type { SharedDrafts } from '../drafts/shared-drafts.ts'
import type { Time } from '../lib/time.ts'
import type { ServiceClient } from '../service/service-client.ts'
import type { Db } from '../storage/connection.ts'
import type { ReleaseRule } from './releases.ts'

/** As much of the service's client as sending takes. */
export type SendingClient = Pick<ServiceClient, 'sendFormPackage' | 'sendTemplates'>

/** As much of the drafts as sending takes. */
type SentDrafts = Pick<Drafts, 'get' | 'summary' | 'save' | 'keepVersion'>

/** Called after something has changed, gathered: see changes.ts. */
export interface ChangeListeners {
  sends: (ids: string[]) => void
  /** An account's outbox was paused, goes again, waits for the network or has other settings; or its counts changed. */
  outbox: () => void
  batch: (id: string) => void
  /** A draft went into the outbox, or came back out of it. */
  draft: (id: string) => void
}

/** What a look at all folders of an account found. */
interface FoldersRead {
  documents: DocumentResponse[]
  /** When something happened last, by the service's clock, in milliseconds since 1970 UTC; absent if no log says. */
  latest?: number
  /** Whether every document could be read. */
  isComplete: boolean
}

export interface OutboxDeps {
  db: Db
  drafts: SentDrafts
  clientOf: (accountId: string) => Promise<SendingClient>
  /**
   * Reads the account's folders, with logs, and answers what they hold now that could be what is looked for, with all of
   * its packages. Rejects if a folder can't be read.
   * @param tracesOf what to look for, asked once the folders have been read.
   */
  readAllFolders: (accountId: string, tracesOf: () => Promise<SendKeys>) => Promise<FoldersRead>
  /**
   * Gives the documents of a send's answer to the documents' worker, which keeps what no folder's answer may repeat. Rejects
   * if it can't.
   */
  takeSent: (accountId: string, documents: DocumentResponse[]) => Promise<void>
  /** Called after the service took a send, for its folders to be read. */
  arrived: (accountId: string) => void
  /** Called when a composition was put in the outbox, for its people and values to be remembered. */
  noted: (accountId: string, composition: Composition) => void
  /** Says an error in the user's words. */
  describe: (error: unknown) => AppError
  /** Drafts that an office shares: what is sent of them is sent once. */
  sharedDrafts?: Pick<
    SharedDrafts,
    | 'toSend'
    | 'goesOn'
    | 'goesApart'
    | 'backInto'
    | 'hasUntoldEdits'
    | 'sentUntold'
    | 'soon'
    | 'takeAlong'
    | 'wentAlong'
    | 'left'
    | 'close'
  >
  /** Called with why the office's server could not be asked. */
  officeTrouble?: (error: unknown) => void
  /** Where some packages take another of staff to release them. */
  release?: ReleaseRule
  changed: ChangeListeners
  newId: () => string
  time: Time
}
