/** How this package takes updates, if it does: by the way it was installed. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { app } from 'electron'
import { getAppCacheDir } from 'electron-updater/out/AppAdapter.js'
import type { FeedDeps, PackageKind } from '../core/updates/feed.ts'
import type { UpdatesDeps } from '../core/updates/updates.ts'

declare const BUILT_AT_MS: number | undefined
/** When this version was built, in milliseconds since 1970; when running from source, when it started. */
export const BUILT_AT = typeof BUILT_AT_MS === 'undefined' ? Date.now() : BUILT_AT_MS

/** Works only when running from source: the kind of package to update as. */
const PACKAGE_TYPE_SWITCH = '--package-type='

/**
 * Creates this package's updater; undefined for one that only people replace: an MSI, an opened disk image, or source.
 */
export function openUpdater(deps: Pick<FeedDeps, 'fetch' | 'time'>): UpdatesDeps['updater'] {
  const kind = kindOfPackage()
  if (!kind) return undefined
  const userDataPath = app.getPath('userData')
  return async (config) => {
    // Loaded only if a feed is configured.
    const { PackageUpdater } = await import('../core/updates/package-updater.ts')
    return new PackageUpdater({
      ...deps,
      config,
      target: { platform: process.platform, arch: process.arch, kind },
      app: {
        version: app.getVersion(),
        name: app.getName(),
        isPackaged: true,
        userDataPath,
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
    const given = process.argv
      .find((argument) => argument.startsWith(PACKAGE_TYPE_SWITCH))
      ?.slice(PACKAGE_TYPE_SWITCH.length)
    return given === 'deb' || given === 'rpm' ? given : undefined
  }
  if (process.platform === 'darwin') return 'mac'
  // The NSIS installer puts its uninstaller next to the program.
  if (process.platform === 'win32') {
    return existsSync(join(dirname(app.getPath('exe')), `Uninstall ${app.getName()}.exe`)) ? 'nsis' : undefined
  }
  const path = join(process.resourcesPath, 'package-type')
  const type = existsSync(path) ? readFileSync(path, 'utf8').trim() : ''
  return type === 'deb' || type === 'rpm' ? type : undefined
}
