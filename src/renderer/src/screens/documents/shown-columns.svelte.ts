/** The columns of the document list: those chosen, or the usual ones that fit. */
import type { DocumentQuery } from '../../../../shared/contract/document-query.ts'
import type { DocumentColumnSetting } from '../../../../shared/contract/views.ts'
import type { AppState } from '../../state/app-state.svelte.ts'
import { COLUMN_KINDS, defaultColumns } from '../../state/document-columns.ts'
import { Pending } from '../../state/pending.svelte.ts'

/** Delay before dragged columns are saved, in milliseconds. */
const DRAGGING = 400
/** Below this width the list uses fewer, fuller columns; chosen columns are shown down to the second value. */
const ROOM_FOR_COLUMNS = 960
const ROOM_FOR_CHOSEN = 760
/** The width assumed before layout, in pixels. */
const WIDE = 1200

export class ShownColumns {
  /** The list's width in pixels; 0 before layout. */
  room = $state(0)
  readonly #pendingColumns = new Pending<DocumentColumnSetting[]>()
  /** Saves dragged columns after a while; undefined once they are saved. */
  #saving: { cancel: () => void; now: () => Promise<void> } | undefined
  readonly #app: AppState
  readonly #query: () => DocumentQuery | undefined
  readonly #defaults = $derived.by(() => defaultColumns(this.room || WIDE, this.#query()?.sort.by))
  readonly all = $derived.by(
    () => this.#pendingColumns.value ?? this.#app.settings.view.documentColumns ?? this.#defaults
  )
  /** Whether fewer columns with more in each are shown. */
  readonly isTight = $derived.by(
    () => (this.room || WIDE) < (this.#app.settings.view.documentColumns ? ROOM_FOR_CHOSEN : ROOM_FOR_COLUMNS)
  )
  /** The sort order in words, if no heading shows it. */
  readonly order = $derived.by(() => {
    const by = this.#query()?.sort.by
    if (!by) return ''
    const headings = this.isTight
      ? ['name', 'status', by === 'lastSigned' ? 'lastSigned' : 'due']
      : this.all.map(({ column }) => column)
    if (headings.includes(by)) return ''
    const kind = COLUMN_KINDS[by]
    return `, by ${kind.sortLabel ?? kind.label.toLowerCase()}`
  })

  constructor(app: AppState, query: () => DocumentQuery | undefined) {
    this.#app = app
    this.#query = query
  }

  /** Shows these columns from now on and saves them; null for the usual ones. */
  set(next: DocumentColumnSetting[] | null): void {
    const settle = this.#pendingColumns.show(next ?? this.#defaults)
    this.#saving?.cancel()
    const now = async () => {
      this.#saving = undefined
      await this.#app.attempt('Couldn’t save your columns.', this.#app.settings.set({ documentColumns: next }))
      settle()
    }
    this.#saving = { cancel: this.#app.clock.after(DRAGGING, now), now }
  }

  /** Saves now what would be saved later, because the screen is being left. */
  flush(): void {
    this.#saving?.cancel()
    void this.#saving?.now()
  }
}
