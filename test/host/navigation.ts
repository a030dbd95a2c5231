// Where the frames of a page go, reported by Electron's events in their order; a navigation that a listener prevents
// never reaches the network. Chromium announces every navigation that a page requests (frameRequestedNavigation) before
// it begins; one that isn't announced is the application's own and, as in Electron, emits no will-navigate.
import type { CdpSession, Protocol } from './cdp.ts'
import { asWebFrameMain, type FrameTree, type WebFrame } from './frames.ts'
import { loadError, netErrorNumber } from './net-errors.ts'
import { disownFrame, ownFrame } from './network.ts'
import { carriedScheme, schemeOf, toApp, toCarried } from './schemes.ts'
import { preventable } from './strict.ts'
import type { WebContents } from './web-contents.ts'

type Requested = Protocol.Page.frameRequestedNavigationPayload
type Started = Protocol.Page.frameStartedNavigatingPayload

interface Load {
  readonly url: string
  loaderId: string | undefined
  resolve(): void
  reject(error: Error): void
}

// Schemes that Chromium handles itself. Any other belongs to a program on the machine (mailto:) or is the application's
// own.
const internalSchemes = new Set([
  'http',
  'https',
  'about',
  'blob',
  'data',
  'file',
  'javascript',
  'chrome',
  'chrome-error',
  'devtools'
])

export class Navigation {
  loading = false
  /** Whether anything has been loaded into the page; before that its address is ''. */
  hasStarted = false
  readonly #contents: WebContents
  readonly #frames: FrameTree
  readonly #requested = new Map<string, Requested>()
  readonly #refused = new Map<string, string>()
  readonly #allowed = new Map<string, string>()
  readonly #statuses = new Map<string, { status: number; text: string }>()
  readonly #documents = new Map<string, { frameId: string; url: string }>()
  readonly #failed = new Set<string>()
  #load: Load | undefined

  constructor(contents: WebContents, frames: FrameTree) {
    this.#contents = contents
    this.#frames = frames
  }

