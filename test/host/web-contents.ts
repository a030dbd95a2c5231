// Electron's WebContents: one page of Chromium, with its preload, its navigation and its permissions.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as Electron from 'electron'
import type { CdpSession, Protocol } from './cdp.ts'
import { makeCodec } from './codec.ts'
import { bridge, isolatedWorld, mainWorld, type PreloadProcess } from './context-bridge.ts'
import { FrameTree, type WebFrame } from './frames.ts'
import { chromium, host } from './host.ts'
import { codec, IpcMain, receive } from './ipc.ts'
import { Navigation } from './navigation.ts'
import { ownFrame } from './network.ts'
import { type Report, watchPage } from './page-watch.ts'
import { permissionShim } from './permission-shim.ts'
import type { Question } from './permissions.ts'
import { isPrivileged, schemeOf, toApp } from './schemes.ts'
import { Session } from './session.ts'
import { acceptOnly, Emulated, NotEmulatedError, notEmulated, preventable, refuseLater } from './strict.ts'
import { createPage, type PageOwner, watchInside } from './targets.ts'

const world = 'Electron Isolated Context'
const watchWorld = 'test host'
const names = { post: '__hostPost', deliver: '__hostDeliver', ask: '__hostAsk', report: '__hostReport' }

// Chromium can't hold a WebSocket until a listener of webRequest has decided. Where one watches them a page opens none: all
// its attempts go to an address that no network is asked for. This alone is done in the page, not in the browser.
const refuseSockets = `if (self.WebSocket) {
  const nowhere = (Native, [, ...rest], target) => Reflect.construct(Native, ['ws://0.0.0.0:1/', ...rest], target)
  self.WebSocket = new Proxy(WebSocket, { construct: nowhere })
  WebSocket.prototype.constructor = WebSocket
}`

export const webContentsEvents = {
  emits: [
    'blur',
    'certificate-error',
    'console-message',
    'context-menu',
    'destroyed',
    'did-fail-load',
    'did-fail-provisional-load',
    'did-finish-load',
    'did-frame-finish-load',
    'did-frame-navigate',
    'did-navigate',
    'did-navigate-in-page',
    'did-redirect-navigation',
    'did-start-loading',
    'did-start-navigation',
    'did-stop-loading',
    'dom-ready',
    'enter-html-full-screen',
    'focus',
    'frame-created',
    'ipc-message',
    'leave-html-full-screen',
    'page-title-updated',
    'preload-error',
    'render-process-gone',
    'will-frame-navigate',
    'will-navigate',
    'will-prevent-unload',
    'will-redirect'
  ],
  // Safe to wait for in vain: <webview> is off, window.open is never allowed here, nobody turns a wheel with Ctrl held in
  // a headless page, and a page that hangs, or takes the picture of a device list, is not what the host shows.
  never: [
    'will-attach-webview',
    'did-attach-webview',
    'did-create-window',
    'zoom-changed',
    'unresponsive',
    'responsive',
    'devtools-opened',
    'devtools-closed',
    'select-bluetooth-device',
    'ipc-message-sync'
  ]
} as const

// Allowed with these values only; `undefined` means any.
const preferences: Readonly<Record<string, readonly unknown[] | undefined>> = {
  preload: undefined,
  session: undefined,
  partition: undefined,
  additionalArguments: undefined,
  zoomFactor: undefined,
  sandbox: [true],
  contextIsolation: [true],
  nodeIntegration: [false],
  nodeIntegrationInWorker: [false],
  nodeIntegrationInSubFrames: [false],
  webSecurity: [true],
  allowRunningInsecureContent: [false],
  experimentalFeatures: [false],
  webviewTag: [false],
  plugins: [false, true],
  images: [true],
  javascript: [true],
  webgl: [true, false],
  navigateOnDragDrop: [false],
  // The host dismisses alert, confirm and prompt in any case.
  disableDialogs: [true],
  safeDialogs: undefined,
  safeDialogsMessage: undefined,
  autoplayPolicy: undefined,
  spellcheck: undefined,
  devTools: undefined,
  backgroundThrottling: undefined,
  v8CacheOptions: undefined,
  disableHtmlFullscreenWindowResize: undefined,
  focusOnNavigation: undefined,
  enableWebSQL: [false],
  accessibleTitle: undefined,
  transparent: [false]
}

