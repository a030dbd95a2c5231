/**
 * What was seen of folders a moment ago, so that many files for one folder don't have all of it read for each of them: on a
 * share every look takes its time. It is only ever a hint: a name is taken by the disk's own word, and the way into a folder is
 * looked through again before a file gets its name there.
 */
import type { MadeFolders } from './target-folder.ts'

/** How long something that was seen is taken for true, in milliseconds. */
const FRESH = 2_000
/** Of so many folders at a time. */
const MOST = 64

interface Seen<Value> {
  value: Value
  until: number
}

export type SeenFolders = ReturnType<typeof openSeenFolders>

/** @param clock milliseconds of a clock that is never set back. */
export function openSeenFolders(clock: () => number) {
  const names = new Map<string, Seen<string[]>>()
  const made = new Map<string, Seen<MadeFolders>>()

  async function fresh<Value>(of: Map<string, Seen<Value>>, key: string, look: () => Promise<Value>): Promise<Value> {
    const known = of.get(key)
    if (known && known.until > clock()) return known.value
    const until = clock() + FRESH
    const value = await look()
    if (of.size >= MOST) of.clear()
    of.set(key, { value, until })
    return value
  }

  return {
    /** The names in a folder. Those that are added meanwhile are among them. */
    names: (place: string, read: () => Promise<string[]>): Promise<readonly string[]> => fresh(names, place, read),

    /** A name was given in a folder. */
    added: (place: string, name: string): void => void names.get(place)?.value.push(name),

    /** Where folders are that were found or made. */
    made: (folder: string, path: readonly string[], make: () => Promise<MadeFolders>): Promise<MadeFolders> =>
      fresh(made, [folder, ...path].join('\n'), make),

    /** Something was not as it was seen: everything is looked at anew. */
    forget(): void {
      names.clear()
      made.clear()
    }
  }
}
