/** The user's download settings, stored as defaults for the next time. */
import { z } from 'zod'
import { DOWNLOAD_TYPES } from '../../../shared/contract/downloads.ts'
import type { DecodedInput, DownloadFolder, DownloadSettings } from '../../../shared/contract/index.ts'
import { defined } from '../lib/objects.ts'
import type { Db } from '../storage/connection.ts'
import { openJsonMeta } from '../storage/meta.ts'
import type { DownloadFolders } from './download-folders.ts'
import { DEFAULT_PATTERN } from './name-pattern.ts'

const KEY = 'download-settings'
const StoredSettings = z.object({
  types: z.array(z.enum(DOWNLOAD_TYPES)).min(1).default(['pdf']),
  pattern: z.string().min(1).default(DEFAULT_PATTERN),
  writesIndex: z.boolean().default(false),
  concurrency: z.int().min(1).max(8).default(4)
})
const PAUSED = 'downloads-paused'

export interface SettingsDeps {
  db: Db
  folders: DownloadFolders
  /** Returns the current folder: the system's own until another was chosen. */
  folder: () => string
  setFolder: (path: string) => void
  isFolderChosen: () => boolean
  /** The organisation's settings: the path of a folder, and how files are named. */
  organisation?: (() => { folder?: string | undefined; names?: string | undefined }) | undefined
}

export function openDownloadSettings({ db, folders, folder, setFolder, isFolderChosen, organisation }: SettingsDeps) {
  const meta = openJsonMeta(db)
  let current = meta.read(KEY, StoredSettings) ?? StoredSettings.parse({})
  let isPaused = meta.read(PAUSED, z.boolean()) ?? false

  function read(): DownloadSettings {
    const set = organised()
    return { ...current, folder: folders.register(folder()), isFolderChosen: isFolderChosen(), ...set }
  }

  function organised(): { folder?: DownloadFolder; pattern?: string; isFolderChosen?: true } {
    const { folder, names } = organisation?.() ?? {}
    return {
      ...(folder !== undefined && { folder: folders.register(folder), isFolderChosen: true }),
      ...(names !== undefined && { pattern: names })
    }
  }

  return {
    read,
    organised,
    concurrency: (): number => current.concurrency,

    /** @throws AppFailure `gone` if the folder isn't known. */
    change({ folderId, ...changes }: DecodedInput<'downloads.configure'>): DownloadSettings {
      const path = folderId === undefined ? undefined : folders.pathOf(folderId)
      const next = StoredSettings.parse({ ...current, ...defined(changes) })
      meta.write(KEY, next)
      current = next
      if (path !== undefined) setFolder(path)
      return read()
    },

    isPaused: (): boolean => isPaused,
    /** Pauses or resumes, across restarts too. */
    setPaused(paused: boolean): void {
      meta.write(PAUSED, paused)
      isPaused = paused
    }
  }
}
