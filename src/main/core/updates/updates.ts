/**
 * Updates of Countersign itself: checks the organisation's feed, downloads a newer version when nothing would be
 * disturbed, and installs it when the application ends. Never during a counter session, a send or a download.
 */
import { z } from 'zod'
import type { AppError } from '../../../shared/contract/errors.ts'
import type { UpdateHindrance, UpdateState, UpdatesView } from '../../../shared/contract/updates.ts'
import { fail } from '../lib/failure.ts'
import { type Time, throttled } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import { keptIn } from '../storage/meta.ts'
import type { FeedPlace, Release } from './feed.ts'
import type { PackageUpdater } from './package-updater.ts'

interface UpdatesPolicy extends Omit<FeedPlace, 'channel'> {
  channel?: FeedPlace['channel'] | undefined
}

type Updater = Pick<PackageUpdater, 'look' | 'stage' | 'install' | 'installsAtQuit'>

export interface UpdatesDeps {
  db: Db
  time: Time
  log: Record<'info' | 'warn', (message: string, detail?: Record<string, unknown>) => void>
  /** The organisation's setting; null if it has turned updates off. */
  policy: () => UpdatesPolicy | null | undefined
  /** What an update would disturb now. */
  hindrance: () => UpdateHindrance | undefined
  /** Undefined if this installation can't update itself. */
  updater: ((place: FeedPlace) => Promise<Updater>) | undefined
  describe: (error: unknown) => AppError
  /** Build time of this version. */
  builtAt: number | undefined
  changed: () => void
}

/** Delay until the first check after a start, and between checks, in milliseconds; random jitter up to doubles them. */
const FIRST = 60_000
const AGAIN = 4 * 3_600_000
/** Polling interval for whether hindering work has ended, in milliseconds. */
const QUIET_LOOK = 5_000
const PROGRESS = 250

/**
 * Meta key for the newest release offered: an older one afterwards would mean that someone is withholding the newer
 * one.
 */
const KEY = 'newest-release-offered'
const Offered = z.object({ of: z.string(), releasedAt: z.number() })

export class Updates {
  readonly #deps: UpdatesDeps
  readonly #meta: ReturnType<typeof keptIn>
  readonly #progressed: ReturnType<typeof throttled>
  #update: UpdateState = { state: 'none' }
  /** Also identifies which feed a running check belongs to. */
  #place: FeedPlace | undefined
  #updater: Updater | undefined
  #checkedAt: number | undefined
  #problem: AppError | undefined
  #looking: Promise<void> | undefined
  #cancel: (() => void) | undefined
  /** The policy's update settings in effect, as JSON. */
  #named: string | undefined
  #isStarted = false
  #isStopped = false

  constructor(deps: UpdatesDeps) {
    this.#deps = deps
    this.#meta = keptIn(deps.db)
    this.#progressed = throttled(deps.time, PROGRESS, deps.changed)
    this.#takePolicy()
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
    this.#later(FIRST)
  }

  stop(): void {
    this.#isStopped = true
    this.#cancel?.()
    this.#progressed.stop()
  }

