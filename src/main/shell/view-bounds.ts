/** Where a signing page lies in a window: over our own page when it is shown, and out of sight and silent otherwise. */
import type { BrowserWindow, WebContentsView } from 'electron'
import type { ViewBounds } from '../core/counter/deps.ts'

export class SigningPlace {
  readonly #window: BrowserWindow
  readonly #view: WebContentsView
  readonly #onClosed: () => void

  /** @param onClosed called when the window goes, and the page with it. */
  constructor(window: BrowserWindow, view: WebContentsView, onClosed: () => void) {
    this.#window = window
    this.#view = view
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
    if (this.#window.isDestroyed() || this.#view.webContents.isDestroyed()) return
    const comesIntoSight = !this.#view.getVisible()
    this.#view.setBounds(placeIn(this.#window, bounds))
    this.#view.setVisible(true)
    this.#view.webContents.setAudioMuted(false)
    // Giving a page the keyboard brings its window to the front on some systems: what the clerk types would go to it.
    if (!this.#window.isFocused()) return
    if (comesIntoSight || this.#window.webContents.isFocused()) this.#view.webContents.focus()
  }

  /** Takes it from sight, and the keyboard from it. */
  hide(): void {
    const { webContents } = this.#view
    if (this.#window.isDestroyed() || webContents.isDestroyed()) return
    const hadTheKeyboard = webContents.isFocused()
    this.#view.setVisible(false)
    webContents.setAudioMuted(true)
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
