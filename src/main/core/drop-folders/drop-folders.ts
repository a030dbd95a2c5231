/**
 * Folders in which other software drops packages. Each file becomes drafts, or a batch in the outbox if that is allowed
 * and there are no problems, or a report of why not; exactly once, whatever happens meanwhile.
 */
import { realpath } from 'node:fs/promises'
import { basename, isAbsolute, join, relative } from 'node:path'
import type { DecodedInput, DropFolder, DroppedFile, RefusedFiles } from '../../../shared/contract/index.ts'
import type { Drafts } from '../drafts/drafts.ts'
import { openImport } from '../drafts/importing.ts'
import type { Presets } from '../drafts/presets.ts'
import { fail } from '../lib/failure.ts'
import { defined } from '../lib/objects.ts'
import type { Time } from '../lib/time.ts'
import { within } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import { folderOf, openArchive, reportName } from './archive.ts'
import { WORKING } from './claiming.ts'
import { type FileImportDeps, openFileImport } from './file-import.ts'
import { type Folder, openFolders } from './folders.ts'
import type { Step } from './journal.ts'
import { openJournal } from './journal.ts'
import { isFolder } from './own-folders.ts'
import { openRefusals } from './refusals.ts'
import { type ListenToFolder, listenToFolder, openWatchedFolder, type WatchedFolder } from './watched-folder.ts'

/** How many folders can be watched. */
const MAX_FOLDERS = 50
/** The folders that are created in a watched folder. */
const OUR_FOLDERS = ['done', 'failed', WORKING]

export interface DropFoldersDeps extends Pick<FileImportDeps, 'outbox' | 'dateFormatOf' | 'worker' | 'newId'> {
  db: Db
  drafts: Drafts
  presets: Presets
  /** The application's own folder, in which nothing must be dropped. */
  ownFolder: string
  time: Time
  /** Called when a folder's state, settings or processed files have changed. */
  changed: (folderId: string) => void
  draftsChanged: (id: string) => void
  presetsChanged: () => void
  /** Called when a file could not be processed and is retried; without its name. */
  onError: (error: unknown) => void
  listen?: ListenToFolder
  step?: Step
}

export type DropFolders = ReturnType<typeof openDropFolders>