  /** Follows the frames of one session: the page's, or that of a frame in another process. */
  follow(session: CdpSession): void {
    session.on('Page.frameAttached', ({ frameId, parentFrameId }) => this.#attach(frameId, parentFrameId))
    session.on('Page.frameDetached', ({ frameId, reason }) => {
      if (reason === 'swap') return
      this.#frames.detach(frameId)
      disownFrame(frameId)
    })
    session.on('Page.frameRequestedNavigation', (request) => this.#request(request))
    session.on('Page.frameStartedNavigating', (start) => this.#start(session, start))
    session.on('Page.frameNavigated', ({ frame }) => this.#commit(session, frame))
    session.on('Page.navigatedWithinDocument', ({ frameId, url }) => this.#move(frameId, url))
    session.on('Page.frameStartedLoading', ({ frameId }) => this.#isMain(frameId) && this.startLoading())
    session.on('Page.frameStoppedLoading', ({ frameId }) => this.#isMain(frameId) && this.#stopLoading())
    session.on('Page.lifecycleEvent', (event) => this.#lifecycle(event))
    session.on('Network.requestWillBeSent', ({ requestId, loaderId, frameId, request, type }) => {
      if (type === 'Document' && requestId === loaderId && frameId) {
        this.#documents.set(loaderId, { frameId, url: toApp(request.url) })
      }
    })
    session.on('Network.responseReceived', ({ type, loaderId, requestId, response }) => {
      if (type === 'Document' && requestId === loaderId) {
        this.#statuses.set(loaderId, { status: response.status, text: response.statusText })
      }
    })
    session.on('Network.loadingFailed', ({ type, requestId, errorText }) => {
      if (type === 'Document') this.#fail(requestId, errorText)
    })
  }

  /** Loads an address for the application; settles as Electron's loadURL does. */
  async load(session: CdpSession, url: string, referrer?: string): Promise<void> {
    this.#load?.reject(loadError('ERR_ABORTED', this.#load.url))
    this.hasStarted = true
    const done = new Promise<void>((resolve, reject) => {
      this.#load = { url, loaderId: undefined, resolve, reject }
    })
    done.catch(() => {})
    const pendingLoad = this.#load
    this.startLoading()
    session
      .send('Page.navigate', { url: toCarried(url), ...(referrer ? { referrer } : {}) })
      .then(({ errorText, isDownload, loaderId }) => {
        if (pendingLoad) pendingLoad.loaderId ??= loaderId
        if (errorText) this.#finishLoad(pendingLoad, loadError(errorText, url))
        else if (isDownload) this.#finishLoad(pendingLoad, loadError('ERR_ABORTED', url))
        else if (!loaderId) this.#finishLoad(pendingLoad)
        if (errorText || isDownload || !loaderId) this.#stopLoading()
      })
      .catch(() => this.#finishLoad(pendingLoad, loadError('ERR_FAILED', url)))
    return done
  }

  /** Handles the end of the page: rejects a pending load and drops the frames. */
  abandon(): void {
    this.#finishLoad(this.#load, loadError('ERR_FAILED', this.#load?.url ?? ''))
    for (const frame of this.#frames.all()) disownFrame(frame.id)
    this.#frames.clear()
  }

  /** @internal asked about each document's request, and each redirect of it, before it leaves; false refuses it */
  mayLoad(paused: Protocol.Fetch.requestPausedPayload): boolean {
    const frame = this.#frames.get(paused.frameId)
    if (!frame) return false
    const url = toApp(paused.request.url)
    if (paused.redirectedRequestId) {
      if (!this.#ask(['will-redirect'], frame, url)) return false
      this.#emitNavigation('did-redirect-navigation', frame, url)
      return true
    }
    const requested = this.#requested.get(frame.id)
    this.#requested.delete(frame.id)
    return requested ? this.#mayNavigate(frame, url, requested.reason) : true
  }

  /** @internal asked before a page goes to an address that makes no request, since that can't be held later */
  mayGo(frameId: string, url: string): boolean {
    const frame = this.#frames.get(frameId)
    if (!frame || !this.#mayNavigate(frame, toApp(url), 'scriptInitiated')) return false
    this.#allowed.set(frameId, url)
    return true
  }

  startLoading(): void {
    if (this.loading) return
    this.loading = true
    this.#contents.emit('did-start-loading')
  }

  #stopLoading(): void {
    if (!this.loading) return
    this.loading = false
    this.#contents.emit('did-stop-loading')
  }

  #isMain(frameId: string): boolean {
    return this.#frames.main?.id === frameId
  }

  #attach(frameId: string, parentId: string): void {
    const isNew = !this.#frames.get(frameId)
    const frame = this.#frames.attach(frameId, parentId)
    ownFrame(frameId, this.#contents)
    if (isNew) this.#contents.emit('frame-created', {}, { frame: asWebFrameMain(frame) })
  }

  #request(request: Requested): void {
    const { frameId, url, disposition } = request
    if (disposition !== 'currentTab') {
      if (disposition !== 'download') this.#contents.handleOpenElsewhere(toApp(url), disposition)
      return
    }
    const scheme = schemeOf(url)
    if (scheme === 'about' || scheme === 'javascript') return
    this.#requested.set(frameId, request)
  }

  #start(session: CdpSession, { frameId, url, loaderId, navigationType }: Started): void {
    const frame = this.#frames.get(frameId)
    if (!frame || navigationType === 'sameDocument' || navigationType === 'historySameDocument') return
    this.#emitNavigation('did-start-navigation', frame, toApp(url))
    this.#documents.set(loaderId, { frameId, url: toApp(url) })
    const load = this.#load
    if (load && frame === this.#frames.main) {
      if (load.loaderId === undefined) load.loaderId = loaderId
      else if (load.loaderId !== loaderId) this.#finishLoad(load, loadError('ERR_ABORTED', load.url))
    }
    if (['http', 'https', 'about', 'chrome-error'].includes(schemeOf(url))) return
    const requested = this.#requested.get(frameId)
    this.#requested.delete(frameId)
    if (requested) this.#decideWithoutRequest(session, frame, url, requested)
  }

  /**
   * Handles a page's navigation to an address that makes no request to hold: it is decided, and undone if refused, as
   * it begins.
   */
  #decideWithoutRequest(session: CdpSession, frame: WebFrame, url: string, requested: Requested): void {
    const isAllowed = this.#allowed.get(frame.id) === url
    this.#allowed.delete(frame.id)
    if (!isAllowed && !this.#mayNavigate(frame, toApp(url), requested.reason)) {
      session.sendAndForget('Page.stopLoading')
      if (internalSchemes.has(schemeOf(url))) this.#refused.set(frame.id, url)
      return
    }
    if (internalSchemes.has(schemeOf(url))) return
    const carried = toCarried(url)
    const scheme = carriedScheme(carried)
    if (scheme && this.#contents.session.schemes.isProtocolHandled(scheme)) {
      session.sendAndForget('Page.navigate', { url: carried, frameId: frame.id })
    } else this.#contents.openExternal(frame, url)
  }

  #mayNavigate(frame: WebFrame, url: string, reason: Requested['reason']): boolean {
    const initiator = reason === 'initialFrameNavigation' ? (frame.parent ?? frame) : frame
    const events = ['will-frame-navigate', ...(frame === this.#frames.main ? ['will-navigate'] : [])]
    return this.#ask(events, frame, url, initiator)
  }

  /** Emits the preventable events in turn. Returns false as soon as one is prevented. */
  #ask(events: readonly string[], frame: WebFrame, url: string, initiator: WebFrame | null = null): boolean {
    const isMainFrame = frame === this.#frames.main
    for (const name of events) {
      const details = preventable({
        url,
        isSameDocument: false,
        isMainFrame,
        frame: asWebFrameMain(frame),
        initiator: initiator && asWebFrameMain(initiator)
      })
      if (name === 'will-frame-navigate') this.#contents.emit(name, details)
      else this.#contents.emit(name, details, url, false, isMainFrame, frame.processId, frame.routingId)
      if (details.defaultPrevented) return false
    }
    return true
  }

  #emitNavigation(
    name: 'did-start-navigation' | 'did-redirect-navigation',
    frame: WebFrame,
    url: string,
    sameDocument = false
  ): void {
    const isMainFrame = frame === this.#frames.main
    const details = preventable({
      url,
      isSameDocument: sameDocument,
      isMainFrame,
      frame: asWebFrameMain(frame),
      initiator: null
    })
    this.#contents.emit(name, details, url, sameDocument, isMainFrame, frame.processId, frame.routingId)
  }

  #commit(session: CdpSession, details: Protocol.Page.Frame): void {
    this.#requested.delete(details.id)
    const refused = this.#refused.get(details.id)
    this.#refused.delete(details.id)
    const frame = this.#frames.navigated(details)
    ownFrame(details.id, this.#contents)
    const isMainFrame = frame === this.#frames.main
    if (refused && refused === details.url) {
      session.sendAndForget('Page.navigate', { url: 'about:blank', frameId: details.id })
      return
    }
    if (!this.hasStarted && details.url === 'about:blank') return
    if (isMainFrame) this.hasStarted = true
    this.#contents.noteVisit(details.securityOrigin)
    if (details.unreachableUrl) return
    const { status = 200, text = 'OK' } = this.#statuses.get(details.loaderId) ?? {}
    this.#statuses.clear()
    const place = [frame.processId, frame.routingId]
    this.#contents.emit('did-frame-navigate', {}, frame.url, status, text, isMainFrame, ...place)
    if (isMainFrame) this.#contents.emit('did-navigate', {}, frame.url, status, text)
  }

  #move(frameId: string, url: string): void {
    const frame = this.#frames.get(frameId)
    if (!frame) return
    this.#emitNavigation('did-start-navigation', frame, toApp(url), true)
    frame.move(url)
    const isMainFrame = frame === this.#frames.main
    this.#contents.emit('did-navigate-in-page', {}, frame.url, isMainFrame, frame.processId, frame.routingId)
  }

  #lifecycle({ frameId, loaderId, name }: Protocol.Page.lifecycleEventPayload): void {
    const frame = this.#frames.get(frameId)
    if (!frame || frame.loaderId !== loaderId || !this.hasStarted || this.#failed.has(loaderId)) return
    const isMainFrame = this.#isMain(frameId)
    if (name === 'DOMContentLoaded' && isMainFrame) this.#contents.emit('dom-ready', {})
    if (name === 'firstPaint' && isMainFrame) this.#contents.emit(firstPaint)
    if (name !== 'load') return
    this.#contents.emit('did-frame-finish-load', {}, isMainFrame, frame.processId, frame.routingId)
    if (!isMainFrame) return
    this.#contents.emit('did-finish-load', {})
    this.#contents.emit(firstPaint)
    if (this.#load?.loaderId === loaderId) this.#finishLoad(this.#load)
  }

  #fail(loaderId: string, errorText: string): void {
    const document = this.#documents.get(loaderId)
    const frame = document && this.#frames.get(document.frameId)
    if (!document || !frame) return
    const code = errorText.replace(/^net::/, '')
    const isMainFrame = frame === this.#frames.main
    const args = [{}, netErrorNumber(code), code, document.url, isMainFrame, frame.processId, frame.routingId]
    this.#failed.add(loaderId)
    this.#contents.emit('did-fail-provisional-load', ...args)
    // As in Electron, an aborted load isn't a failed one.
    if (code !== 'ERR_ABORTED') {
      if (code.startsWith('ERR_CERT_')) this.#contents.certificateError(document.url, code, isMainFrame)
      this.#contents.emit('did-fail-load', ...args)
    }
    if (isMainFrame && this.#load?.loaderId === loaderId) this.#finishLoad(this.#load, loadError(code, this.#load.url))
  }

  #finishLoad(load: Load | undefined, error?: Error): void {
    if (!load || load !== this.#load) return
    this.#load = undefined
    if (error) load.reject(error)
    else load.resolve()
  }
}

/** Emitted inside the host on a page's first paint; windows turn it into `ready-to-show`. */
export const firstPaint = Symbol('first paint')
