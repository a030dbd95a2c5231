/**
 * Shows a page of the signing service to one signer. The page is untrusted until it is gone: it has no preload and its
 * own session, is confined to its ground, gets only the permissions of its turn, and is destroyed with everything it
 * stored.
 */
import { systemPreferences, type WebContents } from 'electron'
import type { AppError } from '../../shared/contract/index.ts'
import type { SigningTurn, SigningView, ViewBounds } from '../core/counter/deps.ts'
import { AppFailure } from '../core/lib/failure.ts'
import { MediaGrants } from '../core/policy/media-grants.ts'
import { decideNavigation, type RefusalReason, type SigningScope } from '../core/policy/navigation.ts'
import type { MediaDevice } from '../core/policy/permissions.ts'
import { type FileField, fileFieldOf, setFieldFile } from './file-field.ts'
import type { FileChooser, IsolatedPage } from './isolated-page.ts'
import { guard } from './session-policy.ts'
import { asPdf, followInput, printPage } from './signing-contents.ts'
import {
  askedForFile,
  askedForFolder,
  closedUnexpectedly,
  deniedInWords,
  fileNoLongerRequested,
  isolationLost,
  loadFailure,
  loadTimedOut,
  noPage,
  noPageToKeep,
  openedOtherSite,
  pageUnresponsive,
  refusalInWords,
  throttled,
  triedToPrint
} from './signing-words.ts'
import { offerTextMenu } from './text-menu.ts'

export interface SigningViewDeps {
  /** A page that nobody has entered yet. */
  isolated: IsolatedPage
  /** How long a page may take until it shows something, in milliseconds. */
  timeoutMs: number
  /** Wraps printing: some printers open a dialog of their own, which must not count as leaving the window. */
  whilePrinting?: (print: () => Promise<void>) => Promise<void>
}

const FILE_REQUESTS: ReadonlySet<string> = new Set([askedForFile, askedForFolder])

type State = 'loading' | 'open' | 'returned' | 'failed' | 'destroyed'

/** The page of one turn. It begins to load at once, out of sight. */
export class ElectronSigningView implements SigningView {
  readonly #deps: SigningViewDeps
  readonly #turn: SigningTurn
  readonly #ground: SigningScope
  readonly #isolated: IsolatedPage
  readonly #contents: WebContents
  readonly #media: MediaGrants
  /** Reports refusals until the page's end, so that a page can't fill our lists. */
  readonly #report: (what: string) => void
  #state: State = 'loading'
  #hasShownSomething = false
  #wasAborted = false
  #timeout: NodeJS.Timeout | undefined
  #isHeld = false
  #closeMenu = () => {}
  #field: FileField | undefined
  #ending: Promise<void> | undefined

