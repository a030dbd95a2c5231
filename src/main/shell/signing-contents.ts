/**
 * The page itself: how Electron makes it, lays it in a window, puts it on paper and ends it, and what the person's hands do
 * in it: which keys it gets.
 */
import { type BrowserWindow, type Session, type WebContents, WebContentsView } from 'electron'
import type { ViewBounds } from '../core/counter/deps.ts'
import { AppFailure } from '../core/lib/failure.ts'
import { editOf, isHeldKey } from '../core/policy/held-keys.ts'
import { CONTAINED } from './session-policy.ts'
import { notPrinted } from './signing-words.ts'

const PREFERENCES: Electron.WebPreferences = {
  ...CONTAINED,
  plugins: false,
  devTools: false,
  // A box of the system's own lies over our cover, stops our page, and doesn't say whose words it shows.
  disableDialogs: true,
  spellcheck: false,
  // A page that moves on would take the keyboard each time, from the clerk's own window, too.
  focusOnNavigation: false,
  autoplayPolicy: 'document-user-activation-required'
}

/** A page without a document, out of sight and silent. */
export function makeSigningContents(session: Session): WebContentsView {
  const view = new WebContentsView({ webPreferences: { session, ...PREFERENCES } })
  const { webContents } = view
  webContents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
  // The keys of our menu are the clerk's, not those of the person who sits here now.
  webContents.setIgnoreMenuShortcuts(true)
  webContents.setAudioMuted(true)
  // Of this page alone, wherever it goes; nothing of a signer before.
  webContents.setZoomMode('isolated')
  webContents.setZoomFactor(1)
  // It may not keep the person on it.
  webContents.on('will-prevent-unload', (event) => event.preventDefault())
  view.setVisible(false)
  return view
}

/** On the default printer and without a dialog, as it looks. Rejects in words for staff. */
export function printed(contents: WebContents): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  contents.print({ silent: true, printBackground: true }, (isPrinted) => {
    if (isPrinted) resolve()
    else reject(new AppFailure(notPrinted))
  })
  return promise
}

export function asPdf(contents: WebContents): Promise<Uint8Array> {
  return contents.printToPDF({ printBackground: true })
}

/** A page that ends by itself or is hung is waited for no longer than this, in milliseconds. */
const CLOSING_MS = 3000

/** Ends the page without asking it. Resolves when it has gone, or was made to go. */
export async function closed(contents: WebContents): Promise<void> {
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

/** Where a signing page lies in a window: over our own page when it is shown, and out of sight and silent otherwise. */
export class ViewPlace {
  readonly #window: BrowserWindow
  readonly #view: WebContentsView
  /** The view has none any more by the time that it hears that they are destroyed (electron#50249). */
  readonly #contents: WebContents
  readonly #onClosed: () => void

  /** @param onClosed called when the window goes, and the page with it. */
  constructor(window: BrowserWindow, view: WebContentsView, onClosed: () => void) {
    this.#window = window
    this.#view = view
    this.#contents = view.webContents
    this.#onClosed = onClosed
    window.contentView.addChildView(view)
    window.once('closed', onClosed)
  }

  /** Whether the person sees it. */
  isShown(): boolean {
    return !this.#window.isDestroyed() && this.#view.getVisible()
  }

  /** Lays the page there. As it comes into sight, or our own page hands the keyboard over, it gets that. */
  show(bounds: ViewBounds): void {
    if (this.#window.isDestroyed() || this.#contents.isDestroyed()) return
    const comesIntoSight = !this.#view.getVisible()
    this.#view.setBounds(placeIn(this.#window, bounds))
    this.#view.setVisible(true)
    this.#contents.setAudioMuted(false)
    // Giving a page the keyboard brings its window to the front on some systems: what the clerk types would go to it.
    if (!this.#window.isFocused()) return
    if (comesIntoSight || this.#window.webContents.isFocused()) this.#contents.focus()
  }

  /** Takes it from sight, and the keyboard from it. */
  hide(): void {
    if (this.#window.isDestroyed() || this.#contents.isDestroyed()) return
    const hadTheKeyboard = this.#contents.isFocused()
    this.#view.setVisible(false)
    this.#contents.setAudioMuted(true)
    if (hadTheKeyboard) this.focusOurPage()
  }

  focusOurPage(): void {
    if (!this.#window.isDestroyed()) this.#window.webContents.focus()
  }

  /** Takes it out of the window: a view whose page has gone must not be in it any more. */
  leave(): void {
    this.#window.off('closed', this.#onClosed)
    if (this.#window.isDestroyed()) return
    this.hide()
    this.#window.contentView.removeChildView(this.#view)
  }
}

/** Our page counts in its own pixels; the window in the system's. Nothing reaches outside the window. */
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

/** Reports when the person touches or types in the page. */
interface Hands {
  /** They touched, typed or scrolled; at most once a second. */
  touched(): void
  /** The key that leads out of the page to what lies around it. */
  wantsOut(): void
}

const TOUCH_MS = 1000

/** Only moved by the system as windows come and go. */
const NOT_BY_HAND = new Set(['undefined', 'mouseEnter', 'mouseLeave'])

/**
 * @param isShown whether the person sees the page: one that they don't gets no key.
 * @param platform on which editing keys are the menu's, or the page's.
 */
export function followHands(
  contents: WebContents,
  isShown: () => boolean,
  hands: Hands,
  platform: NodeJS.Platform = process.platform
): void {
  const isMac = platform === 'darwin'
  let last = Number.NEGATIVE_INFINITY
  const touched = () => {
    const now = performance.now()
    if (now - last < TOUCH_MS) return
    last = now
    hands.touched()
  }
  // Three events, for each sees what the others don't: all of the main frame's, and keys and clicks in any frame.
  contents.on('input-event', (_event, { type }) => {
    if (!NOT_BY_HAND.has(type)) touched()
  })
  contents.on('before-mouse-event', (_event, { type }) => {
    if (!NOT_BY_HAND.has(type)) touched()
  })
  contents.on('before-input-event', (event, input) => {
    touched()
    if (input.key === 'F6' && input.type === 'keyDown') hands.wantsOut()
    const edit = isMac && isShown() ? editOf(input) : undefined
    if (edit && input.type === 'keyDown') contents[edit]()
    if (edit || !isShown() || isHeldKey(input, isMac)) event.preventDefault()
  })
}
