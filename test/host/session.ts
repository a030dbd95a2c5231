// Electron's Session: a browser context, kept in memory only, with its permissions, requests, downloads and data.
import { lookup } from 'node:dns/promises'
import type * as Electron from 'electron'
import type { CdpSession, Protocol } from './cdp.ts'
import { Downloads } from './downloads.ts'
import { chromium, host } from './host.ts'
import type { OwnCertificate } from './net-lines.ts'
import { Permissions } from './permissions.ts'
import { protocolOf, Schemes } from './protocol.ts'
import { toApp, toCarried } from './schemes.ts'
import { acceptOnly, Emulated, notEmulated, strictly } from './strict.ts'
import { createContext, openUtilityPage, runningServiceWorkers } from './targets.ts'
import type { WebContents } from './web-contents.ts'
import { WebRequest } from './web-request.ts'

const sessionEvents = {
  emits: ['will-download'],
  // No device is ever offered here, so none is selected, added or removed; spell-check dictionaries aren't fetched.
  never: [
    'select-hid-device',
    'select-serial-port',
    'select-usb-device',
    'file-system-access-restricted',
    'hid-device-added',
    'hid-device-removed',
    'serial-port-added',
    'serial-port-removed',
    'usb-device-added',
    'usb-device-removed',
    'spellcheck-dictionary-download-failure'
  ]
} as const

type Offered = Pick<
  Electron.Session,
  | 'setPermissionRequestHandler'
  | 'setPermissionCheckHandler'
  | 'setDevicePermissionHandler'
  | 'setBluetoothPairingHandler'
  | 'setDisplayMediaRequestHandler'
  | 'setCertificateVerifyProc'
  | 'clearStorageData'
  | 'clearCache'
  | 'clearData'
  | 'clearAuthCache'
  | 'clearHostResolverCache'
  | 'clearCodeCaches'
  | 'clearSharedDictionaryCache'
  | 'getCacheSize'
  | 'getSharedDictionaryUsageInfo'
  | 'closeAllConnections'
  | 'resolveHost'
  | 'flushStorageData'
  | 'isPersistent'
  | 'setUserAgent'
  | 'getUserAgent'
  | 'setSpellCheckerEnabled'
  | 'isSpellCheckerEnabled'
  | 'setSpellCheckerLanguages'
  | 'setDownloadPath'
  | 'setProxy'
  | 'resolveProxy'
  | 'setSSLConfig'
>

const storageTypes: Readonly<Record<string, string>> = {
  filesystem: 'file_systems',
  fileSystems: 'file_systems',
  indexdb: 'indexeddb',
  indexedDB: 'indexeddb',
  localstorage: 'local_storage',
  localStorage: 'local_storage',
  serviceworkers: 'service_workers',
  serviceWorkers: 'service_workers',
  cachestorage: 'cache_storage',
  backgroundFetch: 'all',
  shadercache: 'shader_cache'
}

const sessions = new Map<string, Session>()

export class Session extends Emulated implements Offered {
  readonly partition: string
  readonly permissions: Permissions
  readonly schemes = new Schemes()
  readonly protocol = protocolOf(this.schemes, () => isAppReady)
  readonly webRequest = new WebRequest(() => {
    const updates = [...this.pages].map((member) => member.applyMachineState())
    this.#settings = Promise.allSettled([this.#settings, ...updates])
  })
  /** @internal the pages of the session */
  readonly pages = new Set<WebContents>()
  /** @internal every origin that a page of the session has been to */
  readonly visitedOrigins = new Set<string>()
  readonly downloads: Downloads
  /** @internal the bytes received over the network since the cache was cleared */
  cachedBytes = 0
  /** @internal */
  verifyProc: Parameters<Electron.Session['setCertificateVerifyProc']>[0] | undefined
  /** @internal the client certificates that servers were shown, by host and port */
  readonly chosenCertificates = new Map<string, OwnCertificate>()
  /** @internal the credentials used to sign in to proxies */
  readonly proxyLogins = new Map<string, string>()
  #context: Promise<string> | undefined
  #contextId: string | undefined
  #utilityPage: { readonly page: ReturnType<typeof openUtilityPage>; users: number } | undefined
  #settings: Promise<unknown> = Promise.resolve()
  #userAgent: string | undefined
  /** @internal the Accept-Language header; undefined for the browser's own */
  acceptLanguage: string | undefined
  #spellChecker = true
  #proxy: { proxyServer?: string | undefined; proxyBypassList?: string | undefined } = {}

