/** An office with one drop folder, where the test controls time, and which can be killed and restarted. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { DropFolder } from '../../../src/shared/contract/index.ts'
import { ACCOUNT, openDropFolderOffice } from '../../fixtures/drop-folder-office.ts'
import { temporaryFolder } from '../storage/folders.ts'

type Options = Parameters<typeof openDropFolderOffice>[0]

export async function aPlace(options: Partial<Options> & { place?: string } = {}) {
  const folder = temporaryFolder()
  const place = options.place ?? join(folder, 'Dropped')
  mkdirSync(place, { recursive: true })
  const time = { now: Date.UTC(2026, 10, 21, 9), elapsed: 0 }
  const run = (more: Partial<Options> = {}) =>
    openDropFolderOffice({
      folder,
      clock: () => time.now,
      elapsed: () => time.elapsed,
      schedule: () => () => undefined,
      ...options,
      ...more
    })
  let office = run()
  onTestFinished(() => office.kill())
  let watched: DropFolder = await office.dropFolders.add(ACCOUNT, place)

  function pass(milliseconds: number) {
    time.elapsed += milliseconds
    time.now += milliseconds
  }

  return {
    folder,
    place,
    time,
    get office() {
      return office
    },
    get id() {
      return watched.id
    },
    /** Kills the application and restarts it. */
    startAgain(more: Partial<Options> = {}) {
      office.kill()
      office = run(more)
      return office
    },
    drop: (name: string, content: string | Uint8Array) => writeFileSync(join(place, name), content),
    /**
     * Checks three times, with files unchanged for long enough in between: the second check claims them, the third
     * processes them.
     */
    async check(milliseconds = 31_000) {
      await office.dropFolders.checkNow(watched.id)
      for (let more = 0; more < 2; more++) {
        pass(milliseconds)
        await office.dropFolders.checkNow(watched.id)
      }
    },
    /** Checks once, then lets time pass. */
    async glance(milliseconds: number) {
      await office.dropFolders.checkNow(watched.id)
      pass(milliseconds)
    },
    pass,
    change(change: Parameters<typeof office.dropFolders.change>[1]) {
      watched = office.dropFolders.change(watched.id, change)
    },
    view: () => office.dropFolders.list(ACCOUNT)[0] as DropFolder,
    files: () => office.dropFolders.files(watched.id, { offset: 0, limit: 500 }).files,
    /** Returns the names of claimed files not yet moved away, without their ids, sorted. */
    claimed: () => namesIn(join(place, '.countersign')).map((name) => name.slice(37)),
    /** Returns the names of files in the folder, or in a subfolder, sorted. */
    names: (sub = '.') => namesIn(join(place, sub)),
    report: (name: string, sub: 'done' | 'failed' = 'done') =>
      readFileSync(join(place, sub, `${name}.report.txt`), 'utf8')
  }
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map(({ name }) => name)
      .sort()
  } catch {
    return []
  }
}