function checkPreferences(given: Electron.WebPreferences): void {
  acceptOnly('webPreferences', given, Object.keys(preferences))
  for (const [name, value] of Object.entries(given)) {
    const allowed = preferences[name]
    if (value !== undefined && allowed && !allowed.includes(value)) notEmulated(`webPreferences.${name} = ${value}`)
  }
  if (given.preload !== undefined && !isAbsolute(given.preload)) throw new TypeError('preload must be an absolute path')
}

type Offered = Pick<
  Electron.WebContents,
  | 'id'
  | 'loadURL'
  | 'loadFile'
  | 'getURL'
  | 'getTitle'
  | 'isDestroyed'
  | 'close'
  | 'focus'
  | 'isFocused'
  | 'isLoading'
  | 'isLoadingMainFrame'
  | 'isWaitingForResponse'
  | 'stop'
  | 'reload'
  | 'reloadIgnoringCache'
  | 'send'
  | 'executeJavaScript'
  | 'insertCSS'
  | 'setZoomFactor'
  | 'getZoomFactor'
  | 'setZoomLevel'
  | 'getZoomLevel'
  | 'setVisualZoomLevelLimits'
  | 'setWindowOpenHandler'
  | 'setUserAgent'
  | 'getUserAgent'
  | 'setAudioMuted'
  | 'isAudioMuted'
  | 'isCrashed'
  | 'forcefullyCrashRenderer'
  | 'openDevTools'
  | 'closeDevTools'
  | 'isDevToolsOpened'
  | 'toggleDevTools'
  | 'getType'
  | 'getProcessId'
  | 'setBackgroundThrottling'
  | 'setIgnoreMenuShortcuts'
  | 'setWebRTCIPHandlingPolicy'
>

const living = new Map<number, WebContents>()
let lastId = 0

export class WebContents extends Emulated implements Offered, PageOwner {
  readonly id = ++lastId
  readonly session: Session
  readonly ipc = new IpcMain()
  readonly frames = new FrameTree()
  readonly navigation: Navigation
  readonly preloadPath: string | undefined
  /** @internal Chromium's id of the page, once there is one. */
  targetId: string | undefined
  readonly #preferences: Electron.WebPreferences
  readonly #token = `host-${randomUUID()}`
  readonly #opened: Promise<CdpSession>
  readonly #worlds = new Map<number, string>()
  /** The page's conversation and those of its frames, with the script that each has for its WebSockets. */
  readonly #sessions = new Map<CdpSession, string>()
  #page: CdpSession | undefined
  #pageAttached: (session: CdpSession) => void = () => {}
  #ipcWorld: number | undefined
  #size: { width: number; height: number }
  #zoom = 1
  #title = ''
  #muted = false
  #userAgent: string | undefined
  #destroyed = false
  #crashed = false
  #focused = false
  #fullscreenAllowed = false
  #windowOpenHandler: Parameters<Electron.WebContents['setWindowOpenHandler']>[0] | undefined
  #windowsAsked: Protocol.Page.windowOpenPayload[] = []

