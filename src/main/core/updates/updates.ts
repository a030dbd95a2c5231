/**
 * Updates of Countersign itself: checks the organisation's feed, downloads a newer version when nothing would be
 * disturbed, and installs it when the application ends. Never during a counter session, a send or a download.
 */
import { z } from 'zod'
import type { AppError } from '../../../shared/contract/errors.ts'
import type { UpdateHindrance, UpdateState, UpdatesView } from '../../../shared/contract/updates.ts'
import { asAppError } from '../errors/app-error.ts'
import { fail } from '../lib/failure.ts'
import { type Time, throttled } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import { openJsonMeta } from '../storage/meta.ts'
import type { FeedConfig, Release } from './feed.ts'
import type { PackageUpdater } from './package-updater.ts'

interface UpdatesPolicy extends Omit<FeedConfig, 'channel'> {
  channel?: FeedConfig['channel'] | undefined
}

type Updater = Pick<PackageUpdater, 'check' | 'stage' | 'install' | 'installsAtQuit'>

export interface UpdatesDeps {
  db: Db
  time: Time
  log: Record<'info' | 'warn', (message: string, detail?: Record<string, unknown>) => void>
  /** The organisation's setting; null if it has turned updates off. */
  policy: () => UpdatesPolicy | null | undefined
  /** What an update would disturb now. */
  hindrance: () => UpdateHindrance | undefined
  /** Undefined if this installation can't update itself. */
  updater: ((place: FeedConfig) => Promise<Updater>) | undefined
  /** Build time of this version. */
  builtAt: number | undefined
  changed: () => void
}

/** The parts whose work an update must not disturb. */
export interface UndisturbedParts {
  counter: { isRunning(): boolean }
  outbox: { pending(): { sending: number; preparing: number } }
  actions: { pending(): { running: number } }
  downloads: { isFetching(): boolean }
}

/** Returns what an update would disturb now: of several, the one that matters most to a person. */
export function hindranceOf({ counter, outbox, actions, downloads }: UndisturbedParts): UpdateHindrance | undefined {
  if (counter.isRunning()) return 'counter'
  const { sending, preparing } = outbox.pending()
  if (sending + preparing + actions.pending().running > 0) return 'sending'
  return downloads.isFetching() ? 'downloads' : undefined
}

/** Delay until the first check after a start, and between checks, in milliseconds; random jitter up to doubles them. */
const FIRST_CHECK_DELAY = 60_000
const CHECK_INTERVAL = 4 * 3_600_000
/** Polling interval for whether hindering work has ended, in milliseconds. */
const HINDRANCE_POLL = 5_000
const PROGRESS_INTERVAL = 250

/**
 * Meta key for the newest release offered: an older one afterwards would mean that someone is withholding the newer
 * one.
 */
const KEY = 'newest-release-offered'
const Offered = z.object({ of: z.string(), releasedAt: z.number() })

export class Updates {
  readonly #deps: UpdatesDeps
  readonly #meta: ReturnType<typeof openJsonMeta>
  readonly #progress: ReturnType<typeof throttled>
  #update: UpdateState = { state: 'none' }
  /** Also identifies which feed a running check belongs to. */
  #config: FeedConfig | undefined
  #updater: Updater | undefined
  #checkedAt: number | undefined
  #problem: AppError | undefined
  #checking: Promise<void> | undefined
  #cancel: (() => void) | undefined
  /** The policy's update settings in effect, as JSON. */
  #policyJson: string | undefined
  #isStarted = false
  #isStopped = false

  constructor(deps: UpdatesDeps) {
    this.#deps = deps
    this.#meta = openJsonMeta(deps.db)
    this.#progress = throttled(deps.time, PROGRESS_INTERVAL, deps.changed)
    this.#applyPolicy()
  }

