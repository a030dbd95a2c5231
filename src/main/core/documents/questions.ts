/**
 * What the documents' worker can be asked. The worker is the one owner of the mirror: it lives in a thread of its own, so that
 * decoding, comparing, searching and sorting never hold the main thread. Everything here can be cloned between threads.
 */

import type {
  ActionRequest,
  AppError,
  CounterEntry,
  DocumentChange,
  DocumentColumn,
  DocumentKey,
  DocumentList,
  DocumentPage,
  DocumentQuery,
  OverviewView,
  UnreadableDocument
} from '../../../shared/contract/index.ts'
import type { DocumentResponse } from '../../../shared/model/index.ts'
import type { TableFormat } from '../bulk/table-file.ts'
import type { FeedChange } from '../office/feed.ts'
import type { Refusal } from '../service/refusal.ts'

export type { DocumentKey }

/** A document as kept, with when it was last seen and, once it has left all folders, since when it is gone. */
export interface MirroredDocument {
  accountId: string
  document: DocumentResponse
  folder: string
  /** When the service last told of it, in milliseconds since 1970 UTC, as all times here. */
  seenAt: number
  changedAt: number
  goneAt?: number
  unread: boolean
  /** Whether its log was never read, or the document has changed since. */
  logsAreOld: boolean
}

/** Which look an answer belongs to. */
interface Look {
  accountId: string
  folder: string
  /** When it began: an answer asked for before what is known now is out of date. */
  begun: number
  /** When its answer arrived, by the clock of `begun`, which never goes back; as `now` where it isn't said. */
  arrived?: number | undefined
  /** By the wall clock: what is kept and shown. */
  now: number
  withLogs: boolean
}

/** What came of an answer of GetActiveDocuments/{folder}. */
export type Taken =
  | { kind: 'not-json' }
  | { kind: 'unexpected-shape'; path: string; said: Refusal }
  | {
      kind: 'taken'
      /** How many documents it named, and how many of them are new or other than before. */
      documents: number
      changed: number
      unreadable: { count: number; documents: UnreadableDocument[] }
      /** False where an unreadable document doesn't even say who it is: any that is missing might be that one. */
      isComplete: boolean
    }

/** What an uncertain send could be found again by; all in lower case. */
export interface SendKeys {
  /** ClientReferences, whole. */
  references: string[]
  /** Ids of sends, as they stand in our own marks `cs-<id>-<n>`. */
  marks: string[]
  /** Name and signers, as `matchKeyOf` spells them. */
  matchKeys: string[]
}

/** Documents one by one, of any account, or all that a query finds. */
export type Some = { documents: DocumentKey[] } | { query: DocumentQuery }

/** What conditions about time are measured by. */
export interface Moment {
  /** Milliseconds since 1970 UTC. */
  now: number
  /** IANA name of this workstation's zone: days begin and end by it. */
  zone: string
}

export interface NamedQuery {
  id: string
  query: DocumentQuery
}

interface AskedOfAccount extends Moment {
  /** The account that is looked at; a query's `accounts` may name others beside it. */
  accountId: string
}

type WithQuery = AskedOfAccount & { query: DocumentQuery }
export type WithSome = AskedOfAccount & { some: Some }

/** A document whose identity data may be fetched, or has none. */
export interface IdentityCheck extends DocumentKey {
  name: string
  /** Whether an identity check was asked for, or is known of. */
  isThere: boolean
  /** When it became complete, as far as is known; absent while it isn't. 0: before it was looked. */
  completedAt?: number
  /** Ids of the queries that find it. */
  found: string[]
}

/** What a round found of each folder. */
export type FolderReport = Record<
  string,
  Pick<Extract<Taken, { kind: 'taken' }>, 'documents' | 'unreadable' | 'isComplete'> & {
    problem?: AppError | undefined
  }
>

/** An account whose folders an office's workstations read for each other: the feed's id, and the office's key. */
interface SharedAccount {
  accountId: string
  feed: string
  key: Uint8Array
}

