/**
 * The screen that a person signs on: our own window in full screen, or the window on the second display. Reports when a
 * person's screen was left, and moves to our own window if the second display is lost.
 */
import { type BrowserWindow, type Display, screen } from 'electron'
import type { CounterPlace, LeaveReason } from '../core/counter/deps.ts'
import { enlargedZoom } from '../core/counter/page.ts'
import type { ClipboardStash } from './clipboard.ts'
import { applyZoom } from './own-page.ts'
import { bringForward, enterFullScreen, hasFocus, isShown } from './windows.ts'

/** A window being dragged between displays counts as moved once it has rested this long, in milliseconds. */
const MOVE_DEBOUNCE_MS = 300
/**
 * How long to wait before reopening a window whose page was lost: longer after each loss, until one has held for
 * `held`. In milliseconds.
 */
const REOPEN_BACKOFF = { first: 5_000, max: 300_000, held: 60_000 }

export interface CounterPlaceDeps {
  office: BrowserWindow
  settings: () => { fullScreen: boolean; useOtherDisplay: boolean }
  /** The zoom of our own pages. */
  zoom: () => number
  openPersonWindow: (display: Display) => BrowserWindow
  clipboard: Pick<ClipboardStash, 'stash' | 'restore'>
  screenLeft: (by: LeaveReason) => void
  /** The second display can't be signed on any more: the person now has our own window. */
  placeLost: () => void
  /** A second display, or its window, was added or removed. */
  changed: () => void
  onError: (error: unknown) => void
}

/** A window that a person has, and how to end that. */
interface AssignedWindow {
  window: BrowserWindow
  release: () => void
}

export class CounterWindows implements CounterPlace {
  readonly #deps: CounterPlaceDeps
  readonly #office: BrowserWindow
  #officeDisplay: number
  #person: BrowserWindow | undefined
  #personDisplay: number | undefined
  /** A display where the system doesn't put our window, whatever we ask. */
  #unusable: number | undefined
  #assigned: AssignedWindow | undefined
  /** How much larger than the office's zoom the person wants the text. */
  #textScale = 1
  /** How many of our dialogs, opened by staff, are in front of the window. */
  #openDialogs = 0
  #moveTimer: NodeJS.Timeout | undefined
  /** The timer that reopens the window on the second display, and how often that was lost since it last held. */
  #reopenTimer: NodeJS.Timeout | undefined
  #losses = 0