export function openDropFolders(deps: DropFoldersDeps) {
  const { db, drafts, presets, time, newId, changed, step = () => undefined } = deps
  const folders = openFolders(db)
  const journal = openJournal(db)
  const refusals = openRefusals(db)
  const fileImport = openFileImport({
    ...deps,
    journal,
    imports: openImport({ db, drafts, presets, time, newId }),
    presetOf(accountId, presetId) {
      if (presets.accountOf(presetId) !== accountId) fail('gone', 'This preset belongs to another account.')
      return presets.get(presetId).composition
    },
    made: (stored) => {
      const [draft] = stored.drafts
      if (draft) deps.draftsChanged(draft.id)
      if (stored.presets.length > 0) deps.presetsChanged()
    }
  })
  const archive = openArchive({ journal, step })
  const watched = new Map<string, WatchedFolder>()
  let isStarted = false

  function watch(id: string): WatchedFolder {
    const known = watched.get(id)
    if (known) return known
    const one = openWatchedFolder({
      ...deps,
      folder: () => folders.find(id),
      journal,
      fileImport,
      archive,
      step,
      listen: deps.listen ?? listenToFolder,
      changed: () => changed(id)
    })
    watched.set(id, one)
    return one
  }

  async function unwatch(id: string): Promise<void> {
    const one = watched.get(id)
    watched.delete(id)
    await one?.stop()
  }

  function viewOf({ id, accountId, place, sends, presetId, isPaused }: Folder): DropFolder {
    const { taken, failed, lastTakenAt } = journal.tally(id)
    return {
      id,
      accountId,
      place,
      sends,
      taken,
      failed,
      label: basename(place) || place,
      state: isPaused ? 'paused' : (watched.get(id)?.state() ?? 'watching'),
      ...(presetId !== undefined && { presetId }),
      ...(lastTakenAt !== undefined && { lastTakenAt })
    }
  }

  async function assertWatchable(place: string): Promise<void> {
    if (!(await isFolder(place))) fail('invalid', 'This isn’t a folder, or it can’t be read.')
    const own = await realpath(deps.ownFolder).catch(() => deps.ownFolder)
    if (isWithin(own, place)) {
      fail('invalid', 'Countersign keeps its own data there.', {
        next: 'Choose a folder used only for dropped files.'
      })
    }
    const all = folders.all()
    if (all.length >= MAX_FOLDERS) fail('too-large', `You can watch up to ${MAX_FOLDERS} folders.`)
    const movesFilesInto = (one: string, other: string) => OUR_FOLDERS.some((name) => isWithin(join(one, name), other))
    if (all.some((one) => movesFilesInto(one.place, place))) {
      fail('invalid', 'Another drop folder moves its files there.', {
        next: 'Choose another folder.'
      })
    }
    if (all.some((one) => movesFilesInto(place, one.place))) {
      fail('invalid', 'Its files would be moved into another watched folder.', {
        next: 'Choose another folder.'
      })
    }
  }

  return {
    /** Starts watching. Work left over from an earlier run is resumed first. */
    start(): void {
      isStarted = true
      for (const { id } of folders.all()) void watch(id).check()
    },

    /**
     * Stops taking files. Resolves once the files in progress are finished, or after `limit` milliseconds, as a network
     * disk may not answer at all. Unfinished files are resumed at the next start.
     */
    async stop(limit: number): Promise<void> {
      isStarted = false
      const ended = Promise.all([...watched.keys()].map(unwatch)).then(() => undefined)
      await within(limit, ended, time)
      await deps.worker.end()
    },

    /** Call it when an account was removed: its folders are no longer watched. */
    accountsChanged(): void {
      for (const id of watched.keys()) if (!folders.find(id)) void unwatch(id)
    },

    /** Returns an account's folders, oldest first. */
    list: (accountId: string): DropFolder[] =>
      folders
        .all()
        .filter((folder) => folder.accountId === accountId)
        .map(viewOf),

    /**
     * Watches a folder from now on. It sends nothing until that is allowed.
     * @param path absolute.
     * @param initialState paused: files in it wait until the user has chosen what they become.
     * @throws AppFailure `invalid` if it can't be a drop folder; `conflict` if it is watched already.
     */
    async add(accountId: string, path: string, initialState: 'watching' | 'paused' = 'watching'): Promise<DropFolder> {
      const place = await realpath(path).catch(() => fail('invalid', 'This folder can’t be read.'))
      await assertWatchable(place)
      const { id } = folders.add(newId(), accountId, place, initialState, time.now())
      if (isStarted) void watch(id).check()
      changed(id)
      return viewOf(folders.get(id))
    },

    /** @throws AppFailure `gone`; `invalid` if the preset belongs to another account. */
    change(id: string, { sends, presetId, paused }: Omit<DecodedInput<'dropFolders.change'>, 'id'>): DropFolder {
      const { accountId } = folders.get(id)
      if (presetId && presets.accountOf(presetId) !== accountId)
        fail('invalid', 'This preset belongs to another account.')
      const folder = folders.change(id, {
        ...defined({ sends, isPaused: paused }),
        ...(presetId !== undefined && { presetId: presetId ?? undefined })
      })
      watched.get(id)?.checkSoon()
      changed(id)
      return viewOf(folder)
    },

    /** Stops watching a folder, and leaves everything in it as it is. @throws AppFailure `gone`. */
    remove(id: string): void {
      folders.remove(id, time.now())
      void unwatch(id)
      changed(id)
    },

    /** @throws AppFailure `gone`. */
    accountOf: (id: string): string => folders.get(id).accountId,

    /** Returns what the files of a folder became, newest first. @throws AppFailure `gone`. */
    files(id: string, page: { offset: number; limit: number }): { files: DroppedFile[]; total: number } {
      const { taken, failed } = journal.tally(folders.get(id).id)
      return { files: journal.list(id, page), total: taken + failed }
    },

    /** Refused files that the desktop hasn't notified the user of. */
    refusals,

    refused: (accountId: string, page: { offset: number; limit: number }): RefusedFiles =>
      refusals.view(accountId, page),

    /** Dismisses a folder's refused files, up to the file `until`. @throws AppFailure `gone`. */
    dismissRefused(folderId: string, until: string): void {
      refusals.dismiss(folders.get(folderId).id, until)
      changed(folderId)
    },

    /** Returns the path of a folder, or of a file's report, for the main process only. @throws AppFailure `gone`. */
    pathOf(id: string): { path: string; accountId: string } {
      const entry = journal.find(id)
      const { place, accountId } = folders.get(entry?.folderId ?? id)
      if (!entry?.putAs) return { path: place, accountId }
      return { path: join(place, folderOf(entry), reportName(entry.putAs)), accountId }
    },

    /** Looks at a folder now; resolves once the files found are processed. */
    checkNow: (id: string): Promise<void> => watch(id).check()
  }
}

function isWithin(folder: string, path: string): boolean {
  const relativePath = relative(folder, path)
  return relativePath === '' || (!isAbsolute(relativePath) && relativePath !== '..' && !/^\.\.[\\/]/.test(relativePath))
}
