// Electron's WebContents: one page of Chromium, with its preload, its navigation and its permissions.
import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as Electron from 'electron'
import type { CdpSession, Protocol } from './cdp.ts'
import { followConsole } from './console-messages.ts'
import { Debugger } from './debugger.ts'
import * as editing from './editing.ts'
import { FrameTree, type WebFrame } from './frames.ts'
import { chromium, host } from './host.ts'
import * as input from './input.ts'
import { codec, IpcMain, receive } from './ipc.ts'
import { Navigation } from './navigation.ts'
import { loadError } from './net-errors.ts'
import { ownFrame } from './network.ts'
import { names, ownScripts, preloadScripts, preloadWorld, refuseSockets, watchWorld } from './page-scripts.ts'
import type { Report } from './page-watch.ts'
import { PageWorlds } from './page-worlds.ts'
import type { Question } from './permissions.ts'
import { pdfOf, printPage } from './printing.ts'
import { isPrivileged, schemeOf, toApp } from './schemes.ts'
import { Session } from './session.ts'
import { acceptOnly, Emulated, markDestroyed, notEmulated, preventable, refuseLater, strictly } from './strict.ts'
import { createPage, ownWorkers, type PageOwner, watchInside } from './targets.ts'
import { webContentsEvents } from './web-contents-events.ts'
import { checkPreferences } from './web-preferences.ts'
import { WindowOpening } from './window-opening.ts'

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
  | 'getWebRTCIPHandlingPolicy'
  | 'setZoomMode'
  | 'getZoomMode'
  | 'sendInputEvent'
  | 'print'
  | 'printToPDF'
  | 'undo'
  | 'redo'
  | 'cut'
  | 'copy'
  | 'paste'
  | 'selectAll'
>

// All but the first are the host's own.
const workingWhenDestroyed = [
  ...['isDestroyed', 'asElectron', 'blur', 'capture', 'command', 'setSize', 'applyMachineState', 'noteVisit'],
  ...['handleOpenElsewhere', 'openExternal', 'certificateError', 'attached', 'frameAttached', 'workerAttached'],
  ...['popupAttached', 'detached']
]

const liveContents = new Map<number, WebContents>()
let lastId = 0

export class WebContents extends Emulated implements Offered, PageOwner {
  readonly id = ++lastId
  readonly session: Session
  readonly ipc = new IpcMain()
  readonly frames = new FrameTree()
  readonly navigation: Navigation
  readonly preloadPath: string | undefined
  readonly debugger = new Debugger(async () => {
    await this.#opened
    return this.targetId ?? ''
  })
  readonly navigationHistory = strictly('navigationHistory', {
    clear: () => this.#whenOpen((page) => page.sendAndForget('Page.resetNavigationHistory'))
  } satisfies Pick<Electron.NavigationHistory, 'clear'>)
  /** @internal Chromium's id of the page, once it is ready. */
  targetId: string | undefined
  readonly #preferences: Electron.WebPreferences
  readonly #token = `host-${randomUUID()}`
  readonly #opened: Promise<CdpSession>
  readonly #windowOpening = new WindowOpening(() => this.#url())
  readonly #worlds: PageWorlds
  /** The sessions of the page and its frames, with the id of each one's script for WebSockets. */
  readonly #sessions = new Map<CdpSession, string>()
  #page: CdpSession | undefined
  #pageAttached: (session: CdpSession) => void = () => {}
  #size: { width: number; height: number }
  #zoom = 1
  #title = ''
  #muted = false
  #webRtcPolicy = 'default'
  #userAgent: string | undefined
  #destroyed = false
  #crashed = false
  #focused = false
  #fullscreenAllowed = false