  constructor(deps: SigningViewDeps, turn: SigningTurn) {
    this.#deps = deps
    this.#turn = turn
    this.#ground = turn
    const report = throttled((what) => turn.events.refused(what, FILE_REQUESTS.has(what) ? 'file' : undefined))
    this.#report = (what) => this.#isOver() || report(what)
    this.#media = new MediaGrants(this.#ground, () => turn.media(), {
      now: () => performance.now(),
      ask: (devices, answer) => turn.events.asksFor(devices, answer),
      granted: (devices) => this.#isOver() || turn.events.granted(devices),
      systemAllows
    })
    this.#isolated = deps.isolated
    this.#contents = deps.isolated.contents
    this.#isolated.enter({
      ground: this.#ground,
      permits: this.#media,
      session: {
        returned: () => this.#return(),
        refused: (url, reason, part) => this.#refuse(url, reason, part),
        denied: (what) => this.#denied(what)
      },
      triedToPrint: () => this.#report(triedToPrint),
      askedForFile: (chooser) => void this.#askedForFile(chooser),
      gotOtherCamera: () => this.#isOver() || this.#turn.events.otherCamera(),
      holdLost: () => this.#holdLost(),
      windowClosed: () => void this.destroy()
    })
    this.#isolated.setLanguages(turn.languages)
    this.#listen()
    // Begin later: when the turn's owner handles an event, it must already have the view.
    queueMicrotask(() => void this.#begin(turn.url))
  }

  show(bounds: ViewBounds): void {
    if (!this.#isOver()) this.#isolated.place.show(bounds)
  }

  hide(): void {
    this.#hide()
  }

  async print(): Promise<void> {
    const print = async () => printPage(this.#openPage())
    await (this.#deps.whilePrinting?.(print) ?? print())
  }

  async pdf(): Promise<Uint8Array> {
    return asPdf(this.#openPage())
  }

  async giveFile(path: string): Promise<void> {
    const field = this.#field
    this.#field = undefined
    const isGiven =
      field !== undefined && !this.#isOver() && (await setFieldFile(this.#contents.debugger, field, path, this.#ground))
    if (!isGiven) throw new AppFailure(fileNoLongerRequested)
  }

  zoom(factor: number): void {
    if (!this.#contents.isDestroyed()) this.#contents.setZoomFactor(Math.min(Math.max(factor, 0.5), 3))
  }

  setLanguages(languages: string): void {
    if (!this.#isOver()) this.#isolated.setLanguages(languages)
  }

  destroy(): Promise<void> {
    this.#ending ??= this.#end()
    return this.#ending
  }

  /** Loads the page only once an empty page is in place and held. */
  async #begin(url: string): Promise<void> {
    if (!this.#mayLoad(url)) return
    try {
      await this.#isolated.whenHeld
    } catch {
      this.#holdLost()
      return
    }
    this.#isHeld = true
    if (!this.#isOver()) this.#load(url)
  }

  /** loadURL triggers no navigation event, so the same decision is made here. */
  #mayLoad(url: string): boolean {
    return this.#mayNavigate({ url, isMainFrame: true }) === true
  }

  #load(url: string): void {
    this.#contents.loadURL(url).catch((error: { code?: unknown }) => this.#loadFailed(String(error.code)))
  }

  #listen(): void {
    const contents = this.#contents
    guard(contents, {
      mayNavigate: (request) => this.#mayNavigate(request),
      handleWindowRequest: ({ url, postsData }) => {
        // A form's data can't be carried over into the page, and sending half of it would be worse than none.
        if (postsData) this.#report('It tried to send a form into another window.')
        const isLoaded = !postsData && this.#mayLoad(url)
        if (isLoaded) this.#load(url)
        return isLoaded
      }
    })
    followInput(contents, () => this.#isolated.place.isShown(), {
      touched: () => this.#isOver() || this.#turn.events.touched(),
      leaveKeyPressed: () => this.#isolated.place.focusOurPage()
    })
    this.#closeMenu = offerTextMenu(contents, this.#isolated.window, { origin: () => this.#isolated.place.origin() })
    contents.on('dom-ready', () => this.#opened())
    contents.on('did-stop-loading', () => this.#stopped())
    contents.on('did-fail-load', (_event, _code, name, _url, isMainFrame) => {
      if (isMainFrame) this.#loadFailed(name)
    })
    contents.on('render-process-gone', () => this.#fail(closedUnexpectedly))
    contents.on('destroyed', () => this.#pageDestroyed())
    contents.on('unresponsive', () => this.#fail(pageUnresponsive))
  }

  #mayNavigate(request: { url: string; isMainFrame: boolean }): boolean | 'caught' {
    if (this.#isOver()) return 'caught'
    const decision = decideNavigation(request, this.#ground)
    if (decision.kind === 'returned') this.#return()
    if (decision.kind === 'refuse') this.#refuse(request.url, decision.reason, request.isMainFrame ? 'page' : 'frame')
    if (decision.kind === 'allow' && request.isMainFrame) this.#startLoading()
    return decision.kind === 'returned' ? 'caught' : decision.kind === 'allow'
  }

  #startLoading(): void {
    this.#field = undefined
    this.#state = 'loading'
    clearTimeout(this.#timeout)
    this.#timeout = setTimeout(() => this.#fail(loadTimedOut), this.#deps.timeoutMs)
    this.#turn.events.loading()
  }

  #opened(): void {
    if (this.#state !== 'loading' || !this.#isHeld) return
    clearTimeout(this.#timeout)
    // Nothing behind the first page may be navigated back to.
    if (!this.#hasShownSomething) this.#contents.navigationHistory.clear()
    this.#hasShownSomething = true
    this.#state = 'open'
    this.#turn.events.open(originOf(this.#contents.getURL()))
  }

  /** A navigation that ends without a new document (refused, or a download) leaves the old one in place. */
  #stopped(): void {
    if (this.#hasShownSomething) this.#opened()
    else if (this.#wasAborted) this.#fail(noPage)
  }

  /**
   * Handles a file dialog, which the browser has cancelled: the page's field waits for a file from us, or the page is
   * refused.
   */
  async #askedForFile(chooser: FileChooser): Promise<void> {
    if (this.#isOver()) return
    const field = this.#turn.files() ? await fileFieldOf(this.#contents.debugger, chooser, this.#ground) : undefined
    if (this.#isOver()) return
    if (!field || field.takesFolder) return this.#report(field?.takesFolder ? askedForFolder : askedForFile)
    this.#field = field
    this.#turn.events.asksForFile(field.accept)
  }

  #return(): void {
    if (this.#isOver()) return
    this.#finish('returned')
    this.#turn.events.returned()
  }

  #loadFailed(name: string): void {
    // A load that we refused, or that the page aborted itself, leaves the current page in place.
    if (this.#hasShownSomething && /ABORTED|BLOCKED_BY_CLIENT/.test(name)) return
    if (!/ABORTED/.test(name)) this.#fail(loadFailure(name))
    // A page that navigates on while loading is reported as aborted too; the next one is then on its way.
    else if (this.#contents.isLoading()) this.#wasAborted = true
    else this.#fail(noPage)
  }

  /** The page closed itself, or was closed. */
  #pageDestroyed(): void {
    if (this.#state !== 'destroyed') this.#fail(closedUnexpectedly)
  }

  /**
   * The page is no longer held, so it may not go on. A page that closes loses its hold as well; that is then reported
   * instead.
   */
  #holdLost(): void {
    this.#fail(this.#contents.isDestroyed() ? closedUnexpectedly : isolationLost)
    void this.destroy()
  }

  #fail(error: AppError): void {
    if (this.#isOver()) return
    this.#finish('failed')
    this.#turn.events.failed(error)
  }

  #refuse(url: string, reason: RefusalReason, part: 'page' | 'frame' | 'content'): void {
    if (this.#isOver()) return
    this.#report(refusalInWords(url, reason, part))
    if (part !== 'page' || this.#hasShownSomething) return
    this.#fail(reason === 'not-found' ? loadFailure('ERR_NAME_NOT_RESOLVED') : openedOtherSite)
  }

  #denied(what: string): void {
    this.#report(deniedInWords(what))
    if (what === 'download' && !this.#hasShownSomething) this.#fail(noPage)
  }

  #finish(state: 'returned' | 'failed'): void {
    this.#state = state
    clearTimeout(this.#timeout)
    this.#media.end()
    this.#hide()
    if (!this.#contents.isDestroyed()) this.#contents.stop()
  }

  #hide(): void {
    this.#closeMenu()
    this.#isolated.place.hide()
  }

  async #end(): Promise<void> {
    this.#state = 'destroyed'
    clearTimeout(this.#timeout)
    this.#media.end()
    this.#closeMenu()
    await this.#isolated.destroy()
  }

  #isOver(): boolean {
    return this.#state === 'returned' || this.#state === 'failed' || this.#state === 'destroyed'
  }

  /** Returns the page, if it shows something. */
  #openPage(): WebContents {
    if (this.#state !== 'open' || this.#contents.isDestroyed()) throw new AppFailure(noPageToKeep)
    return this.#contents
  }
}

/** The origin of the document that is shown; undefined for one that the page created itself. */
function originOf(address: string): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.origin : undefined
}

/** Whether the system lets this application use camera and microphone. macOS asks the person at the computer, once. */
export async function systemAllows(devices: readonly MediaDevice[]): Promise<boolean> {
  if (process.platform === 'win32')
    return devices.every((device) => isOpenTo(systemPreferences.getMediaAccessStatus(device)))
  if (process.platform !== 'darwin') return true
  for (const device of devices) {
    if (!(await systemPreferences.askForMediaAccess(device))) return false
  }
  return true
}

/** Windows doesn't ask: access is allowed or it isn't. */
function isOpenTo(status: ReturnType<typeof systemPreferences.getMediaAccessStatus>): boolean {
  return status !== 'denied' && status !== 'restricted'
}
