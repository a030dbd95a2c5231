/**
 * The screen that a person signs on: our own window in full screen, or the window on the second display. Reports when a
 * person's screen was left, and moves to our own window if the second display is lost.
 */
import { type BrowserWindow, type Display, screen } from 'electron'
import type { CounterPlace, LeftBy } from '../core/counter/deps.ts'
import { enlarged } from '../core/counter/page.ts'
import type { ClipboardAside } from './clipboard.ts'
import { applyZoom } from './own-page.ts'
import { bringForward, filled, hasFocus, isShown } from './windows.ts'

/** A window being dragged between displays counts as moved once it has rested this long, in milliseconds. */
const RESTED = 300
/**
 * How long to wait before reopening a window whose page was lost: longer after each loss, until one has held for
 * `held`. In milliseconds.
 */
const AGAIN = { first: 5_000, most: 300_000, held: 60_000 }

export interface CounterPlaceDeps {
  /** The office's own window. */
  office: BrowserWindow
  settings: () => { fullScreen: boolean; useOtherDisplay: boolean }
  /** The zoom of our own pages. */
  zoom: () => number
  openPersonWindow: (display: Display) => BrowserWindow
  clipboard: Pick<ClipboardAside, 'put' | 'giveBack'>
  left: (by: LeftBy) => void
  /** The second display can't be signed on any more: the person now has our own window. */
  placeLost: () => void
  /** A second display, or its window, was added or removed. */
  changed: () => void
  failed: (error: unknown) => void
}

/** A window that a person has, and how to end that. */
interface Taken {
  window: BrowserWindow
  release: () => void
}

export class CounterWindows implements CounterPlace {
  readonly #deps: CounterPlaceDeps
  readonly #office: BrowserWindow
  #officeDisplay: number
  #person: BrowserWindow | undefined
  /** The display of the person's window. */
  #personDisplay: number | undefined
  /** A display where the system doesn't put our window, whatever we ask. */
  #unusable: number | undefined
  #taken: Taken | undefined
  /** How much larger than the office's zoom the person wants the text. */
  #enlarged = 1
  /** How many of our dialogs, opened by staff, are in front of the window. */
  #asking = 0
  #resting: NodeJS.Timeout | undefined
  /** The timer that reopens the window on the second display, and how often that was lost since it last held. */
  #again: NodeJS.Timeout | undefined
  #losses = 0

