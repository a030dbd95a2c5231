/**
 * Updates many documents at once for reasons that no answer gives: no folder shows them any more, or a person changed
 * the account's folders.
 */
import { nextTurn } from '../../lib/slices.ts'
import { indexRowOf } from '../index/row.ts'
import type { Ask } from '../questions.ts'
import { changesBetween } from './differences.ts'
import type { Entry } from './entries.ts'
import type { Mirror, Writing } from './mirror.ts'
import { type Account, type Folder, seenAt, seenInRun } from './state.ts'

/** How many are written at a time: a few milliseconds' work. */
const BATCH_SIZE = 50

/**
 * Marks documents as gone that no folder has shown since a moment; nothing is deleted.
 * @param since by the monotonic clock.
 * @returns how many are newly gone.
 */
export async function markGone(mirror: Mirror, account: Account, since: number, now: number): Promise<number> {
  const isNewlyGone = (entry: Entry) => seenInRun(account, entry) < since && !entry.isGone
  const newlyGone = [...account.entries.values()].filter(isNewlyGone)
  let count = 0
  await writeEach(mirror, newlyGone, (entry) => {
    // During the pauses an action may have reported one of them.
    if (!isNewlyGone(entry)) return undefined
    count++
    return goneWriting(mirror, account, entry, now)
  })
  return count
}

/** Writes what is to be written of each, some at a time. */
async function writeEach(
  mirror: Mirror,
  entries: readonly Entry[],
  writingOf: (entry: Entry) => Writing | undefined
): Promise<void> {
  for (let first = 0; first < entries.length; first += BATCH_SIZE) {
    mirror.write(entries.slice(first, first + BATCH_SIZE).map(writingOf))
    await nextTurn()
  }
}

/** Returns what to write for a document that is gone; undefined if it isn't in the index. */
export function goneWriting(mirror: Mirror, account: Account, entry: Entry, now: number): Writing | undefined {
  const row = account.index.get(entry.reference)
  if (!row) return undefined
  const placed = { document: mirror.document(entry), folder: entry.folder, isPlaced: entry.isPlaced }
  const differences = changesBetween({ ...placed, isGone: false }, { ...placed, isGone: true })
  const attributed = differences.map((one) => ({
    ...one,
    isOwn: mirror.ownActions.isOwnEffect(account, entry.reference, entry, one, placed.document)
  }))
  const changed = attributed.length > 0 && {
    changedAt: now,
    unread: row.unread || attributed.some(({ isOwn }) => !isOwn)
  }
  return {
    entry: mirror.storedEntry(entry),
    content: { row: { ...row, goneAt: now, ...changed } },
    changeSet: { differences: attributed, at: now }
  }
}

/**
 * Adopts an account's changed folders; their documents count as unchanged. Idempotent, and continues if it was
 * interrupted.
 */
export async function changeFolders(
  mirror: Mirror,
  account: Account,
  { folders, isOtherService }: Omit<Ask<'foldersChanged'>, 'accountId'>
): Promise<void> {
  if (isOtherService)
    await writeEach(mirror, [...account.entries.values()], (entry) => withoutLinks(mirror, account, entry))
  const listed = new Set(folders)
  for (const folder of [...account.folders.values()]) {
    if (listed.has(folder.name) && !isOtherService) continue
    const newName = isOtherService ? undefined : newSpelling(account, folder, folders)
    const mine = [...account.entries.values()].filter((entry) => entry.folder === folder.name && entry.isPlaced)
    await writeEach(mirror, mine, (entry) =>
      newName === undefined ? unplaced(mirror, account, entry) : renamed(mirror, account, entry, newName)
    )
    // Done last: until then the folder shows that work is left.
    if (newName === undefined) mirror.forgetFolder(account, folder.name)
    else mirror.renameFolder(account, folder, newName)
  }
}

/** Removes signing links: those of the previous service are useless, and let in anyone who has them. */
function withoutLinks(mirror: Mirror, account: Account, entry: Entry): Writing | undefined {
  const row = account.index.get(entry.reference)
  const before = mirror.document(entry)
  if (!row || !before.Signers?.some(({ SigningKey }) => SigningKey)) return undefined
  const document = { ...before, Signers: before.Signers.map(({ SigningKey: _, ...signer }) => signer) }
  return {
    entry: mirror.storedEntry(entry),
    content: { document, row: indexRowOf(document, row) },
    changeSet: NO_CHANGES
  }
}

/** Returns the folder's new name, if only its case changed and no other folder has that name. */
function newSpelling(account: Account, { name }: Folder, folders: readonly string[]): string | undefined {
  const spelled = folders.find((one) => one.toLowerCase() === name.toLowerCase())
  return spelled !== undefined && !account.folders.has(spelled) ? spelled : undefined
}

/** Detaches a document from its folder; the first read that shows it says where it is. */
function unplaced(mirror: Mirror, account: Account, entry: Entry): Writing {
  return {
    entry: {
      ...mirror.storedEntry(entry),
      isPlaced: false,
      isMissing: false,
      ownSeenAt: seenAt(account, entry),
      ownSeenInRun: seenInRun(account, entry),
      also: undefined
    },
    changeSet: NO_CHANGES
  }
}

function renamed(mirror: Mirror, account: Account, entry: Entry, folder: string): Writing | undefined {
  const row = account.index.get(entry.reference)
  return (
    row && {
      entry: { ...mirror.storedEntry(entry), folder },
      content: { row: { ...row, folder } },
      changeSet: NO_CHANGES
    }
  )
}

const NO_CHANGES: Writing['changeSet'] = { differences: [], at: 0 }
