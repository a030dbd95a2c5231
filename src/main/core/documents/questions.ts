/**
 * The questions that the documents' worker answers. The worker is the sole owner of the mirror and runs in its own
 * thread, so that decoding, comparing, searching and sorting never block the main thread. Everything here can be cloned
 * between threads.
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

/** A stored document, with when it was last seen and, if it has left all folders, since when it has been gone. */
export interface MirroredDocument {
  accountId: string
  document: DocumentResponse
  folder: string
  /** When the service last reported it, in milliseconds since 1970 UTC, like all times here. */
  seenAt: number
  changedAt: number
  goneAt?: number
  unread: boolean
  /** Whether its log was never read, or the document has changed since. */
  logsAreOld: boolean
}

/** The read of a folder that an answer belongs to. */
interface FolderReadRequest {
  accountId: string
  folder: string
  /** When the request began; an answer requested before what is now known is stale. */
  begun: number
  /** When its answer arrived, by the same monotonic clock as `begun`; `now` if absent. */
  arrived?: number | undefined
  /** By the wall clock; stored and shown. */
  now: number
  withLogs: boolean
}

/** Result of taking an answer of GetActiveDocuments/{folder}. */
export type TakeResult =
  | { kind: 'not-json' }
  | { kind: 'unexpected-shape'; path: string; said: Refusal }
  | {
      kind: 'taken'
      /** How many documents it named, and how many of them are new or changed. */
      documents: number
      changed: number
      unreadable: { count: number; documents: UnreadableDocument[] }
      /** False if an unreadable document lacks even a reference: it could be any of the missing ones. */
      isComplete: boolean
    }

/** Keys for finding the documents of an uncertain send; all in lower case. */
export interface SendKeys {
  /** Complete ClientReferences. */
  references: string[]
  /** Ids of sends, as in our own references `cs-<id>-<n>`. */
  marks: string[]
  /** Name and signers, as `matchKeyOf` writes them. */
  matchKeys: string[]
}

/** Individual documents of any account, or all that a query finds. */
export type DocumentSelection = { documents: DocumentKey[] } | { query: DocumentQuery }

/** The moment and zone for conditions about time. */
export interface Moment {
  /** Milliseconds since 1970 UTC. */
  now: number
  /** IANA name of this workstation's zone, which defines when days begin and end. */
  zone: string
}

export interface NamedQuery {
  id: string
  query: DocumentQuery
}

interface AccountContext extends Moment {
  /** The account being viewed; a query's `accounts` may name others in addition. */
  accountId: string
}

type WithQuery = AccountContext & { query: DocumentQuery }
export type WithSelection = AccountContext & { some: DocumentSelection }

/** A document whose identity data may be downloaded, or which has none. */
export interface IdentityCheck extends DocumentKey {
  name: string
  /** Whether an identity check was requested or is known. */
  isThere: boolean
  /** When it became complete, if known; absent if it isn't complete. 0: before we first read its folder. */
  completedAt?: number
  /** Ids of the queries that find it. */
  found: string[]
}

/** What a round found in each folder. */
export type FolderReport = Record<
  string,
  Pick<Extract<TakeResult, { kind: 'taken' }>, 'documents' | 'unreadable' | 'isComplete'> & {
    problem?: AppError | undefined
  }
>

/** An account whose folders an office's workstations read for each other, with the feed's id and the office's key. */
interface SharedAccount {
  accountId: string
  feed: string
  key: Uint8Array
}

