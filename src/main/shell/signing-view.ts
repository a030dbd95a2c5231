/**
 * Shows a page of the signing service to one signer. The page is hostile until it is gone: no preload, a session of its
 * own, held to its ground, granted nothing, and destroyed with everything it kept.
 */
import { type BrowserWindow, type Session, type WebContents, WebContentsView } from 'electron'
import type { AppError } from '../../shared/contract/index.ts'
import type { OpenSigningView, SigningTurn, SigningView, ViewBounds } from '../core/counter/signing-view.ts'
import { decideNavigation, type RefusalReason, type SigningGround } from '../core/policy/navigation.ts'
import type { Lookup } from '../core/policy/private-networks.ts'
import { guard } from './lock-down.ts'
import { ended, ledAway, loadFailure, nothingToShow, stuck, tooSlow } from './signing-failure.ts'
import { openSigningSession, wipe } from './signing-session.ts'
import { deniedWords, refusalWords } from './signing-words.ts'

export interface SigningViewParts {
  /** The window over whose page the signing page lies. */
  window: BrowserWindow
  /** How long a page may take until there is something to see, in milliseconds. */
  patienceMs: number
  /** How names are looked up; by default as the browser does. */
  lookupOf?: (opened: Session) => Lookup
}

/** The port's function for one window. */
export function signingViewsOf(parts: SigningViewParts): OpenSigningView {
  return (turn) => new ShownSigningView(parts, turn)
}

type State = 'loading' | 'open' | 'returned' | 'failed' | 'destroyed'

class ShownSigningView implements SigningView {
  readonly #parts: SigningViewParts
  readonly #turn: SigningTurn
  readonly #ground: SigningGround
  readonly #session: Session
  readonly #view: WebContentsView
  readonly #contents: WebContents
  readonly #toldAt = new Map<string, number>()
  #state: State = 'loading'
  #hasShownSomething = false
  #wasBrokenOff = false
  #patience: NodeJS.Timeout | undefined
  #ending: Promise<void> | undefined

