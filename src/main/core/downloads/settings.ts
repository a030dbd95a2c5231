/** How a person wants identity data fetched: kept as what is proposed the next time. */
import { z } from 'zod'
import { DOWNLOAD_TYPES } from '../../../shared/contract/downloads.ts'
import type { DecodedInput, DownloadFolder, DownloadSettings } from '../../../shared/contract/index.ts'
import { defined } from '../lib/objects.ts'
import type { Db } from '../storage/connection.ts'
import { keptIn } from '../storage/meta.ts'
import type { DownloadFolders } from './download-folders.ts'
import { DEFAULT_PATTERN } from './name-pattern.ts'

const KEY = 'download-settings'
const Kept = z.object({
  types: z.array(z.enum(DOWNLOAD_TYPES)).min(1).default(['pdf']),
  pattern: z.string().min(1).default(DEFAULT_PATTERN),
  writesIndex: z.boolean().default(false),
  concurrency: z.int().min(1).max(8).default(4)
})
const PAUSED = 'downloads-paused'

export interface SettingsDeps {
  db: Db
  folders: DownloadFolders
  /** The folder that is set: the system's own until another was chosen. */
  folder: () => string
  setFolder: (path: string) => void
  isFolderChosen: () => boolean
  /** What the organisation has set: the path of a folder, and how files are named. */
  organisation?: (() => { folder?: string | undefined; names?: string | undefined }) | undefined
}

export function openDownloadSettings({ db, folders, folder, setFolder, isFolderChosen, organisation }: SettingsDeps) {
  const kept = keptIn(db)
  let now = kept.read(KEY, Kept) ?? Kept.parse({})
  let isPaused = kept.read(PAUSED, z.boolean()) ?? false

  function read(): DownloadSettings {
    const set = organised()
    return { ...now, folder: folders.of(folder()), isFolderChosen: isFolderChosen(), ...set }
  }

  /** What the organisation has set, of what a download is made of. */
  function organised(): { folder?: DownloadFolder; pattern?: string; isFolderChosen?: true } {
    const { folder, names } = organisation?.() ?? {}
    return {
      ...(folder !== undefined && { folder: folders.of(folder), isFolderChosen: true }),
      ...(names !== undefined && { pattern: names })
    }
  }

  return {
    read,
    organised,
    concurrency: (): number => now.concurrency,

    /** @throws AppFailure `gone` where the folder isn't known. */
    change({ folderId, ...changes }: DecodedInput<'downloads.configure'>): DownloadSettings {
      const path = folderId === undefined ? undefined : folders.pathOf(folderId)
      const next = Kept.parse({ ...now, ...defined(changes) })
      kept.write(KEY, next)
      now = next
      if (path !== undefined) setFolder(path)
      return read()
    },

    isPaused: (): boolean => isPaused,
    /** Holds over restarts. */
    setPaused(paused: boolean): void {
      kept.write(PAUSED, paused)
      isPaused = paused
    }
  }
}
