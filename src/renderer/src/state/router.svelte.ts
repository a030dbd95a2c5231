/** Where in the application we are: a state over `location.hash`, as `#/documents/InBox?search=deed`. */

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
  'settings'
] as const
export type ScreenName = (typeof screenNames)[number]

/** Screens that are reached from another one, which is marked in the side bar in their place. */
export const screensWithin: Partial<Record<ScreenName, ScreenName>> = {
  audit: 'counter',
  identity: 'documents',
  'identity-pdf': 'documents',
  'signed-document': 'documents'
}

/** Screens of one document: there is nothing to go to in them without its reference. */
export const screensOfOne: readonly ScreenName[] = ['identity', 'identity-pdf', 'signed-document']

export interface Route {
  screen: ScreenName
  /** What follows the screen's name: an id, a folder. */
  rest: string[]
  query: URLSearchParams
}

/** Reads a hash; one that names no screen is Today. */
export function readRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const [name, ...rest] = path.split('/').map(decoded)
  const screen = screenNames.find((known) => known === name) ?? 'today'
  return { screen, rest: rest.filter(Boolean), query: new URLSearchParams(query) }
}

/** The hash of a place; parts are encoded. */
export function hrefOf(screen: ScreenName, rest: readonly string[] = [], query: Record<string, string> = {}): string {
  const path = [screen, ...rest].map(encodeURIComponent).join('/')
  const search = new URLSearchParams(query).toString()
  return `#/${path}${search ? `?${search}` : ''}`
}

export class Router {
  #route = $state.raw<Route>(readRoute(''))
  /** Where among the documents we were last. */
  #documents = ''
  readonly #window: Window

  constructor(host: Window) {
    this.#window = host
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

  /** The same place by another address, without a step in the history: a draft that was given its id. */
  replace(screen: ScreenName, rest: readonly string[] = [], query: Record<string, string> = {}): void {
    this.#window.history.replaceState(null, '', hrefOf(screen, rest, query))
    this.#arrive()
  }

  /** The way back to a document's page: among what was searched for or filtered as it was left there, else among all. */
  hrefOfDocument(reference: string): string {
    const isThere = readRoute(this.#documents).query.get('document') === reference
    return isThere ? this.#documents : hrefOf('documents', ['all'], { document: reference })
  }

  #arrive(): void {
    const { hash } = this.#window.location
    this.#route = readRoute(hash)
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