  constructor(parts: SigningViewParts, turn: SigningTurn) {
    this.#parts = parts
    this.#turn = turn
    this.#ground = turn
    this.#session = openSigningSession(
      this.#ground,
      {
        returned: () => this.#return(),
        refused: (url, reason, part) => this.#refuse(url, reason, part),
        denied: (what) => this.#denied(what)
      },
      parts.lookupOf
    )
    this.#view = new WebContentsView({ webPreferences: { session: this.#session, ...PREFERENCES } })
    this.#contents = this.#view.webContents
    this.#listen()
    this.#view.setVisible(false)
    parts.window.contentView.addChildView(this.#view)
    parts.window.once('closed', this.#onClosed)
    // What the turn's owner does on an event must find the view already in its hands.
    queueMicrotask(() => this.#load(turn.url))
  }

  show(bounds: ViewBounds): void {
    if (!this.#isShowable()) return
    this.#view.setBounds(this.#placed(bounds))
    this.#view.setVisible(true)
    this.#contents.setAudioMuted(false)
    this.#contents.focus()
  }

  cover(): void {
    if (this.#state === 'destroyed') return
    this.#hide()
  }

  zoom(factor: number): void {
    if (!this.#contents.isDestroyed()) this.#contents.setZoomFactor(Math.min(Math.max(factor, 0.5), 3))
  }

  destroy(): Promise<void> {
    this.#ending ??= this.#end()
    return this.#ending
  }

  #load(url: string): void {
    if (this.#state === 'destroyed') return
    // loadURL asks no event: the same decision is made here.
    if (!this.#mayGo({ url, isMainFrame: true })) return
    this.#contents.loadURL(url).catch((error: { code?: unknown }) => this.#loadFailed(String(error.code)))
  }

  #listen(): void {
    const contents = this.#contents
    guard(contents, {
      mayNavigate: (request) => this.#mayGo(request),
      wantedWindow: ({ url, postsData }) => {
        // A form's data can't be carried over into the page; half of it would be worse than none.
        if (postsData) this.#tell('It tried to send a form into another window.')
        else this.#load(url)
      }
    })
    contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
    // The keys of our menu are the clerk's, not those of the person who sits here now.
    contents.setIgnoreMenuShortcuts(true)
    contents.setAudioMuted(true)
    contents.on('dom-ready', () => this.#opened())
    contents.on('did-stop-loading', () => this.#stopped())
    contents.on('did-fail-load', (_event, _code, name, _url, isMainFrame) => {
      if (isMainFrame) this.#loadFailed(name)
    })
    contents.on('render-process-gone', () => this.#fail(ended))
    contents.on('unresponsive', () => this.#fail(stuck))
  }

  #mayGo(request: { url: string; isMainFrame: boolean }): boolean {
    if (this.#isOver()) return false
    const decision = decideNavigation(request, this.#ground)
    if (decision.kind === 'returned') this.#return()
    if (decision.kind === 'refuse') this.#refuse(request.url, decision.reason, request.isMainFrame ? 'page' : 'frame')
    if (decision.kind === 'allow' && request.isMainFrame) this.#wait()
    return decision.kind === 'allow'
  }

  #wait(): void {
    this.#state = 'loading'
    clearTimeout(this.#patience)
    this.#patience = setTimeout(() => this.#fail(tooSlow), this.#parts.patienceMs)
    this.#turn.events.loading()
  }

  #opened(): void {
    if (this.#state !== 'loading') return
    clearTimeout(this.#patience)
    this.#hasShownSomething = true
    this.#state = 'open'
    this.#turn.events.open()
  }

  /** A move that ended without a new document (a refused one, a download) leaves the old one standing. */
  #stopped(): void {
    if (this.#hasShownSomething) this.#opened()
    else if (this.#wasBrokenOff) this.#fail(nothingToShow)
  }

  #return(): void {
    if (this.#isOver()) return
    this.#finish('returned')
    this.#turn.events.returned()
  }

  #loadFailed(name: string): void {
    // What we refuse leaves the page that stands there; so does what it broke off itself.
    if (this.#hasShownSomething && /ABORTED|BLOCKED_BY_CLIENT/.test(name)) return
    if (!/ABORTED/.test(name)) this.#fail(loadFailure(name))
    // A page that moves on while it loads is reported as aborted too; then the next one is on its way.
    else if (this.#contents.isLoading()) this.#wasBrokenOff = true
    else this.#fail(nothingToShow)
  }

  #fail(error: AppError): void {
    if (this.#isOver()) return
    this.#finish('failed')
    this.#turn.events.failed(error)
  }

  #refuse(url: string, reason: RefusalReason, part: 'page' | 'frame' | 'content'): void {
    if (this.#isOver()) return
    this.#tell(refusalWords(url, reason, part))
    if (part === 'page' && !this.#hasShownSomething) this.#fail(ledAway)
  }

  #denied(what: string): void {
    this.#tell(deniedWords(what))
    if (what === 'download' && !this.#hasShownSomething) this.#fail(nothingToShow)
  }

  /** The same thing tried again and again is told once a second: the page must not fill our lists. */
  #tell(what: string): void {
    if (this.#isOver()) return
    const now = Date.now()
    if (now - (this.#toldAt.get(what) ?? 0) < 1000) return
    if (this.#toldAt.size >= 100) this.#toldAt.clear()
    this.#toldAt.set(what, now)
    this.#turn.events.refused(what)
  }

  #finish(state: 'returned' | 'failed'): void {
    this.#state = state
    clearTimeout(this.#patience)
    this.#hide()
    if (!this.#contents.isDestroyed()) this.#contents.stop()
  }

  #hide(): void {
    const hadTheKeyboard = !this.#contents.isDestroyed() && this.#contents.isFocused()
    this.#view.setVisible(false)
    if (!this.#contents.isDestroyed()) this.#contents.setAudioMuted(true)
    if (hadTheKeyboard && !this.#parts.window.isDestroyed()) this.#parts.window.webContents.focus()
  }

  #onClosed = (): void => {
    void this.destroy()
  }

  async #end(): Promise<void> {
    this.#state = 'destroyed'
    clearTimeout(this.#patience)
    const { window } = this.#parts
    window.off('closed', this.#onClosed)
    // In this order: a view whose page has gone must not be in the window any more.
    if (!window.isDestroyed()) {
      this.#hide()
      window.contentView.removeChildView(this.#view)
    }
    await closed(this.#contents)
    this.#session.webRequest.onBeforeRequest((_details, respond) => respond({ cancel: true }))
    await wipe(this.#session)
  }

  #isOver(): boolean {
    return this.#state === 'returned' || this.#state === 'failed' || this.#state === 'destroyed'
  }

  #isShowable(): boolean {
    return !this.#isOver() && !this.#contents.isDestroyed() && !this.#parts.window.isDestroyed()
  }

  /** Our page counts in its own pixels; the window in the system's. Nothing reaches outside the window. */
  #placed({ x, y, width, height }: ViewBounds): Electron.Rectangle {
    const zoom = this.#parts.window.webContents.getZoomFactor()
    const [fullWidth = 0, fullHeight = 0] = this.#parts.window.getContentSize()
    const left = Math.min(Math.round(x * zoom), fullWidth)
    const top = Math.min(Math.round(y * zoom), fullHeight)
    return {
      x: left,
      y: top,
      width: Math.min(Math.round(width * zoom), fullWidth - left),
      height: Math.min(Math.round(height * zoom), fullHeight - top)
    }
  }
}

/** A page that ends by itself or is hung is waited for no longer than this, in milliseconds. */
const CLOSING_MS = 3000

async function closed(contents: WebContents): Promise<void> {
  if (contents.isDestroyed()) return
  const gone = Promise.withResolvers<void>()
  contents.once('destroyed', () => gone.resolve())
  const late = setTimeout(() => {
    if (!contents.isDestroyed()) contents.forcefullyCrashRenderer()
    gone.resolve()
  }, CLOSING_MS)
  contents.stop()
  contents.close()
  await gone.promise
  clearTimeout(late)
}

const PREFERENCES: Electron.WebPreferences = {
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  nodeIntegrationInSubFrames: false,
  nodeIntegrationInWorker: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  webviewTag: false,
  plugins: false,
  devTools: false,
  disableDialogs: true,
  navigateOnDragDrop: false,
  spellcheck: false,
  autoplayPolicy: 'document-user-activation-required'
}
