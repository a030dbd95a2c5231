/** Documents that left all folders: marked, never deleted. */
import { nextTurn } from '../../lib/slices.ts'
import { changesBetween } from './differences.ts'
import type { Mirror, Writing } from './mirror.ts'
import { type Account, type Entry, seenInRun } from './state.ts'

/** How many are written at a time: a few milliseconds' work. */
const PIECE = 50

/**
 * Marks as gone what no folder has shown since.
 * @returns how many are newly gone.
 */
export async function markGone(mirror: Mirror, account: Account, since: number, now: number): Promise<number> {
  const isGoing = (entry: Entry) =>
    seenInRun(account, entry) < since && account.board.get(entry.reference)?.goneAt === undefined
  const going = [...account.entries.values()].filter(isGoing)
  let count = 0
  for (let first = 0; first < going.length; first += PIECE) {
    // In the pauses an action may have told of one of them.
    const still = going.slice(first, first + PIECE).filter(isGoing)
    mirror.write(still.map((entry) => writingOf(mirror, account, entry, now)))
    count += still.length
    await nextTurn()
  }
  return count
}

function writingOf(mirror: Mirror, account: Account, entry: Entry, now: number): Writing | undefined {
  const row = account.board.get(entry.reference)
  if (!row) return undefined
  const placed = { document: mirror.document(entry), folder: entry.folder, isPlaced: entry.isPlaced }
  const differences = changesBetween({ ...placed, isGone: false }, { ...placed, isGone: true })
  const isNews = differences.length > 0
  return {
    entry,
    content: { row: { ...row, goneAt: now, ...(isNews && { changedAt: now, unread: true }) } },
    told: { differences: differences.map((one) => ({ ...one, isOwn: false })), at: now }
  }
}
