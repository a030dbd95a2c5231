/** A part of the downloads of the chosen account, as many as there may be: what moves first, then the newest. */
import type { AppError } from '../../../../shared/contract/errors.ts'
import type { DownloadPage, DownloadState, DownloadView } from '../../../../shared/contract/views.ts'
import type { Api } from '../../api.ts'
import type { Clock } from '../../state/clock.ts'
import { coalesced } from '../../state/coalesced.ts'
import { WindowedList } from '../../state/windowed-list.svelte.ts'

/** Milliseconds between two readings: a queue tells of each of its files. */
const PAUSE = 250

/** The parts that files are listed in, by the states that are in each. */
const downloadParts = {
  all: undefined,
  moving: ['running', 'waiting'],
  failed: ['failed'],
  saved: ['done'],
  stopped: ['cancelled']
} as const satisfies Record<string, readonly DownloadState[] | undefined>
export type DownloadPart = keyof typeof downloadParts

export class DownloadList {
  #part: DownloadPart = 'all'
  #asked = $state<DownloadPart>()
  readonly #rows: WindowedList<DownloadView, DownloadPage & { rows: DownloadView[] }>
  /** Follows a change; many in a short time are followed together. */
  readonly follow: () => void

  constructor(api: Api, clock: Clock) {
    this.#rows = new WindowedList(async (page) => {
      const states = downloadParts[this.#part]
      const answer = await api.downloads.list({ ...(states && { states: [...states] }), ...page })
      return answer.ok ? { ok: true, value: { ...answer.value, rows: answer.value.items } } : answer
    })
    this.follow = coalesced(clock, PAUSE, () => void (this.#asked && this.#rows.follow()))
  }

  get known() {
    return this.#rows.known
  }
  get total() {
    return this.#rows.total
  }
  get error(): AppError | undefined {
    return this.#rows.error
  }
  get reading() {
    return this.#rows.reading
  }
  get version() {
    return this.#rows.version
  }
  /** The part that is shown: the one asked for once it is here. */
  get shown() {
    return this.#rows.shown as DownloadPart | ''
  }
  /** Whether what is shown is another part than the one asked for. */
  get isOther() {
    return this.#rows.shown !== this.#asked
  }

  row(index: number): DownloadView | undefined {
    return this.#rows.row(index)
  }
  find(id: string): DownloadView | undefined {
    return this.#rows.find((one) => one.id === id)
  }
  need(first: number, last: number): void {
    this.#rows.need(first, last)
  }

  /** Shows a part; the same again is no reading. */
  async open(part: DownloadPart): Promise<void> {
    if (part === this.#asked) return
    this.#asked = part
    this.#part = part
    await this.#rows.open(part)
  }

  reload(): Promise<void> {
    return this.#rows.reload()
  }
}
