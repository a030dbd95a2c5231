/**
 * One folder that is watched: looked at now and then, and when the system says that something happened. A folder that isn't
 * there is looked for again, and means nothing for what was in it.
 */
import type { DropFolder } from '../../../shared/contract/index.ts'
import { sightingsIn } from './dropped-file.ts'
import type { ListenToFolder } from './folder-events.ts'
import type { Folder } from './folders.ts'
import { isFolder, removeUnfinishedReports } from './own-folders.ts'
import { openSettling } from './settling.ts'
import { LONG_STILL_FOR, openStillness, STILL_FOR } from './stillness.ts'
import { type Outcome, openTaking, type TakingParts } from './taking.ts'

/** How long until the next look where nothing is told, in milliseconds. */
const LOOK_EVERY = 30_000
/** How soon after something happened, so that many events make one look. */
const SOON = 250
/** So many looks at files that never rest are enough, where there are others. */
const MOST_FRUITLESS = 30
/** A network disk may take this long to say anything at all. */
const PATIENCE = 15_000
export type FolderState = Exclude<DropFolder['state'], 'paused'>

export interface WatchedFolderParts extends Omit<TakingParts, 'current' | 'isWanted'> {
  /** As it is kept now; undefined once it isn't watched any more. */
  folder: () => Folder | undefined
  listen: ListenToFolder
  schedule: (task: () => void, delay: number) => () => void
}

export type WatchedFolder = ReturnType<typeof openWatchedFolder>

export function openWatchedFolder({ folder: current, listen, schedule, ...parts }: WatchedFolderParts) {
  const stillness = openStillness(parts.elapsed)
  const settleAll = openSettling(parts)
  let from: string | undefined
  let fruitless = 0
  let state: FolderState = 'watching'
  let isStopped = false
  let isClean = false
  let looking: Promise<void> | undefined
  let isAskedAgain = false
  let unlisten: (() => void) | undefined
  let cancelNext = () => {}

  const isWanted = () => !isStopped && current()?.isPaused === false
  const taking = openTaking({ ...parts, current, isWanted })

  function become(next: FolderState): void {
    if (next === state) return
    state = next
    parts.changed()
  }

  function lookIn(delay: number): void {
    cancelNext()
    if (!isStopped) cancelNext = schedule(() => void look(), delay)
  }

  function happened(): void {
    if (looking) isAskedAgain = true
    else lookIn(SOON)
  }

  /** Looks now; while a look is under way, once more after it. Never rejects. */
  function look(): Promise<void> {
    if (isStopped) return looking ?? Promise.resolve()
    if (looking) {
      isAskedAgain = true
      return looking
    }
    cancelNext()
    const mine = lookOnce()
      .catch((error: unknown) => {
        parts.trouble(error)
        return LOOK_EVERY
      })
      .then((delay) => {
        looking = undefined
        lookIn(isAskedAgain ? SOON : delay)
        isAskedAgain = false
      })
    looking = mine
    return mine
  }

  /** Answers how long until the next look. */
  async function lookOnce(): Promise<number> {
    const folder = current()
    if (!folder || folder.isPaused) {
      await taking.giveBack()
      return LOOK_EVERY
    }
    const { place } = folder
    const found = await sightings(place)
    if (!found) {
      become('missing')
      unlisten?.()
      unlisten = undefined
      return LOOK_EVERY
    }
    unlisten ??= listen(place, happened)
    await cleanOnce(place)
    const outcomes = new Set<Outcome>(await taking.goOn(folder))
    const { still, isMoving } = stillness.look(found.sightings, folder.sends ? LONG_STILL_FOR : STILL_FOR)
    let claimed = 0
    for (const sighting of still) {
      const now = current()
      if (!now || !isWanted()) break
      const outcome = await taking.claim(now, sighting)
      if (outcome === 'moving') claimed += 1
      outcomes.add(outcome)
    }
    // What can't be taken must not keep the rest from its turn.
    if (claimed > 0) fruitless = 0
    else if (!isMoving || ++fruitless >= MOST_FRUITLESS) {
      from = found.next
      fruitless = 0
    }
    if (await settleAll(place, folder.id, isWanted)) outcomes.add('moving')
    await parts.making.rest()
    become(outcomes.has('stuck') ? 'not-writable' : 'watching')
    return isMoving || outcomes.has('moving') || from !== undefined ? STILL_FOR + SOON : LOOK_EVERY
  }

  /** What is in the folder; undefined where it isn't there. */
  async function sightings(place: string): Promise<Awaited<ReturnType<typeof sightingsIn>> | undefined> {
    const cancel = schedule(() => become('missing'), PATIENCE)
    try {
      return (await isFolder(place)) ? await sightingsIn(place, from) : undefined
    } catch {
      return undefined
    } finally {
      cancel()
    }
  }

  /** What a run that was killed left of reports half-written. */
  async function cleanOnce(place: string): Promise<void> {
    if (isClean) return
    isClean = true
    for (const name of ['done', 'failed']) await removeUnfinishedReports(place, name, parts.clock())
  }

  return {
    state: (): FolderState => state,
    look,
    /** Looks soon: it was set otherwise. */
    soon: happened,
    /** Resolves when the file that is being taken is done with, and what was only claimed is where it was dropped. */
    async stop(): Promise<void> {
      isStopped = true
      cancelNext()
      unlisten?.()
      unlisten = undefined
      await looking
      await taking.giveBack()
    }
  }
}