  view(): UpdatesView {
    const { builtAt } = this.#deps
    return {
      update: this.#update,
      ...(builtAt !== undefined && { builtAt }),
      ...(this.#checkedAt !== undefined && { checkedAt: this.#checkedAt }),
      ...(this.#problem && { problem: this.#problem })
    }
  }

  /** Checks regularly until `stop`. */
  start(): void {
    this.#isStarted = true
    this.#schedule(FIRST_CHECK_DELAY)
  }

  stop(): void {
    this.#isStopped = true
    this.#cancel?.()
    this.#progress.stop()
  }

  /** Call when the policy's feed may have changed. Discards what was downloaded from the previous one. */
  policyChanged(): void {
    const policyJson = JSON.stringify(this.#deps.policy())
    if (policyJson === this.#policyJson) return
    this.#applyPolicy()
    if (this.#isStarted) this.#schedule(FIRST_CHECK_DELAY)
  }

  /** Checks the feed now; the view has the result. Never rejects. */
  check(): Promise<void> {
    const config = this.#config
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined
      // If the first check of another feed came meanwhile, it only waited for this one.
      if (this.#config !== config) this.#schedule(FIRST_CHECK_DELAY)
      else if (this.#update.state !== 'waiting') this.#schedule(CHECK_INTERVAL)
    })
    return this.#checking
  }

  /** Checks whether the ready update may be installed now. @throws AppFailure `gone`, `busy` */
  checkMayInstall(): void {
    if (this.#update.state !== 'ready')
      fail('gone', 'No update is ready to be installed.', { next: 'Check for updates again.' })
    const hindrance = this.#deps.hindrance()
    if (hindrance) fail('busy', HINDRANCE_MESSAGES[hindrance])
  }

  /**
   * Installs a ready update. Called when the application has ended its work, with the database still open. Never
   * rejects.
   * @param why `restart`: the user asked for the update. `quit`: they only closed the application.
   * @returns whether this restarts the application.
   */
  async installAtEnd(why: 'restart' | 'quit'): Promise<boolean> {
    const { hindrance, log } = this.#deps
    if (this.#update.state !== 'ready' || !this.#updater) return false
    if ((why === 'quit' && !this.#updater.installsAtQuit) || hindrance()) return false
    const { newer } = this.#update
    try {
      const isInstalled = await this.#updater.install(why === 'restart')
      if (isInstalled) log.info('An update is being installed.', { version: newer })
      else log.warn('An update could not be installed.', { version: newer })
      return isInstalled && why === 'restart'
    } catch {
      log.warn('An update could not be installed.', { version: newer })
      return false
    }
  }

  #applyPolicy(): void {
    const policy = this.#deps.policy()
    this.#policyJson = JSON.stringify(policy)
    this.#config = this.#deps.updater && policy ? { ...policy, channel: policy.channel ?? 'latest' } : undefined
    this.#updater = undefined
    this.#problem = undefined
    if (this.#config) this.#setState({ state: 'none' })
    else if (!this.#deps.updater) this.#setState({ state: 'off', why: 'by-hand' })
    else this.#setState({ state: 'off', why: policy === null ? 'organisation' : 'not-set' })
  }

  async #check(): Promise<void> {
    const config = this.#config
    // An update that waits, is being downloaded or is ready comes first.
    if (!config || this.#update.state !== 'none') return
    this.#setState({ state: 'checking' })
    try {
      const updater = this.#updater ?? (await this.#deps.updater?.(config))
      // Opened for the feed of an earlier policy.
      if (this.#config !== config) return
      this.#updater = updater
      const release = await updater?.check()
      if (this.#config !== config) return
      if (release) this.#rejectOlder(release)
      this.#checkedAt = this.#deps.time.now()
      this.#problem = undefined
      if (updater && release) await this.#download(updater, release)
      else this.#setState({ state: 'none' })
    } catch (error) {
      this.#handleFailure(config, error)
    }
  }

  /** @throws AppFailure `bad-file` if the feed has already offered a release that was published later. */
  #rejectOlder({ releasedAt }: Release): void {
    const of = JSON.stringify(this.#config)
    const offered = this.#meta.read(KEY, Offered)
    if (offered?.of === of && releasedAt < offered.releasedAt) {
      fail('bad-file', 'The update feed offers an older version than it did before.', {
        next: 'Tell your administrator.'
      })
    }
    if (offered?.of !== of || releasedAt !== offered.releasedAt) this.#meta.write(KEY, { of, releasedAt })
  }

  /** Downloads the release, now or once nothing hinders it. */
  async #download(updater: Updater, release: Release): Promise<void> {
    const config = this.#config
    const { version: newer, size: total } = release
    const retry = () => void this.#download(updater, release).catch((error) => this.#handleFailure(config, error))
    if (this.#mustWait(newer, retry)) return
    this.#setState({ state: 'downloading', newer, done: 0, total })
    await updater.stage((done) => {
      if (this.#config !== config) return
      this.#update = { state: 'downloading', newer, done, total }
      this.#progress.request()
    })
    if (this.#config === config) this.#offer(updater, newer)
  }

  /** Offers the update once nothing hinders it. */
  #offer(updater: Updater, newer: string): void {
    if (this.#mustWait(newer, () => this.#offer(updater, newer))) return
    this.#deps.log.info('An update is ready.', { version: newer })
    this.#setState({ state: 'ready', newer, atQuit: updater.installsAtQuit })
  }

  /** Returns whether to wait, because work is in progress (then `retry` is called later) or the application ends. */
  #mustWait(newer: string, retry: () => void): boolean {
    const hindrance = this.#deps.hindrance()
    if (!hindrance || this.#isStopped) return this.#isStopped
    this.#setState({ state: 'waiting', for: hindrance, newer })
    const config = this.#config
    this.#cancel?.()
    this.#cancel = this.#deps.time.after(HINDRANCE_POLL, () => {
      if (this.#config === config) retry()
    })
    return true
  }

  #handleFailure(config: FeedConfig | undefined, error: unknown): void {
    if (this.#config !== config) return
    this.#problem = asAppError(error)
    this.#deps.log.warn('An update was not taken.', { code: this.#problem.code })
    this.#setState({ state: 'none' })
    this.#schedule(CHECK_INTERVAL)
  }

  #schedule(wait: number): void {
    this.#cancel?.()
    if (this.#isStopped || !this.#config) return
    const { time } = this.#deps
    this.#cancel = time.after(wait * (1 + time.random()), () => void this.check())
  }

  #setState(update: UpdateState): void {
    if (JSON.stringify(update) === JSON.stringify(this.#update)) return
    this.#update = update
    this.#deps.changed()
  }
}

const HINDRANCE_MESSAGES: Readonly<Record<UpdateHindrance, string>> = {
  counter: 'Someone is signing at the counter.',
  sending: 'A package is being sent.',
  downloads: 'Files are being downloaded.'
}
