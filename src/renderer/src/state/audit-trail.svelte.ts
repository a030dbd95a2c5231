/** The audit trail, newest first, as far as it is in sight; whether it is whole; and files of it. */
import type { AuditCheck, AuditEntry, SavedFile } from '../../../shared/contract/views.ts'
import { type Api, settled } from '../api.ts'
import { Action } from './action.svelte.ts'
import type { Clock } from './clock.ts'
import { coalesced } from './coalesced.ts'
import { WindowedList } from './windowed-list.svelte.ts'

/** Milliseconds between two readings while somebody signs. */
const PAUSE = 1000
/** What the contract takes at most. */
const LONGEST = 200

export class AuditTrail {
  readonly checking = new Action<AuditCheck>()
  readonly exporting = new Action<SavedFile | null>()
  #search = ''
  readonly #rows: WindowedList<AuditEntry, { rows: AuditEntry[]; total: number }>
  readonly #api: Api
  readonly #follow: () => void

  constructor(api: Api, clock: Clock) {
    this.#api = api
    this.#rows = new WindowedList(async (page) => {
      const result = await settled(api.audit.list({ search: this.#search, ...page }))
      return result.ok ? { ok: true, value: { rows: result.value.entries, total: result.value.total } } : result
    })
    this.#follow = coalesced(clock, PAUSE, () => void this.#rows.follow())
  }

  get known() {
    return this.#rows.known
  }
  get total() {
    return this.#rows.total
  }
  get error() {
    return this.#rows.error
  }
  get reading() {
    return this.#rows.reading
  }
  /** What was searched for in the list that is shown. */
  get shown() {
    return this.#rows.shown
  }
  get version() {
    return this.#rows.version
  }

  row(index: number): AuditEntry | undefined {
    return this.#rows.row(index)
  }
  find(seq: number): AuditEntry | undefined {
    return this.#rows.find((entry) => entry.seq === seq)
  }
  need(first: number, last: number): void {
    this.#rows.need(first, last)
  }

  /** Shows the entries that have these words; without any, all. */
  async search(words: string): Promise<void> {
    this.#search = words.slice(0, LONGEST)
    await this.#rows.open(this.#search)
  }

  reload(): Promise<void> {
    return this.#rows.reload()
  }

  /** Reads again what is written meanwhile. Answers what stops that. */
  follow(): () => void {
    return this.#api.on('audit.changed', this.#follow)
  }

  /** Whether each entry still follows from the one before it. */
  check(): Promise<AuditCheck | undefined> {
    return this.checking.run(() => this.#api.audit.check())
  }

  /** Writes all of it where the person says. Answers what it was called; null where they thought better of it. */
  export(format: 'csv' | 'json'): Promise<SavedFile | null | undefined> {
    return this.exporting.run(() => this.#api.audit.export({ format }))
  }
}