export interface DocumentQuestions {
  /** Takes an answer, byte for byte as received. Ownership of the bytes passes to the worker. */
  take: {
    ask: FolderReadRequest & {
      bytes: Uint8Array<ArrayBuffer>
      charset?: string | undefined
      /** How the account's user writes dates, if the service says so. */
      dateFormat?: string | undefined
    }
    answer: TakeResult
  }
  /** Takes one document that one of our operations returned. */
  takeOne: {
    ask: { accountId: string; document: DocumentResponse; arrived?: number | undefined; now: number; isOwn: boolean }
    answer: null
  }
  /**
   * Takes the documents in the answer to a send. Documents already known stay unchanged, except for signing links that
   * they lack.
   */
  takeSent: { ask: { accountId: string; documents: DocumentResponse[]; now: number }; answer: null }
  /**
   * Notes that an action of ours is leaving: from now on, folders showing its effect aren't news, however late. `due`
   * is the resulting due date. Sends don't need this: `takeSent` does it.
   */
  acting: {
    ask: DocumentKey & { kind: ActionRequest['kind']; due?: number | undefined; now: number }
    answer: null
  }
  /** The service refused the action: its effect won't be shown. */
  actionRefused: { ask: DocumentKey & { kind: ActionRequest['kind'] }; answer: null }
  /**
   * Marks documents as gone that no folder has shown since a moment, after two complete rounds. Nothing is deleted, and
   * documents shown again come back. Returns how many are newly gone.
   */
  markGone: { ask: { accountId: string; since: number; now: number }; answer: number }
  /** When each of these folders was last read completely; absent if never. */
  lookedAt: { ask: { accountId: string; folders: string[] }; answer: Record<string, number> }
  /**
   * Returns documents shown by the folders since a moment that could come from one of these sends, with the rest of
   * their packages. Contains only what an uncertain send is judged by, and only the first log entry.
   */
  snapshot: {
    ask: { accountId: string; since: number; keys: SendKeys }
    answer: {
      documents: DocumentResponse[]
      /** Time of the last event, by the service's clock; absent if no log says. */
      latest?: number
      /** There are more similar documents than returned, so one that is missing here may still exist. */
      isCut?: true
    }
  }

  get: { ask: DocumentKey; answer: MirroredDocument | undefined }
  page: { ask: DocumentKey; answer: DocumentPage | undefined }
  inPackage: { ask: { accountId: string; packageReference: string }; answer: MirroredDocument[] }
  list: {
    ask: WithQuery & { expanded: string[]; offset: number; limit: number }
    answer: Pick<DocumentList, 'rows' | 'total' | 'documents'>
  }
  references: { ask: WithQuery & { limit: number }; answer: { references: DocumentKey[]; total: number } }
  /** Counts the documents in each folder, found by each query, and unread. */
  counts: {
    ask: AccountContext & { queries: NamedQuery[] }
    answer: { folders: Record<string, number>; queries: Record<string, number>; unread: number }
  }
  /** The selected documents as a spreadsheet file, safe from being read as formulas. */
  table: {
    ask: WithSelection & { columns: DocumentColumn[]; format: TableFormat }
    answer: { bytes: Uint8Array<ArrayBuffer>; documents: number }
  }
  overview: {
    ask: AccountContext & { stuckDays: number }
    answer: Omit<OverviewView, 'lookedAt' | 'problem'>
  }
  /**
   * Who can sign at the counter now, next due first. With `withoutLink`, includes those who could if the service had
   * provided a link.
   */
  waitingHere: { ask: { accountId: string; withoutLink?: true }; answer: CounterEntry[] }
  markRead: { ask: WithSelection & { read: boolean }; answer: number }

