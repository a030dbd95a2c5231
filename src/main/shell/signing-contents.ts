/**
 * A signing page's web contents: how Electron creates them, places them in a window, prints and closes them, and which
 * of the person's keys and touches they get.
 */
import { type BrowserWindow, type Session, type WebContents, WebContentsView } from 'electron'
import type { ViewBounds } from '../core/counter/deps.ts'
import { AppFailure } from '../core/lib/failure.ts'
import { editCommandOf, isBlockedKey } from '../core/policy/blocked-keys.ts'
import { CONTAINED } from './session-policy.ts'
import { printFailed } from './signing-words.ts'

const PREFERENCES: Electron.WebPreferences = {
  ...CONTAINED,
  plugins: false,
  devTools: false,
  // A native box would cover our overlay, block our page, and not say whose words it shows.
  disableDialogs: true,
  spellcheck: false,
  // Otherwise each navigation would take the keyboard focus, even from the clerk's own window.
  focusOnNavigation: false,
  autoplayPolicy: 'document-user-activation-required'
}

/** Creates a page without a document, hidden and silent. */
export function makeSigningContents(session: Session): WebContentsView {
  const view = new WebContentsView({ webPreferences: { session, ...PREFERENCES } })
  const { webContents } = view
  webContents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
  // The shortcuts of our menu are the clerk's, not those of the person sitting here.
  webContents.setIgnoreMenuShortcuts(true)
  webContents.setAudioMuted(true)
  // For this page alone, wherever it navigates; nothing from an earlier signer.
  webContents.setZoomMode('isolated')
  webContents.setZoomFactor(1)
  // The page may not keep the person from leaving it.
  webContents.on('will-prevent-unload', (event) => event.preventDefault())
  view.setVisible(false)
  return view
}

/** Prints the page as it looks, on the default printer and without a dialog. Rejects with a message for staff. */
export function printPage(contents: WebContents): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const failed = () => reject(new AppFailure(printFailed))
  // A page that crashes while the printer is still being looked for is never reported as printed or not.
  contents.once('render-process-gone', failed)
  contents.print({ silent: true, printBackground: true }, (isPrinted) => (isPrinted ? resolve() : failed()))
  return promise.finally(() => contents.off('render-process-gone', failed))
}

export function asPdf(contents: WebContents): Promise<Uint8Array> {
  return contents.printToPDF({ printBackground: true })
}

/** The longest to wait for a page that closes itself or hangs, in milliseconds. */
const CLOSING_MS = 3000

/** Closes the page without asking it. Resolves once it's gone, or was forced to go. */
export async function closePage(contents: WebContents): Promise<void> {
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

/** Where a signing page is in a window: over our own page while shown, hidden and silent otherwise. */
export class ViewPlace {
  readonly #window: BrowserWindow
  readonly #view: WebContentsView
  /** Kept because the view no longer has them when it hears of their destruction (electron#50249). */
  readonly #contents: WebContents
  readonly #onClosed: () => void

  /** @param onClosed called when the window closes, and the page with it. */
  constructor(window: BrowserWindow, view: WebContentsView, onClosed: () => void) {
    this.#window = window
    this.#view = view
    this.#contents = view.webContents
    this.#onClosed = onClosed
    window.contentView.addChildView(view)
    window.once('closed', onClosed)
  }

  /** Whether the person sees the page. */
  isShown(): boolean {
    return !this.#window.isDestroyed() && this.#view.getVisible()
  }

  /** Where the page begins in the window's contents. */
  origin(): Electron.Point {
    return this.#view.getBounds()
  }

  /** Places and shows the page. It gets the keyboard focus if it was hidden, or if our own page has the focus. */
  show(bounds: ViewBounds): void {
    if (this.#window.isDestroyed() || this.#contents.isDestroyed()) return
    const wasHidden = !this.#view.getVisible()
    this.#view.setBounds(placeIn(this.#window, bounds))
    this.#view.setVisible(true)
    this.#contents.setAudioMuted(false)
    // On some systems, focusing a page brings its window to the front: what the clerk types would go to it.
    if (!this.#window.isFocused()) return
    if (wasHidden || this.#window.webContents.isFocused()) this.#contents.focus()
  }

  /** Hides the page and takes the keyboard focus from it. */
  hide(): void {
    if (this.#window.isDestroyed() || this.#contents.isDestroyed()) return
    const hadFocus = this.#contents.isFocused()
    this.#view.setVisible(false)
    this.#contents.setAudioMuted(true)
    if (hadFocus) this.focusOurPage()
  }

  focusOurPage(): void {
    if (!this.#window.isDestroyed()) this.#window.webContents.focus()
  }

  /** Takes the page out of the window: a view whose page is gone must not stay in it. */
  leave(): void {
    this.#window.off('closed', this.#onClosed)
    if (this.#window.isDestroyed()) return
    this.hide()
    this.#window.contentView.removeChildView(this.#view)
  }
}

/** Converts our page's pixels to the window's. Nothing extends outside the window. */
function placeIn(window: BrowserWindow, { x, y, width, height }: ViewBounds): Electron.Rectangle {
  const zoom = window.webContents.getZoomFactor()
  const [fullWidth = 0, fullHeight = 0] = window.getContentSize()
  const left = Math.min(Math.round(x * zoom), fullWidth)
  const top = Math.min(Math.round(y * zoom), fullHeight)
  return {
    x: left,
    y: top,
    width: Math.min(Math.round(width * zoom), fullWidth - left),
    height: Math.min(Math.round(height * zoom), fullHeight - top)
  }
}

interface InputListener {
  /** They touched, typed or scrolled; reported at most once a second. */
  touched(): void
  /** They pressed the key that leads out of the page to what surrounds it. */
  leaveKeyPressed(): void
}

const TOUCH_MS = 1000

/** Sent by the system as windows come and go, not by the person. */
const SYSTEM_EVENTS = new Set(['undefined', 'mouseEnter', 'mouseLeave'])

/**
 * Reports when the person touches or types in the page, and decides which keys the page gets.
 * @param isShown whether the person sees the page; a hidden page gets no keys.
 * @param platform decides whether editing keys belong to the menu or the page.
 */
export function followInput(
  contents: WebContents,
  isShown: () => boolean,
  listener: InputListener,
  platform: NodeJS.Platform = process.platform
): void {
  const isMac = platform === 'darwin'
  let last = Number.NEGATIVE_INFINITY
  const touched = () => {
    const now = performance.now()
    if (now - last < TOUCH_MS) return
    last = now
    listener.touched()
  }
  // Each event sees what the others miss: everything in the main frame; keys and clicks in any frame.
  contents.on('input-event', (_event, { type }) => {
    if (!SYSTEM_EVENTS.has(type)) touched()
  })
  contents.on('before-mouse-event', (_event, { type }) => {
    if (!SYSTEM_EVENTS.has(type)) touched()
  })
  contents.on('before-input-event', (event, input) => {
    touched()
    if (input.key === 'F6' && input.type === 'keyDown') listener.leaveKeyPressed()
    const edit = isMac && isShown() ? editCommandOf(input) : undefined
    if (edit && input.type === 'keyDown') contents[edit]()
    if (edit || !isShown() || isBlockedKey(input, isMac)) event.preventDefault()
  })
}