  constructor(options: Electron.WebPreferences = {}, size = { width: 800, height: 600 }) {
    super('webContents', webContentsEvents)
    checkPreferences(options)
    this.#preferences = options
    this.preloadPath = options.preload
    this.#size = size
    this.#zoom = options.zoomFactor ?? 1
    this.session = (options.session as unknown as Session | undefined) ?? Session.of(options.partition ?? '')
    this.navigation = new Navigation(this, this.frames)
    this.#worlds = new PageWorlds({
      preload: (frameId, text, contextId) => this.#receive(frameId, text, contextId),
      ask: (session, frameId, text, contextId) =>
        void this.#answerPermission(session, frameId, contextId, JSON.parse(text)),
      report: (session, frameId, text, contextId) => this.#handleReport(session, frameId, contextId, JSON.parse(text))
    })
    liveContents.set(this.id, this)
    this.session.pages.add(this)
    this.#opened = this.#open()
    this.#opened.catch((error) => {
      if (!this.#destroyed) refuseLater(`a page that can't be opened (${error})`)
    })
    host.emit('web-contents-created', this)
  }

  static all(): WebContents[] {
    return [...liveContents.values()]
  }

  static fromId(id: number): WebContents | undefined {
    return liveContents.get(id)
  }

  /** Returns this object as the type that Electron's API names; members that the host lacks throw. */
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
    const scheme = schemeOf(url)
    if (!scheme) throw loadError('ERR_INVALID_URL', url)
    if (options?.userAgent) this.setUserAgent(options.userAgent)
    this.navigation.startLoading()
    const page = await this.#opened
    await this.session.whenSettingsApplied()
    const isUnknown = isPrivileged(scheme) && !this.session.schemes.isProtocolHandled(scheme)
    if (isUnknown) throw loadError('ERR_UNKNOWN_URL_SCHEME', url)
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
    return this.#url()
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
    this.#whenOpen((page) => page.sendAndForget('Page.stopLoading'))
  }

  reload(): void {
    this.#crashed = false
    this.navigation.startLoading()
    this.#whenOpen((page) => page.sendAndForget('Page.reload'))
  }

  reloadIgnoringCache(): void {
    this.navigation.startLoading()
    this.#whenOpen((page) => page.sendAndForget('Page.reload', { ignoreCache: true }))
  }

  focus(): void {
    if (this.#focused) return
    for (const other of liveContents.values()) other.blur()
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

  /** Ends the page. With `waitForBeforeUnload` the page is asked first and may stay (see will-prevent-unload). */
  close(options?: Electron.CloseOpts): void {
    if (options?.waitForBeforeUnload) {
      this.#whenOpen((page) => page.sendAndForget('Page.close'))
      return
    }
    // For the application it is gone at once; #open closes a page that was still being created.
    const { targetId } = this
    this.detached()
    if (targetId) chromium().root.sendAndForget('Target.closeTarget', { targetId })
  }

  /** No longer in Electron's types, but still there; the same as close(). */
  destroy(): void {
    this.close()
  }

  send(channel: string, ...args: unknown[]): void {
    if (typeof channel !== 'string') throw new TypeError('Missing required channel argument')
    const text = codec.encode({ t: 'event', channel, args })
    this.#whenOpen(() => this.#deliver(text, this.#worlds.preload))
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
    this.#whenOpen((page) => this.#applySize(page))
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

  /** Accepts only the mode that the host has: each page with its own zoom. */
  setZoomMode(mode: string): void {
    if (mode !== 'isolated') notEmulated(`setZoomMode('${mode}')`)
  }

  getZoomMode(): 'isolated' {
    return 'isolated'
  }

  async setVisualZoomLevelLimits(): Promise<void> {}

  setWindowOpenHandler(handler: Parameters<Electron.WebContents['setWindowOpenHandler']>[0]): void {
    this.#windowOpening.handler = handler
  }

  setUserAgent(userAgent: string): void {
    this.#userAgent = userAgent
    this.#whenOpen((page) => page.sendAndForget('Emulation.setUserAgentOverride', { userAgent }))
  }

  getUserAgent(): string {
    return this.#agent()
  }

  get userAgent(): string {
    return this.#agent()
  }

  set userAgent(userAgent: string) {
    this.setUserAgent(userAgent)
  }

  sendInputEvent(event: input.Sent): void {
    const key = input.asInput(event)
    const mouse = input.asMouse(event)
    const preventableEvent = preventable({})
    if (key) this.emit('before-input-event', preventableEvent, key)
    if (mouse) this.emit('before-mouse-event', preventableEvent, mouse)
    if (!preventableEvent.defaultPrevented) this.#whenOpen((page) => input.dispatch(page, event).catch(() => {}))
  }

  print(options: Electron.WebContentsPrintOptions = {}, callback?: (success: boolean, reason: string) => void): void {
    if (!options.silent) notEmulated('print with a dialog')
    void this.command((page) => printPage(page, options)).then((answer) => {
      // As in Electron, nothing is reported if the page crashed meanwhile.
      if (answer) callback?.(...answer)
      else if (this.#destroyed) callback?.(false, 'failed')
    })
  }

  printToPDF(options: Electron.PrintToPDFOptions): Promise<Buffer> {
    return this.command((page) => pdfOf(page, options))
  }

  undo(): void {
    this.#whenOpen((page) => editing.edit(page, 'undo'))
  }

  redo(): void {
    this.#whenOpen((page) => editing.edit(page, 'redo'))
  }

  selectAll(): void {
    this.#whenOpen((page) => editing.edit(page, 'selectAll'))
  }

  cut(): void {
    this.#whenOpen((page) => editing.cut(page))
  }

  copy(): void {
    this.#whenOpen((page) => editing.copy(page))
  }

  paste(): void {
    this.#whenOpen((page) => editing.paste(page))
  }

  setAudioMuted(muted: boolean): void {
    this.#muted = muted
  }

  isAudioMuted(): boolean {
    return this.#muted
  }

  forcefullyCrashRenderer(): void {
    this.#whenOpen((page) => page.sendAndForget('Page.crash'))
  }

  // These change nothing in the page.
  setBackgroundThrottling(): void {}
  setIgnoreMenuShortcuts(): void {}
  /** Recorded only; Chromium has one policy for all pages alike (chromium.ts). */
  setWebRTCIPHandlingPolicy(policy: string): void {
    this.#webRtcPolicy = policy
  }
  getWebRTCIPHandlingPolicy(): string {
    return this.#webRtcPolicy
  }
  openDevTools(): void {}
  closeDevTools(): void {}
  toggleDevTools(): void {}
  isDevToolsOpened(): boolean {
    return false
  }

  // ---- for the rest of the host ----

  /** @internal a PNG of the page as it is, in base64 */
  async capture(): Promise<string> {
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
    this.#whenOpen((page) => this.#applySize(page))
  }

  /** @internal applies a changed theme, network state or WebSocket rule; settles once the page has it */
  async applyMachineState(): Promise<void> {
    await this.#opened
    // A frame may have gone by now.
    await Promise.allSettled([...this.#sessions.keys()].map((each) => this.#applyMachineStateTo(each)))
  }

  /** @internal */
  noteVisit(origin: string): void {
    this.session.visitedOrigins.add(origin)
  }

  /** @internal a click that Chromium would open elsewhere */
  handleOpenElsewhere(url: string, disposition: string): void {
    this.#windowOpening.clicked(url, disposition)
  }

  /**
   * @internal a link for another program on the machine: the application's permission handler decides, as in Electron
   */
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
    const args = [url, `net::${code}`, {}, callback, isMainFrame]
    this.emit('certificate-error', event, ...args)
    host.emit('certificate-error', event, this, ...args)
  }

  // ---- PageOwner: what Chromium brings ----

  async attached(page: CdpSession, info: Protocol.Target.TargetInfo): Promise<void> {
    this.#page = page
    this.#sessions.set(page, '')
    this.frames.attach(info.targetId, undefined)
    ownFrame(info.targetId, this)
    this.#listen(page, info.targetId)
    page.on('Inspector.targetCrashed', () => this.#crash())
    page.on('Page.javascriptDialogOpening', ({ type }) => this.#scriptDialog(page, type))
    const scripts = [...this.#preload(), ...ownScripts(this.#token)]
    await Promise.all([
      page.send('Page.enable'),
      page.send('Page.setLifecycleEventsEnabled', { enabled: true }),
      page.send('Inspector.enable'),
      page.send('Network.enable'),
      page.send('Log.enable'),
      page.send('Runtime.enable'),
      page.send('Runtime.addBinding', { name: names.post, executionContextName: preloadWorld }),
      page.send('Runtime.addBinding', { name: names.ask }),
      page.send('Runtime.addBinding', { name: names.report, executionContextName: watchWorld }),
      // The order matters: the main world must listen before the isolated one speaks.
      ...scripts.map((script) => page.send('Page.addScriptToEvaluateOnNewDocument', script)),
      page.send('Emulation.setFocusEmulationEnabled', { enabled: true }),
      page.send('Emulation.setUserAgentOverride', { userAgent: this.#agent() }),
      watchInside(page, this),
      this.#applySize(page),
      this.#applyMachineStateTo(page)
    ])
    this.#pageAttached(page)
  }

  async frameAttached(session: CdpSession, info: Protocol.Target.TargetInfo): Promise<void> {
    if (info.type !== 'iframe') {
      if (this.session.webRequest.refusesWebSockets)
        session.sendAndForget('Runtime.evaluate', { expression: refuseSockets })
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
      ...ownScripts(this.#token).map((script) => session.send('Page.addScriptToEvaluateOnNewDocument', script)),
      session.send('Emulation.setUserAgentOverride', { userAgent: this.#agent() }),
      watchInside(session, this),
      this.#applyMachineStateTo(session)
    ])
  }

  workerAttached(info: Protocol.Target.TargetInfo): void {
    ownFrame(info.targetId, this)
  }

  popupAttached(): void {
    this.#windowOpening.arrived()
  }

  detached(): void {
    if (this.#destroyed) return
    this.#destroyed = true
    liveContents.delete(this.id)
    this.session.pages.delete(this)
    this.navigation.abandon()
    this.debugger.targetClosed()
    // Electron asks the handlers again for each page; Chromium would go on with what it was told for an earlier one.
    if (this.session.pages.size === 0) this.session.permissions.forget().catch(() => {})
    markDestroyed(this, workingWhenDestroyed, ['debugger'])
    this.emit('destroyed', {})
  }

  // ---- inside ----

  #url(): string {
    return this.navigation.hasStarted ? (this.frames.main?.url ?? '') : ''
  }

  #agent(): string {
    return this.#userAgent ?? this.session.getUserAgent()
  }

  async #open(): Promise<CdpSession> {
    await host.started
    const browserContextId = await this.session.context()
    const attached = new Promise<CdpSession>((done) => (this.#pageAttached = done))
    ownWorkers(browserContextId, this)
    const targetId = await createPage(this, { browserContextId, ...this.#size })
    const page = await attached
    if (this.#destroyed) chromium().root.sendAndForget('Target.closeTarget', { targetId })
    this.targetId = targetId
    return page
  }

  /** Runs `work` after everything asked of the page before; does nothing if the page has gone. */
  #whenOpen(work: (page: CdpSession) => unknown): void {
    this.#opened.then(
      (page) => !this.#destroyed && work(page),
      () => {}
    )
  }

  #listen(session: CdpSession, mainFrame?: string): void {
    this.navigation.follow(session)
    this.#worlds.follow(session, mainFrame)
    this.#windowOpening.follow(session)
    session.on('Network.loadingFinished', ({ encodedDataLength }) => (this.session.cachedBytes += encodedDataLength))
    followConsole(session, (message) => this.emit('console-message', { ...message, frame: this.frames.main ?? null }))
  }

  #handleReport(session: CdpSession, frameId: string, contextId: number, report: Report): void {
    if (this.#destroyed) return
    if (report.kind === 'navigate') {
      if (!this.navigation.mayGo(frameId, report.url)) return
      session.sendAndForget('Runtime.evaluate', { contextId, expression: `${names.go}(${JSON.stringify(report.url)})` })
      return
    }
    if (report.kind === 'input') {
      this.emit('input-event', {}, { type: report.type, modifiers: [] })
      return
    }
    if (report.kind === 'title') {
      this.#title = report.title || this.#url()
      if (report.title) this.emit('page-title-updated', preventable({}), report.title, true)
    } else if (report.kind === 'context-menu') {
      const { details } = report
      this.emit('context-menu', preventable({}), {
        ...details,
        linkURL: toApp(details.linkURL),
        pageURL: this.#url()
      })
    } else if (!report.on) this.emit('leave-html-full-screen')
    else if (this.#fullscreenAllowed) this.emit('enter-html-full-screen')
    // Chromium has no switch for full screen: a page that didn't ask, or was refused, is taken out of it again.
    else session.sendAndForget('Runtime.evaluate', { contextId, expression: 'document.exitFullscreen()' })
  }

  async #answerPermission(session: CdpSession, frameId: string, contextId: number, question: Question): Promise<void> {
    const frame = this.frames.get(frameId)
    if (!frame) return
    const allowed = await this.session.permissions.answer(this, frame, question)
    if (question.permission === 'fullscreen') this.#fullscreenAllowed = allowed
    const expression = `dispatchEvent(new CustomEvent(${JSON.stringify(this.#token)},{detail:'${question.id} ${allowed}'}))`
    session.sendAndForget('Runtime.evaluate', {
      contextId,
      expression,
      userGesture: question.permission !== 'notifications'
    })
  }

  #receive(frameId: string, text: string, contextId: number): void {
    const frame = this.frames.get(frameId)
    if (frame) void receive(this, frame, text, (reply) => this.#deliver(reply, contextId))
    else console.error('test host: a message came from a frame that is unknown')
  }

  #preload(): Protocol.Page.addScriptToEvaluateOnNewDocumentParameters[] {
    const path = this.preloadPath
    if (!path) return []
    try {
      return preloadScripts(path, this.#token, this.#preferences.additionalArguments ?? [])
    } catch (error) {
      console.error(`Unable to load preload script: ${path}`, error)
      setImmediate(() => this.emit('preload-error', {}, path, error))
      return []
    }
  }

  #deliver(text: string, contextId: number | undefined): void {
    // As in Electron, a page that has gone or is navigating away receives nothing.
    if (contextId === undefined) return
    const expression = `${names.deliver}(${JSON.stringify(text)})`
    this.#page?.send('Runtime.evaluate', { contextId, expression }).then(
      ({ exceptionDetails }) =>
        exceptionDetails && this.#undelivered(contextId, exceptionDetails.exception?.description),
      (error: unknown) => this.#undelivered(contextId, error)
    )
  }

  /** A document that is still shown should have received this: a request of it would wait forever. */
  #undelivered(contextId: number, why: unknown): void {
    if (this.#destroyed || this.#crashed || contextId !== this.#worlds.preload) return
    console.error('test host: a message did not reach the page:', why)
  }

  async #applySize(page: CdpSession): Promise<void> {
    // Chromium has no command for a page's zoom; fewer, larger CSS pixels amount to the same.
    const { width, height } = this.#size
    await page.send('Emulation.setDeviceMetricsOverride', {
      width: Math.max(1, Math.round(width / this.#zoom)),
      height: Math.max(1, Math.round(height / this.#zoom)),
      deviceScaleFactor: this.#zoom,
      mobile: false
    })
  }

  async #applyMachineStateTo(session: CdpSession): Promise<void> {
    const identifier = this.#sessions.get(session)
    if (identifier) session.sendAndForget('Page.removeScriptToEvaluateOnNewDocument', { identifier })
    const source = this.session.webRequest.refusesWebSockets ? refuseSockets : ''
    const added = session.send('Page.addScriptToEvaluateOnNewDocument', { source })
    added.then(
      (script) => this.#sessions.set(session, script.identifier),
      () => {}
    )
    const { dark, highContrast, online } = host.machineState
    const { acceptLanguage } = this.session
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
      }),
      session.send('Network.setExtraHTTPHeaders', {
        headers: acceptLanguage === undefined ? {} : { 'Accept-Language': acceptLanguage }
      })
    ])
  }

  #scriptDialog(page: CdpSession, type: Protocol.Page.DialogType): void {
    if (type !== 'beforeunload') {
      // A page that may show dialogs stays blocked until someone has answered, and nobody is here to.
      if (this.#preferences.disableDialogs) page.sendAndForget('Page.handleJavaScriptDialog', { accept: false })
      return
    }
    const event = preventable({})
    this.emit('will-prevent-unload', event)
    page.sendAndForget('Page.handleJavaScriptDialog', { accept: event.defaultPrevented })
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