export interface DocumentQuestions {
  /** Takes over an answer, byte for byte as it came. The bytes are the worker's from then on. */
  take: {
    ask: Look & {
      bytes: Uint8Array<ArrayBuffer>
      charset?: string | undefined
      /** How the account's user writes dates, where the service says it. */
      dateFormat?: string | undefined
    }
    answer: Taken
  }
  /** Takes over one document that an operation of ours answered. */
  takeOne: {
    ask: { accountId: string; document: DocumentResponse; arrived?: number | undefined; now: number; isOwn: boolean }
    answer: null
  }
  /**
   * Takes over the documents that the answer of a send named. What is known of one already stays as it is, but for the
   * links to sign by that it lacks.
   */
  takeSent: { ask: { accountId: string; documents: DocumentResponse[]; now: number }; answer: null }
  /**
   * An action of ours leaves now: what folders show of it is no news from here on, however late. `due` is when the document
   * becomes due by it. A send needs no word: `takeSent` says it.
   */
  acting: {
    ask: DocumentKey & { kind: ActionRequest['kind']; due?: number | undefined; now: number }
    answer: null
  }
  /** The service has refused it: nothing of it will be shown. */
  actionRefused: { ask: DocumentKey & { kind: ActionRequest['kind'] }; answer: null }
  /**
   * Marks as gone what no folder has shown since, after two complete rounds; nothing is deleted, and what is shown again
   * comes back. Answers how many are newly gone.
   */
  markGone: { ask: { accountId: string; since: number; now: number }; answer: number }
  /** When each of these folders was last read in full; absent if never. */
  lookedAt: { ask: { accountId: string; folders: string[] }; answer: Record<string, number> }
  /**
   * What the folders showed since a moment that could be one of these sends, with all of its packages; of each document only
   * what an uncertain send is judged by, and of its log the first entry.
   */
  snapshot: {
    ask: { accountId: string; since: number; keys: SendKeys }
    answer: {
      documents: DocumentResponse[]
      /** When something happened last, by the service's clock; absent if no log says. */
      latest?: number
      /** More documents are alike than are answered: what is missing here may be there. */
      isCut?: true
    }
  }

  get: { ask: DocumentKey; answer: MirroredDocument | undefined }
  /** One document as its page shows it. */
  page: { ask: DocumentKey; answer: DocumentPage | undefined }
  /** The documents of a package. */
  inPackage: { ask: { accountId: string; packageReference: string }; answer: MirroredDocument[] }
  list: {
    ask: WithQuery & { expanded: string[]; offset: number; limit: number }
    answer: Pick<DocumentList, 'rows' | 'total' | 'documents'>
  }
  references: { ask: WithQuery & { limit: number }; answer: { references: DocumentKey[]; total: number } }
  /** How many documents each folder holds, each query finds, and how many are unread. */
  counts: {
    ask: AskedOfAccount & { queries: NamedQuery[] }
    answer: { folders: Record<string, number>; queries: Record<string, number>; unread: number }
  }
  /** What was chosen, as a file for spreadsheets, safe from being read as formulas. */
  table: {
    ask: WithSome & { columns: DocumentColumn[]; format: TableFormat }
    answer: { bytes: Uint8Array<ArrayBuffer>; documents: number }
  }
  overview: {
    ask: AskedOfAccount & { stuckDays: number }
    answer: Omit<OverviewView, 'lookedAt' | 'problem'>
  }
  /**
   * Who can sign at the counter now, next due first; `withoutLink` among them those who could, had the service given a link
   * for it.
   */
  waitingHere: { ask: { accountId: string; withoutLink?: true }; answer: CounterEntry[] }
  markRead: { ask: WithSome & { read: boolean }; answer: number }