  constructor(partition: string) {
    super('session', sessionEvents)
    if (partition.startsWith('persist:')) notEmulated(`a session that persists ('${partition}')`)
    this.partition = partition
    this.permissions = new Permissions(async (setting) =>
      chromium().root.send('Browser.setPermission', {
        ...setting,
        browserContextId: this.#contextId ?? (await this.context())
      })
    )
    this.downloads = new Downloads(this)
  }

  static of(partition: string): Session {
    const existing = sessions.get(partition)
    if (existing) return existing
    const created = new Session(partition)
    sessions.set(partition, created)
    host.emit('session-created', created)
    return created
  }

  /** @internal the browser context, created on first use */
  context(): Promise<string> {
    this.#context ??= this.#create()
    return this.#context
  }

  /** @internal resolves once earlier settings have reached Chromium */
  async whenSettingsApplied(): Promise<void> {
    await this.#settings
  }

  get cookies() {
    return strictly('cookies', {
      get: async (filter: Electron.CookiesGetFilter): Promise<Electron.Cookie[]> => {
        acceptOnly('cookies.get', filter, ['url', 'name', 'domain'])
        const browserContextId = await this.context()
        const { cookies } = await chromium().root.send('Storage.getCookies', { browserContextId })
        const hostname = filter.url ? new URL(toCarried(filter.url)).hostname : undefined
        return cookies
          .filter(({ name, domain }) => {
            if (filter.name !== undefined && filter.name !== name) return false
            const bare = domain.replace(/^\./, '')
            if (filter.domain !== undefined && filter.domain !== bare) return false
            return hostname === undefined || hostname === bare || (domain.startsWith('.') && hostname.endsWith(domain))
          })
          .map(asCookie)
      },
      flushStore: async () => {}
    } satisfies Pick<Electron.Cookies, 'get' | 'flushStore'>)
  }

  setPermissionRequestHandler(handler: Parameters<Electron.Session['setPermissionRequestHandler']>[0]): void {
    this.permissions.setRequestHandler(handler)
    this.#applyPermissions()
  }

  setPermissionCheckHandler(handler: Parameters<Electron.Session['setPermissionCheckHandler']>[0]): void {
    this.permissions.setCheckHandler(handler)
    this.#applyPermissions()
  }

  /** Accepted: no device can be reached from here, so there is nothing to decide. */
  setDevicePermissionHandler(): void {}

  /**
   * Looks a name up as this machine does.
   * @throws Error `net::ERR_NAME_NOT_RESOLVED`, as in Electron, if it has no address
   */
  async resolveHost(name: string): Promise<Electron.ResolvedHost> {
    try {
      const found = await lookup(name, { all: true })
      return {
        endpoints: found.map(({ address, family }) => ({ address, family: family === 6 ? 'ipv6' : 'ipv4' }))
      }
    } catch {
      throw new Error('net::ERR_NAME_NOT_RESOLVED')
    }
  }

  /** Accepted: no device is ever offered here, so none asks to be paired. */
  setBluetoothPairingHandler(): void {}

  /** Accepted: screens can't be captured here; see permissions.ts for the request that comes before. */
  setDisplayMediaRequestHandler(): void {}

  /**
   * Used for net.request only: a page's TLS connection is Chromium's, and is refused while this is set (network.ts).
   */
  setCertificateVerifyProc(proc: Parameters<Electron.Session['setCertificateVerifyProc']>[0]): void {
    this.verifyProc = proc ?? undefined
  }

