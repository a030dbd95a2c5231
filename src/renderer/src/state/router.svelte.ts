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
  'settings',
  'requests',
  'help'
] as const
export type ScreenName = (typeof screenNames)[number]

/** The section of the help that is read before there is an account: here, as the help itself isn't loaded before it is opened. */
export const FIRST_HELP = ['administration', 'setting-up-a-computer']

/** Screens that are reached from another one, which is marked in the side bar in their place; null: from anywhere. */
export const screensWithin: Partial<Record<ScreenName, ScreenName | null>> = {
  help: null,
  audit: 'counter',
  requests: 'settings',
  identity: 'documents',
  'identity-pdf': 'documents',
  'signed-document': 'documents'
}

/** Screens of one account, also where several are shown: what is made in them belongs to the one that is worked in. */
export const screensOfWork: readonly ScreenName[] = ['compose', 'bulk', 'directory', 'settings']

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

/** What of an address says where one is, and nothing of what was searched for or who is meant. */
const PLACES = ['account', 'document', 'history', 'show', 'batch', 'draft', 'preset']
/** Screens that show, ask or begin something as they open: after a restart they do so only when someone goes there again. */
const NOT_BEGUN: readonly ScreenName[] = [...screensOfOne, 'counter', 'bulk']

/** The address of a place as it is kept for the next start. */
export function placeToKeep({ screen, rest, query }: Route): string {
  const account = query.get('account')
  if (screensOfOne.includes(screen) && rest[0])
    return hrefOf('documents', ['all'], { document: rest[0], ...(account !== null && { account }) })
  if (screensOfOne.includes(screen)) return hrefOf('documents', ['all'])
  if (NOT_BEGUN.includes(screen)) return hrefOf(screen)
  return hrefOf(screen, rest, Object.fromEntries([...query].filter(([name]) => PLACES.includes(name))))
}

/** What is told as one goes from a place in the history to another. */
export interface Moves {
  /** The place that is left, while it is still seen. */
  left(entry: number): void
  /** The place that is come to; back, where it was seen before. */
  arrived(entry: number, isBack: boolean): void
}

export class Router {
  /** Which place of the history this is: each has a number of its own, which lasts as long as the window. */
  #entry = 0
  #newest = 0
  #moves: Moves | undefined
  /** What screens keep of themselves, by the place. */
  readonly #kept = new Map<string, unknown>()
  #route = $state.raw<Route>(readRoute(''))
  /** Where among the documents we were last. */
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

  /** The same place by another address, without a step in the history: a draft that was given its id. */
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

  /** Tells one listener of each move. Answers what stops that. */
  follow(moves: Moves): () => void {
    this.#moves = moves
    return () => (this.#moves = undefined)
  }

  /** Keeps something of a screen at this place, such as its chosen row: it is there when one comes back. */
  keep(name: string, value: unknown): void {
    this.#kept.set(`${this.#entry} ${name}`, value)
  }
  kept<Value>(name: string): Value | undefined {
    return this.#kept.get(`${this.#entry} ${name}`) as Value | undefined
  }
  /** Nothing of what screens kept is there any more, as when another account is chosen. */
  forget(): void {
    this.#kept.clear()
  }

  /** The way back to a document's page: among what was searched for or filtered as it was left there, else among all. */
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