  /**
   * The newest change's id, 0 before the first; and the id of the mirror that gives these, which one that is begun again
   * doesn't share. `isKept` is false where it ends with this run.
   */
  newestChange: { ask: null; answer: { mirror: string; change: number; isKept: boolean } }
  /** Changes of all accounts after one, oldest first. */
  changesAfter: { ask: { after: number; limit: number }; answer: DocumentChange[] }
  /** Changes of an account, or of one of its documents, newest first; how many there are in all, and of each kind. */
  activity: {
    ask: {
      accountId: string
      /** Other accounts whose changes are asked for as well; where no document is named. */
      others?: readonly string[] | undefined
      reference?: string | undefined
      /** The first and the last moment that count. */
      since?: number | undefined
      until?: number | undefined
      /** Only what our own actions did, or only what they didn’t. */
      isOwn?: boolean | undefined
      kinds?: readonly DocumentChange['kind'][] | undefined
      /** Words that must all occur in the document’s name or the signer’s. */
      search?: string | undefined
      offset: number
      limit: number
    }
    answer: { changes: DocumentChange[]; total: number; byKind: Partial<Record<DocumentChange['kind'], number>> }
  }
  /** Which of these queries find a document. */
  matching: { ask: DocumentKey & Moment & { queries: NamedQuery[] }; answer: string[] }
  /** What fetching identity data goes by, in the order of references; those after one of them, as many as are asked for. */
  identityChecks: {
    ask: WithSome & {
      /** Which of these find it is answered, too; they are of `accountId` as `query` is. */
      queries?: NamedQuery[]
      after?: DocumentKey | undefined
      limit: number
    }
    answer: IdentityCheck[]
  }
  /** Documents that haven't ended and are due on that day of the zone, `2026-11-22`. */
  dueOn: {
    ask: { accountId: string; day: string; zone: string }
    answer: { reference: string; name: string }[]
  }
  /**
   * The account's folders are other ones from now on. Documents of a folder that is listed no longer are
   * handed over to the first look that shows them, and that is no news; a name that is only spelled otherwise is taken over. Where the
   * service is another one the next look at each folder is its first.
   */
  foldersChanged: { ask: { accountId: string; folders: string[]; isOtherService: boolean }; answer: null }
  /** What these documents are called, in the query's order; ten thousand at most. */
  named: { ask: WithSome; answer: (DocumentKey & { name: string })[] }
  /**
   * Erases documents that left all folders before a moment, with what happened to them, so that nothing of them is left in the file;
   * and what happened to any longer ago than it is to be kept. Answers how many documents. Those that are held stay.
   */
  /** How many documents `purge` would erase. */
  purgeDue: { ask: { before: number; held: readonly DocumentKey[] }; answer: number }
  purge: { ask: { now: number; before: number | undefined; held: readonly DocumentKey[] }; answer: number }
  /**
   * The account is read together with other workstations from now on, or no more: null. Answers up to where it was read, and when
   * its folders were last seen to hold what the office has, 0 if never; what is given of these replaces what is kept.
   */
  shareFeed: {
    ask: { accountId: string; feed: string | null; provenAt?: number | undefined; cursor?: number | undefined }
    answer: { cursor: number; provenAt: number }
  }
  /** What is to be handed over next; once it was, `shared` says so. */
  toShare: { ask: SharedAccount & { most: number }; answer: { changes: FeedChange[]; upTo: number } }
  shared: { ask: { accountId: string; upTo: number }; answer: null }
  /** The tags of what only this workstation knows of. */
  unshared: {
    ask: Omit<SharedAccount, 'feed'> & { most: number }
    answer: { tags: Uint8Array[]; upTo: number }
  }
  /**
   * Takes over what another workstation has read, and keeps `cursor` with it. `settles`: what this one knew better up to there is
   * what the office has; otherwise it is left alone.
   */
  takeShared: {
    ask: SharedAccount & {
      changes: readonly FeedChange[]
      /** By the clock that never goes back, and by the wall clock. */
      begun: number
      now: number
      cursor?: number | undefined
      settles?: number | undefined
    }
    answer: number
  }
  takeReport: { ask: { accountId: string; report: FolderReport; begun: number; lookedAt: number }; answer: null }
  /**
   * What differs between the folders as they are kept here and the office's `tags`, in hexadecimal; and where more than a page is only known
   * here, up to where. areSeen: the folders had each document that is here, but for those that only are known here.
   * @param handsOver all that is here is to be handed over.
   */
  compareShared: {
    ask: Omit<SharedAccount, 'feed'> & { tags: Uint8Array; handsOver?: true }
    answer: { here: string[]; there: string[]; upTo: number; areSeen: boolean }
  }
  /** What was only known here up to there, and the folders have, is what the office has. */
  settleSeen: { ask: { accountId: string; upTo: number }; answer: null }
  /** Forgets all of an account. */
  erase: { ask: { accountId: string }; answer: null }
  /** Forgets all of every account but these: one that was removed while its documents could not be. */
  keepOnly: { ask: { accountIds: string[] }; answer: null }
}

export type DocumentQuestion = keyof DocumentQuestions
export type Ask<Name extends DocumentQuestion> = DocumentQuestions[Name]['ask']
export type Answer<Name extends DocumentQuestion> = DocumentQuestions[Name]['answer']

/** Asks the worker. Rejects with AppFailure `storage` and its like where the mirror can't be written. */
export type AskDocuments = <Name extends DocumentQuestion>(name: Name, ask: Ask<Name>) => Promise<Answer<Name>>
