/** The audit trail, newest first, as far as it is in sight; whether it is whole; and files of it. */
import type { Result } from '../../../../shared/contract/errors.ts'
import type { AuditCheck, AuditEntry, SavedFile } from '../../../../shared/contract/views.ts'
import { type Api, settled } from '../../api.ts'
import { Action } from '../../state/action.svelte.ts'
import type { Clock } from '../../state/clock.ts'
import { coalesced } from '../../state/coalesced.ts'
import { ShownRows } from '../../state/shown-rows.svelte.ts'
import type { Asked, Listed } from '../../state/windowed-list.svelte.ts'

/** Milliseconds between two readings while somebody signs. */
const PAUSE = 1000
/** What the contract takes at most. */
const LONGEST = 200

export class AuditEntries extends ShownRows<AuditEntry> {
  readonly checking = new Action<AuditCheck>()
  readonly exporting = new Action<SavedFile | null>()
  #search = ''
  readonly #api: Api
  readonly #follow: () => void

  constructor(api: Api, clock: Clock) {
    super()
    this.#api = api
    this.#follow = coalesced(clock, PAUSE, () => void this.rows.follow())
  }

  protected async ask(page: Asked): Promise<Result<Listed<AuditEntry>>> {
    const result = await settled(this.#api.audit.list({ search: this.#search, ...page }))
    return result.ok ? { ok: true, value: { rows: result.value.entries, total: result.value.total } } : result
  }

  find(seq: number): AuditEntry | undefined {
    return this.rows.find((entry) => entry.seq === seq)
  }

  /** Shows the entries that have these words; without any, all. */
  async search(words: string): Promise<void> {
    this.#search = words.slice(0, LONGEST)
    await this.rows.open(this.#search)
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
