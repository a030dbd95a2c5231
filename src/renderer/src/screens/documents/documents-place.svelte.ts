/**
 * The current place in the documents: the query and document in the address, the search being typed, and navigation.
 */
import { untrack } from 'svelte'
import type { DocumentQuery } from '../../../../shared/contract/document-query.ts'
import type { DocumentKey } from '../../../../shared/contract/document-requests.ts'
import type { AppState } from '../../state/app-state.svelte.ts'
import {
  changedViewParameters,
  folderPath,
  isSameQuery,
  keyOfQuery,
  parametersOf,
  queryFromRoute,
  viewHref
} from '../../state/document-query.ts'
import { hrefOf } from '../../state/router.svelte.ts'
import { ListSearch } from '../../ui/list-search.svelte.ts'
import { withoutAll } from './filters.ts'

/** Delay without input before the search goes into the address, in milliseconds; results are shown on every key. */
const SEARCH_DELAY = 300

export class DocumentsPlace {
  readonly search: ListSearch
  readonly #app: AppState
  readonly #isNarrow: () => boolean
  readonly #documentRoute = $derived.by(() => queryFromRoute(this.#app.router.route))
  /** The current saved view, once it is loaded. */
  readonly view = $derived.by(() => {
    const { place } = this.#documentRoute
    return place.kind === 'view' ? this.#app.views.find(place.id) : undefined
  })
  /** The query in the address; undefined until its view is loaded. */
  readonly #routeQuery = $derived.by(() => {
    const { place, query } = this.#documentRoute
    return place.kind !== 'view' || place.isChanged ? query : this.view?.query
  })
  /** The same with the search as typed. */
  readonly query = $derived.by(
    () => this.#routeQuery && { ...this.#routeQuery, search: this.search.typed.trim().slice(0, 200) }
  )
  /** Identifies which documents match, whatever their order. */
  readonly conditions = $derived.by(
    () => this.query && keyOfQuery({ ...this.query, sort: { by: 'name', descending: false }, grouped: false })
  )
  /** All folders with their counts, and the current saved view. */
  readonly tabs = $derived.by(() => {
    const { place, view } = this
    const { accounts, counts } = this.#app
    const here = place.kind === 'folder' ? [place.folder] : []
    return [
      { href: this.#hrefOf(undefined), label: 'All', here: place.kind === 'all' },
      ...[...new Set([...accounts.folders, ...here])].map((name) => ({
        href: this.#hrefOf(name),
        label: name,
        count: counts.folders[name],
        here: place.kind === 'folder' && place.folder === name
      })),
      ...(view ? [{ href: viewHref(view.id), label: view.name, count: counts.views[view.id], here: true }] : [])
    ]
  })

  /**
   * Create during the screen's initialisation, as its effects belong to that screen.
   * @param isNarrow returns whether an open document covers the list.
   */
  constructor(app: AppState, isNarrow: () => boolean) {
    this.#app = app
    this.#isNarrow = isNarrow
    this.search = new ListSearch(app.clock, () => this.query && this.#show(this.query), SEARCH_DELAY)
    // The typed search belongs to the current place: another place or address sets its own.
    let before: string | undefined
    $effect.pre(() => {
      const words = this.#routeQuery?.search
      const { place, query } = this.#documentRoute
      const key = place.kind === 'view' ? `view ${place.id}` : folderPath(query.folder).join(' ')
      const hasPlaceChanged = key !== before
      before = key
      untrack(() => {
        if (words === undefined || (this.search.isTyping && !hasPlaceChanged)) return
        this.search.stop()
        this.search.setText(words)
      })
    })
  }

  get isHere(): boolean {
    return this.#app.router.route.screen === 'documents'
  }
  get place() {
    return this.#documentRoute.place
  }
  get document(): DocumentKey | undefined {
    const { document: reference, account } = this.#documentRoute
    const accountId = account ?? this.#app.accounts.chosen?.id
    return reference === undefined || accountId === undefined ? undefined : { accountId, reference }
  }
  get isViewGone(): boolean {
    return this.place.kind === 'view' && !this.view && this.#app.views.isLoaded
  }
  /** Whether the query differs from the saved view. */
  get isChanged(): boolean {
    return this.view !== undefined && this.query !== undefined && !isSameQuery(this.query, this.view.query)
  }

  /** Applies another query in this place, or the same with another document open. */
  apply(next: DocumentQuery, open: DocumentKey | undefined = this.document): void {
    const { place, view } = this
    const document = open && this.#app.documentPlace(open)
    const { router } = this.#app
    if (place.kind !== 'view') router.replace('documents', folderPath(next.folder), parametersOf(next, document))
    else if (view && isSameQuery(next, view.query)) {
      router.replace('documents', ['view', place.id], document ?? {})
    } else router.replace('documents', ['view', place.id], changedViewParameters(next, document))
  }

  change(next: DocumentQuery): void {
    this.search.stop()
    this.search.typed = next.search
    this.#show(next)
  }

  /** Clears the search if there is one, otherwise all filters. */
  clear(): void {
    const { query } = this
    if (query) this.change(query.search ? { ...query, search: '' } : withoutAll(query))
  }

  closeDocument(): void {
    const { route } = this.#app.router
    const others = [...route.query].filter(([name]) => name !== 'document' && name !== 'account')
    this.#app.router.replace('documents', route.rest, Object.fromEntries(others))
  }

  #hrefOf(folder: string | undefined): string {
    const search = this.query?.search
    return hrefOf('documents', folderPath(folder), search ? { search } : {})
  }

  /** Closes the document if it would cover the results. */
  #show(query: DocumentQuery): void {
    this.apply(query, this.#isNarrow() ? undefined : this.document)
  }
}
