/** Erases data whose retention has ended, leaving no trace of it in memory or in the file. */
import { inSlices, nextTurn, type Sliced } from '../../lib/slices.ts'
import type { DocumentKey } from '../questions.ts'
import type { Entry } from './entries.ts'
import type { Mirror } from './mirror.ts'
import type { Account } from './state.ts'

/** How many are erased, and how many are examined at a time: a few milliseconds' work. */
const BATCH_SIZE = 50
const EXAMINED_AT_ONCE = 1000

/**
 * Erases documents and changes.
 * @param before documents that left all folders before this are erased; undefined if they stay for ever.
 * @param held may be added to meanwhile.
 * @returns how many documents were erased.
 */
export async function purgeMirror(
  mirror: Mirror,
  now: number,
  before: number | undefined,
  held: HeldDocuments
): Promise<number> {
  let count = 0
  for (const account of before === undefined ? [] : mirror.accountIds().map(mirror.account)) {
    const expired = await inSlices(goneBefore(account, before as number, held))
    for (let first = 0; first < expired.length; first += BATCH_SIZE) {
      // During the pauses an action may have reported one of them, or someone put it on hold.
      const still = expired.slice(first, first + BATCH_SIZE).filter((entry) => entry.isGone && !held.has(entry))
      mirror.eraseDocuments(account, still)
      count += still.length
      await nextTurn()
    }
  }
  await inSlices(mirror.changes.prune(now, (key) => held.has(key)))
  mirror.checkpoint()
  return count
}

/** Returns how many documents `purgeMirror` would erase that left all folders before this moment. */
export async function purgeDue(mirror: Mirror, before: number, held: HeldDocuments): Promise<number> {
  let count = 0
  for (const account of mirror.accountIds().map(mirror.account))
    count += (await inSlices(goneBefore(account, before, held))).length
  return count
}

export type HeldDocuments = ReturnType<typeof heldDocuments>

/** The documents that aren't erased, because they are on hold. */
export function heldDocuments(documents: readonly DocumentKey[]) {
  const held = new Set(documents.map(keyOf))
  return {
    has: (document: DocumentKey): boolean => held.has(keyOf(document)),
    add: (document: DocumentKey): void => void held.add(keyOf(document))
  }
}

function* goneBefore(account: Account, before: number, held: HeldDocuments): Sliced<Entry[]> {
  const found: Entry[] = []
  let examined = 0
  for (const entry of account.entries.values()) {
    if (++examined % EXAMINED_AT_ONCE === 0) yield
    const goneAt = entry.isGone ? account.index.get(entry.reference)?.goneAt : undefined
    if (goneAt !== undefined && goneAt < before && !held.has(entry)) found.push(entry)
  }
  return found
}

function keyOf({ accountId, reference }: DocumentKey): string {
  return `${accountId}\n${reference}`
}
