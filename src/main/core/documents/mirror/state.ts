/** What the mirror keeps in memory: of each document what answers are compared with, and of each folder its newest look. */
import type { DocumentIndex } from '../index/document-index.ts'
import type { Taken } from '../questions.ts'
import type { Entries, Entry, Mode } from './entries.ts'

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
