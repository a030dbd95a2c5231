/** Which documents of a folder a look named, and which it lacked. */

import type { Sliced } from '../../lib/slices.ts'
import type { Taking } from './answer-items.ts'
import { type Account, type Entry, type Folder, seenAt, seenInRun } from './state.ts'

export interface Presence {
  /** So many documents of the folder were named. */
  count: number
  /** The documents that it lacked, with when they were seen last. */
  missing: (readonly [reference: string, seenAt: number])[]
  /** Whether other ones were lacking before. */
  hasChanged: boolean
  /** Whether an answer equal to this one would say nothing else. */
  isSettled: boolean
  /** Other folders that show some of what is lacking now: their next answer says where it is. */
  elsewhere: ReadonlySet<string>
  /** Has the documents remember it: called once it is kept. */
  remember: () => void
}

export function* presenceIn({ account, folder, number, ask }: Taking): Sliced<Presence> {
  const missing: Presence['missing'] = []
  const elsewhere = new Set<string>()
  const lacking: { entry: Entry; seenAt: number; seenInRun: number }[] = []
  const back: Entry[] = []
  const left: Entry[] = []
  let count = 0
  let isSettled = true
  let passed = 0
  for (const entry of account.entries.values()) {
    if (++passed % 256 === 0) yield
    if (entry.also?.folder === folder.name) {
      // A folder that shows what is another's says of it what it says: it is asked again.
      if (entry.also.look === number) isSettled = false
      else left.push(entry)
    }
    if (entry.folder !== folder.name || !entry.isPlaced) continue
    if (entry.look === number) {
      if (entry.isMissing) back.push(entry)
      count++
    } else if (entry.knownAt > ask.begun) {
      // What is known may be newer than this answer: the next look tells.
      isSettled = false
    } else if (account.index.get(entry.reference)?.goneAt === undefined) {
      if (!entry.isMissing) {
        lacking.push({ entry, seenAt: seenAt(account, entry), seenInRun: seenInRun(account, entry) })
        if (entry.also) elsewhere.add(entry.also.folder)
      }
      missing.push([entry.reference, entry.isMissing ? entry.ownSeenAt : seenAt(account, entry)])
    }
  }

  function remember(): void {
    for (const entry of back) entry.isMissing = false
    for (const entry of left) entry.also = undefined
    for (const { entry, ...seen } of lacking) {
      entry.ownSeenAt = Math.max(entry.ownSeenAt, seen.seenAt)
      entry.ownSeenInRun = Math.max(entry.ownSeenInRun, seen.seenInRun)
      entry.isMissing = true
    }
  }
  return { count, missing, hasChanged: back.length + lacking.length > 0, isSettled, elsewhere, remember }
}

/** So many looks at one folder may pass without one at the other that shows the document too. */
const MOST_ALONE = 2

/**
 * Whether a document that a look shows is in its own folder as well, and so hasn't moved: that folder's newest look has
 * shown it, in this same round or beside this folder before.
 */
export function isInBoth(account: Account, folder: Folder, entry: Entry): boolean {
  if (entry.folder === folder.name || !entry.isPlaced || entry.isMissing) return false
  if (account.index.get(entry.reference)?.goneAt !== undefined) return false
  const own = account.folders.get(entry.folder)
  if (!own) return false
  const { also } = entry
  // A folder that is read no more would keep it for ever.
  if (also?.folder === folder.name) return own.begunInRun > also.ownBegun || also.alone < MOST_ALONE
  // A look that began since this folder was read last is one of the same round.
  return own.begunInRun > folder.arrivedInRun
}

/** What is remembered of it then. */
export function alsoIn(account: Account, folder: Folder, entry: Entry, look: number): Entry['also'] {
  if (entry.folder === folder.name || !entry.isPlaced) return entry.also
  const ownBegun = account.folders.get(entry.folder)?.begunInRun ?? 0
  const { also } = entry
  const isAlone = also?.folder === folder.name && also.ownBegun === ownBegun
  return { folder: folder.name, look, ownBegun, alone: isAlone ? also.alone + 1 : 0 }
}
