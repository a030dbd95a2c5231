// session.webRequest: the application's listeners for every request of a session, with Electron's URL patterns.
import type * as Electron from 'electron'
import type { Protocol } from './cdp.ts'
import { notEmulated } from './strict.ts'

type Filter = Electron.WebRequestFilter
type BeforeRequestListener = (
  details: Electron.OnBeforeRequestListenerDetails,
  callback: (response: Electron.CallbackResponse) => void
) => void
type BeforeSendHeadersListener = (
  details: Electron.OnBeforeSendHeadersListenerDetails,
  callback: (response: Electron.BeforeSendResponse) => void
) => void
type HeadersReceivedListener = (
  details: Electron.OnHeadersReceivedListenerDetails,
  callback: (response: Electron.HeadersReceivedResponse) => void
) => void
export type ResourceType = Electron.OnBeforeRequestListenerDetails['resourceType']

interface Registration<L> {
  readonly filter: Filter | undefined
  readonly listener: L
}

/** Returns whether `url` matches one of Chromium's match patterns, such as `<all_urls>` or `*://*.example.com/*`. */
function matchesPattern(pattern: string, url: string): boolean {
  if (pattern === '<all_urls>') return true
  const parts = /^(\*|[a-z][a-z0-9+.-]*):\/\/([^/]*)(\/.*)?$/i.exec(pattern)
  if (!parts) throw new TypeError(`Invalid url pattern ${pattern}`)
  const [, scheme = '', host = '', path = '/*'] = parts
  let address: URL
  try {
    address = new URL(url)
  } catch {
    return false
  }
  const actual = address.protocol.slice(0, -1)
  if (scheme === '*' ? !['http', 'https', 'ws', 'wss'].includes(actual) : scheme.toLowerCase() !== actual) return false
  const [name = '', port] = host.split(/:(?=[^\]]*$)/)
  if (port !== undefined && port !== '*' && port !== address.port) return false
  const hostFits =
    name === '*' ||
    name.toLowerCase() === address.hostname ||
    (name.startsWith('*.') && `.${address.hostname}`.endsWith(name.slice(1).toLowerCase()))
  const escaped = path.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')
  return hostFits && new RegExp(`^${escaped}$`, 's').test(address.pathname + address.search)
}

function matches(filter: Filter | undefined, url: string, type: ResourceType): boolean {
  if (!filter) return true
  if (filter.types?.length && !filter.types.includes(type as never)) return false
  if (filter.excludeUrls?.some((pattern) => matchesPattern(pattern, url))) return false
  return (filter.urls ?? ['<all_urls>']).some((pattern) => matchesPattern(pattern, url))
}

/** Returns Electron's name for a kind of request of Chromium's. */
export function resourceType(type: Protocol.Network.ResourceType, place: { mainFrame: boolean }): ResourceType {
  if (type === 'Document') return place.mainFrame ? 'mainFrame' : 'subFrame'
  const names: Partial<Record<Protocol.Network.ResourceType, ResourceType>> = {
    Stylesheet: 'stylesheet',
    Script: 'script',
    Image: 'image',
    Font: 'font',
    XHR: 'xhr',
    Fetch: 'xhr',
    Ping: 'ping',
    CSPViolationReport: 'cspReport',
    Media: 'media',
    WebSocket: 'webSocket'
  }
  return names[type] ?? 'other'
}

export class WebRequest {
  #beforeRequest: Registration<BeforeRequestListener> | undefined
  #beforeSendHeaders: Registration<BeforeSendHeadersListener> | undefined
  #headersReceived: Registration<HeadersReceivedListener> | undefined
  readonly #changed: () => void

  constructor(changed: () => void) {
    this.#changed = changed
  }

  onBeforeRequest(...args: [Filter, BeforeRequestListener | null] | [BeforeRequestListener | null]): void {
    this.#beforeRequest = toRegistration(args)
    this.#changed()
  }

  onBeforeSendHeaders(...args: [Filter, BeforeSendHeadersListener | null] | [BeforeSendHeadersListener | null]): void {
    this.#beforeSendHeaders = toRegistration(args)
  }

  onHeadersReceived(...args: [Filter, HeadersReceivedListener | null] | [HeadersReceivedListener | null]): void {
    this.#headersReceived = toRegistration(args)
  }

  onSendHeaders = (): never => notEmulated('webRequest.onSendHeaders')
  onResponseStarted = (): never => notEmulated('webRequest.onResponseStarted')
  onBeforeRedirect = (): never => notEmulated('webRequest.onBeforeRedirect')
  onCompleted = (): never => notEmulated('webRequest.onCompleted')
  onErrorOccurred = (): never => notEmulated('webRequest.onErrorOccurred')

  /** @internal whether WebSockets must be refused, because Chromium can't hold one until a listener has decided */
  get refusesWebSockets(): boolean {
    return this.#beforeRequest !== undefined && matches(this.#beforeRequest.filter, 'ws://example.com/', 'webSocket')
  }

  /** @internal */
  get watchesResponses(): boolean {
    return this.#headersReceived !== undefined
  }

  /** @internal */
  async beforeRequest(details: Electron.OnBeforeRequestListenerDetails): Promise<Electron.CallbackResponse> {
    const registration = this.#beforeRequest
    if (!registration || !matches(registration.filter, details.url, details.resourceType)) return {}
    return new Promise((resolve) => registration.listener(details, resolve))
  }

  /** @internal */
  async beforeSendHeaders(details: Electron.OnBeforeSendHeadersListenerDetails): Promise<Electron.BeforeSendResponse> {
    const registration = this.#beforeSendHeaders
    if (!registration || !matches(registration.filter, details.url, details.resourceType)) return {}
    return new Promise((resolve) => registration.listener(details, resolve))
  }

  /** @internal */
  async headersReceived(details: Electron.OnHeadersReceivedListenerDetails): Promise<Electron.HeadersReceivedResponse> {
    const registration = this.#headersReceived
    if (!registration || !matches(registration.filter, details.url, details.resourceType)) return {}
    return new Promise((resolve) => registration.listener(details, resolve))
  }
}

function toRegistration<L>(args: [Filter, L | null] | [L | null]): Registration<L> | undefined {
  const [filter, listener] = args.length === 2 ? args : [undefined, args[0]]
  for (const pattern of [...(filter?.urls ?? []), ...(filter?.excludeUrls ?? [])])
    matchesPattern(pattern, 'http://example.com/')
  return listener ? { filter, listener } : undefined
}
