/** How the package that this runs from takes updates, if it does: as it was installed. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { app } from 'electron'
import { getAppCacheDir } from 'electron-updater/out/AppAdapter.js'
import type { FeedDeps, PackageKind } from '../core/updates/feed.ts'
import type { UpdatesDeps } from '../core/updates/updates.ts'

declare const BUILT_AT_MS: number | undefined
/** When this version was built, in milliseconds since 1970; where sources run as they are, when they began to. */
export const BUILT_AT = typeof BUILT_AT_MS === 'undefined' ? Date.now() : BUILT_AT_MS

/** What only sources take, which nobody installs: as which kind of package they update themselves. */
const AS_PACKAGE = '--package-type='

/** Makes what updates this package; undefined for one that only people replace: an MSI, a disk image that was opened, sources. */
export function updaterHere(deps: Pick<FeedDeps, 'fetch' | 'time'>): UpdatesDeps['updater'] {
  const kind = kindOfPackage()
  if (!kind) return undefined
  const userDataPath = app.getPath('userData')
  return async (place) => {
    // Loaded only where a feed is named.
    const { PackageUpdater } = await import('../core/updates/package-updater.ts')
    return new PackageUpdater({
      ...{ ...deps, place, target: { platform: process.platform, arch: process.arch, kind } },
      app: {
        ...{ version: app.getVersion(), name: app.getName(), isPackaged: true, userDataPath },
        appUpdateConfigPath: join(app.isPackaged ? process.resourcesPath : userDataPath, 'app-update.yml'),
        baseCachePath: app.isPackaged ? getAppCacheDir() : userDataPath,
        whenReady: () => app.whenReady(),
        relaunch: () => app.relaunch(),
        quit: () => app.quit(),
        onQuit: (handler) => void app.once('quit', (_event, exitCode) => handler(exitCode))
      }
    })
  }
}

function kindOfPackage(): PackageKind | undefined {
  if (!app.isPackaged) {
    const given = process.argv.find((argument) => argument.startsWith(AS_PACKAGE))?.slice(AS_PACKAGE.length)
    return given === 'deb' || given === 'rpm' ? given : undefined
  }
  if (process.platform === 'darwin') return 'mac'
  // What the other installer leaves beside the program, to remove it by.
  if (process.platform === 'win32') {
    return existsSync(join(dirname(app.getPath('exe')), `Uninstall ${app.getName()}.exe`)) ? 'nsis' : undefined
  }
  const path = join(process.resourcesPath, 'package-type')
  const type = existsSync(path) ? readFileSync(path, 'utf8').trim() : ''
  return type === 'deb' || type === 'rpm' ? type : undefined
}