  /** @internal the proxy for a request of net.request, as host:port */
  proxyFor({ hostname }: URL): string | undefined {
    const { proxyServer, proxyBypassList = '' } = this.#proxy
    if (proxyServer === undefined) return undefined
    const bypassed = proxyBypassList.split(',')
    const isOwn = /^(localhost|127\..*|\[::1\])$/.test(hostname) && !bypassed.includes('<-loopback>')
    if (isOwn || bypassed.includes(hostname)) return undefined
    if (bypassed.some((rule) => rule.includes('*')))
      notEmulated('net.request through a proxy with patterns of exceptions')
    return /^[^:/;=]+:\d+$/.test(proxyServer) ? proxyServer : notEmulated(`net.request through '${proxyServer}'`)
  }

  setSSLConfig(): void {
    notEmulated('session.setSSLConfig')
  }

  async setProxy(config: Electron.ProxyConfig): Promise<void> {
    if (config.mode === 'fixed_servers') {
      acceptOnly('setProxy', config, ['mode', 'proxyRules', 'proxyBypassRules'])
      if (this.#context) notEmulated('session.setProxy after the first page of the session')
      this.#proxy = { proxyServer: config.proxyRules, proxyBypassList: config.proxyBypassRules?.replaceAll(';', ',') }
      return
    }
    if (config.mode !== 'system' && config.mode !== 'direct') notEmulated(`session.setProxy with mode '${config.mode}'`)
  }

  async resolveProxy(): Promise<string> {
    return 'DIRECT'
  }

  isPersistent(): boolean {
    return this.partition === ''
  }

  /** As in Electron, the languages are sent to servers at once, and pages don't see them in `navigator`. */
  setUserAgent(userAgent: string, acceptLanguages?: string): void {
    this.#userAgent = userAgent
    if (acceptLanguages === undefined) return
    this.acceptLanguage = acceptLanguageHeader(acceptLanguages)
    const updates = [...this.pages].map((member) => member.applyMachineState())
    this.#settings = Promise.allSettled([this.#settings, ...updates])
  }

  getUserAgent(): string {
    return (
      this.#userAgent ?? chromium().userAgent.replace(/ Safari\//, ` Electron/${process.versions.electron} Safari/`)
    )
  }

  setSpellCheckerEnabled(enable: boolean): void {
    this.#spellChecker = enable
  }

  isSpellCheckerEnabled(): boolean {
    return this.#spellChecker
  }

  setSpellCheckerLanguages(): void {}

  setDownloadPath(path: string): void {
    this.downloads.folder = path
  }

  async clearStorageData(options?: Electron.ClearStorageDataOptions): Promise<void> {
    acceptOnly('clearStorageData', options, ['origin', 'storages'])
    const requested = options?.storages
    if (!requested || requested.includes('cookies')) await this.#clearCookies()
    const types = requested?.map((each) => storageTypes[each]).filter((each) => each !== undefined) ?? ['all']
    await this.#clearOrigins(options?.origin ? [toCarried(options.origin)] : [...this.visitedOrigins], types)
  }

  async clearData(options?: Electron.ClearDataOptions): Promise<void> {
    acceptOnly('clearData', options, ['dataTypes', 'origins', 'avoidClosingConnections'])
    const requested = options?.dataTypes
    if (!requested || requested.includes('cookies')) await this.#clearCookies()
    if (!requested || requested.includes('cache')) await this.clearCache()
    const types = requested?.map((each) => storageTypes[each]).filter((each) => each !== undefined) ?? ['all']
    await this.#clearOrigins(options?.origins?.map(toCarried) ?? [...this.visitedOrigins], types)
  }

  async clearCache(): Promise<void> {
    await this.#withAnyPage((page) => page.send('Network.clearBrowserCache'))
    this.cachedBytes = 0
  }

  /**
   * Returns an upper bound: Chromium has no command for the size, so this is what was received since the cache was
   * cleared.
   */
  async getCacheSize(): Promise<number> {
    return this.cachedBytes
  }

  get serviceWorkers() {
    return strictly('serviceWorkers', {
      getAllRunning: () =>
        Object.fromEntries(
          (this.#contextId ? runningServiceWorkers(this.#contextId) : []).map((scriptUrl, index) => [
            index,
            {
              scriptUrl: toApp(scriptUrl),
              scope: new URL('.', toApp(scriptUrl)).href,
              renderProcessId: 1,
              versionId: index
            }
          ])
        )
    } satisfies Pick<Electron.ServiceWorkers, 'getAllRunning'>)
  }

