/** What the mirror keeps in memory: of each document what answers are compared with, and of each folder its newest look. */
import type { DocumentIndex } from '../index/document-index.ts'
import type { Taken } from '../questions.ts'
import type { Entries, Entry } from './entries.ts'

/** Whether an answer was asked for with the documents' logs: the same document has other bytes then. */
export type Mode = 'plain' | 'logged'

/** What is kept of one document beside its row and its body. In memory is what answers are compared with; see entries.ts. */
export interface Kept {
  accountId: string
  reference: string
  folder: string
  isPlaced: boolean
  /** See {@link seenAt}; as far as it isn't the folder that says it. */
  ownSeenAt: number
  /** The same, of this run alone: clocks are put back between runs. */
  ownSeenInRun: number
  /** When what is known arrived, in this run: an answer that was asked for before may be older. */
  knownAt: number
  /** Whether the newest look at its folder lacked it. */
  isMissing: boolean
  logsAreOld: boolean
  lastLogAt: number | undefined
  packageReference: string | undefined
  clientReference: string
  matchKey: string
  hashes: Record<Mode, string | undefined>
  /** The last look that named it, and where in its answer. */
  look: number
  place: number
  /** Another folder that shows it as well as its own. */
  also: Also | undefined
}

export interface Also {
  folder: string
  /** The last look there that showed it. */
  look: number
  /** When its own folder's newest look began then; and how many looks there have shown it since without another one. */
  ownBegun: number
  alone: number
}

/** One folder of an account, as of its newest look. */
export interface Folder {
  name: string
  begun: number
  begunInRun: number
  /** When the newest look's answer arrived: in this run, by the clock of `begun`; and by the wall clock. */
  arrivedInRun: number
  lookedAt: number
  /** Of the whole answer, where an answer equal to it says nothing new. */
  hashes: Record<Mode, string | undefined>
  taken: Extract<Taken, { kind: 'taken' }> | undefined
  /** Grows whenever what is known of its documents changes otherwise than by its newest look as a whole. */
  disturbances: number
}

export interface Account {
  id: string
  entries: Entries
  folders: Map<string, Folder>
  /** The document of each package that an action of ours answered in this run. */
  extended: Map<string, string>
  index: DocumentIndex
}

/** When the newest look that named the document began. */
export function seenAt(account: Account, entry: Entry): number {
  const begun = entry.isMissing || !entry.isPlaced ? 0 : (account.folders.get(entry.folder)?.begun ?? 0)
  return Math.max(entry.ownSeenAt, begun)
}

/** The same, as far as this run has seen it; 0 where it has not. */
export function seenInRun(account: Account, entry: Entry): number {
  const begun = entry.isMissing || !entry.isPlaced ? 0 : (account.folders.get(entry.folder)?.begunInRun ?? 0)
  return Math.max(entry.ownSeenInRun, begun)
}

/** A folder that was never looked at. */
export function beginning(name: string): Folder {
  return {
    name,
    begun: 0,
    begunInRun: 0,
    arrivedInRun: 0,
    lookedAt: 0,
    hashes: { plain: undefined, logged: undefined },
    taken: undefined,
    disturbances: 0
  }
}