  /**
   * The newest change's id (0 before the first), and the id of the mirror that assigns these, which changes if the
   * mirror is recreated. `isKept` is false if the mirror is in memory only.
   */
  newestChange: { ask: null; answer: { mirror: string; change: number; isKept: boolean } }
  /** Changes of all accounts after a given one, oldest first. */
  changesAfter: { ask: { after: number; limit: number }; answer: DocumentChange[] }
  /** Changes of an account or of one document, newest first, with totals overall and per kind. */
  activity: {
    ask: {
      accountId: string
      /** Other accounts to include; only if no document is named. */
      others?: readonly string[] | undefined
      reference?: string | undefined
      /** Both inclusive. */
      since?: number | undefined
      until?: number | undefined
      /** True: only the effects of our own actions. False: only others. */
      isOwn?: boolean | undefined
      kinds?: readonly DocumentChange['kind'][] | undefined
      /** Words that must all occur in the document's or the signer's name. */
      search?: string | undefined
      offset: number
      limit: number
    }
    answer: { changes: DocumentChange[]; total: number; byKind: Partial<Record<DocumentChange['kind'], number>> }
  }
  matching: { ask: DocumentKey & Moment & { queries: NamedQuery[] }; answer: string[] }
  /** What identity downloads are decided by, ordered by reference; up to `limit` documents after `after`. */
  identityChecks: {
    ask: WithSelection & {
      /** Those that find the document are returned too; they belong to `accountId`, like `query`. */
      queries?: NamedQuery[]
      after?: DocumentKey | undefined
      limit: number
    }
    answer: IdentityCheck[]
  }
  /** Documents that haven't ended and are due on a day in the zone, such as `2026-11-22`. */
  dueOn: {
    ask: { accountId: string; day: string; zone: string }
    answer: { reference: string; name: string }[]
  }
  /**
   * Adopts an account's changed list of folders. Documents of a removed folder go to whichever folder is next read with
   * them, which isn't news; a name that differs only in case is adopted. If the service itself changed, the next read
   * of each folder is its first.
   */
  foldersChanged: { ask: { accountId: string; folders: string[]; isOtherService: boolean }; answer: null }
  /** Names of these documents, in the query's order; at most ten thousand. */
  named: { ask: WithSelection; answer: (DocumentKey & { name: string })[] }
  /**
   * `purge` erases documents that left all folders before a moment, along with their changes, leaving no trace in the
   * file. It also erases changes older than their retention period. `held` documents stay. Returns how many documents
   * were erased; `purgeDue` returns how many would be. `hold` adds to what a purge in progress doesn't erase.
   */
  purgeDue: { ask: { before: number; held: readonly DocumentKey[] }; answer: number }
  purge: { ask: { now: number; before: number | undefined; held: readonly DocumentKey[] }; answer: number }
  hold: { ask: { documents: readonly DocumentKey[] }; answer: null }
  /**
   * Starts sharing the account's reading with other workstations, or stops: null. Returns the cursor, and when its
   * folders were last proven to match the office's, 0 if never. Values given here replace the stored ones.
   */
  shareFeed: {
    ask: { accountId: string; feed: string | null; provenAt?: number | undefined; cursor?: number | undefined }
    answer: { cursor: number; provenAt: number }
  }
  /** Returns what to send to the office next; `shared` confirms it. */
  toShare: { ask: SharedAccount & { limit: number }; answer: { changes: FeedChange[]; upTo: number } }
  shared: { ask: { accountId: string; upTo: number }; answer: null }
  /** Tags of documents that only this workstation knows about. */
  unshared: {
    ask: Omit<SharedAccount, 'feed'> & { limit: number }
    answer: { tags: Uint8Array[]; upTo: number }
  }
  /**
   * Takes what another workstation has read, and stores `cursor` with it. Up to `settles`, the office's state replaces
   * what this workstation knew better; other such documents are left alone.
   */
  takeShared: {
    ask: SharedAccount & {
      changes: readonly FeedChange[]
      /** By the monotonic clock; `now` is by the wall clock. */
      begun: number
      now: number
      cursor?: number | undefined
      settles?: number | undefined
    }
    answer: number
  }
  takeReport: { ask: { accountId: string; report: FolderReport; begun: number; lookedAt: number }; answer: null }
  /**
   * Compares the local folders with the office's `tags`; returns the differences in hexadecimal. `upTo` is set if more
   * than a page of documents is unshared. `areSeen`: the folders had every local document, except unshared ones.
   * @param handsOver what is to be shared: everything local, or what the office lacks.
   */
  compareShared: {
    ask: Omit<SharedAccount, 'feed'> & { tags: Uint8Array; handsOver?: 'all' | 'lacking' }
    answer: { here: string[]; there: string[]; upTo: number; areSeen: boolean }
  }
  /** Drops the unshared marks up to `upTo` of documents that the folders have: the office has them too. */
  settleSeen: { ask: { accountId: string; upTo: number }; answer: null }
  erase: { ask: { accountId: string }; answer: null }
  /** Erases every account but these: one may have been removed when its documents couldn't be. */
  keepOnly: { ask: { accountIds: string[] }; answer: null }
}

export type DocumentQuestion = keyof DocumentQuestions
export type Ask<Name extends DocumentQuestion> = DocumentQuestions[Name]['ask']
export type Answer<Name extends DocumentQuestion> = DocumentQuestions[Name]['answer']

/** Asks the worker. Rejects with AppFailure, such as `storage` if the mirror can't be written. */
export type AskDocuments = <Name extends DocumentQuestion>(name: Name, ask: Ask<Name>) => Promise<Answer<Name>>
