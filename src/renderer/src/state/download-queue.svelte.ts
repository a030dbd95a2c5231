/** The chosen account's download queue: its progress, and actions on the whole queue or on single files. */
import type { AppError, Result } from '../../../shared/contract/errors.ts'
import type { DownloadCheck, DownloadState, DownloadSummary, DownloadView } from '../../../shared/contract/views.ts'
import { type Api, settled } from '../api.ts'
import { Action } from './action.svelte.ts'
import { type Clock, throttled } from './clock.ts'
import { Resource } from './resource.svelte.ts'

/** Minimum milliseconds between reloads. */
const RELOAD_INTERVAL = 250
const PAGE_SIZE = 500
const endedStates: DownloadState[] = ['done', 'failed', 'cancelled']

type RefetchOutcome = 'asked' | 'saved' | 'failed' | 'stopped'

export class DownloadQueue extends Resource<DownloadSummary> {
  readonly #api: Api
  #failures = $state.raw<ReadonlyMap<string, AppError>>(new Map())
  #busy = $state.raw<ReadonlySet<string>>(new Set())
  /** Reloads after a change; throttled, so that many changes cause one reload. */
  override readonly scheduleReload: () => void
  /** Actions on the whole queue: pause, resume, cancel, retry, clear. */
  readonly changing = new Action<unknown>()
  readonly checking = new Action<DownloadCheck>()
  /** What happened to the files that the check found damaged and that were downloaded again. */
  readonly refetched: RefetchTracker

  constructor(api: Api, clock: Clock) {
    super(() => api.downloads.summary())
    this.#api = api
    this.refetched = new RefetchTracker(api)
    this.scheduleReload = throttled(clock, RELOAD_INTERVAL, () => {
      void this.load()
      void this.refetched.load()
    })
  }

  get view(): DownloadSummary | undefined {
    return this.value
  }
  /** Files being downloaded or queued. */
  get remaining(): number {
    const counts = this.view?.counts
    return counts ? counts.running + counts.waiting : 0
  }

  /**
   * Changes the whole queue; `clear` removes failed and cancelled downloads from the list. `changing` has the error.
   */
  async change(how: 'pause' | 'resume' | 'cancelAll' | 'retryFailed' | 'clear'): Promise<void> {
    await this.changing.run<unknown>(() => this.#api.downloads[how]())
    await this.load()
  }
  /** Moves what is queued for one folder to another one, which the user chooses. Returns what was done, if anything. */
  async relocate(from: string): Promise<{ moved: number; folder: string } | undefined> {
    const folder = await this.changing.run(() => this.#api.downloads.chooseFolder())
    if (!folder) return undefined
    const done = await this.changing.run(() => this.#api.downloads.relocate({ from, to: folder.id }))
    await this.load()
    return done && { moved: done.moved, folder: folder.label }
  }
  async check(): Promise<void> {
    const found = await this.checking.run(() => this.#api.downloads.check())
    if (found) this.refetched.restart(found)
  }

  /** The error of the last action on this file. */
  failureOf(id: string): AppError | undefined {
    return this.#failures.get(id)
  }
  isBusy(id: string): boolean {
    return this.#busy.has(id)
  }
  stop(id: string): Promise<Result<null>> {
    return this.#run(id, () => this.#api.downloads.cancel({ id }))
  }
  retry(id: string): Promise<Result<null>> {
    return this.#run(id, () => this.#api.downloads.retry({ ids: [id] }))
  }
  reveal(id: string): Promise<Result<null>> {
    return this.#run(id, () => this.#api.downloads.reveal({ id }))
  }
  /** Downloads files again that the check found missing or altered. */
  async refetch(ids: readonly string[]): Promise<Result<null>> {
    const result = await settled(this.#api.downloads.retry({ ids: [...ids] }))
    await Promise.all([this.load(), result.ok && this.refetched.track(ids)])
    return result
  }

  async #run(id: string, call: () => Promise<Result<null>>): Promise<Result<null>> {
    if (this.#busy.has(id)) return { ok: true, value: null }
    this.#busy = new Set([...this.#busy, id])
    const result = await settled(call())
    this.#busy = new Set([...this.#busy].filter((one) => one !== id))
    const failures = new Map(this.#failures)
    if (result.ok) failures.delete(id)
    else failures.set(id, result.error)
    this.#failures = failures
    return result
  }
}

/**
 * What happened to files that a check found missing or altered, and that were downloaded again since. Only downloads
 * that ended after the check count.
 */
export class RefetchTracker {
  #outcomes = $state.raw<ReadonlyMap<string, RefetchOutcome>>(new Map())
  /** When downloads ended without a file, by id. */
  readonly #failedAt = new Map<string, number>()
  #checkedAt = 0
  #newest = 0
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /** Starts over with a new check: nothing has been downloaded again since. */
  restart({ checkedAt }: Pick<DownloadCheck, 'checkedAt'>): void {
    this.#newest++
    this.#checkedAt = checkedAt
    this.#outcomes = new Map()
    this.#failedAt.clear()
  }

  /** Undefined if it wasn't requested since the check. */
  outcomeOf(id: string): RefetchOutcome | undefined {
    return this.#outcomes.get(id)
  }

  track(ids: readonly string[]): Promise<void> {
    this.#outcomes = new Map([...this.#outcomes, ...ids.map((id) => [id, 'asked'] as const)])
    return this.load()
  }

  /** Checks the files that aren't saved yet. What can't be loaded keeps its last known outcome. */
  async load(): Promise<void> {
    const mine = ++this.#newest
    const unsaved = new Set([...this.#outcomes].flatMap(([id, outcome]) => (outcome === 'saved' ? [] : [id])))
    if (unsaved.size === 0) return
    const found = new Map<string, DownloadView>()
    for (let offset = 0; found.size < unsaved.size; offset += PAGE_SIZE) {
      const page = await settled(this.#api.downloads.list({ states: endedStates, offset, limit: PAGE_SIZE }))
      if (mine !== this.#newest || !page.ok) return
      // Newest first, so everything after these ended before the check.
      const since = page.value.items.filter(({ finishedAt = 0 }) => finishedAt > this.#checkedAt)
      for (const one of since) if (unsaved.has(one.id)) found.set(one.id, one)
      if (since.length < PAGE_SIZE) break
    }
    const outcomes = new Map(this.#outcomes)
    for (const id of unsaved) {
      const outcome = this.#outcomeOf(id, found.get(id))
      if (outcome) outcomes.set(id, outcome)
      else outcomes.delete(id)
    }
    this.#outcomes = outcomes
  }

  #outcomeOf(id: string, download: DownloadView | undefined): RefetchOutcome | undefined {
    if (!download) return 'asked'
    const { state, finishedAt = 0 } = download
    // A failed download that was cleared represents the earlier file again: nothing was fetched since the check.
    if (state === 'done') return this.#failedAt.get(id) === finishedAt ? undefined : 'saved'
    this.#failedAt.set(id, finishedAt)
    return state === 'failed' ? 'failed' : 'stopped'
  }
}