  /** Call when the policy's feed may have changed. Discards what was downloaded from the previous one. */
  policyChanged(): void {
    const named = JSON.stringify(this.#deps.policy())
    if (named === this.#named) return
    this.#takePolicy()
    if (this.#isStarted) this.#later(FIRST)
  }

  /** Checks the feed now; the view has the result. Never rejects. */
  check(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
      if (this.#update.state !== 'waiting') this.#later(AGAIN)
    })
    return this.#looking
  }

  /** Checks whether the ready update may be installed now. @throws AppFailure `gone`, `busy` */
  checkMayInstall(): void {
    if (this.#update.state !== 'ready')
      fail('gone', 'No update is ready to be installed.', { next: 'Check for updates again.' })
    const hindrance = this.#deps.hindrance()
    if (hindrance) fail('busy', UNDER_WAY[hindrance])
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

  #takePolicy(): void {
    const policy = this.#deps.policy()
    this.#named = JSON.stringify(policy)
    this.#place = this.#deps.updater && policy ? { ...policy, channel: policy.channel ?? 'latest' } : undefined
    this.#updater = undefined
    this.#problem = undefined
    if (this.#place) this.#put({ state: 'none' })
    else if (!this.#deps.updater) this.#put({ state: 'off', why: 'by-hand' })
    else this.#put({ state: 'off', why: policy === null ? 'organisation' : 'not-set' })
  }

  async #look(): Promise<void> {
    const place = this.#place
    // A download in progress or a ready update comes first.
    if (!place || !['none', 'waiting'].includes(this.#update.state)) return
    this.#put({ state: 'checking' })
    try {
      this.#updater ??= await this.#deps.updater?.(place)
      const updater = this.#updater
      const release = await updater?.look()
      if (this.#place !== place) return
      if (release) this.#insistOnNewest(release)
      this.#checkedAt = this.#deps.time.now()
      this.#problem = undefined
      if (updater && release) await this.#bring(updater, release)
      else this.#put({ state: 'none' })
    } catch (error) {
      this.#failed(place, error)
    }
  }

  /** @throws AppFailure `bad-file` if the feed has already offered a release that was published later. */
  #insistOnNewest({ releasedAt }: Release): void {
    const of = JSON.stringify(this.#place)
    const offered = this.#meta.read(KEY, Offered)
    if (offered?.of === of && releasedAt < offered.releasedAt) {
      fail('bad-file', 'The update feed offers an older version than it did before.', {
        next: 'Tell your administrator.'
      })
    }
    if (offered?.of !== of || releasedAt !== offered.releasedAt) this.#meta.write(KEY, { of, releasedAt })
  }

  /** Downloads the release, now or once nothing hinders it. */
  async #bring(updater: Updater, release: Release): Promise<void> {
    const place = this.#place
    const { version: newer, size: total } = release
    const again = () => void this.#bring(updater, release).catch((error) => this.#failed(place, error))
    if (this.#waits(newer, again)) return
    this.#put({ state: 'downloading', newer, done: 0, total })
    await updater.stage((done) => {
      if (this.#place !== place) return
      this.#update = { state: 'downloading', newer, done, total }
      this.#progressed.ask()
    })
    if (this.#place === place) this.#offer(updater, newer)
  }

  /** Offers the update once nothing hinders it. */
  #offer(updater: Updater, newer: string): void {
    if (this.#waits(newer, () => this.#offer(updater, newer))) return
    this.#deps.log.info('An update is ready.', { version: newer })
    this.#put({ state: 'ready', newer, atQuit: updater.installsAtQuit })
  }

  /** Returns whether to wait, because work is in progress (then `again` is called later) or the application ends. */
  #waits(newer: string, again: () => void): boolean {
    const hindrance = this.#deps.hindrance()
    if (!hindrance || this.#isStopped) return this.#isStopped
    this.#put({ state: 'waiting', for: hindrance, newer })
    const place = this.#place
    this.#cancel?.()
    this.#cancel = this.#deps.time.after(QUIET_LOOK, () => {
      if (this.#place === place) again()
    })
    return true
  }

  #failed(place: FeedPlace | undefined, error: unknown): void {
    if (this.#place !== place) return
    this.#problem = this.#deps.describe(error)
    this.#deps.log.warn('An update was not taken.', { code: this.#problem.code })
    this.#put({ state: 'none' })
    this.#later(AGAIN)
  }

  #later(wait: number): void {
    this.#cancel?.()
    if (this.#isStopped || !this.#place) return
    const { time } = this.#deps
    this.#cancel = time.after(wait * (1 + time.random()), () => void this.check())
  }

  #put(update: UpdateState): void {
    if (JSON.stringify(update) === JSON.stringify(this.#update)) return
    this.#update = update
    this.#deps.changed()
  }
}

const UNDER_WAY: Readonly<Record<UpdateHindrance, string>> = {
  counter: 'Someone is signing at the counter.',
  sending: 'A package is being sent.',
  downloads: 'Files are being downloaded.'
}
