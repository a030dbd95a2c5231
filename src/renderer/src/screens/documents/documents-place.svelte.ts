/** Where among the documents we are: the query and the document of the address, what is typed meanwhile, and going elsewhere. */
import { untrack } from 'svelte'
import type { DocumentQuery } from '../../../../shared/contract/document-query.ts'
import type { DocumentKey } from '../../../../shared/contract/document-requests.ts'
import type { AppState } from '../../state/app-state.svelte.ts'
import {
  changedViewParameters,
  isSameQuery,
  keyOfQuery,
  parametersOf,
  partsOf,
  queryFromRoute,
  viewHref
} from '../../state/document-query.ts'
import { hrefOf } from '../../state/router.svelte.ts'
import { ListSearch } from '../../ui/list-search.svelte.ts'
import { withoutAll } from './filters.ts'

/** Milliseconds without a key until the address says what was typed; what is found is shown with each key. */
const TYPING = 300

export class DocumentsPlace {
  readonly search: ListSearch
  readonly #app: AppState
  readonly #isNarrow: () => boolean
  readonly #asked = $derived.by(() => queryFromRoute(this.#app.router.route))
  /** The saved view that is shown, once it is known. */
  readonly view = $derived.by(() => {
    const { place } = this.#asked
    return place.kind === 'view' ? this.#app.views.find(place.id) : undefined
  })
  /** What the address asks for; nothing while a view is not known yet. */
  readonly #base = $derived.by(() => {
    const { place, query } = this.#asked
    return place.kind !== 'view' || place.isChanged ? query : this.view?.query
  })
  /** The same with what is typed. */
  readonly query = $derived.by(() => this.#base && { ...this.#base, search: this.search.typed.trim().slice(0, 200) })
  /** What decides which documents are found, whatever their order. */
  readonly conditions = $derived.by(
    () => this.query && keyOfQuery({ ...this.query, sort: { by: 'name', descending: false }, grouped: false })
  )
  /** All folders, each of them with how many it holds, and the saved view that is shown. */
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
   * Made as its screen begins, which its effects belong to.
   * @param isNarrow whether a document that is open covers the list.
   */
  constructor(app: AppState, isNarrow: () => boolean) {
    this.#app = app
    this.#isNarrow = isNarrow
    this.search = new ListSearch(app.clock, () => this.query && this.#find(this.query), TYPING)
    // What was typed is the place's: another place, or another address of it, says what is searched for.
    let before: string | undefined
    $effect.pre(() => {
      const words = this.#base?.search
      const { place, query } = this.#asked
      const key = place.kind === 'view' ? `view ${place.id}` : partsOf(query.folder).join(' ')
      const isElsewhere = key !== before
      before = key
      untrack(() => {
        if (words === undefined || (this.search.isTyping && !isElsewhere)) return
        this.search.stop()
        this.search.take(words)
      })
    })
  }

  get isHere(): boolean {
    return this.#app.router.route.screen === 'documents'
  }
  get place() {
    return this.#asked.place
  }
  /** The document of the address. */
  get document(): DocumentKey | undefined {
    const { document: reference, account } = this.#asked
    const accountId = account ?? this.#app.accounts.chosen?.id
    return reference === undefined || accountId === undefined ? undefined : { accountId, reference }
  }
  get isViewGone(): boolean {
    return this.place.kind === 'view' && !this.view && this.#app.views.known
  }
  /** Whether something else is asked for than the view was saved with. */
  get isChanged(): boolean {
    return this.view !== undefined && this.query !== undefined && !isSameQuery(this.query, this.view.query)
  }

  /** Shows what another query finds in this place, or the same with another document open. */
  put(next: DocumentQuery, open: DocumentKey | undefined = this.document): void {
    const { place, view } = this
    const document = open && this.#app.documentPlace(open)
    const { router } = this.#app
    if (place.kind !== 'view') router.replace('documents', partsOf(next.folder), parametersOf(next, document))
    else if (view && isSameQuery(next, view.query)) {
      router.replace('documents', ['view', place.id], document ?? {})
    } else router.replace('documents', ['view', place.id], changedViewParameters(next, document))
  }

  change(next: DocumentQuery): void {
    this.search.stop()
    this.search.typed = next.search
    this.#find(next)
  }

  /** Takes back the search, or else all filters. */
  clear(): void {
    const { query } = this
    if (query) this.change(query.search ? { ...query, search: '' } : withoutAll(query))
  }

  /** Closes the document that is open. */
  leave(): void {
    const { route } = this.#app.router
    const others = [...route.query].filter(([name]) => name !== 'document' && name !== 'account')
    this.#app.router.replace('documents', route.rest, Object.fromEntries(others))
  }

  #hrefOf(folder: string | undefined): string {
    const search = this.query?.search
    return hrefOf('documents', partsOf(folder), search ? { search } : {})
  }

  /** Where there is no room for both the document would cover what is found. */
  #find(query: DocumentQuery): void {
    this.put(query, this.#isNarrow() ? undefined : this.document)
  }
}
