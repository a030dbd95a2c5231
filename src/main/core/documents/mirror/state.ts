/**
 * What the mirror keeps in memory: what answers are compared with, per document, and the newest read of each folder.
 */
import type { DocumentIndex } from '../index/document-index.ts'
import type { TakeResult } from '../questions.ts'
import type { Entries, Entry, Mode } from './entries.ts'

/** A folder of an account, as of its newest read. */
export interface Folder {
  name: string
  begun: number
  begunInRun: number
  /** When the newest read's answer arrived: in this run, by the clock of `begun`; and by the wall clock. */
  arrivedInRun: number
  lookedAt: number
  /** Of the whole answer, if an equal one would change nothing. */
  hashes: Record<Mode, string | undefined>
  result: Extract<TakeResult, { kind: 'taken' }> | undefined
  /** Incremented whenever knowledge of its documents changes other than by its newest read as a whole. */
  invalidations: number
}

export interface Account {
  id: string
  entries: Entries
  folders: Map<string, Folder>
  /** For each package, the document returned by an action of ours in this run. */
  extended: Map<string, string>
  index: DocumentIndex
}

/** Returns when the newest read that contained the document began. */
export function seenAt(account: Account, entry: Entry): number {
  const begun = entry.isMissing || !entry.isPlaced ? 0 : (account.folders.get(entry.folder)?.begun ?? 0)
  return Math.max(entry.ownSeenAt, begun)
}

/** The same for this run only; 0 if this run hasn't seen it. */
export function seenInRun(account: Account, entry: Entry): number {
  const begun = entry.isMissing || !entry.isPlaced ? 0 : (account.folders.get(entry.folder)?.begunInRun ?? 0)
  return Math.max(entry.ownSeenInRun, begun)
}

export function newFolder(name: string): Folder {
  return {
    name,
    begun: 0,
    begunInRun: 0,
    arrivedInRun: 0,
    lookedAt: 0,
    hashes: { plain: undefined, logged: undefined },
    result: undefined,
    invalidations: 0
  }
}
