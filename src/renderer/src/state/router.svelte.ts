/** The current place in the application: state based on `location.hash`, such as `#/documents/InBox?search=deed`. */

export const screenNames = [
  'today',
  'compose',
  'bulk',
  'drafts',
  'outbox',
  'documents',
  'identity',
  'identity-pdf',
  'signed-document',
  'counter',
  'audit',
  'downloads',
  'directory',
  'activity',
  'settings',
  'requests',
  'help'
] as const
export type ScreenName = (typeof screenNames)[number]

/**
 * The section of the help that is read before there is an account. It is here because the help isn't loaded until
 * opened.
 */
export const SETUP_HELP = ['administration', 'setting-up-a-computer']

/** Screens reached from another one, which is marked in the side bar instead; null: reachable from anywhere. */
export const parentScreens: Partial<Record<ScreenName, ScreenName | null>> = {
  help: null,
  audit: 'counter',
  requests: 'settings',
  identity: 'documents',
  'identity-pdf': 'documents',
  'signed-document': 'documents'
}

/**
 * Screens that belong to one account even if several are shown: what is created there belongs to the account being
 * worked in.
 */
export const accountScreens: readonly ScreenName[] = ['compose', 'bulk', 'directory', 'settings']

/** Screens about one document, which show nothing without its reference. */
export const documentScreens: readonly ScreenName[] = ['identity', 'identity-pdf', 'signed-document']

export interface Route {
  screen: ScreenName
  /** What follows the screen's name: an id, a folder. */
  rest: string[]
  query: URLSearchParams
}

/** Parses a hash. Unknown screens become Today. */
export function readRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const [name, ...rest] = path.split('/').map(decoded)
  const screen = screenNames.find((known) => known === name) ?? 'today'
  return { screen, rest: rest.filter(Boolean), query: new URLSearchParams(query) }
}

/** Returns the hash of a place, with its parts encoded. */
export function hrefOf(screen: ScreenName, rest: readonly string[] = [], query: Record<string, string> = {}): string {
  const path = [screen, ...rest].map(encodeURIComponent).join('/')
  const search = new URLSearchParams(query).toString()
  return `#/${path}${search ? `?${search}` : ''}`
}

/** Query parameters that identify a place. They contain no search text and no people. */
const PLACE_PARAMETERS = ['account', 'document', 'history', 'show', 'batch', 'draft', 'preset']
/** Screens that show, request or start something when opened: after a restart, only once someone goes there again. */
const NOT_RESTORED: readonly ScreenName[] = [...documentScreens, 'counter', 'bulk']

/** Returns the address stored for the next start. */
export function placeToStore({ screen, rest, query }: Route): string {
  const account = query.get('account')
  if (documentScreens.includes(screen) && rest[0])
    return hrefOf('documents', ['all'], { document: rest[0], ...(account !== null && { account }) })
  if (documentScreens.includes(screen)) return hrefOf('documents', ['all'])
  if (NOT_RESTORED.includes(screen)) return hrefOf(screen)
  return hrefOf(screen, rest, Object.fromEntries([...query].filter(([name]) => PLACE_PARAMETERS.includes(name))))
}

/** Called when moving between entries of the history. */
export interface NavigationListener {
  /** Called for the entry being left, while it is still visible. */
  onLeave(entry: number): void
  /** Called for the entry being entered. `isBack`: it was visited before. */
  onArrive(entry: number, isBack: boolean): void
}

export class Router {
  /** The number of the current history entry: unique for the life of the window. */
  #entry = 0
  #newest = 0
  #listener: NavigationListener | undefined
  /** What screens keep, by history entry. */
  readonly #screenStates = new Map<string, unknown>()
  #route = $state.raw<Route>(readRoute(''))
  /** The last address among the documents. */
  #documentsHash = ''
  readonly #window: Window

  constructor(host: Window) {
    this.#window = host
    this.#newest = Date.now()
    this.#readLocation()
    host.addEventListener('hashchange', () => this.#readLocation())
  }

  get route() {
    return this.#route
  }

  go(screen: ScreenName, rest: readonly string[] = [], query: Record<string, string> = {}): void {
    this.#window.location.hash = hrefOf(screen, rest, query)
    this.#readLocation()
  }

  /** Changes the address without adding to the history, for example when a draft gets its id. */
  replace(screen: ScreenName, rest: readonly string[] = [], query: Record<string, string> = {}): void {
    this.#window.history.replaceState(this.#window.history.state, '', hrefOf(screen, rest, query))
    this.#readLocation()
  }

  back(): void {
    this.#window.history.back()
  }
  forward(): void {
    this.#window.history.forward()
  }

  /** Sets the one listener for moves. Returns a function that removes it. */
  setListener(listener: NavigationListener): () => void {
    this.#listener = listener
    return () => (this.#listener = undefined)
  }

  /** Stores a screen's state with this history entry, such as its selected row, for when the user comes back. */
  saveState(name: string, value: unknown): void {
    this.#screenStates.set(`${this.#entry} ${name}`, value)
  }
  savedState<Value>(name: string): Value | undefined {
    return this.#screenStates.get(`${this.#entry} ${name}`) as Value | undefined
  }
  /** Drops everything that screens kept, for example when another account is chosen. */
  clearSavedStates(): void {
    this.#screenStates.clear()
  }

  /**
   * Returns the way back to a document's page: within the search or filter it was left in, otherwise among all
   * documents.
   */
  hrefOfDocument(place: { document: string; account?: string }): string {
    const { query } = readRoute(this.#documentsHash)
    const isThere = query.get('document') === place.document && (query.get('account') ?? undefined) === place.account
    return isThere ? this.#documentsHash : hrefOf('documents', ['all'], place)
  }

  #readLocation(): void {
    const { location, history } = this.#window
    const { hash } = location
    const known: unknown = history.state?.entry
    const entry = typeof known === 'number' ? known : ++this.#newest
    if (known === undefined) history.replaceState({ entry }, '', hash || '#/')
    const isOtherEntry = entry !== this.#entry
    if (isOtherEntry && this.#entry) this.#listener?.onLeave(this.#entry)
    this.#entry = entry
    this.#route = readRoute(hash)
    if (isOtherEntry) this.#listener?.onArrive(entry, known !== undefined)
    if (this.#route.screen === 'documents') this.#documentsHash = hash
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
