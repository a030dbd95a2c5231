/**
 * One watched folder: checked regularly, and when the system reports a change. If the folder is missing, it is looked
 * for again, and nothing is concluded about the files in it.
 */

import { watch } from 'chokidar'
import type { DropFolder } from '../../../shared/contract/index.ts'
import { SerialTask } from '../jobs/lanes.ts'
import type { Time } from '../lib/time.ts'
import { openArchiveRecheck } from './archive.ts'
import { filesIn } from './dropped-file.ts'
import { type FileProcessingDeps, type Outcome, openFileProcessing } from './file-processing.ts'
import type { Folder } from './folders.ts'
import { isFolder, removeUnfinishedReports } from './own-folders.ts'
import { LONG_STABLE_AFTER, STABLE_AFTER, StableFiles } from './stable-file.ts'

/** How long until the next check if no change is reported, in milliseconds. */
const CHECK_INTERVAL = 30_000
/** How soon to check after a change, in milliseconds, so that many events cause one check. */
const SOON = 250
/** How many checks in a row to spend on files that keep changing before moving on to others. */
const MAX_FRUITLESS_CHECKS = 30
/** How long a network disk may take to respond at all, in milliseconds. */
const TIMEOUT = 15_000
export type FolderState = Exclude<DropFolder['state'], 'paused'>

export interface WatchedFolderDeps extends Omit<FileProcessingDeps, 'current' | 'isWanted' | 'time'> {
  /** Returns its current settings; undefined once it isn't watched any more. */
  folder: () => Folder | undefined
  listen: ListenToFolder
  time: Time
}

export type WatchedFolder = ReturnType<typeof openWatchedFolder>

export function openWatchedFolder({ folder: current, listen, ...deps }: WatchedFolderDeps) {
  const stableFiles = new StableFiles(deps.time)
  const recheckAll = openArchiveRecheck(deps)
  let nextName: string | undefined
  let fruitless = 0
  let state: FolderState = 'watching'
  let isStopped = false
  let isClean = false
  let isCheckRequested = false
  let nextDelay = CHECK_INTERVAL
  let unlisten: (() => void) | undefined

  const isWanted = () => !isStopped && current()?.isPaused === false
  const processing = openFileProcessing({ ...deps, current, isWanted })

  function setState(next: FolderState): void {
    if (next === state) return
    state = next
    deps.changed()
  }

  /** Never rejects. */
  const checks = new SerialTask(deps.time, checkAndReport, () => {
    if (!isStopped) checks.schedule(isCheckRequested ? SOON : nextDelay)
    isCheckRequested = false
  })

  async function checkAndReport(): Promise<void> {
    nextDelay = CHECK_INTERVAL
    await checkOnce().then((delay) => (nextDelay = delay), deps.onError)
  }

  function folderChanged(): void {
    if (checks.isRunning) isCheckRequested = true
    else if (!isStopped) checks.schedule(SOON)
  }

  /** Returns how long until the next check. */
  async function checkOnce(): Promise<number> {
    const folder = current()
    if (!folder || folder.isPaused) {
      await processing.releaseClaims()
      return CHECK_INTERVAL
    }
    const { place } = folder
    const found = await listFiles(place)
    if (!found) {
      setState('missing')
      unlisten?.()
      unlisten = undefined
      return CHECK_INTERVAL
    }
    unlisten ??= listen(place, folderChanged)
    await cleanOnce(place)
    const outcomes = new Set<Outcome>(await processing.resumeUnfinished(folder))
    const { stable, isMoving } = stableFiles.record(found.files, folder.sends ? LONG_STABLE_AFTER : STABLE_AFTER)
    let claimed = 0
    for (const stat of stable) {
      const now = current()
      if (!now || !isWanted()) break
      const outcome = await processing.claim(now, stat)
      if (outcome === 'moving') claimed += 1
      outcomes.add(outcome)
    }
    // Files that can't be taken must not block the rest.
    if (claimed > 0) fruitless = 0
    else if (!isMoving || ++fruitless >= MAX_FRUITLESS_CHECKS) {
      nextName = found.next
      fruitless = 0
    }
    if (await recheckAll(place, folder.id, isWanted)) outcomes.add('moving')
    await deps.fileImport.releaseWorker()
    setState(outcomes.has('stuck') ? 'not-writable' : 'watching')
    return isMoving || outcomes.has('moving') || nextName !== undefined ? STABLE_AFTER + SOON : CHECK_INTERVAL
  }

  /** Returns the files in the folder; undefined if it isn't there. */
  async function listFiles(place: string): Promise<Awaited<ReturnType<typeof filesIn>> | undefined> {
    const cancel = deps.time.after(TIMEOUT, () => setState('missing'))
    try {
      return (await isFolder(place)) ? await filesIn(place, nextName) : undefined
    } catch {
      return undefined
    } finally {
      cancel()
    }
  }

  /** Removes half-written reports of a killed run. */
  async function cleanOnce(place: string): Promise<void> {
    if (isClean) return
    isClean = true
    for (const name of ['done', 'failed']) await removeUnfinishedReports(place, name, deps.time.now())
  }

  return {
    state: (): FolderState => state,
    /** Checks now; if a check is in progress, checks again after it. Never rejects. */
    check(): Promise<void> {
      if (isStopped) return checks.whenIdle()
      if (checks.isRunning) isCheckRequested = true
      return checks.run()
    },
    checkSoon: folderChanged,
    /**
     * Stops watching. Resolves once the file in progress is processed, and files that were only claimed are back where
     * they were dropped.
     */
    async stop(): Promise<void> {
      isStopped = true
      unlisten?.()
      unlisten = undefined
      await checks.close()
      await processing.releaseClaims()
    }
  }
}

/** Returns a function that stops listening. */
export type ListenToFolder = (place: string, onChange: () => void) => () => void

export const listenToFolder: ListenToFolder = (place, onChange) => {
  const watcher = watch(place, {
    depth: 0,
    ignoreInitial: true,
    followSymlinks: false,
    ignorePermissionErrors: true,
    ignored: (path) => /[\\/](?:\.[^\\/]*|done|failed)$/.test(path) && path !== place
  })
  watcher.on('all', onChange)
  // What the system doesn't report is found by checking.
  watcher.on('error', () => undefined)
  return () => void watcher.close().catch(() => undefined)
}
