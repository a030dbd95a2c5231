/** What becomes of documents when a person names an account's folders otherwise: nothing has happened to them. */
import { nextTurn } from '../../lib/slices.ts'
import type { DeskQuestions } from '../questions.ts'
import type { Mirror, Writing } from './mirror.ts'
import { type Account, type Entry, type Folder, seenAt, seenInRun } from './state.ts'

/** How many are written at a time: a few milliseconds' work. */
const PIECE = 50

/** Asked again it does nothing more; where it was interrupted it goes on. */
export async function changeFolders(
  mirror: Mirror,
  account: Account,
  { folders, isOtherService }: Omit<DeskQuestions['foldersChanged']['ask'], 'accountId'>
): Promise<void> {
  const listed = new Set(folders)
  for (const folder of [...account.folders.values()]) {
    if (listed.has(folder.name) && !isOtherService) continue
    const spelled = isOtherService ? undefined : spelledNow(account, folder, folders)
    await rewrite(mirror, account, folder.name, (entry) =>
      spelled === undefined ? handedOver(account, entry) : renamed(account, entry, spelled)
    )
    // Last: until then it shows that there is something left to do.
    if (spelled === undefined) mirror.forgetFolder(account, folder.name)
    else mirror.renameFolder(account, folder, spelled)
  }
}

/** The name that it has now, where only the case is other and nobody else has that name. */
function spelledNow(account: Account, { name }: Folder, folders: readonly string[]): string | undefined {
  const spelled = folders.find((one) => one.toLowerCase() === name.toLowerCase())
  return spelled !== undefined && !account.folders.has(spelled) ? spelled : undefined
}

async function rewrite(
  mirror: Mirror,
  account: Account,
  folder: string,
  writingOf: (entry: Entry) => Writing | undefined
): Promise<void> {
  const mine = [...account.entries.values()].filter((entry) => entry.folder === folder && entry.isPlaced)
  for (let first = 0; first < mine.length; first += PIECE) {
    mirror.write(mine.slice(first, first + PIECE).map(writingOf))
    await nextTurn()
  }
}

/** The first look that shows it says where it is. */
function handedOver(account: Account, entry: Entry): Writing {
  return {
    entry: {
      ...entry,
      isPlaced: false,
      isMissing: false,
      ownSeenAt: seenAt(account, entry),
      ownSeenInRun: seenInRun(account, entry),
      also: undefined
    },
    told: { differences: [], at: 0 }
  }
}

function renamed(account: Account, entry: Entry, folder: string): Writing | undefined {
  const row = account.board.get(entry.reference)
  if (!row) return undefined
  return { entry: { ...entry, folder }, content: { row: { ...row, folder } }, told: { differences: [], at: 0 } }
}
