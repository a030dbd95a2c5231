/**
 * What became of files that a check found missing or altered and that were asked for again since. Said of a file only
 * where its download has ended after the check.
 */
import type { DownloadCheck, DownloadState, DownloadView } from '../../../shared/contract/views.ts'
import { type Api, settled } from '../api.ts'

/** As many as one request answers. */
const AT_ONCE = 500
const ended: DownloadState[] = ['done', 'failed', 'cancelled']

export type Refetched = 'asked' | 'saved' | 'failed' | 'stopped'

export class FetchedAgain {
  #outcomes = $state.raw<ReadonlyMap<string, Refetched>>(new Map())
  /** When downloads ended without their files, by their ids. */
  readonly #brokeAt = new Map<string, number>()
  #checkedAt = 0
  #newest = 0
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /** Nothing was asked for again since this check. */
  begin({ checkedAt }: Pick<DownloadCheck, 'checkedAt'>): void {
    this.#newest++
    this.#checkedAt = checkedAt
    this.#outcomes = new Map()
    this.#brokeAt.clear()
  }

  /** Undefined where it was not asked for since the check. */
  of(id: string): Refetched | undefined {
    return this.#outcomes.get(id)
  }

  ask(ids: readonly string[]): Promise<void> {
    this.#outcomes = new Map([...this.#outcomes, ...ids.map((id) => [id, 'asked'] as const)])
    return this.load()
  }

  /** Looks how those stand that are not saved yet; what can't be read stays as it was last known. */
  async load(): Promise<void> {
    const mine = ++this.#newest
    const open = new Set([...this.#outcomes].flatMap(([id, outcome]) => (outcome === 'saved' ? [] : [id])))
    if (open.size === 0) return
    const found = new Map<string, DownloadView>()
    for (let offset = 0; found.size < open.size; offset += AT_ONCE) {
      const page = await settled(this.#api.downloads.list({ states: ended, offset, limit: AT_ONCE }))
      if (mine !== this.#newest || !page.ok) return
      // Newest first: what follows ended before the check.
      const since = page.value.items.filter(({ finishedAt = 0 }) => finishedAt > this.#checkedAt)
      for (const one of since) if (open.has(one.id)) found.set(one.id, one)
      if (since.length < AT_ONCE) break
    }
    const outcomes = new Map(this.#outcomes)
    for (const id of open) {
      const outcome = this.#outcomeOf(id, found.get(id))
      if (outcome) outcomes.set(id, outcome)
      else outcomes.delete(id)
    }
    this.#outcomes = outcomes
  }

  #outcomeOf(id: string, download: DownloadView | undefined): Refetched | undefined {
    if (!download) return 'asked'
    const { state, finishedAt = 0 } = download
    // One that failed and was cleared stands again for the file of before, and came to nothing since.
    if (state === 'done') return this.#brokeAt.get(id) === finishedAt ? undefined : 'saved'
    this.#brokeAt.set(id, finishedAt)
    return state === 'failed' ? 'failed' : 'stopped'
  }
}