  constructor(deps: CounterPlaceDeps) {
    const { office } = deps
    this.#deps = deps
    this.#office = office
    this.#officeDisplay = displayOf(office).id
    const follow = () => this.follow()
    const unplugged = (_event: unknown, { id }: Display) => this.#unplugged(id)
    screen.on('display-added', follow)
    screen.on('display-removed', unplugged)
    office.on('move', () => this.#moved())
    office.once('closed', () => {
      if (this.#taken?.window === office) deps.left('hidden')
      clearTimeout(this.#resting)
      clearTimeout(this.#again)
      screen.off('display-added', follow)
      screen.off('display-removed', unplugged)
      this.#closePerson()
    })
  }

  /** Gives the person a window. Returns which one, once it's ready to show something. */
  async take(): Promise<'here' | 'other-display'> {
    this.giveBack()
    const window = this.#person
    if (!window || !(await isShown(window))) return this.#takeOffice()
    const isThere = this.#person === window && displayOf(window).id === this.#personDisplay
    if (!isThere) return this.#takeOffice()
    // The clerk works in our own window meanwhile: that doesn't count as leaving this one.
    this.#taken = { window, release: watch(window, this.#deps.left, () => false) }
    return 'other-display'
  }

  enlarge(factor: number): void {
    this.#enlarged = factor
    if (this.#taken) this.#show(this.#taken.window)
  }

  /** Sets the window's zoom for the person, capped as `enlarged` does. */
  #show(window: BrowserWindow): void {
    applyZoom(window, enlarged(this.#deps.zoom(), this.#enlarged))
  }

  giveBack(): void {
    const before = this.#taken?.window
    this.#release()
    if (this.#enlarged !== 1) {
      this.#enlarged = 1
      if (before) this.#show(before)
    }
    this.follow()
  }

  /** Opens or closes the window on the second display, according to the settings and the connected displays. */
  follow(): void {
    if (this.#office.isDestroyed()) return
    // While someone signs, everything stays where it is, whatever is plugged in.
    if (!this.#taken) {
      const { useOtherDisplay } = this.#deps.settings()
      this.#officeDisplay = displayOf(this.#office).id
      if (!useOtherDisplay || screen.getAllDisplays().length < 2) this.#unusable = undefined
      const wanted = useOtherDisplay ? this.#otherDisplay() : undefined
      if (this.#person && (wanted?.id !== this.#personDisplay || isDead(this.#person))) this.#closePerson()
      if (wanted && !this.#person) this.#openPerson(wanted)
    }
    this.#deps.changed()
  }

  personWindow(): BrowserWindow | undefined {
    return this.#person
  }

  /** The window that a person signs in, or would. */
  window(): BrowserWindow {
    return this.#taken?.window ?? this.#person ?? this.#office
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
  async whileAsking<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    this.#asking += 1
    try {
      return await work()
    } finally {
      void hasFocus(this.#office).then((isFocused) => {
        this.#asking -= 1
        if (!isFocused && this.#asking === 0 && this.#taken?.window === this.#office) this.#deps.left('blur')
      })
    }
  }

  /** Fills the screen again once staff lets the person go on. */
  keepFilled(): void {
    const window = this.#taken?.window
    if (!window || window.isDestroyed()) return
    if (window !== this.#office || this.#deps.settings().fullScreen) window.setFullScreen(true)
  }

  #otherDisplay(): Display | undefined {
    const own = displayOf(this.#office).id
    return screen.getAllDisplays().find(({ id }) => id !== own && id !== this.#unusable)
  }

  #openPerson(display: Display): void {
    const opened = this.#deps.openPersonWindow(display)
    const openedAt = Date.now()
    this.#person = opened
    this.#personDisplay = display.id
    // If the system doesn't let windows be placed (Wayland), it may cover the office's own.
    const judge = () => {
      if (this.#person !== opened || this.#taken || displayOf(opened).id === display.id) return
      this.#unusable = display.id
      this.#closePerson()
      this.#deps.changed()
    }
    opened.on('show', judge)
    opened.on('enter-full-screen', judge)
    opened.once('closed', () => {
      if (this.#person !== opened) return
      this.#person = undefined
      this.#personDisplay = undefined
      if (this.#taken?.window === opened) {
        this.#deps.left('hidden')
        this.#moveToOffice()
      } else this.#openAgain(Date.now() - openedAt)
      this.#deps.changed()
    })
  }

  /**
   * Reopens the window on the second display; while nobody signs on it, nothing else does. @param held how long it was
   * open, in milliseconds.
   */
  #openAgain(held: number): void {
    if (held >= AGAIN.held) this.#losses = 0
    clearTimeout(this.#again)
    this.#again = setTimeout(() => this.follow(), Math.min(AGAIN.first * 2 ** this.#losses++, AGAIN.most))
  }

  #closePerson(): void {
    const closed = this.#person
    this.#person = undefined
    this.#personDisplay = undefined
    if (closed && !closed.isDestroyed()) closed.destroy()
  }

  #release(): void {
    const before = this.#taken
    this.#taken = undefined
    before?.release()
  }

  /** Gives the person the office's own window at once. Resolves once it's ready to show something. */
  async #takeOffice(): Promise<'here'> {
    const { clipboard, failed, left, settings } = this.#deps
    const office = this.#office
    const wasFilled = office.isFullScreen()
    let stop = () => {}
    const mine: Taken = {
      window: office,
      release() {
        stop()
        if (!office.isDestroyed() && !wasFilled && office.isFullScreen()) office.setFullScreen(false)
        void clipboard.giveBack().catch(failed)
      }
    }
    this.#taken = mine
    if (settings().fullScreen && !wasFilled) await filled(office)
    if (this.#taken === mine) await clipboard.put().catch(failed)
    // Staff may have it back by now.
    if (this.#taken !== mine || office.isDestroyed()) return 'here'
    stop = watch(office, left, () => this.#asking === 0)
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
    if (!this.#office.isDestroyed()) void this.#takeOffice().catch(this.#deps.failed)
  }

  #unplugged(id: number): void {
    const isOffice = id === this.#officeDisplay
    if (this.#taken && this.#taken.window !== this.#office && (id === this.#personDisplay || isOffice))
      this.#moveToOffice()
    else if (this.#taken && isOffice) this.#deps.left('display')
    if (!this.#office.isDestroyed()) this.#officeDisplay = displayOf(this.#office).id
    this.follow()
  }

  #moved(): void {
    clearTimeout(this.#resting)
    this.#resting = setTimeout(() => {
      if (this.#office.isDestroyed() || displayOf(this.#office).id === this.#officeDisplay) return
      this.#officeDisplay = displayOf(this.#office).id
      this.follow()
    }, RESTED)
  }
}

const displayOf = (window: BrowserWindow): Display => screen.getDisplayMatching(window.getBounds())

const isDead = (window: BrowserWindow): boolean => window.isDestroyed() || window.webContents.isCrashed()

/** Reports when the window is left: for another window, by leaving full screen, or by being hidden. */
function watch(window: BrowserWindow, left: (by: LeftBy) => void, blurs: () => boolean): () => void {
  const hidden = () => left('hidden')
  const crashed = () => left('page')
  const told = Object.entries({
    blur: () => blurs() && left('blur'),
    'leave-full-screen': () => left('full-screen'),
    hide: hidden,
    minimize: hidden
  })
  // The type declarations have an overload per event, but none for all of them.
  for (const [event, heard] of told) window.on(event as 'blur', heard)
  window.webContents.on('render-process-gone', crashed)
  return () => {
    if (window.isDestroyed()) return
    for (const [event, heard] of told) window.off(event as 'blur', heard)
    window.webContents.off('render-process-gone', crashed)
  }
}