  // Shared dictionaries are for TLS connections only, and no test of the host serves one.
  async clearSharedDictionaryCache(): Promise<void> {}
  async getSharedDictionaryUsageInfo(): Promise<Electron.SharedDictionaryUsageInfo[]> {
    return []
  }

  // Chromium carries none of these over from one browser context to the next, and has no command to drop them.
  async clearAuthCache(): Promise<void> {
    this.proxyLogins.clear()
  }
  async clearHostResolverCache(): Promise<void> {}
  async clearCodeCaches(): Promise<void> {}
  async closeAllConnections(): Promise<void> {}
  flushStorageData(): void {}

  async #create(): Promise<string> {
    await host.started
    const browserContextId = await createContext(this.#proxy)
    this.#contextId = browserContextId
    await Promise.all([this.permissions.applyDefault(), this.downloads.watch(browserContextId)])
    return browserContextId
  }

  #applyPermissions(): void {
    // A session without a context starts with the latest settings.
    if (this.#context) this.#settings = this.#settings.then(() => this.permissions.applyDefault())
  }

  async #clearCookies(): Promise<void> {
    const browserContextId = await this.context()
    await chromium().root.send('Storage.clearCookies', { browserContextId })
  }

  async #clearOrigins(origins: readonly string[], types: readonly string[]): Promise<void> {
    if (types.length === 0) return
    const realOrigins = origins.filter((origin) => origin.includes('://'))
    const storageTypes = types.join(',')
    await this.#withAnyPage((page) =>
      Promise.all(realOrigins.map((origin) => page.send('Storage.clearDataForOrigin', { origin, storageTypes })))
    )
  }

  /**
   * Runs `work` on any page of the session, because Chromium clears data through a page. If the session has none, all
   * concurrent calls share one opened for the purpose.
   */
  async #withAnyPage(work: (page: CdpSession) => Promise<unknown>): Promise<void> {
    const [member] = this.pages
    if (member) return void (await member.command(work))
    this.#utilityPage ??= { page: this.context().then((context) => openUtilityPage(context)), users: 0 }
    const borrowed = this.#utilityPage
    borrowed.users++
    const { page, close } = await borrowed.page
    await work(page)
    if (--borrowed.users > 0) return
    if (this.#utilityPage === borrowed) this.#utilityPage = undefined
    close()
  }
}

let isAppReady = false
host.once('ready', () => (isAppReady = true))

function asCookie(cookie: Protocol.Network.Cookie): Electron.Cookie {
  const sameSite =
    ({ Strict: 'strict', Lax: 'lax', None: 'no_restriction' } as const)[cookie.sameSite as 'Strict'] ?? 'unspecified'
  return {
    name: cookie.name,
    value: cookie.value,
    domain: toApp(cookie.domain),
    hostOnly: !cookie.domain.startsWith('.'),
    path: cookie.path,
    secure: cookie.secure,
    httpOnly: cookie.httpOnly,
    session: cookie.session,
    sameSite,
    ...(cookie.session ? {} : { expirationDate: cookie.expires })
  }
}

type Module = Pick<typeof Electron.session, 'fromPartition'>

/** The `session` module. */
export const session = strictly('session', {
  fromPartition(partition, options) {
    acceptOnly('session.fromPartition', options, ['cache'])
    if (typeof partition !== 'string') throw new TypeError('partition must be a string')
    return Session.of(partition) as unknown as Electron.Session
  },
  fromPath: () => notEmulated('session.fromPath'),
  get defaultSession() {
    return Session.of('') as unknown as Electron.Session
  }
} satisfies Module & Record<string, unknown>)

/**
 * Returns the header that Chromium makes of an ordered list: each language weighs a little less than the one before.
 */
function acceptLanguageHeader(languages: string): string {
  return languages
    .split(',')
    .map((language, place) => (place === 0 ? language : `${language};q=${Math.max(0.1, 1 - place / 10).toFixed(1)}`))
    .join(',')
}