  constructor(given: Electron.WebPreferences = {}, size = { width: 800, height: 600 }) {
    super('webContents', webContentsEvents)
    checkPreferences(given)
    this.#preferences = given
    this.preloadPath = given.preload
    this.#size = size
    this.#zoom = given.zoomFactor ?? 1
    this.session = (given.session as unknown as Session | undefined) ?? Session.of(given.partition ?? '')
    this.navigation = new Navigation(this, this.frames)
    living.set(this.id, this)
    this.session.members.add(this)
    this.#opened = this.#open()
    this.#opened.catch((error) => {
      if (!this.#destroyed) refuseLater(`a page that can't be opened (${error})`)
    })
    host.emit('web-contents-created', this)
  }

  static all(): WebContents[] {
    return [...living.values()]
  }

  static fromId(id: number): WebContents | undefined {
    return living.get(id)
  }

  /** This object as the type that Electron's API names; members that the host lacks throw. */
  asElectron(): Electron.WebContents {
    return this as unknown as Electron.WebContents
  }

  get mainFrame(): Electron.WebFrameMain {
    const { main } = this.frames
    if (!main) throw new Error('test host: the page has no frame yet')
    return main as unknown as Electron.WebFrameMain
  }

  async loadURL(url: string, options?: Electron.LoadURLOptions): Promise<void> {
    acceptOnly('loadURL', options, ['httpReferrer', 'userAgent'])
    if (!schemeOf(url))
      throw Object.assign(new Error(`ERR_INVALID_URL (-300) loading '${url}'`), {
        code: 'ERR_INVALID_URL',
        errno: -300,
        url
      })
    if (options?.userAgent) this.setUserAgent(options.userAgent)
    this.navigation.startLoading()
    const page = await this.#opened
    await this.session.settled()
    const scheme = schemeOf(url)
    if (isPrivileged(scheme) && !this.session.schemes.isProtocolHandled(scheme)) {
      throw Object.assign(new Error(`ERR_UNKNOWN_URL_SCHEME (-302) loading '${url}'`), {
        code: 'ERR_UNKNOWN_URL_SCHEME',
        errno: -302,
        url
      })
    }
    const referrer = options?.httpReferrer
    await this.navigation.load(page, url, typeof referrer === 'object' ? referrer.url : referrer)
  }

  loadFile(file: string, options?: Electron.LoadFileOptions): Promise<void> {
    const url = pathToFileURL(resolve(file))
    if (options?.search) url.search = options.search
    if (options?.hash) url.hash = options.hash
    for (const [name, value] of Object.entries(options?.query ?? {})) url.searchParams.set(name, value)
    return this.loadURL(url.href)
  }

  getURL(): string {
    return this.navigation.begun ? (this.frames.main?.url ?? '') : ''
  }

  getTitle(): string {
    return this.#title
  }

  getType(): 'window' {
    return 'window'
  }

  getProcessId(): number {
    return 1
  }

  isDestroyed(): boolean {
    return this.#destroyed
  }

  isCrashed(): boolean {
    return this.#crashed
  }

  isLoading(): boolean {
    return this.navigation.loading
  }

  isLoadingMainFrame(): boolean {
    return this.navigation.loading
  }

  isWaitingForResponse(): boolean {
    return this.navigation.loading
  }

  stop(): void {
    this.#tell((page) => page.tell('Page.stopLoading'))
  }

  reload(): void {
    this.navigation.startLoading()
    this.#tell((page) => page.tell('Page.reload'))
  }

  reloadIgnoringCache(): void {
    this.navigation.startLoading()
    this.#tell((page) => page.tell('Page.reload', { ignoreCache: true }))
  }

  focus(): void {
    if (this.#focused) return
    for (const other of living.values()) other.blur()
    this.#focused = true
    this.emit('focus', {})
  }

  /** @internal */
  blur(): void {
    if (!this.#focused) return
    this.#focused = false
    this.emit('blur', {})
  }

  isFocused(): boolean {
    return this.#focused
  }

  /** Ends the page; with `waitForBeforeUnload` it is asked first and may stay (see will-prevent-unload). */
  close(options?: Electron.CloseOpts): void {
    this.#tell((page) => {
      if (options?.waitForBeforeUnload) page.tell('Page.close')
      else chromium().root.tell('Target.closeTarget', { targetId: this.targetId ?? '' })
    })
    if (!options?.waitForBeforeUnload) this.detached()
  }

  /** Not in Electron's types any longer, but still there; the same as close(). */
  destroy(): void {
    this.close()
  }

  send(channel: string, ...args: unknown[]): void {
    if (typeof channel !== 'string') throw new TypeError('Missing required channel argument')
    const text = codec.encode({ t: 'event', channel, args })
    this.#tell(() => this.#deliver(text, this.#ipcWorld))
  }

  async executeJavaScript(code: string, userGesture?: boolean): Promise<unknown> {
    const page = await this.#opened
    const { result, exceptionDetails } = await page.send('Runtime.evaluate', {
      expression: code,
      userGesture: userGesture ?? false,
      awaitPromise: true,
      returnByValue: true
    })
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return result.value
  }

  async insertCSS(css: string, options?: Electron.InsertCSSOptions): Promise<string> {
    acceptOnly('insertCSS', options, [])
    const key = randomUUID()
    await this.executeJavaScript(
      `{const s=new CSSStyleSheet();s.replaceSync(${JSON.stringify(css)});document.adoptedStyleSheets.push(s)}`
    )
    return key
  }

  setZoomFactor(factor: number): void {
    if (!(factor > 0)) throw new TypeError("'zoomFactor' must be a double greater than 0.0")
    this.#zoom = factor
    this.#tell((page) => this.#applySize(page))
  }

  getZoomFactor(): number {
    return this.#zoom
  }

  setZoomLevel(level: number): void {
    this.setZoomFactor(1.2 ** level)
  }

  getZoomLevel(): number {
    return Math.log(this.#zoom) / Math.log(1.2)
  }

  async setVisualZoomLevelLimits(): Promise<void> {}

  setWindowOpenHandler(handler: Parameters<Electron.WebContents['setWindowOpenHandler']>[0]): void {
    this.#windowOpenHandler = handler
  }

  setUserAgent(userAgent: string): void {
    this.#userAgent = userAgent
    this.#tell((page) => page.tell('Emulation.setUserAgentOverride', { userAgent }))
  }

  getUserAgent(): string {
    return this.#userAgent ?? this.session.getUserAgent()
  }

  get userAgent(): string {
    return this.getUserAgent()
  }

  set userAgent(userAgent: string) {
    this.setUserAgent(userAgent)
  }

  setAudioMuted(muted: boolean): void {
    this.#muted = muted
  }

  isAudioMuted(): boolean {
    return this.#muted
  }

  forcefullyCrashRenderer(): void {
    this.#tell((page) => page.tell('Page.crash'))
  }

  // Nothing in the page changes by these.
  setBackgroundThrottling(): void {}
  setIgnoreMenuShortcuts(): void {}
  setWebRTCIPHandlingPolicy(): void {}
  openDevTools(): void {}
  closeDevTools(): void {}
  toggleDevTools(): void {}
  isDevToolsOpened(): boolean {
    return false
  }

  // ---- for the rest of the host ----

  /** @internal the picture of the page as it is, in PNG */
  async picture(): Promise<string> {
    const page = await this.#opened
    return (await page.send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: false })).data
  }

  /** @internal */
  async command<T>(work: (page: CdpSession) => Promise<T>): Promise<T> {
    return work(await this.#opened)
  }

  /** @internal */
  setSize(size: { width: number; height: number }): void {
    if (size.width <= 0 || size.height <= 0) return
    this.#size = { width: Math.round(size.width), height: Math.round(size.height) }
    this.#tell((page) => this.#applySize(page))
  }

  /** @internal the theme, whether there is a network, or what is watched has changed; settles when the page has it */
  async applySurroundings(): Promise<void> {
    await this.#opened
    // A frame may be gone by now.
    await Promise.allSettled([...this.#sessions.keys()].map((each) => this.#surround(each)))
  }

  /** @internal */
  visited(origin: string): void {
    this.session.visited.add(origin)
  }

  /** @internal a click with Ctrl, Shift or the middle button: Chromium would open it elsewhere */
  opensElsewhere(url: string, disposition: string): void {
    this.#askToOpen(url, '', '', disposition === 'newWindow' ? 'new-window' : 'foreground-tab')
  }

  /** @internal a link that is a program's on the machine: the application's permission handler decides, as in Electron */
  openExternal(frame: WebFrame, url: string): void {
    this.session.permissions
      .request(this, frame, 'openExternal', undefined, url)
      .then((allowed) => allowed && host.openedExternally.push(url))
  }

  /** @internal */
  certificateError(url: string, code: string, isMainFrame: boolean): void {
    const event = preventable({})
    const callback = (trusted: boolean) => {
      if (trusted) refuseLater('trusting a certificate that Chromium does not')
    }
    const told = [url, `net::${code}`, {}, callback, isMainFrame]
    this.emit('certificate-error', event, ...told)
    host.emit('certificate-error', event, this, ...told)
  }

  // ---- PageOwner: what Chromium brings ----

  async attached(page: CdpSession, info: Protocol.Target.TargetInfo): Promise<void> {
    this.#page = page
    this.#sessions.set(page, '')
    this.frames.attach(info.targetId, undefined)
    ownFrame(info.targetId, this)
    this.#listen(page)
    page.on('Inspector.targetCrashed', () => this.#crash())
    page.on('Page.javascriptDialogOpening', ({ type }) => this.#scriptDialog(page, type))
    const scripts = [...this.#preloadScripts(), ...this.#ownScripts()]
    await Promise.all([
      page.send('Page.enable'),
      page.send('Page.setLifecycleEventsEnabled', { enabled: true }),
      page.send('Inspector.enable'),
      page.send('Network.enable'),
      page.send('Log.enable'),
      page.send('Runtime.enable'),
      page.send('Runtime.addBinding', { name: names.post, executionContextName: world }),
      page.send('Runtime.addBinding', { name: names.ask }),
      page.send('Runtime.addBinding', { name: names.report, executionContextName: watchWorld }),
      // In this order: the main world must listen before the isolated one speaks.
      ...scripts.map((script) => page.send('Page.addScriptToEvaluateOnNewDocument', script)),
      page.send('Emulation.setFocusEmulationEnabled', { enabled: true }),
      page.send('Emulation.setUserAgentOverride', { userAgent: this.getUserAgent() }),
      watchInside(page, this),
      this.#applySize(page),
      this.#surround(page)
    ])
    this.#pageAttached(page)
  }

  async frameAttached(session: CdpSession, info: Protocol.Target.TargetInfo): Promise<void> {
    if (info.type !== 'iframe') {
      if (this.session.webRequest.refusesWebSockets) session.tell('Runtime.evaluate', { expression: refuseSockets })
      return
    }
    this.#sessions.set(session, '')
    this.#listen(session)
    ownFrame(info.targetId, this)
    await Promise.all([
      session.send('Page.enable'),
      session.send('Page.setLifecycleEventsEnabled', { enabled: true }),
      session.send('Network.enable'),
      session.send('Log.enable'),
      session.send('Runtime.enable'),
      session.send('Runtime.addBinding', { name: names.ask }),
      session.send('Runtime.addBinding', { name: names.report, executionContextName: watchWorld }),
      ...this.#ownScripts().map((script) => session.send('Page.addScriptToEvaluateOnNewDocument', script)),
      session.send('Emulation.setUserAgentOverride', { userAgent: this.getUserAgent() }),
      watchInside(session, this),
      this.#surround(session)
    ])
  }

  popupAttached(): void {
    const asked = this.#windowsAsked.shift()
    if (!asked) return
    const features = asked.windowFeatures.join(',')
    const disposition = /(^|,)(width|height|left|top|popup)=/.test(features) ? 'new-window' : 'foreground-tab'
    this.#askToOpen(toApp(asked.url), asked.windowName === '_blank' ? '' : asked.windowName, features, disposition)
  }

  detached(): void {
    if (this.#destroyed) return
    this.#destroyed = true
    living.delete(this.id)
    this.session.members.delete(this)
    this.navigation.abandon()
    this.emit('destroyed', {})
  }

  // ---- inside ----

  async #open(): Promise<CdpSession> {
    await host.started
    const browserContextId = await this.session.context()
    const attached = new Promise<CdpSession>((done) => (this.#pageAttached = done))
    this.targetId = await createPage(this, { browserContextId, ...this.#size })
    const page = await attached
    if (this.#destroyed) chromium().root.tell('Target.closeTarget', { targetId: this.targetId })
    return page
  }

  /** After whatever was asked of the page before; nothing where it has gone. */
  #tell(work: (page: CdpSession) => unknown): void {
    this.#opened.then(
      (page) => !this.#destroyed && work(page),
      () => {}
    )
  }

  #listen(session: CdpSession): void {
    this.navigation.follow(session)
    session.on('Runtime.executionContextCreated', ({ context }) => {
      const { frameId } = context.auxData as { frameId?: string }
      if (!frameId) return
      this.#worlds.set(context.id, frameId)
      if (context.name === world && frameId === this.frames.main?.id && session === this.#page)
        this.#ipcWorld = context.id
    })
    session.on('Runtime.executionContextDestroyed', ({ executionContextId }) => {
      this.#worlds.delete(executionContextId)
      if (this.#ipcWorld === executionContextId) this.#ipcWorld = undefined
    })
    session.on('Runtime.executionContextsCleared', () => {
      if (session === this.#page) this.#ipcWorld = undefined
    })
    session.on('Runtime.bindingCalled', (call) => this.#called(session, call))
    session.on('Page.windowOpen', (asked) => this.#windowsAsked.push(asked))
    session.on('Runtime.consoleAPICalled', ({ type, args, stackTrace }) => {
      const level =
        ({ error: 'error', assert: 'error', warning: 'warning', debug: 'debug' } as const)[type as 'error'] ?? 'info'
      const text = args
        .map((arg) => String(arg.value ?? arg.description ?? arg.unserializableValue ?? arg.type))
        .join(' ')
      const at = stackTrace?.callFrames[0]
      this.#console(level, text, at?.lineNumber ?? 0, at?.url ?? '')
    })
    session.on('Runtime.exceptionThrown', ({ exceptionDetails }) => {
      const text = exceptionDetails.exception?.description ?? exceptionDetails.text
      this.#console('error', `Uncaught ${text}`, exceptionDetails.lineNumber, exceptionDetails.url ?? '')
    })
    session.on('Log.entryAdded', ({ entry }) => {
      this.#console(
        entry.level === 'verbose' ? 'debug' : entry.level,
        entry.text,
        entry.lineNumber ?? 0,
        entry.url ?? ''
      )
    })
  }

  #console(level: 'info' | 'warning' | 'error' | 'debug', message: string, lineNumber: number, url: string): void {
    this.emit('console-message', { level, message, lineNumber, sourceId: toApp(url), frame: this.frames.main ?? null })
  }

  #called(session: CdpSession, { name, payload, executionContextId }: Protocol.Runtime.bindingCalledPayload): void {
    const frame = this.frames.get(this.#worlds.get(executionContextId) ?? '')
    if (!frame) return
    if (name === names.post && executionContextId === this.#ipcWorld) {
      void receive(this, frame, payload, (text) => this.#deliver(text, executionContextId))
    }
    if (name === names.report) this.#reported(session, executionContextId, JSON.parse(payload) as Report)
    if (name === names.ask) void this.#answer(session, frame, executionContextId, JSON.parse(payload) as Question)
  }

  #reported(session: CdpSession, contextId: number, report: Report): void {
    if (report.kind === 'title') {
      this.#title = report.title || this.getURL()
      if (report.title) this.emit('page-title-updated', preventable({}), report.title, true)
    } else if (report.kind === 'context-menu') {
      const { details } = report
      this.emit('context-menu', preventable({}), {
        ...details,
        linkURL: toApp(details.linkURL),
        pageURL: this.getURL()
      })
    } else if (!report.on) this.emit('leave-html-full-screen')
    else if (this.#fullscreenAllowed) this.emit('enter-html-full-screen')
    // Chromium has no switch for it: a page that didn't ask, or was refused, is put back.
    else session.tell('Runtime.evaluate', { contextId, expression: 'document.exitFullscreen()' })
  }

  async #answer(session: CdpSession, frame: WebFrame, contextId: number, question: Question): Promise<void> {
    const allowed = await this.session.permissions.answer(this, frame, question)
    if (question.permission === 'fullscreen') this.#fullscreenAllowed = allowed
    const expression = `dispatchEvent(new CustomEvent(${JSON.stringify(this.#token)},{detail:'${question.id} ${allowed}'}))`
    session.tell('Runtime.evaluate', { contextId, expression, userGesture: question.permission !== 'notifications' })
  }

  #deliver(text: string, contextId: number | undefined): void {
    // A page that is gone or on its way elsewhere hears nothing, in Electron neither.
    if (contextId === undefined) return
    this.#page?.tell('Runtime.evaluate', { contextId, expression: `${names.deliver}(${JSON.stringify(text)})` })
  }

  #askToOpen(
    url: string,
    frameName: string,
    features: string,
    disposition: Electron.HandlerDetails['disposition']
  ): void {
    const referrer = { url: this.getURL(), policy: 'strict-origin-when-cross-origin' as const }
    try {
      const answer = this.#windowOpenHandler?.({ url, frameName, features, disposition, referrer }) ?? {
        action: 'allow'
      }
      if (answer.action !== 'deny') refuseLater('a window that a page opens and the window-open handler allows')
    } catch (error) {
      // As in Electron: a handler that throws has not allowed it.
      if (error instanceof NotEmulatedError) throw error
      console.error('test host: the window-open handler threw:', error)
    }
  }

  #preloadScripts(): Protocol.Page.addScriptToEvaluateOnNewDocumentParameters[] {
    const path = this.preloadPath
    if (!path) return []
    const info: PreloadProcess = {
      versions: {
        node: process.versions.node,
        electron: process.versions.electron ?? '',
        chrome: process.versions.chrome ?? ''
      },
      platform: process.platform,
      arch: process.arch,
      argv: ['electron', ...(this.#preferences.additionalArguments ?? [])]
    }
    let text: string
    try {
      text = readFileSync(path, 'utf8')
    } catch (error) {
      console.error(`Unable to load preload script: ${path}`, error)
      setImmediate(() => this.emit('preload-error', {}, path, error))
      return []
    }
    const token = JSON.stringify(this.#token)
    const script = `function(require,process,module,exports){${text}\n}`
    return [
      { source: `(${mainWorld})(${token},${bridge})`, runImmediately: true },
      {
        worldName: world,
        source: `(${isolatedWorld})(${token},${JSON.stringify(names)},${bridge},(${makeCodec})(),${JSON.stringify(info)},${script})`
      }
    ]
  }

  #ownScripts(): Protocol.Page.addScriptToEvaluateOnNewDocumentParameters[] {
    return [
      { source: `(${permissionShim})(${JSON.stringify(this.#token)},'${names.ask}')` },
      { worldName: watchWorld, source: `(${watchPage})('${names.report}')` }
    ]
  }

  async #applySize(page: CdpSession): Promise<void> {
    // Chromium has no command for a page's zoom: fewer, larger CSS pixels are what it amounts to.
    const { width, height } = this.#size
    await page.send('Emulation.setDeviceMetricsOverride', {
      width: Math.max(1, Math.round(width / this.#zoom)),
      height: Math.max(1, Math.round(height / this.#zoom)),
      deviceScaleFactor: this.#zoom,
      mobile: false
    })
  }

  async #surround(session: CdpSession): Promise<void> {
    const identifier = this.#sessions.get(session)
    if (identifier) session.tell('Page.removeScriptToEvaluateOnNewDocument', { identifier })
    const source = this.session.webRequest.refusesWebSockets ? refuseSockets : ''
    const added = session.send('Page.addScriptToEvaluateOnNewDocument', { source })
    added.then(
      (script) => this.#sessions.set(session, script.identifier),
      () => {}
    )
    const { dark, highContrast, online } = host.surroundings
    await Promise.all([
      added,
      session.send('Emulation.setEmulatedMedia', {
        features: [
          { name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' },
          { name: 'prefers-contrast', value: highContrast ? 'more' : 'no-preference' }
        ]
      }),
      session.send('Network.emulateNetworkConditions', {
        offline: !online,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput: -1
      })
    ])
  }

  #scriptDialog(page: CdpSession, type: Protocol.Page.DialogType): void {
    if (type !== 'beforeunload') {
      page.tell('Page.handleJavaScriptDialog', { accept: false })
      return
    }
    const event = preventable({})
    this.emit('will-prevent-unload', event)
    page.tell('Page.handleJavaScriptDialog', { accept: event.defaultPrevented })
  }

  #crash(): void {
    this.#crashed = true
    const details = { reason: 'crashed', exitCode: 1 }
    this.emit('render-process-gone', {}, details)
    host.emit('render-process-gone', this, details)
  }
}

type Module = Pick<typeof Electron.webContents, 'fromId' | 'getAllWebContents' | 'getFocusedWebContents'>

export const webContents = {
  fromId: (id) => WebContents.fromId(id)?.asElectron(),
  getAllWebContents: () => WebContents.all().map((each) => each.asElectron()),
  getFocusedWebContents: () =>
    WebContents.all()
      .find((each) => each.isFocused())
      ?.asElectron() ?? null
} satisfies Module
