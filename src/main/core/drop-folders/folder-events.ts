/** Hears from the system that something happened in a folder. It only hastens the next look: network disks often say nothing. */
import { watch } from 'chokidar'

/** Answers how to stop listening. */
export type ListenToFolder = (place: string, happened: () => void) => () => void

export const listenToFolder: ListenToFolder = (place, happened) => {
  const watcher = watch(place, {
    depth: 0,
    ignoreInitial: true,
    followSymlinks: false,
    ignorePermissionErrors: true,
    ignored: (path) => /[\\/](?:\.[^\\/]*|done|failed)$/.test(path) && path !== place
  })
  watcher.on('all', happened)
  // What the system can't tell is found by looking.
  watcher.on('error', () => undefined)
  return () => void watcher.close().catch(() => undefined)
}
