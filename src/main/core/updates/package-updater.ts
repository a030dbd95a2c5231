/**
 * Wraps electron-updater, which can replace the running version for each package type. It reads and downloads only
 * through the signed feed; its own network, staging id and differential downloads aren't used.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import {
  type AppUpdater,
  DebUpdater,
  MacUpdater,
  NsisUpdater,
  Provider,
  type ResolvedUpdateFileInfo,
  RpmUpdater,
  type UpdateInfo
} from 'electron-updater'
import type { AppAdapter } from 'electron-updater/out/AppAdapter.js'
import { type ProviderRuntimeOptions, parseUpdateInfo } from 'electron-updater/out/providers/Provider.js'
import { Feed, type FeedDeps, type PackageKind, type Release } from './feed.ts'

export interface PackageUpdaterDeps extends Omit<FeedDeps, 'parse'> {
  /** The part of Electron's `app` that it needs. */
  app: AppAdapter
}

const UPDATERS = { nsis: NsisUpdater, deb: DebUpdater, rpm: RpmUpdater }

export class PackageUpdater {
  readonly #kind: PackageKind
  readonly #feed: Feed
  readonly #updater: AppUpdater
  #release: Release | undefined
  #path: string | undefined
  #onProgress: (bytes: number) => void = () => undefined

  constructor({ app, ...deps }: PackageUpdaterDeps) {
    const { kind } = deps.target
    const feed = new Feed({ ...deps, parse: (text) => parseUpdateInfo(text, '', new URL('feed:')) })
    this.#kind = kind
    this.#feed = feed
    this.#updater = kind === 'mac' ? new MacUpdater(undefined, app) : new UPDATERS[kind](undefined, app)
    const newest = async () => {
      this.#release = await feed.newest()
      return this.#release
    }
    Object.assign(this.#updater, {
      // Its log would contain addresses and paths.
      logger: null,
      autoDownload: false,
      // On macOS, the system installs the update when the application quits; elsewhere `install` does.
      autoInstallOnAppQuit: kind === 'mac',
      allowDowngrade: false,
      disableDifferentialDownload: true,
      disableWebInstaller: true,
      httpExecutor: { download: (_url: URL, path: string) => this.#download(path) }
    })
    // Every error also rejects the call that caused it.
    this.#updater.on('error', () => undefined)
    this.#updater.setFeedURL({ provider: 'custom', updateProvider: signedProvider(newest, feed) })
  }

  /** Whether it can install at a normal quit: no password is needed. */
  get installsAtQuit(): boolean {
    return this.#kind === 'mac' || (this.#kind === 'nsis' && !this.#release?.needsAdministrator)
  }

  /** Returns a newer release, if any. @throws as `Feed.newest` */
  async check(): Promise<Release | undefined> {
    const found = await this.#updater.checkForUpdates()
    return found?.isUpdateAvailable ? this.#release : undefined
  }

  /** Downloads and verifies the release that `check` found. @throws as `Feed.download` */
  async stage(onProgress: (bytes: number) => void): Promise<void> {
    this.#onProgress = onProgress
    const [path] = await this.#updater.downloadUpdate()
    this.#path = path
  }

  /**
   * Installs the staged update if it still matches its signed hash. The last step before the application ends.
   * @param restarts whether to start the new version, too.
   * @returns whether it is installed, or will be once this process has ended.
   */
  async install(restarts: boolean): Promise<boolean> {
    if (!this.#path || !this.#release || (await sha512Of(this.#path)) !== this.#release.sha512) return false
    if (this.#updater instanceof MacUpdater) {
      if (restarts) this.#updater.quitAndInstall()
      return true
    }
    return (this.#updater as NsisUpdater).install(!restarts, restarts)
  }

  async #download(path: string): Promise<void> {
    if (this.#release) await this.#feed.download(this.#release, path, this.#onProgress)
  }
}

/**
 * Creates the provider that electron-updater asks for the newest release and its file. electron-updater instantiates
 * it, with some unused arguments.
 */
function signedProvider(newest: () => Promise<Release>, feed: Pick<Feed, 'addressOf'>) {
  return class extends Provider<UpdateInfo> {
    // The inherited constructor isn't public.
    constructor(_options: unknown, _updater: unknown, runtime: ProviderRuntimeOptions) {
      super(runtime)
    }

    async getLatestVersion(): Promise<UpdateInfo> {
      const { version, name, sha512, size, needsAdministrator, releasedAt } = await newest()
      const file = { url: name, sha512, size, isAdminRightsRequired: needsAdministrator }
      return { version, files: [file], path: name, sha512, releaseDate: new Date(releasedAt).toISOString() }
    }

    resolveFiles({ files }: UpdateInfo): ResolvedUpdateFileInfo[] {
      return files.map((info) => ({ url: feed.addressOf({ name: info.url }), info }))
    }
  }
}

async function sha512Of(path: string): Promise<string> {
  const hash = createHash('sha512')
  await pipeline(createReadStream(path), hash)
  return hash.digest('base64')
}