  constructor(deps: CounterPlaceDeps) {
    const { office } = deps
    this.#deps = deps
    this.#office = office
    this.#officeDisplay = displayOf(office).id
    const update = () => this.updatePersonWindow()
    const displayRemoved = (_event: unknown, { id }: Display) => this.#displayRemoved(id)
    screen.on('display-added', update)
    screen.on('display-removed', displayRemoved)
    office.on('move', () => this.#officeMoved())
    office.once('closed', () => {
      if (this.#assigned?.window === office) deps.screenLeft('hidden')
      clearTimeout(this.#moveTimer)
      clearTimeout(this.#reopenTimer)
      screen.off('display-added', update)
      screen.off('display-removed', displayRemoved)
      this.#closePerson()
    })
  }

  /** Gives the person a window. Returns which one, once it's ready to show something. */
  async handOver(): Promise<'here' | 'other-display'> {
    this.giveBack()
    const window = this.#person
    if (!window || !(await isShown(window))) return this.#assignOffice()
    const isThere = this.#person === window && displayOf(window).id === this.#personDisplay
    if (!isThere) return this.#assignOffice()
    // The clerk works in our own window meanwhile: that doesn't count as leaving this one.
    this.#assigned = { window, release: watchForLeaving(window, this.#deps.screenLeft, () => false) }
    return 'other-display'
  }

  enlarge(factor: number): void {
    this.#textScale = factor
    if (this.#assigned) this.#applyZoom(this.#assigned.window)
  }

  /** Sets the window's zoom for the person, capped as `textScale` does. */
  #applyZoom(window: BrowserWindow): void {
    applyZoom(window, enlargedZoom(this.#deps.zoom(), this.#textScale))
  }

  giveBack(): void {
    const previous = this.#assigned?.window
    this.#release()
    if (this.#textScale !== 1) {
      this.#textScale = 1
      if (previous) this.#applyZoom(previous)
    }
    this.updatePersonWindow()
  }

  /** Opens or closes the window on the second display, according to the settings and the connected displays. */
  updatePersonWindow(): void {
    if (this.#office.isDestroyed()) return
    // While someone signs, everything stays where it is, whatever is plugged in.
    if (!this.#assigned) {
      const { useOtherDisplay } = this.#deps.settings()
      this.#officeDisplay = displayOf(this.#office).id
      if (!useOtherDisplay || screen.getAllDisplays().length < 2) this.#unusable = undefined
      const target = useOtherDisplay ? this.#otherDisplay() : undefined
      if (this.#person && (target?.id !== this.#personDisplay || isDead(this.#person))) this.#closePerson()
      if (target && !this.#person) this.#openPerson(target)
    }
    this.#deps.changed()
  }

  personWindow(): BrowserWindow | undefined {
    return this.#person
  }

  /** The window that a person signs in, or would. */
  window(): BrowserWindow {
    return this.#assigned?.window ?? this.#person ?? this.#office
  }

  /** The name of the second display, if there is one now. */
  otherDisplay(): string | undefined {
    const display = this.#otherDisplay()
    return display && (display.label || 'Second display')
  }

  /**
   * Runs a dialog of staff's without counting it as leaving the window. If another window is in front afterwards, that
   * does count.
   */
  async duringDialog<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    this.#openDialogs += 1
    try {
      return await work()
    } finally {
      void hasFocus(this.#office).then((isFocused) => {
        this.#openDialogs -= 1
        if (!isFocused && this.#openDialogs === 0 && this.#assigned?.window === this.#office)
          this.#deps.screenLeft('blur')
      })
    }
  }

  /** Fills the screen again once staff lets the person go on. */
  restoreFullScreen(): void {
    const window = this.#assigned?.window
    if (!window || window.isDestroyed()) return
    if (window !== this.#office || this.#deps.settings().fullScreen) window.setFullScreen(true)
  }

  /** Undefined also once our window is gone: the parts that end after it still read the settings, which name it. */
  #otherDisplay(): Display | undefined {
    if (this.#office.isDestroyed()) return undefined
    const own = displayOf(this.#office).id
    return screen.getAllDisplays().find(({ id }) => id !== own && id !== this.#unusable)
  }

  #openPerson(display: Display): void {
    const opened = this.#deps.openPersonWindow(display)
    const openedAt = Date.now()
    this.#person = opened
    this.#personDisplay = display.id
    // If the system doesn't let windows be placed (Wayland), it may cover the office's own.
    const checkPlacement = () => {
      if (this.#person !== opened || this.#assigned || displayOf(opened).id === display.id) return
      this.#unusable = display.id
      this.#closePerson()
      this.#deps.changed()
    }
    opened.on('show', checkPlacement)
    opened.on('enter-full-screen', checkPlacement)
    opened.once('closed', () => {
      if (this.#person !== opened) return
      this.#person = undefined
      this.#personDisplay = undefined
      if (this.#assigned?.window === opened) {
        this.#deps.screenLeft('hidden')
        this.#moveToOffice()
      } else this.#scheduleReopen(Date.now() - openedAt)
      this.#deps.changed()
    })
  }

  /**
   * Reopens the window on the second display; while nobody signs on it, nothing else does. @param held how long it was
   * open, in milliseconds.
   */
  #scheduleReopen(held: number): void {
    if (held >= REOPEN_BACKOFF.held) this.#losses = 0
    clearTimeout(this.#reopenTimer)
    this.#reopenTimer = setTimeout(
      () => this.updatePersonWindow(),
      Math.min(REOPEN_BACKOFF.first * 2 ** this.#losses++, REOPEN_BACKOFF.max)
    )
  }

  #closePerson(): void {
    const closed = this.#person
    this.#person = undefined
    this.#personDisplay = undefined
    if (closed && !closed.isDestroyed()) closed.destroy()
  }

  #release(): void {
    const previous = this.#assigned
    this.#assigned = undefined
    previous?.release()
  }

  /** Gives the person the office's own window at once. Resolves once it's ready to show something. */
  async #assignOffice(): Promise<'here'> {
    const { clipboard, onError, screenLeft, settings } = this.#deps
    const office = this.#office
    const wasFullScreen = office.isFullScreen()
    let stop = () => {}
    const assigned: AssignedWindow = {
      window: office,
      release() {
        stop()
        if (!office.isDestroyed() && !wasFullScreen && office.isFullScreen()) office.setFullScreen(false)
        void clipboard.restore().catch(onError)
      }
    }
    this.#assigned = assigned
    if (settings().fullScreen && !wasFullScreen) await enterFullScreen(office)
    if (this.#assigned === assigned) await clipboard.stash().catch(onError)
    // Staff may have it back by now.
    if (this.#assigned !== assigned || office.isDestroyed()) return 'here'
    stop = watchForLeaving(office, screenLeft, () => this.#openDialogs === 0)
    // A window that isn't in front can't be left for another.
    if (!office.isFocused()) bringForward(office)
    return 'here'
  }

  /** Moves someone who signs on the second display to our own window, because the display is lost. */
  #moveToOffice(): void {
    // The page is ended while its window still exists.
    this.#deps.placeLost()
    this.#release()
    this.#closePerson()
    if (!this.#office.isDestroyed()) void this.#assignOffice().catch(this.#deps.onError)
  }

  #displayRemoved(id: number): void {
    const isOffice = id === this.#officeDisplay
    if (this.#assigned && this.#assigned.window !== this.#office && (id === this.#personDisplay || isOffice))
      this.#moveToOffice()
    else if (this.#assigned && isOffice) this.#deps.screenLeft('display')
    if (!this.#office.isDestroyed()) this.#officeDisplay = displayOf(this.#office).id
    this.updatePersonWindow()
  }

  #officeMoved(): void {
    clearTimeout(this.#moveTimer)
    this.#moveTimer = setTimeout(() => {
      if (this.#office.isDestroyed() || displayOf(this.#office).id === this.#officeDisplay) return
      this.#officeDisplay = displayOf(this.#office).id
      this.updatePersonWindow()
    }, MOVE_DEBOUNCE_MS)
  }
}

const displayOf = (window: BrowserWindow): Display => screen.getDisplayMatching(window.getBounds())

const isDead = (window: BrowserWindow): boolean => window.isDestroyed() || window.webContents.isCrashed()

/** Reports when the window is left: for another window, by leaving full screen, or by being hidden. */
function watchForLeaving(
  window: BrowserWindow,
  screenLeft: (by: LeaveReason) => void,
  countsBlur: () => boolean
): () => void {
  const hidden = () => screenLeft('hidden')
  const crashed = () => screenLeft('page')
  const listeners = Object.entries({
    blur: () => countsBlur() && screenLeft('blur'),
    'leave-full-screen': () => screenLeft('full-screen'),
    hide: hidden,
    minimize: hidden
  })
  // The type declarations have an overload per event, but none for all of them.
  for (const [event, listener] of listeners) window.on(event as 'blur', listener)
  window.webContents.on('render-process-gone', crashed)
  return () => {
    if (window.isDestroyed()) return
    for (const [event, listener] of listeners) window.off(event as 'blur', listener)
    window.webContents.off('render-process-gone', crashed)
  }
}
