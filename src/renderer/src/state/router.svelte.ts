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
export const FIRST_HELP = ['administration', 'setting-up-a-computer']

/** Screens reached from another one, which is marked in the side bar instead; null: reachable from anywhere. */
export const screensWithin: Partial<Record<ScreenName, ScreenName | null>> = {
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
export const screensOfWork: readonly ScreenName[] = ['compose', 'bulk', 'directory', 'settings']

/** Screens about one document, which show nothing without its reference. */
export const screensOfOne: readonly ScreenName[] = ['identity', 'identity-pdf', 'signed-document']

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
const PLACES = ['account', 'document', 'history', 'show', 'batch', 'draft', 'preset']
/** Screens that show, request or start something when opened: after a restart, only once someone goes there again. */
const NOT_BEGUN: readonly ScreenName[] = [...screensOfOne, 'counter', 'bulk']

/** Returns the address stored for the next start. */
export function placeToKeep({ screen, rest, query }: Route): string {
  const account = query.get('account')
  if (screensOfOne.includes(screen) && rest[0])
    return hrefOf('documents', ['all'], { document: rest[0], ...(account !== null && { account }) })
  if (screensOfOne.includes(screen)) return hrefOf('documents', ['all'])
  if (NOT_BEGUN.includes(screen)) return hrefOf(screen)
  return hrefOf(screen, rest, Object.fromEntries([...query].filter(([name]) => PLACES.includes(name))))
}

/** Called when moving between entries of the history. */
export interface Moves {
  /** Called for the entry being left, while it is still visible. */
  left(entry: number): void
  /** Called for the entry being entered. `isBack`: it was visited before. */
  arrived(entry: number, isBack: boolean): void
}

export class Router {
  /** The number of the current history entry: unique for the life of the window. */
  #entry = 0
  #newest = 0
  #moves: Moves | undefined
  /** What screens keep, by history entry. */
  readonly #kept = new Map<string, unknown>()
  #route = $state.raw<Route>(readRoute(''))
  /** The last address among the documents. */
  #documents = ''
  readonly #window: Window

  constructor(host: Window) {
    this.#window = host
    this.#newest = Date.now()
    this.#arrive()
    host.addEventListener('hashchange', () => this.#arrive())
  }

  get route() {
    return this.#route
  }

  go(screen: ScreenName, rest: readonly string[] = [], query: Record<string, string> = {}): void {
    this.#window.location.hash = hrefOf(screen, rest, query)
    this.#arrive()
  }

  /** Changes the address without adding to the history, for example when a draft gets its id. */
  replace(screen: ScreenName, rest: readonly string[] = [], query: Record<string, string> = {}): void {
    this.#window.history.replaceState(this.#window.history.state, '', hrefOf(screen, rest, query))
    this.#arrive()
  }

  back(): void {
    this.#window.history.back()
  }
  forward(): void {
    this.#window.history.forward()
  }

  /** Sets the one listener for moves. Returns a function that removes it. */
  follow(moves: Moves): () => void {
    this.#moves = moves
    return () => (this.#moves = undefined)
  }

  /** Stores a screen's state with this history entry, such as its selected row, for when the user comes back. */
  keep(name: string, value: unknown): void {
    this.#kept.set(`${this.#entry} ${name}`, value)
  }
  kept<Value>(name: string): Value | undefined {
    return this.#kept.get(`${this.#entry} ${name}`) as Value | undefined
  }
  /** Drops everything that screens kept, for example when another account is chosen. */
  forget(): void {
    this.#kept.clear()
  }

  /**
   * Returns the way back to a document's page: within the search or filter it was left in, otherwise among all
   * documents.
   */
  hrefOfDocument(place: { document: string; account?: string }): string {
    const { query } = readRoute(this.#documents)
    const isThere = query.get('document') === place.document && (query.get('account') ?? undefined) === place.account
    return isThere ? this.#documents : hrefOf('documents', ['all'], place)
  }

  #arrive(): void {
    const { location, history } = this.#window
    const { hash } = location
    const known: unknown = history.state?.entry
    const entry = typeof known === 'number' ? known : ++this.#newest
    if (known === undefined) history.replaceState({ entry }, '', hash || '#/')
    const isElsewhere = entry !== this.#entry
    if (isElsewhere && this.#entry) this.#moves?.left(this.#entry)
    this.#entry = entry
    this.#route = readRoute(hash)
    if (isElsewhere) this.#moves?.arrived(entry, known !== undefined)
    if (this.#route.screen === 'documents') this.#documents = hash
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
