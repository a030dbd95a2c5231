/** The columns that the list of documents shows: those that were chosen, or the usual ones there is room for. */
import type { DocumentQuery } from '../../../../shared/contract/document-query.ts'
import type { DocumentColumnSetting } from '../../../../shared/contract/views.ts'
import type { AppState } from '../../state/app-state.svelte.ts'
import { COLUMN_KINDS, usualColumns } from '../../state/document-columns.ts'

/** Milliseconds until columns that are dragged are kept. */
const DRAGGING = 400
/** A list narrower than this says more in fewer columns; those that were chosen are shown down to the lesser one. */
const ROOM_FOR_COLUMNS = 960
const ROOM_FOR_CHOSEN = 760
/** Pixels where there is no layout. */
const WIDE = 1200

export class ShownColumns {
  /** Width of the list in pixels; 0 until it is laid out. */
  room = $state(0)
  #changed = $state.raw<DocumentColumnSetting[]>()
  #stopDragging = () => {}
  readonly #app: AppState
  readonly #query: () => DocumentQuery | undefined
  readonly #usual = $derived.by(() => usualColumns(this.room || WIDE, this.#query()?.sort.by))
  readonly all = $derived.by(() => this.#changed ?? this.#app.settings.view.documentColumns ?? this.#usual)
  /** Fewer columns are shown, with more in each. */
  readonly isTight = $derived.by(
    () => (this.room || WIDE) < (this.#app.settings.view.documentColumns ? ROOM_FOR_CHOSEN : ROOM_FOR_COLUMNS)
  )
  /** What the list is in the order of, in words where no heading shows it. */
  readonly order = $derived.by(() => {
    const by = this.#query()?.sort.by
    if (!by) return ''
    const headings = this.isTight
      ? ['name', 'status', by === 'lastSigned' ? 'lastSigned' : 'due']
      : this.all.map(({ column }) => column)
    if (headings.includes(by)) return ''
    const kind = COLUMN_KINDS[by]
    return `, by ${kind.order ?? kind.label.toLowerCase()}`
  })

  constructor(app: AppState, query: () => DocumentQuery | undefined) {
    this.#app = app
    this.#query = query
  }

  /** Shows these from now on and keeps them; null for the usual ones. */
  set(next: DocumentColumnSetting[] | null): void {
    this.#changed = next ?? this.#usual
    this.stop()
    this.#stopDragging = this.#app.clock.after(DRAGGING, async () => {
      const error = await this.#app.settings.set({ documentColumns: next })
      this.#changed = undefined
      if (error) this.#app.toasts.failed('Couldn’t save your columns.', error)
    })
  }

  /** Keeps nothing more, as when the screen is left. */
  stop(): void {
    this.#stopDragging()
  }
}
