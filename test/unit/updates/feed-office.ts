/** An office that gets updates of a deb from a real feed on 127.0.0.1, as its policy says. */
import { EventEmitter, once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import type { Fetch } from '../../../src/main/core/service/index.ts'
import type { FeedConfig } from '../../../src/main/core/updates/feed.ts'
import { PackageUpdater } from '../../../src/main/core/updates/package-updater.ts'
import {
  hindranceOf,
  type UndisturbedParts,
  Updates,
  type UpdatesDeps
} from '../../../src/main/core/updates/updates.ts'
import type { UpdateHindrance } from '../../../src/shared/contract/updates.ts'
import { testTime } from '../../fixtures/own-time.ts'
import { openUpdateFeed, type Release } from '../../fixtures/update-feed.ts'
import { database } from '../counter-settings/office.ts'
import { temporaryFolder } from '../storage/folders.ts'

export const READY = { state: 'ready', newer: '1.1.0', atQuit: false }

/**
 * @param parts what decides whether an update has to wait, instead of `busyWith`.
 * @param opening resolves when an updater may be opened.
 */
export async function office({
  version = '1.0.0',
  channel = 'latest' as FeedConfig['channel'],
  through = fetch as Fetch,
  parts = undefined as UndisturbedParts | undefined,
  opening = async () => undefined as unknown
} = {}) {
  const feed = await openUpdateFeed()
  onTestFinished(feed.close)
  const folder = temporaryFolder()
  writeFileSync(
    join(folder, 'app-update.yml'),
    'provider: generic\nurl: http://127.0.0.1:1/\nupdaterCacheDirName: cache\n'
  )
  const time = testTime()
  const log: string[] = []
  const organisation = {
    policy: { feed: feed.address, key: feed.key, channel } as ReturnType<UpdatesDeps['policy']>
  }
  let hindrance: UpdateHindrance | undefined
  const db = database()
  const installed: string[] = []
  const happened = new EventEmitter()

  function start() {
    const run = time.run()
    const updates = new Updates({
      db,
      time: run,
      log: { info: (message) => void log.push(message), warn: (message) => void log.push(message) },
      policy: () => organisation.policy,
      hindrance: () => (parts ? hindranceOf(parts) : hindrance),
      async updater(config) {
        await opening()
        return new PackageUpdater({
          config,
          time: run,
          fetch: through,
          target: { platform: 'linux', arch: 'x64', kind: 'deb' },
          app: {
            version,
            name: 'Countersign',
            isPackaged: true,
            userDataPath: folder,
            baseCachePath: folder,
            appUpdateConfigPath: join(folder, 'app-update.yml'),
            whenReady: async () => undefined,
            relaunch: () => void installed.push('started again'),
            quit: () => undefined,
            onQuit: () => undefined
          }
        })
      },
      builtAt: undefined,
      changed: () => void happened.emit('changed')
    })
    onTestFinished(() => updates.stop())
    return updates
  }

  const cache = join(folder, 'cache', 'pending')
  return {
    feed,
    time,
    organisation,
    log,
    start,
    installed,
    folder,
    updates: start(),
    busyWith(what: UpdateHindrance | undefined) {
      hindrance = what
    },
    publish: (release: Partial<Release> = {}) => feed.publish({ version: '1.1.0', ...release }),
    /** Waits until an update is ready. */
    async isReady(updates: Updates) {
      while (updates.view().update.state !== 'ready') await once(happened, 'changed')
    },
    /** Returns the files of any update on disk. */
    storedFiles: () => (existsSync(cache) ? readdirSync(cache).filter((name) => name !== 'update-info.json') : [])
  }
}

/** Installs a fake `dpkg`. Returns a function giving what it was asked to install. */
export function withDpkg(exitCode = 0): () => string {
  const folder = temporaryFolder()
  const log = join(folder, 'said')
  for (const name of ['dpkg', 'apt-get', 'pkexec']) {
    const script = `#!/bin/sh\necho "${name} $@" >> ${log}\n[ ${name} = pkexec ] && shift && exec "$@"\nexit ${exitCode}\n`
    writeFileSync(join(folder, name), script, { mode: 0o755 })
  }
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  return () => (existsSync(log) ? readFileSync(log, 'utf8') : '')
}
